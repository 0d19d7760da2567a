"""The vault as the `/memories` directory of the memory tool."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import BadInput, RecollectError
from recollect.hooks.after_session import learn_and_look_after


def call(memory: Recollect, command: str, **given: object) -> str:
    return memory.vault.memory_tool({"command": command, **given})


def test_a_file_is_made_seen_changed_moved_and_deleted(vaulted: Recollect, root: Path) -> None:
    path = "/memories/Projects/plan.md"
    assert (
        call(vaulted, "create", path=path, file_text="one\ntwo\n") == f"File created successfully at: {path}"
    )
    with pytest.raises(BadInput, match="already exists"):
        call(vaulted, "create", path=path, file_text="x")
    assert call(vaulted, "view", path=path) == (
        f"Here's the content of {path} with line numbers:\n     1\tone\n     2\ttwo\n     3\t"
    )
    assert call(vaulted, "view", path=path, view_range=[2, 2]).endswith("     2\ttwo")
    assert "     2\t2" in call(vaulted, "str_replace", path=path, old_str="two", new_str="2")
    call(vaulted, "insert", path=path, insert_line=0, insert_text="zero")
    assert (root / "Projects" / "plan.md").read_text("utf-8") == "zero\none\n2\n"
    call(vaulted, "rename", old_path=path, new_path="/memories/Projects/done.md")
    assert "\t/memories/Projects/done.md" in call(vaulted, "view", path="/memories")
    call(vaulted, "delete", path="/memories/Projects/done.md")
    assert not (root / "Projects" / "done.md").exists()
    assert vaulted.vault.versions("Projects/done.md")[0].content == b"zero\none\n2\n"


@pytest.mark.parametrize(
    "given",
    [
        {"command": "view", "path": "/etc/passwd"},
        {"command": "view", "path": "/memories/../../secret"},
        {"command": "view", "path": "/memories-evil/x"},
        {"command": "create", "path": "/memories/.obsidian/x.md", "file_text": "x"},
        {"command": "delete", "path": "/memories"},
        {"command": "rename", "old_path": "/memories", "new_path": "/memories/x"},
        {"command": "str_replace", "path": "/memories/Home.md", "old_str": "no such words", "new_str": ""},
        {"command": "str_replace", "path": "/memories/Home.md", "old_str": "[[", "new_str": ""},
        {"command": "insert", "path": "/memories/Home.md", "insert_line": 999, "insert_text": "x"},
        {"command": "explode"},
    ],
)
def test_what_it_must_not_do_is_a_sentence(vaulted: Recollect, given: dict[str, object]) -> None:
    with pytest.raises(RecollectError):
        vaulted.vault.memory_tool(given)


def test_a_note_of_a_memory_is_neither_changed_nor_deleted_this_way(vaulted: Recollect, root: Path) -> None:
    vaulted.remember("Retries are capped at 3", kind="decision")
    vaulted.vault.sync()
    path = "/memories/Decisions/Retries are capped at 3.md"
    assert "capped at 3" in call(vaulted, "view", path=path)
    for command, given in (
        ("delete", {"path": path}),
        ("str_replace", {"path": path, "old_str": "at 3", "new_str": "at 9"}),
    ):
        with pytest.raises(BadInput, match="remember"):
            call(vaulted, command, **given)
    assert vaulted.count() == 1


def test_a_session_that_ends_brings_the_vault_in_step(vaulted: Recollect, root: Path, tmp_path: Path) -> None:
    (root / "Memory" / "Tea.md").write_text("The kettle is on the second floor.\n", "utf-8")
    learn_and_look_after(str(tmp_path / "memories.db"), str(tmp_path))
    assert [one.text for one in vaulted.list()] == ["The kettle is on the second floor."]
