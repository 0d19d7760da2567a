"""Commands of one sort, templates made of runs that went well, and lessons that reach the next run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.agent.file_tools import file_tools
from recollect.agent.loop import Loop, RunResult
from recollect.agent.run_state import RunStore
from recollect.agent.scripted_client import ScriptedClient
from recollect.agent.task_templates import are_alike, shared_pattern
from recollect.agent.verify import RunVerdict, verify_by_function
from recollect.capture.recipes import is_to_retire
from recollect.model.memory import Memory, MemoryState
from recollect.model.provenance import Channel
from tests.conftest import Clock

THINGS = ("billing", "search", "login", "export")


@pytest.fixture
def memory(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recollect]:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")
    (tmp_path / "project").mkdir()
    # As `recollect run` opens it: the agent speaks.
    with Recollect(
        tmp_path / "memories.db",
        folder=tmp_path / "project",
        clock=clock,
        actor="agent",
        channel=Channel.AGENT,
    ) as opened:
        yield opened


FILES = ("VERSION", "CHANGELOG.md")


def release(
    thing: str,
    memory: Recollect,
    tmp_path: Path,
    clock: Clock,
    *,
    passes: bool = True,
    files: tuple[str, ...] = FILES,
) -> RunResult:
    """A run that writes files for one thing."""
    clock.pass_(hours=2)
    calls = [
        {"calls": [{"tool": "write_file", "arguments": {"path": f"{thing}/{name}", "content": thing}}]}
        for name in files
    ]
    verdict = RunVerdict(passed=passes, score=90 if passes else 20, reason="" if passes else "no tag was set")
    loop = Loop(
        ScriptedClient([*calls, *[{"say": "Done. {completion}"}] * 5]),
        file_tools(tmp_path / "project"),
        memory,
        run_store=RunStore(tmp_path / "runs"),
        verify=verify_by_function(lambda claim: verdict),
        clock=clock,
    )
    return loop.run(f"Release the {thing} package")


@pytest.mark.parametrize(
    ("known", "command", "alike"),
    [
        ("Release the billing package", "Release the search package", True),
        ("Release the billing package", "please release the package called mailer", True),
        ("Release the billing package", "Delete the billing table", False),
        ("Add a column for birthdays to the customers table", "Add an endpoint that returns orders", False),
        ("", "anything", False),
    ],
)
def test_commands_are_alike_by_the_words_that_say_what_to_do(known: str, command: str, alike: bool) -> None:
    assert are_alike(known, command) is alike


def test_a_pattern_has_what_commands_share() -> None:
    assert shared_pattern([f"Release the {thing} package" for thing in THINGS]) == "Release the … package"


def test_three_good_runs_make_a_template_that_the_fourth_is_given(
    memory: Recollect, tmp_path: Path, clock: Clock
) -> None:
    for thing in THINGS[:3]:
        assert release(thing, memory, tmp_path, clock).notes == ()
    (template,) = [one for one in memory.list(limit=50) if one.kind == "workflow_recipe"]
    assert template.fields["task_pattern"] == "Release the … package"
    steps = [step["description"] for step in template.fields["steps"]]
    assert steps == ["write_file …/VERSION", "write_file …/CHANGELOG.md"]
    fourth = release(THINGS[3], memory, tmp_path, clock)
    assert template.id[:13] in RunStore(tmp_path / "runs").state(fourth.run_id).memory_context
    assert memory.show(template.id).fields["success_count"] == 4


def test_two_good_runs_make_no_template(memory: Recollect, tmp_path: Path, clock: Clock) -> None:
    for thing in THINGS[:2]:
        release(thing, memory, tmp_path, clock)
    assert [one for one in memory.list(limit=50) if one.kind == "workflow_recipe"] == []


def test_a_template_that_led_nowhere_is_not_given_again(
    memory: Recollect, tmp_path: Path, clock: Clock
) -> None:
    for thing in THINGS[:3]:
        release(thing, memory, tmp_path, clock)
    assert release(THINGS[3], memory, tmp_path, clock, passes=False).status == "failed"
    (template,) = [one for one in memory.list(limit=50) if one.kind == "workflow_recipe"]
    assert template.fields["failure_count"] == 1
    fifth = release("mailer", memory, tmp_path, clock)
    assert template.id[:13] not in RunStore(tmp_path / "runs").state(fifth.run_id).memory_context


def test_a_failure_is_kept_as_an_open_issue(memory: Recollect, tmp_path: Path, clock: Clock) -> None:
    release("billing", memory, tmp_path, clock, passes=False)
    (issue,) = [one for one in memory.list(limit=50) if one.kind == "issue"]
    assert "no tag was set" in issue.text


def find_template(memory: Recollect) -> Memory:
    filters = memory.filters(kinds=("workflow_recipe",), states=tuple(MemoryState))
    (template,) = memory.list(filters, limit=5)
    return template


def test_a_run_that_follows_a_stale_template_by_itself_brings_it_back(
    memory: Recollect, tmp_path: Path, clock: Clock
) -> None:
    for thing in THINGS[:3]:
        release(thing, memory, tmp_path, clock)
    release(THINGS[3], memory, tmp_path, clock, passes=False)
    assert find_template(memory).stale_at is not None
    release("mailer", memory, tmp_path, clock)
    template = find_template(memory)
    assert template.stale_at is None
    assert (template.fields["success_count"], template.fields["failure_count"]) == (4, 1)
    assert template.fields["success_rate"] == 0.8


def test_below_half_of_its_last_five_runs_a_template_is_retired(
    memory: Recollect, tmp_path: Path, clock: Clock
) -> None:
    for thing in THINGS[:3]:
        release(thing, memory, tmp_path, clock)
    for number, passes in enumerate((True, False, True, False)):
        release(f"part{number}", memory, tmp_path, clock, passes=passes)
        assert find_template(memory).state is MemoryState.ACTIVE
    release("part9", memory, tmp_path, clock, passes=False)
    template = find_template(memory)
    assert template.fields["recent"] == ["passed", "failed", "passed", "failed", "failed"]
    assert template.state is MemoryState.ARCHIVED
    assert is_to_retire(template.fields["recent"])


def test_a_template_is_refined_when_the_last_runs_share_other_steps(
    memory: Recollect, tmp_path: Path, clock: Clock
) -> None:
    for thing in THINGS[:3]:
        release(thing, memory, tmp_path, clock)
    for number in range(8):
        release(f"part{number}", memory, tmp_path, clock, files=("VERSION", "NOTES.md", "CHANGELOG.md"))
    steps = [step["description"] for step in find_template(memory).fields["steps"]]
    assert steps == ["write_file …/VERSION", "write_file …/NOTES.md", "write_file …/CHANGELOG.md"]
    assert "NOTES.md" in find_template(memory).text


def test_steps_without_a_name_for_their_task_are_no_template(
    memory: Recollect, tmp_path: Path, clock: Clock
) -> None:
    for thing in THINGS[:3]:
        clock.pass_(hours=2)
        calls = [
            {"calls": [{"tool": "write_file", "arguments": {"path": f"{thing}/X.md", "content": thing}}]}
        ]
        Loop(
            ScriptedClient([*calls, {"say": "Done. {completion}"}]),
            file_tools(tmp_path / "project"),
            memory,
            run_store=RunStore(tmp_path / "runs"),
            verify=verify_by_function(lambda claim: RunVerdict(passed=True, score=90)),
            clock=clock,
        ).run("Please fix the failing tests")
    assert [one for one in memory.list(limit=50) if one.kind == "workflow_recipe"] == []


def test_a_request_that_also_stands_in_a_file_that_was_read_makes_a_template_all_the_same(
    memory: Recollect, tmp_path: Path, clock: Clock
) -> None:
    request = "Draw a dashboard panel of {} per day"
    for thing in THINGS[:3]:
        clock.pass_(hours=2)
        note = {"path": f"{thing}/panel.txt", "content": f"{request.format(thing)}\n"}
        calls = [
            {"calls": [{"tool": "search_file_content", "arguments": {"pattern": "panel"}}]},
            {"calls": [{"tool": "write_file", "arguments": note}]},
        ]
        Loop(
            ScriptedClient([*calls, *[{"say": "Done. {completion}"}] * 5]),
            file_tools(tmp_path / "project"),
            memory,
            run_store=RunStore(tmp_path / "runs"),
            verify=verify_by_function(lambda claim: RunVerdict(passed=True, score=90)),
            clock=clock,
        ).run(request.format(thing))
    [recipe] = [one for one in memory.list() if one.kind == "workflow_recipe"]
    assert recipe.state is MemoryState.ACTIVE
    assert recipe.text.startswith("To do “Draw a dashboard panel of … per day”: ")
