"""After a run: its outcome, what was rejected and mended, what failed, the day's log, and corrections by the person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from recollect.agent.run_state import RunState
from recollect.api import Recollect
from recollect.api.vault import Vault
from recollect.conversation.workspace import Workspace
from recollect.errors import RecollectError
from recollect.learn.task_pattern import are_alike
from recollect.model.memory import Memory
from recollect.model.normal_form import normal_form
from recollect.model.provenance import Channel
from recollect.model.words import query_words
from recollect.vault.journal import RunRecord

# A changed command within so long of a failure or a cancel corrects the one before.
CORRECTED_WITHIN = timedelta(seconds=120)
_MAX_CHARACTERS = 300
# Between the command of a lesson and what it was rejected for.
_REJECTED = " was first rejected: "
_LOOKED_AT = 12
_MAX_LESSONS = 3


def find_correction(command: str, state: RunState, earlier: Sequence[RunState]) -> RunState | None:
    """The run that this command corrects: one that failed or was cancelled just before, with another command."""
    for other in earlier:
        if other.run_id == state.run_id or other.last_at is None or state.started_at is None:
            continue
        is_recent = timedelta() <= state.started_at - other.last_at <= CORRECTED_WITHIN
        if is_recent and other.status in ("failed", "cancelled", "stuck"):
            return other if normal_form(other.command) != normal_form(command) else None
    return None


def record_correction(memory: Recollect, state: RunState, corrected: RunState) -> None:
    """Keep what the person meant when they said something else first."""
    text = f'Asked "{_short(corrected.command)}", the person meant "{_short(state.command)}"'
    fields = {"said": _short(state.command), "instead_of": _short(corrected.command)}
    memory.remember(text, kind="correction", fields=fields, session=state.run_id, channel=Channel.OBSERVED)


def find_lessons(memory: Recollect, command: str) -> list[Memory]:
    """What runs of such commands were rejected for before: lessons whose own command is of the same sort."""
    filters = memory.filters(kinds=("lesson",))
    lessons = [hit.memory for hit in memory.recall(command, limit=_LOOKED_AT, filters=filters)]
    alike = [
        lesson for lesson in lessons if are_alike(lesson.text.partition(_REJECTED)[0].strip('"'), command)
    ]
    different = {
        str(lesson.fields.get("avoid", lesson.id)): lesson
        for lesson in reversed(alike)
        if _REJECTED in lesson.text
    }
    return list(different.values())[-_MAX_LESSONS:]


def record_run(
    memory: Recollect | None,
    state: RunState,
    rejections: Sequence[str],
    *,
    workspace: Workspace | None = None,
    vault: Vault | None = None,
) -> list[str]:
    """Keep what came of a run wherever there is a place for it; what could not be kept, in sentences."""
    problems: list[str] = []
    if memory is not None:
        try:
            _remember_run(memory, state, rejections)
        except RecollectError as error:
            problems.append(f"The outcome could not be remembered: {error}")
    entry = _entry(state)
    try:
        if workspace is not None:
            workspace.daily_log(entry)
            workspace.prune()
        if vault is not None:
            _write_notes(vault, state, entry)
    except (RecollectError, OSError) as error:
        problems.append(f"The notes about the run could not be written: {error}")
    return problems


def _remember_run(memory: Recollect, state: RunState, rejections: Sequence[str]) -> None:
    is_good = state.status == "completed"
    fields: dict[str, Any] = {
        "succeeded": is_good,
        "steps_taken": state.iterations,
        "tokens_used": state.usage.input_tokens + state.usage.output_tokens,
        "retry_count": state.rejections,
    }
    if not is_good:
        fields["failure_reason"] = _short(state.reason) or state.status
    details: dict[str, Any] = {"session": state.run_id, "channel": Channel.OBSERVED}
    memory.remember(f"Run: {_entry(state)}", kind="work_unit_outcome", fields=fields, **details)
    if rejections and is_good and state.is_verified:
        for reason in dict.fromkeys(rejections):
            lesson = f'"{_short(state.command)}"{_REJECTED}{_short(reason)}'
            text = f"{lesson}. See to that before saying it is done"
            memory.remember(text, kind="lesson", fields={"avoid": _short(reason)}, **details)
    elif not is_good and state.status != "cancelled":
        reason = _short(rejections[-1] if rejections else state.reason) or state.status
        text = f'"{_short(state.command)}" {state.status} after {state.iterations} iterations: {reason}'
        memory.remember(text, kind="issue", fields={"status": "open"}, **details)


def _write_notes(vault: Vault, state: RunState, entry: str) -> None:
    """The run in the notes of the vault, and in the tasks whose titles its command names."""
    is_good = state.status == "completed"
    summary = _short(state.answer if is_good else state.reason) or state.status
    vault.journal.record_run_outcome(
        RunRecord(
            command=_short(state.command),
            success=is_good,
            summary=summary,
            score=state.score,
            iterations=state.iterations,
            actions=tuple(label for label, _, _ in state.actions),
        )
    )
    words = set(query_words(state.command))
    for task in vault.tasks.list():
        title_words = set(query_words(task.title))
        if title_words and title_words <= words:
            vault.tasks.update(task.title, "done" if is_good else "in_progress", notes=entry)


def _entry(state: RunState) -> str:
    score = f", score {state.score}" if state.score is not None else ""
    reason = f": {_short(state.reason)}" if state.reason and state.status != "completed" else ""
    return f"{_short(state.command)} — {state.status}{reason} ({state.iterations} iterations{score})"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_CHARACTERS else line[: _MAX_CHARACTERS - 1] + "…"
