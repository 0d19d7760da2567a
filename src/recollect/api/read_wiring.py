"""What reading a memory needs: database, model, and the project around the folder. The write side is not loaded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from recollect import config
from recollect.errors import BadInput, ModelMismatch, StoreBusy
from recollect.git import identity
from recollect.model.predicted_file import PredictedFile
from recollect.model.project import Project, ProjectIdentity
from recollect.model.value import dataclass
from recollect.providers.embed import Embedder, EmbedderChoice, EmbedderSettings, choose_tier, open_embedder
from recollect.retrieve.read_context import ReadContext
from recollect.store.db import Db
from recollect.store.search import vectors
from recollect.store.search.bm25_index import WordIndex
from recollect.store.search.read_cache import ReadCache
from recollect.store.tables import meta, projects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.predict_files.inputs import WeightedScores

# Under this name the store keeps the tier it lives with.
CHOICE = "embedder"


class ReadWiring:
    """The reading half of an open memory. It opens things when they are first needed, and decides nothing."""

    def __init__(
        self,
        db: Db,
        *,
        folder: str | Path | None,
        settings: config.Settings,
        embedder: Embedder | None = None,
        project: Project | None = None,
    ) -> None:
        self.db = db
        self.settings = settings
        self.folder = _nameable(Path(folder).absolute()) if folder is not None else None
        self.given_embedder = embedder
        # Named by whoever opens it, where there is no folder to find it by.
        self.given_project = project
        self._place: ProjectIdentity | None = None
        self._models: Models | None = None
        self._words = WordIndex(db)
        self._shelf = ReadCache(db)

    def read_context(self) -> ReadContext:
        """What a search needs."""
        models, place = self.models(), self.identity()
        return ReadContext(
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

    def set_embedder(self, choice: EmbedderChoice) -> None:
        """From now on the store uses this tier."""
        meta.save_meta(self.db, CHOICE, choice.to_text())
        self._models = None

    def embedder_settings(self) -> EmbedderSettings:
        """What the settings say about embedding."""
        text = self.settings.text
        return EmbedderSettings(
            tier=text("embedding.tier"),  # type: ignore[arg-type]  # checked by the value itself
            model=text("embedding.model"),
            url=text("embedding.url"),
            key_env=text("embedding.key_env"),
            dimensions=self.settings.number("embedding.dimensions"),
        )

    def requested_embedding(self) -> EmbedderChoice | None:
        """The tier the settings name; None when they leave it open."""
        settings = self.embedder_settings()
        return None if settings.tier == "auto" and not settings.url else choose_tier(settings)

    def model_mismatch(self) -> str:
        """What to say when the settings ask for another model than the memories were embedded with; else ""."""
        requested = self.requested_embedding() if self.given_embedder is None else None
        stored = self.models().choice
        if requested is None or requested.to_text() == stored.to_text():
            return ""
        return str(ModelMismatch(stored=stored.tier, asked=requested.tier))

    def identity(self) -> ProjectIdentity | None:
        """What git says about the folder."""
        if self._place is None and self.folder is not None:
            self._place = identity.identify(self.folder, projects.StoredIdentities(self.db))
        return self._place

    def project(self) -> Project | None:
        """The project around the folder, if it has memories already."""
        if self.given_project is not None:
            return self.given_project
        place = self.identity()
        return projects.find_project(self.db, place, identity.list_former_keys) if place else None

    def project_id(self) -> str | None:
        """The id of the project around the folder, if it has memories already."""
        project = self.project()
        return project.id if project else None

    def predict_files(
        self,
        *,
        prompt: str,
        branch: str,
        folder: str,
        session_id: str = "",
        without_sessions: WeightedScores = (),
    ) -> Sequence[PredictedFile]:
        """
        The files that a session will probably open and that are there, the likeliest first.

        A hook, for which an agent waits, goes by what sessions did; others add what the checkout says WITHOUT_SESSIONS.
        """
        # Loaded here: most prompts go on with a session, and name no files.
        from recollect.git.files import is_there
        from recollect.inject.calibrate import MAX_COMPARED_FILES
        from recollect.predict_files import predict

        project_id, place = self.project_id(), self.identity()
        if project_id is None or place is None:
            return ()
        return predict.predict_files(
            self.db,
            project_id,
            predict.PredictionRequest(prompt=prompt, branch=branch, folder=folder, session_id=session_id),
            limit=MAX_COMPARED_FILES,
            is_there=lambda path: is_there(f"{place.root}/{path}"),
            without_sessions=without_sessions,
        )


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


def _open_models(db: Db, settings: EmbedderSettings, embedder_given: Embedder | None) -> Models:
    stored = meta.read_meta(db, CHOICE)
    choice = EmbedderChoice.from_text(stored) if stored else choose_tier(settings)
    if stored is None and embedder_given is None and not db.read_only:
        with suppress(StoreBusy), db.hardly_waiting():  # whoever comes next will note it
            meta.save_meta(db, CHOICE, choice.to_text())
    embedder = embedder_given or open_embedder(choice)
    if embedder is None or (db.read_only and not vectors.has_model(db, embedder.model_id)):
        return Models(choice=choice, embedder=None, num=0, index=None)
    num = vectors.ensure_model(db, embedder.model_id, embedder.dimensions)
    return Models(
        choice=choice, embedder=embedder, num=num, index=vectors.VectorIndex(db, num, embedder.dimensions)
    )
