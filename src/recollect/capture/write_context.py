"""What every write is given: database, models, kinds, clock and ids; and how an act of writing begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from recollect.capture.clean import clean_why
from recollect.errors import ProviderError
from recollect.model.anchor import FindCheckout
from recollect.model.embedding import Embedding, QueryEmbedding
from recollect.model.history import Act
from recollect.model.kinds import Kinds
from recollect.model.policy import NOTES_PER_SESSION
from recollect.model.provenance import Channel
from recollect.model.trust import is_person
from recollect.model.value import dataclass, replace
from recollect.providers.embed import Embedder
from recollect.store.db import Db
from recollect.store.search.vectors import VectorIndex
from recollect.store.tables import history

__all__ = ["Act", "WriteContext", "begin_act", "embed_texts", "record_change"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteContext:
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
    most_notes: int = NOTES_PER_SESSION


def begin_act(context: WriteContext, action: str, actor: str, why: str = "") -> Act:
    """Someone begins to do something."""
    at = context.now()
    return Act(
        id=context.new_id(at),
        at=at,
        actor=actor,
        action=action,
        why=clean_why(why) if why else "",
        by_person=is_person(actor, context.channel),
    )


def embed_texts(context: WriteContext, texts: Sequence[str]) -> tuple[list[Embedding | None], str]:
    """The texts as the model sees them; if it is down, nothing and the reason: the words are kept all the same."""
    if context.embedder is None or not texts:
        return [None] * len(texts), ""
    try:
        return list(context.embedder.embed(texts)), ""
    except ProviderError as error:
        return [None] * len(texts), str(error)


def record_change(
    context: WriteContext, act: Act, memory_id: str, before: dict[str, object], after: dict[str, object]
) -> None:
    """Leave a row of history for what this act did to a memory."""
    history.record_act(context.db, act, memory_id, before, after)


def precompute_embeddings(context: WriteContext, texts: Sequence[str]) -> WriteContext:
    """The same door, with what the model makes of these texts at hand."""
    if context.embedder is None:
        return context
    unique_texts = list(dict.fromkeys(texts))
    embeddings, _ = embed_texts(context, unique_texts)
    ready = {
        text: embedding
        for text, embedding in zip(unique_texts, embeddings, strict=True)
        if embedding is not None
    }
    return replace(context, embedder=PrecomputedEmbedder(context.embedder, ready))


class PrecomputedEmbedder:
    """A model whose answers to some texts are known already; it is asked for the others."""

    def __init__(self, embedder: Embedder, ready: Mapping[str, Embedding]) -> None:
        self._embedder = embedder
        self._ready = ready
        self.model_id = embedder.model_id
        self.dimensions = embedder.dimensions
        self.duplicate_threshold = embedder.duplicate_threshold

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """The texts as the model sees them."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._ready]
        embeddings = dict(zip(missing, self._embedder.embed(missing) if missing else [], strict=True))
        return [self._ready.get(text) or embeddings[text] for text in texts]

    def embed_query(self, text: str) -> QueryEmbedding:
        """A question as the model sees it."""
        return self._embedder.embed_query(text)
