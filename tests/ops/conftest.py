"""A job that runs the scripted agent, with real processes and a real database."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.config import load_settings
from recollect.model.provenance import Channel
from recollect.model.value import replace
from recollect.ops.chain import ChainReport, run_chain
from recollect.ops.jobs import OpsFile, OpsJob, OpsTier, default_file
from recollect.ops.runner import Runner
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder

AGENT = Path(__file__).with_name("agent.py")


class Stage:
    """A memory, a jobs file with one job, and the script of its agent."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self.clock = clock
        self.script = folder / "script.json"
        self.memory = self.open()
        self.naps: list[float] = []

    def open(self) -> Recollect:
        """Another hand on the same database."""
        return Recollect(
            settings=load_settings(None, {"db": str(self.folder / "memories.db")}),
            folder=None,
            embedder=HashEmbedder(),
            clock=self.clock,
            actor="agent",
            channel=Channel.AGENT,
        )

    def job(self, tiers: int = 1, **details: Any) -> OpsJob:
        tier = {key: details.pop(key) for key in ("timeout", "structured", "memory_tokens") if key in details}
        return OpsJob(
            name="homelab",
            folder=self.folder,
            tiers=tuple(
                OpsTier(
                    number=number,
                    client="own",
                    stream="claude",
                    command=(sys.executable, str(AGENT), str(self.script), "{system}", str(number)),
                    prompt="Check all services.",
                    **{"timeout": timedelta(seconds=60), "structured": False, **tier},
                )
                for number in range(1, tiers + 1)
            ),
            **details,
        )

    def file(self, **details: Any) -> OpsFile:
        whole = default_file(self.folder / "ops.toml")
        return replace(whole, **details)

    def runner(self, **details: Any) -> Runner:
        return Runner(self.memory, self.file(**details.pop("file", {})), sleep=self.sleep, **details)

    def sleep(self, seconds: float) -> None:
        """Short naps are real: an agent needs them. Long ones are only written down."""
        self.naps.append(seconds)
        time.sleep(min(seconds, 0.05))

    def play(self, *plans: list[Any]) -> None:
        """What the agent does in its runs, one list each; the last one is used for all later ones."""
        self.script.write_text(json.dumps(plans))
        self.script.with_suffix(".given.jsonl").unlink(missing_ok=True)

    def given(self) -> list[dict[str, Any]]:
        """What the agent was given, run by run."""
        path = self.script.with_suffix(".given.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def run(self, job: OpsJob | None = None, **how: Any) -> ChainReport:
        return run_chain(self.runner(), job or self.job(), **how)

    def messages(self, **which: Any) -> list[str]:
        return [event.message for event in self.memory.operations.list_events(**which)]


@pytest.fixture
def stage(tmp_path: Path, clock: Clock) -> Iterator[Stage]:
    stage = Stage(tmp_path, clock)
    yield stage
    stage.memory.close()


@pytest.fixture
def open_stage(tmp_path: Path, clock: Clock) -> Callable[[], Stage]:
    return lambda: Stage(tmp_path, clock)
