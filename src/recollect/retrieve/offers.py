"""Candidates for injection: memories an agent may be given unasked. Reads only; stale ones are left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from recollect.model.memory import Memory
from recollect.model.phase import Phase
from recollect.model.predicted_file import combine_probabilities
from recollect.model.profile import PROFILES
from recollect.model.query import Filters, Hit, Query, ScorePart
from recollect.model.subject import parse_subject
from recollect.model.value import replace
from recollect.model.words import query_words
from recollect.retrieve.names import find_names
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.recipes import KIND as RECIPE
from recollect.retrieve.recipes import find_recipes
from recollect.retrieve.search import search
from recollect.store.db import Db
from recollect.store.tables import injections, memories, subjects
from recollect.store.tables.subjects import SubjectMemory

_MAX_QUESTION = 2_000
_PROFILE = PROFILES["default"]
_NOT_THE_TEXT = ("unconfirmed", "phase")
# What a task can name besides files: a search finds those by their words.
_NAMEABLE = ("service", "app", "person", "project", "tool", "module")
_MAX_SYMBOLS = 200


def offer_newest(db: Db, kinds: Sequence[str], project_id: str | None, limit: int) -> list[Hit]:
    """The newest of some kinds, those a person stands by first; the score is how sure each is."""
    filters = Filters(kinds=tuple(kinds), project_id=project_id, fresh=True)
    newest = memories.list_memories(db, filters, limit=limit)
    newest.sort(key=lambda memory: not memory.trust.verified)
    return [Hit(memory=memory, score=memory.confidence) for memory in newest]


def offer_answers(
    context: ReadContext,
    question: str,
    project_id: str | None,
    *,
    kinds: Sequence[str],
    limit: int,
    now: datetime,
    phase: Phase | None = None,
) -> Sequence[Hit]:
    """What of some kinds answers a question, best first; the score is how well its text fits, from 0 to 1."""
    filters = Filters(kinds=tuple(kinds), project_id=project_id, fresh=True)
    if not memories.has_any(context.db, filters):
        # A model takes a third of a second to load, and a new project has nothing to compare.
        return ()
    query = Query(text=question[:_MAX_QUESTION], limit=limit, filters=filters, phase=phase)
    recalled = search(context, query, now)
    best = _best_possible(recalled)
    return [replace(hit, score=_text_fit(hit, best)) for hit in recalled]


def offer_surest(db: Db, kinds: Sequence[str], project_id: str | None, sure: float, limit: int) -> list[Hit]:
    """Those of some kinds that are at least so sure, the surest first; of equals, the newest."""
    filters = Filters(kinds=tuple(kinds), project_id=project_id, min_confidence=sure, fresh=True)
    surest_first = memories.list_memories(db, filters, limit=limit)
    surest_first.sort(key=lambda memory: -memory.confidence)
    return [Hit(memory=memory, score=memory.confidence) for memory in surest_first]


def offer_recipes(
    context: ReadContext, task: str, project_id: str | None, *, limit: int, now: datetime
) -> list[Hit]:
    """The recipes that fit a task, best first; the score is how much of a recipe's pattern is in the task."""
    filters = Filters(kinds=(RECIPE,), project_id=project_id, fresh=True)
    if not memories.has_any(context.db, filters):
        # Reading the task a second time is what costs; most projects have no recipes.
        return []
    recipes = find_recipes(context, task[:_MAX_QUESTION], filters, now, limit)
    return [replace(hit, score=_pattern_share(hit)) for hit in recipes]


def offer_about_names(
    context: ReadContext, task: str, project_id: str | None, *, kinds: Sequence[str], limit: int
) -> list[Hit]:
    """What is about an application, a service or a person that a task names; the surest first."""
    text = task[:_MAX_QUESTION]
    names = find_names(context, text, query_words(text)).subjects
    subjects = [parse_subject(name) for name in names if name.partition(":")[0] in _NAMEABLE]
    if not subjects:
        return []
    filters = Filters(kinds=tuple(kinds), project_id=project_id, subjects=tuple(subjects), fresh=True)
    about_names = memories.list_memories(context.db, filters, limit=limit)
    about_names.sort(key=lambda memory: -memory.confidence)
    return [Hit(memory=memory, score=memory.confidence) for memory in about_names]


def offer_about_files(
    db: Db, likely: Mapping[str, float], project_id: str | None, *, kinds: Sequence[str], limit: int
) -> list[Hit]:
    """What is about files that will probably be opened; the score is how probable it is that one of them is."""
    if not likely:
        return []
    filters = Filters(kinds=tuple(kinds), project_id=project_id, fresh=True)
    file_of = {f"file:{path}": path for path in likely}
    for path in likely:
        file_of |= dict.fromkeys(subjects.list_subjects_under(db, f"symbol:{path}::", _MAX_SYMBOLS), path)
    files: dict[SubjectMemory, set[str]] = {}
    for holding in subjects.list_memories_about(db, file_of, filters):
        files.setdefault(holding._replace(subject=""), set()).add(file_of[holding.subject])
    best = sorted(
        files,
        key=lambda holding: (
            -combine_probabilities(likely[path] for path in files[holding]),
            -holding.verified,
            -holding.confidence,
            -holding.num,
        ),
    )[:limit]
    memories_by_num = memories.read_memories(db, [holding.num for holding in best])
    return [to_likely_hit(files[holding], likely, memories_by_num[holding.num]) for holding in best]


def to_likely_hit(files: Iterable[str], likely: Mapping[str, float], memory: Memory) -> Hit:
    """A memory about files: the score is how probable it is that one of them is opened."""
    ahead = {path: likely[path] for path in sorted(files) if path in likely}
    why = tuple(ScorePart(f"about {path}", chance, chance) for path, chance in ahead.items())
    return Hit(memory=memory, score=combine_probabilities(ahead.values()), tell=lambda: why)


def offer_by_ids(db: Db, memory_ids: Sequence[str]) -> list[Hit]:
    """The memories with these ids that still exist, in this order."""
    memory_by_id = injections.read_memories_by_id(db, memory_ids)
    still_kept = [memory_by_id[memory_id] for memory_id in memory_ids if memory_id in memory_by_id]
    return [Hit(memory=memory, score=memory.confidence) for memory in still_kept]


def _pattern_share(hit: Hit) -> float:
    return next((part.value for part in hit.why if part.name == "pattern"), 0.0)


def _best_possible(hits: Iterable[Hit]) -> float:
    """The best a text could reach in this search: some models have no word vectors, and some stores no model."""
    part_names = {part.name for hit in hits for part in hit.why}
    if "closer" in part_names:
        return _PROFILE.lexical + _PROFILE.closer
    return _PROFILE.lexical + (_PROFILE.semantic if "meaning" in part_names else 0.0)


def _text_fit(hit: Hit, best: float) -> float:
    """
    A score as a share of the best a text can reach.

    Who said it is left out: that is for whoever lets it speak. So is the phase: it puts in order, it makes nothing fit.
    """
    trusted = hit.score - sum(part.added for part in hit.why if part.name in _NOT_THE_TEXT)
    return max(0.0, min(1.0, trusted / best))


def is_of_work(memory: Memory, branch: str, work: str) -> bool:
    """Whether a state of work is that of this unit, or of this branch where nobody has named a unit yet."""
    if memory.work is not None and work:
        return str(memory.work) == work
    return bool(branch) and memory.fields.get("branch") == branch
