"""What a shell command line is: which checks it runs, what it commits, takes back, installs, searches, reads."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from recollect.model.check import CommandKind, CommandLine, CommandStep, OutputShown
from recollect.model.value import dataclass, replace
from recollect.observe.recognise.kinds import read_program
from recollect.observe.recognise.reports import StatusReport, find_echoed_outcomes, find_status_reports
from recollect.observe.recognise.shell import AndOr, Group, Pipeline, ShellLine, Simple, parse
from recollect.observe.recognise.wrappers import unwrap

_MAX_DEPTH = 4
_MAX_CACHED_LINES = 2048
# They move about, print or set something, and as good as never fail.
_HARMLESS = frozenset(
    "cd pushd popd export unset source . echo printf set shopt true : mkdir touch sleep pwd clear date rm ulimit trap"
    " alias umask wait exit return local declare readonly false hash deactivate activate nvm".split()
)
# Behind a pipe these only cut down what is shown.
_FILTERS = frozenset(
    "tail head grep egrep fgrep rg tee sed awk gawk cut sort uniq wc cat less more tr jq column nl rev"
    " tac fold ansi2txt"
    " strip-ansi perl ts pr bat".split()
)


@lru_cache(maxsize=_MAX_CACHED_LINES)
def read_command(text: str) -> CommandLine:
    """Every command of the line that does something, with what the exit status says about it."""
    line = parse(text)
    command_line = _read_line(line, "", 0)
    if command_line.steps or not line.lists:
        return command_line
    return CommandLine(steps=(CommandStep(kind=CommandKind.OTHER, tool=_first_tool(line)),))


def _first_tool(line: ShellLine) -> str:
    first = line.lists[0].pipelines[0].parts[0]
    return first.words[0] if isinstance(first, Simple) else ""


def _read_line(line: ShellLine, directory: str, depth: int) -> CommandLine:
    """The steps of a line, in order, each knowing what the line's status says about it."""
    is_strict = _has_option(line, "e", "errexit")
    has_pipefail = _has_option(line, "", "pipefail")
    reports = find_status_reports(line)
    status_of = len(line.lists) - 1
    status_of = next((at for at, report in reports.items() if report.is_final), status_of)
    joined_lists: list[_JoinedSteps] = []
    for at, joined in enumerate(line.lists):
        report = reports.get(at)
        sees_first = has_pipefail or bool(report and report.of_first_part)
        joined_lists.append(_read_joined(joined, has_pipefail=sees_first, directory=directory, depth=depth))
        directory = _change_directory(directory, joined)
    counted = [joined_steps for at, joined_steps in enumerate(joined_lists) if is_strict or at == status_of]
    deciders = sum(joined_steps.deciders for joined_steps in counted)
    steps: list[CommandStep] = []
    for at, joined_steps in enumerate(joined_lists):
        counts = (is_strict or at == status_of) and not line.has_control_flow
        steps += (_add_line_status(step, counts, deciders, reports.get(at)) for step in joined_steps.steps)
    only_checks = (
        deciders > 0
        and all(joined_steps.only_checks for joined_steps in counted)
        and not line.has_control_flow
    )
    return CommandLine(steps=tuple(_mark_shown_later(steps)), only_checks_can_fail=only_checks)


def _add_line_status(
    step: CommandStep, counts: bool, deciders: int, report: StatusReport | None
) -> CommandStep:
    if report and report.echo:
        return _change_step(step, status_echo=report.echo)
    return _change_step(
        step,
        zero_means_pass=step.zero_means_pass and counts,
        nonzero_means_fail=step.nonzero_means_fail and counts and deciders == 1,
    )


def _mark_shown_later(steps: list[CommandStep]) -> list[CommandStep]:
    """A check that writes into a file is seen after all when the line goes on to read one."""
    return [
        _change_step(step, shown=OutputShown.ALL)
        if step.shown is OutputShown.NOTHING and any(_is_reading_file(later) for later in steps[at + 1 :])
        else step
        for at, step in enumerate(steps)
    ]


_SHOWS_A_FILE = frozenset({"cat", "tail", "grep", "rg", "bat"})


def _is_reading_file(step: CommandStep) -> bool:
    return step.tool in _SHOWS_A_FILE and step.kind in {CommandKind.READ, CommandKind.SEARCH}


def _change_step(step: CommandStep, **changes: object) -> CommandStep:
    # Most steps come through unchanged, and a copy costs more than a look.
    changed = {name: value for name, value in changes.items() if getattr(step, name) != value}
    return replace(step, **changed) if changed else step  # type: ignore[arg-type]


def _has_option(line: ShellLine, letter: str, name: str) -> bool:
    """Whether the line switches a shell option on, with `set -e` or `set -o errexit`."""
    return any(
        part.words[0] == "set"
        and any(
            word == name or (letter and re.fullmatch(rf"-[a-z]*{letter}[a-z]*", word))
            for word in part.words[1:]
        )
        for joined in line.lists
        for pipeline in joined.pipelines
        for part in pipeline.parts
        if isinstance(part, Simple)
    )


def _change_directory(directory: str, joined: AndOr) -> str:
    for pipeline in joined.pipelines:
        first = pipeline.parts[0]
        if isinstance(first, Simple) and first.words[0] in {"cd", "pushd"} and len(first.words) > 1:
            target = first.words[-1]
            directory = "" if target in {"-", "~"} or "$" in target else posixpath.join(directory, target)
    return directory


@dataclass(frozen=True, slots=True, kw_only=True)
class _JoinedSteps:
    """The steps of one list, and how many of its commands can make it fail."""

    steps: tuple[CommandStep, ...]
    deciders: int
    only_checks: bool


def _read_joined(joined: AndOr, *, has_pipefail: bool, directory: str, depth: int) -> _JoinedSteps:
    """What the status of `a && b || c` says about each."""
    rescue_at = joined.operators.index("||") + 1 if "||" in joined.operators else len(joined.pipelines)
    is_rescued = rescue_at < len(joined.pipelines) and not _is_always_failing(joined.pipelines[-1].parts[-1])
    groups: list[list[CommandStep]] = []
    for pipeline in joined.pipelines:
        groups.append(_read_pipeline(pipeline, has_pipefail=has_pipefail, directory=directory, depth=depth))
        directory = _change_directory(directory, AndOr(pipelines=(pipeline,)))
    deciders = sum(1 for group in groups[:rescue_at] if group)
    on_pass, on_fail = find_echoed_outcomes(joined, rescue_at)
    steps: list[CommandStep] = []
    for at, group in enumerate(groups):
        before = at < rescue_at
        steps += (
            _change_step(
                step,
                zero_means_pass=step.zero_means_pass
                and before
                and not is_rescued
                and not joined.in_background,
                nonzero_means_fail=step.nonzero_means_fail and before and not joined.in_background,
                in_background=step.in_background or joined.in_background,
                said_on_pass=on_pass if before and step.zero_means_pass else step.said_on_pass,
                said_on_fail=on_fail
                if before and step.nonzero_means_fail and deciders == 1
                else step.said_on_fail,
            )
            for step in group
        )
    only_checks = all(_may_fail_for_code(step) for group in groups[:rescue_at] for step in group)
    return _JoinedSteps(
        steps=tuple(steps), deciders=deciders, only_checks=only_checks and not joined.in_background
    )


def _may_fail_for_code(step: CommandStep) -> bool:
    # A formatter that fails could not read the code.
    return (step.is_check or step.kind is CommandKind.FORMAT) and step.zero_means_pass


def _is_always_failing(part: Simple | Group) -> bool:
    if isinstance(part, Group):
        return bool(part.line.lists) and _is_always_failing(part.line.lists[-1].pipelines[-1].parts[-1])
    if part.words[0] in {"exit", "return"}:
        return part.words[1:] != ("0",)
    return part.words[0] == "false"


def _read_pipeline(
    pipeline: Pipeline, *, has_pipefail: bool, directory: str, depth: int
) -> list[CommandStep]:
    """What the status of `a | b` says about each: the last part's, unless the shell was told otherwise."""
    steps: list[CommandStep] = []
    filters: list[Simple] = []
    last = len(pipeline.parts) - 1
    for at, part in enumerate(pipeline.parts):
        if at and isinstance(part, Simple) and part.words[0] in _FILTERS:
            filters.append(part)
            continue
        is_status = (at == last or has_pipefail) and not pipeline.is_negated
        part_steps = _read_part(part, directory, depth)
        steps += (
            _change_step(
                step,
                zero_means_pass=step.zero_means_pass and is_status,
                nonzero_means_fail=step.nonzero_means_fail and is_status,
            )
            for step in part_steps
        )
    output_shown, head_lines = _find_output_shown(filters)
    if not filters or output_shown is OutputShown.ALL:
        return steps
    return [
        _change_step(step, shown=output_shown, head_lines=head_lines)
        if step.shown is OutputShown.ALL
        else step
        for step in steps
    ]


def _read_part(part: Simple | Group, directory: str, depth: int) -> list[CommandStep]:
    if isinstance(part, Group):
        steps = _read_line(part.line, directory, depth + 1).steps if depth < _MAX_DEPTH else ()
        return _hide_output(steps) if part.to_file else list(steps)
    inside = unwrap(part.words)
    if inside.line:
        nested = _read_line(parse(inside.line), directory, depth + 1).steps if depth < _MAX_DEPTH else ()
        return _hide_output(nested) if part.to_file else list(nested)
    if not inside.words or inside.words[0] in _HARMLESS:
        return []
    output_shown = (
        OutputShown.NOTHING if part.to_file else OutputShown.PART if part.drops_errors else OutputShown.ALL
    )
    steps = read_program(inside.words, heredoc=part.heredoc)
    return [
        _change_step(
            step,
            # `cat > file` writes.
            kind=CommandKind.OTHER if part.to_file and step.kind is CommandKind.READ else step.kind,
            targets=tuple(_resolve_target(target, directory) for target in step.targets),
            shown=output_shown,
            zero_means_pass=True,
            nonzero_means_fail=len(steps) == 1,
        )
        for step in steps
    ]


def _hide_output(steps: Iterable[CommandStep]) -> list[CommandStep]:
    return [_change_step(step, shown=OutputShown.NOTHING) for step in steps]


def _resolve_target(target: str, directory: str) -> str:
    if not directory or target.startswith(("/", "~", "-")) or "://" in target:
        return target
    return posixpath.normpath(posixpath.join(directory, target))


_FINDS_FAILURES = re.compile(r"fail|error|✗|✖|issues?\b|test result", re.IGNORECASE)
_HEAD_DEFAULT = 10


def _find_output_shown(filters: Sequence[Simple]) -> tuple[OutputShown, int]:
    """What is left of a check's output behind `| tail`, `| head -20`, `| grep FAIL`."""
    output_shown, head_lines = OutputShown.ALL, 0
    for part in filters:
        program, words = part.words[0], part.words[1:]
        if (
            part.to_file
            or program == "wc"
            or (program in {"grep", "rg", "egrep"} and _is_only_counting(words))
        ):
            return OutputShown.NOTHING, 0
        if program == "head":
            output_shown, head_lines = OutputShown.HEAD, _count_lines(words)
        elif _is_picking_lines(program, words):
            return OutputShown.PART, 0
    return output_shown, head_lines


def _is_picking_lines(program: str, words: Sequence[str]) -> bool:
    if program in {"grep", "rg", "egrep", "fgrep"}:
        return not _is_keeping_failures(words)
    return program in {"awk", "gawk", "cut", "jq"} or (program == "sed" and "-n" in words)


def _is_only_counting(words: Sequence[str]) -> bool:
    return any(re.fullmatch(r"-[a-zA-Z]*[cq][a-zA-Z]*|--count|--quiet", word) for word in words)


def _is_keeping_failures(words: Sequence[str]) -> bool:
    inverted = any(re.fullmatch(r"-[a-zA-Z]*v[a-zA-Z]*|--invert-match", word) for word in words)
    return inverted != any(_FINDS_FAILURES.search(word) for word in words if not word.startswith("-"))


def _count_lines(words: Sequence[str]) -> int:
    numbers = re.search(r"\d{1,6}", " ".join(words)[:80])
    return int(numbers[0]) if numbers else _HEAD_DEFAULT
