"""An error line without what changes from one run to the next, so that the same error seen twice is the same text."""

from __future__ import annotations

import re
from functools import lru_cache

MAX_LINE = 400
_NUMBER_KEPT = r"(?<!HTTP )(?<!status )(?<!code )(?<!Errno )(?<!errno )(?<!exit )"
_STEPS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:https?|wss?|file)://[^\s'\"<>)\]]{1,300}"), "<url>"),
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"), "<id>"),
    (
        re.compile(
            r"\b\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?(?:Z|[+-]\d{2}:?\d{2}\b)?"
        ),
        "<time>",
    ),
    (re.compile(r"\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\b"), "<time>"),
    (re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])"), "<address>"),
    (re.compile(r"\b0x[0-9a-fA-F]{2,16}\b"), "<address>"),
    (
        re.compile(
            r"(?:/private)?/(?:tmp|var/folders|var/tmp|dev/shm)/[^\s'\":,;)\]]{1,200}"
            r"|[A-Za-z]:\\[^\s'\":]{0,120}\\Temp\\[^\s'\":,;)\]]{1,200}"
        ),
        "<temp>",
    ),
    (re.compile(r"\b(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,64}\b"), "<hash>"),
    (re.compile(r"\b[\d.]{1,12} ?(?:ns|µs|us|ms|s|sec|secs|seconds?|mins?|minutes?)\b"), "<duration>"),
    # A place: `:12:5`, `(12,5)`, `line 12`, `[12,5]`.
    (re.compile(r"(?<=\w):\d{1,6}(?::\d{1,6})?(?=[\s:,)\]'\"]|$)"), ""),
    (re.compile(r"(?<=\w)[(\[]\d{1,6},\d{1,6}[)\]]"), ""),
    (re.compile(r"\blines? \d{1,6}(?:-\d{1,6})?\b"), "line <n>"),
    # A file keeps its last part: the folders before it differ from machine to machine.
    (re.compile(r"(?<![\w.])(?:[A-Za-z]:|~)?[/\\](?:[\w.@+-]{1,100}[/\\]){0,30}([\w.@+-]{1,100})"), r"\1"),
    (re.compile(r"(?<![\w./])(?:[\w.@+-]{1,100}[/\\]){1,30}([\w@+-]{1,100}\.[a-z]{1,5}\b)"), r"\1"),
    (re.compile(_NUMBER_KEPT + r"(?<![\w.-])[-+]?\d{1,20}(?:\.\d{1,20})?(?![\w-])"), "<n>"),
    (re.compile(r"\s{1,400}"), " "),
)
_MIGHT_VARY = re.compile(r"[\d/\\\t]|  |0x|[0-9a-f]{7}")


@lru_cache(maxsize=4096)
def normalize_line(line: str) -> str:
    """The line's words; numbers, places, times, ids, addresses and folders are told only as such."""
    text = line[:MAX_LINE].strip()
    if _MIGHT_VARY.search(text):
        for pattern, replacement in _STEPS:
            text = pattern.sub(replacement, text)
    return text.strip(" \t:-•●✗✖×│|")
