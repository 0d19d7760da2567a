"""A text cut to a length: at the end of a sentence, else of a word; never within one."""

from __future__ import annotations

_ENDS = (". ", "! ", "? ", ".\n", "\n")
_MORE = " …"


def cut(text: str, most: int) -> str:
    """The text, or as many of its sentences as fit; what is missing is shown by a sign."""
    text = text.strip()
    if len(text) <= most:
        return text
    room = text[: max(0, most - len(_MORE))]
    at = max(room.rfind(end) + 1 for end in _ENDS)
    if at < len(room) // 2:
        at = room.rfind(" ")
    return room[: at if at > 0 else len(room)].rstrip() + _MORE
