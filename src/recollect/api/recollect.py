"""Recollect: the one object users hold. It wires things once and calls one flow per act; it decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from recollect import config
from recollect.api.wiring import Wiring
from recollect.errors import ModelMismatch, NotFound
from recollect.model.finding import Finding
from recollect.model.history import Change
from recollect.model.hit import Recalled
from recollect.model.kinds import DEFAULT_KIND, Kinds
from recollect.model.memory import Memory, MemoryDraft
from recollect.model.outcome import Intake
from recollect.model.phase import Phase
from recollect.model.project import Project
from recollect.model.provenance import Channel, provenance_of
from recollect.model.query import Filters, Query
from recollect.model.scope import Scope
from recollect.model.stats import Stats
from recollect.model.subject import Subject
from recollect.model.value import replace
from recollect.model.workref import WorkRef, parse_workref
from recollect.providers.embed import Embedder, EmbedderChoice, TierStatus, choose, tiers
from recollect.retrieve.search import search
from recollect.retrieve.temporal import period_of
from recollect.store.open import open_db
from recollect.store.recovery import backup as copies
from recollect.store.safety.verify import verify
from recollect.store.search import fulltext, vectors
from recollect.store.tables import history, memories, projects
from recollect.store.tables.stats import stats

# Under this name the store keeps the tier it lives with.
_CHOICE = "embedder"

if TYPE_CHECKING:
    from recollect.api.code import Code
    from recollect.api.contexts import Asking, Context, Contexts
    from recollect.api.expanded_search import Wider
    from recollect.api.injections import Ledger
    from recollect.api.methods import Methods
    from recollect.api.observer import Observer
    from recollect.api.rendering import Telling
    from recollect.api.reviews import Reviews
    from recollect.api.safety import Keeping
    from recollect.api.staleness import Staleness
    from recollect.api.upkeep import Upkeep
    from recollect.api.writing import Writing
    from recollect.capture.change import Undone
    from recollect.capture.reindex import Reindexed
    from recollect.providers.complete import Completer
    from recollect.transfer.jsonl import Imported, Lines


class Details(TypedDict, total=False):
    """What can be said about a memory besides its text; what is not said is as its kind has it."""

    kind: str
    about: Iterable[Subject | str]
    tags: Iterable[str]
    scope: Scope | str | None
    confidence: float | None
    work: WorkRef | str | None
    fields: Mapping[str, object]
    session: str | None
    at: datetime | None
    # Keep it out of the project; preferences and contacts are so by themselves.
    everywhere: bool
    pinned: bool
    channel: Channel


class Recollect:
    """
    A memory for one person, seen from one project.

    >>> with Recollect() as memory:
    ...     memory.remember("Retries are capped at 3", kind="decision", about=["file:src/retry.py"])
    ...     for hit in memory.recall("how often do we retry?"):
    ...         print(hit.memory.text)
    """

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
    ) -> None:
        """Open the memory at `db` (the user's own by default) for the project around `folder` (None: no project)."""
        settings = settings or config.load()
        self._wiring = Wiring(
            open_db(str(db or settings.db), clock(), create=create, read_only=read_only),
            folder=folder,
            settings=settings,
            embedder=embedder,
            kinds=kinds or Kinds(more=lambda: self.methods.kinds()),
            clock=clock,
            actor=actor,
            channel=channel,
        )
        self.settings = settings
        self.kinds = self._wiring.kinds
        self._db = self._wiring.db
        # A desk may keep what it has loaded: the code graph of a process that asks often.
        self._desks: dict[str, object] = {}

    # -- desks: each loads on its first use, so that a recall does not pay for the others -------------------

    @property
    def staleness(self) -> Staleness:
        """Memories in step with the files they are about."""
        return cast("Staleness", self._desk("staleness"))

    @property
    def observer(self) -> Observer:
        """What agents did: events, sessions, steps, and past sessions from transcripts."""
        return cast("Observer", self._desk("observer"))

    @property
    def code(self) -> Code:
        """The code graph of the checkout around the folder."""
        return cast("Code", self._desk("code"))

    @property
    def telling(self) -> Telling:
        """Memories in the words that an agent reads."""
        return cast("Telling", self._desk("telling"))

    @property
    def ledger(self) -> Ledger:
        """What agents were told unasked, and what came of it."""
        return cast("Ledger", self._desk("ledger"))

    @property
    def methods(self) -> Methods:
        """Ways of working: which is active, the phase and unit at hand, what one stage hands to the next."""
        return cast("Methods", self._desk("methods"))

    @property
    def contexts(self) -> Contexts:
        """The layouts there are, and what each would say."""
        return cast("Contexts", self._desk("contexts"))

    @property
    def upkeep(self) -> Upkeep:
        """Memories in the course of time: ageing, pruning, judging, settling."""
        return cast("Upkeep", self._desk("upkeep"))

    @property
    def wider(self) -> Wider:
        """Searches that go further than a recall: a second try, tied files, recipes for a task, known errors."""
        return cast("Wider", self._desk("wider"))

    # -- remembering -------------------------------------------------------------------------------------

    def remember(self, text: str, *, why: str = "", **details: Unpack[Details]) -> Intake:
        """Remember a text: remembered, already known, or refused with a reason."""
        return self.remember_many([self.draft(text, **details)], why=why)[0]

    def draft(self, text: str, **details: Unpack[Details]) -> MemoryDraft:
        """Something to remember, for `remember_many`; the details are those of `remember`."""
        kind = self.kinds.get(details.get("kind", DEFAULT_KIND))
        work = details.get("work")
        scope = details.get("scope")
        everywhere = details.get("everywhere", kind.user_wide)
        channel = details.get("channel") or self._wiring.channel
        return MemoryDraft(
            text=text,
            kind=kind.name,
            subjects=self._wiring.subjects(details.get("about", ())),
            tags=tuple(details.get("tags", ())),
            scope=Scope(scope) if scope else None,
            project_id=None if everywhere else self._wiring.home_id(),
            work=parse_workref(work) if isinstance(work, str) else work,
            provenance=provenance_of(channel, session_id=details.get("session")),
            confidence=details.get("confidence"),
            pinned=details.get("pinned", False),
            fields=details.get("fields", {}),
            happened_at=details.get("at"),
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
        recalled = search(self._wiring.ground(), query, self._wiring.now())
        if another := self._another_model():
            recalled = replace(recalled, notes=(*recalled.notes, another))
        self._wiring.asked_for(hit.memory.id for hit in recalled)
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
        """A question with the settings in force, for `recall` and `wider.recall`."""
        return Query(
            text=question,
            limit=limit or self.settings.number("recall.limit"),
            filters=filters or self.filters(),
            phase=self._phase(phase),
            profile=profile or self.settings.text("recall.profile"),
            recent_sessions=recent_sessions,
            around=around,
        )

    def context(self, task: str, **asked: Unpack[Asking]) -> Context:
        """What to put before an agent for a task: one text within a budget, what each slot of it costs, and why."""
        return self.contexts.assemble(task, **asked)

    def filters(self, *, about: Iterable[Subject | str] = (), **given: Any) -> Filters:
        """A filter for this project; `about` takes what a person would write."""
        return Filters(subjects=self._wiring.subjects(about), project_id=self._wiring.project_id(), **given)

    def kinds_in(self, group: str) -> Sequence[str]:
        """The kinds of a group."""
        found = self.kinds.in_group(group)
        if not found:
            raise NotFound(f"There is no group {group!r}. The groups are: {', '.join(self.kinds.groups())}.")
        return found

    def period(self, text: str) -> tuple[datetime, datetime]:
        """The stretch of time a text means: a date, or words such as "last week"."""
        return period_of(text, self._wiring.now())

    def show(self, memory_id: str) -> Memory:
        """One memory, by its id or the first characters of it."""
        return memories.get(self._db, memory_id)

    def list(self, filters: Filters | None = None, *, limit: int = 50, offset: int = 0) -> Sequence[Memory]:
        """Memories that pass a filter, newest first."""
        return memories.listed(self._db, filters or self.filters(), limit=limit, offset=offset)

    def count(self, filters: Filters | None = None) -> int:
        """How many memories pass a filter."""
        return memories.counted(self._db, filters or self.filters())

    # -- changing ----------------------------------------------------------------------------------------

    def edit(self, memory_id: str, /, *, why: str = "", **changes: Any) -> Memory:
        """Change parts of a memory: text, kind, about, tags, confidence, scope …"""
        if "about" in changes:
            changes["about"] = [str(subject) for subject in self._wiring.subjects(changes["about"])]
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

    def history(self, memory_id: str | None = None, *, limit: int = 20) -> Sequence[Change]:
        """The story of one memory, oldest first; or the last changes of all, newest first."""
        if memory_id is None:
            return history.recent(self._db, limit)
        return history.of_memory(self._db, memories.full_id(self._db, memory_id))

    @property
    def reviews(self) -> Reviews:
        """What waits for a person, and what they say about it."""
        return cast("Reviews", self._desk("reviews"))

    # -- looking after it --------------------------------------------------------------------------------

    @property
    def keeping(self) -> Keeping:
        """Snapshots, what is known to be missing, and how far the clock is believed."""
        return cast("Keeping", self._desk("keeping"))

    def project(self) -> Project | None:
        """The project around the folder, if it has memories already."""
        return self._wiring.project()

    def projects(self) -> Sequence[Project]:
        """Every project that has memories here."""
        return projects.every(self._db)

    def attach(self, other: str) -> Project:
        """The project around the folder is the same as another one, known by id, name or folder: join them."""
        home = self._wiring.home()
        if home is None:
            raise NotFound(what="project", name="the current folder")
        with self._db.transaction():
            found = projects.called(self._db, other)
            if found.id != home.id:
                projects.merge(self._db, found, home)
        return home

    def stats(self, *, every_project: bool = False) -> Stats:
        """How much is remembered, of what kinds, and what it costs on disk."""
        return stats(self._db, self._wiring.project_id(), every_project=every_project)

    def reindex(self, progress: Callable[[int, int], None] = lambda done, total: None) -> Reindexed:
        """Embed what the model of the settings has not seen; the old vectors serve until it is done."""
        # Settings that leave it open keep the tier the store lives with, even one that is down just now.
        return self._writing.reindex(self.embedding_asked_for() or self.embedding(), progress)

    def export(self, *, every_project: bool = True, forgotten: bool = False) -> Iterator[dict[str, Any]]:
        """Every memory in its JSON form, after a header that names the format; what was forgotten if asked for."""
        return self._writing.export(every_project=every_project, forgotten=forgotten)

    def import_memories(
        self, lines: Lines, *, name: str = "the import", dry_run: bool = False, mine: bool = False
    ) -> Imported:
        """
        Take in what `export` wrote: `lines()` gives them, and is called twice. All of it, or nothing.

        It waits for review, unless it is `mine`: then it keeps the standing it had, which only a person may say.
        """
        return self._writing.import_memories(lines, name=name, dry_run=dry_run, mine=mine)

    def backup(self, target: str | Path, progress: Callable[[int, int], None] | None = None) -> Path:
        """Copy the whole database to a new file, while others may go on writing."""
        return copies.backup(self._db, Path(target), self._wiring.now(), progress)

    def check(self) -> Sequence[Finding]:
        """Whether the database is sound, row by row."""
        return verify(self._db)

    def file_again(self, progress: Callable[[int, int], None] = lambda done, total: None) -> int:
        """Write the search index anew; how many entries it has."""
        return fulltext.file_all(self._db, progress)

    def embedding(self) -> EmbedderChoice:
        """The tier this store lives with."""
        return self._wiring.models().choice

    def embedding_asked_for(self) -> EmbedderChoice | None:
        """The tier the settings name; None when they leave it open."""
        settings = self._wiring.embedder_settings()
        return None if settings.tier == "auto" and not (settings.url or settings.path) else choose(settings)

    def unembedded(self) -> int:
        """How many memories should have a vector and have none."""
        models = self._wiring.models()
        embedded = tuple(kind.name for kind in self.kinds if kind.embedded)
        return vectors.missing_count(self._db, models.num, embedded) if models.embedder else 0

    def completer(self) -> Completer | None:
        """The model that writes, if the settings name one. Every step that would use it does without as well."""
        return self._wiring.completer()

    def tiers(self) -> Sequence[TierStatus]:
        """Every embedding tier and whether it could be chosen now."""
        return tiers(self._wiring.embedder_settings())

    def close(self) -> None:
        """Write down what was asked for, and give the file back."""
        self._wiring.close()

    def __enter__(self) -> Recollect:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _writing(self) -> Writing:
        return cast("Writing", self._desk("writing"))

    def _phase(self, name: Phase | str | None) -> Phase | None:
        if name is None or name in set(Phase):
            return Phase(name) if name else None
        return self.methods.phase(None if name == "auto" else name)

    def _desk(self, name: str) -> object:
        if name not in self._desks:
            home = {
                "keeping": "safety",
                "telling": "rendering",
                "ledger": "injections",
                "wider": "expanded_search",
            }
            made = getattr(import_module(f"recollect.api.{home.get(name, name)}"), name.capitalize())
            self._desks[name] = made(self._wiring)
        return self._desks[name]

    def _another_model(self) -> str:
        """What to say when the settings ask for another model than the memories live with."""
        asked = self.embedding_asked_for() if self._wiring.given_embedder is None else None
        stored = self.embedding()
        if asked is None or asked.to_text() == stored.to_text():
            return ""
        return str(ModelMismatch(stored=stored.tier, asked=asked.tier))
