"""Lines for systemd and cron that start the scheduler or a job without anybody logged in."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

from recollect.ops.jobs import OpsFile

_UNIT = """\
# ~/.config/systemd/user/recollect-ops.service
# systemctl --user daemon-reload && systemctl --user enable --now recollect-ops
# loginctl enable-linger   (to go on while nobody is logged in)
[Unit]
Description=Scheduled agents with a memory
After=network-online.target

[Service]
Type=exec
ExecStart={start}
WorkingDirectory={folder}
Restart=on-failure
RestartSec=10
KillMode=mixed
TimeoutStopSec=60
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""


def make_unit(file: OpsFile, db: str) -> str:
    """A systemd unit that runs the scheduler."""
    words = [sys.executable, "-m", "recollect", "ops", "start", "--file", str(file.path), "--db", db]
    return _UNIT.format(start=" ".join(map(_in_unit, words)), folder=file.path.parent)


def make_cron_lines(file: OpsFile, db: str) -> Sequence[str]:
    """A line for each job with a cron schedule, and one every minute for those with an interval."""
    lines = []
    for job in file.jobs.values():
        if job.schedule is None:
            continue
        words = [sys.executable, "-m", "recollect", "ops", "run", job.name]
        words += ["--file", str(file.path), "--db", db, "--trigger", "schedule"]
        if job.schedule.cron:
            lines.append(f"{job.schedule.cron} {_in_cron(words)}")
        else:
            lines.append(f"* * * * * {_in_cron([*words, '--if-due'])}")
    return lines


def example_file() -> str:
    """A jobs file to begin with."""
    return _EXAMPLE


def _in_unit(word: str) -> str:
    escaped = word.replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if " " in escaped else escaped


def _in_cron(words: Sequence[str]) -> str:
    return shlex.join(words).replace("%", r"\%")


_EXAMPLE = """\
# Jobs for `recollect ops`. Times are written 30s, 5m, 4h, 2d.

[defaults]
environment = ["ANTHROPIC_API_KEY"]   # the only variables of yours that agents see
timeout = "30m"

[jobs.health]
schedule = "every 1h"                 # from the end of the last run; or a cron line: "0 */2 * * *"
prompt = "Check every service of this host. Report what is wrong; restart what a restart helps."
retries = 1

[[jobs.health.tiers]]                 # the first tier looks
model = "haiku"
tools = ["Bash", "Read"]
budget_usd = 0.5

[[jobs.health.tiers]]                 # the second acts, when the first hands over
model = "sonnet"
tools = ["Bash", "Read", "Edit"]
budget_usd = 2.0

[cooldowns.restart]
most = 2
window = "4h"

[cooldowns.redeployment]
most = 1
window = "24h"
"""
