"""The room in which clients run is closed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.clients import room as rooms
from tests.clients.conftest import OpenRoom
from tests.clients.room import CHECKOUT, NoRoom, Ran, Room, a_room

# Far away, on the machine itself, and what only looks like loopback.
ELSEWHERE = ("192.0.2.1", "8.8.8.8", "10.0.0.1", "169.254.169.254")
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/tmp/nobody"}


def python(room: Room, folder: Path, code: str) -> Ran:
    return room.run([sys.executable, "-c", code], folder, ENVIRONMENT)


@pytest.mark.parametrize("address", ELSEWHERE)
def test_nothing_outside_can_be_reached(room: Room, tmp_path: Path, address: str) -> None:
    ran = python(room, tmp_path, f"import socket; socket.create_connection(('{address}', 80), 5)")

    assert ran.code == 1
    assert "Network is unreachable" in ran.err


def test_no_name_is_looked_up(room: Room, tmp_path: Path) -> None:
    ran = python(room, tmp_path, "import socket; socket.getaddrinfo('example.com', 443)")

    assert ran.code == 1
    assert "gaierror" in ran.err


def test_the_scripted_model_can_be_reached(room: Room, tmp_path: Path) -> None:
    ran = python(
        room, tmp_path, f"from urllib.request import urlopen; print(urlopen('{room.url}/models').status)"
    )

    assert ran.out == "200\n", ran


def test_a_program_sees_the_environment_it_is_given_and_no_other(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "hush")

    ran = room.run(["env"], tmp_path, ENVIRONMENT)

    assert set(ran.out.split()) == {f"{name}={value}" for name, value in ENVIRONMENT.items()}


def test_the_environment_of_the_first_process_holds_nothing_of_ours(
    open_room: OpenRoom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "hush")

    with open_room(tmp_path) as room:
        ran = room.run(["cat", "/proc/1/environ"], tmp_path, ENVIRONMENT)

    assert "PATH=" in ran.out
    assert "hush" not in ran.out


def test_the_home_of_this_machine_is_not_there(room: Room, tmp_path: Path) -> None:
    home = Path(pytest.importorskip("pwd").getpwuid(os.getuid()).pw_dir)
    kept = {CHECKOUT, Path(sys.prefix), Path(sys.base_prefix), tmp_path}

    ran = room.run(["find", str(home), "-maxdepth", "1", "-mindepth", "1"], tmp_path, ENVIRONMENT)

    there = {Path(line) for line in ran.out.splitlines()}
    assert all(any(path.is_relative_to(one) for path in kept) for one in there), ran


def test_other_temporary_files_are_not_there(
    room: Room, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "letter.txt"
    other.write_text("for somebody else")

    ran = room.run(["cat", str(other)], tmp_path, ENVIRONMENT)

    assert "No such file" in ran.err


@pytest.mark.parametrize("place", [CHECKOUT, Path("/usr"), Path("/etc"), Path(sys.base_prefix)])
def test_no_disk_can_be_written(room: Room, tmp_path: Path, place: Path) -> None:
    ran = room.run(["touch", str(place / "written")], tmp_path, ENVIRONMENT)

    assert ran.code == 1
    assert "Read-only file system" in ran.err


def test_its_own_folder_can_be_written(room: Room, tmp_path: Path) -> None:
    room.run(["touch", "written"], tmp_path, ENVIRONMENT)

    assert (tmp_path / "written").exists()


def test_no_process_outside_can_be_seen(room: Room, tmp_path: Path) -> None:
    ran = python(room, tmp_path, "import os; print([name for name in os.listdir('/proc') if name.isdigit()])")

    assert str(os.getpid()) not in ran.out
    assert "'1'" in ran.out


def test_what_is_left_running_ends_with_the_room(open_room: OpenRoom, tmp_path: Path) -> None:
    held = tmp_path / "held"
    with open_room(tmp_path) as room:
        room.run(["sh", "-c", "setsid sleep 600 > held 2>&1 &"], tmp_path, ENVIRONMENT)
        left = room.settle(0.5)
        assert _is_open(held)

    assert left == ["sleep 600"]
    assert not _is_open(held)


def test_a_program_that_hangs_is_ended(room: Room, tmp_path: Path) -> None:
    ran = room.run(["sleep", "600"], tmp_path, ENVIRONMENT, seconds=0.2)

    assert ran.code == -9
    assert "ended after 0.2 s" in ran.err


def test_a_person_sits_at_a_terminal(room: Room, tmp_path: Path) -> None:
    code = "import sys; print(sys.stdin.isatty(), sys.stdout.isatty())"

    assert room.type([sys.executable, "-c", code], tmp_path, ENVIRONMENT) == Ran(0, "True True\n", "")
    assert python(room, tmp_path, code).out == "False False\n"


def test_without_a_namespace_there_is_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuses = tmp_path / "unshare"
    refuses.write_text("#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n")
    refuses.chmod(0o755)
    monkeypatch.setattr(rooms.shutil, "which", lambda name: str(refuses))

    with pytest.raises(NoRoom, match=r"so no client was run: .*not permitted"), a_room(tmp_path):
        raise AssertionError("a client would have been run")


def _is_open(file: Path) -> bool:
    """Whether any process of this machine has the file open."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if link.resolve() == file:
                return True
        except OSError:
            continue
    return False
