"""A loop from command to end: tools run, work verified, feedback given, limits kept, all of it recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.agent import journal as j
from recollect.agent.active_run import NOT_RUN_AGAIN
from recollect.agent.file_tools import file_tools
from recollect.agent.loop import ApprovalRequest, Loop
from recollect.agent.loop_parts import LoopSettings
from recollect.agent.memory_tools import memory_tools
from recollect.agent.run_state import RunStore
from recollect.agent.scripted_client import ScriptedClient
from recollect.agent.shell_tool import shell_tool
from recollect.agent.verify import RunClaim, RunVerdict, verify_by_function
from recollect.errors import BadInput, ProviderUnreachable
from recollect.model.agent_tool import AgentTool, ToolOutput
from recollect.model.arguments import arguments, text
from recollect.model.event import EventType
from tests.conftest import Clock

DONE = {"say": "All done. {completion}"}


@pytest.fixture
def run_store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def memory(
    tmp_path: Path, project: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Recollect]:
    """A memory of a project with the bundled model: whether something bears on a command is for a real one to say."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")
    with Recollect(tmp_path / "memories.db", folder=project, clock=clock) as opened:
        yield opened


def counting_tool(log: list[str], result: Callable[[int], str] = str) -> AgentTool:
    """A tool that notes each call."""

    def run(given: Mapping[str, Any]) -> ToolOutput:
        log.append(given["word"])
        return ToolOutput(text=result(len(log)))

    return AgentTool(
        name="count",
        description="Count.",
        parameters=arguments("word", word=text("A word.")),
        example={"word": "x"},
        reads_only=False,
        run=run,
    )


def calling(*words: str, say: str = "") -> dict[str, Any]:
    return {"say": say, "calls": [{"tool": "count", "arguments": {"word": word}} for word in words]}


def a_loop(
    turns: Sequence[Mapping[str, Any]], tools: Sequence[AgentTool], run_store: RunStore, **more: Any
) -> Loop:
    return Loop(ScriptedClient(turns), tools, run_store=run_store, **more)


def types(run_store: RunStore, run_id: str) -> list[str]:
    return [line.type for line in j.read_journal(run_store.path(run_id) / j.JOURNAL)]


def test_a_run_calls_tools_and_ends_with_the_token(run_store: RunStore, clock: Clock) -> None:
    log: list[str] = []
    result = a_loop(
        [calling("a", "b"), calling("c"), DONE], [counting_tool(log)], run_store, clock=clock
    ).run("Count.")
    assert (result.status, result.answer, result.iterations) == ("completed", "All done.", 3)
    assert log == ["a", "b", "c"]
    assert types(run_store, result.run_id) == [
        "run.created",
        "iteration.started",
        "model.replied",
        "tool.begun",
        "tool.finished",
        "tool.begun",
        "tool.finished",
        "iteration.started",
        "model.replied",
        "tool.begun",
        "tool.finished",
        "iteration.started",
        "model.replied",
        "run.completed",
    ]


def test_a_rejection_is_told_to_the_model_and_recorded(run_store: RunStore, clock: Clock) -> None:
    claims: list[RunClaim] = []

    def judge(claim: RunClaim) -> RunVerdict:
        claims.append(claim)
        passed = len(claims) > 1
        return RunVerdict(
            passed=passed, score=90 if passed else 40, reason="" if passed else "no tests were run"
        )

    loop = a_loop(
        [DONE, calling("t"), DONE],
        [counting_tool([])],
        run_store,
        clock=clock,
        verify=verify_by_function(judge),
    )
    result = loop.run("Make it so.")
    assert (result.status, result.rejections, result.score) == ("completed", 1, 90)
    messages = run_store.state(result.run_id).messages
    assert "no tests were run" in str(messages[2]["content"])
    assert "verification.rejected" in types(run_store, result.run_id)


def test_what_is_rejected_again_and_again_fails(run_store: RunStore, clock: Clock) -> None:
    loop = a_loop([DONE] * 9, [], run_store, clock=clock, verify=verify_by_function(lambda claim: False))
    result = loop.run("Make it so.")
    assert (result.status, result.rejections) == ("failed", 3)
    assert "rejected 3 times" in result.reason


@pytest.mark.parametrize(
    ("turns", "reason"),
    [
        ([calling("a")] * 9, "3 times in a row"),
        ([calling("a"), calling("b")] * 9, "the same 2 calls"),
    ],
)
def test_a_run_that_repeats_itself_is_stuck(
    turns: list[dict[str, Any]], reason: str, run_store: RunStore, clock: Clock
) -> None:
    result = a_loop(turns, [counting_tool([], lambda n: "the same")], run_store, clock=clock).run("Count.")
    assert result.status == "stuck"
    assert reason in result.reason


def test_a_call_whose_result_changes_is_no_repetition(run_store: RunStore, clock: Clock) -> None:
    assert (
        a_loop([calling("a")] * 9, [counting_tool([])], run_store, clock=clock).run("Wait.").status
        == "completed"
    )


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"max_iterations": 4}, "4 iterations"),
        ({"max_total_tokens": 2_000}, "2,000 tokens"),
        ({"max_cost": 0.5}, "0.5 in cost"),
    ],
)
def test_a_run_ends_at_its_limits(
    limits: dict[str, Any], reason: str, run_store: RunStore, clock: Clock
) -> None:
    class Dear(ScriptedClient):
        def cost(self, usage: object) -> float:
            return 0.2

    turns = [calling(str(number)) for number in range(40)]
    loop = Loop(
        Dear(turns), [counting_tool([])], run_store=run_store, clock=clock, settings=LoopSettings(**limits)
    )
    result = loop.run("Count on.")
    assert result.status == "failed"
    assert reason in result.reason


def test_a_run_ends_when_its_time_is_over(run_store: RunStore, clock: Clock) -> None:
    def wait(number: int) -> str:
        clock.pass_(minutes=20)
        return str(number)

    loop = a_loop([calling(str(n)) for n in range(9)], [counting_tool([], wait)], run_store, clock=clock)
    assert "3,600 seconds" in loop.run("Wait.").reason


def test_the_model_can_hand_a_question_to_the_person(run_store: RunStore, clock: Clock) -> None:
    turns = [{"say": "I looked.\nESCALATE: which database is the live one?"}, DONE]
    loop = a_loop(turns, [], run_store, clock=clock)
    result = loop.run("Drop the old tables.")
    assert (result.status, result.reason) == ("escalated", "which database is the live one?")
    with pytest.raises(BadInput, match="waits for an answer"):
        loop.resume(result.run_id)
    assert loop.resume(result.run_id, message="The one called main.").status == "completed"
    assert {"role": "user", "content": "The one called main."} in run_store.state(result.run_id).messages


def test_an_interrupt_cancels_and_the_run_can_be_resumed(run_store: RunStore, clock: Clock) -> None:
    pressed = [True]

    def press(number: int) -> str:
        if number == 2 and pressed.pop():
            raise KeyboardInterrupt
        return str(number)

    log: list[str] = []
    loop = a_loop([calling("a"), calling("b"), DONE], [counting_tool(log, press)], run_store, clock=clock)
    result = loop.run("Count.")
    assert result.status == "cancelled"
    assert run_store.state(result.run_id).unknown == ("scripted_2_0",)
    again = loop.resume(result.run_id)
    assert again.status == "completed"
    assert log == ["a", "b"], "a call that was begun is not run again without a yes"
    assert NOT_RUN_AGAIN in str(run_store.state(result.run_id).messages)


def test_after_a_yes_an_unknown_call_is_run_again(run_store: RunStore, clock: Clock) -> None:
    asked: list[ApprovalRequest] = []

    def yes(request: ApprovalRequest) -> bool:
        asked.append(request)
        return True

    log: list[str] = []

    def press(number: int) -> str:
        if number == 1:
            raise KeyboardInterrupt
        return str(number)

    loop = a_loop([calling("a"), DONE], [counting_tool(log, press)], run_store, clock=clock, approve=yes)
    assert loop.resume(loop.run("Count.").run_id).status == "completed"
    assert log == ["a", "a"]
    assert [request.reason for request in asked] == [
        "it was begun before the process ended, and may have been done already"
    ]


def test_a_dangerous_call_needs_a_yes(run_store: RunStore, clock: Clock, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    tool = shell_tool(tmp_path / "work", environment={})
    turns = [{"calls": [{"tool": "run_shell_command", "arguments": {"command": "rm -rf build"}}]}, DONE]
    result = a_loop(turns, [tool], run_store, clock=clock).run("Clean up.")
    written = types(run_store, result.run_id)
    assert "approval.requested" in written
    assert "tool.begun" not in written
    assert "did not allow" in str(run_store.state(result.run_id).messages)


def test_a_tool_that_breaks_or_does_not_exist_is_an_answer_not_the_end(
    run_store: RunStore, clock: Clock
) -> None:
    def broken(number: int) -> str:
        raise ZeroDivisionError("oh")

    turns = [
        calling("a"),
        {"calls": [{"tool": "nope"}]},
        {"calls": [{"tool": "count", "arguments": {"w": 1}}]},
        DONE,
    ]
    result = a_loop(turns, [counting_tool([], broken)], run_store, clock=clock).run("Count.")
    assert result.status == "completed"
    said = str(run_store.state(result.run_id).messages)
    assert "ZeroDivisionError: oh" in said
    assert "There is no tool 'nope'" in said
    assert "is missing (A word.)" in said


def test_a_model_that_cannot_be_reached_fails_the_run_and_it_can_go_on_later(
    run_store: RunStore, clock: Clock
) -> None:
    class Down(ScriptedClient):
        is_down = True

        def send(self, request: Any) -> Any:
            if self.is_down and request.iteration == 2:
                raise ProviderUnreachable(url="http://127.0.0.1:1", reason="it is switched off")
            return super().send(request)

    client, log = Down([calling("a"), calling("b"), DONE]), list[str]()
    loop = Loop(client, [counting_tool(log)], run_store=run_store, clock=clock)
    result = loop.run("Count.")
    assert result.status == "failed"
    assert "switched off" in result.reason
    client.is_down = False
    assert loop.resume(result.run_id).status == "completed"
    assert log == ["a", "b"]


def test_the_observer_hears_all_of_it_and_learns(
    run_store: RunStore, memory: Recollect, project: Path, clock: Clock
) -> None:
    (project / "app.py").write_text("retries = 3\n", "utf-8")
    turns = [
        {"say": "I read it.", "calls": [{"tool": "read_file", "arguments": {"path": "app.py"}}]},
        {
            "calls": [
                {
                    "tool": "edit_file",
                    "arguments": {"path": "app.py", "old_string": "retries = 3", "new_string": "retries = 5"},
                }
            ]
        },
        {"calls": [{"tool": "remember", "arguments": {"fact": "Retries are five since the outage"}}]},
        DONE,
    ]
    tools = [*file_tools(project), *memory_tools(memory)]
    loop = a_loop(
        turns, tools, run_store, memory=memory, clock=clock, verify=verify_by_function(lambda claim: True)
    )
    result = loop.run("Raise the retries to five.")
    assert result.status == "completed"
    assert result.notes == ()
    events = memory.observer.events(result.run_id)
    kinds = [event.type for event in events]
    assert kinds[0] is EventType.SESSION_STARTED
    assert kinds[-1] is EventType.SESSION_ENDED
    assert kinds.count(EventType.TOOL_FINISHED) == 3
    assert EventType.VALIDATION in kinds
    prompt = next(event for event in events if event.type is EventType.PROMPT)
    assert prompt.text == "Raise the retries to five."
    edit = next(event for event in events if event.tool == "edit_file" and event.ok)
    assert edit.data["edits"][0]["before"]
    texts = [one.text for one in memory.list(limit=50)]
    assert any("Raise the retries to five. — completed" in text for text in texts)


def test_a_rejection_that_was_mended_becomes_a_lesson_for_the_next_run(
    run_store: RunStore, memory: Recollect, clock: Clock
) -> None:
    answers = iter([False, True, True])
    verify = verify_by_function(
        lambda claim: RunVerdict(
            passed=(ok := next(answers)),
            score=90 if ok else 30,
            reason="" if ok else "the changelog is missing",
        )
    )
    loop = a_loop(
        [DONE, calling("x"), DONE], [counting_tool([])], run_store, memory=memory, clock=clock, verify=verify
    )
    assert loop.run("Release the billing package").status == "completed"
    clock.pass_(hours=3)
    second = loop.run("Release the billing package")
    assert "the changelog is missing" in run_store.state(second.run_id).memory_context


def test_a_changed_command_soon_after_a_failure_is_a_correction(
    run_store: RunStore, memory: Recollect, clock: Clock
) -> None:
    failing = a_loop(
        [DONE] * 5, [], run_store, memory=memory, clock=clock, verify=verify_by_function(lambda claim: False)
    )
    failing.run("Deploy to staging")
    clock.pass_(seconds=60)
    a_loop([DONE], [], run_store, memory=memory, clock=clock).run("Deploy to the staging cluster in Berlin")
    found = [one for one in memory.list(limit=50) if one.kind == "correction"]
    assert len(found) == 1
    assert found[0].fields["instead_of"] == "Deploy to staging"


@pytest.mark.parametrize(("seconds", "command"), [(600, "Deploy elsewhere"), (60, "deploy to Staging!")])
def test_neither_a_late_nor_an_equal_command_is_a_correction(
    seconds: int, command: str, run_store: RunStore, memory: Recollect, clock: Clock
) -> None:
    failing = a_loop(
        [DONE] * 5, [], run_store, memory=memory, clock=clock, verify=verify_by_function(lambda claim: False)
    )
    failing.run("Deploy to staging")
    clock.pass_(seconds=seconds)
    a_loop([DONE], [], run_store, memory=memory, clock=clock).run(command)
    assert [one for one in memory.list(limit=50) if one.kind == "correction"] == []


def test_a_run_that_was_silent_for_an_hour_is_abandoned(run_store: RunStore, clock: Clock) -> None:
    class Killed(BaseException):
        pass

    def die(number: int) -> str:
        raise Killed

    loop = a_loop([calling("a"), DONE], [counting_tool([], die)], run_store, clock=clock)
    with pytest.raises(Killed):
        loop.run("Count.")
    assert [state.status for state in run_store.states(now=clock())] == ["running"]
    clock.pass_(minutes=61)
    assert [state.status for state in run_store.states(now=clock())] == ["abandoned"]
    clock.pass_(days=40)
    assert run_store.prune(now=clock()) == 1
    assert run_store.ids() == []


def test_two_processes_cannot_run_the_same_run(run_store: RunStore, clock: Clock) -> None:
    loop = a_loop([{"say": "ESCALATE: what?"}], [], run_store, clock=clock)
    run_id = loop.run("Count.").run_id
    with j.RunJournal(run_store.path(run_id), clock=clock), pytest.raises(BadInput, match="another process"):
        loop.resume(run_id, message="go")


def test_a_torn_line_at_the_end_of_a_journal_is_no_line(run_store: RunStore, clock: Clock) -> None:
    loop = a_loop([{"say": "ESCALATE: what?"}, DONE], [], run_store, clock=clock)
    run_id = loop.run("Count.").run_id
    path = run_store.path(run_id) / j.JOURNAL
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"n": 99, "at": "2026-')
    assert loop.resume(run_id, message="go").status == "completed"
    assert path.read_bytes().startswith(whole)
    lines = list(j.read_journal(path))
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    assert lines[-1].type == "run.completed"
