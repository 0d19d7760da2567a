"""What being told in time saved: counted from what sessions did, told only when enough is known to compare with."""

from __future__ import annotations

from recollect.model.value import dataclass

# So many files must have been found without help before their mean is a measure.
ENOUGH = 10
# So many of a project's newest sessions are counted; their lines stay in the ledger however old they are.
LOOKS_BACK = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """
    Files that sessions opened for the first time, and what finding them took.

    `direct` were named in time and then opened without a search; `told` is what naming them cost. `found` were opened
    without having been named, after searches of `searched` tokens. Of `lines` in the ledger, `used` were.
    """

    lines: int = 0
    used: int = 0
    direct: int = 0
    told: int = 0
    found: int = 0
    searched: int = 0

    def __add__(self, other: Saved) -> Saved:
        return Saved(
            lines=self.lines + other.lines,
            used=self.used + other.used,
            direct=self.direct + other.direct,
            told=self.told + other.told,
            found=self.found + other.found,
            searched=self.searched + other.searched,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Savings:
    """What was saved `here`, and what is `known` of finding files in this project to compare it with."""

    here: Saved
    known: Saved

    @property
    def mean(self) -> float | None:
        """What finding a file takes on average, in tokens; None while too few are known."""
        return self.known.searched / self.known.found if self.known.found >= ENOUGH else None

    @property
    def tokens(self) -> int | None:
        """What the searches that were not needed would have cost, less what was told; None while that is unknown."""
        return None if self.mean is None else round(self.here.direct * self.mean) - self.here.told
