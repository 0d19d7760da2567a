"""A client is what it was when it was pinned, or it is not run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients import packages
from tests.clients.packages import NotInstalled, Package, install

CLIENT = Package(name="@maker/client", version="1.2.3", integrity="sha512-right")
Npm = Callable[[str], None]


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Npm:
    """A program called npm that does what the test says, with the folder it should fill as its last but one word."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setattr(packages, "SHELF", tmp_path / "shelf")
    monkeypatch.setattr(packages, "_ENVIRONMENT", {"PATH": f"{programs}:/usr/bin:/bin"})

    def npm_(body: str) -> None:
        program = programs / "npm"
        program.write_text(f"#!/bin/sh\necho called >> {tmp_path}/calls\n{body}\n")
        program.chmod(0o755)

    return npm_


def fills(integrity: str) -> str:
    listed = json.dumps({"packages": {"node_modules/@maker/client": {"integrity": integrity}}})
    return f"""
        while [ "$1" != --prefix ]; do shift; done
        mkdir -p "$2/node_modules/@maker/client"
        echo '{listed}' > "$2/node_modules/.package-lock.json"
    """


def test_it_is_fetched_once(npm: Npm, tmp_path: Path) -> None:
    npm(fills("sha512-right"))

    install(CLIENT)
    install(CLIENT)

    assert CLIENT.folder.is_dir()
    assert (tmp_path / "calls").read_text() == "called\n"


def test_what_has_another_hash_is_not_put_in_place(npm: Npm) -> None:
    npm(fills("sha512-wrong"))

    with pytest.raises(NotInstalled, match=r"@maker/client@1.2.3 is not what it was: sha512-wrong"):
        install(CLIENT)

    assert not CLIENT.folder.exists()


def test_what_cannot_be_had_is_said_in_a_sentence(npm: Npm) -> None:
    npm("echo 'npm error network no way out' >&2; exit 1")

    with pytest.raises(
        NotInstalled, match=r"^@maker/client@1.2.3 could not be installed: npm error network no way"
    ):
        install(CLIENT)


def test_on_another_machine_nothing_is_fetched(
    npm: Npm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm(fills("sha512-right"))
    monkeypatch.setattr(packages.platform, "machine", lambda: "riscv64")

    with pytest.raises(NotInstalled, match="pinned for Linux on x86_64 only"):
        install(CLIENT)

    assert not (tmp_path / "calls").exists()
