"""
A process that reads files for a build: bytes come in, outlines go out as they are kept. It knows no store, no folder.

`workers` starts it as `python -m recollect.codegraph.worker`; `multiprocessing` would load the user's program again.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import IO

from recollect.codegraph.languages import known
from recollect.codegraph.outline import packed
from recollect.codegraph.readers import Readers
from recollect.codegraph.worker_protocol import GREETING, receive, send


def main() -> None:
    """Answer until nobody asks any more."""
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
    All files of a question are taken in before the first answer: two sides that both write and do not read would wait
    for each other.
    """
    readers = Readers(known())
    while True:
        try:
            count = int.from_bytes(receive(source), "little")
            asked = [(receive(source).decode(), receive(source)) for _ in range(count)]
        except EOFError:
            return
        for language, text in asked:
            send(out, _outline(readers, language, text))
        out.flush()


def _outline(readers: Readers, language: str, source: bytes) -> bytes:
    """The outline as it is kept; nothing when it cannot be made here, and then the one who asked finds out why."""
    try:
        return packed(readers.read(language, source))
    except Exception:  # noqa: BLE001 - whatever it is, it is told where somebody can see it
        return b""


if __name__ == "__main__":
    main()
