"""
Bad bytes, cut files and empty pages in database, log, inbox and snapshots, as a person at the command line meets them.

No damaged text is served, nothing breaks, all is noticed, and `doctor --fix` brings back what any file still has.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recollect.surfaces.cli import cli
from tests.durability.harm import EVENTS, HARMS, STORE, WholeStore, find_newest_snapshot, make_whole_store

ROUNDS = 5
_MEMORIES = 150
# Which harms the short form tries: one of each family.
_SHORT = (
    "database",
    "log",
    "inbox",
    "magic",
    "catalogue",
    "full-text configuration",
    "invalid UTF-8",
    "database cut",
)
_QUESTION = "which lamp of hall 3 is green?"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> WholeStore:
    return make_whole_store(tmp_path_factory.mktemp("trials"), memories=_MEMORIES)


@pytest.fixture(autouse=True)
def _without_a_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    monkeypatch.chdir(tmp_path)


def run(file: Path, *words: str) -> Result:
    """A command as a person runs it; a traceback fails the trial."""
    done = CliRunner().invoke(cli, [*words, "--db", str(file)], prog_name="recollect")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert "unexpectedly" not in done.output, done.output
    return done


def list_memories(file: Path) -> dict[str, str] | None:
    """What `list` shows, text by id; None if it says that the store is damaged."""
    done = run(file, "list", "--all-projects", "--limit", "1000", "--json")
    if done.exit_code:
        return None
    return {each["id"]: each["text"] for each in json.loads(done.stdout)["memories"]}


def served(file: Path) -> set[str]:
    """Every text that `list` and `recall` show."""
    hits = run(file, "recall", _QUESTION, "--json", "--limit", "50").stdout
    texts = {json.loads(f'"{text}"') for text in re.findall(r'"text": "((?:[^"\\]|\\.)*)"', hits)}
    return texts | set((list_memories(file) or {}).values())


def count_gone(report: str) -> int:
    """How many memories a report of mending says are gone, or wait, or may be among what is missing."""
    numbers = re.findall(r"(\d+) (?:are (?:altered|lost)|more are lost)", report)
    return sum(map(int, numbers)) + sum(map(int, re.findall(r"(\d+) commits? (?:is|are) missing", report)))


@pytest.mark.parametrize("name", HARMS)
def test_damage_is_noticed_never_served_and_mended_from_all_that_is_left(
    name: str, whole: WholeStore, tmp_path: Path, long: bool, tally: Counter[str]
) -> None:
    if not long and name not in _SHORT:
        pytest.skip("one of each family in the short form")
    for trial in range(ROUNDS if long else 1):
        folder = tmp_path / f"trial-{trial}"
        file = whole.copy_to(folder)
        HARMS[name](folder, random.Random(f"{name} {trial}"))
        assert served(file) <= set(whole.texts.values())
        is_changed = list_memories(file) != whole.texts
        examined = run(file, "doctor")
        assert not is_changed or examined.exit_code == 1, examined.output
        assert not re.search(r"recollect doctor(?! --fix)", examined.output), examined.output
        copies = [shutil.copytree(folder, tmp_path / f"copy-{trial}-{number}") for number in range(2)]
        mended = run(file, "doctor", "--fix")
        assert mended.exit_code == 0, mended.output
        memories = list_memories(file)
        assert memories is not None
        assert memories.items() <= whole.texts.items()
        gone = whole.texts.keys() - memories.keys()
        assert count_gone(mended.output) >= len(gone), mended.output
        if "snapshot" not in name:
            assert not gone & whole.in_snapshot, mended.output
            assert_snapshot_brings_back(copies[0], copies[1], whole, set(memories))
        tally["damaged stores"] += 1
        tally["memories gone with their bytes, all named or counted"] += len(gone)
        tally["damaged stores that served a damaged text, broke, or were not mended"] += 0
        for each in (folder, *copies):
            shutil.rmtree(each)


def assert_snapshot_brings_back(first: Path, second: Path, whole: WholeStore, mended: set[str]) -> None:
    """Naming the snapshot brings back no less than finding it; restoring it brings back what is in it."""
    fixed = run(first / STORE, "doctor", "--fix", "--from", str(find_newest_snapshot(first)))
    assert fixed.exit_code == 0, fixed.output
    assert (list_memories(first / STORE) or {}).keys() >= mended
    restored = run(second / STORE, "restore", str(find_newest_snapshot(second)), "--yes")
    assert restored.exit_code == 0, restored.output
    assert (list_memories(second / STORE) or {}).keys() == whole.in_snapshot


def test_a_line_of_the_inbox_that_was_altered_is_put_aside_and_counted(
    whole: WholeStore, tmp_path: Path
) -> None:
    file = whole.copy_to(tmp_path / "altered")
    inbox = file.with_name(f"{STORE}.inbox")
    inbox.write_bytes(inbox.read_bytes().replace(b"lamp 7 of", b"lamp 9 of"))
    examined = run(file, "doctor")
    assert "1 lines were left half by a killed process, or damaged" in examined.output
    assert inbox.with_name(f"{inbox.name}.torn").read_bytes().count(b"lamp 9 of") == 1
    exported = run(file, "export", "sessions", str(tmp_path / "sessions"))
    assert exported.exit_code == 0, exported.output
    texts = "".join(part.read_text("utf-8") for part in (tmp_path / "sessions").rglob("*") if part.is_file())
    assert f'"total_steps": {EVENTS - 1},' in texts


def test_frames_behind_a_bad_place_in_the_log_are_kept_until_they_are_mended(
    whole: WholeStore, tmp_path: Path
) -> None:
    file = whole.copy_to(tmp_path / "frames")
    log = file.with_name(f"{STORE}-wal")
    content = bytearray(log.read_bytes())
    content[32 + 24 + 100] ^= 0xFF
    log.write_bytes(bytes(content))
    assert len(list_memories(file) or {}) < _MEMORIES
    run(file, "remember", "A new one after the loss", "--kind", "fact")
    assert run(file, "doctor", "--fix").exit_code == 0
    memories = list_memories(file) or {}
    assert memories.items() >= whole.texts.items()
    assert "A new one after the loss" in memories.values()
    assert not list(file.parent.glob("*.damaged-log-*"))
