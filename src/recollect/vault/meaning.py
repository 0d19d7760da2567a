"""Notes searched by meaning: their parts are embedded after a sync, the newest first, as far as the time allows."""

from __future__ import annotations

import time

from recollect.errors import ProviderError
from recollect.model.value import dataclass
from recollect.providers.embed import Embedder
from recollect.store.db import Db
from recollect.store.search import note_vectors

# So much of a part is read by the model: its beginning says what it is about.
READ_LENGTH = 1_000
_AT_ONCE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEmbedder:
    """The model that notes are embedded with, and its number in the store."""

    embedder: Embedder
    model: int


def embed_notes(db: Db, vault: int, models: NoteEmbedder, *, seconds: float) -> int:
    """Embed parts of notes that the model has not seen, for so long at most; how many are left."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        parts = note_vectors.list_unseen_parts(db, vault, models.model, _AT_ONCE)
        if not parts:
            return 0
        known = [(part.num, part.of_memory) for part in parts if part.of_memory is not None]
        strange = [part for part in parts if part.of_memory is None]
        try:
            seen = models.embedder.embed([_text_of(part) for part in strange]) if strange else []
        except ProviderError:  # a model server that is down: the next sync asks again
            break
        vectors = [(part.num, embedding.vector) for part, embedding in zip(strange, seen, strict=True)]
        with db.transaction():
            note_vectors.save_vectors(db, models.model, [*known, *vectors])
    return note_vectors.count_unseen_parts(db, vault, models.model)


def _text_of(part: note_vectors.UnseenPart) -> str:
    last_heading = part.heading.rpartition(" > ")[2]
    return "\n".join(text for text in (part.title, last_heading, part.text) if text)[:READ_LENGTH]
