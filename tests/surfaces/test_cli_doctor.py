"""The doctor finds what is wrong, says what mends it, and mends what it can."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from recollect import Recollect
from tests.surfaces.conftest import Run, Said


@pytest.fixture(autouse=True)
def _bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A sound store with three memories."""
    with Recollect(folder=None) as memory:
        for text in ("Retries are capped at 3", "Deploys run at night", "The printer is upstairs"):
            memory.remember(text)
    return tmp_path / "home" / "data" / "memories.db"


@contextmanager
def tampering(file: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(file))
    try:
        yield connection
    finally:
        connection.close()


def verdicts(said: Said) -> dict[str, str]:
    return {finding["check"]: finding["verdict"] for finding in said.json["findings"]}


def fix_of(said: Said, check: str) -> str:
    return next(str(finding["fix"]) for finding in said.json["findings"] if finding["check"] == check)


def test_on_a_fresh_machine_all_is_well_and_nothing_is_made(run: Run, tmp_path: Path) -> None:
    said = run("doctor", "--json")
    assert said.code == 0
    assert set(verdicts(said).values()) == {"pass"}
    assert verdicts(said)["round trip"] == "pass"
    assert not (tmp_path / "home" / "data").exists()
    assert run("doctor", "--fix").code == 0


def test_a_sound_store_passes_every_check(run: Run, file: Path) -> None:
    said = run("doctor", "--json")
    assert said.code == 0
    assert set(verdicts(said).values()) == {"pass"}
    assert {"memory", "database file", "links", "memories", "search index", "model", "round trip"} <= set(
        verdicts(said)
    )
    shown = run("doctor").out
    assert "PASS" in shown
    assert "(in use)" in shown
    assert "by other words" in shown


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_a_file_that_others_can_read_is_found_and_closed(run: Run, file: Path) -> None:
    file.chmod(0o644)
    said = run("doctor", "--json")
    assert verdicts(said)["memory"] == "warn"
    assert fix_of(said, "memory") == "recollect doctor --fix"
    mended = run("doctor", "--fix", "--json")
    assert verdicts(mended)["memory"] == "pass"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_missing_vectors_are_found_and_made_up_for(run: Run, file: Path) -> None:
    with tampering(file) as connection:
        connection.execute("DELETE FROM vector WHERE memory_num = 2")
    said = run("doctor", "--json")
    assert verdicts(said)["model"] == "warn"
    assert fix_of(said, "model") == "recollect reindex"
    mended = run("doctor", "--fix")
    assert "1 memories got the vectors they lacked" in mended.err
    assert verdicts(run("doctor", "--json"))["model"] == "pass"


def test_an_altered_text_is_found_and_named(run: Run, file: Path) -> None:
    with tampering(file) as connection:
        connection.execute("UPDATE memory SET text = 'Retries are capped at 300' WHERE num = 1")
        name = connection.execute("SELECT id FROM memory WHERE num = 1").get
    said = run("doctor", "--json")
    assert said.code == 1
    assert verdicts(said)["memories"] == "fail"
    detail = next(found["detail"] for found in said.json["findings"] if found["check"] == "memories")
    assert str(name) in detail
    assert fix_of(said, "memories") == "recollect doctor --fix"


def test_a_broken_search_index_is_found_and_written_anew(run: Run, file: Path) -> None:
    with tampering(file) as connection:
        connection.execute("DELETE FROM memory_fts WHERE rowid = 2")
    assert run("recall", "deploys", "--profile", "keywords", "--json").json["hits"] == []
    said = run("doctor", "--json")
    assert said.code == 1
    assert verdicts(said)["search index"] == "fail"
    assert fix_of(said, "search index") == "recollect doctor --fix"
    mended = run("doctor", "--fix")
    assert mended.code == 0
    assert "written anew: 3 entries" in mended.err
    found = run("recall", "deploys", "--profile", "keywords", "--all-projects", "--json").json["hits"]
    assert [hit["memory"]["text"] for hit in found] == ["Deploys run at night"]


def test_an_index_whose_pages_are_damaged_is_found_and_written_anew(run: Run, file: Path) -> None:
    with tampering(file) as connection:
        connection.execute("UPDATE memory_fts_data SET block = zeroblob(8) WHERE id > 10")
    assert run("doctor").code == 1
    assert run("doctor", "--fix").code == 0
    assert run("doctor").code == 0


def test_a_link_to_nothing_is_found(run: Run, file: Path) -> None:
    with tampering(file) as connection:
        connection.execute("PRAGMA foreign_keys = off")
        connection.execute("INSERT INTO memory_tag (tag, memory_num, position) VALUES ('lost', 999, 0)")
    said = run("doctor", "--json")
    assert said.code == 1
    assert verdicts(said)["links"] == "fail"


def test_another_model_than_the_settings_ask_for_is_said(run: Run, file: Path) -> None:
    said = run("doctor", "--json", RECOLLECT_EMBEDDING_TIER="none")
    assert verdicts(said)["model"] == "warn"
    assert fix_of(said, "model") == "recollect reindex"
    # Mending does not change the model behind one's back.
    run("doctor", "--fix", RECOLLECT_EMBEDDING_TIER="none")
    with Recollect(folder=None) as memory:
        assert memory.admin.embedding().tier == "bundled"
        assert sum(memory.admin.stats().vectors.values()) == 3


@pytest.mark.parametrize("content", [b"not a database at all", b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_file_that_is_no_store_is_a_finding_not_a_traceback(
    run: Run, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "home" / "data" / "memories.db"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    for words in (("doctor", "--json"), ("doctor", "--fix"), ("list",), ("remember", "x")):
        said = run(*words)
        assert said.code == 1
        assert str(file) in said.out + said.err
    assert file.read_bytes() == content


def test_a_store_made_by_a_newer_version_is_left_alone(run: Run, file: Path) -> None:
    with tampering(file) as connection:
        connection.pragma("user_version", 9999)
    for words in (("doctor", "--json"), ("list",), ("remember", "x")):
        said = run(*words)
        assert said.code == 1
        assert "Upgrade recollect" in said.out + said.err


def test_a_broken_settings_file_is_named_by_the_doctor_too(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "home" / "config" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[recall\n")
    said = run("doctor", "--json")
    assert said.code == 2
    assert str(file) in said.error["message"]


def harm(file: Path) -> None:
    """The memories of the store cannot be read any more."""
    blob = bytearray(file.read_bytes())
    for page in range(1, len(blob) // 4096):
        blob[page * 4096 : page * 4096 + 8] = b"\xff" * 8
    file.write_bytes(blob)


def texts_of(run: Run) -> set[str]:
    return {memory["text"] for memory in run("list", "--all-projects", "--json").json["memories"]}


def test_a_damaged_store_is_rebuilt_from_its_snapshot_and_kept_beside(run: Run, file: Path) -> None:
    made = Path(run("backup", "--snapshot", "--json").json["backup"])
    assert made.parent == file.with_name("memories.db.snapshots")
    before = texts_of(run)
    harm(file)
    damaged = file.read_bytes()
    assert run("doctor").code == 1
    mended = run("doctor", "--fix")
    assert mended.code == 0, mended.out + mended.err
    assert f"and the copy {made}" in mended.err
    assert "3 are as an earlier copy has them" in mended.err
    assert texts_of(run) == before
    (kept,) = file.parent.glob("memories.db.damaged-*")
    assert kept.read_bytes() == damaged
    assert str(kept) in mended.err


def test_an_altered_memory_waits_when_no_copy_has_it(run: Run, file: Path) -> None:
    with tampering(file) as connection:
        connection.execute("UPDATE memory SET text = 'Retries are capped at 300' WHERE num = 1")
        name = connection.execute("SELECT id FROM memory WHERE num = 1").get
    mended = run("doctor", "--fix")
    assert mended.code == 0, mended.out
    assert f"out of use until you have looked at them: {name}" in mended.err
    assert run("show", str(name), "--json").json["memory"]["state"] == "quarantined"


def test_what_no_snapshot_has_comes_back_from_an_export(run: Run, file: Path, tmp_path: Path) -> None:
    before = texts_of(run)
    run("export", str(tmp_path / "out.jsonl"))
    harm(file)
    mended = run("doctor", "--fix", "--from", str(tmp_path / "out.jsonl"))
    assert "3 memories came back from" in mended.err, mended.out + mended.err
    assert mended.code == 0, mended.out + mended.err
    assert texts_of(run) == before


def test_missing_commits_are_said_by_every_command_until_they_are_dealt_with(run: Run, file: Path) -> None:
    early = file.read_bytes()
    with Recollect(folder=None) as memory:
        memory.remember("The one that gets lost")
    file.write_bytes(early)
    said = run("list", "--all-projects")
    assert said.code == 0
    assert "1 commit is missing" in said.err
    assert "recollect doctor --fix" in said.err
    found = run("doctor", "--json")
    assert found.code == 1
    assert verdicts(found)["commits"] == "fail"
    assert run("doctor", "--fix").code == 0
    assert run("list", "--all-projects").err == ""
    assert run("doctor").code == 0


def test_from_goes_with_fix(run: Run, file: Path) -> None:
    assert run("doctor", "--from", str(file)).code == 2
    missing = run("doctor", "--fix", "--from", "nowhere.db")
    assert missing.code == 3
    assert "There is no backup or export at nowhere.db" in missing.err
    assert run("backup").code == 2
    assert run("backup", "--snapshot", "other.db").code == 2
