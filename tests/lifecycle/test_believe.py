"""Which time upkeep goes by when the clock jumps."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect import Recollect, Remembered
from recollect.lifecycle.clock_guard import TrustedTime, update_trusted_time
from recollect.model.memory import MemoryState
from tests.builders import NOON
from tests.conftest import Clock

DAY = timedelta(days=1)


def after(*readings: timedelta, start: TrustedTime | None = None) -> TrustedTime:
    belief = start or TrustedTime(at=NOON)
    for reading in readings:
        belief = update_trusted_time(belief, NOON + reading)
    return belief


def test_the_first_reading_and_steps_of_up_to_a_month_are_believed() -> None:
    assert update_trusted_time(None, NOON) == TrustedTime(at=NOON)
    assert after(30 * DAY) == TrustedTime(at=NOON + 30 * DAY)


def test_a_longer_step_is_believed_only_when_it_is_still_so_a_day_later() -> None:
    assert after(40 * DAY) == TrustedTime(at=NOON, doubted=NOON + 40 * DAY)
    assert after(40 * DAY, 40 * DAY + DAY / 2).at == NOON
    assert after(40 * DAY, 41 * DAY).at == NOON + 30 * DAY
    assert after(40 * DAY, 41 * DAY, 42 * DAY) == TrustedTime(at=NOON + 42 * DAY)


def test_a_year_away_is_made_up_for_a_month_at_a_time() -> None:
    belief = after(*((365 + day) * DAY for day in range(14)))
    assert belief == TrustedTime(at=NOON + 378 * DAY)


@pytest.mark.parametrize("jump", [3650, -3650])
def test_a_clock_that_is_wrong_for_a_moment_moves_nothing(jump: int) -> None:
    assert after(jump * DAY, jump * DAY + DAY / 24).at == NOON
    assert after(jump * DAY, DAY) == TrustedTime(at=NOON + DAY)


def test_two_different_wrong_readings_do_not_confirm_each_other() -> None:
    assert after(3650 * DAY, 7300 * DAY).at == NOON
    assert after(3650 * DAY, -3650 * DAY).at == NOON


def test_a_small_correction_backwards_is_waited_out_and_a_lasting_one_believed() -> None:
    assert after(-DAY / 24) == TrustedTime(at=NOON)
    assert after(-50 * DAY, -49 * DAY) == TrustedTime(at=NOON - 49 * DAY)


@pytest.mark.parametrize("years", [10, -10])
def test_a_jump_of_ten_years_expires_nothing(memory: Recollect, clock: Clock, years: int) -> None:
    memory.remember("Jellyfin takes 60s to start", kind="timing")
    memory.remember("Only for now", scope="session")
    memory.upkeep.run()
    before = memory.list()
    clock.pass_(days=3650 * years / 10)
    for _ in range(3):
        clock.pass_(hours=2)
        memory.upkeep.run(every=True)
    clock.at = NOON + DAY
    memory.upkeep.run(every=True)
    assert memory.list() == before


def test_what_faded_by_a_wrong_clock_comes_back_when_it_is_put_right(memory: Recollect, clock: Clock) -> None:
    told = memory.remember("Jellyfin takes 60s to start", kind="timing")
    assert isinstance(told, Remembered)
    memory.edit(told.memory.id, verified=True)  # or it would be archived by then
    memory.upkeep.run()
    for day in range(300, 310):  # wrong for ten days on end: that is believed
        clock.at = NOON + day * DAY
        memory.upkeep.run()
    assert memory.list() == []
    for day in range(10, 13):
        clock.at = NOON + day * DAY
        memory.upkeep.run()
    (back,) = memory.list()
    assert (back.confidence, back.state) == (0.7, MemoryState.ACTIVE)
