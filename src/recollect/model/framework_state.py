"""What frameworks keep in a store: logs, values under keys, and the steps of a program."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recollect.model.value import dataclass

# The kind of a channel that holds nothing at a version.
EMPTY_CHANNEL = "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogKey:
    """Whose log: of which framework, for which of its projects, which conversation, and which part of that."""

    framework: str
    name: str
    owner: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSummary:
    """A log without its entries."""

    name: str
    created_at: datetime
    changed_at: datetime
    # What the framework says about it.
    summary: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedItem:
    """A value under a namespace and a key."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    # How near it is to what was asked, if something was.
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemWrite:
    """A value to be kept, or removed where it is None."""

    namespace: tuple[str, ...]
    key: str
    value: Mapping[str, Any] | None
    ttl_seconds: float | None = None
    # What is searched of it, as vectors of one model.
    vectors: tuple[tuple[float, ...], ...] = ()
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SerializedValue:
    """A value as a framework's serializer wrote it, and the name of the form."""

    kind: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCheckpoint:
    """The state of a program after one step; what its channels held stands apart."""

    thread: str
    namespace: str
    id: str
    state: SerializedValue
    metadata: SerializedValue
    parent_id: str | None = None
    run_id: str | None = None
    # Channel to version.
    versions: Mapping[str, str]
    # Channels whose value is made from earlier steps: those steps are needed as long as this one is.
    deltas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelValue:
    """What a channel held at a version."""

    channel: str
    version: str
    value: SerializedValue


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskWrite:
    """What a task gave back before its step was over."""

    task_id: str
    number: int
    channel: str
    value: SerializedValue
    task_path: str = ""
