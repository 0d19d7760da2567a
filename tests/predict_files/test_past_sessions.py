"""A session folded into what foresight keeps of it: the files it touched or named, and the words seen in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.model.event import Event, EventType, ToolAction
from recollect.model.predicted_file import PastFile
from recollect.model.session import Session
from recollect.predict_files.past_sessions import MAX_NAMED, fold_session, is_request
from recollect.predict_files.stems import prompt_stems, strip_ending

AT = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)


def happened(*parts: dict[str, Any]) -> list[Event]:
    finished: dict[str, Any] = {"type": EventType.TOOL_FINISHED, "ok": True}
    return [
        Event(
            id=f"e{number}",
            at=AT + timedelta(seconds=number),
            session_id="s1",
            folder="/srv/shop",
            **(finished | one),
        )
        for number, one in enumerate(parts)
    ]


def kept(*parts: dict[str, Any]) -> dict[str, PastFile]:
    session = Session(id="s1", started_at=AT, last_at=AT, branch="topic")
    return {file.path: file for file in fold_session(session, happened(*parts)).files}


def test_a_file_is_known_by_how_often_it_was_touched_and_what_was_seen_of_it() -> None:
    read = {"action": ToolAction.READ, "files": ("src/price.py",)}
    files = kept(
        read | {"data": {"words": "rounding:7 rates:3", "names": "round_price"}},
        read | {"data": {"words": "rates:2"}},
        {"action": ToolAction.EDIT, "files": ("src/price.py",)},
    )
    price = files["src/price.py"]
    assert (price.touched, price.edited, price.branch, price.names) == (3, 1, "topic", ("round_price",))
    assert price.words == {"round": 7, "rate": 3, "src": 3, "price": 3}


def test_what_failed_touched_nothing() -> None:
    assert kept({"action": ToolAction.READ, "files": ("gone.py",), "ok": False}) == {}


def test_files_are_named_by_searches_commands_diffs_and_the_agent() -> None:
    files = kept(
        {"action": ToolAction.SEARCH, "output": "/srv/shop/src/tax.py:12: def vat_share(amount):"},
        {
            "action": ToolAction.RUN,
            "output": "FAILED tests/test_tax.py::test_vat\ndiff --git a/src/a.py b/src/a.py",
        },
        {"type": EventType.ASSISTANT_TEXT, "text": "The cart is emptied in src/cart.py."},
        {"action": ToolAction.RUN, "output": "/etc/ssl/openssl.cnf node_modules/x/index.js ../else/where.py"},
    )
    assert set(files) == {"src/tax.py", "tests/test_tax.py", "src/a.py", "src/cart.py"}
    assert not any(file.touched for file in files.values())
    assert files["src/tax.py"].words["vat"] == 1
    assert files["src/cart.py"].words["empti"] == 1
    assert "failed" not in files["tests/test_tax.py"].words


def test_the_files_a_session_names_are_bounded() -> None:
    lines = "\n".join(f"src/part_{number}.py" for number in range(1_000))
    assert len(kept({"action": ToolAction.RUN, "output": lines})) == MAX_NAMED


def test_the_branch_of_a_file_is_the_one_it_was_last_met_on() -> None:
    read = {"action": ToolAction.READ, "files": ("a.py",)}
    files = kept(read, {"type": EventType.PROMPT, "data": {"branch": "other"}}, read)
    assert files["a.py"].branch == "other"


def test_only_a_person_asks() -> None:
    said = {"type": EventType.PROMPT}
    person, program, command, subagent, path = happened(
        said | {"text": "round it"},
        said | {"text": "done", "data": {"machine": True}},
        said | {"text": "/review src"},
        said | {"text": "look", "agent": "a1"},
        said | {"text": "/srv/shop/a.py is broken"},
    )
    assert [is_request(event) for event in (person, program, command, subagent, path)] == [
        True,
        False,
        False,
        False,
        True,
    ]


def test_words_of_one_stem_are_one() -> None:
    assert strip_ending("sessions") == strip_ending("session")
    assert strip_ending("rounding") == strip_ending("rounded")
    assert strip_ending("bus") == "bus"


def test_a_branch_adds_its_words_without_its_owner_and_a_trunk_none() -> None:
    assert set(prompt_stems("please fix it", "kim/retry-limits")) == {"fix", "retry", "limit"}
    assert set(prompt_stems("please fix it", "main")) == {"fix"}
