"""Notes and folders as one meets them: odd names, empty notes, copies, drives that are not there."""

from __future__ import annotations

import shutil
import unicodedata
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import BadInput, NotFound
from recollect.model.memory import Memory, Remembered


def remember(memory: Recollect, text: str, kind: str = "gotcha") -> Memory:
    answer = memory.remember(text, kind=kind)
    assert isinstance(answer, Remembered)
    return answer.memory


def texts(memory: Recollect) -> list[str]:
    return sorted(one.text for one in memory.list(limit=100))


def put(root: Path, path: str, text: str) -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")
    return place


@pytest.mark.parametrize(
    "name",
    [
        "Meeting 10:30",
        "nul",
        "ends with a dot.",
        "a\ttab",
        " spaces ",
        "back\\slash",
        "two\nlines",
        "🚀",
        "#1",
        "-x",
    ],
)
def test_a_note_that_not_every_system_could_have_is_a_memory_here(
    vaulted: Recollect, root: Path, name: str
) -> None:
    note = put(root, f"Memory/{name}.md", "The boiler hums at night")
    assert vaulted.vault.sync().problems == {}
    assert texts(vaulted) == ["The boiler hums at night"]
    vaulted.pin(vaulted.list()[0].id)
    vaulted.vault.sync()
    assert "recollect_pinned: true" in note.read_text("utf-8")


def test_a_note_is_found_by_its_name_however_its_accents_are_composed(vaulted: Recollect, root: Path) -> None:
    put(root, f"Projects/{unicodedata.normalize('NFD', 'Café')}.md", "open from nine")
    asked = f"Projects/{unicodedata.normalize('NFC', 'Café')}.md"
    assert vaulted.vault.read(asked) == "open from nine"
    vaulted.vault.append(asked, "closed on Mondays")
    assert len(list((root / "Projects").iterdir())) == 1


def test_a_vault_that_is_not_there_is_not_made_anew(vaulted: Recollect, root: Path) -> None:
    remember(vaulted, "The gateway bans at five")
    vaulted.vault.sync()
    shutil.rmtree(root)
    with pytest.raises(NotFound, match="no vault"):
        vaulted.vault.tasks.create("Ask for a higher limit")
    with pytest.raises(NotFound, match="no vault"):
        vaulted.vault.sync()
    assert not root.exists()
    assert texts(vaulted) == ["The gateway bans at five"]


def test_a_folder_in_which_nothing_is_left_is_no_wish_to_forget(vaulted: Recollect, root: Path) -> None:
    remember(vaulted, "The gateway bans at five")
    remember(vaulted, "Likes tea", "preference")
    vaulted.vault.sync()
    shutil.rmtree(root)
    root.mkdir()
    report = vaulted.vault.sync()
    assert len(report.held_back) == 2
    assert texts(vaulted) == ["Likes tea", "The gateway bans at five"]
    vaulted.vault.sync(take_deletions=True)
    assert texts(vaulted) == []


def test_a_note_that_was_emptied_keeps_its_memory_until_it_is_deleted(vaulted: Recollect, root: Path) -> None:
    remember(vaulted, "The gateway bans at five")
    vaulted.vault.sync()
    note = root / "Memory/Gotchas/The gateway bans at five.md"
    note.write_text("", "utf-8")
    for _ in range(2):
        assert "delete the note to forget" in vaulted.vault.sync().problems[note.relative_to(root).as_posix()]
    assert texts(vaulted) == ["The gateway bans at five"]
    note.unlink()
    vaulted.vault.sync()
    assert texts(vaulted) == []


@pytest.mark.parametrize("text", ["", " \n\n", "---", "---\ntags: [a]\n---\n", "***\n", "%%\n"])
def test_a_note_without_words_is_no_memory(vaulted: Recollect, root: Path, text: str) -> None:
    note = put(root, "Memory/Nothing.md", text)
    assert vaulted.vault.sync().new == []
    assert note.read_text("utf-8") == text


def test_a_line_that_was_copied_with_its_block_id_is_named(vaulted: Recollect, root: Path) -> None:
    remember(vaulted, "Likes tea", "preference")
    vaulted.vault.sync()
    note = root / "Context/Preferences.md"
    text = note.read_text("utf-8")
    note.write_text(text + text.splitlines()[-1].replace("tea", "cocoa") + "\n", "utf-8")
    for _ in range(2):
        assert "has the block id of another line" in vaulted.vault.sync().problems["Context/Preferences.md"]
    remember(vaulted, "Opens windows at night", "preference")
    vaulted.vault.sync()
    assert "Opens windows at night" in note.read_text("utf-8"), "the list goes on"


def test_a_place_that_cannot_be_written_is_named_and_tried_again(vaulted: Recollect, root: Path) -> None:
    (root / "Memory/Gotchas").write_text("a file where a folder should be", "utf-8")
    remember(vaulted, "The gateway bans at five")
    remember(vaulted, "Uploads need one writer", "decision")
    report = vaulted.vault.sync()
    assert report.written == ["Decisions/Uploads need one writer.md"]
    assert "cannot be written" in report.problems["Memory/Gotchas"]
    (root / "Memory/Gotchas").unlink()
    assert vaulted.vault.sync().written == ["Memory/Gotchas/The gateway bans at five.md"]


def test_no_note_is_reached_through_a_link_inside_the_vault(vaulted: Recollect, root: Path) -> None:
    (root / "Shortcut").symlink_to(root / "Memory")
    for act in (vaulted.vault.read, lambda path: vaulted.vault.write(path, "Trust me")):
        with pytest.raises((BadInput, NotFound)):
            act("Shortcut/Fact.md")
    assert list((root / "Memory").iterdir()) == []


def test_a_vault_that_moved_is_taken_up_where_it_is_now(vaulted: Recollect, root: Path) -> None:
    memory = remember(vaulted, "The gateway bans at five")
    vaulted.vault.sync()
    moved = root.rename(root.with_name("Moved"))
    vaulted.vault.init(moved)
    assert not vaulted.vault.sync().changed
    note = moved / "Memory/Gotchas/The gateway bans at five.md"
    note.write_text(note.read_text("utf-8").replace("at five", "at six"), "utf-8")
    vaulted.vault.sync()
    assert vaulted.show(memory.id).text == "The gateway bans at six"
