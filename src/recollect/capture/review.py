"""What people and agents say about a memory: confirm, correct, reject, flag as wrong, useful or noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.capture import change, rights
from recollect.capture.write_context import Act, WriteContext, begin_act, record_change
from recollect.errors import BadInput
from recollect.lifecycle.confidence import propagate_confidence
from recollect.lifecycle.writing import apply_change
from recollect.model.ageing import contradict_confidence, restart_ageing
from recollect.model.kinds import Kind
from recollect.model.memory import Memory, MemoryState, Relation, RelationType, Trust
from recollect.model.policy import INACTIVE_BELOW
from recollect.model.review import NEEDS_TEXT, CorrectionReason
from recollect.model.scope import Scope
from recollect.model.value import replace
from recollect.store.tables import memories


def confirm(context: WriteContext, memory_ids: Sequence[str], *, actor: str, why: str = "") -> list[Memory]:
    """A person stands by these memories: they are active, and need no review."""
    act = begin_act(context, "confirm", actor, why)
    rights.check_person(act, "confirm a memory")
    return _change_each(context, act, memory_ids, lambda old: _make_verified(old, context.kinds.of(old.kind)))


def reject(context: WriteContext, memory_ids: Sequence[str], *, actor: str, why: str = "") -> list[Memory]:
    """A person does not want these: they are out of use; `undo` brings them back."""
    act = begin_act(context, "reject", actor, why)
    rights.check_person(act, "reject a memory")
    return _change_each(
        context,
        act,
        memory_ids,
        lambda old: replace(old, state=MemoryState.ARCHIVED, trust=replace(old.trust, needs_review=False)),
    )


def flag_for_review(
    context: WriteContext, memory_ids: Sequence[str], *, actor: str, why: str = ""
) -> list[Memory]:
    """These are wrong: they are silent at once, until a person has looked. Agents may say so too."""
    act = begin_act(context, "flag", actor, why)
    return _change_each(
        context,
        act,
        memory_ids,
        lambda old: replace(old, state=MemoryState.INACTIVE, trust=replace(old.trust, needs_review=True)),
    )


def correct(
    context: WriteContext,
    memory_id: str,
    wrong: CorrectionReason,
    *,
    text: str = "",
    original: str = "",
    actor: str,
    why: str = "",
) -> Memory:
    """A person says what is wrong with a memory, with the words or the memory that take its place."""
    if (wrong in NEEDS_TEXT) != bool(text.strip()):
        raise BadInput(
            reason=f"{wrong} needs a new text" if wrong in NEEDS_TEXT else f"{wrong} takes no text"
        )
    if (wrong is CorrectionReason.DUPLICATE) != bool(original):
        raise BadInput(reason="a duplicate, and only that, names the memory that it repeats")
    act = begin_act(context, "correct", actor, f"{wrong}: {why}" if why else str(wrong))
    rights.check_person(act, "correct a memory")
    if wrong in NEEDS_TEXT:
        changes = {"text": text, "state": "active", "verified": True, "needs_review": False}
        return change.edit_memory(context, memory_id, changes, actor=actor, why=act.why, action="correct")
    with context.db.transaction():
        old = memories.get_memory(context.db, memory_id)
        if original:
            _supersede(context, act, memories.get_memory(context.db, original), old)
        put_away = replace(old, state=MemoryState.INACTIVE, trust=replace(old.trust, needs_review=False))
        if put_away == old:
            # It was out of use already; that a person says so is what counts from now on.
            record_change(context, act, old.id, {"state": str(old.state)}, {"state": str(old.state)})
            return old
        return change.apply_checked_change(context, act, old, put_away)


def merge(
    context: WriteContext, keep: str, duplicates: Sequence[str], *, actor: str, why: str = ""
) -> Memory:
    """A person says that several memories say the same: one stays and supersedes the others, in one act."""
    if not duplicates:
        raise BadInput(reason="name at least one memory that repeats the other")
    act = begin_act(context, "correct", actor, f"{CorrectionReason.DUPLICATE}: {why}" if why else "duplicate")
    rights.check_person(act, "merge memories")
    with context.db.transaction():
        for memory_id in dict.fromkeys(duplicates):
            double = memories.get_memory(context.db, memory_id)
            _supersede(context, act, memories.get_memory(context.db, keep), double)
            put_away = replace(
                double, state=MemoryState.INACTIVE, trust=replace(double.trust, needs_review=False)
            )
            change.apply_checked_change(context, act, double, put_away)
        return memories.get_memory(context.db, keep)


def _change_each(
    context: WriteContext, act: Act, memory_ids: Sequence[str], changed: Callable[[Memory], Memory]
) -> list[Memory]:
    with context.db.transaction():
        olds = [memories.get_memory(context.db, memory_id) for memory_id in dict.fromkeys(memory_ids)]
        return [change.apply_checked_change(context, act, old, changed(old)) for old in olds]


def _make_verified(old: Memory, kind: Kind) -> Memory:
    # A wish was kept narrow while nobody had said it.
    narrowed = kind.instructs and old.scope is Scope.MODULE and old.state is MemoryState.QUARANTINED
    return replace(
        old,
        state=MemoryState.ACTIVE,
        trust=Trust(verified=True),
        confidence=max(old.confidence, INACTIVE_BELOW),
        scope=kind.scope if narrowed else old.scope,
    )


def _supersede(context: WriteContext, act: Act, original: Memory, double: Memory) -> None:
    if original.id == double.id:
        raise BadInput(reason="a memory is no duplicate of itself")
    link = Relation(type=RelationType.SUPERSEDES, memory_id=double.id)
    if link not in original.relations:
        change.apply_checked_change(
            context, act, original, replace(original, relations=(*original.relations, link))
        )


WRONG = "wrong"


def judge_usefulness(
    context: WriteContext, memory_id: str, *, useful: bool, actor: str, why: str = ""
) -> Memory:
    """Count that a memory helped, or was in the way. It ranks a little higher or lower; its confidence stays."""
    act = begin_act(context, "useful" if useful else "noise", actor, why)
    with context.db.transaction():
        old = memories.get_memory(context.db, memory_id)
        new = replace(old, useful=old.useful + useful, noise=old.noise + (not useful))
        return apply_change(context.db, act, old, new)


def flag_memory(context: WriteContext, memory_id: str, reason: str, *, actor: str, why: str = "") -> Memory:
    """
    It is wrong, or outdated. A person's word takes it out of use.

    An agent's "wrong" is the flag of a review: silent until a person has looked. Its "outdated" asks for that look.
    """
    act = begin_act(context, reason, actor, why)
    if reason == WRONG and not act.by_person:
        [flagged] = flag_for_review(context, [memory_id], actor=actor, why=why)
        return flagged
    with context.db.transaction():
        old = memories.get_memory(context.db, memory_id)
        if not act.by_person:
            return apply_change(
                context.db, act, old, replace(old, trust=replace(old.trust, needs_review=True))
            )
        new = restart_ageing(
            replace(old, confidence=contradict_confidence(old.confidence), state=MemoryState.INACTIVE), act.at
        )
        now = apply_change(context.db, act, old, new)
        propagate_confidence(context.db, act, old, now)
        return now
