"""Somebody saves a note in the very moment in which it is replaced: their words are in it afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from recollect import Recollect
from recollect.vault import files, outgoing, replace, writing

PATH = "Daily/2026-05-08.md"


def in_place(place: Path) -> None:
    text = place.read_text("utf-8")
    place.write_text(f"{text}saved in the last moment\n", "utf-8")


def by_another_file(place: Path) -> None:
    beside = place.with_name(".editor.tmp")
    beside.write_text(f"{place.read_text('utf-8')}saved in the last moment\n", "utf-8")
    beside.replace(place)


def just_before(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Do something once, after our last look at the file and before ours takes its place."""
    real = replace._write_beside
    left = [act]

    def written(*given: Any) -> Any:
        done = real(*given)
        if left:
            left.pop()()
        return done

    monkeypatch.setattr(replace, "_write_beside", written)


@pytest.mark.parametrize("can_swap", [True, False], ids=["exchange", "replace"])
@pytest.mark.parametrize("save", [in_place, by_another_file])
def test_what_is_saved_between_our_look_and_our_write_is_merged_in(
    vaulted: Recollect,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    save: Callable[[Path], None],
    can_swap: bool,
) -> None:
    vaulted.vault.append(PATH, "# Day\n\nfirst")
    if not can_swap:
        monkeypatch.setattr(replace, "_swapping", lambda: None)
    just_before(monkeypatch, lambda: save(root / PATH))
    vaulted.vault.append(PATH, "by an agent")
    text = (root / PATH).read_text("utf-8")
    assert sorted(text.splitlines()[2:]) == ["by an agent", "first", "saved in the last moment"]
    assert not vaulted.vault.sync().changed


def test_a_program_that_had_the_old_file_open_and_writes_late_is_heard(
    vaulted: Recollect, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vaulted.vault.append(PATH, "# Day\n\nfirst")
    held: list[IO[str]] = []
    just_before(monkeypatch, lambda: held.append((root / PATH).open("a", encoding="utf-8")))

    def late(seconds: float) -> None:
        while held:
            with held.pop() as stream:
                stream.write("written late\n")

    monkeypatch.setattr(writing.time, "sleep", late)
    vaulted.vault.append(PATH, "by an agent")
    assert sorted((root / PATH).read_text("utf-8").splitlines()[2:]) == [
        "by an agent",
        "first",
        "written late",
    ]


def test_an_edit_in_that_moment_reaches_the_memory_too(
    vaulted: Recollect, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vaulted.remember("First line\nLast line", kind="decision")
    vaulted.vault.sync()
    (one,) = vaulted.list()
    (place,) = (root / "Decisions").glob("*.md")

    def save() -> None:
        place.write_text(place.read_text("utf-8").replace("Last line", "Last line, by hand"), "utf-8")

    just_before(monkeypatch, save)
    vaulted.edit(one.id, confidence=0.5)
    vaulted.vault.sync()
    vaulted.vault.sync()
    assert vaulted.show(one.id).text == "First line\nLast line, by hand"
    assert "recollect_confidence: 0.5" in place.read_text("utf-8")


def test_a_file_that_is_empty_for_a_moment_is_not_taken_for_emptied(
    vaulted: Recollect, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Editors that write in place cut the file to nothing first."""
    vaulted.remember("First line", kind="decision")
    vaulted.vault.sync()
    (place,) = (root / "Decisions").glob("*.md")
    whole = place.read_text("utf-8")
    place.write_text("", "utf-8")
    monkeypatch.setattr(
        files.time, "sleep", lambda seconds: place.write_text(whole.replace("First", "Better"), "utf-8")
    )
    vaulted.vault.sync()
    (one,) = vaulted.list()
    assert one.text == "Better line"


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("decision", "Decisions/The gateway bans at five.md"),
        ("preference", "Context/Preferences.md"),
    ],
)
def test_what_a_person_saves_while_a_sync_is_under_way_is_not_written_over(
    vaulted: Recollect, root: Path, monkeypatch: pytest.MonkeyPatch, kind: str, path: str
) -> None:
    memory = vaulted.remember("The gateway bans at five", kind=kind).memory
    vaulted.vault.sync()
    vaulted.edit(memory.id, text="The gateway bans at six")
    note, real = root / path, outgoing.show_memories

    def save_first(*given: Any) -> list[str]:
        note.write_text(note.read_text("utf-8").replace("bans at five", "bans at five, says Ann"), "utf-8")
        return real(*given)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(outgoing, "show_memories", save_first)
        vaulted.vault.sync()
    assert "says Ann" in note.read_text("utf-8")
    vaulted.vault.sync()
    assert "says Ann" in note.read_text("utf-8")
    assert "says Ann" in vaulted.show(memory.id).text
    (copy,) = (place for place in root.rglob("*(conflict*.md"))
    assert "bans at six" in copy.read_text("utf-8")
    assert not vaulted.vault.sync().changed
