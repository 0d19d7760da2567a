"""
Filling a layout: from candidates to the lines that are said. Pure: what was told before comes in, nothing is written.

Whoever may not speak at this moment is left out, then whoever lies below the bar, then what one source has too much
of, then what the budget has no room for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.inject.layout import Layout, Slot
from recollect.inject.render import item_of, line_of
from recollect.inject.share import shared_out
from recollect.inject.spoken import Line, Spoken, shortened, speak
from recollect.model.hit import Hit
from recollect.model.memory import Memory
from recollect.model.phase import Phase
from recollect.model.tokens import estimate_tokens
from recollect.model.trust import Verdict, may_speak


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A memory that will be said, with its slot."""

    slot: Slot
    hit: Hit
    mark: str


def assembled(
    layout: Layout,
    offers: Mapping[str, Sequence[Hit]],
    *,
    told: Collection[str],
    boundary: str,
    lead: Sequence[str] = (),
    aside: str = "",
    phase: Phase | None = None,
) -> Spoken | None:
    """What to say at this moment; None when there is nothing. `offers` are the candidates of each slot, best first."""
    chosen: list[Chosen] = []
    taken = set(told)
    for slot in layout.slots:
        picked = _picked(slot, layout, offers.get(slot.name, ()), taken, phase)
        taken |= {one.hit.memory.id for one in picked}
        chosen += picked
    return speak(
        layout.heading,
        [_line(one) for one in chosen],
        moment=layout.name,
        bar=min((slot.bar for slot in layout.slots), default=0.0),
        tokens=layout.tokens,
        boundary=boundary,
        lead=lead,
        aside=aside,
    )


def _picked(
    slot: Slot, layout: Layout, offered: Sequence[Hit], taken: Collection[str], phase: Phase | None
) -> list[Chosen]:
    able: dict[str, Chosen] = {}
    for hit in offered:
        verdict = may_speak(hit.memory, layout.moment, phase)
        if hit.memory.id not in taken and verdict.allowed and _reaches(slot, hit, verdict):
            able[hit.memory.id] = Chosen(slot=slot, hit=hit, mark=verdict.mark)
    shared = shared_out([one.hit.memory for one in able.values()], slot.most)
    kept: list[Chosen] = []
    room = slot.tokens
    for memory in shared:
        room -= estimate_tokens(shortened(memory.text))
        if room >= 0:
            kept.append(able[memory.id])
    return kept


def _reaches(slot: Slot, hit: Hit, verdict: Verdict) -> bool:
    return hit.score >= slot.bar or (slot.stands_alone and not verdict.above_bar)


def _line(chosen: Chosen) -> Line:
    memory = _short(chosen.hit.memory)
    return Line(
        id=memory.id,
        text=line_of(item_of(memory, chosen.mark)),
        score=chosen.hit.score,
        why=_why(chosen),
    )


def _short(memory: Memory) -> Memory:
    return replace(memory, text=shortened(memory.text))


def _why(chosen: Chosen) -> str:
    """In which slot, and what spoke for it most."""
    best = sorted(chosen.hit.why, key=lambda part: -part.added)[:2]
    parts = ", ".join(f"{part.name} {part.added:.2f}" for part in best if part.added > 0)
    return f"{chosen.slot.name}: {parts}" if parts else chosen.slot.name
