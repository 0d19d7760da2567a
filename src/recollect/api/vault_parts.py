"""The parts of the vault's API: its tasks, the journal of runs, and messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.capture import intake
from recollect.errors import NotFound
from recollect.model.kinds import DEFAULT_KIND
from recollect.model.memory import Intake, MemoryDraft
from recollect.model.provenance import provenance_of
from recollect.model.query import Recalled
from recollect.model.vault_task import VaultTask
from recollect.store.tables.messages import StoredMessage
from recollect.vault import journal, layout, tasks
from recollect.vault.context import VaultContext
from recollect.vault.journal import RunRecord, TaskTemplate
from recollect.vault.messages import exchange
from recollect.vault.messages.exchange import MessageExchange, SentMessage
from recollect.vault.notes import change_in_turn, read_note
from recollect.vault.search import NoteHit

OpenVault = Callable[[], VaultContext]


@public_api
class VaultTasks:
    """Tasks as lines of the note Active Tasks, which a person edits too: `memory.vault.tasks`."""

    def __init__(self, wiring: Wiring, open_vault: OpenVault) -> None:
        self._wiring = wiring
        self._open = open_vault

    def create(
        self, title: str, *, details: str = "", priority: str = "medium", project: str = ""
    ) -> VaultTask:
        """Add a task after the others."""
        ctx = self._open()
        today = self._today(ctx)

        def added(text: str) -> str:
            return tasks.add_task(
                text or layout.FIRST_NOTES[layout.TASKS],
                title,
                details=details,
                priority=priority,
                project=project,
                today=today,
            )

        done = change_in_turn(ctx, layout.TASKS, added)
        return tasks.find_task(tasks.parse_tasks(done.text), title)

    def update(self, title: str, status: str, *, notes: str = "") -> VaultTask:
        """Put a task in another state; a title that fits several is an error that names them."""
        ctx = self._open()
        today = self._today(ctx)
        changed: list[VaultTask] = []

        def updated(text: str) -> str:
            new, task = tasks.change_task(text, title, status, notes=notes, today=today)
            changed[:] = [task]
            return new

        change_in_turn(ctx, layout.TASKS, updated)
        return changed[0]

    def list(self, *, status: str = "", project: str = "") -> list[VaultTask]:
        """Tasks in their order; without a state, those that are not ended."""
        try:
            text = read_note(self._open(), layout.TASKS)
        except NotFound:
            return []
        return tasks.select_tasks(tasks.parse_tasks(text), status, project)

    def _today(self, ctx: VaultContext) -> date:
        return ctx.local_now().date()


@public_api
class Journal:
    """What a desktop agent loads before a run and saves after it: `memory.vault.journal`."""

    def __init__(
        self,
        wiring: Wiring,
        open_vault: OpenVault,
        recall: Callable[[str, int], Recalled],
        search: Callable[[str, int], Sequence[NoteHit]],
    ) -> None:
        self._wiring = wiring
        self._open = open_vault
        self._recall = recall
        self._search = search

    def load_user_profile(self) -> str:
        """Who the user is, as their note says."""
        return self._read(layout.PROFILE)

    def load_preferences(self) -> str:
        """What was learned of their preferences."""
        return self._read(layout.PREFERENCES)

    def load_core_context(self) -> str:
        """Profile, tasks, status and the end of today's note."""
        return journal.load_core_context(self._open())

    def load_recent_context(self, max_entries: int = 5) -> list[str]:
        """The last actions, newest first."""
        return journal.load_recent_context(self._open(), max_entries)

    def load_recent_run_summaries(self, limit: int = 5) -> list[str]:
        """The last runs, newest first."""
        return journal.load_recent_runs(self._open(), limit)

    def load_app_knowledge(self, app_names: Sequence[str]) -> str:
        """What is known of these apps."""
        return journal.load_app_knowledge(self._open(), app_names)

    def load_matching_templates(self, command: str) -> list[TaskTemplate]:
        """The task templates that fit a command, the most successful first."""
        return journal.load_matching_templates(self._open(), command)

    def retrieve_relevant_memories(self, command: str, token_budget: int = 4_000) -> str:
        """Memories and notes that bear on a command, as one text within a budget."""
        recalled = "\n".join(f"- {hit.memory.text}" for hit in self._recall(command, 8).answers)
        notes = "\n".join(f"- {hit.path}:{hit.line} {hit.excerpt}" for hit in self._search(command, 5))
        return journal.fit_budget((("Memories", recalled), ("Notes", notes)), token_budget)

    def build_context_string(
        self, *, core: str, relevant: str, history: str, token_budget: int = 4_000
    ) -> str:
        """The parts of a prompt that come from memory, as one text; the last gives way first."""
        return journal.fit_budget(
            (("Context", core), ("Relevant memories", relevant), ("Recent activity", history)), token_budget
        )

    def remember(self, fact: str, category: str = "general") -> Intake:
        """Remember a fact; a category that is a kind of memory makes it one of those, any other is a tag."""
        kinds = self._wiring.kinds
        is_kind = category in kinds.names()
        draft = MemoryDraft(
            text=fact,
            kind=category if is_kind else DEFAULT_KIND,
            tags=() if is_kind or category == "general" else (category,),
            project_id=self._wiring.project_id(),
            provenance=provenance_of(self._wiring.channel),
        )
        (answer,) = intake.remember(
            self._wiring.begin_writing(), [draft], actor=self._wiring.actor, why="said in a run"
        )
        return answer

    def recall(self, topic: str, limit: int = 10) -> str:
        """What memories and notes say about a topic, a line each."""
        recalled = [f"- {hit.memory.text}" for hit in self._recall(topic, limit).answers]
        notes = [f"- {hit.path}:{hit.line} {hit.excerpt}" for hit in self._search(topic, limit)]
        return "\n".join((*recalled, *notes)[:limit]) or f"No results found for: {topic}"

    def record_run_outcome(self, run: RunRecord) -> None:
        """A run ended."""
        journal.record_run_outcome(self._open(), run)

    def record_verification_rejection(self, command: str, score: int, reason: str) -> None:
        """A result was rejected."""
        journal.record_rejection(self._open(), command, score, reason)

    def record_user_correction(self, original_command: str, corrected_command: str) -> None:
        """A person said it again in other words."""
        journal.record_correction(self._open(), original_command, corrected_command)

    def record_failure(self, command: str, reason: str, iterations: int = 0) -> None:
        """Something failed."""
        journal.record_failure(self._open(), command, reason, iterations)

    def record_action(self, action: str) -> None:
        """Something was done that the next two hours should know."""
        journal.note_action(self._open(), action)

    def update_app_knowledge(self, app_name: str, insight: str, section: str = "Reliable Approaches") -> str:
        """Something was learned about an app; the path of its note."""
        return journal.update_app_knowledge(self._open(), app_name, insight, section)

    def update_preferences(self, key: str, value: str) -> None:
        """Something was learned about what the user likes."""
        journal.update_preferences(self._open(), key, value)

    def update_current_status(self, last_command: str, last_outcome: str) -> None:
        """What was done last."""
        journal.update_status(self._open(), last_command, last_outcome)

    def append_to_daily_note(self, line: str) -> str:
        """A line in today's note; its path."""
        return journal.add_to_day(self._open(), line)

    def generate_daily_summary(self, lines: Sequence[str] = ()) -> str:
        """Sum up the day: its runs as the daily note tells them, and what else is known of it, line by line."""
        return journal.write_daily_summary(self._open(), lines)

    def _read(self, path: str) -> str:
        try:
            return read_note(self._open(), path)
        except NotFound:
            return ""


@public_api
class Messages:
    """Messages to a person who is elsewhere: `memory.vault.messages`."""

    def __init__(self, wiring: Wiring, open_exchange: Callable[[], MessageExchange]) -> None:
        self._wiring = wiring
        self._open = open_exchange

    def send(self, text: str, *, channel: str = "") -> SentMessage:
        """Send a text; what cannot be sent now is kept and sent later."""
        return exchange.send_message(self._open(), text, channel)

    def check(self, *, channel: str = "", limit: int = 10) -> tuple[list[StoredMessage], list[str]]:
        """Messages that nobody has read yet, and what went wrong while asking for them."""
        return exchange.check_messages(self._open(), channel, limit)
