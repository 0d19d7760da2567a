"""Project identity: the keys by which two folders are recognised as the same project."""

from __future__ import annotations

import os
import re
from datetime import datetime
from typing import Literal

from recollect.model.value import dataclass

Basis = Literal["root-commit", "remote", "path"]

_PREFIXES = {"root-commit": "git:", "remote": "remote:", "path": "path:"}

# Patterns as text: hooks load this file at every event, and few of them look at a remote.
_URL = r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<place>[^/?#]*)(?P<path>[^?#]*)"
# As git decides it: a colon before the first slash. Two colons would name a helper program instead.
_SCP = r"(?P<place>(?:[^/:\[]*@)?\[[^\]/]+\]|[^/:\[]+):(?!:)(?P<path>.+)"
_DRIVE = r"[A-Za-z]:[\\/]"
_USUAL_PORTS = {"http": ":80", "https": ":443", "git": ":9418"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectIdentity:
    """
    What makes a folder the same project as another.

    `key`, `name` and `reason` are clean text. `root` and `common` are paths to open: bytes in them that are
    not UTF-8 stay surrogates, which a database refuses; `storable` makes text of them.
    """

    basis: Basis
    key: str
    # Shown to people: the repository's name, or the folder's.
    name: str
    # The top of this working tree: absolute, links resolved, "/" between the parts.
    root: str
    # The git folder that all worktrees of the repository share; None outside git.
    common: str | None = None
    # Why the basis is weaker than a root commit; empty when it is one.
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.key.startswith(_PREFIXES[self.basis]):
            raise ValueError(f"{self.key!r} is no key for the basis {self.basis}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project that has memories: its row in the store."""

    id: str
    key: str
    name: str
    created_at: datetime
    memories: int = 0
    paths: tuple[str, ...] = ()


def root_commit_key(sha: str) -> str:
    """The key of a repository by the commit its history began with."""
    return f"git:{sha}"


def remote_key(url: str) -> str | None:
    """
    One key for every way to write a remote's address, without credentials.

    `git@Host:org/app.git`, `ssh://git@host:2222/org/app` and `https://me:token@host/org/app/` are one. None
    for an address that means something only in one folder (`../app`) or to a helper program (`ext::…`).
    """
    url = storable(url.strip())
    host = scheme = ""
    if match := re.match(_URL, url):
        scheme = match["scheme"].lower()
        host, path = _normalize_host(match["place"], scheme), match["path"]
    elif url.startswith("/") or re.match(_DRIVE, url):
        scheme, path = "file", url
    elif match := re.match(_SCP, url):
        host, path = _normalize_host(match["place"], "ssh"), match["path"]
    else:
        return None
    path = _normalize_path(path)
    return f"remote:{host}/{path}" if path and (host or scheme == "file") else None


def path_key(path: str) -> str:
    """The key of a folder by its resolved PATH; case does not count where the system ignores it."""
    return "path:" + storable(os.path.normcase(path).replace(os.sep, "/"))


def storable(text: str) -> str:
    """TEXT with what cannot be written as UTF-8 spelled out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _normalize_host(place: str, scheme: str) -> str:
    if place.startswith("[") and place.endswith("]") and place.count(":") == 1:
        # A port in an scp address: [git@host:2222]:path
        place = place[1:-1]
    host = place.rpartition("@")[2].lower()
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        return host.rstrip(".")
    # The ssh port of a forge never equals its web port, so only a web port can tell two forges apart.
    is_telling = scheme in _USUAL_PORTS and port and _USUAL_PORTS[scheme] != f":{port}"
    return name.rstrip(".") + (f":{port}" if is_telling else "")


def _normalize_path(path: str) -> str:
    path = re.sub(r"[\\/]+", "/", path).strip("/")
    return path.removesuffix(".git").rstrip("/")
