"""Writes the hooks of the Claude Code plugin from the data that `recollect init` installs by; `make docs` runs it."""

from __future__ import annotations

from pathlib import Path

from recollect.clients.claude_code.install import plugin_hooks
from recollect.clients.registry import CLIENTS

ROOT = Path(__file__).parents[2]
(CLAUDE_CODE,) = (client for client in CLIENTS if client.name == "claude-code")

PLUGIN = ROOT / "plugins" / "claude-code"
(PLUGIN / "hooks" / "hooks.json").write_text(plugin_hooks(CLAUDE_CODE.hook_events), encoding="utf-8")
# A plugin has to bring its own: where recollect is installed is known only to Python.
(PLUGIN / "bin" / "gate.sh").write_bytes((ROOT / "src" / "recollect" / "hooks" / "gate.sh").read_bytes())
