"""The tools of the reference agent: confined, bounded, and asked for where they are dangerous."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.agent.file_tools import file_tools
from recollect.agent.memory_tools import memory_tools
from recollect.agent.shell_tool import find_danger, run_command, shell_tool
from recollect.errors import BadInput
from recollect.model.agent_tool import AgentTool, anthropic_tools, openai_tools
from recollect.surfaces.agent_tools import shared_tools, vault_tools
from recollect.surfaces.tools import TOOLS

PYTHON = f'"{sys.executable}"'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "src/app.py").write_text("retries = 3\nname = 'x'\nretry = 3\n", "utf-8")
    (tmp_path / "secret.txt").write_text("hidden", "utf-8")
    return folder


@pytest.fixture
def tools(root: Path) -> dict[str, AgentTool]:
    return {tool.name: tool for tool in file_tools(root)}


@pytest.mark.parametrize(
    "tool", ["read_file", "write_file", "edit_file", "list_directory", "search_file_content"]
)
@pytest.mark.parametrize(
    "path", ["../secret.txt", "/etc/passwd", "src/../../secret.txt", "~/x", "link/secret.txt"]
)
def test_no_tool_leaves_the_folder(tool: str, path: str, tools: dict[str, AgentTool], root: Path) -> None:
    if not (root / "link").exists():
        (root / "link").symlink_to(root.parent)
    given = {**tools[tool].example, "path": path}
    with pytest.raises(BadInput, match="working folder"):
        tools[tool].call(given)
    assert (root.parent / "secret.txt").read_text("utf-8") == "hidden"


def test_files_are_read_written_edited_listed_and_searched(tools: dict[str, AgentTool], root: Path) -> None:
    assert (
        tools["read_file"]
        .call({"path": "src/app.py", "offset": 2, "limit": 1})
        .text.startswith("name = 'x'\n[1 more")
    )
    assert tools["write_file"].call({"path": "a/b.txt", "content": "one\n"}).ok
    assert (root / "a/b.txt").read_text("utf-8") == "one\n"
    assert tools["edit_file"].call({"path": "src/app.py", "old_string": "retries = 3", "new_string": ""}).ok
    assert "retries" not in (root / "src/app.py").read_text("utf-8")
    assert tools["list_directory"].call({}).text == "a/\nsrc/"
    assert tools["search_file_content"].call({"pattern": "retry"}).text == "src/app.py:3: retry = 3"


def test_an_edit_that_is_not_plain_changes_nothing(tools: dict[str, AgentTool], root: Path) -> None:
    for old in ("= 3", "absent"):
        assert not tools["edit_file"].call({"path": "src/app.py", "old_string": old, "new_string": "y"}).ok
    assert "retries = 3" in (root / "src/app.py").read_text("utf-8")


def test_what_programs_run_is_changed_only_after_a_yes(tools: dict[str, AgentTool]) -> None:
    assert tools["write_file"].danger_of({"path": ".git/hooks/pre-commit", "content": "x"})
    assert tools["edit_file"].danger_of({"path": ".github/workflows/ci.yml"})
    assert not tools["write_file"].danger_of({"path": "src/app.py"})


@pytest.mark.parametrize(
    "command",
    [
        "sudo ls",
        "rm -rf build",
        "git push origin main",
        "git reset --hard",
        "curl http://x",
        "pip install x",
        "cat /etc/passwd",
        "cat ~/.ssh/id",
        "cat ../secret.txt",
        "kill 1",
        "echo x > /tmp/y",
    ],
)
def test_a_dangerous_command_is_known(command: str) -> None:
    assert find_danger(command)


@pytest.mark.parametrize(
    "command", ["pytest -q", "git status", "ls -l src", "python -m build 2>/dev/null", "grep -r x src"]
)
def test_an_ordinary_command_needs_no_question(command: str) -> None:
    assert find_danger(command) == ""


def test_a_command_gives_its_output_and_exit_code(root: Path) -> None:
    done = run_command(f'{PYTHON} -c "print(5); raise SystemExit(3)"', root, seconds=60, environment={})
    assert (done.ok, done.exit_code) == (False, 3)
    assert done.text == "5\n\n[exit code 3]"


def test_a_command_that_takes_too_long_is_ended_with_all_it_started(root: Path) -> None:
    sleep = "[sys.executable, '-c', 'import time; time.sleep(300)']"
    child = f"import subprocess, sys; print('begun', flush=True); subprocess.run({sleep})"
    done = run_command(f'{PYTHON} -c "{child}"', root, seconds=1, environment={})
    assert not done.ok
    assert "ended after 1 s" in done.text


def test_a_very_long_output_is_cut(root: Path) -> None:
    done = run_command(f"{PYTHON} -c \"print('x' * 3_000_000)\"", root, seconds=60, environment={})
    assert len(done.text) < 1_100_000
    assert "bytes cut" in done.text


def test_commands_see_the_environment_they_are_given(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "hush")
    tool = shell_tool(root, environment={"WORD": "hello"})
    code = "import os; print(os.environ.get('WORD'), os.environ.get('MY_API_KEY'))"
    assert tool.call({"command": f'{PYTHON} -c "{code}"'}).text == "hello None"


@pytest.fixture
def vaulted(memory: Recollect, tmp_path: Path) -> Recollect:
    memory.vault.init(tmp_path / "Vault")
    return memory


def test_the_twelve_tools_have_their_names_and_arguments(vaulted: Recollect) -> None:
    tools = [*vault_tools(vaulted), *memory_tools(vaulted)]
    assert [tool.name for tool in tools] == [
        "vault_read",
        "vault_write",
        "vault_append",
        "vault_search",
        "vault_list",
        "task_create",
        "task_update",
        "task_list",
        "openclaw_send",
        "openclaw_check",
        "remember",
        "recall",
    ]
    wanted = {tool.name: (list(tool.parameters["properties"]), tool.parameters["required"]) for tool in tools}
    assert wanted["vault_search"] == (["query", "directory", "limit"], ["query"])
    assert wanted["task_create"] == (["title", "details", "priority", "project"], ["title"])
    assert wanted["task_update"] == (["title", "status", "notes"], ["title", "status"])
    assert wanted["remember"] == (["fact", "category"], ["fact"])
    assert wanted["recall"] == (["topic"], ["topic"])
    for tool in tools:
        assert tool.call(dict(tool.example)).ok, tool.name


def test_without_a_vault_there_are_no_tools_for_one(memory: Recollect) -> None:
    assert vault_tools(memory) == []


def test_what_goes_wrong_in_the_vault_is_told_to_the_agent(vaulted: Recollect) -> None:
    read = next(tool for tool in vault_tools(vaulted) if tool.name == "vault_read")
    answer = read.call({"path": "../outside.md"})
    assert not answer.ok
    assert answer.text


def test_what_was_remembered_is_recalled(memory: Recollect) -> None:
    remember, recall = memory_tools(memory)
    assert remember.call({"fact": "Uploads are retried five times because the proxy drops some"}).ok
    assert "retried five times" in recall.call({"topic": "how often are uploads retried"}).text


def test_tools_are_exported_for_both_providers(memory: Recollect) -> None:
    tools = memory_tools(memory)
    assert anthropic_tools(tools)[0]["input_schema"]["required"] == ["fact"]
    assert openai_tools(tools)[1]["function"]["parameters"]["required"] == ["topic"]


def test_the_loop_shares_the_table_of_tools(memory: Recollect) -> None:
    names = [tool.name for tool in shared_tools(memory)]
    assert names == [tool.name for tool in TOOLS]
    answer = next(tool for tool in shared_tools(memory) if tool.name == "pending").call({})
    assert answer.text == "Nothing waits for a review."
