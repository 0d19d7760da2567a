"""A vault of hard notes: nothing that is not ours ever changes, and of ours only what has to."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.memory import Remembered
from recollect.vault.properties import find_fault, split_note
from tests.vault.corpus import WRITTEN, corpus

# Adopted as memories: text of their own, and properties that can be edited line by line.
ADOPTED = [
    path
    for path, content in corpus().items()
    if b"\0" not in content and not path.startswith("Bytes/") and not find_fault(content.decode())
]


def snapshot(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


def fill(root: Path, notes: dict[str, bytes], under: str = "") -> None:
    for path, content in notes.items():
        place = root / under / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def test_the_corpus_is_large_and_hard() -> None:
    assert len(corpus()) >= 60
    assert len(ADOPTED) >= 50


def test_a_vault_that_was_there_before_stays_byte_for_byte(memory: Recollect, root: Path) -> None:
    fill(root, corpus())
    memory.vault.init(root)
    before = snapshot(root)
    memory.vault.sync()
    memory.vault.sync()
    assert snapshot(root) == before
    assert {path: before[path] for path in corpus()} == corpus()


def test_notes_that_cannot_be_read_are_named(memory: Recollect, root: Path) -> None:
    fill(root, corpus())
    memory.vault.init(root)
    problems = memory.vault.sync().problems
    assert {path for path in problems if path.startswith("Bytes/")} == {
        "Bytes/Latin-1.md",
        "Bytes/Half a character.md",
        "Bytes/UTF-16.md",
    }
    assert all("UTF-8" in says for says in problems.values())


@pytest.mark.parametrize("path", ADOPTED)
def test_a_note_that_becomes_a_memory_gets_our_properties_and_keeps_every_other_byte(
    vaulted: Recollect, root: Path, path: str
) -> None:
    content = corpus()[path]
    fill(root, {path.rpartition("/")[2]: content}, "Memory")
    vaulted.vault.sync()
    (place,) = (root / "Memory").rglob("*.md")
    before, after = content.decode(), place.read_bytes().decode()
    parts = split_note(after)
    if parts.has_properties and before != after:
        was = split_note(before)
        assert parts.block.startswith(was.block)
        ours = parts.block[len(was.block) :].splitlines()
        assert ours[0].startswith("recollect_id"), "it was changed, so it must have become a memory"
        assert all(line.startswith(("recollect_", "  - ")) for line in ours)
        assert parts.body == was.body
    again = place.read_bytes()
    report = vaulted.vault.sync()
    assert not report.changed
    assert place.read_bytes() == again


def test_one_changed_memory_changes_its_own_lines_and_nothing_else(vaulted: Recollect, root: Path) -> None:
    fill(root, {path.rpartition("/")[2]: corpus()[path] for path in ADOPTED}, "Memory")
    vaulted.vault.sync()
    answer = vaulted.remember("Uploads need WAL mode", kind="gotcha", about=["src/upload.py"])
    assert isinstance(answer, Remembered)
    vaulted.vault.sync()
    before = snapshot(root)
    vaulted.edit(answer.memory.id, text="Uploads need WAL mode and one writer", confidence=0.6)
    vaulted.vault.sync()
    after = snapshot(root)
    changed = [path for path in after if after[path] != before.get(path)]
    assert after.keys() == before.keys()
    assert len(changed) == 1
    old, new = (one[changed[0]].decode().splitlines() for one in (before, after))
    assert [(a, b) for a, b in zip(old, new, strict=True) if a != b] == [
        ("recollect_confidence: 0.8", "recollect_confidence: 0.6"),
        ("Uploads need WAL mode", "Uploads need WAL mode and one writer"),
    ]


@pytest.mark.parametrize("path", [path for path in ADOPTED if path in WRITTEN and WRITTEN[path].strip()])
def test_a_memory_that_changes_under_a_persons_hard_note_touches_one_line(
    vaulted: Recollect, root: Path, path: str
) -> None:
    """The person's note was adopted; then an engine changes how sure it is: one line of the file changes."""
    fill(root, {path.rpartition("/")[2]: corpus()[path]}, "Memory")
    vaulted.vault.sync()
    found = vaulted.list(limit=5)
    (place,) = (root / "Memory").rglob("*.md")
    if not found:  # nothing to remember in it, or words that wait for a yes
        return
    before = place.read_bytes().split(b"\n")
    vaulted.edit(found[0].id, confidence=0.3)
    vaulted.vault.sync()
    after = place.read_bytes().split(b"\n")
    assert [(a, b) for a, b in zip(before, after, strict=True) if a != b] == [
        (line, line.replace(b"0.8", b"0.3")) for line in before if line.startswith(b"recollect_confidence")
    ]
