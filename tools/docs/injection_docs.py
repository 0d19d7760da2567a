"""The parts of the docs about what agents are told and when. Cog blocks in docs/*.md call these by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from tables import table

from recollect.clients.registry import CLIENTS
from recollect.inject import tool_result
from recollect.inject.calibrate import TABLE
from recollect.inject.layout import CODING, Layout, Slot
from recollect.inject.named_layouts import LAYOUTS
from recollect.inject.sections import OBSERVED
from recollect.model.complexity import GATES
from recollect.model.policy import MIN_TOOL_RESULT_CONFIDENCE


def hook_events() -> str:
    """What is done at each event of each client."""
    rows = (
        (client.name, f"`{event}`", act) for client in CLIENTS for event, act in client.hook_events.items()
    )
    return table(("client", "event", "what is done"), rows)


def layouts() -> str:
    """What is said at each moment, in its order, with budgets and bars."""
    return _slots(("moment", "tokens"), CODING.values())


def asked_layouts() -> str:
    """The layouts that are asked for by name."""
    return _slots(("layout", "tokens"), (one for one in LAYOUTS.values() if one.name not in CODING))


def at_tools() -> str:
    """What is said at a tool's result."""
    rows = (
        (tool_result.FILE, "a file was opened or changed", tool_result.MAX_ABOUT_A_FILE),
        (tool_result.FAILURE, "a command failed", tool_result.MAX_KNOWN_FIXES),
    )
    return table(
        ("moment", "when", "most", "tokens", "bar"),
        (
            (name, when, str(most), str(tool_result.TOKENS), f"{MIN_TOOL_RESULT_CONFIDENCE:.2f}")
            for name, when, most in rows
        ),
    )


def observed_groups() -> str:
    """The sections of a QA session, in their order."""
    return table(("observation", "section"), ((f"`{name}`", section) for name, section in OBSERVED.items()))


def gates() -> str:
    """What is looked for, by how big the work is."""
    rows = ((str(size), _yes(gate.recipes), _yes(gate.e2e)) for size, gate in GATES.items())
    return table(("work", "recipes", "what was seen running"), rows)


def _slots(headings: Sequence[str], layouts: Iterable[Layout]) -> str:
    rows = (
        (
            layout.name,
            str(layout.tokens),
            slot.name,
            slot.source,
            _kinds_in(slot),
            str(slot.most),
            str(slot.tokens),
            f"{slot.bar:.2f}",
            _only(slot),
        )
        for layout in layouts
        for slot in layout.slots
    )
    return table((*headings, "slot", "from", "kinds", "most", "tokens each", "bar", "only"), rows)


def _kinds_in(slot: Slot) -> str:
    return ", ".join(f"`{kind}`" for kind in slot.kinds) or "all others"


def _only(slot: Slot) -> str:
    fields = (
        f"confidence ≥ {slot.sure:.1f}" if slot.sure else "",
        f"{', '.join(slot.phases)} phase" if slot.phases else "",
        "not for trivial work" if slot.gate else "",
    )
    return ", ".join(filter(None, fields))


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def calibration() -> str:
    """Every curve: what it was fitted to, and how far it is off on what it never saw."""
    curves = json.loads(TABLE.read_text("utf-8"))["curves"]
    rows = (
        (
            name,
            ", ".join(f"{feature} {weight:+.2f}" for feature, weight in one["weights"].items()),
            f"{one['bias']:+.2f}",
            str(one["fitted_to"]),
            str(one["held_out"]),
            f"{one['error_held_out']:.3f}",
        )
        for name, one in sorted(curves.items())
    )
    return table(("curve", "weights", "bias", "fitted to", "held out", "error there"), rows)
