"""Any Markdown is welcome: what it states is proposed with its place, and waits for a yes."""

from __future__ import annotations

from pathlib import Path

from recollect import Recollect
from recollect.model.memory import MemoryState
from recollect.model.provenance import Channel
from recollect.model.query import Filters
from recollect.vault.note import read_note
from recollect.vault.statements import find_statements
from tests.hash_embedder import HashEmbedder

ADR = """# 7. Use SQLite

Date: 2026-01-15

## Status

Accepted

## Context

We need a store that needs no server.

## Decision

We keep everything in one SQLite file,
opened through `src/store/db.py`.

## Consequences

Backups are copies.
"""
AGENTS = """# Shop

Short words.

## Conventions

- Tests live beside the code they test, in `tests/`.
- [ ] a task is no statement
- [only a link](https://example.org)
- Retries are capped at three,
  because the gateway bans at five (see src/retry.py).

## Gotchas

Uploads lock each other out unless the database is in WAL mode.

```sh
rm -rf everything you have there
```

| a | b | c | d |
"""


def test_a_decision_record_is_one_decision_with_the_files_it_names() -> None:
    (one,) = find_statements(ADR, "0007-use-sqlite.md")
    assert (one.kind, one.line, one.files) == ("decision", 13, ("src/store/db.py",))
    assert (
        one.text == "7. Use SQLite: We keep everything in one SQLite file, opened through `src/store/db.py`."
    )


def test_items_and_short_paragraphs_are_statements_and_code_tables_and_tasks_are_not() -> None:
    assert [(one.kind, one.line, one.text) for one in find_statements(AGENTS, "AGENTS.md")] == [
        ("pattern", 7, "Tests live beside the code they test, in `tests/`."),
        ("pattern", 10, "Retries are capped at three, because the gateway bans at five (see src/retry.py)."),
        ("gotcha", 15, "Uploads lock each other out unless the database is in WAL mode."),
    ]


def test_what_is_imported_waits_and_names_its_place_and_files(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "retry.py").write_text("tries = 3\n")
    (folder / "AGENTS.md").write_text(AGENTS, "utf-8")
    with Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder()) as memory:
        assert memory.vault.import_markdown([folder], dry_run=True).proposed == 0
        assert memory.count(Filters(every_project=True)) == 0
        done = memory.vault.import_markdown([folder / "AGENTS.md", tmp_path / "nothing.md"])
        assert (done.files, done.proposed) == (1, 3)
        assert "not there" in next(iter(done.problems.values()))
        found = memory.list(memory.filters(states=tuple(MemoryState)))
        assert {one.provenance.channel for one in found} == {Channel.IMPORT}
        assert all(one.trust.needs_review and "loaded-by-client" in one.tags for one in found)
        (retry,) = [one for one in found if "Retries" in one.text]
        assert [str(subject) for subject in retry.subjects] == ["file:src/retry.py"]
        assert memory.history(retry.id)[0].why == "from AGENTS.md, line 10"
        assert memory.vault.import_markdown([folder / "AGENTS.md"]).known == 3


def test_an_export_is_a_folder_of_notes(vaulted: Recollect, tmp_path: Path) -> None:
    vaulted.remember("Retries are capped at 3", kind="decision")
    vaulted.remember("Retries are capped at 3 for uploads of images only", kind="decision")
    assert vaulted.vault.export_markdown(tmp_path / "out") == 2
    texts = {read_note(place.read_text("utf-8")).text for place in (tmp_path / "out").rglob("*.md")}
    assert "Retries are capped at 3" in texts
    assert len(texts) == 2
