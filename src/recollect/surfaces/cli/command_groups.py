"""The commands in groups of what people do, each with a summary that fits beside its name on a line of 80."""

from __future__ import annotations

COMMAND_GROUPS = {
    "Every day": {
        "remember": "keep a text, and say what it is about",
        "recall": "what is known about a question, best first",
        "list": "memories, newest first, by any filter",
        "show": "everything about one memory",
        "edit": "change a memory's text, kind, subjects or tags",
        "pin": "keep a memory from ageing",
        "forget": "take memories out of use; --purge: for good",
        "undo": "take back the last act",
        "history": "the story of one memory, or the last changes",
        "status": "is it on, what happened today, what waits",
        "why": "what an agent was told unasked, and why",
        "sessions": "past sessions: what they taught and were told",
        "pause": "keep hooks still in this repository",
        "unpause": "let them record and speak again",
    },
    "What an agent gets": {
        "context": "exactly what would be put before an agent",
        "foresee": "the files a task will probably need",
        "run": "let our own agent do something, with memory",
        "runs": "its runs, or one of them step by step",
        "resume": "go on with a run that was interrupted",
    },
    "Review and learning": {
        "share": "make a memory of yours your team's",
        "review": "what waits for a yes: confirm, correct, reject",
        "feedback": "say that a memory helped, or was in the way",
        "settle": "say which of two memories holds",
        "learn": "learn from sessions that are over",
        "lessons": "what failures taught: what to avoid, what to do",
        "recipes": "ways of doing a task that worked again and again",
        "skills": "recipes that became skills of your agents",
        "day": "a day, or the last two hours, in short",
        "notes": "the scratchpad of a session",
        "note": "write into it",
        "reword": "give a note better words",
        "validate": "say that a session's work passed or failed",
        "work": "which unit of work begins, ends, leads nowhere",
        "qa": "take in a QA report",
        "methods": "the ways of working, and which one is active",
    },
    "Code": {
        "graph": "who imports, calls and extends whom",
        "deps": "what a place in the code uses, and who uses it",
        "trace": "how calls get from one place to another",
        "impact": "what a change touches",
        "about": "everything known about a place in the code",
        "modules": "the parts of this project",
        "together": "which files change with these",
        "stale": "memories whose files are gone or changed",
        "scan": "a first look at the code, for review",
    },
    "Notes, tasks, schedules": {
        "vault": "memories as Markdown notes, in step both ways",
        "tasks": "what is to be done",
        "ops": "agents on a schedule that remember",
    },
    "Care": {
        "doctor": "check everything; --fix mends",
        "upkeep": "do what is due: learn, age, tidy",
        "prune": "archive what is no longer worth keeping",
        "revive": "bring memories back into use",
        "stats": "count what is remembered",
        "projects": "the projects that have memories",
        "reindex": "vectors of the model your settings name",
        "backup": "copy all memories to a file",
        "restore": "put a copy back",
        "export": "memories, sessions or notes for other programs",
        "import": "take in memories, notes or past sessions",
        "move": "all memories to another database, and back",
    },
    "Set up": {
        "init": "into the coding agents of this machine",
        "uninstall": "out again, every file as it was",
        "config": "settings, and where each comes from",
        "mcp": "serve memory to an agent over MCP",
        "ui": "the dashboard, in your browser",
        "serve": "one memory for many people and agents",
        "team": "the people who share a memory: keys, roles",
        "login": "use a team's server from now on",
        "logout": "use the memory of this machine again",
        "sync": "send to the server, and mirror what it tells",
        "completion": "completion for your shell",
        "demo": "see memory work, on a throw-away store",
    },
}
# For a command that nobody has put into a group yet; a test wants it empty.
UNGROUPED = "More"


def group_commands(names: list[str]) -> dict[str, list[str]]:
    """Which of these commands belong to which group, in the order of the groups."""
    groups = {
        title: [name for name in summaries if name in names] for title, summaries in COMMAND_GROUPS.items()
    }
    grouped = {name for members in groups.values() for name in members}
    groups[UNGROUPED] = [name for name in names if name not in grouped]
    return {title: members for title, members in groups.items() if members}


def summary_of(name: str) -> str:
    """A command in a few words; "" for one without a group."""
    return next((summaries[name] for summaries in COMMAND_GROUPS.values() if name in summaries), "")
