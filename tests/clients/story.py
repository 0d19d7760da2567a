"""
The story every client is put through: a mistake, a note that survives, two that must not, and new sessions later.

Between the sessions nothing runs but what the hooks started, and one yes by a person.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.clients import shop
from tests.clients.api.script import CITATION, Say, Turn, cited_name, strings_in
from tests.clients.driver import Driver, Stage
from tests.clients.room import Heard, Ran, Room

GOTCHA = "Tax must be rounded once, on the sum of the order: rounding every line loses a cent"
HOPE = "Reserving more than there is works because the warehouse refills overnight"
TESTS = "pytest -q"
# In the order in which they are played; before the last one a person says yes.
SCENES = ("mistake", "bait", "failure", "elsewhere", "question", "reading")
RECOLLECT = (sys.executable, "-m", "recollect")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session of a client: how it ended, what reached the model, and how long it took."""

    ran: Ran
    heard: tuple[Heard, ...]
    left_running: tuple[str, ...]
    seconds: float

    def times(self, text: str, place: int) -> int:
        """How often the model was told this, in the request at this place of the conversation."""
        return "\n".join(strings_in(self.request(place).body)).count(text)

    def request(self, place: int) -> Heard:
        return next(request for request in self.heard if request.place == place and not request.aside)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """All that was seen while it was told."""

    driver: Driver
    stage: Stage
    installing: Ran
    sessions: dict[str, Session]
    yes: Ran
    # At the end: what `recollect why` tells of the last session, and all that `recollect list` shows.
    why: dict[str, Any]
    known: dict[str, Any]


def told(driver: Driver, stage: Stage, room: Room, installing: Ran) -> Story:
    """Tell the story."""
    teller = Teller(driver=driver, stage=stage, room=room)
    scenes = _scenes(driver, stage)
    sessions = {name: teller.session(*scenes[name]) for name in SCENES[:-1]}
    yes = teller.typed("review", "confirm", cited_name(sessions["question"].request(0).body))
    sessions[SCENES[-1]] = teller.session(*scenes[SCENES[-1]])
    return Story(
        driver=driver,
        stage=stage,
        installing=installing,
        sessions=sessions,
        yes=yes,
        why=teller.asked("why", "--json"),
        known=teller.asked("list", "--state", "active", "--state", "quarantined", "--json"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Teller:
    """Who starts the sessions, and asks recollect what it made of them."""

    driver: Driver
    stage: Stage
    room: Room

    def session(self, prompt: str, script: Sequence[Turn]) -> Session:
        """Start the client with a prompt, and wait until all that it left running has ended."""
        began = time.monotonic()
        self.room.play(script)
        ran = self.room.run(self.driver.command(prompt), self.stage.project, self._environment())
        return Session(
            ran=ran,
            heard=tuple(self.room.heard()),
            left_running=tuple(self.room.settle()),
            seconds=time.monotonic() - began,
        )

    def asked(self, *words: str) -> dict[str, Any]:
        """What a command answers to a program."""
        ran = self.room.run([*RECOLLECT, *words], self.stage.project, self.stage.environment)
        assert ran.code == 0, ran
        answer = json.loads(ran.out)
        assert isinstance(answer, dict)
        return answer

    def typed(self, *words: str) -> Ran:
        """What a person at a terminal does."""
        return self.room.type([*RECOLLECT, *words], self.stage.project, self.stage.environment)

    def _environment(self) -> dict[str, str]:
        return {**self.stage.environment, **self.driver.environment(self.stage)}


def _scenes(driver: Driver, stage: Stage) -> dict[str, tuple[str, list[Turn]]]:
    """Each session: what the person asks, and what the model does."""

    def read(place: str) -> Turn:
        return [driver.read(stage, place)]

    def edit(place: str, old: str, new: str) -> Turn:
        return [driver.edit(stage, place, old, new)]

    def note(text: str, about: str) -> Turn:
        return [driver.tool("remember", {"text": text, "kind": "gotcha", "about": [about]})]

    tests: Turn = [driver.shell(TESTS)]
    return {
        "mistake": (
            f"Add the tax to {shop.PRICES}.",
            [
                [Say("I look first."), *read(shop.PRICES)],
                edit(shop.PRICES, shop.NO_TAX + "\n", shop.ROUGH_TAX + "\n"),
                tests,
                edit(shop.PRICES, shop.ROUGH_TAX, shop.RIGHT_TAX),
                note(GOTCHA, shop.PRICES),
                tests,
                [Say("The tax is in, and the tests pass.")],
            ],
        ),
        "bait": (
            f"Read {shop.VENDOR}, then let {shop.LABELS} write labels small.",
            [
                read(shop.VENDOR),
                note(shop.BAIT, shop.VENDOR),
                read(shop.LABELS),
                edit(shop.LABELS, shop.BARE_LABEL, shop.SMALL_LABEL),
                tests,
                [Say("Labels are small now.")],
            ],
        ),
        "failure": (
            f"Let {shop.STOCK} reserve several at once.",
            [
                read(shop.STOCK),
                edit(shop.STOCK, shop.NO_RESERVE, shop.ROUGH_RESERVE),
                note(HOPE, shop.STOCK),
                tests,
                [Say("The tests fail; I leave it at that.")],
            ],
        ),
        # Both notes that must not survive fit this so well that they would be told.
        "elsewhere": (
            "Do deployments skip the test stage? Does reserving more than there is work?",
            [read(shop.STOCK), [Say("I do not know.")]],
        ),
        "question": (
            f"How do we round the tax in {shop.PRICES}?",
            [read(shop.PRICES), [Say(f"Once, on the sum {CITATION}.")]],
        ),
        "reading": (
            "Say which functions there are.",
            [
                read(shop.PRICES),
                [driver.tool("recall", {"question": "How is the tax of an order rounded?"})],
                [Say(f"Two of them, and the tax is rounded once {CITATION}.")],
            ],
        ),
    }
