"""One source that nobody stands behind does not fill what an agent reads."""

from __future__ import annotations

from recollect.inject.source_quota import select_memories_by_quota
from recollect.model.memory import Memory, Trust
from recollect.model.provenance import Channel, Provenance
from tests.builders import a_memory


def noted(number: int, channel: Channel, session: str = "", *, verified: bool = False) -> Memory:
    return a_memory(
        number=number,
        provenance=Provenance(channel=channel, session_id=session or None),
        trust=Trust(verified=verified),
    )


def test_at_most_a_third_comes_from_one_untrusted_source() -> None:
    flood = [noted(n, Channel.AGENT, "bad") for n in range(50)]
    honest = [noted(n, Channel.AGENT, f"s{n}") for n in range(100, 110)]
    told = select_memories_by_quota([*flood, *honest], places=9)
    assert len(told) == 9
    assert sum(memory.provenance.session_id == "bad" for memory in told) == 3


def test_the_places_of_a_flood_stay_empty_rather_than_be_filled_by_it() -> None:
    flood = [noted(n, Channel.OBSERVED, "bad") for n in range(50)]
    assert len(select_memories_by_quota(flood, places=9)) == 3
    assert len(select_memories_by_quota(flood, places=2)) == 1


def test_untrusted_stands_below_trusted_and_each_keeps_its_order() -> None:
    ranked = [
        noted(1, Channel.OBSERVED),
        noted(2, Channel.USER),
        noted(3, Channel.AGENT, "s"),
        noted(4, Channel.AGENT, "t", verified=True),
    ]
    assert [memory.id for memory in select_memories_by_quota(ranked, places=9)] == [
        ranked[i].id for i in (1, 3, 0, 2)
    ]


def test_a_person_is_not_rationed() -> None:
    mine = [noted(n, Channel.USER, "monday") for n in range(12)]
    assert select_memories_by_quota(mine, places=9) == mine[:9]
