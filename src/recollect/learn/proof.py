"""
Proof before belief: a statement stands or falls with what its own session did after it.

Proved: what its request changed was followed by a check that passed, or by a commit where no check tells otherwise, and
nobody took it back. Refuted: the change was undone, or the person said at once that it is wrong, or the session ended
with a failing check. Everything else is open and waits; no other session's success proves it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from recollect.learn.content_words import content_words
from recollect.learn.episodes import Episode
from recollect.learn.mentions import MentionKind, find_mentions
from recollect.learn.taken_back import TakenBack
from recollect.model.check import CheckVerdict, CommandKind
from recollect.model.observation import CorrectionKind
from recollect.model.session import WorkVerdict
from recollect.model.step import Step
from recollect.model.value import dataclass
from recollect.observe.recognise.corrections import read_correction
from recollect.observe.runs import CommandRun
from recollect.observe.steps import is_change

SHARED_WORDS = 3
# So many names in common make two texts speak of one piece of work.
SHARED_NAMES = 2
_CALLS_WRONG = re.compile(
    r"\b(?:inaccurate|incorrect|not (?:correct|accurate|true|right|what)|wrong|misleading|falsch|stimmt nicht"
    r"|faux|inexact)\b",
    re.IGNORECASE,
)
_CONTRADICTS = frozenset({CorrectionKind.NO, CorrectionKind.WRONG, CorrectionKind.UNDO, CorrectionKind.SAID})


class ProofState(StrEnum):
    """What a session's own work says of a statement made in it."""

    PROVED = "proved"
    REFUTED = "refuted"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The state, why it is so, and the events that show it."""

    state: ProofState
    why: str
    event_ids: tuple[str, ...] = ()
    # What the work that proves it changed, step by step.
    changes: tuple[Step, ...] = ()


class Prover:
    """Answers for the statements of one session, from its episodes and the verdict on the whole."""

    def __init__(self, episodes: Sequence[Episode], verdict: WorkVerdict) -> None:
        self._episodes = episodes
        self._verdict = verdict
        self._runs = [run for episode in episodes for run in episode.runs]
        steps = [step for episode in episodes for step in episode.steps]
        self._taken_back = TakenBack(steps)
        self._changes = [step for step in steps if is_change(step)]
        self._names: dict[int, set[str]] = {}

    def prove(self, text: str, episode: Episode) -> Proof:
        """Whether the session's work bears out what was said in this episode."""
        return self._judge(text, episode, self._where_worked(text, episode))

    def prove_summary(self, text: str, episode: Episode, said_after: int) -> Proof:
        """The same of a summary, which tells of work that was done before it was written."""
        return self._judge(text, episode, self._told_of(text, said_after))

    def _judge(self, text: str, episode: Episode, worked: Episode | None) -> Proof:
        if self._verdict is WorkVerdict.FAILED:
            return Proof(state=ProofState.REFUTED, why="the session ended with a failing check")
        if why := self._contradicted(episode) or self._called_wrong(text, episode):
            return Proof(state=ProofState.REFUTED, why=why)
        if worked is None:
            return Proof(state=ProofState.OPEN, why="nothing was changed for it")
        if self._taken_back.holds_all([step for step in worked.steps if is_change(step)]):
            return Proof(state=ProofState.REFUTED, why="its change was taken back")
        return self._checked(worked)

    def _contradicted(self, episode: Episode) -> str:
        following = next((other for other in self._episodes if other.number > episode.number), None)
        if following is None or following.prompt is None:
            return ""
        correction = read_correction(following.prompt.text)
        return "the person contradicted it" if correction and correction.kind in _CONTRADICTS else ""

    def _called_wrong(self, text: str, episode: Episode) -> str:
        """A later word of the person that calls something of it wrong."""
        words = content_words(text)
        for later in self._episodes:
            prompt = later.prompt
            if later.number <= episode.number or prompt is None or not _CALLS_WRONG.search(prompt.text):
                continue
            if len(words & content_words(prompt.text)) >= SHARED_WORDS:
                return "the person called it wrong later"
        return ""

    def _where_worked(self, text: str, episode: Episode) -> Episode | None:
        """
        The episode itself where it changed something; else the nearest that worked on what the text names.

        What comes after it counts first: a diagnosis is borne out by the change that follows it. But an answer about
        what was just built is borne out by that, too.
        """
        if episode.changed_files:
            return episode
        others = [other for other in self._episodes if other.changed_files]
        later = [other for other in others if other.number > episode.number]
        earlier = [other for other in reversed(others) if other.number < episode.number]
        if worked := next((other for other in (*later, *earlier) if self._is_about(text, other)), None):
            return worked
        # "Yes, do it" comes right after what it says yes to.
        return (
            later[0] if later and later[0].number == episode.number + 1 and not _named_files(text) else None
        )

    def _told_of(self, text: str, said_after: int) -> Episode | None:
        """
        The last episode before a summary that worked on what it tells, else the first one after it that did.

        A summary that begins a session tells of another one, whose work is not seen here.
        """
        others = [other for other in self._episodes if other.changed_files]
        before = [
            other
            for other in reversed(others)
            if any(step.number <= said_after for step in other.steps if is_change(step))
        ]
        if about := next((other for other in (*before, *others) if self._is_about(text, other)), None):
            return about
        return before[0] if before and not _named_files(text) else None

    def _is_about(self, text: str, episode: Episode) -> bool:
        if _named_files(text) & _base_names(episode.changed_files):
            return True
        if episode.number not in self._names:
            spoken = " ".join(utterance.text for utterance in episode.utterances)
            self._names[episode.number] = {mention.name.lower() for mention in find_mentions(spoken)}
        named = {mention.name.lower() for mention in find_mentions(text)}
        return len(named & self._names[episode.number]) >= SHARED_NAMES

    def _checked(self, worked: Episode) -> Proof:
        last = max(step.number for step in worked.steps if is_change(step))
        nothing_between = next((step.number for step in self._changes if step.number > last), None)
        since = [run for run in self._runs if run.step.number > last]
        soon = [run for run in since if nothing_between is None or run.step.number < nothing_between]
        for runs in (soon, since):
            checks = [run for run in _last_of_each(runs) if run.verdict is not CheckVerdict.UNKNOWN]
            if checks and all(run.verdict is CheckVerdict.PASSED for run in checks):
                return _proved(checks, f"{checks[-1].tool} passed after the change", worked)
        commits = [
            run for run in since if run.kind is CommandKind.COMMIT and run.verdict is CheckVerdict.PASSED
        ]
        if commits and not any(run.is_check and run.verdict is CheckVerdict.FAILED for run in since):
            return _proved(commits, "committed; no check tells otherwise", worked)
        return Proof(state=ProofState.OPEN, why="no check and no commit after its change tells")


def _last_of_each(runs: Iterable[CommandRun]) -> list[CommandRun]:
    return list({(run.kind, run.tool): run for run in runs if run.is_check}.values())


def _proved(runs: Sequence[CommandRun], why: str, worked: Episode) -> Proof:
    event_ids = tuple(dict.fromkeys(event_id for run in runs for event_id in run.step.event_ids))
    changes = tuple(step for step in worked.steps if is_change(step))
    return Proof(state=ProofState.PROVED, why=why, event_ids=event_ids, changes=changes)


def _named_files(text: str) -> set[str]:
    return _base_names(m.name for m in find_mentions(text) if m.kind is MentionKind.FILE)


def _base_names(files: Iterable[str]) -> set[str]:
    return {file.rpartition("/")[2].lower() for file in files}
