"""Cells of like vectors: a look for what repeats a text finds it at any size, and reads little to do so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from recollect import AlreadyKnown, Recollect, Remembered
from recollect.model.embedding import Embedding
from recollect.store.search import cells, vectors
from recollect.store.search.vectors import VectorIndex
from recollect.store.sqlite.driver import SqliteDb
from tests.api.scripted_embedder import ScriptedEmbedder
from tests.builders import a_db
from tests.conftest import Clock
from tests.store.test_vectors import clustered, stored

pytestmark = pytest.mark.sqlite

DIMENSIONS = 64
NEAR = 0.8


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SqliteDb]:
    opened = a_db(tmp_path / "memories.db")
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def _small_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few go into a cell that some hundred vectors need many of them."""
    monkeypatch.setattr(cells, "MAX_MEMBERS", 40)
    monkeypatch.setattr(cells, "UNFILED", 100)
    monkeypatch.setattr(cells, "PROBES", 8)


def nearly(rows: np.ndarray, cosine: float, seed: int = 5) -> np.ndarray:
    """For each row another one at this cosine to it."""
    noise = np.random.default_rng(seed).standard_normal(rows.shape)
    noise -= (noise * rows).sum(axis=1, keepdims=True) * rows
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    return (cosine * rows + (1 - cosine**2) ** 0.5 * noise).astype(np.float32)


def filed(db: SqliteDb, rows: np.ndarray) -> VectorIndex:
    index = VectorIndex(db, stored(db, rows), rows.shape[1])
    with db.transaction():
        index.file_new()
    return index


def missed(index: VectorIndex, queries: np.ndarray, at_least: float) -> float:
    """The share of near-duplicates that a look does not see; the first query is after memory 1."""
    look = index.look([row.tobytes() for row in queries], at_least)
    return sum(number + 1 not in look.of(number) for number in range(len(queries))) / len(queries)


def test_a_near_duplicate_is_seen_wherever_it_is_filed(db: SqliteDb) -> None:
    rows = clustered(3000, DIMENSIONS)
    index = filed(db, rows)
    assert len(db.rows("cells_all", model_num=1)) > 3 * cells.PROBES
    assert missed(index, nearly(rows, 0.9), NEAR) <= 0.02


def test_a_look_reads_only_the_nearest_cells(db: SqliteDb) -> None:
    rows = clustered(3000, DIMENSIONS)
    index = filed(db, rows)
    read: list[str] = []
    db.tracer = lambda query, _: read.append(query)
    index.look([rows[7].tobytes()], NEAR)
    assert read.count("cell_members") == cells.PROBES
    read.clear()
    index.look([rows[7].tobytes()], NEAR)
    assert "cell_members" not in read  # they are at hand now


def test_no_cell_grows_beyond_its_size(db: SqliteDb) -> None:
    rows = clustered(1500, DIMENSIONS)
    filed(db, rows)
    sizes = [
        row["members"]
        for cell in db.rows("cells_all", model_num=1)
        for row in db.rows("cell_size", model_num=1, cell=cell["num"])
    ]
    assert len(rows) < sum(sizes) <= cells.COPIES * len(rows)
    assert max(sizes) <= cells.MAX_MEMBERS


def test_vectors_that_are_all_the_same_still_find_room(db: SqliteDb) -> None:
    rows = np.repeat(clustered(1, DIMENSIONS), 300, axis=0)
    index = filed(db, rows)
    assert index.look([rows[0].tobytes()], NEAR).of(0)


def test_what_is_not_filed_yet_is_seen_too(db: SqliteDb) -> None:
    rows = clustered(260, DIMENSIONS)
    index = filed(db, rows[:200])
    stored(db, rows[200:])
    assert missed(index, nearly(rows, 0.95), NEAR) <= 0.02


def test_vectors_offered_together_are_compared_with_each_other(db: SqliteDb) -> None:
    rows = clustered(1, DIMENSIONS)
    model = vectors.ensure_model(db, "tried@1", DIMENSIONS)
    look = VectorIndex(db, model, DIMENSIONS).look([rows[0].tobytes(), nearly(rows, 0.9)[0].tobytes()], NEAR)
    assert look.of(1) == {}
    look.note(0, 17)
    assert look.of(1) == pytest.approx({17: 0.9}, abs=1e-4)
    assert look.of(0) == {}


def test_a_process_without_numpy_finds_the_same(db: SqliteDb) -> None:
    rows = clustered(600, DIMENSIONS)
    index = filed(db, rows)
    query = nearly(rows, 0.9)[3].tobytes()
    assert db.has_vector_functions()
    in_sql = index._look_in_sql(query, NEAR)
    assert in_sql.keys() == index.look([query], NEAR).of(0).keys()
    assert in_sql[4] == pytest.approx(0.9, abs=1e-4)


def test_sign_bits_are_the_same_with_and_without_numpy() -> None:
    for dimensions in (8, 64, 100, 384):
        row = clustered(1, dimensions)
        assert cells.pack_signs_of(row[0].tobytes()) == cells.pack_signs(np, row)[0].tobytes()


def test_a_purged_vector_leaves_nothing_in_its_cell(db: SqliteDb) -> None:
    rows = clustered(200, DIMENSIONS)
    filed(db, rows)
    before = _filed_rows(db, 5)
    vectors.delete_vector(db, 1, 5)
    assert (len(before), _filed_rows(db, 5)) == (1, [])


def test_cells_made_by_another_process_are_noticed(db: SqliteDb, tmp_path: Path) -> None:
    rows = clustered(400, DIMENSIONS)
    index = filed(db, rows[:150])
    index.look([rows[0].tobytes()], NEAR)
    other = a_db(tmp_path / "memories.db")
    try:
        filed(other, rows[150:])
    finally:
        other.close()
    assert missed(index, nearly(rows, 0.95), NEAR) <= 0.02


def test_filing_that_is_taken_back_is_forgotten(db: SqliteDb) -> None:
    rows = clustered(300, DIMENSIONS)
    index = VectorIndex(db, stored(db, rows), DIMENSIONS)
    with pytest.raises(ZeroDivisionError), db.transaction():
        index.file_new()
        _ = 1 // 0
    assert missed(index, nearly(rows, 0.95), NEAR) <= 0.02


def test_a_repetition_is_known_after_many_others_came_between(tmp_path: Path, clock: Clock) -> None:
    said = {"Retries are capped at 3": 1.0, "We cap retries at 3": 0.95}
    with Recollect(tmp_path / "m.db", folder=None, embedder=ScriptedEmbedder(said), clock=clock) as memory:
        first = memory.remember("Retries are capped at 3")
        db = a_db(tmp_path / "m.db")
        try:
            model = db.rows("models_all")[0]
            noise = np.random.default_rng(1).standard_normal((400, model["dimensions"]))
            noise[:, 0] = 0.0
            noise /= np.linalg.norm(noise, axis=1, keepdims=True)
            stored(db, noise.astype(np.float32), model["id"])
        finally:
            db.close()
        again = memory.remember("We cap retries at 3")
    assert isinstance(first, Remembered)
    assert isinstance(again, AlreadyKnown)
    assert again.memory.id == first.memory.id


def test_a_look_sees_what_was_filed_since_the_last_search(db: SqliteDb) -> None:
    rows = clustered(600, DIMENSIONS)
    index = filed(db, rows[:300])
    for _ in range(3):  # from the second on, a search keeps vectors in memory
        index.nearest(rows[0].tobytes(), 5)
    stored(db, rows[300:])
    with db.transaction():
        index.file_new()
    assert missed(index, nearly(rows, 0.9), NEAR) <= 0.02


def test_a_replaced_vector_is_found_by_its_new_self_alone(db: SqliteDb) -> None:
    rows = clustered(300, DIMENSIONS)
    index = filed(db, rows)
    vectors.replace_vector(db, 1, 9, Embedding(vector=(-rows[8]).tobytes()))
    assert 9 in index.look([(-rows[8]).tobytes()], NEAR).of(0)
    assert 9 not in index.look([rows[8].tobytes()], NEAR).of(0)


def _filed_rows(db: SqliteDb, memory_num: int) -> list[tuple[object, ...]]:
    return list(db.statement("SELECT cell FROM vector_signs WHERE memory_num = ?", (memory_num,)))
