"""What frameworks keep in memory's file: logs, values under keys, steps of programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Recollect
from recollect.errors import BadInput
from recollect.model.framework_state import (
    EMPTY_CHANNEL,
    ChannelValue,
    ItemWrite,
    LogKey,
    ProgramCheckpoint,
    SerializedValue,
    TaskWrite,
)
from recollect.model.item_filter import passes_filter
from tests.conftest import Clock

KEY = LogKey(framework="test", owner="shop", name="s1")
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_a_log_is_read_as_it_was_written_and_an_entry_that_comes_again_is_known(memory: Recollect) -> None:
    memory.logs.append(KEY, {"uuid": "a", "n": 1}, {"n": 2}, id_field="uuid")
    fresh = memory.logs.append(
        KEY, {"uuid": "a", "n": 1}, {"n": 2}, {"uuid": "b", "n": "\ud800"}, id_field="uuid"
    )
    assert fresh == [{"n": 2}, {"uuid": "b", "n": "\ud800"}]
    assert memory.logs.read(KEY) == [{"uuid": "a", "n": 1}, {"n": 2}, *fresh]
    assert memory.logs.read_last(KEY, 1) == fresh[-1:]
    assert memory.logs.read(LogKey(framework="test", name="s1")) is None


def test_a_secret_is_stored_in_no_log_and_no_value(memory: Recollect) -> None:
    memory.logs.append(KEY, {"text": f"use {SECRET}"})
    memory.items.save([ItemWrite(namespace=("a",), key="k", value={"text": f"use {SECRET}"})])
    item = memory.items.get(("a",), "k")
    assert item is not None
    assert SECRET not in str(memory.logs.read(KEY)) + str(item.value)
    assert "[redacted:" in str(item.value)


def test_entries_and_their_summary_are_stored_together_or_not_at_all(memory: Recollect) -> None:
    def broken(before: object, fresh: object) -> dict[str, object]:
        raise ValueError("no summary")

    with pytest.raises(BadInput):
        memory.logs.append(KEY, {"n": 1}, fold=broken)
    assert memory.logs.read(KEY) is None


def test_a_log_that_is_deleted_takes_its_parts_along(memory: Recollect) -> None:
    part = LogKey(framework="test", owner="shop", name="s1", part="subagent")
    memory.logs.append(KEY, {"n": 1})
    memory.logs.append(part, {"n": 2})
    assert memory.logs.parts(KEY) == ["subagent"]
    assert memory.logs.pop(KEY) == {"n": 1}
    assert memory.logs.delete(KEY) == 2
    assert memory.logs.read(part) is None


def test_a_namespace_is_no_beginning_of_another_with_a_longer_label(memory: Recollect) -> None:
    for namespace in (("foo",), ("foo", "bar"), ("foobar",), ("foo ",)):
        memory.items.save([ItemWrite(namespace=namespace, key="k", value={})])
    assert {item.namespace for item in memory.items.search(("foo",))} == {("foo",), ("foo", "bar")}
    with pytest.raises(BadInput, match="namespace"):
        memory.items.save([ItemWrite(namespace=("a\x1fb",), key="k", value={})])


def test_values_are_found_by_meaning_and_only_by_vectors_of_one_model(memory: Recollect) -> None:
    model, vectors = memory.items.embed(["green tea in the morning", "the gateway bans at five"])
    for key, vector in zip(("tea", "ban"), vectors, strict=True):
        memory.items.save([ItemWrite(namespace=("u",), key=key, value={}, vectors=(vector,), model=model)])
    answer = memory.items.embed_query("green tea")
    assert answer is not None
    assert memory.items.search(("u",), near=answer[1], model=model)[0].key == "tea"
    assert memory.items.search(("u",), near=answer[1], model="another") == []


def test_a_value_goes_when_its_time_is_over_and_begins_anew_when_it_is_read(
    memory: Recollect, clock: Clock
) -> None:
    memory.items.save([ItemWrite(namespace=("a",), key=key, value={}, ttl_seconds=60) for key in ("x", "y")])
    clock.pass_(seconds=50)
    memory.items.get(("a",), "x", refresh=True)
    clock.pass_(seconds=50)
    assert memory.items.get(("a",), "y", omit_expired=True) is None
    assert memory.items.expire() == 1
    assert [item.key for item in memory.items.search(("a",))] == ["x"]


def a_checkpoint(number: int, parent: int | None = None, **parts: object) -> ProgramCheckpoint:
    return ProgramCheckpoint(
        thread="t",
        namespace="",
        id=f"{number:04}",
        parent_id=f"{parent:04}" if parent is not None else None,
        state=SerializedValue(kind="json", body=b"{}"),
        metadata=SerializedValue(kind="json", body=b"{}"),
        versions={"messages": str(number)},
        **parts,  # type: ignore[arg-type]
    )


def a_value(number: int, kind: str = "json") -> list[ChannelValue]:
    value = SerializedValue(kind=kind, body=b"%d" % number)
    return [ChannelValue(channel="messages", version=str(number), value=value)]


def test_keeping_the_newest_step_removes_the_values_that_no_step_needs(memory: Recollect) -> None:
    for number in range(3):
        memory.checkpoints.save(a_checkpoint(number, number - 1 if number else None), a_value(number))
    assert memory.checkpoints.keep_newest(["t"]) == 2
    (left,) = memory.checkpoints.select(thread="t")
    assert [channel.value.body for channel in memory.checkpoints.channels(left)] == [b"2"]
    assert memory.checkpoints.channels(a_checkpoint(1)) == []


def test_a_step_made_of_differences_keeps_the_steps_it_is_made_from(memory: Recollect) -> None:
    memory.checkpoints.save(a_checkpoint(0), a_value(0))
    memory.checkpoints.save(a_checkpoint(1, 0), a_value(1))
    for number in (2, 3):
        step = a_checkpoint(number, number - 1, deltas=("messages",))
        memory.checkpoints.save(step, a_value(number, EMPTY_CHANNEL))
    assert memory.checkpoints.keep_newest(["t"]) == 1
    assert [step.id for step in memory.checkpoints.select(thread="t")] == ["0003", "0002", "0001"]


def test_a_thread_is_copied_to_a_free_name_only(memory: Recollect) -> None:
    memory.checkpoints.save(a_checkpoint(0), a_value(0))
    write = TaskWrite(task_id="a", number=0, channel="c", value=SerializedValue(kind="json", body=b"1"))
    memory.checkpoints.add_writes("t", "", "0000", [write, write])
    memory.checkpoints.copy_thread("t", "u")
    copied = memory.checkpoints.find("u")
    assert copied is not None and list(memory.checkpoints.writes(copied)) == [write]
    with pytest.raises(BadInput, match="another name"):
        memory.checkpoints.copy_thread("t", "u")


@given(st.dictionaries(st.text(max_size=3), st.none() | st.booleans() | st.integers() | st.text(max_size=3)))
def test_a_value_passes_the_filter_made_of_itself(value: dict[str, object]) -> None:
    assert passes_filter(value, value)
    assert not any(passes_filter(value, {key: {"$ne": held}}) for key, held in value.items())


@pytest.mark.parametrize(
    ("condition", "passes"),
    [
        ({"n": {"$gt": 1, "$lt": 3}}, True),
        ({"n": {"$gt": "1"}}, False),
        ({"n": True}, False),
        ({"user.name": "Ann"}, True),
        ({"missing": {"$ne": 1}}, True),
        ({"missing": None}, False),
    ],
)
def test_filters_compare_what_can_be_compared(condition: dict[str, object], passes: bool) -> None:
    assert passes_filter({"n": 2, "user": {"name": "Ann"}}, condition) is passes
