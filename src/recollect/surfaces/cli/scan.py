"""The command that reads a project's code to say what its parts are for and how it is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from recollect.model.survey import Scanned, Surveyed, SurveyOutcome
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, opened

_SHOWN = frozenset({SurveyOutcome.NEW, SurveyOutcome.REFRESHED, SurveyOutcome.GONE, SurveyOutcome.REFUSED})


@click.command("scan")
@click.option("--module", default="", metavar="NAME", help="One module alone; habits are not counted then.")
@click.option("--dry-run", is_flag=True, help="Show what would be remembered, and remember nothing.")
@common
def scan_(module: str, dry_run: bool) -> None:
    """Read the code and note, for review, what each module is for and how the project is written.

    Only what was counted is said. What it noted before is noted anew when more than three tenths of the files changed.

    \b
    recollect scan --dry-run
    recollect scan
    recollect scan --module auth
    """
    with opened(create=True) as memory, output.progress("Reading code") as step:
        found = memory.code.scan(module=module, dry_run=dry_run, progress=step)
    if output.is_json():
        output.data({**asdict(found), "written": found.written})
    else:
        _scanned(found)


def _scanned(found: Scanned) -> None:
    _told("Modules", found.modules)
    _told("How it is written", found.habits)
    if found.no_words:
        output.note(f"The model that writes was of no help: {found.no_words}")
    if found.left:
        output.line(f"{found.left} more modules are left for the next scan.")
    counts = Counter(str(one.outcome) for one in (*found.modules, *found.habits))
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) or "no code found"
    output.line(f"{'Would be' if found.dry_run else 'Noted'}: {told}.")
    if found.written and not found.dry_run:
        at_once = "; all at once: recollect review confirm --tag scan" if found.written > 1 else ""
        output.line(f"{'They wait' if at_once else 'It waits'} for a look: recollect review{at_once}")


def _told(heading: str, found: Sequence[Surveyed]) -> None:
    fresh = [one for one in found if one.outcome in _SHOWN]
    if fresh:
        output.line(heading)
    for one in fresh:
        why = f": {one.why}" if one.why else ""
        output.line(f"  {output.visible(one.text)}  {output.dim(f'{one.outcome}{why}')}")
