"""The command `vault`: a folder of notes that people and agents write together."""

from __future__ import annotations

from pathlib import Path

import click

from recollect import config
from recollect.api import Recollect
from recollect.api.vault import SyncReport, VaultStatus
from recollect.errors import BadInput
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.options import common, open_memory

# So many of the notes that are left alone are named after a sync.
_MAX_NAMED = 20
# So long notes are embedded with each sync.
_EMBEDDING_SECONDS = 3.0


@click.group("vault", cls=HelpGroup)
def vault_() -> None:
    """A folder of Markdown notes, in step with memory: read and edit memories as notes, in Obsidian or anywhere.

    \b
    recollect vault init ~/Notes/Recollect
    recollect vault sync
    recollect vault watch
    recollect vault status
    recollect vault search "how do we deploy?"
    """


@vault_.command("init")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), required=False)
@click.option(
    "--only-here", is_flag=True, help="Only memories of this project: for a vault inside its repository."
)
@click.option("--kind", "-k", "kinds", multiple=True, metavar="KIND", help="Only this kind (repeatable).")
@common
def init_(folder: Path | None, only_here: bool, kinds: tuple[str, ...]) -> None:
    """Make FOLDER a vault; notes that are there stay as they are. Without FOLDER: Documents/Obsidian Vault/Recollect.

    \b
    recollect vault init
    recollect vault init docs/memory --only-here --kind decision
    """
    with open_memory(create=True) as memory:
        made = memory.vault.init(folder, only_project=only_here, kinds=kinds)
        root = str(memory.vault.root)
        if not only_here:  # what a project shares is kept in step beside the usual one, not instead of it
            config.change_setting("vault.path", root)
        report = memory.vault.sync()
    if output.is_json():
        output.print_json({"root": root, "made": made, **asdict(report)})
        return
    output.print_line(
        f"The vault is {root}: {output.count_phrase(len(report.written), 'memory')} written as notes."
    )
    output.print_note("Edit there what you like, then: recollect vault sync")


@vault_.command("sync")
@click.option("--mine", is_flag=True, help="Every edit in it is mine, also one that gives orders.")
@click.option("--deletions", is_flag=True, help="Take many deletions at once for what they are.")
@click.option("--meaning", is_flag=True, help="Go on until every note can be searched by meaning.")
@common
def sync_(mine: bool, deletions: bool, meaning: bool) -> None:
    """Bring notes and memories in step, once.

    Notes can be searched by their words at once, and by meaning once the model has seen them: a few seconds' worth with
    each sync that found new words, more after each session, all of them with --meaning.

    \b
    recollect vault sync
    recollect vault sync --mine
    """
    reports: dict[str, SyncReport] = {}
    left = 0
    with open_memory() as memory:
        for root in memory.vault.here() or [memory.vault.root]:
            memory.vault.use(root)
            unseen = memory.vault.status().unseen_parts
            with output.show_progress("Reading notes") as step:
                reports[str(root)] = memory.vault.sync(mine=mine, take_deletions=deletions, progress=step)
            left += _embed(memory, unseen, whole=meaning)
    _print_reports(reports)
    if left and not output.is_json():
        parts = output.count_phrase(left, "part")
        output.print_note(
            f"{parts} of notes can be found by words alone so far; sessions go on with them, or do it now:"
            " recollect vault sync --meaning"
        )


def _embed(memory: Recollect, unseen: int, *, whole: bool) -> int:
    """Let the model see more of the notes, where there are new ones or all are wanted; how many parts are left."""
    total = left = memory.vault.status().unseen_parts
    if not whole:
        return memory.vault.embed(seconds=_EMBEDDING_SECONDS) if left > unseen else left
    with output.show_progress("Embedding notes") as step:
        while left and (now := memory.vault.embed(seconds=1.0)) < left:
            left = now
            step(total - left, total)
    return left


@vault_.command("watch")
@click.option("--seconds", type=click.FloatRange(0.1), help="Stop after so long; otherwise until Ctrl-C.")
@common
def watch_(seconds: float | None) -> None:
    """Keep notes and memories in step as they change, until Ctrl-C.

    \b
    recollect vault watch
    """
    with open_memory() as memory:
        output.print_note(f"Watching {memory.vault.root}; Ctrl-C ends it.")
        for report in memory.vault.watch(seconds=seconds):
            if report.changed:
                _print_report(report)


@vault_.command("status")
@common
def status_() -> None:
    """How many notes there are, when they were last in step, and which are left alone and why.

    \b
    recollect vault status
    """
    with open_memory() as memory:
        status = memory.vault.status()
    if output.is_json():
        output.print_json(asdict(status))
    else:
        _print_status(status)


@vault_.command("search")
@click.argument("query")
@click.option("--folder", default="", help="Only in this folder.")
@click.option("--limit", type=click.IntRange(1, 50), default=10, show_default=True)
@common
def search_(query: str, folder: str, limit: int) -> None:
    """Search the notes: title, headings, tags, links and text.

    \b
    recollect vault search "how do we deploy?" --folder Projects
    """
    with open_memory() as memory:
        hits = memory.vault.search(query, folder=folder, limit=limit)
    if output.is_json():
        output.print_json({"notes": [asdict(hit) for hit in hits]})
        return
    for hit in hits:
        output.print_line(f"{hit.path}:{hit.line}  {output.dim(hit.heading)}")
        output.print_line(f"    {output.escape_controls(hit.excerpt.partition(chr(10))[0])}")
    if not hits:
        output.print_line("No note answers that.")


@vault_.command("versions")
@click.argument("path")
@click.option("--show", type=click.IntRange(1), metavar="N", help="Print the Nth newest.")
@common
def versions_(path: str, show: int | None) -> None:
    """The versions that were seen of the note at PATH, newest first; also of one that is gone.

    \b
    recollect vault versions "Decisions/Retries.md"
    recollect vault versions "Decisions/Retries.md" --show 2
    """
    with open_memory() as memory:
        versions = memory.vault.versions(path, 1_000)
    if show is not None:
        if show > len(versions):
            raise BadInput(reason=f"{len(versions)} versions of {path} are kept")
        output.print_lines(versions[show - 1].content.decode("utf-8", "replace").splitlines())
    elif output.is_json():
        listed = [{"hash": one.hash, "at": one.at.isoformat(), "writer": one.writer} for one in versions]
        output.print_json({"path": path, "versions": listed})
    else:
        rows = [
            (str(n), f"{one.at:%Y-%m-%d %H:%M:%S}", one.writer) for n, one in enumerate(versions, start=1)
        ]
        output.print_table(("", "when", "who"), rows)


def _print_report(report: SyncReport) -> None:
    if output.is_json():
        output.print_json({**asdict(report), "changed": report.changed})
        return
    for what, paths in (
        ("Remembered", report.new),
        ("Changed", report.edited),
        ("Moved", report.moved),
        ("Forgotten", report.forgotten),
        ("Written", report.written),
        ("In conflict", report.conflicts),
    ):
        for path in paths:
            output.print_line(f"{what}: {output.escape_controls(path)}")
    if not report.changed:
        output.print_line(f"{output.count_phrase(report.notes, 'note')}, all in step.")
    if report.held_back:
        count = len(report.held_back)
        output.print_note(
            f"{count} notes of memories are gone at once. If you deleted them: recollect vault sync --deletions"
        )
    for path, why in list(report.problems.items())[:_MAX_NAMED]:
        output.print_note(f"{output.escape_controls(path)} is left alone: {why}")
    if (more := len(report.problems) - _MAX_NAMED) > 0:
        output.print_note(f"{more} more are left alone; all of them: recollect vault sync --json")


def _print_reports(reports: dict[str, SyncReport]) -> None:
    """What came of each vault; the usual one first."""
    if len(reports) == 1:
        _print_report(*reports.values())
    elif output.is_json():
        first = next(iter(reports.values()))
        output.print_json(
            {**asdict(first), "vaults": {root: asdict(report) for root, report in reports.items()}}
        )
    else:
        for root, report in reports.items():
            output.print_line(f"{root}:")
            _print_report(report)


def _print_status(status: VaultStatus) -> None:
    output.print_line(
        f"{status.root}: {output.count_phrase(status.notes, 'note')}, {status.memories} of them memories."
    )
    output.print_line(f"Last in step: {status.synced_at or 'never'}")
    if status.unseen_parts:
        parts = output.count_phrase(status.unseen_parts, "part")
        output.print_line(f"{parts} of them can be found by words alone so far.")
    for path, why in status.problems.items():
        output.print_note(f"{output.escape_controls(path)} is left alone: {why}")
