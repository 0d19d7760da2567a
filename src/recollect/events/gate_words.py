"""
The gate words: the names about which something may be said at a tool's result, one a line, beside the database.

`hooks/gate.sh` looks for them in a payload before it starts Python. They hold for the store as it is: every commit
removes them, and the next hook that runs writes them anew.
"""

from __future__ import annotations

import os

# More names than this are looked for no faster than Python starts: then it always starts.
MAX_GATE_WORDS = 5_000
# A word that every payload holds.
MATCH_ALL = '"'
_PLAIN_CHARACTERS = frozenset(map(chr, range(0x20, 0x7F))) - frozenset('"\\')
_MIN_LETTERS = 2


def gate_path(db: str) -> str:
    """Where the words of a database lie."""
    return f"{db}.gate"


def recording_prefix(db: str) -> str:
    """How the marks begin that `gate.sh` sets while it records behind the agent's back."""
    return f"{db}.recording."


def drop_gate_words(db: str) -> None:
    """They no longer hold."""
    try:
        os.unlink(gate_path(db))  # noqa: PTH108
    except OSError:  # most often there are none
        return


def write_gate_words(db: str, subjects: list[str], more_words: tuple[str, ...] = ()) -> None:
    """Let the gate look for the names of these subjects, `type:name` each."""
    words = {name_in_payload(subject) for subject in subjects} | set(more_words)
    if len(words) > MAX_GATE_WORDS or "" in words:
        words = {MATCH_ALL}
    place = gate_path(db)
    fresh = f"{place}.{os.getpid()}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, "".join(f"{word}\n" for word in sorted(words)).encode())
    finally:
        os.close(descriptor)
    os.replace(fresh, place)  # noqa: PTH105


def name_in_payload(subject: str) -> str:
    """
    What any payload must hold that names this subject: of a file its last name, of a symbol its own; "" if none.

    JSON may write quotation marks, backslashes and letters beyond ASCII in more than one way, so the longest stretch
    without them is taken.
    """
    kind, _, name = subject.partition(":")
    if kind in ("file", "symbol"):
        name = name.partition("::")[0].rstrip("/").rpartition("/")[2]
    stretch = max(_plain_stretches(name), key=len, default="").strip()
    return stretch if len(stretch) >= _MIN_LETTERS else ""


def _plain_stretches(name: str) -> list[str]:
    plain = "".join(letter if letter in _PLAIN_CHARACTERS else "\n" for letter in name)
    return plain.split("\n")
