"""Whatever a stranger placed where a file belongs is read in bounds, or refused with words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recollect.events.bounded_read import (
    MAX_DEPTH,
    UnreadableFile,
    parse_json,
    parse_toml,
    read_beginning,
    read_bounded,
)

posix = pytest.mark.skipif(os.name != "posix", reason="pipes, devices and links are made so only there")


def test_a_regular_file_is_read_whole_up_to_the_bound(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x" * 200_000)
    assert read_bounded(file, 200_000) == b"x" * 200_000
    assert read_beginning(file, 70_000) == b"x" * 70_000
    with pytest.raises(UnreadableFile, match="at most 199,999 are read"):
        read_bounded(file, 199_999)


@posix
def test_a_link_is_followed_only_for_those_who_may(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("words")
    (tmp_path / "link").symlink_to("a")
    assert read_bounded(tmp_path / "link", 10, follow=True) == b"words"
    with pytest.raises(UnreadableFile, match="links are not followed"):
        read_bounded(tmp_path / "link", 10)


@posix
@pytest.mark.parametrize("follow", [True, False])
def test_a_pipe_is_not_waited_for_and_a_device_not_read(tmp_path: Path, follow: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(UnreadableFile):
            read_bounded(tmp_path / name, 10, follow=follow)
        with pytest.raises(UnreadableFile):
            read_beginning(tmp_path / name, 10, follow=follow)


def test_a_folder_and_nothing_are_what_the_system_calls_them(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_bounded(tmp_path, 10)
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "none", 10)


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 30_000 + "]" * 30_000,
        "x = " + "{a=" * 300 + "1" + "}" * 300,
        ".".join("a" * 400) + " = 1",
        "[" + ".".join("a" * 30_000) + "]",
        "x = [[[",
        "\xff = 1",
    ],
)
def test_toml_that_nobody_wrote_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_toml(text.encode("latin-1"))


def test_json_is_read_to_a_depth(tmp_path: Path) -> None:
    assert parse_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    for depth in (MAX_DEPTH + 1, 5_000, 200_000):
        with pytest.raises(ValueError, match="deep"):
            parse_json(b"[" * depth + b"]" * depth)
