"""The vault: `memory.vault`, a folder of notes in step with memory."""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.api.public_api import public_api
from recollect.api.vault_parts import Journal, Messages, VaultTasks
from recollect.api.wiring import Wiring
from recollect.errors import BadInput, NotFound, ProviderError
from recollect.inject.answer import render_answer
from recollect.model.memory import Memory
from recollect.model.query import Filters, Query, Recalled
from recollect.model.value import dataclass, field
from recollect.providers.http import Endpoint, is_this_machine
from recollect.retrieve.judged_search import search_judged
from recollect.store.search.note_vectors import NoteVectorIndex, count_unseen_parts
from recollect.store.tables import memories, projects, vault_notes
from recollect.store.tables.vault_index import LinkedNote
from recollect.store.tables.vault_notes import NoteVersion, VaultRow
from recollect.vault import init, notes
from recollect.vault.branches import find_repository
from recollect.vault.context import NOT_SHOWN, VaultContext
from recollect.vault.export_markdown import export_notes
from recollect.vault.files import check_path
from recollect.vault.import_markdown import ImportedMarkdown, import_markdown
from recollect.vault.meaning import NoteEmbedder, embed_notes
from recollect.vault.memory_directory import answer_command
from recollect.vault.memory_folder import MemoryFolder, make_private_folder
from recollect.vault.messages.channel import MessageChannel
from recollect.vault.messages.exchange import MessageExchange
from recollect.vault.messages.file_box import FileBox
from recollect.vault.messages.openclaw import OpenClaw, find_gateway
from recollect.vault.messages.webhook import Webhook
from recollect.vault.notes import ListedNote
from recollect.vault.search import NoteHit, find_neighbours, search_notes
from recollect.vault.sync import Progress, sync_vault
from recollect.vault.sync_report import SyncReport
from recollect.vault.watch import watch_vault

__all__ = ["SyncReport", "Vault", "VaultStatus"]

# So long notes are embedded after each look of the watcher.
_WATCHED_SECONDS = 3.0
# So many of the newest memories are shown as files.
_MAX_KNOWN = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultStatus:
    """How a vault stands: how many notes, how many of them are memories, and what is left alone and why."""

    root: str
    notes: int
    memories: int
    synced_at: str
    problems: dict[str, str] = field(default_factory=dict)
    # Parts of notes that the model has not seen yet: they are found by their words alone.
    unseen_parts: int = 0


@public_api
class Vault:
    """A folder of notes in step with memory. The one of the settings, or the only one there is, unless one is named."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._chosen: str = ""
        self._note_index: NoteVectorIndex | None = None

    # -- the folder --------------------------------------------------------------------------------------

    def init(
        self, folder: str | Path | None = None, *, only_project: bool = False, kinds: Sequence[str] = ()
    ) -> list[str]:
        """Make a folder a vault; what was made in it. Notes that are there stay as they are."""
        place = Path(folder).expanduser() if folder else Path.home() / init.DEFAULT
        project_id = self._wiring.ensure_project_id() if only_project else None
        named = tuple(self._wiring.kinds.get(kind).name for kind in kinds)
        vault, made = init.make_vault(self._wiring.db, place, project_id=project_id, kinds=named)
        self._chosen = vault.root
        return made

    def use(self, folder: str | Path) -> None:
        """Work with this vault from now on."""
        self._chosen = os.path.realpath(Path(folder).expanduser())

    def here(self) -> Sequence[Path]:
        """The vaults that are kept in step from here: the usual one, and the one of this project, if it has its own."""
        of_project = [vault for vault in self._of_project() if find_repository(Path(vault.root))]
        vaults = [self._find_vault(), *of_project]
        return list(dict.fromkeys(Path(vault.root) for vault in vaults if vault is not None))

    @property
    def is_of_project(self) -> bool:
        """Whether it is a project's own, which a team may share."""
        return self._vault().project_id is not None

    @property
    def root(self) -> Path:
        """The folder."""
        return Path(self._vault().root)

    def exists(self) -> bool:
        """Whether there is a vault to work with."""
        return self._find_vault() is not None

    def offers(self) -> list[Path]:
        """Obsidian vaults in the usual places, where one could be made."""
        return init.find_vaults(Path.home())

    def sync(
        self,
        paths: Iterable[str] | None = None,
        *,
        mine: bool = False,
        take_deletions: bool = False,
        progress: Progress = lambda done, total: None,
    ) -> SyncReport:
        """Bring notes and memories in step. `mine`: a person says that every edit in it is theirs."""
        if mine and self._by_agent:
            raise BadInput(reason="only a person can say that the edits in a vault are theirs")
        context = self._context(edits="mine" if mine else "")
        listed = None if paths is None else list(paths)
        return sync_vault(context, listed, take_deletions=take_deletions, progress=progress)

    def embed(self, *, seconds: float = 10.0) -> int:
        """Let the model see parts of notes that it has not seen, for so long at most; how many are left."""
        models = self._note_models()
        return embed_notes(self._wiring.db, self._vault().num, models, seconds=seconds) if models else 0

    def watch(self, *, seconds: float | None = None) -> Iterator[SyncReport]:
        """Sync whenever a note changed; each report as it comes."""

        def sync_and_embed(paths: Sequence[str] | None) -> SyncReport:
            report = self.sync(paths)
            self.embed(seconds=_WATCHED_SECONDS)
            return report

        return watch_vault(self.root, sync_and_embed, seconds=seconds)

    def status(self) -> VaultStatus:
        """How the vault stands."""
        vault = self._vault()
        count, shown = vault_notes.count_notes(self._wiring.db, vault.num)
        return VaultStatus(
            root=vault.root,
            notes=count,
            memories=shown,
            synced_at=vault.synced_at.isoformat() if vault.synced_at else "",
            problems=vault_notes.list_problems(self._wiring.db, vault.num),
            unseen_parts=count_unseen_parts(self._wiring.db, vault.num, models.model)
            if (models := self._note_models())
            else 0,
        )

    def versions(self, path: str, limit: int = 20) -> list[NoteVersion]:
        """The versions that were seen of a note, newest first; also of one that is gone."""
        return vault_notes.list_versions_at(self._wiring.db, self._vault().num, path, limit)

    def import_markdown(self, paths: Sequence[str | Path], *, dry_run: bool = False) -> ImportedMarkdown:
        """Propose what Markdown documents state, with the place of each; nothing is used before a yes."""
        wiring = self._wiring
        place = wiring.identity()
        root = Path(place.root) if place else None

        def in_project(file: Path) -> str | None:
            here = file if file.is_absolute() else (root or Path()) / file
            is_inside = root is not None and here.is_file() and here.resolve().is_relative_to(root)
            return here.resolve().relative_to(root).as_posix() if root and is_inside else None

        return import_markdown(
            wiring.begin_writing,
            [Path(path).expanduser() for path in paths],
            actor=wiring.actor,
            project_id=None if dry_run else wiring.ensure_project_id(),
            in_project=in_project,
            dry_run=dry_run,
        )

    def export_markdown(self, folder: str | Path, *, every_project: bool = True) -> int:
        """Write every memory that people read as a note into a folder of its own; how many."""
        wiring = self._wiring
        names = {project.id: project.name for project in projects.list_projects(wiring.db)}
        exported = memories.iterate_memories(wiring.db, wiring.project_id(), every_project=every_project)
        return export_notes(Path(folder).expanduser(), exported, wiring.kinds, names)

    # -- notes -------------------------------------------------------------------------------------------

    def read(self, path: str) -> str:
        """The text of a note."""
        return notes.read_note(self._context(), path, for_agent=self._by_agent)

    def write(self, path: str, content: str) -> str:
        """Write a note whole; what was there is kept as a version. Its path."""
        return notes.write_note(self._context(), path, content, for_agent=self._by_agent)

    def append(self, path: str, content: str) -> str:
        """Add to the end of a note, or make it. Its path."""
        return notes.append_note(self._context(), path, content, for_agent=self._by_agent)

    def list(self, folder: str = "") -> Sequence[ListedNote]:
        """The notes and folders in a folder."""
        return notes.list_folder(self._context(), folder)

    def search(self, query: str, *, folder: str = "", limit: int = 10) -> Sequence[NoteHit]:
        """The notes that answer a question best, with an excerpt, its line and the notes linked with it."""
        return search_notes(
            self._wiring.db,
            self._vault().num,
            query,
            folder=folder,
            limit=limit,
            for_agent=self._by_agent,
            nearest=self._find_nearest,
        )

    def neighbours(self, path: str) -> Sequence[LinkedNote]:
        """The notes that a note links to or that link to it."""
        row = vault_notes.find_note_at(self._wiring.db, self._vault().num, path)
        if row is None:
            raise NotFound(what="note", name=path)
        return find_neighbours(self._wiring.db, self._vault().num, row.num)

    def memory_tool(
        self, command: Mapping[str, Any], *, folder: str = "", directory: str | Path | None = None
    ) -> str:
        """
        Answer a call of Anthropic's memory tool: the vault is its `/memories` directory, or one folder of it.

        With `directory`, which need not be in a vault, that one is; what is remembered is shown there as files to read.
        """
        if directory is not None:
            return answer_command(self._plain_folder(Path(directory)), command)
        context = self._context()
        root = context.root / check_path(folder) if folder else context.root
        make_private_folder(root)
        return answer_command(MemoryFolder(root=root, vault=context), command)

    def _plain_folder(self, directory: Path) -> MemoryFolder:
        make_private_folder(directory.expanduser())
        return MemoryFolder(root=directory.expanduser(), known=self._known_files)

    def _known_files(self) -> Mapping[str, str]:
        """What is remembered and may be read by an agent, a file for each kind."""
        shown: dict[str, list[Memory]] = {}
        filters = Filters(project_id=self._wiring.project_id())
        for memory in memories.list_memories(self._wiring.db, filters, limit=_MAX_KNOWN, offset=0):
            if memory.kind not in NOT_SHOWN:
                shown.setdefault(memory.kind, []).append(memory)
        return {
            f"{kind}.md": render_answer(
                self._wiring.kinds.get(kind).heading, shown[kind], secrets.token_hex(4)
            )
            + "\n"
            for kind in sorted(shown)
        }

    # -- what lives in it --------------------------------------------------------------------------------

    @property
    def tasks(self) -> VaultTasks:
        """Tasks as lines of a note."""
        return VaultTasks(self._wiring, self._context)

    @property
    def journal(self) -> Journal:
        """What an agent loads before a run and saves after it."""
        return Journal(
            self._wiring, self._context, self._recall, lambda query, limit: self.search(query, limit=limit)
        )

    @property
    def messages(self) -> Messages:
        """Messages to a person who is elsewhere."""
        return Messages(self._wiring, self._open_messages)

    # -- what it is wired from ---------------------------------------------------------------------------

    def _find_nearest(self, question: str, limit: int) -> Mapping[int, float]:
        """The vectors of notes that are nearest to a question; none where notes are searched by words alone."""
        models = self._note_models()
        if models is None or not question.strip():
            return {}
        if self._note_index is None:
            embedder = models.embedder
            self._note_index = NoteVectorIndex(self._wiring.db, models.model, embedder.dimensions)
        try:
            if self._note_index.is_empty():
                return {}
            return self._note_index.nearest(models.embedder.embed_query(question).vector, limit)
        except ProviderError:  # a model server that is down: words still answer
            return {}

    def _note_models(self) -> NoteEmbedder | None:
        """The model that notes are embedded with, if there is one and what stands in notes may be shown to it."""
        models, wanted = self._wiring.models(), self._wiring.settings.text("vault.meaning")
        if models.embedder is None or wanted == "off":
            return None
        if wanted == "auto" and models.choice.url and not is_this_machine(models.choice.url):
            return None
        return NoteEmbedder(embedder=models.embedder, model=models.num)

    @property
    def _by_agent(self) -> bool:
        return self._wiring.actor == "agent"

    def _find_vault(self) -> VaultRow | None:
        db = self._wiring.db
        named = self._chosen or self._wiring.settings.text("vault.path")
        if named:
            return vault_notes.find_vault(db, os.path.realpath(Path(named).expanduser()))
        of_project, vaults = self._of_project(), vault_notes.list_vaults(db)
        anyones = [vault for vault in vaults if vault.project_id is None]
        return next(iter(anyones if len(anyones) == 1 else of_project if not anyones else []), None)

    def _of_project(self) -> Sequence[VaultRow]:
        project_id = self._wiring.project_id()
        vaults = vault_notes.list_vaults(self._wiring.db) if project_id else []
        return [vault for vault in vaults if vault.project_id == project_id]

    def _vault(self) -> VaultRow:
        vault = self._find_vault()
        if vault is None:
            raise NotFound(
                "There is no vault yet, or more than one. Make one with `recollect vault init`, or name it with the"
                " setting vault.path.",
                fix="recollect vault init",
            )
        return vault

    def _context(self, edits: str = "") -> VaultContext:
        return open_vault_context(self._wiring, self._vault(), edits)

    def _recall(self, question: str, limit: int) -> Recalled:
        filters = Filters(project_id=self._wiring.project_id())
        query = Query(text=question, limit=limit, filters=filters)
        return search_judged(self._wiring.read_context(), query, self._wiring.now())

    def _open_messages(self) -> MessageExchange:
        channels: dict[str, MessageChannel] = {"file": FileBox(self._context())}
        kind = self._wiring.settings.text("messages.channel")
        if kind != "file":
            channels[kind] = self._open_channel(kind)
        return MessageExchange(
            db=self._wiring.db,
            channels=channels,
            usual=kind,
            now=self._wiring.now,
            new_id=self._wiring.new_id,
        )

    def _open_channel(self, kind: str) -> MessageChannel:
        settings = self._wiring.settings
        url, key_env = settings.text("messages.url"), settings.text("messages.key_env")
        if kind == "openclaw":
            gateway = find_gateway(Path.home())
            server = Endpoint(url=url or gateway.url, key_env=key_env, read_s=30.0, attempts=1)
            # The token of this machine's gateway is not sent to another address.
            own = gateway if not url or url.rstrip("/") == gateway.url else None
            return OpenClaw(server, target=settings.text("messages.target"), settings=own)
        if not url:
            raise BadInput(
                reason="messages.channel is webhook, and messages.url names no address; set it:"
                " recollect config set messages.url https://…"
            )
        return Webhook(Endpoint(url=url, key_env=key_env, read_s=30.0, attempts=1))


def open_vault_context(wiring: Wiring, vault: VaultRow, edits: str = "") -> VaultContext:
    """What every act in a vault needs at hand."""
    names = {project.id: project.name for project in projects.list_projects(wiring.db)}
    return VaultContext(
        db=wiring.db,
        vault=vault,
        open_writing=wiring.begin_writing,
        now=wiring.now,
        kinds=wiring.kinds,
        lock=_lock_path(wiring, vault.root),
        edits=edits or wiring.settings.text("vault.edits"),
        project_name=lambda project_id: names.get(project_id or "", ""),
    )


def _lock_path(wiring: Wiring, root: str) -> str:
    name = f"vault-{hashlib.sha256(root.encode()).hexdigest()[:12]}.lock"
    path = wiring.db.path
    folder = tempfile.gettempdir() if path == ":memory:" else f"{path}.locks"
    return os.path.join(folder, name)  # noqa: PTH118
