"""What acts took, one by one."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

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
