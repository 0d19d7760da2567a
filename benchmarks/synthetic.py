"""
Made-up memories for measuring speed, the same every time: words as frequent as in real text, vectors in
clusters, and a model that has done its work already, so that no embedding is measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.model.embedding import Embedding, QueryEmbedding, pack_words
from recollect.model.value import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEED = 20_260_508
VOCABULARY = 20_000
# The most frequent words are what a stop list holds.
STOP_WORDS = 100
FEWEST_WORDS, MOST_WORDS = 12, 40
DIMENSIONS = 384
CLUSTERS = 200
# How much of a vector is its cluster's: two of one cluster have a cosine of about 0.5, never a duplicate's.
TOGETHER = 0.7
SUBJECTS = 60
# So many memories are noted in one session.
PER_SESSION = 20
WORD_ROWS = 30
WORD_DIMENSIONS = 64
# Word vectors are drawn from so many prepared ones: their values do not change what comparing them costs.
_WORD_BLOBS = 512

_SYLLABLES = [a + b for a in "bdfghjklmnprstvwz" for b in ("a", "e", "i", "o", "u", "an", "or", "ist")]
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A memory as the benchmark offers it, with its vectors ready."""

    text: str
    about: tuple[str, ...]
    session: str
    vector: bytes
    words: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeQuestion:
    """A question after one of the memories, with its vector ready."""

    text: str
    vector: bytes


class Corpus:
    """An endless row of made-up memories and questions."""

    def __init__(self, seed: int = SEED) -> None:
        import numpy as np

        self._np = np
        self._rng = np.random.default_rng(seed)
        self.words = _vocabulary(self._rng)
        shares = 1.0 / np.arange(1, VOCABULARY + 1)
        self._edges: NDArray[np.float64] = np.cumsum(shares / shares.sum())
        self._centres = _unit(self._rng.standard_normal((CLUSTERS, DIMENSIONS)))
        self._word_blobs = [self._word_blob() for _ in range(_WORD_BLOBS)]
        self._made = 0

    @property
    def stop_words(self) -> list[str]:
        """The words too frequent to tell anything."""
        return self.words[:STOP_WORDS]

    def memories(self, count: int) -> list[Made]:
        """The next memories."""
        vectors = self._vectors(count)
        return [self._memory(vector) for vector in vectors]

    def questions(self, after: Sequence[Made], count: int) -> list[MadeQuestion]:
        """Questions that share a few telling words and the direction of a memory; a third name a subject."""
        return [self._question(after[int(i)]) for i in self._rng.integers(0, len(after), count)]

    def _memory(self, vector: NDArray[np.float32]) -> Made:
        self._made += 1
        subject = self.words[STOP_WORDS + 50 * int(self._rng.integers(SUBJECTS))]
        return Made(
            text=" ".join(self._sentence(int(self._rng.integers(FEWEST_WORDS, MOST_WORDS + 1)))).capitalize(),
            about=(f"service:{subject}",),
            session=f"session {self._made // PER_SESSION}",
            vector=vector.tobytes(),
            words=self._word_blobs[self._made % _WORD_BLOBS],
        )

    def _question(self, memory: Made) -> MadeQuestion:
        rng = self._rng
        common = set(self.stop_words)
        telling = [word for word in _WORD.findall(memory.text.lower()) if word not in common]
        words = [telling[int(i)] for i in rng.integers(0, len(telling), 4)] if telling else []
        if rng.random() < 1 / 3:
            words.append(memory.about[0].partition(":")[2].capitalize())
        words += [self.words[int(i)] for i in rng.integers(0, STOP_WORDS, 4)]
        np = self._np
        noisy = np.frombuffer(memory.vector, np.float32) + 0.8 * _unit(rng.standard_normal((1, DIMENSIONS)))
        return MadeQuestion(text=" ".join(words) + "?", vector=_unit(noisy)[0].tobytes())

    def _sentence(self, length: int) -> Iterator[str]:
        places = self._np.searchsorted(self._edges, self._rng.random(length))
        return (self.words[min(int(place), VOCABULARY - 1)] for place in places)

    def _vectors(self, count: int) -> NDArray[np.float32]:
        own = _unit(self._rng.standard_normal((count, DIMENSIONS)))
        centres = self._centres[self._rng.integers(0, CLUSTERS, count)]
        return _unit(TOGETHER * centres + (1 - TOGETHER**2) ** 0.5 * own)

    def _word_blob(self) -> bytes:
        rows = _unit(self._rng.standard_normal((WORD_ROWS, WORD_DIMENSIONS)))
        half = WORD_ROWS // 2
        return pack_words((half, WORD_ROWS - half), (rows * 127).astype(self._np.int8).tobytes())


class GivenEmbedder:
    """
    A model that hands out what it was given: looking a vector up takes microseconds.

    It can bear another model's name, so that a fresh process may search its vectors with that one.
    """

    dimensions = DIMENSIONS
    word_dimensions = WORD_DIMENSIONS
    duplicate_threshold = 0.88

    def __init__(self, *, model_id: str, with_words: bool) -> None:
        self.model_id = model_id
        self._with_words = with_words
        self._given: Mapping[str, Made] = {}
        self._asked = b""
        import numpy as np

        rows = _unit(np.random.default_rng(SEED).standard_normal((64, WORD_DIMENSIONS)))
        self._rows = [row.tobytes() for row in rows]

    def give(self, memories: Sequence[Made]) -> None:
        """What will be embedded next."""
        self._given = {memory.text: memory for memory in memories}

    def give_question(self, question: MadeQuestion) -> None:
        """What will be asked next."""
        self._asked = question.vector

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """The vectors given for these texts."""
        return self.embed_given([self._given[text] for text in texts])

    def embed_given(self, memories: Sequence[Made]) -> list[Embedding]:
        """The vectors that came with these."""
        return [
            Embedding(vector=memory.vector, words=memory.words if self._with_words else b"")
            for memory in memories
        ]

    def embed_query(self, text: str) -> QueryEmbedding:
        """The vector given for the question, whatever is left of its text."""
        if not self._with_words:
            return QueryEmbedding(vector=self._asked)
        words = list(_WORD.finditer(text))[: len(self._rows)]
        return QueryEmbedding(
            vector=self._asked,
            words=b"".join(self._rows[: len(words)]),
            pieces=tuple(match.group().lower() for match in words),
            spans=tuple(match.span() for match in words),
        )


def _vocabulary(rng: np.random.Generator) -> list[str]:
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        # The frequent ones are short; there are more than a hundred syllables.
        length = 1 if len(words) < STOP_WORDS else int(rng.integers(2, 5))
        words["".join(_SYLLABLES[int(i)] for i in rng.integers(0, len(_SYLLABLES), length))] = None
    return list(words)


def _unit(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    unit_rows: NDArray[np.float32] = (rows / (rows * rows).sum(axis=1, keepdims=True) ** 0.5).astype(
        "float32"
    )
    return unit_rows
