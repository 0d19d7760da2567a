"""What an event loses before it is written: secrets, hidden characters, length, files of other people."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from recollect.events.places import ProjectPaths, paths_of_folder
from recollect.events.sanitize import OUTPUT, TEXT, clean, sanitize_event
from recollect.hooks.hook_context import read_lines
from tests.events.payload_events import NOW, one, payloads

KEY = "ghp_" + "a8Zk3Lq9Xw2Vb7Nm4Rt6" * 2
BLOCK = (
    "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7bq2Vd8f\n" * 300 + "-----END RSA PRIVATE KEY-----"
)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("UserPromptSubmit", {"prompt": f"use {KEY}"}),
        ("Stop", {"last_assistant_message": f"I used {KEY}"}),
        ("PreToolUse.Bash", {"tool_input": {"command": f"curl -H 'X: {KEY}'", "description": f"with {KEY}"}}),
        ("PostToolUseFailure.Bash", {"error": f"Exit code 1\n{KEY}"}),
        ("PostToolUse.Bash", {"tool_response": {"stdout": "x" * 9000 + " " + KEY, "stderr": ""}}),
        ("PostCompact", {"compact_summary": KEY}),
        ("Tomorrow", {"news": KEY}),
        ("PostToolUse.WebFetch", {"tool_input": {"url": f"https://x.org/?t={KEY}"}}),
    ],
)
def test_no_text_of_any_event_carries_a_secret(name: str, part: dict[str, object]) -> None:
    (line,) = read_lines("claude-code", payloads("claude-code")[name] | part, NOW, lambda: "new")
    assert KEY not in line
    assert "redacted" in line


def test_hidden_characters_are_taken_out() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    assert one("claude-code", "UserPromptSubmit", prompt=f"hello{hidden}").text == "hello"


@pytest.mark.parametrize("limits", [OUTPUT, TEXT])
def test_a_long_text_keeps_its_beginning_and_its_end(limits: tuple[int, int]) -> None:
    head, tail = limits
    text = clean("start " + "middle " * 20_000 + "the last line", head, tail)
    assert text.startswith("start middle")
    assert text.endswith("the last line")
    assert len(text) < head + tail + 100
    assert "characters cut" in text


@pytest.mark.parametrize("before", range(1900, 2100, 7))
def test_no_cut_leaves_half_a_secret(before: int) -> None:
    """Wherever the cut falls, at the beginning or at the end, a part of a secret is never left."""
    text = "a " * (before // 2) + KEY + " b" * 9000 + " " + KEY + " c" * (before // 2)
    found = clean(text, *OUTPUT)
    assert not any(KEY[start : start + 12] in found for start in range(len(KEY) - 12))


@pytest.mark.parametrize("after", range(1960, 2010, 3))
def test_no_cut_takes_a_secret_from_its_name(after: int) -> None:
    """A password is known by the word before it, so the two are never looked at apart."""
    text = "a " * 9000 + 'password = "kv7Rw2xQ9!pLz"' + " c" * (after // 2)
    assert "kv7Rw2xQ9" not in clean(text, *OUTPUT)


@pytest.mark.parametrize("place", [0, 1500, 40_000])
def test_a_secret_of_many_lines_is_gone_however_the_text_is_cut(place: int) -> None:
    text = "log line\n" * (place // 9) + BLOCK + "\nlog line" * 200
    assert "MIIEpAIB" not in clean(text, *OUTPUT)


@pytest.mark.parametrize("before", range(1940, 2000, 5))
def test_a_run_without_spaces_is_no_way_around(before: int) -> None:
    text = f'{{"a":"{"x" * before}","b":"{KEY}","c":"{"y" * 60_000}","d":"{KEY}","e":"{"z" * before}"}}'
    found = clean(text, *OUTPUT)
    assert not any(KEY[start : start + 12] in found for start in range(len(KEY) - 12))


def test_no_event_becomes_longer_than_a_page_or_two() -> None:
    payload = payloads("claude-code")["PostToolUse.Bash"] | {
        "tool_input": {"command": "x" * 1_000_000, "description": "y" * 100_000},
        "tool_response": {"stdout": "z z " * 1_000_000, "stderr": "e " * 1_000_000},
    }
    (line,) = read_lines("claude-code", payload, NOW, lambda: "new")
    assert len(line) < 20_000
    assert json.loads(line)["tool"] == "Bash"


# -- paths -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("/srv/shop/src/a.py", "src/a.py"),
        ("/srv/shop//src/./a.py", "src/a.py"),
        ("/srv/shop/src/../a.py", "a.py"),
        ("src/a.py", "src/a.py"),
        ("/srv/shopping/a.py", None),
        ("/srv/shop/../secret", None),
        ("../secret", None),
        ("/etc/passwd", None),
        ("~/notes.txt", None),
        ("/srv/shop", None),
        ("", None),
    ],
)
def test_files_are_named_as_the_project_sees_them(path: str, known: str | None) -> None:
    assert ProjectPaths("/srv/shop").inside(path) == known


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("C:\\shop\\src\\a.py", "src/a.py"),
        ("c:/shop/a.py", "a.py"),
        ("D:\\shop\\a.py", None),
        ("src\\a.py", "src/a.py"),
    ],
)
def test_files_of_windows_too(path: str, known: str | None) -> None:
    assert ProjectPaths("C:\\shop", "C:\\shop").inside(path) == known


def test_a_folder_inside_a_repository_sees_files_from_its_top(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    place = ProjectPaths(str(tmp_path / "src"))
    assert place.inside("a.py") == "src/a.py"
    assert place.inside(str(tmp_path / "b.py")) == "b.py"


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_a_linked_folder_is_the_folder(tmp_path: Path) -> None:
    real = tmp_path / "real"
    (real / ".git").mkdir(parents=True)
    (tmp_path / "link").symlink_to(real)
    assert ProjectPaths(str(tmp_path / "link")).inside(str(real / "a.py")) == "a.py"
    assert ProjectPaths(str(real)).inside(str(tmp_path / "link" / "a.py")) == "a.py"


def test_an_event_names_no_file_outside(tmp_path: Path) -> None:
    form = {
        "folder": "/srv/shop",
        "files": ["/etc/hosts"],
        "data": {"edits": [{"file": "/etc/hosts", "after": "1"}]},
    }
    cleaned = sanitize_event(form, ProjectPaths("/srv/shop"))
    assert "files" not in cleaned
    assert cleaned["data"] == {}


def test_a_file_name_and_a_named_value_carry_no_secret(tmp_path: Path) -> None:
    token, word = "gh" + "p_" + "kJ8dL2mQ9xZ4vB7nT1wR" * 2, "sesame" + "Street42"
    data = {
        "edits": [{"file": str(tmp_path / f"{token}.txt"), "after": "0"}],
        "password": word,
        "arguments": {"db_password": word, token: "x", "user": "bob"},
    }
    event = sanitize_event({"type": "tool", "data": data}, paths_of_folder(str(tmp_path)))
    assert token not in str(event)
    assert word not in str(event)
    assert event["data"]["arguments"]["user"] == "bob"
