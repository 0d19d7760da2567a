"""
A worker process of a build: sources come in, packed outlines go out. It knows no store and no folder.

`workers` starts it as `python -m recollect.codegraph.worker`; `multiprocessing` would load the user's program again.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import IO

from recollect.codegraph.languages import load_languages
from recollect.codegraph.outline import pack_outline
from recollect.codegraph.parse import OutlineReader
from recollect.codegraph.workers import GREETING, receive, send


def main() -> None:
    """Answer requests until standard input ends."""
    # Ctrl-C is for the one who asks: it goes to every process of a terminal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    # What a grammar or a plugin prints must not come between the answers.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        out.write(GREETING)
        out.flush()
        _answer(sys.stdin.buffer, out)


def _answer(source: IO[bytes], out: IO[bytes]) -> None:
    """
    All files of a request are read before the first answer is written: two sides that both write and do not read
    would wait for each other.
    """
    readers = OutlineReader(load_languages())
    while True:
        try:
            count = int.from_bytes(receive(source), "little")
            sources = [(receive(source).decode(), receive(source)) for _ in range(count)]
        except EOFError:
            return
        for language, text in sources:
            send(out, _outline(readers, language, text))
        out.flush()


def _outline(readers: OutlineReader, language: str, source: bytes) -> bytes:
    """The packed outline; empty when parsing fails, and then the parent process parses it and reports the error."""
    try:
        return pack_outline(readers.read(language, source))
    except Exception:  # noqa: BLE001 - whatever it is, it is told where somebody can see it
        return b""


if __name__ == "__main__":
    main()
