"""A recording hook pays for what it needs and for nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from recollect.clients.registry import CLIENT_NAMES
from tests.events.payload_events import payloads

HOOK = """
import json, sys
from recollect.events.event_dict import format_time
from recollect.events.inbox import append
from recollect.hooks.hook_context import read_lines
client, inbox = sys.argv[1:]
for payload in json.load(sys.stdin).values():
    append(inbox, read_lines(client, payload, format_time(1772618400000000), lambda: "01JABCDEFGHJKMNPQRSTVWXYZ0"))
print(json.dumps(sorted(sys.modules)))
"""
OURS = (
    "recollect.events",
    "recollect.clients",
    "recollect.hooks",
    "recollect.model.ids",
    "recollect.model.policy",
    "recollect.model.subject_path",
)
HEAVY = {
    "dataclasses",
    "typing",
    "inspect",
    "subprocess",
    "socket",
    "apsw",
    "numpy",
    "click",
    "pathlib",
    "logging",
}


def test_recording_loads_the_standard_library_and_its_own_room(tmp_path: Path) -> None:
    for client in CLIENT_NAMES:
        ended = subprocess.run(
            [sys.executable, "-I", "-c", HOOK, client, str(tmp_path / "inbox")],
            input=json.dumps(payloads(client)),
            capture_output=True,
            text=True,
            check=True,
        )
        loaded = set(json.loads(ended.stdout))
        ours = {name for name in loaded if name.startswith("recollect.")} - {"recollect.model"}
        assert [name for name in ours if not name.startswith(OURS)] == []
        assert {name.partition(".")[0] for name in loaded} <= {"recollect", "__main__", *_standard(loaded)}
        assert loaded & HEAVY - _at_start() == set(), client


def _standard(loaded: set[str]) -> set[str]:
    started = {name.partition(".")[0] for name in _at_start()}
    return started | sys.stdlib_module_names | {name for name in loaded if name.startswith("_")}


def _at_start() -> set[str]:
    """What an interpreter of this environment has loaded before it does anything."""
    bare = [sys.executable, "-I", "-c", "import sys; print(' '.join(sys.modules))"]
    return set(subprocess.run(bare, capture_output=True, text=True, check=True).stdout.split())
