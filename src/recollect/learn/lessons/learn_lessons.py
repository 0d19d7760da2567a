"""
Lessons from failures: three alike give one avoidance rule, and what happens afterwards judges it.

A rule that stood before an agent whose session failed in the same way all the same loses confidence and is reworked;
one whose session passed without that failure gains. What keeps failing escalates. A rule that a person changed or
stands by keeps its words, and one that they put away does not come back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from recollect.capture import change
from recollect.capture.evidence import gives_orders
from recollect.capture.intake import take_in
from recollect.capture.write_context import Act, WriteContext, begin_act
from recollect.learn.lessons.cluster import cluster_failures
from recollect.learn.lessons.failure_notes import list_failures, tie_to_lesson
from recollect.learn.lessons.rule import LessonRule, has_common_ground, write_rule
from recollect.lifecycle.writing import apply_change
from recollect.model.failure import Failure, FailureSource
from recollect.model.json_form import moment_to_json
from recollect.model.memory import (
    Memory,
    MemoryDraft,
    MemoryState,
    Refused,
    Relation,
    RelationType,
    Trust,
)
from recollect.model.normal_form import text_hash
from recollect.model.policy import ESCALATED_TAG, INACTIVE_BELOW
from recollect.model.proposal import LearningProposal
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.query import Filters
from recollect.model.subject import Subject
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import injections, memories, meta, sessions

ACTOR = "observer"
KIND = "lesson"
STEP = "lessons"
MIN_FAILURES = 3
MIN_SESSIONS = 2
WINDOW = timedelta(days=90)
# So many in all, or so many since the rule was made, and it is put first.
ESCALATED_AT = 6
ESCALATED_SINCE = 3
GAIN, LOSS, MOST_SURE = 0.05, 0.15, 0.95
# Without a way out a rule only warns.
SURE_WITHOUT_WAY_OUT = 0.6
MAX_EVENTS = 64
_MAX_NAMED = 64
_MAX_LESSONS = 500
_PUT_AWAY = frozenset({MemoryState.ARCHIVED, MemoryState.INACTIVE})

# A rule in better words, or the same.
WordRule = Callable[[LessonRule, Sequence[Failure]], LessonRule]


def keep_rule(rule: LessonRule, _: Sequence[Failure]) -> LessonRule:
    """Our own words."""
    return rule


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPlan:
    """What becomes of one cluster."""

    act: str
    failures: tuple[Failure, ...]
    # Those that no lesson had yet.
    fresh: tuple[Failure, ...]
    rule: LessonRule
    known: Memory | None = None
    # Sessions of the fresh ones that had the rule before them and failed all the same.
    missed: tuple[str, ...] = ()
    # Lessons of single runs that this one says for all of them.
    covered: tuple[str, ...] = ()


def learn_lessons(
    context: WriteContext, project_id: str | None, *, word_rule: WordRule = keep_rule, dry_run: bool = False
) -> list[LearningProposal]:
    """Cluster what failed, make and mend rules, and count which held. Done twice, the second time does nothing."""
    context = replace(context, channel=Channel.OBSERVED)
    now = context.now()
    failures = list_failures(context.db, project_id, now - WINDOW)
    digest = _digest(failures)
    plans: list[LessonPlan] = []
    if digest != meta.read_meta(context.db, _meta_key(project_id)):
        plans = plan_lessons(context, project_id, failures, word_rule)
    if dry_run:
        holding = _list_holding(context.db, project_id, failures, plans)
        return [_propose(plan, plan.known) for plan in plans] + [_propose_held(*one) for one in holding]
    act = begin_act(context, "learn", ACTOR, why="what failed again")
    proposals: list[LearningProposal] = []
    with context.db.transaction():
        for plan in plans:
            proposals += _carry_out(context, act, project_id, plan)
        for lesson, held_in in _list_holding(context.db, project_id, failures, plans):
            proposals.append(_count_held(context.db, act, lesson, held_in))
        after = _digest(list_failures(context.db, project_id, now - WINDOW)) if plans else digest
        meta.save_meta(context.db, _meta_key(project_id), after)
    return proposals


def plan_lessons(
    context: WriteContext,
    project_id: str | None,
    failures: Sequence[Failure],
    word_rule: WordRule = keep_rule,
) -> list[LessonPlan]:
    """What to make of these failures; nothing is written."""
    single = _list_single_lessons(context.db, project_id)
    plans: list[LessonPlan] = []
    for cluster in cluster_failures(failures, context.embedder):
        fresh = tuple(failure for failure in cluster if failure.lesson_id is None)
        if not fresh or not _is_enough(cluster):
            continue
        known = _find_known(context.db, cluster)
        if known.state in _PUT_AWAY if known else not has_common_ground(cluster):
            continue
        plans.append(_plan(context.db, tuple(cluster), fresh, known, single, word_rule))
    return plans


def _plan(
    db: Db,
    cluster: tuple[Failure, ...],
    fresh: tuple[Failure, ...],
    known: Memory | None,
    single: Sequence[Memory],
    word_rule: WordRule,
) -> LessonPlan:
    missed = _list_missed(db, known, fresh) if known else ()
    rule = write_rule(cluster, tried=str(known.fields.get("instead", "")) if missed and known else "")
    act = "new" if known is None else "rework" if missed else "count"
    session_ids = {failure.session_id for failure in cluster}
    covered = tuple(
        lesson.id
        for lesson in single
        if lesson.provenance.session_id in session_ids and _is_about(lesson, cluster)
    )
    rule = word_rule(rule, cluster) if act != "count" else rule
    return LessonPlan(
        act=act, failures=cluster, fresh=fresh, rule=rule, known=known, missed=missed, covered=covered
    )


def _is_enough(cluster: Sequence[Failure]) -> bool:
    return len(cluster) >= MIN_FAILURES and len({one.session_id for one in cluster}) >= MIN_SESSIONS


def _find_known(db: Db, cluster: Sequence[Failure]) -> Memory | None:
    counts = Counter(failure.lesson_id for failure in cluster if failure.lesson_id)
    known = (memories.find_memory(db, lesson_id) for lesson_id, _ in counts.most_common())
    return next((memory for memory in known if memory is not None), None)


def _list_missed(db: Db, known: Memory, fresh: Sequence[Failure]) -> tuple[str, ...]:
    """The sessions where the rule stood before the agent, and the failure came all the same."""
    missed = []
    for failure in fresh:
        shown = injections.list_injections(db, failure.session_id)
        if any(one.memory_id == known.id and one.at <= failure.at for one in shown):
            missed.append(failure.session_id)
    return tuple(dict.fromkeys(missed))


def _list_single_lessons(db: Db, project_id: str | None) -> list[Memory]:
    """Lessons of one run each, that nobody stands by in person."""
    filters = Filters(kinds=(KIND,), project_id=project_id, sources=(Source.OBSERVER_INFERRED,))
    return [
        memory
        for memory in memories.list_memories(db, filters, limit=_MAX_LESSONS)
        if "failures" not in memory.fields and not memory.trust.verified and not memory.pinned
    ]


def _is_about(lesson: Memory, cluster: Sequence[Failure]) -> bool:
    avoid = str(lesson.fields.get("avoid", ""))
    return bool(avoid) and any(failure.what.startswith(avoid.rstrip("…")[:80]) for failure in cluster)


# -- writing ---------------------------------------------------------------------------------------------


def _carry_out(
    context: WriteContext, act: Act, project_id: str | None, plan: LessonPlan
) -> list[LearningProposal]:
    lesson = plan.known
    if lesson is None:
        answer = take_in(context, act, [_draft(plan, project_id)])[0]
        if isinstance(answer, Refused):
            return []
        lesson = answer.memory
    else:
        lesson = _update(context, act, plan, lesson)
    tie_to_lesson(context.db, plan.fresh, lesson.id, "one of several alike")
    if plan.covered and lesson.state is MemoryState.ACTIVE:
        why = f"{lesson.id} says it for all such runs"
        change.set_state(context, plan.covered, MemoryState.ARCHIVED, action="merge", actor=ACTOR, why=why)
    return [_propose(plan, lesson)]


def _draft(plan: LessonPlan, project_id: str | None) -> MemoryDraft:
    rule, newest = plan.rule, max(plan.failures, key=lambda failure: failure.at)
    events = dict.fromkeys(name for failure in reversed(plan.failures) for name in failure.event_ids)
    covered = tuple(
        Relation(type=RelationType.DERIVED_FROM, memory_id=lesson_id, auto_extracted=True)
        for lesson_id in plan.covered
    )
    return MemoryDraft(
        text=rule.text,
        kind=KIND,
        subjects=tuple(Subject("file", file) for file in rule.files),
        tags=(ESCALATED_TAG,) if len(plan.failures) >= ESCALATED_AT else (),
        project_id=project_id,
        provenance=Provenance(
            channel=Channel.OBSERVED,
            source=Source.OBSERVER_INFERRED,
            session_id=newest.session_id,
            event_ids=tuple(events)[:MAX_EVENTS],
        ),
        trust=Trust(needs_review=True),
        # What an output tells its reader to do is no lesson before a person has looked.
        state=MemoryState.QUARANTINED if _may_be_planted(plan) else MemoryState.ACTIVE,
        confidence=None if rule.instead else SURE_WITHOUT_WAY_OUT,
        # What to do instead must be the session's own: the door compares it with what was read.
        citation=rule.instead if rule.source in ("words", "command") else "",
        relations=covered,
        fields=_make_fields(plan, {}),
        happened_at=newest.at,
    )


def _may_be_planted(plan: LessonPlan) -> bool:
    is_persons = all(failure.source is FailureSource.CORRECTION for failure in plan.failures)
    return not is_persons and gives_orders(plan.rule.avoid)


def _make_fields(plan: LessonPlan, before: dict[str, object]) -> dict[str, object]:
    rule, last = plan.rule, max(failure.at for failure in plan.failures)
    missed = before.get("missed", 0)
    return {
        **before,
        "avoid": rule.avoid,
        "instead": rule.instead,
        "when": rule.when,
        "failures": len(plan.failures),
        "missed": (missed if isinstance(missed, int) else 0) + len(plan.missed),
        "last_failed_at": moment_to_json(last),
    }


def _update(context: WriteContext, act: Act, plan: LessonPlan, lesson: Memory) -> Memory:
    fields = _make_fields(plan, dict(lesson.fields))
    is_persons = lesson.trust.verified or lesson.pinned
    if not plan.missed or is_persons:
        for name in ("avoid", "instead", "when"):
            fields[name] = lesson.fields.get(name, "")
    if plan.missed and not is_persons and plan.rule.text != lesson.text:
        why = "it stood before an agent and did not prevent the failure"
        lesson = change.edit_memory(
            context, lesson.id, {"text": plan.rule.text}, actor=ACTOR, why=why, action="rework"
        )
    confidence = lesson.confidence - LOSS * len(plan.missed)
    since = [failure for failure in plan.failures if failure.at > lesson.created_at]
    is_escalated = len(plan.failures) >= ESCALATED_AT or len(since) >= ESCALATED_SINCE
    tags = dict.fromkeys((*lesson.tags, *((ESCALATED_TAG,) if is_escalated else ())))
    new = replace(
        lesson,
        confidence=lesson.confidence if is_persons else max(0.0, round(confidence, 4)),
        fields=fields,
        tags=tuple(tags),
    )
    if new.confidence < INACTIVE_BELOW and not is_persons:
        new = replace(new, state=MemoryState.INACTIVE)
    return apply_change(context.db, replace(act, action="failed again"), lesson, new)


# -- which rules held ------------------------------------------------------------------------------------


def _list_holding(
    db: Db, project_id: str | None, failures: Sequence[Failure], plans: Sequence[LessonPlan]
) -> list[tuple[Memory, tuple[str, ...]]]:
    """Rules with the sessions that had them before them and passed without that failure, counted once each."""
    filters = Filters(kinds=(KIND,), project_id=project_id)
    failed_in: dict[str, set[str]] = {}
    for failure in failures:
        if failure.lesson_id:
            failed_in.setdefault(failure.lesson_id, set()).add(failure.session_id)
    for plan in plans:
        if plan.known:
            failed_in.setdefault(plan.known.id, set()).update(one.session_id for one in plan.fresh)
    holding = []
    for lesson in memories.list_memories(db, filters, limit=_MAX_LESSONS):
        if "failures" not in lesson.fields:
            continue
        counted = {*_list_texts(lesson, "held_in"), *failed_in.get(lesson.id, ())}
        shown = injections.list_sessions_shown(db, lesson.id)
        fresh = tuple(name for name in shown if name not in counted and _has_passed(db, name))
        if fresh:
            holding.append((lesson, fresh))
    return holding


def _has_passed(db: Db, session_id: str) -> bool:
    session = sessions.find_session(db, session_id)
    return session is not None and session.outcome == "passed"


def _count_held(db: Db, act: Act, lesson: Memory, held_in: tuple[str, ...]) -> LearningProposal:
    sure = min(MOST_SURE, round(lesson.confidence + GAIN * len(held_in), 4))
    fields = {
        **lesson.fields,
        "held": _read_count(lesson, "held") + len(held_in),
        "held_in": [*_list_texts(lesson, "held_in"), *held_in][-_MAX_NAMED:],
    }
    why = f"{len(held_in)} sessions had it before them and passed"
    new = replace(lesson, confidence=max(lesson.confidence, sure), fields=fields)
    apply_change(db, replace(act, action="held", why=why), lesson, new)
    return _propose_held(lesson, held_in)


def _list_texts(lesson: Memory, name: str) -> list[str]:
    value = lesson.fields.get(name)
    return [str(one) for one in value] if isinstance(value, list | tuple) else []


def _read_count(lesson: Memory, name: str) -> int:
    value = lesson.fields.get(name)
    return value if isinstance(value, int) else 0


# -- telling ---------------------------------------------------------------------------------------------


def _propose(plan: LessonPlan, lesson: Memory | None) -> LearningProposal:
    text = plan.rule.text if plan.act != "count" or lesson is None else lesson.text
    sessions_count = len({failure.session_id for failure in plan.failures})
    why = f"{len(plan.failures)} failures alike in {sessions_count} sessions"
    if plan.missed:
        why += f"; it did not prevent {len(plan.missed)} of them"
    return LearningProposal(
        step=STEP,
        act=plan.act,
        text=text,
        why=why,
        evidence=tuple(_describe(failure) for failure in plan.failures),
        memory_id=lesson.id if lesson else "",
        needs_review=plan.act == "new" or bool(lesson and lesson.trust.needs_review),
    )


def _propose_held(lesson: Memory, held_in: Iterable[str]) -> LearningProposal:
    names = tuple(held_in)
    return LearningProposal(
        step=STEP,
        act="held",
        text=lesson.text,
        why=f"{len(names)} sessions had it before them and passed",
        evidence=names,
        memory_id=lesson.id,
    )


def _describe(failure: Failure) -> str:
    where = f" in {failure.where}" if failure.where else ""
    place = f"{failure.at:%Y-%m-%d} session {failure.session_id} step {failure.step}"
    return f"{place}: {failure.source}{where}: {failure.what}"


def _digest(failures: Sequence[Failure]) -> str:
    return text_hash("\x1f".join(f"{failure.id}:{failure.lesson_id or ''}" for failure in failures))


def _meta_key(project_id: str | None) -> str:
    return f"learning.lessons.{project_id or ''}"
