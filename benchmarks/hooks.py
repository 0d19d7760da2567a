"""
What a hook costs: real processes, one an event, in CPU time above a Python that does nothing, in turn with it.

Wall time is not told: differences below a tenth of a second are noise. The store holds a project with a few hundred
memories; every run is a session of its own, so that what is known is told each time.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.goals import Measure, as_json, format_figures
from recollect.api import Recollect
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

RUNS = 100
MEMORIES = 300
_FILE = "src/auth.py"
_HOOK = (sys.executable, "-m", "recollect.hooks", "claude-code")
_BARE = (sys.executable, "-c", "pass")
_SHELL = ("sh", "-c", "true")
_ERROR = "KeyError: 'refresh_token'"
_TOPICS = ("retries", "the cache", "logging", "migrations", "the queue", "uploads", "invoices", "search")


def run(
    runs: int, progress: Callable[[int, int], None], *, memories: int = MEMORIES, warm: int = 1
) -> list[Measure]:
    """Each hook so many times, in turn with a bare Python and a bare shell; `warm` rounds before only fill caches."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        home = Path(folder)
        _prepare(home, memories)
        hooks = _hooks(home)
        spent: dict[str, list[float]] = {key: [] for key in ("bare", "shell", *hooks)}
        for number in range(warm + runs):
            spent["bare"].append(_spend(home, _BARE))
            spent["shell"].append(_spend(home, _SHELL))
            for key, (event, payload, speaks) in hooks.items():
                session = {"session_id": f"bench-{key}-{number}"}
                spent[key].append(_spend(home, (*_HOOK, event), payload | session, speaks=speaks))
            progress(number + 1, warm + runs)
    medians = {key: statistics.median(times[warm:]) for key, times in spent.items()}
    return [
        _measure("bare", "python -c pass", medians["bare"]),
        _measure("shell", "sh -c true", medians["shell"]),
        *(_measure(f"hook_{key}", _LABELS[key], medians[key] - medians["bare"]) for key in hooks),
    ]


def _measure(key: str, label: str, cpu: float) -> Measure:
    return Measure(key=key, label=label, ours={"cpu_ms": 1000 * max(0.0, cpu)})


_LABELS = {
    "record": "recording, above bare Python",
    "file_unknown": "a file nothing is known about, above bare Python",
    "file": "a file with a gotcha, above bare Python",
    "failure": "a failed command with a known fix, above bare Python",
    "brief": "a session's brief, above bare Python",
    "prompt": "a prompt, with vectors, above bare Python",
}


def _prepare(home: Path, memories: int) -> None:
    project = home / "project"
    (project / "src").mkdir(parents=True)
    (project / _FILE).write_text("def refresh():\n    ...\n", "utf-8")
    with Recollect(home / "memories.db", folder=project) as memory:
        facts = [
            memory.draft(
                f"{_TOPICS[number % len(_TOPICS)].capitalize()} of part {number} use plan {number * 7} by default",
                kind="decision",
                about=[f"src/part_{number}.py"],
            )
            for number in range(memories)
        ]
        facts += [
            memory.draft("Tokens expire after five minutes", kind="gotcha", about=[_FILE]),
            memory.draft("Answer in short sentences", kind="preference"),
            memory.draft(
                "A missing refresh token is mended by logging in again",
                kind="error_pattern",
                fields={"error": _ERROR},
            ),
        ]
        memory.remember_many(facts)


def _hooks(home: Path) -> dict[str, tuple[str, dict[str, Any], bool]]:
    """The event, its payload, and whether it must be answered."""
    where = {"cwd": str(home / "project")}
    unknown = _read(home, "src/other.py")
    failed = {"tool_name": "Bash", "tool_input": {"command": "pytest"}, "error": f"Exit code 1\nE   {_ERROR}"}
    return {
        "record": ("Stop", where | {"last_assistant_message": "Done. " * 50}, False),
        "file_unknown": ("PostToolUse", where | unknown, False),
        "file": ("PostToolUse", where | _read(home, _FILE), True),
        "failure": ("PostToolUseFailure", where | failed | {"tool_use_id": "t"}, True),
        "brief": ("SessionStart", where | {"source": "startup"}, True),
        "prompt": ("UserPromptSubmit", where | {"prompt": "When do our tokens expire?"}, True),
    }


def _read(home: Path, file: str) -> dict[str, Any]:
    path = str(home / "project" / file)
    answer = {"type": "text", "file": {"filePath": path, "content": "…", "numLines": 1, "startLine": 1}}
    return {
        "tool_name": "Read",
        "tool_use_id": "t",
        "tool_input": {"file_path": path},
        "tool_response": answer,
    }


def _spend(
    home: Path, command: Sequence[str], payload: Mapping[str, Any] | None = None, *, speaks: bool = False
) -> float:
    """The CPU seconds of one process, as the system counts."""
    with tempfile.TemporaryFile() as payload_file:
        payload_file.write(json.dumps(payload or {}).encode())
        payload_file.seek(0)
        process = subprocess.Popen(
            command, cwd=home, env=_environment(home), stdin=payload_file, stdout=subprocess.PIPE
        )
    assert process.stdout is not None
    with process.stdout as answer_file:
        answer = answer_file.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{command} ended with {process.returncode}"
    assert bool(answer) == speaks, f"{command} said {answer[:200]!r}"
    return used.ru_utime + used.ru_stime


def _environment(home: Path) -> dict[str, str]:
    # A loaded machine must not make a hook give up in the middle of being measured.
    ours = {"RECOLLECT_DB": str(home / "memories.db"), "RECOLLECT_HOOKS_MOST_MS": "60000"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    # Compiled files are what an installed hook has.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment | ours | {"RECOLLECT_HOME": str(home)}


@click.command("hooks")
@click.option(
    "--runs", type=click.IntRange(1), default=RUNS, show_default=True, help="How often each hook runs."
)
@json_option
def hooks_(runs: int) -> None:
    """What each hook costs in CPU time above a Python that does nothing, beside that and a bare shell.

    Real processes, in turn. Wall time is not told: its differences are noise.

    \b
    python -m benchmarks hooks --runs 20
    """
    with output.show_progress("Hooks") as progress:
        measures = run(runs, progress)
    if output.is_json():
        output.print_json({"benchmark": "hooks", "runs": runs, "measures": as_json(measures)})
        return
    rows = [(m.label, format_figures(m.ours), str(m.goal or ""), m.verdict) for m in measures]
    output.print_table(("", "median", "goal", ""), rows)
