"""
`make mutants`: mutation testing of the modules that decide, each with the tests nearest to it.

mutmut changes one thing in a function at a time; a change that no test notices is a survivor. It works on copies of the
tree in `.mutants`, so the clone is never touched. A row of `DECIDING` is a module and the tests that must notice.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIES = ROOT / ".mutants"
PINNED = ROOT / "requirements" / "mutants.txt"
COPIED = ("src", "tests", "benchmarks", "tools", "pyproject.toml")
# What mutmut's own interface would draw: its spinner and its colours are for a person at a terminal.
PLAIN = {"TERM": "dumb", "NO_COLOR": "1", "PYTHONHASHSEED": "0"}
# One database is enough to notice, and a test over labelled data is too slow to be run by the hundred.
NEAR = "not postgres and not labelled"
GOAL = 85


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """A module that decides something, and the tests that have to notice when it decides otherwise."""

    module: str
    tests: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"src/recollect/{self.module}.py"

    @property
    def copy(self) -> Path:
        """Where its copy of the tree lies."""
        return COPIES / self.module.replace("/", "-")


DECIDING = (
    Deciding(module="model/ageing", tests=("tests/model/test_ageing.py",)),
    Deciding(module="model/trust", tests=("tests/model/test_trust.py",)),
    Deciding(
        module="capture/trust", tests=("tests/capture/test_standing.py", "tests/capture/test_rights.py")
    ),
    Deciding(module="capture/duplicate", tests=("tests/capture/test_same_text.py",)),
    Deciding(module="capture/contradict", tests=("tests/capture/test_contradict.py",)),
    Deciding(module="learn/validate", tests=("tests/learn/test_validate.py",)),
    Deciding(module="learn/proof", tests=("tests/learn/test_proof.py",)),
    Deciding(module="retrieve/rank", tests=("tests/retrieve/test_rank.py",)),
    Deciding(module="inject/calibrate", tests=("tests/inject/test_calibrate.py",)),
    Deciding(module="inject/silence", tests=("tests/inject/test_silence.py",)),
    Deciding(module="events/redact", tests=("tests/events/test_redact.py",)),
)


def main() -> int:
    """Run the rows asked for, print a table, and fail below the goal."""
    asked = _parse_arguments()
    rows = [row for row in DECIDING if not asked.modules or row.module in asked.modules]
    _install_mutmut()
    scores = []
    for row in rows:
        score = _measure(row, max_children=asked.processes)
        print(score.line(), flush=True)
        for name in score.survivors:
            print(_show_change(row, name) if asked.show else f"    {name}", flush=True)
        scores.append(score)
    total = Score.join(scores)
    print(total.line())
    return 0 if total.percent >= GOAL else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How many mutants of a module were noticed."""

    module: str
    killed: int
    total: int
    survivors: tuple[str, ...] = ()

    @classmethod
    def join(cls, scores: list[Score]) -> Score:
        """All modules together."""
        return cls(
            module="all", killed=sum(one.killed for one in scores), total=sum(one.total for one in scores)
        )

    @property
    def percent(self) -> float:
        return 100 * self.killed / self.total if self.total else 100.0

    def line(self) -> str:
        return f"{self.module:<24}{self.killed:>6} of {self.total:>5} killed  {self.percent:5.1f} %"


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="such as model/trust; all if none is named"
    )
    parser.add_argument("--show", action="store_true", help="print each survivor as a diff")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="mutants tried at once")
    given = parser.parse_args()
    known = {row.module for row in DECIDING}
    for module in given.modules:
        if module not in known:
            parser.error(f"{module} is no module that decides. Known: {', '.join(sorted(known))}")
    return given


def _install_mutmut() -> None:
    """mutmut and what it needs, into this environment: nothing else in the project wants it."""
    if find_spec("mutmut") is None:
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "--require-hashes", "-r", str(PINNED)], check=True)


def _measure(row: Deciding, *, max_children: int) -> Score:
    _copy_tree(row)
    run = _mutmut(row, "run", "--max-children", str(max_children))
    stats = row.copy / "mutants" / "mutmut-cicd-stats.json"
    _mutmut(row, "export-cicd-stats")
    counts = json.loads(stats.read_text("utf-8")) if stats.exists() else {}
    if not sum(number for status, number in counts.items() if status != "total"):
        sys.exit(f"mutmut could not run the tests of {row.module}:\n{run.stdout[-3000:]}{run.stderr[-2000:]}")
    listed = [line.strip() for line in _mutmut(row, "results").stdout.splitlines() if ":" in line]
    return Score(
        module=row.module,
        killed=counts["killed"] + counts["timeout"],
        total=counts["total"],
        survivors=tuple(line.split(":")[0] for line in listed if not line.endswith(": timeout")),
    )


def _copy_tree(row: Deciding) -> None:
    shutil.rmtree(row.copy, ignore_errors=True)
    row.copy.mkdir(parents=True)
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, row.copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, row.copy / name)
    with (row.copy / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write(_settings(row))


def _settings(row: Deciding) -> str:
    tests = json.dumps(list(row.tests))
    return f"""
[tool.mutmut]
source_paths = ["src"]
only_mutate = ["{row.path}"]
pytest_add_cli_args = ["-p", "no:xdist", "-k", "{NEAR}"]
pytest_add_cli_args_test_selection = {tests}
also_copy = ["benchmarks", "tools"]
use_git_change_detection = false
"""


def _mutmut(row: Deciding, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mutmut", *words],
        cwd=row.copy,
        env={**os.environ, **PLAIN},
        capture_output=True,
        text=True,
        check=False,
    )


def _show_change(row: Deciding, mutant: str) -> str:
    lines = _mutmut(row, "show", mutant).stdout.splitlines()
    changed = [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    return "\n".join([f"    {mutant}", *changed])


if __name__ == "__main__":
    sys.exit(main())
