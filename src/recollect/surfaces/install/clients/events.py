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
