"""Commands that move sessions: `import sessions`, `export sessions`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from recollect import __version__
from recollect.errors import BadInput
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, opened

CLIENTS = ("claude-code", "codex", "gemini", "opencode", "cursor", "swe-agent", "atif")
_MOST_FAILURES = 5
_EVERY = 1_000_000


@click.command("sessions")
@click.argument("client", required=False, metavar="[CLIENT]")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--all-projects", is_flag=True, help="Sessions of every project, not only this one.")
@click.option("--dry-run", is_flag=True, help="Only read and count.")
@common
def import_sessions_(client: str | None, path: Path | None, all_projects: bool, dry_run: bool) -> None:
    """Replay past sessions of coding agents, as if recollect had been there.

    CLIENT is claude-code, codex, gemini, opencode, cursor, swe-agent or atif; without one, all are looked for.
    Without PATH, transcripts are found where the agents keep them, and those of this project are taken. Secrets are
    taken out before anything is stored, and what was imported before is not imported again.

    \b
    recollect import sessions --dry-run
    recollect import sessions claude-code
    recollect import sessions swe-agent runs/
    """
    with (
        opened(create=True, throw_away=dry_run) as memory,
        output.progress("Reading sessions") as step,
    ):
        done = memory.observer.import_sessions(
            client, path, every_project=all_projects, dry_run=dry_run, progress=step
        )
        learned = [] if dry_run else memory.observer.learn_due(limit=_EVERY)
    made = [found.kind for one in learned for found in one.memories]
    told = asdict(done) | {"learned": len(learned), "memories": len(made)}
    if output.is_json():
        output.data(told)
        return
    _shown(told)
    if made:
        fixes, recipes = made.count("error_pattern"), made.count("workflow_recipe")
        output.line(
            f"{output.counted(len(made), 'memory')} proposed, {output.counted(fixes, 'error pattern')} with a fix, "
            f"{output.counted(recipes, 'recipe')}."
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
    with opened(read_only=True) as memory:
        for trajectory in memory.observer.export_sessions(version=__version__, every_project=all_projects):
            _write(folder, trajectory)
            written += 1
    if output.is_json():
        output.data({"exported": written, "folder": str(folder), "format": form})
    else:
        output.line(f"{written} sessions written to {folder}.")


def _shown(done: dict[str, Any]) -> None:
    could = "could be read" if done["dry_run"] else "taken in"
    output.line(
        f"{done['sessions']:,} sessions, {done['events']:,} events {could}, "
        f"{done['not_understood']:,} lines not understood."
    )
    if done["known"] or done["unchanged"]:
        output.note(
            f"{done['known']:,} events were known already; {done['unchanged']:,} files have not changed."
        )
    if done["elsewhere"]:
        output.note(f"{done['elsewhere']:,} files belong to other projects; --all-projects takes them too.")
    for name in done["unverified"]:
        output.note(
            f"The reader for {name} was written from descriptions and never tried on a real file: look twice."
        )
    for plugin in done["broken_plugins"]:
        output.note(f"An installed reader of transcripts does not work and was left out: {plugin}")
    for failure in done["failed"][:_MOST_FAILURES]:
        output.note(f"Not read: {failure}")
    if len(done["failed"]) > _MOST_FAILURES:
        output.note(f"… and {len(done['failed']) - _MOST_FAILURES} more files could not be read.")


def _write(folder: Path, trajectory: dict[str, Any]) -> None:
    name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in trajectory["session_id"])
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = folder / f"{name[:200]}.json"
        file.write_text(json.dumps(trajectory, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        file.chmod(0o600)
    except OSError as error:
        raise BadInput(reason=f"{folder} cannot be written ({error.strerror})") from error
