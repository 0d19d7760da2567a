"""Whether the files that hits stand on are there. Reading marks nothing: the next sweep does."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.git.files import is_there
from recollect.model.anchor import Anchor, AnchorState, told
from recollect.model.hit import Hit, Part
from recollect.model.query import Filters
from recollect.model.value import replace
from recollect.retrieve.rank import STALE_COSTS
from recollect.retrieve.read_context import Ground


def checked(ground: Ground, hits: Sequence[Hit], filters: Filters, now: datetime) -> tuple[Hit, ...]:
    """The hits with what has become of their files; stale ones come last, or not at all if the filter says so."""
    stand_on = ground.shelf.anchors([hit.memory.id for hit in hits])
    looked_at = [
        _looked_at(hit, found, _root(ground, hit, filters), now)
        if (found := stand_on.get(hit.memory.id))
        else hit
        for hit in hits
    ]
    if filters.fresh:
        return tuple(hit for hit in looked_at if hit.memory.stale_at is None)
    return tuple(sorted(looked_at, key=lambda hit: hit.memory.stale_at is not None))


def _root(ground: Ground, hit: Hit, filters: Filters) -> str | None:
    # Only the project around the folder lies where we look; another one's files are not known to be missing.
    return ground.root if hit.memory.project_id == filters.project_id else None


def _looked_at(hit: Hit, found: Sequence[Anchor], root: str | None, now: datetime) -> Hit:
    notes = tuple(words for anchor in found if (words := told(anchor)))
    hit = replace(hit, notes=notes) if notes else hit
    if root is None or hit.memory.stale_at is not None:
        return hit
    missing = [
        anchor for anchor in found if anchor.state is not AnchorState.GONE and _is_missing(root, anchor)
    ]
    if not missing:
        return hit
    why = "; ".join(told(replace(anchor, state=AnchorState.GONE)) for anchor in missing)
    stale = Part("stale", STALE_COSTS, -STALE_COSTS * hit.score)
    return replace(hit.adding(stale), memory=replace(hit.memory, stale_at=now, stale_why=why))


def _is_missing(root: str, anchor: Anchor) -> bool:
    return not is_there(f"{root}/{anchor.file}")
