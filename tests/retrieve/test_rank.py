"""What makes one memory come before another when their texts fit alike, and what never does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from recollect.model.phase import Phase
from recollect.model.profile import Profile
from recollect.model.query import Query
from recollect.retrieve.gather import Candidates
from recollect.retrieve.names import NamedSubjects
from recollect.retrieve.question import ParsedQuestion
from recollect.retrieve.rank import CHANGED_COSTS, STALE_COSTS, Scored, rank_candidates
from recollect.retrieve.read_context import ReadContext
from recollect.store.tables.memories import RankingRow, mark_candidate
from recollect.store.tables.row_values import to_micros

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)
WORDS = Profile(name="words", about="", lexical=1.0)


def a_row(num: int, **facts: Any) -> RankingRow:
    given: dict[str, Any] = {
        "kind": "fact",
        "confidence": 0.8,
        "happened_at": to_micros(NOON),
        "created_at": to_micros(NOON),
        "last_accessed_at": None,
        "access_count": 0,
        "session_id": None,
        "unconfirmed": 0,
        "stale_at": None,
        "fields": "{}",
        "size": 30,
        "asks": 0,
        "judged": 0,
        "changed": 0,
    }
    return mark_candidate(RankingRow(num=num, **(given | facts)))


def order(
    *rows: RankingRow,
    words: dict[int, float] | None = None,
    profile: Profile = WORDS,
    limit: int = 10,
    phase: Phase | None = None,
) -> list[Scored]:
    """The rows as they are ranked, each as well found by its words as the others unless `words` says how well."""
    ranking = Candidates(
        rows={row.num: row for row in rows},
        lexical={row.num: 0.5 for row in rows} | (words or {}),
        semantic={},
        about={},
        marked=[row for row in rows if row.is_marked],
    )
    question = ParsedQuestion(
        terms=[],
        named=NamedSubjects(subjects={}, words=frozenset(), corrected={}),
        periods=(),
        embedded_text="",
        embedding=None,
        notes=(),
    )
    # Without a late interaction nothing is read from the context.
    context = cast("ReadContext", None)
    return rank_candidates(
        context, question, Query(text="x", limit=limit, phase=phase), profile, ranking, NOON
    )


def nums(ranking: list[Scored]) -> list[int]:
    return [scored.num for scored in ranking]


def parts(one: Scored) -> dict[str, float]:
    return {part.name: part.added for part in one.tell()}


def test_among_equals_what_is_about_a_file_that_changed_comes_second() -> None:
    ranking = order(a_row(2, changed=1), a_row(1))
    assert nums(ranking) == [1, 2]
    assert parts(ranking[1])["changed"] == pytest.approx(-CHANGED_COSTS * 0.5)
    assert ranking[1].score == pytest.approx(0.5 * (1 - CHANGED_COSTS))


def test_a_changed_file_costs_little_a_file_that_is_gone_much() -> None:
    stale = to_micros(NOON - timedelta(days=1))
    ranking = order(a_row(3, stale_at=stale), a_row(2, changed=1), a_row(1), words={1: 0.4, 2: 0.5, 3: 0.7})
    assert nums(ranking) == [2, 1, 3]
    assert parts(ranking[2])["stale"] == pytest.approx(-STALE_COSTS * 0.7)


@pytest.mark.parametrize("spoilt", [{"changed": 1}, {"stale_at": to_micros(NOON)}])
def test_what_is_taken_off_the_best_lets_others_before_it_that_were_out_of_reach(
    spoilt: dict[str, int],
) -> None:
    ranking = order(a_row(2, **spoilt), a_row(1), words={2: 0.5, 1: 0.49}, limit=1)
    assert nums(ranking) == [1]


def test_a_memory_that_itself_asks_answers_less() -> None:
    profile = Profile(name="p", about="", lexical=1.0, asks=0.05)
    ranking = order(a_row(2, asks=1), a_row(1), profile=profile)
    assert nums(ranking) == [1, 2]
    assert parts(ranking[1])["asks"] == pytest.approx(-0.05)


def test_what_an_agent_said_and_nobody_confirmed_answers_less() -> None:
    profile = Profile(name="p", about="", lexical=1.0, unconfirmed=0.1)
    ranking = order(a_row(2, unconfirmed=1), a_row(1), profile=profile)
    assert nums(ranking) == [1, 2]
    assert parts(ranking[1])["unconfirmed"] == pytest.approx(-0.1)


def test_many_judgements_count_for_no_more_than_one_part_and_the_first_count_most() -> None:
    profile = Profile(name="p", about="", lexical=1.0, judged=0.03)
    ranking = order(a_row(1, judged=1), a_row(2, judged=2), a_row(3, judged=1000), profile=profile)
    added = {scored.num: parts(scored)["judged"] for scored in ranking}
    assert added[1] == pytest.approx(0.01)
    assert added[2] - added[1] < added[1]
    assert added[2] < added[3] < 0.03


def test_noise_may_fall_as_far_as_praise_may_rise() -> None:
    # The one with fewer words is in reach only if both are counted.
    profile = Profile(name="p", about="", lexical=1.0, judged=0.03)
    ranking = order(
        a_row(2, judged=-1000), a_row(1, judged=1000), words={2: 0.50, 1: 0.45}, profile=profile, limit=1
    )
    assert nums(ranking) == [1]


def test_age_and_use_never_outweigh_the_text() -> None:
    profile = Profile(name="p", about="", lexical=1.0, frequency=5.0)
    ranking = order(a_row(2, access_count=1000), a_row(1), words={2: 0.2, 1: 0.5}, profile=profile)
    assert nums(ranking) == [1, 2]
    assert ranking[1].score == pytest.approx(0.4), "what use adds is no more than the text says"


def test_the_parts_of_a_score_add_up_to_it() -> None:
    profile = Profile(name="p", about="", lexical=1.0, recency=0.1, frequency=0.2, judged=0.03, asks=0.05)
    rows = [
        a_row(1, access_count=3, judged=2),
        a_row(2, asks=1, changed=1, access_count=1),
        a_row(3, stale_at=to_micros(NOON), kind="gotcha"),
    ]
    for one in order(*rows, profile=profile, phase=Phase.IMPLEMENT):
        assert sum(part.added for part in one.tell()) == pytest.approx(one.score)
