"""
The loop: an agent that is given a command, a model, tools and a memory, and runs, or goes on, to an end.

What happens in a run is in `active_run.py`; what a run leaves behind is in its journal.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from recollect.agent import journal as j
from recollect.agent.active_run import ActiveRun
from recollect.agent.after_run import find_correction, find_lessons, record_correction
from recollect.agent.journal import JournalLine, RunJournal, read_journal
from recollect.agent.loop_parts import ApprovalRequest, LoopParts, LoopSettings, RunResult
from recollect.agent.model_client import ModelClient
from recollect.agent.other_work import find_other_work
from recollect.agent.run_state import RunState, RunStore, replay
from recollect.agent.task_templates import find_templates
from recollect.agent.verify import Verifier
from recollect.api import Recollect
from recollect.api.vault import Vault
from recollect.conversation.workspace import Workspace
from recollect.errors import BadInput
from recollect.model.agent_tool import AgentTool
from recollect.model.ids import CHANCE_BITS, make_id
from recollect.model.memory import Memory
from recollect.model.window_settings import WindowSettings

__all__ = ["ApprovalRequest", "Loop", "RunResult"]

# With the commands of so many earlier runs this one is compared.
_MAX_EARLIER = 30


def _deny(_: ApprovalRequest) -> bool:
    return False


class Loop:
    """
    An agent that runs: a client for the model, tools, and if there is one a memory.

    >>> loop = Loop(client, file_tools(root), memory, verify=verify_by_command("pytest -q", root, environment={}),
    ...             run_store=RunStore(Path("runs")))
    >>> loop.run("Make the tests pass").status
    'completed'
    """

    def __init__(
        self,
        client: ModelClient,
        tools: Sequence[AgentTool],
        memory: Recollect | None = None,
        *,
        run_store: RunStore,
        verify: Verifier | None = None,
        settings: LoopSettings | None = None,
        approve: Callable[[ApprovalRequest], bool] = _deny,
        progress: Callable[[JournalLine], None] = lambda line: None,
        is_cancelled: Callable[[], bool] = lambda: False,
        workspace: Workspace | None = None,
        vault: Vault | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Nothing is asked or written yet. `approve` answers for dangerous and unknown calls; by itself it says no."""
        names = [tool.name for tool in tools]
        if len(set(names)) != len(names):
            raise BadInput(reason=f"two tools have the same name: {', '.join(sorted(names))}")
        self._parts = LoopParts(
            client=client,
            tools=tuple(tools),
            memory=memory,
            run_store=run_store,
            verify=verify,
            settings=settings
            or LoopSettings(window=memory.settings.window() if memory else WindowSettings()),
            approve=approve,
            progress=progress,
            is_cancelled=is_cancelled,
            workspace=workspace,
            vault=vault,
            clock=clock,
        )

    def run(self, command: str) -> RunResult:
        """Do what the command asks for."""
        parts = self._parts
        if not command.strip():
            raise BadInput(reason="there is no command")
        parts.run_store.prune(now=parts.clock(), keep_days=parts.settings.keep_runs_days)
        chance = int.from_bytes(os.urandom(CHANCE_BITS // 8), "big")
        run_id = make_id(parts.clock(), chance)
        with RunJournal(parts.run_store.path(run_id), clock=parts.clock) as journal:
            run = ActiveRun(parts, journal, RunState(run_id=run_id), ())
            run.note(
                j.CREATED,
                run_id=run_id,
                command=command,
                model=parts.client.name,
                shape=parts.client.shape,
                root=parts.settings.root,
                verify=parts.settings.verify_label,
                judged=parts.settings.is_judged,
                completion_mark=f"DONE-{run_id[-8:]}",
                memory_context=self._memory_context(command, run_id),
            )
            self._notice_correction(run.state)
            return run.go()

    def resume(self, run_id: str, *, message: str = "") -> RunResult:
        """Go on with a run that did not end well, or did not end at all; `message` is what the person says to that."""
        parts = self._parts
        with RunJournal(parts.run_store.path(run_id), clock=parts.clock) as journal:
            lines = list(read_journal(journal.path))
            state = replay(lines, run_id)
            if not lines or not state.command:
                raise BadInput(f"The run {run_id} has no journal to go on from. Start it anew.")
            if state.status == "completed":
                raise BadInput(f"The run {run_id} is completed; there is nothing to resume.")
            if state.status == "escalated" and not message.strip():
                raise BadInput(f"The run {run_id} waits for an answer: {state.reason}")
            if state.shape != parts.client.shape:
                raise BadInput(
                    f"The run {run_id} was begun with messages in the shape of {state.shape};"
                    f" {parts.client.name} has another."
                )
            run = ActiveRun(parts, journal, state, lines)
            run.note(j.RESUMED, model=parts.client.name)
            return run.go(message)

    def _memory_context(self, command: str, run_id: str) -> str:
        """What memory says to this command: the person, open work, what bears on it, the last runs, a recipe."""
        memory = self._parts.memory
        if memory is None:
            return ""
        earlier = self._parts.run_store.states(now=self._parts.clock(), limit=_MAX_EARLIER)
        elsewhere = find_other_work(memory, command, [state.command for state in earlier])
        context = memory.context(
            command, layout=self._parts.settings.layout, files=False, known_ids=elsewhere
        )
        shown = [
            memory.show(line.memory_id) for slot in context.slots for line in slot.said if not line.is_file
        ]
        shown_ids = {memory_shown.id for memory_shown in shown}
        lessons = [lesson for lesson in find_lessons(memory, command) if lesson.id not in shown_ids]
        recipes = [recipe for recipe in _find_recipes(memory, command) if recipe.id not in shown_ids]
        if shown or lessons or recipes:
            memory.reviews.note_applied(run_id, [*shown, *lessons, *recipes])
        blocks = [context.text]
        if lessons:
            blocks.append(memory.rendering.block("What such a task was rejected for before", lessons))
        if recipes:
            blocks.append(memory.rendering.block("How such a task was done before", recipes))
        return "\n\n".join(filter(None, blocks))

    def _notice_correction(self, state: RunState) -> None:
        parts = self._parts
        if parts.memory is None:
            return
        earlier = parts.run_store.states(now=parts.clock(), limit=5)
        corrected = find_correction(state.command, state, earlier)
        if corrected is None:
            return
        record_correction(parts.memory, state, corrected)
        if parts.vault is not None:
            parts.vault.journal.record_user_correction(corrected.command, state.command)


def _find_recipes(memory: Recollect, command: str) -> list[Memory]:
    """One recipe that fits: a template of such runs, else what the observer learned."""
    fresh = [recipe for recipe in find_templates(memory, command) if recipe.stale_at is None]
    return fresh[:1] or [hit.memory for hit in memory.expanded_search.recipes(command, limit=1)]
