"""Opening a store: what must hold, and what is said when it does not. Nothing that is refused is changed."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest

from recollect import Recollect
from recollect.errors import (
    BadInput,
    NotOurStore,
    SchemaTooNew,
    SqliteTooOld,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
)
from recollect.store import sql
from recollect.store.sqlite import driver, errors
from recollect.store.sqlite.driver import APPLICATION_ID, DIALECT, SqliteDb
from tests.builders import a_db, an_engine
from tests.store.processes import NOBODY, child, is_root, started

pytestmark = pytest.mark.sqlite


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memories.db"


@pytest.fixture
def db(file: Path) -> Iterator[SqliteDb]:
    opened = a_db(file)
    yield opened
    opened.close()


@pytest.fixture
def kept(file: Path) -> Path:
    """A store that holds one memory."""
    with an_engine(file) as memory:
        memory.remember("Something worth keeping")
    return file


def still_works(file: Path) -> None:
    with an_engine(file) as memory:
        assert [found.text for found in memory.list()] == ["Something worth keeping"]
        assert memory._db.pragma("integrity_check") == "ok"


def says(error: pytest.ExceptionInfo[StoreError], file: Path, *remedy: str) -> None:
    """One sentence or two, naming the file and something a person can do."""
    sentence = str(error.value)
    assert str(file) in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert any(word in sentence for word in remedy), sentence


# -- what must hold ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),
        ("foreign_keys", 1),
        ("trusted_schema", 0),
        ("temp_store", 2),
        ("application_id", APPLICATION_ID),
        ("user_version", sql.newest_schema(DIALECT)),
        ("encoding", "UTF-8"),
    ],
)
def test_pragmas_are_really_in_force(db: SqliteDb, pragma: str, value: object) -> None:
    assert db.pragma(pragma) == value


def test_pragmas_are_in_force_when_reading_only(kept: Path) -> None:
    db = a_db(kept, read_only=True)
    try:
        assert [db.pragma(name) for name in ("foreign_keys", "synchronous", "trusted_schema")] == [1, 2, 0]
        with pytest.raises(StoreReadOnly):
            db.run("meta_set", key="a", value="b")
    finally:
        db.close()


def test_a_pragma_that_does_not_hold_is_not_ignored(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # SQLite takes any number for this one and keeps another: as if it had not listened.
    monkeypatch.setattr(driver, "_PRAGMAS", (("synchronous", 2), ("max_page_count", 0)))
    with pytest.raises(StoreError, match="pragma max_page_count stayed") as error:
        a_db(file)
    says(error, file, "stayed")


def test_foreign_keys_are_enforced(db: SqliteDb) -> None:
    with pytest.raises(apsw.ConstraintError, match="FOREIGN KEY"):
        db.run("tag_insert", tag="a", memory_num=1, position=0)


def test_a_wrong_type_is_refused(db: SqliteDb) -> None:
    with pytest.raises(apsw.ConstraintError, match="cannot store TEXT value in INTEGER column"):
        db.run("migration_record", number=99, name="x", applied_at="yesterday")


def test_waiting_for_other_writers_is_set(db: SqliteDb) -> None:
    assert db.pragma("busy_timeout") == errors.BUSY_SECONDS * 1000


def test_the_file_is_private_in_a_private_folder(tmp_path: Path) -> None:
    file = tmp_path / "new" / "deeper" / "memories.db"
    before = os.umask(0)
    try:
        with an_engine(file) as memory:
            memory.remember("Only for me")
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    ends = ("", "-wal", "-shm", ".commits", ".reserve")
    assert modes == {f"memories.db{end}": 0o600 for end in ends}


def test_a_new_store_has_its_name_on_disk_up_to_the_first_folder_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file whose name, or whose folder's name, is lost with the power is lost too."""
    synced: list[Path] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").resolve())
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    a_db(tmp_path / "new" / "deeper" / "memories.db").close()
    assert {tmp_path / "new" / "deeper", tmp_path / "new", tmp_path} <= set(synced)


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o755)
    a_db(tmp_path / "mine" / "memories.db").close()
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o755


def test_a_store_in_memory_is_like_any_other() -> None:
    db = a_db()
    assert db.pragma("user_version") == sql.newest_schema(DIALECT)
    assert db.pragma("foreign_keys") == 1


def test_opening_twice_in_one_process_keeps_the_locks_of_the_first(kept: Path) -> None:
    """POSIX drops all locks of a process on a file when it closes the file anywhere."""
    first = a_db(kept)
    try:
        first.row("any_table")
        assert is_locked(kept)
        a_db(kept).close()
        assert is_locked(kept)
    finally:
        first.close()


def is_locked(file: Path) -> bool:
    """Whether another process finds the bytes locked by which SQLite knows that a database is in use."""
    tried = f"""
import fcntl
with open({str(file)!r}, "r+b") as stream:
    try:
        fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
    except OSError:
        print("locked")
"""
    return (
        subprocess.run([sys.executable, "-c", tried], capture_output=True, text=True, check=True).stdout != ""
    )


def test_many_processes_may_make_the_store_at_the_same_moment(file: Path) -> None:
    code = """
import sys
from recollect import Recollect
from tests.hash_embedder import HashEmbedder
print("ready", flush=True)
sys.stdin.readline()
with Recollect(sys.argv[1], folder=None, embedder=HashEmbedder()) as memory:
    memory.remember(f"Process {sys.argv[2]} was number {int(sys.argv[2]) * 17}")
"""
    children = [started(code, file, number) for number in range(6)]
    for process in children:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in children:
        process.communicate("go\n")
    assert [process.returncode for process in children] == [0] * 6
    with an_engine(file) as memory:
        assert memory.count() == 6


# -- what is not a store of ours -----------------------------------------------------------------------------


def test_a_newer_schema_is_left_alone(kept: Path) -> None:
    db = a_db(kept)
    db.pragma("user_version", sql.newest_schema(DIALECT) + 1)
    db.close()
    before = kept.read_bytes()
    with pytest.raises(
        SchemaTooNew, match=f"is at schema {sql.newest_schema(DIALECT) + 1}; this recollect knows up to"
    ) as error:
        an_engine(kept)
    says(error, kept, "Upgrade recollect")
    assert kept.read_bytes() == before


def another_programs(file: Path, *pragmas: str) -> bytes:
    connection = apsw.Connection(str(file))
    connection.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('theirs')")
    for pragma in pragmas:
        connection.execute(pragma)
    connection.close()
    return file.read_bytes()


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "pragmas",
    [
        (),
        ("PRAGMA application_id = 1234",),
        ("PRAGMA user_version = 1",),
        ("PRAGMA journal_mode = wal", "INSERT INTO notes VALUES ('more')"),
    ],
    ids=["plain", "marked", "versioned", "with a log"],
)
def test_another_programs_database_is_left_untouched(
    file: Path, pragmas: tuple[str, ...], read_only: bool
) -> None:
    before = another_programs(file, *pragmas)
    with pytest.raises(NotOurStore, match="another program") as error:
        an_engine(file, read_only=read_only)
    says(error, file, "--db")
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize(
    "content", [b"Dear diary,\n", b"x", b"SQLite format 2\0" + b"\1" * 200, b"\x89PNG" * 50]
)
def test_a_file_that_is_no_database_is_left_untouched(file: Path, content: bytes, create: bool) -> None:
    file.write_bytes(content)
    with pytest.raises(NotOurStore, match="not a recollect database") as error:
        an_engine(file, create=create)
    says(error, file, "--db")
    assert file.read_bytes() == content


@pytest.mark.parametrize("create", [True, False])
def test_a_folder_is_no_store(tmp_path: Path, create: bool) -> None:
    folder = tmp_path / "folder.db"
    folder.mkdir()
    with pytest.raises(NotOurStore, match="it is not a file") as error:
        an_engine(folder, create=create)
    says(error, folder, "--db")
    assert list(folder.iterdir()) == []


def test_a_pipe_is_no_store_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    with pytest.raises(NotOurStore, match="it is not a file"):
        an_engine(tmp_path / "pipe.db")


@pytest.mark.parametrize("size", [100, 512, 4096, 20_000])
def test_a_file_of_zeros_is_a_damaged_store(file: Path, size: int) -> None:
    file.write_bytes(bytes(size))
    with pytest.raises(StoreCorrupt, match="its first page is empty") as error:
        an_engine(file)
    says(error, file, "recollect restore")
    assert file.read_bytes() == bytes(size)


@pytest.mark.parametrize("create", [True, False])
def test_an_empty_file_becomes_a_store(file: Path, create: bool) -> None:
    file.touch()
    with an_engine(file, create=create) as memory:
        memory.remember("Something worth keeping")
    still_works(file)


@pytest.mark.parametrize("how", [{"create": False}, {"read_only": True}])
def test_a_missing_store_is_not_made_when_it_should_be_there(file: Path, how: dict[str, bool]) -> None:
    with pytest.raises(StoreMissing) as error:
        an_engine(file, **how)
    says(error, file, "recollect remember")
    assert not file.exists()
    assert error.value.exit_code == 3


@pytest.mark.parametrize("place", range(0, 4096, 512))
def test_damage_in_the_first_page_is_said_not_shown_as_a_traceback(kept: Path, place: int) -> None:
    content = bytearray(kept.read_bytes())
    content[place : place + 512] = os.urandom(512)
    kept.write_bytes(content)
    try:
        with an_engine(kept) as memory:
            memory.list()
    except StoreError as error:
        assert str(kept) in str(error)
    except apsw.SQLError as error:
        # Damage that leaves a schema that reads well but says nonsense: shown as what it is.
        assert "no such" in str(error) or "malformed" in str(error)


def test_an_address_of_another_kind_of_database_is_refused() -> None:
    with pytest.raises(BadInput, match="mysql:// is not a database address this version knows"):
        a_db("mysql://localhost/memories")


def test_a_library_that_loses_data_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")
    with pytest.raises(SqliteTooOld, match=r"SQLite 3\.51\.2 .* needs 3\.51\.3") as error:
        an_engine(file)
    assert "Upgrade the apsw package" in str(error.value)
    assert not file.exists()


# -- rights --------------------------------------------------------------------------------------------------

OPEN = "answer(told(lambda: opened(**given['how'])))"


def opened_without_rights(file: Path, **how: bool) -> dict[str, str]:
    """Open as somebody without rights; a user who is not root is such a one already."""
    return child(OPEN, user=NOBODY if is_root() else None, db=file, how=how)


@pytest.fixture
def reachable(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that any user may walk to, which pytest's own folders are not."""
    with TemporaryDirectory() as name:
        place = Path(name).resolve()
        place.chmod(0o755)
        for variable in ("HOME", "RECOLLECT_HOME"):
            monkeypatch.setenv(variable, name)
        (place / "shared").mkdir(mode=0o755)
        yield place / "shared"


def a_kept_one(folder: Path) -> Path:
    with an_engine(folder / "memories.db") as memory:
        memory.remember("Something worth keeping")
    return folder / "memories.db"


def test_a_file_that_may_only_be_read_is_said_to_be_so(reachable: Path) -> None:
    file = a_kept_one(reachable)
    file.chmod(0o444)
    reachable.chmod(0o777)  # everything else would be allowed
    before = file.read_bytes()
    told = opened_without_rights(file)
    assert told["error"] == "StoreReadOnly", told
    assert f"{file} cannot be written" in told["sentence"]
    assert "Give yourself write permission" in told["sentence"]
    assert file.read_bytes() == before
    file.chmod(0o600)
    still_works(file)


def test_a_folder_that_may_not_be_written_is_said_to_be_so(reachable: Path) -> None:
    reachable.chmod(0o555)
    try:
        told = opened_without_rights(reachable / "memories.db")
    finally:
        reachable.chmod(0o755)
    assert told["error"] == "StoreReadOnly", told
    assert f"{reachable / 'memories.db'} cannot be written: Permission denied" in told["sentence"]
    assert list(reachable.iterdir()) == []
    still_works(a_kept_one(reachable))


def test_a_store_in_a_folder_that_may_not_be_written_is_said_to_be_so(reachable: Path) -> None:
    file = a_kept_one(reachable)
    file.chmod(0o666)
    reachable.chmod(0o555)
    before = file.read_bytes()
    try:
        told = opened_without_rights(file)
    finally:
        reachable.chmod(0o755)
    assert told["error"] == "StoreReadOnly", told
    assert str(file) in told["sentence"]
    assert file.read_bytes() == before
    still_works(file)


@pytest.mark.parametrize("how", [{}, {"create": False}, {"read_only": True}], ids=str)
def test_a_file_of_somebody_else_is_said_to_be_so(reachable: Path, how: dict[str, bool]) -> None:
    file = a_kept_one(reachable)
    file.chmod(0o000)
    told = opened_without_rights(file, **how)
    assert told["error"] == "StoreReadOnly", told
    assert str(file) in told["sentence"]
    assert "permission" in told["sentence"]
    file.chmod(0o600)
    still_works(file)


def test_a_folder_that_is_a_file_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for address in (tmp_path / "file" / "memories.db", tmp_path / "file" / "deeper" / "memories.db"):
        with pytest.raises(StoreReadOnly) as error:
            an_engine(address)
        says(error, address, "--db")
    assert (tmp_path / "file").read_text() == "mine"


# -- disk ----------------------------------------------------------------------------------------------------

FILL = """
memory = opened()
memory.remember("Something worth keeping first")
{limit}
written, said = 0, {{"ok": ""}}
while "ok" in said and written < 5000:
    said = told(lambda: memory.remember(f"Number {{written}} " + os.urandom(3000).hex()))
    written += 1
{free}
again = told(lambda: memory.remember("Works again"))
memory.close()
answer({{"said": said, "again": again, "acknowledged": written - 1}})
"""


def filled(file: Path, limit: str, free: str) -> dict[str, dict[str, str]]:
    told = child(FILL.format(limit=limit, free=free), db=file)
    with an_engine(file) as memory:
        # Everything acknowledged is there, nothing of what was refused.
        assert memory.count() == told["acknowledged"] + 2
        assert memory._db.pragma("integrity_check") == "ok"
        assert [finding for finding in memory.admin.verify() if finding.verdict != "pass"] == []
    return told


def test_a_full_disk_is_said_and_the_store_works_again_when_there_is_room(file: Path) -> None:
    """A file system of our own whose writes fail as on a full disk, under the real SQLite."""
    limit = """
import apsw

class Disk(apsw.VFS):
    full = False
    def __init__(self):
        super().__init__("disk", "unix", makedefault=True)
    def xOpen(self, name, flags):
        return OnDisk("unix", name, flags)

class OnDisk(apsw.VFSFile):
    def xWrite(self, data, offset):
        if Disk.full:
            raise apsw.FullError("database or disk is full")
        super().xWrite(data, offset)

memory.close()
disk = Disk()
memory = opened()
memory.remember("Something worth keeping: the disk still has room")
Disk.full = True
"""
    told = child(FILL.format(limit=limit, free="Disk.full = False"), db=file)
    assert told["said"]["error"] == "StoreFull", told
    assert f"The disk that holds {file} is full" in told["said"]["sentence"]
    assert "Free some space and try again" in told["said"]["sentence"]
    assert "ok" in told["again"], told
    assert told["acknowledged"] == 0
    with an_engine(file) as memory:
        assert memory.count() == 3


def test_no_more_pages_is_a_full_disk(file: Path) -> None:
    told = filled(
        file,
        limit="memory._db.pragma('max_page_count', memory._db.pragma('page_count') + 20)",
        free="memory._db.pragma('max_page_count', 1_000_000)",
    )
    assert told["said"]["error"] == "StoreFull", told
    assert "ok" in told["again"], told
    assert told["acknowledged"] > 0


def test_a_file_that_may_not_grow_is_said_with_a_remedy(file: Path) -> None:
    """A limit of the system on file sizes, as quotas have it."""
    told = filled(
        file,
        limit="resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))",
        free="resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))",
    )
    assert told["said"]["error"] in ("StoreError", "StoreFull"), told
    assert str(file) in told["said"]["sentence"]
    assert "free space" in told["said"]["sentence"] or "Free some space" in told["said"]["sentence"]
    assert "ok" in told["again"], told
    assert told["acknowledged"] > 0


def test_a_disk_that_is_full_at_birth_leaves_no_broken_store(file: Path) -> None:
    code = """
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
said = told(lambda: opened())
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
again = told(lambda: opened().remember("Something worth keeping"))
answer({"said": said, "again": again})
"""
    told = child(code, db=file)
    assert told["said"]["error"] in ("StoreError", "StoreFull"), told
    assert str(file) in told["said"]["sentence"]
    assert "ok" in told["again"], told
    still_works(file)


# -- other writers -------------------------------------------------------------------------------------------

HOLD = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
connection.close()
"""


@pytest.fixture
def held(kept: Path) -> Iterator[Path]:
    """A store that another process holds locked for writing."""
    process = started(HOLD, kept)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield kept
    if process.poll() is None:
        process.communicate("go\n", timeout=30)


def test_a_store_that_stays_locked_is_said_to_be_so(
    held: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(errors, "BUSY_SECONDS", 0.2)
    with an_engine(held) as memory:
        with pytest.raises(StoreBusy) as error:
            memory.remember("Has to wait")
        says(error, held, "Try again")
        assert "locked by process" in str(error.value) or not Path("/proc/locks").exists()
        assert error.value.exit_code == 4
        assert memory.count() == 1
    still_works(held)


def test_a_locked_store_can_be_read(held: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "BUSY_SECONDS", 0.2)
    with an_engine(held) as memory:
        assert [found.text for found in memory.list()] == ["Something worth keeping"]


def test_a_writer_waits_until_the_other_has_finished(kept: Path) -> None:
    process = started(HOLD.replace("sys.stdin.readline()", "import time; time.sleep(0.3)"), kept)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    with an_engine(kept) as memory:
        memory.remember("Had to wait")
        assert memory.count() == 2
    process.communicate(timeout=30)


def test_the_birth_of_a_store_waits_too(file: Path) -> None:
    process = started(HOLD.replace("sys.stdin.readline()", "import time; time.sleep(0.3)"), file)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    with an_engine(file) as memory:
        memory.remember("Something worth keeping")
    process.communicate(timeout=30)
    still_works(file)


def test_a_closed_memory_gives_the_file_back(kept: Path) -> None:
    with Recollect(kept, folder=None) as memory:
        memory.list()
    ends = ("", ".commits", ".reserve")
    assert {path.name for path in kept.parent.iterdir()} == {f"{kept.name}{end}" for end in ends}
    with kept.open("r+b") as stream:
        fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_each_trouble_has_its_own_code() -> None:
    codes = [
        error.code for error in (StoreBusy, StoreFull, StoreReadOnly, StoreCorrupt, NotOurStore, SchemaTooNew)
    ]
    assert len(set(codes)) == len(codes)
    assert StoreFull.__doc__ and "nothing was changed" in StoreFull.__doc__
