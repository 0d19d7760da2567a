"""The recall inspector: what would be put before an agent for a prompt, and why, to the letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.api import Recollect
from recollect.model.phase import Phase
from recollect.model.value import asdict
from recollect.surfaces.json_answers import hit_to_json
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.screen import Page, Screen

_CANDIDATES = 15
_MAX_PROMPT = 4000


def show(memory: Recollect, call: WebCall) -> Screen:
    """Candidates with the parts of their scores, the slots with their bars and budgets, and the exact text."""
    prompt = call.text("q").strip()[:_MAX_PROMPT]
    phase = call.text("phase").strip()
    layout = call.text("layout").strip()
    budget = call.number("budget", 0, low=0, high=20_000)
    values: dict[str, Any] = {
        "prompt": prompt,
        "phase": phase,
        "phases": list(Phase),
        "layout": layout or "coding",
        "layouts": ["coding", *(one.name for one in memory.contexts.layouts())],
        "budget": budget,
        "context": None,
        "hits": (),
    }
    if not prompt:
        return Screen(values=values, answer=lambda: {"text": "", "candidates": []})
    context = memory.context(
        prompt, layout=layout or None, phase=phase or None, budget=budget or None, files=False
    )
    recalled = memory.browse.search(memory.query(prompt, limit=_CANDIDATES, phase=phase or None))
    chosen = {item.memory_id: item for slot in context.slots for item in slot.said}
    left_out = {item.memory_id: item for item in context.left_out}
    values |= {
        "context": context,
        "hits": sorted(
            (_explain(hit, chosen, left_out) for hit in recalled),
            key=lambda one: (-one["is_told"], -one["fit"]),
        ),
        "notes": recalled.notes,
        "bar": _find_bar(context),
    }

    def answer() -> Mapping[str, Any]:
        return {**asdict(context), "candidates": [hit_to_json(hit) for hit in recalled]}

    return Screen(values=values, answer=answer)


def _find_bar(context: Any) -> float:
    """The bar that most of those left out did not reach: that of the slot that weighed them."""
    weighed = Counter(one.slot for one in context.left_out)
    slots = sorted(context.slots, key=lambda slot: -weighed[slot.name])
    return float(slots[0].bar) if slots else 0.0


def _explain(hit: Any, chosen: Mapping[str, Any], left_out: Mapping[str, Any]) -> dict[str, Any]:
    parts = sorted(hit.why, key=lambda part: -abs(part.added))
    widest = max((abs(part.added) for part in parts), default=1.0) or 1.0
    name = hit.memory.id
    return {
        "memory": hit.memory,
        "score": hit.score,
        "parts": [(part, abs(part.added) / widest) for part in parts],
        "is_told": name in chosen,
        "fit": (chosen[name].score if name in chosen else left_out[name].score if name in left_out else 0.0)
        or 0.0,
        "tokens": chosen[name].tokens if name in chosen else 0,
        "why": chosen[name].why if name in chosen else left_out[name].why if name in left_out else "",
    }


PAGES: Sequence[Page] = (
    Page(
        path="/recall",
        name="recall",
        template="inspector.html",
        part="inspector_part.html",
        show=show,
        summary="What would be put before an agent for a prompt, and why",
        parameters=("q", "phase", "layout", "budget"),
    ),
)
