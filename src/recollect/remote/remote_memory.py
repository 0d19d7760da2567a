"""
A memory that lies on a server, as the same object: what the table of acts names is asked there, the rest stays here.

Beneath it is a store of this machine, which mirrors what the person may be told, keeps the code graph of their checkout
and holds what hooks wrote. What would change memories, and is no act of the table, is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from recollect import config
from recollect.api import Recollect
from recollect.api.acts import ACTS, RemoteAct
from recollect.api.public_api import SubApi
from recollect.errors import NeedsLocalStore, NotSignedIn
from recollect.git import identity
from recollect.model.project import ProjectIdentity
from recollect.model.provenance import Channel
from recollect.remote.line import LineCaller, ServerLine
from recollect.remote.saved_token import read_token

# What is worked out here, from what is at hand.
_LOCAL = frozenset({"filters", "query", "draft", "period", "close"})
# Parts that read this machine's files or put words together; they change no memory.
_LOCAL_PARTS = frozenset({"rendering", "contexts", "methods", "safety", "code"})
_SUBJECTS = ("about", "name")


class RemoteMemory(Recollect):
    """`Recollect`, asked over the line."""

    def __init__(
        self,
        *,
        folder: str | Path | None = ".",
        settings: config.Settings | None = None,
        url: str = "",
        token: str = "",
        actor: str = "user",
        channel: Channel = Channel.USER,
        **line_options: Any,
    ) -> None:
        """Ask the server of the settings, or the one that is named, with the key that `recollect login` keeps."""
        settings = settings or config.load_settings()
        url = url or settings.text("url")
        token = token or read_token(url)
        if not token:
            raise NotSignedIn(reason=f"there is none for {url} on this machine")
        super().__init__(folder=folder, settings=settings, actor=actor, channel=channel)
        self.line = ServerLine(url, self._describe_caller(token, channel), **line_options)
        for name in _list_parts():
            self.__dict__[name] = _RemotePart(self, name)

    def close(self) -> None:
        """Hang up, and give the file back."""
        self.line.close()
        super().close()

    def call(self, act: RemoteAct, *args: Any, **kwargs: Any) -> Any:
        """Ask the server for an act; what it is about is named as the project names it."""
        for name in _SUBJECTS:
            if name in kwargs and not isinstance(kwargs[name], type(...)):
                kwargs[name] = self._name_subjects(kwargs[name])
        if act.name == "code.about" and args:
            args = (self._name_subjects(args[0]), *args[1:])
        return self.line.call(act, args, kwargs)

    def _name_subjects(self, about: Any) -> Any:
        if isinstance(about, list | tuple):
            return [str(subject) for subject in self._wiring.subjects(about)]
        return str(self._wiring.subjects([about])[0])

    def _describe_caller(self, token: str, channel: Channel) -> LineCaller:
        place = self._wiring.identity()
        return LineCaller(
            token=token,
            project_keys=list_project_keys(place) if place else (),
            project_name=place.name if place else "",
            by_agent=channel is Channel.AGENT,
            session=config.session_from_environment() or "",
        )


def list_project_keys(place: ProjectIdentity) -> tuple[str, ...]:
    """The keys by which a project is known anywhere; a path counts only where there is nothing better."""
    keys = (place.key, *identity.list_former_keys(place))
    return tuple(key for key in dict.fromkeys(keys) if key == place.key or not key.startswith("path:"))


class _RemotePart:
    """A sub-API: its acts are asked there; what only looks at this machine is done here."""

    def __init__(self, memory: RemoteMemory, name: str) -> None:
        self._memory = memory
        self._name = name

    def __getattr__(self, method: str) -> Callable[..., Any]:
        act = ACTS.get(f"{self._name}.{method}")
        if act is not None:
            return partial(self._memory.call, act)
        if self._name in _LOCAL_PARTS or (self._name, method) in _LOCAL_METHODS:
            local = type(self._memory).__dict__.get(self._name) or getattr(Recollect, self._name)
            function: Callable[..., Any] = getattr(local._load()(self._memory._wiring), method)
            return function
        raise NeedsLocalStore(what=f"{self._name}.{method}", url=self._memory.line.url)


# The files of a memory that is not mirrored here cannot be looked at; the inbox can be stored.
_LOCAL_METHODS = frozenset({("observer", "drain")})


def _list_parts() -> list[str]:
    return [name for name, part in vars(Recollect).items() if isinstance(part, SubApi) and name[0] != "_"]


def _make_method(act: RemoteAct) -> Callable[..., Any]:
    def method(self: RemoteMemory, *args: Any, **kwargs: Any) -> Any:
        return self.call(act, *args, **kwargs)

    method.__name__, method.__doc__ = act.name, act.summary
    return method


def _make_refusal(name: str) -> Callable[..., Any]:
    def method(self: RemoteMemory, *args: Any, **kwargs: Any) -> Any:
        raise NeedsLocalStore(what=name, url=self.line.url)

    return method


for _name in [
    name for name in vars(Recollect) if not name.startswith("_") and callable(getattr(Recollect, name))
]:
    if _name in ACTS:
        setattr(RemoteMemory, _name, _make_method(ACTS[_name]))
    elif _name not in _LOCAL and not isinstance(vars(Recollect)[_name], SubApi):
        setattr(RemoteMemory, _name, _make_refusal(_name))
