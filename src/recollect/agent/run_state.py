"""Runs and where they stand, told by their journals alone: listed, replayed to go on, pruned."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from recollect.agent import journal as j
from recollect.agent.journal import JOURNAL, JournalLine, read_journal
from recollect.agent.model_client import ModelUsage
from recollect.conversation.message_shape import Message, MessageShape, ToolCallPart
from recollect.conversation.shapes import find_shape
from recollect.errors import AmbiguousId, NotFound
from recollect.model.ids import ID_LENGTH, looks_like_id, milliseconds_of
from recollect.model.value import dataclass, field

SILENT_FOR = timedelta(hours=1)
STATUS = {
    j.COMPLETED: "completed",
    j.FAILED: "failed",
    j.STUCK: "stuck",
    j.CANCELLED: "cancelled",
    j.ESCALATED: "escalated",
    j.ABANDONED: "abandoned",
}


@dataclass(slots=True, kw_only=True)
class RunState:
    """A run as its journal tells it."""

    run_id: str
    command: str = ""
    model: str = ""
    shape: str = "anthropic"
    root: str = ""
    verify: str = ""
    is_judged: bool = False
    completion_mark: str = ""
    memory_context: str = ""
    # running until a terminal line says otherwise.
    status: str = "running"
    reason: str = ""
    answer: str = ""
    score: int | None = None
    started_at: datetime | None = None
    last_at: datetime | None = None
    iterations: int = 0
    rejections: int = 0
    usage: ModelUsage = field(default_factory=ModelUsage)
    cost: float = 0.0
    messages: list[Message] = field(default_factory=list)
    # The calls of the model's last message, and what became of them.
    calls: tuple[ToolCallPart, ...] = ()
    begun: dict[str, str] = field(default_factory=dict)
    results: dict[str, tuple[str, bool]] = field(default_factory=dict)
    approved: dict[str, bool] = field(default_factory=dict)
    actions: list[tuple[str, str, bool]] = field(default_factory=list)
    is_verified: bool = False
    # Whether the model has said that it is done, and nobody has verified it yet.
    is_claimed: bool = False
    # Whether secrets were taken out of the model's last message before it was stored: its calls cannot be run any more.
    is_redacted: bool = False

    @property
    def unknown(self) -> tuple[str, ...]:
        """Calls that were begun and never finished: nobody knows how far they got."""
        return tuple(call_id for call_id in self.begun if call_id not in self.results)


def replay(lines: Iterable[JournalLine], run_id: str) -> RunState:
    """Where a run stands after these lines."""
    state = RunState(run_id=run_id)
    for line in lines:
        apply_line(state, line)
    return state


def apply_line(state: RunState, line: JournalLine) -> None:
    """What a line changes. A run that goes on and one that is replayed go through here alike."""
    state.last_at = line.at
    handler = _HANDLERS.get(line.type)
    if handler is not None:
        handler(state, line)
    if line.type in STATUS:
        state.status = STATUS[line.type]
        state.reason = str(line.facts.get("reason", ""))


def close_step(state: RunState, shape: MessageShape) -> None:
    """Once every call has its result, the results are the next message."""
    if not state.calls or any(call.call_id not in state.results for call in state.calls):
        return
    state.messages += result_messages(state.calls, state.results, shape)
    state.calls, state.begun, state.results = (), {}, {}


def result_messages(
    calls: Sequence[ToolCallPart], results: dict[str, tuple[str, bool]], shape: MessageShape
) -> list[Message]:
    """What tools gave back, as the provider wants it."""
    if shape.name == "openai":
        return [
            {"role": "tool", "tool_call_id": call.call_id, "content": results[call.call_id][0]}
            for call in calls
        ]
    blocks = []
    for call in calls:
        text, ok = results[call.call_id]
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call.call_id, "content": text}
        blocks.append(block if ok else {**block, "is_error": True})
    return [{"role": "user", "content": blocks}]


class RunStore:
    """The folder with all runs, one folder each."""

    def __init__(self, folder: Path) -> None:
        """Use this folder."""
        self.folder = folder

    def path(self, run_id: str) -> Path:
        """The folder of a run."""
        return self.folder / run_id

    def find(self, name: str) -> str:
        """The id of the run that is named by it or by its first characters; `last` is the newest."""
        ids = self.ids()
        if name == "last" and ids:
            return ids[-1]
        matches = [run_id for run_id in ids if run_id == name or (name and run_id.startswith(name.upper()))]
        if not matches:
            raise NotFound(what="run", name=name)
        if len(matches) > 1 and name not in matches:
            raise AmbiguousId(f"{len(matches)} runs begin with {name!r}; write more of the id.")
        return matches[0]

    def ids(self) -> list[str]:
        """All runs, the oldest first."""
        if not self.folder.is_dir():
            return []
        names = (path.name for path in self.folder.iterdir() if (path / JOURNAL).is_file())
        return sorted(name for name in names if len(name) == ID_LENGTH and looks_like_id(name))

    def state(self, run_id: str) -> RunState:
        """Where a run stands."""
        return replay(read_journal(self.path(run_id) / JOURNAL), run_id)

    def states(self, *, now: datetime, limit: int = 20) -> list[RunState]:
        """The newest runs, the newest first; one that was silent for an hour is abandoned."""
        states = [self.state(run_id) for run_id in reversed(self.ids()[-limit:])]
        for state in states:
            if state.status == "running" and state.last_at and now - state.last_at > SILENT_FOR:
                state.status, state.reason = "abandoned", "nothing was heard of it for an hour"
        return states

    def prune(self, *, now: datetime, keep_days: int = 30) -> int:
        """Remove runs that are over and were last heard of before so many days; how many went."""
        border = now - timedelta(days=keep_days)
        removed = 0
        # Ids begin with the time a run began, so all behind the first young one are young.
        for run_id in self.ids():
            if milliseconds_of(run_id) / 1000 > border.timestamp():
                break
            last_at = self.state(run_id).last_at
            if last_at is not None and last_at < border:
                shutil.rmtree(self.path(run_id), ignore_errors=True)
                removed += 1
        return removed


def _created(state: RunState, line: JournalLine) -> None:
    facts = line.facts
    state.started_at = line.at
    for name in ("command", "model", "shape", "root", "verify", "completion_mark", "memory_context"):
        setattr(state, name, str(facts.get(name, getattr(state, name))))
    state.is_judged = bool(facts.get("judged"))
    state.messages = [{"role": "user", "content": state.command}]


def _resumed(state: RunState, _: JournalLine) -> None:
    state.status, state.reason = "running", ""


def _added(state: RunState, line: JournalLine) -> None:
    state.messages.append({"role": "user", "content": line.facts["text"]})
    state.is_claimed = False


def _replied(state: RunState, line: JournalLine) -> None:
    message = line.facts["message"]
    parsed = find_shape(state.shape).parse(message)
    state.messages.append(message)
    state.calls, state.begun, state.results, state.approved = parsed.calls, {}, {}, {}
    state.answer = parsed.text
    state.is_redacted = bool(line.facts.get("redacted"))
    # Counted by answers: an iteration that a crash cut short was none.
    state.iterations += 1
    state.is_verified = False
    state.is_claimed = not parsed.calls or (
        bool(state.completion_mark) and state.completion_mark in parsed.text
    )
    state.usage += ModelUsage(**line.facts.get("usage", {}))
    state.cost += float(line.facts.get("cost", 0.0))


def _begun(state: RunState, line: JournalLine) -> None:
    state.begun[line.facts["call_id"]] = line.facts["tool"]


def _finished(state: RunState, line: JournalLine) -> None:
    facts = line.facts
    state.results[facts["call_id"]] = (facts["text"], facts["ok"])
    state.actions.append((facts["label"], facts["text"], facts["ok"]))
    close_step(state, find_shape(state.shape))


def _approval(state: RunState, line: JournalLine) -> None:
    state.approved[line.facts["call_id"]] = bool(line.facts["granted"])


def _verified(state: RunState, line: JournalLine) -> None:
    state.is_verified, state.is_claimed = True, False
    state.score = line.facts.get("score")


def _rejected(state: RunState, line: JournalLine) -> None:
    state.rejections += 1
    state.is_claimed = False
    state.score = line.facts.get("score")
    state.messages.append({"role": "user", "content": line.facts["feedback"]})


_HANDLERS = {
    j.CREATED: _created,
    j.RESUMED: _resumed,
    j.ADDED: _added,
    j.REPLIED: _replied,
    j.TOOL_BEGUN: _begun,
    j.TOOL_FINISHED: _finished,
    j.APPROVAL_GIVEN: _approval,
    j.VERIFIED: _verified,
    j.REJECTED: _rejected,
}
