"""What a fresh process costs before its first answer: real processes, in CPU time as the system counts."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.goals import Measure

_BARE = ("-c", "pass")
_STARTED = (
    ("import", "import recollect, above bare Python", ("-c", "import recollect")),
    (
        "import_engine",
        "from recollect import Recollect, above bare Python",
        ("-c", "from recollect import Recollect"),
    ),
    ("version", "recollect --version, above bare Python", ("-m", "recollect", "--version")),
)


def started(processes: int) -> list[Measure]:
    """What starting costs above a Python that does nothing, in turn with it."""
    cpu: dict[str, list[float]] = {key: [] for key, _, _ in _STARTED}
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as home:
        for _ in range(processes + 1):  # the first round only fills the caches
            bare = spend(_BARE, Path(home))[0]
            for key, _, arguments in _STARTED:
                cpu[key].append(spend(arguments, Path(home))[0] - bare)
    return [
        Measure(key=key, label=label, ours={"cpu_ms": 1000 * max(0.0, statistics.median(cpu[key][1:]))})
        for key, label, _ in _STARTED
    ]


def recalled(
    plain: Path, worded: Path, floor: Path, question: str, size: int, processes: int
) -> list[Measure]:
    """A cold `recollect recall`: by words where no model is used, and with the bundled model."""
    commands = {
        "cold": (_recall(question, plain), "none"),
        "cold_embedding": (_recall(question, worded), "bundled"),
        "floor": ((str(Path(__file__).with_name("floor.py")), str(floor), question), "none"),
    }
    cpu: dict[str, list[float]] = {key: [] for key in commands}
    wall: dict[str, list[float]] = {key: [] for key in commands}
    for _ in range(processes + 1):
        for key, (arguments, tier) in commands.items():
            used, waited = spend(arguments, plain.parent, tier=tier)
            cpu[key].append(used)
            wall[key].append(waited)
    figures = {
        key: {"cpu_s": statistics.median(cpu[key][1:]), "wall_s": statistics.median(wall[key][1:])}
        for key in commands
    }
    by_words = "cold process → first answer, by words (floor: too)"
    return [
        Measure(key="cold", label=by_words, size=size, ours=figures["cold"], floor=figures["floor"]),
        Measure(
            key="cold_embedding",
            label="cold process → first answer, bundled model",
            size=size,
            ours=figures["cold_embedding"],
        ),
    ]


def spend(arguments: Sequence[str], home: Path, *, tier: str = "none") -> tuple[float, float]:
    """The CPU and wall seconds of one Python process, with all that it started in turn."""
    environment = os.environ | {"RECOLLECT_HOME": str(home / "home"), "RECOLLECT_EMBEDDING_TIER": tier}
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=home,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    with process.stdout:
        said = process.stdout.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    waited = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{arguments} ended with {process.returncode}: {said}"
    assert "recall" not in arguments or json.loads(said)["hits"], f"{arguments} found nothing"
    return used.ru_utime + used.ru_stime, waited


def _recall(question: str, db: Path) -> tuple[str, ...]:
    return ("-m", "recollect", "recall", question, "--db", str(db), "--json")
