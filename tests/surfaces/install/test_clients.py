"""Every agent: found, installed into a home as its users have it, and taken out again byte for byte."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from recollect.clients import registry
from recollect.clients.client_install import ClientFolders, Program, this_program
from recollect.clients.file_parts import commands_in
from recollect.clients.opencode.install import plugin_text
from recollect.clients.registry import CLIENT_NAMES
from recollect.surfaces.install.checkup import read_version
from recollect.surfaces.install.plan import find_present_clients
from tests.surfaces.conftest import Run
from tests.surfaces.install.test_init_and_uninstall import everything

# What its users have before, by agent: the file, and its text.
HOMES: dict[str, dict[str, str]] = {
    "claude-code": {".claude/settings.json": '{"model": "opus"}\n', ".claude.json": '{"numStartups": 3}'},
    "codex": {
        ".codex/config.toml": '# mine\nmodel = "gpt-5.5"\n\n[mcp_servers.other]\ncommand = "other"\n',
        ".codex/hooks.json": '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": [{"command": "say"}]}\n\t\t]\n\t}\n}\n',
    },
    "gemini": {".gemini/settings.json": '{\n  // mine\n  "theme": "dark",\n  "mcpServers": {}\n}\n'},
    "opencode": {
        ".config/opencode/opencode.jsonc": '{\n  "$schema": "https://opencode.ai/config.json", // sure\n}\n',
        ".config/opencode/plugins/other.js": "export const Other = async () => ({});\n",
    },
    "qwen-code": {".qwen/settings.json": '{\n  "model": {"name": "coder"}, // mine\n  "hooks": {}\n}\n'},
    "cursor": {".cursor/mcp.json": '{"mcpServers": {"other": {"command": "other"}}}\n'},
}


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    for files in HOMES.values():
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
    return tmp_path


def value_of(path: Path) -> Any:
    text = path.read_text()
    if path.suffix == ".toml":
        return tomllib.loads(text)
    return json.loads(text)


def test_an_agent_for_every_client_whose_hooks_are_understood() -> None:
    folder = Path(registry.__file__).parent
    folders = {path.parent.name for path in folder.glob("*/install.py")}
    assert folders == {name.replace("-", "_") for name in CLIENT_NAMES}


def test_agents_are_found_by_their_settings_or_their_program(
    homes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    place = ClientFolders(home=homes, project=homes / "work")
    assert [client.name for client in find_present_clients(place)] == list(CLIENT_NAMES)
    elsewhere = ClientFolders(home=tmp_path / "empty", project=homes / "work")
    assert find_present_clients(elsewhere) == ()
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho codex-cli 0.166.0\n")
    program.chmod(0o755)
    (found,) = find_present_clients(elsewhere)
    assert found.name == "codex"
    assert read_version(found) == "0.166.0"


@pytest.mark.parametrize("name", CLIENT_NAMES)
@pytest.mark.parametrize("where", [(), ("--here",)], ids=["user", "project"])
def test_in_and_out_again_byte_for_byte(run: Run, homes: Path, name: str, where: tuple[str, ...]) -> None:
    before = everything(homes)
    said = run("init", "--yes", "--agent", name, "--json", *where)
    assert said.code == 0
    assert {file["action"] for file in said.json["files"]} <= {"create", "change"}
    installed = everything(homes)
    again = run("init", "--yes", "--agent", name, "--json", *where).json
    assert {file["action"] for file in again["files"]} == {"unchanged"}
    assert everything(homes) == installed
    run("uninstall", "--yes")
    assert everything(homes) == before


@pytest.mark.parametrize("name", CLIENT_NAMES)
def test_without_anything_there_before_nothing_is_left(run: Run, tmp_path: Path, name: str) -> None:
    before = everything(tmp_path)
    run("init", "--yes", "--agent", name)
    assert everything(tmp_path) != before
    run("uninstall", "--yes")
    assert everything(tmp_path) == before


@pytest.mark.parametrize("name", CLIENT_NAMES)
def test_later_edits_stay(run: Run, homes: Path, name: str) -> None:
    run("init", "--yes", "--agent", name)
    edited: dict[Path, str] = {}
    for file in HOMES[name]:
        path = homes / file
        text = path.read_text()
        mine = (
            text.replace("other", "another").replace("dark", "light").replace("sure", "yes").replace("3", "4")
        )
        path.write_text(mine)
        edited[path] = HOMES[name][file]
    run("uninstall", "--yes")
    for path, was in edited.items():
        expected = (
            was.replace("other", "another").replace("dark", "light").replace("sure", "yes").replace("3", "4")
        )
        assert path.read_text() == expected


def test_each_agent_gets_its_hooks_and_the_server_in_its_own_form(run: Run, tmp_path: Path) -> None:
    run("init", "--yes", *(word for name in CLIENT_NAMES for word in ("--agent", name)))
    python = sys.executable
    server = {"command": python, "args": ["-P", "-m", "recollect.surfaces.mcp"]}
    assert value_of(tmp_path / ".claude.json")["mcpServers"]["recollect"] == {"type": "stdio", **server}
    assert value_of(tmp_path / ".codex/config.toml")["mcp_servers"]["recollect"] == server
    assert value_of(tmp_path / ".gemini/settings.json")["mcpServers"]["recollect"] == server
    assert value_of(tmp_path / ".qwen/settings.json")["mcpServers"]["recollect"] == server
    assert value_of(tmp_path / ".cursor/mcp.json")["mcpServers"]["recollect"] == server
    assert value_of(tmp_path / ".config/opencode/opencode.json") == {
        "$schema": "https://opencode.ai/config.json",
        "mcp": {
            "recollect": {
                "type": "local",
                "command": [python, "-P", "-m", "recollect.surfaces.mcp"],
                "enabled": True,
            }
        },
    }
    for client, file in (
        ("claude-code", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("qwen-code", ".qwen/settings.json"),
        ("cursor", ".cursor/hooks.json"),
    ):
        for event, hooks in value_of(tmp_path / file)["hooks"].items():
            [words] = commands_in(hooks)
            act = registry.find_client(client).hook_events[event]
            assert list(words) == this_program().gated_words(client, event, act)
            assert words[-6:] == (python, "-P", "-m", "recollect.hooks", client, event)
    (group,) = value_of(tmp_path / ".gemini/settings.json")["hooks"]["AfterTool"]
    assert group["hooks"][0]["timeout"] == 10_000, "Gemini counts in milliseconds"
    (group,) = value_of(tmp_path / ".claude/settings.json")["hooks"]["Stop"]
    assert group["hooks"][0]["timeout"] == 10
    assert value_of(tmp_path / ".cursor/hooks.json")["version"] == 1


def test_folders_that_people_named_are_where_it_goes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "named" / variable))
    said = run("init", "--yes", "--json", *(word for name in CLIENT_NAMES[:4] for word in ("--agent", name)))
    found = {Path(file["path"]).relative_to(tmp_path / "named").as_posix() for file in said.json["files"]}
    assert found == {
        "CLAUDE_CONFIG_DIR/settings.json",
        "CLAUDE_CONFIG_DIR/.claude.json",
        "CODEX_HOME/hooks.json",
        "CODEX_HOME/config.toml",
        "GEMINI_CLI_HOME/.gemini/settings.json",
        "XDG_CONFIG_HOME/opencode/plugins/recollect.js",
        "XDG_CONFIG_HOME/opencode/opencode.json",
    }


def test_codex_says_that_its_hooks_must_be_trusted(run: Run) -> None:
    assert "/hooks" in run("init", "--yes", "--agent", "codex").err


def test_a_plugin_of_the_same_name_is_not_touched_nor_one_that_was_edited(run: Run, tmp_path: Path) -> None:
    file = tmp_path / ".config/opencode/plugins/recollect.js"
    file.parent.mkdir(parents=True)
    file.write_text("// somebody else's\n")
    said = run("init", "--yes", "--agent", "opencode", "--json").json["files"]
    assert {Path(one["path"]).name: one["action"] for one in said}["recollect.js"] == "left alone"
    file.unlink()
    run("init", "--yes", "--agent", "opencode")
    file.write_text(file.read_text() + "// my own line\n")
    said = run("uninstall", "--yes", "--json").json["files"]
    assert {Path(one["path"]).name: one["action"] for one in said} == {
        "recollect.js": "leave",
        "opencode.json": "delete",
    }
    assert file.read_text().endswith("// my own line\n")


# Stands in for a hook: tells what it was given, in the form of an answer.
ECHO = """
import json, sys
given = json.load(sys.stdin)
if sys.argv[1] == "tool.execute.after" and given["input"].get("broken"):
    print("no JSON at all"); sys.exit(3)
print(json.dumps({"context": f"{sys.argv[1]} in {given['directory']} as {given['hook']}", "message": "m"}))
"""
USE = """
const { Recollect } = await import(process.argv[2]);
const hooks = await Recollect({ directory: "/p" });
const mine = { id: "prt_1e09e0519001l4FyaJ5wC07tW1", messageID: "m", sessionID: "s", type: "text", text: "hi" };
const chat = { parts: [mine] };
await hooks["chat.message"]({ sessionID: "s" }, chat);
const good = { output: "read" }, bad = { output: "read" };
await hooks["tool.execute.after"]({ sessionID: "s", callID: "c" }, good);
await hooks["tool.execute.after"]({ broken: true }, bad);
await hooks.event({ event: { type: "session.created", properties: {} } });
await hooks.event({ event: { type: "file.edited", properties: {} } });
await hooks["experimental.text.complete"]({ sessionID: "s" }, { text: "done" });
console.log(JSON.stringify({ parts: chat.parts, good, bad }));
"""


@pytest.mark.skipif(
    shutil.which("node") is None, reason="there is no node to run a plugin of OpenCode's with"
)
@pytest.mark.parametrize("python", [sys.executable, "/nowhere/python"], ids=["works", "is missing"])
def test_the_plugin_for_opencode_puts_answers_where_they_are_read_and_never_fails(
    tmp_path: Path, python: str
) -> None:
    echo = tmp_path / "echo.py"
    echo.write_text(ECHO)
    text = plugin_text(Program(python=python))
    words = json.dumps([python, "-P", "-m", "recollect.hooks", "opencode"])
    assert words in text
    file = tmp_path / "recollect.mjs"
    file.write_text(text.replace(words, json.dumps([python, str(echo)])))
    (tmp_path / "use.mjs").write_text(USE)
    done = subprocess.run(
        ["node", str(tmp_path / "use.mjs"), file.as_uri()],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["bad"] == {"output": "read"}
    if python != sys.executable:
        assert said["good"] == {"output": "read"}
        assert len(said["parts"]) == 1
        return
    assert said["good"] == {"output": "read\n\ntool.execute.after in /p as tool.execute.after"}
    first, ours = said["parts"]
    assert ours["text"] == "chat.message in /p as chat.message"
    assert ours["synthetic"] is True
    assert ours["id"] > first["id"]
    assert ours["id"].startswith("prt_")
    assert (ours["messageID"], ours["sessionID"]) == ("m", "s")
