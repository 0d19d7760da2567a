"""
Which events of which client are listened to, and what is done at each: one table, for hooks and their installation.

Every event is recorded. An event that is not here is recorded too, if a client sends it.
"""

from __future__ import annotations

RECORD = "record"
# A session begins: it is told its brief.
START = "start"
# The same for a client that has no ear at that moment: its first prompt brings the brief.
START_UNHEARD = "start unheard"
PROMPT = "prompt"
OPENING_PROMPT = "opening prompt"
# A tool gave something back: what is known about the file, or about the error.
TOOL = "tool"
SUBAGENT = "subagent"
# A session is over: it is learned from, in a process of its own.
END = "end"

TABLE: dict[str, dict[str, str]] = {
    "claude-code": {
        "SessionStart": START,
        "UserPromptSubmit": PROMPT,
        "PostToolUse": TOOL,
        "PostToolUseFailure": TOOL,
        # The only one that tells of calls that were denied or impossible.
        "PostToolBatch": RECORD,
        "SubagentStart": SUBAGENT,
        "SubagentStop": RECORD,
        # Never with an answer: what a Stop hook says makes the agent go on.
        "Stop": RECORD,
        "PostCompact": RECORD,
        "SessionEnd": END,
    },
    "codex": {
        "SessionStart": START,
        "UserPromptSubmit": PROMPT,
        "PostToolUse": TOOL,
        "SubagentStart": SUBAGENT,
        "SubagentStop": RECORD,
        "Stop": RECORD,
        "PostCompact": RECORD,
        "SessionEnd": END,
    },
    "gemini": {
        "SessionStart": START,
        "BeforeAgent": PROMPT,
        "AfterTool": TOOL,
        "AfterAgent": RECORD,
        "SessionEnd": END,
    },
    "opencode": {
        "event:session.created": START_UNHEARD,
        "chat.message": OPENING_PROMPT,
        "tool.execute.after": TOOL,
        "experimental.text.complete": RECORD,
        "event:session.compacted": RECORD,
        "event:session.deleted": END,
    },
    # From its documentation alone: no run of it was ever seen.
    "cursor": {
        "sessionStart": START,
        "beforeSubmitPrompt": RECORD,
        "postToolUse": TOOL,
        "postToolUseFailure": TOOL,
        "afterShellExecution": RECORD,
        "afterFileEdit": RECORD,
        "afterAgentResponse": RECORD,
        "subagentStop": RECORD,
        "preCompact": RECORD,
        "sessionEnd": END,
    },
}


def act_at(client: str, event: str) -> str:
    """What is done at an event."""
    return TABLE[client].get(event, RECORD)
