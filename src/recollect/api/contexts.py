"""The desk for what agents are given to a task: `memory.context(…)` and `memory.contexts`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypedDict, Unpack

from recollect.api.file_prediction import foreseen
from recollect.api.methods import Methods
from recollect.api.wiring import Wiring
from recollect.errors import BadInput
from recollect.events.excluded import patterns_of
from recollect.inject.context import Context, context_of
from recollect.inject.layout import MOMENTS, Layout, looks_ahead
from recollect.inject.layouts import BY_PHASE, LAYOUTS, layout_named
from recollect.inject.moments import Situation, candidates
from recollect.inject.user_layouts import MOST_TOKENS, own_layouts
from recollect.model.complexity import Complexity, complexity_of_task
from recollect.model.phase import Phase
from recollect.model.value import replace
from recollect.retrieve.preload import Preloaded, preloaded

__all__ = ["Asking", "Context", "Contexts"]


class Asking(TypedDict, total=False):
    """What can be said about a context besides its task."""

    # `coding` (the default) goes by the phase; `desktop`, `loop`, `operations`, or any other of `layouts()`.
    layout: str
    # A universal phase, a name of the way of working (`red`), or `auto`: the one the newest session is in.
    phase: Phase | str | None
    # Tokens of the whole text; by default the layout's own.
    budget: int | None
    # How big the work is; guessed from how the task is worded where nobody says.
    complexity: Complexity | str | None
    # The unit of work and the branch; by default those at hand.
    work: str | None
    # What this agent has before it already.
    told: Collection[str]
    # Whether files are put there, where the layout does that; else they are only named.
    files: bool


class Contexts:
    """What agents are given to a task. Being shown here is no access."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def layouts(self) -> Sequence[Layout]:
        """Every layout: ours, then the user's own; one that takes the place of ours stands there."""
        return list((dict(LAYOUTS) | {one.name: one for one in self._own()}).values())

    def assemble(self, task: str, **asked: Unpack[Asking]) -> Context:
        """The text for a task and what it is made of."""
        budget = asked.get("budget")
        if budget is not None and not 1 <= budget <= MOST_TOKENS:
            raise BadInput(reason=f"a budget is 1 to {MOST_TOKENS} tokens, not {budget}")
        phase = self._phase(asked.get("phase"))
        layout = layout_named(asked.get("layout", BY_PHASE), phase, self._own())
        situation = self._looking_ahead(layout, self._situation(task, phase or layout.phase, asked))
        return context_of(
            layout,
            candidates(self._wiring.ground, layout, situation),
            situation,
            budget=layout.tokens if budget is None else budget,
            told=asked.get("told", ()),
            read=self._read if asked.get("files", True) else lambda paths: (),
        )

    def _phase(self, name: Phase | str | None) -> Phase | None:
        if name is None or name in set(Phase):
            return Phase(name) if name else None
        return Methods(self._wiring).phase(None if name == "auto" else name)

    def _situation(self, task: str, phase: Phase | None, asked: Asking) -> Situation:
        wiring = self._wiring
        unit, branch = Methods(wiring).at_hand()
        return Situation(
            now=wiring.now(),
            kinds=wiring.kinds.names(),
            project_id=wiring.project_id(),
            branch=branch,
            work=asked.get("work") or (str(unit) if unit else ""),
            question=task.strip(),
            phase=phase,
            complexity=_complexity(asked.get("complexity"), task),
        )

    def _looking_ahead(self, layout: Layout, situation: Situation) -> Situation:
        """With the files that such work will probably open, where the layout has a place for them."""
        if not looks_ahead(layout):
            return situation
        wiring = self._wiring
        found = foreseen(
            wiring.reading,
            prompt=situation.question,
            branch=situation.branch,
            folder=str(wiring.folder or ""),
        )
        return replace(situation, foreseen=found)

    def _own(self) -> Sequence[Layout]:
        settings = self._wiring.settings
        users = settings.users_layouts()
        given = {name: one for name, one in settings.layouts.items() if name not in MOMENTS or name in users}
        return own_layouts(given, self._wiring.kinds.names()) if given else ()

    def _read(self, paths: Sequence[str]) -> Sequence[Preloaded]:
        place = self._wiring.identity()
        if place is None:
            return ()
        return preloaded(place.root, paths, patterns_of(self._wiring.settings.text("record.exclude")))


def _complexity(given: Complexity | str | None, task: str) -> Complexity:
    if not given:
        return complexity_of_task(task)
    if given not in set(Complexity):
        raise BadInput(reason=f"work is {', '.join(Complexity)}, not {given!r}")
    return Complexity(given)
