"""The services that a desktop agent's memory is made of, each by its name."""

from __future__ import annotations

from pathlib import Path

from recollect import Recollect
from recollect.vault.journal import MAX_LOGGED, RunRecord, fits_trigger
from tests.conftest import Clock


def test_a_run_is_in_the_day_the_log_the_status_and_the_recent_actions(
    vaulted: Recollect, root: Path
) -> None:
    journal = vaulted.vault.journal
    journal.record_run_outcome(
        RunRecord(
            command="Open Chrome and go to github.com",
            success=True,
            summary="opened",
            score=92,
            iterations=4,
            actions=("open_application(Chrome)", "type_text(github.com)"),
            seconds=45,
        )
    )
    assert journal.load_recent_run_summaries() == [
        "- [12:00] `done` Open Chrome and go to github.com (score: 92) — opened (4 iterations)"
    ]
    assert journal.load_recent_context() == ["2026-05-08T12:00:00 Open Chrome and go to github.com (done)"]
    log = (root / "Context" / "Task Log.md").read_text("utf-8")
    assert '- **Command:** "Open Chrome and go to github.com"\n- **Outcome:** Success (score: 92)' in log
    assert "**Last command:** Open Chrome" in vaulted.vault.read("Current Status.md")
    core = journal.load_core_context()
    assert "### Current Status" in core and "### Today's notes" in core


def test_a_failure_is_among_the_known_issues(vaulted: Recollect) -> None:
    vaulted.vault.journal.record_run_outcome(
        RunRecord(command="Send mail", success=False, summary="no window", iterations=9)
    )
    assert "- **Send mail** failed after 9 iterations: no window" in vaulted.vault.read("Known Issues.md")


def test_the_log_keeps_the_last_two_hundred(vaulted: Recollect, root: Path) -> None:
    place = root / "Context" / "Task Log.md"
    entries = "".join(f"## 2026-01-01T00:00:{number:02d}Z\n- old {number}\n\n" for number in range(250))
    place.write_text(f"# Task Log\n\nMine.\n\n{entries}", "utf-8")
    vaulted.vault.journal.record_run_outcome(RunRecord(command="The newest", success=True))
    text = place.read_text("utf-8")
    assert text.count("\n## ") == MAX_LOGGED
    assert text.startswith("# Task Log\n\nMine.\n")
    assert "The newest" in text and "old 51\n" in text and "old 50\n" not in text


def test_recent_actions_are_those_of_two_hours(vaulted: Recollect, clock: Clock) -> None:
    vaulted.vault.journal.record_action("first")
    clock.pass_(hours=3)
    vaulted.vault.journal.record_action("second")
    assert [line.split(" ", 1)[1] for line in vaulted.vault.journal.load_recent_context()] == ["second"]


def test_apps_preferences_corrections_and_rejections_have_their_places(vaulted: Recollect) -> None:
    journal = vaulted.vault.journal
    for _ in range(2):
        journal.update_app_knowledge("Google Chrome", "Cmd+L focuses the address bar")
    journal.update_app_knowledge("Google Chrome", "Popups steal focus", "Known Issues")
    assert journal.load_app_knowledge(["Google Chrome", "Nothing"]) == (
        "### Google Chrome\n# Google Chrome\n\n## Reliable Approaches\n- Cmd+L focuses the address bar\n\n"
        "## Known Issues\n- Popups steal focus\n\n## User Patterns"
    )
    journal.update_preferences("browser", "Safari")
    journal.update_preferences("browser", "Chrome")
    assert journal.load_preferences() == "# Preferences\n- browser: Chrome\n"
    journal.record_user_correction("open mail", "open Thunderbird")
    assert "open mail → open Thunderbird" in vaulted.vault.read("Learning/Corrections.md")
    journal.record_verification_rejection("go to github", 45, "wrong element")
    assert "- **Score:** 45/100" in vaulted.vault.read("Learning/Failures.md")


def test_a_template_is_found_by_its_trigger_and_no_pattern_is_run(vaulted: Recollect, root: Path) -> None:
    (root / "Templates" / "Send Email.md").write_text(
        '---\ntrigger: "send.*email|compose.*email"\nsuccess_rate: 0.85\navg_iterations: 6\n---\n1. open Mail\n',
        "utf-8",
    )
    (found,) = vaulted.vault.journal.load_matching_templates("Please send Alex an email")
    assert (found.success_rate, found.iterations, found.text) == (0.85, 6.0, "1. open Mail")
    assert vaulted.vault.journal.load_matching_templates("open the door") == []
    assert not fits_trigger("(a+)+$", "a" * 5_000 + "!")


def test_a_day_is_summed_up_once(vaulted: Recollect) -> None:
    journal = vaulted.vault.journal
    journal.record_run_outcome(RunRecord(command="One", success=True))
    journal.record_run_outcome(RunRecord(command="Two", success=False, summary="broken"))
    journal.generate_daily_summary()
    journal.generate_daily_summary()
    text = vaulted.vault.read("Context/Daily Summary.md")
    assert text.count("## 2026-05-08") == 1
    assert "2 runs, 1 of them successful." in text


def test_what_bears_on_a_command_fits_its_budget(vaulted: Recollect) -> None:
    vaulted.remember("The gateway bans clients at five retries", kind="decision")
    vaulted.vault.sync()
    text = vaulted.vault.journal.retrieve_relevant_memories("why does the gateway ban us?")
    assert "bans clients at five" in text
    assert (
        vaulted.vault.journal.retrieve_relevant_memories("why does the gateway ban us?", token_budget=3) == ""
    )


def test_a_persons_lines_in_the_status_stay(vaulted: Recollect, root: Path) -> None:
    place = root / "Current Status.md"
    place.write_text("# Current Status\r\n\r\nOn holiday until Monday.\r\n", "utf-8", newline="")
    vaulted.vault.journal.update_current_status("x", "success")
    assert place.read_bytes().startswith(
        b"# Current Status\r\n\r\nOn holiday until Monday.\r\n**Last active:**"
    )


def test_what_is_too_old_for_the_log_is_summed_up_and_nothing_is_lost(vaulted: Recollect, root: Path) -> None:
    journal = vaulted.vault.journal
    log = root / "Context" / "Task Log.md"
    entry = '## 2026-05-01T10:00:00Z\n- **Command:** "Send mail"\n- **Outcome:** {}\n- **Iterations:** 2\n'
    log.write_text(
        "# Task Log\n\n" + entry.format("Success") * 2 + entry.format("Failed") * MAX_LOGGED, "utf-8"
    )
    journal.record_run_outcome(RunRecord(command="Open Chrome", success=True))
    patterns = (root / "Learning" / "Patterns.md").read_text("utf-8")
    assert patterns == "# Patterns\n- Send mail: 3 runs, 2 of them successful, last 2026-05-01\n"
    journal.record_run_outcome(RunRecord(command="Open Chrome", success=True))
    assert "- Send mail: 4 runs, 2 of them successful" in (root / "Learning" / "Patterns.md").read_text(
        "utf-8"
    )


def test_an_action_that_is_no_longer_recent_is_in_the_note_of_its_day(
    vaulted: Recollect, root: Path, clock: Clock
) -> None:
    vaulted.vault.journal.record_action("opened the invoice of May")
    clock.pass_(hours=3)
    vaulted.vault.journal.record_action("closed it")
    assert vaulted.vault.journal.load_recent_context() == ["2026-05-08T15:00:00 closed it"]
    assert "- 12:00 opened the invoice of May\n" in (root / "Daily" / "2026-05-08.md").read_text("utf-8")


def test_a_fact_is_remembered_and_recalled_by_the_names_of_a_desktop_agent(vaulted: Recollect) -> None:
    journal = vaulted.vault.journal
    journal.remember("The printer is in room four", "office")
    journal.remember("Alex runs the print shop", "contact")
    kinds = {one.text: (one.kind, one.tags) for one in vaulted.list(limit=10)}
    assert kinds["The printer is in room four"] == ("fact", ("office",))
    assert kinds["Alex runs the print shop"][0] == "contact"
    assert "- The printer is in room four" in journal.recall("printer")


def test_what_does_not_answer_is_not_recalled(vaulted: Recollect) -> None:
    vaulted.remember("The kettle in the kitchen is broken", kind="fact")
    vaulted.vault.journal.update_preferences("browser", "Firefox")
    assert vaulted.vault.journal.recall("firefox") == "- Context/Preferences.md:2 - browser: Firefox"
