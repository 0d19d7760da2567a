"""The terms that the full-text index makes of words: SQLite's own tokenizer, for whatever database keeps the index."""

from __future__ import annotations

import apsw

# Words up to this length are tokenized once, and so many are kept.
_MAX_WORD = 64
_MAX_TERMS = 20_000


class Tokenizer:
    """Porter stems of words without their accents."""

    def __init__(self, connection: apsw.Connection | None = None) -> None:
        """Borrow a connection's tokenizer; without one, that of a database in memory."""
        self._connection = connection
        self._tokenize: apsw.FTS5Tokenizer | None = None
        self._terms: dict[str, list[str]] = {}

    def terms(self, text: str) -> list[str]:
        """The terms under which the full-text index files this text."""
        cached = self._terms.get(text)
        if cached is not None:
            return cached
        terms = self._split(text)
        if len(text) <= _MAX_WORD:  # the words of questions come again; whole texts do not
            if len(self._terms) >= _MAX_TERMS:
                self._terms = {}
            self._terms[text] = terms
        return terms

    def _split(self, text: str) -> list[str]:
        if self._tokenize is None:
            self._connection = self._connection or apsw.Connection(":memory:")
            self._tokenize = self._connection.fts5_tokenizer(
                "porter", ["unicode61", "remove_diacritics", "2"]
            )
        groups = self._tokenize(
            text.encode("utf-8", "replace"), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False
        )
        return [str(token) for group in groups for token in (group if isinstance(group, tuple) else (group,))]
