"""`recollect doctor` on what is installed in agents: it notices what an agent would not say."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from recollect.hooks import log as hook_log
from tests.surfaces.conftest import Run, Said
from tests.surfaces.install.test_claude_plugin import script

# Stands in for the Python of an installation: as a hook it is silent, as a server it answers.
WORKS = """
case "$*" in
  *surfaces.mcp*) read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{}}' ;;
  *) while read -r line; do :; done ;;
esac
"""


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python of its own for the installation, with a blank in its path."""
    made = script(tmp_path / "its env" / "python", WORKS)
    monkeypatch.setattr(sys, "executable", str(made))
    monkeypatch.setattr("recollect.doctor._check_round_trip", lambda: iter(()))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return made


def findings(said: Said) -> dict[str, tuple[str, str, str]]:
    """By check, the worst that was said: verdict, detail and fix."""
    worst = ("pass", "warn", "fail")
    found: dict[str, tuple[str, str, str]] = {}
    for one in said.json["findings"]:
        told = (one["verdict"], one["detail"], one["fix"])
        known = found.get(one["check"])
        if known is None or worst.index(told[0]) > worst.index(known[0]):
            found[one["check"]] = told
    return found


def installed(run: Run, name: str = "claude-code") -> None:
    assert run("init", "--yes", "--agent", name).code == 0


def test_before_init_it_says_how_to_begin(run: Run, python: Path) -> None:
    assert "recollect init" in findings(run("doctor", "--json"))["agents"][1]


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini", "opencode", "qwen-code", "cursor"])
def test_every_hook_and_the_server_are_run_for_real_and_timed(run: Run, python: Path, name: str) -> None:
    installed(run, name)
    found = findings(run("doctor", "--json"))
    assert found[f"{name} hooks"][0] == "pass"
    assert "ms of CPU" in found[f"{name} hooks"][1]
    assert found[f"{name} server"][0] == "pass"
    assert "agents" not in found


def test_a_python_that_is_gone_is_found(run: Run, python: Path) -> None:
    installed(run)
    python.rename(python.with_name("moved"))
    said = run("doctor", "--json")
    assert said.code == 1
    found = findings(said)
    assert "is not there any more" in found["claude-code hooks"][1]
    assert found["claude-code hooks"][::2] == ("fail", "recollect init --agent claude-code")
    assert found["claude-code server"][0] == "fail"


def test_another_python_than_this_recollects_is_told(
    run: Run, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(run)
    monkeypatch.setattr(sys, "executable", str(script(tmp_path / "newer" / "python", WORKS)))
    found = findings(run("doctor", "--json"))["claude-code hooks"]
    assert found[0] == "warn"
    assert str(python) in found[1]
    installed(run)
    assert findings(run("doctor", "--json"))["claude-code hooks"][0] == "pass"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("echo 'No module named recollect' >&2; exit 1", "No module named recollect"),
        ("exit 7", "ended with 7"),
        ("echo Traceback", "no JSON"),
        (
            """echo '{"trouble": "the disk is gone"}' > "$RECOLLECT_HOME/data/memories.db.hooks.log" """,
            "the disk is gone",
        ),
    ],
)
def test_a_hook_that_fails_or_babbles_is_found(run: Run, python: Path, text: str, why: str) -> None:
    installed(run)
    script(python, text)
    found = findings(run("doctor", "--json"))
    assert found["claude-code hooks"][0] == "fail"
    assert why in found["claude-code hooks"][1]
    assert found["claude-code server"][0] == "fail"


def test_a_hook_that_is_broken_for_one_event_only_is_named(run: Run, python: Path) -> None:
    installed(run)
    script(python, f'case "$*" in *SubagentStop) exit 3;; esac\n{WORKS}')
    found = findings(run("doctor", "--json"))["claude-code hooks"]
    assert found[0] == "fail"
    assert "1 of 10 do not work; SubagentStop" in found[1]


def test_hooks_on_trial_do_not_touch_the_persons_memory(run: Run, python: Path, tmp_path: Path) -> None:
    installed(run)
    script(python, f'echo "$RECOLLECT_HOME" >> {tmp_path / "homes"}\n{WORKS}')
    run("doctor", "--json")
    homes = set((tmp_path / "homes").read_text().split())
    assert homes
    assert not any(home.startswith(str(tmp_path / "home")) for home in homes)
    assert not any(Path(home).exists() for home in homes)


def test_entries_that_somebody_took_out_are_missed(run: Run, python: Path, tmp_path: Path) -> None:
    installed(run)
    settings = tmp_path / ".claude" / "settings.json"
    told = json.loads(settings.read_text())
    del told["hooks"]["Stop"]
    settings.write_text(json.dumps(told))
    (tmp_path / ".claude.json").write_text("{}")
    found = [
        one["detail"] for one in run("doctor", "--json").json["findings"] if one["check"] == "claude-code"
    ]
    assert any("settings.json: 1 of 10 entries are gone (Stop)" in detail for detail in found)
    assert any(".claude.json: 1 of 1 entries are gone (recollect)" in detail for detail in found)
    installed(run)
    assert findings(run("doctor", "--json"))["claude-code"][0] == "pass"


@pytest.mark.parametrize("text", [None, "{"])
def test_a_file_that_is_gone_or_broken_is_named(
    run: Run, python: Path, tmp_path: Path, text: str | None
) -> None:
    installed(run)
    settings = tmp_path / ".claude" / "settings.json"
    settings.unlink()
    if text is not None:
        settings.write_text(text)
    found = findings(run("doctor", "--json"))["claude-code"]
    assert found[0] == "fail"
    assert ("it is gone" if text is None else "no JSON") in found[1]


@pytest.mark.parametrize(
    ("version", "verdict"), [("2.1.325", "pass"), ("2.2.0 (Claude Code)", "pass"), ("2.1.197", "warn")]
)
def test_another_version_of_the_agent_is_told(
    run: Run, python: Path, tmp_path: Path, version: str, verdict: str
) -> None:
    script(tmp_path / "bin" / "claude", f"echo '{version}'")
    installed(run)
    found = findings(run("doctor", "--json"))["claude-code"]
    assert found[0] == verdict
    assert version.split()[0] in found[1]
    assert "2.1.325" in found[1]


def test_an_agent_that_was_never_tried_says_so(run: Run, python: Path) -> None:
    installed(run, "cursor")
    assert findings(run("doctor", "--json"))["cursor"][0] == "warn"


def test_hooks_that_codex_was_not_told_to_trust_are_found(run: Run, python: Path, tmp_path: Path) -> None:
    other = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "other"}]}]}}
    hooks, config = tmp_path / ".codex" / "hooks.json", tmp_path / ".codex" / "config.toml"
    hooks.parent.mkdir()
    hooks.write_text(json.dumps(other))
    installed(run, "codex")
    found = findings(run("doctor", "--json"))["codex trust"]
    assert found[0] == "warn"
    assert "8 hooks" in found[1]
    assert "/hooks" in found[2]
    events = json.loads(hooks.read_text())["hooks"]
    labels = {
        "SessionStart": "session_start",
        "UserPromptSubmit": "user_prompt_submit",
        "PostToolUse": "post_tool_use",
        "SubagentStart": "subagent_start",
        "SubagentStop": "subagent_stop",
        "Stop": "stop",
        "PostCompact": "post_compact",
        "SessionEnd": "session_end",
    }
    assert set(events) == set(labels)
    trusted = "".join(
        f'\n[hooks.state."{hooks}:{label}:{int(event == "Stop")}:0"]\ntrusted_hash = "sha256:ab"\n'
        for event, label in labels.items()
    )
    config.write_text(config.read_text() + trusted)
    assert findings(run("doctor", "--json"))["codex trust"][0] == "pass"
    config.write_text(config.read_text().replace('"sha256:ab"\n', '"sha256:ab"\nenabled = false\n', 1))
    assert "1 hooks" in findings(run("doctor", "--json"))["codex trust"][1]


def test_the_plugin_and_the_settings_together_are_one_too_many(
    run: Run, python: Path, tmp_path: Path
) -> None:
    installed(run)
    settings = tmp_path / ".claude" / "settings.json"
    told = json.loads(settings.read_text()) | {"enabledPlugins": {"recollect@recollect": True}}
    settings.write_text(json.dumps(told))
    found = findings(run("doctor", "--json"))["claude-code"]
    assert found[::2] == ("warn", "recollect uninstall")
    assert "told twice" in found[1]
    run("uninstall", "--yes")
    assert "does the same" in findings(run("doctor", "--json"))["claude-code"][1]


def test_the_hooks_of_the_plugin_are_run_too(run: Run, python: Path, tmp_path: Path) -> None:
    claude = tmp_path / ".claude"
    root = tmp_path / "plugin"
    (claude / "plugins").mkdir(parents=True)
    (claude / "settings.json").write_text('{"enabledPlugins": {"recollect@recollect": true}}')
    copies = {"plugins": {"recollect@recollect": [{"installPath": str(root)}]}}
    (claude / "plugins" / "installed_plugins.json").write_text(json.dumps(copies))
    assert "not where it was installed" in findings(run("doctor", "--json"))["claude-code hooks"][1]
    script(root / "bin" / "run", WORKS)
    found = findings(run("doctor", "--json"))
    assert (found["claude-code hooks"][0], found["claude-code server"][0]) == ("pass", "pass")
    assert "10 run" in found["claude-code hooks"][1]
    script(root / "bin" / "run", "echo 'recollect is not installed' >&2; exit 1")
    assert "recollect is not installed" in findings(run("doctor", "--json"))["claude-code server"][1]


def test_what_hooks_wrote_down_about_themselves_is_told_while_it_is_new(
    run: Run, python: Path, tmp_path: Path
) -> None:
    log = Path(hook_log.log_of(str(tmp_path / "home" / "data" / "memories.db")))
    log.parent.mkdir(parents=True)
    now = time.time()
    hook_log.note(str(log), "codex", "Stop", "an old story", seconds=now - 30 * 86_400)
    found = findings(run("doctor", "--json"))["hook log"]
    assert found[0] == "pass"
    hook_log.note(str(log), "claude-code", "SessionStart", "no answer in time", seconds=now)
    with log.open("a") as stream:
        stream.write("half a li")
    found = findings(run("doctor", "--json"))["hook log"]
    assert found[0] == "warn"
    assert "1 hooks failed" in found[1]
    assert "claude-code SessionStart" in found[1]
    assert "no answer in time" in found[1]
