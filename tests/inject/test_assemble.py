"""What a layout says: within its budget, never twice, never what may not speak; whatever is offered."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.inject.assemble import assemble_injection
from recollect.inject.injection import MAX_CHARACTERS
from recollect.inject.layout import CODING, KINDS, QUESTION, Layout, Slot
from recollect.inject.render import NAME_LENGTH, parse_blocks
from recollect.model.ids import make_id
from recollect.model.memory import MemoryState, Trust
from recollect.model.provenance import Channel, Provenance
from recollect.model.query import Hit
from recollect.model.tokens import estimate_tokens
from recollect.model.trust import Moment, may_speak
from tests.builders import NOON, a_memory

BOUNDARY = "a1b2c3d4e5f6"
SLOT = Slot(name="relevant", source=QUESTION, most=3, tokens=100, bar=0.4)
LAYOUT = Layout(name="tried", heading="for a test", moment=Moment.PROMPT, tokens=150, slots=(SLOT,))


def a_hit(number: int, text: str = "Tokens expire", *, score: float = 0.9, **details: object) -> Hit:
    # The time part tells them apart: an agent sees no more of an id.
    memory = a_memory(text, id=make_id(NOON.replace(microsecond=number * 1000), number), **details)
    return Hit(memory=memory, score=score)


def names(layout: Layout, *hits: Hit, told: frozenset[str] = frozenset()) -> list[str]:
    spoken = assemble_injection(layout, {"relevant": hits}, told_ids=told, boundary=BOUNDARY)
    return [line.id for line in spoken.lines] if spoken else []


def test_what_lies_below_the_bar_is_not_said() -> None:
    good, bad = a_hit(1, score=0.4), a_hit(2, score=0.39)
    assert names(LAYOUT, good, bad) == [good.memory.id]


def test_a_persons_word_that_stands_by_itself_needs_no_bar_an_agents_does() -> None:
    alone = Slot(name="relevant", source=KINDS, most=3, tokens=100, bar=0.95, stands_alone=True)
    layout = Layout(name="tried", heading="h", moment=Moment.BRIEF, tokens=150, slots=(alone,))
    person = a_hit(1, score=0.5)
    agent = a_hit(2, score=0.5, provenance=Provenance(channel=Channel.AGENT))
    assert names(layout, person, agent) == [person.memory.id]


def test_what_was_told_before_is_not_said_and_makes_room_for_the_next() -> None:
    hits = [a_hit(number) for number in range(5)]
    told = frozenset(hit.memory.id for hit in hits[:2])
    assert names(LAYOUT, *hits, told=told) == [hit.memory.id for hit in hits[2:]]


def test_the_budget_of_a_slot_and_of_the_layout_hold() -> None:
    long = [a_hit(number, "word " * 60) for number in range(9)]
    spoken = assemble_injection(LAYOUT, {"relevant": long}, told_ids=(), boundary=BOUNDARY)
    assert spoken is not None
    assert 1 <= len(spoken.lines) < 3
    assert sum(line.tokens for line in spoken.lines) <= LAYOUT.tokens


def test_a_long_memory_is_cut_at_the_end_of_a_sentence() -> None:
    wide = Slot(name="relevant", source=QUESTION, most=1, tokens=400, bar=0.0)
    layout = Layout(name="tried", heading="h", moment=Moment.PROMPT, tokens=400, slots=(wide,))
    spoken = assemble_injection(
        layout, {"relevant": [a_hit(1, "One sentence here. " * 90)]}, told_ids=(), boundary=BOUNDARY
    )
    assert spoken is not None
    (item,) = parse_blocks(spoken.text)[0].items
    assert item.text.endswith("sentence here. …")


def test_nothing_to_say_is_nothing_at_all() -> None:
    assert assemble_injection(LAYOUT, {}, told_ids=(), boundary=BOUNDARY) is None


HITS = st.lists(
    st.builds(
        lambda number, text, score, channel, state, verified, stale: a_hit(
            number,
            text,
            score=score,
            kind="gotcha",
            provenance=Provenance(channel=channel, session_id="s"),
            state=state,
            trust=Trust(verified=verified),
            stale_at=NOON if stale else None,
        ),
        st.integers(0, 40),
        st.text(min_size=1, max_size=3_000).filter(str.strip),
        st.floats(0, 1),
        st.sampled_from(Channel),
        st.sampled_from([MemoryState.ACTIVE] * 4 + [MemoryState.QUARANTINED, MemoryState.INACTIVE]),
        st.booleans(),
        st.booleans(),
    ),
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(
    layout=st.sampled_from(list(CODING.values())), hits=HITS, told=st.sets(st.integers(0, 40), max_size=10)
)
def test_whatever_is_offered_budget_bar_and_trust_hold(
    layout: Layout, hits: list[Hit], told: set[int]
) -> None:
    before = {make_id(NOON.replace(microsecond=number * 1000), number) for number in told}
    offers = {slot.name: hits for slot in layout.slots}
    spoken = assemble_injection(layout, offers, told_ids=before, boundary=BOUNDARY)
    assert (spoken is None) == (
        assemble_injection(layout, offers, told_ids=before, boundary=BOUNDARY) is None
    )
    if spoken is None:
        return
    assert len(spoken.text) < MAX_CHARACTERS
    assert sum(estimate_tokens(line.text) for line in spoken.lines) <= layout.tokens + len(spoken.lines)
    said = [line.id for line in spoken.lines]
    assert len(said) == len(set(said))
    assert before.isdisjoint(said)
    speakers = {hit.memory.id: [] for hit in hits}
    for hit in hits:
        speakers[hit.memory.id].append(may_speak(hit.memory, layout.moment).allowed)
    assert all(any(speakers[name]) for name in said)
    (block,) = parse_blocks(spoken.text)
    assert [item.name for item in block.items] == [name[:NAME_LENGTH] for name in said]
