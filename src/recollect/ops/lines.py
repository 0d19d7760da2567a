"""Line splitting for a stream of bytes: linear in its length, bounded in memory, lines of any length."""

from __future__ import annotations

from collections.abc import Iterator

# A longer line is counted and passed over: no answer of a model is so long.
MAX_LINE = 64 * 1024 * 1024


class LineSplitter:
    """Takes chunks as they come and gives whole lines, each with its position in the stream."""

    def __init__(self, most: int = MAX_LINE) -> None:
        self._most = most
        self._pieces: list[bytes] = []
        self._size = 0
        self._start = 0
        self.oversized = 0

    def feed(self, chunk: bytes) -> Iterator[tuple[int, bytes]]:
        """The lines that this chunk completes."""
        begin = 0
        while (newline := chunk.find(b"\n", begin)) >= 0:
            self._hold(chunk[begin:newline])
            yield from self._release()
            begin = newline + 1
        self._hold(chunk[begin:])

    def finish(self) -> Iterator[tuple[int, bytes]]:
        """What is left when the stream ends without a newline."""
        yield from self._release()

    def _hold(self, piece: bytes) -> None:
        if piece:
            self._size += len(piece)
            if self._size <= self._most:
                self._pieces.append(piece)
            else:
                self._pieces.clear()

    def _release(self) -> Iterator[tuple[int, bytes]]:
        start, size = self._start, self._size
        line = b"".join(self._pieces)
        self._pieces.clear()
        self._start += size + 1
        self._size = 0
        if size > self._most:
            self.oversized += 1
        elif line:
            yield start, line
