"""The one question at a stop: asked where it is switched on, once, and only if a session taught something."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recollect.learn.reflect import AGENT_REQUEST
from tests.hooks.hooking import Hooks

RED = "E   ValueError: the tenant is not known yet\n1 failed"
SAID = "The totals are stale because `load_rates()` runs before the tenant is known."
NOTE = "Call `load_rates()` in `src/rates.py` after the tenant is known; the cache is filled once."


@pytest.fixture
def reflecting(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> Hooks:
    monkeypatch.setenv("RECOLLECT_REFLECT", "agent")
    with hooks.memory():
        return hooks


def stop(hooks: Hooks, text: str = "Done.", **payload: Any) -> dict[str, Any]:
    rest = {"stop_hook_active": False, "background_tasks": []} | payload
    return hooks.send("Stop", last_assistant_message=text, **rest)


def work(hooks: Hooks, *, passes: bool = True) -> None:
    hooks.ask("The totals are wrong, mend them")
    hooks.fail("pytest -q", RED)
    hooks.send("Stop", last_assistant_message=SAID, stop_hook_active=False, background_tasks=[{"id": "b1"}])
    (hooks.project / "src").mkdir(exist_ok=True)
    (hooks.project / "src/rates.py").write_text("load_rates()\n", "utf-8")
    hooks.edit("src/rates.py", "load_rates()", "load_rates(tenant)")
    if passes:
        hooks.pass_("pytest -q", "1 passed")
    else:
        hooks.fail("pytest -q", RED)


def test_by_default_no_stop_is_ever_answered(hooks: Hooks) -> None:
    work(hooks)
    assert stop(hooks) == {}


def test_a_session_that_taught_something_is_asked_once(reflecting: Hooks) -> None:
    work(reflecting)
    assert stop(reflecting) == {"decision": "block", "reason": AGENT_REQUEST}
    assert stop(reflecting, "[]") == {}
    reflecting.ask("And now the labels")
    work(reflecting)
    assert stop(reflecting) == {}


@pytest.mark.parametrize(
    "payload",
    [{"stop_hook_active": True}, {"background_tasks": [{"id": "b1"}]}, {"agent_id": "a1"}],
    ids=["goes on because of a hook", "something still runs", "a subagent"],
)
def test_nobody_is_asked_in_a_loop_or_in_between(reflecting: Hooks, payload: dict[str, Any]) -> None:
    work(reflecting)
    assert stop(reflecting, **payload) == {}


def test_nobody_is_asked_when_nothing_happened_or_the_work_failed(reflecting: Hooks) -> None:
    reflecting.ask("What does `load_rates()` do?")
    assert stop(reflecting, "It loads the rates.") == {}
    work(reflecting, passes=False)
    assert stop(reflecting) == {}


def test_what_the_agent_answers_is_held_against_the_session(reflecting: Hooks) -> None:
    work(reflecting)
    assert stop(reflecting)
    notes = [
        {"text": NOTE, "quote": "`load_rates()` runs before the tenant is known"},
        {"text": "`deploy.sh` wants the token of the vault.", "quote": "wants the token of the vault here"},
    ]
    answer = f"Two things:\n\n```json\n{json.dumps(notes)}\n```"
    assert stop(reflecting, answer, stop_hook_active=True) == {}
    with reflecting.memory() as memory:
        memory.observer.drain()
        memory.observer.learn(reflecting.session)
        texts = [one.text for one in memory.list()]
    assert NOTE in texts
    assert not any("vault" in text for text in texts)


def test_without_a_store_nobody_is_asked(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_REFLECT", "agent")
    hooks.db.unlink(missing_ok=True)
    work(hooks)
    assert stop(hooks) == {}
