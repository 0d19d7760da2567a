"""The second session of a mistake, in real clients: told the way out at the failure, and what a person said before."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.clients import shop
from tests.clients.api.script import Say, Turn, strings_in
from tests.clients.conftest import fetched, open_room_or_skip
from tests.clients.driver import Driver, Stage
from tests.clients.story import TESTS, Session, Teller
from tests.clients.ways import WAYS, Way, set_stage

pytestmark = pytest.mark.timeout(900)

RULE = "From now on never use unittest.mock in this repo, use fakes."
# What stands in the way out of the first mistake, and in nothing else that is said.
WAY_OUT = "this error is known"
# The request after the tests have failed: read, edit, tests.
AFTER_FAILURE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSessions:
    """The same mistake twice, and between them another one that nobody mended."""

    first: Session
    other: Session
    again: Session
    known: list[str]


@pytest.fixture(
    scope="module",
    params=[pytest.param(way, marks=pytest.mark.client(way.driver.name), id=way.name) for way in WAYS],
)
def sessions(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TwoSessions]:
    way: Way = request.param
    folder = tmp_path_factory.mktemp(f"again-{way.name}")
    fetched(way.driver)
    with open_room_or_skip(folder) as room:
        stage = set_stage(way.driver, folder, room.url)
        assert way.install(way.driver, stage, room).code == 0
        teller = Teller(driver=way.driver, stage=stage, room=room)
        first = teller.session(f"{RULE} Add the tax to {shop.PRICES}.", _mistake(way.driver, stage))
        other = teller.session(
            f"Let {shop.STOCK} reserve several at once.", _other_mistake(way.driver, stage)
        )
        take_back(stage)
        again = teller.session("Orders need their tax: let with_tax add it.", _mistake(way.driver, stage))
        listed = teller.asked("list", "--state", "active", "--json")
        yield TwoSessions(
            first=first, other=other, again=again, known=[memory["text"] for memory in listed["memories"]]
        )


def take_back(stage: Stage) -> None:
    """Somebody else's branch: the project is as it was, and what was learned stays."""
    subprocess.run(["git", "checkout", "-q", "--", "."], cwd=stage.project, check=True)
    shutil.rmtree(stage.project / ".pytest_cache", ignore_errors=True)


def _mistake(driver: Driver, stage: Stage) -> list[Turn]:
    return [
        [Say("I look first."), driver.read(stage, shop.PRICES)],
        [driver.edit(stage, shop.PRICES, shop.NO_TAX + "\n", shop.ROUGH_TAX + "\n")],
        [driver.shell(TESTS)],
        [driver.edit(stage, shop.PRICES, shop.ROUGH_TAX, shop.RIGHT_TAX)],
        [driver.shell(TESTS)],
        [Say("The tax is in.")],
    ]


def _other_mistake(driver: Driver, stage: Stage) -> list[Turn]:
    return [
        [driver.read(stage, shop.STOCK)],
        [driver.edit(stage, shop.STOCK, shop.NO_RESERVE, shop.ROUGH_RESERVE)],
        [driver.shell(TESTS)],
        [Say("The tests fail; I leave it at that.")],
    ]


def test_the_first_session_has_nothing_to_be_told(sessions: TwoSessions) -> None:
    assert sessions.first.times("1 failed", AFTER_FAILURE) >= 1
    assert sessions.first.times(WAY_OUT, AFTER_FAILURE) == 0


def test_the_second_session_of_the_mistake_is_told_the_way_out_at_the_failure(sessions: TwoSessions) -> None:
    told = "\n".join(strings_in(sessions.again.request(AFTER_FAILURE).body))
    assert sessions.again.times(WAY_OUT, AFTER_FAILURE - 1) == 0
    assert sessions.again.times(WAY_OUT, AFTER_FAILURE) == 1, told[-3000:]
    assert "an edit of shop/prices.py made it pass" in told


def test_another_failure_is_not_taken_for_it(sessions: TwoSessions) -> None:
    assert sessions.other.times("1 failed", AFTER_FAILURE) >= 1
    assert sessions.other.times(WAY_OUT, AFTER_FAILURE) == 0


def test_what_the_person_said_in_a_prompt_is_told_once_from_the_next_session_on(
    sessions: TwoSessions,
) -> None:
    for session in (sessions.other, sessions.again):
        assert session.times("unittest.mock", 0) == 1
        assert session.times("unittest.mock", AFTER_FAILURE) == 1


def test_what_nobody_mended_is_not_believed(sessions: TwoSessions) -> None:
    assert [text for text in sessions.known if shop.STOCK in text] == []
