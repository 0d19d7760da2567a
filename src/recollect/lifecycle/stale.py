"""
Staleness: memories follow the files they are about, and go stale when those are gone.

A file that moved takes its memories with it. One that is gone, or a folder most of which went elsewhere, makes them
stale until it is back. A change of content is only reported, except for kinds that say they do not outlive one.
All of it happens at a commit, a merge, a session's start, or when a sweep is due; reading only looks whether files are
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from recollect.lifecycle.anchor_check import AnchorCheck, refresh_anchor
from recollect.lifecycle.anchoring import anchor_memories
from recollect.lifecycle.locate_files import FileLocations, locate_files
from recollect.lifecycle.writing import apply_change
from recollect.model.anchor import (
    Anchor,
    AnchorState,
    Checkout,
    MovedFile,
    StaleMark,
    SweepReport,
    explain_staleness,
    makes_stale,
    move_memory,
    path_of,
)
from recollect.model.history import Act
from recollect.model.json_form import moment_from_json, moment_to_json
from recollect.model.kinds import Kinds
from recollect.model.memory import Memory
from recollect.model.value import dataclass, field, replace
from recollect.store.db import Db
from recollect.store.tables import anchors, memories, meta

SESSIONS_BETWEEN_SWEEPS = 20
DAYS_BETWEEN_SWEEPS = 1
_AT_ONCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class StalenessContext:
    """What a look over the files needs. Once `enough` says so, no further git is started."""

    db: Db
    kinds: Kinds
    checkout: Checkout
    now: datetime
    new_id: Callable[[datetime], str]
    enough: Callable[[], bool]
    actor: str = "recollect"


def is_sweep_due(db: Db, project_id: str, now: datetime) -> bool:
    """Whether all files should be looked at: never done, the first time in a day, or twenty sessions ago."""
    stored = meta.read_meta(db, _swept_key(project_id))
    last = moment_from_json(stored) if stored else None
    # A sweep in the future means that a clock went back.
    if last is None or last > now or now - last >= timedelta(days=DAYS_BETWEEN_SWEEPS):
        return True
    return anchors.count_sessions_since(db, project_id, last) >= SESSIONS_BETWEEN_SWEEPS


def sweep(context: StalenessContext) -> SweepReport:
    """Look at every file that memories of this project stand on; those without an anchor get one."""
    db, checkout = context.db, context.checkout
    kinds = [kind.name for kind in context.kinds if kind.stale_when_changed]
    on_files = anchors.list_memories_on_files(db, checkout.project_id, kinds).values()
    # A kind that came with a plugin goes with it; what it says about files is not known then.
    about = [memory for memory in on_files if memory.kind in context.kinds.names()]
    stored = anchors.list_anchors_of_project(db, checkout.project_id)
    nothing: dict[str, list[Anchor]] = {memory_id: [] for memory_id in stored}
    expected = nothing | anchor_memories(db, context.kinds, checkout, about, stored)
    report = _check_all(context, stored, expected, thorough=True)
    if report.finished:
        with db.transaction():
            meta.save_meta(db, _swept_key(checkout.project_id), moment_to_json(context.now))
    return report


def follow(context: StalenessContext) -> SweepReport:
    """What commits since the last look did to files; for the moments after a commit, a merge or a checkout."""
    stored = anchors.list_anchors_of_project(context.db, context.checkout.project_id)
    behind = {
        memory_id: memory_anchors
        for memory_id, memory_anchors in stored.items()
        if any(
            anchor.tracked_in != context.checkout.head or anchor.state is AnchorState.GONE
            for anchor in memory_anchors
        )
    }
    return _check_all(context, behind, behind, thorough=False)


def check_at_session_start(context: StalenessContext) -> SweepReport:
    """Sweep if it is due, else follow what was committed since."""
    due = is_sweep_due(context.db, context.checkout.project_id, context.now)
    return sweep(context) if due else follow(context)


def renew_memory(context: StalenessContext, memory_id: str) -> Memory:
    """Somebody has seen that a memory still holds: it is not stale, and its files count as they are now."""
    checkout = context.checkout
    with context.db.transaction():
        memory = memories.get_memory(context.db, memory_id)
        memory_anchors = anchors.list_anchors_of_memories(context.db, [memory.id]).get(memory.id, ())
        anchors.save_anchors(
            context.db, memory.id, [refresh_anchor(checkout, anchor) for anchor in memory_anchors]
        )
        return _rewrite(
            context, _Acts(context).of("fresh"), memory, replace(memory, stale_at=None, stale_why="")
        )


def _swept_key(project_id: str) -> str:
    return f"stale.swept.{project_id}"


@dataclass(slots=True)
class _Tally:
    """What has been done so far."""

    moved: list[MovedFile] = field(default_factory=list)
    stale: list[StaleMark] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)
    anchored: int = 0
    changed: int = 0


def _check_all(
    context: StalenessContext,
    stored: Mapping[str, Sequence[Anchor]],
    expected: Mapping[str, Sequence[Anchor]],
    *,
    thorough: bool,
) -> SweepReport:
    everything = [anchor for locations in expected.values() for anchor in locations]
    alive = [anchor for anchor in everything if not anchor.is_folder and anchor.state is not AnchorState.GONE]
    locations = locate_files(context.checkout, alive, enough=context.enough, thorough=thorough)
    look = AnchorCheck(context.checkout, locations, enough=context.enough, thorough=thorough)
    cases = [
        _Case(
            memory_id=memory_id,
            known=stored.get(memory_id, ()),
            held=group,
            judged=[look.at(anchor) for anchor in group],
        )
        for memory_id, group in expected.items()
    ]
    tally = _Tally()
    news = [case for case in cases if case.is_news]
    for start in range(0, len(news), _AT_ONCE):
        with context.db.transaction():
            acts = _Acts(context)
            for case in news[start : start + _AT_ONCE]:
                _save_case(context, acts, tally, case)
    _advance_unmoved(context, locations)
    return SweepReport(
        looked_at=sum(not anchor.symbol for anchor in everything),
        anchored=tally.anchored,
        moved=tuple(tally.moved),
        stale=tuple(tally.stale),
        fresh=tuple(tally.fresh),
        changed=tally.changed,
        finished=not locations.notes and not context.enough(),
        notes=locations.notes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One memory: the anchors that are stored, those it should have, and the latter as things are now."""

    memory_id: str
    known: Sequence[Anchor]
    held: Sequence[Anchor]
    judged: Sequence[Anchor]

    @property
    def is_news(self) -> bool:
        """Whether anything differs from what is stored, but for the commit it was seen in."""
        before, after = ([replace(a, tracked_in="") for a in group] for group in (self.known, self.judged))
        return before != after

    @property
    def moves(self) -> dict[str, str]:
        """Where its files went."""
        pairs = zip(self.held, self.judged, strict=True)
        return {old.path: new.path for old, new in pairs if old.path != new.path}

    def changed(self) -> int:
        """How many of its files have changed that had not before."""
        was = {anchor.learned_path for anchor in self.known if anchor.state is AnchorState.CHANGED}
        now = [anchor.learned_path for anchor in self.judged if anchor.state is AnchorState.CHANGED]
        return sum(path not in was for path in now)


class _Acts:
    """One act for each thing a look does, begun when it is first needed, so that undo takes back one of them."""

    def __init__(self, context: StalenessContext) -> None:
        self._around = context
        self._begun: dict[str, Act] = {}

    def of(self, action: str) -> Act:
        """The act of this name."""
        if action not in self._begun:
            now = self._around.now
            act_id = self._around.new_id(now)
            self._begun[action] = Act(
                id=act_id, at=now, actor=self._around.actor, action=action, by_person=False
            )
        return self._begun[action]


def _save_case(context: StalenessContext, acts: _Acts, tally: _Tally, case: _Case) -> None:
    # Read again inside the transaction: somebody may have edited it while git was at work.
    memory = memories.find_memory(context.db, case.memory_id)
    if memory is None or memory.kind not in context.kinds.names():
        return
    kind = context.kinds.of(memory.kind)
    current = _drop_left_files(memory, case)
    anchors.save_anchors(context.db, memory.id, current)
    tally.anchored += bool(case.judged) and not case.known
    tally.changed += case.changed()
    if case.moves:
        memory = _rewrite(context, acts.of("moved"), memory, move_memory(memory, kind, case.moves))
        tally.moved += [MovedFile(memory.id, was, path) for was, path in _list_moves_to_report(case.moves)]
    bad_before, bad_now = (
        {(anchor.learned_path, anchor.state) for anchor in group if makes_stale(anchor, kind)}
        for group in (case.known, current)
    )
    # Only what is new counts: a mark that somebody has taken back stays away until something else happens.
    if bad_now and bad_now != bad_before:
        why = explain_staleness(current, kind)
        marked = replace(memory, stale_at=memory.stale_at or context.now, stale_why=why)
        _rewrite(context, acts.of("stale"), memory, marked)
        tally.stale.append(StaleMark(memory.id, why))
    elif bad_before and not bad_now and memory.stale_at is not None:
        _rewrite(context, acts.of("fresh"), memory, replace(memory, stale_at=None, stale_why=""))
        tally.fresh.append(memory.id)


def _list_moves_to_report(moves: Mapping[str, str]) -> list[tuple[str, str]]:
    """Moves worth telling: that a definition went along with its file is not."""

    def along(was: str, path: str) -> bool:
        (file, _, name), (new_file, _, new_name) = was.partition("::"), path.partition("::")
        return bool(name) and name == new_name and moves.get(file) == new_file

    return [(was, path) for was, path in moves.items() if not along(was, path)]


def _drop_left_files(memory: Memory, case: _Case) -> list[Anchor]:
    """What a memory stands on: a file that its definitions have left is not its business any more."""
    pairs = list(zip(case.held, case.judged, strict=True))
    files = {old.file: new.file for old, new in pairs if not old.symbol}
    left = {old.file for old, new in pairs if old.symbol and new.file != files.get(old.file, old.file)}
    stays = {path_of(subject) for subject in memory.subjects if str(subject) not in _find_left_behind(pairs)}
    return [new for old, new in pairs if old.symbol or old.path not in left or old.path in stays]


def _find_left_behind(pairs: Iterable[tuple[Anchor, Anchor]]) -> set[str]:
    """Definitions that stand elsewhere now, as subjects."""
    return {f"symbol:{old.path}" for old, new in pairs if old.symbol and old.path != new.path}


def _rewrite(context: StalenessContext, act: Act, old: Memory, new: Memory) -> Memory:
    return apply_change(context.db, act, old, replace(new, updated_at=max(act.at, old.updated_at)))


def _advance_unmoved(context: StalenessContext, locations: FileLocations) -> None:
    """Files that were looked for and have not moved are followed from this commit the next time."""
    still: dict[str, list[str]] = {}
    for (commit, path), place in locations.places.items():
        if place.tracked_path == path and commit != context.checkout.head:
            still.setdefault(commit, []).append(path)
    if still:
        with context.db.transaction():
            for commit, paths in still.items():
                anchors.advance_anchors(
                    context.db, context.checkout.project_id, commit, paths, context.checkout.head
                )
