"""
Loads the plugins of a hook: our own by name, then those of installed packages.

Nothing is loaded before it is asked for, and what a stranger's code does cannot stop ours: a plugin that fails is named
with the reason and left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Generic, Protocol, TypeVar

from recollect.hookspecs import METHODS, Hook
from recollect.model.value import dataclass

T = TypeVar("T")

BUILT_IN: Mapping[str, tuple[str, ...]] = {
    METHODS.group: (
        "recollect.methods.native:NATIVE",
        "recollect.methods.bmad:BMAD",
        "recollect.methods.tdd:TDD",
        "recollect.methods.agile:AGILE",
    ),
}
OURS = "built in"


class Point(Protocol):
    """An entry point, as installed packages declare it."""

    @property
    def name(self) -> str: ...
    @property
    def value(self) -> str: ...
    def load(self) -> object: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugged(Generic[T]):
    """One value that a plugin gave, and where it comes from."""

    value: T
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded(Generic[T]):
    """All that could be loaded, ours first; what could not, each with the reason."""

    plugged: tuple[Plugged[T], ...]
    # NAME (MODULE:VALUE): REASON
    broken: tuple[str, ...] = ()


def load_plugins(
    hook: Hook[T],
    points: Iterable[Point] | None = None,
    refused: Callable[[T, list[T]], str] = lambda v, k: "",
) -> Loaded[T]:
    """What fills a hook. `refused` says why a value cannot join those that are there; empty if it can."""
    plugged = [
        Plugged(value=value, origin=OURS) for name in BUILT_IN[hook.group] for value in _load_ours(hook, name)
    ]
    broken: list[str] = []
    for point in _find_installed(hook.group) if points is None else points:
        try:
            values = _check_offered(hook, point.load())
            for value in values:
                if why := refused(value, [earlier.value for earlier in plugged]):
                    raise ValueError(why)
                plugged.append(Plugged(value=value, origin=point.value))
        except Exception as error:  # noqa: BLE001 - whatever a stranger's code does, ours goes on
            broken.append(f"{point.name} ({point.value}): {type(error).__name__}: {error}")
    return Loaded(plugged=tuple(plugged), broken=tuple(broken))


def _load_ours(hook: Hook[T], name: str) -> list[T]:
    module, _, value = name.partition(":")
    return _check_offered(hook, getattr(import_module(module), value))


def _find_installed(group: str) -> Iterable[Point]:
    # Takes longer to load than everything else here together.
    from importlib.metadata import entry_points

    return entry_points(group=group)


def _check_offered(hook: Hook[T], offered: object) -> list[T]:
    if callable(offered) and not isinstance(offered, hook.gives):
        offered = offered()
    listed = [offered] if isinstance(offered, hook.gives) else list(offered)  # type: ignore[call-overload]
    for one in listed:
        if not isinstance(one, hook.gives):
            raise TypeError(f"{one!r} is no {hook.gives.__name__}")
    return listed
