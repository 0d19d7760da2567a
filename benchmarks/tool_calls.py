"""
What memory adds to a tool call of the real Claude Code, in wall time, against a scripted model on loopback.

The same session with and without recollect in turn: a number of files are read, one a step, and the time from one
request to the next is taken. Beside it, in the same room and the same run, the start of a Python that does nothing. The
client is the one of `make test-clients`, closed in the same way.
"""

from __future__ import annotations

import compileall
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import click

import recollect
from benchmarks import goals
from benchmarks.goals import Measure
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option
from tests.clients.api.script import Say, Turn
from tests.clients.driver import Stage
from tests.clients.drivers.claude_code import CLAUDE_CODE
from tests.clients.room import Room, a_room
from tests.clients.story import RECOLLECT, Teller
from tests.clients.ways import by_init, fetch, set_stage

ROUNDS = 5
CALLS = 12
_STARTS = 20
# Starts a Python that does nothing, again and again, and says how long each took.
_TIME_PYTHON = """
import json, subprocess, sys, time
seconds = []
for _ in range(int(sys.argv[1])):
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    seconds.append(time.perf_counter() - began)
print(json.dumps(seconds))
"""


@click.command("tool-calls")
@click.option(
    "--rounds", type=click.IntRange(1), default=ROUNDS, show_default=True, help="Sessions of each sort."
)
@json_option
def tool_calls_(rounds: int) -> None:
    """What memory adds to each tool call of the real Claude Code, in wall time beside a bare Python.

    Sessions with and without recollect in turn, in a room without a network; the client is fetched from npm.

    \b
    python -m benchmarks tool-calls --rounds 3
    """
    with output.show_progress("Sessions") as progress:
        measures = run(rounds, lambda done: progress(done, 3 * rounds))
    if output.is_json():
        output.print_json({"benchmark": "tool-calls", "rounds": rounds, "measures": goals.as_json(measures)})
        return
    output.print_table(
        ("", "median ms", "× bare Python", ""),
        [(m.label, f"{m.ours['ms']:.0f}", f"{m.ours['of_python']:.2f}", m.verdict) for m in measures],
    )


def run(rounds: int, progress: Callable[[int], None]) -> list[Measure]:
    """So many sessions of each sort in turn, and what each adds to a call."""
    fetch(CLAUDE_CODE)
    # As an installed package has them; in the room nothing can be written.
    compileall.compile_dir(Path(recollect.__file__).parent, quiet=2)
    gaps: dict[str, list[float]] = {"without": [], "silent": [], "telling": []}
    bare: list[float] = []
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name, a_room(Path(name)) as room:
        stages = {sort: _prepare(Path(name) / sort, room, sort) for sort in gaps}
        done = 0
        for number in range(rounds):
            for sort, stage in stages.items():
                gaps[sort] += _play(room, stage, number)
                done += 1
                progress(done)
            bare += json.loads(_run_python(room, stages["without"]))
    return _measure(gaps, bare)


def _measure(gaps: dict[str, list[float]], bare: Sequence[float]) -> list[Measure]:
    python = statistics.median(bare)
    base = statistics.median(gaps["without"])

    def measure(key: str, label: str, seconds: float) -> Measure:
        return Measure(key=key, label=label, ours={"of_python": seconds / python, "ms": 1000 * seconds})

    return [
        measure("python_start", "python -c pass", python),
        measure("call_without", "a call without recollect", base),
        measure("call_silent", "added where nothing is said", statistics.median(gaps["silent"]) - base),
        measure("call_telling", "added where something is said", statistics.median(gaps["telling"]) - base),
    ]


def _prepare(folder: Path, room: Room, sort: str) -> Stage:
    folder.mkdir()
    stage = set_stage(CLAUDE_CODE, folder, room.url)
    for number in range(CALLS):
        (stage.project / f"part_{number}.py").write_text(f"PART = {number}\n", "utf-8")
    if sort == "without":
        return stage
    assert by_init(CLAUDE_CODE, stage, room).code == 0
    known = range(CALLS) if sort == "telling" else range(1)
    for number in known:
        # Of a file that is never read where nothing is to be said: the store is not empty either way.
        file = f"part_{number}.py" if sort == "telling" else "shop/prices.py"
        words = [
            "remember",
            f"Part {number} is read by job {number} at night",
            "--kind",
            "gotcha",
            "--about",
            file,
        ]
        assert room.type([*RECOLLECT, *words], stage.project, stage.environment).code == 0
    return stage


def _play(room: Room, stage: Stage, number: int) -> list[float]:
    """The seconds from one request to the next, without the first: it waits for all that a session begins with."""
    script: list[Turn] = [[CLAUDE_CODE.read(stage, f"part_{part}.py")] for part in range(CALLS)]
    teller = Teller(driver=CLAUDE_CODE, stage=stage, room=room)
    session = teller.session(f"Go on, {number}", [*script, [Say("Done.")]])
    assert session.ran.code == 0, session.ran
    times = [request.at for request in session.heard if not request.aside]
    return [later - earlier for earlier, later in pairwise(times[1:])]


def _run_python(room: Room, stage: Stage) -> str:
    command = [sys.executable, "-c", _TIME_PYTHON, str(_STARTS)]
    return room.run(command, stage.project, stage.environment).out
