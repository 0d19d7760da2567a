"""
Which hooks Codex trusts: it keeps that in its `config.toml`, by the file, event and place of each hook.

Read only. Whether to trust a hook is the person's to say, in Codex itself.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from recollect.clients.file_parts import is_ours


def untrusted(hooks: Path, config: Path) -> list[str]:
    """The events whose hooks of ours Codex would pass over without a word."""
    groups = _read_json(hooks).get("hooks", {})
    state = _read_toml(config).get("hooks", {})
    known = state.get("state", {}) if isinstance(state, dict) else {}
    return [
        event
        for event, listed in groups.items()
        for number, group in enumerate(listed)
        for place, hook in enumerate(group.get("hooks", ()))
        if is_ours(hook) and not _is_trusted(known, hooks, f"{_label(event)}:{number}:{place}")
    ]


def _is_trusted(known: dict[str, Any], hooks: Path, place: str) -> bool:
    told = (known.get(f"{path}:{place}") for path in (hooks, hooks.resolve()))
    return any(
        isinstance(one, dict) and one.get("trusted_hash") and one.get("enabled") is not False for one in told
    )


def _label(event: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", event).lower()


def _read_json(file: Path) -> dict[str, Any]:
    try:
        told = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
