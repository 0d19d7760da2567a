"""Ways to rank, as data. Whatever a profile adds for age, use or trust can never outweigh the text: it is capped."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What each part of a score weighs. Parts of the text come first, then what is known about the memory."""

    name: str
    about: str
    # By words (BM25 against what it could reach), by meaning (cosine), by the closest look (word by word).
    lexical: float = 0.0
    semantic: float = 0.0
    closer: float = 0.0
    # What the question says besides: times, names; and what stands beside a hit.
    time: float = 0.0
    subject: float = 0.0
    neighbour: float = 0.0
    # What is known about the memory.
    recency: float = 0.0
    frequency: float = 0.0
    success: float = 0.0
    trust: float = 0.0
    # How recency falls: "exponential" (seed: exp(-days/30)) or "steps" (1.0 / 0.7 / 0.4 / 0.2).
    recency_falls: str = "exponential"
    uses_vectors: bool = True


PROFILES = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            Profile(
                name="default",
                about="Words, meaning and a closer look, tuned on public benchmarks.",
                lexical=0.45,
                semantic=0.25,
                closer=0.4,
                time=0.15,
                subject=0.1,
                neighbour=0.1,
                recency=0.02,
                frequency=0.02,
                trust=0.02,
            ),
            Profile(
                name="v3",
                about="0.6 meaning, 0.25 recency, 0.15 frequency.",
                semantic=0.6,
                recency=0.25,
                frequency=0.15,
            ),
            Profile(
                name="keywords",
                about="0.4 words, 0.3 recency in steps, 0.2 frequency, 0.1 success; no embeddings.",
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
