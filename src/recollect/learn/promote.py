"""
From validated notes to memories: counted, compared with what is known, scored, capped, phrased, and let in by the door.

Planning reads and embeds; carrying out writes, inside the caller's transaction. A note that falls through is kept with
the reason, and counts when the same thing is seen again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from math import exp

from recollect.capture import change, recipes
from recollect.capture.intake import take_in
from recollect.capture.write_context import Act, PrecomputedEmbedder, WriteContext
from recollect.learn.contradicted_sightings import lower_contradicted
from recollect.learn.directives import DirectiveKind, is_reversal
from recollect.learn.inference import RULES
from recollect.learn.note_texts import Sentence, write_sentence
from recollect.learn.novelty import NoveltyWeights, weigh_novelty
from recollect.learn.project_facts import check_ties, name_modules
from recollect.learn.rephrase import Phrase, choose_words
from recollect.learn.specificity import is_specific
from recollect.lifecycle.confidence import adjust_confidence
from recollect.model.memory import Intake, Memory, MemoryDraft, MemoryState, Refused, Trust
from recollect.model.note import Note, NoteOrigin, NoteState
from recollect.model.provenance import SOURCE_OF_CHANNEL, Channel, Provenance, Source
from recollect.model.query import Filters
from recollect.model.scope import parse_workref
from recollect.model.subject import Subject
from recollect.model.value import dataclass, replace
from recollect.store.tables import history, memories, scratchpad

FREQUENCY, RECENCY, NOVELTY = 0.4, 0.3, 0.3
RECENT_DAYS = 30.0
MAX_EVENTS = 64
MAX_SUBJECTS = 6
MAX_DIRECTIVES_READ = 500
# So many sessions that mended an error in the same file say where to look.
SESSIONS_THAT_POINT = 3
_DIRECTIVE_KINDS = tuple(str(kind) for kind in DirectiveKind)
E2E_CONFIRMED = 0.9

_CHANNELS = {
    NoteOrigin.AGENT: Channel.AGENT,
    NoteOrigin.GIVEN_UP: Channel.AGENT,
    NoteOrigin.WORDS: Channel.AGENT,
    # Their own words, typed; `capture/trust.py` holds the quote against what the session recorded.
    NoteOrigin.DIRECTIVE: Channel.USER,
    NoteOrigin.E2E: Channel.QA,
}
_FIGURES = frozenset({NoteOrigin.COST, NoteOrigin.PLAN, NoteOrigin.PREFETCH})
_ON_PURPOSE = frozenset({NoteOrigin.AGENT, NoteOrigin.GIVEN_UP})
_SPOKEN = frozenset({NoteOrigin.WORDS, NoteOrigin.DIRECTIVE})
# Of these the kind or the trust table alone says whether a person should look.
_REVIEWED_BY_ORIGIN = _ON_PURPOSE | _SPOKEN | _FIGURES | {NoteOrigin.CO_ACCESS, NoteOrigin.TWIN}
_SOURCES = {
    NoteOrigin.E2E: Source.MCP_AUTO,
    NoteOrigin.WORDS: Source.OBSERVER_INFERRED,
    NoteOrigin.DIRECTIVE: Source.OBSERVER_INFERRED,
}
_WITHDRAW = "withdraw"
# What happens to a memory in the course of time, though nobody says anything about it.
_BY_ITSELF = frozenset({"decay", "prune", "propagate", "stale", "moved", "fresh"})
_PUT_AWAY = frozenset({MemoryState.ARCHIVED, MemoryState.INACTIVE})


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionCandidate:
    """Notes about one thing, what they say together, and how well that scored."""

    notes: tuple[Note, ...]
    sentence: Sentence
    score: float = 1.0
    # The memory that came of it before.
    known: Memory | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionPlan:
    """What to promote, and what becomes of the notes that are not."""

    chosen: tuple[PromotionCandidate, ...] = ()
    # Figures that hold no longer.
    withdrawn: tuple[Memory, ...] = ()
    waiting: tuple[tuple[Note, NoteState, str], ...] = ()
    weighed: NoveltyWeights | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionOccasion:
    """When and where promotion happens. `caps` says how many memories each unit of work may give."""

    session_id: str
    project_id: str | None
    moment: datetime
    caps: Mapping[str, int]
    phrase: Phrase


def plan_promotion(door: WriteContext, occasion: PromotionOccasion, fresh: Sequence[Note]) -> PromotionPlan:
    """Decide what these validated notes give, together with what was noted before. Nothing is written."""
    keys = {key for note in fresh for key in note.keys}
    ids = {note.id for note in fresh}
    before = [
        note
        for note in scratchpad.find_notes_with_keys(door.db, occasion.project_id, keys)
        if note.id not in ids and note.state in (NoteState.VALIDATED, NoteState.PROMOTED)
    ]
    waiting: list[tuple[Note, NoteState, str]] = []
    ready: list[PromotionCandidate] = []
    withdrawn: list[Memory] = []
    for group in _groups(before, fresh):
        candidate = _candidate(door, occasion, group)
        if isinstance(candidate, PromotionCandidate):
            ready.append(candidate)
        elif isinstance(candidate, Memory):
            withdrawn.append(candidate)
        else:
            waiting += [(note, *candidate) for note in group if note.id in ids]
    ready, parts = _without_parts_of_recipes(ready)
    why = "a recipe says so already"
    waiting += [(note, NoteState.VALIDATED, why) for one in parts for note in one.notes if note.id in ids]
    weighed = weigh_novelty(
        door, occasion.project_id, [one.sentence.text for one in ready if one.known is None]
    )
    worthy: list[PromotionCandidate] = []
    for one in (_scored(one, occasion, weighed) for one in ready):
        is_explained = any(note.facts.get("diagnosis") for note in one.notes)
        bar = 0.0 if is_explained else RULES[one.notes[-1].origin].bar
        if one.known is None and one.score < bar:
            why = f"scored {one.score:.2f}, needs {bar}"
            waiting += [(note, NoteState.VALIDATED, why) for note in one.notes if note.id in ids]
        else:
            worthy.append(one)
    chosen, over = _capped(worthy, occasion.caps)
    why = "its work has given as many memories as it may"
    waiting += [(note, NoteState.VALIDATED, why) for one in over for note in one.notes if note.id in ids]
    made = PromotionPlan(chosen=chosen, withdrawn=tuple(withdrawn), waiting=tuple(waiting), weighed=weighed)
    return _phrased(door, occasion, made)


def carry_out_plan(
    door: WriteContext, act: Act, occasion: PromotionOccasion, made: PromotionPlan
) -> list[Memory]:
    """Write what was planned; the memories that are new."""
    if made.weighed and door.embedder is not None:
        door = replace(door, embedder=PrecomputedEmbedder(door.embedder, made.weighed.ready))
    for note, state, why in made.waiting:
        scratchpad.judge_note(door.db, note.id, state, why)
    _withdraw(door, act, made.withdrawn)
    commits = [note for note in scratchpad.list_notes(door.db, occasion.session_id) if note.commit_sha]
    answers = _take_in_candidates(door, act, occasion, made.chosen, commits)
    new: list[Memory] = []
    for one, answer in zip(made.chosen, answers, strict=True):
        if isinstance(answer, Refused):
            _judge(door, one.notes, NoteState.DISCARDED, answer.reason)
            continue
        memory = answer if isinstance(answer, Memory) else answer.memory
        if one.known is None and memory.created_at == act.at:
            new.append(memory)
        _judge(door, one.notes, NoteState.PROMOTED, f"score {one.score:.2f}", memory.id)
        if one.notes[-1].origin is NoteOrigin.E2E:
            lower_contradicted(door, act, occasion.session_id, occasion.project_id, one.notes[-1])
    return new


def _take_in_candidates(
    door: WriteContext,
    act: Act,
    occasion: PromotionOccasion,
    chosen: Sequence[PromotionCandidate],
    commits: Sequence[Note],
) -> list[Intake | Memory]:
    """
    Update what is known, and offer the rest for writing; one answer each.

    What is new is offered all at once: its evidence is what the session read, which is looked up once for all of it.
    """
    answers: list[Intake | Memory | None] = []
    drafts: list[MemoryDraft] = []
    for one in chosen:
        answer: Intake | Memory | None = _updated(door, act, one) if one.known else None
        if answer is None:
            draft = _draft(one, occasion, commits)
            answer = _supersede_reversed(door, act, one, draft)
            if answer is None:
                drafts.append(draft)
        answers.append(answer)
    offered = iter(take_in(door, act, drafts))
    return [next(offered) if answer is None else answer for answer in answers]


def _supersede_reversed(
    door: WriteContext, act: Act, one: PromotionCandidate, draft: MemoryDraft
) -> Intake | None:
    """Write a person's directive in the place of the earlier one it takes back; None if it takes back none."""
    if one.notes[-1].origin is not NoteOrigin.DIRECTIVE or one.known is not None:
        return None
    filters = Filters(kinds=_DIRECTIVE_KINDS, project_id=draft.project_id, states=(MemoryState.ACTIVE,))
    earlier = next(
        (
            memory
            for memory in memories.list_memories(door.db, filters, limit=MAX_DIRECTIVES_READ)
            if memory.provenance.channel is Channel.USER
            and memory.provenance.source is Source.OBSERVER_INFERRED
            and memory.project_id == draft.project_id
            and is_reversal(draft.text, memory.text)
        ),
        None,
    )
    return change.supersede(door, act, earlier, draft) if earlier else None


def _withdraw(door: WriteContext, act: Act, gone: Sequence[Memory]) -> None:
    if gone:
        ids = [memory.id for memory in gone]
        why = "the newest sessions no longer bear it out"
        change.set_state(door, ids, MemoryState.INACTIVE, action=_WITHDRAW, actor=act.actor, why=why)


def _judge(
    door: WriteContext, notes: Iterable[Note], state: NoteState, why: str, memory_id: str | None = None
) -> None:
    for note in notes:
        scratchpad.judge_note(door.db, note.id, state, why, memory_id)


def _groups(before: Sequence[Note], fresh: Sequence[Note]) -> list[tuple[Note, ...]]:
    """Notes that share a key, the oldest first; only groups with something fresh in them."""
    groups: list[list[Note]] = []
    for note in (*before, *fresh):
        mine = [
            group
            for group in groups
            if group[0].origin is note.origin and any(set(note.keys) & set(other.keys) for other in group)
        ]
        joined = [other for group in mine for other in group] + [note]
        groups = [group for group in groups if group not in mine] + [joined]
    ids = {note.id for note in fresh}
    return [
        tuple(sorted(group, key=lambda note: (note.at, note.id)))
        for group in groups
        if any(note.id in ids for note in group)
    ]


def _candidate(
    door: WriteContext, occasion: PromotionOccasion, group: tuple[Note, ...]
) -> PromotionCandidate | Memory | tuple[NoteState, str]:
    origin = group[-1].origin
    rule = RULES[origin]
    times = _times(group)
    # An error that somebody explained needs no second time.
    fewest = 1 if any(note.facts.get("diagnosis") for note in group) else rule.fewest
    if times < fewest:
        return NoteState.VALIDATED, f"seen {times} of {fewest} times"
    known = next((note.memory_id for note in reversed(group) if note.memory_id), None)
    memory = memories.find_memory(door.db, known) if known else None
    if known and (memory is None or memory.state in _PUT_AWAY):
        if memory is None or not _is_withdrawn(door, memory):
            return NoteState.DISCARDED, "the memory that came of it was put away"
        # Nobody said no to it: it stands for itself again once there is something to say.
        memory = None
    sentence = write_sentence(
        name_modules(door.db, occasion.project_id, group) if origin in _FIGURES else group
    )
    if sentence is None:
        withdrawn = memory if origin in _FIGURES else None
        return withdrawn or (NoteState.VALIDATED, "nothing can be said of it yet")
    if origin is NoteOrigin.ERROR_RETRY and not _says_what_to_do(group):
        return NoteState.VALIDATED, "nobody said why it fails, or what to do about it"
    if origin not in _FIGURES | _ON_PURPOSE | _SPOKEN and not is_specific(
        sentence.text, files=sentence.files, evidence=sentence.evidence
    ):
        return NoteState.VALIDATED, "what it says would be true of any file"
    if origin is NoteOrigin.CO_ACCESS:
        borne_out = check_ties(door.db, occasion.project_id, sentence)
        if isinstance(borne_out, str):
            return NoteState.VALIDATED, borne_out
        sentence = borne_out
    return PromotionCandidate(notes=group, sentence=sentence, known=memory)


def _says_what_to_do(group: Sequence[Note]) -> bool:
    """
    Whether an error was explained, mended by a command or in one place by several sessions, or worded by an agent.

    That an edit of some file made it pass once is no lesson. It stays a note, told at the very same failure alone.
    """
    solved = [note for note in group if note.facts["resolved"]]
    if any(note.facts.get("diagnosis") or note.facts.get("words") for note in group):
        return True
    if any(note.facts["mended_by"] and not note.facts["mended_in"] for note in solved):
        return True
    places = [set(note.facts["mended_in"]) for note in solved]
    return len({note.session_id for note in solved}) >= SESSIONS_THAT_POINT and bool(
        set.intersection(*places)
    )


def _is_withdrawn(door: WriteContext, memory: Memory) -> bool:
    """Whether a memory is out of use because sessions bore it out no longer, and not by anybody's word."""
    changes = reversed(history.list_changes_of_memory(door.db, memory.id))
    last = next((change for change in changes if change.action not in _BY_ITSELF), None)
    return last is not None and last.action == _WITHDRAW and not last.undone


def _without_parts_of_recipes(
    ready: Sequence[PromotionCandidate],
) -> tuple[list[PromotionCandidate], list[PromotionCandidate]]:
    """The candidates without pairs of files that a recipe among them leads through, and those pairs."""
    ways = [set(one.sentence.files) for one in ready if one.notes[-1].origin is NoteOrigin.RECIPE]
    parts = [
        one
        for one in ready
        if one.notes[-1].origin is NoteOrigin.CO_ACCESS
        and one.known is None
        and any(way.issuperset(one.sentence.files) for way in ways)
    ]
    return [one for one in ready if one not in parts], parts


def _times(group: Sequence[Note]) -> int:
    if RULES[group[-1].origin].by_session:
        return len({note.session_id for note in group})
    return sum(note.count for note in group)


def _scored(
    one: PromotionCandidate, occasion: PromotionOccasion, weighed: NoveltyWeights
) -> PromotionCandidate:
    frequency = min(1.0, _times(one.notes) / (2 * RULES[one.notes[-1].origin].threshold))
    novelty = weighed.novelty.get(one.sentence.text, 0.0)
    score = FREQUENCY * frequency + RECENCY * _recency(one.notes, occasion.moment) + NOVELTY * novelty
    return replace(one, score=round(score, 4))


def _recency(notes: Sequence[Note], moment: datetime) -> float:
    """Of all the times it was seen, not of the last: that one is always now, and would tell nothing apart."""
    days = [max(0.0, (moment - note.at).total_seconds() / 86_400) for note in notes]
    return sum(exp(-each / RECENT_DAYS) for each in days) / len(days)


def _capped(
    candidates: Sequence[PromotionCandidate], caps: Mapping[str, int]
) -> tuple[tuple[PromotionCandidate, ...], list[PromotionCandidate]]:
    """The best of each unit of work. What is known already, and figures, take no place."""
    left = dict(caps)
    chosen: list[PromotionCandidate] = []
    over: list[PromotionCandidate] = []
    for one in sorted(candidates, key=lambda one: (one.notes[-1].origin not in _ON_PURPOSE, -one.score)):
        if one.known is not None or one.notes[-1].origin in _FIGURES:
            chosen.append(one)
            continue
        work = one.notes[-1].work
        if left.get(work, 0) > 0:
            left[work] -= 1
            chosen.append(one)
        else:
            over.append(one)
    return tuple(chosen), over


def _phrased(door: WriteContext, occasion: PromotionOccasion, made: PromotionPlan) -> PromotionPlan:
    """The same with better words where a model has some; they are embedded now, before anything is locked."""
    own = [
        one
        for one in made.chosen
        if one.known is None and one.notes[-1].origin not in _FIGURES | _ON_PURPOSE | {NoteOrigin.DIRECTIVE}
    ]
    texts = occasion.phrase([one.sentence for one in own])
    phrasings = ((one, _words_given(one) or text) for one, text in zip(own, texts, strict=True))
    anew = {id(one): text for one, text in phrasings if text != one.sentence.text}
    if not anew or made.weighed is None:
        return made
    chosen = tuple(
        replace(one, sentence=replace(one.sentence, text=anew[id(one)])) if id(one) in anew else one
        for one in made.chosen
    )
    again = weigh_novelty(door, occasion.project_id, list(anew.values()))
    ready = {**made.weighed.ready, **again.ready}
    return replace(made, chosen=chosen, weighed=NoveltyWeights(ready=ready, novelty=made.weighed.novelty))


def _words_given(one: PromotionCandidate) -> str:
    """What the agent that was there made of it last, if that holds of all its notes together."""
    given = next((note.facts["words"] for note in reversed(one.notes) if note.facts.get("words")), "")
    words = choose_words(one.sentence, given)
    return words if words != one.sentence.text else ""


def _draft(one: PromotionCandidate, occasion: PromotionOccasion, commits: Sequence[Note]) -> MemoryDraft:
    last = one.notes[-1]
    channel = _CHANNELS.get(last.origin, Channel.OBSERVED)
    source = _SOURCES.get(last.origin, SOURCE_OF_CHANNEL[channel])
    about = [Subject("module", one.sentence.module)] if one.sentence.module else []
    about += [Subject("file", file) for file in one.sentence.files]
    subjects = dict.fromkeys((*about, *last.subjects) if last.origin not in _ON_PURPOSE else last.subjects)
    event_ids = dict.fromkeys(event_id for note in reversed(one.notes) for event_id in note.event_ids)
    known = one.known
    return MemoryDraft(
        text=known.text if known else one.sentence.text,
        kind=last.kind,
        subjects=known.subjects if known else tuple(subjects)[:MAX_SUBJECTS],
        project_id=occasion.project_id,
        work=parse_workref(last.work) if last.work else None,
        provenance=Provenance(
            channel=channel,
            source=source,
            session_id=last.session_id,
            commit_sha=_commit_of(last, one.sentence.files, commits),
            event_ids=tuple(event_ids)[:MAX_EVENTS],
        ),
        trust=None if last.origin in _REVIEWED_BY_ORIGIN else Trust(needs_review=True),
        citation=_citation(one),
        fields=one.sentence.fields,
        happened_at=last.at,
        sessions=_list_bearing_sessions(one.notes),
    )


def _list_bearing_sessions(notes: Sequence[Note]) -> tuple[str, ...]:
    """The sessions whose own work proved what these notes say; of an error, those that found the way out."""
    return tuple(dict.fromkeys(note.session_id for note in notes if note.facts.get("resolved", True)))


def _citation(one: PromotionCandidate) -> str:
    """The words a memory rests on, where somebody said them."""
    facts = one.notes[-1].facts
    if one.notes[-1].origin is NoteOrigin.DIRECTIVE:
        return str(facts["said"])
    if one.notes[-1].origin is NoteOrigin.DEAD_END:
        return str(facts.get("why") or "")
    return next((note.facts["diagnosis"] for note in reversed(one.notes) if note.facts.get("diagnosis")), "")


def _commit_of(note: Note, files: Sequence[str], commits: Sequence[Note]) -> str | None:
    if note.commit_sha:
        return note.commit_sha
    return next((one.commit_sha for one in commits if set(one.files) & set(files)), None)


def _updated(door: WriteContext, act: Act, one: PromotionCandidate) -> Memory | None:
    """What changes in a memory that its session saw again; None if it is simply offered once more."""
    known, origin = one.known, one.notes[-1].origin
    if known is None:
        return None
    if origin in _FIGURES:
        if known.text == one.sentence.text:
            return known
        was, now = known.fields.get("module"), one.sentence.module
        about = [
            f"module:{now}" if str(subject) == f"module:{was}" else str(subject) for subject in known.subjects
        ]
        changes = {"text": one.sentence.text, "fields": dict(one.sentence.fields), "about": about}
        return change.edit_memory(door, known.id, changes, actor=act.actor, why="counted again")
    if origin is NoteOrigin.RECIPE:
        counted = recipes.record_success(door, act, known, one.sentence.fields)
        return _refined(door, act, counted, one.sentence)
    if origin is NoteOrigin.E2E and _times(one.notes) > 1:
        sure = max(known.confidence, E2E_CONFIRMED)
        return _made_sure(door, act, known, sure, "seen in another session")
    return None


def _refined(door: WriteContext, act: Act, recipe: Memory, sentence: Sentence) -> Memory | None:
    """A recipe with the steps that the newest sessions share; a person's stays theirs, the same steps are no news."""
    is_persons = recipe.trust.verified or recipe.pinned
    if is_persons or recipe.fields.get("steps") == sentence.fields["steps"]:
        return None
    names = ("steps", "canonical_files")
    fields = {**recipe.fields, **{name: sentence.fields[name] for name in names}}
    about = [str(subject) for subject in recipe.subjects if subject.type != "file"]
    about += [f"file:{file}" for file in sentence.files]
    changes = {"text": sentence.text, "fields": fields, "about": about}
    why = "the last sessions that passed did it so"
    return change.edit_memory(door, recipe.id, changes, actor=act.actor, why=why)


def _made_sure(door: WriteContext, act: Act, memory: Memory, confidence: float, why: str) -> Memory:
    return adjust_confidence(door.db, memory, confidence, act_id=act.id, at=act.at, actor=act.actor, why=why)
