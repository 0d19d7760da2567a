"""Commands on memories over time: upkeep, prune, revive, feedback, settle, stale."""

from __future__ import annotations

import click

from recollect.api.upkeep import PruneReport, UpkeepReport
from recollect.errors import BadInput
from recollect.model.json_form import memory_to_json
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import ask_to_agree, common, open_memory, refuse_options

_JUDGEMENTS = {"useful": True, "noise": False}


@click.command("upkeep")
@click.option("--all", "every", is_flag=True, help="Run every job, also those that are not due.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@common
def upkeep_(every: bool, dry_run: bool) -> None:
    """Learn from sessions that are over; age, prune and tidy what is due. Every session's start does the same.

    \b
    recollect upkeep
    recollect upkeep --all --dry-run
    """
    with open_memory() as memory:
        report = memory.observer.look_after(every=every, dry_run=dry_run)
    if output.is_json():
        output.print_json({**asdict(report), "changed": report.changed})
    else:
        _print_report(report)


@click.command("prune")
@click.option("--deleted-files", is_flag=True, help="Only what is about files that are all gone.")
@click.option("--merged", is_flag=True, help="Only what belongs to work whose branch is merged.")
@click.option(
    "--finished", multiple=True, metavar="REF", help="Only what belongs to this finished unit of work."
)
@click.option(
    "--below", type=click.FloatRange(0, 1), metavar="N", help="Only what is less sure and long unused."
)
@click.option("--dry-run", is_flag=True, help="Only show what would be pruned, why, and what it saves.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common
def prune_(
    deleted_files: bool,
    merged: bool,
    finished: tuple[str, ...],
    below: float | None,
    dry_run: bool,
    yes: bool,
) -> None:
    """Archive what is no longer worth keeping; `revive` brings it back. Verified and pinned memories stay.

    \b
    recollect prune --dry-run
    recollect prune --below 0.2
    recollect prune --finished "native:spec_042"
    """
    wish = {"deleted_files": deleted_files, "merged": merged, "finished": finished, "below": below}
    with open_memory() as memory:
        report = memory.upkeep.prune(**wish, dry_run=True)  # type: ignore[arg-type]  # names and types as declared
        if not dry_run and report.memories:
            ask_to_agree(f"Archive {output.count_phrase(len(report.memories), 'memory')}?", yes)
        if not dry_run:
            report = memory.upkeep.prune(**wish)  # type: ignore[arg-type]
    _print_pruned(report, dry_run=dry_run)


@click.command("revive")
@click.argument("memory_ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "every", is_flag=True, help="Everything that was pruned here.")
@common
def revive_(memory_ids: tuple[str, ...], every: bool) -> None:
    """Bring memories back into use that were pruned, forgotten or have faded.

    \b
    recollect revive 01KA3
    recollect revive --all
    """
    if bool(memory_ids) == every:
        raise BadInput(reason="name the memories to revive, or say --all")
    with open_memory() as memory:
        output.print_changed(memory.upkeep.revive(*memory_ids, every=every), "Revived")


@click.command("feedback")
@click.argument("memory_id", metavar="ID")
@click.argument("judgement", type=click.Choice(["useful", "noise", "wrong", "outdated", "failed"]))
@click.option("--why", default="", help="A word for the history.")
@common
def feedback_(memory_id: str, judgement: str, why: str) -> None:
    """Say what a memory was worth: it helped, it was in the way, it is wrong or outdated; a recipe may have failed.

    \b
    recollect feedback 01KA3 useful
    recollect feedback 01KA3 wrong --why "the limit is 5 since March"
    recollect feedback 01KA7 failed --why "the registry moved"
    """
    with open_memory() as memory:
        if judgement == "failed":
            changed_memory = memory.upkeep.recipe_failed(memory_id, why=why)
        elif judgement in _JUDGEMENTS:
            changed_memory = memory.upkeep.judge(memory_id, useful=_JUDGEMENTS[judgement], why=why)
        else:
            changed_memory = memory.upkeep.flag(memory_id, judgement, why=why)
    output.print_changed([changed_memory], f"Noted as {judgement}", "recollect undo takes it back")


@click.command("settle")
@click.argument("keep", required=False, metavar="[KEEP]")
@click.argument("drop", required=False, metavar="[DROP]")
@click.option("--both", is_flag=True, help="Both hold; they only seemed to contradict each other.")
@click.option("--why", default="", help="A word for the history.")
@common
def settle_(keep: str | None, drop: str | None, both: bool, why: str) -> None:
    """Say which of two memories holds that contradict each other; without ids, list those that wait.

    \b
    recollect settle
    recollect settle 01KA3 01KA7
    recollect settle 01KA3 01KA7 --both
    """
    if keep is None:
        refuse_options(("both", "why"), "name the two memories it is about")
        _print_conflicts()
        return
    if drop is None:
        raise BadInput(reason="name two memories: the one that holds, then the other")
    with open_memory() as memory:
        upkeep = memory.upkeep
        settled = upkeep.keep_both(keep, drop, why=why) if both else upkeep.settle(keep, drop, why=why)
    if output.is_json():
        dropped = memory_to_json(settled.dropped) if settled.dropped else None
        output.print_json(
            {"kept": [memory_to_json(kept_memory) for kept_memory in settled.kept], "dropped": dropped}
        )
        return
    for kept_memory in settled.kept:
        output.print_line(f"Holds: {output.short_id(kept_memory)} {kept_memory.citation}")
    if settled.dropped:
        output.print_line(f"Superseded: {output.short_id(settled.dropped)} {settled.dropped.citation}")


def _print_conflicts() -> None:
    with open_memory(read_only=True) as memory:
        pairs = memory.upkeep.conflicts()
    if output.is_json():
        output.print_json(
            {
                "conflicts": [
                    {"newer": memory_to_json(new), "older": memory_to_json(old)} for new, old in pairs
                ]
            }
        )
        return
    for newer, older in pairs:
        output.print_line(f"newer {output.short_id(newer)}  {newer.citation}")
        output.print_line(f"older {output.short_id(older)}  {older.citation}")
        output.print_line()
    if not pairs:
        output.print_line("Nothing waits: no two memories are known to contradict each other.")


def _print_report(report: UpkeepReport) -> None:
    if report.doubted:
        output.print_note(
            f"The clock has jumped; until it says so a day later too, time stands still at {report.at:%Y-%m-%d}."
        )
    would = "would be: " if report.dry_run else ""
    for job in report.jobs:
        output.print_line(f"{job.job:<14} {job.outcome:<13} {would if job.said else ''}{job.said}".rstrip())


def _print_pruned(report: PruneReport, *, dry_run: bool) -> None:
    if output.is_json():
        listed = [
            {"memory": memory_to_json(memory), "rule": rule, "why": why}
            for memory, rule, why in report.memories
        ]
        saved = {"bytes": report.size.bytes, "tokens": report.size.tokens, "events": report.events}
        output.print_json({"pruned": listed, "saved": saved, "dry_run": dry_run})
        return
    what = "Would archive" if dry_run else "Archived"
    for memory, rule, why in report.memories:
        output.print_line(f"{what} {output.short_id(memory)}: {memory.citation}")
        output.print_line(f"    {rule}: {why}")
    if not report.memories:
        output.print_line("There is nothing to prune.")
    else:
        output.print_line(
            f"{output.count_phrase(len(report.memories), 'memory')}, {report.size.tokens:,} tokens,"
            f" {report.size.bytes / 1000:.1f} kB once they are gone for good."
        )
    if report.events:
        output.print_line(f"{report.events} recorded events {'would go' if dry_run else 'are gone'}.")


@click.command("stale")
@click.option("--sweep", is_flag=True, help="Look at every file first, and follow those that moved.")
@common
def stale_(sweep: bool) -> None:
    """Show which memories are stale, and why: their files are gone, or have changed under a recipe.

    \b
    recollect stale
    recollect stale --sweep --json
    """
    with open_memory(read_only=not sweep) as memory:
        swept = memory.staleness.sweep() if sweep else None
        memories = memory.staleness.listed()
    if output.is_json():
        sweep_json = asdict(swept) if swept else None
        output.print_json({"stale": [memory_to_json(item) for item in memories], "swept": sweep_json})
        return
    if swept:
        output.print_sweep(swept)
    output.print_stale(memories)
