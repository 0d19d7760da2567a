"""Reading: what is found by which words, without a model, and without a trace in the file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from recollect import Recollect, Remembered
from recollect.errors import AmbiguousId, NotFound, StoreMissing
from recollect.store import sql
from recollect.store.sqlite.driver import DIALECT
from tests.api.scripted_embedder import ScriptedEmbedder
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder


def kept(memory: Recollect, text: str, **details: object) -> str:
    answer = memory.remember(text, **details)  # type: ignore[arg-type]
    assert isinstance(answer, Remembered), answer
    return answer.memory.id


def texts(found: object) -> list[str]:
    return [hit.memory.text for hit in found]  # type: ignore[attr-defined]


@pytest.fixture
def words(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    """A memory that goes by words alone: every other text is at a right angle."""
    with Recollect(tmp_path / "m.db", folder=None, embedder=ScriptedEmbedder(), clock=clock) as opened:
        for number in range(12):
            opened.remember(f"Filler {number}: nothing of interest, item {number}")
        yield opened


# -- by which words --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Call refreshToken before the request", "refresh token"),
        ("Call refresh_token before the request", "refresh token"),
        ("Call RefreshTokenHandler before it", "handler"),
        ("The HTTPServer2 class is old", "http server"),
        ("refresh the token in time", "refreshToken"),
        ("Look at src/auth/session_store.py", "session_store.py"),
        ("Look at src/auth/session_store.py", "auth/session_store.py"),
        ("Look at src/auth/session_store.py", "where is the session store"),
        ("Retries were capped", "retry"),
        ("Größe der Tabelle", "grosse tabelle groesse größe"),
        ("Café opens at eight", "cafe"),
        ("数据库连接池的大小是二十", "连接池"),
        ("キャッシュを消してください", "キャッシュ"),
        ("데이터베이스 연결", "데이터베이스"),
        ("база данных медленная", "данных"),
        ("قاعدة البيانات بطيئة", "البيانات"),
        ("ฐานข้อมูลช้า", "ข้อมูล"),
        ("C++ and C# are both used", "c++"),
        ("The flag is --no-verify", "--no-verify"),
        ('He said "never again"', '"never again"'),
        ("version 3.11.7 is required", "3.11.7"),
        ("it's the admin's job", "admin"),
    ],
)
def test_it_is_found_by(words: Recollect, text: str, question: str) -> None:
    kept(words, text)
    assert texts(words.recall(question, profile="keywords"))[:1] == [text]


def test_a_file_is_found_by_the_tail_of_its_path(words: Recollect) -> None:
    kept(words, "Tokens are checked twice", about=["file:services/api/src/auth/guard.py"])
    kept(words, "Tokens are printed", about=["file:services/web/src/print/guard.ts"])
    for question in ("auth/guard.py", "what about guard.py", "src/auth/guard.py"):
        assert texts(words.recall(question))[:1] == ["Tokens are checked twice"], question


def test_a_name_meets_its_subject_also_with_a_slip_in_it(words: Recollect) -> None:
    kept(words, "Prefers to be called in the morning", about=["person:Katharina Weber"])
    for question in ("katharina", "what does Katharina prefer", "Kathrina", "Katharnia", "Weber"):
        assert texts(words.recall(question))[:1] == ["Prefers to be called in the morning"], question


def test_a_short_word_or_one_with_two_slips_is_not_taken_for_a_name(words: Recollect) -> None:
    kept(words, "Goes down at night", about=["service:web"])
    kept(words, "Prefers to be called in the morning", about=["person:Weber"])
    for question in ("wep", "Wepir"):
        assert texts(words.recall(question, profile="keywords")) == [], question
    assert texts(words.recall("Weper", profile="keywords")) == ["Prefers to be called in the morning"]


def test_only_stop_words_or_marks_find_nothing_and_break_nothing(words: Recollect) -> None:
    kept(words, "Something real")
    for question in ("the of and", "?!", "", "   ", '"', "AND OR NOT", "*", "()", "\0", "a" * 30_000):
        words.recall(question)


def test_a_new_word_is_found_at_once_in_a_store_that_has_been_asked_before(words: Recollect) -> None:
    assert texts(words.recall("marmalade", profile="keywords")) == []
    kept(words, "There is marmalade in the cupboard")
    assert texts(words.recall("marmalade", profile="keywords")) == ["There is marmalade in the cupboard"]


def test_what_was_said_beside_it_in_the_session_brings_it_into_view(words: Recollect) -> None:
    kept(words, "We talked about the zeppelin tour", session="s")
    kept(words, "It was postponed to June", session="s")
    kept(words, "Lunch was soup", session="other")
    assert set(texts(words.recall("zeppelin", profile="keywords"))) == {
        "We talked about the zeppelin tour",
        "It was postponed to June",
    }


# -- ids -------------------------------------------------------------------------------------------------


def test_the_first_characters_of_an_id_are_enough(memory: Recollect, clock: Clock) -> None:
    first = kept(memory, "First one")
    clock.pass_(days=30)
    kept(memory, "Second one")
    assert memory.show(first[:9]).id == first
    assert memory.show(first.lower()).id == first
    with pytest.raises(AmbiguousId, match="Give more"):
        memory.show(first[:1])
    for stranger in ("", " ", "ZZZZ", "not an id", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "0" * 27):
        with pytest.raises(NotFound):
            memory.show(stranger)


# -- reads do not write ----------------------------------------------------------------------------------


def fingerprint(file: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(file.parent.glob(file.name + "*"))
        if not path.name.endswith("-shm")
    }


@pytest.mark.sqlite
def test_recall_runs_no_statement_that_writes(memory: Recollect, tmp_path: Path) -> None:
    for number in range(20):
        memory.remember(f"note {number} on token cache", about=["person:Ada"], session="s")
    memory.recall("warm")
    asked: list[str] = []
    memory._db.tracer = lambda query, _: asked.append(query)
    other = apsw.Connection(str(tmp_path / "memories.db"))
    version = other.pragma("data_version")
    before = fingerprint(tmp_path / "memories.db")
    for question in ("token cache", "Ada yesterday", "nothing at all", "note 3"):
        memory.recall(question, recent_sessions=2)
        memory.recall(question, around="today")
        memory.recall(question, profile="keywords")
    memory.list()
    memory.show(memory.list()[0].id)
    memory.history()
    memory.admin.stats()
    assert fingerprint(tmp_path / "memories.db") == before
    assert other.pragma("data_version") == version
    other.close()
    assert asked
    writing = [name for name in asked if sql.query(DIALECT, name).split()[0] not in ("SELECT", "WITH")]
    assert writing == []


def test_accesses_are_counted_afterwards(tmp_path: Path, clock: Clock) -> None:
    with Recollect(tmp_path / "m.db", folder=None, embedder=HashEmbedder(), clock=clock) as memory:
        made = kept(memory, "The printer is on the third floor")
        clock.pass_(hours=5)
        memory.recall("printer")
        memory.recall("printer floor")
        assert memory.show(made).access_count == 0
        kept(memory, "A write")
        assert memory.show(made).access_count == 2
        assert memory.show(made).last_accessed_at == clock()
        memory.recall("printer")
    with Recollect(tmp_path / "m.db", folder=None, embedder=HashEmbedder(), clock=clock) as memory:
        assert memory.show(made).access_count == 3
        assert memory.admin.stats().accesses == 3 + memory.list()[0].access_count


def test_a_store_opened_for_reading_answers_and_stays_as_it_is(tmp_path: Path, clock: Clock) -> None:
    file = tmp_path / "m.db"
    with Recollect(file, folder=None, embedder=HashEmbedder(), clock=clock) as memory:
        kept(memory, "The printer is on the third floor")
    before = file.read_bytes()
    with Recollect(file, folder=None, embedder=HashEmbedder(), clock=clock, read_only=True) as memory:
        assert texts(memory.recall("printer")) == ["The printer is on the third floor"]
    strange = ScriptedEmbedder(model_id="never seen here")
    with Recollect(file, folder=None, embedder=strange, clock=clock, read_only=True) as memory:
        assert texts(memory.recall("printer")) == ["The printer is on the third floor"]
    assert file.read_bytes() == before


def test_an_answer_is_given_even_if_its_counting_finds_the_store_locked(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.db"
    memory = Recollect(file, folder=None, embedder=HashEmbedder(), clock=clock)
    made = kept(memory, "The printer is on the third floor")
    memory._db._connection.set_busy_timeout(50)
    other = apsw.Connection(str(file))
    other.execute("BEGIN IMMEDIATE")
    assert len(memory.recall("printer")) == 1
    memory.close()
    other.execute("ROLLBACK")
    other.close()
    with Recollect(file, folder=None, embedder=HashEmbedder(), clock=clock) as again:
        assert again.show(made).access_count == 0


# -- the model -------------------------------------------------------------------------------------------


def test_when_the_model_is_down_words_answer_and_it_is_said(tmp_path: Path, clock: Clock) -> None:
    model = ScriptedEmbedder({"The proxy restarts": 1.0, "reboot": 1.0})
    with Recollect(tmp_path / "m.db", folder=None, embedder=model, clock=clock) as memory:
        kept(memory, "The proxy restarts")
        assert texts(memory.recall("reboot")) == ["The proxy restarts"]
        model.is_down = True
        found = memory.recall("reboot")
        assert texts(found) == []
        assert "Searched by words alone" in found.notes[0]
        assert texts(memory.recall("proxy")) == ["The proxy restarts"]


def test_a_search_never_mixes_models(tmp_path: Path, clock: Clock) -> None:
    old = ScriptedEmbedder({"written under the old model": 1.0, "asked": 1.0}, model_id="old")
    new = ScriptedEmbedder({"noted under the new model": 0.5, "asked": 1.0}, model_id="new")
    with Recollect(tmp_path / "m.db", folder=None, embedder=old, clock=clock) as memory:
        kept(memory, "written under the old model")
    with Recollect(tmp_path / "m.db", folder=None, embedder=new, clock=clock) as memory:
        kept(memory, "noted under the new model")
        for _ in range(3):  # by SQL first, by the matrix in memory later
            assert texts(memory.recall("asked")) == ["noted under the new model"]
        assert memory.admin.stats().vectors == {"old": 1, "new": 1}


def test_opening_what_is_not_there_says_where_and_how(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match="recollect remember"):
        Recollect(tmp_path / "none.db", folder=None, create=False)
    assert not (tmp_path / "none.db").exists()
