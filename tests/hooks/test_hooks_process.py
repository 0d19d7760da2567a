"""One hook, one process: what it loads, what it writes, what it says, and that it never stands in an agent's way."""

from __future__ import annotations

import builtins
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from recollect.clients.registry import CLIENT_NAMES, CLIENTS
from recollect.errors import RecollectError
from recollect.events.inbox import append
from recollect.events.locks import lock, open_private
from recollect.hooks import hook_settings
from recollect.hooks import log as hook_log
from recollect.hooks.paused import is_paused, pause, unpause
from tests.events.payload_events import payloads
from tests.git.repos import a_worktree
from tests.hooks.hooking import HOOK, Hooks

GOTCHA = "Tokens expire after five minutes"
MODULES = """
import json, os, sys
from recollect.hooks.dispatch import hear
class Patience:
    def allow(self, most_ms): pass
    def left(self): return 60.0
said = hear(sys.argv[1], sys.argv[2], sys.stdin.buffer.read(), Patience())
print(json.dumps([said, sorted(sys.modules)]))
"""
HEAVY = {
    "dataclasses",
    "inspect",
    "typing",
    "numpy",
    "click",
    "rich",
    "httpx",
    "subprocess",
    "socket",
    "pathlib",
    "logging",
}


# What a hook that opens the store has no use for either, unless something calls for it.
RARE = {"dataclasses", "inspect", "hashlib", "_hashlib", "secrets", "ctypes", "difflib", "tomllib", "shutil"}
# Each module of ours costs a third of a millisecond. Who needs more of them changes the number, and knows it.
MOST_MODULES = {"record": 32, "file": 44, "first prompt": 158, "prompt": 148, "brief": 172}


def lines(hooks: Hooks) -> list[dict[str, object]]:
    return [json.loads(line) for line in hooks.inbox.read_text("utf-8").splitlines()]


def a_gotcha(hooks: Hooks, text: str = GOTCHA) -> None:
    with hooks.memory() as memory:
        memory.remember(text, kind="gotcha", about=["src/auth.py"])


# -- recording -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("client", CLIENT_NAMES)
def test_every_payload_of_every_client_is_written_down_and_answered_in_json_or_not_at_all(
    hooks: Hooks, client: str
) -> None:
    hooks.client = client
    for name, payload in payloads(client).items():
        if payload.get("hook_event_name", "").lower() == "sessionend":
            continue  # starts a process; its own test does that
        here = {
            "cwd": str(hooks.project),
            "directory": str(hooks.project),
            "workspace_roots": [str(hooks.project)],
        }
        event = str(payload.get("hook") or payload["hook_event_name"])
        said = hooks.hear(event, json.dumps(payload | here).encode())
        assert said == "" or json.loads(said), name
    assert hooks.troubles() == []
    with hooks.memory() as memory:
        memory.observer.drain()
        assert memory.observer.sessions(every_project=True)


def test_a_real_process_records_and_says_nothing(hooks: Hooks) -> None:
    hooks.as_processes = True
    assert hooks.send("Stop", last_assistant_message="Done; the key is AKIAIOSFODNN7EXAMPLQ") == {}
    (line,) = lines(hooks)
    assert line["type"] == "assistant_text"
    assert "AKIAIOSFODNN7EXAMPLQ" not in json.dumps(line)
    assert oct(hooks.inbox.stat().st_mode)[-3:] == "600"


def test_an_excluded_file_is_not_recorded(hooks: Hooks) -> None:
    (hooks.project / ".recollect").mkdir()
    (hooks.project / ".recollect" / "config.toml").write_text('[record]\nexclude = ["src/auth.py"]\n')
    hooks.read("src/auth.py")
    hooks.read("src/other.py")
    assert [line.get("files") for line in lines(hooks)] == [None, ["src/other.py"]]
    assert "auth" not in json.dumps(lines(hooks)[0])


def test_more_than_the_inbox_may_hold_is_dropped_and_counted_not_an_error(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_INBOX_MOST_BYTES", "600")
    for _ in range(9):
        hooks.send("Stop", last_assistant_message="Done.")
    assert hooks.inbox.stat().st_size <= 600
    assert Path(f"{hooks.inbox}.dropped").stat().st_size > 0


# -- what is loaded --------------------------------------------------------------------------------------


def loaded(hooks: Hooks, event: str, **payload: object) -> tuple[str, set[str]]:
    ended = subprocess.run(
        [sys.executable, "-I", "-c", MODULES, hooks.client, event],
        input=json.dumps(hooks.payload(event) | payload),
        env=hooks.surroundings(),
        capture_output=True,
        text=True,
        check=True,
    )
    said, modules = json.loads(ended.stdout)
    bare = subprocess.run(
        [sys.executable, "-I", "-c", "import sys; print(' '.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return said, set(modules) - set(bare.stdout.split())


# All that watches sessions and learns from them.
WATCHING = ("recollect.observe", "recollect.learn", "recollect.predict_files")


def ours(modules: set[str]) -> int:
    return sum(name.partition(".")[0] == "recollect" for name in modules)


def test_recording_loads_the_standard_library_alone(hooks: Hooks) -> None:
    said, modules = loaded(hooks, "Stop", last_assistant_message="Done.")
    assert said == ""
    assert modules & (HEAVY | RARE | {"apsw", "platformdirs", "datetime"}) == set()
    assert ours(modules) <= MOST_MODULES["record"]
    rooms = {name.split(".")[1] for name in modules if name.startswith("recollect.")}
    assert rooms == {"hooks", "events", "clients", "model"}


def test_a_word_about_a_file_loads_the_database_driver_and_no_class_of_ours(hooks: Hooks) -> None:
    a_gotcha(hooks)
    path = str(hooks.project / "src" / "auth.py")
    said, modules = loaded(
        hooks,
        "PostToolUse",
        tool_name="Read",
        tool_use_id="t1",
        tool_input={"file_path": path},
        tool_response={},
    )
    assert GOTCHA in said
    assert "apsw" in modules
    assert modules & (HEAVY | RARE | {"datetime"}) == set()
    assert ours(modules) <= MOST_MODULES["file"]
    assert not {name for name in modules if name.startswith(("recollect.api.wiring", "recollect.capture"))}


def test_a_prompt_loads_neither_the_write_side_nor_the_command_line(hooks: Hooks) -> None:
    a_gotcha(hooks)
    said, modules = loaded(hooks, "UserPromptSubmit", prompt="when do our tokens expire, again?")
    assert GOTCHA in said
    # Without a model there is nothing to reckon with either.
    assert modules & (RARE | {"click", "rich", "httpx", "subprocess", "numpy"}) == set()
    assert ours(modules) <= MOST_MODULES["first prompt"]
    written = ("recollect.capture", "recollect.lifecycle", "recollect.api.recollect")
    assert not {name for name in modules if name.startswith(written)}
    # Of all that watches sessions, only what foresees files from them.
    watching = {name for name in modules if name.startswith(WATCHING)}
    assert all(name.startswith("recollect.predict_files") for name in watching)
    assert "recollect.predict_files.past_sessions" not in watching


def test_a_later_prompt_does_not_load_what_foresees_files(hooks: Hooks) -> None:
    a_gotcha(hooks)
    hooks.ask("what is there to do?")
    said, modules = loaded(hooks, "UserPromptSubmit", prompt="when do our tokens expire, again?")
    assert GOTCHA in said
    assert not {name for name in modules if name.startswith(WATCHING)}
    assert ours(modules) <= MOST_MODULES["prompt"]


def test_a_brief_loads_neither_the_door_nor_a_model(hooks: Hooks) -> None:
    a_gotcha(hooks)
    with hooks.memory() as memory:
        memory.remember("Answer in short sentences", kind="preference")
    said, modules = loaded(hooks, "SessionStart", source="startup")
    assert "short sentences" in said
    assert modules & (RARE | {"click", "rich", "httpx", "subprocess", "numpy"}) == set()
    assert not {
        name for name in modules if name.startswith(("recollect.capture", "recollect.providers.complete"))
    }
    assert ours(modules) <= MOST_MODULES["brief"]


# -- faults: scenario 13 ---------------------------------------------------------------------------------

BAD = {
    "nothing": b"",
    "no JSON": b"{not json",
    "no object": b"[1, 2, 3]",
    "half a text": b'{"session_id": "x", "cwd": "/tm',
    "no text at all": bytes(range(256)) * 40,
    "deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "other types": b'{"session_id": 7, "cwd": ["a"], "prompt": {"b": 1}, "tool_input": 3}',
    "a NUL": b'{"session_id": "x\\u0000y", "cwd": "/tmp/\\u0000", "prompt": "hi"}',
    "half a character": b'{"session_id": "\\ud800", "cwd": "/nowhere/\\udfff", "prompt": "\\ud83d"}',
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("event", ["Stop", "UserPromptSubmit"])
def test_what_is_no_payload_is_survived(hooks: Hooks, name: str, event: str) -> None:
    try:
        said = hooks.hear(event, BAD[name])
    except (ValueError, TypeError, RecursionError):
        return  # what a process writes to its log and ends with 0 for: see the next tests
    assert said == ""


def test_a_real_process_survives_bad_json_and_notes_it(hooks: Hooks) -> None:
    assert hooks.run("UserPromptSubmit", b"{not json") == ""
    (trouble,) = hooks.troubles()
    assert trouble.startswith("JSONDecodeError")


def test_a_payload_that_is_far_too_long_is_read_and_let_go(hooks: Hooks) -> None:
    assert hooks.run("Stop", b'{"last_assistant_message": "' + b"x" * 17_000_000 + b'"}') == ""
    assert "more than 16777216" in hooks.troubles()[0]


def test_a_client_that_sends_late_is_waited_for_as_long_as_the_settings_say(hooks: Hooks) -> None:
    with subprocess.Popen(
        [*HOOK, "claude-code", "UserPromptSubmit"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd=hooks.project,
        env=hooks.surroundings(),
    ) as late:
        with pytest.raises(subprocess.TimeoutExpired):
            late.wait(timeout=2 * hook_settings.HOOK_MILLISECONDS / 1000)
        late.communicate(json.dumps(hooks.payload("UserPromptSubmit") | {"prompt": "at last"}).encode())
    assert hooks.troubles() == []
    with hooks.memory() as memory:
        memory.observer.drain()
        assert [event.text for event in memory.observer.events(hooks.session)] == ["at last"]


def test_an_unknown_client_or_none_is_survived(hooks: Hooks) -> None:
    for arguments in (["nobody", "Stop"], []):
        ended = subprocess.run(
            [*HOOK, *arguments], input=b"{}", env=hooks.surroundings(), capture_output=True, check=False
        )
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def damaged(hooks: Hooks) -> None:
    hooks.db.write_bytes(hooks.db.read_bytes()[:4096] + os.urandom(60_000))


def of_zeros(hooks: Hooks) -> None:
    hooks.db.write_bytes(bytes(50_000))


def no_database(hooks: Hooks) -> None:
    hooks.db.write_bytes(b"this is a letter, not a database\n" * 400)


def a_folder(hooks: Hooks) -> None:
    for file in hooks.db.parent.glob("memories.db*"):
        file.unlink()
    hooks.db.mkdir()


PAYLOADS: dict[str, dict[str, object]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "when do tokens expire?"},
    "PostToolUse": {"tool_name": "Read", "tool_input": {"file_path": "src/auth.py"}, "tool_response": {}},
}


@pytest.mark.parametrize("event", PAYLOADS)
def test_a_damaged_store_silences_a_hook_and_what_happened_is_kept_all_the_same(
    hooks: Hooks, event: str
) -> None:
    a_gotcha(hooks)
    damaged(hooks)
    hooks.as_processes = True
    assert hooks.send(event, **PAYLOADS[event]) == {}
    assert len(lines(hooks)) == 1
    assert hooks.troubles() != []


@pytest.mark.parametrize("spoil", [of_zeros, no_database, a_folder], ids=lambda spoil: spoil.__name__)
@pytest.mark.parametrize("event", PAYLOADS)
def test_whatever_stands_in_the_place_of_the_store_the_event_is_safe_first(
    hooks: Hooks, spoil: Callable[[Hooks], None], event: str
) -> None:
    a_gotcha(hooks)
    spoil(hooks)
    # A process notes it and ends with 0, as the test before this one shows.
    with suppress(RecollectError, apsw.Error):
        assert hooks.send(event, **PAYLOADS[event]) == {}
    assert len(lines(hooks)) == 1


@pytest.mark.parametrize("event", PAYLOADS)
def test_an_event_is_safe_before_what_could_say_something_is_even_loaded(
    hooks: Hooks, event: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_gotcha(hooks)
    monkeypatch.setattr(builtins, "__import__", _out_of_time)
    with pytest.raises(TimeoutError):
        hooks.send(event, **PAYLOADS[event])
    assert len(lines(hooks)) == 1


_import = builtins.__import__


def _out_of_time(name: str, *arguments: object) -> object:
    if name in (
        "recollect.hooks.tool_result",
        "recollect.hooks.session_text",
        "recollect.hooks.session_start",
    ):
        raise TimeoutError(name)
    return _import(name, *arguments)


def test_a_store_that_another_writes_to_for_long_is_read_all_the_same(hooks: Hooks) -> None:
    a_gotcha(hooks)
    writer = apsw.Connection(str(hooks.db))
    writer.execute("BEGIN IMMEDIATE").fetchall()
    try:
        assert GOTCHA in hooks.ask("when do our tokens expire, again?")
        hooks.session = "another"
        assert GOTCHA in hooks.read("src/auth.py")
        hooks.told("SessionStart", source="startup")
    finally:
        writer.close()
    assert hooks.troubles() == []


def test_a_hook_that_waits_too_long_gives_up_and_says_so(hooks: Hooks) -> None:
    append(str(hooks.inbox), ["{}"])
    held = open_private(str(hooks.inbox))
    hooks.environment["RECOLLECT_HOOKS_MOST_MS"] = "200"
    try:
        assert lock(held, wait=False)
        # Without its deadline it would wait for as long as this test holds the lock.
        assert (
            hooks.run("Stop", json.dumps(hooks.payload("Stop") | {"last_assistant_message": "x"}).encode())
            == ""
        )
    finally:
        os.close(held)
    assert hooks.troubles() == ["no answer in time"]


def test_a_full_disk_is_survived(hooks: Hooks) -> None:
    hooks.db.parent.mkdir(parents=True)

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    for event in ("Stop", "UserPromptSubmit", "SessionStart"):
        ended = subprocess.run(
            [*HOOK, "claude-code", event],
            input=json.dumps(hooks.payload(event) | {"prompt": "hello there"}).encode(),
            env=hooks.surroundings(),
            capture_output=True,
            preexec_fn=full,
            check=False,
        )
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_a_data_folder_that_cannot_be_made_is_survived(hooks: Hooks) -> None:
    hooks.home.write_text("a file where a folder belongs")
    hooks.as_processes = True
    assert hooks.send("UserPromptSubmit", prompt="hello there") == {}
    assert hooks.send("Stop", last_assistant_message="Done.") == {}


def test_without_a_home_nothing_is_written_anywhere(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_HOME")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for home in ("", "/"):
        monkeypatch.setenv("HOME", home)
        assert not Path(hook_settings.default_db()).is_absolute()
        assert (
            hooks.hear("Stop", json.dumps(hooks.payload("Stop") | {"last_assistant_message": "x"}).encode())
            == ""
        )
    assert not hooks.home.exists()


def test_the_log_of_failures_stays_small_and_keeps_the_newest(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    for number in range(3_000):
        hook_log.note(log, "claude-code", "Stop", f"trouble {number}", seconds=1_772_618_400.0)
    assert Path(log).stat().st_size <= hook_log.MOST_BYTES + 1_000
    assert hook_log.failures(log)[-1]["trouble"] == "trouble 2999"
    assert len(hook_log.failures(log)) > 100


# -- off, and paused -------------------------------------------------------------------------------------


@pytest.mark.parametrize("variable", ["RECOLLECT_HOOKS", "RECOLLECT_OFF"])
def test_hooks_can_be_turned_off(hooks: Hooks, variable: str) -> None:
    hooks.environment[variable] = "off"
    hooks.as_processes = True
    assert hooks.send("Stop", last_assistant_message="Done.") == {}
    assert not hooks.inbox.exists()


def test_a_paused_project_is_left_alone_in_all_its_worktrees_and_others_are_not(
    hooks: Hooks, tmp_path: Path
) -> None:
    a_gotcha(hooks)
    tree = a_worktree(hooks.project, tmp_path / "tree")
    assert pause(str(hooks.db), str(hooks.project))
    assert not pause(str(hooks.db), str(hooks.project))
    for folder in (hooks.project, tree, hooks.project / "src"):
        assert (
            hooks.send("UserPromptSubmit", prompt="when do our tokens expire, again?", cwd=str(folder)) == {}
        )
    assert not hooks.inbox.exists()
    other = tmp_path / "elsewhere"
    other.mkdir()
    assert not is_paused(str(hooks.db), str(other))
    assert unpause(str(hooks.db), str(tree))
    assert not unpause(str(hooks.db), str(hooks.project))
    assert GOTCHA in hooks.ask("when do our tokens expire, again?")


# -- settings --------------------------------------------------------------------------------------------


def test_every_client_has_its_events_and_ends() -> None:
    for client in CLIENTS:
        acts = set(client.hook_events.values())
        assert {"tool", "end"} <= acts, client.name
        assert acts & {"start", "start unheard"}, client.name
