"""Everything that is learned across sessions, as `memory.learning`: lessons, recipes, knowledge, preferences, days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.capture import settle
from recollect.capture.write_context import Act, WriteContext, begin_act
from recollect.learn.day import RECENT, describe_day, sum_up
from recollect.learn.knowledge.fold import fold_episodes
from recollect.learn.knowledge.insights import learn_insights
from recollect.learn.knowledge.merge import merge_duplicates
from recollect.learn.lessons.learn_lessons import keep_rule, learn_lessons
from recollect.learn.lessons.word_rule import make_model_wording
from recollect.learn.preferences import learn_preferences
from recollect.model.day import DayEntry, DaySummary
from recollect.model.ids import SHORT_LENGTH
from recollect.model.json_form import moment_from_json, moment_to_json
from recollect.model.memory import Memory
from recollect.model.policy import CONSOLIDATE_HOURS, CONSOLIDATED_KEY
from recollect.model.proposal import LearningProposal
from recollect.model.provenance import Channel
from recollect.model.value import replace
from recollect.store.tables import meta

__all__ = ["DayEntry", "DaySummary", "Learning", "LearningProposal", "describe_day"]

_ACTOR = "observer"
# A part of learning: nothing is written without an act.
_Part = Callable[[WriteContext, Act | None, str | None], list[LearningProposal]]


@public_api
class Learning:
    """What sessions teach together. Each part may be run again at any time, and does nothing the second time."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def run(self, *, dry_run: bool = False) -> Sequence[LearningProposal]:
        """Run every part; what each proposed, with its evidence. A dry run writes nothing."""
        proposals = [
            *self.lessons(dry_run=dry_run),
            *self.knowledge(dry_run=dry_run),
            *self.preferences(dry_run=dry_run),
        ]
        if not dry_run:
            now = moment_to_json(self._wiring.now())
            with self._wiring.db.transaction():
                meta.save_meta(self._wiring.db, self._due_key(), now)
        return proposals

    def run_due(self) -> Sequence[LearningProposal]:
        """Run every part if four hours have passed since the last time; what the start of a session asks for."""
        return self.run() if self.is_due() else ()

    def is_due(self) -> bool:
        """Whether four hours have passed. A clock that went back does not keep it from ever running again."""
        last = meta.read_meta(self._wiring.db, self._due_key())
        if last is None:
            return True
        return abs(self._wiring.now() - moment_from_json(last)) >= timedelta(hours=CONSOLIDATE_HOURS)

    def lessons(self, *, dry_run: bool = False) -> Sequence[LearningProposal]:
        """Failures that are alike become lessons, and lessons are judged by what happened since."""
        wiring = self._wiring
        context = wiring.write_context() if dry_run else wiring.begin_writing()
        completer = None if dry_run else wiring.completer()
        word_rule = make_model_wording(completer) if completer else keep_rule
        return learn_lessons(context, wiring.project_id(), word_rule=word_rule, dry_run=dry_run)

    def knowledge(self, *, dry_run: bool = False) -> Sequence[LearningProposal]:
        """
        Consolidate: insights counted from repeated evidence, duplicates merged, old outcomes folded into patterns.

        Contradictions that wait for a person's word are named too; nothing else happens to them.
        """
        parts: tuple[_Part, ...] = (learn_insights, merge_duplicates, fold_episodes)
        proposals = [one for part in parts for one in self._run_part(part, dry_run=dry_run)]
        return [*proposals, *self._list_conflicts()]

    def preferences(self, *, dry_run: bool = False) -> Sequence[LearningProposal]:
        """What was chosen or corrected again and again becomes a preference; what was never said waits for a yes."""
        return self._run_part(learn_preferences, dry_run=dry_run)

    def day(self, on: date | None = None) -> DaySummary:
        """One day, of the clock in UTC: sessions and how they came out, failures, what was learned, what is open."""
        self._wiring.drain_inbox()
        first = datetime.combine(on or self._wiring.now().date(), time(tzinfo=UTC))
        return sum_up(self._wiring.db, self._wiring.project_id(), first, first + timedelta(days=1))

    def recent(self) -> DaySummary:
        """The last two hours."""
        self._wiring.drain_inbox()
        now = self._wiring.now()
        return sum_up(
            self._wiring.db, self._wiring.project_id(), now - RECENT, now + timedelta(microseconds=1)
        )

    def _run_part(self, part: _Part, *, dry_run: bool) -> list[LearningProposal]:
        wiring = self._wiring
        context = wiring.write_context() if dry_run else wiring.begin_writing()
        context = replace(context, channel=Channel.OBSERVED)
        act = None if dry_run else begin_act(context, "learn", _ACTOR, why="what sessions teach together")
        return part(context, act, wiring.project_id())

    def _list_conflicts(self) -> list[LearningProposal]:
        own = self._wiring.project_id()
        return [
            LearningProposal(
                step="knowledge",
                act="conflict",
                text=newer.text,
                why=f"it speaks against {older.id}; recollect settle {_short(newer)} {_short(older)}",
                evidence=(f"{newer.id}: {newer.text}", f"{older.id}: {older.text}"),
                memory_id=newer.id,
                needs_review=True,
            )
            for newer, older in settle.list_conflicts(self._wiring.db)
            if newer.project_id in (None, own)
        ]

    def _due_key(self) -> str:
        return f"{CONSOLIDATED_KEY}{self._wiring.project_id() or ''}"


def _short(memory: Memory) -> str:
    return memory.id[:SHORT_LENGTH]
