"""What reading a memory takes: database, model, and the project around the folder. The write side is not loaded."""

from __future__ import annotations

import os
from pathlib import Path

from recollect import config
from recollect.errors import BadInput
from recollect.git import identity
from recollect.model.project import Project, ProjectIdentity
from recollect.model.value import dataclass
from recollect.providers.embed import Embedder, EmbedderChoice, EmbedderSettings, choose, open_embedder
from recollect.retrieve.read_context import Ground
from recollect.store.db import Db
from recollect.store.search import vectors
from recollect.store.search.bm25_index import WordIndex
from recollect.store.search.read_cache import Shelf
from recollect.store.tables import meta, projects

# Under this name the store keeps the tier it lives with.
CHOICE = "embedder"


class Reading:
    """The reading half of an open memory. It opens things when they are first needed, and decides nothing."""

    def __init__(
        self,
        db: Db,
        *,
        folder: str | Path | None,
        settings: config.Settings,
        embedder: Embedder | None = None,
    ) -> None:
        self.db = db
        self.settings = settings
        self.folder = _nameable(Path(folder).absolute()) if folder is not None else None
        self.given_embedder = embedder
        self._place: ProjectIdentity | None = None
        self._models: Models | None = None
        self._words = WordIndex(db)
        self._shelf = Shelf(db)

    def ground(self) -> Ground:
        """What a search stands on."""
        models, place = self.models(), self.identity()
        return Ground(
            db=self.db,
            embedder=models.embedder,
            model=models.num,
            index=models.index,
            words=self._words,
            shelf=self._shelf,
            root=place.root if place else None,
        )

    def models(self) -> Models:
        """The embedding side of this store, opened once."""
        if self._models is None:
            self._models = _open_models(self.db, self.embedder_settings(), self.given_embedder)
        return self._models

    def live_with(self, choice: EmbedderChoice) -> None:
        """From now on the store lives with this tier."""
        meta.put(self.db, CHOICE, choice.to_text())
        self._models = None

    def embedder_settings(self) -> EmbedderSettings:
        """What the settings say about embedding."""
        text = self.settings.text
        path = text("embedding.path")
        return EmbedderSettings(
            tier=text("embedding.tier"),  # type: ignore[arg-type]  # checked by the value itself
            model=text("embedding.model"),
            url=text("embedding.url"),
            key_env=text("embedding.key_env"),
            dimensions=self.settings.number("embedding.dimensions"),
            path=Path(path) if path else None,
        )

    def identity(self) -> ProjectIdentity | None:
        """What git says about the folder."""
        if self._place is None and self.folder is not None:
            self._place = identity.identify(self.folder, projects.KnownIdentities(self.db))
        return self._place

    def project(self) -> Project | None:
        """The project around the folder, if it has memories already."""
        place = self.identity()
        return projects.find(self.db, place, identity.former_keys) if place else None

    def project_id(self) -> str | None:
        """The id of the project around the folder, if it has memories already."""
        found = self.project()
        return found.id if found else None


def _nameable(folder: Path) -> Path:
    try:
        os.fsencode(folder)
    except UnicodeEncodeError as error:
        raise BadInput(reason=f"no folder can be called {str(folder)!r}") from error
    return folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The embedding side of an open store."""

    choice: EmbedderChoice
    embedder: Embedder | None
    num: int
    index: vectors.VectorIndex | None


def _open_models(db: Db, settings: EmbedderSettings, given: Embedder | None) -> Models:
    stored = meta.get(db, CHOICE)
    choice = EmbedderChoice.from_text(stored) if stored else choose(settings)
    if stored is None and given is None and not db.read_only:
        meta.put(db, CHOICE, choice.to_text())
    embedder = given or open_embedder(choice)
    if embedder is None or (db.read_only and not vectors.has_met(db, embedder.model_id)):
        return Models(choice=choice, embedder=None, num=0, index=None)
    num = vectors.model_num(db, embedder.model_id, embedder.dimensions)
    return Models(
        choice=choice, embedder=embedder, num=num, index=vectors.VectorIndex(db, num, embedder.dimensions)
    )
