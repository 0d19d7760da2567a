"""The names of the tests that a run says failed, in the common test tools' own spelling."""

from __future__ import annotations

import re

MOST_NAMED = 40
_LONGEST = 200_000
# pytest and its kin, Go, Rust, JUnit-like, TAP, jest and vitest.
_SHAPES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:FAILED|ERROR) (\S{1,300}::\S{1,300})",
        r"^ {0,12}--- FAIL: (\S{1,200})",
        r"^test (\S{1,200}) \.\.\. FAILED",
        r"^(?:FAIL|ERROR): (\w{1,200}) \(",
        r"^ {0,8}not ok \d{1,6} (?:- )?(.{1,200})$",
        r"^ {0,8}● (.{1,200})$",
    )
)


def failing_tests(output: str) -> tuple[str, ...]:
    """The tests that are named, each once."""
    text = output[-_LONGEST:]
    found = dict.fromkeys(name.strip() for shape in _SHAPES for name in shape.findall(text))
    return tuple(found)[:MOST_NAMED]
