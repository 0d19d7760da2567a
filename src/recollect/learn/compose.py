"""
Note composition: the best passage of a request, joined with the cause or the remedy that it lacks.

One problem is one note. A diagnosis without a way out gets it from what was said later about the same thing, a change
without its reason gets that from what was said before; both are the session's own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recollect.learn.content_words import content_words, overlap
from recollect.learn.cues import Role, weigh_roles
from recollect.learn.episodes import Episode, Utterance, Voice
from recollect.learn.mentions import find_mentions, has_anchor, strip_line_references
from recollect.learn.passages import Passage, PassageForm, find_passages
from recollect.learn.salience import REDUNDANCY, RankedPassage, SessionTerms, rank_passages
from recollect.learn.segmentation import split_sentences
from recollect.learn.wording import MAX_NOTE_LENGTH, STRONG_REMEDY, word_note
from recollect.model.value import dataclass

# Of one request, so many problems at most; each after the first must be so much better.
MAX_OF_AN_EPISODE = 3
LATER_COSTS = 0.7
LATER_COSTS_IN_SUMMARY = 0.2
# So many of the best passages of a request are looked at.
MAX_HEADS = 12
SAYS_THE_SAME = 0.5
REPEATED = 0.75
# A note that names nothing is placed in the file that was changed for it, if there are no more than so many.
MAX_PLACES = 2
# A short request with a name or two in it says what its note is about.
MAX_TOPIC_PROMPT_LENGTH = 600
MAX_TOPICS = 3
# A passage that stands at the head is joined with up to two others about the same thing.
MAX_PARTS = 3
MIN_ROOM = 60
MIN_SCORE = 1.0
_REASONS = frozenset({Role.CAUSE, Role.CONSTRAINT, Role.CONSEQUENCE})


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedNote:
    """A note in its final words, with where they come from."""

    text: str
    roles: frozenset[Role]
    score: float
    episode: Episode
    sources: tuple[Utterance, ...]
    # The sentences as they were said.
    quotes: tuple[str, ...]

    @property
    def last_step(self) -> int:
        """After how many steps the last of it was said."""
        return max(source.after_step for source in self.sources)

    @property
    def voice(self) -> Voice:
        """Whose note it is: the agent's as soon as the agent had a part in it."""
        voices = {source.voice for source in self.sources}
        return Voice.PERSON if voices == {Voice.PERSON} else next(iter(voices - {Voice.PERSON}))


def compose_notes(
    episodes: Sequence[Episode], more: Iterable[tuple[Episode, Utterance]] = ()
) -> list[ComposedNote]:
    """The notes of a session, the most salient first; none says again what a better one says."""
    terms = SessionTerms(episodes)
    extra: dict[int, list[Utterance]] = {}
    for episode, utterance in more:
        extra.setdefault(episode.number, []).append(utterance)
    notes: list[ComposedNote] = []
    for episode in episodes:
        notes += _of_episode(episode, extra.get(episode.number, []), terms)
    notes.sort(key=lambda note: -note.score)
    return _distinct(notes)


def _distinct(notes: Sequence[ComposedNote]) -> list[ComposedNote]:
    distinct: list[ComposedNote] = []
    for note in notes:
        if all(overlap(note.text, other.text) <= REDUNDANCY for other in distinct):
            distinct.append(note)
    return distinct


def _of_episode(episode: Episode, extra: Sequence[Utterance], terms: SessionTerms) -> Iterator[ComposedNote]:
    spoken = (*((episode.prompt,) if episode.prompt else ()), *episode.utterances, *extra)
    passages = [passage for utterance in spoken for passage in find_passages(utterance)]
    ranked = rank_passages(passages, terms)
    made: list[ComposedNote] = []
    for head in ranked[:MAX_HEADS]:
        if len(made) == MAX_OF_AN_EPISODE:
            return
        if any(overlap(head.passage.text, quote) > REDUNDANCY for note in made for quote in note.quotes):
            continue
        # A summary tells of hours of work, and of each problem by itself.
        is_summary = head.passage.source.voice is Voice.SUMMARY
        cost = (LATER_COSTS_IN_SUMMARY if is_summary else LATER_COSTS) * len(made)
        note = _composed(episode, head, ranked, cost=cost)
        if note is not None:
            made.append(note)
            yield note


def _composed(
    episode: Episode, head: RankedPassage, ranked: Sequence[RankedPassage], cost: float
) -> ComposedNote | None:
    if not _worded(head.passage):
        return None
    parts = [head]
    while len(parts) < MAX_PARTS and (other := _complement(parts, ranked)):
        parts.append(other)
    order = {id(one): place for place, one in enumerate(ranked)}
    parts.sort(key=lambda part: (part.passage.source.after_step, order[id(part)]))
    text = _anchored(_joined(parts), parts, episode)
    if not text:
        return None
    return ComposedNote(
        text=text,
        roles=frozenset().union(*(part.roles for part in parts)),
        score=round(head.score + 0.2 * (len(parts) - 1) + _work_weight(episode) - cost, 3),
        episode=episode,
        sources=tuple(dict.fromkeys(part.passage.source for part in parts)),
        quotes=tuple(part.passage.text for part in parts),
    )


def _work_weight(episode: Episode) -> float:
    """Words that were followed by work count for more than an answer to a question."""
    return 0.3 if episode.changed_files else -0.3


def _joined(parts: Sequence[RankedPassage]) -> str:
    """The parts in the order they were said; a way out that ends them is called so."""
    texts = _without_repeats([_worded(part.passage) for part in parts])
    ends = len(parts) > 1 and _has_remedy(parts[-1]) and not any(map(_has_remedy, parts[:-1]))
    if ends:
        texts[-1] = f"Fix: {texts[-1]}"
    return " ".join(filter(None, texts))


def _without_repeats(texts: Sequence[str]) -> list[str]:
    """The texts without sentences that one before has said."""
    earlier: list[str] = []
    remaining: list[str] = []
    for text in texts:
        fresh = [one for one in split_sentences(text) if not any(_is_within(one, other) for other in earlier)]
        earlier += fresh
        remaining.append(" ".join(fresh))
    return remaining


def _is_within(sentence: str, other: str) -> bool:
    """Whether another sentence says all that this one says."""
    words = content_words(sentence)
    return bool(words) and len(words & content_words(other)) >= REPEATED * len(words)


def _anchored(text: str, parts: Sequence[RankedPassage], episode: Episode) -> str:
    """The note with what ties it to the work: a place where it names none, and that a bug it tells of is mended."""
    changed = list(dict.fromkeys(file.rpartition("/")[2] for file in episode.changed_files))
    if not has_anchor(text):
        if not 1 <= len(changed) <= MAX_PLACES:
            return ""
        text = f"In `{changed[0]}`: {text}"
    is_summary = any(part.passage.source.voice is Voice.SUMMARY for part in parts)
    return text if is_summary else _with_topic(text, episode)


def _with_topic(text: str, episode: Episode) -> str:
    """The note under what the request named first, where it names nothing of that itself."""
    if episode.prompt is None or len(episode.prompt.text) > MAX_TOPIC_PROMPT_LENGTH:
        return text
    topics = [mention.name for mention in find_mentions(strip_line_references(episode.prompt.text))]
    lowered = text.lower()
    if not 1 <= len(topics) <= MAX_TOPICS or any(
        name.lower().rpartition("/")[2] in lowered for name in topics
    ):
        return text
    return f"`{topics[0]}`: {text}" if len(text) + len(topics[0]) < MAX_NOTE_LENGTH + 20 else text


def _complement(parts: Sequence[RankedPassage], ranked: Sequence[RankedPassage]) -> RankedPassage | None:
    """What is still lacking, said about the same thing: first the way out, then the reason, then whatever is left."""
    room = MAX_NOTE_LENGTH - len(_joined(parts)) - len(" Fix: ")
    if room < MIN_ROOM:
        return None
    others = [
        other
        for other in ranked
        if other.score >= MIN_SCORE
        and len(_worded(other.passage) or " " * MAX_NOTE_LENGTH) <= room
        and other.passage.form is not PassageForm.ROW
        and all(_is_related(part.passage, other.passage) for part in parts)
    ]
    lacks_remedy = not any(map(_has_remedy, parts))
    lacks_reason = all(_REASONS.isdisjoint(part.roles) for part in parts)
    for is_lacking, fits in (
        (lacks_remedy, _has_remedy),
        (lacks_reason, lambda other: not _REASONS.isdisjoint(other.roles)),
    ):
        if is_lacking and (fitting := next(filter(fits, others), None)):
            return fitting
    return others[0] if others else None


def _has_remedy(ranked: RankedPassage) -> bool:
    return _remedy_weight(ranked.passage) >= STRONG_REMEDY


def _remedy_weight(passage: Passage) -> float:
    return max(weigh_roles(sentence).get(Role.REMEDY, 0.0) for sentence in passage.sentences)


def _is_related(one: Passage, other: Passage) -> bool:
    shared = _names(one) & _names(other)
    likeness = overlap(one.text, other.text)
    return likeness <= SAYS_THE_SAME and (bool(shared) or likeness >= 0.25)


def _names(passage: Passage) -> set[str]:
    return {mention.name.lower().rpartition("/")[2] for mention in passage.mentions}


def _worded(passage: Passage) -> str:
    return word_note(passage.sentences, before=passage.before, heading=passage.heading)
