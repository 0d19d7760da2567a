"""Serialization failures (SQLSTATE 40001) and lost connections, provoked on a real server: tried again, kept once."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from recollect import Recollect, Remembered
from recollect.store.postgres import errors
from recollect.store.postgres.connections import Address
from tests.builders import an_engine
from tests.databases import find_store

SERIALIZABLE = "options=-c%20default_transaction_isolation%3Dserializable"
TEXT = "The payment service keeps its retries below five"


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A fresh organisation, whose transactions are serializable as on engines that have no other."""
    return f"{find_store('postgres', tmp_path)}&{SERIALIZABLE}"


@pytest.fixture
def memory(address: str) -> Iterator[Recollect]:
    with an_engine(address) as opened:
        yield opened


@pytest.fixture
def meddler(address: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """Somebody else on the same database."""
    with psycopg.connect(Address(address).conninfo, autocommit=True) as connection:
        yield connection


@pytest.fixture
def failures(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the server gave each code for something that may be tried again."""
    counted: Counter[str] = Counter()
    real = errors.is_passing

    def count(error: BaseException) -> bool:
        counted[str(getattr(error, "sqlstate", None))] += 1
        return real(error)

    monkeypatch.setattr(errors, "is_passing", count)
    return counted


def db_of(memory: Recollect) -> Any:
    return memory._wiring.db


def list_texts(memory: Recollect) -> list[str]:
    return [one.text for one in memory.list(memory.filters(every_project=True), limit=1000)]


def test_a_transaction_that_could_not_be_serialized_is_done_again(
    memory: Recollect, meddler: psycopg.Connection[tuple[Any, ...]], failures: Counter[str]
) -> None:
    db = db_of(memory)
    meddled: list[str] = []

    def meddle(query: str, parameters: dict[str, object]) -> None:
        """Read what is being written there, and write what was read there: one of the two cannot have come first."""
        if query == "event_insert" and not meddled:
            meddled.append(query)
            with meddler.transaction():
                meddler.execute("SELECT COUNT(*) FROM recollect.memory")
                meddler.execute(
                    "INSERT INTO recollect.subject_word (org, word, subject) VALUES (%s, 'word', 'service:other')",
                    (db.organisation,),
                )

    db.tracer = meddle
    answer = memory.remember(TEXT, about=["service:payment"])
    db.tracer = None
    assert isinstance(answer, Remembered)
    assert meddled == ["event_insert"]
    assert failures["40001"] >= 1
    assert list_texts(memory) == [TEXT]


def test_a_writer_whose_turn_another_took_begins_again(
    memory: Recollect, meddler: psycopg.Connection[tuple[Any, ...]], failures: Counter[str]
) -> None:
    meddler.execute("BEGIN")
    meddler.execute(
        "UPDATE recollect.organisation SET commits = commits + 1 WHERE num = %s",
        (db_of(memory).organisation,),
    )
    writer = threading.Thread(target=memory.remember, args=(TEXT,))
    writer.start()
    while not _is_anybody_waiting(meddler):
        time.sleep(0.01)
    meddler.execute("COMMIT")
    writer.join(30)
    assert failures["40001"] >= 1
    assert list_texts(memory) == [TEXT]


def test_writers_that_meet_all_keep_what_they_say(address: str, memory: Recollect) -> None:
    engines = [memory, *(an_engine(f"{address}&connections={count}") for count in (2, 3))]

    def write(name: int, engine: Recollect) -> None:
        for number in range(8):
            engine.remember(f"Writer {name} wrote down its fact number {number} of eight")

    threads = [threading.Thread(target=write, args=pair) for pair in enumerate(engines)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    times = Counter(list_texts(memory))
    for engine in engines[1:]:
        engine.close()
    assert len(times) == 24
    assert set(times.values()) == {1}


@pytest.mark.parametrize("moment", ["memory_insert", "event_insert"])
def test_a_connection_ended_by_the_server_in_the_middle_costs_nothing_but_time(
    memory: Recollect, meddler: psycopg.Connection[tuple[Any, ...]], failures: Counter[str], moment: str
) -> None:
    db = db_of(memory)
    ended: list[str] = []

    def end(query: str, parameters: dict[str, object]) -> None:
        if query == moment and not ended:
            ended.append(query)
            meddler.execute("SELECT pg_terminate_backend(%s)", (db._connection.info.backend_pid,))

    db.tracer = end
    answer = memory.remember(TEXT)
    db.tracer = None
    assert isinstance(answer, Remembered)
    assert ended == [moment]
    assert sum(failures.values()) >= 1
    assert list_texts(memory) == [TEXT]


def _is_anybody_waiting(meddler: psycopg.Connection[tuple[Any, ...]]) -> bool:
    row = meddler.execute(
        "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'recollect'"
        " AND wait_event_type = 'Lock' AND %s = ANY (pg_blocking_pids(pid))",
        (meddler.info.backend_pid,),
    ).fetchone()
    return bool(row and row[0])
