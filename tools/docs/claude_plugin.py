"""Writes the hooks of the Claude Code plugin from the data that `recollect init` installs by; `make docs` runs it."""

from __future__ import annotations

from pathlib import Path

from recollect.clients.claude_code.plugin import hooks_file

ROOT = Path(__file__).parents[2]

(ROOT / "plugins" / "claude-code" / "hooks" / "hooks.json").write_text(hooks_file(), encoding="utf-8")
