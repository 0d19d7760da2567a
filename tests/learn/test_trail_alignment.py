"""Sessions laid side by side: what most of them did in the same order, with slots for what differs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from recollect.learn.recipes import mine_recipes
from recollect.learn.signals.sequence import file_scope
from recollect.learn.trail_alignment import find_places, find_shared_way
from recollect.model.signal import SequencePart, Trail

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
WAY = (
    "edit src/models.py",
    "run alembic revision -m {}",
    "create migrations/{}.py",
    "edit docs/schema.md",
    "test",
)


def make_trail(number: int, name: str, *acts: str, task: str = "") -> Trail:
    parts = []
    for act in acts:
        action, _, place = act.format(name).partition(" ")
        where = " ".join(place.split()[:2]) if action == "run" else file_scope(place) if place else ""
        parts.append(
            SequencePart(action=action, where=where, exact=place or action, event_id=f"{number} {act}")
        )
    request = task or f"Add a column for {name} to the customers table"
    return Trail(session_id=f"s{number}", at=NOON + timedelta(days=number), task=request, parts=tuple(parts))


def make_trails(*names: str) -> list[Trail]:
    return [
        make_trail(number, name, f"read notes/{name}.md", *WAY, f"run ./{name}.sh")
        for number, name in enumerate(names)
    ]


def test_files_of_one_sort_and_arguments_of_commands_become_slots() -> None:
    way = find_shared_way(make_trails("birthdays", "nicknames", "languages"), fewest=3)
    assert way is not None
    assert way.acts == (
        "edit src/models.py",
        "run alembic revision",
        "create migrations/*.py",
        "edit docs/schema.md",
        "test",
    )
    assert [part.exact for part in way.parts][1] == "alembic revision -m …"


def test_a_session_that_left_out_a_step_still_followed_and_one_that_did_something_else_did_not() -> None:
    trails = make_trails("birthdays", "nicknames", "languages", "referrals")
    shorter = make_trail(4, "discounts", *WAY[:3], "test")
    elsewhere = make_trail(
        5, "regions", "edit src/models.py", "edit a/b.py", "run make it", "edit c/d.py", "test"
    )
    way = find_shared_way([*trails, shorter, elsewhere], fewest=3)
    assert way is not None
    assert [trail.session_id for trail in way.trails] == ["s0", "s1", "s2", "s3", "s4"]
    assert len(way.acts) == 5


def test_acts_in_another_order_are_not_the_same_way() -> None:
    trails = [
        make_trail(0, "a", *WAY),
        make_trail(1, "b", *WAY[::-1]),
        make_trail(2, "c", WAY[2], WAY[0], WAY[4], WAY[1]),
    ]
    way = find_shared_way(trails, fewest=3)
    assert way is None or len(way.acts) < 4
    assert len(find_places(trails[1].parts, [act.format("b") for act in WAY if "run" not in act])) == 1


def test_a_command_that_is_two_checks_is_one_step() -> None:
    trails = [make_trail(number, name, *WAY) for number, name in enumerate(("a", "b", "c"))]
    both = [
        Trail(
            session_id=one.session_id,
            at=one.at,
            task=one.task,
            parts=(
                *one.parts,
                *(SequencePart(action=kind, exact="make tidy") for kind in ("lint", "format")),
            ),
        )
        for one in trails
    ]
    way = find_shared_way(both, fewest=3)
    assert way is not None
    assert [part.exact for part in way.parts].count("make tidy") == 1


def test_what_any_work_of_the_project_changes_is_no_step_of_a_task() -> None:
    changes = ("edit CHANGELOG.md", "edit src/version.py")
    others = [
        make_trail(number, f"x{number}", *changes, task=f"question{number} about{number} thing{number}")
        for number in range(20, 32)
    ]
    *earlier, newest = [
        make_trail(number, name, *WAY, *changes)
        for number, name in enumerate(("birthdays", "nicknames", "languages"))
    ]
    [recipe] = mine_recipes(newest, [*others, *earlier], [])
    assert [step["act"] for step in recipe.facts["steps"]] == [
        "edit src/models.py",
        "run alembic revision",
        "create migrations/*.py",
        "edit docs/schema.md",
        "test",
    ]


def test_merging_branches_is_no_class_of_task_however_often_it_goes_the_same_way() -> None:
    acts = ("edit src/app.py", "edit src/routes.py", "edit docs/api.md", "run make schema", "test")
    *earlier, newest = [
        make_trail(number, name, *acts, task=f"merge main into {name} and fix the merge conflicts")
        for number, name in enumerate(("billing", "search", "login", "export"))
    ]
    assert mine_recipes(newest, earlier, []) == []
