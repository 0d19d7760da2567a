"""
Folding old episodes into patterns: outcomes beyond the newest 200, or older than 90 days, become counts by month.

What is left of them is how many there were, how many went well, where the work lay and how often it was done over. The
episodes themselves go to the archive, and from there the way of all that is archived.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from posixpath import dirname

from recollect.capture import change
from recollect.capture.intake import take_in
from recollect.capture.write_context import Act, WriteContext
from recollect.lifecycle.writing import apply_change
from recollect.model.memory import Memory, MemoryDraft, MemoryState, Refused, Relation, RelationType, Trust
from recollect.model.proposal import LearningProposal
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.query import Filters
from recollect.model.value import replace
from recollect.observe.phrases import join_names
from recollect.store.db import Db
from recollect.store.tables import memories

ACTOR = "observer"
STEP = "knowledge"
EPISODE, PATTERN = "work_unit_outcome", "pattern"
TAG = "folded"
KEPT_EPISODES = 200
KEPT_FOR = timedelta(days=90)
# So many in one go; the rest waits for the next.
MAX_FOLDED = 500
_MAX_RELATIONS = 64


def fold_episodes(context: WriteContext, act: Act | None, project_id: str | None) -> list[LearningProposal]:
    """Fold what is old; without an act, only say what would be folded."""
    proposals: list[LearningProposal] = []
    for month, episodes in sorted(_list_old(context, project_id).items()):
        known = _find_folded(context.db, project_id, month)
        counts = _add_counts(_read_counts(known), episodes)
        text = _describe(month, counts)
        memory_id = known.id if known else ""
        if act is not None:
            folded = _save(context, act, project_id, month, text, counts, episodes, known)
            if folded is None:
                continue
            memory_id = folded.id
        proposals.append(
            LearningProposal(
                step=STEP,
                act="fold",
                text=text,
                why=f"{len(episodes)} outcomes beyond the newest {KEPT_EPISODES} or older than {KEPT_FOR.days} days",
                evidence=tuple(f"{episode.id}: {episode.text}" for episode in episodes[:20]),
                memory_id=memory_id,
            )
        )
    return proposals


def _list_old(context: WriteContext, project_id: str | None) -> dict[str, list[Memory]]:
    """Episodes that are no longer among the kept ones, by month; never what a person pinned or stands by."""
    filters = Filters(kinds=(EPISODE,), project_id=project_id)
    newest_first = memories.list_memories(context.db, filters, limit=KEPT_EPISODES + MAX_FOLDED)
    before = context.now() - KEPT_FOR
    old: dict[str, list[Memory]] = {}
    for place, episode in enumerate(sorted(newest_first, key=lambda one: one.happened_at, reverse=True)):
        is_persons = episode.pinned or episode.trust.verified
        if not is_persons and (place >= KEPT_EPISODES or episode.happened_at < before):
            old.setdefault(f"{episode.happened_at:%Y-%m}", []).append(episode)
    return old


def _find_folded(db: Db, project_id: str | None, month: str) -> Memory | None:
    filters = Filters(kinds=(PATTERN,), tags=(TAG, month), project_id=project_id)
    return next(iter(memories.list_memories(db, filters, limit=1)), None)


def _read_counts(known: Memory | None) -> Counter[str]:
    if known is None:
        return Counter()
    counts = known.fields.get("counts")
    pairs = (
        (text.rpartition("=") for text in counts if isinstance(text, str))
        if isinstance(counts, list | tuple)
        else ()
    )
    return Counter({name: int(number) for name, _, number in pairs if number.isdigit()})


def _add_counts(counts: Counter[str], episodes: Sequence[Memory]) -> Counter[str]:
    for episode in episodes:
        counts["outcomes"] += 1
        counts["passed"] += bool(episode.fields.get("succeeded"))
        retries = episode.fields.get("retry_count")
        counts["retried"] += isinstance(retries, int) and retries > 0
        files = episode.fields.get("files_modified")
        for folder in (
            {dirname(str(file)) or "." for file in files} if isinstance(files, list | tuple) else ()
        ):
            counts[f"in {folder}"] += 1
    return counts


def _describe(month: str, counts: Counter[str]) -> str:
    text = f"In {month} {counts['outcomes']} pieces of work came to an end, {counts['passed']} of them well"
    if counts["retried"]:
        text += f", {counts['retried']} only after a retry"
    places = [(name, count) for name, count in counts.most_common() if name.startswith("in ")]
    shares = [f"{name.removeprefix('in ')} ({count})" for name, count in places[:3]]
    return f"{text}; most changes lay in {join_names(shares, 3)}." if shares else f"{text}."


def _save(
    context: WriteContext,
    act: Act,
    project_id: str | None,
    month: str,
    text: str,
    counts: Counter[str],
    episodes: Sequence[Memory],
    known: Memory | None,
) -> Memory | None:
    fields = {"counts": [f"{name}={number}" for name, number in counts.items() if number]}
    with context.db.transaction():
        if known is not None:
            changes = {"text": text, "fields": fields}
            pattern = change.edit_memory(
                context, known.id, changes, actor=ACTOR, why="more of that month", action="fold"
            )
        else:
            answer = take_in(context, act, [_draft(project_id, month, text, fields, episodes)])[0]
            if isinstance(answer, Refused):
                return None
            pattern = answer.memory
        folding = replace(act, action="fold", why=f"{pattern.id} counts it")
        for episode in episodes:
            apply_change(context.db, folding, episode, replace(episode, state=MemoryState.ARCHIVED))
    return pattern


def _draft(
    project_id: str | None, month: str, text: str, fields: dict[str, list[str]], episodes: Sequence[Memory]
) -> MemoryDraft:
    return MemoryDraft(
        text=text,
        kind=PATTERN,
        tags=(TAG, month),
        project_id=project_id,
        provenance=Provenance(channel=Channel.OBSERVED, source=Source.OBSERVER_INFERRED),
        trust=Trust(needs_review=False),
        relations=tuple(
            Relation(type=RelationType.DERIVED_FROM, memory_id=episode.id, auto_extracted=True)
            for episode in episodes[:_MAX_RELATIONS]
        ),
        fields=fields,
        happened_at=max(episode.happened_at for episode in episodes),
    )
