"""Every way of working there is: ours, and those of installed packages, which may fail without harm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from recollect.errors import NotFound
from recollect.hookspecs import METHODS
from recollect.model.kinds import BUILT_IN as BUILT_IN_KINDS
from recollect.model.kinds import Kind
from recollect.model.method import Methodology
from recollect.model.value import dataclass, field, replace
from recollect.model.workref import WorkRef
from recollect.plugins import OURS, Plugged, Point, load

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
class Known:
    """The methodologies that can be used, and what is wrong with the others."""

    plugged: tuple[Plugged[Methodology], ...]
    broken: tuple[str, ...] = ()
    # What failed only when it was asked; grows as they are used.
    troubles: list[str] = field(default_factory=list)

    def named(self, name: str) -> Methodology:
        """The methodology with this id."""
        for one in self.plugged:
            if one.value.id == name:
                return one.value
        ids = ", ".join(one.value.id for one in self.plugged)
        raise NotFound(f"There is no methodology {name!r}. There are: {ids}.", fix="recollect methods")

    def kinds(self) -> list[Kind]:
        """The kinds that methodologies add, whichever is active: to switch loses nothing."""
        return [kind for one in self.plugged for kind in one.value.kinds]


def known(points: Iterable[Point] | None = None) -> Known:
    """Load them. A plugin whose name or kinds are taken is left out."""
    loaded = load(METHODS, points, _refused)
    troubles: list[str] = []
    plugged = tuple(
        one if one.origin == OURS else replace(one, value=_guarded(one.value, troubles))
        for one in loaded.plugged
    )
    return Known(plugged=plugged, broken=loaded.broken, troubles=troubles)


def _refused(method: Methodology, there: list[Methodology]) -> str:
    if method.id in {one.id for one in there}:
        return f"the name {method.id} is taken"
    taken = {kind.name for kind in BUILT_IN_KINDS} | {kind.name for one in there for kind in one.kinds}
    return next((f"the kind {kind.name} is taken" for kind in method.kinds if kind.name in taken), "")


def _guarded(method: Methodology, troubles: list[str]) -> Methodology:
    """The same; where it fails or gives nonsense it has said nothing, and its trouble is noted once."""

    def safe(name: str) -> Callable[..., Any]:
        ask, (gives, otherwise) = getattr(method, name), _GIVES[name]

        def asked(*given: object) -> object:
            try:
                answer = ask(*given)
                if not isinstance(answer, gives):
                    raise TypeError(f"it gave {answer!r}")
            except Exception as error:  # noqa: BLE001 - a plugin's trouble is not the project's
                said = f"{method.id}: {name} failed: {type(error).__name__}: {error}"
                if said not in troubles:
                    troubles.append(said)
                return otherwise
            return answer

        return asked

    changed: dict[str, Any] = {name: safe(name) for name in _GIVES}
    return replace(method, **changed)
