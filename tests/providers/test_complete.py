from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Reply

from recollect.errors import BadSetting, ProviderAnswer, ProviderError, ProviderRefused, ProviderUnreachable
from recollect.providers.complete import Completer, CompleterSettings, complete_json, open_completer
from recollect.providers.complete_cli import ClaudeCompleter

KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz"


def opened(**settings: Any) -> Completer:
    completer = open_completer(CompleterSettings(**settings), sleep=lambda _: None)
    assert completer is not None
    return completer


class Scripted:
    name = "scripted"

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def complete(self, prompt: str, *, system: str = "", max_tokens: int = 1024) -> str:
        self.asked.append(prompt)
        return self.answers.pop(0)


def a_title(found: object) -> str:
    if not isinstance(found, dict):
        raise TypeError("it must be an object")
    return str(found["title"])


def test_no_writing_model_is_the_default() -> None:
    assert open_completer(CompleterSettings()) is None


def test_anthropic_is_asked_in_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    body = {
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "Yes"},
            {"type": "text", "text": "."},
        ]
    }
    with ModelServer([Reply(body=body)]) as server:
        completer = opened(kind="anthropic", model="m", url=server.url, key_env="MY_KEY")
        assert completer.complete("Is it?", system="Be brief.", max_tokens=9) == "Yes."
    (asked,) = server.asked
    assert asked.path == "/v1/messages"
    assert asked.headers["x-api-key"] == KEY
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert asked.body == {
        "model": "m",
        "max_tokens": 9,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Is it?"}],
    }
    assert completer.name == "anthropic/m"


def test_openai_chat_is_asked_in_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with ModelServer([Reply(body={"choices": [{"message": {"content": "Yes"}}]})]) as server:
        completer = opened(kind="openai", model="m", url=server.url + "/v1/", key_env="MY_KEY")
        assert completer.complete("half \ud83d pair", system="Be brief.", max_tokens=9) == "Yes"
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "half ? pair"}],
    }


def test_ollama_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer([Reply(body={"choices": [{"message": {"content": "Yes"}}]})]) as server:
        completer = opened(kind="ollama", model="llama3", url=server.url)
        completer.complete("x")
    assert "authorization" not in server.asked[0].headers
    assert "system" not in [m["role"] for m in server.asked[0].body["messages"]]
    assert completer.name == "ollama/llama3"


@pytest.mark.parametrize(
    ("kind", "variable"), [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")]
)
def test_a_key_is_not_sent_to_a_server_it_was_not_named_for(
    kind: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, KEY)
    answer = {"choices": [{"message": {"content": "Yes"}}], "content": [{"type": "text", "text": "Yes"}]}
    with ModelServer([Reply(body=answer)]) as server:
        opened(kind=kind, model="m", url=server.url).complete("x")
    assert KEY not in json.dumps(server.asked[0].headers)


def test_a_server_that_wants_the_newer_name_of_max_tokens_gets_it() -> None:
    message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    refusal = Reply(status=400, body={"error": {"message": message}})
    with ModelServer([refusal, Reply(body={"choices": [{"message": {"content": "Yes"}}]})]) as server:
        assert opened(kind="openai", model="m", url=server.url).complete("x", max_tokens=5) == "Yes"
    assert "max_tokens" not in server.asked[1].body
    assert server.asked[1].body["max_completion_tokens"] == 5


def test_another_refusal_is_passed_on_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    for kind in ("openai", "anthropic"):
        with ModelServer([Reply(status=400, body={"error": {"message": f"bad key {KEY}"}})]) as server:
            completer = opened(kind=kind, model="m", url=server.url, key_env="MY_KEY")
            with pytest.raises(ProviderRefused, match=r"bad key \(key\)") as caught:
                completer.complete("x")
        assert KEY not in f"{caught.value} {caught.value.facts} {completer!r} {vars(completer)}"


def test_an_overloaded_model_is_asked_again() -> None:
    answer = Reply(body={"content": [{"type": "text", "text": "Yes"}]})
    with ModelServer([Reply(status=529, body={}), answer]) as server:
        assert opened(kind="anthropic", model="m", url=server.url).complete("x") == "Yes"


@pytest.mark.parametrize(
    ("kind", "answer", "reason"),
    [
        ("anthropic", [], "no list called content"),
        ("anthropic", {"content": [], "stop_reason": "refusal"}, "empty .stop_reason: refusal"),
        ("openai", {"choices": []}, "no list called choices"),
        (
            "openai",
            {"choices": [{"message": {"content": None}, "finish_reason": "length"}]},
            "finish_reason: length",
        ),
        ("openai", {"choices": [{"message": None}]}, "empty"),
    ],
)
def test_an_answer_without_text_is_refused(kind: str, answer: object, reason: str) -> None:
    with ModelServer([Reply(body=answer)]) as server, pytest.raises(ProviderAnswer, match=reason):
        opened(kind=kind, model="m", url=server.url).complete("x")


@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "oracle"},
        {"kind": "openai"},
        {"kind": "openai", "model": "m", "url": "nowhere"},
        {"kind": "openai", "model": "m", "key_env": KEY},
        {"timeout_s": 0},
    ],
)
def test_settings_that_cannot_be_used_are_refused_when_made(settings: dict[str, Any]) -> None:
    with pytest.raises(BadSetting) as caught:
        CompleterSettings(**settings)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        '{"title": "x"}',
        '```json\n{"title": "x"}\n```',
        'Sure! Here it is:\n\n```\n{"title": "x"}\n```\nAnything else?',
        'As [1] says {not json}, the answer is {"title": "x"}. Bye {',
        '<think>{"title": "wrong"}</think>{"title": "x"}',
        '[1, 2] and then {"title": "x"}',
        '```python\nprint("no")\n```\n```json\n{"title": "x"}\n```',
    ],
)
def test_json_is_found_in_fences_and_prose(answer: str) -> None:
    completer = Scripted(answer)
    assert complete_json(completer, "Name it.", check=a_title) == "x"
    assert completer.asked == ["Name it."]


def test_bad_json_is_asked_for_once_more_with_the_reason() -> None:
    completer = Scripted('{"name": "x"}', '{"title": "x"}')
    assert complete_json(completer, "Name it.", check=a_title) == "x"
    assert completer.asked[1].startswith("Name it.\n\nYour last answer could not be used: it lacks 'title'.")
    assert '{"name": "x"}' in completer.asked[1]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("no idea", "it holds no JSON"),
        ("[]", "it must be an object"),
        ("[" * 100_000, "no JSON"),
        ("", "no JSON"),
    ],
)
def test_bad_json_twice_is_an_error_with_the_last_reason(answer: str, reason: str) -> None:
    completer = Scripted(answer, answer)
    with pytest.raises(ProviderAnswer, match=f"answer of scripted cannot be used: .*{reason}"):
        complete_json(completer, "Name it.", check=a_title)
    assert completer.answers == []


needs_posix = pytest.mark.skipif(
    sys.platform == "win32", reason="the stand-in for claude is a script with a #! line"
)

STAND_IN = """#!{python}
import json, os, pathlib, subprocess, sys, time
here = pathlib.Path({here!r})
seen = {{"args": sys.argv[1:], "prompt": sys.stdin.read(), "cwd": os.getcwd(), "env": dict(os.environ)}}
(here / "seen.json").write_text(json.dumps(seen))
{act}
"""
ANSWERS = 'print(json.dumps({"type": "result", "is_error": False, "result": "Yes."}))'


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Makes a program called claude that notes how it was called and then acts."""
    monkeypatch.delenv("RECOLLECT_OFF", raising=False)

    def make(act: str) -> Path:
        program = tmp_path / "claude"
        program.write_text(STAND_IN.format(python=sys.executable, here=str(tmp_path), act=act))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        return tmp_path

    return make


@needs_posix
def test_claude_gets_the_prompt_and_nothing_to_act_with(
    claude: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = claude(ANSWERS)
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "/a/project")
    monkeypatch.setenv("KEPT", "yes")
    assert opened(kind="claude-cli", model="haiku").complete("What? é", system="Be brief.") == "Yes."
    seen = json.loads((here / "seen.json").read_text())
    assert seen["prompt"] == "What? é"
    args = seen["args"]
    assert args[:3] == ["-p", "--output-format", "json"]
    assert json.loads(args[args.index("--settings") + 1]) == {"disableAllHooks": True}
    assert args[args.index("--tools") + 1] == ""
    assert {"--strict-mcp-config", "--no-session-persistence"} <= set(args)
    assert args[args.index("--model") + 1] == "haiku"
    assert args[args.index("--system-prompt") + 1] == "Be brief."
    assert seen["env"]["RECOLLECT_OFF"] == "1"
    assert seen["env"]["KEPT"] == "yes"
    assert not {"CLAUDECODE", "CLAUDE_PROJECT_DIR"} & set(seen["env"])
    assert Path(seen["cwd"]) != Path.cwd()
    assert not Path(seen["cwd"]).exists()


@needs_posix
def test_claude_is_not_started_inside_an_agent_that_recollect_started(
    claude: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = claude(ANSWERS)
    monkeypatch.setenv("RECOLLECT_OFF", "1")
    with pytest.raises(ProviderError, match="RECOLLECT_OFF is set"):
        ClaudeCompleter().complete("x")
    assert not (here / "seen.json").exists()


def test_a_claude_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_OFF", raising=False)
    with pytest.raises(ProviderError, match="no program 'no-such-claude' on the PATH"):
        ClaudeCompleter(command="no-such-claude").complete("x")


@needs_posix
def test_a_claude_that_cannot_be_started_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_OFF", raising=False)
    program = tmp_path / "claude"
    program.write_bytes(b"\x7fELF and then nothing")
    program.chmod(0o755)
    with pytest.raises(ProviderError, match="cannot be started"):
        ClaudeCompleter(command=str(program)).complete("x")


@needs_posix
@pytest.mark.parametrize(
    ("act", "error", "reason"),
    [
        ("sys.exit('error: unknown option')", ProviderError, "code 1: error: unknown option"),
        ("print(json.dumps({'is_error': True, 'result': 'Not logged in'}))", ProviderError, "Not logged in"),
        (f"sys.exit('refused {KEY}')", ProviderError, r"refused \(key\)"),
        ("print('hello')", ProviderAnswer, "no result"),
        ("print('[]')", ProviderAnswer, "no result"),
        ("print('[' * 200000)", ProviderAnswer, "no result"),
        ("pass", ProviderAnswer, "no result"),
    ],
)
def test_a_claude_that_fails_is_said(
    claude: Callable[[str], Path], act: str, error: type[Exception], reason: str
) -> None:
    claude(act)
    with pytest.raises(error, match=reason):
        ClaudeCompleter().complete("x")


@needs_posix
def test_the_result_is_found_behind_the_events_of_a_verbose_claude(claude: Callable[[str], Path]) -> None:
    claude('print(json.dumps([{"type": "system"}, {"type": "result", "result": "Yes."}]))')
    assert ClaudeCompleter().complete("x") == "Yes."


@needs_posix
def test_a_claude_that_takes_too_long_is_ended_with_everything_it_started(
    claude: Callable[[str], Path],
) -> None:
    # The child holds the lock as long as it lives; the script itself closes its own copy.
    act = """
import fcntl
lock = open(here / "lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], pass_fds=[lock.fileno()])
lock.close()
(here / "started").touch()
time.sleep(60)
"""
    here = claude(act)
    timeout_s = 1.0
    while not (here / "started").exists():
        # A loaded machine may not have got as far; the longer wait costs nothing elsewhere.
        with pytest.raises(ProviderUnreachable, match="gave no answer within"):
            ClaudeCompleter(timeout_s=timeout_s).complete("x")
        timeout_s *= 2
    import fcntl

    with (here / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
