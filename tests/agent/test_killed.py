"""A run that is killed at any line of its journal or inside any call is resumed to its end; nothing is done twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.agent import journal as j
from recollect.agent.loop import RunResult
from recollect.agent.run_state import RunStore
from recollect.model.event import EventType
from tests.agent.kill_driver import a_loop

ROOT = Path(__file__).parents[2]
# run.created … run.completed; `test_the_run_has_so_many_lines` says when this is no longer so.
LINES = 24
CALLS = ("a", "b", "c", "d", "e")


def kill_at(folder: Path, stop: str, *more: str) -> str:
    """Start a run, kill it there, and give the id of it."""
    command = [sys.executable, "-m", "tests.agent.kill_driver", str(folder), stop, *more]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        word = process.stdout.readline().strip()
        process.kill()
    assert word == "ready"
    (run_id,) = RunStore(folder / "runs").ids()
    return run_id


def resume(folder: Path, run_id: str) -> RunResult | None:
    if RunStore(folder / "runs").state(run_id).status == "completed":
        return None
    return a_loop(folder).resume(run_id)


def done(folder: Path) -> list[str]:
    path = folder / "done.txt"
    return path.read_text("utf-8").split() if path.exists() else []


def test_the_run_has_so_many_lines(tmp_path: Path) -> None:
    result = a_loop(tmp_path).run("Write all the words.")
    assert result.status == "completed"
    lines = list(j.read_journal(tmp_path / "runs" / result.run_id / j.JOURNAL))
    assert len(lines) == LINES
    assert done(tmp_path) == list(CALLS)


@pytest.mark.slow
@pytest.mark.parametrize("line", range(1, LINES + 1))
def test_killed_at_a_line_it_is_resumed_and_nothing_runs_twice(line: int, tmp_path: Path) -> None:
    run_id = kill_at(tmp_path, str(line))
    acknowledged = (tmp_path / "acknowledged.txt").read_text("utf-8").splitlines()
    path = tmp_path / "runs" / run_id / j.JOURNAL
    assert [f"{one.number} {one.type}" for one in j.read_journal(path)] == acknowledged, "no line is lost"
    result = resume(tmp_path, run_id)
    assert RunStore(tmp_path / "runs").state(run_id).status == "completed"
    words = done(tmp_path)
    assert len(words) == len(set(words)), "no call runs twice"
    # A call that was begun and had not acted yet stays undone without a yes, and the model is told.
    unknown = [one for one in j.read_journal(path) if one.facts.get("unknown")]
    assert len(words) + len(unknown) == len(CALLS)
    assert result is None or result.rejections == 1


@pytest.mark.slow
@pytest.mark.parametrize("word", CALLS)
def test_killed_inside_a_call_it_is_unknown_and_not_run_again(word: str, tmp_path: Path) -> None:
    run_id = kill_at(tmp_path, word)
    run_store = RunStore(tmp_path / "runs")
    assert len(run_store.state(run_id).unknown) == 1
    result = resume(tmp_path, run_id)
    assert result is not None
    assert result.status == "completed"
    assert done(tmp_path) == list(CALLS), "it had acted; a second time would be one too many"


@pytest.mark.slow
@pytest.mark.parametrize("line", [1, 5, 12, 20])
def test_after_a_kill_the_observer_hears_each_thing_once(line: int, tmp_path: Path) -> None:
    run_id = kill_at(tmp_path, str(line), "with-memory")
    with Recollect(tmp_path / "memories.db", folder=None) as memory:
        a_loop(tmp_path, memory=memory).resume(run_id)
        events = memory.observer.events(run_id)
        state = RunStore(tmp_path / "runs").state(run_id)
    kinds = [event.type for event in events]
    assert kinds.count(EventType.SESSION_STARTED) == 1
    assert kinds.count(EventType.PROMPT) == 1
    assert kinds.count(EventType.TOOL_FINISHED) == len(CALLS)
    assert kinds.count(EventType.VALIDATION) == 2
    assert state.status == "completed"
