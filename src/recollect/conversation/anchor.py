"""The task anchor: the goal in the person's words, how far the agent has come, and the question what is next."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.conversation.message_shape import ParsedMessage
from recollect.events.machine_prompts import is_machine_text, remove_machine_text

ANCHOR_MARK = "[TASK ANCHOR]"
SUMMARY_MARK = "[SUMMARY OF EARLIER MESSAGES]"
# How the window and the loop begin what they say themselves; none of it is a request of the person.
FEEDBACK_MARK = "[VERIFICATION]"
OWN_MARKS = (ANCHOR_MARK, SUMMARY_MARK, FEEDBACK_MARK, "[A result without its call]")
# A person who says no more than this wants the work to go on; the goal stays what it was.
_NUDGES = frozenset(
    "continue|go on|go ahead|proceed|carry on|keep going|yes|yes please|y|ok|okay|sure|do it|next|thanks|thank you"
    "|please continue|resume".split("|")
)


def find_request(messages: Sequence[ParsedMessage]) -> int | None:
    """The index of the person's latest real request, not of tool noise, machine text or a mere nudge."""
    for index in range(len(messages) - 1, -1, -1):
        if is_request(messages[index]):
            return index
    return None


def is_request(message: ParsedMessage) -> bool:
    """Whether a person asks for something here."""
    if message.role != "user" or message.results or not message.text:
        return False
    text = message.text.strip()
    if text.startswith(OWN_MARKS) or text.rstrip(".!").casefold() in _NUDGES:
        return False
    return not is_machine_text(text)


def anchor_text(request: str, calls: int, max_characters: int) -> str:
    """What the anchor says; a long request is cut, for it stands in the window as a whole."""
    goal = " ".join(remove_machine_text(request).split())
    if len(goal) > max_characters:
        goal = goal[:max_characters].rstrip() + " …"
    return (
        f'{ANCHOR_MARK} Your current goal, in the person\'s words: "{goal}"\n'
        f"You have made {calls} tool calls for it so far. Stay on it: what is the next step, and is it done yet?"
    )
