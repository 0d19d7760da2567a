"""The parts a project falls into: how large each is, on whom it leans, and how much is remembered about it."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.errors import NotFound
from recollect.model.value import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """
    One part. `leans_on` and `used_by` are other parts with the number of edges that lead there or come from there;
    `inside` are edges between its own files.
    """

    name: str
    folder: str
    files: tuple[str, ...]
    definitions: int = 0
    is_test: bool = False
    inside: int = 0
    leans_on: Mapping[str, int] = field(default_factory=dict)
    used_by: Mapping[str, int] = field(default_factory=dict)
    # Memories about it, its files and their symbols; and how many of its files have any.
    memories: int = 0
    files_known: int = 0
    e2e: int = 0

    @property
    def coupling(self) -> float:
        """How much of what its code leans on, or is leant on by, lies outside: 0 for a world of its own."""
        outside = sum(self.leans_on.values()) + sum(self.used_by.values())
        return outside / (outside + self.inside) if outside else 0.0

    @property
    def coverage(self) -> float:
        """The share of its files that memory knows something about."""
        return self.files_known / len(self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleMap:
    """All parts of a project, in the order of their names."""

    modules: tuple[Module, ...] = ()

    def called(self, name: str) -> Module:
        """The part of this name."""
        for module in self.modules:
            if module.name == name:
                return module
        raise NotFound(what="module", name=name, fix="recollect modules")

    def layers(self) -> list[list[Module]]:
        """Who leans on nobody comes first, then who leans on those. In a circle, the weakest edge gives way."""
        below = _without_circles(self.modules)
        depth: dict[str, int] = {}
        while len(depth) < len(below):
            for name, others in below.items():
                if name not in depth and others <= depth.keys():
                    depth[name] = max((depth[other] for other in others), default=-1) + 1
        found: list[list[Module]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
        for module in self.modules:
            found[depth[module.name]].append(module)
        return found


def _without_circles(modules: tuple[Module, ...]) -> dict[str, set[str]]:
    """On whom each part leans, the most edges first, leaving out what would close a circle."""
    below: dict[str, set[str]] = {module.name: set() for module in modules}
    leaning = [
        (-edges, module.name, other)
        for module in modules
        for other, edges in module.leans_on.items()
        if other in below
    ]
    for _, one, other in sorted(leaning):
        if not _reaches(below, other, one):
            below[one].add(other)
    return below


def _reaches(below: Mapping[str, set[str]], start: str, goal: str) -> bool:
    waiting, seen = [start], {start}
    while waiting:
        here = waiting.pop()
        if here == goal:
            return True
        fresh = below[here] - seen
        seen |= fresh
        waiting += fresh
    return False
