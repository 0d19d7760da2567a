"""Command runs of a session: the kind of each command, its targets, its verdict and its error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from recollect.model import check
from recollect.model.check import CheckVerdict, CommandKind
from recollect.model.event import ToolAction
from recollect.model.observation import Fault
from recollect.model.step import Step
from recollect.model.value import dataclass
from recollect.observe.recognise.commands import read_command
from recollect.observe.recognise.faults import read_fault
from recollect.observe.recognise.verdict import judge_output

_MENDING_KINDS = frozenset({CommandKind.INSTALL, CommandKind.FORMAT, CommandKind.OTHER})
# They look, move about or talk to a server; nothing in the code is mended by them.
_NEVER_MENDING_TOOLS = frozenset(
    "git gh ls cat head tail find which env echo printf test stat file du df ps kill pkill sleep curl wget open".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRun:
    """One command of a step. `verdict` is of this command, where one line runs several."""

    step: Step
    kind: CommandKind
    tool: str
    command: str
    targets: tuple[str, ...] = ()
    message: str = ""
    verdict: CheckVerdict = CheckVerdict.UNKNOWN
    fault: Fault | None = None

    @property
    def is_check(self) -> bool:
        """Whether it says something about the code."""
        return self.kind in check.CHECKS

    @property
    def could_mend(self) -> bool:
        """Whether it may have changed what a check complained of."""
        return self.kind in _MENDING_KINDS and self.tool not in _NEVER_MENDING_TOOLS


def list_runs(steps: Iterable[Step], *, every: bool = False) -> Iterator[CommandRun]:
    """The checks that were run, and the lines that failed without being one; with `every`, all other commands too."""
    for step in steps:
        if step.action is ToolAction.RUN and step.command and not step.denied:
            yield from _list_step_runs(step, every=every)


def _list_step_runs(step: Step, *, every: bool) -> Iterator[CommandRun]:
    line = read_command(step.command)
    judgement, fault = _judge_step(
        step.command,
        step.output,
        step.tool,
        _exit_code_of(step),
        step.ok,
        step.interrupted,
        bool(step.data.get("background")),
    )
    for judged_check in judgement.checks:
        yield _make_run(
            step,
            judged_check.step,
            judged_check.verdict,
            fault if judged_check.verdict is not CheckVerdict.PASSED else None,
        )
    if every:
        for part in line.steps:
            if not part.is_check:
                yield _make_run(step, part, _verdict_from_status(step), None)
    elif not line.checks and line.steps:
        yield _make_run(step, line.steps[-1], _verdict_from_status(step), fault)


# Every signal asks about the same steps, one after the other.
@lru_cache(maxsize=1024)
def _judge_step(
    command: str,
    output: str,
    tool: str,
    exit_code: int | None,
    ok: bool | None,
    interrupted: bool,
    in_background: bool,
) -> tuple[check.LineJudgement, Fault | None]:
    judgement = judge_output(
        command, output, exit_code=exit_code, is_interrupted=interrupted, in_background=in_background
    )
    failed = judgement.verdict is CheckVerdict.FAILED or (ok is False and not interrupted)
    fault = read_fault(output, tool=tool) if failed else None
    # What any project meets says nothing about this one.
    return judgement, None if fault is None or (
        fault.is_generic and not _lacks_program(fault, command)
    ) else fault


_NOT_FOUND = re.compile(r"(?P<program>[\w@./+-]{2,60}): (?:command )?not found$")


def _lacks_program(fault: Fault, command: str) -> bool:
    """Whether a program is missing that nobody typed: one that the project's own script runs."""
    missing = _NOT_FOUND.search(fault.shown)
    return missing is not None and missing["program"] not in command


def _make_run(step: Step, part: check.CommandStep, verdict: CheckVerdict, fault: Fault | None) -> CommandRun:
    return CommandRun(
        step=step,
        kind=part.kind,
        tool=part.tool,
        command=step.command,
        targets=part.targets,
        message=part.message,
        verdict=verdict,
        fault=fault,
    )


def _exit_code_of(step: Step) -> int | None:
    if step.exit_code is None and step.ok:
        return 0
    return step.exit_code


def _verdict_from_status(step: Step) -> CheckVerdict:
    if step.ok is None or step.interrupted:
        return CheckVerdict.UNKNOWN
    return CheckVerdict.PASSED if step.ok else CheckVerdict.FAILED
