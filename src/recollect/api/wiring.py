"""
What the engine is wired from: database, models, kinds, clock, ids, and the project around the folder.

The write side, what reads the inbox and the model that writes load on their first use: a recall needs none of them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import config
from recollect.api.read_wiring import Models, Reading
from recollect.errors import StoreBusy, StoreError, StoreFull, StoreReadOnly
from recollect.events.excluded import patterns_of
from recollect.events.inbox import has_mail, inbox_of, left_over
from recollect.git import identity
from recollect.git.merged import how_merged
from recollect.lifecycle import access
from recollect.lifecycle.upkeep_context import Care, files_in
from recollect.model.anchor import Checkout
from recollect.model.dated_ids import id_after, make_id
from recollect.model.ids import CHANCE_BITS, next_id
from recollect.model.kinds import Kinds
from recollect.model.project import Project, ProjectIdentity
from recollect.model.provenance import Channel
from recollect.model.subject import Subject, subjects_of
from recollect.model.subject_path import relative
from recollect.model.value import replace
from recollect.observe.folders import Folders
from recollect.providers.embed import Embedder, EmbedderChoice, EmbedderSettings
from recollect.retrieve.read_context import Ground
from recollect.store.db import Db
from recollect.store.safety import disk_ballast
from recollect.store.tables import memories, projects

if TYPE_CHECKING:
    from recollect.capture.write_context import Door
    from recollect.methods.known import Known
    from recollect.observe.drain import Drained
    from recollect.providers.complete import Completer


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
    ) -> None:
        self.db = db
        self.settings = settings
        self.kinds = kinds
        self.now = clock
        self.actor = actor
        self.channel = channel
        self.new_id = Ids(lambda: memories.newest_id(db))
        self.reading = Reading(db, folder=folder, settings=settings, embedder=embedder)
        self.folder = self.reading.folder
        self.given_embedder = embedder
        self._accesses: dict[str, int] = {}
        self.inbox = inbox_of(db.path)
        self._looked_for_left_over = False
        # Loaded by the desk for ways of working, when one is asked for.
        self.methodologies: Known | None = None

    # -- the two sides -----------------------------------------------------------------------------------

    def door(self) -> Door:
        """The write side."""
        self.take_in_mail_quietly()
        models = self.models()
        self._count_accesses()
        made: Door = import_module("recollect.capture.write_context").Door(
            db=self.db,
            kinds=self.kinds,
            now=self.now,
            new_id=self.new_id,
            embedder=models.embedder,
            model=models.num,
            index=models.index,
            checkout=self.checkout,
            channel=self.channel,
            home=self.home_id,
            excluded=patterns_of(self.settings.text("record.exclude")),
            most_notes=self.settings.number("record.most_notes"),
        )
        return made

    def ground(self) -> Ground:
        """The read side."""
        self.take_in_mail_quietly()
        return self.reading.ground()

    def care(self) -> Care:
        """What looking after memories needs; no model is opened for it."""
        self._count_accesses()
        place = self.identity()
        return Care(
            db=self.db,
            kinds=self.kinds,
            now=self.now(),
            new_id=self.new_id,
            project_id=self.project_id(),
            exists=files_in(place.root) if place else None,
            merged=(lambda branch: how_merged(place.root, branch) is not None)
            if place and place.common
            else None,
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

    def take_in_mail(self) -> Drained:
        """Store what waits in the inbox."""
        mail = import_module("recollect.observe.drain")
        drained: Drained
        if not self.inbox or self.db.read_only:
            drained = mail.Drained()
        else:
            self._looked_for_left_over = True
            drained = mail.drain(self.db, self.inbox, self.folders(), self.new_id(self.now()))
        return drained

    def take_in_mail_quietly(self) -> None:
        """The same before any act that may write. One look at the disk when nothing waits; trouble is for `doctor`."""
        if not self.inbox or self.db.read_only:
            return
        if has_mail(self.inbox) or (not self._looked_for_left_over and left_over(self.inbox)):
            with suppress(OSError, StoreError):
                self.take_in_mail()
        self._looked_for_left_over = True

    # -- models ------------------------------------------------------------------------------------------

    def models(self) -> Models:
        """The embedding side of this store, opened once."""
        return self.reading.models()

    def live_with(self, choice: EmbedderChoice) -> None:
        """From now on the store lives with this tier."""
        self.reading.live_with(choice)

    def embedder_settings(self) -> EmbedderSettings:
        """What the settings say about embedding."""
        return self.reading.embedder_settings()

    def completer(self, seconds: float | None = None) -> Completer | None:
        """The model that writes, if the settings name one; given up on after so many seconds."""
        text = self.settings.text
        writers = import_module("recollect.providers.complete")
        settings = writers.CompleterSettings(
            kind=text("completer.kind"),
            model=text("completer.model"),
            url=text("completer.url"),
            key_env=text("completer.key_env"),
        )
        opened: Completer | None = writers.open_completer(
            settings if seconds is None else replace(settings, timeout_s=seconds)
        )
        return opened

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

    def home(self) -> Project | None:
        """The project around the folder, made known if it was not."""
        place = self.identity()
        if place is None:
            return None
        with self.db.transaction():
            return projects.at_home(self.db, place, identity.former_keys, self.new_id(self.now()), self.now())

    def home_id(self) -> str | None:
        """The id of the project around the folder, made known if it was not."""
        home = self.home()
        return home.id if home else None

    def checkout(self) -> Checkout | None:
        """The project as it lies on disk just now, if it has memories already."""
        place, project = self.identity(), self.project()
        if place is None or project is None:
            return None
        head = identity.head_commit(Path(place.root)) or ""
        return Checkout(project_id=project.id, root=place.root, head=head)

    def project_of(self, key: str, name: str) -> Project:
        """The project with this key, made known if it was not."""
        with self.db.transaction():
            return projects.ensure(self.db, key, name, self.new_id(self.now()), self.now())

    def subjects(self, about: Iterable[Subject | str]) -> tuple[Subject, ...]:
        """What a person would write, as subjects of this project."""
        return tuple(dict.fromkeys(self._at_home(subject) for subject in subjects_of(about)))

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

    # -- accesses: a read writes nothing, so they are counted with the next write, or at the end ----------

    def asked_for(self, memory_ids: Iterable[str]) -> None:
        """These were asked for and shown."""
        for memory_id in memory_ids:
            self._accesses[memory_id] = self._accesses.get(memory_id, 0) + 1

    def close(self) -> None:
        """Write down what was asked for, and give the file back."""
        try:
            self._count_accesses()
        except (StoreBusy, StoreFull, StoreReadOnly):
            self._accesses = {}  # the answer was given; how often it was asked for is not worth an error
        finally:
            self.db.close()
            if not self.db.read_only and self.db.path != ":memory:":
                disk_ballast.keep(self.db.path)

    def _count_accesses(self) -> None:
        if self._accesses:
            counts, self._accesses = self._accesses, {}
            access.count(self.db, counts, self.now())


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
                made = id_after(self._newest(), at, chance)
            elif (made := make_id(at, chance)) <= self._last:
                made = next_id(self._last)
            self._last = made
            return made
