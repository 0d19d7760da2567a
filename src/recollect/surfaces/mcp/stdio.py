"""The pipes: a JSON message a line in, a JSON message a line out. Standard error is for the log alone."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from recollect import config
from recollect.errors import BadSetting
from recollect.surfaces.mcp.protocol import INVALID_REQUEST, PARSE_ERROR, Refusal, make_failure
from recollect.surfaces.mcp.server import LazyMemory, McpServer

# The longest text that is kept has 64,000 characters; this is room for many of them.
MAX_BYTES = 4 * 1024 * 1024


def serve(*, db: str | None, folder: Path, read_only: bool, tool_sets: Sequence[str] = ()) -> None:
    """Answer until standard input is closed, then give the memory back."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    opening = LazyMemory(db=db, folder=folder, read_only=read_only)
    lines, out = sys.stdin.buffer, _reserve_stdout()
    try:
        _answer_all(_make_server(opening, tool_sets, db=db, folder=folder), lines, out)
    except BrokenPipeError:
        log("the client has gone", None)
    finally:
        opening.close()


def _make_server(opening: LazyMemory, tool_sets: Sequence[str], *, db: str | None, folder: Path) -> McpServer:
    url = ""
    # Settings that cannot be read are told to whoever asks first: here nobody would see it.
    with suppress(BadSetting):
        url = config.load_settings(config.project_folder(folder), {"db": db}).text("url")
    if not url:
        return McpServer(opening, log, tool_sets)
    # Loaded here: most memories are on this machine.
    from recollect.surfaces.mcp.bridge import ServerBridge

    return ServerBridge(opening, log, tool_sets, url=url, folder=folder)


def log(says: str, error: BaseException | None) -> None:
    """One line of log, and where in the code it happened."""
    import traceback  # costs a tenth of the start, and is wanted in none that goes well

    trace = "".join(traceback.format_exception(error)) if error else ""
    with suppress(OSError):
        os.write(2, f"recollect mcp: {says}\n{trace}".encode(errors="backslashreplace"))


def _answer_all(server: McpServer, lines: BinaryIO, out: BinaryIO) -> None:
    for line in _lines(lines):
        if line is None:
            says = f"A message has at most {MAX_BYTES:,} bytes; this one was passed over."
            answer: object = make_failure(None, Refusal(INVALID_REQUEST, says))
        elif not line.strip():
            continue
        else:
            answer = _answer(server, line)
        if answer is not None:
            out.write(json.dumps(answer).encode() + b"\n")
            out.flush()


def _answer(server: McpServer, line: bytes) -> object:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        return make_failure(None, Refusal(PARSE_ERROR, f"This is no JSON: {error}."))
    return server.handle(message)


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """The lines that come in; None for one that is too long, of which no more than that is ever held."""
    while line := stream.readline(MAX_BYTES + 1):
        if len(line) <= MAX_BYTES:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_BYTES)
        yield None


def _reserve_stdout() -> BinaryIO:
    """Standard output for us alone: whatever else prints, here or in a child, is sent to the log."""
    sys.stdout.flush()
    ours = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return ours


def _stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)
