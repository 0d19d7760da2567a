"""The search: parse the query, gather candidates, rank them, and check whether the files of the hits still exist."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from recollect.errors import NotFound
from recollect.git.files import is_there
from recollect.model.anchor import Anchor, AnchorState, describe_anchor
from recollect.model.memory import Memory
from recollect.model.profile import PROFILES, Profile
from recollect.model.query import Filters, Hit, Query, Recalled, ScorePart
from recollect.model.value import replace
from recollect.retrieve import gather, rank
from recollect.retrieve.question import ParsedQuestion, parse_question
from recollect.retrieve.rank import STALE_COSTS
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.temporal import narrow_filters


class ParsedQuery(NamedTuple):
    """A query with its ranking profile and its parsed question."""

    query: Query
    profile: Profile
    question: ParsedQuestion


def search(context: ReadContext, query: Query, now: datetime) -> Recalled:
    """The memories that answer a question, best first, each with why. Reads only."""
    parsed = parse_query(context, query, now)
    if parsed is None:
        return Recalled(hits=(), notes=("No session has been recorded yet.",))
    return answer_query(context, parsed, now)


def parse_query(context: ReadContext, query: Query, now: datetime) -> ParsedQuery | None:
    """Parse a query; None if it asks for recent sessions and there are none."""
    profile = _find_profile(query.profile)
    filters = narrow_filters(
        context.db, query, now, lambda event_query: _find_best(context, event_query, now)
    )
    if filters is None:
        return None
    if filters is not query.filters:
        query = replace(query, filters=filters)
    return ParsedQuery(query, profile, parse_question(context, query, profile, now))


def answer_query(context: ReadContext, parsed: ParsedQuery, now: datetime) -> Recalled:
    """Gather, rank and check the memories that answer a parsed query."""
    hits = tuple(collect_hits(context, parsed, now).values())
    return Recalled(
        hits=check_file_presence(context, hits, parsed.query.filters, now), notes=parsed.question.notes
    )


def collect_hits(context: ReadContext, parsed: ParsedQuery, now: datetime) -> dict[int, Hit]:
    """The best hits by the number of their memory, best first; their files are not looked at yet."""
    query, profile, question = parsed
    with context.db.one_moment():
        candidates = gather.gather_candidates(context, question, query)
        ranked = rank.rank_candidates(context, question, query, profile, candidates, now)
        memories = context.shelf.memories([scored.num for scored in ranked])
    return {
        scored.num: Hit(memory=memory, score=scored.score, tell=scored.tell)
        for scored in ranked
        if (memory := memories[scored.num])
    }


def _find_best(context: ReadContext, query: Query, now: datetime) -> Memory | None:
    recalled = search(context, query, now)
    return recalled[0].memory if recalled.hits else None


def _find_profile(name: str | Profile) -> Profile:
    if isinstance(name, Profile):
        return name
    if name not in PROFILES:
        raise NotFound(f"There is no ranking profile {name!r}. The profiles are: {', '.join(PROFILES)}.")
    return PROFILES[name]


def check_file_presence(
    context: ReadContext, hits: Sequence[Hit], filters: Filters, now: datetime
) -> tuple[Hit, ...]:
    """The hits with what has become of their files; stale ones come last, or not at all if the filter says so."""
    stand_on = context.shelf.anchors([hit.memory.id for hit in hits])
    checked_hits = [
        _check_anchors(hit, anchors, _root_for(context, hit, filters), now)
        if (anchors := stand_on.get(hit.memory.id))
        else hit
        for hit in hits
    ]
    if filters.fresh:
        return tuple(hit for hit in checked_hits if hit.memory.stale_at is None)
    return tuple(sorted(checked_hits, key=lambda hit: hit.memory.stale_at is not None))


def _root_for(context: ReadContext, hit: Hit, filters: Filters) -> str | None:
    # Only the project around the folder lies where we look; another one's files are not known to be missing.
    return context.root if hit.memory.project_id == filters.project_id else None


def _check_anchors(hit: Hit, anchors: Sequence[Anchor], root: str | None, now: datetime) -> Hit:
    notes = tuple(words for anchor in anchors if (words := describe_anchor(anchor)))
    hit = replace(hit, notes=notes) if notes else hit
    if root is None or hit.memory.stale_at is not None:
        return hit
    missing = [
        anchor for anchor in anchors if anchor.state is not AnchorState.GONE and _is_missing(root, anchor)
    ]
    if not missing:
        return hit
    why = "; ".join(describe_anchor(replace(anchor, state=AnchorState.GONE)) for anchor in missing)
    stale = ScorePart("stale", STALE_COSTS, -STALE_COSTS * hit.score)
    return replace(hit.adding(stale), memory=replace(hit.memory, stale_at=now, stale_why=why))


def _is_missing(root: str, anchor: Anchor) -> bool:
    return not is_there(f"{root}/{anchor.file}")
