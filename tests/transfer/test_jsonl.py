"""Memories as lines of JSON: out and in again without loss, all or nothing, and nothing too large."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import Memory, Recollect, RecollectError, Remembered
from recollect.errors import BadImport
from recollect.model.memory import MemoryState
from recollect.model.query import Filters
from recollect.transfer import jsonl
from tests.conftest import Clock
from tests.git.repos import a_repository, isolate
from tests.hash_embedder import HashEmbedder

EVERYTHING = Filters(states=tuple(MemoryState), every_project=True)
HEADER = '{"format": "recollect-memories", "version": 1}'
ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

Open = Callable[[str], Recollect]


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Open]:
    made: list[Recollect] = []

    def opened(name: str) -> Recollect:
        made.append(Recollect(tmp_path / f"{name}.db", folder=None, embedder=HashEmbedder(), clock=clock))
        return made[-1]

    yield opened
    for memory in made:
        memory.close()


def kept(memory: Recollect, text: str, **details: Any) -> Memory:
    answer = memory.remember(text, **details)
    assert isinstance(answer, Remembered), answer
    return answer.memory


def exported(memory: Recollect) -> list[str]:
    return [json.dumps(line, ensure_ascii=False) for line in memory.admin.export(forgotten=True)]


def taken_in(memory: Recollect, lines: list[str], **options: Any) -> jsonl.ImportResult:
    """As a person takes in what is their own; what others wrote is the matter of tests/attacks."""
    return memory.admin.import_memories(lambda: iter(lines), name="notes.jsonl", **({"mine": True} | options))


def everything(memory: Recollect) -> list[Memory]:
    return sorted(memory.list(EVERYTHING, limit=10_000), key=lambda item: item.id)


def without_project(item: Memory) -> Memory:
    return replace(item, project_id=None)


def a_rich_store(memory: Recollect, clock: Clock) -> None:
    one = kept(
        memory,
        "Retries are capped at 3\n\nbecause the provider bans us [[[[[[[[[[[[[[[[[[[[[[[[",
        kind="decision",
        about=["src/retry.py", "person:Ada Löwe", "service:payments"],
        tags=["net", "grün", "#3"],
        scope="module",
        confidence=0.55,
        work="native:spec_042/subtask_3",
        session="5f0c",
        fields={"rationale": 'they said "no" \\ twice'},
        at=datetime(2025, 3, 1, 7, 30, 12, 123456, tzinfo=UTC),
        pinned=True,
    )
    clock.pass_(minutes=5)
    two = kept(memory, "Deploys run at night", kind="timing")
    clock.pass_(minutes=5)
    memory.edit(two.id, text="Deploys run at dawn", tags=["edited"])
    memory.edit(
        one.id,
        relations=[
            {"type": "validates", "memory_id": two.id, "confidence": 0.4, "auto_extracted": True},
            {"type": "derived_from", "path": "docs/retry.md"},
        ],
    )
    memory.edit(two.id, relations=[{"type": "conflicts_with", "memory_id": one.id}])
    gone = kept(memory, "This was wrong")
    memory.forget(gone.id)
    kept(memory, "This was wrong")
    kept(memory, "Hidden " + "\u200b" * 12 + "ones")
    twin = kept(memory, "The twin says something else at first", kind="decision")
    memory.edit(twin.id, text="Retries are capped at 3, because the provider bans us")
    double = kept(memory, "Not yet a double")
    memory.edit(double.id, text="Deploys run at dawn", kind="timing")
    memory.recall("retries")
    memory.recall("retries deploys")
    memory.pin(two.id)


# -- out and in again ------------------------------------------------------------------------------------


def test_an_export_taken_into_an_empty_store_gives_equal_memories(store: Open, clock: Clock) -> None:
    source, target = store("source"), store("target")
    a_rich_store(source, clock)
    lines = exported(source)
    clock.pass_(days=3)
    done = taken_in(target, lines)
    assert (done.read, done.remembered, done.known, done.relations_dropped) == (7, 7, 0, 0)
    assert everything(target) == everything(source)
    assert [json.loads(line) for line in exported(target)][1:] == [json.loads(line) for line in lines][1:]


def test_what_came_in_is_found_and_its_story_says_import(store: Open, clock: Clock) -> None:
    source, target = store("source"), store("target")
    a_rich_store(source, clock)
    taken_in(target, exported(source))
    asked = [[hit.memory.id for hit in memory.recall("retries capped")] for memory in (source, target)]
    assert asked[0] == asked[1]
    for item in everything(target):
        assert [change.action for change in target.history(item.id)] == ["import"]
    assert target.admin.unembedded() == 0


def test_taken_in_twice_it_changes_nothing(store: Open, clock: Clock) -> None:
    source, target = store("source"), store("target")
    a_rich_store(source, clock)
    lines = exported(source)
    taken_in(target, lines)
    before = everything(target)
    clock.pass_(days=1)
    again = taken_in(target, lines)
    assert (again.read, again.remembered, again.known) == (7, 0, 7)
    assert everything(target) == before
    assert len(target.history(limit=100)) == 7


def test_back_into_its_own_store_it_changes_nothing_and_overwrites_nothing(store: Open, clock: Clock) -> None:
    source = store("source")
    a_rich_store(source, clock)
    lines = exported(source)
    changed = everything(source)[0]
    source.edit(changed.id, text="Changed since the export")
    before = everything(source)
    assert taken_in(source, lines).remembered == 0
    assert everything(source) == before


def test_what_another_store_knows_in_its_own_words_is_not_doubled(store: Open) -> None:
    source, target = store("source"), store("target")
    mine = kept(target, "Retries are capped at 3")
    kept(source, "retries are capped at 3.")
    done = taken_in(target, exported(source))
    assert (done.remembered, done.known) == (0, 1)
    assert [item.id for item in everything(target)] == [mine.id]


def test_a_relation_to_what_is_not_in_the_file_is_dropped_and_counted(store: Open) -> None:
    source, target = store("source"), store("target")
    one, two = kept(source, "The pointer"), kept(source, "The target")
    source.edit(
        one.id, relations=[{"type": "validates", "memory_id": two.id}, {"type": "validates", "path": "x"}]
    )
    lines = [line for line in exported(source) if "The target" not in line]
    done = taken_in(target, lines)
    assert (done.remembered, done.relations_dropped) == (1, 1)
    assert [relation.path for relation in target.show(one.id).relations] == ["x"]


def test_projects_travel_by_their_identity(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(monkeypatch, tmp_path / "git-home")
    repository = a_repository(tmp_path / "site")
    lines: list[str] = []
    with Recollect(tmp_path / "s.db", folder=repository, embedder=HashEmbedder(), clock=clock) as source:
        kept(source, "Only of this project")
        kept(source, "Known everywhere", kind="preference")
        lines = exported(source)
    with Recollect(tmp_path / "t.db", folder=repository, embedder=HashEmbedder(), clock=clock) as target:
        taken_in(target, lines)
        assert {item.text for item in target.list()} == {"Only of this project", "Known everywhere"}
        assert [project.name for project in target.admin.projects()] == ["site"]
    with Recollect(tmp_path / "t.db", folder=None, embedder=HashEmbedder(), clock=clock) as nowhere:
        assert {item.text for item in nowhere.list()} == {"Known everywhere"}


def test_a_line_needs_no_more_than_a_text(store: Open) -> None:
    target = store("target")
    taken_in(target, [HEADER, '{"text": "Just a text"}', "", '{"text": "Another one", "tags": ["x"]}', "  "])
    items = target.list()
    assert {item.text for item in items} == {"Just a text", "Another one"}
    assert {str(item.provenance.channel) for item in items} == {"import"}


def test_secrets_and_hidden_characters_are_taken_out_of_an_import_too(store: Open, tmp_path: Path) -> None:
    target = store("target")
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    taken_in(target, [HEADER, json.dumps({"text": f"The token is {token}", "tags": [token]})])
    assert token.encode() not in b"".join(file.read_bytes() for file in tmp_path.glob("target.db*"))


@given(
    texts=st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=200), min_size=1, max_size=8),
    tags=st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=20), max_size=3),
)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_text_that_was_kept_comes_back_the_same(texts: list[str], tags: list[str]) -> None:
    with (
        Recollect(":memory:", folder=None, embedder=HashEmbedder(), clock=Clock()) as source,
        Recollect(":memory:", folder=None, embedder=HashEmbedder(), clock=Clock()) as target,
    ):
        for text in texts:
            try:
                source.remember(text, tags=tags)
            except RecollectError:
                continue
        taken_in(target, exported(source))
        assert everything(target) == everything(source)


# -- all or nothing --------------------------------------------------------------------------------------


def test_a_bad_line_changes_nothing_and_is_named_with_its_file(store: Open) -> None:
    target = store("target")
    kept(target, "Was here before")
    before = everything(target)
    lines = [HEADER, *(f'{{"text": "Line number {n}"}}' for n in range(2, 1000))]
    lines[499] = '{"text": "Line number 500", "kind": "nonsense"}'
    with pytest.raises(BadImport) as refusal:
        taken_in(target, lines)
    assert "notes.jsonl, line 500" in str(refusal.value)
    assert "Nothing was imported" in str(refusal.value)
    assert everything(target) == before
    assert len(target.history(limit=5)) == 1
    assert target.recall("Line number", profile="keywords").hits == ()


def wrong_lines() -> list[tuple[str, str]]:
    def line(**given: Any) -> str:
        return json.dumps({"text": "fine", **given})

    return [
        ("not json", "not JSON"),
        ("{", "not JSON"),
        ("[1, 2]", "one JSON object"),
        ('"text"', "one JSON object"),
        ("null", "one JSON object"),
        ("{}", "text"),
        ('{"text": 5}', "text"),
        ('{"text": ""}', "no text"),
        (json.dumps({"text": "x" * 64_001}), "at most 64,000"),
        (line(kind="nonsense"), "no kind"),
        (line(kind=7), "not text"),
        (line(confidence=2), "between 0 and 1"),
        (line(confidence="high"), "number"),
        (line(about=["nonsense"]), "about"),
        (line(tags="abc"), "tags|list|text"),
        (line(tags=[1]), "not text"),
        (line(state="gone"), "gone"),
        (line(scope="universe"), "universe"),
        (line(channel="telepathy"), "telepathy"),
        (line(happened_at="soon"), "soon"),
        (line(happened_at=5), "memory|str"),
        (line(session_id=["a"]), "text"),
        (line(work={"methodology": "x"}), "hierarchy"),
        (line(work="native:spec"), "memory"),
        (line(fields=[1]), "memory|fields"),
        (line(fields={"unheard": 1}), "fields"),
        (line(relations=[{"type": "loves", "path": "x"}]), "loves"),
        (line(relations=[{"type": "validates"}]), "exactly one"),
        (line(relations=[{"type": "validates", "memory_id": ["x"]}]), "text"),
        (line(id="not-an-id", created_at="2026-01-01"), "not the id"),
        (line(id=5), "not the id"),
        (line(id=ID), "created_at"),
        (line(id=ID, created_at="never"), "never"),
        (line(id=ID, created_at="0001-01-01T00:00:00+23:59"), "years|range|outside"),
        (line(id=ID, created_at="2026-01-01", access_count=-1), "accesses"),
        (line(id=ID, created_at="2026-01-01", access_count=10**30), "accesses"),
        (line(id=ID, created_at="2026-01-01", access_count="many"), "accesses"),
        (line(project="mine"), '"key" and a "name"'),
        (line(project={"key": 1, "name": 2}), '"key" and a "name"'),
        ('{"text": "fine", "half_life_days": 1e999}', "half|number|days"),
        ('{"text": "fine", "half_life_days": NaN}', "half|number|days|JSON"),
        ("[" * 100_000 + "]" * 100_000, "nested at most 20"),
        ('{"text": "x", "fields": ' + '{"a":' * 30 + "1" + "}" * 31, "nested at most 20"),
        ('{"text": "bytes \udcff\udcfe"}', "not UTF-8"),
        (gzip.compress(b"{}").decode("utf-8", "surrogateescape"), "gunzip"),
    ]


@pytest.mark.parametrize(("wrong", "said"), wrong_lines(), ids=[said for _, said in wrong_lines()])
def test_a_line_that_cannot_be_read_is_named_with_the_reason(store: Open, wrong: str, said: str) -> None:
    target = store("target")
    with pytest.raises(BadImport, match=said) as refusal:
        taken_in(target, [HEADER, '{"text": "A good one"}', wrong])
    assert "notes.jsonl, line 3" in str(refusal.value)
    assert len(str(refusal.value)) < 1200
    assert everything(target) == []


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "empty"),
        (['{"text": "no header"}'], '"format"'),
        (['{"format": "something-else", "version": 1}'], '"format"'),
        (['{"format": "recollect-memories", "version": 2}'], "version 2"),
        (['{"format": "recollect-memories"}'], "version None"),
        (["", '{"text": "no header at all"}'], '"format"'),
        ([gzip.compress(b"text").decode("utf-8", "surrogateescape")], "gunzip"),
    ],
)
def test_a_file_that_is_no_export_is_refused(store: Open, lines: list[str], said: str) -> None:
    target = store("target")
    with pytest.raises(BadImport, match=said):
        taken_in(target, lines)
    assert everything(target) == []


def test_a_line_that_appears_only_at_the_second_reading_still_leaves_nothing(store: Open) -> None:
    """The file may change between the check and the import."""
    target = store("target")
    readings = iter([[HEADER, '{"text": "one"}'], [HEADER, '{"text": "one"}', "broken"]])
    with pytest.raises(BadImport, match="line 3"):
        target.admin.import_memories(lambda: iter(next(readings)))
    assert everything(target) == []


# -- caps ------------------------------------------------------------------------------------------------


def test_a_line_has_a_length_and_a_file_a_number_of_lines(
    store: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = store("target")
    monkeypatch.setattr(jsonl, "MAX_LINE", 100)
    with pytest.raises(BadImport, match="at most 100 characters"):
        taken_in(target, [HEADER, json.dumps({"text": "x" * 200})])
    monkeypatch.setattr(jsonl, "MAX_LINE", 1000)
    monkeypatch.setattr(jsonl, "MAX_LINES", 5)
    with pytest.raises(BadImport, match="at most 5 lines"):
        taken_in(target, [HEADER, *(f'{{"text": "note {n}"}}' for n in range(5))])
    assert taken_in(target, [HEADER, *(f'{{"text": "note {n}"}}' for n in range(4))]).remembered == 4


def test_an_endless_stream_of_lines_is_stopped_before_anything_is_kept(
    store: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = store("target")
    monkeypatch.setattr(jsonl, "MAX_LINES", 2000)

    def endless() -> Iterator[str]:
        yield HEADER
        while True:
            yield '{"text": "and on and on"}'

    with pytest.raises(BadImport, match="at most 2,000 lines"):
        target.admin.import_memories(endless)
    assert everything(target) == []


def test_the_largest_memory_there_can_be_fits_through(store: Open) -> None:
    source, target = store("source"), store("target")
    kept(
        source,
        ('"\\\n' * 30_000)[:63_999] + "x",
        kind="decision",
        tags=[f"{n:03}" + '"' * 197 for n in range(256)],
        about=[f"person:{n:03}" + "\\" * 1021 for n in range(256)],
        fields={"rationale": '"' * 30_000},
    )
    assert max(map(len, exported(source))) < jsonl.MAX_LINE
    assert taken_in(target, exported(source)).remembered == 1
    assert everything(target) == everything(source)


# -- dry run ---------------------------------------------------------------------------------------------


def test_a_dry_run_counts_and_checks_and_changes_nothing(store: Open, clock: Clock) -> None:
    source, target = store("source"), store("target")
    a_rich_store(source, clock)
    done = taken_in(target, exported(source), dry_run=True)
    assert (done.read, done.remembered, done.dry_run) == (7, 0, True)
    assert everything(target) == []
    assert target.admin.projects() == []
    with pytest.raises(BadImport):
        taken_in(target, [HEADER, "broken"], dry_run=True)
