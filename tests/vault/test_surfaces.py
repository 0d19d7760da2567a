"""The vault as people and agents call it: commands and tools."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.api.recollect import Recollect as Engine
from recollect.errors import BadInput, NotFound
from recollect.model.arguments import check_arguments
from recollect.surfaces.tool_calls import Caller
from recollect.surfaces.tools import TOOLS
from recollect.surfaces.vault_tools import OPENCLAW_TOOLS, TOOL_SETS, VAULT_TOOLS
from recollect.vault.watch import is_watched
from tests.surfaces.conftest import Run, run  # noqa: F401


def call(memory: Recollect, name: str, **given: object) -> str:
    tool = next(tool for tool in VAULT_TOOLS if tool.name == name)
    answer = tool.call(Caller(memory=memory), check_arguments(tool.takes, given, "{}"))
    assert set(answer.data) == set(tool.gives["required"]), "what is given back is what was declared"
    return answer.text


def test_the_tools_are_declared_like_the_others_and_no_name_is_taken_twice() -> None:
    names = [tool.name for tool in (*TOOLS, *VAULT_TOOLS, *OPENCLAW_TOOLS)]
    assert len(set(names)) == len(names)
    assert set(TOOL_SETS) == {"memory", "vault", "tasks", "messages", "openclaw"}
    for tool in VAULT_TOOLS:
        assert tool.says.startswith("Use ") and tool.says.endswith(".")
        assert check_arguments(tool.takes, tool.example, "{}") == tool.example
        for act in tool.acts:
            assert act.startswith("vault.") and hasattr(Engine, "vault")


def test_notes_are_written_read_listed_and_found(vaulted: Recollect) -> None:
    assert call(vaulted, "vault_write", path="Projects/Shop", content="# Shop\n\nUses [[gateway]].\n") == (
        "Note saved: Projects/Shop.md"
    )
    call(vaulted, "vault_append", path="Projects/Shop.md", content="Deploys at night.")
    assert (
        call(vaulted, "vault_read", path="Projects/Shop.md")
        == "# Shop\n\nUses [[gateway]].\nDeploys at night.\n"
    )
    assert call(vaulted, "vault_list", directory="Projects/").startswith("Shop.md")
    assert "Projects/Shop.md:4 (Shop): Deploys at night." in call(vaulted, "vault_search", query="deploys")
    with pytest.raises(NotFound):
        call(vaulted, "vault_read", path="Projects/None.md")


def test_what_an_agent_overwrites_is_kept_as_a_version(vaulted: Recollect, root: Path) -> None:
    (root / "Mine.md").write_text("my own words\n", "utf-8")
    call(vaulted, "vault_write", path="Mine.md", content="replaced")
    assert any(b"my own words" in version.content for version in vaulted.vault.versions("Mine.md"))


def test_what_an_agent_wrote_does_not_become_a_persons_memory_when_a_person_edits_it(
    vaulted: Recollect, root: Path
) -> None:
    call(vaulted, "vault_write", path="Projects/Shop.md", content="An agent's idea of the shop.")
    place = root / "Projects" / "Shop.md"
    place.write_text(place.read_text("utf-8") + "\nfixed a typo\n", "utf-8")
    vaulted.vault.sync()
    assert vaulted.list() == []


def test_tasks_by_tool(vaulted: Recollect) -> None:
    call(vaulted, "task_create", title="Pay the bill", priority="high", project="home")
    assert call(vaulted, "task_update", title="pay bill", status="in_progress") == (
        "Task updated: Pay the bill is in_progress"
    )
    assert call(vaulted, "task_list").startswith("- [/] Pay the bill")
    assert call(vaulted, "task_list", status="done") == "No task fits."
    with pytest.raises(BadInput):
        call(vaulted, "task_update", title="pay bill", status="someday")


def test_the_commands(run: Run, tmp_path: Path) -> None:  # noqa: F811
    folder = tmp_path / "Notes"
    run("remember", "Retries are capped at 3", "--kind", "decision")
    assert "1 memory written" in run("vault", "init", str(folder)).out
    (place,) = (folder / "Decisions").glob("*.md")
    place.write_text(place.read_text("utf-8").replace("at 3", "at 5"), "utf-8")
    assert "Changed: Decisions/Retries are capped at 3.md" in run("vault", "sync").out
    assert "capped at 5" in run("recall", "retries").out
    assert run("vault", "sync", "--json").json["changed"] is False
    assert run("vault", "status", "--json").json["memories"] == 1
    assert "Decisions/" in run("vault", "search", "retries").out
    assert "Call Alex" in run("tasks", "add", "Call Alex", "--priority", "high").out
    assert "- [x] Call Alex" in run("tasks", "done", "call").out
    assert run("tasks").out == "Nothing is to be done.\n"
    assert len(run("vault", "versions", place.relative_to(folder).as_posix(), "--json").json["versions"]) == 2


def test_memories_go_out_as_notes_and_documents_come_in_for_review(run: Run, tmp_path: Path) -> None:  # noqa: F811
    run("remember", "Retries are capped at 3", "--kind", "decision")
    notes = tmp_path / "Notes"
    assert "1 memory written" in run("export", "--markdown", str(notes)).out
    assert [place.parent.name for place in notes.rglob("*.md")] == ["Decisions"]
    for other in ("--forgotten", "memories.jsonl"):
        refused = run("export", "--markdown", str(tmp_path / "More"), other)
        assert refused.code == 2 and not (tmp_path / "More").exists()
    document = tmp_path / "AGENTS.md"
    document.write_text("# Rules\n\n- Deploys happen on Tuesdays, never on Fridays.\n", "utf-8")
    assert "Deploys happen on Tuesdays" in run("import", "markdown", str(document), "--dry-run").out
    assert run("import", "markdown", str(document), "--json").json["proposed"] == 1
    assert "Deploys happen on Tuesdays" in run("review").out
    assert "Tuesdays" not in run("recall", "when do deploys happen").out


def test_watching_takes_in_what_changes(vaulted: Recollect, root: Path) -> None:
    reports = vaulted.vault.watch(seconds=20)
    next(reports)
    (root / "Memory" / "Tea.md").write_text("The kettle is on the second floor.\n", "utf-8")
    until = time.monotonic() + 15
    for report in reports:
        if report.new or time.monotonic() > until:
            break
    assert [one.text for one in vaulted.list()] == ["The kettle is on the second floor."]
    assert not is_watched(root, str(root / ".obsidian" / "x.md"))
    assert is_watched(root, str(root / "x.md"))
