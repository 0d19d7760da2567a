"""The JSON form of a memory: what is written can be read again, and nonsense is refused with a sentence."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.errors import BadInput
from recollect.model.json_form import (
    changeable_to_json,
    draft_from_json,
    memory_to_json,
    moment_from_json,
    moment_to_json,
    with_changes,
)
from recollect.model.memory import Memory, MemoryState, Relation, RelationType, Trust
from recollect.model.phase import Phase
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.scope import Scope, WorkRef
from recollect.model.subject import SUBJECT_TYPES, Subject, parse_subject
from tests.builders import NOON, a_memory, an_id

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(str.strip)
SHARES = st.floats(0, 1)
# The strategy wants its bounds without a zone.
MOMENTS = st.datetimes(
    min_value=datetime(2, 1, 1),  # noqa: DTZ001
    max_value=datetime(9998, 1, 1),  # noqa: DTZ001
    timezones=st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours))),
)
NAMES = st.text("abcdefg_-. ", min_size=1, max_size=12).map(str.strip).filter(lambda name: name.strip("./ "))
SUBJECTS = st.builds(Subject, st.sampled_from(SUBJECT_TYPES), NAMES).map(lambda s: parse_subject(str(s)))
RELATIONS = st.builds(
    Relation,
    type=st.sampled_from(RelationType),
    memory_id=st.just(an_id(5)),
    confidence=SHARES,
    auto_extracted=st.booleans(),
) | st.builds(Relation, type=st.sampled_from(RelationType), path=TEXTS, confidence=SHARES)
WORK = st.builds(
    WorkRef, methodology=TEXTS, hierarchy=st.lists(TEXTS, min_size=1, max_size=3).map(tuple), label=TEXTS
)
PROVENANCE = st.builds(
    Provenance,
    channel=st.sampled_from(Channel),
    source=st.sampled_from(Source),
    session_id=st.none() | TEXTS,
    phase=st.none() | st.sampled_from(Phase),
    commit_sha=st.none() | TEXTS,
    event_ids=st.lists(TEXTS, max_size=3).map(tuple),
)
MEMORIES = st.builds(
    a_memory,
    TEXTS,
    kind=st.sampled_from(["fact", "decision", "gotcha"]),
    state=st.sampled_from(MemoryState),
    confidence=SHARES,
    scope=st.sampled_from(Scope),
    subjects=st.lists(SUBJECTS, max_size=3).map(tuple),
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    work=st.none() | WORK,
    provenance=PROVENANCE,
    trust=st.builds(Trust, verified=st.booleans(), needs_review=st.booleans()),
    pinned=st.booleans(),
    citation=TEXTS,
    half_life_days=st.none() | st.floats(0.1, 10_000),
    relations=st.lists(RELATIONS, max_size=3).map(tuple),
    fields=st.dictionaries(TEXTS, TEXTS | st.integers() | st.booleans(), max_size=2),
    happened_at=MOMENTS,
    stale_at=st.none() | MOMENTS,
    last_accessed_at=st.none() | MOMENTS,
    access_count=st.integers(0, 1000),
)


@given(MEMORIES)
@settings(max_examples=60, deadline=None)
def test_a_draft_read_from_the_form_says_what_the_memory_says(memory: Memory) -> None:
    draft = draft_from_json(json.loads(json.dumps(memory_to_json(memory))))
    for name in (
        "text",
        "kind",
        "state",
        "confidence",
        "scope",
        "subjects",
        "tags",
        "work",
        "provenance",
        "trust",
        "pinned",
        "citation",
        "half_life_days",
        "relations",
        "fields",
        "happened_at",
    ):
        assert getattr(draft, name) == getattr(memory, name), name


@given(MEMORIES, MEMORIES)
@settings(max_examples=60, deadline=None)
def test_the_changeable_parts_of_one_make_another_like_it(one: Memory, other: Memory) -> None:
    changes = json.loads(json.dumps(changeable_to_json(other)))
    changed = with_changes(one, changes)
    assert changeable_to_json(changed) == changeable_to_json(other)
    assert (changed.id, changed.provenance, changed.access_count) == (
        one.id,
        one.provenance,
        one.access_count,
    )


@given(MEMORIES)
@settings(max_examples=30, deadline=None)
def test_what_was_before_brings_it_back(memory: Memory) -> None:
    before = changeable_to_json(memory)
    edited = with_changes(
        memory, {"text": "other", "about": ["module:x"], "verified": not memory.trust.verified}
    )
    assert changeable_to_json(with_changes(edited, before)) == before


def test_the_form_has_all_parts_of_a_memory() -> None:
    form = memory_to_json(a_memory())
    assert set(form) == {
        *("id", "text", "kind", "state", "confidence", "scope", "project_id", "about", "tags", "work"),
        *("verified", "needs_review", "pinned", "citation", "half_life_days", "relations", "fields"),
        *(
            "happened_at",
            "stale_at",
            "stale_why",
            "channel",
            "source",
            "session_id",
            "phase",
            "commit_sha",
            "event_ids",
        ),
        *("created_at", "updated_at", "last_accessed_at", "access_count"),
        *("base_confidence", "reinforced_at", "sessions", "useful", "noise"),
    }


def test_a_text_alone_is_enough() -> None:
    draft = draft_from_json({"text": "Just this"})
    assert (draft.text, draft.kind, draft.confidence, draft.scope) == ("Just this", "fact", None, None)
    assert draft.provenance.channel is Channel.IMPORT


NONSENSE: list[dict[str, Any]] = [
    {},
    {"text": 3},
    {"text": None},
    {"text": ""},
    {"text": "a", "kind": 3},
    {"text": "a", "scope": "everywhere"},
    {"text": "a", "state": "asleep"},
    {"text": "a", "confidence": "high"},
    {"text": "a", "confidence": True},
    {"text": "a", "confidence": 2},
    {"text": "a", "about": ["payments"]},
    {"text": "a", "about": 3},
    {"text": "a", "tags": "abc"},
    {"text": "a", "tags": [3]},
    {"text": "a", "work": {"methodology": "native"}},
    {"text": "a", "work": {"methodology": 3, "hierarchy": ["a"]}},
    {"text": "a", "work": {"methodology": "native", "hierarchy": [3]}},
    {"text": "a", "work": {"methodology": "\ud800", "hierarchy": ["a"]}},
    {"text": "a", "work": "native:a"},
    {"text": "a", "relations": [{"type": "hates", "path": "a"}]},
    {"text": "a", "relations": [{"type": "validates"}]},
    {"text": "a", "relations": [{"type": "validates", "path": {"a": 1}}]},
    {"text": "a", "relations": [{"type": "validates", "path": "a", "confidence": "x"}]},
    {"text": "a", "relations": ["validates a"]},
    {"text": "a", "fields": 3},
    {"text": "a", "fields": ["a"]},
    {"text": "a", "session_id": {"a": 1}},
    {"text": "a", "session_id": "\ud800"},
    {"text": "a", "commit_sha": [1]},
    {"text": "a", "event_ids": [1]},
    {"text": "a", "channel": "rumour"},
    {"text": "a", "phase": "lunch"},
    {"text": "a", "happened_at": "yesterday"},
    {"text": "a", "happened_at": 3},
    {"text": "a", "happened_at": "0001-01-01T00:00:00+10:00"},
    {"text": "a", "happened_at": "9999-12-31T23:00:00-10:00"},
]


@pytest.mark.parametrize("given_", NONSENSE, ids=lambda given_: json.dumps(given_)[:60])
def test_what_is_no_memory_is_refused_with_a_sentence(given_: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        draft_from_json(given_)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"colour": "red"}, "a memory has no 'colour' that can be changed"),
        ({"id": "x"}, "a memory has no 'id' that can be changed"),
        ({"confidence": "high"}, "confidence cannot be 'high'"),
        ({"state": "asleep"}, "state cannot be 'asleep'"),
        ({"scope": None}, "scope cannot be None"),
        ({"tags": "abc"}, "tags cannot be 'abc'"),
        ({"text": 3}, "text cannot be 3"),
        ({"relations": [{"type": "hates", "path": "a"}]}, "relations cannot be"),
        ({"project_id": 3}, "project_id cannot be 3"),
        ({"happened_at": "soon"}, "happened_at cannot be 'soon'"),
        ({"about": ["payments"]}, "say whether it is module:payments"),
    ],
)
def test_a_change_that_makes_no_sense_is_refused_with_a_sentence(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(BadInput) as error:
        with_changes(a_memory(), changes)
    assert why in str(error.value)


def test_moments_are_written_in_utc() -> None:
    assert moment_to_json(NOON.astimezone(timezone(timedelta(hours=5)))) == "2026-05-08T12:00:00Z"
    assert moment_from_json("2026-05-08T12:00:00Z") == moment_from_json("2026-05-08T12:00:00") == NOON
    assert moment_from_json("2026-05-08") == datetime(2026, 5, 8, tzinfo=UTC)


@given(MOMENTS)
def test_a_moment_comes_back_to_the_microsecond(at: datetime) -> None:
    assert moment_from_json(moment_to_json(at)) == at
