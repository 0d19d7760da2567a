"""What the write side needs at hand, given by the engine: database, models, kinds, clock, ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.capture.clean import clean_why
from recollect.errors import ProviderError
from recollect.model.anchor import FindCheckout
from recollect.model.embedding import Embedding
from recollect.model.history import Act
from recollect.model.kinds import Kinds
from recollect.model.provenance import Channel
from recollect.model.trust import is_person
from recollect.model.value import dataclass
from recollect.providers.embed import Embedder
from recollect.store.db import Db
from recollect.store.search.vectors import VectorIndex
from recollect.store.tables import history

__all__ = ["Act", "Door", "begin", "embed", "record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Everything an act of writing may use. `embedder` is None when this store does without vectors."""

    db: Db
    kinds: Kinds
    now: Callable[[], datetime]
    new_id: Callable[[datetime], str]
    embedder: Embedder | None
    model: int
    index: VectorIndex | None
    checkout: FindCheckout = lambda: None
    # The way by which whoever stands at the door speaks.
    channel: Channel = Channel.USER
    # The project around the folder, for what must not hold everywhere.
    home: Callable[[], str | None] = lambda: None
    # Files that are not to be remembered, and how many notes a session may leave.
    excluded: tuple[str, ...] = ()
    most_notes: int = 200


def begin(door: Door, action: str, actor: str, why: str = "") -> Act:
    """Someone begins to do something."""
    at = door.now()
    return Act(
        id=door.new_id(at),
        at=at,
        actor=actor,
        action=action,
        why=clean_why(why) if why else "",
        by_person=is_person(actor, door.channel),
    )


def embed(door: Door, texts: Sequence[str]) -> tuple[list[Embedding | None], str]:
    """The texts as the model sees them; if it is down, nothing and the reason: the words are kept all the same."""
    if door.embedder is None or not texts:
        return [None] * len(texts), ""
    try:
        return list(door.embedder.embed(texts)), ""
    except ProviderError as error:
        return [None] * len(texts), str(error)


def record(door: Door, act: Act, memory_id: str, before: dict[str, object], after: dict[str, object]) -> None:
    """Leave a row of history for what this act did to a memory."""
    history.note_act(door.db, act, memory_id, before, after)
