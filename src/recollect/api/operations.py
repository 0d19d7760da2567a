"""The desk for scheduled runs: their tables, ageing before a run, and the memories that a run may be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from recollect.api.wiring import Wiring
from recollect.capture.echo import ReadIndex
from recollect.events.redact import redact
from recollect.lifecycle import clock_guard
from recollect.lifecycle.decay import decay
from recollect.model.memory import Memory, MemoryState
from recollect.model.operations import (
    Allowance,
    CooldownLimit,
    HealthCheck,
    OpsAction,
    OpsEvent,
    OpsRetention,
    OpsRun,
    ServiceHealth,
)
from recollect.model.query import Filters
from recollect.model.trust import is_person
from recollect.model.value import replace
from recollect.store.tables import memories, operations
from recollect.store.tables.read_statements import ReadStatement

# The kinds of this group are what operations are about.
GROUP = "operations"
SERVICE = "service"
_PAGE = 500


class Operations:
    """Scheduled runs and what they leave, as `memory.operations`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def now(self) -> datetime:
        """What the clock of this memory says."""
        return self._wiring.now()

    @property
    def by_person(self) -> bool:
        """Whether a person holds this memory, not an agent."""
        return is_person(self._wiring.actor, self._wiring.channel)

    def new_id(self) -> str:
        """An id for a run."""
        return self._wiring.new_id(self._wiring.now())

    @contextmanager
    def together(self) -> Iterator[None]:
        """Hold several changes together: all or nothing, and nobody else writes in between."""
        with self._wiring.db.transaction():
            yield

    # -- memories ----------------------------------------------------------------------------------------

    def is_echo(self, text: str, read: Sequence[str]) -> bool:
        """Whether a text says in other words what was read; `read`: the words of sentences."""
        if not read:
            return False
        statements = [ReadStatement(num, words, False, "read") for num, words in enumerate(read)]
        return bool(ReadIndex(statements).find_echoed(self._wiring.write_context(), text))

    def age_memories(self) -> Sequence[Memory]:
        """Bring every memory to what its age leaves of it; those that changed. To do it twice changes nothing."""
        care = self._wiring.upkeep_context()
        belief = clock_guard.update_trusted_time(clock_guard.read_trusted_time(care.db), care.now)
        clock_guard.save_trusted_time(care.db, belief)
        changed, _ = decay(replace(care, now=belief.at), 0, lambda: True, dry_run=False)
        return changed

    def list_memories(
        self, states: Sequence[MemoryState] = (MemoryState.ACTIVE,), *, kinds: Sequence[str] = ()
    ) -> Sequence[Memory]:
        """Memories of operations: those of its kinds, and any other kind that is about a service."""
        own = set(kinds) or set(self._wiring.kinds.in_group(GROUP))
        return [
            memory
            for memory in self._every_memory(states)
            if memory.kind in own
            or (not kinds and any(subject.type == SERVICE for subject in memory.subjects))
        ]

    def _every_memory(self, states: Sequence[MemoryState]) -> Iterator[Memory]:
        filters = Filters(project_id=self._wiring.project_id(), states=tuple(states))
        offset = 0
        while page := memories.list_memories(self._wiring.db, filters, limit=_PAGE, offset=offset):
            yield from page
            offset += len(page)

    # -- runs and events ---------------------------------------------------------------------------------

    def put_run(self, run: OpsRun) -> None:
        """Keep a run that begins."""
        operations.put_run(self._wiring.db, _without_secrets(run))

    def set_process(self, run_id: str, pid: int, birth: float) -> None:
        """Note which process the agent of a run is."""
        operations.set_process(self._wiring.db, run_id, pid, birth)

    def set_prompt(self, run_id: str, prompt: str, memories_told: int) -> None:
        """Note what a run was asked and told."""
        operations.set_prompt(self._wiring.db, run_id, redact(prompt).text, memories_told)

    def close_run(self, run: OpsRun) -> bool:
        """Close a run as this value says; False when somebody else closed it before."""
        return operations.close_run(self._wiring.db, _without_secrets(run))

    def want_stop(self, run_id: str) -> bool:
        """Ask a run to end."""
        return operations.want_stop(self._wiring.db, run_id)

    def is_stop_wanted(self, run_id: str) -> bool:
        """Whether somebody asked a run to end."""
        return operations.is_stop_wanted(self._wiring.db, run_id)

    def get_run(self, name: str) -> OpsRun:
        """The run with this id, or with an id that begins so."""
        return operations.get_run(self._wiring.db, name)

    def list_runs(self, *, job: str = "", state: str = "", limit: int = 20) -> Sequence[OpsRun]:
        """The newest runs."""
        return operations.list_runs(self._wiring.db, job=job, state=state, limit=limit)

    def list_chain(self, chain_id: str) -> Sequence[OpsRun]:
        """All runs that one start led to."""
        return operations.list_chain(self._wiring.db, chain_id)

    def list_open_runs(self, job: str = "") -> Sequence[OpsRun]:
        """Runs that have not ended."""
        return operations.list_open_runs(self._wiring.db, job)

    def find_last_end(self, job: str) -> datetime | None:
        """When a job's newest run ended."""
        return operations.find_last_end(self._wiring.db, job)

    def put_event(self, event: OpsEvent) -> bool:
        """Keep an event; False when it was read at this very place before."""
        return operations.put_event(self._wiring.db, replace(event, message=redact(event.message).text))

    def list_events(
        self,
        *,
        after: int = 0,
        service: str = "",
        type_: str = "",
        job: str = "",
        run_id: str = "",
        limit: int = 50,
    ) -> Sequence[OpsEvent]:
        """The newest events after a number, oldest first."""
        return operations.list_events(
            self._wiring.db, after=after, service=service, type_=type_, job=job, run_id=run_id, limit=limit
        )

    # -- cooldowns and health ----------------------------------------------------------------------------

    def try_action(
        self, limit: CooldownLimit, service: str, *, run_id: str | None = None, spend: bool = False
    ) -> Allowance:
        """Ask for an action on a service, and count it if it is allowed; atomic among all who ask."""
        return operations.try_action(
            self._wiring.db, limit, service, run_id=run_id, now=self._wiring.now(), spend=spend
        )

    def look_up_allowance(self, limit: CooldownLimit, service: str) -> Allowance:
        """Whether an action would be allowed; nothing is counted."""
        return operations.look_up_allowance(self._wiring.db, limit, service, self._wiring.now())

    def put_outcome(
        self,
        action: str,
        service: str,
        *,
        run_id: str,
        succeeded: bool,
        message: str,
        position: int,
        place: int,
    ) -> bool:
        """Keep how an action ended; False when that was read before."""
        return operations.put_outcome(
            self._wiring.db,
            action,
            service,
            run_id=run_id,
            now=self._wiring.now(),
            succeeded=succeeded,
            message=redact(message).text,
            position=position,
            place=place,
        )

    def reset_actions(self, service: str, action: str = "") -> int:
        """Let the actions on a service count no longer; how many did."""
        return operations.reset_actions(self._wiring.db, service, action, self._wiring.now())

    def list_actions(self, *, service: str = "", limit: int = 50) -> Sequence[OpsAction]:
        """The newest actions, newest first."""
        return operations.list_actions(self._wiring.db, service=service, limit=limit)

    def put_check(self, check: HealthCheck) -> ServiceHealth | None:
        """Keep a look at a service; how it is now, or None when this look was read before."""
        return operations.put_check(self._wiring.db, replace(check, message=redact(check.message).text))

    def list_health(self) -> Sequence[ServiceHealth]:
        """How all services are, those in trouble first."""
        return operations.list_health(self._wiring.db)

    # -- schedule ----------------------------------------------------------------------------------------

    def get_due(self, job: str) -> tuple[str, datetime | None, Mapping[str, str]]:
        """The plan a job was last scheduled by, when it is due, and what its triggers saw."""
        return operations.get_due(self._wiring.db, job)

    def put_due(self, job: str, plan: str, due_at: datetime | None, seen: Mapping[str, str]) -> None:
        """Keep when a job is due, and what its triggers saw."""
        operations.put_due(self._wiring.db, job, plan, due_at, seen)

    def drop_old(self, keep: OpsRetention) -> Sequence[str]:
        """Let go of runs, events and checks that are older than they are kept; the runs that are gone."""
        now = self._wiring.now()
        return operations.drop_old(
            self._wiring.db, runs=now - keep.runs, events=now - keep.events, checks=now - keep.checks
        )


def _without_secrets(run: OpsRun) -> OpsRun:
    return replace(
        run,
        prompt=redact(run.prompt).text,
        summary=redact(run.summary).text,
        error=redact(run.error).text,
    )
