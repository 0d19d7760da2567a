"""LangGraph's checkpoints in memory's file: a graph goes on where it was, and costs what each step changed."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from recollect.adapters.turns import in_thread, in_turn, needs_extra
from recollect.api import Recollect
from recollect.errors import BadInput
from recollect.events.redact import redact
from recollect.model.framework_state import (
    EMPTY_CHANNEL,
    ChannelValue,
    ProgramCheckpoint,
    SerializedValue,
    TaskWrite,
)

try:
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import (
        WRITES_IDX_MAP,
        BaseCheckpointSaver,
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        CheckpointTuple,
        get_checkpoint_id,
        get_checkpoint_metadata,
        writes_sort_key,
    )
    from langgraph.checkpoint.serde.base import SerializerProtocol
except ImportError as error:
    raise needs_extra("LangGraph", "langgraph") from error

_DELTAS = "counters_since_delta_snapshot"


class RecollectSaver(BaseCheckpointSaver[str]):
    """
    Checkpoints for `compile(checkpointer=…)`, from synchronous and asynchronous graphs.

    Secrets are taken out of texts before they are stored, in messages and in plain lists and tables. A graph whose
    state must come back exactly, secrets and all, says `redacted=False`.
    """

    def __init__(
        self, memory: Recollect, *, serde: SerializerProtocol | None = None, redacted: bool = True
    ) -> None:
        """Checkpoints of this memory's file."""
        super().__init__(serde=serde)
        self._memory = memory
        self._is_redacted = redacted

    # -- reading -------------------------------------------------------------------------------------------

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """One checkpoint by its id, or the newest of a thread."""
        place = config["configurable"]

        def read() -> CheckpointTuple | None:
            stored = self._memory.checkpoints.find(
                str(place["thread_id"]), place.get("checkpoint_ns", ""), get_checkpoint_id(config)
            )
            return self._to_tuple(stored) if stored else None

        return in_turn(self._memory, read)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints that pass, the newest first."""
        yield from in_turn(self._memory, self._select, config, filter or {}, before, limit)

    def _select(
        self,
        config: RunnableConfig | None,
        wanted: Mapping[str, Any],
        before: RunnableConfig | None,
        limit: int | None,
    ) -> Sequence[CheckpointTuple]:
        place: Mapping[str, Any] = config["configurable"] if config else {}
        tuples: list[CheckpointTuple] = []
        for stored in self._memory.checkpoints.select(
            thread=str(place["thread_id"]) if "thread_id" in place else None,
            namespace=place.get("checkpoint_ns"),
            checkpoint_id=get_checkpoint_id(config) if config else None,
            before=get_checkpoint_id(before) if before else None,
        ):
            if limit is not None and len(tuples) >= limit:
                break
            metadata = self._load(stored.metadata)
            if all(metadata.get(name) == value for name, value in wanted.items()):
                tuples.append(self._to_tuple(stored))
        return tuples

    def _to_tuple(self, stored: ProgramCheckpoint) -> CheckpointTuple:
        checkpoint = self._load(stored.state)
        values = {
            channel.channel: self._load(channel.value)
            for channel in self._memory.checkpoints.channels(stored)
        }
        writes = sorted(
            self._memory.checkpoints.writes(stored),
            key=lambda write: writes_sort_key(write.task_path, write.task_id, write.number),
        )
        return CheckpointTuple(
            config=_config(stored.thread, stored.namespace, stored.id),
            checkpoint=cast(Checkpoint, {**checkpoint, "channel_values": values}),
            metadata=self._load(stored.metadata),
            parent_config=_config(stored.thread, stored.namespace, stored.parent_id)
            if stored.parent_id
            else None,
            pending_writes=[(write.task_id, write.channel, self._load(write.value)) for write in writes],
        )

    # -- writing -------------------------------------------------------------------------------------------

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint and the channels that changed with it."""
        place = config["configurable"]
        thread, namespace = str(place["thread_id"]), place.get("checkpoint_ns", "")
        values = checkpoint["channel_values"]
        bare = {name: value for name, value in checkpoint.items() if name != "channel_values"}
        facts = get_checkpoint_metadata(config, metadata)
        stored = ProgramCheckpoint(
            thread=thread,
            namespace=namespace,
            id=checkpoint["id"],
            parent_id=place.get("checkpoint_id"),
            run_id=facts.get("run_id"),
            state=self._dump(bare),
            metadata=self._dump(facts),
            versions={name: _version(version) for name, version in checkpoint["channel_versions"].items()},
            deltas=tuple(cast(Mapping[str, Any], facts).get(_DELTAS) or ()),
        )
        channels = [
            ChannelValue(
                channel=name,
                version=_version(version),
                value=self._dump(values[name])
                if name in values
                else SerializedValue(kind=EMPTY_CHANNEL, body=b""),
            )
            for name, version in new_versions.items()
        ]
        in_turn(self._memory, self._memory.checkpoints.save, stored, channels)
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a task wrote before its step was over."""
        place = config["configurable"]
        rows = [
            TaskWrite(
                task_id=task_id,
                number=WRITES_IDX_MAP.get(channel, number),
                channel=channel,
                value=self._dump(value),
                task_path=task_path,
            )
            for number, (channel, value) in enumerate(writes)
        ]
        in_turn(
            self._memory,
            self._memory.checkpoints.add_writes,
            str(place["thread_id"]),
            place.get("checkpoint_ns", ""),
            place["checkpoint_id"],
            rows,
        )

    def delete_thread(self, thread_id: str) -> None:
        """Remove a thread."""
        in_turn(self._memory, self._memory.checkpoints.delete_thread, str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints that runs made."""
        in_turn(self._memory, self._memory.checkpoints.delete_runs, [str(run_id) for run_id in run_ids])

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """The same thread under another name."""
        in_turn(
            self._memory, self._memory.checkpoints.copy_thread, str(source_thread_id), str(target_thread_id)
        )

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the newest checkpoint of each namespace and what it is made from (`keep_latest`), or none (`delete`)."""
        threads = [str(thread_id) for thread_id in thread_ids]
        if strategy == "keep_latest":
            in_turn(self._memory, self._memory.checkpoints.keep_newest, threads)
        elif strategy == "delete":
            for thread in threads:
                self.delete_thread(thread)
        else:
            raise BadInput(reason=f"a strategy is keep_latest or delete, not {strategy!r}")

    # -- the same without holding up an event loop ---------------------------------------------------------

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """One checkpoint by its id, or the newest of a thread."""
        return await in_thread(self._memory, self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Checkpoints that pass, the newest first."""
        for checkpoint in await in_thread(self._memory, self._select, config, filter or {}, before, limit):
            yield checkpoint

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint and the channels that changed with it."""
        return await in_thread(self._memory, self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a task wrote before its step was over."""
        await in_thread(self._memory, self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Remove a thread."""
        await in_thread(self._memory, self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints that runs made."""
        await in_thread(self._memory, self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """The same thread under another name."""
        await in_thread(self._memory, self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the newest checkpoint of each namespace and what it is made from, or none."""
        await in_thread(self._memory, self.prune, thread_ids, strategy=strategy)

    # -- forms ---------------------------------------------------------------------------------------------

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Versions that two forks of one thread do not share, though both go on from the same step."""
        number = int(str(current).split(".")[0]) + 1 if current is not None else 1
        return f"{number:032}.{random.random():018.16f}"

    def _dump(self, value: Any) -> SerializedValue:
        kind, body = self.serde.dumps_typed(_without_secrets(value) if self._is_redacted else value)
        return SerializedValue(kind=kind, body=body)

    def _load(self, value: SerializedValue) -> Any:
        return self.serde.loads_typed((value.kind, value.body))


def _config(thread: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


def _version(version: object) -> str:
    """A version as text, so that 1 and "1" stay two."""
    return json.dumps(version)


@lru_cache(maxsize=4096)
def _redact_text(text: str) -> str:
    # A message comes again with every step; its text is looked at once.
    return redact(text).text


def _without_secrets(value: Any) -> Any:
    """The value with secrets taken out of its texts; what has none is given back as it came."""
    if isinstance(value, str):
        cleaned_text = _redact_text(value)
        return value if cleaned_text == value else cleaned_text
    if isinstance(value, BaseMessage):
        return _clean_message(value)
    if type(value) is dict:
        cleaned = {key: _without_secrets(part) for key, part in value.items()}
        return cleaned if any(cleaned[key] is not part for key, part in value.items()) else value
    if type(value) in (list, tuple):
        parts = [_without_secrets(part) for part in value]
        same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if same else type(value)(parts)
    return value


def _clean_message(message: BaseMessage) -> BaseMessage:
    changes = {}
    for name in ("content", "tool_calls", "additional_kwargs"):
        held = getattr(message, name, None)
        cleaned = _without_secrets(held)
        if cleaned is not held:
            changes[name] = cleaned
    return message.model_copy(update=changes) if changes else message
