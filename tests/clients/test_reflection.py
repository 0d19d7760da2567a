"""The question at a stop in real Claude Code: asked once where it is switched on, never where it is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.clients import shop
from tests.clients.api.script import Say, Turn, strings_in
from tests.clients.conftest import fetched, open_room_or_skip
from tests.clients.driver import Driver, Stage
from tests.clients.drivers.claude_code import CLAUDE_CODE
from tests.clients.story import RECOLLECT, TESTS, Session, Teller
from tests.clients.ways import set_stage

pytestmark = [pytest.mark.timeout(900), pytest.mark.client(CLAUDE_CODE.name)]

QUESTION = "recollect asks once, before you stop"
WHY = "The rough tax is wrong because a third of a cent is left over, so with_tax has to round."
NOTE = f"`with_tax` in `{shop.PRICES}` has to round: a third of a cent is left over otherwise."
ANSWER = (
    f'One thing.\n\n```json\n[{{"text": "{NOTE}", "quote": "because a third of a cent is left over"}}]\n```'
)


def _work(driver: Driver, stage: Stage) -> list[Turn]:
    return [
        [driver.read(stage, shop.PRICES)],
        [driver.edit(stage, shop.PRICES, shop.NO_TAX + "\n", shop.ROUGH_TAX + "\n")],
        [driver.shell(TESTS)],
        [driver.edit(stage, shop.PRICES, shop.ROUGH_TAX, shop.RIGHT_TAX)],
        [driver.shell(TESTS)],
        [Say(f"The tax is in. {WHY}")],
    ]


@pytest.fixture(params=["on", "off"])
def told(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Session, list[str]]]:
    """A session whose work failed and passed, and what is known after it."""
    folder = tmp_path_factory.mktemp(f"reflect-{request.param}")
    fetched(CLAUDE_CODE)
    with open_room_or_skip(folder) as room:
        stage = set_stage(CLAUDE_CODE, folder, room.url)
        switch = ["--reflect"] if request.param == "on" else []
        init = [*RECOLLECT, "init", "--yes", "--agent", CLAUDE_CODE.name, *switch]
        assert room.run(init, stage.project, stage.environment).code == 0
        teller = Teller(driver=CLAUDE_CODE, stage=stage, room=room)
        turns = _work(CLAUDE_CODE, stage)
        if switch:
            turns.append([Say(ANSWER)])
        session = teller.session(f"Add the tax to {shop.PRICES}.", turns)
        listed = teller.asked("list", "--state", "active", "--json")
        yield request.param, session, [memory["text"] for memory in listed["memories"]]


def test_the_agent_is_asked_once_where_it_is_switched_on_and_never_otherwise(
    told: tuple[str, Session, list[str]],
) -> None:
    switch, session, known = told
    own = [request for request in session.heard if not request.aside]
    asked = [place for place, request in enumerate(own) if QUESTION in "\n".join(strings_in(request.body))]
    if switch == "off":
        assert asked == []
        return
    # In the request that the block brought about, and in none before it; nothing follows the answer.
    assert asked == [len(own) - 1]
    # In its own words, or in those that were heard before it was asked.
    assert any("third of a cent" in text for text in known)
