"""
Insights about modules, services and apps: what repeated evidence says of a place, as counts.

The evidence is what happened (failures and what mended them, observations of scheduled runs), never the words of other
memories: an insight that were made of memories would repeat them, and be repeated itself the next time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta
from posixpath import dirname

from recollect.capture.write_context import Act, WriteContext
from recollect.learn.counted import TAG, CountedMemory, draft_counted, propose_counted
from recollect.learn.lessons.failure_notes import list_failures
from recollect.model.failure import Failure, FailureSource
from recollect.model.kinds import Kinds
from recollect.model.memory import Memory, MemoryDraft, MemoryState, Relation, RelationType
from recollect.model.path_kinds import is_test_file
from recollect.model.proposal import LearningProposal
from recollect.model.query import Filters
from recollect.model.subject import Subject
from recollect.model.value import dataclass
from recollect.observe.phrases import join_names
from recollect.store.db import Db
from recollect.store.tables import memories

STEP = "knowledge"
KIND = "module_insight"
WINDOW = timedelta(days=90)
MIN_EVIDENCE, MIN_SESSIONS = 3, 2
MAX_INSIGHTS = 20
_MAX_READ = 500
_MAX_RELATIONS = 16
_MAX_EVENTS = 64
_ABOUT = ("service", "app")
# What a failure is, counted.
_NOUNS = {
    FailureSource.ERROR: ("failed check", "failed checks"),
    FailureSource.REJECTED: ("rejection", "rejections"),
    FailureSource.STUCK: ("stuck run", "stuck runs"),
    FailureSource.CORRECTION: ("correction by the person", "corrections by the person"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """What the evidence says of one subject."""

    subject: Subject
    text: str
    evidence: tuple[str, ...]
    session_ids: tuple[str, ...]
    event_ids: tuple[str, ...] = ()
    # Memories it was counted from, none of whose words it has.
    memory_ids: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def find_insights(context: WriteContext, project_id: str | None) -> list[Insight]:
    """What repeated evidence says now; the same evidence gives the same words."""
    failures = list_failures(context.db, project_id, context.now() - WINDOW)
    insights = [*_list_module_insights(failures), *_list_subject_insights(context, project_id)]
    return insights[:MAX_INSIGHTS]


def learn_insights(context: WriteContext, act: Act | None, project_id: str | None) -> list[LearningProposal]:
    """Remember them, each in the place of what was counted before; without an act, only say what would be done."""
    known = {_read_subject(memory): memory for memory in _list_counted(context.db, project_id)}
    counted: list[CountedMemory] = []
    for insight in find_insights(context, project_id):
        before = known.get(str(insight.subject))
        if before is not None and (before.text == insight.text or not _may_change(before)):
            continue
        counted.append(
            CountedMemory(
                draft=_draft(context, project_id, insight),
                before=before,
                why=f"{len(insight.evidence)} pieces of evidence in {len(insight.session_ids)} sessions",
                evidence=insight.evidence,
                needs_review=before is None,
            )
        )
    return propose_counted(context, act, STEP, counted)


def _list_module_insights(failures: Sequence[Failure]) -> list[Insight]:
    """Of each folder: what went wrong there, by which check, and which files ended it."""
    by_folder: dict[str, list[Failure]] = {}
    for failure in failures:
        files = (*failure.way_out.files, *failure.files)
        for folder in dict.fromkeys(dirname(file) for file in files if not is_test_file(file)):
            if folder:
                by_folder.setdefault(folder, []).append(failure)
    insights = [
        _describe_folder(folder, own)
        for folder, own in by_folder.items()
        if len(own) >= MIN_EVIDENCE and len({failure.session_id for failure in own}) >= MIN_SESSIONS
    ]
    return sorted(insights, key=lambda insight: (-len(insight.evidence), str(insight.subject)))


def _describe_folder(folder: str, failures: Sequence[Failure]) -> Insight:
    sessions = dict.fromkeys(failure.session_id for failure in failures)
    sorts = Counter(failure.source for failure in failures)
    parts = [f"{count} {_NOUNS[sort][count > 1]}" for sort, count in sorts.most_common()]
    text = f"Work in {folder} met {join_names(parts, 4)} in {len(sessions)} sessions"
    checks = Counter(failure.where.split()[0] for failure in failures if _is_check(failure))
    if checks:
        text += f"; most often `{checks.most_common(1)[0][0]}` failed ({checks.most_common(1)[0][1]} times)"
    ended = Counter(file for failure in failures for file in set(failure.way_out.files))
    often = tuple(file for file, count in ended.most_common(2) if count > 1)
    if often:
        text += f"; a change in {join_names(often)} ended it {ended[often[0]]} times"
    return Insight(
        subject=Subject("module", folder),
        text=f"{text}.",
        evidence=tuple(
            f"{failure.at:%Y-%m-%d} session {failure.session_id} step {failure.step}: {failure.source}"
            for failure in failures
        ),
        session_ids=tuple(sessions),
        event_ids=tuple(dict.fromkeys(name for one in failures for name in one.event_ids))[:_MAX_EVENTS],
        files=often,
    )


def _is_check(failure: Failure) -> bool:
    return failure.source is FailureSource.ERROR and bool(failure.where.split())


def _list_subject_insights(context: WriteContext, project_id: str | None) -> list[Insight]:
    """Of each service and app: how often what was observed of it, over how many runs."""
    filters = Filters(
        kinds=tuple(kind.name for kind in context.kinds if kind.group == "operations"),
        project_id=project_id,
        since=context.now() - WINDOW,
    )
    by_subject: dict[Subject, list[Memory]] = {}
    for memory in memories.list_memories(context.db, filters, limit=_MAX_READ):
        for subject in memory.subjects:
            if subject.type in _ABOUT:
                by_subject.setdefault(subject, []).append(memory)
    insights = [
        _describe_subject(subject, own, context.kinds)
        for subject, own in by_subject.items()
        if len(own) >= MIN_EVIDENCE and len(_list_sessions(own)) >= MIN_SESSIONS
    ]
    return sorted(insights, key=lambda insight: (-len(insight.evidence), str(insight.subject)))


def _describe_subject(subject: Subject, observed: Sequence[Memory], kinds: Kinds) -> Insight:
    counts = Counter(kinds.get(memory.kind).heading.lower() for memory in observed)
    parts = [f"{heading} {count} times" for heading, count in counts.most_common()]
    sessions = _list_sessions(observed)
    last = max(memory.happened_at for memory in observed)
    return Insight(
        subject=subject,
        text=f"Of the {subject.type} {subject.name}, {len(sessions)} runs noted {join_names(parts, 5)}; the last on"
        f" {last:%Y-%m-%d}.",
        evidence=tuple(f"{memory.happened_at:%Y-%m-%d} {memory.kind} {memory.id}" for memory in observed),
        session_ids=sessions,
        memory_ids=tuple(memory.id for memory in observed),
    )


def _list_sessions(observed: Iterable[Memory]) -> tuple[str, ...]:
    names = (memory.provenance.session_id for memory in observed)
    return tuple(dict.fromkeys(name for name in names if name))


def _list_counted(db: Db, project_id: str | None) -> list[Memory]:
    """What was counted before, whatever has become of it: what a person put away does not come back."""
    filters = Filters(kinds=(KIND,), tags=(TAG,), project_id=project_id, states=tuple(MemoryState))
    return memories.list_memories(db, filters, limit=_MAX_READ)


def _read_subject(memory: Memory) -> str:
    return next((str(subject) for subject in memory.subjects if subject.type != "file"), "")


def _may_change(memory: Memory) -> bool:
    is_persons = memory.trust.verified or memory.pinned
    return memory.state is MemoryState.ACTIVE and not is_persons


def _draft(context: WriteContext, project_id: str | None, insight: Insight) -> MemoryDraft:
    derived = tuple(
        Relation(type=RelationType.DERIVED_FROM, memory_id=memory_id, auto_extracted=True)
        for memory_id in insight.memory_ids[:_MAX_RELATIONS]
    )
    return draft_counted(
        insight.text,
        KIND,
        project_id,
        session_id=insight.session_ids[-1],
        event_ids=insight.event_ids,
        subjects=(insight.subject, *(Subject("file", file) for file in insight.files)),
        relations=derived,
        happened_at=context.now(),
    )
