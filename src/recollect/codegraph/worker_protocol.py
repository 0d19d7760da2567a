"""How a worker and the one who asks it speak: a greeting, then bytes with their length before them."""

from __future__ import annotations

import struct
from typing import IO

from recollect.codegraph.outline import VERSION

# The first thing a worker says. Another one comes from another version, or from no worker at all.
GREETING = f"recollect outlines {VERSION}".encode()
_LENGTH = struct.Struct("<I")


def send(out: IO[bytes], said: bytes) -> None:
    """Write some bytes, with their length before them."""
    out.write(_LENGTH.pack(len(said)))
    out.write(said)


def receive(source: IO[bytes]) -> bytes:
    """Read what `send` wrote; EOFError when the other side is gone."""
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    said = source.read(length)
    if len(said) < length:
        raise EOFError
    return said
