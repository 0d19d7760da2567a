"""The command `uninstall`: recollect out of the coding agents, every file as it was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from recollect import config
from recollect.clients.client_install import this_program
from recollect.clients.registry import CLIENTS
from recollect.errors import OnlyAPerson
from recollect.surfaces.cli import output
from recollect.surfaces.cli.install import place
from recollect.surfaces.cli.options import ask_to_agree, common, read_settings
from recollect.surfaces.install import manifest
from recollect.surfaces.install.remove import (
    Removal,
    RemovalAct,
    find_unrecorded,
    list_data_files,
    plan_removal,
    purge_files,
    take_back,
)

_SAID = {
    RemovalAct.RESTORE: "as it was before",
    RemovalAct.DELETE: "removed; there was none before",
    RemovalAct.EDIT: "our parts taken out",
    RemovalAct.NOTHING: "nothing to do",
    RemovalAct.LEAVE: "LEFT ALONE",
}


@click.command("uninstall")
@click.option("--dry-run", is_flag=True, help="Only show what would happen to each file.")
@click.option("--purge-data", is_flag=True, help="Remove all memories and settings too, for good.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common
def uninstall_(dry_run: bool, purge_data: bool, yes: bool) -> None:
    """Take recollect out of the coding agents: every file as it was, or why it was left alone. Memories stay.

    \b
    recollect uninstall --dry-run
    recollect uninstall --yes
    recollect uninstall --purge-data
    """
    if purge_data and not dry_run and config.is_agent_process():
        raise OnlyAPerson(what="remove all memories")
    folder = config.data_dir()
    known = manifest.load(folder)
    removals = plan_removal({**known, **find_unrecorded(CLIENTS, this_program(), place(), known)})
    doomed = list_data_files(read_settings()) if purge_data else []
    if not dry_run and (removals or doomed):
        if not yes and not output.is_json():
            _tell(removals, doomed)
            output.print_line()
        ask_to_agree(_question(removals, doomed), yes)
        removals = [take_back(removal, folder) for removal in removals]
        purge_files(doomed)
    if output.is_json():
        output.print_json(_as_json(removals, doomed, dry_run=dry_run))
        return
    _tell(removals, doomed)
    if not purge_data:
        output.print_note(f"Your memories stay in {folder}; --purge-data removes them too.")


def _question(removals: Sequence[Removal], doomed: Sequence[Path]) -> str:
    acts = []
    if removals:
        acts.append(f"take recollect out of {len(removals)} files")
    if doomed:
        acts.append("remove all memories and settings for good")
    sentence = " and ".join(acts)
    return f"{sentence[0].upper()}{sentence[1:]}?"


def _tell(removals: Sequence[Removal], doomed: Sequence[Path]) -> None:
    for removal in removals:
        why = f" ({removal.why})" if removal.why else ""
        output.print_line(f"{removal.record.path}: {_SAID[removal.act]}{why}")
    for path in doomed:
        output.print_line(f"{path}: gone for good")
    if not removals:
        output.print_line("Nothing is installed outside the data directory.")


def _as_json(removals: Sequence[Removal], doomed: Sequence[Path], *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "files": [
            {
                "path": removal.record.path,
                "agent": removal.record.client,
                "action": str(removal.act),
                "why": removal.why,
            }
            for removal in removals
        ],
        "purged": [str(path) for path in doomed],
    }
