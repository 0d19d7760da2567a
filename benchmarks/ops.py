"""
What reading a run's output costs: megabytes of stream-json a second beside `json.loads`, and hostile text.

The stream is made like that of a real run: many tool results, some of them long, answers with a marker here and there.
CPU time is told, the best of several rounds, in turn with the baseline.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping

import click

from benchmarks import goals
from benchmarks.goals import Measure
from recollect.ops.lines import LineSplitter
from recollect.ops.markers import parse_markers
from recollect.ops.streams import AgentText, ClaudeReader, ReadLine
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

MEGABYTES = 32
ROUNDS = 5
CHUNK = 1024 * 1024
CATEGORIES = frozenset(("timing", "dependency", "behavior", "remediation", "maintenance"))
HOSTILE_BYTES = 200_000
_WORDS = (
    "the service answered with a timeout after container start volume mounted network bridge reload "
    "certificate renewed disk usage at ninety percent queue length zero error warning info healthy"
).split()
_HOSTILE = {
    "open brackets": "[MEMORY:",
    "empty markers": "[MEMORY:timing:x] ",
    "ticks": "` `` ",
    "tags": "<a></",
    "quotation marks": '"',
    "block quotes": "> \n",
    "fences": "```\n",
    "code that is indented": "    [MEMORY:timing:x] a\n\n",
}


def run(progress: Callable[[int, int], None], *, megabytes: int = MEGABYTES) -> list[Measure]:
    """Measure the readers and the parser."""
    stream = make_stream(megabytes * 1024 * 1024)
    size = len(stream) / 1e6
    ours: list[float] = []
    loads: list[float] = []
    for number in range(ROUNDS):
        ours.append(_seconds(lambda: read_stream(stream)))
        loads.append(_seconds(lambda: _load_lines(stream)))
        progress(number + 1, ROUNDS)
    whole = Measure(
        key="ops_stream",
        label=f"megabytes a second of {size:.0f} MB of stream-json",
        ours={"mb_per_s": size / min(ours)},
        floor={"mb_per_s": size / min(loads)},
    )
    return [whole, *(_measure_hostile(name, piece) for name, piece in _HOSTILE.items())]


def read_stream(stream: bytes) -> int:
    """Read a stream as a run's recorder does, but for the database; how many markers it holds."""
    splitter, reader = LineSplitter(), ClaudeReader()
    markers = held = 0
    for start in range(0, len(stream), CHUNK):
        for position, line in splitter.feed(stream[start : start + CHUNK]):
            for part in reader.read(position, line):
                if isinstance(part, AgentText):
                    markers += len(parse_markers(part.text, CATEGORIES).markers)
                elif isinstance(part, ReadLine):
                    held += len(part.line)
    return markers


def make_stream(size: int) -> bytes:
    """A stream of about so many bytes, the same every time."""
    chance = random.Random(17)
    lines: list[bytes] = []
    total = 0
    while total < size:
        lines += [_line("assistant", _answer(chance)), _line("user", _tool_result(chance))]
        total += len(lines[-1]) + len(lines[-2])
    return b"".join(lines)


def _measure_hostile(name: str, piece: str) -> Measure:
    # Without a marker at its end, most of it would not be looked at.
    text = (piece * (HOSTILE_BYTES // len(piece) + 1))[:HOSTILE_BYTES] + "\n[MEMORY:timing:x] z"
    best = min(_seconds(lambda: parse_markers(text, CATEGORIES)) for _ in range(ROUNDS))
    return Measure(key="ops_hostile", label=f"200 KB of {name}", ours={"cpu_ms": 1000 * best})


def _load_lines(stream: bytes) -> None:
    for line in stream.splitlines():
        json.loads(line)


def _seconds(act: Callable[[], object]) -> float:
    before = time.process_time()
    act()
    return time.process_time() - before


def _answer(chance: random.Random) -> list[dict[str, object]]:
    text = " ".join(chance.choices(_WORDS, k=chance.randint(20, 200)))
    if chance.random() < 0.2:
        text += f"\n\n[MEMORY:timing:svc{chance.randint(1, 40)}] Answers {chance.randint(2, 90)} s after a restart"
    return [{"type": "text", "text": text}]


def _tool_result(chance: random.Random) -> list[dict[str, object]]:
    words = 20_000 if chance.random() < 0.05 else chance.randint(50, 800)
    text = "\n".join(" ".join(chance.choices(_WORDS, k=12)) for _ in range(words // 12))
    return [{"type": "tool_result", "tool_use_id": "toolu_01", "content": text}]


def _line(kind: str, content: list[dict[str, object]]) -> bytes:
    message = {
        "id": "msg_01",
        "role": kind,
        "content": content,
        "usage": {"input_tokens": 4, "output_tokens": 9},
    }
    value = {
        "type": kind,
        "message": message,
        "parent_tool_use_id": None,
        "session_id": "a1b2",
        "uuid": "c3d4",
    }
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


@click.command("ops")
@click.option(
    "--megabytes", type=click.IntRange(1, 1000), default=MEGABYTES, show_default=True, help="How much."
)
@json_option
def ops_(megabytes: int) -> None:
    """How fast the output of a run is read, beside json.loads of every line, and what hostile text costs.

    \b
    python -m benchmarks ops --megabytes 8
    """
    with output.show_progress("Streams") as progress:
        measures = run(progress, megabytes=megabytes)
    if output.is_json():
        output.print_json({"benchmark": "ops", "megabytes": megabytes, "measures": goals.as_json(measures)})
        return
    rows = [
        (
            measure.label,
            _format_figures(measure.ours),
            _format_figures(measure.floor or {}),
            str(measure.goal or ""),
            measure.verdict,
        )
        for measure in measures
    ]
    output.print_table(("", "recollect", "json.loads", "goal", ""), rows)


def _format_figures(figures: Mapping[str, float]) -> str:
    return ", ".join(
        f"{goals.round_figure(value):g} {goals.describe_figure(name)}" for name, value in figures.items()
    )
