"""The layouts as the seeds and the docs have them: budgets, order, bars; and what a user's own may be."""

from __future__ import annotations

import pytest

from recollect.errors import BadSetting, NotFound
from recollect.inject.layout import CODING, FORESEEN, SECTIONS
from recollect.inject.named_layouts import (
    DESKTOP,
    IMPLEMENT,
    LAYOUTS,
    LOOP,
    OPERATIONS,
    PLANNING,
    QA,
    find_layout,
)
from recollect.inject.slot_candidates import SOURCES, Situation, is_open
from recollect.inject.user_layouts import parse_user_layouts
from recollect.model.complexity import GATES, Complexity
from recollect.model.kinds import Kinds
from recollect.model.phase import PHASE_WEIGHTS, Phase
from tests.builders import NOON

KINDS = Kinds().names()
SITUATION = Situation(now=NOON, kinds=KINDS)
SLOTS = {
    "desktop": [
        ("profile", 300),
        ("recent", 500),
        ("relevant", 1500),
        ("apps", 800),
        ("template", 500),
        ("failures", 400),
    ],
    "loop": [("core", 500), ("relevant", 500), ("history", 200)],
    "operations": [("operations", 2000)],
    "planning": [
        ("said", 280),
        ("preferences", 260),
        ("work", 200),
        ("recipes", 300),
        ("relevant", 500),
        ("outcomes", 180),
    ],
    "implement": [
        ("said", 280),
        ("preferences", 260),
        ("work", 200),
        ("relevant", 500),
        ("recipes", 300),
        ("files", 3900),
    ],
    "qa": [("seen running", 1000), ("relevant", 500), ("work", 250)],
    "brief": [("preferences", 260), ("work", 200), ("outcomes", 180)],
    "first prompt": [
        ("said", 280),
        ("relevant", 500),
        ("recipes", 300),
        ("files", 120),
        ("about files", 250),
        ("at hand", 250),
    ],
    "opening": [
        ("said", 280),
        ("preferences", 260),
        ("work", 200),
        ("outcomes", 180),
        ("relevant", 500),
        ("recipes", 300),
        ("files", 120),
        ("about files", 250),
        ("at hand", 250),
    ],
    "prompt": [("said", 280), ("relevant", 300)],
    "subagent": [("said", 280), ("preferences", 260), ("relevant", 300)],
    "project": [("preferences", 260), ("knowledge", 700), ("outcomes", 180)],
    "compaction": [("lost", 600), ("preferences", 260), ("work", 200)],
}
TOKENS = {
    "desktop": 4000,
    "loop": 1200,
    "operations": 2000,
    "planning": 1500,
    "implement": 5400,
    "qa": 1800,
    "brief": 600,
    "first prompt": 900,
    "opening": 1300,
    "prompt": 400,
    "subagent": 500,
    "project": 1200,
    "compaction": 900,
}


def test_every_layout_has_the_slots_and_budgets_it_should() -> None:
    assert {n: [(s.name, s.tokens) for s in one.slots] for n, one in LAYOUTS.items()} == SLOTS
    assert {name: one.tokens for name, one in LAYOUTS.items()} == TOKENS
    assert sum(slot.tokens for slot in DESKTOP.slots) == DESKTOP.tokens == 4_000
    assert sum(slot.tokens for slot in LOOP.slots) == LOOP.tokens == 1_200


def test_what_the_slots_may_hold() -> None:
    assert [slot.tag for slot in DESKTOP.slots] == [
        "user_profile",
        "recent_context",
        "relevant_knowledge",
        "app_knowledge",
        "task_template",
        "avoid_mistakes",
    ]
    assert [slot.most for slot in LOOP.slots[1:]] == [5, 5]
    assert next(slot.most for slot in PLANNING.slots if slot.name == "recipes") == 2
    files = IMPLEMENT.slots[-1]
    assert (files.sure, files.phases, files.pastes) == (0.7, (Phase.IMPLEMENT,), True)
    seen = QA.slots[0]
    assert (seen.most, seen.sure, seen.groups, seen.gate) == (8, 0.7, "observation_type", "e2e")
    assert (OPERATIONS.slots[0].groups, OPERATIONS.counted) == ("service", True)
    assert not any(slot.pastes for layout in CODING.values() for slot in layout.slots)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=str)
def test_every_row_makes_sense(layout: object) -> None:
    found = find_layout(layout.name, None)  # type: ignore[attr-defined]
    assert found.slots
    for slot in found.slots:
        assert slot.source in (*SOURCES, FORESEEN)
        assert set(slot.kinds) | set(slot.besides) <= set(KINDS)
        assert 0 <= slot.bar <= 1
        assert 0 < slot.tokens <= found.tokens
        assert not slot.gate or hasattr(GATES[Complexity.TRIVIAL], slot.gate)
        assert not (slot.tag or slot.groups) or found.form == SECTIONS


@pytest.mark.parametrize(
    ("phase", "name"),
    [
        (Phase.DEFINE, "planning"),
        (Phase.IMPLEMENT, "implement"),
        (Phase.VALIDATE, "qa"),
        (Phase.REFINE, "opening"),
        (Phase.EXPLORE, "opening"),
        (Phase.REFLECT, "opening"),
        (None, "opening"),
    ],
)
def test_coding_goes_by_the_phase(phase: Phase | None, name: str) -> None:
    assert find_layout("coding", phase).name == name


def test_an_unknown_layout_is_named_with_those_there_are() -> None:
    with pytest.raises(NotFound, match=r"no layout 'moon'.*coding, desktop, loop"):
        find_layout("moon", None)


def test_a_trivial_task_opens_no_recipes_and_nothing_seen_running() -> None:
    recipes = next(slot for slot in PLANNING.slots if slot.name == "recipes")
    trivial = Situation(now=NOON, kinds=KINDS, complexity=Complexity.TRIVIAL, phase=Phase.VALIDATE)
    standard = Situation(now=NOON, kinds=KINDS, phase=Phase.VALIDATE)
    assert [is_open(slot, trivial) for slot in (recipes, QA.slots[0])] == [False, False]
    assert [is_open(slot, standard) for slot in (recipes, QA.slots[0])] == [True, True]
    assert not is_open(QA.slots[0], SITUATION)


def test_weights_are_of_kinds_that_exist_and_near_one() -> None:
    for weights in PHASE_WEIGHTS.values():
        assert set(weights) <= set(KINDS)
        assert all(0.3 <= weight <= 1.5 and weight != 1.0 for weight in weights.values())


GOOD = {
    "heading": "for a review",
    "tokens": 800,
    "form": "sections",
    "slots": [{"name": "decisions", "kinds": ["decision"], "most": 5, "tokens": 400, "phases": ["validate"]}],
}


def test_a_layout_of_ones_own() -> None:
    (layout,) = parse_user_layouts({"review": (GOOD, "here")}, KINDS)
    assert (layout.name, layout.tokens, layout.form) == ("review", 800, SECTIONS)
    assert layout.slots[0].phases == (Phase.VALIDATE,)
    assert find_layout("review", None, [layout]) is layout


SLOT = GOOD["slots"][0]  # type: ignore[index]


@pytest.mark.parametrize(
    ("table", "key", "remedy"),
    [
        (GOOD | {"tokens": "many"}, "layouts.review.tokens", "a number from 1 to 100000"),
        (GOOD | {"tokens": 2.5}, "layouts.review.tokens", "a whole number"),
        (GOOD | {"from": "block"}, "layouts.review.from", r"did you mean form\?"),
        (GOOD | {"form": "poem"}, "layouts.review.form", "one of block, sections"),
        (GOOD | {"tag": "a b"}, "layouts.review.tag", "letters, digits"),
        (GOOD | {"slots": []}, "layouts.review.slots", r"\[\[layouts.review.slots\]\]"),
        (GOOD | {"slots": [SLOT, SLOT]}, "layouts.review.slots", "two of them have one name"),
        (GOOD | {"slots": [SLOT | {"kinds": ["gotchas"]}]}, r"slots\[1\].kinds", "'gotchas' is none of: "),
        (GOOD | {"slots": [SLOT | {"bar": 2}]}, r"slots\[1\].bar", "from 0 to 1"),
        (GOOD | {"slots": [SLOT | {"stands_alone": 1}]}, "stands_alone", "true or false"),
        (GOOD | {"slots": [SLOT | {"source": "web"}]}, "source", "one of question, kinds"),
        (GOOD | {"slots": [SLOT | {"name": ""}]}, "name", "needs one"),
        ("a text", "layouts.review", "it is a table"),
    ],
)
def test_a_wrong_key_is_named_with_its_remedy(table: object, key: str, remedy: str) -> None:
    with pytest.raises(BadSetting, match=rf"{key} .*\(here\).*{remedy}"):
        parse_user_layouts({"review": (table, "here")}, KINDS)


def test_ours_cannot_be_taken_over() -> None:
    with pytest.raises(BadSetting, match="one of ours has this name"):
        parse_user_layouts({"desktop": (GOOD, "here")}, KINDS)


def test_a_moment_of_a_session_can_be_written_anew_within_what_a_hook_can_say() -> None:
    table = {"tokens": 300, "slots": [{"name": "at hand", "source": "foreseen", "most": 2, "tokens": 80}]}
    (brief,) = parse_user_layouts({"brief": (table, "here")}, KINDS)
    assert (brief.moment, brief.heading) == (CODING["brief"].moment, CODING["brief"].heading)
    assert find_layout("brief", None, [brief]) is brief
    (opening,) = parse_user_layouts({"opening": (table, "here")}, KINDS)
    assert find_layout("coding", None, [opening]) is opening
    with pytest.raises(BadSetting, match="a number from 1 to 2250"):
        parse_user_layouts({"brief": (table | {"tokens": 3000}, "here")}, KINDS)
    with pytest.raises(BadSetting, match="one of block"):
        parse_user_layouts({"brief": (table | {"form": "sections"}, "here")}, KINDS)
    with pytest.raises(BadSetting, match=r'\[\[layouts."first prompt".slots\]\]'):
        parse_user_layouts({"first prompt": ({"tokens": 9}, "here")}, KINDS)
