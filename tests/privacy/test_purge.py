"""Purged means gone: no byte of a purged text is in any file of ours, whoever repeated it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.hooks.log import note as note_failure
from recollect.model.purged_text import PURGED, PurgedText
from recollect.store.safety.snapshots import list_snapshots
from recollect.store.sqlite.catalogue import list_tables
from recollect.store.sqlite.driver import connect
from tests.hash_embedder import HashEmbedder
from tests.hooks.hooking import Hooks

FACT = "Frau Obermoser of accounting wants the quarterly figures as zebrawolf sheets, never as mail."
TRACES = ("Obermoser", "zebrawolf", "quarterly figures")


@pytest.fixture
def memory(hooks: Hooks) -> Iterator[Recollect]:
    with Recollect(hooks.db, folder=hooks.project, embedder=HashEmbedder()) as opened:
        yield opened


def find_traces(*folders: Path) -> list[str]:
    """Where words of the purged text still lie, in clear or packed."""
    traces = []
    for file in (file for folder in folders for file in folder.rglob("*") if file.is_file()):
        content = file.read_bytes()
        texts = [content, *_unpack(file, content)]
        traces += [
            f"{file.name}: {word}"
            for word in TRACES
            if any(word.lower().encode() in text.lower() for text in texts)
        ]
    return traces


def _unpack(file: Path, content: bytes) -> Iterator[bytes]:
    if not content.startswith(b"SQLite"):
        return
    db = connect(str(file), create=False)
    try:
        for table in list_tables(db):
            for row in db.statement(f'SELECT * FROM "{table.name}"'):  # noqa: S608
                for cell in row:
                    if isinstance(cell, bytes):
                        try:
                            yield zlib.decompress(cell)
                        except zlib.error:
                            continue
    finally:
        db.close()


def test_nothing_is_left_of_what_a_session_repeated(hooks: Hooks, memory: Recollect) -> None:
    remembered = memory.remember(FACT, about=["src/auth.py"])
    hooks.send("SessionStart", source="startup")
    hooks.send("UserPromptSubmit", prompt=f"Before you start: {FACT} Now fix the tests.")
    for event in ("PreToolUse", "PostToolUse"):
        hooks.send(
            event,
            tool_name="Bash",
            tool_use_id="toolu_01",
            tool_input={"command": f'recollect note "{FACT}"'},
            tool_response={"stdout": f"Noted: {FACT.upper()}", "stderr": "", "exit_code": 0},
        )
    memory.observer.note(FACT, session=hooks.session, kind="fact")
    memory.edit(remembered.memory.id, text=FACT + " Ask twice.")
    memory.safety.snapshot()
    hooks.send("UserPromptSubmit", prompt=f"As I said, {FACT.lower()}")
    note_failure(f"{hooks.db}.hooks.log", "codex", "Stop", f"bad payload: {FACT}", seconds=0)
    (hooks.db.parent / "memories.db.inbox.torn").write_text(f'{{"text":"{FACT}\n')
    assert find_traces(hooks.home)

    memory.purge(remembered.memory.id)

    assert find_traces(hooks.home) == []
    notes = memory.observer.notes(hooks.session)
    assert [note.text for note in notes] == [f"{PURGED}."]


def test_what_was_said_beside_it_stays(hooks: Hooks, memory: Recollect) -> None:
    remembered = memory.remember(FACT)
    hooks.send("UserPromptSubmit", prompt=f"{FACT} And please make the tests of pay.py pass again.")
    memory.purge(remembered.memory.id)
    memory.observer.drain()
    db = connect(str(hooks.db), create=False)
    try:
        texts = " ".join(row["data"] for row in db.rows("events_of_session", session_id=hooks.session))
    finally:
        db.close()
    assert "make the tests of pay.py pass again" in texts
    assert PURGED in texts


def test_a_source_that_says_it_in_other_words_is_emptied() -> None:
    purged = PurgedText(["The office wifi is called harbour and its code is on the third floor"])
    retold = {"text": "btw our wifi at the office is called harbour, the code hangs on floor three", "n": 3}
    assert purged.erase_source(retold) == {"text": PURGED, "n": 3}
    assert purged.erase_values(retold) == retold


@pytest.mark.parametrize(
    "repeated",
    [
        FACT,
        FACT.upper(),
        f"> {FACT}\n\nok",
        FACT.replace(" ", "\n"),
        f"echo '{FACT}' >> notes.md",
        FACT[:60] + "…",
        "…" + FACT[24:],
        "**Frau Obermoser** of _accounting_ wants the `quarterly figures` as zebrawolf sheets",
        json.dumps({"text": [FACT]}),
    ],
)
def test_a_repetition_is_found_in_any_dress(repeated: str) -> None:
    erased = PurgedText([FACT]).erase(repeated)
    assert PURGED in erased
    assert "zebrawolf" not in erased.lower()


@pytest.mark.parametrize(
    "text",
    [
        "The quarterly figures are in the other folder",
        "accounting wants something else, never as mail",
        "def pay():\n    return 1",
    ],
)
def test_what_only_shares_words_stays(text: str) -> None:
    assert PurgedText([FACT]).erase(text) == text


@pytest.mark.parametrize(
    ("purged", "elsewhere", "left"),
    [
        ("Her number is +49 171 5550142", "called +49 171 5550142 again", f"called {PURGED} again"),
        ("Mail to eva.lang@example.org", "cc eva.lang@example.org", f"cc {PURGED}"),
        ("The door opens with 7741K-99", "typed 7741K-99 twice", f"typed {PURGED} twice"),
        ("Released on 2026-05-08 as 3.11.4", "since 2026-05-08 with 3.11.4", "since 2026-05-08 with 3.11.4"),
        ("会议室的密码是樱花树下的第三块石头", "他说会议室的密码是樱花树下的第三块石头。", f"他说{PURGED}。"),
    ],
)
def test_a_value_is_a_repetition_by_itself(purged: str, elsewhere: str, left: str) -> None:
    assert PurgedText([purged]).erase(elsewhere) == left


def test_notes_of_a_vault_and_their_versions_go_at_once(
    hooks: Hooks, memory: Recollect, tmp_path: Path
) -> None:
    memory.vault.init(tmp_path / "Vault")
    remembered = memory.remember(FACT, kind="preference")
    memory.vault.sync()
    memory.edit(remembered.memory.id, text=FACT + " Ask twice.")
    memory.vault.sync()
    assert find_traces(tmp_path / "Vault")
    memory.purge(remembered.memory.id)
    assert find_traces(hooks.home, tmp_path / "Vault") == []


def test_stores_that_were_put_aside_forget_it_too(hooks: Hooks, memory: Recollect) -> None:
    remembered = memory.remember(FACT)
    memory.remember("Retries are capped at three")
    aside = hooks.db.with_name("memories.db.before-restore-20260508-120000")
    memory.admin.backup(aside)
    broken = hooks.db.with_name("memories.db.damaged-20260508-120000")
    broken.write_bytes(b"no header" + aside.read_bytes()[9:])
    memory.purge(remembered.memory.id)
    assert find_traces(hooks.home) == []
    with Recollect(aside, folder=hooks.project, embedder=HashEmbedder()) as earlier:
        assert [item.text for item in earlier.list()] == ["Retries are capped at three"]


def test_everything_from_a_source_is_purged_as_thoroughly(hooks: Hooks, memory: Recollect) -> None:
    with Recollect(hooks.db, folder=hooks.project, embedder=HashEmbedder()) as other:
        other.remember(FACT, session=hooks.session)
    hooks.send("UserPromptSubmit", prompt=FACT)
    memory.reviews.forget_source(f"session:{hooks.session}", purge=True)
    assert find_traces(hooks.home) == []
    assert list_snapshots(str(hooks.db)) == []
