"""
Reading notes safely: regular files inside the vault, of a bounded size, and nothing that a link leads out of it.

A name is checked before it becomes a path; a file is opened without following links and without waiting for a pipe.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
import unicodedata
from pathlib import Path

from recollect.errors import BadInput, NotFound
from recollect.events.bounded_read import UnreadableFile, open_regular, read_all, read_up_to
from recollect.model.value import dataclass

MAX_BYTES = 1_048_576
MAX_PATH = 1_000
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)
# A writer that empties a file first has it whole again after so long.
_WRITING_SECONDS = 0.02
_MAX_LOOKS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteFile:
    """The content of a file, and what the system says of it."""

    content: bytes
    size: int
    mtime: int
    inode: int

    @property
    def hash(self) -> str:
        """A name for the content."""
        return hash_content(self.content)


class UnreadableNote(Exception):
    """A file that is not read, and why, in words that follow its name."""


def hash_content(content: bytes) -> str:
    """A name for a content."""
    return hashlib.sha256(content).hexdigest()


def check_path(path: str) -> str:
    """A path inside the vault as it was given, with / between its parts; anything that could lead out is refused."""
    if not path or len(path) > MAX_PATH or "\0" in path:
        raise BadInput(
            reason="the path of a note is a text of 1 to 1,000 characters, such as Projects/Shop.md"
        )
    if "\\" in path or ":" in path or path.startswith(("/", "~")):
        raise BadInput(reason=f"{path!r} is no path inside the vault; write it like Projects/Shop.md")
    parts = path.split("/")
    for part in parts:
        if part in ("", ".", "..") or part != part.strip() or part.endswith("."):
            raise BadInput(reason=f"{path!r} is no path inside the vault: no part may be empty, . or ..")
        if part.startswith("."):
            raise BadInput(reason=f"{path!r} lies in a hidden folder or file; those are never touched")
        if _RESERVED.match(part) or any(ord(character) < 32 for character in part):
            raise BadInput(reason=f"{part!r} is no name that every system can have for a file")
    return path


def check_note_path(path: str) -> str:
    """The path of a note: like any other, and ending in .md."""
    checked = check_path(path)
    return checked if checked.lower().endswith(".md") else check_path(f"{checked}.md")


def check_listed_path(path: str) -> str:
    """The path of a note that lies in the folder: whatever it is called here, as long as it cannot lead out."""
    parts = path.split("/")
    if "\0" in path or any(part in ("", "..") or part.startswith(".") for part in parts):
        raise BadInput(reason=f"{path!r} is no path of a note inside the vault")
    return path


def inside(root: Path, path: str) -> Path:
    """The place of a checked path, if no link stands on the way: it would lead out, or to a note by another name."""
    place = root / path
    home = os.path.realpath(root)
    if os.path.realpath(place.parent) != os.path.normpath(Path(home, path).parent):
        raise BadInput(reason=f"{path!r} leads through a link, and links are not followed")
    return place


def find_listed(root: Path, path: str) -> str:
    """The path under which a note lies there: accents may be composed otherwise in its name than in the question."""
    if os.path.lexists(root / path):
        return path
    forms = (unicodedata.normalize(form, path) for form in ("NFC", "NFD"))
    return next((one for one in forms if os.path.lexists(root / one)), path)


def read_file(place: Path, most: int = MAX_BYTES) -> NoteFile:
    """The content of a regular file; a link, a pipe, a device or one that is too large is refused."""
    try:
        descriptor = open_regular(place)
        try:
            status, content = os.fstat(descriptor), read_all(descriptor, most)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise NotFound(what="note", name=place.name) from None
    except UnreadableFile as error:
        raise UnreadableNote(str(error)) from error
    except OSError as error:
        raise UnreadableNote(_reason(error)) from error
    return NoteFile(content=content, size=len(content), mtime=status.st_mtime_ns, inode=status.st_ino)


def read_settled(place: Path, known: bytes) -> NoteFile:
    """The same for a file that somebody may be writing: one that is empty or cut short is looked at again."""
    file = read_file(place)
    for _ in range(_MAX_LOOKS):
        if len(file.content) >= len(known) or not known.startswith(file.content):
            break
        time.sleep(_WRITING_SECONDS)
        again = read_file(place)
        if again.content == file.content and again.mtime == file.mtime:
            return again
        file = again
    return file


def read_open(descriptor: int) -> bytes:
    """All of an open file from its beginning."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    return read_up_to(descriptor, MAX_BYTES * 2)


def decode_note(content: bytes) -> str:
    """The text of a note, byte for byte: a mark at its beginning and CRLF stay."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableNote(f"is no UTF-8 text (byte {error.start})") from error


def describe_unwritable(error: OSError) -> str:
    """Why something could not be written, in words that follow its name."""
    return f"cannot be written ({(error.strerror or str(error)).lower()})"


def _reason(error: OSError) -> str:
    return f"cannot be read ({(error.strerror or str(error)).lower()})"
