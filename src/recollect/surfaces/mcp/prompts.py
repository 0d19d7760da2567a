"""Prompts a user can pick in their client: each asks memory first and hands the agent the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.errors import BadInput, NotFound
from recollect.model.value import dataclass
from recollect.surfaces import tools
from recollect.surfaces.mcp.protocol import Json
from recollect.surfaces.tool_calls import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt: the tool whose answer it holds, the argument it takes for that, and what it asks of the agent."""

    name: str
    title: str
    says: str
    tool: str
    asks: str
    argument: str = ""
    argument_says: str = ""


PROMPTS = (
    Prompt(
        name="recall",
        title="Recall what is known",
        says="Ask this project's memory a question.",
        tool="recall",
        argument="question",
        argument_says="What you want to know.",
        asks="Answer from these notes of earlier work where they hold, and repeat the chip of each you rely on.",
    ),
    Prompt(
        name="review",
        title="What waits for a review",
        says="See what memory wants to know from you.",
        tool="pending",
        asks="Tell me in a few lines what waits and why. I decide myself, with `recollect review` in a terminal.",
    ),
)


def list_prompts() -> list[Json]:
    """Every prompt as the protocol lists it."""
    return [
        {
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.says,
            "arguments": [
                {"name": prompt.argument, "description": prompt.argument_says, "required": True}
                for _ in range(bool(prompt.argument))
            ],
        }
        for prompt in PROMPTS
    ]


def fill_prompt(name: str, arguments: Mapping[str, Any], caller: Callable[[], Caller]) -> Json:
    """One prompt, filled in."""
    prompt = next((one for one in PROMPTS if one.name == name), None)
    if prompt is None:
        raise NotFound(f"There is no prompt {name!r}. There is {', '.join(one.name for one in PROMPTS)}.")
    if set(arguments) - {prompt.argument}:
        raise BadInput(reason=f"the prompt {name!r} takes {prompt.argument or 'no arguments'}")
    value = arguments.get(prompt.argument)
    question = f"{prompt.argument.capitalize()}: {value}\n\n" if value else ""
    answer = tools.call_tool(prompt.tool, dict(arguments), caller)
    text = f"{question}{prompt.asks}\n\n{answer.text}"
    return {
        "description": prompt.says,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }
