"""Whether the files that hits stand on are there. Reading marks nothing: the next sweep does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from recollect.git.files import is_there
from recollect.model.anchor import Anchor, AnchorState, Checkout, told
from recollect.model.hit import Hit, Part
from recollect.retrieve.ground import Ground
from recollect.retrieve.rank import STALE_COSTS
from recollect.store import anchors


def checked(ground: Ground, hits: Sequence[Hit], now: datetime, *, fresh: bool) -> tuple[Hit, ...]:
    """The hits with what has become of their files; stale ones come last, or not at all if only FRESH ones count."""
    stand_on = anchors.of_memories(ground.db, [hit.memory.id for hit in hits])
    checkout = ground.checkout() if stand_on else None
    looked_at = [_looked_at(hit, stand_on.get(hit.memory.id, ()), checkout, now) for hit in hits]
    if fresh:
        return tuple(hit for hit in looked_at if hit.memory.stale_at is None)
    return tuple(sorted(looked_at, key=lambda hit: hit.memory.stale_at is not None))


def _looked_at(hit: Hit, found: Sequence[Anchor], checkout: Checkout | None, now: datetime) -> Hit:
    notes = tuple(words for anchor in found if (words := told(anchor)))
    if checkout is None or hit.memory.stale_at is not None or hit.memory.project_id != checkout.project_id:
        return replace(hit, notes=notes)
    missing = [anchor for anchor in found if _is_missing(checkout, anchor)]
    if not missing:
        return replace(hit, notes=notes)
    why = "; ".join(told(replace(anchor, state=AnchorState.GONE)) for anchor in missing)
    costs = -STALE_COSTS * hit.score
    return Hit(
        memory=replace(hit.memory, stale_at=now, stale_why=why),
        score=hit.score + costs,
        why=(*hit.why, Part("stale", STALE_COSTS, costs)),
        notes=notes,
    )


def _is_missing(checkout: Checkout, anchor: Anchor) -> bool:
    return anchor.state is not AnchorState.GONE and not is_there(Path(checkout.root, anchor.path))
