"""Timing: one thread while measuring, times of calls, and the cost of fresh processes in CPU time."""

from __future__ import annotations

import ctypes
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.goals import Measure
from recollect.model.value import dataclass, field


@dataclass(slots=True)
class Times:
    """Wall and CPU time in milliseconds. CPU time is what remains of a wait when others use the machine too."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def take(self, act: Callable[[], object]) -> None:
        """Run an act and note what it took."""
        wall, cpu = time.perf_counter(), time.process_time()
        act()
        self.note(time.perf_counter() - wall, time.process_time() - cpu)

    def note(self, wall_s: float, cpu_s: float) -> None:
        """Note what an act took, in seconds."""
        self.wall.append(1000 * wall_s)
        self.cpu.append(1000 * cpu_s)

    def figures(self, name: str) -> dict[str, float]:
        """Median and 95th percentile of both."""
        late = math.ceil(0.95 * len(self.wall)) - 1
        return {
            f"{name}_p50_ms": statistics.median(self.wall),
            f"{name}_p95_ms": sorted(self.wall)[late],
            f"{name}_cpu_p50_ms": statistics.median(self.cpu),
            f"{name}_cpu_p95_ms": sorted(self.cpu)[late],
        }


_NAMES = (
    "scipy_openblas_{}_num_threads64_",
    "scipy_openblas_{}_num_threads",
    "openblas_{}_num_threads",
)


@contextmanager
def one_thread() -> Iterator[None]:
    """Everything inside uses one thread; where the library is another than OpenBLAS, nothing changes."""
    library: Any = import_module("numpy._core._multiarray_umath")
    linked: Any = ctypes.CDLL(library.__file__)
    name = next((name for name in _NAMES if hasattr(linked, name.format("set"))), None)
    if name is None:
        yield
        return
    set_threads = getattr(linked, name.format("set"))
    before = int(getattr(linked, name.format("get"))())
    set_threads(1)
    try:
        yield
    finally:
        set_threads(before)


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


def measure_start(processes: int) -> list[Measure]:
    """What starting costs above a Python that does nothing, in turn with it."""
    cpu: dict[str, list[float]] = {key: [] for key, _, _ in _STARTED}
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as home:
        for _ in range(processes + 1):  # the first round only fills the caches
            bare = measure_process(_BARE, Path(home))[0]
            for key, _, arguments in _STARTED:
                cpu[key].append(measure_process(arguments, Path(home))[0] - bare)
    return [
        Measure(key=key, label=label, ours={"cpu_ms": 1000 * max(0.0, statistics.median(cpu[key][1:]))})
        for key, label, _ in _STARTED
    ]


def measure_recall(
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
            used, waited = measure_process(arguments, plain.parent, tier=tier)
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


def measure_process(arguments: Sequence[str], home: Path, *, tier: str = "none") -> tuple[float, float]:
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
        output = process.stdout.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    waited = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{arguments} ended with {process.returncode}: {output}"
    assert "recall" not in arguments or json.loads(output)["hits"], f"{arguments} found nothing"
    return used.ru_utime + used.ru_stime, waited


def _recall(question: str, db: Path) -> tuple[str, ...]:
    return ("-m", "recollect", "recall", question, "--all", "--db", str(db), "--json")
