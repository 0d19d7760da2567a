"""Start what is installed for real, as an agent would, in a home that is thrown away; what came of it and its time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from recollect.hooks.log import failures, log_of
from recollect.model.value import dataclass

_SECONDS = 20
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "recollect-doctor", "version": "1"},
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How a run went: `trouble` is empty when it did what it should."""

    trouble: str = ""
    milliseconds: float = 0.0


def try_hook(words: Sequence[str], event: str) -> Trial:
    """Run a hook with a small payload: it must end with 0 and say JSON or nothing."""
    with _away() as (folder, environment):
        payload = {
            "hook": event,
            "hook_event_name": event,
            "session_id": "recollect-doctor",
            "cwd": str(folder),
            "directory": str(folder),
            "workspace_roots": [str(folder)],
            "prompt": "What is known here?",
            "input": {"sessionID": "recollect-doctor"},
        }
        log = log_of(str(folder / "home" / "data" / "memories.db"))
        Path(log).parent.mkdir(parents=True)
        ran = _run(words, json.dumps(payload), folder, environment)
        failed = failures(log)
    if isinstance(ran, str):
        return Trial(trouble=ran)
    done, milliseconds = ran
    if done.returncode != 0:
        return Trial(trouble=_last_line(done.stderr) or f"it ended with {done.returncode}")
    if done.stdout.strip() and not _is_json(done.stdout):
        return Trial(trouble="it said something that is no JSON")
    if failed:  # it hides its troubles from the agent, not from us
        return Trial(trouble=str(failed[-1].get("trouble")))
    return Trial(milliseconds=milliseconds)


def try_server(words: Sequence[str]) -> Trial:
    """Start an MCP server, greet it, and close its input: it must answer and end."""
    with _away() as (folder, environment):
        ran = _run(words, json.dumps(_INITIALIZE) + "\n", folder, environment)
    if isinstance(ran, str):
        return Trial(trouble=ran)
    done, milliseconds = ran
    if '"result"' not in done.stdout:
        return Trial(trouble=_last_line(done.stderr) or "it did not answer")
    return Trial(milliseconds=milliseconds)


def _run(
    words: Sequence[str], input_text: str, folder: Path, environment: Mapping[str, str]
) -> tuple[subprocess.CompletedProcess[str], float] | str:
    started = _spent()
    try:
        done = subprocess.run(
            list(words),
            input=input_text,
            capture_output=True,
            text=True,
            errors="replace",
            cwd=folder,
            env=environment,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {_SECONDS} seconds"
    except OSError as error:
        return str(error.strerror or error)
    return done, (_spent() - started) * 1000


def _spent() -> float:
    """The CPU time of the processes we started; on Windows, which does not tell it, the time that passed."""
    if sys.platform == "win32":
        return time.perf_counter()
    times = os.times()
    return times.children_user + times.children_system


@contextmanager
def _away() -> Iterator[tuple[Path, dict[str, str]]]:
    with tempfile.TemporaryDirectory(prefix="recollect-doctor-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("RECOLLECT_")}
        # Whether it works is the question, not whether the machine is busy at this moment.
        patient = str(_SECONDS * 1000)
        yield (
            folder,
            environment | {"RECOLLECT_HOME": str(folder / "home"), "RECOLLECT_HOOKS_MOST_MS": patient},
        )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")[:300]
