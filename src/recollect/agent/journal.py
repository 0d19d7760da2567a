"""
The run journal: one append-only JSONL file a run, a line on disk before the thing it tells of goes on.

Secrets are not stored: the run goes on with the words as they came, the file holds them redacted.

A line is acknowledged when it is synced. What a crash left half-written at the end was never acknowledged and is cut
off when the journal is opened again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.conversation.redact_messages import redact_values
from recollect.errors import BadInput, NotFound
from recollect.events.locks import lock, open_private
from recollect.model.json_form import moment_to_json
from recollect.model.value import dataclass

JOURNAL = "journal.jsonl"

CREATED, RESUMED = "run.created", "run.resumed"
ITERATION = "iteration.started"
REPLIED = "model.replied"
ADDED = "message.added"
TOOL_BEGUN, TOOL_FINISHED = "tool.begun", "tool.finished"
APPROVAL_ASKED, APPROVAL_GIVEN = "approval.requested", "approval.answered"
VERIFIED, REJECTED = "verification.passed", "verification.rejected"
COMPACTED = "window.compacted"
COMPLETED, FAILED, STUCK = "run.completed", "run.failed", "run.stuck"
CANCELLED, ESCALATED, ABANDONED = "run.cancelled", "run.escalated", "run.abandoned"
TERMINAL = (COMPLETED, FAILED, STUCK, CANCELLED, ESCALATED, ABANDONED)


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalLine:
    """One thing that happened in a run."""

    number: int
    at: datetime
    type: str
    facts: Mapping[str, Any]


class RunJournal:
    """The journal of one run, open to be written to by this process alone."""

    def __init__(self, folder: Path, *, clock: Callable[[], datetime]) -> None:
        """Open the journal in a run's folder, or begin one; refused while another process has it."""
        self.path = folder / JOURNAL
        self._clock = clock
        self._file = open_private(str(self.path))
        if not lock(self._file, wait=False):
            os.close(self._file)
            raise BadInput(f"The run {folder.name} is going on in another process.")
        size = _cut_torn_line(self._file)
        self._number = sum(1 for _ in read_journal(self.path)) if size else 0

    def append(self, type: str, **facts: Any) -> JournalLine:
        """Write a line; it is on disk when this returns. The line given back holds the facts as they came."""
        line = JournalLine(number=self._number + 1, at=self._clock(), type=type, facts=facts)
        stored, secrets = redact_values(facts)
        form = {"n": line.number, "at": moment_to_json(line.at), "type": type, **stored}
        if secrets:
            form["redacted"] = secrets
        # In ASCII: half a character cannot be torn, and what UTF-8 cannot carry is escaped.
        data = (json.dumps(form, ensure_ascii=True, default=str) + "\n").encode("ascii")
        while data:
            data = data[os.write(self._file, data) :]
        os.fsync(self._file)
        self._number = line.number
        return line

    def close(self) -> None:
        """Give the file back."""
        os.close(self._file)

    def __enter__(self) -> RunJournal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_journal(path: Path) -> Iterator[JournalLine]:
    """The lines of a journal; a torn one at the end is no line."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise NotFound(what="run", name=path.parent.name) from None
    for raw in data.split(b"\n")[:-1]:
        try:
            form = json.loads(raw)
            at = datetime.fromisoformat(form.pop("at"))
            yield JournalLine(number=form.pop("n"), at=at, type=form.pop("type"), facts=form)
        except (ValueError, KeyError, AttributeError, TypeError):
            # A damaged line tells nothing, and what follows it cannot be trusted to be in order.
            return


def _cut_torn_line(file: int) -> int:
    """Cut off what follows the last whole line; how many bytes remain."""
    size = os.fstat(file).st_size
    end = size
    while end:
        start = max(0, end - 65_536)
        os.lseek(file, start, os.SEEK_SET)
        place = os.read(file, end - start).rfind(b"\n")
        if place >= 0:
            end = start + place + 1
            break
        end = start
    if end < size:
        os.ftruncate(file, end)
        os.fsync(file)
    return end
