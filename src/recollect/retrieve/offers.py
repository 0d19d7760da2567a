"""Memories that could be put before an agent unasked. Nothing here counts as an access, and nothing stale comes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from recollect.model.hit import Hit, Part
from recollect.model.memory import Memory
from recollect.model.phase import Phase
from recollect.model.predicted_file import one_of
from recollect.model.profile import PROFILES
from recollect.model.query import Filters, Query
from recollect.model.subject import parse_subject
from recollect.model.value import replace
from recollect.model.words import query_words
from recollect.retrieve.names import names_in
from recollect.retrieve.read_context import Ground
from recollect.retrieve.recipes import KIND as RECIPE
from recollect.retrieve.recipes import recipes_for
from recollect.retrieve.search import search
from recollect.store.db import Db
from recollect.store.tables import injections, memories, subjects
from recollect.store.tables.subjects import Held

_MOST_QUESTION = 2_000
_RANKED_BY = PROFILES["default"]
_NOT_THE_TEXT = ("unconfirmed", "phase")
# What a task can name besides files: a search finds those by their words.
_NAMEABLE = ("service", "app", "person", "project", "tool", "module")
_MOST_SYMBOLS = 200


def of_kinds(db: Db, kinds: Sequence[str], project_id: str | None, limit: int) -> list[Hit]:
    """The newest of some kinds, those a person stands by first; the score is how sure each is."""
    filters = Filters(kinds=tuple(kinds), project_id=project_id, fresh=True)
    found = memories.listed(db, filters, limit=limit)
    found.sort(key=lambda memory: not memory.trust.verified)
    return [Hit(memory=memory, score=memory.confidence) for memory in found]


def on_question(
    ground: Ground,
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
    if not memories.is_any(ground.db, filters):
        # A model takes a third of a second to load, and a new project has nothing to compare.
        return ()
    query = Query(text=question[:_MOST_QUESTION], limit=limit, filters=filters, phase=phase)
    found = search(ground, query, now)
    best = _best(found)
    return [replace(hit, score=_fit(hit, best)) for hit in found]


def surest(db: Db, kinds: Sequence[str], project_id: str | None, sure: float, limit: int) -> list[Hit]:
    """Those of some kinds that are at least so sure, the surest first; of equals, the newest."""
    filters = Filters(kinds=tuple(kinds), project_id=project_id, min_confidence=sure, fresh=True)
    found = memories.listed(db, filters, limit=limit)
    found.sort(key=lambda memory: -memory.confidence)
    return [Hit(memory=memory, score=memory.confidence) for memory in found]


def for_task(ground: Ground, task: str, project_id: str | None, *, limit: int, now: datetime) -> list[Hit]:
    """The recipes that fit a task, best first; the score is how much of a recipe's pattern is in the task."""
    filters = Filters(kinds=(RECIPE,), project_id=project_id, fresh=True)
    if not memories.is_any(ground.db, filters):
        # Reading the task a second time is what costs; most projects have no recipes.
        return []
    found = recipes_for(ground, task[:_MOST_QUESTION], filters, now, limit)
    return [replace(hit, score=_pattern(hit)) for hit in found]


def about_named(
    ground: Ground, task: str, project_id: str | None, *, kinds: Sequence[str], limit: int
) -> list[Hit]:
    """What is about an application, a service or a person that a task names; the surest first."""
    text = task[:_MOST_QUESTION]
    named_there = names_in(ground, text, query_words(text)).subjects
    subjects = [parse_subject(one) for one in named_there if one.partition(":")[0] in _NAMEABLE]
    if not subjects:
        return []
    filters = Filters(kinds=tuple(kinds), project_id=project_id, subjects=tuple(subjects), fresh=True)
    found = memories.listed(ground.db, filters, limit=limit)
    found.sort(key=lambda memory: -memory.confidence)
    return [Hit(memory=memory, score=memory.confidence) for memory in found]


def about_files(
    db: Db, likely: Mapping[str, float], project_id: str | None, *, kinds: Sequence[str], limit: int
) -> list[Hit]:
    """What is about files that will probably be opened; the score is how probable it is that one of them is."""
    if not likely:
        return []
    filters = Filters(kinds=tuple(kinds), project_id=project_id, fresh=True)
    file_of = {f"file:{path}": path for path in likely}
    for path in likely:
        file_of |= dict.fromkeys(subjects.under(db, f"symbol:{path}::", _MOST_SYMBOLS), path)
    files: dict[Held, set[str]] = {}
    for one in subjects.held(db, file_of, filters):
        files.setdefault(one._replace(subject=""), set()).add(file_of[one.subject])
    best = sorted(
        files,
        key=lambda one: (
            -one_of(likely[path] for path in files[one]),
            -one.verified,
            -one.confidence,
            -one.num,
        ),
    )[:limit]
    whole = memories.by_nums(db, [one.num for one in best])
    return [as_likely_as(files[one], likely, whole[one.num]) for one in best]


def as_likely_as(files: Iterable[str], likely: Mapping[str, float], memory: Memory) -> Hit:
    """A memory about files: the score is how probable it is that one of them is opened."""
    ahead = {path: likely[path] for path in sorted(files) if path in likely}
    why = tuple(Part(f"about {path}", chance, chance) for path, chance in ahead.items())
    return Hit(memory=memory, score=one_of(ahead.values()), tell=lambda: why)


def named(db: Db, memory_ids: Sequence[str]) -> list[Hit]:
    """These, in this order, as far as they are still kept."""
    found = injections.memories_named(db, memory_ids)
    kept = [found[memory_id] for memory_id in memory_ids if memory_id in found]
    return [Hit(memory=memory, score=memory.confidence) for memory in kept]


def _pattern(hit: Hit) -> float:
    return next((part.value for part in hit.why if part.name == "pattern"), 0.0)


def _best(found: Iterable[Hit]) -> float:
    """The best a text could reach in this search: not every model can take a closer look, and some stores have none."""
    looked = {part.name for hit in found for part in hit.why}
    if "closer" in looked:
        return _RANKED_BY.lexical + _RANKED_BY.closer
    return _RANKED_BY.lexical + (_RANKED_BY.semantic if "meaning" in looked else 0.0)


def _fit(hit: Hit, best: float) -> float:
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
