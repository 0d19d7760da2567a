"""The events that each agent is asked to tell us of."""

from __future__ import annotations

EVENTS: dict[str, tuple[str, ...]] = {
    "claude-code": (
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "PostCompact",
        "SessionEnd",
    ),
    "codex": (
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "PostCompact",
        "SessionEnd",
    ),
    "gemini": ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"),
    "opencode": (
        "event:session.created",
        "chat.message",
        "tool.execute.after",
        "experimental.text.complete",
        "event:session.compacted",
        "event:session.deleted",
    ),
    "cursor": (
        "sessionStart",
        "beforeSubmitPrompt",
        "postToolUse",
        "postToolUseFailure",
        "afterShellExecution",
        "afterFileEdit",
        "afterAgentResponse",
        "subagentStop",
        "preCompact",
        "sessionEnd",
    ),
}
