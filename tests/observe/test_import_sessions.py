"""Past sessions, replayed as if we had been there: once, in the order of time, and only ours."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recollect import Recollect
from recollect.clients.transcript_reader import TranscriptHead
from recollect.errors import NotFound
from recollect.events import inbox as mail
from recollect.events.event_dict import make_event
from recollect.hooks.hook_context import read_lines
from recollect.model.event import EventType
from recollect.observe import past_sessions as formats_module
from tests.events.payload_events import payloads
from tests.events.test_transcripts import a_result, a_use, claude, jsonl
from tests.hash_embedder import HashEmbedder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    run = ["git", "-C", str(folder), "-c", "user.name=kim", "-c", "user.email=kim@example.org"]
    subprocess.run([*run, "init", "-q", "-b", "main"], check=True)
    subprocess.run([*run, "commit", "-q", "--allow-empty", "-m", "begin"], check=True)
    return folder


@pytest.fixture
def memory(tmp_path: Path, shop: Path) -> Iterator[Recollect]:
    now = datetime(2026, 5, 8, tzinfo=UTC)
    with Recollect(tmp_path / "m.db", folder=shop, embedder=HashEmbedder(), clock=lambda: now) as opened:
        yield opened


def kept(home: Path, session: str, folder: str, *lines: dict[str, Any]) -> Path:
    """A transcript where Claude Code keeps it."""
    own = [
        {**line, "sessionId": session, "cwd": folder, "uuid": f"{session}-{line['uuid']}"} for line in lines
    ]
    return jsonl(home / ".claude" / "projects" / folder.replace("/", "-") / f"{session}.jsonl", *own)


def a_session(number: int = 1) -> list[dict[str, Any]]:
    call = f"toolu_{number:024}"
    return [
        claude("user", number, f"Task {number}"),
        claude("assistant", number + 1, [a_use(call, "Bash", command="pytest -q")]),
        claude(
            "user",
            number + 2,
            [a_result(call, "12 passed")],
            toolUseResult={"stdout": "12 passed", "stderr": ""},
        ),
    ]


def test_the_sessions_of_this_project_are_found_where_the_agent_keeps_them(
    memory: Recollect, shop: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    kept(tmp_path, "one", str(shop), *a_session(1))
    kept(tmp_path, "two", str(elsewhere), *a_session(5))
    done = memory.observer.import_sessions(home=tmp_path)
    assert (done.sessions, done.events, done.elsewhere, done.failed) == (1, 4, 1, [])
    session = memory.observer.session("one")
    project = memory.project()
    assert project is not None
    assert (session.project_id, session.client, session.branch) == (project.id, "claude-code", "rounding")
    assert session.ended_at == session.last_at


def test_all_projects_are_taken_when_asked_for(memory: Recollect, shop: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    kept(tmp_path, "one", str(shop), *a_session(1))
    kept(tmp_path, "two", str(elsewhere), *a_session(5))
    assert memory.observer.import_sessions(home=tmp_path, every_project=True).sessions == 2
    assert memory.observer.session("one").project_id != memory.observer.session("two").project_id


def test_twice_is_once(memory: Recollect, shop: Path, tmp_path: Path) -> None:
    path = kept(tmp_path, "one", str(shop), *a_session(1))
    memory.observer.import_sessions(home=tmp_path)
    again = memory.observer.import_sessions(home=tmp_path)
    assert (again.events, again.unchanged) == (0, 1)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(path.read_bytes())
    copied = memory.observer.import_sessions("claude-code", copy)
    assert (copied.events, copied.known) == (0, 4)


def test_a_session_that_went_on_is_read_on(memory: Recollect, shop: Path, tmp_path: Path) -> None:
    kept(tmp_path, "one", str(shop), *a_session(1))
    memory.observer.import_sessions(home=tmp_path)
    kept(tmp_path, "one", str(shop), *a_session(1), claude("user", 30, "One more thing"))
    again = memory.observer.import_sessions(home=tmp_path)
    assert (again.events, again.known) == (1, 0)
    assert memory.observer.events("one")[-1].text == "One more thing"


def test_what_a_hook_told_is_not_told_again(memory: Recollect, shop: Path, tmp_path: Path) -> None:
    session = str(payloads("claude-code")["Stop"]["session_id"])
    inbox = mail.inbox_path(str(tmp_path / "m.db"))
    for number, name in enumerate(
        ("SessionStart.startup", "UserPromptSubmit", "PreToolUse.Bash", "PostToolUse.Bash", "Stop")
    ):
        text = json.dumps(payloads("claude-code")[name]).replace("/srv/shop", str(shop))
        at = f"2026-03-04T10:00:{number:02}.500+00:00"
        mail.append(inbox, read_lines("claude-code", json.loads(text), at, lambda n=number: f"hook-{n}"))
    memory.observer.drain()
    before = {event.id for event in memory.observer.events(session)}
    lines = [
        claude("user", 1, "Round prices to cents"),
        claude("assistant", 2, [{"type": "text", "text": "First the tests."}]),
        claude("assistant", 3, [a_use("toolu_b1", "Bash", command="pytest -q")]),
        claude("user", 4, [a_result("toolu_b1", "12 passed")]),
        claude("assistant", 5, [{"type": "text", "text": "Prices are rounded."}]),
    ]
    kept(tmp_path, session, str(shop), *lines)
    done = memory.observer.import_sessions(home=tmp_path)
    new = [event for event in memory.observer.events(session) if event.id not in before]
    assert [event.text for event in new] == ["First the tests."]
    assert done.events == 1


def test_the_same_words_said_again_later_are_said_again(
    memory: Recollect, shop: Path, tmp_path: Path
) -> None:
    kept(tmp_path, "one", str(shop), claude("user", 1, "continue"), claude("user", 2, "continue"))
    memory.observer.import_sessions(home=tmp_path)
    assert [event.text for event in memory.observer.events("one") if event.text] == ["continue", "continue"]


def test_a_forked_session_is_linked_and_not_doubled(memory: Recollect, shop: Path, tmp_path: Path) -> None:
    lines = a_session(1)
    path = kept(tmp_path, "one", str(shop), *lines)
    fork = path.with_name("two.jsonl")
    more = claude("user", 40, "Another way") | {"sessionId": "two", "cwd": str(shop), "uuid": "two-40"}
    fork.write_text(path.read_text().replace('"one"', '"two"') + json.dumps(more) + "\n")
    memory.observer.import_sessions(home=tmp_path)
    assert [event.text for event in memory.observer.events("two") if event.text] == ["Another way"]
    assert memory.observer.session("two").parent_id == "one"


def test_sessions_are_learned_in_the_order_of_time(memory: Recollect, shop: Path, tmp_path: Path) -> None:
    kept(tmp_path, "a-later", str(shop), *a_session(20))
    kept(tmp_path, "b-earlier", str(shop), *a_session(3))
    learned: list[tuple[str, int]] = []
    memory.observer.import_sessions(
        home=tmp_path, learn=lambda session: learned.append((session, len(memory.observer.events(session))))
    )
    assert learned == [("b-earlier", 4), ("a-later", 4)]


def test_an_import_that_is_stopped_goes_on_where_it_was(
    memory: Recollect, shop: Path, tmp_path: Path
) -> None:
    for number in range(3):
        kept(tmp_path, f"s{number}", str(shop), *a_session(number * 4))
    seen: list[str] = []

    def stop_at_the_second(session: str) -> None:
        seen.append(session)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.observer.import_sessions(home=tmp_path, learn=stop_at_the_second)
    memory.observer.import_sessions(home=tmp_path, learn=seen.append)
    assert seen == ["s0", "s1", "s2"]


def test_a_dry_run_changes_nothing(memory: Recollect, shop: Path, tmp_path: Path) -> None:
    kept(tmp_path, "one", str(shop), *a_session(1))
    done = memory.observer.import_sessions(home=tmp_path, dry_run=True)
    assert (done.sessions, done.events, done.dry_run) == (1, 4, True)
    with pytest.raises(NotFound):
        memory.observer.session("one")
    assert memory.observer.import_sessions(home=tmp_path).events == 4


def test_a_transcript_of_another_machine_belongs_to_whoever_names_it(
    memory: Recollect, tmp_path: Path
) -> None:
    gone = "/Users/kim/gone/shop"
    path = jsonl(
        tmp_path / "given.jsonl",
        claude("user", 1, "go") | {"cwd": gone},
        claude("assistant", 2, [a_use("toolu_1", "Read", file_path=f"{gone}/src/a.py")])
        | {"cwd": f"{gone}/src"},
    )
    assert memory.observer.import_sessions(home=tmp_path).sessions == 0
    memory.observer.import_sessions("claude-code", path)
    session = memory.observer.sessions()[0]
    project = memory.project()
    assert project is not None
    assert session.project_id == project.id
    assert memory.observer.events(session.id)[-1].files == ("src/a.py",)


def test_secrets_do_not_reach_the_store(memory: Recollect, shop: Path, tmp_path: Path) -> None:
    token = "ghp_" + "a8Zk3Lq9Xw2Vb7Nm4Rt6" * 2
    kept(tmp_path, "one", str(shop), claude("user", 1, f"use {token}"))
    memory.observer.import_sessions(home=tmp_path)
    assert token.encode() not in (tmp_path / "m.db").read_bytes() + (tmp_path / "m.db-wal").read_bytes()


def test_a_reader_that_was_never_tried_says_so(memory: Recollect, tmp_path: Path) -> None:
    path = tmp_path / "t.traj"
    path.write_text(json.dumps({"trajectory": [{"action": "ls", "observation": "a"}]}))
    done = memory.observer.import_sessions(path=path)
    assert (done.unverified, done.events) == (["swe-agent"], 3)


def test_a_format_nobody_knows_is_named_with_those_that_are(memory: Recollect, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="swe-agent"):
        memory.observer.import_sessions("emacs", tmp_path)
    with pytest.raises(NotFound, match="nowhere"):
        memory.observer.import_sessions(path=tmp_path / "nowhere")


def test_a_chat_that_tells_its_folder_as_a_hash_is_found(
    memory: Recollect, shop: Path, tmp_path: Path
) -> None:
    told = sha256(str(shop.resolve()).encode()).hexdigest()
    chat = {
        "sessionId": "ge1",
        "projectHash": told,
        "startTime": "2026-03-04T10:00:00Z",
        "messages": [{"id": "m1", "type": "user", "content": [{"text": "Round prices"}]}],
    }
    file = tmp_path / ".gemini" / "tmp" / told / "chats" / "session-1.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(chat))
    assert memory.observer.import_sessions("gemini", home=tmp_path).events == 2
    project = memory.project()
    assert project is not None
    assert memory.observer.session("ge1").project_id == project.id


# -- readers of other packages -------------------------------------------------------------------------------


def _read_plain(path: Path, reading: object) -> Iterator[dict[str, Any]]:
    yield make_event(
        "prompt", id=path.stem, at="2026-03-04T10:00:00+00:00", session_id=path.stem, text=path.read_text()
    )


PLAIN = SimpleNamespace(
    NAME="plain",
    ENDINGS=(".plain",),
    find=lambda home: iter(()),
    head=lambda path: TranscriptHead(session_id=path.stem),
    read=_read_plain,
)
RAISING = SimpleNamespace(
    NAME="raising", ENDINGS=(".plain",), find=lambda home: iter(()), head=lambda path: 1 / 0, read=_read_plain
)


def installed(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    points = EntryPoints(EntryPoint(name, f"{__name__}:{name}", "recollect.transcripts") for name in names)
    monkeypatch.setattr(formats_module, "entry_points", lambda group: points.select(group=group))


def test_another_package_adds_a_format(
    memory: Recollect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, "PLAIN")
    (tmp_path / "p1.plain").write_text("Round prices")
    done = memory.observer.import_sessions("plain", tmp_path)
    assert done.events == 1
    assert memory.observer.events("p1")[0].type is EventType.PROMPT


def test_a_broken_package_is_named_and_left_out(
    memory: Recollect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, "MISSING", "RAISING")
    (tmp_path / "p1.plain").write_text("Round prices")
    done = memory.observer.import_sessions(path=tmp_path)
    assert [plugin.partition(":")[0] for plugin in done.broken_plugins] == ["MISSING"]
    assert len(done.failed) == 1
    assert "ZeroDivisionError" in done.failed[0]
