"""A file on a network is recognised, and its store does without a log in shared memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import config, doctor
from recollect.store.sqlite import driver, files
from recollect.store.sqlite.files import find_file_system, find_network
from tests.builders import an_engine

pytestmark = pytest.mark.sqlite

LINE = "36 25 0:31 / {point} rw,relatime shared:1 - {kind} server:/export rw"
ROOT = LINE.format(point="/", kind="ext4")


def table(*lines: str) -> files.MountTable:
    return lambda: "\n".join((ROOT, *lines))


@pytest.mark.parametrize(
    "kind",
    "nfs nfs4 cifs smb3 smbfs 9p fuse.sshfs fuse.rclone fuse gpfs lustre ceph beegfs afs virtiofs vboxsf".split(),
)
def test_a_network_file_system_is_recognised(tmp_path: Path, kind: str) -> None:
    mounted = table(LINE.format(point=tmp_path, kind=kind))
    assert find_network(tmp_path / "deep" / "memories.db", mounted) == kind


@pytest.mark.parametrize("kind", "ext4 xfs btrfs zfs apfs tmpfs overlay fuseblk fuse.gocryptfs f2fs".split())
def test_a_disk_of_this_machine_is_none(tmp_path: Path, kind: str) -> None:
    assert find_network(tmp_path / "memories.db", table(LINE.format(point=tmp_path, kind=kind))) == ""


def test_the_mount_nearest_to_the_file_counts(tmp_path: Path) -> None:
    (tmp_path / "local").mkdir()
    mounted = table(
        LINE.format(point=tmp_path, kind="nfs4"), LINE.format(point=tmp_path / "local", kind="ext4")
    )
    assert find_file_system(tmp_path / "memories.db", mounted) == "nfs4"
    assert find_file_system(tmp_path / "local" / "memories.db", mounted) == "ext4"
    # A name that only begins alike is another folder.
    (tmp_path / "local-not").mkdir()
    assert find_file_system(tmp_path / "local-not" / "memories.db", mounted) == "nfs4"


def test_the_last_of_two_mounts_on_one_point_lies_on_top(tmp_path: Path) -> None:
    lines = [LINE.format(point=tmp_path, kind=kind) for kind in ("ext4", "nfs")]
    assert find_file_system(tmp_path / "memories.db", table(*lines)) == "nfs"
    assert find_file_system(tmp_path / "memories.db", table(*reversed(lines))) == "ext4"


def test_a_link_is_followed_and_spaces_are_read(tmp_path: Path) -> None:
    share = tmp_path / "my share"
    share.mkdir()
    (tmp_path / "link").symlink_to(share)
    mounted = table(LINE.format(point=str(share).replace(" ", "\\040"), kind="cifs"))
    assert find_network(tmp_path / "link" / "memories.db", mounted) == "cifs"


@pytest.mark.parametrize("text", ["", "nonsense", "1 2 3 - ", "\0"])
def test_a_table_that_cannot_be_read_speaks_against_nothing(tmp_path: Path, text: str) -> None:
    assert find_network(tmp_path / "memories.db", lambda: text) == ""


def test_this_machines_own_table_can_be_read(tmp_path: Path) -> None:
    assert find_network(tmp_path / "memories.db") == ""


def test_a_store_on_a_network_does_without_the_log_and_stays_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "memories.db"
    with an_engine(file) as memory:  # made on a local disk, with a log
        memory.remember("Retries are capped at 3")
        assert memory._db.pragma("journal_mode") == "wal"
    monkeypatch.setattr(files, "_read_mountinfo", table(LINE.format(point=tmp_path, kind="nfs4")))
    with an_engine(file) as memory:
        assert memory._db.network == "nfs4"
        assert memory._db.pragma("journal_mode") == "delete"
        assert memory._db.pragma("synchronous") == 2
        assert memory._db.pragma("mmap_size") == 0
        memory.remember("Deploys run at night")
        assert not file.with_name("memories.db-wal").exists()
        assert not file.with_name("memories.db-shm").exists()
    with an_engine(file, read_only=True) as memory:
        assert memory.count() == 2
        assert [f for f in memory.admin.verify() if f.verdict != "pass"] == []
    monkeypatch.undo()
    with an_engine(file) as memory:
        assert memory._db.pragma("journal_mode") == "wal"
        assert memory.count() == 2


def test_the_doctor_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "memories.db"
    an_engine(file).close()
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    monkeypatch.setattr(files, "_read_mountinfo", table(LINE.format(point=tmp_path, kind="nfs4")))
    found = {f.check: f for f in doctor.check_up(config.load_settings(flags={"db": str(file)}))}
    assert found["file system"].verdict == "warn"
    assert "network (nfs4)" in found["file system"].detail
    assert "write-ahead log" in found["file system"].detail


def test_a_network_that_refuses_the_journal_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal mode that does not take is an error, not a silent other mode."""
    file = tmp_path / "memories.db"
    an_engine(file).close()
    db = driver.connect(str(file), create=False)
    monkeypatch.setattr(type(db), "pragma", lambda self, name, value=None: "memory")
    with pytest.raises(driver.StoreError, match="journal"):
        driver._set_journal(db, "wal")
    monkeypatch.undo()
    db.close()
