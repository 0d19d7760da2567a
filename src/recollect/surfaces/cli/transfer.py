"""Commands that move memories: export, import."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from recollect.errors import BadInput, NotFound
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, opened
from recollect.surfaces.cli.sessions import export_sessions_, import_sessions_

_MOST_AT_ONCE = 2_000_000


class _Export(click.Group):
    """Memories unless sessions are asked for: `export FILE` needs no second word."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["memories", *args]
        return super().parse_args(ctx, args)


@click.group("export", cls=_Export)
def export_() -> None:
    """Write memories, or sessions, for other programs; without a second word it is memories."""


export_.add_command(export_sessions_)


@export_.command("memories")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--only-here", is_flag=True, help="Only this project and what is user-wide.")
@click.option("--forgotten", is_flag=True, help="Also what was forgotten and can still be brought back.")
@common
def export_memories_(file: Path | None, only_here: bool, forgotten: bool) -> None:
    """Write every memory as a line of JSON, to FILE or to standard output.

    \b
    recollect export memories.jsonl
    recollect export | gzip > memories.jsonl.gz
    """
    with opened(read_only=True) as memory:
        lines = output.json_lines(memory.export(every_project=not only_here, forgotten=forgotten))
        if file is None:
            output.lines(lines)
            return
        count = _written(file, lines)
    if output.is_json():
        output.data({"exported": count, "file": str(file)})
    else:
        output.line(f"{output.counted(count, 'memory')} written to {file}.")


@click.group("import")
def import_() -> None:
    """Take in memories, or past sessions, from elsewhere."""


import_.add_command(import_sessions_)


@import_.command("memories")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--dry-run", is_flag=True, help="Only check and count.")
@click.option(
    "--mine", is_flag=True, help="It is my own: keep the standing it had. Otherwise it waits for review."
)
@common
def memories_(file: Path, dry_run: bool, mine: bool) -> None:
    """Take in what `export` wrote; FILE "-" is standard input. What is known already is left as it is.

    \b
    recollect import memories memories.jsonl --dry-run
    recollect import memories memories.jsonl --mine
    """
    with opened(create=True, throw_away=dry_run) as memory, _spooled(file) as spooled:
        done = memory.import_memories(lambda: _lines(spooled), name=str(file), dry_run=dry_run, mine=mine)
    if output.is_json():
        output.data(asdict(done))
    elif dry_run:
        output.line(f"{output.counted(done.read, 'memory')} could be read. Nothing was changed.")
    else:
        output.line(f"{output.counted(done.remembered, 'memory')} taken in, {done.known} known already.")
        if done.remembered and not mine:
            output.note("They wait for a yes before they are used: recollect review")
        if done.relations_dropped:
            output.note(f"{done.relations_dropped} relations pointed to memories that are not here.")


@contextmanager
def _spooled(file: Path) -> Iterator[Path]:
    """The file itself, or a temporary copy of standard input: it is read twice."""
    if str(file) != "-":
        if not file.is_file():
            raise NotFound(what="file", name=str(file))
        yield file
        return
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        copy = Path(folder, "import.jsonl")
        with copy.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield copy


def _lines(file: Path) -> Iterator[str]:
    """The lines of a file, in pieces: one without line ends must not fill memory."""
    try:
        # Bytes that are no text stay recognisable, so that the import can name the line they are in.
        with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="\n") as stream:
            yield from iter(lambda: stream.readline(_MOST_AT_ONCE), "")
    except OSError as error:
        raise BadInput(reason=f"{file} cannot be read ({error.strerror})") from error


def _written(file: Path, lines: Iterator[str]) -> int:
    """Beside the target first: an export that breaks off leaves no half file."""
    partial = file.with_name(file.name + ".partial")
    written = -1  # the header is no memory
    try:
        private = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(private, "w", encoding="utf-8") as stream:
            for text in lines:
                stream.write(text + "\n")
                written += 1
        partial.chmod(0o600)  # a left-over of that name may have been open to others
        partial.replace(file)
    except OSError as error:
        raise BadInput(reason=f"{file} cannot be written ({error.strerror})") from error
    finally:
        partial.unlink(missing_ok=True)
    return written
