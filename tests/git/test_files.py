"""What stands in a file, as git names it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from repos import a_repository, commit, git, isolate

from recollect.git.files import (
    MAX_BYTES,
    blob_id,
    blobs_in_commit,
    hash_on_disk,
    list_folder,
    list_tracked,
    list_untracked,
    measure_drift,
    read_content,
)

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX file names")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are not UTF-8")
HOSTILE = [
    "--output=pwn",
    "-n.md",
    ":(top)x.md",
    "a\nb.md",
    'quo"te.md',
    "tab\there",
    "*.md",
    pytest.param("\udce9t", marks=linux_only),
]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "home")
    return a_repository(tmp_path / "app")


@pytest.mark.parametrize("data", [b"", b"text\n", b"no newline", b"\0binary\r\n\xff", b"lone \r return\n"])
def test_a_blob_has_the_name_git_gives_it(repository: Path, data: bytes) -> None:
    (repository / "file").write_bytes(data)
    assert hash_on_disk(repository / "file") == git(repository, "hash-object", "--no-filters", "file")


def test_line_ends_count_as_git_stores_them_when_it_tidies(repository: Path) -> None:
    (repository / "file").write_bytes(b"one\r\ntwo\r\n")
    tidied = git(repository, "-c", "core.autocrlf=input", "-c", "core.safecrlf=false", "hash-object", "file")
    assert hash_on_disk(repository / "file") == tidied == blob_id(b"one\ntwo\n")


def test_a_repository_of_the_longer_hashes_is_named_in_them(tmp_path: Path, repository: Path) -> None:
    other = a_repository(tmp_path / "other", "--object-format=sha256")
    assert blob_id(b"# other\n", "sha256") == git(other, "rev-parse", "HEAD:README.md")
    assert blobs_in_commit(str(other), "HEAD", ["README.md"]) == {
        "README.md": blob_id(b"# other\n", "sha256")
    }


@posix_only
def test_links_are_named_by_where_they_point_and_never_followed(repository: Path) -> None:
    (repository / "link").symlink_to("nowhere")
    git(repository, "add", "link")
    git(repository, "commit", "-q", "-m", "A link")
    assert hash_on_disk(repository / "link") == blobs_in_commit(str(repository), "HEAD", ["link"])["link"]


@posix_only
def test_only_plain_files_are_opened(repository: Path) -> None:
    os.mkfifo(repository / "pipe")
    assert read_content(repository / "pipe") is None
    assert hash_on_disk(repository / "pipe") is None
    assert hash_on_disk(repository) is None
    assert hash_on_disk(repository / "not there") is None
    assert hash_on_disk(repository / "a\0b") is None
    assert hash_on_disk(repository / ("x" * 5000)) is None


def test_a_very_large_file_is_there_but_not_looked_at(repository: Path) -> None:
    with (repository / "large").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert hash_on_disk(repository / "large") == ""


@posix_only
@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_is_only_a_name(repository: Path, name: str) -> None:
    (repository / "decoy.md").write_text("decoy", encoding="utf-8")
    (repository / name).write_text("x", encoding="utf-8")
    (repository / f"{name}2").write_text("y", encoding="utf-8")
    top = str(repository)
    assert set(list_untracked(top, 10)) == {"decoy.md", name, f"{name}2"}
    git(repository, "add", "--all")
    git(repository, "commit", "-q", "-m", "Odd")
    head = git(repository, "rev-parse", "HEAD")
    assert blobs_in_commit(top, head, [name]) == {name: blob_id(b"x")}
    assert set(list_tracked(top)) == {"README.md", "decoy.md", name, f"{name}2"}
    (repository / name).write_text("x\ny\n", encoding="utf-8")
    assert measure_drift(top, head, name, name) == (0, 1)
    assert not (repository / "pwn").exists()


def test_the_files_of_a_folder_are_those_of_no_other(repository: Path) -> None:
    commit(repository, "src/a.py", "a")
    commit(repository, "src/deep/b.py", "b")
    head = commit(repository, "src2/c.py", "c")
    assert list_folder(str(repository), head, "src") == ["src/a.py", "src/deep/b.py"]
    assert list_folder(str(repository), head, "nowhere") == []


def test_untracked_files_leave_out_the_ignored_and_end_at_a_limit(repository: Path) -> None:
    commit(repository, ".gitignore", "*.log\n")
    for name in ("a.log", "a.txt", "b.txt", "c.txt"):
        (repository / name).write_text("x", encoding="utf-8")
    assert list_untracked(str(repository), 10) == ["a.txt", "b.txt", "c.txt"]
    assert len(list_untracked(str(repository), 2)) == 2


def test_a_commit_that_is_not_there_tells_nothing_of_drift(repository: Path) -> None:
    assert measure_drift(str(repository), "ab" * 20, "README.md", "README.md") == (0, 0)
