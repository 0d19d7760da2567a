"""
Memories go stale when the files they stand on do.

A file that moved takes its memories with it. One that is gone, or a folder most of which went elsewhere, makes them
stale until it is back. One that changed is only told to have, except to kinds that say they do not outlive a change.
All of it happens at a commit, a merge, a session's start, or when a sweep is due; reading only looks whether files are
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from recollect.lifecycle.anchor_check import Look, relearned
from recollect.lifecycle.anchoring import anchored
from recollect.lifecycle.locate_files import Found, find
from recollect.lifecycle.writing import applied
from recollect.model.anchor import (
    Anchor,
    AnchorState,
    Checkout,
    makes_stale,
    moved,
    path_of,
    why_stale,
)
from recollect.model.history import Act
from recollect.model.json_form import moment_from_json, moment_to_json
from recollect.model.kinds import Kinds
from recollect.model.memory import Memory
from recollect.model.staleness import Marked, Moved, Swept
from recollect.model.value import dataclass, field, replace
from recollect.store.db import Db
from recollect.store.tables import anchors, memories, meta

SESSIONS_BETWEEN_SWEEPS = 20
DAYS_BETWEEN_SWEEPS = 1
_AT_ONCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What a look over the files needs. Once `enough` says so, no further git is started."""

    db: Db
    kinds: Kinds
    checkout: Checkout
    now: datetime
    new_id: Callable[[datetime], str]
    enough: Callable[[], bool]
    actor: str = "recollect"


def is_due(db: Db, project_id: str, now: datetime) -> bool:
    """Whether all files should be looked at: never done, the first time in a day, or twenty sessions ago."""
    told = meta.get(db, _swept_key(project_id))
    last = moment_from_json(told) if told else None
    # A sweep in the future means that a clock went back.
    if last is None or last > now or now - last >= timedelta(days=DAYS_BETWEEN_SWEEPS):
        return True
    return anchors.sessions_since(db, project_id, last) >= SESSIONS_BETWEEN_SWEEPS


def sweep(around: Round) -> Swept:
    """Look at every file that memories of this project stand on; those without an anchor get one."""
    db, checkout = around.db, around.checkout
    kinds = [kind.name for kind in around.kinds if kind.stale_when_changed]
    found = anchors.memories_on_files(db, checkout.project_id, kinds).values()
    # A kind that came with a plugin goes with it; what it says about files is not known then.
    about = [memory for memory in found if memory.kind in around.kinds.names()]
    known = anchors.of_project(db, checkout.project_id)
    nothing: dict[str, list[Anchor]] = {memory_id: [] for memory_id in known}
    held = nothing | anchored(db, around.kinds, checkout, about, known)
    done = _looked_over(around, known, held, thorough=True)
    if done.finished:
        with db.transaction():
            meta.put(db, _swept_key(checkout.project_id), moment_to_json(around.now))
    return done


def follow(around: Round) -> Swept:
    """What commits since the last look did to files; for the moments after a commit, a merge or a checkout."""
    known = anchors.of_project(around.db, around.checkout.project_id)
    behind = {
        memory_id: found
        for memory_id, found in known.items()
        if any(
            anchor.tracked_in != around.checkout.head or anchor.state is AnchorState.GONE for anchor in found
        )
    }
    return _looked_over(around, behind, behind, thorough=False)


def at_session_start(around: Round) -> Swept:
    """Sweep if it is due, else follow what was committed since."""
    due = is_due(around.db, around.checkout.project_id, around.now)
    return sweep(around) if due else follow(around)


def renew(around: Round, memory_id: str) -> Memory:
    """Somebody has seen that a memory still holds: it is not stale, and its files count as they are now."""
    checkout = around.checkout
    with around.db.transaction():
        memory = memories.get(around.db, memory_id)
        held = anchors.of_memories(around.db, [memory.id]).get(memory.id, ())
        anchors.put(around.db, memory.id, [relearned(checkout, anchor) for anchor in held])
        return _rewritten(
            around, _Acts(around).of("fresh"), memory, replace(memory, stale_at=None, stale_why="")
        )


def _swept_key(project_id: str) -> str:
    return f"stale.swept.{project_id}"


@dataclass(slots=True)
class _Tally:
    """What has been done so far."""

    moved: list[Moved] = field(default_factory=list)
    stale: list[Marked] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)
    anchored: int = 0
    changed: int = 0


def _looked_over(
    around: Round,
    known: Mapping[str, Sequence[Anchor]],
    held: Mapping[str, Sequence[Anchor]],
    *,
    thorough: bool,
) -> Swept:
    everything = [anchor for found in held.values() for anchor in found]
    alive = [anchor for anchor in everything if not anchor.is_folder and anchor.state is not AnchorState.GONE]
    found = find(around.checkout, alive, enough=around.enough, thorough=thorough)
    look = Look(around.checkout, found, enough=around.enough, thorough=thorough)
    cases = [
        _Case(
            memory_id=memory_id,
            known=known.get(memory_id, ()),
            held=group,
            judged=[look.at(anchor) for anchor in group],
        )
        for memory_id, group in held.items()
    ]
    tally = _Tally()
    news = [case for case in cases if case.is_news]
    for start in range(0, len(news), _AT_ONCE):
        with around.db.transaction():
            acts = _Acts(around)
            for case in news[start : start + _AT_ONCE]:
                _written(around, acts, tally, case)
    _advance(around, found)
    return Swept(
        looked_at=sum(not anchor.symbol for anchor in everything),
        anchored=tally.anchored,
        moved=tuple(tally.moved),
        stale=tuple(tally.stale),
        fresh=tuple(tally.fresh),
        changed=tally.changed,
        finished=not found.notes and not around.enough(),
        notes=found.notes,
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

    def __init__(self, around: Round) -> None:
        self._around = around
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


def _written(around: Round, acts: _Acts, tally: _Tally, case: _Case) -> None:
    # Read again inside the transaction: somebody may have edited it while git was at work.
    memory = memories.by_id(around.db, case.memory_id)
    if memory is None or memory.kind not in around.kinds.names():
        return
    kind = around.kinds.of(memory.kind)
    judged = _standing(memory, case)
    anchors.put(around.db, memory.id, judged)
    tally.anchored += bool(case.judged) and not case.known
    tally.changed += case.changed()
    if case.moves:
        memory = _rewritten(around, acts.of("moved"), memory, moved(memory, kind, case.moves))
        tally.moved += [Moved(memory.id, was, path) for was, path in _told_moves(case.moves)]
    bad_before, bad_now = (
        {(anchor.learned_path, anchor.state) for anchor in group if makes_stale(anchor, kind)}
        for group in (case.known, judged)
    )
    # Only what is new counts: a mark that somebody has taken back stays away until something else happens.
    if bad_now and bad_now != bad_before:
        why = why_stale(judged, kind)
        marked = replace(memory, stale_at=memory.stale_at or around.now, stale_why=why)
        _rewritten(around, acts.of("stale"), memory, marked)
        tally.stale.append(Marked(memory.id, why))
    elif bad_before and not bad_now and memory.stale_at is not None:
        _rewritten(around, acts.of("fresh"), memory, replace(memory, stale_at=None, stale_why=""))
        tally.fresh.append(memory.id)


def _told_moves(moves: Mapping[str, str]) -> list[tuple[str, str]]:
    """Moves worth telling: that a definition went along with its file is not."""

    def along(was: str, path: str) -> bool:
        (file, _, name), (new_file, _, new_name) = was.partition("::"), path.partition("::")
        return bool(name) and name == new_name and moves.get(file) == new_file

    return [(was, path) for was, path in moves.items() if not along(was, path)]


def _standing(memory: Memory, case: _Case) -> list[Anchor]:
    """What a memory stands on: a file that its definitions have left is not its business any more."""
    pairs = list(zip(case.held, case.judged, strict=True))
    files = {old.file: new.file for old, new in pairs if not old.symbol}
    left = {old.file for old, new in pairs if old.symbol and new.file != files.get(old.file, old.file)}
    stays = {path_of(subject) for subject in memory.subjects if str(subject) not in _left_behind(pairs)}
    return [new for old, new in pairs if old.symbol or old.path not in left or old.path in stays]


def _left_behind(pairs: Iterable[tuple[Anchor, Anchor]]) -> set[str]:
    """Definitions that stand elsewhere now, as subjects."""
    return {f"symbol:{old.path}" for old, new in pairs if old.symbol and old.path != new.path}


def _rewritten(around: Round, act: Act, old: Memory, new: Memory) -> Memory:
    return applied(around.db, act, old, replace(new, updated_at=max(act.at, old.updated_at)))


def _advance(around: Round, found: Found) -> None:
    """Files that were looked for and have not moved are followed from this commit the next time."""
    still: dict[str, list[str]] = {}
    for (commit, path), place in found.places.items():
        if place.tracked_path == path and commit != around.checkout.head:
            still.setdefault(commit, []).append(path)
    if still:
        with around.db.transaction():
            for commit, paths in still.items():
                anchors.advance(around.db, around.checkout.project_id, commit, paths, around.checkout.head)
