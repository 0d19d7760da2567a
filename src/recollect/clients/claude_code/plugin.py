"""Claude Code's plugin: the same hooks as in its settings, started by a script that finds our Python."""

from __future__ import annotations

import json
from typing import Any

from recollect.clients.claude_code.install import NAME
from recollect.clients.client import SECONDS
from recollect.clients.file_parts import HOOKS_MODULE
from recollect.clients.hook_events import TABLE

_RUN = 'sh "${CLAUDE_PLUGIN_ROOT}/bin/run"'


def hooks_file() -> str:
    """The text of the plugin's `hooks/hooks.json`."""
    told = {"description": "recollect: records what happens and hands back what is known", "hooks": _hooks()}
    return json.dumps(told, indent=2) + "\n"


def _hooks() -> dict[str, Any]:
    return {
        event: [{"hooks": [{"type": "command", "command": _command(event), "timeout": SECONDS}]}]
        for event in TABLE[NAME]
    }


def _command(event: str) -> str:
    return f"{_RUN} {HOOKS_MODULE} {NAME} {event}"
