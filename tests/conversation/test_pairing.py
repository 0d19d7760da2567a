"""Every call has its result behind it and every result its call, whatever the history."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.conversation import OverflowStore, Window, WindowSettings, find_orphans, repair
from recollect.conversation.pairing import INTERRUPTED
from recollect.conversation.shapes import SHAPES
from tests.conversation.histories import (
    Messages,
    a_history,
    a_step,
    anthropic_messages,
    openai_messages,
    text_of,
)

ANY = {"anthropic": anthropic_messages(), "openai": openai_messages()}
# Limits so low that every edit happens on small histories.
TIGHT = WindowSettings(
    stale_after_messages=2,
    edit_at_least_tokens=10,
    overflow_characters=300,
    critical_overflow_characters=600,
    preview_characters=40,
    critical_preview_characters=100,
    summarise_above_tokens=400,
    summarise_keep_messages=3,
    summary_characters=400,
    fallback_above_tokens=1_500,
    fallback_keep_messages=6,
    fallback_keep_least=2,
    anchor_every_calls=2,
)


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
def test_a_repaired_history_has_no_orphans_and_is_repaired_no_further(
    shape: str, data: st.DataObject
) -> None:
    messages = data.draw(ANY[shape])
    before = copy.deepcopy(messages)
    repaired, _ = repair(messages, SHAPES[shape])
    assert messages == before, "what is given is not changed"
    assert pairs_are_whole(repaired, shape)
    again, fixes = repair(repaired, SHAPES[shape])
    assert again == repaired
    assert fixes == []


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
def test_a_window_sends_no_orphans_at_any_point_of_any_history(shape: str, data: st.DataObject) -> None:
    messages = data.draw(ANY[shape])
    window = Window(TIGHT, shape=shape)
    for end in range(1, len(messages) + 1):
        before = copy.deepcopy(messages[:end])
        view = window.prepare(messages[:end])
        assert messages[:end] == before
        assert pairs_are_whole(view.messages, shape)


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
def test_a_window_that_gets_its_own_view_back_sends_no_orphans(shape: str, data: st.DataObject) -> None:
    window = Window(TIGHT, shape=shape)
    history: Messages = []
    for number in range(data.draw(st.integers(1, 12))):
        history = [*history, *data.draw(ANY[shape]), *a_step(shape, number, "found it\n" * 60)]
        view = window.prepare(history)
        assert pairs_are_whole(view.messages, shape)
        assert text_of(view.messages).count("[TASK ANCHOR] Your current goal") <= 1
        history = [dict(message) for message in view.messages]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_sound_history_is_given_back_as_it_came(shape: str) -> None:
    messages = a_history(shape, 4)
    repaired, fixes = repair(messages, SHAPES[shape])
    assert fixes == []
    assert all(ours is theirs for ours, theirs in zip(repaired, messages, strict=True))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_call_that_was_interrupted_gets_a_result_that_says_so(shape: str) -> None:
    messages = [*a_history(shape, 2)[:-1], {"role": "user", "content": "What happened?"}]
    repaired, fixes = repair(messages, SHAPES[shape])
    assert [fix.call_id for fix in fixes] == ["t1"]
    assert INTERRUPTED in text_of(repaired)
    assert text_of(repaired).index(INTERRUPTED) < text_of(repaired).index("What happened?")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_result_without_its_call_stays_readable_as_text(shape: str) -> None:
    messages = [*a_history(shape, 1), *a_step(shape, 7, "the port is 4817")[1:]]
    repaired, fixes = repair(messages, SHAPES[shape])
    assert "the port is 4817" in text_of(repaired)
    assert pairs_are_whole(repaired, shape)
    assert len(fixes) == 1


def test_thinking_goes_as_it_was_signed() -> None:
    thought = {"type": "thinking", "thinking": "long " * 3000, "signature": "s"}
    messages = a_history("anthropic", 3)
    messages[-2]["content"] = [thought, *messages[-2]["content"]]
    view = Window(TIGHT).prepare(messages)
    thoughts = [
        b for m in view.messages for b in m["content"] if isinstance(b, dict) and b.get("type") == "thinking"
    ]
    assert all(one == thought for one in thoughts)


@pytest.mark.parametrize("shape", SHAPES)
def test_parallel_results_stay_together(shape: str, tmp_path: Any) -> None:
    messages = a_history(shape, 1)
    if shape == "anthropic":
        uses = [{"type": "tool_use", "id": f"p{n}", "name": "bash", "input": {}} for n in range(20)]
        results = [{"type": "tool_result", "tool_use_id": f"p{n}", "content": "x" * 1900} for n in range(20)]
        messages += [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]
    else:
        calls = [
            {"id": f"p{n}", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
            for n in range(20)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": f"p{n}", "content": "x" * 1900} for n in range(20)]
    view = Window(overflow=OverflowStore(tmp_path / "overflow")).prepare(messages)
    assert pairs_are_whole(view.messages, shape)
    # Each alone is short enough; together they are not.
    assert len(text_of(view.messages)) < 20_000
    assert sum(edit.action == "overflowed" for edit in view.report.edits) > 10


def pairs_are_whole(messages: Any, shape: str) -> bool:
    """The providers' own rule, written apart from the code under test."""
    waiting: list[str] = []
    for message in messages:
        if shape == "openai":
            calls = [call["id"] for call in message.get("tool_calls") or ()]
            results = [message["tool_call_id"]] if message.get("role") == "tool" else []
        else:
            content = message.get("content")
            blocks = [b for b in content if isinstance(b, dict)] if isinstance(content, list | tuple) else []
            calls = [b["id"] for b in blocks if b.get("type") == "tool_use"]
            results = [b["tool_use_id"] for b in blocks if b.get("type") == "tool_result"]
            if waiting and set(results) != set(waiting):
                return False
        for result in results:
            if result not in waiting:
                return False
            waiting.remove(result)
        if calls and (waiting or message.get("role") != "assistant" or len(set(calls)) != len(calls)):
            return False
        if waiting and not results:
            return False
        waiting += calls
    return not waiting and find_orphans(messages, SHAPES[shape]) == []
