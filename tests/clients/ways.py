"""The ways recollect gets into a client, each with the client it is for."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.clients import packages, shop
from tests.clients.driver import Driver, Stage
from tests.clients.drivers import claude_code
from tests.clients.drivers.claude_code import CLAUDE_CODE
from tests.clients.drivers.codex import CODEX
from tests.clients.drivers.gemini import GEMINI
from tests.clients.drivers.opencode import OPENCODE
from tests.clients.drivers.qwen_code import QWEN_CODE
from tests.clients.room import CHECKOUT, Ran, Room
from tests.clients.story import RECOLLECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A client, and how recollect is installed for it."""

    name: str
    driver: Driver
    install: Callable[[Driver, Stage, Room], Ran]


def fetch(driver: Driver) -> None:
    """Have the client on this machine."""
    for package in driver.packages:
        packages.install(package)
    if driver.needs_node:
        packages.node()


def set_stage(driver: Driver, folder: Path, url: str) -> Stage:
    """A home and a repository as a person has them who used the client before, but never recollect."""
    stage = Stage(home=folder / "home", project=folder / "project", programs=folder / "programs", url=url)
    for made in (stage.home, stage.project, stage.programs):
        made.mkdir()
    for module in ("pytest", "recollect"):
        program = stage.programs / module
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m {module} "$@"\n')
        program.chmod(0o755)
    # Codex asks a login shell, which forgets the path it was started with.
    (stage.home / ".profile").write_text(f'PATH={shlex.quote(str(stage.programs))}:"$PATH"\n')
    shop.put_down(stage.project)
    driver.settle_in(stage)
    return stage


def by_init(driver: Driver, stage: Stage, room: Room) -> Ran:
    """As the README says."""
    return room.run([*RECOLLECT, "init", "--yes", "--agent", driver.name], stage.project, stage.environment)


def as_a_plugin(driver: Driver, stage: Stage, room: Room) -> Ran:
    """From the marketplace file of this checkout."""
    environment = {**stage.environment, **driver.environment(stage)}
    for words in (["marketplace", "add", str(CHECKOUT)], ["install", "recollect@recollect"]):
        ran = room.run([str(claude_code.PROGRAM), "plugin", *words], stage.project, environment)
        if ran.code:
            break
    return ran


WAYS = (
    Way(name="claude-code", driver=CLAUDE_CODE, install=by_init),
    Way(
        name="claude-code-plugin",
        driver=replace(CLAUDE_CODE, tool=claude_code.tool_of_the_plugin),
        install=as_a_plugin,
    ),
    Way(name="codex", driver=CODEX, install=by_init),
    Way(name="gemini", driver=GEMINI, install=by_init),
    Way(name="opencode", driver=OPENCODE, install=by_init),
    Way(name="qwen-code", driver=QWEN_CODE, install=by_init),
)
