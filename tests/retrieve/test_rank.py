"""What makes one memory come before another when their texts fit alike, and what never does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from recollect.model.period import Grain, Period
from recollect.model.phase import Phase, phase_weight
from recollect.model.profile import Profile
from recollect.model.query import Query
from recollect.retrieve import rank
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
    meanings: dict[int, float] | None = None,
    about: dict[int, tuple[float, str]] | None = None,
    periods: tuple[Period, ...] = (),
    profile: Profile = WORDS,
    limit: int = 10,
    phase: Phase | None = None,
) -> list[Scored]:
    """The rows as they are ranked, each as well found by its words as the others unless `words` says how well."""
    ranking = Candidates(
        rows={row.num: row for row in rows},
        lexical={row.num: 0.5 for row in rows} | (words or {}),
        semantic=meanings or {},
        about=about or {},
        marked=[row for row in rows if row.is_marked],
    )
    question = ParsedQuestion(
        terms=[],
        named=NamedSubjects(subjects={}, words=frozenset(), corrected={}),
        periods=periods,
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


def ago(**back: float) -> int:
    return to_micros(NOON - timedelta(**back))


def test_words_and_meaning_add_up_by_their_weights() -> None:
    profile = Profile(name="p", about="", lexical=0.4, semantic=0.25)
    ranking = order(a_row(1), a_row(2), words={1: 0.5, 2: 0.1}, meanings={2: 0.9}, profile=profile)
    assert nums(ranking) == [2, 1]
    assert ranking[0].score == pytest.approx(0.4 * 0.1 + 0.25 * 0.9)
    assert [(part.name, part.value, part.added) for part in ranking[0].tell()] == [
        ("words", pytest.approx(0.1), pytest.approx(0.04)),
        ("meaning", pytest.approx(0.9), pytest.approx(0.225)),
    ]
    assert parts(ranking[1]) == {"words": pytest.approx(0.2)}


def test_what_was_found_by_no_word_and_no_meaning_scores_nothing() -> None:
    profile = Profile(name="p", about="", lexical=0.4, semantic=0.25, recency=0.1, success=0.1)
    assert order(a_row(1), words={1: 0.0}, profile=profile)[0].score == 0.0


@pytest.mark.parametrize(
    ("age", "share"),
    [({"minutes": 0}, 1.0), ({"days": 30}, 0.36787944), ({"days": 60}, 0.13533528), ({"days": -9}, 1.0)],
)
def test_recency_falls_to_a_third_in_a_month(age: dict[str, float], share: float) -> None:
    profile = Profile(name="p", about="", lexical=1.0, recency=0.1)
    row = a_row(1, created_at=ago(**age))
    assert parts(order(row, profile=profile)[0])["recency"] == pytest.approx(0.1 * share)


@pytest.mark.parametrize(
    ("age", "share"),
    [
        ({"hours": 1}, 1.0),
        ({"hours": 1.1}, 0.7),
        ({"days": 1}, 0.7),
        ({"days": 1.1}, 0.4),
        ({"days": 7}, 0.4),
        ({"days": 7.1}, 0.2),
        ({"days": 900}, 0.2),
    ],
)
def test_recency_in_steps_is_an_hour_a_day_and_a_week(age: dict[str, float], share: float) -> None:
    profile = Profile(name="p", about="", lexical=1.0, recency=0.1, recency_falls="steps")
    assert parts(order(a_row(1, created_at=ago(**age)), profile=profile)[0])["recency"] == pytest.approx(
        0.1 * share
    )


def test_recency_counts_from_the_last_time_it_was_used() -> None:
    profile = Profile(name="p", about="", lexical=1.0, recency=0.1, recency_falls="steps")
    row = a_row(1, created_at=ago(days=90), last_accessed_at=ago(minutes=5))
    assert parts(order(row, profile=profile)[0])["recency"] == pytest.approx(0.1)


def test_use_counts_by_its_logarithm_beside_the_most_used() -> None:
    profile = Profile(name="p", about="", lexical=1.0, frequency=0.2)
    ranking = order(a_row(1, access_count=15), a_row(2, access_count=3), a_row(3), profile=profile)
    assert nums(ranking) == [1, 2, 3]
    assert parts(ranking[0])["frequency"] == pytest.approx(0.2)
    assert parts(ranking[1])["frequency"] == pytest.approx(0.1)
    assert "frequency" not in parts(ranking[2])


@pytest.mark.parametrize(
    ("fields", "share"),
    [
        ("{}", 0.8),
        ('{"success_rate": 0.5}', 0.5),
        ('{"success_rate": 1}', 1.0),
        ('{"success_rate": 90}', 1.0),
        ('{"success_rate": "most"}', 0.8),
        ('{"note": "no success_rate yet"}', 0.8),
    ],
)
def test_success_is_a_recipes_rate_or_else_how_sure_a_memory_is(fields: str, share: float) -> None:
    profile = Profile(name="p", about="", lexical=1.0, success=0.1)
    assert parts(order(a_row(1, fields=fields), profile=profile)[0])["success"] == pytest.approx(0.1 * share)


def test_a_named_subject_lifts_what_is_about_it_by_how_sure_the_name_is() -> None:
    profile = Profile(name="p", about="", lexical=1.0, subject=0.04)
    ranking = order(a_row(1), a_row(2), about={2: (0.5, "file:cart.py")}, profile=profile)
    assert nums(ranking) == [2, 1]
    (_, subject) = ranking[0].tell()
    assert (subject.name, subject.value, subject.added, subject.words) == (
        *("subject", pytest.approx(0.5), pytest.approx(0.02), "file:cart.py"),
    )


def a_period(words: str, since: datetime) -> Period:
    month = timedelta(days=30)
    return Period(words=words, grain=Grain.MONTH, start=since, end=since + month, slack=month)


def test_the_nearest_of_the_named_times_counts() -> None:
    profile = Profile(name="p", about="", lexical=1.0, time=0.1)
    may = a_period("in May", since=NOON - timedelta(days=7))
    march = a_period("in March", since=NOON - timedelta(days=68))
    ranking = order(a_row(1, happened_at=ago(days=400)), a_row(2), periods=(march, may), profile=profile)
    assert nums(ranking) == [2, 1]
    time = ranking[0].tell()[1]
    assert (time.name, time.value, time.added, time.words) == ("time", 1.0, pytest.approx(0.1), "in May")
    assert parts(ranking[1]).get("time", 0.0) < 0.05


def test_facts_are_cut_alike_where_they_would_outweigh_the_text() -> None:
    profile = Profile(name="p", about="", lexical=1.0, frequency=0.6, success=0.5)
    (one,) = order(a_row(1, access_count=3), words={1: 0.25}, profile=profile)
    assert one.score == pytest.approx(0.5)
    assert parts(one) == {
        "words": pytest.approx(0.25),
        "frequency": pytest.approx(0.25 * 0.6),
        "success": pytest.approx(0.25 * 0.4),
    }


def test_a_text_below_nothing_gains_nothing_from_its_facts() -> None:
    profile = Profile(name="p", about="", lexical=1.0, unconfirmed=0.3, recency=0.1)
    (one,) = order(a_row(1, unconfirmed=1), words={1: 0.1}, profile=profile)
    assert one.score == pytest.approx(-0.2)
    assert parts(one) == {"words": pytest.approx(0.1), "unconfirmed": pytest.approx(-0.3)}


def test_a_phase_lifts_the_kinds_that_help_in_it() -> None:
    kind = "e2e_observation"
    weight = phase_weight(Phase.VALIDATE, kind)
    assert weight != 1.0
    ranking = order(a_row(1), a_row(2, kind=kind), phase=Phase.VALIDATE)
    assert {one.num: one.score for one in ranking}[2] == pytest.approx(0.5 * weight)
    told = {one.num: one.tell() for one in ranking}[2]
    assert (told[1].name, told[1].added, told[1].words) == (
        "phase",
        pytest.approx(0.5 * (weight - 1)),
        "validate",
    )


def test_no_more_come_back_than_were_asked_for_and_the_best_first() -> None:
    rows = [a_row(num) for num in range(1, 8)]
    ranking = order(*rows, words={num: num / 10 for num in range(1, 8)}, limit=3)
    assert nums(ranking) == [7, 6, 5]
    assert order() == []


@pytest.mark.parametrize("fact", ["recency", "success", "frequency"])
def test_what_facts_may_add_brings_a_weaker_text_within_reach(fact: str) -> None:
    profile = Profile(name="p", about="", lexical=1.0, **{fact: 0.2})
    weak_by_facts = a_row(1, created_at=ago(days=900), confidence=0.01)
    strong_by_facts = a_row(2, access_count=5, confidence=1.0)
    ranking = order(weak_by_facts, strong_by_facts, words={1: 0.5, 2: 0.35}, profile=profile, limit=1)
    assert nums(ranking) == [2]


@pytest.fixture
def closer(monkeypatch: pytest.MonkeyPatch) -> dict[int, float]:
    """What late interaction gives, by number."""
    given: dict[int, float] = {}
    monkeypatch.setattr(rank, "score_late_interaction", lambda *_: dict(given))
    return given


CLOSER = Profile(name="p", about="", lexical=0.4, semantic=0.25, closer=0.5)


def test_late_interaction_takes_the_place_of_the_meaning(closer: dict[int, float]) -> None:
    closer[1] = 0.6
    ranking = order(a_row(1), a_row(2), meanings={1: 0.9, 2: 0.8}, profile=CLOSER)
    assert {one.num: one.score for one in ranking} == {
        1: pytest.approx(0.4 * 0.5 + 0.5 * 0.6),
        2: pytest.approx(0.4 * 0.5 + 0.25 * 0.8),
    }
    assert parts(ranking[0]) == {"words": pytest.approx(0.2), "closer": pytest.approx(0.3)}
    assert parts(ranking[1]) == {"words": pytest.approx(0.2), "meaning": pytest.approx(0.2)}


def test_for_a_kind_without_vectors_its_words_stand_in(closer: dict[int, float]) -> None:
    closer[1] = 0.6
    ranking = order(a_row(1), a_row(2), meanings={1: 0.9}, words={2: 0.8}, profile=CLOSER)
    assert {one.num: one.score for one in ranking}[2] == pytest.approx(0.4 * 0.8 + 0.5 * 0.8)


def test_where_late_interaction_scored_nothing_the_meaning_stays(closer: dict[int, float]) -> None:
    (one,) = order(a_row(1), meanings={1: 0.9}, profile=CLOSER)
    assert one.score == pytest.approx(0.4 * 0.5 + 0.25 * 0.9)
    assert "closer" not in parts(one)


def test_without_a_weight_for_it_late_interaction_is_not_looked_at(closer: dict[int, float]) -> None:
    closer[1] = 0.6
    assert order(a_row(1))[0].score == pytest.approx(0.5)
