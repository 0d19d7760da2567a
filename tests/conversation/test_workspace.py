"""Workspace files: told within a budget, added to, never taken from a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.conversation.workspace import (
    HEADER,
    Workspace,
    WorkspaceSettings,
    is_untouched,
    workspace_tools,
)
from recollect.errors import BadInput
from tests.conftest import Clock


@pytest.fixture
def workspace(tmp_path: Path, clock: Clock) -> Workspace:
    return Workspace(tmp_path / "ws", clock=clock)


def write(workspace: Workspace, name: str, text: str) -> Path:
    path = workspace.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_an_empty_workspace_says_nothing(workspace: Workspace) -> None:
    assert workspace.load().text == ""


def test_all_files_are_told_in_order_under_a_header(workspace: Workspace) -> None:
    for name in ("SOUL.md", "TOOLS.md", "AGENTS.md", "MEMORY.md"):
        write(workspace, name, f"- from {name}\n")
    workspace.daily_log("Moved the login")
    for number in range(30):
        workspace.log_learning(f"lesson {number}")
    loaded = workspace.load()
    assert loaded.text.startswith(HEADER)
    assert [file.name for file in loaded.files] == [
        "SOUL.md",
        "TOOLS.md",
        "AGENTS.md",
        "MEMORY.md",
        "memory/2026-05-08.md",
        ".learnings/LEARNINGS.md",
    ]
    assert "lesson 29" in loaded.text
    assert "lesson 10" in loaded.text
    assert "lesson 9 " not in loaded.text.replace("\n", " "), "the last 20 lines"
    assert "<!-- r:" not in loaded.text


def test_what_is_told_stays_within_the_budget(tmp_path: Path, clock: Clock) -> None:
    workspace = Workspace(tmp_path, clock=clock, settings=WorkspaceSettings(budget_tokens=300))
    write(workspace, "SOUL.md", "be kind. " * 500)
    write(workspace, "MEMORY.md", "- a fact\n")
    loaded = workspace.load()
    assert len(loaded.text) <= 300 * 4 + 80
    assert loaded.files[0].is_cut


def test_a_fact_is_saved_once_here_and_in_the_store(tmp_path: Path, clock: Clock) -> None:
    remembered: list[str] = []
    workspace = Workspace(tmp_path, clock=clock, remember=remembered.append)
    assert workspace.save_fact("This project uses TypeScript")
    assert not workspace.save_fact("this project uses TypeScript.")
    assert workspace.take_in_facts() == 0
    assert remembered == ["This project uses TypeScript"]


def test_a_fact_that_a_person_wrote_reaches_the_store_once(tmp_path: Path, clock: Clock) -> None:
    remembered: list[str] = []
    workspace = Workspace(tmp_path, clock=clock, remember=remembered.append)
    write(workspace, "MEMORY.md", "# Memory\n\n- Deploys happen on Tuesdays\n")
    assert [workspace.take_in_facts(), workspace.take_in_facts()] == [1, 0]
    assert remembered == ["Deploys happen on Tuesdays"]


def test_what_a_person_wrote_stays_byte_for_byte(workspace: Workspace) -> None:
    mine = "# Mine\r\n\ttabs, ümlauts and no newline at the end"
    path = workspace.folder / "MEMORY.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(mine.encode())
    workspace.save_fact("One more")
    assert path.read_bytes().startswith(mine.encode() + b"\n- One more")


def test_pruning_takes_only_our_own_untouched_lines(tmp_path: Path, clock: Clock) -> None:
    workspace = Workspace(tmp_path, clock=clock, settings=WorkspaceSettings(keep_lines=3))
    write(workspace, ".learnings/LEARNINGS.md", "a line of a person\n")
    for number in range(6):
        workspace.log_learning(f"lesson {number}")
    path = tmp_path / ".learnings/LEARNINGS.md"
    path.write_text(path.read_text("utf-8").replace("lesson 0", "lesson zero"), "utf-8")
    assert workspace.prune() == 2
    text = path.read_text("utf-8")
    assert "a line of a person" in text
    assert "lesson zero" in text, "a person changed it, so it is theirs"
    assert "lesson 1" not in text
    assert "lesson 5" in text


def test_old_days_go_unless_a_person_wrote_into_them(workspace: Workspace, clock: Clock) -> None:
    workspace.daily_log("one")
    clock.pass_(days=1)
    workspace.daily_log("two")
    with (workspace.folder / "memory/2026-05-09.md").open("a", encoding="utf-8") as file:
        file.write("my own words\n")
    clock.pass_(days=100)
    workspace.prune()
    assert [path.name for path in (workspace.folder / "memory").iterdir()] == ["2026-05-09.md"]


def test_secrets_and_line_breaks_do_not_reach_the_files(workspace: Workspace) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    workspace.log_error(f"failed\nwith key {key}", "a new key")
    (line,) = (workspace.folder / ".learnings/ERRORS.md").read_text("utf-8").splitlines()
    assert key not in line
    assert is_untouched(line)


def test_the_tools_write_and_refuse_what_they_do_not_know(workspace: Workspace) -> None:
    tools = {tool.name: tool for tool in workspace_tools(workspace)}
    assert list(tools) == [
        "workspace_save_fact",
        "workspace_log_learning",
        "workspace_log_error",
        "workspace_daily_log",
    ]
    for tool in tools.values():
        assert tool.call(dict(tool.example)).ok
    assert (
        tools["workspace_save_fact"]
        .call({"fact": "This project uses TypeScript"})
        .text.startswith("This stands")
    )
    with pytest.raises(BadInput, match="solution"):
        tools["workspace_log_error"].call({"error": "x"})
