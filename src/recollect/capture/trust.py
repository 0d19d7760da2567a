"""
The standing a memory is born with: decided here, from the way it came, its kind, and the session's own evidence.

A person's plain memory passes without a question to the store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from recollect.capture import rights
from recollect.capture.clean import CleanDraft
from recollect.capture.duplicate import Duplicate
from recollect.capture.echo import ReadIndex
from recollect.capture.evidence import (
    find_carrying_prompt,
    find_in_bloom_filters,
    find_repeated_part,
    gives_orders,
    split_parts,
)
from recollect.capture.quotations import drop_quotations, find_foreign_words, leave_out_words, quotes_errors
from recollect.capture.write_context import Act, WriteContext, record_change
from recollect.errors import BadInput
from recollect.events.bloom import split_words
from recollect.events.excluded import find_excluded, names_excluded
from recollect.events.statements import find_addresses, instructs, is_disguised, touches_safety
from recollect.model.event import Event, EventType, ToolAction
from recollect.model.kinds import Kind
from recollect.model.memory import Memory, MemoryDraft, MemoryState, Relation, RelationType, Trust
from recollect.model.provenance import SOURCE_OF_CHANNEL, Channel, Provenance, Source
from recollect.model.scope import Scope
from recollect.model.subject import Subject
from recollect.model.trust import (
    Origin,
    find_standing,
    is_less_trusted,
    least_trusted,
    origin_of,
    origin_of_provenance,
)
from recollect.model.value import dataclass, field, replace
from recollect.store.tables import events, lineage, memories, memory_writes, read_statements, sessions

# So much of what was read is compared with a note, the newest first.
MAX_OUTPUTS = 400
# Sessions whose reading counts when a note names none, or another than the one it was made in.
RECENT_SESSIONS = 2
# Notes without a session are counted by the hour, among so many of the newest.
AN_HOUR = timedelta(hours=1)
NEWEST = 4000
MAX_EVIDENCE = 8

# What a tool says after the agent wrote are the agent's own words.
_WRITES = frozenset({ToolAction.EDIT, ToolAction.CREATE, ToolAction.DELETE})
# How a text names a file of the project.
_PATH = r"[\w-]+(?:[./][\w-]+)+"
# What stands before the words of a person who turned a call down.
_REASON = "the user said:"
# What is told of work in our own sentences.
_OBSERVING = frozenset({Origin.OBSERVED, Origin.REPORT})
# These come in one go by their nature, and a person started it.
_UNCOUNTED = frozenset({Channel.IMPORT, Channel.COMMIT})


def judge_drafts(context: WriteContext, act: Act, offered: Sequence[CleanDraft]) -> list[CleanDraft]:
    """The drafts with the standing they are born with, or the reason why one is not taken."""
    evidence = _Evidence(context=context)
    return [_judge_draft(evidence, act, draft) for draft in offered]


def distrust_import(draft: MemoryDraft) -> MemoryDraft:
    """What another store says about itself counts for nothing here: it came by an import, and waits for a yes."""
    keeps_channel = is_less_trusted(origin_of_provenance(draft.provenance), Origin.BROUGHT)
    channel = draft.provenance.channel if keeps_channel else Channel.IMPORT
    return replace(
        draft,
        provenance=replace(draft.provenance, channel=channel),
        trust=Trust(needs_review=True),
        pinned=False,
    )


def outranks(act: Act, draft: MemoryDraft, duplicate: Duplicate) -> bool:
    """Whether a person says it in words of their own, where all that is known of it waits for a yes."""
    return duplicate.likeness < 1.0 and _is_confirmation(act, draft, duplicate.memory)


def confirm_repetition(context: WriteContext, act: Act, draft: MemoryDraft, memory: Memory) -> Memory:
    """What waits and is now said by a person in the same words needs no other yes."""
    if not _is_confirmation(act, draft, memory):
        return memory
    new = replace(memory, state=MemoryState.ACTIVE, trust=Trust(verified=True), updated_at=act.at)
    memory_writes.update_memory(context.db, memories.get_num(context.db, memory.id), new)
    record_change(
        context,
        act,
        memory.id,
        {
            "state": str(memory.state),
            "verified": memory.trust.verified,
            "needs_review": memory.trust.needs_review,
        },
        {"state": str(new.state), "verified": True, "needs_review": False},
    )
    return new


def _is_confirmation(act: Act, draft: MemoryDraft, memory: Memory) -> bool:
    waits = memory.state is MemoryState.QUARANTINED or memory.trust.needs_review
    by_person = act.by_person and origin_of_provenance(draft.provenance) is Origin.PERSON
    return waits and by_person and draft.state is MemoryState.ACTIVE


def judge_change(context: WriteContext, act: Act, old: Memory, new: Memory) -> Memory:
    """A change as it stands: by a person it is a yes to the new words, by an agent it is judged like a new note."""
    check_not_excluded(new, context.excluded, by_person=act.by_person)
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
    fresh = _give_standing(_Evidence(context=context), act, draft)
    return replace(new, state=fresh.state, trust=fresh.trust or new.trust, scope=fresh.scope or new.scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """The evidence for a batch of drafts, fetched when first asked for."""

    context: WriteContext
    _read: dict[str, list[Event]] = field(default_factory=dict)
    _said: dict[str, list[Event]] = field(default_factory=dict)
    _left: dict[tuple[Channel, str | None], int] = field(default_factory=dict)
    _newest: dict[str | None, list[str]] = field(default_factory=dict)
    _indexes: dict[str | None, ReadIndex] = field(default_factory=dict)

    def read_index(self, project_id: str | None) -> ReadIndex:
        """What was read in a project, in whatever session."""
        if project_id not in self._indexes:
            self._indexes[project_id] = ReadIndex(
                read_statements.list_statements_after(self.context.db, project_id, 0)
            )
        return self._indexes[project_id]

    def read(self, session_id: str | None, project_id: str | None) -> list[Event]:
        """What tools gave back to the agent, in this session and in the newest ones of the project."""
        ids = dict.fromkeys((*((session_id,) if session_id else ()), *self._list_recent_sessions(project_id)))
        return [event for name in ids for event in self._list_outputs_of(name)]

    def read_prompts(self, session_id: str | None) -> list[Event]:
        """What the person typed in a session."""
        if not session_id:
            return []
        if session_id not in self._said:
            prompts = events.list_events(self.context.db, session_id, EventType.PROMPT)
            self._said[session_id] = [
                event for event in prompts if not event.agent and not event.data.get("machine")
            ]
        return self._said[session_id]

    def list_typed(self, session_id: str | None) -> list[str]:
        """What the person typed in a session: prompts, and the reasons given when a call was turned down."""
        if not session_id:
            return []
        finished = events.list_events(self.context.db, session_id, EventType.TOOL_FINISHED)
        refused = [event.output for event in finished if event.data.get("denied") and not event.agent]
        reasons = [output.partition(_REASON)[2] for output in refused]
        return [*(event.text for event in self.read_prompts(session_id)), *filter(None, reasons)]

    def count(self, channel: Channel, session_id: str | None) -> int:
        """How many notes there are by this way with the one that comes in now."""
        key = (channel, session_id)
        if key not in self._left:
            since = self.context.now() - AN_HOUR
            self._left[key] = lineage.count_notes_left(
                self.context.db, channel, session_id, since=since, newest=NEWEST
            )
        self._left[key] += 1
        return self._left[key]

    def _list_recent_sessions(self, project_id: str | None) -> list[str]:
        if project_id not in self._newest:
            self._newest[project_id] = sessions.list_newest_sessions(
                self.context.db, project_id, every_project=False, limit=RECENT_SESSIONS
            )
        return self._newest[project_id]

    def _list_outputs_of(self, session_id: str) -> list[Event]:
        if session_id not in self._read:
            outputs = lineage.list_outputs(self.context.db, session_id, MAX_OUTPUTS)
            self._read[session_id] = [
                event
                for event in outputs
                if (event.output or event.data.get("sieve")) and event.action not in _WRITES
            ]
        return self._read[session_id]


def _judge_draft(evidence: _Evidence, act: Act, offered: CleanDraft) -> CleanDraft:
    draft = offered.draft
    if reason := _explain_exclusion(draft, evidence.context.excluded, by_person=act.by_person):
        return replace(offered, refused=reason)
    if not act.by_person:
        rights.check_draft(act, draft)
        draft = draft if _is_heard(evidence, draft) else _make_agent_draft(draft)
    provenance = draft.provenance
    if origin_of_provenance(provenance) is Origin.PERSON and not _list_parents(draft):
        return offered
    if provenance.channel not in _UNCOUNTED and origin_of_provenance(provenance) is not Origin.PERSON:
        most = evidence.context.most_notes
        if evidence.count(provenance.channel, provenance.session_id) > most:
            where = "one session" if provenance.session_id else "an hour without a session"
            return replace(
                offered, refused=f"{most} memories by the way {provenance.channel} are the most for {where}"
            )
    return replace(offered, draft=_give_standing(evidence, act, draft))


def _is_heard(evidence: _Evidence, draft: MemoryDraft) -> bool:
    """Whether the observer heard a person say it: they typed the quote, and the words are the quote's."""
    if (
        evidence.context.channel is not Channel.OBSERVED
        or draft.provenance.source is not Source.OBSERVER_INFERRED
    ):
        return False
    if not draft.citation or draft.provenance.channel is not Channel.USER:
        return False
    quote = split_words(draft.citation)
    passage = f" {' '.join(quote)} "
    typed = (f" {' '.join(split_words(text))} " for text in evidence.list_typed(draft.provenance.session_id))
    return set(quote).issuperset(split_words(draft.text)) and any(passage in text for text in typed)


def _make_agent_draft(draft: MemoryDraft) -> MemoryDraft:
    """An agent does not speak as a person, whatever its draft says."""
    if origin_of_provenance(draft.provenance) is not Origin.PERSON:
        return draft
    spoken = replace(draft.provenance, channel=Channel.AGENT, source=SOURCE_OF_CHANNEL[Channel.AGENT])
    return replace(draft, provenance=spoken)


def _give_standing(evidence: _Evidence, act: Act, draft: MemoryDraft) -> MemoryDraft:
    draft, origin = _judge_by_evidence(evidence, draft)
    draft, origin = _judge_by_parents(evidence, draft, origin)
    row = find_standing(origin)
    kind = evidence.context.kinds.get(draft.kind)
    if kind.instructs and row.state is MemoryState.QUARANTINED:
        draft = _narrow_scope(evidence, draft, kind)
    state = draft.state if draft.state is not MemoryState.ACTIVE else row.state
    if origin is Origin.BROUGHT and (kind.instructs or gives_orders(draft.text)):
        state = MemoryState.QUARANTINED if state is MemoryState.ACTIVE else state
    asked_for = draft.trust.needs_review if draft.trust else kind.needs_review
    # A lesson that was observed waits for somebody to look at it; a count or a commit's note does not.
    is_count = kind.is_count and origin is Origin.OBSERVED
    row_wants_review = row.needs_review and not is_count and draft.provenance.source is not Source.COMMIT_AUTO
    verified = bool(draft.trust and draft.trust.verified and act.by_person and origin is Origin.PERSON)
    confidence = draft.confidence
    if confidence is not None and not act.by_person and origin is not Origin.PERSON:
        confidence = min(confidence, kind.initial_confidence)
    return replace(
        draft,
        state=state,
        confidence=confidence,
        trust=Trust(verified=verified, needs_review=asked_for or row_wants_review),
    )


def _narrow_scope(evidence: _Evidence, draft: MemoryDraft, kind: Kind) -> MemoryDraft:
    """What nobody wished holds nowhere but where it was noted."""
    scope = Scope.MODULE if (draft.scope or kind.scope) is Scope.GLOBAL else draft.scope
    return replace(draft, scope=scope, project_id=draft.project_id or evidence.context.home())


def _judge_by_evidence(evidence: _Evidence, draft: MemoryDraft) -> tuple[MemoryDraft, Origin]:
    """Whether it repeats what was read; whether a person's words carry what it says they want."""
    provenance, origin = draft.provenance, origin_of_provenance(draft.provenance)
    if provenance.channel is Channel.AGENT:
        read = evidence.read(provenance.session_id, draft.project_id or evidence.context.home())
        if pages := _find_repeated_events(draft, read):
            return _add_events(draft, (read[i].id for i in pages), channel=Channel.READ), Origin.READ
        if echoed := _find_echoed_events(evidence, draft):
            return _add_events(draft, echoed, channel=Channel.READ), Origin.READ
        if _is_nobodys_word(evidence, draft):
            return draft, Origin.UNSAID
    if provenance.channel is Channel.OBSERVED and draft.citation:
        # What was observed may quote an error; the words that explain it must be the agent's own.
        read = evidence.read(provenance.session_id, draft.project_id or evidence.context.home())
        explained = replace(draft, text=draft.citation, citation="")
        if pages := _find_repeated_events(explained, read):
            return _add_events(draft, (read[i].id for i in pages), channel=Channel.READ), Origin.READ
        if echoed := _find_echoed_events(evidence, explained):
            return _add_events(draft, echoed, channel=Channel.READ), Origin.READ
    if origin in _OBSERVING:
        own = _drop_foreign_words(evidence, draft)
        if own is None:
            return replace(draft, provenance=replace(provenance, channel=Channel.READ)), Origin.READ
        draft = own
    if origin is Origin.PERSON or is_less_trusted(origin, Origin.NOTE):
        return draft, origin
    kind = evidence.context.kinds.get(draft.kind)
    if not kind.instructs:
        return draft, origin
    prompts = evidence.read_prompts(provenance.session_id)
    place = find_carrying_prompt(draft.text, [event.text for event in prompts])
    if place is not None:
        return _add_events(draft, (prompts[place].id,)), origin
    return draft, Origin.UNSAID


def _find_echoed_events(evidence: _Evidence, draft: MemoryDraft) -> list[str]:
    """The events in which something was read that a note says in other words."""
    read = evidence.read_index(draft.project_id or evidence.context.home())
    texts = (draft.text, draft.citation) if draft.citation else (draft.text,)
    echoed = [event_id for text in texts for event_id in read.find_echoed(evidence.context, text)]
    if not echoed or not _states_own_code(evidence.context, draft):
        return echoed
    reports = {
        event.id
        for event in evidence.read(draft.provenance.session_id, draft.project_id or evidence.context.home())
        if event.action is ToolAction.DELEGATE
    }
    return [event_id for event_id in echoed if event_id not in reports]


def _states_own_code(context: WriteContext, draft: MemoryDraft) -> bool:
    """Whether a note is a plain fact about a file that the project has: whoever reported it, the file can be read."""
    if instructs(draft.text) or touches_safety(draft.text) or find_addresses(draft.text):
        return False
    checkout = context.checkout()
    named = [*re.findall(_PATH, draft.text), *_list_paths(draft.subjects, draft.relations)]
    return checkout is not None and any(
        ".." not in name and Path(checkout.root, name).is_file() for name in named if not name.startswith("/")
    )


def _drop_foreign_words(evidence: _Evidence, draft: MemoryDraft) -> MemoryDraft | None:
    """An observed memory without the words of an error that are more than that; None if it hands on other words."""
    if foreign := find_foreign_words(draft, evidence.list_typed(draft.provenance.session_id)):
        shorter = leave_out_words(draft, foreign)
        if shorter is None:
            return None
        draft = shorter
    if quotes_errors(draft.kind):
        return draft
    read = evidence.read_index(draft.project_id or evidence.context.home())
    return None if read.find_repeated(drop_quotations(draft.text)) else draft


def _is_nobodys_word(evidence: _Evidence, draft: MemoryDraft) -> bool:
    """
    Whether a note names an address that no person typed, hides its words, or follows on what could not be kept.

    An address leads out of the project: whoever gave it to the agent, it was not its own idea. After a file that is
    kept out of the record nobody can say whose words a note has; after a text that was too long, what instructs waits.
    """
    project_id = draft.project_id or evidence.context.home()
    session_id = draft.provenance.session_id
    if addresses := find_addresses(draft.text):
        typed = " ".join(evidence.list_typed(session_id)).lower()
        if any(address not in typed for address in addresses):
            return True
    if is_disguised(draft.text):
        return True
    if session_id and read_statements.find_withheld_reading(evidence.context.db, project_id, session_id):
        return True
    return bool(
        session_id
        and (instructs(draft.text) or touches_safety(draft.text))
        and read_statements.find_cut_reading(evidence.context.db, project_id, session_id)
    )


def _find_repeated_events(draft: MemoryDraft, read: Sequence[Event]) -> list[int]:
    """Which events told the agent what it notes: in their output, or in what their sieve is left of."""
    outputs = [event.output for event in read]
    sieves = [str(event.data.get("sieve", "")) for event in read]
    texts = [draft.text, *((draft.citation,) if draft.citation else ()), *split_parts(draft.text)]
    if places := find_repeated_part(texts, outputs):
        return places
    return next((places for text in texts if (places := find_in_bloom_filters(text, sieves))), [])


def _add_events(draft: MemoryDraft, event_ids: Iterable[str], channel: Channel | None = None) -> MemoryDraft:
    provenance: Provenance = draft.provenance
    ids = tuple(dict.fromkeys((*provenance.event_ids, *event_ids)))[
        : max(MAX_EVIDENCE, len(provenance.event_ids))
    ]
    return replace(
        draft, provenance=replace(provenance, event_ids=ids, channel=channel or provenance.channel)
    )


def _judge_by_parents(evidence: _Evidence, draft: MemoryDraft, origin: Origin) -> tuple[MemoryDraft, Origin]:
    """What is made of others stands no higher than the lowest of them."""
    for parent in _list_parents(draft):
        for ancestor in lineage.find_ancestors(evidence.context.db, parent):
            below = _origin_of_ancestor(ancestor)
            if below is Origin.NOTE:
                # Nothing proved the note, so no events prove what is made of it.
                draft = replace(draft, provenance=replace(draft.provenance, event_ids=()))
            if is_less_trusted(below, origin):
                origin = below
                if (
                    is_less_trusted(below, origin_of_provenance(draft.provenance))
                    and below is not Origin.UNSAID
                ):
                    draft = replace(
                        draft,
                        provenance=replace(
                            draft.provenance, channel=ancestor.channel, source=ancestor.source
                        ),
                    )
    return draft, origin


def _origin_of_ancestor(ancestor: lineage.Ancestor) -> Origin:
    if ancestor.verified:
        return Origin.PERSON
    came = origin_of_provenance(Provenance(channel=ancestor.channel, source=ancestor.source))
    if came is Origin.NOTE and ancestor.has_events:
        came = Origin.VALIDATED
    # What is set aside or was found wrong gives no better standing than what nobody said.
    waits = ancestor.state in (MemoryState.QUARANTINED, MemoryState.INACTIVE)
    return least_trusted((came, Origin.UNSAID)) if waits else came


def _list_parents(draft: MemoryDraft) -> list[str]:
    return [r.memory_id for r in draft.relations if r.type is RelationType.DERIVED_FROM and r.memory_id]


def _list_paths(subjects: Iterable[Subject], relations: Iterable[Relation]) -> Iterator[str]:
    yield from (s.name.partition("::")[0] for s in subjects if s.type in ("file", "symbol"))
    yield from (relation.path for relation in relations if relation.path)


def check_not_excluded(
    draft: MemoryDraft | Memory, patterns: Sequence[str], *, by_person: bool = False
) -> None:
    """Refuse what is about a file that is never recorded; of what a person did not write, also what names one."""
    if reason := _explain_exclusion(draft, patterns, by_person=by_person):
        raise BadInput(reason=reason)


def _explain_exclusion(draft: MemoryDraft | Memory, patterns: Sequence[str], *, by_person: bool) -> str:
    if excluded_path := find_excluded(_list_paths(draft.subjects, draft.relations), patterns):
        path, pattern = excluded_path
        return f"it is about {path}, which the setting record.exclude ({pattern}) keeps out"
    if patterns and not by_person and names_excluded(draft.text, patterns, in_prose=True):
        return f"it names a file that the setting record.exclude ({', '.join(patterns)}) keeps out"
    return ""


def _judged_parts(memory: Memory) -> tuple[object, ...]:
    return (memory.text, memory.kind, memory.scope, memory.project_id, memory.citation, memory.relations)
