"""
LangGraph's long-term store, kept in memory's file: values under namespaces, searched by meaning.

The namespace `("recollect",)` is memory itself: a search there recalls, a put there remembers, as an agent's word.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from recollect.adapters.memory_items import get_memory, put_memory, search_memories
from recollect.adapters.turns import in_thread, in_turn, needs_extra
from recollect.api import Recollect
from recollect.errors import BadInput
from recollect.model.framework_state import ItemWrite, KeyedItem
from recollect.model.item_filter import unknown_operators
from recollect.model.value import dataclass

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
        validate_op_namespace,
    )
    from langgraph.store.base.batch import AsyncBatchedBaseStore
except ImportError as error:
    raise needs_extra("LangGraph", "langgraph") from error

__all__ = ["MEMORIES", "AsyncRecollectStore", "RecollectStore"]

# Below this namespace lie the memories themselves.
MEMORIES = ("recollect",)
_SECONDS_PER_MINUTE = 60.0
# What the framework's own stores take.
_FILTER_KEY = re.compile(r"[\w.-]+")

Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchVectors:
    """The vectors that a batch needs, by the place of the operation, and the model they are of."""

    model: str = ""
    texts: Mapping[int, Sequence[Vector]]
    queries: Mapping[int, Vector]


class StoreCore:
    """What the two stores share: the index, the time to live, and how operations are carried out."""

    def __init__(
        self, memory: Recollect, index: IndexConfig | Literal[False] | None, ttl: TTLConfig | None
    ) -> None:
        self.memory = memory
        self.ttl = ttl
        self.embeddings = ensure_embeddings(index["embed"]) if index else None
        self._is_indexed = index is not False
        self._fields = list((index.get("fields") if index else None) or ["$"])
        self._model = f"langgraph:{type(self.embeddings).__name__}:{index.get('dims', 0)}" if index else ""
        self._sweeper: threading.Thread | None = None
        self._stop = threading.Event()

    # -- vectors -------------------------------------------------------------------------------------------

    def texts_of(self, ops: Sequence[Op]) -> dict[int, list[str]]:
        """What is searched of the values in a batch."""
        texts: dict[int, list[str]] = {}
        for place, op in enumerate(ops):
            if isinstance(op, PutOp) and op.value is not None and op.index is not False and self._is_indexed:
                fields = self._fields if op.index is None else op.index
                texts[place] = [text for path in fields for text in get_text_at_path(op.value, path)]
        return texts

    def questions_of(self, ops: Sequence[Op]) -> dict[int, str]:
        """What is asked in a batch."""
        return {
            place: op.query
            for place, op in enumerate(ops)
            if isinstance(op, SearchOp) and op.query and self._is_indexed and not _is_memories(op)
        }

    def embed(self, ops: Sequence[Op]) -> BatchVectors:
        """The vectors that a batch needs, by the model that was given or by memory's own."""
        texts, questions = self.texts_of(ops), self.questions_of(ops)
        flat = [text for group in texts.values() for text in group]
        if self.embeddings is None:
            model, vectors = self.memory.items.embed(flat) if flat else ("", [])
            queries: dict[int, Vector] = {}
            for place, question in questions.items():
                answer = self.memory.items.embed_query(question)
                if answer is not None:
                    model, queries[place] = answer
            return BatchVectors(model=model, texts=_deal(texts, vectors), queries=queries)
        given = self.embeddings.embed_documents(flat) if flat else []
        asked_vectors = {place: tuple(self.embeddings.embed_query(text)) for place, text in questions.items()}
        return BatchVectors(model=self._model, texts=_deal(texts, given), queries=asked_vectors)

    async def aembed(self, ops: Sequence[Op]) -> BatchVectors:
        """The same, by the asynchronous functions of the model that was given."""
        if self.embeddings is None:
            return await in_thread(self.memory, self.embed, ops)
        texts, questions = self.texts_of(ops), self.questions_of(ops)
        flat = [text for group in texts.values() for text in group]
        given = await self.embeddings.aembed_documents(flat) if flat else []
        queries = {
            place: tuple(await self.embeddings.aembed_query(text)) for place, text in questions.items()
        }
        return BatchVectors(model=self._model, texts=_deal(texts, given), queries=queries)

    # -- operations ----------------------------------------------------------------------------------------

    def carry_out(self, ops: Sequence[Op], vectors: BatchVectors) -> list[Result]:
        """Answer all reads from what was there before, then write: all or nothing."""
        results: list[Result] = [self._read(place, op, vectors) for place, op in enumerate(ops)]
        puts = [(place, op) for place, op in enumerate(ops) if isinstance(op, PutOp)]
        for _, op in puts:
            if op.namespace[: len(MEMORIES)] == MEMORIES:
                put_memory(self.memory, op.value)
        self.memory.items.save(
            [
                ItemWrite(
                    namespace=op.namespace,
                    key=op.key,
                    value=op.value,
                    ttl_seconds=op.ttl * _SECONDS_PER_MINUTE if op.ttl is not None else None,
                    vectors=tuple(vectors.texts.get(place, ())),
                    model=vectors.model,
                )
                for place, op in puts
                if op.namespace[: len(MEMORIES)] != MEMORIES
            ]
        )
        return results

    def _read(self, place: int, op: Op, vectors: BatchVectors) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op, vectors.queries.get(place), vectors.model)
        if isinstance(op, ListNamespacesOp):
            return self._list_namespaces(op)
        return None

    def _get(self, op: GetOp) -> Item | None:
        if op.namespace[: len(MEMORIES)] == MEMORIES:
            memory_item = get_memory(self.memory, op.key)
            return _to_item(memory_item) if memory_item else None
        item = self.memory.items.get(
            op.namespace, op.key, refresh=self._refreshes(op), omit_expired=self._omits_expired
        )
        return _to_item(item) if item else None

    def _search(self, op: SearchOp, near: Vector | None, model: str) -> list[SearchItem]:
        filters = op.filter or {}
        _check_filter(filters)
        if _is_memories(op):
            hits: Sequence[KeyedItem] = search_memories(
                self.memory, op.query or "", filters, limit=op.limit, offset=op.offset
            )
        else:
            hits = self.memory.items.search(
                op.namespace_prefix,
                filters=filters,
                near=near,
                model=model,
                limit=op.limit,
                offset=op.offset,
                refresh=self._refreshes(op),
                omit_expired=self._omits_expired,
            )
        return [_to_search_item(hit) for hit in hits]

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        namespaces = [
            namespace
            for namespace in self.memory.items.namespaces(omit_expired=self._omits_expired)
            if all(_matches(namespace, condition) for condition in op.match_conditions or ())
        ]
        if op.max_depth is not None:
            namespaces = list(dict.fromkeys(namespace[: op.max_depth] for namespace in namespaces))
        return namespaces[op.offset : op.offset + op.limit]

    @property
    def _omits_expired(self) -> bool:
        return bool(self.ttl and self.ttl.get("omit_expired"))

    def _refreshes(self, op: GetOp | SearchOp) -> bool:
        return bool(op.refresh_ttl and self.ttl and self.ttl.get("refresh_on_read"))

    # -- time to live --------------------------------------------------------------------------------------

    def sweep(self) -> int:
        """Remove what is over; how many went."""
        return in_turn(self.memory, self.memory.items.expire)

    def start_sweeper(self, every_minutes: float | None) -> None:
        """Remove what is over from time to time, in a thread that ends with the process."""
        minutes = every_minutes or (self.ttl or {}).get("sweep_interval_minutes") or 5
        if self._sweeper is not None and self._sweeper.is_alive():
            return
        self._stop.clear()

        def sweep_until_stopped() -> None:
            while not self._stop.wait(minutes * _SECONDS_PER_MINUTE):
                self.sweep()

        self._sweeper = threading.Thread(target=sweep_until_stopped, daemon=True, name="recollect-ttl")
        self._sweeper.start()

    def stop_sweeper(self, timeout: float | None = None) -> bool:
        """End that thread; whether it has ended."""
        self._stop.set()
        if self._sweeper is not None:
            self._sweeper.join(timeout)
        return self._sweeper is None or not self._sweeper.is_alive()


class RecollectStore(BaseStore):
    """
    LangGraph's store in memory's file, for `compile(store=…)`; usable from both synchronous and asynchronous graphs.

    >>> store = RecollectStore(memory)
    >>> store.put(("users", "ann"), "tea", {"text": "Ann drinks green tea"})
    >>> store.search(("users",), query="what does Ann drink?")
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Recollect,
        *,
        index: IndexConfig | Literal[False] | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        """Without `index`, values are searched by memory's own model; False switches that off."""
        self._core = StoreCore(memory, index, ttl)
        self.index_config = index or None
        self.embeddings = self._core.embeddings
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations; one that cannot be carried out leaves all undone."""
        checked = _check(ops)
        return in_turn(self._core.memory, lambda: self._core.carry_out(checked, self._core.embed(checked)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same without holding up the event loop."""
        checked = _check(ops)
        vectors = await self._core.aembed(checked)
        return await in_thread(self._core.memory, self._core.carry_out, checked, vectors)

    def sweep_ttl(self) -> int:
        """Remove what is over; how many went."""
        return self._core.sweep()

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Remove what is over from time to time, in a thread."""
        if self.ttl_config:
            self._core.start_sweeper(sweep_interval_minutes)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """End that thread; whether it has ended."""
        return self._core.stop_sweeper(timeout)


class AsyncRecollectStore(AsyncBatchedBaseStore):
    """The same for one event loop: calls made at the same moment share a commit. Made inside the loop."""

    supports_ttl = True

    def __init__(
        self,
        memory: Recollect,
        *,
        index: IndexConfig | Literal[False] | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        """Without `index`, values are searched by memory's own model; False switches that off."""
        super().__init__()
        self._core = StoreCore(memory, index, ttl)
        self.index_config = index or None
        self.embeddings = self._core.embeddings
        self.ttl_config = ttl

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations; one that cannot be carried out leaves all undone."""
        checked = _check(ops)
        vectors = await self._core.aembed(checked)
        return await in_thread(self._core.memory, self._core.carry_out, checked, vectors)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """The same from another thread than the loop's own, which must not be held up."""
        checked = _check(ops)
        try:
            is_in_loop = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            is_in_loop = False
        if is_in_loop:
            raise asyncio.InvalidStateError(
                "In the event loop itself, use the asynchronous methods: await store.aget(…)."
            )
        return in_turn(self._core.memory, lambda: self._core.carry_out(checked, self._core.embed(checked)))

    async def sweep_ttl(self) -> int:
        """Remove what is over; how many went."""
        return await asyncio.to_thread(self._core.sweep)

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Remove what is over from time to time, in a thread."""
        if self.ttl_config:
            self._core.start_sweeper(sweep_interval_minutes)

    async def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """End that thread; whether it has ended."""
        return await asyncio.to_thread(self._core.stop_sweeper, timeout)


def _check(ops: Iterable[Op]) -> list[Op]:
    checked = list(ops)
    for op in checked:
        validate_op_namespace(op)
        if isinstance(op, PutOp) and not op.namespace:
            raise BadInput(reason="a namespace has at least one label")
    return checked


def _check_filter(filters: Mapping[str, Any]) -> None:
    if bad := next((key for key in filters if not _FILTER_KEY.fullmatch(key)), None):
        raise ValueError(f"Invalid filter key: {bad!r}. It is made of letters, digits, _, - and dots.")
    if unknown := unknown_operators(filters):
        raise ValueError(f"Unsupported operator: {', '.join(unknown)}")


def _is_memories(op: SearchOp) -> bool:
    return op.namespace_prefix[: len(MEMORIES)] == MEMORIES


def _deal(texts: Mapping[int, Sequence[str]], vectors: Sequence[Sequence[float]]) -> dict[int, list[Vector]]:
    """Give each operation its share of the vectors."""
    dealt: dict[int, list[Vector]] = {}
    start = 0
    for place, group in texts.items():
        dealt[place] = [tuple(vector) for vector in vectors[start : start + len(group)]]
        start += len(group)
    return dealt


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return not path or all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


def _fields_of(item: KeyedItem) -> dict[str, Any]:
    return {
        "value": item.value,
        "key": item.key,
        "namespace": item.namespace,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }


def _to_item(item: KeyedItem) -> Item:
    return Item(**_fields_of(item))


def _to_search_item(item: KeyedItem) -> SearchItem:
    return SearchItem(**_fields_of(item), score=item.score)
