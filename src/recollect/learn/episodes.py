"""
Turn segmentation: a session cut at what the person typed, each part with its words, its changes and its checks.

An episode is one request and what came of it. Whether its words may be believed is seen from what followed them: see
`learn/proof.py`. Words come from messages, from commit messages, and from those sections of a compaction summary that
tell what went wrong and how it was mended; its other sections repeat what is heard elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from textwrap import dedent

from recollect.capture.evidence import drop_pasted
from recollect.model.check import CheckVerdict, CommandKind
from recollect.model.step import Message, Step, Steps
from recollect.model.value import dataclass
from recollect.observe.runs import CommandRun, list_runs
from recollect.observe.steps import is_change

# Nobody types more than this in one go; the rest is pasted.
MAX_TYPED = 2_500
_PLAN = re.compile(r"\s*implement the following plan\b|\s*#+ .{0,40}\bplan\b", re.IGNORECASE)


class Voice(StrEnum):
    """Whose words they are."""

    PERSON = "person"
    AGENT = "agent"
    COMMIT = "commit"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """Words of a session with the moment they stand at."""

    voice: Voice
    text: str
    event_id: str
    after_step: int
    # A check had failed and none of its kind had passed since.
    in_failure: bool = False
    # The last thing the agent said before the person spoke again.
    is_closing: bool = False
    # The first thing the agent said to what the person typed.
    is_reply: bool = False
    # Said while all that this request was to change was still as before.
    is_before_change: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One request and what came of it."""

    number: int
    prompt: Utterance | None
    utterances: tuple[Utterance, ...]
    steps: tuple[Step, ...]
    runs: tuple[CommandRun, ...]

    @property
    def changed_files(self) -> tuple[str, ...]:
        """The files that were changed in it, in order."""
        return tuple(dict.fromkeys(file for step in self.steps if is_change(step) for file in step.files))


def cut_episodes(steps: Steps) -> list[Episode]:
    """The episodes of a session in their order; what an agent said before any prompt belongs to the first."""
    prompts = [message for message in steps.prompts if _is_typed(message)]
    runs = list(list_runs(steps.steps, every=True))
    starts = [message.at for message in prompts]
    parts: list[Episode] = []
    for number in range(len(prompts) + 1):
        since = starts[number - 1] if number else None
        until = starts[number] if number < len(starts) else None
        own_steps = tuple(step for step in steps.steps if _between(step.at, since, until) and not step.agent)
        words = [
            message for message in steps.answers if _between(message.at, since, until) and not message.agent
        ]
        if not (own_steps or words or number):
            continue
        numbers = {step.number for step in own_steps}
        first_change = next((step.number for step in own_steps if is_change(step)), None)
        prompt = _prompted(prompts[number - 1], first_change) if number else None
        parts.append(
            Episode(
                number=number,
                prompt=prompt,
                utterances=tuple(_spoken(words, runs, first_change)),
                steps=own_steps,
                runs=tuple(run for run in runs if run.step.number in numbers),
            )
        )
    return parts


def _is_typed(message: Message) -> bool:
    return not message.machine and not message.agent and bool(message.text.strip())


def _between(at: object, since: object, until: object) -> bool:
    return (since is None or at >= since) and (until is None or at < until)  # type: ignore[operator]


def _prompted(message: Message, first_change: int | None) -> Utterance:
    # A plan that the person let pass was written by the agent.
    voice = Voice.AGENT if _PLAN.match(message.text) or len(message.text) > MAX_TYPED else Voice.PERSON
    return Utterance(
        voice=voice,
        text=drop_pasted(message.text),
        event_id=message.event_id,
        after_step=message.after_step,
        is_before_change=first_change is not None,
    )


def _spoken(
    words: Sequence[Message], runs: Sequence[CommandRun], first_change: int | None
) -> Iterator[Utterance]:
    for place, message in enumerate(words):
        yield Utterance(
            voice=Voice.AGENT,
            text=message.text,
            event_id=message.event_id,
            after_step=message.after_step,
            in_failure=bool(open_failures(runs, message.after_step)),
            is_closing=place == len(words) - 1,
            is_reply=place == 0,
            is_before_change=first_change is not None and message.after_step < first_change,
        )


def open_failures(runs: Sequence[CommandRun], at_step: int) -> list[CommandRun]:
    """The checks and commands that had failed by then and had not passed since."""
    failed: dict[tuple[str, str], CommandRun] = {}
    for run in runs:
        if run.step.number > at_step:
            break
        key = (str(run.kind), run.tool)
        if run.verdict is CheckVerdict.FAILED and (run.is_check or run.fault is not None):
            failed[key] = run
        elif run.verdict is CheckVerdict.PASSED:
            failed.pop(key, None)
    return list(failed.values())


def commit_messages(steps: Sequence[Step]) -> Iterator[tuple[Step, str]]:
    """What the agent itself wrote into its commits, where they were made; the subject stands over the body."""
    for step in steps:
        if step.ok is False or step.agent:
            continue
        for run in list_runs([step], every=True):
            if run.kind is CommandKind.COMMIT and run.message and "$(" not in run.message[:3]:
                yield step, _commit_text(run.message)


# `fix(api): `, and what git and programs write below a message.
_COMMIT_TYPE = re.compile(r"^[a-z]+(?:\([^)\n]{1,40}\))?!?:\s+")
_TRAILER = re.compile(r"^(?:[A-Z][\w]*(?:-[\w]+)+: .*|\W*Generated with .*)$", re.MULTILINE)


def _commit_text(message: str) -> str:
    subject, _, body = message.strip().partition("\n")
    subject, body = _COMMIT_TYPE.sub("", subject), _TRAILER.sub("", body).strip()
    return f"# {subject}\n\n{body}" if body else subject


_SECTION = re.compile(
    r"^\s{0,3}(?:#{1,4}\s*)?(?:\d{1,2}[.)]\s*)?\**(?P<title>[A-Z][\w ,/&'-]{3,60}?)\**\s*:?\**\s*$",
    re.MULTILINE,
)
# Agents write summaries in their own words; what a section is about shows in its title.
_HEARD = re.compile(
    r"\b(?:errors?|fix(?:es)?|problems?|issues?|bugs?|lessons?|learn\w*|decisions?|decided|constraints?|gotchas?"
    r"|pitfalls?|caveats?|discover\w*|findings?|insights?|root causes?|debug\w*|troubleshoot\w*|conventions?|rules"
    r"|workarounds?|troubles?|failures?|challenges?|fehler|entscheidungen|erkenntnisse|erreurs?|problèmes?"
    r"|décisions?)\b",
    re.IGNORECASE,
)


def split_sections(summary: str) -> list[tuple[str, str]]:
    """The sections of a summary: title and text."""
    heads = list(_SECTION.finditer(summary))
    ends = [head.start() for head in heads[1:]] + [len(summary)]
    return [
        (head["title"].strip(), dedent(summary[head.end() : end].strip("\n")).rstrip())
        for head, end in zip(heads, ends, strict=True)
    ]


def hear_summary(compaction: Message) -> Iterator[Utterance]:
    """The sections of a summary that may hold a lesson, as utterances."""
    for title, text in split_sections(compaction.text):
        if text and _HEARD.search(title):
            yield Utterance(
                voice=Voice.SUMMARY,
                text=f"# {title}\n\n{text}",
                event_id=compaction.event_id,
                after_step=compaction.after_step,
            )
