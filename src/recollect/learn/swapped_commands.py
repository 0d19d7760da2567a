"""A command that failed and another with the same intent that passed: what does not do it here, and what does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.learn.content_words import content_words
from recollect.learn.diagnosis import find_diagnosis
from recollect.model.event import ToolAction
from recollect.model.step import Message, Step
from recollect.model.value import dataclass
from recollect.observe.phrases import quote_text
from recollect.observe.recognise.commands import read_command
from recollect.observe.recognise.faults import read_fault
from recollect.observe.recognise.harness import is_harness_error

# The other way is taken soon, or it answers another question.
MAX_STEPS_BETWEEN = 8
MAX_SHOWN_LENGTH = 90
# So much of their words two lines share that want the same.
SAME_INTENT = 0.3
_HEREDOC = re.compile(r"\$\(cat <<.*|<<-?\s*['\"]?\w+['\"]?.*", re.DOTALL)
_LONG_TEXT = re.compile(r"(\"[^\"\n]{40,}\"?|'[^'\n]{40,}'?)")
_CUTTERS = re.compile(r"\s*(?:2>&1|\|\s*(?:head|tail|grep|jq|less|cat|wc|sort)\b.*)$", re.DOTALL)
_PLAIN_WORD = re.compile(r"[a-z][a-z-]{1,20}")
_LOOKERS = frozenset(
    "export source ls cat head tail find grep rg sed awk wc cd echo which stat pwd test diff sleep mkdir rm cp mv"
    " touch".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSwap:
    """One command in place of another."""

    failed: str
    worked: str
    error: str
    why: str
    step: int
    program: str
    event_ids: tuple[str, ...]


def find_command_swaps(steps: Sequence[Step], answers: Sequence[Message]) -> Iterator[CommandSwap]:
    """Each command that failed, was never made to work, and had another one in its place."""
    runs = [step for step in steps if step.action is ToolAction.RUN and step.command and not step.denied]
    for place, step in enumerate(runs):
        if step.ok is not False or step.interrupted or is_harness_error(step.output, tool=""):
            continue
        intent = _intent(step.command)
        if not intent or any(_is_same(step.command, other.command) for other in runs if other.ok):
            continue
        error = _error_line(step.output)
        later = runs[place + 1 : place + 1 + MAX_STEPS_BETWEEN]
        worked = next(
            (other for other in later if other.ok and _is_swap(step.command, other.command, intent)), None
        )
        if worked is None or not error:
            continue
        why = find_diagnosis(answers, step.number, worked.number + 1, (error, *intent))
        # Without a word on why, the difference of the two must speak for itself: a flag or a subcommand.
        if why or _differs_by_option(step.command, worked.command):
            yield CommandSwap(
                failed=show_command(step.command),
                worked=show_command(worked.command),
                error=error,
                why=why,
                step=step.number,
                program=intent[0],
                event_ids=(*step.event_ids, *worked.event_ids),
            )


def word_swap(swap: CommandSwap) -> str:
    """The note: what fails, what it says, what works, and why."""
    why = f" {swap.why}" if swap.why else ""
    return f"`{swap.failed}` fails with {quote_text(swap.error, 100)}; `{swap.worked}` works.{why}"


def show_command(command: str) -> str:
    """A command as a reader wants it: without heredocs, long texts and what cuts its output."""
    line = _HEREDOC.sub("…", command.strip().replace("\\\n", " "))
    line = " ".join(_LONG_TEXT.sub("…", _CUTTERS.sub("", line.splitlines()[0])).split())
    return line if len(line) <= MAX_SHOWN_LENGTH else line[: MAX_SHOWN_LENGTH - 1].rstrip() + "…"


def _intent(command: str) -> tuple[str, ...]:
    """The program and the plain words it is told: `gh api`, `git push`. Paths, numbers and options are the how."""
    line = read_command(command)
    if len(line.steps) != 1 or line.steps[0].is_check:
        return ()
    words = [word for word in show_command(command).split() if not word.startswith("-") and "=" not in word]
    if not words or words[0] in _LOOKERS:
        return ()
    return (words[0], *(word for word in words[1:] if _PLAIN_WORD.fullmatch(word)))


def _is_swap(failed: str, other: str, intent: tuple[str, ...]) -> bool:
    if _intent(other) != intent or _is_same(failed, other):
        return False
    ours, others = content_words(failed), content_words(other)
    return len(ours & others) >= SAME_INTENT * len(ours | others)


def _is_same(one: str, other: str) -> bool:
    return " ".join(one.split()) == " ".join(other.split())


def _differs_by_option(failed: str, worked: str) -> bool:
    options = [
        {word.partition("=")[0] for word in line.split() if word.startswith("-")} for line in (failed, worked)
    ]
    return options[0] != options[1]


def _error_line(output: str) -> str:
    fault = read_fault(output)
    if fault is not None and fault.shown:
        return fault.shown
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next(
        (
            line
            for line in lines
            if re.search(r"\b(?:error|invalid|not|fail\w*|unknown|denied)\b", line, re.IGNORECASE)
        ),
        "",
    )
