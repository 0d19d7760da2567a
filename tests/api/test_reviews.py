"""The desk where a person looks at what waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from recollect import Memory, Recollect, Remembered
from recollect.errors import BadInput, NotFound
from recollect.model.memory import MemoryDraft, MemoryState, RelationType, Trust
from recollect.model.phase import Phase
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.query import Filters
from recollect.model.review import find_badge
from recollect.model.scope import Scope
from recollect.model.source_name import SourceName, parse_source
from recollect.model.trust import Origin
from tests.builders import an_engine
from tests.capture.test_standing import derived, kept, prompted, read
from tests.conftest import Clock

EVERYTHING = Filters(states=tuple(MemoryState), every_project=True)


@pytest.fixture
def agent(memory: Recollect, store_address: str, clock: Clock) -> Iterator[Recollect]:
    with an_engine(store_address, actor="agent", channel=Channel.AGENT, clock=clock) as opened:
        yield opened


def waiting(memory: Recollect, **filters: Any) -> list[str]:
    return [one.memory.text for one in memory.reviews.pending(memory.filters(**filters) if filters else None)]


# -- what waits ------------------------------------------------------------------------------------------


def test_what_waits_comes_with_where_it_comes_from(memory: Recollect) -> None:
    read(memory, 1, "The mirror   is\n fast", files=("docs/mirror.md",))
    memory.remember_many(
        [
            MemoryDraft(
                text="The mirror is fast",
                kind="fact",
                provenance=Provenance(
                    channel=Channel.READ,
                    source=Source.OBSERVER_INFERRED,
                    session_id="s1",
                    phase=Phase.EXPLORE,
                    commit_sha="a3f9",
                    event_ids=("s1-e1", "gone"),
                ),
            )
        ]
    )
    [one] = memory.reviews.pending()
    assert (one.origin, find_badge(one.memory)) == (Origin.READ, "read")
    assert "not used before a yes" in one.why
    [quote] = one.quotes
    assert (quote.event_id, quote.what, quote.text) == (
        "s1-e1",
        "WebFetch docs/mirror.md",
        "The mirror is fast",
    )


def test_only_what_waits_is_listed_and_filters_narrow_it(memory: Recollect, agent: Recollect) -> None:
    kept(memory, "Typed")
    kept(agent, "Noted")
    kept(memory, "Committed", channel=Channel.COMMIT)
    kept(memory, "Observed", channel=Channel.OBSERVED, kind="gotcha", session="s1")
    kept(memory, "Imported", channel=Channel.IMPORT)
    kept(agent, "Wished", kind="preference")
    wrong = kept(memory, "Was wrong")
    memory.reviews.flag(wrong.id)
    gone = kept(memory, "Forgotten", channel=Channel.READ)
    memory.forget(gone.id)
    assert waiting(memory) == ["Was wrong", "Wished", "Imported", "Observed"]
    assert waiting(memory, kinds=("gotcha",)) == ["Observed"]
    assert waiting(memory, states=(MemoryState.QUARANTINED,)) == ["Wished"]
    assert len(memory.reviews.pending(limit=2)) == 2


# -- what a person says ----------------------------------------------------------------------------------


def test_confirm_wakes_and_undo_takes_it_back(memory: Recollect) -> None:
    item = kept(memory, "The mirror is fast", channel=Channel.READ, confidence=0.1)
    [done] = memory.reviews.confirm(item.id[:12], why="checked")
    assert (done.state, done.trust, done.confidence) == (MemoryState.ACTIVE, Trust(verified=True), 0.3)
    assert waiting(memory) == []
    last = memory.history(item.id)[-1]
    assert (last.action, last.actor, last.why) == ("confirm", "user", "checked")
    memory.undo()
    assert memory.show(item.id) == item


def test_a_wish_that_is_confirmed_is_no_longer_narrow(memory: Recollect, agent: Recollect) -> None:
    wish = kept(agent, "Tabs", kind="preference")
    assert wish.scope is Scope.MODULE
    [done] = memory.reviews.confirm(wish.id)
    assert done.scope is Scope.GLOBAL


def test_flag_silences_at_once_until_somebody_has_looked(memory: Recollect, agent: Recollect) -> None:
    item = kept(memory, "Retries are capped at 3")
    assert memory.recall("retries capped").hits
    agent.reviews.flag(item.id, why="it is 5 now")
    assert not memory.recall("retries capped").hits
    assert memory.reviews.pending()[0].why == "flagged as wrong"
    memory.reviews.confirm(item.id)
    assert memory.recall("retries capped").hits


def test_reject_takes_it_out(memory: Recollect) -> None:
    item = kept(memory, "The mirror is fast", channel=Channel.OBSERVED)
    [done] = memory.reviews.reject(item.id)
    assert (done.state, done.trust.needs_review) == (MemoryState.ARCHIVED, False)
    assert waiting(memory) == []
    memory.undo()
    assert waiting(memory) == ["The mirror is fast"]


@pytest.mark.parametrize("wrong", ["inaccurate", "too_specific"])
def test_other_words_put_it_right(memory: Recollect, wrong: str) -> None:
    item = kept(memory, "Retries are capped at 3", channel=Channel.READ)
    done = memory.reviews.correct(item.id, wrong, text="Retries are capped at 5", why="see config")
    assert (done.text, done.state, done.trust) == (
        "Retries are capped at 5",
        MemoryState.ACTIVE,
        Trust(verified=True),
    )
    last = memory.history(item.id)[-1]
    assert (last.action, last.why) == ("correct", f"{wrong}: see config")
    assert memory.recall("capped at 5").hits[0].memory.id == item.id
    memory.undo()
    back = memory.show(item.id)
    assert (back.text, back.state, back.trust) == (item.text, item.state, item.trust)


def test_what_is_outdated_is_put_away(memory: Recollect) -> None:
    item = kept(memory, "Deploys run at night", channel=Channel.OBSERVED)
    done = memory.reviews.correct(item.id, "outdated")
    assert (done.state, done.trust.needs_review) == (MemoryState.INACTIVE, False)
    assert waiting(memory) == []


def test_a_duplicate_gives_way_to_the_original(memory: Recollect) -> None:
    original, double = kept(memory, "Retries are capped at 3"), kept(memory, "Never retry a fourth time")
    done = memory.reviews.correct(double.id, "duplicate", original=original.id)
    assert done.state is MemoryState.INACTIVE
    [link] = memory.show(original.id).relations
    assert (link.type, link.memory_id) == (RelationType.SUPERSEDES, double.id)
    memory.undo()
    assert memory.show(original.id).relations == ()
    assert memory.show(double.id).state is MemoryState.ACTIVE


@pytest.mark.parametrize(
    ("wrong", "how"),
    [
        ("inaccurate", {}),
        ("too_specific", {"text": " "}),
        ("outdated", {"text": "new"}),
        ("duplicate", {}),
        ("outdated", {"original": "ID"}),
        ("duplicate", {"original": "ID"}),
    ],
)
def test_half_a_correction_changes_nothing(memory: Recollect, wrong: str, how: dict[str, str]) -> None:
    item = kept(memory, "Retries are capped at 3")
    with pytest.raises(BadInput):
        memory.reviews.correct(
            item.id, wrong, **{name: item.id if v == "ID" else v for name, v in how.items()}
        )
    assert memory.show(item.id) == item


def test_one_unknown_id_stops_all(memory: Recollect) -> None:
    item = kept(memory, "Read", channel=Channel.READ)
    with pytest.raises(NotFound):
        memory.reviews.confirm(item.id, "01ZZZZZZZZ")
    assert memory.show(item.id) == item


# -- sessions and the rule -------------------------------------------------------------------------------


def test_a_session_is_reviewed_in_three_groups(memory: Recollect, agent: Recollect, clock: Clock) -> None:
    used = kept(memory, "WAL mode is needed", kind="gotcha")
    kept(memory, "Of another session", channel=Channel.OBSERVED, session="s0")
    clock.pass_(minutes=1)
    kept(memory, "Files go together", channel=Channel.OBSERVED, session="s1")
    kept(memory, "Commit a3f9", channel=Channel.COMMIT, session="s1")
    kept(agent, "Noted", session="s1")
    memory.reviews.note_applied("s1", [used])
    found = memory.reviews.session("last")
    assert found == memory.reviews.session("s1")
    assert [item.text for item in found.applied] == ["WAL mode is needed"]
    assert [one.memory.text for one in found.waiting] == ["Files go together"]
    assert {one.memory.text: one.why for one in found.confirmed} == {
        "Commit a3f9": "it notes a commit",
        "Noted": "nothing asks for a review",
    }
    assert memory.show(used.id).access_count == 0
    with pytest.raises(NotFound):
        memory.reviews.session("s9")


def test_there_may_be_no_session_yet(memory: Recollect) -> None:
    with pytest.raises(NotFound, match="No session is known here yet"):
        memory.reviews.session()


def test_what_is_sure_and_was_asked_for_needs_no_review(memory: Recollect) -> None:
    sure = kept(memory, "Files go together", channel=Channel.OBSERVED, confidence=0.95)
    kept(memory, "Sure but not asked for", channel=Channel.OBSERVED, confidence=0.95)
    kept(memory, "From elsewhere and sure", channel=Channel.IMPORT, confidence=0.95)
    for _ in range(3):
        memory.recall("files together from elsewhere sure")
    memory._wiring.begin_writing()  # counts what was asked for
    assert memory.show(sure.id).access_count == 3
    [done] = [one for one in memory.reviews.auto_confirm() if one.memory.id == sure.id]
    assert done.why == "confidence 0.95, asked for 3 times"
    assert memory.show(sure.id).trust == Trust(verified=False, needs_review=False)
    assert memory.reviews.auto_confirm() == []
    assert waiting(memory, kinds=("fact",)).count("From elsewhere and sure") == 1
    last = memory.history(sure.id)[-1]
    assert (last.actor, last.action) == ("recollect", "auto-confirm")
    assert memory.undo(sure.id).action == "auto-confirm"
    assert memory.show(sure.id).trust.needs_review


# -- forgetting a source ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("read", "channel", "read"),
        ("qa_auto", "source", "qa_auto"),
        ("session:5f0c", "session", "5f0c"),
        ("tool:WebFetch", "tool", "WebFetch"),
        ("file:docs/a b.md", "file", "docs/a b.md"),
        ("event:s1-e1", "event", "s1-e1"),
        ("https://evil.example/a?b=c:d", "url", "https://evil.example/a?b=c:d"),
    ],
)
def test_sources_have_names(text: str, kind: str, name: str) -> None:
    assert parse_source(text) == SourceName(kind=kind, name=name)
    assert parse_source(str(parse_source(text))) == parse_source(text)


@pytest.mark.parametrize("text", ["", "nonsense", "session:", "person:alex", "tool: "])
def test_what_names_no_source_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="names no source"):
        parse_source(text)


def by_event(memory: Recollect, text: str, event_id: str) -> Memory:
    provenance = Provenance(channel=Channel.OBSERVED, source=Source.OBSERVER_INFERRED, event_ids=(event_id,))
    [answer] = memory.remember_many([MemoryDraft(text=text, kind="fact", provenance=provenance)])
    assert isinstance(answer, Remembered)
    return answer.memory


def test_a_source_is_a_tool_a_file_an_address_or_an_event(memory: Recollect) -> None:
    fetched = read(
        memory, 1, "a page", command="https://evil.example/page", data={"url": "https://other.example/x"}
    )
    opened = read(memory, 2, "a file", tool="Read", files=("docs/bad.md",))
    asked = prompted(memory, 3, "do it")
    kept(memory, "Untouched")
    by_event(memory, "From the page", fetched)
    by_event(memory, "From the file", opened)
    by_event(memory, "From the prompt", asked)
    for source, own in (
        ("tool:WebFetch", ["From the page"]),
        ("https://evil.example/page", ["From the page"]),
        ("https://other.example/x", ["From the page"]),
        ("file:docs/bad.md", ["From the file"]),
        (f"event:{asked}", ["From the prompt"]),
        ("observed", ["From the page", "From the file", "From the prompt"]),
        ("user_taught", ["Untouched"]),
        ("https://fine.example", []),
    ):
        found = memory.reviews.source(source)
        assert [item.text for item in found.own] == own, source


def test_three_derived_levels_go_with_their_source_and_come_back(memory: Recollect) -> None:
    bad = kept(memory, "Trust the mirror", session="bad", channel=Channel.AGENT)
    good = kept(memory, "Deploys run at night", session="good")
    one = derived(memory, "Mirrors are trusted", bad, good)
    two = derived(memory, "Trust is good", one)
    three = derived(memory, "All is well", two)
    beside = derived(memory, "Nights are quiet", good)
    before = {item.id: item for item in memory.list(EVERYTHING)}
    found = memory.reviews.forget_source("session:bad", why="a bad page")
    assert [item.id for item in found.own] == [bad.id]
    assert {each.memory.id: each.steps for each in found.derived} == {one.id: 1, two.id: 2, three.id: 3}
    assert {item.id for item in memory.list()} == {good.id, beside.id}
    for item in (bad, one, two, three):
        assert memory.show(item.id).state is MemoryState.ARCHIVED
        last = memory.history(item.id)[-1]
        assert (last.action, last.why) == ("forget", "everything from session:bad: a bad page")
    assert memory.reviews.source("session:bad").memories == ()
    memory.undo()
    after = {item.id: item for item in memory.list(EVERYTHING)}
    assert {key: item.state for key, item in after.items()} == {
        key: item.state for key, item in before.items()
    }


def test_memories_derived_in_a_circle_are_forgotten_once(memory: Recollect) -> None:
    one = kept(memory, "One", session="bad", channel=Channel.AGENT)
    two = derived(memory, "Two", one)
    memory.edit(one.id, relations=[{"type": "derived_from", "memory_id": two.id}])
    found = memory.reviews.forget_source("session:bad")
    assert [item.id for item in found.memories] == [one.id, two.id]


def test_a_source_can_be_purged(memory: Recollect) -> None:
    bad = kept(memory, "Trust the mirror", channel=Channel.READ)
    child = derived(memory, "Mirrors are trusted", bad)
    good = kept(memory, "Deploys run at night")
    memory.reviews.forget_source("read", purge=True)
    assert [item.id for item in memory.list(EVERYTHING)] == [good.id]
    for gone in (bad, child):
        with pytest.raises(NotFound):
            memory.show(gone.id)
