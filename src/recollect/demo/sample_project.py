"""
A realistic project for `recollect demo --ui`: a repository, a month of sessions, reviews, scheduled runs and a vault.

Everything goes through the API, as it would in use; only the clock is set back.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect import config
from recollect.api import Recollect
from recollect.demo.sample_files import FILES
from recollect.demo.sample_texts import MEMORIES, SESSIONS, TASKS, WAITING, SampleMemory, SampleSession
from recollect.model.event import EventType
from recollect.model.memory import Memory, Remembered
from recollect.model.operations import (
    CooldownLimit,
    HealthCheck,
    OpsEvent,
    OpsEventType,
    OpsRun,
    OpsRunState,
)
from recollect.model.provenance import Channel
from recollect.model.value import replace
from recollect.providers.embed import Embedder

if TYPE_CHECKING:
    from recollect.api.operations import Operations

_GIT = ("-c", "user.name=demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false")
_SERVICES = (("caddy", True, ""), ("postgres", True, ""), ("jellyfin", False, "health check timed out"))
_COST = 0.042


class SampleClock:
    """A clock that stands where it was set, and moves a little each time it is read."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._at = now
        self._step = timedelta()

    def set(self, *, days: float, step: float = 0.001) -> None:
        """So many days before now; each look moves it by so many seconds."""
        self._at = self._now - timedelta(days=days)
        self._step = timedelta(seconds=step)

    def __call__(self) -> datetime:
        self._at = min(self._at + self._step, self._now)
        return self._at


def make_sample_project(
    folder: Path, settings: config.Settings, *, now: datetime, embedder: Embedder | None = None
) -> Path:
    """Write the repository into a folder and fill the memory of these settings; where the repository is."""
    clock = SampleClock(now)
    project = folder / "shop"
    _write_repository(project)
    with ExitStack() as opened:
        memories = {
            channel: opened.enter_context(_open(settings, project, clock, channel, embedder))
            for channel in (
                Channel.USER,
                *dict.fromkeys(Channel(one.channel) for one in (*MEMORIES, *WAITING)),
            )
        }
        person = memories[Channel.USER]
        clock.set(days=29)
        person.code.build()
        known = [
            memory
            for sample in MEMORIES
            for memory in _remember(memories[Channel(sample.channel)], clock, sample)
        ]
        for session in sorted(SESSIONS, key=lambda one: -one.days):
            _play_session(person, clock, session, known)
        for sample in WAITING:
            _remember(memories[Channel(sample.channel)], clock, sample)
        _use_memories(person, clock, known)
        _fill_vault(person, clock, folder / "vault")
        _play_operations(person, clock)
    return project


def _write_repository(project: Path) -> None:
    for name, text in FILES.items():
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    git = shutil.which("git")
    for arguments in (
        (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "Begin")) if git else ()
    ):
        subprocess.run([str(git), *_GIT, *arguments], cwd=project, check=False, capture_output=True)


def _open(
    settings: config.Settings,
    project: Path,
    clock: Callable[[], datetime],
    channel: Channel,
    embedder: Embedder | None,
) -> Recollect:
    actor = "user" if channel is Channel.USER else "agent"
    return Recollect(
        settings=settings, folder=project, clock=clock, actor=actor, channel=channel, embedder=embedder
    )


def _remember(memory: Recollect, clock: SampleClock, sample: SampleMemory) -> list[Memory]:
    clock.set(days=sample.days)
    answer = memory.remember(sample.text, kind=sample.kind, about=sample.about, tags=sample.tags)
    return [answer.memory] if isinstance(answer, Remembered) else []


def _play_session(memory: Recollect, clock: SampleClock, sample: SampleSession, known: list[Memory]) -> None:
    """A session as hooks would record it: a prompt, what was told, calls with their results, and its end."""
    clock.set(days=sample.days, step=6)
    session = f"demo-{sample.branch.replace('/', '-')}"
    where: Mapping[str, Any] = {"session": session, "client": "claude-code"}
    record = memory.observer.record
    record(EventType.SESSION_STARTED, **where, data={"branch": sample.branch, "source": "startup"})
    record(EventType.PROMPT, **where, text=sample.prompt)
    relevant = [one for one in known if {subject.name for subject in one.subjects} & set(sample.files)]
    if relevant:
        items = [[one.id, 28, 0.82, "about a file that is open"] for one in relevant[:3]]
        record(EventType.INJECTED, **where, data={"moment": "prompt", "bar": 0.6, "items": items})
    for number, file in enumerate(sample.files):
        _record_call(memory, where, f"{session}-r{number}", tool="Read", action="read", files=[file])
        _record_call(memory, where, f"{session}-e{number}", tool="Edit", action="edit", files=[file])
    test: Mapping[str, Any] = {"tool": "Bash", "action": "run", "command": "pytest -q"}
    if sample.error:
        failed = f"{sample.error}\n==== 1 failed, 11 passed in 0.31s ===="
        _record_call(memory, where, f"{session}-t1", **test, ok=False, exit_code=1, output=failed)
        _record_call(memory, where, f"{session}-f", tool="Edit", action="edit", files=[sample.files[0]])
    if sample.words:
        record(EventType.ASSISTANT_TEXT, **where, text=sample.words)
    if relevant:
        record(
            EventType.ASSISTANT_TEXT, **where, text=f"As noted [↗ {relevant[0].kind} {relevant[0].id[:13]}]."
        )
    if sample.passed:
        passed = "==== 12 passed in 0.30s ===="
        _record_call(memory, where, f"{session}-t2", **test, ok=True, exit_code=0, output=passed)
        record(EventType.COMMIT, **where, text=sample.prompt, data={"sha": "a3f9" * 10})
    memory.observer.end_session(session, client="claude-code")


def _record_call(memory: Recollect, where: Mapping[str, Any], call: str, **parts: Any) -> None:
    result = {name: parts.pop(name) for name in ("ok", "exit_code", "output") if name in parts}
    record = memory.observer.record
    record(EventType.TOOL_CALLED, **where, call_id=call, **parts)
    record(EventType.TOOL_FINISHED, **where, call_id=call, **parts, **{"ok": True, **result})


def _use_memories(memory: Recollect, clock: SampleClock, known: list[Memory]) -> None:
    """Some were said again, confirmed, judged and corrected since: their confidence has a story."""
    for number, one in enumerate(known[:6]):
        clock.set(days=10 - number)
        memory.upkeep.judge(one.id, useful=True)
        if number % 2 == 0:
            memory.reviews.confirm(one.id)
    clock.set(days=3)
    memory.edit(known[0].id, confidence=0.95)
    memory.pin(known[2].id)
    clock.set(days=2)
    memory.reviews.flag(known[9].id, why="the bank has a stable limit since March")


def _fill_vault(memory: Recollect, clock: SampleClock, folder: Path) -> None:
    clock.set(days=1)
    memory.vault.init(folder)
    for title, priority, status in TASKS:
        memory.vault.tasks.create(title, priority=priority, project="shop")
        if status != "todo":
            memory.vault.tasks.update(title, status)


def _play_operations(memory: Recollect, clock: SampleClock) -> None:
    """Six scheduled runs with their events, checks and cooldowns."""
    operations = memory.operations
    limit = CooldownLimit(action="restart", most=2, window=timedelta(hours=4))
    for number in range(6):
        clock.set(days=(5 - number) * 0.04)
        run_id = operations.new_id()
        failed = number == 3
        started = clock()
        run = OpsRun(
            id=run_id, job="health", chain_id=run_id, trigger="schedule", started_at=started, model="haiku"
        )
        operations.put_run(run)
        _tell(operations, run, "info", "health", "3 services checked")
        for place, (service, healthy, message) in enumerate(_SERVICES):
            operations.put_check(
                HealthCheck(
                    service=service,
                    healthy=healthy or number < 4,
                    at=clock(),
                    message="" if number < 4 else message,
                    run_id=run_id,
                    position=place,
                )
            )
        if number >= 4:
            operations.try_action(limit, "jellyfin", run_id=run_id, spend=True)
            _tell(operations, run, "warning", "cooldown", "restarted, waits for its database", "jellyfin")
        if failed:
            _tell(operations, run, "critical", "agent", "WireGuard is down, Caddy cannot start", "caddy")
        operations.close_run(_end(run, clock(), failed))


def _tell(
    operations: Operations, run: OpsRun, level: str, kind: str, message: str, service: str = ""
) -> None:
    operations.put_event(
        OpsEvent(
            at=operations.now(),
            type=OpsEventType(kind),
            level=level,
            message=message,
            service=service,
            run_id=run.id,
            job=run.job,
            tier=1,
        )
    )


def _end(run: OpsRun, at: datetime, failed: bool) -> OpsRun:
    return replace(
        run,
        state=OpsRunState.FAILED if failed else OpsRunState.SUCCEEDED,
        ended_at=at + timedelta(seconds=41),
        exit_code=1 if failed else 0,
        tokens_in=8_200,
        tokens_out=640,
        cost_usd=_COST,
        turns=6,
        memories_told=4,
        error="the agent gave up" if failed else "",
        summary="" if failed else "All services were looked at; jellyfin needed a second restart.",
    )
