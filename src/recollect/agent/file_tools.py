"""Tools on files for the reference agent: read, write, edit, list, search; all inside one folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.errors import BadInput
from recollect.events.edits import describe_replacement, describe_written_file
from recollect.model.agent_tool import AgentTool, ToolOutput
from recollect.model.arguments import arguments, number, text

# What a call may read, give back and look through.
_MAX_BYTES = 2_000_000
_MAX_LINES = 2_000
_MAX_NAMES = 500
_MAX_MATCHES = 200
_MAX_LINE = 400
_MAX_LOOKED_AT = 20_000
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache"})
# What tells machines what to run: a change there is worth a question.
_SENSITIVE = frozenset({".git", ".github", ".claude", ".recollect", ".codex", ".cursor", ".vscode"})


def file_tools(root: Path) -> tuple[AgentTool, ...]:
    """The tools over this folder."""
    path = text("The path, seen from the working folder.", most=1_000)
    files = FolderFiles(root)
    return (
        AgentTool(
            name="read_file",
            description="Read a text file, all of it or from a line on.",
            parameters=arguments(
                "path",
                path=path,
                offset=number("The first line to read, from 1 on.", low=1, high=10**9),
                limit=number("How many lines at most.", low=1, high=_MAX_LINES),
            ),
            example={"path": "src/app.py", "offset": 1, "limit": 200},
            reads_only=True,
            run=files.read,
        ),
        AgentTool(
            name="write_file",
            description="Write a whole file; folders are made, and what stood there is replaced.",
            parameters=arguments(
                "path", "content", path=path, content=text("The whole text.", most=_MAX_BYTES)
            ),
            example={"path": "docs/notes.md", "content": "# Notes\n"},
            reads_only=False,
            run=files.write,
            danger_of=files.danger_of,
        ),
        AgentTool(
            name="edit_file",
            description="Replace one passage of a file by another; the passage must occur exactly once.",
            parameters=arguments(
                "path",
                "old_string",
                "new_string",
                path=path,
                old_string=text("The passage as it stands there.", most=100_000),
                new_string={
                    "type": "string",
                    "maxLength": 100_000,
                    "description": "What comes in its place.",
                },
            ),
            example={"path": "src/app.py", "old_string": "retries = 3", "new_string": "retries = 5"},
            reads_only=False,
            run=files.edit,
            danger_of=files.danger_of,
        ),
        AgentTool(
            name="list_directory",
            description="List a folder: names, sizes, folders with a slash.",
            parameters=arguments(path=path),
            example={"path": "src"},
            reads_only=True,
            run=files.list,
        ),
        AgentTool(
            name="search_file_content",
            description="Find the lines that hold a literal text, in all files below a folder.",
            parameters=arguments("pattern", pattern=text("The text, as it stands.", most=500), path=path),
            example={"pattern": "def refresh", "path": "src"},
            reads_only=True,
            run=files.search,
        ),
    )


class FolderFiles:
    """The acts of the tools on one folder."""

    def __init__(self, root: Path) -> None:
        """Work below this folder."""
        self.root = root

    def read(self, arguments_sent: Mapping[str, Any]) -> ToolOutput:
        """Lines of a file."""
        path = resolve_inside(self.root, arguments_sent["path"])
        content = _read_text(path)
        if content is None:
            return _failed(f"There is no file {arguments_sent['path']}, or it cannot be read as text.")
        lines = content.splitlines()
        first = arguments_sent.get("offset", 1) - 1
        shown = lines[first : first + arguments_sent.get("limit", _MAX_LINES)]
        left = len(lines) - first - len(shown)
        more = f"\n[{left} more lines; read on with offset={first + len(shown) + 1}]" if left > 0 else ""
        return ToolOutput(text="\n".join(shown) + more, data={"lines": [first + 1, first + len(shown)]})

    def write(self, arguments_sent: Mapping[str, Any]) -> ToolOutput:
        """A whole file."""
        path = resolve_inside(self.root, arguments_sent["path"])
        if path.is_dir():
            return _failed(f"{arguments_sent['path']} is a folder.")
        before = _read_text(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace_file(path, arguments_sent["content"])
        edit = describe_written_file(arguments_sent["path"], before, arguments_sent["content"])
        return ToolOutput(
            text=f"Written: {arguments_sent['path']}, {len(arguments_sent['content']):,} characters.",
            data={"edits": [edit]},
        )

    def edit(self, arguments_sent: Mapping[str, Any]) -> ToolOutput:
        """One passage of a file."""
        path = resolve_inside(self.root, arguments_sent["path"])
        before, old, new = _read_text(path), arguments_sent["old_string"], arguments_sent["new_string"]
        if before is None:
            return _failed(f"There is no file {arguments_sent['path']}, or it cannot be read as text.")
        if (count := before.count(old)) != 1:
            reason = (
                "does not occur" if not count else f"occurs {count} times; give more of what surrounds it"
            )
            return _failed(f"The passage {reason} in {arguments_sent['path']}. Nothing was changed.")
        _replace_file(path, before.replace(old, new))
        return ToolOutput(
            text=f"Edited: {arguments_sent['path']}.",
            data={"edits": [describe_replacement(arguments_sent["path"], before, old, new)]},
        )

    def list(self, arguments_sent: Mapping[str, Any]) -> ToolOutput:
        """The names in a folder."""
        path = resolve_inside(self.root, arguments_sent.get("path", "."))
        if not path.is_dir():
            return _failed(f"There is no folder {arguments_sent.get('path', '.')}.")
        entries = sorted(path.iterdir(), key=lambda entry: (not entry.is_dir(), entry.name))
        lines = [
            f"{entry.name}/" if entry.is_dir() else f"{entry.name}  {_size(entry):,}" for entry in entries
        ]
        cut = f"\n[{len(lines) - _MAX_NAMES} more]" if len(lines) > _MAX_NAMES else ""
        return ToolOutput(text=("\n".join(lines[:_MAX_NAMES]) + cut) or "(empty)")

    def search(self, arguments_sent: Mapping[str, Any]) -> ToolOutput:
        """Lines with a literal text."""
        start = resolve_inside(self.root, arguments_sent.get("path", "."))
        top = self.root.resolve()
        matches: list[str] = []
        for path in _files_below(start):
            content = _read_text(path)
            if content is None or arguments_sent["pattern"] not in content:
                continue
            name = path.relative_to(top).as_posix()
            lines = enumerate(content.splitlines(), start=1)
            matches += [
                f"{name}:{n}: {line[:_MAX_LINE]}" for n, line in lines if arguments_sent["pattern"] in line
            ]
            if len(matches) > _MAX_MATCHES:
                matches = [*matches[:_MAX_MATCHES], "[more; narrow the search]"]
                break
        return ToolOutput(text="\n".join(matches) or "Nothing holds this text.")

    def danger_of(self, arguments_sent: Mapping[str, Any]) -> str:
        """Why a person should look at a change first; empty for an ordinary file."""
        parts = Path(str(arguments_sent.get("path", ""))).parts
        touched = next((part for part in parts if part in _SENSITIVE), "")
        return f"it changes {touched}, which says what programs run" if touched else ""


def _files_below(start: Path) -> Iterator[Path]:
    if start.is_file():
        yield start
        return
    seen = 0
    for folder, names, files in os.walk(start):
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        for name in sorted(files):
            path = Path(folder, name)
            seen += 1
            if seen > _MAX_LOOKED_AT:
                return
            if not path.is_symlink():
                yield path


def _read_text(path: Path) -> str | None:
    try:
        if path.stat().st_size > _MAX_BYTES:
            return None
        data = path.read_bytes()
        return None if b"\0" in data[:8_000] else data.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _replace_file(path: Path, content: str) -> None:
    """All or nothing: a run that is killed leaves the old file or the new one."""
    draft = path.with_name(f".{path.name}.recollect-new")
    draft.write_bytes(content.encode("utf-8"))
    if path.exists():
        draft.chmod(path.stat().st_mode & 0o7777)
    draft.replace(path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _failed(text: str) -> ToolOutput:
    return ToolOutput(text=text, ok=False)


def resolve_inside(root: Path, named: str) -> Path:
    """The file that is meant; refused if it lies outside the root, by `..`, by a link or by being absolute."""
    top = root.resolve()
    if "\0" in named or named.startswith("~"):
        raise BadInput(reason=f"{named!r} is no path inside the working folder")
    try:
        path = (top / named).resolve()
    except (OSError, RuntimeError) as error:
        raise BadInput(reason=f"{named!r} cannot be followed: {error}") from error
    if path != top and top not in path.parents:
        raise BadInput(reason=f"{named!r} lies outside the working folder")
    return path
