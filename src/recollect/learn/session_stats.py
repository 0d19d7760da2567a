"""Session statistics: which files a unit of work needed, what it cost, how many steps it took against its plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from posixpath import dirname

from recollect.learn.findings import RuleFinding
from recollect.model.note import NoteOrigin
from recollect.model.path_kinds import is_handwritten
from recollect.model.scope import parse_workref
from recollect.model.step import Step
from recollect.observe.plans import read_plan
from recollect.observe.steps import is_change, is_use
from recollect.observe.units import WorkUnit

# What is used later was found on the way, and need not be there at the start.
FIRST_STEPS = 30
MAX_NEEDED = 24
# A list of one or two tasks is no plan.
MIN_PLANNED = 3
OWN_LIST = "to-do list"


def find_session_stats(unit: WorkUnit) -> Iterator[RuleFinding]:
    """What a unit of work gives to count."""
    module = _find_main_folder(unit.steps)
    if not module:
        return
    yield _find_needed_files(unit, module)
    if unit.tokens:
        yield RuleFinding(
            origin=NoteOrigin.COST,
            kind="context_cost",
            keys=(f"cost:{module}",),
            facts={"module": module, "tokens": unit.tokens},
            event_ids=unit.steps[-1].event_ids,
        )
    methodology = parse_workref(unit.ref).methodology if unit.ref else ""
    if unit.planned and unit.ref:
        yield _calibrate(unit, module, methodology, unit.planned, len(unit.steps))
    elif (plan := read_plan(unit.steps)).first_count >= MIN_PLANNED:
        # An agent's own list counts tasks: what it held at first beside what it came to.
        yield _calibrate(unit, module, methodology or OWN_LIST, plan.first_count, len(plan.tasks))


def _calibrate(unit: WorkUnit, module: str, methodology: str, planned: int, actual: int) -> RuleFinding:
    return RuleFinding(
        origin=NoteOrigin.PLAN,
        kind="task_calibration",
        keys=(f"plan:{methodology}:{module}",),
        facts={"module": module, "methodology": methodology, "planned": planned, "actual": actual},
        event_ids=unit.event_ids or unit.steps[-1].event_ids,
    )


def _find_needed_files(unit: WorkUnit, module: str) -> RuleFinding:
    """The files that a unit used while it found its way in."""
    first = [step for step in unit.steps[:FIRST_STEPS] if is_use(step)]
    files = dict.fromkeys(file for step in first for file in step.files if is_handwritten(file))
    return RuleFinding(
        origin=NoteOrigin.PREFETCH,
        kind="prefetch_pattern",
        keys=(f"prefetch:{module}",),
        facts={"module": module, "files": tuple(files)[:MAX_NEEDED]},
        event_ids=tuple(dict.fromkeys(event_id for step in first for event_id in step.event_ids))[
            :MAX_NEEDED
        ],
    )


def _find_main_folder(steps: Sequence[Step]) -> str:
    """The folder that most changes were made in; empty if nothing was changed, or only at the top."""
    folders = Counter(dirname(file) for step in steps if is_change(step) for file in step.files)
    return folders.most_common(1)[0][0] if folders else ""
