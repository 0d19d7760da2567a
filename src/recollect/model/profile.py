"""Ranking profiles, as data. What age, use and trust add is capped, so that it never outweighs the text."""

from __future__ import annotations

from types import MappingProxyType

from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What each part of a score weighs."""

    name: str
    about: str
    # The text: by words (BM25 against what it could reach at best), by meaning (cosine), and by a closer look
    # (word by word) that takes the place of the meaning for the best of the first round.
    lexical: float = 0.0
    semantic: float = 0.0
    closer: float = 0.0
    # What the question says besides: times and names.
    time: float = 0.0
    subject: float = 0.0
    # What is taken off a memory that itself asks, and off what an agent said and nobody confirmed.
    asks: float = 0.0
    unconfirmed: float = 0.0
    # What the probability that it answers adds, where somebody asks: it puts in order what the rest has found.
    answers: float = 0.0
    # What is known about the memory. Recency falls by "exponential" exp(-days/30) or in "steps" 1/0.7/0.4/0.2.
    recency: float = 0.0
    frequency: float = 0.0
    success: float = 0.0
    # What it gains or loses by having been judged useful or noise; nothing while nobody has judged.
    judged: float = 0.0
    recency_falls: str = "exponential"
    uses_vectors: bool = True


PROFILES = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            Profile(
                name="default",
                about="Words, meaning and a closer look, with names and times; tuned on public benchmarks.",
                lexical=0.4,
                semantic=0.25,
                closer=0.5,
                time=0.1,
                subject=0.04,
                asks=0.05,
                unconfirmed=0.1,
                answers=0.1,
                recency=0.01,
                frequency=0.01,
                judged=0.03,
            ),
            Profile(
                name="v3",
                about="0.6 meaning + 0.25 recency + 0.15 frequency.",
                semantic=0.6,
                recency=0.25,
                frequency=0.15,
            ),
            Profile(
                name="keywords",
                about="0.4 words + 0.3 recency in steps + 0.2 frequency + 0.1 success; no embeddings.",
                lexical=0.4,
                recency=0.3,
                frequency=0.2,
                success=0.1,
                recency_falls="steps",
                uses_vectors=False,
            ),
        )
    }
)
