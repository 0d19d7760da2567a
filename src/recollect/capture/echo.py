"""
Echoes: notes that say in other words what was merely read.

What was read is kept as the words of its sentences (`events/statements.py`). A note is held against those that
share words with it: an echo has nearly all of its words, or means the same to the embedding model. Of code only the
sentences that instruct are kept: a plain fact about the project's own code may be noted by whoever read it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import mul

from recollect.capture.write_context import WriteContext, embed_texts
from recollect.events.statements import list_telling_words, split_sentences
from recollect.model.embedding import Embedding
from recollect.store.tables.read_statements import ReadStatement

# So much of the shorter text in the longer one, and at least so many words, is no chance.
SAME_WORDS = 0.7
MIN_SHARED = 4
# Two sentences mean the same from this cosine on, as the bundled model measures it: pairs of paraphrases lie above
# 0.6, other sentences on the same matter below 0.55.
SAME_MEANING = 0.57
_BUNDLED_DUPLICATE = 0.82
# Without a model, so much in common is enough to ask a person.
SAME_WORDS_WITHOUT_MODEL = 0.45
_MIN_SHARED_WITHOUT_MODEL = 2
# Only the nearest by words are held against the meaning of a note.
_MOST_COMPARED = 6
_FEWEST_WORDS = 3
_STEM = 5
# Several sentences are compared as one while they are one thought.
_MOST_TOGETHER = 200


class ReadIndex:
    """What was read in a project, found by its words."""

    def __init__(self, statements: Sequence[ReadStatement]) -> None:
        self._statements = statements
        self._by_stem: dict[str, list[int]] = {}
        for place, statement in enumerate(statements):
            for stem in _list_stems(statement.words):
                self._by_stem.setdefault(stem, []).append(place)

    def find_echoed(self, context: WriteContext, text: str) -> list[str]:
        """The events in which something was read that a note repeats in meaning."""
        if not self._statements:
            return []
        echoed: dict[str, None] = {}
        nearest: list[tuple[str, ReadStatement]] = []
        for sentence in _sentences(text):
            for statement, is_echo in self._near(sentence, has_model=context.embedder is not None):
                if is_echo:
                    echoed[statement.event_id] = None
                else:
                    nearest.append((sentence, statement))
        if not echoed:
            echoed.update(dict.fromkeys(_same_in_meaning(context, nearest)))
        return list(echoed)

    def find_repeated(self, text: str) -> list[str]:
        """The events in which something was read that a text repeats nearly word for word."""
        return [
            statement.event_id
            for sentence in split_sentences(text)
            for statement, is_echo in self._near(sentence, has_model=True)
            if is_echo
        ]

    def _near(self, sentence: str, *, has_model: bool) -> Iterator[tuple[ReadStatement, bool]]:
        """What shares words with a sentence, the nearest first, and whether that is enough by itself."""
        own = _list_stems(sentence)
        if len(own) < _FEWEST_WORDS:
            return
        shared = Counter(place for stem in own for place in self._by_stem.get(stem, ()))
        least, fewest = (
            (SAME_WORDS, MIN_SHARED) if has_model else (SAME_WORDS_WITHOUT_MODEL, _MIN_SHARED_WITHOUT_MODEL)
        )
        scored = []
        for place, times in shared.items():
            statement = self._statements[place]
            size = len(_list_stems(statement.words))
            share = times / max(_FEWEST_WORDS, min(len(own), size))
            is_echo = share >= least and times >= min(fewest, size)
            scored.append((is_echo, times / (len(own) + size - times), place))
        scored.sort(reverse=True)
        for is_echo, _, place in scored[:_MOST_COMPARED]:
            yield self._statements[place], is_echo


def _same_in_meaning(context: WriteContext, pairs: Sequence[tuple[str, ReadStatement]]) -> Iterator[str]:
    if context.embedder is None or not pairs:
        return
    texts = list(dict.fromkeys(text for one, other in pairs for text in (" ".join(_words(one)), other.words)))
    embeddings, _ = embed_texts(context, texts)
    by_text = dict(zip(texts, embeddings, strict=True))
    # Each model has its own scale; where it puts the same words said twice is known of every one.
    bar = SAME_MEANING * context.embedder.duplicate_threshold / _BUNDLED_DUPLICATE
    for one, other in pairs:
        mine, read = by_text[" ".join(_words(one))], by_text[other.words]
        if mine is not None and read is not None and _cosine(mine, read) >= bar:
            yield other.event_id


def _cosine(one: Embedding, other: Embedding) -> float:
    """Of two unit vectors of one model."""
    mine, others = memoryview(one.vector).cast("f"), memoryview(other.vector).cast("f")
    return float(sum(map(mul, mine, others)))


def _sentences(text: str) -> list[str]:
    """The sentences of a note; together too, where each alone says little."""
    sentences = split_sentences(text)
    # What stands before a colon announces what is said.
    behind = [one.partition(": ")[2] for one in sentences]
    together = [" ".join(sentences)] if len(text) <= _MOST_TOGETHER else []
    parts = (one for one in (*sentences, *behind, *together) if len(_words(one)) >= _FEWEST_WORDS)
    return list(dict.fromkeys(parts))


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(list_telling_words(text))


@lru_cache(maxsize=32_768)
def _list_stems(text: str) -> frozenset[str]:
    """The words of a text without their endings; where words are not set apart, each two characters are one."""
    words = _words(text)
    stems = {word[:_STEM] for word in words if len(word) > 1}
    single = [word for word in words if len(word) == 1 and not word.isascii()]
    stems.update(one + other for one, other in pairwise(single))
    return frozenset(stems)
