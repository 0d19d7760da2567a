"""
Workspace files: what an agent is told at every start, in markdown files that a person may edit.

Lines are only ever added, in one write each. A line of ours ends with its own checksum: while the checksum fits, nobody
has touched the line and pruning may take it; a line that a person wrote or changed is theirs and stays.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from recollect.events.sanitize import clean
from recollect.model.agent_tool import AgentTool, ToolOutput
from recollect.model.arguments import arguments
from recollect.model.arguments import text as text_argument
from recollect.model.ids import blake2b
from recollect.model.normal_form import normal_form
from recollect.model.tokens import CHARACTERS_PER_TOKEN, estimate_tokens
from recollect.model.value import dataclass

HEADER = "═══ WORKSPACE KNOWLEDGE ═══"
SOUL, TOOLS, AGENTS, MEMORY = "SOUL.md", "TOOLS.md", "AGENTS.md", "MEMORY.md"
LEARNINGS = ".learnings/LEARNINGS.md"
ERRORS = ".learnings/ERRORS.md"
FEATURE_REQUESTS = ".learnings/FEATURE_REQUESTS.md"
# Which facts a person wrote have reached the memory store, by their checksums.
_TAKEN = ".learnings/.taken"
_MARK = re.compile(r" <!-- r:([0-9a-f]{8}) -->\s*$")
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)\.md\Z")
_MAX_LINE = 2_000
_MAX_FILE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceSettings:
    """How much of a workspace is told, and how long it keeps what the agent wrote."""

    budget_tokens: int = 4_000
    learning_lines: int = 20
    keep_lines: int = 200
    keep_days: int = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedFile:
    """One file as it was told: its name, what it cost, and whether it was cut."""

    name: str
    tokens: int
    is_cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceText:
    """What a workspace says at a start."""

    text: str
    files: tuple[LoadedFile, ...]


class Workspace:
    """The files of one workspace. Nothing a person wrote is ever changed or removed."""

    def __init__(
        self,
        folder: str | Path,
        *,
        clock: Callable[[], datetime],
        settings: WorkspaceSettings | None = None,
        remember: Callable[[str], object] | None = None,
    ) -> None:
        """Use this folder. Facts that are saved are given to `remember` as well, each once."""
        self.folder = Path(folder)
        self.settings = settings or WorkspaceSettings()
        self._clock = clock
        self._remember = remember

    # -- reading ---------------------------------------------------------------------------------------------

    def load(self) -> WorkspaceText:
        """What stands in the files, under a header and within the budget; empty if there is nothing."""
        left = self.settings.budget_tokens
        blocks, files = [], []
        for name, text, keeps_end in self._sources():
            heading = f"## {name}"
            body, is_cut = _fit(text, left - estimate_tokens(heading) - 4, keeps_end=keeps_end)
            if not body:
                continue
            block = f"{heading}\n{body}"
            left -= estimate_tokens(block) + 1
            blocks.append(block)
            files.append(LoadedFile(name=name, tokens=estimate_tokens(block), is_cut=is_cut))
        text = "\n\n".join((HEADER, *blocks)) if blocks else ""
        return WorkspaceText(text=text, files=tuple(files))

    def facts(self) -> list[str]:
        """The facts of MEMORY.md, without marks."""
        lines = (_without_mark(line) for line in self._lines(MEMORY))
        return [line[2:].strip() for line in lines if line.startswith("- ") and line[2:].strip()]

    def take_in_facts(self) -> int:
        """Give `remember` the facts that a person wrote into MEMORY.md, each once; how many were new."""
        if self._remember is None:
            return 0
        taken = set(self._lines(_TAKEN))
        new = {_checksum(normal_form(fact)): fact for fact in self.facts()}
        new = {key: fact for key, fact in new.items() if key not in taken}
        for key, fact in new.items():
            self._remember(fact)
            self._append(_TAKEN, key)
        return len(new)

    def _sources(self) -> Sequence[tuple[str, str, bool]]:
        """Each file's name and text, and whether its end matters more than its beginning."""
        today = f"memory/{self._today()}.md"
        learnings = [line for line in self._lines(LEARNINGS) if line.strip()]
        recent = "\n".join(learnings[-self.settings.learning_lines :]) if self.settings.learning_lines else ""
        whole = [(name, "\n".join(self._lines(name)), False) for name in (SOUL, TOOLS, AGENTS, MEMORY)]
        sources = [*whole, (today, "\n".join(self._lines(today)), True), (LEARNINGS, recent, True)]
        return [
            (name, "\n".join(map(_without_mark, text.splitlines())).strip(), end)
            for name, text, end in sources
        ]

    def _lines(self, name: str) -> list[str]:
        try:
            with (self.folder / name).open(encoding="utf-8", errors="replace") as file:
                return file.read(_MAX_FILE).splitlines()
        except (FileNotFoundError, IsADirectoryError):
            return []

    # -- writing ---------------------------------------------------------------------------------------------

    def save_fact(self, fact: str) -> bool:
        """Add a fact to MEMORY.md and to the memory store; False if it stands there already."""
        text = _one_line(fact)
        known = {normal_form(fact_known) for fact_known in self.facts()}
        if not text or normal_form(text) in known:
            return False
        self._append(MEMORY, _marked(f"- {text}"))
        if self._remember is not None:
            self._append(_TAKEN, _checksum(normal_form(text)))
            self._remember(text)
        return True

    def log_learning(self, learning: str) -> None:
        """Add an insight to the learnings."""
        self._append(LEARNINGS, _marked(f"- {self._today()} {_one_line(learning)}"))

    def log_error(self, error: str, solution: str) -> None:
        """Add an error and what mended it."""
        self._append(ERRORS, _marked(f"- {self._today()} {_one_line(error)} → {_one_line(solution)}"))

    def request_feature(self, wish: str) -> None:
        """Add something that the agent lacked."""
        self._append(FEATURE_REQUESTS, _marked(f"- {self._today()} {_one_line(wish)}"))

    def daily_log(self, entry: str) -> None:
        """Add an entry to the log of the day."""
        at = self._clock().strftime("%H:%M")
        self._append(f"memory/{self._today()}.md", _marked(f"- [{at}] {_one_line(entry)}"))

    def _append(self, name: str, line: str) -> None:
        """Add a line in one write, on a line of its own whatever the file ends with."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab+") as file:
            file.seek(0, os.SEEK_END)
            size = file.tell()
            if size:
                file.seek(size - 1)
            gap = b"" if not size or file.read(1) == b"\n" else b"\n"
            file.write(gap + line.encode("utf-8", "replace") + b"\n")

    def _today(self) -> str:
        return self._clock().date().isoformat()

    # -- pruning ---------------------------------------------------------------------------------------------

    def prune(self) -> int:
        """Take out the oldest untouched lines of our own beyond a number, and old days that nobody edited."""
        removed = sum(self._prune_lines(name) for name in (LEARNINGS, ERRORS, FEATURE_REQUESTS))
        oldest = (self._clock() - timedelta(days=self.settings.keep_days)).date()
        days = (self.folder / "memory").glob("*.md")
        for path in [path for path in days if _is_before(path.name, oldest)]:
            lines = self._lines(f"memory/{path.name}")
            if all(is_untouched(line) for line in lines if line.strip()):
                path.unlink()
                removed += len(lines)
        return removed

    def _prune_lines(self, name: str) -> int:
        path = self.folder / name
        lines = self._lines(name)
        ours = [number for number, line in enumerate(lines) if is_untouched(line)]
        surplus = set(ours[: max(0, len(ours) - self.settings.keep_lines)])
        if not surplus:
            return 0
        before = path.stat()
        rest = [line for number, line in enumerate(lines) if number not in surplus]
        draft = path.with_name(f".{path.name}.new")
        draft.write_text("\n".join(rest) + "\n", encoding="utf-8")
        after = path.stat()
        if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            draft.unlink()  # somebody is writing: another time
            return 0
        draft.replace(path)
        return len(surplus)


def workspace_tools(workspace: Workspace) -> tuple[AgentTool, ...]:
    """The four tools over a workspace."""

    def save_fact(arguments_sent: Mapping[str, Any]) -> ToolOutput:
        is_new = workspace.save_fact(arguments_sent["fact"])
        return ToolOutput(text="Saved." if is_new else "This stands in MEMORY.md already.")

    def log_learning(arguments_sent: Mapping[str, Any]) -> ToolOutput:
        workspace.log_learning(arguments_sent["learning"])
        return ToolOutput(text="Logged.")

    def log_error(arguments_sent: Mapping[str, Any]) -> ToolOutput:
        workspace.log_error(arguments_sent["error"], arguments_sent["solution"])
        return ToolOutput(text="Logged.")

    def daily_log(arguments_sent: Mapping[str, Any]) -> ToolOutput:
        workspace.daily_log(arguments_sent["entry"])
        return ToolOutput(text="Logged.")

    return (
        AgentTool(
            name="workspace_save_fact",
            description="Add a lasting fact about this project or person to MEMORY.md: one sentence.",
            parameters=arguments("fact", fact=text_argument("The fact.", most=2_000)),
            example={"fact": "This project uses TypeScript"},
            reads_only=False,
            run=save_fact,
        ),
        AgentTool(
            name="workspace_log_learning",
            description="Log an insight that will help in later sessions.",
            parameters=arguments("learning", learning=text_argument("What you learned.", most=2_000)),
            example={"learning": "The tests need the database to be migrated first"},
            reads_only=False,
            run=log_learning,
        ),
        AgentTool(
            name="workspace_log_error",
            description="Log an error together with what solved it.",
            parameters=arguments(
                "error",
                "solution",
                error=text_argument("The error, with its own words.", most=2_000),
                solution=text_argument("What solved it.", most=2_000),
            ),
            example={"error": "ECONNREFUSED on 5432", "solution": "start the database with make db"},
            reads_only=False,
            run=log_error,
        ),
        AgentTool(
            name="workspace_daily_log",
            description="Log what was done in this session, in one sentence.",
            parameters=arguments("entry", entry=text_argument("What was done.", most=2_000)),
            example={"entry": "Moved the login to JWT; the logout is open"},
            reads_only=False,
            run=daily_log,
        ),
    )


def is_untouched(line: str) -> bool:
    """Whether a line is ours as we wrote it."""
    match = _MARK.search(line)
    return match is not None and match[1] == _checksum(line[: match.start()])


def _marked(line: str) -> str:
    return f"{line} <!-- r:{_checksum(line)} -->"


def _without_mark(line: str) -> str:
    return _MARK.sub("", line)


def _checksum(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()


def _one_line(text: str) -> str:
    return " ".join(clean(text, _MAX_LINE, 0).split()).replace("<!--", "<! --")


def _is_before(name: str, oldest: date) -> bool:
    match = _DAY.match(name)
    try:
        return match is not None and date.fromisoformat(match[1]) < oldest
    except ValueError:
        return False


def _fit(text: str, tokens: int, *, keeps_end: bool) -> tuple[str, bool]:
    most = tokens * CHARACTERS_PER_TOKEN
    if len(text) <= most:
        return text, False
    if most < 80:
        return "", True
    return (f"[…]\n{text[-(most - 4) :]}" if keeps_end else f"{text[: most - 4]}\n[…]"), True
