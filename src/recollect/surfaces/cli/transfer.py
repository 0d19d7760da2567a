"""The commands `export` and `import`, for memories and for sessions."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from recollect import __version__
from recollect.clients.registry import CLIENT_NAMES
from recollect.errors import BadInput, NotFound
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.markdown import export_markdown, import_markdown_
from recollect.surfaces.cli.options import common, open_memory, refuse_options

CLIENTS = (*CLIENT_NAMES, "swe-agent", "atif")
_MAX_FAILURES = 5
_NO_LIMIT = 1_000_000


@click.command("sessions")
@click.argument("client", required=False, metavar="[CLIENT]")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--all-projects", is_flag=True, help="Sessions of every project, not only this one.")
@click.option("--dry-run", is_flag=True, help="Only read and count.")
@common
def import_sessions_(client: str | None, path: Path | None, all_projects: bool, dry_run: bool) -> None:
    """Replay past sessions of coding agents, as if recollect had been there.

    CLIENT is claude-code, codex, gemini, opencode, qwen-code, cursor, swe-agent or atif; without one, all are tried.
    Without PATH, transcripts are found where the agents keep them, and those of this project are taken. Secrets are
    taken out before anything is stored, and what was imported before is not imported again.

    \b
    recollect import sessions --dry-run
    recollect import sessions claude-code
    recollect import sessions swe-agent runs/
    """
    with (
        open_memory(create=True, throw_away=dry_run) as memory,
        output.show_progress("Reading sessions") as step,
    ):
        report = memory.observer.import_sessions(
            client, path, every_project=all_projects, dry_run=dry_run, progress=step
        )
        learned = [] if dry_run else memory.observer.learn_due(limit=_NO_LIMIT)
    kinds = [learned_memory.kind for one in learned for learned_memory in one.memories]
    fields = asdict(report) | {"learned": len(learned), "memories": len(kinds)}
    if output.is_json():
        output.print_json(fields)
        return
    _print_report(fields)
    if kinds:
        fixes, recipes = kinds.count("error_pattern"), kinds.count("workflow_recipe")
        output.print_line(
            f"{output.count_phrase(len(kinds), 'memory')} proposed, "
            f"{output.count_phrase(fixes, 'error pattern')} with a fix, "
            f"{output.count_phrase(recipes, 'recipe')}."
        )


@click.command("sessions")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["atif"]), default="atif", show_default=True, help="The form."
)
@click.option("--all-projects", is_flag=True, help="Sessions of every project, not only this one.")
@common
def export_sessions_(folder: Path, form: str, all_projects: bool) -> None:
    """Write every session into FOLDER, a file each, in the Agent Trajectory Interchange Format.

    \b
    recollect export sessions trajectories/
    """
    written = 0
    with open_memory(read_only=True) as memory:
        for trajectory in memory.observer.export_sessions(version=__version__, every_project=all_projects):
            _write_trajectory(folder, trajectory)
            written += 1
    if output.is_json():
        output.print_json({"exported": written, "folder": str(folder), "format": form})
    else:
        output.print_line(f"{written} sessions written to {folder}.")


def _print_report(report: dict[str, Any]) -> None:
    could = "could be read" if report["dry_run"] else "taken in"
    output.print_line(
        f"{report['sessions']:,} sessions, {report['events']:,} events {could}, "
        f"{report['not_understood']:,} lines not understood."
    )
    if report["known"] or report["unchanged"]:
        output.print_note(
            f"{report['known']:,} events were known already; {report['unchanged']:,} files have not changed."
        )
    if report["elsewhere"]:
        output.print_note(
            f"{report['elsewhere']:,} files belong to other projects; --all-projects takes them too."
        )
    for name in report["unverified"]:
        output.print_note(
            f"The reader for {name} was written from descriptions and never tried on a real file: look twice."
        )
    for plugin in report["broken_plugins"]:
        output.print_note(f"An installed reader of transcripts does not work and was left out: {plugin}")
    for failure in report["failed"][:_MAX_FAILURES]:
        output.print_note(f"Not read: {failure}")
    if len(report["failed"]) > _MAX_FAILURES:
        output.print_note(f"… and {len(report['failed']) - _MAX_FAILURES} more files could not be read.")


def _write_trajectory(folder: Path, trajectory: dict[str, Any]) -> None:
    name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in trajectory["session_id"])
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = folder / f"{name[:200]}.json"
        file.write_text(json.dumps(trajectory, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        file.chmod(0o600)
    except OSError as error:
        raise BadInput(reason=f"{folder} cannot be written ({error.strerror})") from error


_CHUNK_CHARACTERS = 2_000_000


class _Export(HelpGroup):
    """Memories unless sessions are asked for: `export FILE` needs no second word."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            if args:
                _refuse_mistyped_word(ctx, args[0], list(self.commands))
            args = ["memories", *args]
        return super().parse_args(ctx, args)


def _refuse_mistyped_word(ctx: click.Context, word: str, commands: Sequence[str]) -> None:
    """A bare word that is nearly one of the commands is a slip of the finger, not the name of a file."""
    is_bare = word.replace("-", "").replace("_", "").isalnum()
    near = get_close_matches(word.lower(), commands, n=1) if is_bare else []
    if near and not ctx.resilient_parsing:
        raise click.UsageError(
            f"There is no command {word!r}. Did you mean {near[0]}? A file of that name is ./{word}", ctx
        )


@click.group("export", cls=_Export)
def export_() -> None:
    """Write memories, or sessions, for other programs; without a second word it is memories."""


export_.add_command(export_sessions_)


@export_.command("memories")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--only-here", is_flag=True, help="Only this project and what is user-wide.")
@click.option("--forgotten", is_flag=True, help="Also what was forgotten and can still be brought back.")
@click.option(
    "--markdown",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="As notes in this folder instead, for people.",
)
@common
def export_memories_(file: Path | None, only_here: bool, forgotten: bool, markdown: Path | None) -> None:
    """Write every memory as a line of JSON, to a new FILE or to standard output.

    \b
    recollect export memories.jsonl
    recollect export | gzip > memories.jsonl.gz
    recollect export --markdown notes
    """
    if markdown is not None:
        refuse_options(("file", "forgotten"), "--markdown writes what is in use, into its folder")
        export_markdown(markdown, only_here=only_here)
        return
    if file is not None and os.path.lexists(file):
        raise _already_there(file)
    with open_memory(read_only=True) as memory:
        lines = output.iter_json_lines(memory.admin.export(every_project=not only_here, forgotten=forgotten))
        if file is None:
            output.print_lines(lines)
            return
        count = _write_lines(file, lines)
    if output.is_json():
        output.print_json({"exported": count, "file": str(file)})
    else:
        output.print_line(f"{output.count_phrase(count, 'memory')} written to {file}.")


@click.group("import", cls=HelpGroup)
def import_() -> None:
    """Take in memories, or past sessions, from elsewhere."""


import_.add_command(import_sessions_)
import_.add_command(import_markdown_)


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
    with open_memory(create=True, throw_away=dry_run) as memory, _spool(file) as spooled:
        result = memory.admin.import_memories(
            lambda: _read_lines(spooled), name=str(file), dry_run=dry_run, mine=mine
        )
    if output.is_json():
        output.print_json(asdict(result))
    elif dry_run:
        output.print_line(f"{output.count_phrase(result.read, 'memory')} could be read. Nothing was changed.")
    else:
        output.print_line(
            f"{output.count_phrase(result.remembered, 'memory')} taken in, {result.known} known already."
        )
        if result.remembered and not mine:
            output.print_note("They wait for a yes before they are used: recollect review")
        if result.relations_dropped:
            output.print_note(f"{result.relations_dropped} relations pointed to memories that are not here.")


@contextmanager
def _spool(file: Path) -> Iterator[Path]:
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


def _read_lines(file: Path) -> Iterator[str]:
    """The lines of a file, in pieces: one without line ends must not fill memory."""
    try:
        # Bytes that are no text stay recognisable, so that the import can name the line they are in.
        with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="\n") as stream:
            yield from iter(lambda: stream.readline(_CHUNK_CHARACTERS), "")
    except OSError as error:
        raise BadInput(reason=f"{file} cannot be read ({error.strerror})") from error


def _write_lines(file: Path, lines: Iterator[str]) -> int:
    """Beside the target first: an export that breaks off leaves no half file, and one that is there stays."""
    partial = file.with_name(file.name + ".partial")
    written = -1  # the header is no memory
    try:
        private = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(private, "w", encoding="utf-8") as stream:
            for text in lines:
                stream.write(text + "\n")
                written += 1
        partial.chmod(0o600)  # a left-over of that name may have been open to others
        if os.path.lexists(file):  # made by somebody else meanwhile
            raise _already_there(file)
        partial.replace(file)
    except OSError as error:
        raise BadInput(reason=f"{file} cannot be written ({error.strerror})") from error
    finally:
        partial.unlink(missing_ok=True)
    return written


def _already_there(file: Path) -> BadInput:
    return BadInput(reason=f"{file} is there already; name a new file for the export")
