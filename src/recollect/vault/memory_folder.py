"""
The files behind the `/memories` directory of Anthropic's memory tool: a folder of a vault, or a folder by itself.

A note of the vault is written as every other note is: whole, merged, with its versions kept. Any other file is written
whole and belongs to its owner alone. Secrets stay out of both. No path leads out, by dots or by links.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from recollect.errors import BadInput, NotFound
from recollect.events.bounded_read import UnreadableFile, open_regular, read_all
from recollect.events.redact import redact
from recollect.model.value import dataclass
from recollect.store.tables import vault_index, vault_notes
from recollect.vault.context import VaultContext
from recollect.vault.files import check_path
from recollect.vault.notes import read_note, run_in_turn, write_note
from recollect.vault.versions import keep_version

TOP = "/memories"
# What is remembered, shown as files that are only read; not there while nothing is remembered.
KNOWN = "known"
_MAX_BYTES = 64 * 1024 * 1024
_FILE_MODE = 0o600
_FOLDER_MODE = 0o700


def _knows_nothing() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFolder:
    """The folder that an agent sees as `/memories`."""

    root: Path
    # The vault it lies in, if it does.
    vault: VaultContext | None = None
    # Names and texts of the files that show what is remembered.
    known: Callable[[], Mapping[str, str]] = _knows_nothing

    def locate(self, path: object, name: str = "path") -> Path:
        """The place of a path as the agent writes it; anything that leads out is refused."""
        if not isinstance(path, str) or not (path == TOP or path.startswith(f"{TOP}/")):
            raise BadInput(f"Path must start with {TOP}, got: {path} ({name})")
        inner = path[len(TOP) :].strip("/")
        if "\0" in inner or "\\" in inner:
            raise BadInput(f"Path {path!r} is no path of a file")
        home = Path(os.path.realpath(self.root))
        place = Path(os.path.realpath(home / inner)) if inner else home
        if place != home and not place.is_relative_to(home):
            raise BadInput(f"Path {path} would escape {TOP} directory")
        if any(part.startswith(".") for part in place.relative_to(home).parts):
            raise BadInput(f"Path {path} is hidden; hidden files are never touched")
        return place

    def check_new(self, place: Path) -> None:
        """Refuse a name that not every system can have for a file."""
        check_path(place.relative_to(os.path.realpath(self.root)).as_posix())

    def known_file(self, path: object) -> str | None:
        """The text of a file that shows what is remembered; None for any other path."""
        name = str(path).removeprefix(f"{TOP}/{KNOWN}/")
        return self.known().get(name) if name != path else None

    def is_known(self, path: object) -> bool:
        """Whether a path lies where what is remembered is shown."""
        inside = path == f"{TOP}/{KNOWN}" or str(path).startswith(f"{TOP}/{KNOWN}/")
        return inside and bool(self.known())

    def read(self, place: Path) -> str:
        """The text of a file, byte for byte."""
        if (note := self._note_path(place)) is not None and self.vault is not None:
            return read_note(self.vault, note, for_agent=True)
        try:
            descriptor = open_regular(place)
            try:
                return read_all(descriptor, _MAX_BYTES).decode("utf-8")
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            raise NotFound(what="file", name=place.name) from None
        except (UnreadableFile, UnicodeDecodeError) as error:
            raise BadInput(f"{place.name} cannot be read as a text: {error}") from error

    def write(self, place: Path, text: str, *, is_new: bool = False) -> None:
        """Write a file whole, without secrets; a new one must not be there yet."""
        clean = redact(text).text
        if (note := self._note_path(place)) is not None and self.vault is not None:
            write_note(self.vault, note, clean, for_agent=True)
        else:
            make_private_folder(place.parent)
            _write_plain(place, clean.encode(), is_new=is_new)

    def remove(self, place: Path) -> None:
        """Remove a file or a folder with all in it; what notes of the vault held stays as a version."""
        notes = list(self._notes_below(place))
        for note in notes:
            self._check_free(note)
        for note in notes:
            self._remove_note(note)
        if place.is_dir():
            shutil.rmtree(place)
        elif not notes:
            place.unlink()

    def move(self, old: Path, new: Path) -> None:
        """Give a file or a folder another name."""
        notes = list(self._notes_below(old))
        for note in notes:
            self._check_free(note)
        make_private_folder(new.parent)
        if old.is_file() and self.vault is not None and (notes or self._note_path(new) is not None):
            self.write(new, self.read(old), is_new=True)
            self.remove(old)
        else:
            old.rename(new)

    def _note_path(self, place: Path) -> str | None:
        """The path of a note of the vault; None for any other file."""
        if self.vault is None or place.suffix.lower() != ".md":
            return None
        return place.relative_to(os.path.realpath(self.vault.root)).as_posix()

    def _notes_below(self, place: Path) -> Iterator[str]:
        files = sorted(place.rglob("*.md")) if place.is_dir() else [place]
        yield from filter(None, map(self._note_path, files))

    def _check_free(self, note: str) -> None:
        assert self.vault is not None, "only a vault has notes"
        row = vault_notes.find_note_at(self.vault.db, self.vault.vault.num, note)
        if row is not None and row.memory_id:
            raise BadInput(f"{note} shows the memory {row.memory_id}; use `remember` or `feedback`")

    def _remove_note(self, note: str) -> None:
        ctx = self.vault
        assert ctx is not None, "only a vault has notes"

        def remove() -> None:
            text = read_note(ctx, note)
            row = vault_notes.find_note_at(ctx.db, ctx.vault.num, note)
            if row is None:
                raise NotFound(what="note", name=f"{note} (it is new; sync the vault first)")
            with ctx.db.transaction():
                keep_version(ctx, row.num, text.encode(), "person")
                vault_index.remove_note(ctx.db, row.num)
                vault_notes.mark_gone(ctx.db, row.num, ctx.now())
            (ctx.root / note).unlink()

        run_in_turn(ctx, remove)


def make_private_folder(folder: Path) -> None:
    """A folder and all above it that are missing, each its owner's alone, whatever the process allows by default."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=_FOLDER_MODE, exist_ok=True)
        one.chmod(_FOLDER_MODE)


def _write_plain(place: Path, content: bytes, *, is_new: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    temporary = place.with_name(f".recollect-{os.urandom(8).hex()}.tmp")
    try:
        with os.fdopen(os.open(place if is_new else temporary, flags, _FILE_MODE), "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if not is_new:
            temporary.replace(place)
    except FileExistsError:
        raise BadInput(f"{place.name} already exists") from None
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
