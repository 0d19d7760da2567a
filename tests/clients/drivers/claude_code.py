"""Claude Code."""

from __future__ import annotations

from collections.abc import Mapping

from tests.clients.api.script import Call
from tests.clients.driver import Driver, Stage
from tests.clients.packages import Package

PACKAGE = Package(
    name="@anthropic-ai/claude-code-linux-x64",
    version="2.1.325",
    integrity="sha512-BqZzMvP/zgLLL34S+7OzbG+cyoFp7gwWHU5koVwsyMlTAz+0zZAmbY+UkzvtN2RXxp6AcMenbYIjQJxoXfUY3w==",
)
PROGRAM = PACKAGE.folder / "claude"
_TOOLS_OF_THE_SETTINGS = "mcp__recollect__"
_TOOLS_OF_THE_PLUGIN = "mcp__plugin_recollect_recollect__"


def settle_in(stage: Stage) -> None:
    """Nothing to set up: all is said by the environment."""


def environment(stage: Stage) -> dict[str, str]:
    return {
        "ANTHROPIC_API_KEY": "sk-ant-dummy",
        "ANTHROPIC_BASE_URL": stage.url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        # Says that nothing outside can be harmed, which the room sees to; without it root may not skip questions.
        "IS_SANDBOX": "1",
    }


def command(prompt: str) -> list[str]:
    how = ["--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"]
    return [str(PROGRAM), "-p", prompt, *how]


def read(stage: Stage, place: str) -> Call:
    return Call("Read", {"file_path": str(stage.project / place)})


def edit(stage: Stage, place: str, old: str, new: str) -> Call:
    return Call("Edit", {"file_path": str(stage.project / place), "old_string": old, "new_string": new})


def shell(line: str) -> Call:
    return Call("Bash", {"command": line, "description": "Run it"})


def tool(name: str, arguments: Mapping[str, object]) -> Call:
    return Call(_TOOLS_OF_THE_SETTINGS + name, arguments)


def tool_of_the_plugin(name: str, arguments: Mapping[str, object]) -> Call:
    return Call(_TOOLS_OF_THE_PLUGIN + name, arguments)


CLAUDE_CODE = Driver(
    name="claude-code",
    packages=(PACKAGE,),
    shows_messages=True,
    settle_in=settle_in,
    command=command,
    environment=environment,
    read=read,
    edit=edit,
    shell=shell,
    tool=tool,
)
