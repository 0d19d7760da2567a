"""The one door: every memory, from whatever surface, becomes one here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime

from recollect.capture import find_duplicates, trust
from recollect.capture.clean import CleanDraft, clean, says_anything
from recollect.capture.note_anchors import note_files
from recollect.capture.settle import beside
from recollect.capture.write_context import Act, Door, begin, embed, record
from recollect.errors import NotFound
from recollect.lifecycle.reinforce import said_again
from recollect.model.embedding import Embedding
from recollect.model.kinds import checked_fields
from recollect.model.memory import Memory, MemoryDraft, Trust, citation_of
from recollect.model.outcome import AlreadyKnown, Intake, Refused, Remembered
from recollect.model.relation import Relation
from recollect.model.value import dataclass, replace
from recollect.store.search import fulltext, vectors
from recollect.store.tables import history, memories, memory_writes

# So many share a commit: enough to make the fsync cheap, few enough to let other writers in between.
BATCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    clean: CleanDraft
    former: FormerLife | None
    embedding: Embedding | None
    unembedded: str
    # The state of the store in which no memory had these very words.
    new_at: tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerLife:
    """What a memory that comes back from an export keeps."""

    id: str
    created_at: datetime
    updated_at: datetime
    access_count: int = 0
    last_accessed_at: datetime | None = None
    base_confidence: float | None = None
    reinforced_at: datetime | None = None
    sessions: tuple[str, ...] = ()
    useful: int = 0
    noise: int = 0


def remember(door: Door, drafts: Sequence[MemoryDraft], *, actor: str, why: str = "") -> list[Intake]:
    """Offer drafts to memory; for each the answer. A batch is acknowledged when its commit is on disk."""
    return take_in(door, begin(door, "remember", actor, why), drafts)


def take_in(
    door: Door,
    act: Act,
    drafts: Sequence[MemoryDraft],
    *,
    former: Sequence[FormerLife | None] = (),
    apart: AbstractSet[str] = frozenset(),
    unlike: AbstractSet[str] = frozenset(),
    vouched: bool = False,
) -> list[Intake]:
    """
    Offer drafts as part of an act that may go on.

    Memories with an id in `apart` have lived side by side before, and go on to, however alike they are. Those in
    `unlike` neither repeat nor contradict a draft: whoever offers it made them too, about something else. What a person
    has `vouched` for keeps the standing it has; all else gets the one its origin gives it.
    """
    lives = former or [None] * len(drafts)
    checked = [check(door, draft) for draft in drafts]
    cleaned = list(zip(checked if vouched else trust.judged(door, act, checked), lives, strict=True))
    for offered, _ in cleaned:
        check_relations(door, offered.draft.relations)
    answers: list[Intake] = []
    for start in range(0, len(cleaned), BATCH):
        offers = _embedded(door, cleaned[start : start + BATCH])
        with door.db.transaction():
            answers.extend(_taken_in(door, act, offers, apart, unlike))
            note_files(door, answers[start:])
    return answers


def relate(door: Door, relations: Mapping[str, Sequence[Relation]]) -> int:
    """Give memories that have just come in their relations; how many pointed to a memory that is not here."""
    dropped = 0
    for memory_id, wanted in relations.items():
        kept = tuple(r for r in wanted if not r.memory_id or memories.by_id(door.db, r.memory_id))
        dropped += len(wanted) - len(kept)
        memory = memories.get(door.db, memory_id)
        memory_writes.update(door.db, memories.num_of(door.db, memory_id), replace(memory, relations=kept))
    return dropped


def check(door: Door, draft: MemoryDraft) -> CleanDraft:
    """The draft as it would be kept, or the error that says why it cannot be; nothing is changed."""
    offered = clean(draft)
    checked_fields(door.kinds.get(offered.draft.kind), offered.draft.fields)
    return offered


def check_relations(door: Door, relations: Iterable[Relation]) -> None:
    """Refuse a relation to a memory that is not here."""
    for relation in relations:
        if relation.memory_id and door.db.row("memory_known", id=relation.memory_id) is None:
            raise NotFound(what="memory", name=relation.memory_id)


def _embedded(door: Door, cleaned: Sequence[tuple[CleanDraft, FormerLife | None]]) -> list[_Offer]:
    # What is known word for word need not be embedded; if anything is written meanwhile, that is looked at again.
    as_of = door.db.version()
    wanted = [
        i
        for i, (offered, _) in enumerate(cleaned)
        if door.kinds.get(offered.draft.kind).embedded
        and not offered.refused
        and not find_duplicates.word_for_word(door, offered.draft)
    ]
    made, reason = embed(door, [cleaned[i][0].draft.text for i in wanted])
    found = dict(zip(wanted, made, strict=True))
    return [
        _Offer(
            clean=offered,
            former=life,
            embedding=found.get(i),
            unembedded=reason if i in found else "",
            new_at=as_of if i in found else None,
        )
        for i, (offered, life) in enumerate(cleaned)
    ]


def _taken_in(
    door: Door, act: Act, offers: Sequence[_Offer], apart: AbstractSet[str], unlike: AbstractSet[str]
) -> Iterator[Intake]:
    # Where the look by vector reaches every memory, nothing else is needed to find what is like a draft.
    far = door.index is not None and not door.index.reaches_all()
    near = [
        find_duplicates.candidates(door, offer.clean.draft) if far and offer.embedding else set()
        for offer in offers
    ]
    for offer, nums in zip(offers, near, strict=True):
        draft = offer.clean.draft
        if offer.clean.redacted and not says_anything(draft.text):
            yield Refused(reason=f"nothing is left of it once {', '.join(offer.clean.redacted)} is taken out")
            continue
        if offer.clean.refused:
            yield Refused(reason=offer.clean.refused)
            continue
        alike = find_duplicates.look(door, offer.embedding, nums)
        is_new = offer.new_at == door.db.version()
        known = find_duplicates.known(
            door, draft, [] if is_new else find_duplicates.word_for_word(door, draft), alike
        )
        if (
            known
            and known.memory.id not in unlike
            and not (offer.former and known.memory.id in apart)
            and not trust.outranks(act, draft, known)
        ):
            memory = trust.said_again(door, act, draft, known.memory)
            memory = memory if offer.former else said_again(door.db, act, memory, draft)
            yield AlreadyKnown(memory=memory, likeness=known.likeness)
            continue
        memory = _memory(door, act, draft)
        if offer.former is not None:
            memory = _reborn(memory, offer.former)
        elif (conflict := find_duplicates.opposed(door, draft, alike)) and conflict.memory.id not in unlike:
            memory = beside(memory, conflict)
        num = memory_writes.insert(door.db, memory)
        if offer.embedding is not None:
            vectors.add(door.db, door.model, num, offer.embedding)
        fulltext.file(door.db, num, memory)
        _tell(door, act, memory)
        yield Remembered(
            memory=memory,
            redacted=offer.clean.redacted,
            hidden=offer.clean.hidden,
            unembedded=offer.unembedded,
        )


def _memory(door: Door, act: Act, draft: MemoryDraft) -> Memory:
    kind = door.kinds.get(draft.kind)
    return Memory(
        id=door.new_id(act.at),
        text=draft.text,
        kind=kind.name,
        state=draft.state,
        confidence=draft.confidence if draft.confidence is not None else kind.initial_confidence,
        scope=draft.scope or kind.scope,
        project_id=draft.project_id,
        subjects=draft.subjects,
        tags=draft.tags,
        work=draft.work,
        provenance=draft.provenance,
        trust=draft.trust or Trust(needs_review=kind.needs_review),
        pinned=draft.pinned,
        citation=draft.citation or citation_of(draft.text),
        half_life_days=draft.half_life_days or kind.half_life_days,
        relations=draft.relations,
        fields=draft.fields,
        happened_at=draft.happened_at or act.at,
        created_at=act.at,
        updated_at=act.at,
        last_accessed_at=None,
        access_count=0,
        stale_at=None,
    )


def _reborn(memory: Memory, former: FormerLife) -> Memory:
    return replace(
        memory,
        id=former.id,
        created_at=former.created_at,
        updated_at=former.updated_at,
        access_count=former.access_count,
        last_accessed_at=former.last_accessed_at,
        base_confidence=former.base_confidence,
        reinforced_at=former.reinforced_at,
        sessions=former.sessions,
        useful=former.useful,
        noise=former.noise,
    )


def _tell(door: Door, act: Act, memory: Memory) -> None:
    after: dict[str, object] = {"state": str(memory.state), "confidence": memory.confidence}
    record(door, act, memory.id, {"state": None}, after)
    history.note_event(
        door.db,
        "remembered",
        act.at,
        memory_id=memory.id,
        session_id=memory.provenance.session_id,
        project_id=memory.project_id,
        data={"kind": memory.kind, "actor": act.actor},
    )
