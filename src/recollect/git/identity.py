"""
Which project a folder belongs to, and where its history stands.

A project is the commit its history began with, so clones, worktrees and moved folders are one project. A
history can have several beginnings; the one at the end of the chain of first parents counts, followed from
the default branch (main, else master, else origin's HEAD, else HEAD). A stranger's history that is merged in
(`git subtree`, `--allow-unrelated-histories`) arrives as a second parent and changes nothing, while "the
oldest beginning" would hand the project to the oldest library ever merged. Starting at the default branch
keeps orphan branches such as gh-pages in the project. Forks share their beginning, so they are one project
too.

Weaker grounds, when that commit cannot be seen: the remote of a shallow clone, else the path.

`.git` is read here without starting git, because hooks ask at every event: a known repository costs a few
small file reads. Only the first look at a repository walks its history.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from recollect.errors import RepositoryError
from recollect.git.run import ask_git, run_git
from recollect.model.project import Basis, ProjectIdentity, path_key, remote_key, root_commit_key, storable
from recollect.model.value import dataclass

# Usual names come before origin/HEAD, which a clone copies from whatever its source had checked out that day.
DEFAULT_BRANCHES = (
    "refs/heads/main",
    "refs/remotes/origin/main",
    "refs/heads/master",
    "refs/remotes/origin/master",
    "refs/remotes/origin/HEAD",
)
_WALK_SECONDS = 60.0
_SMALL_BYTES = 8192
_SYMBOLIC_DEPTH = 5
_INDEX_MAGIC = b"\xfftOc\x00\x00\x00\x02"
_INDEX_NAMES_AT = len(_INDEX_MAGIC) + 256 * 4


class IdentityCache(Protocol):
    """Keeps a line of text per repository, under its common git folder. Losing it only costs time."""

    def get(self, common: str, /) -> str | None: ...

    def put(self, common: str, record: str, /) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Repository:
    top: Path
    gitdir: Path
    common: Path


def identify(folder: Path, cache: IdentityCache | None = None) -> ProjectIdentity:
    """
    The project FOLDER belongs to.

    What the cache holds is believed while it can be right: a root commit as long as the repository has that
    commit, a remote as long as the clone is shallow and its config untouched. A repository that git cannot or
    will not read (no git, "dubious ownership", damage) goes by its path, and `reason` says why.
    """
    place = _locate(folder)
    if isinstance(place, ProjectIdentity):
        return place
    return _read_cached(place, cache) or _work_out(place, cache)


def list_former_keys(identity: ProjectIdentity) -> tuple[str, ...]:
    """
    Keys this project may have had before its root commit could be seen, the strongest first.

    Starts git to read the remote, so ask only when the key itself is unknown.
    """
    tops = [Path(identity.root)]
    keys: list[str | None] = []
    if identity.common is not None:
        common = Path(identity.common)
        if common.name == ".git":
            tops.insert(0, common.parent)
        if identity.basis == "root-commit":
            keys.append(_remote_if_readable(_Repository(top=tops[-1], gitdir=common, common=common)))
    keys += [path_key(str(top)) for top in tops]
    return tuple(dict.fromkeys(key for key in keys if key and key != identity.key))


def read_branch(folder: Path) -> str | None:
    """The branch checked out in FOLDER, born or not; None on a detached HEAD and outside git."""
    place = _locate(folder)
    if isinstance(place, ProjectIdentity):
        return None
    if _uses_reftable(place):
        ref = ask_git(["symbolic-ref", "-q", "HEAD"], str(place.top)) or ""
    else:
        ref = (_small_text(place.gitdir / "HEAD") or "").removeprefix("ref:")
    ref = ref.strip()
    return ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else None


def read_head_commit(folder: Path) -> str | None:
    """The commit checked out in FOLDER; None before the first one and outside git."""
    place = _locate(folder)
    return None if isinstance(place, ProjectIdentity) else _read_head(place)


def _locate(folder: Path) -> _Repository | ProjectIdentity:
    """
    The repository around FOLDER, or who FOLDER is without one. Found as git does it, with two differences
    on purpose. `core.worktree` is not obeyed, since it is the repository's own claim. A bare repository
    counts only outside any working tree: inside one it is a test fixture, or bait.
    """
    if "\0" in str(folder):
        raise RepositoryError(path=str(folder).replace("\0", "\ufffd"), reason="a path cannot hold a NUL")
    start = Path(os.path.realpath(folder))
    tops = (start, *start.parents)
    for top in tops:
        if (place := _working_tree(top)) is not None:
            return place
    for top in tops:
        if _is_git_folder(top):
            return _Repository(top=top, gitdir=top, common=top)
    return _by_path(start, None, "it is not in a git repository")


def _working_tree(top: Path) -> _Repository | ProjectIdentity | None:
    dot_git = top / ".git"
    try:
        mode = dot_git.stat().st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        if not os.access(dot_git, os.R_OK | os.X_OK):
            return _by_path(top, None, "its .git cannot be read")
        # Like git, walk on past a folder that only has the name.
        return _repository(top, dot_git) if _is_git_folder(dot_git) else None
    if not stat.S_ISREG(mode):
        return None
    pointer = _small_text(dot_git) or ""
    if not pointer.startswith("gitdir:"):
        return _by_path(top, None, "its .git cannot be read")
    return _repository(top, top / pointer.removeprefix("gitdir:").strip())


def _repository(top: Path, gitdir: Path) -> _Repository | ProjectIdentity:
    shared = _small_text(gitdir / "commondir")
    common = Path(os.path.realpath(gitdir / shared if shared else gitdir))
    if not _is_git_folder(common):
        return _by_path(top, None, "its .git points to a repository that is gone")
    return _Repository(top=top, gitdir=gitdir, common=common)


def _is_git_folder(folder: Path) -> bool:
    try:
        # lstat: in old repositories HEAD is a link that dangles until the first commit.
        return bool((folder / "HEAD").lstat() and (folder / "objects").stat() and (folder / "refs").stat())
    except OSError:
        return False


def _read_cached(repository: _Repository, cache: IdentityCache | None) -> ProjectIdentity | None:
    record = cache.get(_cache_key(repository)) if cache is not None else None
    key, _, stamp = (record or "").partition("\t")
    if key.startswith("git:") and _has_commit(repository, key.removeprefix("git:")):
        return _identity(repository, "root-commit", key)
    if key.startswith("remote:") and _is_shallow(repository) and stamp == _config_stamp(repository):
        return _identity(repository, "remote", key)
    return None


def _work_out(repository: _Repository, cache: IdentityCache | None) -> ProjectIdentity:
    stamp = ""
    try:
        if _is_shallow(repository):
            stamp = _config_stamp(repository)
            identity = _by_remote(repository)
        else:
            identity = _by_root_commit(repository)
    except RepositoryError as error:
        return _by_path(repository.top, repository.common, str(error.facts["reason"]))
    if cache is not None and identity.basis != "path":
        cache.put(_cache_key(repository), f"{identity.key}\t{stamp}")
    return identity


def _cache_key(repository: _Repository) -> str:
    return storable(repository.common.as_posix())


def _has_commit(repository: _Repository, sha: str) -> bool:
    if not _is_sha(sha):
        return False
    objects = repository.common / "objects"
    if (objects / sha[:2] / sha[2:]).is_file():
        return True
    if any(_in_index(index, sha) for index in _pack_indexes(objects)):
        return True
    try:
        # Borrowed objects (`clone --shared`) and old pack formats are left to git.
        return ask_git(["cat-file", "-e", sha], str(repository.top)) is not None
    except RepositoryError:
        # That git is missing or refuses says nothing against what was known before.
        return True


def _is_sha(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")


def _pack_indexes(objects: Path) -> Iterator[Path]:
    try:
        yield from (path for path in (objects / "pack").iterdir() if path.suffix == ".idx")
    except OSError:
        return


def _in_index(index: Path, sha: str) -> bool:
    """Whether a pack index of version 2 lists SHA: 256 counts by first byte, then all names in order."""
    name = bytes.fromhex(sha)
    try:
        with index.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            header = file.read(_INDEX_NAMES_AT)
            if len(header) < _INDEX_NAMES_AT or not header.startswith(_INDEX_MAGIC):
                return False
            first = _count_names(header, name[0] - 1)
            # A damaged index may claim more names than the file has room for.
            last = min(_count_names(header, name[0]), size // len(name))
            file.seek(_INDEX_NAMES_AT + first * len(name))
            names = file.read(max(0, last - first) * len(name))
    except OSError:
        return False
    at = names.find(name)
    while at % len(name) and at > 0:
        at = names.find(name, at + 1)
    return at >= 0


def _count_names(header: bytes, first_byte: int) -> int:
    at = len(_INDEX_MAGIC) + 4 * first_byte
    return int.from_bytes(header[at : at + 4], "big") if first_byte >= 0 else 0


def _is_shallow(repository: _Repository) -> bool:
    try:
        return (repository.common / "shallow").stat().st_size > 0
    except OSError:
        return False


def _config_stamp(repository: _Repository) -> str:
    try:
        facts = (repository.common / "config").stat()
    except OSError:
        return ""
    return f"{facts.st_mtime_ns}:{facts.st_size}"


def _by_root_commit(repository: _Repository) -> ProjectIdentity:
    tip = None if _has_no_refs(repository) else _default_tip(repository)
    if tip is None:
        return _by_path(repository.top, repository.common, "it has no commit yet")
    question = ["rev-list", "--first-parent", "--max-parents=0", "--max-count=1", tip]
    sha = run_git(question, str(repository.top), timeout=_WALK_SECONDS).strip()
    return _identity(repository, "root-commit", root_commit_key(sha))


def _by_remote(repository: _Repository) -> ProjectIdentity:
    key = _read_remote(repository)
    if key is None:
        return _by_path(repository.top, repository.common, "it is a shallow clone without a remote")
    return _identity(repository, "remote", key)


def _by_path(top: Path, common: Path | None, reason: str) -> ProjectIdentity:
    return ProjectIdentity(
        basis="path",
        key=path_key(str(top)),
        name=_project_name(top, common),
        root=top.as_posix(),
        common=common.as_posix() if common else None,
        reason=reason,
    )


def _identity(repository: _Repository, basis: Basis, key: str) -> ProjectIdentity:
    return ProjectIdentity(
        basis=basis,
        key=key,
        name=_project_name(repository.top, repository.common),
        root=repository.top.as_posix(),
        common=repository.common.as_posix(),
        reason="it is a shallow clone" if basis == "remote" else "",
    )


def _project_name(top: Path, common: Path | None) -> str:
    # A worktree's folder is named after its branch; the repository's own folder carries the project's name.
    folder = top if common is None else common.parent if common.name.startswith(".") else common
    name = folder.name.removesuffix(".git") or top.name or top.as_posix()
    return "".join(character if character.isprintable() else "\ufffd" for character in name)


def _has_no_refs(repository: _Repository) -> bool:
    """True only if it is certain without asking git that there is no commit."""
    if _uses_reftable(repository) or (repository.common / "packed-refs").exists() or _read_head(repository):
        return False
    return not any(files for _, _, files in os.walk(repository.common / "refs"))


def _default_tip(repository: _Repository) -> str | None:
    question = ["for-each-ref", "--format=%(objectname) %(refname)", *DEFAULT_BRANCHES, "refs/heads"]
    lines = run_git(question, str(repository.top)).splitlines()
    tips = {ref: sha for sha, _, ref in (line.partition(" ") for line in lines)}
    preferred = next((tips[ref] for ref in DEFAULT_BRANCHES if ref in tips), None)
    return preferred or _read_head(repository) or next((tips[ref] for ref in sorted(tips)), None)


def _remote_if_readable(repository: _Repository) -> str | None:
    try:
        return _read_remote(repository)
    except RepositoryError:
        return None


def _read_remote(repository: _Repository) -> str | None:
    question = ["config", "-z", "--name-only", "--get-regexp", r"^remote\..*\.url$"]
    answer = ask_git(question, str(repository.top)) or ""
    names = {key.removeprefix("remote.").removesuffix(".url") for key in answer.split("\0") if key}
    for name in sorted(names, key=lambda name: (name != "origin", name != "upstream", name)):
        # Not the config's text: get-url applies the user's own url.….insteadOf abbreviations.
        url = run_git(["remote", "get-url", "--", name], str(repository.top)).partition("\n")[0]
        if key := remote_key(url):
            return key
    return None


def _read_head(repository: _Repository) -> str | None:
    if _uses_reftable(repository):
        return (ask_git(["rev-parse", "--verify", "-q", "HEAD"], str(repository.top)) or "").strip() or None
    name = "HEAD"
    for _ in range(_SYMBOLIC_DEPTH):
        text = _ref_text(repository, name)
        if text is None or not text.startswith("ref:"):
            return text if text and _is_sha(text) else None
        name = text.removeprefix("ref:").strip()
        if not name.startswith("refs/") or ".." in name:
            return None
    return None


def _ref_text(repository: _Repository, name: str) -> str | None:
    text = _small_text(repository.gitdir / name) or _small_text(repository.common / name)
    return text.strip() if text else _read_packed_ref(repository, name)


def _read_packed_ref(repository: _Repository, name: str) -> str | None:
    try:
        lines = (repository.common / "packed-refs").read_bytes()
    except OSError:
        return None
    before, separator, _ = lines.partition(f" {name}\n".encode("utf-8", "surrogateescape"))
    return before.rpartition(b"\n")[2].decode("ascii", "replace") if separator else None


def _uses_reftable(repository: _Repository) -> bool:
    return (repository.common / "reftable").is_dir()


def _small_text(path: Path) -> str | None:
    """What a file of a line or two says, None without one. Only a plain file: a pipe would never answer."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with path.open("rb") as file:
            text = file.read(_SMALL_BYTES).decode("utf-8", "surrogateescape").rstrip("\r\n")
    except OSError:
        return None
    return None if "\0" in text else text
