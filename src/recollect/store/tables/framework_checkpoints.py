"""The steps of programs that frameworks run: checkpoints, what their channels held, and what tasks wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from recollect.model.framework_state import (
    EMPTY_CHANNEL,
    ChannelValue,
    ProgramCheckpoint,
    SerializedValue,
    TaskWrite,
)
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables.row_values import json_text

_PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointNeeds:
    """Which versions of channels a checkpoint stands on, and from where it comes."""

    namespace: str
    id: str
    parent_id: str | None
    versions: Mapping[str, str]
    deltas: tuple[str, ...]


def save(db: Db, checkpoint: ProgramCheckpoint, channels: Iterable[ChannelValue]) -> None:
    """Keep a checkpoint and the channels that changed with it."""
    db.run(
        "framework_checkpoint_put",
        thread=checkpoint.thread,
        namespace=checkpoint.namespace,
        id=checkpoint.id,
        parent_id=checkpoint.parent_id,
        run_id=checkpoint.run_id,
        kind=checkpoint.state.kind,
        body=checkpoint.state.body,
        metadata_kind=checkpoint.metadata.kind,
        metadata=checkpoint.metadata.body,
        versions=json_text(dict(checkpoint.versions)),
        deltas=json_text(list(checkpoint.deltas)),
    )
    for channel in channels:
        db.run(
            "framework_channel_put",
            thread=checkpoint.thread,
            namespace=checkpoint.namespace,
            channel=channel.channel,
            version=channel.version,
            kind=channel.value.kind,
            body=channel.value.body,
        )


def select(
    db: Db, *, thread: str | None, namespace: str | None, checkpoint_id: str | None, before: str | None
) -> Iterator[ProgramCheckpoint]:
    """Checkpoints that pass, the newest first, read page by page."""
    offset = 0
    while True:
        rows = db.rows(
            "framework_checkpoints",
            thread=thread,
            namespace=namespace,
            id=checkpoint_id,
            before=before,
            limit=_PAGE,
            offset=offset,
        )
        yield from map(_checkpoint, rows)
        if len(rows) < _PAGE:
            return
        offset += _PAGE


def newest(db: Db, thread: str, namespace: str, checkpoint_id: str | None) -> ProgramCheckpoint | None:
    """One checkpoint by its id, or the newest."""
    row = db.row(
        "framework_checkpoints",
        thread=thread,
        namespace=namespace,
        id=checkpoint_id,
        before=None,
        limit=1,
        offset=0,
    )
    return _checkpoint(row) if row else None


def channels_of(db: Db, checkpoint: ProgramCheckpoint) -> list[ChannelValue]:
    """What the channels held at a checkpoint; one that held nothing is left out."""
    values = []
    for channel, version in checkpoint.versions.items():
        row = db.row(
            "framework_channel_get",
            thread=checkpoint.thread,
            namespace=checkpoint.namespace,
            channel=channel,
            version=version,
        )
        if row is not None and row["kind"] != EMPTY_CHANNEL:
            values.append(ChannelValue(channel=channel, version=version, value=_value(row)))
    return values


def add_writes(db: Db, thread: str, namespace: str, checkpoint_id: str, writes: Iterable[TaskWrite]) -> None:
    """Keep what a task wrote. A numbered write that comes again changes nothing; a special one is replaced."""
    for write in writes:
        parameters = {
            "thread": thread,
            "namespace": namespace,
            "checkpoint_id": checkpoint_id,
            "task_id": write.task_id,
            "number": write.number,
            "channel": write.channel,
            "kind": write.value.kind,
            "body": write.value.body,
            "task_path": write.task_path,
        }
        if write.number >= 0:
            db.run("framework_write_add", **parameters)
        else:
            db.run("framework_write_put", **parameters)


def writes_of(db: Db, thread: str, namespace: str, checkpoint_id: str) -> list[TaskWrite]:
    """What tasks wrote at a checkpoint, in no order."""
    rows = db.rows("framework_writes_of", thread=thread, namespace=namespace, id=checkpoint_id)
    return [
        TaskWrite(
            task_id=row["task_id"],
            number=row["number"],
            channel=row["channel"],
            value=_value(row),
            task_path=row["task_path"],
        )
        for row in rows
    ]


def delete_thread(db: Db, thread: str) -> None:
    """Remove a thread."""
    db.run("framework_checkpoints_clear", thread=thread)
    db.run("framework_writes_clear", thread=thread)
    db.run("framework_channels_clear", thread=thread)


def copy_thread(db: Db, source: str, target: str) -> None:
    """The same thread under another name."""
    db.run("framework_checkpoints_copy", source=source, target=target)
    db.run("framework_channels_copy", source=source, target=target)
    db.run("framework_writes_copy", source=source, target=target)


def places_of_run(db: Db, run_id: str) -> list[tuple[str, str, str]]:
    """Thread, namespace and id of the checkpoints that a run made."""
    rows = db.rows("framework_checkpoints_of_run", run_id=run_id)
    return [(row["thread"], row["namespace"], row["id"]) for row in rows]


def delete_one(db: Db, thread: str, namespace: str, checkpoint_id: str) -> None:
    """Remove a checkpoint with what was written at it."""
    db.run("framework_checkpoint_delete", thread=thread, namespace=namespace, id=checkpoint_id)
    db.run("framework_writes_delete", thread=thread, namespace=namespace, id=checkpoint_id)


def needs_of(db: Db, thread: str) -> list[CheckpointNeeds]:
    """What the checkpoints of a thread stand on; by namespace, the newest first."""
    return [
        CheckpointNeeds(
            namespace=row["namespace"],
            id=row["id"],
            parent_id=row["parent_id"],
            versions=json.loads(row["versions"]),
            deltas=tuple(json.loads(row["deltas"])),
        )
        for row in db.rows("framework_checkpoint_versions", thread=thread)
    ]


def channel_kinds(db: Db, thread: str) -> dict[tuple[str, str, str], str]:
    """The form of every version of a channel, by namespace, channel and version."""
    rows = db.rows("framework_channel_kinds", thread=thread)
    return {(row["namespace"], row["channel"], row["version"]): row["kind"] for row in rows}


def delete_channels(db: Db, thread: str, places: Sequence[tuple[str, str, str]]) -> None:
    """Remove versions of channels that nothing needs."""
    for namespace, channel, version in places:
        db.run(
            "framework_channel_delete", thread=thread, namespace=namespace, channel=channel, version=version
        )


def _checkpoint(row: Mapping[str, Any]) -> ProgramCheckpoint:
    return ProgramCheckpoint(
        thread=row["thread"],
        namespace=row["namespace"],
        id=row["id"],
        parent_id=row["parent_id"],
        run_id=row["run_id"],
        state=_value(row),
        metadata=SerializedValue(kind=row["metadata_kind"], body=bytes(row["metadata"])),
        versions=json.loads(row["versions"]),
        deltas=tuple(json.loads(row["deltas"])),
    )


def _value(row: Mapping[str, Any]) -> SerializedValue:
    return SerializedValue(kind=row["kind"], body=bytes(row["body"]))
