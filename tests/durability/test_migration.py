"""A change of the schema is killed, or its disk fails, at every step: the store has the old schema or the new one."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import apsw
import pytest

from recollect.errors import StoreError
from recollect.store import sql
from recollect.store.open import open_db
from recollect.store.recovery import salvage
from recollect.store.safety import snapshots
from recollect.store.sqlite.driver import APPLICATION_ID, DIALECT, connect
from tests.builders import NOON, an_engine
from tests.durability.power import disk_with_power
from tests.durability.test_io_faults import FAULTS, _Failing
from tests.durability.workload import content
from tests.store.processes import started

FIRST = sql.migrations(DIALECT)[0]

# One interpreter forks for every kill. The progress handler of SQLite counts steps; at the given one the child dies.
KILLER = """
import json, os, signal, sys
from datetime import UTC, datetime
from recollect.store import open as opening

whole = opening.migrate


def counted(db, now, most):
    steps = [0]
    def step():
        steps[0] += 1
        if steps[0] == most:
            os.kill(os.getpid(), signal.SIGKILL)
        return False
    db._connection.set_progress_handler(step, 10)
    try:
        whole(db, now)
    finally:
        db._connection.set_progress_handler(None)
    return steps[0]


for line in sys.stdin:
    file, most = json.loads(line)
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        steps = []
        opening.migrate = lambda db, now: steps.append(counted(db, now, most))
        opening.open_db(file, datetime(2026, 5, 8, tzinfo=UTC)).close()
        os.write(tell, str(steps[0]).encode())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    os.close(tell)
    print(json.dumps([status, int(os.read(told, 20) or 0)]), flush=True)
    os.close(told)
"""


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the first schema with memories in it, as the first version left it."""
    folder = tmp_path_factory.mktemp("old")
    with an_engine(folder / "today.db") as memory:
        for n in range(12):
            memory.remember(f"Written long ago, {n} and {n * 7919}", tags=["old"], about=["service:api"])
        number, name, text = FIRST
        first = connect(str(folder / "memories.db"), create=True)
        with first.transaction():
            first.script(text)
            first.run("migration_record", number=number, name=name, applied_at=0)
            first.pragma("application_id", APPLICATION_ID)
            first.pragma("user_version", number)
        first.pragma("foreign_keys", 0)
        for table in salvage.list_tables(first):
            if table.name != "migration":
                salvage.copy_readable(memory._db, first, table, over=True)
        first._connection.execute("DELETE FROM meta WHERE key IN ('store', 'commits')")
        first._connection.execute(
            "INSERT INTO memory_fts (rowid, text, context, subjects) SELECT num, text, '', '' FROM memory"
        )
        first.close()
    return folder / "memories.db"


def schema_of(file: Path) -> tuple[int, bool]:
    """The number of the schema, and whether memories have seals; looked at without opening the store."""
    connection = apsw.Connection(str(file))
    try:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(memory)")]
        assert connection.pragma("integrity_check") == "ok"
        return int(connection.pragma("user_version")), "seal" in columns
    finally:
        connection.close()


OLD, NEW = (1, False), (sql.newest_schema(DIALECT), True)


def assert_whole(file: Path) -> None:
    with an_engine(file) as memory:
        assert memory.count() == 12
        assert [f for f in memory.admin.verify() if f.verdict != "pass"] == []
    assert schema_of(file) == NEW


def test_a_killed_migration_leaves_the_old_schema_or_the_new(
    tmp_path: Path, old: Path, long: bool, tally: Counter[str]
) -> None:
    killer = started(KILLER)
    assert killer.stdin and killer.stdout

    def opened(number: int, most: int) -> tuple[Path, int, int]:
        file = tmp_path / f"{number}.db"
        shutil.copy(old, file)
        killer.stdin.write(json.dumps([str(file), most]) + "\n")
        killer.stdin.flush()
        status, steps = json.loads(killer.stdout.readline())
        return file, status, steps

    try:
        _, status, total = opened(0, 10**9)
        assert status == 0
        kills = 60 if long else 20
        seen: Counter[tuple[int, bool]] = Counter()
        for number in range(1, kills + 1):
            file, status, _ = opened(number, max(1, total * number // kills))
            assert status == 9
            seen[schema_of(file)] += 1
            assert_whole(file)
    finally:
        killer.kill()
        killer.communicate()
    tally["migrations killed"] += kills
    tally["migrations left between two schemas"] += sum(seen.values()) - seen[OLD] - seen[NEW]
    assert set(seen) <= {OLD, NEW}
    assert seen[OLD] > kills / 2


@pytest.mark.parametrize("fault", FAULTS)
def test_a_migration_whose_disk_fails_leaves_the_old_schema_or_the_new(
    tmp_path: Path, old: Path, long: bool, tally: Counter[str], fault: str
) -> None:
    failed = 0
    for number in range(1, 3000, 1 if long else 4):
        folder = tmp_path / str(number)
        folder.mkdir()
        file = Path(shutil.copy(old, folder / "memories.db"))
        with disk_with_power(folder) as disk:
            failing = _Failing(disk, number, fault)
            try:
                open_db(str(file), NOON).close()
            except StoreError as error:
                assert str(folder) in str(error)
            failing.stop()
            assert schema_of(file) in (OLD, NEW)
            assert_whole(file)
        shutil.rmtree(folder)
        if not failing.failed:
            break
        failed += 1
    tally["faults injected into a migration"] += failed
    assert failed > 5


def test_the_store_is_kept_as_it_was_before_its_schema_changes(tmp_path: Path, old: Path) -> None:
    file = Path(shutil.copy(old, tmp_path / "memories.db"))
    before = _texts(file)
    an_engine(file).close()
    (kept,) = snapshots.list_snapshots(str(file))
    assert "before-schema-1" in kept.name
    assert schema_of(kept) == OLD
    assert _texts(kept) == before
    an_engine(file).close()
    assert snapshots.list_snapshots(str(file)) == [kept]


def test_a_store_that_may_only_be_read_is_not_changed_to_a_new_schema(tmp_path: Path, old: Path) -> None:
    file = Path(shutil.copy(old, tmp_path / "memories.db"))
    before = file.read_bytes()
    with pytest.raises(StoreError, match="schema 1"):
        an_engine(file, read_only=True)
    assert file.read_bytes() == before
    assert snapshots.list_snapshots(str(file)) == []


def test_memories_from_before_there_were_seals_are_sealed(tmp_path: Path, old: Path) -> None:
    file = Path(shutil.copy(old, tmp_path / "memories.db"))
    with an_engine(file) as memory:
        assert len(content(memory)) == 12
        assert memory._db.rows("memories_unsealed") == []
        memory._db._connection.execute("UPDATE memory SET text = 'forged' WHERE num = 3")
        assert [f.check for f in memory.admin.verify() if f.verdict == "fail"] == ["memories"]


def _texts(file: Path) -> list[str]:
    connection = apsw.Connection(str(file))
    try:
        return [text for (text,) in connection.execute("SELECT text FROM memory ORDER BY num")]
    finally:
        connection.close()
