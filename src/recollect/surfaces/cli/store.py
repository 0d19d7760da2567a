"""Commands on the store as a whole: stats, projects, reindex, backup, move, restore."""

from __future__ import annotations

from pathlib import Path

import click

from recollect.api import restore
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.options import ask_to_agree, common, open_memory, read_settings
from recollect.surfaces.cli.output import describe_savings
from recollect.surfaces.json_answers import stats_to_json


@click.command("stats")
@click.option("--all-projects", is_flag=True, help="Over every project, not only this one.")
@common
def stats_(all_projects: bool) -> None:
    """Count what is remembered.

    \b
    recollect stats --all-projects
    """
    with open_memory(read_only=True) as memory:
        stats = memory.admin.stats(every_project=all_projects)
        savings = memory.injections.saved(every_project=all_projects)
    if output.is_json():
        output.print_json(stats_to_json(stats, savings))
        return
    size = stats.bytes_on_disk / 1e6
    memories = output.count_phrase(stats.memories, "memory")
    output.print_line(f"{memories}, about {stats.tokens:,} tokens, {size:.1f} MB on disk")
    output.print_line(
        f"{stats.accesses} times asked for; {stats.pinned} pinned; {stats.needs_review} wait for review"
    )
    output.print_table(("kind", "memories"), [(kind, str(count)) for kind, count in stats.by_kind.items()])
    for state, count in stats.by_state.items():
        output.print_line(f"{state}: {count}")
    for model, count in stats.vectors.items():
        output.print_line(f"vectors by {model}: {count}")
    if savings.here.lines:
        output.print_line(f"{savings.here.lines} told to agents lately, {savings.here.used} of it used")
        output.print_line(describe_savings(savings))


@click.group("projects", cls=HelpGroup, invoke_without_command=True)
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
    with open_memory(read_only=True) as memory:
        projects = memory.admin.projects()
    if output.is_json():
        output.print_json({"projects": [asdict(project) for project in projects]})
        return
    rows = [(p.id[:10], p.name, str(p.memories), p.key[:24], p.paths[0] if p.paths else "") for p in projects]
    output.print_table(("id", "name", "memories", "identity", "seen at"), rows)


@projects_.command("attach")
@click.argument("other")
@common
def attach_(other: str) -> None:
    """The current folder is the same project as OTHER (an id, a name or a folder): join their memories.

    \b
    recollect projects attach ~/old/place/site
    """
    with open_memory() as memory:
        project = memory.admin.attach(other)
    if output.is_json():
        output.print_json({"project": asdict(project)})
    else:
        output.print_line(f"{other} is part of {project.name} now.")


@click.command("reindex")
@common
def reindex_() -> None:
    """Give every memory the vectors of the model your settings name. Stopped, it goes on from there later.

    \b
    recollect config set embedding.tier ollama
    recollect reindex
    """
    with open_memory() as memory, output.show_progress("Embedding") as step:
        report = memory.admin.reindex(step)
    if output.is_json():
        output.print_json(asdict(report))
        return
    gone = f"; the vectors of {', '.join(report.dropped)} are gone" if report.dropped else ""
    output.print_line(f"{report.embedded} memories embedded with {report.model_id}{gone}.")


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
    with open_memory() as memory, output.show_progress("Copying") as step:
        backup = memory.admin.backup(file, step) if file else memory.safety.snapshot()
    if output.is_json():
        output.print_json({"backup": str(backup), "bytes": backup.stat().st_size})
    else:
        output.print_line(
            f"Backed up to {backup} ({backup.stat().st_size / 1e6:.1f} MB), compared and sound."
        )


@click.command("move")
@click.option("--to", "target", required=True, metavar="ADDRESS", help="A new file, or postgresql://….")
@click.option("--dry-run", is_flag=True, help="Only tell what would be copied.")
@common
def move_(target: str, dry_run: bool) -> None:
    """Copy all memories, their vectors and their history to another database, and compare; what is here stays.

    \b
    recollect move --to postgresql://db.example/memories --dry-run
    recollect move --to postgresql://db.example/memories
    recollect move --db postgresql://db.example/memories --to ~/memories.db
    """
    with open_memory() as memory, output.show_progress("Moving") as step:
        plan = memory.admin.plan_move(target) if dry_run else memory.admin.move(target, step)
    if output.is_json():
        output.print_json({"rows": dict(plan.rows), "total": plan.total, "dry_run": dry_run})
        return
    if dry_run:
        output.print_table(("table", "rows"), [(name, str(count)) for name, count in plan.rows.items()])
        waiting = f", {plan.copied} of them are there already" if plan.copied else ""
        output.print_line(f"{plan.total} rows would be copied{waiting}. Nothing was changed.")
    else:
        output.print_line(
            f"{plan.total} rows copied and compared. From now on: RECOLLECT_DB={_hide_password(target)}"
        )


def _hide_password(address: str) -> str:
    scheme, _, rest = address.partition("://")
    user, at, place = rest.rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}{at}{place}" if rest else address


@click.command("restore")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common
def restore_(file: Path, yes: bool) -> None:
    """Put the backup in FILE in the place of all memories; what was there is kept beside it.

    \b
    recollect restore ~/memories-2026-11-15.db
    """
    target = Path(read_settings().db)
    if target.exists():
        ask_to_agree(f"Replace {target} by {file}? What is there now is kept beside it.", yes)
    with output.show_progress("Restoring") as step:
        earlier_file = restore(file, target, step)
    if output.is_json():
        output.print_json({"restored": str(target), "kept": str(earlier_file) if earlier_file else None})
        return
    output.print_line(f"Restored {target} from {file}, compared and sound.")
    if earlier_file:
        output.print_line(f"What was there before is at {earlier_file}.")
