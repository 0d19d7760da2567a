"""
What is no longer worth keeping: a table of rules, each with a function that finds what falls under it.

What a person verified or pinned falls under none of them; the queries see to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from recollect.lifecycle.archive import Size, archive, size
from recollect.lifecycle.upkeep_context import UPKEEP, Care
from recollect.model.json_form import moment_from_json
from recollect.model.memory import Memory
from recollect.model.provenance import Source
from recollect.model.scope import Scope
from recollect.model.value import dataclass, field
from recollect.model.workref import WorkRef
from recollect.store.tables import memories, pruning

SESSION_DAYS = 7
QUIET_DAYS = 7
WEAK_BELOW = 0.2
WEAK_DAYS = 60
ASKED_WEAK_DAYS = 30
RECIPE_DAYS = 60
COSTS_PER_MODULE = 30
EVENT_DAYS = 7
_PAGE = 500
_EVENTS_AT_ONCE = 1000
_IN_FILES = ("file", "symbol")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a person asked to prune besides, or instead: each of these switches one rule on."""

    deleted_files: bool = False
    merged: bool = False
    below: float | None = None
    finished: tuple[WorkRef, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.deleted_files or self.merged or self.finished or self.below is not None)


@dataclass(frozen=True, slots=True)
class Found:
    """A memory by its number, and why it may go."""

    num: int
    why: str


Finder = Callable[[Care, Wish], Iterator[Found]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneRule:
    """One row of the table: which memories, when, and how they are found."""

    name: str
    which: str
    when: str
    find: Finder
    # A rule that holds only when a person asks for it.
    asked: Callable[[Wish], bool] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What was pruned or would be: each memory with its rule and why, what that saves, and events let go."""

    memories: tuple[tuple[Memory, str, str], ...] = ()
    size: Size = field(default_factory=lambda: Size(bytes=0, tokens=0))
    events: int = 0
    finished: bool = True


def prune(
    care: Care,
    wish: Wish,
    in_time: Callable[[], bool] = lambda: True,
    *,
    actor: str = UPKEEP,
    dry_run: bool,
) -> Pruned:
    """Archive what the rules let go: those a person asked for, or else all that need no asking."""
    found: dict[int, tuple[str, str]] = {}
    finished = True
    for rule in _wanted(wish):
        if not in_time():
            finished = False
            break
        for item in rule.find(care, wish):
            found.setdefault(item.num, (rule.name, item.why))
    whole = memories.by_nums(care.db, found)
    nums = [num for num in found if num in whole]
    saved = size(care, nums)
    if not dry_run:
        archive(care, [(num, *found[num]) for num in nums], actor=actor)
    return Pruned(
        memories=tuple((whole[num], *found[num]) for num in nums),
        size=saved,
        events=0 if wish else _events(care, in_time, dry_run=dry_run),
        finished=finished,
    )


def _wanted(wish: Wish) -> list[PruneRule]:
    if wish:
        return [rule for rule in RULES if rule.asked and rule.asked(wish)]
    return [rule for rule in RULES if rule.asked is None]


def _session_over(care: Care, _: Wish) -> Iterator[Found]:
    before = care.now - timedelta(days=SESSION_DAYS)
    why = f"it was for its session only, more than {SESSION_DAYS} days ago"
    return (Found(num, why) for num in pruning.expired(care.db, Scope.SESSION, before))


def _work_merged(care: Care, wish: Wish) -> Iterator[Found]:
    if care.merged is None or care.project_id is None:
        return
    # A branch that has only just begun is part of the main one too, so work must have come to rest.
    quiet = timedelta(0) if wish.merged else timedelta(days=QUIET_DAYS)
    worked_on = pruning.branches(care.db, care.project_id)
    known: dict[str, bool] = {}
    for num, work, on in pruning.of_work(care.db, care.project_id):
        for branch, last_at in sorted((worked_on.get(str(work), {}) | on).items()):
            if care.now - last_at < quiet:
                continue
            if branch not in known:
                known[branch] = care.merged(branch)
            if known[branch]:
                yield Found(num, f"{work} is done: the branch {branch} is part of the main one")
                break


def _work_finished(care: Care, wish: Wish) -> Iterator[Found]:
    for num, work, _ in pruning.of_work(care.db, care.project_id):
        if any(_is_under(work, done) for done in wish.finished):
            yield Found(num, f"{work} was said to be finished")


def _weak(care: Care, _: Wish) -> Iterator[Found]:
    return _weak_since(care, WEAK_BELOW, WEAK_DAYS, every=True)


def _weak_as_asked(care: Care, wish: Wish) -> Iterator[Found]:
    below = WEAK_BELOW if wish.below is None else wish.below
    return _weak_since(care, below, ASKED_WEAK_DAYS, every=False)


def _weak_since(care: Care, below: float, days: int, *, every: bool) -> Iterator[Found]:
    before = care.now - timedelta(days=days)
    why = f"its confidence is below {below:g} and nobody asked for it in {days} days"
    return (Found(num, why) for num in pruning.weak(care.db, below, before, care.project_id, every=every))


def _commit_notes_without_files(care: Care, _: Wish) -> Iterator[Found]:
    notes = pruning.of_kind(care.db, "module_insight", Source.COMMIT_AUTO)
    return _without_files(care, notes, "it notes a commit, and all its files are gone")


def _files_deleted(care: Care, _: Wish) -> Iterator[Found]:
    if care.project_id is None:
        return iter(())
    found = pruning.about_files(care.db, care.project_id)
    return _without_files(care, found, "all the files it is about are gone")


def _old_costs(care: Care, _: Wish) -> Iterator[Found]:
    by_module: dict[object, list[tuple[datetime, int]]] = {}
    for num, memory in _whole(care, pruning.of_kind(care.db, "context_cost")):
        module = (memory.project_id, memory.fields.get("module") or memory.subjects)
        by_module.setdefault(module, []).append((memory.happened_at, num))
    for listed in by_module.values():
        for _at, num in sorted(listed, reverse=True)[COSTS_PER_MODULE:]:
            yield Found(num, f"{COSTS_PER_MODULE} newer sessions of its module are known")


def _idle_recipes(care: Care, _: Wish) -> Iterator[Found]:
    before = care.now - timedelta(days=RECIPE_DAYS)
    for num, memory in _whole(care, pruning.of_kind(care.db, "workflow_recipe")):
        if _last_success(memory) < before:
            yield Found(num, f"it has not worked out for {RECIPE_DAYS} days")


RULES: tuple[PruneRule, ...] = (
    PruneRule(
        name="session over",
        which="scope `session`",
        when=f"{SESSION_DAYS} days after it was made or last said again",
        find=_session_over,
    ),
    PruneRule(
        name="work merged",
        which="scope `work_unit`, and `work_unit_outcome`",
        when="the branch of its unit of work is part of the main branch,"
        f" and no session was on it in {QUIET_DAYS} days",
        find=_work_merged,
    ),
    PruneRule(
        name="weak",
        which="scope `global` and `module`",
        when=f"confidence below {WEAK_BELOW:g}, and not asked for or said again in {WEAK_DAYS} days",
        find=_weak,
    ),
    PruneRule(
        name="commit without files",
        which="`module_insight` from a commit",
        when="all files it is about are gone",
        find=_commit_notes_without_files,
    ),
    PruneRule(
        name="old cost",
        which="`context_cost`",
        when=f"{COSTS_PER_MODULE} newer ones of its module are known",
        find=_old_costs,
    ),
    PruneRule(
        name="idle recipe",
        which="`workflow_recipe`",
        when=f"{RECIPE_DAYS} days without a success",
        find=_idle_recipes,
    ),
    PruneRule(
        name="deleted files",
        which="about files of this project",
        when="asked for with `--deleted-files`: all files it is about are gone",
        find=_files_deleted,
        asked=lambda wish: wish.deleted_files,
    ),
    PruneRule(
        name="merged",
        which="scope `work_unit`, and `work_unit_outcome`",
        when="asked for with `--merged`: as above, at once",
        find=_work_merged,
        asked=lambda wish: wish.merged,
    ),
    PruneRule(
        name="finished",
        which="scope `work_unit`, and `work_unit_outcome`",
        when="asked for with `--finished REF`: its unit of work, or one inside it",
        find=_work_finished,
        asked=lambda wish: bool(wish.finished),
    ),
    PruneRule(
        name="below",
        which="scope `global` and `module`, of this project",
        when=f"asked for with `--below N`: confidence below N, and not asked for in {ASKED_WEAK_DAYS} days",
        find=_weak_as_asked,
        asked=lambda wish: wish.below is not None,
    ),
)


def _events(care: Care, in_time: Callable[[], bool], *, dry_run: bool) -> int:
    """Recorded events go a week after their session; what was learned from them is a memory by then."""
    before = care.now - timedelta(days=EVENT_DAYS)
    if dry_run:
        return pruning.old_events(care.db, before)
    gone = 0
    while in_time() and (dropped := pruning.drop_events(care.db, before, _EVENTS_AT_ONCE)):
        gone += dropped
    return gone


def _without_files(care: Care, nums: Iterator[int], why: str) -> Iterator[Found]:
    if care.exists is None:
        return
    for num, memory in _whole(care, nums):
        files = {subject.name.partition("::")[0] for subject in memory.subjects if subject.type in _IN_FILES}
        if memory.project_id == care.project_id and files and not any(map(care.exists, files)):
            yield Found(num, why)


def _whole(care: Care, nums: Iterator[int]) -> Iterator[tuple[int, Memory]]:
    for page in iter(lambda: list(islice(nums, _PAGE)), []):
        yield from memories.by_nums(care.db, page).items()


def _is_under(work: WorkRef, outer: WorkRef) -> bool:
    return work.methodology == outer.methodology and work.hierarchy[: len(outer.hierarchy)] == outer.hierarchy


def _last_success(recipe: Memory) -> datetime:
    since = recipe.reinforced_at or recipe.created_at
    validated = recipe.fields.get("last_validated_at")
    try:
        return max(since, moment_from_json(str(validated))) if validated else since
    except ValueError:
        return since
