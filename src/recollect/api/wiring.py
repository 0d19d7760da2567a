"""
What an open memory is wired from: database, models, kinds, clock, ids, and the project around the folder.

The write side, what reads the inbox and the model that writes load at their first use: a recall needs none of them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import config
from recollect.api.read_wiring import Models, ReadWiring
from recollect.errors import StoreBusy, StoreError, StoreFull, StoreReadOnly
from recollect.events.excluded import parse_patterns
from recollect.events.inbox import has_waiting, inbox_path, list_left_over
from recollect.git import identity
from recollect.git.merge_check import find_merge_kind, has_landed
from recollect.lifecycle import writing
from recollect.lifecycle.upkeep_context import UpkeepContext, make_file_check
from recollect.model.anchor import Checkout
from recollect.model.ids import CHANCE_BITS, make_id, make_id_after, next_id
from recollect.model.kinds import Kinds
from recollect.model.project import Project, ProjectIdentity
from recollect.model.provenance import Channel
from recollect.model.subject import Subject, parse_subjects
from recollect.model.subject_path import relative
from recollect.model.value import replace
from recollect.observe.folders import Folders
from recollect.providers.embed import Embedder, EmbedderChoice, EmbedderSettings
from recollect.retrieve.read_context import ReadContext
from recollect.store.db import Db
from recollect.store.safety import disk_ballast
from recollect.store.tables import memories, projects

if TYPE_CHECKING:
    from recollect.capture.write_context import WriteContext
    from recollect.methods.registry import KnownMethods
    from recollect.observe.drain import DrainResult
    from recollect.predict_files.inputs import WeightedScores
    from recollect.providers.complete import Completer

# In a draft: the project around the folder, which has no row yet. A draft writes nothing.
UNKNOWN_PROJECT = ""


class Wiring:
    """Everything the acts of one open memory share. It opens things when they are first needed, and decides nothing."""

    def __init__(
        self,
        db: Db,
        *,
        folder: str | Path | None,
        settings: config.Settings,
        embedder: Embedder | None,
        kinds: Kinds,
        clock: Callable[[], datetime],
        actor: str,
        channel: Channel,
        project: Project | None = None,
    ) -> None:
        self.db = db
        self.settings = settings
        self.kinds = kinds
        self.now = clock
        self.actor = actor
        self.channel = channel
        self.new_id = Ids(lambda: memories.find_newest_id(db))
        self.reading = ReadWiring(db, folder=folder, settings=settings, embedder=embedder, project=project)
        self.folder = self.reading.folder
        self.given_embedder = embedder
        self._accesses: dict[str, int] = {}
        # What hooks of this machine wrote is nobody's who comes from elsewhere.
        self.inbox = "" if db.viewer else inbox_path(db.path)
        # What waits to be sent to a server, where the memories are one's.
        self.outbox = f"{db.path}.outbox" if self.inbox and settings.text("url") else ""
        self._looked_for_left_over = False
        self.is_closed = False
        # Loaded by `memory.methods`, when a way of working is asked for.
        self.methodologies: KnownMethods | None = None

    # -- the two sides -----------------------------------------------------------------------------------

    def write_context(self) -> WriteContext:
        """What an act of writing needs; nothing is written by this."""
        # Loaded here: a recall has no use for the write side.
        from recollect.capture.write_context import WriteContext

        models = self.models()
        return WriteContext(
            db=self.db,
            kinds=self.kinds,
            now=self.now,
            new_id=self.new_id,
            embedder=models.embedder,
            model=models.num,
            index=models.index,
            checkout=self.checkout,
            channel=self.channel,
            home=self.ensure_project_id,
            excluded=self.excluded(),
            most_notes=self.settings.number("record.most_notes"),
        )

    def excluded(self) -> tuple[str, ...]:
        """Patterns of the files that are never recorded or remembered."""
        return parse_patterns(self.settings.text("record.exclude"))

    def look_at_checkout(self, prompt: str, branch: str) -> WeightedScores:
        """What the commits and the code around the folder say about the files for a text; nothing outside of git."""
        place = self.identity()
        if place is None or place.common is None:
            return ()
        # Here alone: few acts predict files, and every one loads this module.
        from recollect.predict_files.day_one import look_at_checkout

        return look_at_checkout(self.db, str(place.root), prompt, branch=branch, excluded=self.excluded())

    def begin_writing(self) -> WriteContext:
        """Store what waits to be stored (the inbox, accesses), then give what an act of writing needs."""
        self._drain_waiting()
        context = self.write_context()
        self.store_accesses()
        return context

    def read_context(self) -> ReadContext:
        """What a search needs; the inbox is not looked at."""
        return self.reading.read_context()

    def upkeep_context(self) -> UpkeepContext:
        """What looking after memories needs; no model is opened for it."""
        place = self.identity()
        return UpkeepContext(
            db=self.db,
            kinds=self.kinds,
            now=self.now(),
            new_id=self.new_id,
            project_id=self.project_id(),
            exists=make_file_check(place.root) if place else None,
            merged=(lambda branch: find_merge_kind(place.root, branch) is not None)
            if place and place.common
            else None,
            landed=partial(has_landed, place.root) if place and place.common else None,
            words_kept=timedelta(days=self.settings.number("words.keep_days")),
            checkout=self.checkout,
            snapshots_every=self.settings.number("snapshots.every"),
            snapshots_kept=self.settings.number("snapshots.keep"),
            ledger_kept=timedelta(days=days)
            if (days := self.settings.number("ledger.keep_days")) > 0
            else None,
        )

    # -- what hooks have written down ----------------------------------------------------------------------

    def folders(self) -> Folders:
        """Which project each folder belongs to."""
        return Folders(self.db, self.now, self.new_id)

    def drain_inbox_now(self) -> DrainResult:
        """Store what waits in the inbox; how much that was, and what could not be read."""
        # Loaded here: mostly nothing waits.
        from recollect.observe.drain import DrainResult
        from recollect.observe.drain import drain_inbox as drain

        if not self.inbox or self.db.read_only:
            return DrainResult()
        self._looked_for_left_over = True
        return drain(self.db, self.inbox, self.folders(), self.new_id(self.now()), self.outbox)

    def drain_inbox(self) -> None:
        """The same before something is read: a writer is not waited for, and what waits then waits for the next."""
        if self.inbox and not self.db.read_only:
            with self.db.hardly_waiting():
                self._drain_waiting()

    def _drain_waiting(self) -> None:
        """One look at the disk when nothing waits; trouble is left for `doctor`."""
        if not self.inbox or self.db.read_only:
            return
        if has_waiting(self.inbox) or (not self._looked_for_left_over and list_left_over(self.inbox)):
            try:
                self.drain_inbox_now()
            except (OSError, StoreError):
                self._looked_for_left_over = False  # it was moved aside, and is read by whoever comes next
                return
        self._looked_for_left_over = True

    # -- models ------------------------------------------------------------------------------------------

    def models(self) -> Models:
        """The embedding side of this store, opened once."""
        return self.reading.models()

    def set_embedder(self, choice: EmbedderChoice) -> None:
        """From now on the store uses this tier."""
        self.reading.set_embedder(choice)

    def embedder_settings(self) -> EmbedderSettings:
        """What the settings say about embedding."""
        return self.reading.embedder_settings()

    def completer(self, seconds: float | None = None) -> Completer | None:
        """The model that writes, if the settings name one; given up on after so many seconds."""
        # Loaded here: most stores do without one.
        from recollect.providers.complete import CompleterSettings, open_completer

        text = self.settings.text
        settings = CompleterSettings(
            kind=text("completer.kind"),  # type: ignore[arg-type]  # checked by the value itself
            model=text("completer.model"),
            url=text("completer.url"),
            key_env=text("completer.key_env"),
        )
        return open_completer(settings if seconds is None else replace(settings, timeout_s=seconds))

    # -- the project around the folder -------------------------------------------------------------------

    def identity(self) -> ProjectIdentity | None:
        """What git says about the folder."""
        return self.reading.identity()

    def project(self) -> Project | None:
        """The project around the folder, if it has memories already."""
        return self.reading.project()

    def project_id(self) -> str | None:
        """The id of the project around the folder, if it has memories already."""
        return self.reading.project_id()

    def ensure_project(self) -> Project | None:
        """The project around the folder; its row is written if there is none."""
        if self.reading.given_project is not None:
            return self.reading.given_project
        place = self.identity()
        if place is None:
            return None
        with self.db.transaction():
            return projects.ensure_project_at(
                self.db, place, identity.list_former_keys, self.new_id(self.now()), self.now()
            )

    def ensure_project_id(self) -> str | None:
        """The id of the project around the folder; its row is written if there is none."""
        project = self.ensure_project()
        return project.id if project else None

    def draft_project_id(self) -> str | None:
        """The project that a draft belongs to; UNKNOWN_PROJECT if it gets its row when the draft is remembered."""
        if self.identity() is None:
            return self.project_id()
        return self.project_id() or UNKNOWN_PROJECT

    def checkout(self) -> Checkout | None:
        """The project as it lies on disk just now, if it has memories already."""
        place, project = self.identity(), self.project()
        if place is None or project is None:
            return None
        head = identity.read_head_commit(Path(place.root)) or ""
        return Checkout(project_id=project.id, root=place.root, head=head)

    def ensure_project_with_key(self, key: str, name: str) -> Project:
        """The project with this key; its row is written if there is none."""
        with self.db.transaction():
            return projects.ensure_project(self.db, key, name, self.new_id(self.now()), self.now())

    def subjects(self, about: Iterable[Subject | str]) -> tuple[Subject, ...]:
        """What a person would write, as subjects of this project."""
        return tuple(dict.fromkeys(self._at_home(subject) for subject in parse_subjects(about)))

    def _at_home(self, subject: Subject) -> Subject:
        """A file as this project knows it: seen from the top, whatever folder it was named in."""
        place = self.identity()
        if subject.type not in ("file", "symbol") or place is None or self.folder is None:
            return subject
        path, mark, symbol = subject.name.partition("::")
        here = self.folder / path
        # Not Path.exists: that one raises for a name no file system would take.
        inside = relative(str(here.resolve()) if os.path.exists(here) else path, place.root)  # noqa: PTH110
        return Subject(subject.type, (inside or path) + mark + symbol)

    # -- accesses ----------------------------------------------------------------------------------------

    def record_access(self, memory_ids: Iterable[str]) -> None:
        """Count these as asked for and shown; it is written down with the next write, or at the end."""
        for memory_id in memory_ids:
            self._accesses[memory_id] = self._accesses.get(memory_id, 0) + 1

    def close(self) -> None:
        """Write down which memories were shown, and give the file back."""
        if self.is_closed:
            return
        self.is_closed = True
        try:
            with self.db.hardly_waiting():
                self.store_accesses()
        except (StoreBusy, StoreFull, StoreReadOnly):
            self._accesses = {}  # the answer was given; how often it was asked for is not worth an error
        finally:
            self.db.close()
            if not self.db.read_only and self.db.path != ":memory:":
                disk_ballast.ensure_ballast(self.db.path)

    def store_accesses(self) -> None:
        """Write down how often memories were asked for since the last time."""
        if self._accesses:
            counts, self._accesses = self._accesses, {}
            writing.record_access(self.db, counts, self.now())


class Ids:
    """Makes ids that never go back, even when the clock does: not in this process, not after another's."""

    def __init__(self, newest: Callable[[], str]) -> None:
        self._lock = threading.Lock()
        self._newest = newest
        self._last = ""

    def __call__(self, at: datetime) -> str:
        with self._lock:
            chance = int.from_bytes(os.urandom(CHANCE_BITS // 8), "big")
            if not self._last:
                new_id = make_id_after(self._newest(), at, chance)
            elif (new_id := make_id(at, chance)) <= self._last:
                new_id = next_id(self._last)
            self._last = new_id
            return new_id
