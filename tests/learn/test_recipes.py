"""Recipes: what sessions that passed did in the same order, and what is too common to be one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.errors import BadInput
from recollect.learn.learn_session import learn_session
from recollect.learn.recipes import find_shared_words, is_telling
from recollect.learn.rephrase import make_model_phrase
from recollect.model.memory import Memory, MemoryState
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.observe.acts import edit, green, read, red, run
from tests.observe.session_story import begin, go_on, tell
from tests.observe.writer import Writer

CLI, DOCS = "src/cli.py", "docs/usage.md"


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    folder = tmp_path / "shop"
    folder.mkdir()
    with Recollect(tmp_path / "memories.db", folder=folder, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def create(file: str) -> dict[str, Any]:
    return {"tool": "Write", "action": "create", "files": (file,)}


def command(name: str) -> tuple[Any, ...]:
    """How a command is added here, with some wandering about of its own each time."""
    return (
        f"Please add a command for {name}",
        read(f"src/{name}_notes.py"),
        create(f"src/commands/{name}.py"),
        edit(CLI),
        red() if name == "refund" else green(),
        edit(CLI),
        run("make completions"),
        edit(DOCS),
        green(),
    )


def added(memory: Recollect, clock: Clock, *names: str) -> list[Memory]:
    made: list[Memory] = []
    for name in names:
        begin(memory, name)
        go_on(memory, clock, name, *command(name))
        made += memory.observer.end_session(name).memories
        clock.pass_(hours=2)
    return [one for one in made if one.kind == "workflow_recipe"]


def recipe(memory: Recollect) -> Memory:
    [found] = [one for one in memory.list() if one.kind == "workflow_recipe"]
    return found


def test_what_three_sessions_did_in_the_same_order_becomes_a_recipe(memory: Recollect, clock: Clock) -> None:
    assert added(memory, clock, "export", "refund") == []
    [made] = added(memory, clock, "archive")
    assert made.text == (
        "Asked for “add command”, this worked each time, in this order: "
        "1. create src/commands/*.py, as src/commands/archive.py, 2. edit src/cli.py, 3. run `make completions`, "
        "4. edit docs/usage.md, 5. run `pytest -q`."
    )
    assert (made.confidence, made.trust.needs_review) == (0.7, True)
    assert made.fields["task_pattern"] == "add command"
    assert made.fields["canonical_files"] == [CLI, DOCS]
    assert [step.get("canonical_file") for step in made.fields["steps"]] == [None, CLI, None, DOCS, None]
    assert made.fields["success_count"] == 3
    assert {str(subject) for subject in made.subjects} == {f"file:{CLI}", f"file:{DOCS}"}


def test_a_recipe_names_the_events_of_every_session_it_rests_on(memory: Recollect, clock: Clock) -> None:
    added(memory, clock, "export", "refund", "archive")
    homes = {
        event.id: name for name in ("export", "refund", "archive") for event in memory.observer.events(name)
    }
    assert {homes[event_id] for event_id in recipe(memory).provenance.event_ids} == set(homes.values())


def test_each_later_success_makes_it_surer_and_is_counted(memory: Recollect, clock: Clock) -> None:
    added(memory, clock, "export", "refund", "archive")
    first = recipe(memory)
    assert added(memory, clock, "import") == []
    later = recipe(memory)
    assert later.id == first.id
    assert later.confidence > first.confidence
    assert later.fields["success_count"] == 4
    assert later.fields["last_validated_at"] > first.fields["last_validated_at"]


def test_a_reported_failure_makes_it_stale_until_it_works_again(memory: Recollect, clock: Clock) -> None:
    added(memory, clock, "export", "refund", "archive")
    failed = memory.upkeep.recipe_failed(recipe(memory).id, why="the registry moved")
    assert (failed.stale_why, failed.fields["success_rate"]) == (
        "it was followed and failed: the registry moved",
        0.75,
    )
    added(memory, clock, "import")
    assert recipe(memory).stale_at is None
    assert recipe(memory).fields["success_rate"] == 0.8


def test_only_a_recipe_can_fail(memory: Recollect) -> None:
    fact = memory.remember("Prices are in cents").memory
    with pytest.raises(BadInput, match="only a workflow_recipe"):
        memory.upkeep.recipe_failed(fact.id)


def test_sessions_that_failed_do_not_count(memory: Recollect, clock: Clock) -> None:
    added(memory, clock, "export")
    tell(memory, clock, "s2", *command("archive"), edit(CLI), red())
    memory.observer.learn_due()
    assert added(memory, clock, "refund") == []
    assert len(added(memory, clock, "import")) == 1


def test_what_lies_more_than_a_month_back_does_not_count(memory: Recollect, clock: Clock) -> None:
    added(memory, clock, "export", "refund")
    clock.pass_(days=31)
    assert added(memory, clock, "archive") == []


def test_one_session_told_three_times_is_one(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    for name in ("export", "refund", "archive"):
        go_on(memory, clock, "s1", *command(name))
        memory.observer.learn("s1")
    assert not [one for one in memory.list() if one.kind == "workflow_recipe"]


def test_several_units_of_one_session_count_once(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    for name in ("export", "refund"):
        memory.observer.start_work(name, session="s1")
        clock.pass_(seconds=1)
        go_on(memory, clock, "s1", *command(name))
        memory.observer.finish_work(name, session="s1")
        clock.pass_(seconds=1)
    memory.observer.end_session("s1")
    assert added(memory, clock, "archive") == []
    assert len(added(memory, clock, "import")) == 1


def test_what_everybody_does_everywhere_becomes_no_recipe(memory: Recollect, clock: Clock) -> None:
    for number in range(5):
        tell(
            memory,
            clock,
            f"s{number}",
            read("src/base.py"),
            edit(f"src/part_{number}.py"),
            edit("src/base_test.py"),
            green("ruff check ."),
            green(),
            run("black ."),
        )
    memory.observer.learn_due()
    assert not [one for one in memory.list() if one.kind == "workflow_recipe"]


@pytest.mark.parametrize(
    ("acts", "tells"),
    [
        (("read src/a.py", "edit src/*.py", "test", "lint", "format"), False),
        (("edit src/*.py", "edit src/*.py", "test", "lint"), False),
        (("edit src/a.py", "edit src/test_a.py", "test", "lint", "format"), False),
        (("edit src/a.py", "edit src/b.py", "test"), False),
        (("edit src/*.py", "edit lib/*.py", "edit docs/*.md", "test"), False),
        (("edit src/a.py", "edit lib/*.py", "edit docs/*.md", "edit db/*.sql", "test"), True),
        (("create src/*.py", "edit src/cli.py", "run make docs", "test"), True),
        (("edit src/a.py", "edit lib/b.py", "edit docs/c.md", "test"), True),
    ],
)
def test_only_a_way_through_the_project_is_a_recipe(acts: tuple[str, ...], tells: bool) -> None:
    assert is_telling(acts) is tells


def test_what_requests_share_is_told_in_the_order_of_the_newest() -> None:
    asked = ["Please add a command for refunds", "add the export command", "Could you add a command: archive"]
    assert find_shared_words(asked) == "add command"
    assert find_shared_words(["Fix the tests", "Write docs", "Rename it"]) == ""


def test_files_on_the_way_of_a_recipe_are_not_told_to_go_together_as_well(
    memory: Recollect, clock: Clock
) -> None:
    added(memory, clock, "export", "refund", "archive")
    assert not [one for one in memory.list() if one.kind == "causal_dependency"]
    whys = {note.why for note in memory.observer.notes("archive") if note.origin == "co_access"}
    assert "a recipe says so already" in whys


def test_a_session_that_follows_it_and_fails_counts_against_it_and_it_is_put_away_in_the_end(
    memory: Recollect, clock: Clock
) -> None:
    added(memory, clock, "export", "refund", "archive", "import")
    known = recipe(memory)
    for number, name in enumerate(("merge", "split", "rename", "prune"), start=1):
        begin(memory, name)
        go_on(memory, clock, name, *command(name), edit(CLI), red())
        memory.observer.end_session(name)
        clock.pass_(hours=2)
        if number == 1:
            assert memory.show(known.id).stale_at is not None
    after = memory.show(known.id)
    assert after.fields["failure_count"] == 4
    assert after.state is MemoryState.ARCHIVED


def test_other_steps_that_the_newest_sessions_share_take_the_place_of_the_old(
    memory: Recollect, clock: Clock
) -> None:
    added(memory, clock, "export", "refund", "archive")
    known = recipe(memory)
    for name in ("import", "merge", "split"):
        begin(memory, name)
        steps = [one for one in command(name) if not isinstance(one, dict) or one.get("files") != (DOCS,)]
        go_on(memory, clock, name, *steps, edit("docs/commands.md"), green())
        memory.observer.end_session(name)
        clock.pass_(hours=2)
    now = recipe(memory)
    assert now.id == known.id
    assert "docs/commands.md" in now.text
    assert DOCS not in now.text
    added(memory, clock, "prune")
    assert recipe(memory).id == known.id


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with the files of the recipe."""
    folder = tmp_path / "repository"
    for file in (CLI, DOCS):
        (folder / file).parent.mkdir(parents=True)
        (folder / file).write_text("first\n")
    git(folder, "init", "-qb", "main")
    changed(folder, "first")
    return folder


def git(folder: Path, *command: str) -> None:
    who = ("-c", "user.name=Kim", "-c", "user.email=kim@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *command], check=True)


def changed(folder: Path, text: str) -> None:
    (folder / CLI).write_text(f"{text}\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", text)


def test_following_it_changes_its_files_and_does_not_make_it_stale(
    shop: Path, tmp_path: Path, clock: Clock
) -> None:
    with Recollect(tmp_path / "m.db", folder=shop, embedder=HashEmbedder(), clock=clock) as memory:
        for name in ("export", "refund", "archive", "import"):
            memory.upkeep.run()
            changed(shop, name)
            added(memory, clock, name)
        memory.upkeep.run()
        assert recipe(memory).stale_at is None
        assert recipe(memory).fields["success_count"] == 4
        changed(shop, "somebody else rewrites the commands")
        memory.upkeep.run()
        assert recipe(memory).stale_at is not None


def test_a_model_may_put_a_recipe_into_better_words(memory: Recollect, clock: Clock) -> None:
    better = (
        "To add a command: write src/commands/NAME.py, register it in src/cli.py, tell docs/usage.md too."
    )
    added(memory, clock, "export", "refund")
    begin(memory, "archive")
    go_on(memory, clock, "archive", *command("archive"))
    learn_session(memory._wiring.write_context(), "archive", phrase=make_model_phrase(Writer(better)))
    assert recipe(memory).text == better
    assert [step["act"] for step in recipe(memory).fields["steps"]][:2] == [
        "create src/commands/*.py",
        f"edit {CLI}",
    ]
