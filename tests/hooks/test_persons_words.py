"""What a person said is told from the next session on: at the start, and wherever its thing is named, opened or run."""

from __future__ import annotations

import time

import pytest

from recollect.model.provenance import Channel
from tests.git.repos import commit, git
from tests.hooks.hooking import Hooks


@pytest.fixture
def shop(hooks: Hooks) -> Hooks:
    commit(hooks.project, "src/checkout/cart.py", "TOTAL = 300\n")
    return hooks


def begin(hooks: Hooks, session: str) -> str:
    hooks.session = session
    return hooks.told("SessionStart", source="startup")


def hear(hooks: Hooks, said: str) -> None:
    """A session in which a person says something beside the work."""
    begin(hooks, "heard")
    hooks.ask(said)
    hooks.edit("src/checkout/cart.py", "300", "600")
    hooks.pass_("pytest -q", "3 passed in 0.10s")
    hooks.send("SessionEnd", reason="other")
    hooks.until_learned("heard")


@pytest.mark.parametrize(
    ("said", "telling"),
    [
        ("never use unittest.mock in this repo, use fakes. Now test the total.", "fakes"),
        ("From now on run the tests with `make check`, not with pytest directly.", "make check"),
        ("We always use uv here, never pip install.", "uv"),
        ("Going forward, every new endpoint must have an integration test.", "integration test"),
        ("Ab jetzt immer Commit-Nachrichten auf Englisch schreiben.", "Englisch"),
        ("Dans ce dépôt, n'utilise jamais requests, utilise httpx. Ajoute le client.", "httpx"),
    ],
)
def test_a_rule_said_in_a_prompt_is_told_when_the_next_session_begins(
    shop: Hooks, said: str, telling: str
) -> None:
    hear(shop, said)
    assert telling in begin(shop, "next")


def test_a_rule_about_a_file_waits_until_the_file_is_named(shop: Hooks) -> None:
    hear(shop, "Never use floats in src/checkout/cart.py, totals are Decimal there. Fix the total now.")
    assert begin(shop, "next") == ""
    assert shop.ask("rename the variable in the other module please") == ""
    assert "Decimal" in shop.ask("add a discount to src/checkout/cart.py")
    assert shop.read("src/checkout/cart.py") == ""


@pytest.mark.parametrize(
    "task",
    [
        "please add a discount to src/checkout/cart.py",
        "Bitte einen Rabatt in cart.py einbauen",
        "ajoute une remise au panier, voir checkout/cart.py",
        "add a discount to the cart",
    ],
)
def test_a_decision_about_a_file_is_told_when_the_task_names_it(shop: Hooks, task: str) -> None:
    with shop.memory() as memory:
        memory.remember("Totals are kept in cents", kind="decision", about=["src/checkout/cart.py"])
    assert begin(shop, "next") == ""
    assert "cents" in shop.ask(task)


def test_a_service_and_a_symbol_are_named_too(shop: Hooks) -> None:
    with shop.memory() as memory:
        memory.remember("At most 3 calls a second", kind="requirement", about=["service:payments"])
        memory.remember("Rounds down", kind="decision", about=["symbol:src/checkout/cart.py::grand_total"])
    begin(shop, "next")
    assert "3 calls" in shop.ask("retry the calls of payments when they fail")
    assert "Rounds down" in shop.ask("why is grand_total one cent short?")


def test_what_a_person_said_of_a_command_is_told_when_it_is_run(shop: Hooks) -> None:
    with shop.memory() as memory:
        memory.remember(
            "Never run alembic downgrade, restore the snapshot", kind="decision", about=["src/other.py"]
        )
    assert begin(shop, "next") == ""
    assert shop.pass_("ls -la", "total 3") == ""
    assert "snapshot" in shop.pass_("alembic downgrade -1", "done")
    assert shop.pass_("alembic downgrade -1", "done") == ""


def test_counted_habits_that_were_confirmed_never_push_a_persons_preferences_out(shop: Hooks) -> None:
    with shop.memory() as memory:
        memory.remember("Answer in short sentences", kind="preference")
    with shop.memory(Channel.AGENT) as memory:
        habits = [
            memory.remember(f"Files of part {number} are named in snake case, 40 of 40", kind="preference")
            for number in range(12)
        ]
    with shop.memory() as memory:
        for habit in habits:
            memory.reviews.confirm(habit.memory.id)
    brief = begin(shop, "next")
    assert "short sentences" in brief
    assert brief.index("short sentences") < brief.index("snake case")
    assert brief.count("\n- ") <= 6


def test_what_an_agent_noted_a_step_ago_is_not_echoed(shop: Hooks) -> None:
    begin(shop, "own")
    with shop.memory(Channel.AGENT) as memory:
        memory.observer.note(
            "cart.py stays tiny", session="own", kind="gotcha", about=["src/checkout/cart.py"]
        )
    assert shop.read("src/checkout/cart.py") == ""
    assert shop.ask("must cart.py stay tiny?") == ""


def test_what_a_person_typed_to_be_remembered_is_kept_at_once_as_theirs(shop: Hooks) -> None:
    begin(shop, "typed")
    shop.ask("/recollect:remember Never deploy on Fridays")
    for _ in range(600):
        with shop.memory() as memory:
            texts = {found.text: found.provenance.channel for found in memory.list()}
        if texts:
            break
        time.sleep(0.05)
    assert texts == {"Never deploy on Fridays": Channel.USER}
    assert "Fridays" in begin(shop, "next")
    assert shop.troubles() == []


def test_what_is_known_of_a_file_is_told_when_it_gets_another_name(shop: Hooks) -> None:
    with shop.memory() as memory:
        memory.remember("Totals are kept in cents", kind="decision", about=["src/checkout/cart.py"])
    begin(shop, "next")
    git(shop.project, "mv", "src/checkout/cart.py", "src/checkout/basket.py")
    assert "cents" in shop.pass_("git mv src/checkout/cart.py src/checkout/basket.py", "")


@pytest.mark.parametrize("prompt", ["weiter", "fix tests", "and now?", "go on please"])
def test_a_prompt_of_few_words_that_names_nothing_is_met_with_silence(shop: Hooks, prompt: str) -> None:
    with shop.memory() as memory:
        memory.remember("Fix the tests before you go on", kind="gotcha", about=["src/other.py"])
    begin(shop, "next")
    assert shop.ask(prompt) == ""
