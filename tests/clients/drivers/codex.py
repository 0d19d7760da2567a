"""Codex."""

from __future__ import annotations

from collections.abc import Mapping

from tests.clients.api.script import Call
from tests.clients.driver import Driver, Stage
from tests.clients.packages import Package

_PACKAGE = Package(
    name="@openai/codex",
    version="0.166.0-linux-x64",
    integrity="sha512-CxDm3+D1cpbGJeHrdzINoG+3wn9BVncP4qpZaaNYkxe8iPtRJOYyCJnnPoVjWRIBvI9vPKbRoifsMSA5xDaUpw==",
)
_PROGRAM = _PACKAGE.folder / "vendor" / "x86_64-unknown-linux-musl" / "bin" / "codex"
# A model it knows: for any other it offers no tool to edit with.
_MODEL = "gpt-5.5"
_SETTINGS = """\
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
"""


def _settle_in(stage: Stage) -> None:
    folder = stage.home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(_SETTINGS.format(url=stage.url))


def _environment(stage: Stage) -> dict[str, str]:
    return {"SCRIPTED_KEY": "sk-dummy"}


def _command(prompt: str) -> list[str]:
    # Hooks nobody has looked at are skipped without a word; here there is nobody to look.
    free = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
    return [str(_PROGRAM), "exec", "--json", *free, "-m", _MODEL, prompt]


def _read(stage: Stage, place: str) -> Call:
    return _shell(f"cat {place}")


def _edit(stage: Stage, place: str, old: str, new: str) -> Call:
    removed = "".join(f"-{line}\n" for line in old.splitlines())
    added = "".join(f"+{line}\n" for line in new.splitlines())
    patch = f"*** Begin Patch\n*** Update File: {place}\n@@\n{removed}{added}*** End Patch\n"
    return Call("apply_patch", patch)


def _shell(line: str) -> Call:
    return Call("exec_command", {"cmd": line})


def _tool(name: str, arguments: Mapping[str, object]) -> Call:
    return Call(name, arguments, namespace="mcp__recollect")


CODEX = Driver(
    name="codex",
    packages=(_PACKAGE,),
    settle_in=_settle_in,
    command=_command,
    environment=_environment,
    read=_read,
    edit=_edit,
    shell=_shell,
    tool=_tool,
)
