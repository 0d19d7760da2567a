"""Recollect: the object users hold. It wires things once and calls one flow an act; it decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from recollect import config
from recollect.api import sub_apis
from recollect.api.public_api import SubApi, public_api
from recollect.api.wiring import Wiring
from recollect.errors import NotFound
from recollect.model.complexity import Complexity
from recollect.model.history import MemoryChange
from recollect.model.kinds import DEFAULT_KIND, Kinds
from recollect.model.memory import Intake, Memory, MemoryDraft, MemoryState
from recollect.model.phase import Phase
from recollect.model.project import Project
from recollect.model.provenance import Channel, Source, provenance_of
from recollect.model.query import Filters, Query, Recalled
from recollect.model.scope import Scope, WorkRef, parse_workref
from recollect.model.subject import Subject
from recollect.model.value import replace
from recollect.model.viewer import Viewer
from recollect.providers.embed import Embedder
from recollect.retrieve.judged_search import search_judged
from recollect.retrieve.temporal import parse_period
from recollect.store.open import open_db
from recollect.store.tables import history, memories

if TYPE_CHECKING:
    from recollect.api.contexts import Context
    from recollect.capture.change import Undone

# An argument of `edit` that was not given; None is a value of its own there.
UNCHANGED: Any = ...

# Each sub-API is imported at its first use: a recall must not pay for loading the others. A type checker sees them all.


@public_api
class Recollect:
    """
    A memory for one person, seen from one project.

    >>> with Recollect() as memory:
    ...     memory.remember("Retries are capped at 3", kind="decision", about=["file:src/retry.py"])
    ...     for hit in memory.recall("how often do we retry?"):
    ...         print(hit.memory.text)
    """

    # Projects, export and import, backup, embedding, search index.
    admin = SubApi(sub_apis.load_admin)
    # Looking through the memory, as a dashboard does.
    browse = SubApi(sub_apis.load_browse)
    # The code graph of the checkout around the folder.
    code = SubApi(sub_apis.load_code)
    # Conversations with agents: begun, resumed, archived.
    chats = SubApi(sub_apis.load_chats)
    # What frameworks keep here: entries in order, values under keys, steps of programs.
    logs = SubApi(sub_apis.load_logs)
    items = SubApi(sub_apis.load_items)
    checkpoints = SubApi(sub_apis.load_checkpoints)
    # Scheduled runs: their tables, their events, cooldowns and health.
    operations = SubApi(sub_apis.load_operations)
    # The folder of notes that people and agents write together, with its tasks and messages.
    vault = SubApi(sub_apis.load_vault)
    # The layouts there are, and what each would put before an agent.
    contexts = SubApi(sub_apis.load_contexts)
    # Searches that go further than a recall: a second try, tied files, recipes for a task, known errors.
    expanded_search = SubApi(sub_apis.load_expanded_search)
    # What agents were told unasked, and what came of it.
    injections = SubApi(sub_apis.load_injections)
    # What sessions teach together: lessons, recipes, knowledge; and each of these by itself.
    learning = SubApi(sub_apis.load_learning)
    lessons = SubApi(sub_apis.load_lessons)
    recipes = SubApi(sub_apis.load_recipes)
    skills = SubApi(sub_apis.load_skills)
    # Ways of working: which is active, the phase and unit at hand, what one stage hands to the next.
    methods = SubApi(sub_apis.load_methods)
    # What agents did: events, sessions, steps, and past sessions from transcripts.
    observer = SubApi(sub_apis.load_observer)
    # Memories in the words that an agent reads.
    rendering = SubApi(sub_apis.load_rendering)
    # What waits for a person, and what they say about it.
    reviews = SubApi(sub_apis.load_reviews)
    # Snapshots, what is known to be missing, and how far the clock is believed.
    safety = SubApi(sub_apis.load_safety)
    # Memories in step with the files they are about.
    staleness = SubApi(sub_apis.load_staleness)
    # Memories in the course of time: ageing, pruning, judging, settling.
    upkeep = SubApi(sub_apis.load_upkeep)
    _writing = SubApi(sub_apis.load_writing)

    def __init__(
        self,
        db: str | Path | None = None,
        *,
        folder: str | Path | None = ".",
        settings: config.Settings | None = None,
        embedder: Embedder | None = None,
        kinds: Kinds | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        actor: str = "user",
        channel: Channel = Channel.USER,
        create: bool = True,
        read_only: bool = False,
        viewer: Viewer | None = None,
        project: Project | None = None,
    ) -> None:
        """
        Open the memory at `db` (the user's own by default) for the project around `folder` (None: no project).

        Where several people share it, `viewer` says who looks; `project` names one that no folder leads to.
        """
        settings = settings or config.load_settings()
        self._wiring = Wiring(
            open_db(str(db or settings.db), clock(), create=create, read_only=read_only, viewer=viewer),
            folder=folder,
            settings=settings,
            embedder=embedder,
            kinds=kinds or Kinds(more=lambda: self.methods.kinds()),
            clock=clock,
            actor=actor,
            channel=channel,
            project=project,
        )
        self.settings = settings
        self.kinds = self._wiring.kinds
        self._db = self._wiring.db

    # -- remembering -------------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        why: str = "",
        kind: str = DEFAULT_KIND,
        about: Iterable[Subject | str] = (),
        tags: Iterable[str] = (),
        scope: Scope | str | None = None,
        confidence: float | None = None,
        work: WorkRef | str | None = None,
        fields: Mapping[str, object] | None = None,
        session: str | None = None,
        at: datetime | None = None,
        everywhere: bool | None = None,
        pinned: bool = False,
        channel: Channel | None = None,
    ) -> Intake:
        """Remember a text: remembered, already known, or refused with a reason. The arguments are those of `draft`."""
        draft = self.draft(
            text,
            kind=kind,
            about=about,
            tags=tags,
            scope=scope,
            confidence=confidence,
            work=work,
            fields=fields,
            session=session,
            at=at,
            everywhere=everywhere,
            pinned=pinned,
            channel=channel,
        )
        return self.remember_many([draft], why=why)[0]

    def draft(
        self,
        text: str,
        *,
        kind: str = DEFAULT_KIND,
        about: Iterable[Subject | str] = (),
        tags: Iterable[str] = (),
        scope: Scope | str | None = None,
        confidence: float | None = None,
        work: WorkRef | str | None = None,
        fields: Mapping[str, object] | None = None,
        session: str | None = None,
        at: datetime | None = None,
        everywhere: bool | None = None,
        pinned: bool = False,
        channel: Channel | None = None,
    ) -> MemoryDraft:
        """
        Something to remember, for `remember_many`; nothing is written. What is not said is as its kind has it.

        `everywhere` keeps it out of the project; preferences and contacts are so by themselves.
        """
        named = self.kinds.get(kind)
        is_everywhere = named.user_wide if everywhere is None else everywhere
        return MemoryDraft(
            text=text,
            kind=named.name,
            subjects=self._wiring.subjects(about),
            tags=tuple(tags),
            scope=Scope(scope) if scope else None,
            project_id=None if is_everywhere else self._wiring.draft_project_id(),
            work=parse_workref(work) if isinstance(work, str) else work,
            provenance=provenance_of(channel or self._wiring.channel, session_id=session),
            confidence=confidence,
            pinned=pinned,
            fields={} if fields is None else fields,
            happened_at=at,
        )

    def remember_many(self, drafts: Sequence[MemoryDraft], *, why: str = "") -> Sequence[Intake]:
        """Remember many at once: they share commits, which makes it many times faster than one by one."""
        return self._writing.remember_many(drafts, why)

    # -- recalling ---------------------------------------------------------------------------------------

    def recall(
        self,
        question: str | Query,
        *,
        limit: int | None = None,
        filters: Filters | None = None,
        phase: Phase | str | None = None,
        profile: str | None = None,
        recent_sessions: int | None = None,
        around: str | None = None,
    ) -> Recalled:
        """
        What memory knows about a question, best first; every hit can say why.

        Something always comes nearest: `known` of the answer says whether it probably answers, and `answers` has those
        hits alone. Only they count as accesses.

        `phase` is a universal one, a name of the way of working (`red`), or `auto`: the one the newest session is in.
        """
        if isinstance(question, Query):
            query = question
        else:
            query = self.query(
                question,
                limit=limit,
                filters=filters,
                phase=phase,
                profile=profile,
                recent_sessions=recent_sessions,
                around=around,
            )
        self._wiring.drain_inbox()
        recalled = search_judged(self._wiring.read_context(), query, self._wiring.now())
        if mismatch := self._wiring.reading.model_mismatch():
            recalled = replace(recalled, notes=(*recalled.notes, mismatch))
        self._wiring.record_access(hit.memory.id for hit in recalled.answers)
        return recalled

    def query(
        self,
        question: str,
        *,
        limit: int | None = None,
        filters: Filters | None = None,
        phase: Phase | str | None = None,
        profile: str | None = None,
        recent_sessions: int | None = None,
        around: str | None = None,
    ) -> Query:
        """A question with the settings in force, for `recall` and `expanded_search.recall`."""
        return Query(
            text=question,
            limit=limit or self.settings.number("recall.limit"),
            filters=filters or self.filters(),
            phase=self._resolve_phase(phase),
            profile=profile or self.settings.text("recall.profile"),
            recent_sessions=recent_sessions,
            around=around,
        )

    def _resolve_phase(self, name: Phase | str | None) -> Phase | None:
        """A universal phase by its own name; any other word is the methodology's, which loads only then."""
        if not name:
            return None
        return Phase(name) if name in set(Phase) else self.methods.resolve_phase(name)

    def context(
        self,
        task: str,
        *,
        layout: str | None = None,
        phase: Phase | str | None = None,
        budget: int | None = None,
        complexity: Complexity | str | None = None,
        work: str | None = None,
        known_ids: Collection[str] = (),
        files: bool = True,
    ) -> Context:
        """
        What to put before an agent for a task: one text within a budget, what each slot of it costs, and why.

        The arguments are those of `contexts.assemble`.
        """
        return self.contexts.assemble(
            task,
            layout=layout,
            phase=phase,
            budget=budget,
            complexity=complexity,
            work=work,
            known_ids=known_ids,
            files=files,
        )

    def filters(
        self,
        *,
        about: Iterable[Subject | str] = (),
        kinds: Iterable[str] = (),
        groups: Iterable[str] = (),
        tags: Iterable[str] = (),
        scopes: Iterable[Scope] = (),
        states: Iterable[MemoryState] = (MemoryState.ACTIVE,),
        sources: Iterable[Source] = (),
        sessions: Iterable[str] = (),
        work: WorkRef | str | None = None,
        methodology: str | None = None,
        min_confidence: float = 0.0,
        since: datetime | None = None,
        until: datetime | None = None,
        fresh: bool = False,
        every_project: bool = False,
    ) -> Filters:
        """A filter for this project; `about` takes what a person would write, `groups` are groups of kinds."""
        grouped = [kind for group in groups for kind in _kinds_of_group(self.kinds, group)]
        return Filters(
            subjects=self._wiring.subjects(about),
            project_id=self._wiring.project_id(),
            kinds=tuple(dict.fromkeys((*kinds, *grouped))),
            tags=tuple(tags),
            scopes=tuple(scopes),
            states=tuple(states),
            sources=tuple(sources),
            sessions=tuple(sessions),
            work=parse_workref(work) if isinstance(work, str) else work,
            methodology=methodology,
            min_confidence=min_confidence,
            since=since,
            until=until,
            fresh=fresh,
            every_project=every_project,
        )

    def period(self, text: str) -> tuple[datetime, datetime]:
        """The stretch of time a text means: a date, or words such as "last week"."""
        return parse_period(text, self._wiring.now())

    def show(self, memory_id: str) -> Memory:
        """One memory, by its id or the first characters of it."""
        return memories.get_memory(self._db, memory_id)

    def list(self, filters: Filters | None = None, *, limit: int = 50, offset: int = 0) -> Sequence[Memory]:
        """Memories that pass a filter, newest first."""
        return memories.list_memories(self._db, filters or self.filters(), limit=limit, offset=offset)

    def count(self, filters: Filters | None = None) -> int:
        """How many memories pass a filter."""
        return memories.count_memories(self._db, filters or self.filters())

    def history(self, memory_id: str | None = None, *, limit: int = 20) -> Sequence[MemoryChange]:
        """The story of one memory, oldest first; or the last changes of all, newest first."""
        if memory_id is None:
            return history.list_recent_changes(self._db, limit)
        return history.list_changes_of_memory(self._db, memories.complete_id(self._db, memory_id))

    def project(self) -> Project | None:
        """The project around the folder, if it has memories already."""
        return self._wiring.project()

    # -- changing ----------------------------------------------------------------------------------------

    def edit(
        self,
        memory_id: str,
        /,
        *,
        why: str = "",
        text: str = UNCHANGED,
        kind: str = UNCHANGED,
        about: Iterable[Subject | str] = UNCHANGED,
        tags: Iterable[str] = UNCHANGED,
        scope: Scope | str = UNCHANGED,
        confidence: float = UNCHANGED,
        work: str | None = UNCHANGED,
        fields: Mapping[str, object] = UNCHANGED,
        citation: str = UNCHANGED,
        relations: Iterable[Mapping[str, object]] = UNCHANGED,
        state: MemoryState | str = UNCHANGED,
        pinned: bool = UNCHANGED,
        project_id: str | None = UNCHANGED,
        half_life_days: float = UNCHANGED,
        happened_at: str = UNCHANGED,
        stale_at: str | None = UNCHANGED,
        stale_why: str = UNCHANGED,
        verified: bool = UNCHANGED,
        needs_review: bool = UNCHANGED,
    ) -> Memory:
        """Change parts of a memory, each in its JSON form; `undo` takes it back."""
        parts = {
            "text": text,
            "kind": kind,
            "about": UNCHANGED
            if about is UNCHANGED
            else [str(subject) for subject in self._wiring.subjects(about)],
            "tags": tags,
            "scope": scope,
            "confidence": confidence,
            "work": work,
            "fields": fields,
            "citation": citation,
            "relations": relations,
            "state": state,
            "pinned": pinned,
            "project_id": project_id,
            "half_life_days": half_life_days,
            "happened_at": happened_at,
            "stale_at": stale_at,
            "stale_why": stale_why,
            "verified": verified,
            "needs_review": needs_review,
        }
        changes = {name: value for name, value in parts.items() if value is not UNCHANGED}
        return self._writing.edit(memory_id, changes, why)

    def pin(self, memory_id: str, *, pinned: bool = True) -> Memory:
        """Keep a memory from ageing, or let it age again."""
        return self._writing.pin(memory_id, pinned=pinned)

    def forget(self, *memory_ids: str, why: str = "") -> Sequence[Memory]:
        """Take memories out of use; `undo` brings them back."""
        return self._writing.forget(memory_ids, why)

    def purge(self, *memory_ids: str) -> Sequence[str]:
        """Remove memories for good: no undo."""
        return self._writing.purge(memory_ids)

    def undo(self, memory_id: str | None = None) -> Undone:
        """Take back the last act, or the last one that touched a memory."""
        return self._writing.undo(memory_id)

    # -- closing -----------------------------------------------------------------------------------------

    def close(self) -> None:
        """Write down which memories were shown, and give the file back."""
        self._wiring.close()

    def __enter__(self) -> Recollect:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _kinds_of_group(kinds: Kinds, group: str) -> Sequence[str]:
    names = kinds.in_group(group)
    if not names:
        raise NotFound(f"There is no group {group!r}. The groups are: {', '.join(kinds.groups())}.")
    return names
