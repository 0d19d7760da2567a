"""
Gathering failures: a session is replayed to every step where it went wrong, and on to what ended it.

Four things say that something failed: an error of a command, a verification that rejected the work, a run that got
stuck, and a person who put it right. A pure function of the session's events; slips of the pen are no failures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recollect.learn.corrections import find_corrections
from recollect.learn.diagnosis import find_diagnosis
from recollect.learn.error_fingerprint import fingerprint_fault
from recollect.learn.findings import ObservedWork
from recollect.learn.scratchpad import make_note_id
from recollect.learn.signals.error_retry import find_error_retries
from recollect.model.event import Event, EventType, ToolAction
from recollect.model.failure import Failure, FailureSource, WayOut
from recollect.model.normal_form import normal_form, text_hash
from recollect.model.session import Session
from recollect.model.signal import ErrorRetry
from recollect.model.step import Step, Steps
from recollect.model.value import replace
from recollect.observe.phrases import shorten_command
from recollect.observe.runs import list_runs
from recollect.observe.steps import is_change

MAX_FAILURES = 20
MAX_WHAT = 300
MAX_TASK = 160
ACTS_BEFORE = 3
_MOST_FILES, _MOST_COMMANDS = 4, 3
_FAILED_VERDICTS = ("fail", "failed", "abandoned")
# How a run of our own agent ends when it fails.
_ENDS_BADLY = ("stuck", "failed")


def find_failures(session: Session, steps: Steps, events: Sequence[Event]) -> list[Failure]:
    """What failed in a session, in the order it happened; each thing once, counted."""
    rejections = list(_find_rejections(session, steps, events))
    failures = [
        *_find_errors(session, steps),
        *rejections,
        *_find_bad_ends(session, steps, events, rejections),
        *_find_corrections(session, steps),
    ]
    by_id: dict[str, Failure] = {}
    for failure in failures:
        known = by_id.get(failure.id)
        by_id[failure.id] = replace(failure, count=known.count + failure.count) if known else failure
    return sorted(by_id.values(), key=lambda failure: (failure.at, failure.step))[:MAX_FAILURES]


def list_acts_before(steps: Sequence[Step], number: int) -> tuple[str, ...]:
    """The last acts before a step, in words: what led there."""
    acts: list[str] = []
    for step in steps:
        if step.number >= number:
            break
        if is_change(step) and step.files:
            acts.append(f"{step.action} {step.files[0]}")
        elif step.action is ToolAction.RUN and step.command:
            acts.append(f"run {shorten_command(step.command, '')}")
    return tuple(acts[-ACTS_BEFORE:])


def _find_errors(session: Session, steps: Steps) -> Iterator[Failure]:
    numbers = {step.number: step for step in steps.steps}
    for retry in find_error_retries(steps.steps):
        fingerprint = fingerprint_fault(retry.fault)
        # Without a fingerprint nothing tells it from others: a bare assertion is not a thing that recurs.
        if retry.fault.is_slip or fingerprint is None:
            continue
        yield _make_failure(
            session,
            FailureSource.ERROR,
            retry.fault.shown,
            at=numbers[retry.first_step].at,
            key=fingerprint.keys[0],
            where=shorten_command(retry.command, retry.tool),
            step=retry.first_step,
            acts=list_acts_before(steps.steps, retry.first_step),
            files=retry.fault.files[:_MOST_FILES],
            way_out=_read_way_out(retry, steps),
            count=retry.count,
            event_ids=retry.event_ids,
        )


def _read_way_out(retry: ErrorRetry, steps: Steps) -> WayOut:
    if retry.remedy is None:
        return WayOut()
    about = (retry.fault.rule, *retry.fault.files)
    words = find_diagnosis(steps.answers, retry.last_step, retry.solved_step, about, retry.fault.shown)
    # Where files were changed, it was they that mended it, not what was run along the way.
    commands = () if retry.remedy.files else retry.remedy.commands
    commands = tuple(shorten_command(command, "") for command in commands)
    return WayOut(commands=commands, files=retry.remedy.files, words=words)


def _find_rejections(session: Session, steps: Steps, events: Sequence[Event]) -> Iterator[Failure]:
    """Work that was checked and not accepted, with what was done until it was."""
    verdicts = [event for event in events if event.type is EventType.VALIDATION]
    task = _read_task(steps)
    # By the order in which things were told: two of them may have the same moment.
    order = {event.id: place for place, event in enumerate(events)}
    places = [(max(order.get(name, 0) for name in step.event_ids), step) for step in steps.steps]
    for event in verdicts:
        if str(event.data.get("verdict", "")).lower() not in _FAILED_VERDICTS or not event.text.strip():
            continue
        own = order[event.id]
        accepted = next((later for later in verdicts if order[later.id] > own and _is_pass(later)), None)
        before = [step for place, step in places if place < own]
        after = [step for place, step in places if accepted and own < place < order[accepted.id]]
        yield _make_failure(
            session,
            FailureSource.REJECTED,
            event.text,
            at=event.at,
            where=task,
            step=before[-1].number if before else 0,
            acts=list_acts_before(steps.steps, (before[-1].number if before else 0) + 1),
            way_out=_list_work_between(after),
            event_ids=(event.id, *((accepted.id,) if accepted else ())),
        )


def _find_bad_ends(
    session: Session, steps: Steps, events: Iterable[Event], rejections: Sequence[Failure]
) -> Iterator[Failure]:
    """A run that got stuck or failed, unless a rejection says the same."""
    ends = [event for event in events if event.type is EventType.SESSION_ENDED and event.text.strip()]
    for event in ends[-1:]:
        if event.data.get("reason") not in _ENDS_BADLY:
            continue
        if any(rejection.what[:40] in event.text for rejection in rejections):
            continue
        last = steps.steps[-1].number if steps.steps else 0
        yield _make_failure(
            session,
            FailureSource.STUCK,
            event.text,
            at=event.at,
            where=_read_task(steps),
            step=last,
            acts=list_acts_before(steps.steps, last + 1),
            event_ids=(event.id,),
        )


def _find_corrections(session: Session, steps: Steps) -> Iterator[Failure]:
    work = ObservedWork(steps=steps.steps, prompts=steps.prompts, answers=steps.answers)
    times = {prompt.event_id: prompt.at for prompt in steps.prompts}
    for finding in find_corrections(work):
        text = str(finding.facts["said"])
        at = next((times[name] for name in finding.event_ids if name in times), session.last_at)
        yield _make_failure(
            session,
            FailureSource.CORRECTION,
            text,
            at=at,
            where=_read_task(steps),
            step=finding.step,
            acts=list_acts_before(steps.steps, finding.step + 1),
            files=finding.files[:_MOST_FILES],
            # What the person said is the way out.
            way_out=WayOut(words=text[:MAX_WHAT]),
            event_ids=finding.event_ids,
        )


def _make_failure(session: Session, source: FailureSource, what: str, **parts: object) -> Failure:
    line = " ".join(what.split())[:MAX_WHAT]
    key = str(parts.pop("key", ""))
    name = f"failure:{source}:{key or text_hash(normal_form(line))}"
    return Failure(
        id=make_note_id(session.id, (name,)),
        session_id=session.id,
        project_id=session.project_id,
        source=source,
        what=line,
        key=key,
        **parts,  # type: ignore[arg-type]  # the fields of Failure, by name
    )


def _read_task(steps: Steps) -> str:
    first = next((prompt.text for prompt in steps.prompts if not prompt.machine and prompt.text.strip()), "")
    line = " ".join(first.split())
    return line if len(line) <= MAX_TASK else line[: MAX_TASK - 1] + "…"


def _is_pass(event: Event) -> bool:
    return str(event.data.get("verdict", "")).lower() in ("pass", "passed", "ok")


def _list_work_between(between: Sequence[Step]) -> WayOut:
    files = dict.fromkeys(file for step in between if is_change(step) for file in step.files)
    runs = list_runs([step for step in between if step.ok is not False], every=True)
    commands = dict.fromkeys(shorten_command(run.command, run.tool) for run in runs if run.could_mend)
    return WayOut(files=tuple(files)[:_MOST_FILES], commands=tuple(commands)[:_MOST_COMMANDS])
