"""A model as judge: its score decides, its reason is told to the agent, and settings say which model it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import config
from recollect.agent.loop import Loop
from recollect.agent.run_state import RunStore
from recollect.agent.scripted_client import ScriptedClient
from recollect.agent.verify import (
    RunClaim,
    RunVerdict,
    open_judge,
    verify_by_all,
    verify_by_function,
    verify_by_judge,
)
from recollect.errors import BadInput, ProviderAnswer
from tests.agent.test_clients import Server, openai
from tests.agent.test_loop import DONE, calling, counting_tool

CLAIM = RunClaim(command="Count to three.", answer="Done.", actions=('count {"word": "a"}',))


@pytest.fixture
def server() -> Iterator[Server]:
    opened = Server()
    yield opened
    opened.close()


def judging(server: Server) -> config.Settings:
    flags = {"completer.kind": "openai", "completer.model": "judge", "completer.url": server.url}
    return config.load_settings(flags=flags)


def says(score: object, reason: str = "") -> tuple[int, Any]:
    return openai({"role": "assistant", "content": json.dumps({"score": score, "reason": reason})})


@pytest.mark.parametrize(("score", "passed"), [(70, True), (69, False), (100, True), (0, False)])
def test_seventy_of_a_hundred_passes(server: Server, score: int, passed: bool) -> None:
    server.answers = [says(score, "why")]
    verdict = verify_by_judge(open_judge(judging(server)))(CLAIM)
    assert verdict == RunVerdict(passed=passed, score=score, reason="why")
    asked = json.dumps(server.asked[0]["body"])
    assert "Count to three." in asked
    assert "count {" in asked


def test_an_answer_without_a_score_is_asked_for_again_and_then_an_error(server: Server) -> None:
    server.answers = [openai({"role": "assistant", "content": "Looks fine!"}), says(90)]
    verify = verify_by_judge(open_judge(judging(server)))
    assert verify(CLAIM).score == 90
    server.answers = [says(900), says("good"), says(True)]
    with pytest.raises(ProviderAnswer):
        verify(CLAIM)


def test_the_reason_of_a_judge_reaches_the_agent(server: Server, tmp_path: Path) -> None:
    server.answers = [says(40, "three is missing"), says(95)]
    store = RunStore(tmp_path)
    loop = Loop(
        ScriptedClient([calling("one"), DONE, calling("three"), DONE]),
        [counting_tool([])],
        run_store=store,
        verify=verify_by_judge(open_judge(judging(server))),
    )
    result = loop.run("Count to three.")
    assert (result.status, result.rejections, result.score) == ("completed", 1, 95)
    assert "three is missing" in str(store.state(result.run_id).messages)


def test_without_a_model_there_is_no_judge() -> None:
    with pytest.raises(BadInput, match=r"completer\.kind"):
        open_judge(config.load_settings())


def test_of_several_verifiers_the_first_that_refuses_decides() -> None:
    asked: list[str] = []

    def verifier(name: str, passes: bool) -> Any:
        def judge(claim: RunClaim) -> RunVerdict:
            asked.append(name)
            return RunVerdict(passed=passes, score=80 if passes else 10, reason=name)

        return verify_by_function(judge)

    verify = verify_by_all(verifier("tests", True), verifier("judge", False), verifier("never", True))
    assert verify(CLAIM).reason == "judge"
    assert asked == ["tests", "judge"]


def test_the_command_line_judges_and_a_resumed_run_is_judged_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "turns.json").write_text(json.dumps([{"say": "{completion}"}] * 4), "utf-8")
    environment = {
        **os.environ,
        "RECOLLECT_COMPLETER_KIND": "openai",
        "RECOLLECT_COMPLETER_MODEL": "judge",
        "RECOLLECT_COMPLETER_URL": server.url,
    }

    def recollect(*words: str) -> Any:
        command = [sys.executable, "-m", "recollect", *words, "--db", str(tmp_path / "memories.db"), "--json"]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
        )
        return json.loads(done.stdout)["run"]

    server.answers = [says(10, "nothing was done")] * 3
    first = recollect(
        "run", "greet", "--model", f"scripted:{tmp_path / 'turns.json'}", "--judge", "--no-memory"
    )
    assert (first["status"], first["rejections"]) == ("failed", 3)
    server.answers = [says(90)]
    assert recollect("resume", "last", "--no-memory")["status"] == "completed"
