"""Looking after a whole store, as `memory.admin`: projects, export and import, backup, embedding, search index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.capture.reindex import ReindexReport, reindex
from recollect.errors import NotFound, StoreMissing
from recollect.model.health import Finding, Stats
from recollect.model.project import Project
from recollect.model.query import Filters
from recollect.model.value import replace
from recollect.providers.complete import Completer
from recollect.providers.embed import EmbedderChoice, TierStatus, list_tiers, open_embedder
from recollect.retrieve import reviews
from recollect.store.moving import MovePlan, move_store, plan_move
from recollect.store.open import open_db
from recollect.store.recovery import backup as backups
from recollect.store.safety.verify import verify
from recollect.store.search import fulltext, vectors
from recollect.store.tables import projects
from recollect.store.tables.meta import read_stats
from recollect.transfer import jsonl


@public_api
class Admin:
    """The store as a whole."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def path(self) -> str:
        """Where this memory lies: a file, or ":memory:"."""
        return self._wiring.db.path

    def projects(self) -> Sequence[Project]:
        """Every project that has memories here."""
        return projects.list_projects(self._wiring.db)

    def attach(self, other: str) -> Project:
        """The project around the folder is the same as another one, known by id, name or folder: join them."""
        home = self._wiring.ensure_project()
        if home is None:
            raise NotFound(what="project", name="the current folder")
        with self._wiring.db.transaction():
            same = projects.get_project(self._wiring.db, other)
            if same.id != home.id:
                projects.merge_projects(self._wiring.db, same, home)
        return home

    def stats(self, *, every_project: bool = False) -> Stats:
        """How much is remembered, of what kinds, and what it costs on disk."""
        db, project_id = self._wiring.db, self._wiring.project_id()
        stats = read_stats(db, project_id, every_project=every_project)
        # As `review` counts: not the label alone, but what a person would be shown.
        waiting = reviews.count_waiting(db, Filters(project_id=project_id, every_project=every_project))
        return replace(stats, needs_review=waiting)

    def export(self, *, every_project: bool = True, forgotten: bool = False) -> Iterator[dict[str, Any]]:
        """Every memory in its JSON form, after a header that names the format; what was forgotten if asked for."""
        yield from jsonl.export_lines(
            self._wiring.db,
            self._wiring.now(),
            self._wiring.project_id(),
            every_project=every_project,
            forgotten=forgotten,
        )

    def import_memories(
        self, lines: jsonl.Lines, *, name: str = "the import", dry_run: bool = False, mine: bool = False
    ) -> jsonl.ImportResult:
        """
        Take in what `export` wrote: `lines()` gives them, and is called twice. All of it, or nothing.

        It waits for review, unless it is `mine`: then it keeps the standing it had, which only a person may say.
        """
        return jsonl.import_lines(
            self._wiring.begin_writing(),
            lines,
            self._wiring.ensure_project_with_key,
            actor=self._wiring.actor,
            name=name,
            dry_run=dry_run,
            mine=mine,
        )

    def backup(self, target: str | Path, progress: Callable[[int, int], None] | None = None) -> Path:
        """Copy the whole database to a new file, while others may go on writing."""
        return backups.backup(self._wiring.db, Path(target), self._wiring.now(), progress)

    def plan_move(self, target: str) -> MovePlan:
        """What moving this store to another address would copy; nothing is made or changed."""
        try:
            there = open_db(target, self._wiring.now(), create=False, read_only=True)
        except (StoreMissing, NotFound):
            return plan_move(self._wiring.db, None)
        try:
            return plan_move(self._wiring.db, there)
        finally:
            there.close()

    def move(self, target: str, progress: Callable[[int, int], None] = lambda done, total: None) -> MovePlan:
        """Copy every row to another address, compared afterwards; this one stays. Stopped, it goes on where it was."""
        there = open_db(target, self._wiring.now())
        try:
            return move_store(self._wiring.db, there, progress)
        finally:
            there.close()

    def verify(self) -> Sequence[Finding]:
        """Check every row of the database against its checksum; what is wrong, one finding each."""
        return verify(self._wiring.db)

    def rebuild_search_index(self, progress: Callable[[int, int], None] = lambda done, total: None) -> int:
        """Write the full-text index anew; how many entries it has."""
        return fulltext.rebuild_search_index(self._wiring.db, progress)

    # -- embedding ---------------------------------------------------------------------------------------

    def reindex(self, progress: Callable[[int, int], None] = lambda done, total: None) -> ReindexReport:
        """Embed what the model of the settings has not seen; the old vectors serve until it is done."""
        # Settings that leave it open keep the tier the store uses, even one that is down just now.
        choice = self.requested_embedding() or self.embedding()
        embedder = self._wiring.given_embedder or open_embedder(choice)
        done = reindex(self._wiring.db, embedder, self._wiring.kinds, progress)
        self._wiring.set_embedder(choice)
        return done

    def embedding(self) -> EmbedderChoice:
        """The embedding tier that this store uses."""
        return self._wiring.models().choice

    def requested_embedding(self) -> EmbedderChoice | None:
        """The tier the settings name; None when they leave it open."""
        return self._wiring.reading.requested_embedding()

    def unembedded(self) -> int:
        """How many memories should have a vector and have none."""
        models = self._wiring.models()
        embedded = tuple(kind.name for kind in self._wiring.kinds if kind.embedded)
        return vectors.count_missing(self._wiring.db, models.num, embedded) if models.embedder else 0

    def tiers(self) -> Sequence[TierStatus]:
        """Every embedding tier and whether it could be chosen now."""
        return list_tiers(self._wiring.embedder_settings())

    def completer(self) -> Completer | None:
        """The model that writes, if the settings name one. Every step that would use it does without as well."""
        return self._wiring.completer()
