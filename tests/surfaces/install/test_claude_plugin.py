"""The plugin for Claude Code: the same hooks as in the settings, and a Python found wherever recollect is."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from recollect import __version__
from recollect.clients.claude_code.install import INSTALL, plugin_hooks
from recollect.clients.client_install import ClientFolders, InstallScope, Program
from recollect.clients.registry import find_client
from recollect.surfaces.cli import cli
from tests.docs.pages import blocks, recollect_commands
from tests.surfaces.conftest import Run

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "plugins" / "claude-code"
RUN = PLUGIN / "bin" / "run"
MARKDOWN = sorted((*PLUGIN.glob("skills/*/SKILL.md"), *PLUGIN.glob("commands/*.md")))


def test_its_hooks_are_those_of_the_settings() -> None:
    events = find_client("claude-code").hook_events
    assert (PLUGIN / "hooks" / "hooks.json").read_text() == plugin_hooks(events), "run: make docs"
    folders = ClientFolders(home=Path("/h"), project=Path("/p"))
    settings = INSTALL.files(Program(python="PYTHON", gate="GATE"), folders, InstallScope.USER, events)[0]
    told = json.loads(plugin_hooks(events))["hooks"]
    assert list(told) == [part.path[1] for part in settings.parts]
    for part in settings.parts:
        [mine], [theirs] = part.value["hooks"], told[part.path[1]][0]["hooks"]
        assert theirs["timeout"] == mine["timeout"]
        run, _, rest = theirs["command"].partition(" recollect.")
        script, _, gate = run.partition(" --gate ")
        assert script == 'sh "${CLAUDE_PLUGIN_ROOT}/bin/run"'
        before = f"sh GATE {gate} " if gate else ""
        assert mine["command"] == f"{before}PYTHON -P -m recollect.{rest}"


def test_the_marketplace_names_the_plugin_and_its_folder() -> None:
    market = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())
    [entry] = market["plugins"]
    manifest = json.loads((ROOT / entry["source"] / ".claude-plugin" / "plugin.json").read_text())
    assert market["name"] == entry["name"] == manifest["name"] == "recollect"
    assert manifest["version"] == __version__


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.parent.name + "-" + page.stem)
def test_a_skill_or_command_says_what_it_is_for_and_names_only_commands_that_exist(page: Path) -> None:
    text = page.read_text()
    head = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    assert head is not None
    assert "description: " in head[1]
    shell = "\n".join(
        block.text for block in blocks(re.sub(r"^ +", "", text, flags=re.MULTILINE)) if block.language == "sh"
    )
    inline = re.findall(r"`(recollect [a-z][^`]*)`", text)
    for words in recollect_commands("\n".join((shell, *inline))):
        command = cli.get_command(cli.make_context("recollect", ["--help"], resilient_parsing=True), words[0])
        assert command is not None, words
    if page.name == "SKILL.md":
        assert f"name: {page.parent.name}\n" in head[0]


def test_the_commands_are_those_that_are_promised() -> None:
    assert {page.stem for page in PLUGIN.glob("commands/*.md")} == {"remember", "wrong", "review", "why"}
    assert {page.parent.name for page in PLUGIN.glob("skills/*/SKILL.md")} == {"memory", "reflect", "review"}
    assert "Recording nothing is a good outcome" in (PLUGIN / "skills/memory/SKILL.md").read_text()


# -- finding Python --------------------------------------------------------------------------------------


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A path with the tools of a shell and a python3 that knows no recollect."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sh", "dirname", "mkdir", "rm"):
        found = next(Path(place, tool) for place in ("/bin", "/usr/bin") if Path(place, tool).exists())
        (folder / tool).symlink_to(found)
    script(folder / "python3", "exit 1")
    return folder


def script(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


def a_recollect(file: Path, python: Path | str = sys.executable) -> Path:
    return script(file, f'[ "$1" = --python ] && echo {shlex.quote(str(python))}')


def launched(run: Path, programs: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    given = {"PATH": str(programs), "HOME": str(programs.parent / "user"), **environment}
    return subprocess.run(
        ["sh", str(run), *words], capture_output=True, text=True, env=given, timeout=60, check=False, input=""
    )


def copied(tmp_path: Path) -> Path:
    """The script somewhere else, where no checkout with an environment of its own is around it."""
    return script(tmp_path / "cache" / "plugin" / "bin" / "run", RUN.read_text().partition("\n")[2])


def test_the_command_recollect_tells_its_python(tmp_path: Path, programs: Path) -> None:
    assert launched(copied(tmp_path), programs, "recollect", "--version").returncode == 1
    a_recollect(programs / "recollect")
    done = launched(copied(tmp_path), programs, "recollect", "--version")
    assert done.stdout == f"recollect {__version__}\n"
    assert done.returncode == 0


def test_a_command_that_is_not_on_the_path_of_a_desktop_program_is_found_in_the_home(
    tmp_path: Path, programs: Path
) -> None:
    a_recollect(tmp_path / "user" / ".local" / "bin" / "recollect")
    assert launched(copied(tmp_path), programs, "recollect", "--version").returncode == 0


def test_a_variable_names_the_python_before_all_else(tmp_path: Path, programs: Path) -> None:
    a_recollect(programs / "recollect", "/nowhere/python")
    odd = script(
        tmp_path / "my python" / "python", f'echo "this one"; exec {shlex.quote(sys.executable)} "$@"'
    )
    done = launched(copied(tmp_path), programs, "recollect", "--version", RECOLLECT_PYTHON=str(odd))
    assert done.stdout == f"this one\nrecollect {__version__}\n"


@pytest.mark.skipif(not (ROOT / ".venv" / "bin" / "python").exists(), reason="this checkout has no .venv")
def test_in_a_checkout_its_own_environment_is_found(programs: Path) -> None:
    assert launched(RUN, programs, "recollect", "--version").returncode == 0


def test_python_on_the_path_serves_if_recollect_is_in_it(tmp_path: Path, programs: Path) -> None:
    script(programs / "python", f'exec {shlex.quote(sys.executable)} "$@"')
    assert launched(copied(tmp_path), programs, "recollect", "--version").returncode == 0


def test_what_was_found_is_kept_and_looked_for_anew_when_it_stops_working(
    tmp_path: Path, programs: Path
) -> None:
    data = tmp_path / "data"
    a_recollect(programs / "recollect")
    launched(copied(tmp_path), programs, "recollect", "--version", CLAUDE_PLUGIN_DATA=str(data))
    assert (data / "python").read_text() == f"{sys.executable}\n"
    (programs / "recollect").unlink()
    done = launched(copied(tmp_path), programs, "recollect", "--version", CLAUDE_PLUGIN_DATA=str(data))
    assert done.returncode == 0, "asked no second time"
    (data / "python").write_text(f"{programs / 'python3'}\n")
    launched(copied(tmp_path), programs, "recollect", "--version", CLAUDE_PLUGIN_DATA=str(data))
    assert not (data / "python").exists()
    a_recollect(programs / "recollect")
    assert (
        launched(
            copied(tmp_path), programs, "recollect", "--version", CLAUDE_PLUGIN_DATA=str(data)
        ).returncode
        == 0
    )


def test_without_recollect_a_hook_is_silent_and_the_server_says_what_to_install(
    tmp_path: Path, programs: Path
) -> None:
    hook = launched(copied(tmp_path), programs, "recollect.hooks", "claude-code", "Stop")
    assert (hook.returncode, hook.stdout) == (0, "")
    server = launched(copied(tmp_path), programs, "recollect.surfaces.mcp")
    assert (server.returncode, server.stdout) == (1, "")
    assert "uv tool install recollect" in server.stderr


def test_a_hook_that_fails_does_not_fail_the_agent(tmp_path: Path, programs: Path) -> None:
    broken = script(tmp_path / "broken", "exit 9")
    done = launched(
        copied(tmp_path),
        programs,
        "recollect.hooks",
        "claude-code",
        "Stop",
        RECOLLECT_PYTHON=str(broken),
    )
    assert done.returncode == 0


def test_with_the_plugin_enabled_the_settings_stay_as_they_are(run: Run, tmp_path: Path) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"enabledPlugins": {"recollect@recollect": true}}')
    said = run("init", "--yes", "--agent", "claude-code")
    assert "the plugin recollect@recollect is enabled" in said.out
    assert settings.read_text() == '{"enabledPlugins": {"recollect@recollect": true}}'
    assert not (tmp_path / ".claude.json").exists()
    settings.write_text('{"enabledPlugins": {"recollect@recollect": false}}')
    assert len(run("init", "--yes", "--agent", "claude-code", "--json").json["files"]) == 2


def test_the_command_line_tells_its_python(process: Run, run: Run) -> None:
    assert process("--python").out == f"{sys.executable}\n"
    assert run("--python").out == f"{sys.executable}\n"
    assert os.access(process("--python").out.strip(), os.X_OK)
