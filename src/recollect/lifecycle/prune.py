"""
Pruning: a table of rules for what is no longer worth keeping, each with a function that finds it.

What a person verified or pinned falls under none of them; the queries see to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import islice

from recollect.lifecycle.archive import MemorySize, archive_memories, measure_memories
from recollect.lifecycle.upkeep_context import UPKEEP, UpkeepContext
from recollect.model import policy
from recollect.model.json_form import moment_from_json
from recollect.model.memory import Memory, MemoryState
from recollect.model.provenance import Source
from recollect.model.query import Filters
from recollect.model.scope import Scope, WorkRef
from recollect.model.value import dataclass, field
from recollect.store.tables import memories, pruning

SESSION_DAYS = 7
QUIET_DAYS = 7
WEAK_BELOW = 0.2
WEAK_DAYS = 60
ASKED_WEAK_DAYS = 30
RECIPE_DAYS = 60
COSTS_PER_MODULE = 30
# So many states of open work are held against git at once, and their commits may be so much older than they are.
MAX_OPEN_WORK = 20
COMMITTED_BEFORE_DAYS = 14
EVENT_DAYS = policy.EVENTS_KEPT_DAYS
_PAGE = 500
_EVENTS_AT_ONCE = 1000
_IN_FILES = ("file", "symbol")


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneRequest:
    """What a person asked to prune besides, or instead: each of these switches one rule on."""

    deleted_files: bool = False
    merged: bool = False
    below: float | None = None
    finished: tuple[WorkRef, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.deleted_files or self.merged or self.finished or self.below is not None)


@dataclass(frozen=True, slots=True)
class PruneCandidate:
    """A memory by its number, and why it may go."""

    num: int
    why: str


Finder = Callable[[UpkeepContext, PruneRequest], Iterator[PruneCandidate]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneRule:
    """One row of the table: which memories, when, and how they are found."""

    name: str
    which: str
    when: str
    find: Finder
    # A rule that holds only when a person asks for it.
    requested: Callable[[PruneRequest], bool] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneReport:
    """What was pruned or would be: each memory with its rule and why, what that saves, and events let go."""

    memories: tuple[tuple[Memory, str, str], ...] = ()
    size: MemorySize = field(default_factory=lambda: MemorySize(bytes=0, tokens=0))
    events: int = 0
    finished: bool = True


def prune(
    context: UpkeepContext,
    request: PruneRequest,
    in_time: Callable[[], bool] = lambda: True,
    *,
    actor: str = UPKEEP,
    dry_run: bool,
) -> PruneReport:
    """Archive what the rules let go: those a person asked for, or else all that need no asking."""
    reasons: dict[int, tuple[str, str]] = {}
    finished = True
    for rule in _select_rules(request):
        if not in_time():
            finished = False
            break
        for item in rule.find(context, request):
            reasons.setdefault(item.num, (rule.name, item.why))
    whole = memories.read_memories(context.db, reasons)
    nums = [num for num in reasons if num in whole]
    saved = measure_memories(context, nums)
    if not dry_run:
        archive_memories(context, [(num, *reasons[num]) for num in nums], actor=actor)
    return PruneReport(
        memories=tuple((whole[num], *reasons[num]) for num in nums),
        size=saved,
        events=0 if request else _delete_events(context, in_time, dry_run=dry_run),
        finished=finished,
    )


def close_landed_work(context: UpkeepContext, *, dry_run: bool) -> int:
    """Archive open work that git says is merged; how much that was."""
    landed = list(LANDED.find(context, PruneRequest()))
    if landed and not dry_run:
        archive_memories(context, [(item.num, LANDED.name, item.why) for item in landed], actor=UPKEEP)
    return len(landed)


def _select_rules(request: PruneRequest) -> list[PruneRule]:
    if request:
        return [rule for rule in RULES if rule.requested and rule.requested(request)]
    return [rule for rule in RULES if rule.requested is None]


def _find_over_sessions(context: UpkeepContext, _: PruneRequest) -> Iterator[PruneCandidate]:
    before = context.now - timedelta(days=SESSION_DAYS)
    why = f"it was for its session only, more than {SESSION_DAYS} days ago"
    return (PruneCandidate(num, why) for num in pruning.find_expired(context.db, Scope.SESSION, before))


def _find_merged_work(context: UpkeepContext, request: PruneRequest) -> Iterator[PruneCandidate]:
    if context.merged is None or context.project_id is None:
        return
    # A branch that has only just begun is part of the main one too, so work must have come to rest.
    quiet = timedelta(0) if request.merged else timedelta(days=QUIET_DAYS)
    worked_on = pruning.list_branches(context.db, context.project_id)
    merged: dict[str, bool] = {}
    for num, work, on in pruning.list_work_memories(context.db, context.project_id):
        for branch, last_at in sorted((worked_on.get(str(work), {}) | on).items()):
            if context.now - last_at < quiet:
                continue
            if branch not in merged:
                merged[branch] = context.merged(branch)
            if merged[branch]:
                yield PruneCandidate(num, f"{work} is done: the branch {branch} is part of the main one")
                break


def _find_finished_work(context: UpkeepContext, request: PruneRequest) -> Iterator[PruneCandidate]:
    for num, work, _ in pruning.list_work_memories(context.db, context.project_id):
        if any(_is_under(work, finished) for finished in request.finished):
            yield PruneCandidate(num, f"{work} was said to be finished")


def _find_weak(context: UpkeepContext, _: PruneRequest) -> Iterator[PruneCandidate]:
    return _find_weak_since(context, WEAK_BELOW, WEAK_DAYS, every=True)


def _find_weak_as_requested(context: UpkeepContext, request: PruneRequest) -> Iterator[PruneCandidate]:
    below = WEAK_BELOW if request.below is None else request.below
    return _find_weak_since(context, below, ASKED_WEAK_DAYS, every=False)


def _find_weak_since(
    context: UpkeepContext, below: float, days: int, *, every: bool
) -> Iterator[PruneCandidate]:
    before = context.now - timedelta(days=days)
    why = f"its confidence is below {below:g} and nobody asked for it in {days} days"
    return (
        PruneCandidate(num, why)
        for num in pruning.find_weak(context.db, below, before, context.project_id, every=every)
    )


def _find_commit_notes_without_files(context: UpkeepContext, _: PruneRequest) -> Iterator[PruneCandidate]:
    notes = pruning.find_of_kind(context.db, "module_insight", Source.COMMIT_AUTO)
    return _find_without_files(context, notes, "it notes a commit, and all its files are gone")


def _find_deleted_files(context: UpkeepContext, _: PruneRequest) -> Iterator[PruneCandidate]:
    if context.project_id is None:
        return iter(())
    nums = pruning.find_about_files(context.db, context.project_id)
    return _find_without_files(context, nums, "all the files it is about are gone")


def _find_old_costs(context: UpkeepContext, _: PruneRequest) -> Iterator[PruneCandidate]:
    by_module: dict[object, list[tuple[datetime, int]]] = {}
    for num, memory in _read_whole(context, pruning.find_of_kind(context.db, "context_cost")):
        module = (memory.project_id, memory.fields.get("module") or memory.subjects)
        by_module.setdefault(module, []).append((memory.happened_at, num))
    for costs in by_module.values():
        for _at, num in sorted(costs, reverse=True)[COSTS_PER_MODULE:]:
            yield PruneCandidate(num, f"{COSTS_PER_MODULE} newer sessions of its module are known")


def _find_idle_recipes(context: UpkeepContext, _: PruneRequest) -> Iterator[PruneCandidate]:
    before = context.now - timedelta(days=RECIPE_DAYS)
    for num, memory in _read_whole(context, pruning.find_of_kind(context.db, "workflow_recipe")):
        if _find_last_success(memory) < before:
            yield PruneCandidate(num, f"it has not worked out for {RECIPE_DAYS} days")


def _find_landed_work(context: UpkeepContext, _: PruneRequest) -> Iterator[PruneCandidate]:
    """Open work whose branch git says is merged, also when the branch is gone."""
    if context.landed is None or context.project_id is None:
        return
    filters = Filters(kinds=("work_state",), project_id=context.project_id, states=(MemoryState.ACTIVE,))
    for memory in memories.list_memories(context.db, filters, limit=MAX_OPEN_WORK):
        branch = str(memory.fields.get("branch") or "")
        if not branch or memory.project_id != context.project_id:
            continue
        since = memory.happened_at - timedelta(days=COMMITTED_BEFORE_DAYS)
        if context.landed(branch, _subjects_of(memory), since):
            why = f"the branch {branch} was merged into the main one"
            yield PruneCandidate(memories.get_num(context.db, memory.id), why)


def _subjects_of(open_work: Memory) -> list[str]:
    """The subjects of the commits that a session made on its branch."""
    state = open_work.fields.get("methodology_state")
    done = state.get("done") if isinstance(state, Mapping) else None
    return [str(subject) for subject in done] if isinstance(done, list | tuple) else []


LANDED = PruneRule(
    name="work landed",
    which="`work_state`, open work on a branch",
    when="git says that its branch was merged, rebased or squashed into the main one, even if it is gone since",
    find=_find_landed_work,
)
RULES: tuple[PruneRule, ...] = (
    LANDED,
    PruneRule(
        name="session over",
        which="scope `session`",
        when=f"{SESSION_DAYS} days after it was made or last said again",
        find=_find_over_sessions,
    ),
    PruneRule(
        name="work merged",
        which="scope `work_unit`, and `work_unit_outcome`",
        when="the branch of its unit of work is part of the main branch,"
        f" and no session was on it in {QUIET_DAYS} days",
        find=_find_merged_work,
    ),
    PruneRule(
        name="weak",
        which="scope `global` and `module`",
        when=f"confidence below {WEAK_BELOW:g}, and not asked for or said again in {WEAK_DAYS} days",
        find=_find_weak,
    ),
    PruneRule(
        name="commit without files",
        which="`module_insight` from a commit",
        when="all files it is about are gone",
        find=_find_commit_notes_without_files,
    ),
    PruneRule(
        name="old cost",
        which="`context_cost`",
        when=f"{COSTS_PER_MODULE} newer ones of its module are known",
        find=_find_old_costs,
    ),
    PruneRule(
        name="idle recipe",
        which="`workflow_recipe`",
        when=f"{RECIPE_DAYS} days without a success",
        find=_find_idle_recipes,
    ),
    PruneRule(
        name="deleted files",
        which="about files of this project",
        when="asked for with `--deleted-files`: all files it is about are gone",
        find=_find_deleted_files,
        requested=lambda request: request.deleted_files,
    ),
    PruneRule(
        name="merged",
        which="scope `work_unit`, and `work_unit_outcome`",
        when="asked for with `--merged`: as above, at once",
        find=_find_merged_work,
        requested=lambda request: request.merged,
    ),
    PruneRule(
        name="finished",
        which="scope `work_unit`, and `work_unit_outcome`",
        when="asked for with `--finished REF`: its unit of work, or one inside it",
        find=_find_finished_work,
        requested=lambda request: bool(request.finished),
    ),
    PruneRule(
        name="below",
        which="scope `global` and `module`, of this project",
        when=f"asked for with `--below N`: confidence below N, and not asked for in {ASKED_WEAK_DAYS} days",
        find=_find_weak_as_requested,
        requested=lambda request: request.below is not None,
    ),
)


def _delete_events(context: UpkeepContext, in_time: Callable[[], bool], *, dry_run: bool) -> int:
    """
    Recorded events go a week after their session; what was learned from them is a memory by then.

    What people and agents said goes by `words.keep_days`, but not before the session was learned from.
    """
    before, words = context.now - timedelta(days=EVENT_DAYS), context.now - context.words_kept
    if dry_run:
        return pruning.count_old_events(context.db, before, words)
    deleted = 0
    while in_time() and (dropped := pruning.delete_old_events(context.db, before, words, _EVENTS_AT_ONCE)):
        deleted += dropped
    return deleted


def _find_without_files(context: UpkeepContext, nums: Iterator[int], why: str) -> Iterator[PruneCandidate]:
    if context.exists is None:
        return
    for num, memory in _read_whole(context, nums):
        files = {subject.name.partition("::")[0] for subject in memory.subjects if subject.type in _IN_FILES}
        if memory.project_id == context.project_id and files and not any(map(context.exists, files)):
            yield PruneCandidate(num, why)


def _read_whole(context: UpkeepContext, nums: Iterator[int]) -> Iterator[tuple[int, Memory]]:
    for page in iter(lambda: list(islice(nums, _PAGE)), []):
        yield from memories.read_memories(context.db, page).items()


def _is_under(work: WorkRef, outer: WorkRef) -> bool:
    return work.methodology == outer.methodology and work.hierarchy[: len(outer.hierarchy)] == outer.hierarchy


def _find_last_success(recipe: Memory) -> datetime:
    since = recipe.reinforced_at or recipe.created_at
    validated = recipe.fields.get("last_validated_at")
    try:
        return max(since, moment_from_json(str(validated))) if validated else since
    except ValueError:
        return since
