"""
A realistic project for `recollect demo --ui`: a repository, a month of sessions, reviews, scheduled runs and a vault.

Everything goes through the API, as it would in use; only the clock is set back.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect import config
from recollect.api import Recollect
from recollect.demo.sample_clock import SampleClock
from recollect.demo.sample_files import FILES
from recollect.demo.sample_runs import play_operations
from recollect.demo.sample_texts import MEMORIES, SESSIONS, TASKS, WAITING, SampleMemory, SampleSession
from recollect.model.event import EventType
from recollect.model.memory import Memory, Remembered
from recollect.model.provenance import Channel
from recollect.ops.workspace import RunWorkspace
from recollect.providers.embed import Embedder

_GIT = ("-c", "user.name=demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false")


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
        play_operations(person.operations, RunWorkspace(settings.db), clock)
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
    answer = memory.remember(
        sample.text,
        kind=sample.kind,
        about=sample.about,
        tags=sample.tags,
        confidence=sample.confidence,
        fields=sample.fields,
    )
    return [answer.memory] if isinstance(answer, Remembered) else []


def _play_session(memory: Recollect, clock: SampleClock, sample: SampleSession, known: list[Memory]) -> None:
    """A session as hooks would record it: a prompt, what was told, calls with their results, and its end."""
    clock.set(days=sample.days, step=6)
    session = f"demo-{sample.branch.replace('/', '-')}"
    where: Mapping[str, Any] = {"session": session, "client": "claude-code"}
    record = memory.observer.record
    record(EventType.SESSION_STARTED, **where, data={"branch": sample.branch, "source": "startup"})
    record(EventType.PROMPT, **where, text=sample.prompt)
    # Who had to search was told nothing: what that cost is what the others are compared with.
    relevant = [
        one for one in known if not sample.search and {part.name for part in one.subjects} & set(sample.files)
    ]
    if relevant:
        items = [[one.id, 28, 0.82, "about a file that is open"] for one in relevant[:3]]
        record(EventType.INJECTED, **where, data={"moment": "prompt", "bar": 0.6, "items": items})
    for number, file in enumerate(sample.files):
        if sample.search:
            output = "\n".join(f"{path}:{line}: {sample.search}" for path in FILES for line in (3, 9))
            _record_call(
                memory,
                where,
                f"{session}-s{number}",
                tool="Grep",
                action="search",
                command=sample.search,
                output=output,
            )
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
    clock.set(days=4)
    again = memory.remember(
        "We retry a payment three times at most.", kind="decision", about=["shop/payments/retry.py"]
    )
    if isinstance(again, Remembered):
        memory.reviews.merge(known[0].id, again.memory.id)
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
