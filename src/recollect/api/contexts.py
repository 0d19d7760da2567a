"""
What is put before agents: `memory.contexts` assembles a text for a task, `memory.rendering` puts memories into words.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Sequence

from recollect.api.methods import Methods
from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.errors import BadInput
from recollect.events.excluded import parse_patterns
from recollect.inject import answer, render
from recollect.inject.answer import MemoryCard
from recollect.inject.assemble import assemble_injection
from recollect.inject.context import Context, build_context
from recollect.inject.layout import CODING, MOMENTS, PROJECT, Layout, needs_predicted_files
from recollect.inject.named_layouts import BY_PHASE, LAYOUTS, find_layout
from recollect.inject.slot_candidates import Situation, find_slot_candidates
from recollect.inject.user_layouts import MAX_TOKENS, parse_user_layouts
from recollect.model.complexity import Complexity, estimate_complexity
from recollect.model.memory import Memory
from recollect.model.phase import Phase
from recollect.model.value import replace
from recollect.retrieve.preload import PreloadedFile, preload_files

__all__ = ["Context", "Contexts", "MemoryCard", "Rendering"]


@public_api
class Contexts:
    """What agents are given to a task. Being shown here is no access."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def layouts(self) -> Sequence[Layout]:
        """Every layout: ours, then the user's own; one that takes the place of ours stands there."""
        return list((dict(LAYOUTS) | {layout.name: layout for layout in self._own_layouts()}).values())

    def assemble(
        self,
        task: str,
        *,
        layout: str | None = None,
        phase: Phase | str | None = None,
        budget: int | None = None,
        complexity: Complexity | str | None = None,
        work: str | None = None,
        known_ids: Collection[str] = (),
        files: bool = True,
    ) -> Context:
        """
        The text for a task and what it is made of.

        `layout` is one of `layouts()`; by default `coding`, which goes by the phase. `phase` is a universal one, a name
        of the way of working (`red`), or `auto`: the one the newest session is in. `budget` counts the tokens of the
        whole text; by default the layout's own. `complexity` is guessed from the task where nobody says. `work` is the
        unit of work; by default the one at hand. `known_ids` are what this agent has before it already. Without
        `files`, files are only named.
        """
        if budget is not None and not 1 <= budget <= MAX_TOKENS:
            raise BadInput(reason=f"a budget is 1 to {MAX_TOKENS} tokens, not {budget}")
        self._wiring.drain_inbox()
        resolved = Methods(self._wiring).resolve_phase(phase)
        chosen = find_layout(layout or BY_PHASE, resolved, self._own_layouts())
        situation = self._with_predicted_files(
            chosen, self._situation(task, resolved or chosen.phase, work, complexity)
        )
        return build_context(
            chosen,
            find_slot_candidates(self._wiring.read_context, chosen, situation),
            situation,
            budget=chosen.tokens if budget is None else budget,
            told_ids=known_ids,
            read_files=self._read if files else lambda paths: (),
        )

    def _situation(
        self, task: str, phase: Phase | None, work: str | None, complexity: Complexity | str | None
    ) -> Situation:
        wiring = self._wiring
        unit, branch = Methods(wiring).at_hand()
        return Situation(
            now=wiring.now(),
            kinds=wiring.kinds.names(),
            project_id=wiring.project_id(),
            branch=branch,
            work=work or (str(unit) if unit else ""),
            question=task.strip(),
            phase=phase,
            complexity=_complexity(complexity, task),
        )

    def _with_predicted_files(self, layout: Layout, situation: Situation) -> Situation:
        """With the files that such work will probably open, where the layout has a place for them."""
        if not needs_predicted_files(layout):
            return situation
        wiring = self._wiring
        predicted = wiring.reading.predict_files(
            prompt=situation.question,
            branch=situation.branch,
            folder=str(wiring.folder or ""),
            without_sessions=wiring.look_at_checkout(situation.question, situation.branch),
        )
        return replace(situation, predicted_files=predicted)

    def _own_layouts(self) -> Sequence[Layout]:
        settings = self._wiring.settings
        users = settings.users_layouts()
        layouts = {
            name: layout for name, layout in settings.layouts.items() if name not in MOMENTS or name in users
        }
        return parse_user_layouts(layouts, self._wiring.kinds.names()) if layouts else ()

    def _read(self, paths: Sequence[str]) -> Sequence[PreloadedFile]:
        place = self._wiring.identity()
        if place is None:
            return ()
        return preload_files(place.root, paths, parse_patterns(self._wiring.settings.text("record.exclude")))


def _complexity(named: Complexity | str | None, task: str) -> Complexity:
    if not named:
        return estimate_complexity(task)
    if named not in set(Complexity):
        raise BadInput(reason=f"work is {', '.join(Complexity)}, not {named!r}")
    return Complexity(named)


@public_api
class Rendering:
    """Memories as an agent sees them. Every text goes through the one renderer."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def card(self, memory: Memory) -> MemoryCard:
        """One memory for an agent's program."""
        return answer.to_card(memory)

    def block(self, heading: str, memories: Iterable[Memory]) -> str:
        """Memories for an agent's eyes."""
        return answer.render_answer(heading, memories, secrets.token_hex(4))

    def escaped(self, text: str) -> str:
        """Any other text from the store, such as a file's name, on one line that cannot break out."""
        return render.escape(text)

    def brief(self) -> str:
        """What there is to know about the project around the folder; empty when there is nothing."""
        wiring = self._wiring
        wiring.drain_inbox()
        layout = CODING[PROJECT]
        situation = Situation(now=wiring.now(), kinds=wiring.kinds.names(), project_id=wiring.project_id())
        candidates = find_slot_candidates(wiring.read_context, layout, situation)
        injection = assemble_injection(layout, candidates, told_ids=(), boundary=secrets.token_hex(4))
        return injection.text if injection else ""
