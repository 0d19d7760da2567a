"""Time words in a question: the periods they name, and the events it dates itself by.

A question is cut into plain words and read left to right; each rule looks at a few words only, so the work
grows with the length examined. Anything that is no plain word (`may.py`, `3.11`, `#2022`) names no time.

What is decided where English leaves it open:

* Days are UTC days, weeks begin on Monday, seasons are the northern ones and begin with the month; the
  winter of a year begins in its December.
* Without a year the latest instance not after now is meant (the coming one if the question speaks of the
  future), and the period is marked `yearly`, so that other years count too. "last May" is the latest May
  that is over.
* "last week" is the calendar week before this one; "the last week" and "the past week" are the seven days
  up to now. "on Monday" and "last Monday" are the latest Monday before today.
* 5/8/2023 is read day first unless only month first makes a date, or `month_first` is set.
* A bare number is a year only after a word that asks for one (in, since, of ...) or before a noun ("the
  2022 budget"), and never before a unit or after `error`, `port` and the like.

The files build on each other: the words (`tables`), the reader of a question and what a rule returns
(`reading`); the rules for a time named by itself (`amounts`, `calendar`, `deictic`), for one time in all its forms
(`single`) and for two (`ranges`); on top `rules` and `events`.
"""

from recollect.retrieve.timewords.events import find_anchors
from recollect.retrieve.timewords.rules import find_periods

__all__ = ["find_anchors", "find_periods"]
