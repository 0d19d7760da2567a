"""What reads the languages: each is loaded when the first file of it comes."""

from __future__ import annotations

from recollect.codegraph.languages import Known
from recollect.codegraph.outline import Outline
from recollect.codegraph.parse import Parse, reader


class Readers:
    """One reader per language, made when the first file of it comes."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._made: dict[str, Parse] = {}

    def read(self, language: str, source: bytes) -> Outline:
        """The outline of some bytes."""
        made = self._made.get(language)
        if made is None:
            made = self._made[language] = reader(self._known.by_name[language])
        return made(source)
