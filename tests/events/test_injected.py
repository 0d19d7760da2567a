"""What waits in an inbox counts as told; a compaction makes an agent forget it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.events.inbox import append, append_after_reading, claim_inbox, read_waiting
from recollect.events.injected import make_injected_event, read_told_ids
from recollect.hooks.hook_context import event_to_line


def told(*names: str, session: str = "s", agent: str = "") -> str:
    items = [(name, 10, 0.5, "because") for name in names]
    where = {"session_id": session, "client": "claude-code", "folder": "/srv", "agent": agent}
    form = make_injected_event(
        items, moment="prompt", bar=0.3, id="e", at="2026-03-04T10:00:00+00:00", **where
    )
    return event_to_line(form)


def event(kind: str, session: str = "s", **data: str) -> str:
    named = {"id": "f", "type": kind, "at": "2026-03-04T10:00:00+00:00", "session_id": session}
    return json.dumps(named | {"data": data}, separators=(",", ":"))


def waiting(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def test_what_was_told_is_known_by_session_and_by_agent() -> None:
    lines = waiting(told("a", "b"), told("c", agent="sub"), told("d", session="t"), told("e"))
    assert read_told_ids(lines, "s") == ({"a", "b", "e"}, False)
    assert read_told_ids(lines, "s", "sub") == ({"c"}, False)
    assert read_told_ids(lines, "nobody") == (set(), False)


@pytest.mark.parametrize(
    "forgets",
    [
        event("compacted"),
        event("session_started", source="compact"),
        event("session_started", source="clear"),
    ],
)
def test_a_compaction_makes_an_agent_forget_and_its_subagents_not(forgets: str) -> None:
    lines = waiting(told("a"), told("b", agent="sub"), forgets, told("c"))
    assert read_told_ids(lines, "s") == ({"c"}, True)
    assert read_told_ids(lines, "s", "sub") == ({"b"}, False)


@pytest.mark.parametrize(
    "other", [event("session_started", source="resume"), event("compacted", session="t"), "{half"]
)
def test_nothing_else_makes_it_forget(other: str) -> None:
    assert read_told_ids(waiting(told("a"), other, told("b")), "s") == ({"a", "b"}, False)


def test_a_look_sees_what_a_reader_has_just_moved_away(tmp_path: Path) -> None:
    inbox = str(tmp_path / "inbox")
    append(inbox, [told("a")])
    with claim_inbox(inbox, "reader"):
        append(inbox, [told("b")])
        assert read_told_ids(read_waiting(inbox), "s")[0] == {"a", "b"}
        seen: list[bytes] = []

        def decide(found: bytes) -> list[str]:
            seen.append(found)
            return [told("c")]

        assert append_after_reading(inbox, decide) == 1
    assert read_told_ids(seen[0], "s")[0] == {"a", "b"}
    assert read_told_ids(read_waiting(inbox), "s")[0] >= {"b", "c"}


def test_a_look_that_decides_nothing_writes_nothing(tmp_path: Path) -> None:
    inbox = str(tmp_path / "inbox")
    append(inbox, [told("a")])
    before = read_waiting(inbox)
    assert append_after_reading(inbox, lambda found: []) == 0
    assert read_waiting(inbox) == before
