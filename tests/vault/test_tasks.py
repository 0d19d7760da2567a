"""Tasks are lines in the form of the Tasks plugin, and a person's line keeps all that is in it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import BadInput, NotFound
from recollect.vault.tasks import add_task, change_task, parse_tasks, select_tasks
from tests.vault.corpus import WRITTEN

DAY = date(2026, 5, 8)


def test_a_task_is_made_in_the_form_of_the_plugin_and_after_the_others() -> None:
    text = add_task("# Active Tasks\n", "Pay the bill", priority="high", project="My Shop", today=DAY)
    text = add_task(text, "Call Alex", details="about the\ndesign", today=DAY)
    assert text == (
        "# Active Tasks\n\n- [ ] Pay the bill #project/My-Shop ⏫ ➕ 2026-05-08\n"
        "- [ ] Call Alex 🔼 ➕ 2026-05-08\n    - about the\n    - design\n"
    )
    assert [(task.title, task.priority, task.project) for task in parse_tasks(text)] == [
        ("Pay the bill", "high", "My-Shop"),
        ("Call Alex", "medium", ""),
    ]


@pytest.mark.parametrize(
    ("status", "line"),
    [
        ("in_progress", "- [/] **Pay** the bill #home 🔁 every month 📅 2026-05-10 ^bill"),
        ("blocked", "- [ ] **Pay** the bill #home #blocked 🔁 every month 📅 2026-05-10 ^bill"),
        ("done", "- [x] **Pay** the bill #home 🔁 every month 📅 2026-05-10 ✅ 2026-05-08 ^bill"),
        ("cancelled", "- [-] **Pay** the bill #home 🔁 every month 📅 2026-05-10 ❌ 2026-05-08 ^bill"),
        ("todo", "- [ ] **Pay** the bill #home 🔁 every month 📅 2026-05-10 ^bill"),
    ],
)
def test_a_change_of_state_keeps_every_other_part_of_a_persons_line(status: str, line: str) -> None:
    text = "before\n- [ ] **Pay** the bill #home 🔁 every month 📅 2026-05-10 ^bill\nafter\n"
    changed, task = change_task(text, "pay the bill", status, today=DAY)
    assert changed == f"before\n{line}\nafter\n"
    assert task.status == status
    back, _ = change_task(changed, "pay the bill", "todo", today=DAY)
    assert back == text


def test_a_close_title_is_enough_and_one_that_fits_several_is_reported() -> None:
    text = "- [ ] Set up the test database\n- [ ] Set up the mail server\n- [x] Set up the test database\n"
    assert change_task(text, "setup the test databse", "done", today=DAY)[1].line == 0
    assert change_task(text, "mail", "blocked", today=DAY)[1].line == 1
    with pytest.raises(BadInput, match="test database; Set up the mail server"):
        change_task(text, "set up", "done", today=DAY)
    with pytest.raises(NotFound):
        change_task(text, "buy milk", "done", today=DAY)


def test_notes_come_under_the_task_and_before_the_next() -> None:
    text = "- [ ] One\n    - detail\n- [ ] Two\n"
    assert change_task(text, "One", "blocked", notes="waits for\nAlex", today=DAY)[0] == (
        "- [ ] One #blocked\n    - detail\n    - 2026-05-08: waits for Alex\n- [ ] Two\n"
    )


def test_every_form_of_the_plugin_is_read_and_code_blocks_are_not() -> None:
    tasks = parse_tasks(WRITTEN["Tasks/Plugin emoji.md"])
    assert [task.title for task in tasks[:4]] == ["plain", "done", "with everything", "cancelled"]
    assert [task.status for task in tasks[:5]] == ["todo", "done", "todo", "cancelled", "in_progress"]
    assert tasks[2].priority == "high"
    assert len(tasks) == 16
    assert parse_tasks(WRITTEN["Tasks/Queries.md"]) == []
    assert [task.title for task in parse_tasks(WRITTEN["Tasks/Dataview form.md"])][:2] == ["pay", "called"]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_changing_a_task_of_a_hard_note_changes_its_line_alone(newline: str) -> None:
    text = WRITTEN["Tasks/Plugin emoji.md"].replace("\n", newline)
    changed, task = change_task(text, "half done", "done", today=DAY)
    before, after = text.split(newline), changed.split(newline)
    assert [place for place, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [task.line]


def test_the_list_leaves_out_what_is_ended_unless_it_is_asked_for() -> None:
    tasks = parse_tasks("- [ ] a #project/x\n- [x] b\n- [-] c\n- [ ] d #blocked\n")
    assert [task.title for task in select_tasks(tasks)] == ["a", "d"]
    assert [task.title for task in select_tasks(tasks, "all")] == ["a", "b", "c", "d"]
    assert [task.title for task in select_tasks(tasks, "blocked")] == ["d"]
    assert [task.title for task in select_tasks(tasks, project="X")] == ["a"]


def test_tasks_live_in_a_note_that_a_person_edits_too(vaulted: Recollect, root: Path) -> None:
    place = root / "Active Tasks.md"
    vaulted.vault.tasks.create("Pay the bill", project="home")
    place.write_text(place.read_text("utf-8") + "\n## Mine\n- [ ] water the plants 📅 2026-06-01\n", "utf-8")
    vaulted.vault.tasks.update("plants", "in_progress")
    vaulted.vault.tasks.create("Call Alex")
    text = place.read_text("utf-8")
    assert "## Mine\n- [/] water the plants 📅 2026-06-01\n- [ ] Call Alex" in text
    assert [task.title for task in vaulted.vault.tasks.list()] == [
        "Pay the bill",
        "water the plants",
        "Call Alex",
    ]
    with pytest.raises(BadInput, match="already"):
        vaulted.vault.tasks.create("call alex")
