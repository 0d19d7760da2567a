"""What the check-up of a store finds, and that damage is a finding and never a crash."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import StoreError
from recollect.model.health import Finding, FindingLevel
from tests.builders import an_engine

pytestmark = pytest.mark.sqlite


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "memories.db"
    with an_engine(place) as memory:
        memory.remember_many(
            [
                memory.draft(f"Memory {n} about {n * 7919} {os.urandom(150).hex()}", tags=["t"])
                for n in range(40)
            ]
        )
    return place


def failed(memory: Recollect) -> dict[str, Finding]:
    return {
        finding.check: finding
        for finding in memory.admin.verify()
        if finding.verdict is not FindingLevel.PASS
    }


def changed(memory: Recollect, statement: str, *values: str) -> None:
    memory._db._connection.execute("PRAGMA foreign_keys = OFF")
    memory._db._connection.execute(statement, values)


def test_a_sound_store_passes_every_check(file: Path) -> None:
    with an_engine(file) as memory:
        assert [finding.check for finding in memory.admin.verify()] == [
            "database file",
            "commits",
            "links",
            "memories",
            "search index",
        ]
        assert failed(memory) == {}


def test_a_store_that_may_only_be_read_passes_too(file: Path) -> None:
    with an_engine(file, read_only=True) as memory:
        assert failed(memory) == {}


def test_a_text_that_was_altered_is_named(file: Path) -> None:
    with an_engine(file) as memory:
        target = memory.list(limit=1)[0]
        changed(memory, "UPDATE memory SET text = 'forged' WHERE id = ?", target.id)
        found = failed(memory)
        assert list(found) == ["memories"]
        assert f"1 of 40 were altered: {target.id}" in found["memories"].detail
        assert found["memories"].fix == "recollect doctor --fix"


def test_a_row_that_points_to_nothing_is_counted(file: Path) -> None:
    with an_engine(file) as memory:
        changed(memory, "INSERT INTO memory_tag (tag, memory_num, position) VALUES ('x', 9999, 0)")
        assert "1 rows point to nothing" in failed(memory)["links"].detail


def test_an_index_that_lost_an_entry_is_mended_by_writing_it_anew(file: Path) -> None:
    with an_engine(file) as memory:
        changed(memory, "DELETE FROM memory_fts WHERE rowid = 3")
        found = failed(memory)
        assert found["search index"].detail == "40 memories, but 39 entries"
        assert found["search index"].fix == "recollect doctor --fix"
        memory.admin.rebuild_search_index()
        assert failed(memory) == {}


def test_an_index_that_is_broken_inside_is_found(file: Path) -> None:
    with an_engine(file) as memory:
        changed(memory, "UPDATE memory_fts_data SET block = x'00112233' WHERE id > 1000")
        assert failed(memory)["search index"].fix == "recollect doctor --fix"


def test_damage_is_a_finding_or_a_sentence_wherever_it_strikes(file: Path) -> None:
    """Sixteen bytes of chance at the start of a page, page after page."""
    whole = file.read_bytes()
    chance = random.Random(5)
    pages = chance.sample(range(1, len(whole) // 4096), 40)
    told = unseen = 0
    for page in pages:
        blob = bytearray(whole)
        blob[page * 4096 : page * 4096 + 16] = chance.randbytes(16)
        file.write_bytes(blob)
        try:
            memory = an_engine(file)
        except StoreError as error:
            assert str(file) in str(error)
            told += 1
        else:
            found = failed(memory)
            told += bool(found)
            unseen += not found
            memory.close()
        for end in ("-wal", "-shm"):
            file.with_name(file.name + end).unlink(missing_ok=True)
    print(f"{len(pages)} pages damaged: {told} told, {unseen} not seen")
    assert unseen <= 2


def test_a_question_after_a_purge_counts_no_more_than_there_are(memory: Recollect) -> None:
    ids = [memory.remember(f"Apple pie number {n} tastes {n * 7919}").memory.id for n in range(12)]
    assert len(memory.recall("apple pie")) == 10
    memory.purge(*ids[1:])
    assert len(memory.recall("apple pie")) == 1
    memory.remember("Apple pie with cream")
