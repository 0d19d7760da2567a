"""
Salience ranking with redundancy control (MMR): which passages of a session are worth a note.

A passage is salient by what it does (cue roles), by what it names, by how central that is to the session, and by the
moment it was said at: after a failure, when the agent changed its mind, at the end of a request. What only narrates,
reports success or lists what was done is pushed down.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

from recollect.learn.content_words import content_words
from recollect.learn.cues import Role, weigh_heading, weigh_objections, weigh_roles
from recollect.learn.episodes import Episode, Voice
from recollect.learn.mentions import Mention, MentionKind, find_mentions
from recollect.learn.passages import Passage, PassageForm
from recollect.model.value import dataclass

# A passage must give a reason, a rule, a choice or a way out; contrast alone is description.
TELLING = frozenset({Role.CAUSE, Role.CONSTRAINT, Role.REMEDY, Role.CHOICE, Role.RULE, Role.CONSEQUENCE})
MAX_ROLE_WEIGHT = 3.2
MENTION_WEIGHT = 0.5
MAX_MENTIONS = 4
CENTRAL_WEIGHT = 1.8
REDUNDANCY = 0.36
# What the code did before it was changed is no longer so, unless it says why, or what should be.
DESCRIBES_THE_PAST = 0.35
_LASTING = frozenset({Role.CAUSE, Role.CONSEQUENCE, Role.CHOICE, Role.RULE})
_OBJECTIONS = {
    Role.NARRATION: 0.9,
    Role.STATUS: 1.0,
    Role.HEDGE: 0.6,
    Role.CHANGE_LOG: 1.0,
    Role.REQUEST: 0.8,
}
# A list needs its lead, a row its table: what stands in one is understood less well alone.
_FORM_COSTS = {PassageForm.PROSE: 0.0, PassageForm.LIST: 0.2, PassageForm.ITEM: 0.3, PassageForm.ROW: 1.0}
_MIND_CHANGED = re.compile(
    r"\b(?:actually|turns out|the real (?:cause|issue|problem|reason)|root cause|i was wrong|wait\b"
    r"|on second thought|looking (?:at it )?more"
    r" (?:carefully|closely|critically)|the key (?:insight|difference))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPassage:
    """A passage with its roles and its score."""

    passage: Passage
    roles: frozenset[Role]
    score: float


class SessionTerms:
    """How often the session speaks of each name and word: what it is about."""

    def __init__(self, episodes: Sequence[Episode]) -> None:
        self._names: Counter[str] = Counter()
        self._words: Counter[str] = Counter()
        for episode in episodes:
            for utterance in (*((episode.prompt,) if episode.prompt else ()), *episode.utterances):
                # Once a text: a name that is repeated in one place is not more central for it.
                self._names.update({mention.name.lower() for mention in find_mentions(utterance.text)})
                self._words.update(content_words(utterance.text))
            for file in episode.changed_files:
                self._names[file.rpartition("/")[2].lower()] += 1

    def centrality(self, mentions: Iterable[Mention], words_said: Iterable[str]) -> float:
        """Between 0 and 1: how much of what a passage names and says the session comes back to."""
        names = [self._names[_last_part(mention.name)] for mention in mentions]
        words = [self._words[word] for word in words_said]
        by_name = sum(sorted((min(1.0, log(1 + n) / log(8)) for n in names), reverse=True)[:3]) / 3
        by_word = sum(min(1.0, log(1 + n) / log(10)) for n in words) / len(words) if words else 0.0
        return 0.5 * by_name + 0.5 * by_word


def rank_passages(passages: Iterable[Passage], terms: SessionTerms) -> list[RankedPassage]:
    """The passages that tell something, the most salient first."""
    ranked = (_ranked(passage, terms) for passage in passages)
    return sorted((one for one in ranked if one is not None), key=lambda one: -one.score)


def _ranked(passage: Passage, terms: SessionTerms) -> RankedPassage | None:
    weights: dict[Role, float] = {}
    penalty = 0.0
    for sentence in passage.sentences:
        for role, weight in weigh_roles(sentence).items():
            weights[role] = max(weight, weights.get(role, 0.0))
    if TELLING.isdisjoint(weights):
        return None
    # Under a heading, what a sentence does needs no words of its own; but a heading alone tells nothing.
    for role, weight in weigh_heading(passage.heading).items():
        weights[role] = max(weight, weights.get(role, 0.0))
    for sentence in passage.sentences:
        objections = weigh_objections(sentence)
        penalty += sum(_OBJECTIONS.get(role, 0.0) * weight for role, weight in objections.items()) / len(
            passage.sentences
        )
    mentions = passage.mentions
    named = [mention for mention in mentions if mention.kind is not MentionKind.CODE]
    score = min(MAX_ROLE_WEIGHT, sum(weights.values()))
    score += MENTION_WEIGHT * min(MAX_MENTIONS, len(named)) - (0.0 if named else 0.6)
    score += CENTRAL_WEIGHT * terms.centrality(mentions, passage.words)
    if passage.source.is_before_change and _LASTING.isdisjoint(weights):
        penalty += DESCRIBES_THE_PAST
    if _DANGLING.search(passage.sentences[0]):
        penalty += POINTS_OUTSIDE
    if passage.form is PassageForm.LIST and Role.CHANGE_LOG in weigh_objections(passage.sentences[0]):
        penalty += LISTS_CHANGES
    score += _moment_weight(passage) - penalty - _length_penalty(passage.text) - _FORM_COSTS[passage.form]
    return RankedPassage(passage=passage, roles=frozenset(weights), score=round(score, 3))


def _moment_weight(passage: Passage) -> float:
    source = passage.source
    weight = 0.4 * source.in_failure + 0.35 * source.is_closing + 0.2 * source.is_reply
    weight += 0.4 * bool(_MIND_CHANGED.search(f"{passage.before} {passage.text}"))
    weight += {Voice.PERSON: 0.3, Voice.COMMIT: 0.3, Voice.SUMMARY: 0.5}.get(source.voice, 0.0)
    return weight


# "For exactly this reason", "the same fix": what it points to stands in a sentence that is not there.
_DANGLING = re.compile(
    r"\b(?:(?:this|that|these|those|such|the same) (?:reason|issue|problem|bug|fix|change|approach|pattern"
    r"|behaviou?r|case|check|test|tests|error|flow|logic|fetches|calls|functions|lines|way)|(?:these"
    r"|those)(?= as\b|[.,])|as (?:above"
    r"|mentioned|before))\b",
    re.IGNORECASE,
)
POINTS_OUTSIDE = 0.5
LISTS_CHANGES = 2.0


def _length_penalty(text: str) -> float:
    if len(text) < 80:
        return 0.6
    return 0.3 if len(text) < 120 else 0.0


def _last_part(name: str) -> str:
    return name.lower().rpartition("/")[2]


_NO_NOTE = frozenset({Role.NARRATION, Role.STATUS, Role.QUESTION, Role.COURTESY, Role.REQUEST})


def is_telling(sentence: str) -> bool:
    """Whether a sentence by itself says something that a reader could use next time."""
    roles = weigh_roles(sentence)
    return bool(TELLING & roles.keys()) and _NO_NOTE.isdisjoint(weigh_objections(sentence))
