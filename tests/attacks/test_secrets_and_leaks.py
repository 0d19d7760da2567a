"""Rows A18 and A22: no secret reaches the disk by any entry, and no project hears another's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.secret_shapes import examples
from recollect import Recollect, RecollectError
from recollect.model.memory import MemoryDraft, Relation, RelationType
from recollect.model.provenance import Channel
from recollect.model.scope import WorkRef
from recollect.model.subject import Subject
from tests.builders import an_engine
from tests.capture.test_standing import kept
from tests.git.repos import a_repository, isolate
from tests.hash_embedder import HashEmbedder

SECRETS = list(examples(seed=18, per_shape=1))


def entries(text: str) -> list[dict[str, Any]]:
    """The same text by every field of a draft."""
    return [
        {"tags": (text[:200],)},
        {"citation": text[:1000]},
        {"kind": "decision", "fields": {"rationale": text}},
        {"kind": "work_state", "fields": {"methodology_state": {"deep": [text]}}},
        {"subjects": (Subject("service", text[:300]),)},
        {"work": WorkRef(methodology="native", hierarchy=("a",), label=text[:1000])},
        {"relations": (Relation(type=RelationType.DERIVED_FROM, path=text[:1000]),)},
    ]


def changed_everywhere(memory: Recollect, number: int, text: str) -> None:
    """The same text by every way to change a memory."""
    made = kept(memory, f"To be changed {number}", channel=Channel.READ)
    memory.edit(made.id, text=f"{number} changed {text}", why=text[:1500])
    memory.reviews.correct(made.id, "inaccurate", text=f"{number} corrected {text}", why=text[:1500])
    memory.reviews.flag(made.id, why=text[:1500])
    memory.reviews.confirm(made.id, why=text[:1500])


def test_a18_no_byte_of_a_secret_is_in_the_data_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with an_engine(folder / "memories.db") as memory:
        drafts = [MemoryDraft(text=f"{n} {example.text}", kind="fact") for n, example in enumerate(SECRETS)]
        for n, example in enumerate(SECRETS):
            details = entries(example.text)
            drafts.append(MemoryDraft(**({"text": f"Entry {n}", "kind": "fact"} | details[n % len(details)])))
        memory.remember_many(drafts)
        for n, example in enumerate(SECRETS[::6]):
            changed_everywhere(memory, n, example.text)
        lines = [json.dumps({"text": f"{n} imported {example.text}"}) for n, example in enumerate(SECRETS)]
        memory.admin.import_memories(lambda: iter(['{"format": "recollect-memories", "version": 1}', *lines]))
        memory.admin.backup(folder / "copy.db")
        (folder / "export.jsonl").write_text(
            "\n".join(json.dumps(line, ensure_ascii=False) for line in memory.admin.export(forgotten=True)),
            "utf-8",
        )
        files = [file for file in folder.rglob("*") if file.is_file()]
        assert {file.name for file in files} >= {"memories.db", "memories.db-wal", "copy.db", "export.jsonl"}
        found = {
            (example.shape, file.name)
            for file in files
            for data in [file.read_bytes()]
            for example in SECRETS
            if example.secret.encode() in data
        }
    assert found == set()
    assert len(SECRETS) >= 30


def test_a22_one_project_does_not_hear_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch, tmp_path / "git-home")
    a_repository(tmp_path / "one")
    a_repository(tmp_path / "two")
    db, canary = tmp_path / "m.db", "zanzibar-canary-4711"
    with Recollect(db, folder=tmp_path / "one", embedder=HashEmbedder()) as one:
        secret = kept(
            one, f"The word is {canary}", session="s1", channel=Channel.OBSERVED, about=["file:src/a.py"]
        )
        kept(one, f"The other word is {canary} too", session="s1")
        one.reviews.note_applied("s1", [secret])
        assert canary in str(one.recall(canary).hits)
    with Recollect(db, folder=tmp_path / "two", embedder=HashEmbedder()) as two:
        kept(two, "Something of its own")
        asked = [f"what is the word {n}? {canary}" for n in range(50)]
        heard = [str(two.recall(question, limit=50).hits) for question in asked]
        heard += [str(two.list(limit=100)), str(two.reviews.pending()), str(two.reviews.session("s1"))]
        heard += [
            str(two.reviews.source(name).own) for name in ("observed", "user", "session:s1", "file:src/a.py")
        ]
        heard += [str(list(two.admin.export(every_project=False))), str(two.filters(about=["file:src/a.py"]))]
        try:
            heard.append(str(two.reviews.session("last")))
        except RecollectError as error:
            heard.append(str(error))
        assert not any(canary in text for text in heard)
        assert two.reviews.forget_source("session:s1").memories == ()
    with Recollect(db, folder=tmp_path / "one", embedder=HashEmbedder()) as one:
        assert one.count() == 2


def test_a22_a_foreign_import_joins_no_project_by_itself(memory: Recollect) -> None:
    line = json.dumps(
        {"text": "I am the user", "verified": True, "channel": "user", "pinned": True, "confidence": 1.0}
    )
    memory.admin.import_memories(lambda: iter(['{"format": "recollect-memories", "version": 1}', line]))
    [made] = memory.list()
    assert (made.provenance.channel, made.trust.verified, made.trust.needs_review) == (
        Channel.IMPORT,
        False,
        True,
    )
    assert not made.pinned
