"""The forms of transcripts that can be read: ours, and those that installed packages add."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from recollect.clients.transcripts import BUILT_IN, GROUP, Format, format_of
from recollect.errors import NotFound
from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Formats:
    """What can be read, and what an installed package offers but cannot do."""

    known: tuple[Format, ...]
    # NAME: REASON
    broken: tuple[str, ...] = ()

    def named(self, name: str) -> Format:
        """The format of this name."""
        for known in self.known:
            if known.name == name:
                return known
        raise NotFound(
            f"There is no kind of transcript called {name!r}. Those that can be read are: "
            f"{', '.join(known.name for known in self.known)}."
        )


def formats() -> Formats:
    """Ours first; a package cannot take the name of one of them."""
    known = {built_in.name: built_in for built_in in BUILT_IN}
    broken: list[str] = []
    for point in entry_points(group=GROUP):
        found = _loaded(point)
        if isinstance(found, str):
            broken.append(f"{point.name}: {found}")
        elif found.name in known:
            broken.append(f"{point.name}: the name {found.name} is taken")
        else:
            known[found.name] = found
    return Formats(known=tuple(known.values()), broken=tuple(broken))


def _loaded(point: EntryPoint) -> Format | str:
    try:
        return format_of(point.load())
    except Exception as error:  # noqa: BLE001 - what another package raises is its own affair
        return f"{type(error).__name__}: {error}"
