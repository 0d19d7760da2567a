"""The command `doctor`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from recollect import config
from recollect.doctor import check_up, mend
from recollect.hooks import log as hook_log
from recollect.model.finding import Finding, Verdict
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.install import place
from recollect.surfaces.cli.options import common, settings
from recollect.surfaces.install import manifest
from recollect.surfaces.install.checkup import check_agents, check_log

_MARKS = {Verdict.PASS: ("PASS", "green"), Verdict.WARN: ("WARN", "yellow"), Verdict.FAIL: ("FAIL", "red")}

_RECENT_DAYS = 7


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended.")
@click.option(
    "--from",
    "source",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --fix: rebuild from this backup or export, instead of the newest good snapshot.",
)
@common
def doctor_(fix: bool, source: Path | None) -> None:
    """Check everything, with a real round trip in a throw-away store; say how to mend what is wrong.

    \b
    recollect doctor
    recollect doctor --fix
    recollect doctor --fix --from ~/memories-2026-11-15.db
    """
    if source and not fix:
        raise click.UsageError("--from goes with --fix.")
    if fix:
        with output.progress("Mending") as step:
            done = mend(settings(), step, source)
        for text in done:
            output.note(text)
    findings = [*check_up(settings()), *_agents()]
    if output.is_json():
        output.data({"findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            _shown(finding)
    if any(finding.verdict is Verdict.FAIL for finding in findings):
        sys.exit(1)


def _agents() -> list[Finding]:
    installed = manifest.load(config.data_dir())
    log = hook_log.log_of(settings().db)
    return [
        *check_agents(place(), installed, sys.executable),
        *check_log(log, datetime.now(UTC) - timedelta(days=_RECENT_DAYS)),
    ]


def _shown(finding: Finding) -> None:
    word, colour = _MARKS[finding.verdict]
    output.line(f"{click.style(word, fg=colour)}  {finding.check:<18} {finding.detail}")
    if finding.fix:
        output.line(f"      {'':<18} try: {finding.fix}")
