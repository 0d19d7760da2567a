"""
The process inside the room: puts up the walls, runs the scripted API, and does what the tests outside ask.

It is the first process of its own process namespace: when it ends, whatever was started in the room ends too. It
speaks JSON lines: one order in, one answer out.
"""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.clients import walls
from tests.clients.api.script import from_json
from tests.clients.api.server import ScriptedApi

_ANSWERS_TO_A_PERSON = 65536


def main() -> None:
    asked = json.loads(sys.argv[1])
    walls.put_up(**{name: [Path(path) for path in paths] for name, paths in asked.items()})
    api = ScriptedApi()
    orders: dict[str, Callable[..., Any]] = {
        "run": _run,
        "type": _type,
        "settle": _settle,
        "play": lambda script: api.play(from_json(script)),
        "heard": api.heard,
    }
    _say(api.url)
    for line in sys.stdin:
        order = json.loads(line)
        _say(orders[order["do"]](**order["with"]))


def _say(value: Any) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def _run(
    command: Sequence[str], folder: str, environment: Mapping[str, str], seconds: float
) -> dict[str, Any]:
    """Run a program without a terminal; past its time, it and what it started are ended."""
    program = subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = program.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        out, err = program.communicate()
        err += f"\nended after {seconds} s".encode()
    return {
        "code": program.returncode,
        "out": out.decode("utf-8", "replace"),
        "err": err.decode("utf-8", "replace"),
    }


def _type(
    command: Sequence[str], folder: str, environment: Mapping[str, str], seconds: float
) -> dict[str, Any]:
    """Run a program as a person does who sits at a terminal."""
    ours, theirs = pty.openpty()
    program = subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown, until = b"", time.monotonic() + seconds
    while time.monotonic() < until and select.select([ours], [], [], until - time.monotonic())[0]:
        try:
            shown += os.read(ours, _ANSWERS_TO_A_PERSON)
        except OSError:  # the program has let go of the terminal
            break
    else:
        os.killpg(program.pid, signal.SIGKILL)
    os.close(ours)
    return {"code": program.wait(), "out": shown.decode("utf-8", "replace").replace("\r\n", "\n"), "err": ""}


def _settle(seconds: float) -> list[str]:
    """Wait until all that a session left running has ended; what is still there then, by name."""
    until = time.monotonic() + seconds
    while True:
        _bury()
        left = _others()
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.02)


def _bury() -> None:
    """Let the ended orphans go: as the first process of the room we are everybody's parent."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _others() -> list[str]:
    numbers = [int(place.name) for place in Path("/proc").iterdir() if place.name.isdigit()]
    return [_name(number) for number in numbers if number != os.getpid()]


def _name(number: int) -> str:
    try:
        return Path("/proc", str(number), "cmdline").read_text("utf-8", "replace").replace("\0", " ").strip()
    except OSError:
        return ""


if __name__ == "__main__":
    main()
