"""
The tools of the vault, in the same form as those of `tools.py`: notes, tasks, messages.

They are no part of the six that every session gets: whoever wants them (`recollect mcp --tools memory --tools
vault`, the agent loop) names the sets of `TOOL_SETS`. Every path they take is checked where notes are read and written.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.model.arguments import Schema, arguments, number, one_of, text
from recollect.model.vault_task import PRIORITIES, STATUSES
from recollect.surfaces import vault_calls
from recollect.surfaces.tools import TOOLS, Tool

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer"}
_FLAG: Schema = {"type": "boolean"}
_PATH = text(
    "The path of a note inside the vault, such as Projects/Shop.md or Daily/2026-05-08.md.", most=1_000
)
_FOLDER = text("Only this folder, such as Projects.", most=1_000)
_LIMIT = number("How many at most.", low=1, high=50)
_CHANNEL = text("Which channel, such as file, webhook or openclaw; the usual one if left out.", most=64)


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


_TASKS = _object(
    count=_COUNT,
    tasks=_list(_object(title=_TEXT, status=_TEXT, priority=_TEXT, project=_TEXT, details=_TEXT)),
    says=_TEXT,
)

NOTE_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="vault_read",
        title="Read a note",
        says="Use when you know which note of the vault holds what you need.",
        takes=arguments("path", path=_PATH),
        gives=_object(path=_TEXT, content=_TEXT, cut=_FLAG),
        example={"path": "User Profile.md"},
        reads_only=True,
        call=vault_calls.vault_read,
        acts=("vault.read",),
        command="vault",
    ),
    Tool(
        name="vault_write",
        title="Write a note",
        says="Use to save a note whole, with [[links]] to related notes; what stood there is replaced and kept as a"
        " version, so read it first.",
        takes=arguments(
            "path", "content", path=_PATH, content=text("The whole note in Markdown.", most=500_000)
        ),
        gives=_object(path=_TEXT, says=_TEXT),
        example={"path": "Projects/Shop.md", "content": "# Shop\n\nUses [[Components/gateway]].\n"},
        reads_only=False,
        destroys=True,
        call=vault_calls.vault_write,
        acts=("vault.write",),
        command="vault",
    ),
    Tool(
        name="vault_append",
        title="Add to a note",
        says="Use to add an entry to a log, a daily note or a list without touching the rest.",
        takes=arguments("path", "content", path=_PATH, content=text("What to add at the end.", most=100_000)),
        gives=_object(path=_TEXT, says=_TEXT),
        example={"path": "Daily/2026-05-08.md", "content": "- deployed the shop"},
        reads_only=False,
        idempotent=False,
        call=vault_calls.vault_append,
        acts=("vault.append",),
        command="vault",
    ),
    Tool(
        name="vault_search",
        title="Search the notes",
        says="Use when you look for something in the notes and do not know where it stands.",
        takes=arguments("query", query=text("Words or a question."), directory=_FOLDER, limit=_LIMIT),
        gives=_object(
            count=_COUNT,
            notes=_list(
                _object(
                    path=_TEXT,
                    title=_TEXT,
                    heading=_TEXT,
                    line=_COUNT,
                    excerpt=_TEXT,
                    score={"type": "number"},
                    neighbours=_list(_TEXT),
                )
            ),
        ),
        example={"query": "how do we deploy the shop?"},
        reads_only=True,
        call=vault_calls.vault_search,
        acts=("vault.search",),
        command="vault",
    ),
    Tool(
        name="vault_list",
        title="List notes",
        says="Use to see which notes a folder of the vault holds.",
        takes=arguments(directory=_FOLDER),
        gives=_object(count=_COUNT, entries=_list(_object(name=_TEXT, is_folder=_FLAG, changed_at=_TEXT))),
        example={"directory": "Projects"},
        reads_only=True,
        call=vault_calls.vault_list,
        acts=("vault.list",),
        command="vault",
    ),
)

TASK_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="task_create",
        title="Create a task",
        says="Use for work that goes on after this session or needs a follow-up.",
        takes=arguments(
            "title",
            title=text("A short title.", most=300),
            details=text("What is to be done.", most=4_000),
            priority=one_of("How urgent; medium if left out.", *PRIORITIES),
            project=text("The project it belongs to.", most=100),
        ),
        gives=_TASKS,
        example={"title": "Set up the test database", "priority": "high", "project": "shop"},
        reads_only=False,
        idempotent=False,
        call=vault_calls.task_create,
        acts=("vault.tasks.create",),
        command="tasks",
    ),
    Tool(
        name="task_update",
        title="Update a task",
        says="Use when a task is begun, blocked, done or given up; the title may be close, and if it fits several"
        " you are told which.",
        takes=arguments(
            "title",
            "status",
            title=text("The title, whole or nearly.", most=300),
            status=one_of("The state it is in now.", *STATUSES),
            notes=text("What to note under it.", most=2_000),
        ),
        gives=_TASKS,
        example={"title": "Set up the test database", "status": "done"},
        reads_only=False,
        call=vault_calls.task_update,
        acts=("vault.tasks.update",),
        command="tasks",
    ),
    Tool(
        name="task_list",
        title="List tasks",
        says="Use at the start of a session to see what is to be done.",
        takes=arguments(
            status=one_of("Only of this state; all that are not ended if left out.", "all", *STATUSES),
            project=text("Only of this project.", most=100),
        ),
        gives=_TASKS,
        example={"status": "blocked"},
        reads_only=True,
        call=vault_calls.task_list,
        acts=("vault.tasks.list",),
        command="tasks",
    ),
)

_SENT = _object(id=_TEXT, channel=_TEXT, sent=_FLAG, says=_TEXT)
_CHECKED = _object(
    count=_COUNT,
    messages=_list(_object(**dict.fromkeys(("id", "channel", "from", "at", "text"), _TEXT))),
    problems=_list(_TEXT),
)


def _message_tools(prefix: str) -> tuple[Tool, ...]:
    return (
        Tool(
            name=f"{prefix}_send",
            title="Send a message",
            says="Use to tell the person something while they are not at the keyboard.",
            takes=arguments("message", message=text("What to say.", most=8_000), channel=_CHANNEL),
            gives=_SENT,
            example={"message": "The deploy is done."},
            reads_only=False,
            idempotent=False,
            open_world=True,
            call=vault_calls.message_send,
            acts=("vault.messages.send",),
            command="vault",
        ),
        Tool(
            name=f"{prefix}_check",
            title="Check for messages",
            says="Use to see whether the person has written something new.",
            takes=arguments(channel=_CHANNEL, limit=_LIMIT),
            gives=_CHECKED,
            example={"limit": 10},
            # What it shows counts as read from then on.
            reads_only=False,
            idempotent=False,
            open_world=True,
            call=vault_calls.message_check,
            acts=("vault.messages.check",),
            command="vault",
        ),
    )


MESSAGE_TOOLS = _message_tools("message")
# The names a desktop agent knows them by.
OPENCLAW_TOOLS = _message_tools("openclaw")

VAULT_TOOLS: tuple[Tool, ...] = (*NOTE_TOOLS, *TASK_TOOLS, *MESSAGE_TOOLS)
TOOL_SETS: Mapping[str, tuple[Tool, ...]] = {
    "memory": TOOLS,
    "vault": NOTE_TOOLS,
    "tasks": TASK_TOOLS,
    "messages": MESSAGE_TOOLS,
    "openclaw": OPENCLAW_TOOLS,
}
