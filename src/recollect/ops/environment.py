"""The environment of a run: an allow-list of variables for its process, and the facts that its prompt may hold."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from recollect.events.redact import redact
from recollect.model.value import dataclass
from recollect.ops.jobs import OpsJob

# What a program needs to find itself, its user and its language; none of these is a secret.
ALWAYS = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "TZ",
    "TERM",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SYSTEMROOT",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "RECOLLECT_HOME",
)
# Every process of a run bears its id under this name, whoever its parent is by then.
RUN_VARIABLE = "RECOLLECT_OPS_RUN"
FILE_VARIABLE = "RECOLLECT_OPS_FILE"
HANDOFF_VARIABLE = "RECOLLECT_OPS_HANDOFF"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlace:
    """What a process of a run is told about where it belongs."""

    run_id: str
    db: str
    jobs_file: Path
    handoff: Path


def build_environment(job: OpsJob, place: RunPlace) -> dict[str, str]:
    """The variables of a run: those always needed, those its job allows or sets, and where it belongs."""
    allowed = {*ALWAYS, *job.environment}
    known = {name: value for name, value in os.environ.items() if name in allowed or name.upper() in ALWAYS}
    return {
        **known,
        **job.variables,
        RUN_VARIABLE: place.run_id,
        FILE_VARIABLE: str(place.jobs_file),
        HANDOFF_VARIABLE: str(place.handoff),
        "RECOLLECT_SESSION": place.run_id,
        "RECOLLECT_DB": place.db,
        # Whatever runs inside is an agent's, not a person's.
        "RECOLLECT_AGENT": "1",
    }


def find_jobs_file_in_environment() -> Path | None:
    """The jobs file of the run this process belongs to."""
    named = os.environ.get(FILE_VARIABLE)
    return Path(named) if named else None


def find_run_in_environment() -> str | None:
    """The run this process belongs to."""
    return os.environ.get(RUN_VARIABLE)


def describe_environment(
    job: OpsJob, *, tier: int, run_id: str, now: datetime, dry_run: bool, more: Mapping[str, str]
) -> str:
    """Facts for the prompt: where, when and for what a run is. Secrets are taken out of whatever is told."""
    facts = {
        "job": job.name,
        "run": run_id,
        "tier": f"{tier} of {len(job.tiers)}",
        "time": f"{now:%Y-%m-%d %H:%M} UTC",
        "host": platform.node(),
        "system": f"{platform.system()} {platform.machine()}",
        "folder": str(job.folder),
        **({"dry run": "yes: look, report, change nothing"} if dry_run else {}),
        **job.facts,
        **more,
    }
    return "Environment:\n" + "\n".join(
        f"- {name}: {' '.join(redact(f'{name}: {value}').text.removeprefix(f'{name}: ').split())}"
        for name, value in facts.items()
    )
