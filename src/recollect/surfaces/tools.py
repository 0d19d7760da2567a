"""
The tools an agent is given, declared once: name, one sentence, what goes in and out, what it may change, and the act.

Six and no more: every tool costs every session its description, and what is rarely called is not missed. Whoever offers
tools to agents (the MCP server, our own loop) offers this table. It loads no engine: a list of tools is asked for at
every start.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recollect.errors import NotFound
from recollect.model.arguments import Schema, arguments, check_arguments, flag, number, one_of, text, texts
from recollect.model.value import dataclass
from recollect.surfaces import tool_calls
from recollect.surfaces.tool_calls import JUDGEMENTS, Caller, Given, ToolAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool. `reads_only` has no default: whoever adds a tool says whether it may change something."""

    name: str
    title: str
    says: str
    takes: Schema
    gives: Schema
    # What to send, shown when something else was sent.
    example: Mapping[str, Any]
    reads_only: bool
    # It may take something out of use, not only add.
    destroys: bool = False
    # Calling it twice changes no more than calling it once.
    idempotent: bool = True
    # It reaches people or programs outside memory.
    open_world: bool = False
    call: Callable[[Caller, Given], ToolAnswer]
    # The acts of the engine that it stands for, and the command that does the same for a person.
    acts: tuple[str, ...]
    command: str

    @property
    def annotations(self) -> dict[str, Any]:
        """What a client may tell the person before it calls."""
        return {
            "title": self.title,
            "readOnlyHint": self.reads_only,
            "destructiveHint": self.destroys,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }


def call_tool(
    name: str, arguments_sent: object, caller: Callable[[], Caller], *, offered: Sequence[Tool] = ()
) -> ToolAnswer:
    """Check the arguments, then call a tool; the memory is opened only for a call that can be made."""
    tool = find_tool(name, offered)
    arguments = check_arguments(tool.takes, arguments_sent, json.dumps(tool.example, ensure_ascii=False))
    return tool.call(caller(), arguments)


def find_tool(name: str, offered: Sequence[Tool] = ()) -> Tool:
    """The tool with this name, among those that are offered; without any, the six."""
    for tool in offered or TOOLS:
        if tool.name == name:
            return tool
    names = ", ".join(tool.name for tool in offered or TOOLS)
    raise NotFound(f"There is no tool {name!r}. The tools are: {names}.")


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer"}
_CARD = {
    "id": _TEXT,
    "kind": _TEXT,
    "text": _TEXT,
    "about": _list(_TEXT),
    "cite": {"type": "string", "description": "Repeat it in your answer when you rely on the memory."},
    "confidence": {"type": "number"},
    "source": _TEXT,
    "state": _TEXT,
    "verified": {"type": "boolean"},
    "stale": {"type": "boolean"},
    "happened_at": _TEXT,
}
_FOUND = {"count": _COUNT, "memories": _list(_object(**_CARD)), "notes": _list(_TEXT)}
_LIMIT = number("How many at most.", low=1, high=50)
# What is answered in a session is noted there.
_TOLD = ("observer.open_session", "reviews.note_applied")
_ABOUT = "What it is about: src/auth.py, symbol:src/auth.py::refresh, service:caddy, person:alex."

TOOLS: tuple[Tool, ...] = (
    Tool(
        name="recall",
        title="Recall what is known",
        says="Use when you need to know how something works here, why it was decided, or what went wrong before.",
        takes=arguments(
            "question",
            question=text("What you want to know, in plain words or with the names you look for."),
            about=texts(f"Only memories about these. {_ABOUT}"),
            kinds=texts("Only these kinds, such as gotcha, decision, preference, error_pattern."),
            limit=_LIMIT,
            all=flag("Also what only comes near, where nothing answers."),
        ),
        gives=_object(**_FOUND),
        example={"question": "how often do we retry uploads?"},
        reads_only=True,
        call=tool_calls.recall,
        acts=("recall", *_TOLD),
        command="recall",
    ),
    Tool(
        name="remember",
        title="Note something worth keeping",
        says="Use when you learned something that a later session would need and could not see in the code: one"
        " sentence, with its reason; nothing is a good answer too.",
        takes=arguments(
            "text",
            text=text("One thing, in one or two sentences, with the reason.", most=64_000),
            kind=text(
                "gotcha, decision, preference, pattern, requirement, error_pattern, module_insight, lesson or"
                " fact; fact if left out.",
                most=64,
            ),
            about=texts(_ABOUT),
        ),
        gives=_object(
            outcome={"type": "string", "enum": ["noted", "remembered", "already_known", "refused"]},
            id={"type": ["string", "null"]},
            session={"type": ["string", "null"]},
            says=_TEXT,
        ),
        example={
            "text": "Uploads need WAL mode: two writers lock each other out otherwise",
            "kind": "gotcha",
            "about": ["src/upload.py"],
        },
        reads_only=False,
        call=tool_calls.remember,
        acts=("observer.open_session", "observer.note", "remember"),
        command="remember",
    ),
    Tool(
        name="about",
        title="Everything about one thing",
        says="Use before you change a file, symbol or service: what is known about it, what changes with it, and"
        " what a change touches.",
        takes=arguments("subject", subject=text(_ABOUT, most=1_100), limit=_LIMIT),
        gives=_object(
            subject=_TEXT,
            **_FOUND,
            together=_list(_object(path=_TEXT, weight={"type": "number"}, commits=_COUNT, sessions=_COUNT)),
            module=_TEXT,
            score={"type": "number", "description": "How many files' worth of a change arrives elsewhere."},
            dependents=_list(_object(path=_TEXT, depth=_COUNT)),
            tests=_list(_object(path=_TEXT, depth=_COUNT)),
            must_hold=_list({"type": "string", "description": "Ids of memories a change has to keep to."}),
        ),
        example={"subject": "src/auth.py"},
        reads_only=True,
        call=tool_calls.about,
        acts=("code.about", "code.impact", *_TOLD),
        command="about",
    ),
    Tool(
        name="recipe",
        title="How such a task was done",
        says="Use at the start of a task that was probably done before: the steps that worked then.",
        takes=arguments("task", task=text("What is to be done."), limit=_LIMIT),
        gives=_object(count=_COUNT, memories=_list(_object(**_CARD, steps=_list(_TEXT))), notes=_list(_TEXT)),
        example={"task": "add a column to a table"},
        reads_only=True,
        call=tool_calls.recipe,
        acts=("recall", *_TOLD),
        command="recall",
    ),
    Tool(
        name="pending",
        title="What waits for a review",
        says="Use when the person asks what memory wants to know from them; only they can say yes.",
        takes=arguments(limit=_LIMIT),
        gives=_object(count=_COUNT, memories=_list(_object(**_CARD, why=_TEXT))),
        example={"limit": 10},
        reads_only=True,
        call=tool_calls.pending,
        acts=("reviews.pending",),
        command="review",
    ),
    Tool(
        name="feedback",
        title="Say what a memory was worth",
        says="Use when a memory helped you, proved wrong or is outdated, or a recipe that you followed failed; a wrong"
        " one is silent from then on until a person has looked.",
        takes=arguments(
            "id",
            "judgement",
            id=text("The memory's id, or the first characters of it.", most=64),
            judgement=one_of("What it was worth.", *JUDGEMENTS),
            why=text("What shows it.", most=2_000),
        ),
        gives=_object(id=_TEXT, state=_TEXT, says=_TEXT),
        example={"id": "01KA3ABCDEFGH", "judgement": "wrong", "why": "the cap is 5 since March"},
        reads_only=False,
        destroys=True,
        call=tool_calls.feedback,
        acts=("show", "upkeep.judge", "upkeep.flag", "upkeep.recipe_failed"),
        command="feedback",
    ),
)
