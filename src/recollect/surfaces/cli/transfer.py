"""Commands that move memories: export, import."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from recollect.errors import NotFound
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, opened


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--only-here", is_flag=True, help="Only this project and what is user-wide.")
@common
def export_(file: Path | None, only_here: bool) -> None:
    """Write every memory as a line of JSON, to FILE or to standard output.

    \b
    recollect export memories.jsonl
    recollect export | gzip > memories.jsonl.gz
    """
    with opened(read_only=True) as memory:
        lines = (json.dumps(line, ensure_ascii=False) for line in memory.export(every_project=not only_here))
        if file is None:
            for text in lines:
                output.line(text)
            return
        count = _written(file, lines)
    if output.is_json():
        output.data({"exported": count, "file": str(file)})
    else:
        output.line(f"{count} memories written to {file}.")


@click.group("import")
def import_() -> None:
    """Take in memories from elsewhere."""


@import_.command("memories")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--dry-run", is_flag=True, help="Only check and count.")
@common
def memories_(file: Path, dry_run: bool) -> None:
    """Take in what `export` wrote; FILE "-" is standard input. What is known already is left as it is.

    \b
    recollect import memories memories.jsonl --dry-run
    """
    with opened(create=not dry_run) as memory, _spooled(file) as spooled:

        def lines() -> Iterator[str]:
            with spooled.open(encoding="utf-8", errors="replace") as stream:
                # Never more than a line's cap at once: a file without line ends must not fill memory.
                yield from iter(lambda: stream.readline(2_000_000), "")

        done = memory.import_memories(lines, name=str(file), dry_run=dry_run)
    if output.is_json():
        output.data(asdict(done))
    elif dry_run:
        output.line(f"{done.read} memories could be read. Nothing was changed.")
    else:
        output.line(f"{done.remembered} memories taken in, {done.known} known already.")
        if done.relations_dropped:
            output.note(f"{done.relations_dropped} relations pointed to memories that are not here.")


class _spooled:
    """The file itself, or a temporary copy of standard input: it is read twice."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Path:
        if str(self._file) != "-":
            if not self._file.is_file():
                raise NotFound(what="file", name=str(self._file))
            return self._file
        self._folder = tempfile.TemporaryDirectory(prefix="recollect-")
        copy = Path(self._folder.name, "import.jsonl")
        with copy.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        return copy

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _written(file: Path, lines: Iterator[str]) -> int:
    """Beside the target first: an export that breaks off leaves no half file."""
    partial = file.with_name(file.name + ".partial")
    count = -1  # the header is no memory
    with partial.open("w", encoding="utf-8") as stream:
        for count, text in enumerate(lines):
            stream.write(text + "\n")
    partial.chmod(0o600)
    partial.replace(file)
    return count
