"""What a memory is about: a file, a symbol, a service, a person."""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.errors import BadSubject
from recollect.model.value import dataclass

SUBJECT_TYPES = ("file", "symbol", "module", "service", "app", "person", "project", "tool")
MAX_NAME = 1024

_TYPE = re.compile(r"[a-z][a-z0-9_-]{0,31}\Z")
_LOOKS_LIKE_A_FILE = re.compile(r"(?:[\w@.+-]*\.[A-Za-z0-9]{1,8}|\.[\w-]+)\Z")


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing a memory is about, written `type:name`."""

    type: str
    name: str

    def __post_init__(self) -> None:
        if not _TYPE.match(self.type):
            raise BadSubject(subject=str(self), reason=f"{self.type!r} is no type of subject")
        if not self.name.strip():
            raise BadSubject(subject=str(self), reason="the name is empty")
        if len(self.name) > MAX_NAME:
            raise BadSubject(subject=str(self)[:60] + "…", reason=f"the name is longer than {MAX_NAME}")

    def __lt__(self, other: Subject) -> bool:
        return (self.type, self.name) < (other.type, other.name)

    def __str__(self) -> str:
        return f"{self.type}:{self.name}"


def parse_subject(text: str) -> Subject:
    """Read `type:name`; a bare path such as src/auth.py is taken as a file, src/auth.py::refresh as a symbol."""
    kind, colon, name = text.strip().partition(":")
    # `crate::a` is a path through modules, `file::x` a file with a strange name.
    is_typed = kind in SUBJECT_TYPES or (_TYPE.match(kind) and not name.startswith(":"))
    if colon and is_typed and not name.startswith("//"):
        return Subject(kind, _tidy(kind, name))
    path, mark, symbol = text.strip().partition("::")
    if "/" in text or "\\" in text or _LOOKS_LIKE_A_FILE.match(path):
        kind = "symbol" if mark and path and symbol else "file"
        return Subject(kind, _tidy(kind, text))
    hint = text.strip() or "payments"
    raise BadSubject(subject=text, reason=f"say whether it is module:{hint}, service:{hint} or person:{hint}")


def parse_subjects(texts: Iterable[Subject | str]) -> tuple[Subject, ...]:
    """The subjects in these texts, each once, in order."""
    return tuple(dict.fromkeys(t if isinstance(t, Subject) else parse_subject(t) for t in texts))


def _tidy(kind: str, name: str) -> str:
    name = name.strip()
    if kind in ("file", "symbol"):
        path, mark, symbol = name.partition("::")
        path = path.replace("\\", "/")
        while path.startswith("./"):
            path = path[2:]
        return path + mark + symbol
    return name
