"""Everything that is learned across sessions, as `memory.learning`: lessons, recipes, knowledge, preferences."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.learn.lessons.learn_lessons import learn_lessons
from recollect.model.proposal import LearningProposal

__all__ = ["Learning", "LearningProposal"]


@public_api
class Learning:
    """What sessions teach together. Each part may be run again at any time, and does nothing the second time."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def run(self, *, dry_run: bool = False) -> Sequence[LearningProposal]:
        """Run every part; what each proposed, with its evidence. A dry run writes nothing."""
        return self.lessons(dry_run=dry_run)

    def lessons(self, *, dry_run: bool = False) -> Sequence[LearningProposal]:
        """Failures that are alike become lessons, and lessons are judged by what happened since."""
        wiring = self._wiring
        context = wiring.write_context() if dry_run else wiring.begin_writing()
        return learn_lessons(context, wiring.project_id(), dry_run=dry_run)
