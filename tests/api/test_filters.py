"""Which memories may answer: every filter, alone and with others, for `recall` and for `list`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Remembered
from recollect.errors import BadInput, BadTime, NotFound
from recollect.model.memory import MemoryState
from recollect.model.provenance import Channel, Source
from recollect.model.scope import Scope, parse_workref
from tests.conftest import NOON, Clock
from tests.hash_embedder import HashEmbedder

# Every text speaks of deploys, so that all of them answer the question and only the filter decides.
NOTES: dict[str, dict[str, Any]] = {
    "deploy gotcha about auth": {"kind": "gotcha", "about": ["src/auth.py"], "tags": ["net"]},
    "deploy decision about caddy": {"kind": "decision", "about": ["service:caddy"], "tags": ["net", "ops"]},
    "deploy recipe": {"kind": "workflow_recipe", "tags": ["ops"], "confidence": 0.4},
    "deploy timing of the nightly job": {"kind": "timing", "channel": Channel.OBSERVED},
    "deploy outcome of the subtask": {"kind": "work_unit_outcome", "work": "native:spec_042/subtask_3"},
    "deploy state of the spec": {"kind": "work_state", "work": "native:spec_042"},
    "deploy state of another spec": {"kind": "work_state", "work": "native:spec_0421"},
    "deploy ticket": {"work": "jira:OPS-7", "scope": "session", "session": "monday"},
    "deploy note of tuesday": {"session": "tuesday", "confidence": 0.95},
    "deploy note of wednesday": {"session": "wednesday"},
}


@pytest.fixture
def filled(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    with Recollect(tmp_path / "m.db", folder=None, embedder=HashEmbedder(), clock=clock) as memory:
        for text, details in NOTES.items():
            clock.pass_(days=1)
            assert isinstance(memory.remember(text, **details), Remembered)
        yield memory


def both_ways(memory: Recollect, **given: Any) -> set[str]:
    """What passes the filter, by `recall` and by `list`, which must agree."""
    filters = memory.filters(**given)
    recalled = {hit.memory.text for hit in memory.recall("deploy", limit=100, filters=filters)}
    listed = {item.text for item in memory.list(filters, limit=100)}
    assert recalled == listed
    assert memory.count(filters) == len(listed)
    return listed


def test_without_a_filter_all_answer(filled: Recollect) -> None:
    assert both_ways(filled) == set(NOTES)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kinds": ("gotcha",)}, {"deploy gotcha about auth"}),
        ({"kinds": ("gotcha", "timing")}, {"deploy gotcha about auth", "deploy timing of the nightly job"}),
        ({"about": ["src/auth.py"]}, {"deploy gotcha about auth"}),
        (
            {"about": ["service:caddy", "file:src/auth.py"]},
            {"deploy decision about caddy", "deploy gotcha about auth"},
        ),
        ({"about": ["person:nobody"]}, set()),
        ({"tags": ("ops",)}, {"deploy decision about caddy", "deploy recipe"}),
        (
            {"tags": ("ops", "net")},
            {"deploy decision about caddy", "deploy recipe", "deploy gotcha about auth"},
        ),
        ({"scopes": (Scope.SESSION,)}, {"deploy ticket"}),
        ({"sources": (Source.OBSERVER_INFERRED,)}, {"deploy timing of the nightly job"}),
        ({"min_confidence": 0.9}, {"deploy note of tuesday"}),
        ({"work": parse_workref("native:spec_042/subtask_3")}, {"deploy outcome of the subtask"}),
        (
            {"work": parse_workref("spec_042")},
            {"deploy outcome of the subtask", "deploy state of the spec"},
        ),
        ({"work": parse_workref("jira:spec_042")}, set()),
        ({"methodology": "jira"}, {"deploy ticket"}),
        ({"sessions": ("monday", "tuesday")}, {"deploy ticket", "deploy note of tuesday"}),
        (
            {"since": NOON + timedelta(days=9)},
            {"deploy note of tuesday", "deploy note of wednesday"},
        ),
        ({"until": NOON + timedelta(days=2)}, {"deploy gotcha about auth"}),
        (
            {"since": NOON + timedelta(days=2), "until": NOON + timedelta(days=3)},
            {"deploy decision about caddy"},
        ),
        (
            {"kinds": ("decision",), "tags": ("net",), "about": ["service:caddy"]},
            {"deploy decision about caddy"},
        ),
        ({"kinds": ("gotcha",), "tags": ("ops",)}, set()),
    ],
)
def test_only_what_passes_the_filter_answers(
    filled: Recollect, given: dict[str, Any], expected: set[str]
) -> None:
    assert both_ways(filled, **given) == expected


def test_a_group_is_all_its_kinds(filled: Recollect) -> None:
    found = both_ways(filled, groups=["work"])
    assert found == {
        "deploy recipe",
        "deploy outcome of the subtask",
        "deploy state of the spec",
        "deploy state of another spec",
    }
    with pytest.raises(NotFound, match="knowledge"):
        filled.filters(groups=["wrok"])


def test_other_states_answer_only_when_asked_for(filled: Recollect) -> None:
    ids = {item.text: item.id for item in filled.list(limit=100)}
    filled.forget(ids["deploy ticket"])
    assert "deploy ticket" not in both_ways(filled)
    assert both_ways(filled, states=(MemoryState.ARCHIVED,)) == {"deploy ticket"}
    assert both_ways(filled, states=tuple(MemoryState)) == set(NOTES)


def test_a_filter_that_makes_no_sense_is_refused(filled: Recollect) -> None:
    with pytest.raises(BadInput, match="backwards"):
        filled.filters(since=NOON, until=NOON - timedelta(days=1))
    with pytest.raises(BadInput, match="between 0 and 1"):
        filled.filters(min_confidence=2)
    with pytest.raises(BadInput, match="limit"):
        filled.recall("deploy", limit=1001)
    with pytest.raises(NotFound, match="keywords"):
        filled.recall("deploy", profile="keyword")


# -- time ------------------------------------------------------------------------------------------------


def texts(found: Any) -> set[str]:
    return {hit.memory.text for hit in found}


def test_the_newest_sessions(filled: Recollect) -> None:
    assert texts(filled.recall("deploy", recent_sessions=1)) == {"deploy note of wednesday"}
    assert texts(filled.recall("deploy", recent_sessions=2)) == {
        "deploy note of wednesday",
        "deploy note of tuesday",
    }
    assert len(filled.recall("deploy", recent_sessions=9)) == 3
    with pytest.raises(BadInput, match="at least 1"):
        filled.recall("deploy", recent_sessions=0)


def test_a_store_without_sessions_says_so(memory: Recollect) -> None:
    memory.remember("deploy at night")
    found = memory.recall("deploy", recent_sessions=3)
    assert len(found) == 0
    assert "session" in found.notes[0]


def test_around_a_time(filled: Recollect) -> None:
    # The notes are a day apart, from 9 May on; three days on both sides of the 12th.
    around = texts(filled.recall("deploy", around="2026-05-12"))
    assert around == set(list(NOTES)[:7])
    assert texts(filled.recall("deploy", around="two days ago")) <= set(NOTES)


def test_around_a_memory(filled: Recollect) -> None:
    ids = {item.text: item.id for item in filled.list(limit=100)}
    around = texts(filled.recall("deploy", around=ids["deploy gotcha about auth"]))
    assert around == set(list(NOTES)[:3])
    part = ids["deploy gotcha about auth"][:16]
    assert texts(filled.recall("deploy", around=part)) == around


def test_around_words_means_around_what_they_are_about(filled: Recollect) -> None:
    assert texts(filled.recall("deploy", around="the nightly job")) == set(list(NOTES)[:6])


def test_around_what_never_happened_says_so(memory: Recollect) -> None:
    with pytest.raises(NotFound, match="moon landing"):
        memory.recall("deploy", around="the moon landing")


def test_words_for_times_become_times(filled: Recollect, clock: Clock) -> None:
    start, end = filled.period("2026-05-08")
    assert (start, end) == (datetime(2026, 5, 8, tzinfo=UTC), datetime(2026, 5, 9, tzinfo=UTC))
    start, end = filled.period("yesterday")
    assert start.date() == (clock() - timedelta(days=1)).date()
    assert end - start == timedelta(days=1)
    with pytest.raises(BadTime, match="last week"):
        filled.period("when hell freezes over")


def test_what_happened_earlier_is_filtered_by_when_it_happened_not_by_when_it_was_noted(
    memory: Recollect,
) -> None:
    memory.remember("deploy of last year", at=datetime(2025, 3, 1, tzinfo=UTC))
    memory.remember("deploy of today")
    early = memory.filters(until=datetime(2025, 12, 31, tzinfo=UTC))
    assert texts(memory.recall("deploy", filters=early)) == {"deploy of last year"}


def test_list_is_newest_first_and_comes_in_pages(filled: Recollect) -> None:
    all_of_it = [item.text for item in filled.list(limit=100)]
    assert all_of_it == list(reversed(NOTES))
    pages = [item.text for start in (0, 4, 8) for item in filled.list(limit=4, offset=start)]
    assert pages == all_of_it
