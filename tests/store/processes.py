"""Other processes for tests: with other rights, less disk, or a lock they do not give back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOBODY = 65534

# What every child can use: a store with the hash embedder, and a way to tell what happened.
_BEGINNING = """
import json, os, resource, sys, traceback
from recollect import Recollect
from recollect.errors import RecollectError
from tests.hash_embedder import HashEmbedder

given = json.loads(sys.argv[1])


def opened(**how):
    return Recollect(given["db"], folder=None, embedder=HashEmbedder(), **how)


def told(act):
    try:
        return {"ok": repr(act())[:200]}
    except RecollectError as error:
        return {"error": type(error).__name__, "sentence": str(error)}
    except BaseException as error:
        return {"crash": traceback.format_exc()}
"""


def child(code: str, *, user: int | None = None, **given: Any) -> dict[str, Any]:
    """Run code in a fresh process; it calls `answer(...)` once. `user`: with the rights of that user only."""
    text = _BEGINNING + "\ndef answer(value):\n    print(json.dumps(value))\n\n"
    if user is not None:
        # All modules come in before the rights go: an interpreter may lie where that user cannot read.
        text += 'Recollect(":memory:", folder=None, embedder=HashEmbedder()).remember("Warm")\n'
        text += f"os.setgroups([]); os.setgid({user}); os.setuid({user})\n"
    done = subprocess.run(
        [sys.executable, "-c", text + code, json.dumps(given, default=str)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(),
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def started(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start code in a fresh process and leave it running, with pipes to talk to it."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment(),
    )


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def is_root() -> bool:
    return os.geteuid() == 0
