"""Patterns of error lines in the common ecosystems. The lower the rank, the better the line tells the error."""

from __future__ import annotations

import re

from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True)
class ErrorLinePattern:
    """A pattern with the named parts `message` and, where the line tells, `file`."""

    rank: int
    pattern: re.Pattern[str]


_PATH = r"(?P<file>(?:[A-Za-z]:)?[\w@./\\+~-]{1,240}\.%s)"
_ANY_SOURCE = r"[A-Za-z]\w{0,7}"
_THROWN = (
    r"(?:[A-Za-z_][\w$]{0,60}[.:]{1,2}){0,8}[A-Z][\w$]{0,60}(?:Error|Exception|Warning|Fault|Panic|Exit"
    r"|NotFound|Failure)"
)
_COMPLAINT = (
    r"(?=.{0,300}?(?:\b(?:want|wanted|expected|expect|got|should|must|fail(?:ed|s)?|failure|[Ee]rror|unexpected|missing|mismatch"
    r"|invalid|nil|cannot|could not|did not|does not|didn't|not)\b|!=))(?!.{0,200}?\b(?:INFO|DEBUG)\b)"
)

LINE_PATTERNS: tuple[ErrorLinePattern, ...] = tuple(
    ErrorLinePattern(rank, re.compile(pattern))
    for rank, pattern in (
        # pytest repeats the error behind `E`; its first such line is the assertion or the exception.
        (1, rf"^E {{2,8}}(?P<message>(?:{_THROWN}|assert |Failed: ).{{0,360}})"),
        (
            1,
            rf"^ {{0,8}}(?:Caused by: |Uncaught |Unhandled "
            rf"|Exception in thread \S{{1,60}} )?(?P<message>{_THROWN}(?: \[\w+\])?(?:: .{{0,360}}|$))",
        ),
        # RSpec has its words on the next line.
        (1, rf"^ {{1,12}}(?P<message>{_THROWN}:)$"),
        (1, r"^(?P<message>panic: .{1,360})"),
        (1, rf"^thread '.{{1,100}}' (?:\(\d+\) )?panicked at {_PATH % 'rs'}:\d+:\d+:(?P<message>)$"),
        (1, r"^(?P<message>error\[E\d{4}\]: .{1,360})"),
        (
            1,
            rf"^(?:\[ERROR\] )?{_PATH % _ANY_SOURCE}[:(\[]{{1,2}}\d{{1,6}}(?:[:,]\d{{1,6}})?[)\]]?(?::"
            rf"|\s-)? {{0,4}}(?P<message>(?:fatal )?error(?: [A-Z]{{2,8}}\d{{2,6}})?:? .{{1,360}})",
        ),
        (1, rf"^e: (?:file://)?{_PATH % 'kts?'}:\d+:\d+ (?P<message>.{{1,360}})"),
        (1, rf"^PHP (?P<message>(?:Fatal|Parse) error: .{{1,300}}) in {_PATH % 'php'}"),
        (1, r"^.{0,200}(?P<message>undefined reference to .{1,200})"),
        (2, rf"^(?:vet: )?{_PATH % _ANY_SOURCE}:\d{{1,6}}:\d{{1,6}}: (?P<message>.{{3,360}})"),
        (2, rf"^\[ERROR\] {_PATH % 'java'}:\[\d+,\d+\] (?P<message>.{{1,360}})"),
        (2, rf"^{_PATH % _ANY_SOURCE}:\d{{1,6}}: (?!:? ?#)(?P<message>.{{3,360}})"),
        (2, r"^ {1,8}\d{1,6}:\d{1,6} {1,8}(?P<message>error {1,8}.{3,360})"),
        (2, r"^(?P<message>[A-Z]{1,4}\d{3,4} (?:\[\*\] )?.{3,360})"),
        # Go's tests print their log and their complaints in the same way; only the words tell them apart.
        (2, rf"^ {{4,16}}{_PATH % 'go'}:\d{{1,6}}: (?P<message>{_COMPLAINT}.{{3,360}})"),
        # Without such words it may still be what a failed test says of itself.
        (3, rf"^ {{4,16}}{_PATH % 'go'}:\d{{1,6}}: (?P<message>(?!.{{0,200}}?\b(?:INFO|DEBUG)\b).{{3,360}})"),
        # A script of the project's own.
        (2, r"^(?P<file>[\w./+-]{1,200}): (?:line )?\d{1,6}: (?P<message>.{3,300})"),
        (1, r"^\[ERROR\] {1,8}[\w.$]{1,200}:\d{1,6} » (?P<message>.{3,300})"),
        (3, rf"^FAILED {_PATH % 'py'}::(?P<message>\S{{1,200}} - .{{3,360}})"),
        (3, r"^ {0,8}(?P<message>(?:Failure/Error|Error|AssertionError|Failed|Assertion failed): .{1,360})"),
        (3, r"^(?P<message>(?:error|fatal|FATAL|ERROR|FAILED)(?: during build)?: .{3,360})"),
        (4, r"^ {0,12}(?P<message>--- FAIL: \S{1,200})"),
        (4, r"^ {0,8}(?P<message>● .{3,300})"),
        (4, r"^ {0,8}(?P<message>not ok \d+ .{3,300})"),
        (4, r"^ {0,8}\d{1,4}\) (?P<message>.{3,300})$"),
        (
            5,
            r"^(?:npm|pnpm|yarn) (?:ERR!|error) (?!code |A complete log|While resolving|Found: |Test failed|path "
            r"|command |\s|.{0,200}\.log$)(?P<message>[A-Z].{3,300})",
        ),
        (5, r"^(?P<message>(?:✗|✖|×|✘) (?!\d+ problem).{3,300})"),
        (
            5,
            r"^\[ERROR\] {0,4}(?!Tests run|Failed to execute|Re-run|Help|To see|After |For more|Failures:|Errors:|-> "
            r"|\[Help)(?P<message>.{8,300})",
        ),
        (
            6,
            r"^(?P<message>\S{1,40}: (?:error|cannot|failed|unknown|invalid|missing|no such|not found).{3,300})",
        ),
        (6, r"^(?P<message>g?make(?:\[\d+\])?: \*\*\* .{3,300})"),
        (7, r"^(?:ba|z|da)?sh: (?P<message>.{3,300})"),
        (7, r"^\(eval\):(?P<message>.{3,300})"),
    )
)
# The name under which a linter, a compiler or a language files the error.
RULES: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(TS\d{3,5}|CS\d{4}|CA\d{4}|MSB\d{4})\b",
        r"\[(E\d{4})\]",
        r"^([A-Z]{1,4}\d{3,4})\b",
        rf"^({_THROWN})\b",
        r"\(([a-z][a-z0-9-]{2,30})\)$",
        r"\[([a-z][a-z0-9-]{2,40})\]$",
        r"^error {2,8}.{3,300} {2,8}((?:@?[\w-]{1,40}/)?[a-z][\w-]{2,50})$",
    )
)
# A comparison of bare values: half of all failing tests print it.
SAYS_LITTLE = re.compile(
    r"(?:AssertionError: )?assert (?:<n>|None|True|False|not|is|in|[^\w\s]|\s){1,40}$|(?:AssertionError|Error)$"
    r"|Tests? (?:run|failed)\b|\d+ (?:problems?|errors?|failed|failures?)\b"
)
# What a failing test is called, and the line of its source that failed: pytest, jest, Go, Rust, Vitest, RSpec.
FAILED_TEST = re.compile(
    r"^(?:FAILED (?P<pytest>\S{1,240}::\S{1,200})| {0,8}● (?P<jest>.{3,200})| {0,12}--- FAIL: (?P<go>\S{1,200})"
    r"|test (?P<rust>\S{1,200}) \.\.\. FAILED| {0,2}FAIL {1,3}(?P<vitest>\S{1,200} > .{2,200})$"
    r"| {2}\d{1,4}\) (?P<rspec>.{3,200})$)",
    re.MULTILINE,
)
# Vitest sets a caret under it instead of an arrow before it.
ASSERTED_LINE = re.compile(
    r"^(?:> {1,12}| {0,12}> {0,4}\d{1,6} \| {0,40}"
    r"| {0,8}\d{1,6}\| {0,40}(?=\S.{2,300}\n {0,16}\| {0,80}\^))"
    r"(?P<source>\S.{2,300})$",
    re.MULTILINE,
)
# A line without any of these is of no shape.
CUES = re.compile(
    r"rror|ERR|FAIL|Fail|panic|fatal|FATAL|xception|Warning|Fault|Exit|NotFound|^E  |:\d+:|\.\w+:\d+"
    r"|\[\d+,\d+\]|^ {1,8}\d+:\d+ |undefined|[✗✖×✘●]|^not ok|^ {0,8}\d+\) |: (?:cannot|failed|unknown"
    r"|invalid|missing|no such|not found)|: (?:line )?\d+: |\*\*\*|sh: |^\(eval\)|^[A-Z]{1,4}\d{3}"
)
# `File "a/b.py", line 3`, `at f (a/b.ts:3:1)`, `a/b.go:3`.
PLACE = re.compile(r"(?P<file>(?:[A-Za-z]:)?[\w@./\\+~-]{1,240}\.[A-Za-z]\w{0,7})(?:\", line |:)\d{1,6}")
