"""What a scan of a project's code says about its parts and its habits, and what became of that."""

from __future__ import annotations

from enum import StrEnum

from recollect.model.value import dataclass


class SurveyOutcome(StrEnum):
    """What became of one thing a scan could say."""

    NEW = "new"
    REFRESHED = "refreshed"
    # Somebody said the same before any scan did.
    KNOWN = "known"
    # Too little changed since it was said.
    UNCHANGED = "unchanged"
    # Much changed, and the same can be said of it.
    SAME = "same"
    # A person confirmed or edited what was said before; their word stays.
    KEPT = "kept"
    # A person put it away; it is not brought back.
    PUT_AWAY = "put away"
    # It was a habit and is none any more.
    GONE = "gone"
    REFUSED = "refused"


# Under this name stands what is proposed of a project as a whole; no module is called so.
PROPOSALS = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """
    How a project is written, as far as it was counted: COUNTED of OF units say VALUE. `topic` tells habits apart from
    one scan to the next; `parts` are the modules it was counted in.
    """

    topic: str
    value: str
    counted: int
    of: int
    text: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyItem:
    """One thing a scan says: about a module, or (`module` is empty) how the project is written."""

    topic: str
    text: str
    outcome: SurveyOutcome
    module: str = ""
    memory_id: str | None = None
    # Why it is refused, if so.
    why: str = ""
    # Of a proposal: the file and the line it was read from, and whether it waits for a person's yes.
    place: str = ""
    waits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReport:
    """What one scan did."""

    modules: tuple[SurveyItem, ...] = ()
    habits: tuple[SurveyItem, ...] = ()
    proposals: tuple[SurveyItem, ...] = ()
    # Modules that are left for the next scan, and why a model that should have written did not.
    left: int = 0
    model_failure: str = ""
    dry_run: bool = False

    @property
    def written(self) -> int:
        """How many memories it made."""
        wrote = (SurveyOutcome.NEW, SurveyOutcome.REFRESHED)
        return sum(item.outcome in wrote for item in (*self.modules, *self.habits, *self.proposals))
