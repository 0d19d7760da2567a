"""Commands on the store as a whole: stats, projects, reindex, backup, restore."""

from __future__ import annotations

from pathlib import Path

import click

from recollect.api import restore
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import ask, common, opened, settings
from recollect.surfaces.cli.savings import savings_json, spoken_savings


@click.command("stats")
@click.option("--all-projects", is_flag=True, help="Over every project, not only this one.")
@common
def stats_(all_projects: bool) -> None:
    """Count what is remembered.

    \b
    recollect stats --all-projects
    """
    with opened(read_only=True) as memory:
        found = memory.stats(every_project=all_projects)
        savings = memory.ledger.saved(every_project=all_projects)
    if output.is_json():
        output.data(asdict(found) | {"saved": savings_json(savings)})
        return
    size = found.bytes_on_disk / 1e6
    memories = output.counted(found.memories, "memory")
    output.line(f"{memories}, about {found.tokens:,} tokens, {size:.1f} MB on disk")
    output.line(
        f"{found.accesses} times asked for; {found.pinned} pinned; {found.needs_review} wait for review"
    )
    output.table(("kind", "memories"), [(kind, str(count)) for kind, count in found.by_kind.items()])
    for state, count in found.by_state.items():
        output.line(f"{state}: {count}")
    for model, count in found.vectors.items():
        output.line(f"vectors by {model}: {count}")
    if savings.here.lines:
        output.line(f"{savings.here.lines} told to agents lately, {savings.here.used} of it used")
        output.line(spoken_savings(savings))


@click.group("projects", invoke_without_command=True)
@common
@click.pass_context
def projects_(ctx: click.Context) -> None:
    """List the projects that have memories; `attach` joins a moved folder to its old one.

    \b
    recollect projects
    recollect projects attach ~/old/place/site
    """
    if ctx.invoked_subcommand is not None:
        return
    with opened(read_only=True) as memory:
        found = memory.projects()
    if output.is_json():
        output.data({"projects": [asdict(project) for project in found]})
        return
    rows = [(p.id[:10], p.name, str(p.memories), p.key[:24], p.paths[0] if p.paths else "") for p in found]
    output.table(("id", "name", "memories", "identity", "seen at"), rows)


@projects_.command("attach")
@click.argument("other")
@common
def attach_(other: str) -> None:
    """The current folder is the same project as OTHER (an id, a name or a folder): join their memories.

    \b
    recollect projects attach ~/old/place/site
    """
    with opened() as memory:
        project = memory.attach(other)
    if output.is_json():
        output.data({"project": asdict(project)})
    else:
        output.line(f"{other} is part of {project.name} now.")


@click.command("reindex")
@common
def reindex_() -> None:
    """Give every memory the vectors of the model your settings name. Stopped, it goes on from there later.

    \b
    recollect config set embedding.tier ollama
    recollect reindex
    """
    with opened() as memory, output.progress("Embedding") as step:
        done = memory.reindex(step)
    if output.is_json():
        output.data(asdict(done))
        return
    gone = f"; the vectors of {', '.join(done.dropped)} are gone" if done.dropped else ""
    output.line(f"{done.embedded} memories embedded with {done.model_id}{gone}.")


@click.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option(
    "--snapshot", is_flag=True, help="Beside the memories, as is done by itself every few sessions."
)
@common
def backup_(file: Path | None, snapshot: bool) -> None:
    """Copy all memories to a new FILE, while agents go on writing; the copy is compared.

    \b
    recollect backup ~/memories-2026-11-15.db
    recollect backup --snapshot
    """
    if (file is None) is not snapshot:
        raise click.UsageError("Name a new FILE, or say --snapshot.")
    with opened() as memory, output.progress("Copying") as step:
        made = memory.backup(file, step) if file else memory.keeping.snapshot()
    if output.is_json():
        output.data({"backup": str(made), "bytes": made.stat().st_size})
    else:
        output.line(f"Backed up to {made} ({made.stat().st_size / 1e6:.1f} MB), compared and sound.")


@click.command("restore")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common
def restore_(file: Path, yes: bool) -> None:
    """Put the backup in FILE in the place of all memories; what was there is kept beside it.

    \b
    recollect restore ~/memories-2026-11-15.db
    """
    target = Path(settings().db)
    if target.exists():
        ask(f"Replace {target} by {file}? What is there now is kept beside it.", yes)
    with output.progress("Restoring") as step:
        kept = restore(file, target, step)
    if output.is_json():
        output.data({"restored": str(target), "kept": str(kept) if kept else None})
        return
    output.line(f"Restored {target} from {file}, compared and sound.")
    if kept:
        output.line(f"What was there before is at {kept}.")
