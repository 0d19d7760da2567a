"""Ids for moments of the calendar."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from recollect.model.ids import id_at, milliseconds_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LAST_YEAR = (datetime(9999, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND


def make_id(at: datetime, chance: int) -> str:
    """The id of something that came to be at this moment; `chance` tells apart what shares a millisecond."""
    return id_at((at - _EPOCH) // _MILLISECOND, chance)


def id_after(last: str, at: datetime, chance: int) -> str:
    """
    An id for this moment that sorts after one of another process, also when the clock went back.

    Then it is of the millisecond after that id's, with chance of its own: two processes that follow the same id do not
    meet. An id from a year that no calendar has says nothing about time and is not followed.
    """
    made = make_id(at, chance)
    if made > last:
        return made
    milliseconds = milliseconds_of(last)
    return make_id(_EPOCH + (milliseconds + 1) * _MILLISECOND, chance) if milliseconds < _LAST_YEAR else made
