"""
What a large piece of work taught as a whole: two to five insights over the outcomes of its parts.

Once, when at least ten parts of one unit of work have all passed. Each insight is counted from the outcomes: where
changes meet, what must be changed together, what kept failing, where the work lay, what it took.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from posixpath import dirname
from typing import Any

from recollect.capture.intake import take_in
from recollect.capture.write_context import Act, PrecomputedEmbedder, WriteContext
from recollect.learn.note_texts import Sentence
from recollect.learn.novelty import weigh_novelty
from recollect.learn.rephrase import Phrase
from recollect.lifecycle.confidence import adjust_confidence
from recollect.model.memory import Memory, MemoryDraft, MemoryState, Remembered, Trust
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.query import Filters
from recollect.model.scope import Scope, WorkRef, parse_workref
from recollect.model.session import Session
from recollect.model.subject import Subject
from recollect.model.value import dataclass, replace
from recollect.observe.phrases import is_own_test, join_names
from recollect.store.db import Db
from recollect.store.tables import memories

MIN_PARTS = 10
MAX_PARTS = 500
MAX_INSIGHTS = 5
CONFIDENCE = 0.85
TAG = "consolidation"
OUTCOME = "work_unit_outcome"
MAX_EVENTS = 64
_MAX_SUBJECTS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPart:
    """One part of a large piece of work, as its outcome tells."""

    ref: str
    files: tuple[str, ...]
    retries: int = 0
    steps: int = 0
    event_ids: tuple[str, ...] = ()


def draft_insights(
    db: Db, session: Session, outers: Iterable[str], made: Sequence[MemoryDraft], phrase: Phrase
) -> list[MemoryDraft]:
    """What units of work taught as a whole, if they are large and done, and it was not said before."""
    drafts: list[MemoryDraft] = []
    for outer in dict.fromkeys(outers):
        work = parse_workref(outer)
        filters = Filters(kinds=(OUTCOME,), project_id=session.project_id, work=work)
        parts = list_parts(outer, memories.list_memories(db, filters, limit=MAX_PARTS), made)
        if len(parts) >= MIN_PARTS and not _was_said(db, session, work):
            drafts += _drafts(session, work, parts, phrase)
    return drafts


def prepare_context(
    door: WriteContext, project_id: str | None, drafts: Sequence[MemoryDraft]
) -> WriteContext:
    """The door with these embedded already: a slow model must not hold up other writers."""
    if not drafts or door.embedder is None:
        return door
    weighed = weigh_novelty(door, project_id, [draft.text for draft in drafts])
    return replace(door, embedder=PrecomputedEmbedder(door.embedder, weighed.ready))


def store_drafts(door: WriteContext, act: Act, drafts: Sequence[MemoryDraft]) -> list[Memory]:
    """Let them in, surer than one observation would be: they rest on many outcomes. The memories that are new."""
    new = [answer.memory for answer in take_in(door, act, drafts) if isinstance(answer, Remembered)]
    why = "counted over all parts of a piece of work"
    return [
        adjust_confidence(door.db, memory, CONFIDENCE, act_id=act.id, at=act.at, actor=act.actor, why=why)
        for memory in new
    ]


def list_parts(outer: str, known: Iterable[Memory], made: Iterable[MemoryDraft]) -> list[WorkPart]:
    """The parts of a unit from their outcomes, those just made in the place of older ones; none if one failed."""
    outcomes: dict[str, tuple[Mapping[str, Any], Provenance]] = {}
    for memory in known:
        outcomes[str(memory.work)] = (memory.fields, memory.provenance)
    for draft in made:
        if draft.kind == OUTCOME:
            outcomes[str(draft.work)] = (draft.fields, draft.provenance)
    own = {ref: outcome for ref, outcome in outcomes.items() if ref.startswith(f"{outer}/")}
    if not all(fields.get("succeeded") for fields, _ in own.values()):
        return []
    return [
        WorkPart(
            ref=ref,
            files=tuple(fields.get("files_modified", ())),
            retries=fields.get("retry_count", 0),
            steps=fields.get("steps_taken", 0),
            event_ids=provenance.event_ids,
        )
        for ref, (fields, provenance) in own.items()
    ]


def find_insights(outer: str, parts: Sequence[WorkPart]) -> list[Sentence]:
    """What the parts say together, the most useful first."""
    sentences = [sentence for find in _FINDERS for sentence in find(outer, parts)]
    return sentences[:MAX_INSIGHTS]


def _was_said(db: Db, session: Session, work: WorkRef) -> bool:
    """Whether it was consolidated before, whatever has become of that since."""
    filters = Filters(
        kinds=("module_insight",),
        tags=(TAG,),
        project_id=session.project_id,
        work=work,
        states=tuple(MemoryState),
    )
    return memories.count_memories(db, filters) > 0


def _drafts(session: Session, work: WorkRef, parts: Sequence[WorkPart], phrase: Phrase) -> list[MemoryDraft]:
    """The insights as memories to be; in a model's words, where one is at hand and its words hold."""
    sentences = find_insights(str(work), parts)
    event_ids = tuple(dict.fromkeys(event_id for part in parts for event_id in part.event_ids))[:MAX_EVENTS]
    return [
        _draft(session, work, sentence, text, event_ids)
        for sentence, text in zip(sentences, phrase(sentences), strict=True)
    ]


def _draft(
    session: Session, work: WorkRef, sentence: Sentence, text: str, event_ids: tuple[str, ...]
) -> MemoryDraft:
    return MemoryDraft(
        text=text,
        kind="module_insight",
        subjects=tuple(Subject("file", file) for file in sentence.files[:_MAX_SUBJECTS]),
        tags=(TAG,),
        scope=Scope.GLOBAL,
        project_id=session.project_id,
        work=work,
        provenance=Provenance(
            channel=Channel.OBSERVED,
            source=Source.OBSERVER_INFERRED,
            session_id=session.id,
            event_ids=event_ids,
        ),
        trust=Trust(needs_review=True),
        happened_at=session.last_at,
    )


def _where_changes_meet(outer: str, parts: Sequence[WorkPart]) -> Iterator[Sentence]:
    counts = Counter(file for part in parts for file in set(part.files))
    often = [(file, count) for file, count in counts.most_common() if count >= 0.4 * len(parts)]
    for file, count in often[:1]:
        text = f"Changes meet in {file}: {count} of the {len(parts)} parts of {outer} needed a change there."
        yield Sentence(text=text, files=(file,), evidence=(outer,))


def _changed_together(outer: str, parts: Sequence[WorkPart]) -> Iterator[Sentence]:
    alone = Counter(file for part in parts for file in set(part.files))
    pairs = Counter(pair for part in parts for pair in combinations(sorted(set(part.files)), 2))
    for (one, other), both in pairs.most_common():
        either = alone[one] + alone[other] - both
        if both >= 3 and both >= 0.6 * either and not is_own_test(one, other):
            text = f"{one} and {other} go together: {both} of the {either} parts of {outer} that changed one"
            yield Sentence(text=f"{text} needed the other too.", files=(one, other), evidence=(outer,))
            return


def _kept_failing(outer: str, parts: Sequence[WorkPart]) -> Iterator[Sentence]:
    usual = sum(part.retries for part in parts) / len(parts)
    worst: list[tuple[float, str, int]] = []
    for file in dict.fromkeys(file for part in parts for file in part.files):
        own = [part.retries for part in parts if file in part.files]
        average = sum(own) / len(own)
        if len(own) >= 2 and sum(own) >= 3 and average >= 2 * usual:
            worst.append((average, file, len(own)))
    for average, file, count in sorted(worst, reverse=True)[:1]:
        text = (
            f"Work on {file} fails its checks more often: {average:.1f} times in each of the {count} parts of"
        )
        yield Sentence(
            text=f"{text} {outer} that changed it, {usual:.1f} overall.", files=(file,), evidence=(outer,)
        )


def _where_it_lay(outer: str, parts: Sequence[WorkPart]) -> Iterator[Sentence]:
    folders = Counter(folder for part in parts for folder in {dirname(file) or "." for file in part.files})
    shares = [f"{folder} ({count})" for folder, count in folders.most_common(4)]
    if shares:
        text = f"Of the {len(parts)} parts of {outer}, so many needed changes in each place: {join_names(shares, 4)}."
        yield Sentence(text=text, evidence=(outer, *folders))


def _what_it_took(outer: str, parts: Sequence[WorkPart]) -> Iterator[Sentence]:
    steps = [part.steps for part in parts if part.steps]
    if steps:
        most = max(parts, key=lambda part: part.steps)
        text = f"A part of {outer} took {sum(steps) / len(steps):.0f} steps on average; the longest, {most.ref}, took "
        text += f"{most.steps} and changed {join_names(most.files) or 'nothing'}."
        yield Sentence(text=text, files=most.files, evidence=(outer, most.ref))


_FINDERS: Sequence[Callable[[str, Sequence[WorkPart]], Iterator[Sentence]]] = (
    _changed_together,
    _kept_failing,
    _where_changes_meet,
    _where_it_lay,
    _what_it_took,
)
