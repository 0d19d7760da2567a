"""A scripted model: it answers from a file, turn by turn, so that a loop can be tried and tested without a key."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.agent.model_client import ModelPrice, ModelReply, ModelRequest, ModelUsage
from recollect.conversation.message_shape import estimate_message
from recollect.conversation.shapes import SHAPES
from recollect.errors import BadInput
from recollect.model.tokens import estimate_tokens

_SHAPE = SHAPES["anthropic"]


class ScriptedClient:
    """
    Answers the first iteration with the first turn, and so on; after the last it says that it is done.

    A turn is `{"say": "…", "calls": [{"tool": "read_file", "arguments": {"path": "a.py"}}]}`; both parts can be left
    out. Which turn is next follows from the iteration alone, so a run that is resumed goes on in the right place.
    """

    shape = "anthropic"

    def __init__(
        self, turns: Sequence[Mapping[str, Any]], *, name: str = "scripted", price: ModelPrice | None = None
    ) -> None:
        """A model that says these turns."""
        self.name = name
        self._price = price or ModelPrice()
        self._turns = [_check_turn(turn, number) for number, turn in enumerate(turns, start=1)]

    def send(self, request: ModelRequest) -> ModelReply:
        """The turn of this iteration. `{completion}` in its words becomes the token that ends the run."""
        place = request.iteration - 1
        turn = self._turns[place] if place < len(self._turns) else {"say": "{completion}"}
        token = _token_in(request.system)
        blocks: list[dict[str, Any]] = []
        if say := turn.get("say", ""):
            blocks.append({"type": "text", "text": say.replace("{completion}", token)})
        for number, call in enumerate(turn.get("calls", ())):
            call_id = f"scripted_{request.iteration}_{number}"
            arguments_sent = call.get("arguments", {})
            blocks.append({"type": "tool_use", "id": call_id, "name": call["tool"], "input": arguments_sent})
        message = {"role": "assistant", "content": blocks or [{"type": "text", "text": token}]}
        parsed = _SHAPE.parse(message)
        sent = sum(estimate_message(_SHAPE.parse(message_sent), 1_600) for message_sent in request.messages)
        usage = ModelUsage(
            input_tokens=sent + estimate_tokens(request.system), output_tokens=estimate_message(parsed, 0)
        )
        return ModelReply(message=message, text=parsed.text, calls=parsed.calls, usage=usage, stop="end_turn")

    def cost(self, usage: ModelUsage) -> float:
        """What so many tokens would cost."""
        return self._price.of(usage)


def read_script(path: Path, price: ModelPrice | None = None) -> ScriptedClient:
    """The scripted model of a file: a JSON list of turns, or an object with the list as `turns`."""
    try:
        script = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"There is no script {path}.") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as a script: {error}.") from error
    turns = script.get("turns") if isinstance(script, dict) else script
    if not isinstance(turns, list):
        raise BadInput(f"{path} holds no list of turns.")
    return ScriptedClient(turns, name=f"scripted:{path.absolute()}", price=price)


def _check_turn(turn: object, number: int) -> Mapping[str, Any]:
    if not isinstance(turn, Mapping) or not isinstance(turn.get("say", ""), str):
        raise BadInput(f"Turn {number} of the script is no object with a text called say.")
    calls = turn.get("calls", [])
    for call in calls if isinstance(calls, list) else [None]:
        if not isinstance(call, Mapping) or not isinstance(call.get("tool"), str):
            raise BadInput(f"Turn {number} of the script has a call without the name of a tool.")
    return turn


def _token_in(system: str) -> str:
    """The token that the system prompt asks for at the end."""
    start = system.rfind("DONE-")
    end = start
    while start >= 0 and end < len(system) and (system[end].isalnum() or system[end] == "-"):
        end += 1
    return system[start:end] if start >= 0 else "Done."
