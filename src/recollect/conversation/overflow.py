"""
Overflow files: long outputs and dropped messages kept outside the window, readable back by handle.

A handle is a short name that the store makes; it is looked up, never joined to a path as it came.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from recollect.conversation.masking import READ_TOOL
from recollect.errors import BadInput, NotFound, RecollectError
from recollect.events.redact import redact
from recollect.model.agent_tool import AgentTool, ToolOutput
from recollect.model.arguments import arguments, number
from recollect.model.arguments import text as text_argument
from recollect.model.value import dataclass

_HANDLE = re.compile(r"[a-z]\d{1,9}\Z")
_FILE = re.compile(r"overflow_(\d{8}T\d{6})_([a-z]\d{1,9})_[A-Za-z0-9-]*\.txt\Z")
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")
_MAX_NAME = 40
# Lines shown before and after one that holds the pattern.
_AROUND = 1
READ_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OverflowText:
    """A part of a stored text: where it begins, how long the whole is, and where to read on."""

    handle: str
    text: str
    offset: int
    characters: int
    next_offset: int | None = None
    matches: int | None = None


class OverflowStore:
    """A directory of overflow files. One process writes to it at a time; a name is never used twice."""

    def __init__(self, folder: str | Path) -> None:
        """Use this folder, made when something is first written."""
        self.folder = Path(folder)
        self._paths: dict[str, Path] | None = None
        self._next = 1

    def put(self, text: str, *, tool: str, now: datetime, kind: str = "o") -> str:
        """Store a text without its secrets; the handle it is read back by. `kind` is the handle's first letter."""
        text = redact(text).text
        paths = self._listed()
        self.folder.mkdir(parents=True, exist_ok=True)
        name = _UNSAFE.sub("-", tool)[:_MAX_NAME].strip("-") or "tool"
        stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%S")
        while True:
            handle = f"{kind}{self._next}"
            self._next += 1
            path = self.folder / f"overflow_{stamp}_{handle}_{name}.txt"
            if handle in paths or not _write_new(path, text):
                continue
            paths[handle] = path
            return handle

    def read(
        self, handle: str, *, offset: int = 0, pattern: str = "", limit: int = READ_CHARACTERS
    ) -> OverflowText:
        """A part of a text from an offset on; with a literal pattern, the lines around it, whatever their case."""
        text = self.text(handle)
        if offset < 0 or limit < 1:
            raise BadInput(reason="an offset is not negative, and a limit is above 0")
        if pattern:
            return _matching(handle, text, pattern, offset, limit)
        part = text[offset : offset + limit]
        end = offset + len(part)
        return OverflowText(
            handle=handle,
            text=part,
            offset=offset,
            characters=len(text),
            next_offset=end if end < len(text) else None,
        )

    def text(self, handle: str) -> str:
        """The whole text behind a handle."""
        path = self._listed().get(handle) if _HANDLE.match(handle) else None
        if path is None:
            self._paths = None
            path = self._listed().get(handle)
        if path is None:
            raise NotFound(what="stored output", name=handle[:40])
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise NotFound(what="stored output", name=handle) from None

    def handles(self) -> Sequence[str]:
        """Every handle there is, the oldest first."""
        return list(self._listed())

    def prune(self, *, now: datetime, keep_files: int, keep_days: int, keep: Sequence[str] = ()) -> int:
        """Remove old files, and the oldest beyond a number; those named stay. How many went."""
        oldest = (now.astimezone(UTC) - timedelta(days=keep_days)).strftime("%Y%m%dT%H%M%S")
        paths = self._listed()
        free = [handle for handle in paths if handle not in set(keep)]
        surplus = set(free[: max(0, len(paths) - keep_files)])
        gone = [handle for handle in free if handle in surplus or _stamp(paths[handle]) < oldest]
        for handle in gone:
            paths.pop(handle).unlink(missing_ok=True)
        return len(gone)

    def _listed(self) -> dict[str, Path]:
        if self._paths is None:
            names = sorted(os.listdir(self.folder)) if self.folder.is_dir() else []  # noqa: PTH208
            matches = [match for name in names if (match := _FILE.match(name))]
            matches.sort(key=lambda match: (match[1], int(match[2][1:])))
            self._paths = {match[2]: self.folder / match[0] for match in matches}
            self._next = max((int(match[2][1:]) for match in matches), default=0) + 1
        return self._paths


def output_tool(store: OverflowStore) -> AgentTool:
    """The tool that reads from this store."""

    def run(arguments_sent: Mapping[str, Any]) -> ToolOutput:
        try:
            page = store.read(
                arguments_sent["handle"],
                offset=arguments_sent.get("offset", 0),
                pattern=arguments_sent.get("pattern", ""),
                limit=READ_CHARACTERS,
            )
        except RecollectError as error:
            return ToolOutput(text=str(error), ok=False)
        if page.matches == 0:
            return ToolOutput(text=f"Nothing in {page.handle} holds {arguments_sent['pattern']!r}.")
        unit = "match" if page.matches is not None else "character"
        more = "" if page.next_offset is None else f"\n[more from offset={page.next_offset} on, by {unit}]"
        return ToolOutput(text=page.text + more)

    return AgentTool(
        name=READ_TOOL,
        description="Read back an output or earlier messages that were taken out of the window: by handle, from an"
        " offset on, or only the lines around a literal pattern.",
        parameters=arguments(
            "handle",
            handle=text_argument("The handle, as the window names it, such as o12 or c3.", most=40),
            offset=number("Where to begin: a character, or with a pattern a match.", low=0, high=10**9),
            pattern=text_argument("Only lines that hold this text, whatever its case.", most=200),
        ),
        example={"handle": "o12", "pattern": "TimeoutError"},
        reads_only=True,
        run=run,
    )


def _write_new(path: Path, text: str) -> bool:
    """Write a file that is not there yet, readable by its owner alone; False if there is one."""
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    with os.fdopen(number, "w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
    return True


def _stamp(path: Path) -> str:
    match = _FILE.match(path.name)
    assert match, "only such names are listed"
    return match[1]


def _matching(handle: str, text: str, pattern: str, offset: int, limit: int) -> OverflowText:
    lines = text.splitlines()
    wanted = pattern.casefold()
    places = [number for number, line in enumerate(lines) if wanted in line.casefold()]
    shown: list[str] = []
    size = 0
    last = -1
    count = 0
    for place in places[offset:]:
        first, end = max(last + 1, place - _AROUND), min(len(lines), place + _AROUND + 1)
        part = [f"{number + 1}: {_around(lines[number], wanted)}" for number in range(first, end)]
        if shown and size + sum(map(len, part)) > limit:
            break
        shown += part
        size += sum(map(len, part))
        last = max(last, end - 1)
        count += 1
    done = offset + count
    return OverflowText(
        handle=handle,
        text="\n".join(shown)[: 2 * limit],
        offset=offset,
        characters=len(text),
        next_offset=done if done < len(places) else None,
        matches=len(places),
    )


def _around(line: str, wanted: str, width: int = 400) -> str:
    """A line, or of a very long one the part around the pattern."""
    if len(line) <= 2 * width:
        return line
    at = line.casefold().find(wanted)
    if at < 0:
        return line[:width] + " …"
    start = max(0, at - width)
    return f"… {line[start : at + len(wanted) + width]} …"
