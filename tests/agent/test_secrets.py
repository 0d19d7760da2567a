"""Secrets are used by a run and stored nowhere: not in its journal, not in its overflow files, not in a chat."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect
from recollect.agent.active_run import NOT_STORED
from recollect.agent.run_state import RunStore
from recollect.conversation.personas import Persona
from recollect.conversation.redact_messages import redact_values
from tests.agent.test_loop import DONE, a_loop, calling, counting_tool
from tests.conftest import Clock

SECRET = "ghp_" + "a1B2c3D4" * 4 + "e5F6"


@pytest.fixture
def run_store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs")


def stored(store: RunStore) -> str:
    """All that lies in the folder of the runs."""
    return "".join(path.read_text("utf-8") for path in store.folder.rglob("*") if path.is_file())


def test_a_tool_gets_the_secret_and_no_file_does(run_store: RunStore, clock: Clock) -> None:
    log: list[str] = []
    tool = counting_tool(log, lambda number: f"token {SECRET}\n" * 200)
    result = a_loop([calling(SECRET), DONE], [tool], run_store, clock=clock).run(f"Use {SECRET}.")
    assert (result.status, log) == ("completed", [SECRET])
    assert any(run_store.folder.rglob("overflow_*")), "the output was long enough for a file"
    assert SECRET not in stored(run_store)
    assert "[redacted:github_token]" in stored(run_store)


def test_a_call_whose_secret_is_gone_is_not_made_after_a_crash(run_store: RunStore, clock: Clock) -> None:
    log: list[str] = []

    def interrupt(number: int) -> str:
        if number == 1:
            raise KeyboardInterrupt
        return str(number)

    turns = [calling("a", SECRET), DONE]
    loop = a_loop(turns, [counting_tool(log, interrupt)], run_store, clock=clock, approve=lambda _: True)
    again = loop.resume(loop.run("Count.").run_id)
    assert (again.status, log) == ("completed", ["a"])
    assert NOT_STORED in str(run_store.state(again.run_id).messages)


def test_a_chat_is_stored_without_secrets(memory: Recollect) -> None:
    chat = memory.chats.start(Persona(name="helper"))
    memory.chats.add(chat.id, {"role": "user", "content": f"My key is {SECRET}"})
    assert SECRET not in str(memory.chats.messages(chat.id))


def test_keys_tell_what_is_secret_and_signed_thoughts_go_whole() -> None:
    thought = {"type": "thinking", "thinking": f"use {SECRET}", "signature": "s"}
    plain = {"type": "thinking", "thinking": "hm", "signature": "s"}
    value, count = redact_values(
        {"db_password": "kT9#vLq2!xZ8", "usage": {"tokens": 3}, "content": [thought, plain]}
    )
    assert value == {"db_password": "[redacted:password]", "usage": {"tokens": 3}, "content": [plain]}
    assert count == 2
