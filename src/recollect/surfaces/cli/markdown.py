"""The commands `import markdown` and `export --markdown`: memories from and as Markdown."""

from __future__ import annotations

from pathlib import Path

import click

from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, open_memory


@click.command("markdown")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only show what would be proposed.")
@common
def import_markdown_(paths: tuple[Path, ...], dry_run: bool) -> None:
    """Propose what Markdown documents state: CLAUDE.md, AGENTS.md, decision records, a wiki, another vault.

    Every statement keeps the place it stands in, and waits for a yes before it is used.

    \b
    recollect import markdown docs/adr AGENTS.md --dry-run
    recollect import markdown ~/Notes
    """
    with open_memory(create=True) as memory:
        done = memory.vault.import_markdown(paths, dry_run=dry_run)
    if output.is_json():
        output.print_json(asdict(done))
        return
    if dry_run:
        for line in done.statements:
            output.print_line(output.escape_controls(line))
    counts = f"{done.files} documents, {len(done.statements)} statements"
    output.print_line(
        f"{counts}." if dry_run else f"{counts}: {done.proposed} proposed, {done.known} known already."
    )
    if done.proposed:
        output.print_note("They wait for a yes before they are used: recollect review")
    for path, why in done.problems.items():
        output.print_note(f"{output.escape_controls(path)} {why}")


def export_markdown(folder: Path, *, only_here: bool) -> None:
    """Write every memory as a note into a new folder."""
    with open_memory() as memory:
        count = memory.vault.export_markdown(folder, every_project=not only_here)
    if output.is_json():
        output.print_json({"exported": count, "folder": str(folder)})
    else:
        output.print_line(f"{output.count_phrase(count, 'memory')} written to {folder}.")
