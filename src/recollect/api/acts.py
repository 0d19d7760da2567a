"""
The acts that a program elsewhere may ask for, declared once: each with the method it is and what it does to the store.

The server's routes, their description, the client's methods and the tests of access are made from this table. An act
without a mode cannot be written down; one that is not here needs a memory of this machine.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_type_hints

from recollect.api import sub_apis
from recollect.api.json_values import decode_value, encode_value
from recollect.api.recollect import Recollect
from recollect.errors import BadInput
from recollect.model.team import Mode
from recollect.model.value import dataclass

# What a call may not say from elsewhere: where a memory belongs and who speaks is the request's to say.
_KEPT_HERE = frozenset({"project_id", "channel"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteAct:
    """One method of the library that may be called from elsewhere; `name` is how it is reached from a memory."""

    name: str
    mode: Mode
    # The class that has the method; by default the library's.
    owner: type | None = None
    # Whether it is done in one transaction with the note that it was done; what cannot be is harmless when done twice.
    is_once: bool = False

    @property
    def path(self) -> str:
        """Where it is reached."""
        return "/v1/" + self.name.replace(".", "/")

    @property
    def method(self) -> Callable[..., Any]:
        """The method itself, of a class."""
        return _find_method(self.name, self.owner)

    @property
    def summary(self) -> str:
        """What it does, in its own words."""
        return (inspect.getdoc(self.method) or "").partition("\n")[0]

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """What it takes, without what is not taken from elsewhere."""
        return {
            name: parameter
            for name, parameter in list(inspect.signature(self.method).parameters.items())[1:]
            if name not in _KEPT_HERE and parameter.kind is not parameter.VAR_KEYWORD
        }

    @property
    def hints(self) -> Mapping[str, Any]:
        """The types of what it takes and gives."""
        return _find_hints(self.name, self.owner)

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """A call as it is sent: its arguments by name, as JSON."""
        bound = inspect.signature(self.method).bind(None, *args, **kwargs).arguments
        sent = {name: value for name, value in list(bound.items())[1:] if value is not ...}
        for name in _KEPT_HERE:
            if sent.pop(name, None) is not None:
                raise BadInput(reason=f"{name} cannot be said to a server")
        return {name: encode_value(value) for name, value in sent.items()}

    def read_arguments(self, form: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a call that was sent."""
        parameters = self.parameters
        if unknown := sorted(form.keys() - parameters.keys()):
            raise BadInput(reason=f"{self.name} takes {', '.join(parameters)}, not {', '.join(unknown)[:80]}")
        takes_several = any(one.kind is one.VAR_POSITIONAL for one in parameters.values())
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for name, parameter in parameters.items():
            if name not in form:
                if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL:
                    raise BadInput(reason=f"{self.name} needs {name}")
                continue
            hint = self.hints[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                args += decode_value(list[hint], form[name], name)  # type: ignore[valid-type]
            elif parameter.kind is parameter.POSITIONAL_ONLY or (
                takes_several and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
            ):
                args.append(decode_value(hint, form[name], name))
            else:
                kwargs[name] = decode_value(hint, form[name], name)
        return args, kwargs


def call_act(memory: Recollect, act: RemoteAct, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    """Do it."""
    part, _, method = act.name.rpartition(".")
    return getattr(getattr(memory, part) if part else memory, method)(*args, **kwargs)


def _acts(mode: Mode, *names: str, is_once: bool = False) -> tuple[RemoteAct, ...]:
    return tuple(RemoteAct(name=name, mode=mode, is_once=is_once) for name in names)


ACTS: Mapping[str, RemoteAct] = {
    act.name: act
    for act in (
        *_acts(
            Mode.READ,
            "recall",
            "expanded_search.recall",
            "context",
            "show",
            "list",
            "count",
            "history",
            "project",
            "code.about",
            "reviews.pending",
            "reviews.session",
            "reviews.source",
            "admin.stats",
            "admin.projects",
            "upkeep.conflicts",
            "observer.session",
            "observer.sessions",
            "observer.notes",
            "observer.current",
            "observer.open_session",
        ),
        *_acts(
            Mode.WRITE,
            "remember",
            "edit",
            "pin",
            "forget",
            "undo",
            "reviews.confirm",
            "reviews.correct",
            "reviews.flag",
            "reviews.reject",
            "reviews.merge",
            "reviews.share",
            "upkeep.judge",
            "upkeep.flag",
            "upkeep.recipe_failed",
            "upkeep.settle",
            "upkeep.keep_both",
            "observer.note",
            "observer.validate",
            is_once=True,
        ),
        # These rewrite files, or take long, and end in the same when they are done again.
        *_acts(
            Mode.WRITE,
            "purge",
            "reviews.forget_source",
            "observer.learn",
            "observer.learn_due",
            "learning.run",
        ),
    )
}


@cache
def _find_method(name: str, owner: type | None) -> Callable[..., Any]:
    part, _, method = name.rpartition(".")
    holder: Any = owner or (getattr(sub_apis, f"load_{part}")() if part else Recollect)
    function: Callable[..., Any] = getattr(holder, method)
    return function


@cache
def _find_hints(name: str, owner: type | None) -> Mapping[str, Any]:
    # Imported for checkers alone where they are declared.
    from recollect.api.contexts import Context
    from recollect.capture.change import Undone

    method = inspect.unwrap(_find_method(name, owner))
    return get_type_hints(method, method.__globals__, {"Context": Context, "Undone": Undone})
