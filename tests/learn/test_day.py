"""A day in short, and the last two hours."""

from __future__ import annotations

from pathlib import Path

from recollect import Recollect
from recollect.learn.day import describe_day
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.observe.acts import edit, green, red
from tests.observe.session_story import begin, go_on, tell


def test_a_day_tells_sessions_outcomes_failures_and_open_ends(tmp_path: Path, clock: Clock) -> None:
    with Recollect(tmp_path / "memories.db", folder=tmp_path, embedder=HashEmbedder(), clock=clock) as memory:
        tell(memory, clock, "yesterday", "Rename the shop", edit("src/name.py"), green())
        clock.pass_(days=1)
        line = "E   psycopg.OperationalError: connection to server failed: Connection refused"
        tell(
            memory,
            clock,
            "s1",
            "Mend the price list",
            edit("src/price.py"),
            red(line=line),
            edit("src/price.py"),
            green(),
        )
        clock.pass_(hours=2)
        begin(memory, "s2")
        go_on(memory, clock, "s2", "Draw the chart", edit("src/chart.py"))
        memory.remember("The chart has no legend yet", kind="issue", fields={"status": "open"})
        memory.observer.learn_due()
        day, recent = memory.learning.day(), memory.learning.recent()
    assert [(entry.session_id, entry.outcome, entry.task) for entry in day.entries] == [
        ("s1", "passed", "Mend the price list"),
        ("s2", "open", "Draw the chart"),
    ]
    assert any("Connection refused" in text for text in day.failures)
    assert "The chart has no legend yet" in day.open_ends
    assert [entry.session_id for entry in recent.entries] == ["s2"]
    lines = describe_day(day)
    assert lines[0] == "2 sessions, 1 passed, 0 failed."
    assert "- The chart has no legend yet" in lines
