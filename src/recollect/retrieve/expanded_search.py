"""A search that goes further than a recall: a second try where little was found, and what is tied to its files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.model.hit import Recalled
from recollect.model.query import Query
from recollect.retrieve.linked_memories import with_linked
from recollect.retrieve.query_expansion import Imagine, blended, guessed, is_weak, joined
from recollect.retrieve.read_context import Ground
from recollect.retrieve.search import answered, understood

OUT_OF_TIME = "There was no time to look further."


def wide(
    ground: Ground,
    query: Query,
    now: datetime,
    *,
    files: Sequence[str] = (),
    imagine: Imagine = None,
    in_time: Callable[[], bool] = lambda: True,
) -> Recalled:
    """What answers a question, looked for in every way there is time for. Each way only adds."""
    asked = understood(ground, query, now)
    if asked is None:
        return Recalled(hits=(), notes=("No session has been recorded yet.",))
    found = answered(ground, asked, now)
    if is_weak(found):
        if not in_time():
            return Recalled(hits=found.hits, notes=(*found.notes, OUT_OF_TIME))
        guess = guessed(ground, query.text, found, imagine)
        if guess and in_time():
            second = answered(ground, blended(ground, asked, guess), now)
            found = joined(found, second, guess, query.limit)
    if not in_time():
        return Recalled(hits=found.hits, notes=(*found.notes, OUT_OF_TIME))
    return with_linked(ground, found, asked.query.filters, files, now)
