"""The nearest memories, found in SQL, in a matrix, or by signs first: all three must say the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from recollect import Recollect
from recollect.model.embedding import Embedding, QueryEmbedding
from recollect.model.query import Filters
from recollect.store.search import vectors
from recollect.store.search.vectors import VectorIndex
from recollect.store.sqlite.driver import SqliteDb
from recollect.store.tables import memories, memory_writes
from tests.builders import a_db, a_memory, an_engine
from tests.hash_embedder import HashEmbedder, vector_of

pytestmark = pytest.mark.sqlite

ALL = Filters(every_project=True)
# As many as a search asks for at least.
FETCHED = 100


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SqliteDb]:
    opened = a_db(tmp_path / "memories.db")
    yield opened
    opened.close()


def clustered(count: int, dimensions: int, seed: int = 1) -> np.ndarray:
    """Unit vectors as texts give them: near each other within a topic, some directions saying more."""
    weight = 1.0 / np.sqrt(1.0 + np.arange(dimensions) / 48.0)
    topics = np.random.default_rng(0).standard_normal((64, dimensions)) * weight
    chance = np.random.default_rng(seed)
    own = chance.standard_normal((count, dimensions)) * weight
    return _unit(topics[chance.integers(0, 64, count)] + own)


def questions(rows: np.ndarray, count: int) -> np.ndarray:
    """Each about one of the rows, in other words: a cosine of about 0.6."""
    chance = np.random.default_rng(7)
    about = rows[chance.integers(0, len(rows), count)]
    return _unit(about + chance.standard_normal(about.shape) * 1.3 / np.sqrt(rows.shape[1]))


def _unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def stored(db: SqliteDb, rows: np.ndarray, model: str = "tried@1") -> int:
    """One memory per vector, in order: the first has number 1."""
    first = memories.read_highest_num(db) + 1
    with db.transaction():
        num = vectors.ensure_model(db, model, rows.shape[1])
        db._connection.execute(_MEMORIES, {"first": first, "last": first + len(rows) - 1})
        for number, row in enumerate(rows, start=first):
            vectors.replace_vector(db, num, number, Embedding(vector=row.tobytes()))
    return num


# Rows for the vectors to belong to: thousands, without the work of remembering them.
_MEMORIES = """
WITH RECURSIVE n (num) AS (SELECT :first UNION ALL SELECT num + 1 FROM n WHERE num < :last)
INSERT INTO memory (num, id, state, kind, scope, confidence, happened_at, channel, source, created_at,
                    updated_at, normal_hash, text_hash, citation, text)
SELECT num, 'memory ' || num, 'active', 'fact', 'global', 0.8, 0, 'user', 'user_taught', 0, 0, '', '', '', '.'
  FROM n
"""


def _new_memory(db: SqliteDb) -> int:
    count = memories.read_highest_num(db)
    return memory_writes.insert_memories(db, [a_memory(f"Memory {count}", number=count + 1)])[0]


def exactly(rows: np.ndarray, query: np.ndarray, limit: int) -> dict[int, float]:
    cosines = rows @ query
    return {int(i) + 1: float(cosines[i]) for i in np.argsort(-cosines)[:limit]}


def in_sql(
    db: SqliteDb, model: int, query: np.ndarray, limit: int, filters: Filters = ALL
) -> dict[int, float]:
    """The first search of a process."""
    return VectorIndex(db, model, len(query)).nearest(query.tobytes(), limit, filters)


def in_matrix(db: SqliteDb, model: int, query: np.ndarray, limit: int) -> dict[int, float]:
    """Every search after it."""
    index = VectorIndex(db, model, len(query))
    index.nearest(query.tobytes(), 1)
    return index.nearest(query.tobytes(), limit)


def alike(one: dict[int, float], other: dict[int, float]) -> bool:
    return list(one) == list(other) and list(one.values()) == pytest.approx(list(other.values()), abs=1e-5)


@pytest.mark.parametrize("dimensions", [8, 64, 100, 257, 384])
def test_sql_and_matrix_agree_with_arithmetic(db: SqliteDb, dimensions: int) -> None:
    rows = clustered(400, dimensions)
    model = stored(db, rows)
    for query in clustered(5, dimensions, seed=2):
        wanted = exactly(rows, query, 20)
        assert alike(in_sql(db, model, query, 20), wanted)
        assert alike(in_matrix(db, model, query, 20), wanted)


def test_without_the_vector_functions_the_matrix_does_all(
    db: SqliteDb, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = clustered(50, 32)
    model = stored(db, rows)
    monkeypatch.setattr(db, "has_vector_functions", lambda: False)
    index = VectorIndex(db, model, 32)
    wanted = exactly(rows, rows[7], 10)
    assert alike(index.nearest(rows[7].tobytes(), 10), wanted)
    assert index.likeness(rows[7].tobytes(), [3, 8]) == pytest.approx(
        {3: rows[2] @ rows[7], 8: 1.0}, abs=1e-5
    )
    assert index.look([rows[7].tobytes()], 0.99).of(0) == pytest.approx({8: 1.0}, abs=1e-5)


@pytest.mark.parametrize("dimensions", [200, 384])
def test_signs_first_find_nearly_all_of_the_nearest(
    db: SqliteDb, monkeypatch: pytest.MonkeyPatch, dimensions: int
) -> None:
    rows = clustered(6000, dimensions)
    model = stored(db, rows)
    monkeypatch.setattr(vectors, "SIGNS_FROM", 1000)
    index = VectorIndex(db, model, dimensions)
    index.nearest(rows[0].tobytes(), 1)
    found = []
    for query in questions(rows, 100):
        best = exactly(rows, query, 20)
        near = index.nearest(query.tobytes(), FETCHED)
        assert all(near[num] == pytest.approx(best[num], abs=1e-5) for num in near.keys() & best.keys())
        found.append(len(near.keys() & best.keys()) / len(best))
    print(f"signs first, {dimensions} dimensions: recall@20 {np.mean(found):.4f} when {FETCHED} are fetched")
    assert np.mean(found) >= 0.95


def test_the_sign_path_orders_by_exact_cosine(db: SqliteDb, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = clustered(300, 100)
    model = stored(db, rows)
    monkeypatch.setattr(vectors, "SIGNS_FROM", 10)
    # Fetching all leaves nothing to the signs.
    assert alike(in_matrix(db, model, rows[5], 300), exactly(rows, rows[5], 300))


def test_more_wanted_than_there_are_gives_all(db: SqliteDb) -> None:
    rows = clustered(3, 16)
    model = stored(db, rows)
    assert len(in_sql(db, model, rows[0], 50)) == len(in_matrix(db, model, rows[0], 50)) == 3


def test_an_empty_store_has_no_nearest(db: SqliteDb) -> None:
    model = vectors.ensure_model(db, "tried@1", 16)
    query = clustered(1, 16)[0]
    assert in_sql(db, model, query, 5) == in_matrix(db, model, query, 5) == {}
    assert VectorIndex(db, model, 16).look([query.tobytes()], 0.0).of(0) == {}


@pytest.mark.parametrize("signs_from", [1, 10_000], ids=["signs", "matrix"])
def test_a_replaced_vector_wins(db: SqliteDb, monkeypatch: pytest.MonkeyPatch, signs_from: int) -> None:
    monkeypatch.setattr(vectors, "SIGNS_FROM", signs_from)
    rows = clustered(50, 32)
    model = stored(db, rows)
    index = VectorIndex(db, model, 32)
    index.nearest(rows[0].tobytes(), 5)
    index.nearest(rows[0].tobytes(), 5)  # now all are in memory
    new = -rows[10]
    vectors.replace_vector(db, model, 11, Embedding(vector=new.tobytes()))
    rows[10] = new
    # Also when all are asked for: the old vector must not speak for the memory after the new one has.
    for limit in (5, 50, 80):
        found = index.nearest(new.tobytes(), limit)
        assert next(iter(found)) == 11
        assert found[11] == pytest.approx(1.0, abs=1e-5)
    assert alike(index.nearest(new.tobytes(), 60), exactly(rows, new, 60))
    assert alike(in_sql(db, model, new, 20), exactly(rows, new, 20))


def test_vectors_of_another_process_are_seen(db: SqliteDb, tmp_path: Path) -> None:
    rows = clustered(21, 32)
    model = stored(db, rows[:20])
    index = VectorIndex(db, model, 32)
    for _ in range(2):
        index.nearest(rows[0].tobytes(), 5)
    other = a_db(tmp_path / "memories.db")
    try:
        stored(other, rows[20:])
    finally:
        other.close()
    assert next(iter(index.nearest(rows[20].tobytes(), 5))) == 21
    assert 21 in index.look([rows[20].tobytes()], 0.99).of(0)


def test_likeness_asked_twice_follows_what_was_written_between(db: SqliteDb) -> None:
    rows = clustered(20, 32)
    model = stored(db, rows)
    index = VectorIndex(db, model, 32)
    asked = rows[0].tobytes()
    for _ in range(2):
        index.nearest(asked, 5)
    assert index.likeness(asked, [3]) == pytest.approx({3: rows[2] @ rows[0]}, abs=1e-5)
    vectors.replace_vector(db, model, 3, Embedding(vector=asked))
    index.nearest(rows[1].tobytes(), 5)
    assert index.likeness(asked, [3]) == pytest.approx({3: 1.0}, abs=1e-5)


def test_models_never_mix(db: SqliteDb) -> None:
    rows, others = clustered(20, 32), clustered(20, 48, seed=9)
    model = stored(db, rows)
    other = vectors.ensure_model(db, "other@1", 48)
    with db.transaction():
        for number, row in enumerate(others, start=1):
            vectors.replace_vector(db, other, number, Embedding(vector=row.tobytes()))
    for path in (in_sql, in_matrix):
        assert alike(path(db, model, rows[3], 20), exactly(rows, rows[3], 20))
        assert alike(path(db, other, others[3], 20), exactly(others, others[3], 20))
    assert VectorIndex(db, model, 32).likeness(rows[3].tobytes(), [4]) == pytest.approx({4: 1.0}, abs=1e-5)


def test_a_model_keeps_its_number(db: SqliteDb) -> None:
    one = vectors.ensure_model(db, "a@1", 8)
    assert vectors.ensure_model(db, "b@1", 8) != one
    assert vectors.ensure_model(db, "a@1", 8) == one


def test_two_processes_that_meet_a_model_at_once_agree_on_its_number(
    db: SqliteDb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = a_db(tmp_path / "memories.db")
    look, looks = db.row, []

    def looked(query: str, **parameters: object) -> object:
        found = look(query, **parameters)
        looks.append(found)
        if len(looks) == 1:  # between our look and our insert, the other has it
            stored(other, clustered(1, 8), model="new@1")
        return found

    monkeypatch.setattr(db, "row", looked)
    try:
        num = vectors.ensure_model(db, "new@1", 8)
        assert looks[0] is None
        assert num == vectors.ensure_model(other, "new@1", 8)
    finally:
        other.close()


def test_a_model_that_is_dropped_takes_its_vectors_along(db: SqliteDb) -> None:
    rows = clustered(5, 8)
    model = stored(db, rows)
    vectors.delete_model(db, model)
    assert db._connection.execute("SELECT COUNT(*) FROM vector").fetchone() == (0,)
    assert vectors.list_models(db) == []


@pytest.mark.parametrize("path", [in_sql, in_matrix])
def test_a_text_without_direction_is_near_to_nothing(db: SqliteDb, path: object) -> None:
    """A model may give zeros for a text without words; they are no number to SQL."""
    rows = np.vstack([clustered(2, 8), np.zeros((1, 8), np.float32)])
    model = stored(db, rows)
    assert path(db, model, rows[0], 5)[3] == 0.0  # type: ignore[operator]
    assert set(path(db, model, rows[2], 5).values()) == {0.0}  # type: ignore[operator]
    assert VectorIndex(db, model, 8).likeness(rows[2].tobytes(), [1]) == {1: 0.0}


def test_the_filter_is_kept_in_sql(db: SqliteDb) -> None:
    rows = clustered(10, 8)
    model = stored(db, rows)
    assert in_sql(db, model, rows[0], 5, Filters(every_project=True, kinds=("decision",))) == {}


class Words(HashEmbedder):
    """A model that also gives word vectors."""

    model_id = "words-1"

    def embed(self, texts: object) -> list[Embedding]:
        return [Embedding(vector=vector_of(text), words=text.encode()) for text in texts]  # type: ignore[attr-defined]

    def embed_query(self, text: str) -> QueryEmbedding:
        return QueryEmbedding(vector=vector_of(text))


def test_word_vectors_go_and_come_with_their_vector(db: SqliteDb) -> None:
    model = vectors.ensure_model(db, "words-1", 4)
    num = _new_memory(db)
    row = clustered(1, 4)[0].tobytes()
    vectors.replace_vector(db, model, num, Embedding(vector=row, words=b"first"))
    assert vectors.read_word_vectors(db, model, [num, 99]) == {num: b"first"}
    vectors.replace_vector(db, model, num, Embedding(vector=row, words=b"second"))
    assert vectors.read_word_vectors(db, model, [num]) == {num: b"second"}
    vectors.replace_vector(db, model, num, Embedding(vector=row))
    assert vectors.read_word_vectors(db, model, [num]) == {}


# -- through the engine --------------------------------------------------------------------------------------


@pytest.fixture
def searched(memory: Recollect) -> Recollect:
    """A memory whose vectors are held in memory already."""
    for text in ("Bananas are yellow fruit", "Submarines dive under ice", "Violins need new strings"):
        memory.remember(text)
    for _ in range(3):
        memory.recall("yellow bananas")
    return memory


def texts(memory: Recollect, question: str) -> list[str]:
    return [hit.memory.text for hit in memory.recall(question)]


def test_a_deleted_memory_is_not_recalled(searched: Recollect) -> None:
    (found,) = [hit.memory for hit in searched.recall("yellow bananas") if "Bananas" in hit.memory.text]
    searched.purge(found.id)
    assert not any("Bananas" in text for text in texts(searched, "yellow bananas"))


def test_a_forgotten_memory_is_not_recalled_until_it_is_back(searched: Recollect) -> None:
    found = searched.recall("yellow bananas")[0].memory
    searched.forget(found.id)
    assert found.text not in texts(searched, "yellow bananas")
    searched.undo()
    assert texts(searched, "yellow bananas")[0] == found.text


def test_an_edited_memory_is_recalled_by_its_new_meaning(searched: Recollect) -> None:
    found = searched.recall("yellow bananas")[0].memory
    searched.edit(found.id, text="Glaciers carve deep valleys")
    assert texts(searched, "glaciers in valleys")[0] == "Glaciers carve deep valleys"
    door = searched._wiring.write_context()
    assert door.index is not None
    near = door.index.nearest(vector_of("Bananas are yellow fruit"), 10)
    assert max(near.values()) < 0.9


def test_what_another_process_remembers_is_recalled(searched: Recollect, tmp_path: Path) -> None:
    with an_engine(tmp_path / "memories.db") as other:
        other.remember("Tulips bloom in the spring")
    assert texts(searched, "spring tulips")[0] == "Tulips bloom in the spring"
