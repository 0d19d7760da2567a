"""Links, pipes and devices where files of a checkout or of ours belong: no hang, no harm, a sentence."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from recollect import Recollect, config
from recollect.errors import BadSetting
from recollect.events import inbox
from recollect.events.locks import lock, open_private
from recollect.hooks import hook_settings, log
from recollect.store.safety import commit_counter, disk_ballast
from recollect.surfaces.cli import cli

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and devices are made so only there")

PLANTED: dict[str, Callable[[Path], object]] = {
    "a link to a device": lambda place: place.symlink_to("/dev/zero"),
    "a pipe": os.mkfifo,
    "deep lists": lambda place: place.write_text("x = " + "[" * 30_000),
    "deep names": lambda place: place.write_text(".".join("a" * 30_000) + " = 1"),
    "much": lambda place: place.write_text("# more\n" * 100_000),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_settings_of_a_project_that_are_no_file_are_refused_with_a_sentence(
    tmp_path: Path, planted: str
) -> None:
    place = tmp_path / config.PROJECT_FILE
    place.parent.mkdir()
    PLANTED[planted](place)
    with pytest.raises(BadSetting, match=r"The settings file .* cannot be read \(.+\)\. Mend it"):
        config.load_settings(tmp_path)
    with pytest.raises(ValueError, match=r"the settings file .* cannot be read"):
        hook_settings.read(str(tmp_path))


def test_a_user_may_keep_the_settings_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").write_text("[recall]\nlimit = 3\n[hooks]\nmost_ms = 77\n")
    config.user_file().parent.mkdir(parents=True)
    config.user_file().symlink_to(tmp_path / "dotfiles")
    assert config.load_settings().number("recall.limit") == 3
    assert hook_settings.read("").most_ms == 77


@pytest.mark.parametrize("planted", ["a link to a device", "a pipe", "deep lists"])
def test_a_report_that_is_no_file_is_refused_with_a_sentence(tmp_path: Path, planted: str) -> None:
    PLANTED[planted](tmp_path / "report.json")
    result = CliRunner().invoke(cli, ["qa", str(tmp_path / "report.json")])
    assert result.exit_code == 2
    assert "report.json" in result.output


def test_the_files_beside_the_database_never_write_through_a_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "data"
    folder.mkdir()
    db = str(folder / "memories.db")
    for place in (commit_counter.counter_path(db), disk_ballast.ballast_path(db)):
        place.symlink_to(victim)
    with Recollect(db, folder=None) as memory:
        memory.remember("The store works without them")
    commit_counter.write_counter(db, commit_counter.CommitRecord(store="ab", commits=3))
    assert victim.read_text() == "precious"


def test_the_files_beside_the_database_are_not_waited_for_as_pipes(tmp_path: Path) -> None:
    db = str(tmp_path / "memories.db")
    for place in (commit_counter.counter_path(db), disk_ballast.ballast_path(db)):
        os.mkfifo(place)
    with Recollect(db, folder=None) as memory:
        memory.remember("The store works without them")


def test_a_log_of_hooks_that_was_made_shorter_is_still_private(tmp_path: Path) -> None:
    file = str(tmp_path / "hooks.log")
    before = os.umask(0o022)
    try:
        for _ in range(log.MOST_BYTES // 500 + 20):
            log.note(file, "claude-code", "Stop", "x" * 500, seconds=0)
    finally:
        os.umask(before)
    assert Path(file).stat().st_size < log.MOST_BYTES
    assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
    assert log.failures(file)


def test_a_held_lock_of_the_inbox_is_not_waited_for_and_nothing_is_lost(tmp_path: Path) -> None:
    box = str(tmp_path / "inbox")
    line = '{"id":"01JABCDEFGHJKMNPQRSTVWXYZ0","type":"prompt","at":"2026-01-01T00:00:00Z","session_id":"s"}'
    inbox.append(box, [line])
    writer = open_private(box)
    assert lock(writer, wait=False)
    with inbox.claim_inbox(box, "one") as claim:
        assert claim is None
    os.close(writer)
    [left] = inbox.list_left_over(box)
    with inbox.claim_left_over(box, left) as claim:
        assert claim is not None
        assert [event["id"] for event in claim.forms()] == ["01JABCDEFGHJKMNPQRSTVWXYZ0"]


def test_doctor_notices_a_data_folder_open_to_others_and_closes_it() -> None:
    run = CliRunner()
    run.invoke(cli, ["remember", "a fact"])
    folder = config.data_dir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o755)
    assert "is open to others (mode 755)" in run.invoke(cli, ["doctor"]).output
    run.invoke(cli, ["doctor", "--fix"])
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert "open to others" not in run.invoke(cli, ["doctor"]).output
