"""The commands `doctor` and `demo`: check the installation, and see memory work on a throw-away store."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from recollect import config, demo
from recollect.doctor import check_up, repair
from recollect.hooks import log as hook_log
from recollect.model.health import Finding, FindingLevel
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.install import place
from recollect.surfaces.cli.options import common, json_option, read_settings, refuse_options
from recollect.surfaces.install import manifest
from recollect.surfaces.install.checkup import check_agents, check_log
from recollect.surfaces.ui.serve import check_packages

_MARKS = {
    FindingLevel.PASS: ("PASS", "green"),
    FindingLevel.WARN: ("WARN", "yellow"),
    FindingLevel.FAIL: ("FAIL", "red"),
}

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
        with output.show_progress("Mending") as step:
            done = repair(read_settings(), step, source)
        for text in done:
            output.print_note(text)
    findings = [*check_up(read_settings()), *_check_agents()]
    if output.is_json():
        output.print_json({"findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            _print_finding(finding)
    if any(finding.verdict is FindingLevel.FAIL for finding in findings):
        sys.exit(1)


def _check_agents() -> list[Finding]:
    installed = manifest.load(config.data_dir())
    log = hook_log.log_of(read_settings().db)
    return [
        *check_agents(place(), installed, sys.executable),
        *check_log(log, datetime.now(UTC) - timedelta(days=_RECENT_DAYS)),
    ]


def _print_finding(finding: Finding) -> None:
    word, colour = _MARKS[finding.verdict]
    output.print_line(f"{click.style(word, fg=colour)}  {finding.check:<18} {finding.detail}")
    if finding.fix:
        output.print_line(f"      {'':<18} try: {finding.fix}")


@click.command("demo")
@click.option("--ui", is_flag=True, help="Open the dashboard over a sample project instead.")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="With --ui: the port.")
@click.option("--no-browser", is_flag=True, help="With --ui: only print the address.")
@json_option
def demo_(ui: bool, port: int | None, no_browser: bool) -> None:
    """See memory work, in a few seconds, on a throw-away store: nothing of yours is touched.

    \b
    recollect demo
    recollect demo --ui
    """
    if ui:
        check_packages()
        options = [
            *(("--port", str(port)) if port is not None else ()),
            *(["--no-browser"] if no_browser else []),
        ]
        options += ["--json"] if output.is_json() else []
        sys.exit(0 if demo.show_dashboard(options, output.print_note, datetime.now(UTC)) else 1)
    refuse_options(("port", "no_browser"), "say --ui too")
    started = time.monotonic()
    went_well = demo.tell_story(_print_scene, _print_shown)
    seconds = time.monotonic() - started
    if output.is_json():
        output.print_json({"went_well": went_well, "seconds": round(seconds, 1)})
    elif went_well:
        output.print_line(f"\nThat took {seconds:.0f} s and left nothing behind. Now in a project of yours:")
        output.print_line("\n  recollect init\n")
    if not went_well:
        sys.exit(1)


def _print_scene(text: str) -> None:
    if output.is_json():
        return
    prompt = text.lstrip().startswith("$")
    output.print_line(click.style(text, fg="cyan" if prompt else None, bold=not prompt))


def _print_shown(text: str) -> None:
    if not output.is_json():
        output.print_line(text)
