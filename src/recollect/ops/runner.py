"""
One run of one tier, from its hooks to its log: before hooks, ageing, environment, memories, then the agent itself.

The agent writes to a file that is read as it grows. Whatever ends the run, everything it started ends with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from recollect.api import Recollect
from recollect.api.operations import GROUP
from recollect.errors import BadInput, RecollectError, StoreBusy
from recollect.model.memory import MemoryState
from recollect.model.operations import OpsEvent, OpsEventType, OpsRun, OpsRunState
from recollect.model.value import dataclass, replace
from recollect.ops import guard, notify
from recollect.ops.clients import LaunchCommand, LaunchDetails, build_command, find_preset
from recollect.ops.environment import RunPlace, build_environment, describe_environment
from recollect.ops.injection import build_memory_context, service_of
from recollect.ops.jobs import OpsFile, OpsJob, OpsTier
from recollect.ops.markers import EventLevel
from recollect.ops.process import end_run, find_birth, start_process
from recollect.ops.prompt import AssembledPrompt, assemble_prompt
from recollect.ops.recorder import RunReading, RunRecorder, clean_text
from recollect.ops.run_events import list_run_events
from recollect.ops.structured import Handoff, make_schema, read_handoff
from recollect.ops.workspace import RunFolder, RunWorkspace

POLL_SECONDS = 0.05
STOP_ASKED_EVERY = 1.0
HOOK_SECONDS = 300.0
CHUNK = 1024 * 1024
# An agent that says more than this is ended.
MAX_OUTPUT = 2 * 1024 * 1024 * 1024
# Where events stand that come from no place of the output.
_ABOUT_RUN, _ABOUT_AGEING = -1, -2


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder:
    """What is to be run: which tier, for which reason, after which run."""

    job: OpsJob
    tier: OpsTier
    trigger: str = "manual"
    prompt: str = ""
    dry_run: bool = False
    chain_id: str = ""
    parent_id: str | None = None
    attempt: int = 1
    handoff: Handoff | None = None
    handed_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """How a run ended, and whether a higher tier should go on."""

    run: OpsRun
    handoff: Handoff | None


class _Ended(Exception):
    """The run has to end before its agent does."""

    def __init__(self, state: OpsRunState, error: str) -> None:
        super().__init__(error)
        self.state = state


class Runner:
    """Runs agents for one memory."""

    def __init__(
        self,
        memory: Recollect,
        file: OpsFile,
        *,
        timer: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        on_event: Callable[[OpsEvent], None] = lambda event: None,
    ) -> None:
        self.memory = memory
        self.operations = memory.operations
        self.file = file
        self.workspace = RunWorkspace(memory.settings.db)
        self.timer = timer
        self.sleep = sleep
        self._on_event = on_event

    def run(self, order: RunOrder) -> FinishedRun:
        """Run one tier once; whatever happens, the run is closed."""
        run = self._begin(order)
        folder = self.workspace.make(run.id)
        environment = build_environment(order.job, self._place(run, folder))
        try:
            command = self._prepare(order, run, folder, environment)
            return self._carry_out(order, run, folder, environment, command)
        except (RecollectError, OSError, subprocess.SubprocessError) as error:
            reading = self.read_output(run, folder, order.job, environment)
            return self._close(order, run, folder, reading, OpsRunState.FAILED, error=str(error))
        except BaseException:
            end_run(run.id, *self._process_of(run))
            reading = self.read_output(run, folder, order.job, environment)
            self._close(order, run, folder, reading, OpsRunState.STOPPED, error="the runner was told to stop")
            raise

    # -- before the agent starts -------------------------------------------------------------------------

    def _begin(self, order: RunOrder) -> OpsRun:
        run_id = self.operations.new_id()
        preset = find_preset(order.tier.client)
        run = OpsRun(
            id=run_id,
            job=order.job.name,
            chain_id=order.chain_id or run_id,
            trigger=order.trigger,
            started_at=self.operations.now(),
            tier=order.tier.number,
            attempt=order.attempt,
            parent_id=order.parent_id,
            dry_run=order.dry_run,
            runner_pid=os.getpid(),
            runner_birth=find_birth(os.getpid()),
            model=order.tier.model,
            client=order.tier.stream or preset.stream,
            folder=str(order.job.folder),
            structured=order.tier.structured and (preset.holds_to_schema or preset.name == "own"),
        )
        self.operations.put_run(run)
        reason = f", after {order.handed_by}" if order.handed_by else ""
        self._tell(run, 0, EventLevel.INFO, f"Tier {run.tier} started by {run.trigger}{reason}", order.job)
        return run

    def _prepare(
        self, order: RunOrder, run: OpsRun, folder: RunFolder, environment: dict[str, str]
    ) -> LaunchCommand:
        """The start sequence: hooks, ageing, environment, memories, command line."""
        for words in order.job.before:
            self._run_hook(words, order.job.folder, environment)
        self._age_memories(run, order.job)
        assembled, memories_told = self._assemble(order, run)
        self.operations.set_prompt(run.id, clean_text(assembled.prompt), memories_told)
        # What the run learned earlier may be said again as an observation, but the examples may not.
        folder.write(
            folder.prompts, assembled.prompt + "\n" + assembled.system.split("## Operational Memory")[0]
        )
        command = self._build_command(order, run, folder, assembled)
        folder.write(folder.stdin_path, command.stdin_text)
        return command

    def _run_hook(self, words: tuple[str, ...], folder: Path, environment: dict[str, str]) -> None:
        done = subprocess.run(
            list(words),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=HOOK_SECONDS,
            check=False,
        )
        if done.returncode:
            complaint = clean_text(done.stderr.decode("utf-8", "replace"))[-200:]
            raise BadInput(reason=f"the hook {words[0]!r} ended with {done.returncode}: {complaint}")

    def _age_memories(self, run: OpsRun, job: OpsJob) -> None:
        changed = self.operations.age_memories()
        retired = [memory for memory in changed if memory.state is MemoryState.INACTIVE]
        for place, memory in enumerate(retired):
            where = f"[{memory.kind}:{service_of(memory)}]"
            event = OpsEvent(
                at=self.operations.now(),
                type=OpsEventType.MEMORY,
                level=EventLevel.INFO,
                message=f"Memory retired at {memory.confidence:.2f}: {where} {clean_text(memory.text)}",
                service="" if service_of(memory) == "general" else service_of(memory),
                run_id=run.id,
                job=job.name,
                tier=run.tier,
                memory_id=memory.id,
                position=_ABOUT_AGEING,
                place=place,
            )
            if self.operations.put_event(event):
                self._on_event(event)

    def _assemble(self, order: RunOrder, run: OpsRun) -> tuple[AssembledPrompt, int]:
        task = order.prompt or order.tier.prompt
        if not task.strip():
            raise BadInput(reason=f"tier {run.tier} of {run.job} has no prompt")
        subject_text = task + (" " + " ".join(order.handoff.services) if order.handoff else "")
        context = build_memory_context(
            self.operations.list_memories(), budget=order.tier.memory_tokens, prompt=subject_text
        )
        environment = describe_environment(
            order.job,
            tier=run.tier,
            run_id=run.id,
            now=run.started_at,
            dry_run=run.dry_run,
            more={"handoff file": str(self.workspace.folder_of(run.id).handoff)},
        )
        assembled = assemble_prompt(
            task=task,
            environment=environment,
            context=context,
            categories=self.memory.kinds.in_group(GROUP),
            actions=tuple(self.file.limits),
            structured=run.structured,
            handed_over=order.handoff,
            handed_by=order.handed_by,
        )
        return assembled, len(context.memory_ids)

    def _build_command(
        self, order: RunOrder, run: OpsRun, folder: RunFolder, assembled: AssembledPrompt
    ) -> LaunchCommand:
        tier = order.tier
        schema = json.dumps(make_schema(self.memory.kinds.in_group(GROUP))) if run.structured else ""
        if schema:
            folder.write(folder.schema, schema)
        settings = guard.make_settings(run.id, self.memory.settings.db, self.file.path)
        if order.job.guard:
            folder.write(folder.settings, json.dumps(settings))
        details = LaunchDetails(
            prompt=assembled.prompt,
            system=assembled.system,
            model=tier.model,
            tools=tier.tools,
            settings=str(folder.settings) if order.job.guard else "",
            schema=schema,
            schema_file=str(folder.schema) if schema else "",
            budget=tier.budget_usd,
        )
        return build_command(find_preset(tier.client), tier.command, tier.options, details)

    # -- while it runs -----------------------------------------------------------------------------------

    def _carry_out(
        self,
        order: RunOrder,
        run: OpsRun,
        folder: RunFolder,
        environment: dict[str, str],
        command: LaunchCommand,
    ) -> FinishedRun:
        recorder = self._recorder(run, folder, order.job, environment)
        process = start_process(
            command.words,
            folder=order.job.folder,
            environment=environment,
            stdin_path=folder.stdin_path,
            output=folder.output,
            errors=folder.errors,
        )
        birth = find_birth(process.pid)
        state, error = OpsRunState.SUCCEEDED, ""
        try:
            self.operations.set_process(run.id, process.pid, birth or 0.0)
            with folder.output.open("rb") as stream:
                try:
                    self._follow(run, order.tier, process, stream, recorder)
                except _Ended as ended:
                    state, error = ended.state, str(ended)
                # What we end ourselves has no exit code of its own.
                exit_code = process.poll()
                end_run(run.id, process.pid, birth)
                process.wait()
                while chunk := stream.read(CHUNK):
                    recorder.feed(chunk)
        except BaseException:
            end_run(run.id, process.pid, birth)
            process.wait()
            raise
        reading = recorder.finish()
        if recorder.missed:
            reading = self.read_output(run, folder, order.job, environment)
        if state is OpsRunState.SUCCEEDED and (exit_code or reading.figures.error):
            state = OpsRunState.FAILED
            error = reading.figures.error or self._complaint(folder, exit_code)
        return self._close(order, run, folder, reading, state, error=error, exit_code=exit_code)

    def _follow(
        self,
        run: OpsRun,
        tier: OpsTier,
        process: subprocess.Popen[bytes],
        stream: BinaryIO,
        recorder: RunRecorder,
    ) -> None:
        """Read what the agent writes until it ends, its time is up, or somebody wants it to stop."""
        started = last_look = self.timer()
        while True:
            chunk = stream.read(CHUNK)
            if chunk:
                recorder.feed(chunk)
            elif process.poll() is not None:
                return
            else:
                self.sleep(POLL_SECONDS)
            now = self.timer()
            if now - started > tier.timeout.total_seconds():
                raise _Ended(OpsRunState.TIMED_OUT, f"it took longer than {tier.timeout}")
            if stream.tell() > MAX_OUTPUT:
                raise _Ended(OpsRunState.FAILED, f"it said more than {MAX_OUTPUT:,} bytes")
            if now - last_look > STOP_ASKED_EVERY:
                last_look = now
                if self._is_stop_wanted(run):
                    raise _Ended(OpsRunState.STOPPED, "an operator stopped it")

    def _is_stop_wanted(self, run: OpsRun) -> bool:
        try:
            return self.operations.is_stop_wanted(run.id)
        except StoreBusy:  # whoever wants it to stop still does a second later
            return False

    def read_output(
        self, run: OpsRun, folder: RunFolder, job: OpsJob | None, environment: dict[str, str]
    ) -> RunReading:
        """Read all that a run said, once more: what was taken in before is not taken in again."""
        for _ in range(3):
            recorder = self._recorder(run, folder, job, environment)
            if folder.output.exists():
                with folder.output.open("rb") as stream:
                    while chunk := stream.read(CHUNK):
                        recorder.feed(chunk)
            reading = recorder.finish()
            if not recorder.missed:
                break
        return reading

    # -- afterwards --------------------------------------------------------------------------------------

    def _close(
        self,
        order: RunOrder,
        run: OpsRun,
        folder: RunFolder,
        reading: RunReading,
        state: OpsRunState,
        *,
        error: str,
        exit_code: int | None = None,
    ) -> FinishedRun:
        closed = self.close(run, folder, reading, state, error=error, exit_code=exit_code)
        environment = build_environment(order.job, self._place(run, folder))
        notify.notify_of_run(order.job.notice, closed, environment)
        handoff_file = read_handoff(_object(folder.read(folder.handoff)), "file")
        return FinishedRun(run=closed, handoff=reading.handoff or handoff_file)

    def close(
        self,
        run: OpsRun,
        folder: RunFolder,
        reading: RunReading,
        state: OpsRunState,
        *,
        error: str,
        exit_code: int | None = None,
    ) -> OpsRun:
        """Close a run and turn its output into its log."""
        figures = reading.figures
        closed = replace(
            run,
            state=state,
            ended_at=max(self.operations.now(), run.started_at),
            exit_code=exit_code,
            model=figures.model or run.model,
            agent_session=figures.agent_session,
            tokens_in=figures.tokens_in,
            tokens_out=figures.tokens_out,
            cost_usd=figures.cost_usd,
            turns=figures.turns,
            summary=reading.summary,
            error=clean_text(error),
            malformed=reading.malformed,
            quoted=reading.quoted,
        )
        if self.operations.close_run(closed):
            level = EventLevel.INFO if state is OpsRunState.SUCCEEDED else EventLevel.WARNING
            reason = f": {closed.error}" if closed.error else ""
            self._tell(closed, 1, level, f"Tier {run.tier} {state.replace('_', ' ')}{reason}", None)
        if run.job not in self.file.jobs or self.file.jobs[run.job].learn:
            self._observe(replace(closed, prompt=self.operations.get_run(run.id).prompt), folder)
        folder.keep_log()
        return self.operations.get_run(run.id)

    def _observe(self, run: OpsRun, folder: RunFolder) -> None:
        """Let the observer hear what the agent did, and learn from it; a run is over whatever comes of that."""
        if not folder.output.exists():
            return
        try:
            stored = self.memory.observer.take_in(list_run_events(run, folder.output))
            for session_id in stored.sessions:
                self.memory.observer.learn(session_id)
        except (RecollectError, OSError) as error:
            self._tell(
                run, 2, EventLevel.WARNING, f"It could not be learned from: {clean_text(str(error))}", None
            )

    def _complaint(self, folder: RunFolder, exit_code: int | None) -> str:
        lines = folder.read(folder.errors, 100_000).strip().splitlines()
        return f"exit code {exit_code}" + (f": {lines[-1][:500]}" if lines else "")

    def _recorder(
        self, run: OpsRun, folder: RunFolder, job: OpsJob | None, environment: dict[str, str]
    ) -> RunRecorder:
        def on_event(event: OpsEvent) -> None:
            self._on_event(event)
            if job is not None:
                notify.notify_of_event(job.notice, event, environment)

        return RunRecorder(
            self.memory,
            run,
            stream=run.client,
            file=self.file,
            prompts=folder.read(folder.prompts),
            on_event=on_event,
        )

    def _tell(self, run: OpsRun, place: int, level: EventLevel, message: str, job: OpsJob | None) -> None:
        event = OpsEvent(
            at=self.operations.now(),
            type=OpsEventType.RUN,
            level=level,
            message=message,
            run_id=run.id,
            job=run.job,
            tier=run.tier,
            position=_ABOUT_RUN,
            place=place,
        )
        if self.operations.put_event(event):
            self._on_event(event)

    def _place(self, run: OpsRun, folder: RunFolder) -> RunPlace:
        return RunPlace(
            run_id=run.id, db=self.memory.settings.db, jobs_file=self.file.path, handoff=folder.handoff
        )

    def _process_of(self, run: OpsRun) -> tuple[int | None, float | None]:
        stored = self.operations.get_run(run.id)
        return stored.pid, stored.pid_birth


def _object(text: str) -> object:
    try:
        return json.loads(text) if text.strip() else None
    except (ValueError, RecursionError):
        return None
