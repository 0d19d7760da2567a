"""The note of a day lies where Obsidian's own settings put it, and its dates are those of the reader."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.vault.moment_format import format_moment
from recollect.vault.obsidian import find_daily_note
from tests.conftest import Clock

AT = datetime(2026, 5, 8, 9, 5, 3, tzinfo=UTC)


def settle(root: Path, name: str, settings: object) -> None:
    place = root / ".obsidian" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(settings), "utf-8")


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Puts this process into a time zone."""

    def move(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("YYYY-MM-DD", "2026-05-08"),
        ("YYYY/MM-MMMM/YYYY-MM-DD-dddd", "2026/05-May/2026-05-08-Friday"),
        ("[Daily] D.M.YY", "Daily 8.5.26"),
        ("GGGG-[W]WW-E", "2026-W19-5"),
        ("gggg-[w]ww", "2026-w19"),
        ("MMMM Do, YYYY", "May 8th, 2026"),
        ("Qo [quarter] DDDD", "2nd quarter 128"),
        ("h:mm A, HH:mm:ss", "9:05 AM, 09:05:03"),
        ("ddd dd d", "Fri Fr 5"),
    ],
)
def test_a_date_is_written_as_obsidian_writes_it(pattern: str, written: str) -> None:
    assert format_moment(pattern, AT) == written


@pytest.mark.parametrize(
    ("day", "week"),
    [
        ((2022, 1, 1), "2022-01"),
        ((2023, 12, 31), "2024-01"),
        ((2024, 12, 28), "2024-52"),
        ((2026, 1, 4), "2026-02"),
    ],
)
def test_weeks_that_begin_on_sunday_are_counted_as_obsidian_counts_them(
    day: tuple[int, int, int], week: str
) -> None:
    assert format_moment("gggg-ww", datetime(*day, tzinfo=UTC)) == week


def test_the_daily_note_is_the_one_obsidian_makes(vaulted: Recollect, root: Path) -> None:
    settle(
        root, "daily-notes.json", {"folder": "Journal", "format": "YYYY/MM/YYYY-MM-DD", "template": "T/Day"}
    )
    (root / "T").mkdir()
    (root / "T/Day.md").write_text(
        "# {{title}}\n\nWritten {{date:dddd}} at {{time}}, after {{yesterday}} <% tp.date.now() %>\n\n## Log\n",
        "utf-8",
    )
    assert vaulted.vault.journal.append_to_daily_note("- deployed") == "Journal/2026/05/2026-05-08.md"
    note = (root / "Journal/2026/05/2026-05-08.md").read_text("utf-8")
    assert note.startswith("# 2026-05-08\n\nWritten Friday at ")
    assert "after 2026-05-07 <% tp.date.now() %>\n\n## Log\n- deployed\n" in note
    assert not (root / "Daily/2026-05-08.md").exists()
    assert "deployed" in vaulted.vault.journal.load_core_context()


def test_a_daily_note_that_is_there_is_added_to(vaulted: Recollect, root: Path) -> None:
    settle(root, "daily-notes.json", {"format": "DD.MM.YYYY"})
    (root / "08.05.2026.md").write_bytes(b"My day\r\n- [ ] call Ann\r\n")
    vaulted.vault.journal.append_to_daily_note("- deployed")
    assert (root / "08.05.2026.md").read_bytes() == b"My day\r\n- [ ] call Ann\r\n- deployed\r\n"
    assert vaulted.vault.journal.load_recent_run_summaries() == [], "a task is no run"


def test_the_periodic_notes_plugin_comes_first_where_it_is_in_use(root: Path, vaulted: Recollect) -> None:
    settle(root, "daily-notes.json", {"folder": "Journal"})
    settle(
        root, "plugins/periodic-notes/data.json", {"daily": {"enabled": True, "folder": "Days", "format": ""}}
    )
    assert (found := find_daily_note(root, AT)) and found.path == "Journal/2026-05-08.md"
    settle(root, "community-plugins.json", ["periodic-notes"])
    assert (found := find_daily_note(root, AT)) and found.path == "Days/2026-05-08.md"


def test_settings_of_a_larger_vault_are_followed_inside_ours_only(tmp_path: Path) -> None:
    ours = tmp_path / "Notes/Recollect"
    ours.mkdir(parents=True)
    settle(tmp_path / "Notes", "daily-notes.json", {"folder": "Journal"})
    assert find_daily_note(ours, AT) is None, "what lies outside is not ours to write"
    settle(tmp_path / "Notes", "daily-notes.json", {"folder": "Recollect/Days"})
    assert (found := find_daily_note(ours, AT)) and found.path == "Days/2026-05-08.md"


@pytest.mark.parametrize(
    "settings",
    [
        {"folder": "../../etc"},
        {"folder": ".obsidian"},
        {"format": "[../../]YYYY"},
        {"format": "[a\\b]"},
        {"folder": "C:"},
        ["no", "object"],
        "text",
    ],
)
def test_settings_that_lead_out_or_make_no_sense_are_not_followed(
    vaulted: Recollect, root: Path, settings: object
) -> None:
    settle(root, "daily-notes.json", settings)
    assert vaulted.vault.journal.append_to_daily_note("- deployed") == "Daily/2026-05-08.md"


def test_a_template_is_not_read_through_a_link(vaulted: Recollect, root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret", "utf-8")
    (root / "T.md").symlink_to(tmp_path / "secret.md")
    settle(root, "daily-notes.json", {"template": "T"})
    assert (found := find_daily_note(root, AT)) and found.start == ""


def test_nothing_of_obsidians_own_is_written(vaulted: Recollect, root: Path) -> None:
    settle(root, "daily-notes.json", {"folder": "Journal"})
    before = {place: place.read_bytes() for place in root.rglob(".obsidian/**/*") if place.is_file()}
    vaulted.vault.journal.append_to_daily_note("- deployed")
    vaulted.vault.sync()
    assert {place: place.read_bytes() for place in root.rglob(".obsidian/**/*") if place.is_file()} == before


def test_a_day_is_the_day_of_whoever_reads_the_notes(
    vaulted: Recollect, root: Path, clock: Clock, in_zone: Callable[[str], None]
) -> None:
    in_zone("Pacific/Auckland")
    clock.at = datetime(2026, 5, 8, 20, 30, tzinfo=UTC)
    assert vaulted.vault.journal.append_to_daily_note("- early") == "Daily/2026-05-09.md"
    vaulted.vault.tasks.create("Water the plants")
    assert "➕ 2026-05-09" in (root / "Active Tasks.md").read_text("utf-8")
    vaulted.remember("The gateway bans at five", kind="gotcha")
    vaulted.vault.sync()
    note = root / "Memory/Gotchas/The gateway bans at five.md"
    assert "recollect_created: 2026-05-09T08:30:00" in note.read_text("utf-8")
    before = note.read_bytes()
    in_zone("America/New_York")
    vaulted.pin(vaulted.list()[0].id)
    vaulted.vault.sync()
    changed = note.read_bytes().replace(b"recollect_pinned: true\n", b"")
    assert changed == before, "another place does not rewrite when it was made"
