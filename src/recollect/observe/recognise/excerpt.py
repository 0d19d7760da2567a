"""Cuts a long output to what is worth looking through: its beginning and its end."""

from __future__ import annotations

import re

HEAD_CHARS = 16_384
TAIL_CHARS = 49_152
_CUT = "\n[…]\n"
_COLOURS = re.compile(r"\x1b\[[0-9;?]{0,32}[A-Za-z]")


def excerpt(output: str) -> str:
    """At most 64 KB, without colours and carriage returns: errors come first, summaries last."""
    if len(output) > HEAD_CHARS + TAIL_CHARS:
        output = output[:HEAD_CHARS] + _CUT + output[-TAIL_CHARS:]
    if "\x1b" in output:
        output = _COLOURS.sub("", output)
    return output.replace("\r\n", "\n") if "\r" in output else output
