"""A text cut to a length: at the end of a sentence, else of a word; never within one, such as an id or a path."""

from __future__ import annotations

_ENDS = (". ", "! ", "? ", ".\n", "\n", "。", "！", "？")
_MORE = " …"


def cut(text: str, most: int) -> str:
    """The text, or as many of its sentences as fit; what is missing is shown by a sign."""
    text = text.strip()
    if len(text) <= most:
        return text
    room = text[: max(0, most - len(_MORE))]
    at = max(room.rfind(end) + 1 for end in _ENDS)
    if at < len(room) // 2:
        at = _end_of_a_word(text, len(room))
    return (room[:at].rstrip() + _MORE).lstrip()


def _end_of_a_word(text: str, most: int) -> int:
    return next((at for at in range(most, 0, -1) if text[at].isspace() or text[at - 1] in "、，"), 0)
