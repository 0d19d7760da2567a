"""Re-embedding all memories with another model. It can be interrupted; the old vectors serve until it is done."""

from __future__ import annotations

from collections.abc import Callable

from recollect.model.kinds import Kinds
from recollect.model.value import dataclass
from recollect.providers.embed import Embedder
from recollect.store.db import Db
from recollect.store.search import vectors

BATCH = 64

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReindexReport:
    """What a re-index did."""

    model_id: str
    embedded: int
    dropped: tuple[str, ...]


def reindex(db: Db, embedder: Embedder | None, kinds: Kinds, progress: Progress) -> ReindexReport:
    """Embed every memory the model has not seen; when all are done, the vectors of other models go."""
    if embedder is None:
        return ReindexReport(model_id="none", embedded=0, dropped=_drop_others(db, keep=None))
    model = vectors.ensure_model(db, embedder.model_id, embedder.dimensions)
    embedded = [kind.name for kind in kinds if kind.embedded]
    total = vectors.count_missing(db, model, embedded)
    done = after = 0
    while rows := vectors.list_missing(db, model, embedded, after=after, limit=BATCH):
        after = rows[-1]["num"]
        embeddings = embedder.embed([row["text"] for row in rows])
        with db.transaction():
            for row, embedding in zip(rows, embeddings, strict=True):
                vectors.replace_vector(db, model, row["num"], embedding)
        done += len(rows)
        progress(min(total, done), total)
    return ReindexReport(model_id=embedder.model_id, embedded=done, dropped=_drop_others(db, keep=model))


def _drop_others(db: Db, keep: int | None) -> tuple[str, ...]:
    others = [row for row in vectors.list_models(db) if row["num"] != keep]
    with db.transaction():
        for row in others:
            vectors.delete_model(db, row["num"])
    return tuple(row["id"] for row in others if row["vectors"])
