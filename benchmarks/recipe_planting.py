"""
Recipes planted in copies of real sessions: the acts of a recipe, as events, at random places of a real event stream.

A copy keeps all that its session did; only what was asked for at its beginning is the recipe's request. What is mined
from the sessions as they are is counted first: whatever comes beyond that and was not planted is false.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.recipe_families import PlantedRecipe, fill_name
from benchmarks.replay_sessions import Replayed, load
from recollect.learn.recipes import build_trail
from recollect.model.event import Event, EventType, ToolAction, event_from_json
from recollect.model.session import Session
from recollect.model.signal import Trail
from recollect.model.value import replace
from recollect.observe.steps import build_steps
from recollect.observe.units import WorkUnit

COPIES = (3, 5)
_MINUTE = timedelta(minutes=1)


def read_sessions(folder: Path) -> list[Replayed]:
    """The sessions of a folder of transcripts in which something was done, in their order."""
    return [one for one in load(folder).sessions if to_trail(one.id, one.events, one.asked_at).parts]


def to_trail(session_id: str, events: Sequence[Event], at: datetime) -> Trail:
    """What is kept of a session's events for mining, as if all its work had passed."""
    steps = build_steps(session_id, events)
    session = Session(id=session_id, started_at=at, last_at=at, project_id="p")
    return build_trail(session, WorkUnit(steps=steps.steps), steps.prompts)


def plant_in_copies(
    planted: Sequence[PlantedRecipe], sessions: Sequence[Replayed], start: datetime, chance: random.Random
) -> Iterator[Trail]:
    """The trails of copies of real sessions, several for each recipe."""
    for number, recipe in enumerate(planted):
        hosts = chance.sample(sessions, chance.randint(*COPIES))
        for place, host in enumerate(hosts):
            name = f"item{number}x{place}"
            session_id = f"copy-{number}-{place}"
            at = start + number * _MINUTE + timedelta(days=3 * place)
            events = _plant(host.events, recipe, name, session_id, chance)
            yield to_trail(session_id, events, at)


def _plant(
    events: Sequence[Event], recipe: PlantedRecipe, name: str, session_id: str, chance: random.Random
) -> list[Event]:
    asked = next(
        (place for place, event in enumerate(events) if event.type is EventType.PROMPT and event.text), 0
    )
    copy = [replace(event, session_id=session_id) for event in events]
    copy[asked] = replace(copy[asked], text=recipe.request.format(name), data={})
    gaps = sorted(chance.randint(asked + 1, len(copy)) for _ in recipe.acts)
    for at, act in reversed(list(zip(gaps, recipe.acts, strict=True))):
        moment = copy[at - 1].at
        copy[at:at] = list(_make_events(act, name, session_id, f"{session_id}-{at}-{act}", moment))
    return copy


def _make_events(act: str, name: str, session_id: str, call_id: str, at: datetime) -> Iterator[Event]:
    action, _, place = act.partition(" ")
    parts: dict[str, Any] = {"tool": "Edit", "action": action, "files": [fill_name(place, name)]}
    if action not in (ToolAction.CREATE, ToolAction.EDIT, ToolAction.READ):
        command = fill_name(place, name) if action == "run" else "pytest -q"
        parts = {"tool": "Bash", "action": "run", "command": command, "output": "3 passed in 0.1s"}
    for kind in (EventType.TOOL_CALLED, EventType.TOOL_FINISHED):
        yield event_from_json(
            {
                "id": f"{call_id}-{kind}",
                "type": str(kind),
                "at": at.isoformat(),
                "session_id": session_id,
                "call_id": call_id,
                "ok": True,
                **parts,
            }
        )
