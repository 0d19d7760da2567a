"""Histories for tests: sound ones of both shapes, and strategies for any history at all."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

Messages = list[dict[str, Any]]
TASK = "Build a REST API for users. Never touch the billing tables."


def a_history(
    shape: str, calls: int, *, size: int = 400, tool: str = "read_file", task: str = TASK
) -> Messages:
    """A task, and so many calls with outputs of about this size."""
    messages: Messages = [{"role": "user", "content": task}]
    for number in range(calls):
        messages += a_step(shape, number, f"line {number} of the output\n" * (size // 20 + 1), tool=tool)
    return messages


def a_step(shape: str, number: int, output: str, *, tool: str = "read_file", says: str = "") -> Messages:
    """One call and its result."""
    given = {"path": f"src/part_{number}.py"}
    text = says or f"Now part {number}."
    if shape == "anthropic":
        use = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output}
        return [
            {"role": "assistant", "content": [{"type": "text", "text": text}, use]},
            {"role": "user", "content": [result]},
        ]
    call = {
        "id": f"t{number}",
        "type": "function",
        "function": {"name": tool, "arguments": json.dumps(given)},
    }
    return [
        {"role": "assistant", "content": text, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"t{number}", "content": output},
    ]


def text_of(messages: Any) -> str:
    """All the words of some messages."""
    return json.dumps(messages, ensure_ascii=False)


_IDS = st.sampled_from(["a", "b", "c", "d", ""])
_TEXTS = st.one_of(
    st.text(max_size=30),
    st.integers(1, 3000).map(lambda n: "word " * n),
    st.sampled_from(["continue", "<system-reminder>x</system-reminder>", "[TASK ANCHOR] x", "KeyError: 'a'"]),
)
_NAMES = st.sampled_from(["read_file", "bash", "browser_visit", "db_query"])
_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=5,
)
_IMAGE = st.just({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}})
_ANTHROPIC_BLOCKS = st.one_of(
    st.builds(lambda t: {"type": "text", "text": t}, _TEXTS),
    st.builds(lambda i, n: {"type": "tool_use", "id": i, "name": n, "input": {"path": "x"}}, _IDS, _NAMES),
    st.builds(lambda i, t: {"type": "tool_result", "tool_use_id": i, "content": t}, _IDS, _TEXTS),
    st.builds(
        lambda i, t, image: {
            "type": "tool_result",
            "tool_use_id": i,
            "content": [{"type": "text", "text": t}, image],
            "is_error": True,
        },
        _IDS,
        _TEXTS,
        _IMAGE,
    ),
    st.just({"type": "thinking", "thinking": "hm", "signature": "s"}),
    st.just({"type": "redacted_thinking", "data": "x"}),
    _IMAGE,
)
_OPENAI_CALLS = st.lists(
    st.builds(
        lambda i, n, a: {"id": i, "type": "function", "function": {"name": n, "arguments": a}},
        _IDS,
        _NAMES,
        st.sampled_from(["{}", '{"path": "x"}', "not json", ""]),
    ),
    max_size=4,
)
_MALFORMED = st.one_of(
    st.just({}),
    st.builds(lambda x: {"role": "user", "content": x}, _JSON),
    st.builds(lambda x: {"role": x, "content": "y"}, _JSON),
    st.builds(lambda x: {"content": x}, _TEXTS),
)


def anthropic_messages() -> st.SearchStrategy[Messages]:
    """Any list of messages of this shape, sound or not."""
    roles = st.sampled_from(["user", "assistant"])
    blocks = st.builds(lambda r, c: {"role": r, "content": c}, roles, st.lists(_ANTHROPIC_BLOCKS, max_size=5))
    plain = st.builds(lambda r, c: {"role": r, "content": c}, roles, _TEXTS)
    return st.lists(st.one_of(blocks, blocks, blocks, plain, _MALFORMED), max_size=25)


def openai_messages() -> st.SearchStrategy[Messages]:
    """Any list of messages of this shape, sound or not."""
    plain = st.builds(
        lambda r, c: {"role": r, "content": c},
        st.sampled_from(["system", "user", "assistant", "developer"]),
        _TEXTS,
    )
    calling = st.builds(
        lambda t, c: {"role": "assistant", "content": t, "tool_calls": c}, _TEXTS, _OPENAI_CALLS
    )
    results = st.builds(lambda i, t: {"role": "tool", "tool_call_id": i, "content": t}, _IDS, _TEXTS)
    seen = st.builds(
        lambda t: {
            "role": "user",
            "content": [{"type": "text", "text": t}, {"type": "image_url", "image_url": {"url": "data:x"}}],
        },
        _TEXTS,
    )
    return st.lists(
        st.one_of(calling, calling, results, results, results, plain, seen, _MALFORMED), max_size=25
    )
