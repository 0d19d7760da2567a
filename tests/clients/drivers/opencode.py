"""OpenCode."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.clients.api.script import Call
from tests.clients.driver import Driver, Stage
from tests.clients.packages import Package

_PACKAGE = Package(
    name="opencode-linux-x64",
    version="1.18.33",
    integrity="sha512-q/t/3p2CTxOT9y2kvjesb/LZab2+1eqlhhWA02Be6mjTtmYtNBcBsrI5yDo4Fw7ZSPBW2oyMIGMNRqiKQjiAWw==",
)
_PLUGIN = Package(
    name="@opencode-ai/plugin",
    version="1.18.33",
    integrity="sha512-fmhqCBJvNt+Vfbx6ckKP19S3xwMBhUXLCBQaK92R4wnv3wsWTZYkJQwYf2egiWfJNOl47jhs3vP7uQkl0mvHQw==",
)
_PROGRAM = _PACKAGE.folder / "bin" / "opencode"


def _settle_in(stage: Stage) -> None:
    user, project = stage.home / ".config" / "opencode", stage.project / ".opencode"
    for folder in (user, project):
        folder.mkdir(parents=True)
        # It fetches its plugin library by itself, and waits more than a minute where there is no network,
        # unless the list of what is installed has it.
        (folder / "node_modules").symlink_to(_PLUGIN.modules)
        needed = {"dependencies": {_PLUGIN.name: _PLUGIN.version}}
        (folder / "package.json").write_text(json.dumps(needed))
        (folder / "package-lock.json").write_text(
            json.dumps({"lockfileVersion": 3, "packages": {"": needed}})
        )
    settings = {
        "$schema": "https://opencode.ai/config.json",
        "model": "scripted/scripted",
        "share": "disabled",
        "autoupdate": False,
        "provider": {
            "scripted": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": f"{stage.url}/v1", "apiKey": "sk-dummy"},
                "models": {"scripted": {"name": "scripted", "tool_call": True}},
            }
        },
    }
    (user / "opencode.json").write_text(json.dumps(settings))


def _environment(stage: Stage) -> dict[str, str]:
    return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}


def _command(prompt: str) -> list[str]:
    return [str(_PROGRAM), "run", "--format", "json", prompt]


def _read(stage: Stage, place: str) -> Call:
    return Call("read", {"filePath": str(stage.project / place)})


def _edit(stage: Stage, place: str, old: str, new: str) -> Call:
    return Call("edit", {"filePath": str(stage.project / place), "oldString": old, "newString": new})


def _shell(line: str) -> Call:
    return Call("bash", {"command": line, "description": "Run it"})


def _tool(name: str, arguments: Mapping[str, object]) -> Call:
    return Call(f"recollect_{name}", arguments)


OPENCODE = Driver(
    name="opencode",
    packages=(_PACKAGE, _PLUGIN),
    settle_in=_settle_in,
    command=_command,
    environment=_environment,
    read=_read,
    edit=_edit,
    shell=_shell,
    tool=_tool,
)
