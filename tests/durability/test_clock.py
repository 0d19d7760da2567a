"""The clock goes back a day, ahead ten years, or to 1970: order and ids stay, and nothing comes to be before itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect import config, doctor
from recollect.model.memory import MemoryState
from tests.builders import an_engine
from tests.conftest import NOON, Clock

DECADE = timedelta(days=3650)
JUMPS = {
    "a day back": [NOON, NOON - timedelta(days=1)],
    "ten years ahead and back": [NOON, NOON + DECADE, NOON + timedelta(minutes=1)],
    "to 1970": [NOON, datetime(1970, 1, 1, tzinfo=UTC)],
    "an hour back, as in autumn": [NOON, NOON - timedelta(hours=1), NOON - timedelta(minutes=30)],
}


@pytest.mark.parametrize("jump", JUMPS)
def test_ids_and_stories_stay_in_order_over_processes(tmp_path: Path, jump: str) -> None:
    file = tmp_path / "memories.db"
    made: list[str] = []
    for turn, at in enumerate(JUMPS[jump]):
        # Opened anew each time, as another process would.
        with an_engine(file, clock=Clock(at)) as memory:
            for n in range(3):
                made.append(
                    memory.remember(f"Turn {turn} entry {n} {turn * 7919 + n}", session="s1").memory.id
                )
                memory.edit(made[0], citation=f"turn {turn} {n}")
    assert made == sorted(set(made))
    with an_engine(file, clock=Clock(JUMPS[jump][-1])) as memory:
        story = memory.history(made[0])
        assert [change.after.get("citation") for change in story[1:]] == [
            f"turn {turn} {n}" for turn in range(len(JUMPS[jump])) for n in range(3)
        ]
        newest_first = [
            change.memory_id for change in memory.history(limit=100) if change.action == "remember"
        ]
        assert newest_first == made[::-1]
        assert [f for f in memory.admin.verify() if f.verdict != "pass"] == []


@pytest.mark.parametrize("jump", JUMPS)
def test_nothing_is_changed_before_it_was_made(tmp_path: Path, jump: str) -> None:
    with an_engine(tmp_path / "memories.db", clock=(clock := Clock())) as memory:
        name = memory.remember("Retries are capped at 3").memory.id
        for at in JUMPS[jump]:
            clock.at = at
            memory.edit(name, citation=f"at {at}")
            memory.pin(name)
            memory.forget(name)
            memory.undo()
            found = memory.show(name)
            assert found.updated_at >= found.created_at
            assert found.state is MemoryState.ACTIVE


@pytest.mark.parametrize("jump", JUMPS)
def test_what_was_known_is_found_whatever_the_clock_says(tmp_path: Path, jump: str) -> None:
    with an_engine(tmp_path / "memories.db", clock=(clock := Clock())) as memory:
        memory.remember("The staging server restarts every night at three")
        for at in JUMPS[jump]:
            clock.at = at
            (hit,) = memory.recall("when does the staging server restart?")
            assert hit.score > 0
            memory._wiring.store_accesses()
            assert memory.show(hit.memory.id).last_accessed_at == at


def test_a_leap_of_ten_years_is_not_believed_and_the_doctor_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    file = tmp_path / "memories.db"
    with an_engine(file, clock=(clock := Clock())) as memory:
        memory.remember("Retries are capped at 3")
        clock.at = NOON + DECADE
        assert memory.safety.clock() == (NOON + DECADE, NOON)
        assert memory.safety.clock() == (NOON + DECADE, NOON)  # looking is not believing
        assert memory.upkeep.run().at == NOON
        clock.pass_(days=1)
        assert memory.safety.clock()[1] == memory.upkeep.run(dry_run=True).at == NOON + timedelta(days=30)
        clock.at = NOON + timedelta(hours=1)
        assert memory.safety.clock()[1] == memory.upkeep.run().at == clock.at
    far = tmp_path / "far.db"
    with an_engine(far, clock=Clock(datetime(2001, 1, 1, tzinfo=UTC))) as memory:
        memory.remember("Said long ago")
    found = {f.check: f for f in doctor.check_up(config.load_settings(flags={"db": str(far)}))}
    assert found["clock"].verdict == "warn"
    assert "2001-01-01" in found["clock"].detail
