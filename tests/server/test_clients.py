"""A client of a server: commands, library, MCP and hooks use it, and lose nothing while it is away."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, config
from recollect.errors import BadInput, NeedsLocalStore, NotFound, NotSignedIn, OnlyAPerson, ServerAway
from recollect.events import inbox as mail
from recollect.hooks import hook_settings
from recollect.model.policy import MIRRORED_AT
from recollect.model.provenance import Channel
from recollect.remote.line import check_url
from recollect.remote.remote_memory import RemoteMemory
from recollect.remote.saved_token import token_file
from recollect.remote.sync import sync_with_server
from recollect.server.accounts import Accounts
from recollect.store.tables import meta
from tests.server.running import RunningServer, Visitor, run_server


@pytest.fixture
def running(tmp_path: Path) -> Any:
    with run_server(str(tmp_path / "team.db")) as server:
        yield server


@pytest.fixture
def people(running: RunningServer) -> tuple[Accounts, str, Visitor]:
    accounts, token = running.create()
    return accounts, token, running.join(accounts, "bo")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "shop"
    (place / "src").mkdir(parents=True)
    (place / "src" / "retry.py").write_text("RETRIES = 3\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
            cwd=place,
            check=True,
            capture_output=True,
        )
    return place


@pytest.fixture
def signed_in(running: RunningServer, people: Any, monkeypatch: pytest.MonkeyPatch) -> config.Settings:
    monkeypatch.setenv("RECOLLECT_URL", running.url)
    monkeypatch.setenv("RECOLLECT_TOKEN", people[1])
    return config.load_settings()


def run(*words: str, folder: Path, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "recollect", *words],
        cwd=folder,
        input=stdin,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_library_asks_the_server_as_if_it_were_here(
    signed_in: config.Settings, folder: Path, people: Any
) -> None:
    with RemoteMemory(folder=folder, settings=signed_in) as memory:
        kept = memory.remember(
            "Retries are capped at three", kind="decision", about=[str(folder / "src/retry.py")]
        )
        assert kept.memory.owner == "alex" and str(kept.memory.subjects[0]) == "file:src/retry.py"  # type: ignore[union-attr]
        (hit,) = memory.recall("how many retries?").hits
        assert hit.memory == memory.show(hit.memory.id) and hit.why
        assert memory.list(memory.filters(about=["src/retry.py"])) == (hit.memory,)
        assert memory.code.about("src/retry.py").memories
        assert memory.reviews.share(hit.memory.id).owner is None
        with pytest.raises(NotFound):
            memory.show("01KA3")
        with pytest.raises(NeedsLocalStore, match=r"admin\.backup"):
            memory.admin.backup("x")
        with pytest.raises(NeedsLocalStore, match="remember_many"):
            memory.remember_many([])
        with pytest.raises(BadInput, match="channel"):
            memory.remember("x", channel=Channel.USER)
    with (
        RemoteMemory(folder=folder, settings=signed_in, channel=Channel.AGENT) as agent,
        pytest.raises(OnlyAPerson),
    ):
        agent.reviews.confirm(hit.memory.id)


def test_commands_use_the_server_after_a_login(running: RunningServer, people: Any, folder: Path) -> None:
    _, token, _ = people
    done = run("login", running.url, "--json", folder=folder, stdin=token)
    assert json.loads(done.stdout)["person"] == "alex", done.stderr
    key = token_file(running.url)
    assert key.read_text().strip() == token
    if os.name == "posix":
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
    remembered = run("remember", "Deploys go out on Friday", "--json", folder=folder)
    memory = json.loads(remembered.stdout)["memory"]
    assert [one["id"] for one in json.loads(run("list", "--json", folder=folder).stdout)["memories"]] == [
        memory["id"]
    ]
    assert "Friday" in run("show", memory["id"], folder=folder).stdout
    assert "Friday" in run("recall", "when do deploys go out?", folder=folder).stdout
    # Nobody types here: it is an agent's word, and sharing is a person's.
    refused = run("share", memory["id"], "--json", folder=folder)
    assert json.loads(refused.stderr)["error"]["code"] == "only_a_person"
    refused = run("backup", "copy.db", "--json", folder=folder)
    assert json.loads(refused.stderr)["error"]["code"] == "needs_local_store"
    assert token not in done.stdout + done.stderr + remembered.stdout + remembered.stderr
    assert run("logout", folder=folder).returncode == 0
    assert not key.exists()


def test_mcp_on_this_machine_asks_the_server(signed_in: config.Settings, folder: Path) -> None:
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "remember", "arguments": {"text": "Deploys go out on Friday"}},
        },
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "recall", "arguments": {"question": "when do deploys go out?", "all": True}},
        },
    ]
    done = run("mcp", folder=folder, stdin="".join(json.dumps(one) + "\n" for one in messages))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert "Friday" in answers[2]["result"]["content"][0]["text"]
    away = run("mcp", folder=folder, stdin=json.dumps(messages[2]) + "\n", RECOLLECT_URL="http://127.0.0.1:9")
    assert json.loads(away.stdout)["result"]["isError"]


def an_event(folder: Path, number: int, kind: str = "prompt", session: str = "s1") -> str:
    at = datetime(2026, 5, 8, 12, tzinfo=UTC) + timedelta(seconds=number)
    form = {"id": f"{session}-{number}", "type": kind, "at": at.isoformat(), "session_id": session}
    return json.dumps({**form, "folder": str(folder), "client": "claude-code", "text": f"Step {number}"})


def test_events_wait_while_the_server_is_away_and_arrive_once(
    running: RunningServer,
    signed_in: config.Settings,
    folder: Path,
    people: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inbox = mail.inbox_path(signed_in.db)
    Path(inbox).parent.mkdir(parents=True)
    mail.append(inbox, [an_event(folder, number) for number in range(5)])
    with monkeypatch.context() as cut:
        cut.setattr("recollect.remote.line.ServerLine._send", _is_away)
        with pytest.raises(ServerAway):
            sync_with_server(signed_in, folder)
    mail.append(inbox, [an_event(folder, number) for number in range(5, 8)])
    assert sync_with_server(signed_in, folder).sent == 8
    assert sync_with_server(signed_in, folder).sent == 0
    with RemoteMemory(folder=folder, settings=signed_in) as memory:
        assert [session.id for session in memory.observer.sessions()] == ["s1"]
    db = running.service.organisations.find("acme")
    assert len(db.rows("events_of_session", session_id="s1")) == 8
    # The session lies here as well: what hooks say goes by it.
    with Recollect(signed_in.db, folder=folder, settings=signed_in) as here:
        assert len(here.observer.events("s1")) == 8


def _is_away(self: Any, *parts: Any) -> Any:
    raise ServerAway(url="http://nowhere", reason="the line is cut")


def test_the_mirror_says_what_the_server_says_and_can_be_read_offline(
    running: RunningServer, signed_in: config.Settings, folder: Path, people: Any
) -> None:
    _, _, bo = people
    with RemoteMemory(folder=folder, settings=signed_in) as memory:
        own = memory.remember("Retries are capped at three", about=["src/retry.py"]).memory  # type: ignore[union-attr]
        gone = memory.remember("Deploys go out on Friday").memory  # type: ignore[union-attr]
        key = memory.line._caller.project_keys[0]
    bo.client.headers["recollect-project"] = key
    bo.remember("Bo likes tabs")
    first = sync_with_server(signed_in, folder)
    assert first.mirrored is not None and first.mirrored.added == 2
    with RemoteMemory(folder=folder, settings=signed_in) as memory:
        memory.edit(own.id, text="Retries are capped at five")
        memory.forget(gone.id)
    second = sync_with_server(signed_in, folder)
    assert second.mirrored is not None
    assert (second.mirrored.added, second.mirrored.changed, second.mirrored.dropped) == (0, 1, 1)
    assert sync_with_server(signed_in, folder).mirrored in (None, first.mirrored.__class__())
    with Recollect(signed_in.db, folder=folder, settings=signed_in) as here:
        assert [one.text for one in here.list()] == ["Retries are capped at five"]
        assert [hit.memory.id for hit in here.recall("how many retries?").hits] == [own.id]
        assert all(finding.verdict == "pass" for finding in here.admin.verify())


def test_a_brief_says_how_old_the_mirror_is(signed_in: config.Settings, folder: Path) -> None:
    from recollect.hooks.session_text import SessionText

    sync_with_server(signed_in, folder)
    with Recollect(signed_in.db, folder=folder, settings=signed_in) as here:
        text = SessionText(here._wiring.reading, None, lambda: datetime.now(UTC))  # type: ignore[arg-type]
        assert text._say_age() == ""
        meta.save_meta(here._wiring.db, MIRRORED_AT, (datetime.now(UTC) - timedelta(hours=5)).isoformat())
        assert "5 h ago" in text._say_age()


def test_hooks_and_commands_agree_where_a_servers_mirror_lies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RECOLLECT_URL", "https://memory.example.com:7799/team")
    settings = config.load_settings()
    assert hook_settings.read("").db == settings.db == hook_settings.usual_db()
    assert settings.db.endswith("servers/https---memory-example-com-7799-team.db")
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "own.db"))
    named = config.load_settings()
    assert (named.text("url"), named.db) == ("", str(tmp_path / "own.db"))
    assert hook_settings.read("").db == named.db


def test_a_project_cannot_send_its_people_to_a_server(tmp_path: Path) -> None:
    (tmp_path / ".recollect").mkdir()
    (tmp_path / ".recollect" / "config.toml").write_text('url = "https://evil.example"\n')
    with pytest.raises(BadInput, match="may not set it"):
        config.load_settings(tmp_path)


def test_an_address_that_would_carry_a_key_in_the_clear_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for url in ("http://memory.example.com", "ftp://x", "memory", "https://u:p@x"):
        with pytest.raises(BadInput):
            check_url(url)
    assert check_url("https://memory.example.com/") == "https://memory.example.com"
    monkeypatch.setenv("RECOLLECT_URL", "http://127.0.0.1:9")
    with pytest.raises(NotSignedIn):
        RemoteMemory(folder=None)
