"""Prompts that no person wrote: what a client, a hook or a command puts where a prompt is expected."""

from __future__ import annotations

import re

# Whatever stands between such tags comes from a machine.
_TAGS = (
    "hook_context",
    "system-reminder",
    "system_reminder",
    "task-notification",
    "command-name",
    "command-message",
    "command-contents",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "user-prompt-submit-hook",
    "session-start-hook",
    "post-tool-use-hook",
    "environment_context",
    "user_instructions",
    "INSTRUCTIONS",
    "turn_aborted",
    "user_shell_command",
    "teammate-message",
    "background-task-input",
    "retrieval-status",
    "task-id",
    "recollect",
    "recollect-context",
    "recollect_context",
)
_ARGUMENTS = ("<command-args>", "</command-args>")
# As text: hooks load this file at every event, and few events are prompts with a tag in them.
_OPENING = "<(" + "|".join(_TAGS) + r")(?:\s[^<>\n]{0,400})?>"
_BEGINNINGS = (
    "[Request interrupted by user",
    "Caveat: The messages below were generated",
    "Operation stopped by hook:",
    "Base directory for this skill:",
    "This session is being continued from a previous conversation",
    "Stop hook feedback:",
    "PreToolUse:",
    "PostToolUse:",
    "UserPromptSubmit hook",
    "[SYSTEM NOTIFICATION",
    "API Error:",
    "**ACTION REQUIRED: Spawn a subagent",
    "# AGENTS.md instructions for",
    "Continue from where you left off.",
    "Unknown slash command:",
    "Unknown skill:",
    "<turn_aborted>",
)
_MOST_TAGS = 200
_INTERRUPT = "[Request interrupted by user"


def remove_machine_text(prompt: str) -> str:
    """The prompt without what hooks and clients put into it; the arguments of a command are the person's words."""
    if "<" not in prompt:
        return prompt.strip()
    pieces: list[str] = []
    opening = re.compile(_OPENING)
    at = 0
    for _ in range(_MOST_TAGS):
        opened = opening.search(prompt, at)
        if not opened:
            break
        pieces.append(prompt[at : opened.start()])
        close = prompt.find(f"</{opened[1]}>", opened.end())
        # A tag that is never closed is cut at its end: the rest may well be a person's.
        at = close + len(opened[1]) + 3 if close >= 0 else opened.end()
    pieces.append(prompt[at:])
    text = "".join(pieces)
    for mark in _ARGUMENTS:
        text = text.replace(mark, "")
    return text.strip()


def is_machine_text(prompt: str) -> bool:
    """Whether no person wrote any of it."""
    text = remove_machine_text(prompt)
    return not text or text.startswith(_BEGINNINGS)


def is_interrupt(prompt: str) -> bool:
    """Whether the client notes here that the person stopped the agent."""
    return prompt.lstrip().startswith((_INTERRUPT, "<turn_aborted>"))
