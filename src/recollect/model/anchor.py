"""An anchor: the shape a file had when a memory about it was learned, and what has become of the file since."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from recollect.errors import BadSubject
from recollect.model.kinds import Kind
from recollect.model.memory import Memory
from recollect.model.subject import Subject, parse_subject
from recollect.model.value import dataclass, replace


class AnchorState(StrEnum):
    """What has become of a file, or of a folder, since it was learned about."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    GONE = "gone"
    # A folder that is there, but most of what was in it is not.
    RESTRUCTURED = "restructured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """
    One file, folder or definition of one memory. Paths are seen from the top of the project; that of a definition goes
    on with `::` and its name, while it is tracked by its file.
    """

    memory_id: str
    path: str
    learned_path: str
    # The commit that was checked out then, and git's name for the content; empty if nobody could tell.
    learned_in: str
    blob: str
    is_folder: bool = False
    state: AnchorState = AnchorState.UNCHANGED
    # Where it stood in the last commit it was looked for in: from there it is followed on.
    tracked_path: str
    tracked_in: str
    # The content that was last compared, and how far that is from what was learned.
    seen_blob: str = ""
    commits: int = 0
    lines: int = 0

    @property
    def file(self) -> str:
        """The file it stands in."""
        return self.path.partition("::")[0]

    @property
    def symbol(self) -> str:
        """The name of a definition; empty for a file or a folder."""
        return self.path.partition("::")[2]

    @property
    def has_moved(self) -> bool:
        """Whether it stands elsewhere than where it was learned about."""
        return self.path != self.learned_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """A project as it lies on disk: the top folder, and the commit that is checked out (empty outside git)."""

    project_id: str
    root: str
    head: str


# Asked only when a memory about files comes in or out.
FindCheckout = Callable[[], Checkout | None]


def make_anchor(memory_id: str, path: str, blob: str, commit: str, *, is_folder: bool = False) -> Anchor:
    """An anchor as it is when its memory is new."""
    return Anchor(
        memory_id=memory_id,
        path=path,
        learned_path=path,
        learned_in=commit,
        blob=blob,
        is_folder=is_folder,
        tracked_path=path.partition("::")[0],
        tracked_in=commit,
        seen_blob=blob,
    )


def find_files_of(memory: Memory, kind: Kind) -> tuple[str, ...]:
    """The paths a memory stands on: of its files and symbols, and those its kind keeps in fields."""
    paths = [path for subject in memory.subjects if (path := path_of(subject))]
    if kind.stale_when_changed:
        paths += [path for name in path_fields(kind) for path in _list_texts(memory.fields.get(name))]
    return tuple(path for path in dict.fromkeys(paths) if is_inside(path))


def find_symbols_of(memory: Memory) -> tuple[str, ...]:
    """The definitions a memory is about, as `path::name`."""
    names = (subject.name for subject in memory.subjects if subject.type == "symbol")
    return tuple(name for name in names if is_inside(name.partition("::")[0]) and name.partition("::")[2])


def is_inside(path: str) -> bool:
    """Whether a path stays in its project; one that leads out of it is not ours to look at."""
    return (
        bool(path)
        and "\0" not in path
        and path[0] != "/"
        and path[1:2] != ":"
        and ".." not in path.split("/")
    )


def path_of(subject: Subject) -> str:
    """The path in a file or a symbol; empty for anything else."""
    return subject.name.partition("::")[0] if subject.type in ("file", "symbol") else ""


def path_fields(kind: Kind) -> tuple[str, ...]:
    """The extra fields of a kind that hold paths."""
    return tuple(name for name, field in kind.fields.items() if field.paths)


def move_memory(memory: Memory, kind: Kind, moves: Mapping[str, str]) -> Memory:
    """The memory with the files it is about under their new paths."""
    names = {name: _list_texts(memory.fields[name]) for name in path_fields(kind) if name in memory.fields}
    fields = {name: [moves.get(path, path) for path in paths] for name, paths in names.items()}
    return replace(
        memory,
        subjects=tuple(dict.fromkeys(_move_subject(subject, moves) for subject in memory.subjects)),
        fields={**memory.fields, **fields},
        relations=tuple(
            replace(relation, path=moves.get(relation.path, relation.path)) if relation.path else relation
            for relation in memory.relations
        ),
    )


def can_be_named(path: str) -> bool:
    """Whether a subject can carry this path and be read back; not every file name is text."""
    try:
        path.encode("utf-8")
        return "::" not in path and path.isprintable() and parse_subject(f"file:{path}").name == path
    except (UnicodeEncodeError, BadSubject):
        return False


def explain_staleness(anchors: Iterable[Anchor], kind: Kind) -> str:
    """Why a memory of this kind that stands on these is stale; empty while it is not."""
    bad = [anchor for anchor in anchors if makes_stale(anchor, kind)]
    # That a definition went with its file need not be said twice.
    files = {anchor.path for anchor in bad if not anchor.symbol}
    return "; ".join(
        describe_anchor(anchor) for anchor in bad if not (anchor.symbol and anchor.file in files)
    )


def makes_stale(anchor: Anchor, kind: Kind) -> bool:
    """Whether what became of the file makes a memory of this kind stale."""
    if anchor.state is AnchorState.CHANGED:
        return kind.stale_when_changed
    return anchor.state is not AnchorState.UNCHANGED


def describe_anchor(anchor: Anchor) -> str:
    """What has become of it, in words; empty when nothing has."""
    match anchor.state:
        case AnchorState.GONE:
            return f"{anchor.path} no longer exists"
        case AnchorState.RESTRUCTURED:
            return f"most of what was in {anchor.path} is not there any more"
        case AnchorState.CHANGED:
            return f"{anchor.path} has changed since{_describe_drift(anchor)}"
        case _:
            return f"{anchor.path} was {anchor.learned_path} then" if anchor.has_moved else ""


def _describe_drift(anchor: Anchor) -> str:
    counted = ((anchor.commits, "commit"), (anchor.lines, "line"))
    parts = [f"{count} {name}{'s' if count > 1 else ''}" for count, name in counted if count]
    return f": {', '.join(parts)}" if parts else ""


def _move_subject(subject: Subject, moves: Mapping[str, str]) -> Subject:
    if subject.type == "module":
        return Subject("module", _move_module(subject.name, moves))
    path = path_of(subject)
    if subject.type == "symbol" and subject.name in moves:
        return Subject("symbol", moves[subject.name])
    if not path or path not in moves:
        return subject
    return Subject(subject.type, moves[path] + subject.name[len(path) :])


def _move_module(name: str, moves: Mapping[str, str]) -> str:
    """A module goes by its whole path or by the last part of it; it keeps to the way it was named."""
    for old, new in moves.items():
        if name == old:
            return new
        if name == old.rpartition("/")[2] and f"{old}/" != old:
            return new.rpartition("/")[2]
    return name


def _list_texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list | tuple) else []


class MovedFile(NamedTuple):
    """A file went elsewhere, and the memory went with it."""

    memory_id: str
    was: str
    path: str


class StaleMark(NamedTuple):
    """A memory is stale now, and why."""

    memory_id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """What was done; `finished` is False when there was no time for all of it, and the next look goes on."""

    looked_at: int = 0
    # Memories that got an anchor now: imports, and what was there before anchors were.
    anchored: int = 0
    moved: tuple[MovedFile, ...] = ()
    stale: tuple[StaleMark, ...] = ()
    # No longer stale: the file is back.
    fresh: tuple[str, ...] = ()
    changed: int = 0
    finished: bool = True
    notes: tuple[str, ...] = ()
