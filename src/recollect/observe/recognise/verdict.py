"""How a finished command came out: from its exit status where that can be believed, else from what it printed."""

from __future__ import annotations

import re

from recollect.model.check import (
    CheckVerdict,
    CommandKind,
    CommandLine,
    CommandStep,
    JudgedCheck,
    LineJudgement,
    OutputShown,
)
from recollect.observe.recognise.commands import read_command
from recollect.observe.recognise.excerpt import excerpt
from recollect.observe.recognise.reports import STATUS
from recollect.observe.recognise.summaries import SILENT, SummaryShape, pick_shapes

_PASSED, _FAILED, _UNKNOWN = CheckVerdict.PASSED, CheckVerdict.FAILED, CheckVerdict.UNKNOWN


def judge_output(
    command: str,
    output: str,
    *,
    exit_code: int | None = None,
    is_interrupted: bool = False,
    in_background: bool = False,
) -> LineJudgement:
    """The verdict on a line and on each of its checks.

    `exit_code` is what the client gave, if it gave one; some write it into the text instead.
    """
    line = read_command(command)
    checks = line.checks
    if not checks:
        return LineJudgement(verdict=_UNKNOWN)
    code_in_text, text = find_exit_code(excerpt(output))
    if is_interrupted or in_background or _NEVER_ENDED.match(text):
        unknown = tuple(JudgedCheck(step=step, verdict=_UNKNOWN) for step in checks)
        return LineJudgement(verdict=_UNKNOWN, checks=unknown)
    code = exit_code if exit_code is not None else code_in_text
    alone = len(checks) == 1
    judged_checks = [JudgedCheck(step=step, verdict=_judge_step(step, text, code, alone)) for step in checks]
    judged_checks = _blame_last_unknown(line, judged_checks, code)
    return LineJudgement(verdict=_judge_line(line, judged_checks, code), checks=tuple(judged_checks))


# Claude Code begins a failure with it, Codex heads its answer with it, Gemini ends with a line of its own.
_CODE_AT_START = re.compile(r"(?:Error: )?Exit code:? (\d{1,3})(?:\n|$)")
_CODE_IN_HEADER = re.compile(
    r"(?:Chunk ID: [^\n]{0,80}\n)?(?:Wall time: [^\n]{0,80}\n)?Process exited with code (\d{1,3})\b"
)
_CODE_IN_LINE = re.compile(r"^Exit Code: (\d{1,3})$", re.MULTILINE)


def find_exit_code(output: str) -> tuple[int | None, str]:
    """The exit status that a client wrote into the text, and the text without it."""
    for pattern in (_CODE_AT_START, _CODE_IN_HEADER):
        if match := pattern.match(output):
            return int(match[1]), output[match.end() :]
    if "Exit Code: " in output and (lines := list(_CODE_IN_LINE.finditer(output))):
        match = lines[-1]
        return int(match[1]), output[: match.start()] + output[match.end() :]
    return None, output


# Only at the beginning: further in, such words are the program's own.
_NEVER_ENDED = re.compile(
    r"\s{0,40}(?:\[Request interrupted by user|The user doesn't want to (?:proceed|take this action)|<tool_use_error>"
    r"|<error>Command was aborted|Permission to use |Process still running|Tool execution timed out"
    r"|timeout: sending signal|Command (?:running in background|(?:was )?moved to (?:the )?background|timed out"
    r"|aborted|(?:was )?(?:interrupted|cancelled|aborted)))"
)


def _judge_step(step: CommandStep, text: str, code: int | None, alone: bool) -> CheckVerdict:
    if step.in_background:
        return _UNKNOWN
    if step.status_echo:
        code = _find_echoed_status(step.status_echo, text)
    status_verdict = _verdict_from_status(step, code)
    failures, passes, nothing = pick_shapes(step.tool, step.kind, alone)
    if status_verdict is _PASSED:
        return _UNKNOWN if _has_run_nothing(text, nothing, passes) else _PASSED
    if status_verdict is _FAILED:
        return _FAILED if not _has_not_started(text) else _UNKNOWN
    if code in _NO_ANSWER and step.nonzero_means_fail:
        return _UNKNOWN
    return _verdict_from_text(step, text) or _verdict_from_output(step, text, failures, passes)


def _verdict_from_text(step: CommandStep, text: str) -> CheckVerdict | None:
    """What the line itself printed about it, with `&& echo OK || echo BAD`."""
    if not (step.said_on_pass or step.said_on_fail):
        return None
    lines = {line.strip() for line in text[-4096:].splitlines()}
    if step.said_on_fail and step.said_on_fail in lines:
        return _FAILED
    return _PASSED if step.said_on_pass and step.said_on_pass in lines else None


# Not found, not executable, killed, stopped, out of time, a closed pipe: nothing about the code.
_NO_ANSWER = frozenset({124, 125, 126, 127, 129, 130, 137, 141, 143})
# Statuses with which a tool says that it did not check: no tests, wrong arguments.
_DID_NOT_CHECK = {
    "pytest": frozenset({3, 4, 5}),
    "py.test": frozenset({3, 4, 5}),
    "ruff": frozenset({2}),
    "eslint": frozenset({2}),
    "golangci-lint": frozenset({3, 4, 5, 6, 7}),
    "unittest": frozenset({5}),
}


def _verdict_from_status(step: CommandStep, code: int | None) -> CheckVerdict:
    if code is None or code in _NO_ANSWER:
        return _UNKNOWN
    if code == 0:
        return _PASSED if step.zero_means_pass else _UNKNOWN
    if not step.nonzero_means_fail or code in _DID_NOT_CHECK.get(step.tool, ()):
        return _UNKNOWN
    return _FAILED


_NO_START = re.compile(
    r"(?:command not found|: not found|No such file or directory|No module named \S{1,60}|npm (?:ERR!"
    r"|error) Missing script"
    r"|is not recognized as an internal|No rule to make target|could not determine executable to run"
    r"|no such file or directory: |ERR_PNPM_NO_SCRIPT|Cannot connect to the Docker daemon|error: unrecognized arguments"
    r"|error Command \"[^\"\n]{1,60}\" not found|go: cannot find main module|error: could not find `Cargo.toml`"
    r"|ERROR: file or directory not found|no required module provides|error: Failed to spawn"
    r"|unknown task|Justfile does not contain recipe|error: Justfile|no task named|Couldn't find a package.json"
    r"|Command not found|there is no POM in this directory)"
)
_MAX_SHORT_OUTPUT = 400


def _has_not_started(text: str) -> bool:
    """A short complaint of the shell or of the launcher: the tool itself never ran."""
    return (
        len(text) < _MAX_SHORT_OUTPUT
        and _NO_START.search(text) is not None
        and "Error: Cannot find module" not in text
    )


def _has_run_nothing(text: str, nothing: tuple[SummaryShape, ...], passes: tuple[SummaryShape, ...]) -> bool:
    return _has_any(nothing, text) and not _has_any(passes, text)


def _verdict_from_output(
    step: CommandStep, text: str, failures: tuple[SummaryShape, ...], passes: tuple[SummaryShape, ...]
) -> CheckVerdict:
    if step.shown is OutputShown.NOTHING:
        return _UNKNOWN
    if _has_any(failures, text):
        return _FAILED
    is_cut = step.shown is OutputShown.HEAD and text.count("\n") + 1 >= step.head_lines
    is_whole = step.shown is OutputShown.ALL or (step.shown is OutputShown.HEAD and not is_cut)
    for shape in passes:
        if (is_whole or not shape.of_a_part) and shape.is_in(text):
            return _PASSED
    if is_whole and step.tool in SILENT and step.kind is not CommandKind.TEST and _is_silence(text):
        return _PASSED
    return _UNKNOWN


def _has_any(shapes: tuple[SummaryShape, ...], text: str) -> bool:
    return any(shape.is_in(text) for shape in shapes)


_SILENCE = frozenset(
    {"", "(no output)", "(Bash completed with no output)", "Output: (empty)", "(no content)"}
)


def _is_silence(text: str) -> bool:
    return text.strip() in _SILENCE


_VARIABLE = re.compile(r"\$\{?\w{1,60}\}?")
_MIN_ECHO = 3


def _find_echoed_status(echo: str, text: str) -> int | None:
    """The status that the line printed itself, with `echo "exit=$?"`."""
    before, _, after = (_pattern_of_echo(side) for side in echo.partition(STATUS))
    # Output without a line break at its end stands before it on the same line.
    start = r"^[^\n]{0,200}?" if len(before) >= _MIN_ECHO else "^"
    codes = re.findall(rf"{start}{before}(\d{{1,3}}){after}$", text[-4096:], re.MULTILINE)
    return int(codes[-1]) if codes else None


def _pattern_of_echo(side: str) -> str:
    """A pattern for what the shell made of it: any text where a variable stands."""
    return r"[^\n]{0,80}?".join(re.escape(piece) for piece in _VARIABLE.split(side))


def _blame_last_unknown(
    line: CommandLine, judged_checks: list[JudgedCheck], code: int | None
) -> list[JudgedCheck]:
    """When the line failed and all other checks are known to have passed, the remaining one failed."""
    if not code or code in _NO_ANSWER or not line.only_checks_can_fail:
        return judged_checks
    open_ones = [check for check in judged_checks if check.verdict is _UNKNOWN]
    if (
        len(open_ones) != 1
        or any(check.verdict is _FAILED for check in judged_checks)
        or len(judged_checks) < 2
    ):
        return judged_checks
    return [
        JudgedCheck(step=check.step, verdict=_FAILED) if check is open_ones[0] else check
        for check in judged_checks
    ]


def _judge_line(line: CommandLine, judged_checks: list[JudgedCheck], code: int | None) -> CheckVerdict:
    verdicts = {check.verdict for check in judged_checks}
    if _FAILED in verdicts:
        return _FAILED
    if verdicts == {_PASSED}:
        return _PASSED
    blames_checks = len(judged_checks) > 1 and line.only_checks_can_fail
    return _FAILED if code and code not in _NO_ANSWER and blames_checks else _UNKNOWN
