"""ReadContext: the database, the model and the indexes that every search reads with. The engine makes it."""

from __future__ import annotations

from recollect.model.value import dataclass
from recollect.providers.embed import Embedder
from recollect.store.db import Db
from recollect.store.search.bm25_index import WordIndex
from recollect.store.search.read_cache import ReadCache
from recollect.store.search.vectors import VectorIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadContext:
    """What a read needs. `embedder` is None when this store does without vectors."""

    db: Db
    embedder: Embedder | None
    model: int
    index: VectorIndex | None
    words: WordIndex
    shelf: ReadCache
    # The top folder of the project on disk; None where there is none.
    root: str | None = None
