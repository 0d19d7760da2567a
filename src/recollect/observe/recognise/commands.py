"""What a shell command line is: which checks it runs, what it commits, takes back, installs, searches, reads."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from recollect.model.check import CommandKind, CommandLine, Shown, Step
from recollect.model.value import dataclass, replace
from recollect.observe.recognise.kinds import read_program
from recollect.observe.recognise.reports import Report, reports_of, said_by
from recollect.observe.recognise.shell import AndOr, Group, Line, Pipeline, Simple, parse
from recollect.observe.recognise.wrappers import unwrap

_DEEPEST = 4
_REMEMBERED_LINES = 2048
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


@lru_cache(maxsize=_REMEMBERED_LINES)
def read_command(text: str) -> CommandLine:
    """Every command of the line that does something, with what the exit status says about it."""
    line = parse(text)
    read = _read(line, "", 0)
    if read.steps or not line.lists:
        return read
    return CommandLine(steps=(Step(kind=CommandKind.OTHER, tool=_first_tool(line)),))


def _first_tool(line: Line) -> str:
    first = line.lists[0].pipelines[0].parts[0]
    return first.words[0] if isinstance(first, Simple) else ""


def _read(line: Line, directory: str, depth: int) -> CommandLine:
    """The steps of a line, in order, each knowing what the line's status says about it."""
    is_strict = _sets(line, "e", "errexit")
    has_pipefail = _sets(line, "", "pipefail")
    reports = reports_of(line)
    status_of = len(line.lists) - 1
    status_of = next((at for at, report in reports.items() if report.is_final), status_of)
    read: list[_Joined] = []
    for at, joined in enumerate(line.lists):
        report = reports.get(at)
        sees_first = has_pipefail or bool(report and report.of_first_part)
        read.append(_joined_steps(joined, has_pipefail=sees_first, directory=directory, depth=depth))
        directory = _moved(directory, joined)
    counted = [one for at, one in enumerate(read) if is_strict or at == status_of]
    deciders = sum(one.deciders for one in counted)
    steps: list[Step] = []
    for at, one in enumerate(read):
        counts = (is_strict or at == status_of) and not line.has_control_flow
        steps += (_told_by_line(step, counts, deciders, reports.get(at)) for step in one.steps)
    only_checks = deciders > 0 and all(one.only_checks for one in counted) and not line.has_control_flow
    return CommandLine(steps=tuple(_shown_later(steps)), only_checks_can_fail=only_checks)


def _told_by_line(step: Step, counts: bool, deciders: int, report: Report | None) -> Step:
    if report and report.echo:
        return _with(step, status_echo=report.echo)
    return _with(
        step,
        zero_means_pass=step.zero_means_pass and counts,
        nonzero_means_fail=step.nonzero_means_fail and counts and deciders == 1,
    )


def _shown_later(steps: list[Step]) -> list[Step]:
    """A check that writes into a file is seen after all when the line goes on to read one."""
    return [
        _with(step, shown=Shown.ALL)
        if step.shown is Shown.NOTHING and any(_reads(later) for later in steps[at + 1 :])
        else step
        for at, step in enumerate(steps)
    ]


_SHOWS_A_FILE = frozenset({"cat", "tail", "grep", "rg", "bat"})


def _reads(step: Step) -> bool:
    return step.tool in _SHOWS_A_FILE and step.kind in {CommandKind.READ, CommandKind.SEARCH}


def _with(step: Step, **changes: object) -> Step:
    # Most steps come through unchanged, and a copy costs more than a look.
    changed = {name: value for name, value in changes.items() if getattr(step, name) != value}
    return replace(step, **changed) if changed else step  # type: ignore[arg-type]


def _sets(line: Line, letter: str, name: str) -> bool:
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


def _moved(directory: str, joined: AndOr) -> str:
    for pipeline in joined.pipelines:
        first = pipeline.parts[0]
        if isinstance(first, Simple) and first.words[0] in {"cd", "pushd"} and len(first.words) > 1:
            target = first.words[-1]
            directory = "" if target in {"-", "~"} or "$" in target else posixpath.join(directory, target)
    return directory


@dataclass(frozen=True, slots=True, kw_only=True)
class _Joined:
    """The steps of one list, and how many of its commands can make it fail."""

    steps: tuple[Step, ...]
    deciders: int
    only_checks: bool


def _joined_steps(joined: AndOr, *, has_pipefail: bool, directory: str, depth: int) -> _Joined:
    """What the status of `a && b || c` says about each."""
    rescue_at = joined.operators.index("||") + 1 if "||" in joined.operators else len(joined.pipelines)
    is_rescued = rescue_at < len(joined.pipelines) and not _always_fails(joined.pipelines[-1].parts[-1])
    groups: list[list[Step]] = []
    for pipeline in joined.pipelines:
        groups.append(_pipeline_steps(pipeline, has_pipefail=has_pipefail, directory=directory, depth=depth))
        directory = _moved(directory, AndOr(pipelines=(pipeline,)))
    deciders = sum(1 for group in groups[:rescue_at] if group)
    on_pass, on_fail = said_by(joined, rescue_at)
    steps: list[Step] = []
    for at, group in enumerate(groups):
        before = at < rescue_at
        steps += (
            _with(
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
    only_checks = all(_fails_for_code(step) for group in groups[:rescue_at] for step in group)
    return _Joined(
        steps=tuple(steps), deciders=deciders, only_checks=only_checks and not joined.in_background
    )


def _fails_for_code(step: Step) -> bool:
    # A formatter that fails could not read the code.
    return (step.is_check or step.kind is CommandKind.FORMAT) and step.zero_means_pass


def _always_fails(part: Simple | Group) -> bool:
    if isinstance(part, Group):
        return bool(part.line.lists) and _always_fails(part.line.lists[-1].pipelines[-1].parts[-1])
    if part.words[0] in {"exit", "return"}:
        return part.words[1:] != ("0",)
    return part.words[0] == "false"


def _pipeline_steps(pipeline: Pipeline, *, has_pipefail: bool, directory: str, depth: int) -> list[Step]:
    """What the status of `a | b` says about each: the last part's, unless the shell was told otherwise."""
    steps: list[Step] = []
    filters: list[Simple] = []
    last = len(pipeline.parts) - 1
    for at, part in enumerate(pipeline.parts):
        if at and isinstance(part, Simple) and part.words[0] in _FILTERS:
            filters.append(part)
            continue
        is_status = (at == last or has_pipefail) and not pipeline.is_negated
        own = _part_steps(part, directory, depth)
        steps += (
            _with(
                step,
                zero_means_pass=step.zero_means_pass and is_status,
                nonzero_means_fail=step.nonzero_means_fail and is_status,
            )
            for step in own
        )
    shown, head_lines = _shown_through(filters)
    if not filters or shown is Shown.ALL:
        return steps
    return [
        _with(step, shown=shown, head_lines=head_lines) if step.shown is Shown.ALL else step for step in steps
    ]


def _part_steps(part: Simple | Group, directory: str, depth: int) -> list[Step]:
    if isinstance(part, Group):
        steps = _read(part.line, directory, depth + 1).steps if depth < _DEEPEST else ()
        return _hidden(steps) if part.to_file else list(steps)
    inside = unwrap(part.words)
    if inside.line:
        nested = _read(parse(inside.line), directory, depth + 1).steps if depth < _DEEPEST else ()
        return _hidden(nested) if part.to_file else list(nested)
    if not inside.words or inside.words[0] in _HARMLESS:
        return []
    shown = Shown.NOTHING if part.to_file else Shown.PART if part.drops_errors else Shown.ALL
    steps = read_program(inside.words, heredoc=part.heredoc)
    return [
        _with(
            step,
            # `cat > file` writes.
            kind=CommandKind.OTHER if part.to_file and step.kind is CommandKind.READ else step.kind,
            targets=tuple(_placed(target, directory) for target in step.targets),
            shown=shown,
            zero_means_pass=True,
            nonzero_means_fail=len(steps) == 1,
        )
        for step in steps
    ]


def _hidden(steps: Iterable[Step]) -> list[Step]:
    return [_with(step, shown=Shown.NOTHING) for step in steps]


def _placed(target: str, directory: str) -> str:
    if not directory or target.startswith(("/", "~", "-")) or "://" in target:
        return target
    return posixpath.normpath(posixpath.join(directory, target))


_FINDS_FAILURES = re.compile(r"fail|error|✗|✖|issues?\b|test result", re.IGNORECASE)
_HEAD_DEFAULT = 10


def _shown_through(filters: Sequence[Simple]) -> tuple[Shown, int]:
    """What is left of a check's output behind `| tail`, `| head -20`, `| grep FAIL`."""
    shown, head_lines = Shown.ALL, 0
    for part in filters:
        program, words = part.words[0], part.words[1:]
        if part.to_file or program == "wc" or (program in {"grep", "rg", "egrep"} and _only_counts(words)):
            return Shown.NOTHING, 0
        if program == "head":
            shown, head_lines = Shown.HEAD, _line_count(words)
        elif _picks_lines(program, words):
            return Shown.PART, 0
    return shown, head_lines


def _picks_lines(program: str, words: Sequence[str]) -> bool:
    if program in {"grep", "rg", "egrep", "fgrep"}:
        return not _keeps_failures(words)
    return program in {"awk", "gawk", "cut", "jq"} or (program == "sed" and "-n" in words)


def _only_counts(words: Sequence[str]) -> bool:
    return any(re.fullmatch(r"-[a-zA-Z]*[cq][a-zA-Z]*|--count|--quiet", word) for word in words)


def _keeps_failures(words: Sequence[str]) -> bool:
    inverted = any(re.fullmatch(r"-[a-zA-Z]*v[a-zA-Z]*|--invert-match", word) for word in words)
    return inverted != any(_FINDS_FAILURES.search(word) for word in words if not word.startswith("-"))


def _line_count(words: Sequence[str]) -> int:
    numbers = re.search(r"\d{1,6}", " ".join(words)[:80])
    return int(numbers[0]) if numbers else _HEAD_DEFAULT
