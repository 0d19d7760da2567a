"""Giving memories the vectors of another model. It can stop and go on; the old vectors serve until it is done."""

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
class Reindexed:
    """What a re-index did."""

    model_id: str
    embedded: int
    dropped: tuple[str, ...]


def reindex(db: Db, embedder: Embedder | None, kinds: Kinds, progress: Progress) -> Reindexed:
    """Embed every memory the model has not seen; when all are done, the vectors of other models go."""
    if embedder is None:
        return Reindexed(model_id="none", embedded=0, dropped=_drop_others(db, keep=None))
    model = vectors.model_num(db, embedder.model_id, embedder.dimensions)
    embedded = [kind.name for kind in kinds if kind.embedded]
    total = vectors.missing_count(db, model, embedded)
    done = after = 0
    while rows := vectors.missing(db, model, embedded, after=after, limit=BATCH):
        after = rows[-1]["num"]
        made = embedder.embed([row["text"] for row in rows])
        with db.transaction():
            for row, embedding in zip(rows, made, strict=True):
                vectors.put(db, model, row["num"], embedding)
        done += len(rows)
        progress(min(total, done), total)
    return Reindexed(model_id=embedder.model_id, embedded=done, dropped=_drop_others(db, keep=model))


def _drop_others(db: Db, keep: int | None) -> tuple[str, ...]:
    others = [row for row in vectors.models(db) if row["num"] != keep]
    with db.transaction():
        for row in others:
            vectors.drop(db, row["num"])
    return tuple(row["id"] for row in others if row["vectors"])
