"""What a session leaves behind about its work: how each named unit came out, and where open work stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from recollect.capture import change
from recollect.capture.intake import take_in
from recollect.capture.quotations import reads_as_sentence
from recollect.capture.write_context import Act, WriteContext
from recollect.model.check import CheckVerdict, CommandKind
from recollect.model.memory import (
    Memory,
    MemoryDraft,
    MemoryState,
    Refused,
    Relation,
    RelationType,
    Remembered,
    Trust,
)
from recollect.model.method import FinishedWork
from recollect.model.note import Note
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.query import Filters
from recollect.model.scope import parse_workref
from recollect.model.session import JudgedBy, Session, WorkJudgement, WorkVerdict
from recollect.model.step import Message, Step, Steps
from recollect.model.subject import Subject
from recollect.model.value import replace
from recollect.observe.methodology import (
    ActiveMethodology,
    add_methodology_state,
    draft_completion,
    draft_open_work,
    label_work,
)
from recollect.observe.phrases import join_names, quote_text
from recollect.observe.plans import join_tasks, read_plan
from recollect.observe.runs import list_runs
from recollect.observe.steps import is_change
from recollect.observe.units import Complexity, WorkUnit
from recollect.store.tables import memories

MAX_FILES = 40
MAX_DECISIONS = 5
MAX_OPEN_TASKS = 4
_LOOKED_AT = 200


def draft_outcomes(
    session: Session,
    steps: Steps,
    units: Sequence[tuple[WorkUnit, WorkJudgement]],
    notes: Sequence[Note],
    way: ActiveMethodology | None = None,
    *,
    was_killed: bool = False,
) -> list[tuple[WorkUnit, MemoryDraft]]:
    """The outcome of every named unit that was finished or judged, and the state of work that is still open."""
    drafts: list[tuple[WorkUnit, MemoryDraft]] = []
    for unit, judged in units:
        if unit.ref and judged.verdict in (WorkVerdict.PASSED, WorkVerdict.FAILED):
            draft = _outcome(session, unit, judged, notes)
            drafts.append((unit, replace(draft, work=label_work(way, draft.work))))
        elif judged.verdict is WorkVerdict.UNKNOWN and (was_killed or _is_worth_resuming(session, unit)):
            drafts.append(
                (
                    unit,
                    add_methodology_state(
                        way, _state(session, steps, unit, was_killed=was_killed), unit.steps
                    ),
                )
            )
    return drafts


def _is_worth_resuming(session: Session, unit: WorkUnit) -> bool:
    """A named unit always; else work on a branch that is more than a touch or two."""
    return bool(unit.ref) or (bool(session.branch) and unit.complexity is not Complexity.TRIVIAL)


def record_outcomes(
    door: WriteContext,
    act: Act,
    session: Session,
    made: Sequence[tuple[WorkUnit, MemoryDraft]],
    units: Sequence[tuple[WorkUnit, WorkJudgement]],
    way: ActiveMethodology | None = None,
) -> list[Memory]:
    """Write them, each in the place of what was said of the same work before; the memories that are new."""
    new: list[Memory] = []
    for unit, draft in made:
        new += _kept(door, act, draft, unit.ref)
        if draft.kind == "work_unit_outcome":
            new += _by_method(door, act, session, unit, draft, way)
    for unit, judged in units:
        # Where a way of working is known, it says what is left open of a unit.
        if (
            judged.verdict is WorkVerdict.PASSED
            and (way is None or not unit.ref)
            and (unit.ref or session.branch)
        ):
            draft = _draft(session, unit, "work_state", "closed", {"branch": session.branch}, ())
            _closed(door, act, draft, unit.ref, why=f"session {session.id} passed on the same work")
    for unit, _ in units:
        for branch in dict.fromkeys(list_merged_branches(unit.steps, session.branch)):
            draft = _draft(session, unit, "work_state", "merged", {"branch": branch}, ())
            _closed(door, act, draft, "", why=f"session {session.id} merged {branch}")
    return new


def _by_method(
    door: WriteContext,
    act: Act,
    session: Session,
    unit: WorkUnit,
    outcome: MemoryDraft,
    way: ActiveMethodology | None,
) -> list[Memory]:
    """What the methodology adds to a unit that was judged: what is still open of it, and what it wants kept."""
    left = draft_open_work(way, session, unit.ref, unit.steps)
    new = _kept(door, act, left, unit.ref) if left else []
    if outcome.work is None or way is None:
        return new
    if left is None and outcome.fields["succeeded"]:
        _closed(door, act, replace(outcome, kind="work_state"), unit.ref, why=act.why)
    done = FinishedWork(
        work=outcome.work,
        succeeded=bool(outcome.fields["succeeded"]),
        files=_changed(unit.steps),
        decisions=tuple(_commits(unit.steps)),
        reason=str(outcome.fields.get("failure_reason", "")),
    )
    answers = take_in(door, act, draft_completion(way, session, done, unit.steps))
    return new + [answer.memory for answer in answers if isinstance(answer, Remembered)]


def _kept(door: WriteContext, act: Act, draft: MemoryDraft, ref: str) -> list[Memory]:
    """One memory per unit, or per branch where none is named: what is newer takes the place of what was said before."""
    earlier = _earlier(door, draft, ref)
    if earlier is not None:
        return _in_its_place(door, act, earlier, draft)
    [answer] = take_in(door, act, [draft])
    return [] if isinstance(answer, Refused) else [answer.memory]


def _closed(door: WriteContext, act: Act, draft: MemoryDraft, ref: str, *, why: str) -> None:
    """Nothing is left to do on a unit or a branch: what was said about its open work goes out of use."""
    earlier = _earlier(door, draft, ref)
    if earlier is not None:
        change.set_state(door, [earlier.id], MemoryState.ARCHIVED, action="close", actor=act.actor, why=why)


def _in_its_place(door: WriteContext, act: Act, earlier: Memory, draft: MemoryDraft) -> list[Memory]:
    """The same session says it anew in the same memory; another one in a memory with its own provenance."""
    if earlier.provenance.session_id == draft.provenance.session_id:
        changes = {"text": draft.text, "fields": dict(draft.fields)}
        change.edit_memory(door, earlier.id, changes, actor=act.actor, why=act.why)
        return []
    change.set_state(
        door, [earlier.id], MemoryState.INACTIVE, action="supersede", actor=act.actor, why=act.why
    )
    later = Relation(type=RelationType.SUPERSEDES, memory_id=earlier.id)
    [answer] = take_in(door, act, [replace(draft, relations=(later,))])
    return [answer.memory] if isinstance(answer, Remembered) else []


def _earlier(door: WriteContext, draft: MemoryDraft, ref: str) -> Memory | None:
    filters = Filters(kinds=(draft.kind,), project_id=draft.project_id, states=(MemoryState.ACTIVE,))
    candidates = memories.list_memories(door.db, filters, limit=_LOOKED_AT)
    branch = draft.fields.get("branch")
    return next(
        (
            memory
            for memory in candidates
            if memory.project_id == draft.project_id
            and (
                str(memory.work) == str(draft.work)
                if ref
                else memory.fields.get("branch") == branch
                and not memory.work
                and is_same_task(str(branch or ""), _files_of(memory.subjects), _files_of(draft.subjects))
            )
        ),
        None,
    )


def _files_of(subjects: Iterable[Subject]) -> list[str]:
    return [subject.name for subject in subjects if subject.type == "file"]


def _outcome(session: Session, unit: WorkUnit, judged: WorkJudgement, notes: Sequence[Note]) -> MemoryDraft:
    files = _changed(unit.steps)
    done = [*_decided(unit, notes), *_commits(unit.steps)]
    passed = judged.verdict is WorkVerdict.PASSED
    why = judged.why if passed else _reason(unit, judged)
    text = f"{unit.ref} {'passed' if passed else 'failed'}: {why}. Changed {join_names(files) or 'nothing'}."
    fields: dict[str, object] = {
        "succeeded": passed,
        "files_modified": list(files[:MAX_FILES]),
        "key_decisions": done[:MAX_DECISIONS],
        "steps_taken": len(unit.steps),
        "tokens_used": unit.tokens,
        "retry_count": _retries(unit.steps),
    }
    if not passed:
        fields["failure_reason"] = why
    return _draft(session, unit, "work_unit_outcome", text, fields, judged.event_ids)


def _decided(unit: WorkUnit, notes: Sequence[Note]) -> list[str]:
    """What the agent noted down as decided while it worked on the unit."""
    return [note.text for note in notes if note.kind == "decision" and note.work == unit.ref]


def _reason(unit: WorkUnit, judged: WorkJudgement) -> str:
    """Why it failed: what was said or which check, and what that check complained of last."""
    faults = [run.fault.shown for run in list_runs(unit.steps) if run.fault]
    return (
        f"{judged.why}: {quote_text(faults[-1])}" if faults and judged.by is JudgedBy.CHECKS else judged.why
    )


def _state(session: Session, steps: Steps, unit: WorkUnit, *, was_killed: bool) -> MemoryDraft:
    files, done = _changed(unit.steps), _commits(unit.steps)
    request = find_request(steps.prompts)
    plan = read_plan(unit.steps)
    parts = [
        "Its session was cut off." if was_killed else "",
        f"Done: {join_names(done)}." if done else "",
        f"In progress: {join_names(files)}, changed and not yet checked." if files else "",
        # The agent's own words: held against what was read like any of its notes, so not in quotation marks.
        f"Left of its plan: {join_tasks(plan.open_tasks, MAX_OPEN_TASKS)}." if plan.open_tasks else "",
        f"Asked for: {quote_text(request)}." if request else "",
    ]
    branch = "" if reads_as_sentence(session.branch) else session.branch
    where = unit.ref or (f"branch {branch}" if branch else "a branch" if session.branch else "no branch")
    state = {"done": done, "in_progress": list(files[:MAX_FILES]), "asked_for": request[:400]}
    if plan.tasks:
        state |= {"planned_done": list(plan.done_tasks), "planned_open": list(plan.open_tasks)}
    fields: dict[str, object] = {"branch": session.branch, "methodology_state": state}
    text = f"Open work on {where}. " + " ".join(part for part in parts if part)
    return _draft(session, unit, "work_state", text, fields, _last_events(unit.steps))


def _draft(
    session: Session,
    unit: WorkUnit,
    kind: str,
    text: str,
    fields: dict[str, object],
    event_ids: Sequence[str],
) -> MemoryDraft:
    return MemoryDraft(
        text=text,
        kind=kind,
        subjects=tuple(Subject("file", file) for file in _changed(unit.steps)[:6]),
        project_id=session.project_id,
        work=parse_workref(unit.ref) if unit.ref else None,
        provenance=Provenance(
            channel=Channel.OBSERVED,
            source=Source.OBSERVER_INFERRED,
            session_id=session.id,
            event_ids=tuple(event_ids),
        ),
        trust=Trust(needs_review=True),
        fields=fields,
        happened_at=session.last_at,
    )


def _changed(steps: Sequence[Step]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(file for step in steps if is_change(step) for file in step.files))


def _commits(steps: Sequence[Step]) -> list[str]:
    return [
        run.message.partition("\n")[0]
        for run in list_runs(steps, every=True)
        if run.kind is CommandKind.COMMIT and run.verdict is CheckVerdict.PASSED and run.message
    ]


def _retries(steps: Sequence[Step]) -> int:
    return sum(run.verdict is CheckVerdict.FAILED for run in list_runs(steps) if run.is_check)


def _last_events(steps: Sequence[Step]) -> tuple[str, ...]:
    changed = [step for step in steps if is_change(step)]
    return changed[-1].event_ids if changed else ()


# Branches on which unrelated tasks follow each other.
_SHARED = frozenset({"main", "master", "trunk", "develop", "dev", "HEAD", ""})
_ASSENT = re.compile(
    r"^\W*(?:yes|yeah|yep|ok(?:ay)?|sure|go on|go ahead|continue|do it|thanks?|no|ja|weiter|oui"
    r"|vas-y)\b[\s\w,.!]{0,20}$",
    re.IGNORECASE,
)
_MERGE = re.compile(r"^git\s+merge\s+(?:--?[\w=-]+\s+)*(?P<branch>[\w./-]+)\s*$")
_PULL_REQUEST = re.compile(r"^gh\s+pr\s+merge\b")


def find_request(prompts: Iterable[Message]) -> str:
    """What the session was asked for: the first prompt that asks. A slash command or a yes asks for nothing."""
    typed = (prompt.text.strip() for prompt in prompts if not prompt.machine and not prompt.agent)
    return next((text for text in typed if text and not text.startswith("/") and not _ASSENT.match(text)), "")


def is_same_task(branch: str, files: Iterable[str], others: Iterable[str]) -> bool:
    """Whether work on a branch goes on with earlier work there: on a branch that all share, only on the same files."""
    return branch not in _SHARED or not set(files).isdisjoint(others)


def list_merged_branches(steps: Sequence[Step], own: str) -> Iterator[str]:
    """The branches that a session merged: what was open on them is done."""
    for run in list_runs(steps, every=True):
        if run.verdict is not CheckVerdict.PASSED:
            continue
        for line in re.split(r"\s*(?:&&|;|\n)\s*", run.step.command):
            if merge := _MERGE.match(line):
                # Taking the main branch in finishes nothing.
                yield from (name for name in (merge["branch"],) if name.rpartition("/")[2] not in _SHARED)
            elif _PULL_REQUEST.match(line) and own not in _SHARED:
                yield own
