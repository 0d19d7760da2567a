"""The one way in for new memories: clean, judge, compare, embed and write, whatever surface they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import partial
from pathlib import Path

from recollect.capture import find_duplicates, trust
from recollect.capture.clean import CleanDraft, CleanNames, clean_draft, has_content
from recollect.capture.settle import wait_beside
from recollect.capture.write_context import Act, WriteContext, begin_act, embed_texts
from recollect.errors import NotFound
from recollect.git.files import hash_on_disk
from recollect.lifecycle.confidence import reinforce_memory
from recollect.model.anchor import find_files_of, find_symbols_of, make_anchor
from recollect.model.embedding import Embedding
from recollect.model.kinds import check_fields
from recollect.model.memory import (
    AlreadyKnown,
    Intake,
    Memory,
    MemoryDraft,
    Refused,
    Relation,
    Remembered,
    Trust,
    make_citation,
)
from recollect.model.value import dataclass, replace
from recollect.store.search import fulltext, vectors
from recollect.store.tables import anchors, history, memories, memory_writes

# More at once come from an import or a bootstrap; those are looked at by the next sweep, all together.
_MAX_AT_ONCE = 20


def record_anchors(context: WriteContext, answers: Sequence[Intake]) -> None:
    """Keep the shape of every file that is there. Costs nothing where no memory is about a file."""
    record_memory_anchors(context, [answer.memory for answer in answers if isinstance(answer, Remembered)])


def record_memory_anchors(context: WriteContext, new: Sequence[Memory]) -> None:
    """The same for memories that are new, or have just proved to hold with their files as they are."""
    about = [
        (memory, paths) for memory in new if (paths := find_files_of(memory, context.kinds.of(memory.kind)))
    ]
    if not about or len(new) > _MAX_AT_ONCE or (checkout := context.checkout()) is None:
        return
    for memory, paths in about:
        if memory.project_id == checkout.project_id:
            blobs = {path: hash_on_disk(Path(checkout.root, path)) for path in paths}
            new_anchors = [
                make_anchor(memory.id, place, blob, checkout.head)
                for place in (*paths, *find_symbols_of(memory))
                if (blob := blobs[place.partition("::")[0]]) is not None
            ]
            anchors.save_anchors(context.db, memory.id, new_anchors)


# So many share a commit: enough to make the fsync cheap, few enough to let other writers in between.
BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    clean: CleanDraft
    former: FormerLife | None
    embedding: Embedding | None
    unembedded: str
    form: find_duplicates.Form
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


def remember(
    context: WriteContext, drafts: Sequence[MemoryDraft], *, actor: str, why: str = ""
) -> list[Intake]:
    """Offer drafts to memory; for each the answer. A batch is acknowledged when its commit is on disk."""
    return take_in(context, begin_act(context, "remember", actor, why), drafts)


def take_in(
    context: WriteContext,
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
    names: CleanNames = {}
    checked = [check_draft(context, draft, names) for draft in drafts]
    cleaned = list(zip(checked if vouched else trust.judge_drafts(context, act, checked), lives, strict=True))
    for offered, _ in cleaned:
        check_relations(context, offered.draft.relations)
    answers: list[Intake] = []
    for start in range(0, len(cleaned), BATCH):
        offers = _embed_offers(context, cleaned[start : start + BATCH])
        # Tried again, what was kept after all is found by its words, and is not kept twice.
        answers += context.db.retried(partial(_take_in_batch, context, act, offers, apart, unlike))
    return answers


def _take_in_batch(
    context: WriteContext,
    act: Act,
    offers: Sequence[_Offer],
    apart: AbstractSet[str],
    unlike: AbstractSet[str],
) -> list[Intake]:
    with context.db.transaction():
        answers = list(_take_in_offers(context, act, offers, apart, unlike))
        record_anchors(context, answers)
    return answers


def save_relations(context: WriteContext, relations: Mapping[str, Sequence[Relation]]) -> int:
    """Give memories that have just come in their relations; how many pointed to a memory that is not here."""
    dropped = 0
    for memory_id, offered in relations.items():
        valid = tuple(r for r in offered if not r.memory_id or memories.find_memory(context.db, r.memory_id))
        dropped += len(offered) - len(valid)
        memory = memories.get_memory(context.db, memory_id)
        memory_writes.update_memory(
            context.db, memories.get_num(context.db, memory_id), replace(memory, relations=valid)
        )
    return dropped


def check_draft(context: WriteContext, draft: MemoryDraft, names: CleanNames | None = None) -> CleanDraft:
    """The draft as it would be kept, or the error that says why it cannot be; nothing is changed."""
    offered = clean_draft(draft, names)
    check_fields(context.kinds.get(offered.draft.kind), offered.draft.fields)
    return offered


def check_relations(context: WriteContext, relations: Iterable[Relation]) -> None:
    """Refuse a relation to a memory that is not here."""
    for relation in relations:
        if relation.memory_id and not memories.is_kept(context.db, relation.memory_id):
            raise NotFound(what="memory", name=relation.memory_id)


def _embed_offers(
    context: WriteContext, cleaned: Sequence[tuple[CleanDraft, FormerLife | None]]
) -> list[_Offer]:
    # What is known word for word need not be embedded; if anything is written meanwhile, that is looked at again.
    as_of = context.db.version()
    forms = [find_duplicates.form_of(context, offered.draft) for offered, _ in cleaned]
    known = memories.find_known_forms(context.db, (form[0] for form in forms))
    indexes = [
        i
        for i, (offered, _) in enumerate(cleaned)
        if context.kinds.get(offered.draft.kind).embedded
        and not offered.refused
        and not (forms[i][0] in known and find_duplicates.find_same_words(context, forms[i]))
    ]
    embeddings, reason = embed_texts(context, [cleaned[i][0].draft.text for i in indexes])
    by_index = dict(zip(indexes, embeddings, strict=True))
    return [
        _Offer(
            clean=offered,
            former=life,
            embedding=by_index.get(i),
            unembedded=reason if i in by_index else "",
            form=forms[i],
            new_at=as_of if i in by_index else None,
        )
        for i, (offered, life) in enumerate(cleaned)
    ]


class _Batch:
    """
    Offers that share a transaction: what they repeat is looked for once for all of them, and rows are written together.

    One that may repeat another of the same batch is looked at when that one has been written.
    """

    def __init__(self, context: WriteContext, act: Act, offers: Sequence[_Offer]) -> None:
        self._context = context
        self._act = act
        self._as_of = context.db.version()
        if context.index is not None:
            context.index.file_new()
        embedded = [offer for offer in offers if offer.embedding is not None]
        self._places = {id(offer): place for place, offer in enumerate(embedded)}
        self._likenesses = find_duplicates.measure_likeness(
            context, [offer.embedding for offer in embedded if offer.embedding is not None]
        )
        self._kept_forms: dict[find_duplicates.Form, list[int]] = {}
        self._waiting: list[tuple[_Offer, Memory]] = []
        self._waiting_forms: set[find_duplicates.Form] = set()
        self._waiting_places: set[int] = set()

    def same_words(self, offer: _Offer) -> list[int]:
        """The memories that say this word for word."""
        if offer.form in self._waiting_forms:
            self.write()
        if offer.new_at == self._as_of:
            return self._kept_forms.get(offer.form, [])
        return find_duplicates.find_same_words(self._context, offer.form)

    def alike(self, offer: _Offer) -> dict[int, float]:
        """The memories that sound like this, with their cosines."""
        place = self._places.get(id(offer))
        if place is None:
            return {}
        if not self._waiting_places.isdisjoint(self._likenesses.earlier(place)):
            self.write()
        return self._likenesses.of(place)

    def keep(self, offer: _Offer, memory: Memory) -> None:
        """This one is new: it will be written, with the next that are."""
        self._waiting.append((offer, memory))
        self._waiting_forms.add(offer.form)
        if (place := self._places.get(id(offer))) is not None:
            self._waiting_places.add(place)

    def write(self) -> None:
        """Write what waits: rows, vectors, full text and history."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        db, new = self._context.db, [memory for _, memory in waiting]
        nums = memory_writes.insert_memories(db, new)
        offers_by_num = dict(zip(nums, (offer for offer, _ in waiting), strict=True))
        vectors.add_vectors(
            db,
            self._context.model,
            {num: one.embedding for num, one in offers_by_num.items() if one.embedding is not None},
        )
        fulltext.add_memories(db, dict(zip(nums, new, strict=True)))
        _record_remembered(self._context, self._act, new)
        for num, offer in offers_by_num.items():
            self._kept_forms.setdefault(offer.form, []).append(num)
            if (place := self._places.get(id(offer))) is not None:
                self._likenesses.note(place, num)
        self._waiting_forms, self._waiting_places = set(), set()


def _take_in_offers(
    context: WriteContext,
    act: Act,
    offers: Sequence[_Offer],
    apart: AbstractSet[str],
    unlike: AbstractSet[str],
) -> Iterator[Intake]:
    batch = _Batch(context, act, offers)
    for offer in offers:
        draft = offer.clean.draft
        if offer.clean.redacted and not has_content(draft.text):
            yield Refused(reason=f"nothing is left of it once {', '.join(offer.clean.redacted)} is taken out")
            continue
        if offer.clean.refused:
            yield Refused(reason=offer.clean.refused)
            continue
        alike = batch.alike(offer)
        duplicate = find_duplicates.find_duplicate(context, draft, batch.same_words(offer), alike)
        if (
            duplicate
            and duplicate.memory.id not in unlike
            and not (offer.former and duplicate.memory.id in apart)
            and not trust.outranks(act, draft, duplicate)
        ):
            batch.write()  # history keeps the order in which things were said
            memory = trust.confirm_repetition(context, act, draft, duplicate.memory)
            memory = memory if offer.former else reinforce_memory(context.db, act, memory, draft)
            yield AlreadyKnown(memory=memory, likeness=duplicate.likeness)
            continue
        memory = _make_memory(context, act, draft)
        if offer.former is not None:
            memory = _restore_former_life(memory, offer.former)
        elif (
            conflict := find_duplicates.find_contradicted(context, draft, alike)
        ) and conflict.memory.id not in unlike:
            memory = wait_beside(memory, conflict)
        batch.keep(offer, memory)
        yield Remembered(
            memory=memory,
            redacted=offer.clean.redacted,
            hidden=offer.clean.hidden,
            unembedded=offer.unembedded,
        )
    batch.write()


def _make_memory(context: WriteContext, act: Act, draft: MemoryDraft) -> Memory:
    kind = context.kinds.get(draft.kind)
    return Memory(
        id=context.new_id(act.at),
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
        citation=draft.citation or make_citation(draft.text),
        half_life_days=draft.half_life_days or kind.half_life_days,
        relations=draft.relations,
        fields=draft.fields,
        happened_at=draft.happened_at or act.at,
        sessions=draft.sessions,
        created_at=act.at,
        updated_at=act.at,
        last_accessed_at=None,
        access_count=0,
        stale_at=None,
        owner=context.db.viewer.owner_of(draft.project_id) if context.db.viewer else None,
    )


def _restore_former_life(memory: Memory, former: FormerLife) -> Memory:
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


def _record_remembered(context: WriteContext, act: Act, new: Sequence[Memory]) -> None:
    history.record_changes(
        context.db,
        (
            history.make_change(
                act, memory.id, {"state": None}, {"state": str(memory.state), "confidence": memory.confidence}
            )
            for memory in new
        ),
    )
    history.record_memory_events(context.db, "remembered", act, new)
