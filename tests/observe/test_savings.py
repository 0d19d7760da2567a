"""Tokens saved: counted from searches that others had to make, and not told while there are too few of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import Recollect, config
from recollect.model.injection import MIN_FILES_TO_COMPARE, Savings, SessionSavings
from recollect.model.policy import SESSIONS_COMPARED
from tests.conftest import NOON, Clock
from tests.hash_embedder import HashEmbedder

ANSWER = "x" * 400


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    """A memory in a project: files are named from its top."""
    (tmp_path / "shop").mkdir()
    with Recollect(
        tmp_path / "m.db", folder=tmp_path / "shop", embedder=HashEmbedder(), clock=clock
    ) as opened:
        yield opened


@pytest.fixture
def told(memory: Recollect) -> str:
    made = memory.remember("Payments read the client first", kind="gotcha", about=["file:src/pay.py"])
    return made.memory.id


def name(memory: Recollect, session: str, memory_id: str, moment: str = "prompt", agent: str = "") -> None:
    data = {"moment": moment, "bar": 0.3, "items": [[memory_id, 25, 0.5, "because"]]}
    memory.observer.record("injected", session=session, data=data, agent=agent)


def did(memory: Recollect, clock: Clock, session: str, action: str, *files: str, output: str = "") -> None:
    clock.pass_(seconds=1)
    memory.observer.record(
        "tool_finished", session=session, tool="T", action=action, files=files, output=output, ok=True
    )


def found_after_a_search(memory: Recollect, clock: Clock, session: str, times: int) -> None:
    for number in range(times):
        did(memory, clock, session, "search", output=ANSWER)
        did(memory, clock, session, "read", f"src/{session}_{number}.py")


def test_a_file_named_in_time_and_opened_without_a_search(memory: Recollect, clock: Clock, told: str) -> None:
    found_after_a_search(memory, clock, "before", MIN_FILES_TO_COMPARE)
    name(memory, "s", told)
    did(memory, clock, "s", "read", "src/pay.py")
    did(memory, clock, "s", "read", "src/pay.py")
    savings = memory.injections.saved("s")
    assert savings.here == SessionSavings(lines=1, used=1, direct=1, told=25)
    assert (savings.mean, savings.tokens) == (100.0, 75)
    assert memory.injections.saved().here.found == MIN_FILES_TO_COMPARE


def test_after_a_search_nothing_was_saved(memory: Recollect, clock: Clock, told: str) -> None:
    name(memory, "s", told)
    did(memory, clock, "s", "search", output=ANSWER)
    did(memory, clock, "s", "read", "src/pay.py")
    here = memory.injections.saved("s").here
    assert (here.direct, here.found) == (0, 0)


@pytest.mark.parametrize(("moment", "agent"), [("file", ""), ("prompt", "another")])
def test_named_too_late_or_to_another_agent_is_not_named(
    memory: Recollect, clock: Clock, told: str, moment: str, agent: str
) -> None:
    name(memory, "s", told, moment, agent)
    did(memory, clock, "s", "read", "src/pay.py")
    here = memory.injections.saved("s").here
    assert (here.direct, here.found) == (0, 1)


def test_a_name_that_came_after_the_file_saved_nothing(memory: Recollect, clock: Clock, told: str) -> None:
    did(memory, clock, "s", "read", "src/pay.py")
    clock.pass_(seconds=1)
    name(memory, "s", told)
    assert memory.injections.saved("s").here.direct == 0


def test_while_too_little_is_known_no_figure_is_told(memory: Recollect, clock: Clock, told: str) -> None:
    found_after_a_search(memory, clock, "before", MIN_FILES_TO_COMPARE - 1)
    name(memory, "s", told)
    did(memory, clock, "s", "read", "src/pay.py")
    savings = memory.injections.saved("s")
    assert (savings.mean, savings.tokens) == (None, None)


def test_what_was_cut_from_an_answer_counts(memory: Recollect, clock: Clock) -> None:
    did(memory, clock, "s", "search", output="y" * 40_000)
    did(memory, clock, "s", "read", "src/a.py")
    assert memory.injections.saved("s").here.searched == pytest.approx(10_000, abs=20)


def test_telling_can_cost_more_than_it_saves() -> None:
    known = SessionSavings(found=10, searched=100)
    assert Savings(here=SessionSavings(direct=1, told=25), known=known).tokens == -15


def test_savings_of_every_project_are_not_those_of_the_one_at_hand(
    memory: Recollect, clock: Clock, tmp_path: Path, told: str
) -> None:
    found_after_a_search(memory, clock, "here", MIN_FILES_TO_COMPARE)
    (tmp_path / "site").mkdir()
    with Recollect(tmp_path / "m.db", folder=tmp_path / "site", embedder=None, clock=clock) as other:
        found_after_a_search(other, clock, "there", 3)
        name(other, "there", told)
        assert other.injections.saved().here.found == 3
        assert other.injections.saved().here.lines == 1
    assert memory.injections.saved().here == SessionSavings(
        found=MIN_FILES_TO_COMPARE, searched=100 * MIN_FILES_TO_COMPARE
    )
    everywhere = memory.injections.saved(every_project=True)
    assert (everywhere.here.found, everywhere.here.lines) == (MIN_FILES_TO_COMPARE + 3, 1)


# -- how long the ledger is kept -------------------------------------------------------------------------


def a_year_of_sessions(memory: Recollect, clock: Clock, told: str) -> None:
    """One long ago, then as many as are counted."""
    for number in range(SESSIONS_COMPARED + 1):
        name(memory, f"s{number}", told)
        clock.pass_(days=3)
        memory.upkeep.run()


def lines_of(memory: Recollect, *sessions: int) -> list[int]:
    return [len(memory.injections.of_session(f"s{number}")) for number in sessions]


def test_old_lines_go_and_no_figure_changes_by_it(memory: Recollect, clock: Clock, told: str) -> None:
    a_year_of_sessions(memory, clock, told)
    before = memory.injections.saved()
    assert before.here.lines == SESSIONS_COMPARED
    assert lines_of(memory, 0, 1, SESSIONS_COMPARED) == [1, 1, 1]
    while clock.at < NOON + timedelta(days=400):  # a leap would not be believed
        clock.pass_(days=20)
        report = memory.upkeep.run()
    assert "let go" in {job.job: job.said for job in report.jobs}["ledger"]
    assert lines_of(memory, 0, 1, SESSIONS_COMPARED) == [0, 1, 1]
    assert memory.injections.saved() == before


def test_what_was_told_can_be_kept_for_ever(
    memory: Recollect, clock: Clock, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_year_of_sessions(memory, clock, told)
    monkeypatch.setenv("RECOLLECT_LEDGER_KEEP_DAYS", "0")
    memory._wiring.settings = config.load_settings()
    while clock.at < NOON + timedelta(days=400):
        clock.pass_(days=20)
        memory.upkeep.run()
    assert lines_of(memory, 0) == [1]
