"""The observer's benchmark measures the observer."""

from __future__ import annotations

from benchmarks.observe import STEPS, run


def test_every_event_is_read_and_gives_notes() -> None:
    done: list[int] = []
    found = run(20, lambda number, _: done.append(number))
    assert found["events"] == 20 * STEPS * 2
    assert found["notes"] > 20
    assert found["observer"] > 0
    assert done[-1] == 20
