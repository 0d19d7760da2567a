"""What a tool does, whatever the client calls it: its action, the files it names, the command it runs."""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.events.event_dict import EventDict

# Names as Claude Code, Codex, Gemini CLI, OpenCode, Cursor and SWE-agent use them; they do not clash.
_NAMES = {
    "read": "Read NotebookRead View read read_file read_many_files open_file view view_file ReadFile",
    "edit": "Edit MultiEdit NotebookEdit StrReplace edit multiedit replace apply_patch patch str_replace edit_file "
    "search_replace str_replace_editor EditFile",
    "create": "Write write write_file create create_file WriteFile",
    "delete": "Delete delete_file delete",
    "run": "Bash bash shell Shell exec_command local_shell run_shell_command run_terminal_cmd unified_exec "
    "execute_bash container.exec shell_command write_stdin",
    "search": "Grep Glob LS LSP grep glob list ls list_directory search_file_content grep_search codebase_search "
    "file_search list_dir find_file search_dir search_file ToolSearch tool_search lsp",
    "fetch": "WebFetch WebSearch webfetch websearch web_fetch google_web_search web_search fetch",
    "delegate": "Agent Task task Skill skill delegate_to_agent codebase_investigator",
}
ACTIONS = {name: action for action, names in _NAMES.items() for name in names.split()}

_PATHS = (
    "file_path",
    "filePath",
    "notebook_path",
    "absolute_path",
    "target_file",
    "path",
    "file_name",
    "filename",
)
# Where an event carries all that its call named, until it is cleaned.
NAMED = "_named"
_MAX_NAMED = 4_000
_MAX_DEPTH = 4
_MAX_TEXTS = 100
# Calls that name files.
ON_FILES = frozenset({"read", "edit", "create", "delete"})
# What was written is in the edit: the answers of these say nothing more.
SILENT = ON_FILES - {"read"}
_TELLING = {
    "search": ("pattern", "path", "query", "glob"),
    "fetch": ("url", "query"),
    "delegate": ("subagent_type", "description", "skill"),
    "run": ("description", "run_in_background"),
}
# Tools that keep a to-do list or a plan, and what of it they are told.
_PLANNERS = frozenset("TodoWrite todowrite write_todos todo_write update_plan TaskCreate TaskUpdate".split())
_PLANNED = ("todos", "plan", "taskId", "status", "subject")


def describe_call(tool: str, arguments: Mapping[str, Any]) -> EventDict:
    """The parts of an event that a call tells by itself."""
    action = find_action(tool)
    return {
        "tool": tool,
        "action": action,
        "files": list_files(action, arguments),
        "command": find_command(action, arguments),
        "data": {name: arguments[name] for name in _telling_arguments(tool, action) if arguments.get(name)},
        # Read by `withhold_excluded` and never written.
        NAMED: list_named(arguments),
    }


def _telling_arguments(tool: str, action: str) -> tuple[str, ...]:
    return _PLANNED if tool in _PLANNERS else _TELLING.get(action, ())


def list_named(value: object, depth: int = 0) -> list[str]:
    """Every short text in the arguments of a call: a tool of whatever name may read the file that one of them names."""
    if isinstance(value, str):
        return [value] if 0 < len(value) <= _MAX_NAMED else []
    if depth > _MAX_DEPTH or not isinstance(value, dict | list):
        return []
    parts = value.values() if isinstance(value, dict) else value
    return [text for part in parts for text in list_named(part, depth + 1)][:_MAX_TEXTS]


def find_action(tool: str) -> str:
    """What a tool does to the world."""
    return ACTIONS.get(tool, "other")


def list_files(action: str, arguments: Mapping[str, Any]) -> list[str]:
    """The files a call names, as it names them. Where a search looks is no file that was read."""
    if action not in ON_FILES:
        return []
    paths = [arguments[name] for name in _PATHS if isinstance(arguments.get(name), str)][:1]
    for name in ("paths", "files"):
        paths += [path for path in _listed(arguments.get(name)) if isinstance(path, str)]
    return [path for path in paths if path]


def find_command(action: str, arguments: Mapping[str, Any]) -> str:
    """The command line a call runs; a list of words as a shell would show it."""
    if action != "run":
        return ""
    command = arguments.get("command", arguments.get("cmd", ""))
    if isinstance(command, list):
        words = [str(word) for word in command]
        # Codex starts every command in a shell of its own, which says nothing.
        if (
            len(words) == 3
            and words[0].rpartition("/")[2] in ("bash", "sh", "zsh")
            and words[1] in ("-lc", "-c")
        ):
            return words[2]
        return " ".join(words)
    return command if isinstance(command, str) else ""


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
