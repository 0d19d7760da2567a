"""From the inbox into the store, by whatever call comes next."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.errors import BadInput, NotFound, RecollectError, StoreBusy
from recollect.events import inbox as mail
from recollect.hooks.hook_context import read_lines
from recollect.model.event import EventType
from recollect.observe import drain as drain_module
from tests.events.payload_events import NOW, payloads
from tests.hash_embedder import HashEmbedder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a commit, on a branch."""
    folder = tmp_path / "shop"
    folder.mkdir()
    run = ["git", "-C", str(folder), "-c", "user.name=kim", "-c", "user.email=kim@example.org"]
    subprocess.run([*run, "init", "-q", "-b", "rounding"], check=True)
    subprocess.run([*run, "commit", "-q", "--allow-empty", "-m", "begin"], check=True)
    return folder


@pytest.fixture
def opened(tmp_path: Path, shop: Path) -> Iterator[Recollect]:
    with Recollect(tmp_path / "memories.db", folder=shop, embedder=HashEmbedder()) as memory:
        yield memory


def heard(tmp_path: Path, shop: Path, *names: str, **changes: Any) -> str:
    """Payloads as a hook would write them, for the repository."""
    inbox = mail.inbox_path(str(tmp_path / "memories.db"))
    for number, name in enumerate(names):
        text = json.dumps(payloads("claude-code")[name] | changes).replace("/srv/shop", str(shop))
        lines = read_lines("claude-code", json.loads(text), NOW, lambda n=number: f"{n:026}")
        mail.append(inbox, lines)
    return inbox


SESSION = "5b0c9a52-7d0e-4f0a-9a53-1f3a60f2c001"


def test_the_next_recall_takes_in_what_hooks_wrote(tmp_path: Path, shop: Path, opened: Recollect) -> None:
    heard(tmp_path, shop, "SessionStart.startup", "UserPromptSubmit", "PostToolUse.Bash", "SessionEnd")
    opened.recall("prices")
    kinds = [event.type for event in opened.observer.events(SESSION)]
    assert sorted(kinds) == ["prompt", "session_ended", "session_started", "tool_finished"]


def test_the_next_remember_does_too(tmp_path: Path, shop: Path, opened: Recollect) -> None:
    inbox = heard(tmp_path, shop, "UserPromptSubmit")
    opened.remember("Prices are in cents")
    assert len(opened.observer.events(SESSION)) == 1
    assert not mail.has_waiting(inbox)


def test_a_session_has_its_project_branch_client_and_end(
    tmp_path: Path, shop: Path, opened: Recollect
) -> None:
    heard(tmp_path, shop, "SessionStart.startup", "SessionEnd")
    opened.observer.drain()
    session = opened.observer.session(SESSION)
    project = opened.project()
    assert project is not None
    assert (session.project_id, session.branch, session.client) == (project.id, "rounding", "claude-code")
    assert session.ended_at is not None
    assert [found.id for found in opened.observer.sessions()] == [SESSION]


def test_a_file_is_named_as_the_project_sees_it(tmp_path: Path, shop: Path, opened: Recollect) -> None:
    heard(tmp_path, shop, "PostToolUse.Read")
    opened.observer.drain()
    assert opened.observer.events(SESSION)[0].files == ("src/price.py",)


def test_an_inbox_read_twice_is_stored_once(tmp_path: Path, shop: Path, opened: Recollect) -> None:
    inbox = heard(tmp_path, shop, "PostToolUse.Bash", "UserPromptSubmit")
    text = Path(inbox).read_bytes()
    assert opened.observer.drain().taken.stored == 2
    Path(inbox).write_bytes(text)
    again = opened.observer.drain().taken
    assert (again.stored, again.known) == (0, 2)


def test_a_batch_is_heard_only_where_the_first_witness_is_silent(
    tmp_path: Path, shop: Path, opened: Recollect
) -> None:
    heard(tmp_path, shop, "PostToolUse.Bash", "PostToolBatch", "PreToolUse.denied", "PostToolBatch.denied")
    opened.observer.drain()
    ran, denied = opened.observer.steps(SESSION).steps
    assert (ran.ok, ran.exit_code) == (True, 0)
    assert (denied.command, denied.denied) == ("rm -rf build", True)
    ends = [
        event.call_id for event in opened.observer.events(SESSION) if event.type is EventType.TOOL_FINISHED
    ]
    assert sorted(ends) == ["toolu_b1", "toolu_b4"]
    heard(tmp_path, shop, "PostToolBatch")
    assert opened.observer.drain().taken.stored == 0


def test_unknown_events_are_kept_and_counted(tmp_path: Path, shop: Path, opened: Recollect) -> None:
    heard(tmp_path, shop, "Tomorrow")
    assert opened.observer.drain().taken.unknown == 1
    assert opened.observer.unknown() == 1


def test_reading_only_leaves_the_inbox_alone(tmp_path: Path, shop: Path, opened: Recollect) -> None:
    opened.remember("Prices are in cents")
    inbox = heard(tmp_path, shop, "UserPromptSubmit")
    with Recollect(tmp_path / "memories.db", folder=shop, embedder=HashEmbedder(), read_only=True) as reader:
        assert reader.recall("prices")
        assert reader.observer.drain().taken.stored == 0
    assert mail.has_waiting(inbox)


def test_a_broken_inbox_does_not_break_a_recall(tmp_path: Path, shop: Path, opened: Recollect) -> None:
    opened.remember("Prices are in cents")
    inbox = Path(mail.inbox_path(str(tmp_path / "memories.db")))
    inbox.mkdir()
    (inbox / "x").write_text("a folder where a file should be")
    assert opened.recall("prices")


def test_trouble_with_the_inbox_is_for_the_doctor(
    opened: Recollect, tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard(tmp_path, shop, "UserPromptSubmit")

    def refuse(*given: object) -> None:
        raise OSError("the disk is on fire")

    monkeypatch.setattr(drain_module, "drain_inbox", refuse)
    opened.remember("Prices are in cents")
    assert opened.recall("prices")
    with pytest.raises(RecollectError, match="on fire"):
        opened.observer.drain()


def test_what_could_not_be_stored_stays_in_the_inbox(
    opened: Recollect, tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox = heard(tmp_path, shop, "UserPromptSubmit")

    def refuse(*given: object) -> None:
        raise StoreBusy(path="memories.db", seconds=10)

    with monkeypatch.context() as patched:
        patched.setattr(drain_module, "store_events", refuse)
        with pytest.raises(StoreBusy):
            opened.observer.drain()
    assert mail.count_waiting_bytes(inbox) > 0
    assert opened.observer.drain().taken.stored == 1
    assert mail.count_waiting_bytes(inbox) == 0


def test_an_event_whose_time_makes_no_sense_is_counted_not_fatal(tmp_path: Path, opened: Recollect) -> None:
    inbox = mail.inbox_path(str(tmp_path / "memories.db"))
    for at in ("yesterday", "2026-03-04T10:00:00"):
        mail.append(inbox, [json.dumps({"id": at, "type": "prompt", "at": at, "session_id": "s"})])
    drained = opened.observer.drain()
    assert (drained.torn, drained.taken.stored) == (2, 0)


def test_an_empty_inbox_costs_one_look(
    tmp_path: Path, opened: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.recall("prices")
    looked: list[str] = []
    stat = os.stat
    monkeypatch.setattr(os, "listdir", lambda path: pytest.fail("looked for left-over files again"))
    monkeypatch.setattr(os, "stat", lambda path, *a, **k: (looked.append(str(path)), stat(path, *a, **k))[1])
    opened.recall("prices")
    assert [path for path in looked if "inbox" in path] == [str(tmp_path / "memories.db.inbox")]


# -- a program that speaks for itself --------------------------------------------------------------------


def test_a_library_records_straight_into_the_store(opened: Recollect, shop: Path) -> None:
    opened.observer.record("prompt", session="mine", text="Round prices")
    opened.observer.record(
        EventType.TOOL_FINISHED,
        session="mine",
        tool="Read",
        action="read",
        files=[str(shop / "src" / "price.py"), "/etc/hosts"],
        call_id="c1",
        ok=True,
    )
    prompt, read = opened.observer.events("mine")
    assert (prompt.text, read.files) == ("Round prices", ("src/price.py",))
    assert opened.observer.session("mine").project_id is not None


def test_what_a_library_records_is_cleaned(opened: Recollect) -> None:
    token = "ghp_" + "a8Zk3Lq9Xw2Vb7Nm4Rt6" * 2
    assert token not in opened.observer.record("prompt", session="mine", text=token).text


def test_the_same_call_recorded_twice_is_kept_once(opened: Recollect) -> None:
    for _ in range(2):
        opened.observer.record("tool_called", session="mine", tool="Bash", call_id="c1")
    assert len(opened.observer.events("mine")) == 1


@pytest.mark.parametrize(
    ("kind", "parts"), [("nonsense", {}), ("prompt", {"colour": 1}), ("prompt", {"action": "fly"})]
)
def test_nonsense_is_refused_with_a_sentence(opened: Recollect, kind: str, parts: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        opened.observer.record(kind, session="mine", **parts)
    with pytest.raises(NotFound):
        opened.observer.session("mine")


def test_tokens_add_up_over_a_session(opened: Recollect) -> None:
    opened.observer.record("assistant_text", session="mine", text="a", data={"tokens": 100})
    opened.observer.record("assistant_text", session="mine", text="b", data={"tokens": 20})
    assert opened.observer.session("mine").tokens == 120
