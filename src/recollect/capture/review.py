"""What a person says about a memory: yes, put it right, it is wrong, away with it. An agent may only flag."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.capture import change, rights
from recollect.capture.write_context import Act, Door, begin
from recollect.errors import BadInput
from recollect.model.kinds import Kind
from recollect.model.memory import Memory, MemoryState, Trust
from recollect.model.relation import Relation, RelationType
from recollect.model.review import NEEDS_TEXT, Correction
from recollect.model.scope import Scope
from recollect.model.value import replace
from recollect.store.tables import memories

# What a person wakes is at least so sure, or the next ageing would put it to sleep again.
AWAKE = 0.3


def confirm(door: Door, memory_ids: Sequence[str], *, actor: str, why: str = "") -> list[Memory]:
    """A person stands by these memories: they are active, and need no review."""
    act = begin(door, "confirm", actor, why)
    rights.check_person(act, "confirm a memory")
    return _each(door, act, memory_ids, lambda old: _stood_by(old, door.kinds.of(old.kind)))


def reject(door: Door, memory_ids: Sequence[str], *, actor: str, why: str = "") -> list[Memory]:
    """A person does not want these: they are out of use; `undo` brings them back."""
    act = begin(door, "reject", actor, why)
    rights.check_person(act, "reject a memory")
    return _each(
        door,
        act,
        memory_ids,
        lambda old: replace(old, state=MemoryState.ARCHIVED, trust=replace(old.trust, needs_review=False)),
    )


def flag(door: Door, memory_ids: Sequence[str], *, actor: str, why: str = "") -> list[Memory]:
    """These are wrong: they are silent at once, until a person has looked. Agents may say so too."""
    act = begin(door, "flag", actor, why)
    return _each(
        door,
        act,
        memory_ids,
        lambda old: replace(old, state=MemoryState.INACTIVE, trust=replace(old.trust, needs_review=True)),
    )


def correct(
    door: Door,
    memory_id: str,
    wrong: Correction,
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
    if (wrong is Correction.DUPLICATE) != bool(original):
        raise BadInput(reason="a duplicate, and only that, names the memory that it repeats")
    act = begin(door, "correct", actor, f"{wrong}: {why}" if why else str(wrong))
    rights.check_person(act, "correct a memory")
    if wrong in NEEDS_TEXT:
        changes = {"text": text, "state": "active", "verified": True, "needs_review": False}
        return change.edit(door, memory_id, changes, actor=actor, why=act.why, action="correct")
    with door.db.transaction():
        old = memories.get(door.db, memory_id)
        if original:
            _supersede(door, act, memories.get(door.db, original), old)
        put_away = replace(old, state=MemoryState.INACTIVE, trust=replace(old.trust, needs_review=False))
        return change.changed(door, act, old, put_away)


def _each(
    door: Door, act: Act, memory_ids: Sequence[str], changed: Callable[[Memory], Memory]
) -> list[Memory]:
    with door.db.transaction():
        olds = [memories.get(door.db, memory_id) for memory_id in dict.fromkeys(memory_ids)]
        return [change.changed(door, act, old, changed(old)) for old in olds]


def _stood_by(old: Memory, kind: Kind) -> Memory:
    # A wish was kept narrow while nobody had said it.
    narrowed = kind.instructs and old.scope is Scope.MODULE and old.state is MemoryState.QUARANTINED
    return replace(
        old,
        state=MemoryState.ACTIVE,
        trust=Trust(verified=True),
        confidence=max(old.confidence, AWAKE),
        scope=kind.scope if narrowed else old.scope,
    )


def _supersede(door: Door, act: Act, original: Memory, double: Memory) -> None:
    if original.id == double.id:
        raise BadInput(reason="a memory is no duplicate of itself")
    link = Relation(type=RelationType.SUPERSEDES, memory_id=double.id)
    if link not in original.relations:
        change.changed(door, act, original, replace(original, relations=(*original.relations, link)))
