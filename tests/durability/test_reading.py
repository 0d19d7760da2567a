"""Commands that only read perform no write to the database, and go on beside a writer."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from recollect.surfaces.cli import cli
from tests.builders import an_engine
from tests.durability.power import disk_with_power

READING = {
    "list": ["list", "--all-projects"],
    "show": ["show", "ID"],
    "stats": ["stats", "--all-projects"],
    "projects": ["projects"],
    "history": ["history", "ID"],
    "export": ["export", "OUT"],
}


@pytest.mark.parametrize("beside_a_writer", [False, True])
@pytest.mark.parametrize("command", READING)
def test_a_command_that_reads_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, beside_a_writer: bool
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    (tmp_path / "store").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    file = tmp_path / "store" / "memories.db"
    writer = an_engine(file)
    name = writer.remember("Retries are capped at 3").memory.id
    if not beside_a_writer:
        writer.close()
    before = {
        path.name: path.read_bytes() for path in file.parent.iterdir() if not path.name.endswith("-shm")
    }
    words = [{"ID": name, "OUT": str(tmp_path / "out.jsonl")}.get(word, word) for word in READING[command]]
    with disk_with_power(file.parent) as disk:
        written: list[str] = []
        disk.before = lambda number, what: written.append(what)
        done = CliRunner().invoke(cli, [*words, "--db", str(file)], prog_name="recollect")
        assert done.exit_code == 0, done.output
    assert [what for what in written if what.startswith(("write", "truncate"))] == []
    after = {path.name: path.read_bytes() for path in file.parent.iterdir() if path.name in before}
    assert after == before
    if beside_a_writer:
        writer.remember("The writer goes on")
        writer.close()
