"""How the commands of `ops` find their jobs file and open memory: as the agent's run, or as the operator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from recollect import config
from recollect.api import Recollect
from recollect.model.provenance import Channel
from recollect.ops import jobs_file
from recollect.ops.jobs import FILE_NAME, OpsFile, default_file, load_jobs
from recollect.surfaces.cli.options import F, project_folder, read_settings


def file_option(command: F) -> F:
    """`--file`, which names the jobs file."""
    return click.option(
        "--file",
        "jobs_file",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"The jobs file; by default {FILE_NAME} of this folder, its project, or your settings.",
    )(command)


def find_jobs_file(named: Path | None) -> Path:
    """The jobs file that is meant: the one named, or the one that counts in this folder."""
    return named.absolute() if named is not None else jobs_file.find_jobs_file(project_folder())


def read_jobs(named: Path | None) -> OpsFile:
    """The jobs file that is meant; without one there are no jobs, and our own limits hold."""
    path = find_jobs_file(named)
    return load_jobs(path) if named is not None or path.is_file() else default_file(path)


def open_for_run(file: OpsFile) -> Recollect:
    """Memory for a runner: what it writes is an agent's word."""
    return _opened(file, actor="agent", channel=Channel.AGENT)


def open_for_operator(file: OpsFile) -> Recollect:
    """Memory for whoever sits at the terminal: an operator, or an agent where an agent calls."""
    if config.is_agent_process():
        return open_for_run(file)
    return _opened(file, actor="operator", channel=Channel.OPERATOR)


def _opened(file: OpsFile, **who: Any) -> Recollect:
    folder = file.path.parent if file.path.is_file() else project_folder()
    return Recollect(settings=read_settings(), folder=folder, **who)
