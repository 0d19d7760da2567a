"""Texts made to keep a reader busy. The clock is a guard against a hang, nothing finer."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from recollect.events.machine_prompts import is_machine_text, remove_machine_text
from recollect.observe.recognise.commands import read_command
from recollect.observe.recognise.corrections import read_correction, read_rejection
from recollect.observe.recognise.e2e import read_e2e
from recollect.observe.recognise.faults import read_fault
from recollect.observe.recognise.verdict import judge_output

SIZE = 200_000
HANG_SECONDS = 10.0


def filled(piece: str) -> str:
    return (piece * (SIZE // len(piece) + 1))[:SIZE]


HOSTILE = {
    "letters": filled("a"),
    "spaces": filled(" "),
    "newlines": filled("\n"),
    "zeros": filled("0"),
    "hex": filled("0f"),
    "slashes": filled("/"),
    "dots": filled("."),
    "paths": filled("a/"),
    "deep paths": filled("a.b/c-d/"),
    "backslashes": filled("\\"),
    "single quotes": filled("'"),
    "double quotes": filled('"'),
    "substitutions": filled("$("),
    "quoted substitutions": filled('"$('),
    "backquotes": filled("`a"),
    "parentheses": filled("("),
    "groups": filled("{ "),
    "here documents": filled("<<E\n"),
    "pipes": filled("a|"),
    "lists": filled("pytest && "),
    "shells": filled("bash -c "),
    "wrappers": filled("uv run "),
    "assignments": filled("A=1 "),
    "statuses": filled("x; echo $?; "),
    "errors": filled("error: "),
    "error lines": filled("a.go:1:2: error: x\n"),
    "thrown": filled("a.b.c.Error"),
    "failed lines": filled("1 failed, 2 passed in \n"),
    "failed line": filled("1 failed, "),
    "found": filled("Found 1 "),
    "numbers": filled("1 2 3 "),
    "times": filled("12:34:56.7 "),
    "tags": filled("<hook_context>"),
    "half tags": filled("<hook_context "),
    "instead": filled("instead of "),
    "no": filled("no, "),
    "sentences": filled("a. "),
    "alerts": filled("- alert \n"),
    "urls": filled("http://a/"),
    "waiting": filled("waiting for locator("),
    "colours": filled("\x1b[31m"),
    "wide": filled("é😀"),
    "tracebacks": filled('  File "a.py", line 1\n'),
}
READERS: dict[str, Callable[[str], object]] = {
    "command": read_command.__wrapped__,
    "verdict": lambda text: judge_output("make test | cat", text),
    "status echo": lambda text: judge_output('pytest; echo "status is $?"', text),
    "fault": lambda text: read_fault(text, tool="Bash"),
    "correction": read_correction,
    "rejection": lambda text: read_rejection("doesn't want to proceed … the user said:" + text),
    "echoes": lambda text: (remove_machine_text(text), is_machine_text(text)),
    "e2e": lambda text: read_e2e("mcp__playwright__browser_click", {}, text),
}


@pytest.mark.parametrize("reader", READERS)
def test_no_text_keeps_a_reader_busy(reader: str) -> None:
    for name, text in HOSTILE.items():
        began = time.process_time()
        READERS[reader](text)
        assert time.process_time() - began < HANG_SECONDS, name
