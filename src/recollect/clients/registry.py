"""Which agents there are, which of them this machine has, and in which version."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable

from recollect.clients.claude_code.install import CLAUDE_CODE
from recollect.clients.client import Client, Place
from recollect.clients.codex.install import CODEX
from recollect.clients.cursor.install import CURSOR
from recollect.clients.gemini.install import GEMINI
from recollect.clients.opencode.install import OPENCODE

CLIENTS = (CLAUDE_CODE, CODEX, GEMINI, OPENCODE, CURSOR)
NAMES = tuple(client.name for client in CLIENTS)
_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")
_SECONDS = 20


def present(place: Place) -> tuple[Client, ...]:
    """The agents whose program or settings are here."""
    return tuple(
        client for client in CLIENTS if shutil.which(client.program) or client.settings(place).is_dir()
    )


def named(names: Iterable[str]) -> tuple[Client, ...]:
    """Agents by name, each once, in our order."""
    wanted = set(names)
    return tuple(client for client in CLIENTS if client.name in wanted)


def version_of(client: Client) -> str:
    """The version that an agent's program tells; "" when it tells none."""
    program = shutil.which(client.program)
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _VERSION.search(done.stdout)
    return found[0] if found else ""
