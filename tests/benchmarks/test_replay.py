"""The replay benchmark: only what lay before a session counts, every session is scored before it is learned."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from benchmarks import replay, replay_baselines, replay_sessions
from recollect.errors import BadInput, NotFound

BEGIN = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)
FOLDER = "/srv/gone/shop"
_ids = count(1)


def write(folder: Path, name: str, *acts: Any, start: int = 0, branch: str = "main") -> None:
    """A session file: a text is a prompt, a pair is a tool and a file; one act a minute."""
    folder.mkdir(exist_ok=True)
    lines: list[dict[str, Any]] = []
    for minute, act in enumerate(acts, start=start):
        at = BEGIN + timedelta(minutes=minute)
        if isinstance(act, str):
            lines.append(_line("user", act, at, name, branch))
            continue
        tool, given, answer, *failed = act
        call = f"toolu_{next(_ids):030}"
        block = {"type": "tool_result", "tool_use_id": call, "content": answer, "is_error": bool(failed)}
        use = {"type": "tool_use", "id": call, "name": tool, "input": given}
        lines.append(_line("assistant", [use], at, name, branch))
        lines.append(_line("user", [block], at + timedelta(seconds=1), name, branch))
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def _line(kind: str, content: Any, at: datetime, session: str, branch: str) -> dict[str, Any]:
    return {
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": f"uuid-{next(_ids)}",
        "timestamp": at.isoformat().replace("+00:00", "Z"),
        "sessionId": session,
        "cwd": FOLDER,
        "gitBranch": branch,
    }


def read(path: str, text: str = "x") -> tuple[str, dict[str, str], str]:
    return "Read", {"file_path": f"{FOLDER}/{path}"}, text


def written(path: str) -> tuple[str, dict[str, str], str]:
    return "Write", {"file_path": f"{FOLDER}/{path}", "content": "x"}, "created"


def ran(output: str, *, ok: bool = True) -> tuple[Any, ...]:
    call = ("Bash", {"command": "pytest -q"}, output if ok else f"Exit code 1\n{output}")
    return call if ok else (*call, "failed")


def named_at_each(folder: Path) -> dict[str, list[str]]:
    """What is foreseen at the first prompt of every session."""
    return {
        one.id: memory.names(one, ()) for one, memory in replay.replay_in_order(replay_sessions.load(folder))
    }


def test_files_seen_before_are_foreseen_and_every_system_is_scored(tmp_path: Path) -> None:
    write(tmp_path / "s", "one", "the cart is empty", read("cart.py"))
    write(tmp_path / "s", "two", "vat is wrong", read("tax.py"), start=10)
    write(tmp_path / "s", "three", "look at tax.py again", read("tax.py"), start=20)
    found = replay.run(tmp_path / "s", warm_up=2)
    assert found["counts"] == {"sessions": 3, "scored": 1, "scored_from_files": 0}
    assert set(found["from_prompt"]) == {
        "recollect",
        "popularity",
        "recency",
        "prompts",
        "paths",
        "combination",
        "combination + branch",
    }
    ours = found["from_prompt"]["recollect"]
    assert (ours["r@5"], ours["r@10"], ours["hit@5"], ours["first_reads"]) == (100.0, 100.0, 100.0, 100.0)


def test_what_the_scored_session_and_later_ones_do_is_not_known(tmp_path: Path) -> None:
    write(tmp_path / "s", "one", "the cart is empty", read("cart.py"))
    write(tmp_path / "s", "two", "vat in tax.py is wrong", read("tax.py", "vat vat vat"), start=10)
    before = named_at_each(tmp_path / "s")
    assert before["two"] == ["cart.py"]
    write(
        tmp_path / "s",
        "three",
        "vat in tax.py",
        read("tax.py", "vat vat"),
        read("vat.py", "vat vat"),
        start=20,
    )
    assert named_at_each(tmp_path / "s")["two"] == before["two"]


def test_of_a_session_that_still_runs_only_what_it_had_done_is_known(tmp_path: Path) -> None:
    write(tmp_path / "s", "long", "all day", read("early.py"), *[read("x.py")] * 8, read("late.py"))
    write(tmp_path / "s", "short", "in between", read("late.py"), start=5)
    assert set(named_at_each(tmp_path / "s")["short"]) == {"early.py", "x.py"}
    sessions = replay_sessions.load(tmp_path / "s").sessions
    at = replay_baselines.moment(sessions[1], sessions, ())
    assert set(replay_baselines.popularity(at)) == {"early.py", "x.py"}


def test_what_a_session_makes_or_does_before_it_is_asked_is_no_target(tmp_path: Path) -> None:
    write(
        tmp_path / "s",
        "one",
        "/resume",
        read("before.py"),
        "now go",
        written("new.py"),
        read("new.py"),
        read("old.py"),
        ("Read", {"file_path": f"{FOLDER}/none.py"}, "File does not exist.", "failed"),
    )
    (session,) = replay_sessions.load(tmp_path / "s").sessions
    assert session.prompt == "now go"
    assert [touch.path for touch in session.targets] == ["old.py"]


def test_with_two_files_known_the_others_are_asked_for(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path / "s", f"s{number}", "go", read("a.py"), read("b.py"), read("c.py"), start=10 * number)
    found = replay.run(tmp_path / "s", warm_up=2)
    assert found["counts"]["scored_from_files"] == 1
    assert found["from_files"]["recollect"]["r@5"] == 100.0
    assert found["from_files"]["co-access"]["r@5"] == 100.0


def test_events_that_a_resumed_session_repeats_count_once(tmp_path: Path) -> None:
    write(tmp_path / "s", "one", "go", read("a.py"))
    lines = (tmp_path / "s/one.jsonl").read_text().splitlines()
    copies = [json.dumps(json.loads(line) | {"sessionId": "two"}) for line in lines]
    (tmp_path / "s/two.jsonl").write_text("\n".join(copies) + "\n")
    replayed = replay_sessions.load(tmp_path / "s")
    assert [session.id for session in replayed.sessions] == ["one"]


def test_the_branch_baseline_counts_sessions_on_the_same_branch_only(tmp_path: Path) -> None:
    write(tmp_path / "s", "one", "go", read("a.py"), branch="kim/vat")
    write(tmp_path / "s", "two", "go", read("b.py"), branch="main", start=10)
    write(tmp_path / "s", "three", "go", read("a.py"), branch="kim/vat", start=20)
    sessions = replay_sessions.load(tmp_path / "s").sessions
    assert replay_baselines.branch(replay_baselines.moment(sessions[2], sessions, ())) == {"a.py": 1}


def test_errors_that_come_back_are_counted_with_what_mended_them(tmp_path: Path) -> None:
    failing, passing = "E   KeyError: 'rate_table'\n1 failed in 0.1s", "3 passed in 0.1s"
    edit = ("Edit", {"file_path": f"{FOLDER}/a.py", "old_string": "x", "new_string": "y"}, "ok")
    write(tmp_path / "s", "one", "go", ran(failing, ok=False), edit, ran(passing))
    write(tmp_path / "s", "two", "go", ran(failing, ok=False), start=20)
    write(
        tmp_path / "s",
        "three",
        "go",
        ran("E   ValueError: no such unit\n1 failed in 0.1s", ok=False),
        start=40,
    )
    sessions = replay_sessions.load(tmp_path / "s").sessions
    assert replay_sessions.count_errors(sessions)["checks"] == {"met": 3, "again": 1, "remedy_known": 1}
    assert replay_sessions.count_errors(sessions[1:])["checks"] == {"met": 2, "again": 0, "remedy_known": 0}


def test_a_folder_without_sessions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        replay.run(tmp_path / "none")
    with pytest.raises(BadInput, match="no session files"):
        replay.run(tmp_path)
    write(tmp_path / "s", "one", "go", read("a.py"))
    with pytest.raises(BadInput, match="no session to score"):
        replay.run(tmp_path / "s")
