"""
`make coverage`: the tests once more, and for each room how much of its lines and branches they walk.

Processes that the tests start (hooks, commands, servers) are counted too. With arguments, only those tests run.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src") / "recollect"
REPORT = ROOT / ".coverage.json"


@dataclass(slots=True)
class Walked:
    """What the tests walked of a room."""

    lines: int = 0
    lines_walked: int = 0
    branches: int = 0
    branches_walked: int = 0

    def add(self, summary: dict[str, int]) -> None:
        self.lines += summary["num_statements"]
        self.lines_walked += summary["covered_lines"]
        self.branches += summary["num_branches"]
        self.branches_walked += summary["covered_branches"]

    def row(self, name: str) -> str:
        lines, branches = (
            _percent(self.lines_walked, self.lines),
            _percent(self.branches_walked, self.branches),
        )
        return f"{name:<16}{self.lines:>7} lines {lines:>6} {self.branches:>7} branches {branches:>6}"


def main() -> int:
    """Run the tests under coverage and print a row for each room; the exit code is that of the tests."""
    tests = sys.argv[1:] or ["-n", "auto"]
    _run_coverage("erase")
    result = _run_coverage("run", "-m", "pytest", *tests)
    _run_coverage("combine", "-q")
    _run_coverage("json", "-q", "-o", str(REPORT))
    for name, walked in sorted(_sum_by_room(json.loads(REPORT.read_text("utf-8"))["files"]).items()):
        print(walked.row(name))
    return result


def _run_coverage(*words: str) -> int:
    return subprocess.run([sys.executable, "-m", "coverage", *words], cwd=ROOT, check=False).returncode


def _sum_by_room(files: dict[str, dict[str, dict[str, int]]]) -> dict[str, Walked]:
    rooms: dict[str, Walked] = defaultdict(Walked)
    for name, measured in files.items():
        inside = Path(name).relative_to(PACKAGE)
        room = inside.parts[0] if len(inside.parts) > 1 else "recollect"
        rooms[room].add(measured["summary"])
        rooms["~ all"].add(measured["summary"])
    return rooms


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


if __name__ == "__main__":
    sys.exit(main())
