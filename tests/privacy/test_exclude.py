"""Excluded means never seen: whatever tool, command, link or search reaches the file, no word of it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recollect.events.excluded import drop_excluded_lines, names_excluded
from tests.hooks.hooking import Hooks
from tests.privacy.test_purge import find_traces

WORDS = "Frau Obermoser keeps quarterly figures beside the zebrawolf"
PLACES = ("secrets/plan.txt", "deep/keys/server.pem")


@pytest.fixture
def guarded(hooks: Hooks) -> Hooks:
    settings = hooks.home / "config" / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('[record]\nexclude = ["secrets/**", "*.pem"]\n')
    for name in PLACES:
        file = hooks.project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(WORDS + "\n")
    (hooks.project / "plain.txt").symlink_to("secrets/plan.txt")
    (hooks.project / "shelf").symlink_to("secrets", target_is_directory=True)
    return hooks


def finish(hooks: Hooks, tool: str, arguments: dict[str, Any], answer: Any) -> None:
    for event in ("PreToolUse", "PostToolUse"):
        hooks.send(event, tool_name=tool, tool_use_id="toolu_1", tool_input=arguments, tool_response=answer)


COMMANDS = [
    "cat secrets/plan.txt",
    "cat ./secrets/plan.txt | head -3",
    "cd secrets && cat plan.txt",
    "python -c \"print(open('secrets/plan.txt').read())\"",
    "cat plain.txt",
    "cat shelf/plan.txt",
    "sed -n 1,5p deep/keys/server.pem",
    "openssl x509 -in=deep/keys/server.pem -text",
    "cat secr*/plan.txt",
    "cat */plan.txt",
    "base64 < secrets/plan.txt",
    "git show HEAD:secrets/plan.txt",
    "cp secrets/plan.txt /tmp/x && cat /tmp/x",
    "less /elsewhere/other.pem",
    "diff -u a.txt secrets/plan.txt",
    "awk '{print}' secrets/plan.txt",
    "tar -tf secrets/a.tar",
    "env FILE=secrets/plan.txt ./show",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_that_names_it_is_written(guarded: Hooks, command: str) -> None:
    finish(guarded, "Bash", {"command": command}, {"stdout": WORDS, "stderr": ""})
    assert find_traces(guarded.home) == []
    assert guarded.inbox.read_bytes().count(b"\n") == 2


OUTPUTS = [
    (f"secrets/plan.txt:1:{WORDS}\nsrc/auth.py:3:LIFETIME = 300\n", "LIFETIME"),
    (f"secrets/plan.txt\n1:{WORDS}\n\nsrc/auth.py\n3:LIFETIME = 300\n", "LIFETIME"),
    (
        "diff --git a/secrets/plan.txt b/secrets/plan.txt\n--- a/secrets/plan.txt\n+++ b/secrets/plan.txt\n"
        f"@@ -1 +1 @@\n+{WORDS}\ndiff --git a/src/auth.py b/src/auth.py\n+LIFETIME = 300\n",
        "LIFETIME",
    ),
    (f"==> secrets/plan.txt <==\n{WORDS}\n\n==> src/auth.py <==\nLIFETIME = 300\n", "LIFETIME"),
    (f"./deep/keys/server.pem:{WORDS}\nFAILED tests/test_a.py::test_b\n", "FAILED tests/test_a.py"),
]


@pytest.mark.parametrize(("output", "left"), OUTPUTS)
@pytest.mark.parametrize("tool", ["Bash", "Grep"])
def test_of_a_search_only_the_lines_of_other_files_are_written(
    guarded: Hooks, tool: str, output: str, left: str
) -> None:
    arguments = {"command": "rg figures"} if tool == "Bash" else {"pattern": "figures"}
    finish(guarded, tool, arguments, {"stdout": output, "stderr": ""} if tool == "Bash" else output)
    assert find_traces(guarded.home) == []
    if tool == "Bash":
        assert left in guarded.inbox.read_text()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mcp__filesystem__read_text_file", {"path": "secrets/plan.txt"}),
        ("mcp__files__read_many", {"paths": ["src/auth.py", "secrets/plan.txt"]}),
        ("mcp__db__query", {"sql": "COPY t FROM 'secrets/plan.txt'"}),
        ("mcp__fs__fetch", {"uri": "file:///x/secrets.pem", "options": {"deep": ["y"]}}),
        ("Read", {"file_path": "{project}/plain.txt"}),
        ("Read", {"file_path": "{project}/shelf/plan.txt"}),
        ("Read", {"file_path": "/elsewhere/key.pem"}),
        ("Task", {"description": "look", "prompt": "summarise secrets/plan.txt"}),
    ],
)
def test_no_tool_of_whatever_name_gets_past(guarded: Hooks, tool: str, arguments: dict[str, Any]) -> None:
    filled = {
        name: value.replace("{project}", str(guarded.project)) if isinstance(value, str) else value
        for name, value in arguments.items()
    }
    finish(guarded, tool, filled, [{"type": "text", "text": WORDS + "\n" + WORDS}])
    assert find_traces(guarded.home) == []


def test_what_the_agent_says_of_it_is_not_written_either(guarded: Hooks) -> None:
    text = f"I am done.\nIn secrets/plan.txt it says: {WORDS}.\nThe lifetime is 300 seconds."
    guarded.send("Stop", last_assistant_message=text)
    assert find_traces(guarded.home) == []
    assert "The lifetime is 300 seconds" in guarded.inbox.read_text()


def test_other_calls_are_written_as_ever(guarded: Hooks) -> None:
    finish(guarded, "Bash", {"command": "pytest -q tests/test_a.py"}, {"stdout": "1 failed\nE  boom.txt"})
    waiting = guarded.inbox.read_text()
    assert "pytest -q tests/test_a.py" in waiting
    assert "1 failed" in waiting


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("the secrets of good code", False),
        ("see secrets/plan.txt.", True),
        ("a file server.pem lies there", True),
        ("pem files are keys", False),
        ("https://example.org/secrets", False),
    ],
)
def test_prose_names_a_file_only_by_its_path(text: str, is_named: bool) -> None:
    assert names_excluded(text, ("secrets/**", "*.pem"), in_prose=True) is is_named


def test_lines_after_a_heading_go_until_the_next() -> None:
    text = "a\n==> x.pem <==\nb\nc\n==> d.txt <==\ne\n"
    assert drop_excluded_lines(text, ("*.pem",)) == "a\n==> d.txt <==\ne\n"


def test_a_note_about_it_is_refused(guarded: Hooks) -> None:
    with guarded.memory() as memory:
        for arguments in ({"about": ["secrets/plan.txt"]}, {}):
            with pytest.raises(Exception, match=r"record\.exclude"):
                memory.observer.note("secrets/plan.txt holds the plan", session=guarded.session, **arguments)


def test_the_code_graph_does_not_hold_it(guarded: Hooks, tmp_path: Path) -> None:
    (guarded.project / "secrets" / "zebrawolf.py").write_text("def obermoser():\n    pass\n")
    (guarded.project / "plain.py").write_text("def plain():\n    pass\n")
    with guarded.memory() as memory:
        report = memory.code.build()
        assert report.files == 3
    assert find_traces(guarded.home) == []
