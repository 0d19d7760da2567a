"""Conversations in the store: resumed, archived, outputs kept as long as they should be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.conversation.personas import Persona, load_personas
from recollect.conversation.shapes import SHAPES
from recollect.errors import BadInput, NotFound
from tests.conftest import Clock
from tests.conversation.histories import a_history, text_of


@pytest.mark.parametrize("shape", SHAPES)
def test_a_conversation_is_resumed_as_it_was(shape: str, memory: Recollect) -> None:
    messages = a_history(shape, 5)
    chat = memory.chats.start(Persona(name="ops"), shape=shape, title="Users API")
    assert memory.chats.add(chat.id, *messages[:4]) == 0
    assert memory.chats.add(chat.id, *messages[4:]) == 4
    assert memory.chats.messages(chat.id) == messages
    (newest,) = memory.chats.newest(agent="ops")
    assert (newest.id, newest.messages, newest.title) == (chat.id, len(messages), "Users API")


def test_outputs_go_when_their_time_is_over_and_messages_stay(memory: Recollect, clock: Clock) -> None:
    chat = memory.chats.start(Persona(name="ops"))
    memory.chats.add(chat.id, *a_history("anthropic", 2))
    clock.pass_(days=31)
    memory.chats.add(chat.id, *a_history("anthropic", 1)[1:])
    assert memory.chats.prune_outputs() == 2
    text = text_of(memory.chats.messages(chat.id))
    assert text.count("no longer kept") == 2
    assert "line 0 of the output" in text


def test_an_archived_conversation_is_whole_and_out_of_the_list(memory: Recollect) -> None:
    chat = memory.chats.start(Persona(name="ops", prompt="You run things.", tools=("bash",)))
    memory.chats.add(chat.id, *a_history("anthropic", 2))
    value = json.loads(json.dumps(memory.chats.archive(chat.id)))
    assert value["messages"] == a_history("anthropic", 2)
    assert value["persona"]["prompt"] == "You run things."
    assert memory.chats.newest() == []
    assert memory.chats.chat(chat.id).archived_at is not None


def test_a_conversation_that_does_not_exist_is_named(memory: Recollect) -> None:
    with pytest.raises(NotFound, match="nope"):
        memory.chats.add("nope", {"role": "user", "content": "x"})


def test_personas_come_from_toml_and_json(tmp_path: Path) -> None:
    (tmp_path / "ops.toml").write_text('prompt = "You run things."\ntools = ["bash", "read_*"]\n', "utf-8")
    (tmp_path / "qa.json").write_text('{"prompt": "You test.", "temperature": 0.1}', "utf-8")
    personas = load_personas(tmp_path)
    assert personas["ops"].tools == ("bash", "read_*")
    assert (personas["ops"].temperature, personas["qa"].temperature) == (0.5, 0.1)


@pytest.mark.parametrize(
    "text", ['{"promt": "x"}', '{"temperature": "hot"}', "[1]", "{", '{"temperature": 9}']
)
def test_a_persona_that_cannot_be_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text(text, "utf-8")
    with pytest.raises(BadInput):
        load_personas(tmp_path)
