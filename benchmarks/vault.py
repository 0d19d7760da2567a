"""
How fast a vault is: the first index, a sync when nothing changed, one changed note, and search beside a walk.

The walk is what an agent without an index does: read every note, count the words of the question in it. Notes are made,
not taken from anybody, with the shape of real ones: properties, headings, links, tags, some code.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import click

from benchmarks.run import Progress, quiet
from recollect.api import Recollect
from recollect.model.value import asdict, dataclass
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

NOTES = 10_000
SEARCHES = 200
CHANGES = 30
_WORDS_IN_ALL = 12_000
_FOLDERS = 100
# What is promised; times in milliseconds.
GOALS = {"no_change_ms": 500.0, "changed_note_ms": 100.0, "search_p95_ms": 15.0}
_LABELS = {
    "first_index_s": "First index (s)",
    "notes_per_s": "Notes a second",
    "no_change_ms": "Sync, nothing changed (ms)",
    "changed_note_ms": "One changed note can be found (ms)",
    "changed_full_ms": "The same by looking at all (ms)",
    "no_change_cpu_ms": "Sync, nothing changed (ms of CPU)",
    "changed_note_cpu_ms": "One changed note can be found (ms of CPU)",
    "search_p95_cpu_ms": "Search, 95th percentile (ms of CPU)",
    "search_p50_ms": "Search, median (ms)",
    "search_p95_ms": "Search, 95th percentile (ms)",
    "grep_p50_ms": "Walk and grep, median (ms)",
    "grep_p95_ms": "Walk and grep, 95th percentile (ms)",
    "bytes_on_disk": "Bytes of the database",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTaken:
    """How long something took, by the clock and of the processor, in seconds."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultFigures:
    """What was measured; times in milliseconds but for the first index."""

    notes: int
    first_index_s: float
    notes_per_s: float
    no_change_ms: float
    changed_note_ms: float
    changed_full_ms: float
    # The same acts in time of the processor, which what else the machine does changes less.
    no_change_cpu_ms: float
    changed_note_cpu_ms: float
    search_p95_cpu_ms: float
    search_p50_ms: float
    search_p95_ms: float
    grep_p50_ms: float
    grep_p95_ms: float
    bytes_on_disk: int


def run(
    notes: int = NOTES, *, searches: int = SEARCHES, changes: int = CHANGES, progress: Progress = quiet
) -> VaultFigures:
    """Make a vault of so many notes and measure it."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        root, db = Path(folder, "Vault"), Path(folder, "memories.db")
        chance = random.Random(11)
        words = _vocabulary(chance)
        _write_notes(root, notes, words, chance)
        with Recollect(db, folder=None) as memory:
            memory.vault.init(root)
            with progress("First index") as step:
                began = time.perf_counter()
                memory.vault.sync(progress=step)
                first = time.perf_counter() - began
            no_change = [_timed(memory.vault.sync) for _ in range(5)]
            by_path, by_scan = _changes(memory, root, changes, chance)
            questions = [" ".join(chance.sample(words[200:4_000], 3)) for _ in range(searches)]
            search_times = [_timed(partial(memory.vault.search, question)) for question in questions]
            walked = [_timed(partial(_walk, root, question)) for question in questions[:10]]
            return VaultFigures(
                notes=notes,
                first_index_s=round(first, 2),
                notes_per_s=round(notes / first),
                no_change_ms=_wall(no_change, 0.5),
                changed_note_ms=_wall(by_path, 0.5),
                changed_full_ms=_wall(by_scan, 0.5),
                no_change_cpu_ms=_cpu(no_change, 0.5),
                changed_note_cpu_ms=_cpu(by_path, 0.5),
                search_p95_cpu_ms=_cpu(search_times, 0.95),
                search_p50_ms=_wall(search_times, 0.5),
                search_p95_ms=_wall(search_times, 0.95),
                grep_p50_ms=_wall(walked, 0.5),
                grep_p95_ms=_wall(walked, 0.95),
                bytes_on_disk=db.stat().st_size,
            )


def _changes(
    memory: Recollect, root: Path, changes: int, chance: random.Random
) -> tuple[list[TimeTaken], list[TimeTaken]]:
    """From a changed note to finding it: told which one it was, as the watcher is, and by looking at all."""
    places = sorted(place for place in root.rglob("Note *.md"))
    by_path: list[TimeTaken] = []
    by_scan: list[TimeTaken] = []
    for number in range(changes):
        place = chance.choice(places)
        path = place.relative_to(root).as_posix()
        for times, named in ((by_path, [path]), (by_scan, None)):
            word = f"zanzibar{number}{'a' if named else 'b'}"
            place.write_text(f"{place.read_text('utf-8')}\nchanged {word}\n", "utf-8")
            times.append(_timed(partial(memory.vault.sync, named), partial(memory.vault.search, word)))
            assert [hit.path for hit in memory.vault.search(word)] == [path], "the change can be found"
    return by_path, by_scan


def _walk(root: Path, question: str) -> list[tuple[int, str]]:
    """What an agent without an index does."""
    words = question.lower().split()
    scored: list[tuple[int, str]] = []
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(".md"):
                text = Path(folder, name).read_text("utf-8").lower()
                if score := sum(word in text for word in words):
                    scored.append((score, name))
    return sorted(scored, reverse=True)[:10]


def _write_notes(root: Path, notes: int, words: list[str], chance: random.Random) -> None:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    weights = [1 / (rank + 10) for rank in range(len(words))]
    for number in range(notes):
        folder = root / f"Folder {number % _FOLDERS:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        text = chance.choices(words, weights, k=chance.randint(60, 260))
        half = len(text) // 2
        lines = [
            f"---\ntags: [topic/{words[number % 50]}]\ncreated: {start + timedelta(hours=number):%Y-%m-%d}\n---",
            f"# {' '.join(text[:3])}\n\n{' '.join(text[:half])}",
            f"## {' '.join(text[half : half + 2])}\n\n{' '.join(text[half:])}",
            f"See [[Note {chance.randrange(notes)}]] and [[Note {chance.randrange(notes)}]]. #{words[number % 90]}",
        ]
        (folder / f"Note {number}.md").write_text("\n\n".join(lines) + "\n", "utf-8")


def _vocabulary(chance: random.Random) -> list[str]:
    syllables = "ka lo mi ren ta vo shu pel dor an ix qua be sol tri mun gar fen lis op".split()
    made = {"".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(_WORDS_IN_ALL)}
    return sorted(made, key=lambda word: chance.random())


def _timed(*acts: Callable[[], object]) -> TimeTaken:
    began, worked = time.perf_counter(), time.process_time()
    for act in acts:
        act()
    return TimeTaken(wall=time.perf_counter() - began, cpu=time.process_time() - worked)


def _wall(times: Sequence[TimeTaken], share: float) -> float:
    return _at([taken.wall for taken in times], share)


def _cpu(times: Sequence[TimeTaken], share: float) -> float:
    return _at([taken.cpu for taken in times], share)


def _at(seconds: Sequence[float], share: float) -> float:
    """Milliseconds below which this share of the times lies."""
    ordered = sorted(seconds)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000, 2)


@click.command("vault")
@click.option("--notes", type=click.IntRange(10), default=NOTES, show_default=True, help="How many notes.")
@json_option
def vault_(notes: int) -> None:
    """How fast a vault is indexed, synced and searched, beside a walk that greps every note.

    \b
    python -m benchmarks vault
    python -m benchmarks vault --notes 1000 --json
    """
    figures = asdict(run(notes, progress=output.show_progress))
    if output.is_json():
        output.print_json({**figures, "goals": GOALS})
        return
    rows = [
        (
            label,
            f"{figures[name]:,}",
            f"≤ {GOALS[name]:g}" if name in GOALS else "",
            _verdict(name, figures[name]),
        )
        for name, label in _LABELS.items()
    ]
    output.print_table((f"{notes:,} notes", "", "goal", ""), rows)


def _verdict(name: str, value: float) -> str:
    return "" if name not in GOALS else "met" if value <= GOALS[name] else "missed"
