"""
The standing a memory is born with: decided here, from the way it came, its kind, and the session's own evidence.

A person's plain memory passes without a question to the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from recollect.capture import rights
from recollect.capture.clean import CleanDraft
from recollect.capture.duplicate import Alike
from recollect.capture.evidence import carried, gives_orders, repeated, sifted
from recollect.capture.write_context import Act, Door, record
from recollect.errors import BadInput
from recollect.events.excluded import first_excluded
from recollect.model.event import Event, EventType, ToolAction
from recollect.model.kinds import Kind
from recollect.model.memory import Memory, MemoryDraft, MemoryState, Trust
from recollect.model.provenance import SOURCE_OF_CHANNEL, Channel, Provenance, Source
from recollect.model.relation import Relation, RelationType
from recollect.model.scope import Scope
from recollect.model.subject import Subject
from recollect.model.trust import Origin, is_below, lowest, origin_by, origin_of, standing_of
from recollect.model.value import dataclass, field, replace
from recollect.store.tables import events, lineage, memories, memory_writes, sessions

# So much of what was read is compared with a note, the newest first.
MOST_OUTPUTS = 400
# Sessions whose reading counts when a note names none, or another than the one it was made in.
RECENT_SESSIONS = 2
# Notes without a session are counted by the hour, among so many of the newest.
AN_HOUR = timedelta(hours=1)
NEWEST = 4000
MOST_EVIDENCE = 8

# What a tool says after the agent wrote are the agent's own words.
_WRITES = frozenset({ToolAction.EDIT, ToolAction.CREATE, ToolAction.DELETE})
# These come in one go by their nature, and a person started it.
_UNCOUNTED = frozenset({Channel.IMPORT, Channel.COMMIT})


def judged(door: Door, act: Act, offered: Sequence[CleanDraft]) -> list[CleanDraft]:
    """The drafts with the standing they are born with, or the reason why one is not taken."""
    court = _Court(door=door)
    return [_judged(court, act, one) for one in offered]


def brought(draft: MemoryDraft) -> MemoryDraft:
    """What another store says about itself counts for nothing here: it came by an import, and waits for a yes."""
    kept = is_below(origin_by(draft.provenance), Origin.BROUGHT)
    channel = draft.provenance.channel if kept else Channel.IMPORT
    return replace(
        draft,
        provenance=replace(draft.provenance, channel=channel),
        trust=Trust(needs_review=True),
        pinned=False,
    )


def outranks(act: Act, draft: MemoryDraft, known: Alike) -> bool:
    """Whether a person says it in words of their own, where all that is known of it waits for a yes."""
    return known.likeness < 1.0 and _is_a_yes(act, draft, known.memory)


def said_again(door: Door, act: Act, draft: MemoryDraft, known: Memory) -> Memory:
    """What waits and is now said by a person in the same words needs no other yes."""
    if not _is_a_yes(act, draft, known):
        return known
    new = replace(known, state=MemoryState.ACTIVE, trust=Trust(verified=True), updated_at=act.at)
    memory_writes.update(door.db, memories.num_of(door.db, known.id), new)
    record(
        door,
        act,
        known.id,
        {
            "state": str(known.state),
            "verified": known.trust.verified,
            "needs_review": known.trust.needs_review,
        },
        {"state": str(new.state), "verified": True, "needs_review": False},
    )
    return new


def _is_a_yes(act: Act, draft: MemoryDraft, known: Memory) -> bool:
    waits = known.state is MemoryState.QUARANTINED or known.trust.needs_review
    by_person = act.by_person and origin_by(draft.provenance) is Origin.PERSON
    return waits and by_person and draft.state is MemoryState.ACTIVE


def after_change(door: Door, act: Act, old: Memory, new: Memory) -> Memory:
    """A change as it stands: by a person it is a yes to the new words, by an agent it is judged like a new note."""
    if found := first_excluded(_paths(new.subjects, new.relations), door.excluded):
        raise BadInput(reason=_keeps_out(*found))
    if act.by_person:
        if new.text == old.text or origin_of(old) is Origin.PERSON:
            return new
        return replace(new, trust=Trust(verified=True))
    if _judged_parts(old) == _judged_parts(new):
        return new
    draft = MemoryDraft(
        text=new.text,
        kind=new.kind,
        scope=new.scope,
        project_id=new.project_id,
        provenance=new.provenance,
        trust=new.trust,
        citation=new.citation,
        relations=new.relations,
        state=new.state,
        work=new.work,
    )
    fresh = _standing(_Court(door=door), act, draft)
    return replace(new, state=fresh.state, trust=fresh.trust or new.trust, scope=fresh.scope or new.scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Court:
    """The evidence for a batch of drafts, fetched when first asked for."""

    door: Door
    _read: dict[str, list[Event]] = field(default_factory=dict)
    _said: dict[str, list[Event]] = field(default_factory=dict)
    _left: dict[tuple[Channel, str | None], int] = field(default_factory=dict)
    _newest: dict[str | None, list[str]] = field(default_factory=dict)

    def read(self, session_id: str | None, project_id: str | None) -> list[Event]:
        """What tools gave back to the agent, in this session and in the newest ones of the project."""
        ids = dict.fromkeys((*((session_id,) if session_id else ()), *self._recent(project_id)))
        return [event for name in ids for event in self._read_in(name)]

    def said(self, session_id: str | None) -> list[Event]:
        """What the person typed in a session."""
        if not session_id:
            return []
        if session_id not in self._said:
            found = events.of_session(self.door.db, session_id, EventType.PROMPT)
            self._said[session_id] = [
                event for event in found if not event.agent and not event.data.get("machine")
            ]
        return self._said[session_id]

    def count(self, channel: Channel, session_id: str | None) -> int:
        """How many notes there are by this way with the one that comes in now."""
        key = (channel, session_id)
        if key not in self._left:
            since = self.door.now() - AN_HOUR
            self._left[key] = lineage.notes_left(
                self.door.db, channel, session_id, since=since, newest=NEWEST
            )
        self._left[key] += 1
        return self._left[key]

    def _recent(self, project_id: str | None) -> list[str]:
        if project_id not in self._newest:
            self._newest[project_id] = sessions.newest(
                self.door.db, project_id, every_project=False, limit=RECENT_SESSIONS
            )
        return self._newest[project_id]

    def _read_in(self, session_id: str) -> list[Event]:
        if session_id not in self._read:
            found = lineage.outputs(self.door.db, session_id, MOST_OUTPUTS)
            self._read[session_id] = [
                event
                for event in found
                if (event.output or event.data.get("sieve")) and event.action not in _WRITES
            ]
        return self._read[session_id]


def _judged(court: _Court, act: Act, offered: CleanDraft) -> CleanDraft:
    draft = offered.draft
    if found := first_excluded(_paths(draft.subjects, draft.relations), court.door.excluded):
        return replace(offered, refused=_keeps_out(*found))
    if not act.by_person:
        rights.check_draft(act, draft)
        draft = _as_agent(draft)
    provenance = draft.provenance
    if origin_by(provenance) is Origin.PERSON and not _parents(draft):
        return offered
    if provenance.channel not in _UNCOUNTED and origin_by(provenance) is not Origin.PERSON:
        most = court.door.most_notes
        if court.count(provenance.channel, provenance.session_id) > most:
            where = "one session" if provenance.session_id else "an hour without a session"
            return replace(
                offered, refused=f"{most} memories by the way {provenance.channel} are the most for {where}"
            )
    return replace(offered, draft=_standing(court, act, draft))


def _as_agent(draft: MemoryDraft) -> MemoryDraft:
    """An agent does not speak as a person, whatever its draft says."""
    if origin_by(draft.provenance) is not Origin.PERSON:
        return draft
    spoken = replace(draft.provenance, channel=Channel.AGENT, source=SOURCE_OF_CHANNEL[Channel.AGENT])
    return replace(draft, provenance=spoken)


def _standing(court: _Court, act: Act, draft: MemoryDraft) -> MemoryDraft:
    draft, origin = _by_evidence(court, draft)
    draft, origin = _by_parents(court, draft, origin)
    row = standing_of(origin)
    kind = court.door.kinds.get(draft.kind)
    if kind.instructs and row.state is MemoryState.QUARANTINED:
        draft = _narrowed(court, draft, kind)
    state = draft.state if draft.state is not MemoryState.ACTIVE else row.state
    if origin is Origin.BROUGHT and (kind.instructs or gives_orders(draft.text)):
        state = MemoryState.QUARANTINED if state is MemoryState.ACTIVE else state
    asked_for = draft.trust.needs_review if draft.trust else kind.needs_review
    wanted = row.needs_review and draft.provenance.source is not Source.COMMIT_AUTO
    verified = bool(draft.trust and draft.trust.verified and act.by_person and origin is Origin.PERSON)
    confidence = draft.confidence
    if confidence is not None and not act.by_person and origin is not Origin.PERSON:
        confidence = min(confidence, kind.initial_confidence)
    return replace(
        draft,
        state=state,
        confidence=confidence,
        trust=Trust(verified=verified, needs_review=asked_for or wanted),
    )


def _narrowed(court: _Court, draft: MemoryDraft, kind: Kind) -> MemoryDraft:
    """What nobody wished holds nowhere but where it was noted."""
    scope = Scope.MODULE if (draft.scope or kind.scope) is Scope.GLOBAL else draft.scope
    return replace(draft, scope=scope, project_id=draft.project_id or court.door.home())


def _by_evidence(court: _Court, draft: MemoryDraft) -> tuple[MemoryDraft, Origin]:
    """Whether it repeats what was read; whether a person's words carry what it says they want."""
    provenance, origin = draft.provenance, origin_by(draft.provenance)
    if provenance.channel is Channel.AGENT:
        read = court.read(provenance.session_id, draft.project_id or court.door.home())
        if pages := _repeated(draft, read):
            return _with(draft, (read[i].id for i in pages), channel=Channel.READ), Origin.READ
    if origin is Origin.PERSON or is_below(origin, Origin.REPORT):
        return draft, origin
    kind = court.door.kinds.get(draft.kind)
    if not kind.instructs:
        return draft, origin
    said = court.said(provenance.session_id)
    place = carried(draft.text, [event.text for event in said])
    if place is not None:
        return _with(draft, (said[place].id,)), origin
    return draft, Origin.UNSAID


def _repeated(draft: MemoryDraft, read: Sequence[Event]) -> list[int]:
    """Which events told the agent what it notes: in their output, or in what their sieve is left of."""
    outputs = [event.output for event in read]
    sieves = [str(event.data.get("sieve", "")) for event in read]
    texts = (draft.text, draft.citation) if draft.citation else (draft.text,)
    return next((found for text in texts if (found := repeated(text, outputs) or sifted(text, sieves))), [])


def _with(draft: MemoryDraft, event_ids: Iterable[str], channel: Channel | None = None) -> MemoryDraft:
    known: Provenance = draft.provenance
    ids = tuple(dict.fromkeys((*known.event_ids, *event_ids)))[: max(MOST_EVIDENCE, len(known.event_ids))]
    return replace(draft, provenance=replace(known, event_ids=ids, channel=channel or known.channel))


def _by_parents(court: _Court, draft: MemoryDraft, origin: Origin) -> tuple[MemoryDraft, Origin]:
    """What is made of others stands no higher than the lowest of them."""
    for parent in _parents(draft):
        for one in lineage.ancestors(court.door.db, parent):
            below = _origin_of_ancestor(one)
            if is_below(below, origin):
                origin = below
                if is_below(below, origin_by(draft.provenance)) and below is not Origin.UNSAID:
                    draft = replace(
                        draft, provenance=replace(draft.provenance, channel=one.channel, source=one.source)
                    )
    return draft, origin


def _origin_of_ancestor(one: lineage.Ancestor) -> Origin:
    if one.verified:
        return Origin.PERSON
    came = origin_by(Provenance(channel=one.channel, source=one.source))
    # What is set aside or was found wrong gives no better standing than what nobody said.
    waits = one.state in (MemoryState.QUARANTINED, MemoryState.INACTIVE)
    return lowest((came, Origin.UNSAID)) if waits else came


def _parents(draft: MemoryDraft) -> list[str]:
    return [r.memory_id for r in draft.relations if r.type is RelationType.DERIVED_FROM and r.memory_id]


def _paths(subjects: Iterable[Subject], relations: Iterable[Relation]) -> Iterator[str]:
    yield from (s.name.partition("::")[0] for s in subjects if s.type in ("file", "symbol"))
    yield from (relation.path for relation in relations if relation.path)


def _keeps_out(path: str, pattern: str) -> str:
    return f"it is about {path}, which the setting record.exclude ({pattern}) keeps out"


def _judged_parts(memory: Memory) -> tuple[object, ...]:
    return (memory.text, memory.kind, memory.scope, memory.project_id, memory.citation, memory.relations)
