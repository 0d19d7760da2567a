"""
How fast the observer reads events, beside `json.loads` of the same lines, and whether its memory grows.

Sessions are made up: edits, reads, checks that fail and pass. Measured is the way from a line to notes: parsed, joined
into steps, judged, every signal and rule, and the trail that recipes are found from. Lines are made session by session
and forgotten, so that only the observer could keep something.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from recollect.learn.learn_session import find_notes
from recollect.learn.recipes import build_trail
from recollect.model.event import EventType, ToolAction, event_from_json
from recollect.model.session import Session
from recollect.observe.steps import build_steps
from recollect.observe.units import WorkUnit
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

STEPS = 40
_START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_FAILED = "E   KeyError: 'rate_{0}'\nFAILED tests/test_{0}.py::test_it - KeyError: 'rate_{0}'\n=== 1 failed in 0.2s ==="


def run(sessions: int, progress: Callable[[int, int], None]) -> dict[str, Any]:
    """Read so many sessions, and say how fast and with how much memory."""
    chance = random.Random(7)
    spent = {"observer": 0.0, "json_loads": 0.0}
    events = notes = 0
    early = _highest_kb()
    for number in range(sessions):
        lines = [json.dumps(form) for form in _session(number, chance)]
        events += len(lines)
        begun = time.process_time()
        for line in lines:
            json.loads(line)
        parsed = time.process_time()
        notes += len(_notes(number, lines))
        spent["json_loads"] += parsed - begun
        spent["observer"] += time.process_time() - parsed
        if number == sessions // 10:
            early = _highest_kb()
        progress(number + 1, sessions)
    rates = {name: events / seconds if seconds else 0.0 for name, seconds in spent.items()}
    return {"events": events, "notes": notes, "grown_kb": _highest_kb() - early, **rates}


def _notes(number: int, lines: list[str]) -> list[Any]:
    events = [event_from_json(json.loads(line)) for line in lines]
    session = Session(id=f"s{number}", started_at=events[0].at, last_at=events[-1].at)
    notes = find_notes(session, events)
    steps = build_steps(session.id, events)
    build_trail(session, WorkUnit(steps=steps.steps), steps.prompts)
    return notes


def _session(number: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    at = _START + timedelta(hours=number)
    files = [f"src/module_{chance.randrange(40)}/part_{chance.randrange(9)}.py" for _ in range(6)]
    for step in range(STEPS):
        parts = _act(step, chance.choice(files), chance)
        for kind in (EventType.TOOL_CALLED, EventType.TOOL_FINISHED):
            yield {
                "id": f"{number}-{step}-{kind}",
                "type": str(kind),
                "at": (at + timedelta(seconds=10 * step)).isoformat(),
                "session_id": f"s{number}",
                "call_id": f"{number}-{step}",
                **(parts if kind is EventType.TOOL_FINISHED else {"tool": parts["tool"]}),
            }


def _act(step: int, file: str, chance: random.Random) -> dict[str, Any]:
    if step % 4 == 3:
        fails = chance.random() < 0.4 and step < STEPS - 4
        output = _FAILED.format(chance.randrange(60)) if fails else "=== 12 passed in 0.2s ==="
        return {
            "tool": "Bash",
            "action": str(ToolAction.RUN),
            "command": f"pytest -q tests/test_{step}.py 2>&1 | tail -20",
            "ok": True,
            "output": output,
        }
    action = ToolAction.EDIT if step % 4 == 2 else ToolAction.READ
    return {"tool": action.title(), "action": str(action), "files": [file], "ok": True}


def _highest_kb() -> int:
    """The most memory this process ever held; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return highest // 1024 if sys.platform == "darwin" else highest


@click.command("observe")
@click.option(
    "--sessions",
    type=click.IntRange(20),
    default=2_000,
    show_default=True,
    help="How many sessions are made up.",
)
@json_option
def observe_(sessions: int) -> None:
    """How many events a second the observer reads, beside json.loads of the same lines, and whether memory grows.

    \b
    python -m benchmarks observe --sessions 10000
    """
    with output.show_progress("Sessions") as progress:
        outcome = run(sessions, progress)
    if output.is_json():
        output.print_json({"benchmark": "observe", **outcome})
        return
    output.print_line(f"{outcome['events']:,} events of {sessions:,} sessions, {outcome['notes']:,} notes")
    output.print_table(
        ("", "events/s"),
        [(name, f"{outcome[name]:,.0f}") for name in ("observer", "json_loads")],
    )
    output.print_line(f"Memory at its highest grew by {outcome['grown_kb']:,} kB after the first tenth.")
