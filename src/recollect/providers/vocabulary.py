"""
The pieces a model knows, by name and by number: a file with a name a line.

A question has a dozen pieces, and they are looked for in the file as it lies there. A table of all names takes as long
to make as a hundred such looks, so it is made for who asks more.
"""

from __future__ import annotations

_FEW = 100
# Longer than any name of any model.
_LONGEST = 100


class Vocabulary:
    """The names of a model's pieces; the number of a name is that of its line."""

    def __init__(self, lines: bytes) -> None:
        self._lines = b"\n%b\n" % lines
        self._names = lines.split(b"\n")
        self._numbers: dict[str, int] | None = None
        self._asked = 0
        #: no name is longer
        self.longest = _LONGEST

    def number(self, name: str) -> int | None:
        """The number of a piece, if there is one of this name."""
        if self._numbers is not None:
            return self._numbers.get(name)
        self._asked += 1
        if self._asked > _FEW:
            return self._listed().get(name)
        line = name.encode()
        # A look through the whole file at once is much quicker than one at name after name.
        return self._names.index(line) if b"\n%b\n" % line in self._lines else None

    def name(self, number: int) -> str:
        """What a piece is called."""
        return self._names[number].decode()

    def _listed(self) -> dict[str, int]:
        names = [name.decode() for name in self._names]
        self.longest = max(map(len, names))
        self._numbers = {name: number for number, name in enumerate(names)}
        return self._numbers
