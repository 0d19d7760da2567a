"""
What frameworks keep in this memory: `memory.logs`, `memory.items` and `memory.checkpoints`.

The adapters are written against these three, and so can yours be. Secrets are taken out before anything is stored;
a checkpoint is bytes by then, so whoever makes it takes them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.conversation.redact_messages import redact_values
from recollect.errors import BadInput
from recollect.model.framework_state import (
    EMPTY_CHANNEL,
    ChannelValue,
    ItemWrite,
    KeyedItem,
    LogKey,
    LogSummary,
    ProgramCheckpoint,
    TaskWrite,
)
from recollect.model.item_filter import passes_filter
from recollect.model.value import replace
from recollect.store.tables import framework_checkpoints, framework_items, framework_logs
from recollect.store.tables.framework_items import SEPARATOR, StoredItem

FoldSummary = Callable[[LogSummary | None, Sequence[Any]], Mapping[str, Any]]


@public_api
class Logs:
    """Entries in order, such as a transcript or a conversation; reached as `memory.logs`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def append(
        self, key: LogKey, *entries: Mapping[str, Any], id_field: str = "", fold: FoldSummary | None = None
    ) -> Sequence[Any]:
        """
        Add entries, without secrets; those that were new. One whose `id_field` is known already is left out.

        `fold` makes the summary from the one before and the new entries; it is stored with them or not at all.
        """
        if not entries:
            return []
        clean = [redact_values(entry)[0] for entry in entries]
        db, now = self._wiring.db, self._wiring.now()
        with db.transaction():
            fresh = framework_logs.append(db, key, [(_uid(entry, id_field), entry) for entry in clean], now)
            if fold is not None and fresh:
                before = framework_logs.read_summary(db, key)
                framework_logs.save_summary(db, key, fold(before, fresh))
        return fresh

    def read(self, key: LogKey) -> Sequence[Any] | None:
        """All entries in order; None for a log that never was."""
        return framework_logs.read(self._wiring.db, key)

    def read_last(self, key: LogKey, limit: int) -> Sequence[Any]:
        """The last entries, in order."""
        return framework_logs.read_last(self._wiring.db, key, limit)

    def pop(self, key: LogKey) -> Any | None:
        """Take the last entry away and give it back; None if there is none."""
        with self._wiring.db.transaction():
            return framework_logs.pop(self._wiring.db, key)

    def clear(self, key: LogKey) -> None:
        """Take all entries away."""
        framework_logs.clear(self._wiring.db, key)

    def delete(self, key: LogKey) -> int:
        """Remove a log with its parts, or one part of it; how many went."""
        return framework_logs.delete(self._wiring.db, key)

    def list(self, framework: str, *, owner: str = "") -> Sequence[LogSummary]:
        """The logs of a framework's project, the newest first."""
        return framework_logs.list_logs(self._wiring.db, framework, owner)

    def parts(self, key: LogKey) -> Sequence[str]:
        """The parts of a log."""
        return framework_logs.list_parts(self._wiring.db, key)

    def summary(self, key: LogKey) -> LogSummary | None:
        """What is known of a log besides its entries."""
        return framework_logs.read_summary(self._wiring.db, key)


@public_api
class Items:
    """Values under namespaces and keys, searched by meaning; reached as `memory.items`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def save(self, writes: Sequence[ItemWrite]) -> None:
        """Keep or remove values, without secrets: all or nothing."""
        for write in writes:
            _check_labels(write.namespace)
        clean = [
            write if write.value is None else replace(write, value=redact_values(write.value)[0])
            for write in writes
        ]
        now = self._wiring.now()
        with self._wiring.db.transaction():
            for write in clean:
                framework_items.save(self._wiring.db, write, now)

    def get(
        self, namespace: tuple[str, ...], key: str, *, refresh: bool = False, omit_expired: bool = False
    ) -> KeyedItem | None:
        """One value; `refresh` begins its time anew."""
        stored = framework_items.find(self._wiring.db, namespace, key)
        if stored is None or (omit_expired and self._is_over(stored)):
            return None
        if refresh:
            self._refresh([stored])
        return stored.item

    def search(
        self,
        prefix: tuple[str, ...] = (),
        *,
        filters: Mapping[str, Any] | None = None,
        near: Sequence[float] | None = None,
        model: str = "",
        limit: int = 10,
        offset: int = 0,
        refresh: bool = False,
        omit_expired: bool = False,
    ) -> Sequence[KeyedItem]:
        """Values of a namespace and all below it: the newest first, or those nearest to a vector of a model."""
        alive_at = self._wiring.now() if omit_expired else None
        candidates = (
            framework_items.list_below(self._wiring.db, prefix, alive_at)
            if near is None
            else self._nearest(prefix, near, model, alive_at)
        )
        hits: list[StoredItem] = []
        with self._wiring.db.one_moment():
            for stored in candidates:
                if len(hits) == offset + limit:
                    break
                if not filters or passes_filter(stored.item.value, filters):
                    hits.append(stored)
        page = hits[offset:]
        if refresh:
            self._refresh(page)
        return [stored.item for stored in page]

    def namespaces(self, *, omit_expired: bool = False) -> Sequence[tuple[str, ...]]:
        """All namespaces that hold something, in order."""
        return framework_items.namespaces(self._wiring.db, self._wiring.now() if omit_expired else None)

    def expire(self) -> int:
        """Remove values whose time is over; how many went."""
        return framework_items.expire(self._wiring.db, self._wiring.now())

    def embed(self, texts: Sequence[str]) -> tuple[str, Sequence[tuple[float, ...]]]:
        """Texts as vectors of this memory's own model, and the model's name; no vectors where it has none."""
        embedder = self._wiring.models().embedder
        if embedder is None:
            return "", []
        vectors = [_unpack(embedding.vector) for embedding in embedder.embed(list(texts))]
        return embedder.model_id, vectors

    def embed_query(self, text: str) -> tuple[str, tuple[float, ...]] | None:
        """A question as a vector of this memory's own model; None where it has none."""
        embedder = self._wiring.models().embedder
        if embedder is None:
            return None
        return embedder.model_id, _unpack(embedder.embed_query(text).vector)

    def _nearest(
        self, prefix: tuple[str, ...], near: Sequence[float], model: str, alive_at: Any
    ) -> Iterator[StoredItem]:
        rows = framework_items.vectors_below(self._wiring.db, prefix, model, alive_at)
        size = 4 * len(near)
        rows = [row for row in rows if len(row[1]) == size]
        if not rows:
            return
        matrix = np.frombuffer(b"".join(vector for _, vector in rows), dtype="<f4").reshape(len(rows), -1)
        wanted = np.asarray(near, dtype=np.float32)
        lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(wanted)
        cosines = (matrix @ wanted) / np.where(lengths == 0, 1, lengths)
        best: dict[int, float] = {}
        for (num, _), cosine in zip(rows, cosines.tolist(), strict=True):
            best[num] = max(cosine, best.get(num, -1.0))
        for num, score in sorted(best.items(), key=lambda pair: -pair[1]):
            stored = framework_items.by_number(self._wiring.db, num)
            yield replace(stored, item=replace(stored.item, score=score))

    def _refresh(self, page: Sequence[StoredItem]) -> None:
        timed = [stored for stored in page if stored.ttl_seconds is not None]
        if timed:
            now = self._wiring.now()
            with self._wiring.db.transaction():
                for stored in timed:
                    framework_items.touch(self._wiring.db, stored, now)

    def _is_over(self, stored: StoredItem) -> bool:
        return stored.expires_at is not None and stored.expires_at <= self._wiring.now()


@public_api
class Checkpoints:
    """The steps of programs, to go on from; reached as `memory.checkpoints`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def save(self, checkpoint: ProgramCheckpoint, channels: Sequence[ChannelValue]) -> None:
        """Keep a checkpoint and the channels that changed with it."""
        with self._wiring.db.transaction():
            framework_checkpoints.save(self._wiring.db, checkpoint, channels)

    def find(
        self, thread: str, namespace: str = "", checkpoint_id: str | None = None
    ) -> ProgramCheckpoint | None:
        """One checkpoint by its id, or the newest of a thread."""
        return framework_checkpoints.newest(self._wiring.db, thread, namespace, checkpoint_id)

    def select(
        self,
        *,
        thread: str | None = None,
        namespace: str | None = None,
        checkpoint_id: str | None = None,
        before: str | None = None,
    ) -> Iterator[ProgramCheckpoint]:
        """Checkpoints that pass, the newest first."""
        yield from framework_checkpoints.select(
            self._wiring.db, thread=thread, namespace=namespace, checkpoint_id=checkpoint_id, before=before
        )

    def channels(self, checkpoint: ProgramCheckpoint) -> Sequence[ChannelValue]:
        """What the channels held at a checkpoint."""
        return framework_checkpoints.channels_of(self._wiring.db, checkpoint)

    def writes(self, checkpoint: ProgramCheckpoint) -> Sequence[TaskWrite]:
        """What tasks wrote at a checkpoint, in no order."""
        return framework_checkpoints.writes_of(
            self._wiring.db, checkpoint.thread, checkpoint.namespace, checkpoint.id
        )

    def add_writes(
        self, thread: str, namespace: str, checkpoint_id: str, writes: Sequence[TaskWrite]
    ) -> None:
        """Keep what a task wrote. A numbered write that comes again changes nothing; a special one is replaced."""
        with self._wiring.db.transaction():
            framework_checkpoints.add_writes(self._wiring.db, thread, namespace, checkpoint_id, writes)

    def delete_thread(self, thread: str) -> None:
        """Remove a thread."""
        with self._wiring.db.transaction():
            framework_checkpoints.delete_thread(self._wiring.db, thread)

    def delete_runs(self, run_ids: Sequence[str]) -> int:
        """Remove the checkpoints that runs made; how many went."""
        with self._wiring.db.transaction():
            places = [
                place
                for run_id in run_ids
                for place in framework_checkpoints.places_of_run(self._wiring.db, run_id)
            ]
            for place in places:
                framework_checkpoints.delete_one(self._wiring.db, *place)
            for thread in dict.fromkeys(thread for thread, _, _ in places):
                self._drop_channels(thread)
        return len(places)

    def copy_thread(self, source: str, target: str) -> None:
        """The same thread under another name, which must be free."""
        with self._wiring.db.transaction():
            if framework_checkpoints.needs_of(self._wiring.db, target):
                raise BadInput(reason=f"there is a thread {target!r} already; delete it or take another name")
            framework_checkpoints.copy_thread(self._wiring.db, source, target)

    def keep_newest(self, threads: Sequence[str]) -> int:
        """Remove all but the newest checkpoint of each namespace, and what that one stands on; how many went."""
        count = 0
        with self._wiring.db.transaction():
            for thread in threads:
                needs = framework_checkpoints.needs_of(self._wiring.db, thread)
                wanted = self._needed(thread, needs)
                for need in needs:
                    if (need.namespace, need.id) not in wanted:
                        framework_checkpoints.delete_one(self._wiring.db, thread, need.namespace, need.id)
                        count += 1
                self._drop_channels(thread)
        return count

    def _needed(
        self, thread: str, needs: Sequence[framework_checkpoints.CheckpointNeeds]
    ) -> set[tuple[str, str]]:
        """The newest of each namespace, and the steps before it that a channel of differences is made from."""
        kinds = framework_checkpoints.channel_kinds(self._wiring.db, thread)
        by_id = {(need.namespace, need.id): need for need in needs}
        newest = {need.namespace: need for need in reversed(needs)}
        wanted: set[tuple[str, str]] = set()
        for namespace, head in newest.items():
            need: framework_checkpoints.CheckpointNeeds | None = head
            open_channels = set(head.deltas)
            while need is not None and (need.namespace, need.id) not in wanted:
                wanted.add((namespace, need.id))
                open_channels -= {
                    channel
                    for channel in open_channels
                    if kinds.get((namespace, channel, need.versions.get(channel, "")), EMPTY_CHANNEL)
                    != EMPTY_CHANNEL
                }
                need = by_id.get((namespace, need.parent_id or "")) if open_channels else None
        return wanted

    def _drop_channels(self, thread: str) -> None:
        """Remove versions of channels that no checkpoint of the thread needs any more."""
        needed = {
            (need.namespace, channel, version)
            for need in framework_checkpoints.needs_of(self._wiring.db, thread)
            for channel, version in need.versions.items()
        }
        stored = framework_checkpoints.channel_kinds(self._wiring.db, thread)
        framework_checkpoints.delete_channels(
            self._wiring.db, thread, [place for place in stored if place not in needed]
        )


def _uid(entry: Any, id_field: str) -> str | None:
    uid = entry.get(id_field) if id_field and isinstance(entry, Mapping) else None
    return uid if isinstance(uid, str) and uid else None


def _check_labels(namespace: tuple[str, ...]) -> None:
    if not namespace or any(not label or SEPARATOR in label for label in namespace):
        raise BadInput(
            reason=f"a namespace is one or more labels, none empty and none with U+001F in it, not {namespace!r}"
        )


def _unpack(vector: bytes) -> tuple[float, ...]:
    return tuple(np.frombuffer(vector, dtype="<f4").tolist())
