"""What a methodology may read: files of the checkout, small, and nothing outside of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recollect.methods.bmad import BMAD
from recollect.methods.checkout import MAX_BYTES, MAX_NAMES, CheckoutReader
from recollect.model.method import Surroundings
from tests.methods.projects import write


@pytest.fixture
def files(tmp_path: Path) -> CheckoutReader:
    write(tmp_path, {"secret.txt": "hidden", "shop/a/one.md": "1", "shop/a/two.md": "2", "shop/b.txt": "3"})
    return CheckoutReader(tmp_path / "shop")


def test_files_are_named_by_a_glob_in_order_and_read(files: CheckoutReader) -> None:
    assert files.names("a/*.md") == ["a/one.md", "a/two.md"]
    assert files.text("a/two.md") == "2"
    assert files.names("*/none") == []
    assert files.text("none") == ""


@pytest.mark.parametrize(
    "path", ["../secret.txt", "a/../../secret.txt", "link.txt", "folder/secret.txt", "a"]
)
def test_nothing_outside_the_checkout_is_read(tmp_path: Path, files: CheckoutReader, path: str) -> None:
    (tmp_path / "shop" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "shop" / "folder").symlink_to(tmp_path)
    assert files.text(path) == ""
    assert files.names("../*.txt") == ()


@pytest.mark.parametrize("name", ["nul\0byte", "x" * 5000])
def test_a_name_no_file_system_would_take_is_no_file(files: CheckoutReader, name: str) -> None:
    assert files.text(name) == ""


def test_a_pipe_is_not_waited_for(tmp_path: Path, files: CheckoutReader) -> None:
    os.mkfifo(tmp_path / "shop" / "pipe")
    assert files.text("pipe") == ""


def test_large_files_and_long_lists_are_cut(tmp_path: Path, files: CheckoutReader) -> None:
    write(tmp_path / "shop", {"large.txt": "x" * (MAX_BYTES + 10)})
    write(tmp_path / "shop", {f"many/{number}.md": "" for number in range(MAX_NAMES + 5)})
    assert len(files.text("large.txt")) == MAX_BYTES
    assert len(files.names("many/*.md")) == MAX_NAMES


def test_bytes_that_are_no_text_harm_nothing(tmp_path: Path) -> None:
    (tmp_path / "docs" / "stories").mkdir(parents=True)
    (tmp_path / "docs" / "stories" / "1.1.bad.md").write_bytes(b"\xff\xfe# Status\n\xff in-progress")
    around = Surroundings(files=CheckoutReader(tmp_path))
    assert BMAD.unit(around) is None
    assert BMAD.work_state(around) == {}
