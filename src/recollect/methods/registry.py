"""
Every methodology: ours and those of plugins, guarded; and which one a checkout follows (setting, files, native).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from recollect.errors import NotFound
from recollect.hookspecs import METHODS
from recollect.model.kinds import BUILT_IN as BUILT_IN_KINDS
from recollect.model.kinds import Kind
from recollect.model.method import Methodology, Surroundings
from recollect.model.scope import WorkRef
from recollect.model.value import dataclass, field, replace
from recollect.plugins import OURS, Plugged, Point, load_plugins

# What each function of a methodology gives, and what stands for it when it fails.
_GIVES: Mapping[str, tuple[type | tuple[type, ...], object]] = {
    "detect": (str, ""),
    "unit": ((WorkRef, type(None)), None),
    "stage": (str, ""),
    "work_state": (Mapping, {}),
    "tell_state": (str, ""),
    "tell_relay": (Sequence, ()),
    "on_work_unit_complete": (Sequence, ()),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMethods:
    """The methodologies that can be used, and what is wrong with the others."""

    plugged: tuple[Plugged[Methodology], ...]
    broken: tuple[str, ...] = ()
    # What failed only when it was asked; grows as they are used.
    troubles: list[str] = field(default_factory=list)

    def get_method(self, name: str) -> Methodology:
        """The methodology with this id."""
        for one in self.plugged:
            if one.value.id == name:
                return one.value
        ids = ", ".join(one.value.id for one in self.plugged)
        raise NotFound(f"There is no methodology {name!r}. There are: {ids}.", fix="recollect methods")

    def kinds(self) -> list[Kind]:
        """The kinds that methodologies add, whichever is active: to switch loses nothing."""
        return [kind for one in self.plugged for kind in one.value.kinds]


def load_methods(points: Iterable[Point] | None = None) -> KnownMethods:
    """Load all methodologies. A plugin whose name or kinds are taken is left out."""
    loaded = load_plugins(METHODS, points, _refusal_reason)
    troubles: list[str] = []
    plugged = tuple(
        one if one.origin == OURS else replace(one, value=_guard_plugin(one.value, troubles))
        for one in loaded.plugged
    )
    return KnownMethods(plugged=plugged, broken=loaded.broken, troubles=troubles)


def _refusal_reason(method: Methodology, there: list[Methodology]) -> str:
    if method.id in {one.id for one in there}:
        return f"the name {method.id} is taken"
    taken = {kind.name for kind in BUILT_IN_KINDS} | {kind.name for one in there for kind in one.kinds}
    return next((f"the kind {kind.name} is taken" for kind in method.kinds if kind.name in taken), "")


def _guard_plugin(method: Methodology, troubles: list[str]) -> Methodology:
    """The same methodology, guarded: a failing or wrong answer counts as no answer and is noted once."""

    def safe(name: str) -> Callable[..., Any]:
        ask, (gives, otherwise) = getattr(method, name), _GIVES[name]

        def guarded_call(*arguments: object) -> object:
            try:
                answer = ask(*arguments)
                if not isinstance(answer, gives):
                    raise TypeError(f"it gave {answer!r}")
            except Exception as error:  # noqa: BLE001 - a plugin's trouble is not the project's
                trouble = f"{method.id}: {name} failed: {type(error).__name__}: {error}"
                if trouble not in troubles:
                    troubles.append(trouble)
                return otherwise
            return answer

        return guarded_call

    changed: dict[str, Any] = {name: safe(name) for name in _GIVES}
    return replace(method, **changed)


AUTO = "auto"
PLAIN = "native"
# The more a methodology's files are its own, the sooner it is asked.
_DETECTION_ORDER = ("bmad", "native", "tdd", "agile")


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveMethod:
    """The methodology in force, and why."""

    method: Methodology
    why: str
    # Named by a setting, not seen in the files.
    was_set: bool = False


def choose_method(
    known: KnownMethods, around: Surroundings, wanted: str = AUTO, origin: str = "default"
) -> ActiveMethod:
    """Choose the methodology for these surroundings; native, with a reason, if the one set is not installed."""
    if wanted != AUTO:
        wanted_method = next((one.value for one in known.plugged if one.value.id == wanted), None)
        if wanted_method:
            return ActiveMethod(method=wanted_method, why=f"set by {origin}", was_set=True)
        why = f"{origin} asks for {wanted}, which is not installed"
        return ActiveMethod(method=known.get_method(PLAIN), why=why)
    for method in _detection_order(known):
        if why := method.detect(around):
            return ActiveMethod(method=method, why=why)
    return ActiveMethod(
        method=known.get_method(PLAIN), why="nothing in this project shows another way of working"
    )


def _detection_order(known: KnownMethods) -> Sequence[Methodology]:
    # One that is not ours was installed on purpose: it is asked first.
    foreign = [one.value for one in known.plugged if one.origin != OURS]
    return [*foreign, *(known.get_method(name) for name in _DETECTION_ORDER)]
