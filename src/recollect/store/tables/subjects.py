"""What memories are about, and the words by which a question may name it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from recollect.model.query import Filters
from recollect.model.subject import Subject
from recollect.model.words import query_words
from recollect.store.db import Db
from recollect.store.tables.memories import filter_parameters
from recollect.store.tables.row_values import json_list, json_text

_PATH_PARTS = re.compile(r"[/\\]|::")
# A word that may name more things than this names none of them.
_MAX_OF_A_WORD = 1000


class SubjectMemory(NamedTuple):
    """A memory about a subject, with what is needed to choose among many before one is read whole."""

    subject: str
    num: int
    kind: str
    stale: int
    verified: int
    confidence: float


def attach_subjects(db: Db, subjects_by_num: Mapping[int, Iterable[Subject]]) -> None:
    """Memories are about these; their words are filed when a subject is met for the first time."""
    rows = [
        (str(subject), num, position, subject)
        for num, subjects in subjects_by_num.items()
        for position, subject in enumerate(subjects)
    ]
    if not rows:
        return
    db.run_tuples("subject_insert", (row[:3] for row in rows))
    met = {text: subject for text, _, _, subject in rows}
    known = {text for (text,) in db.tuples("subjects_known", subjects=json_list(met))}
    words = [(word, text) for text, one in met.items() if text not in known for word in naming_words(one)]
    if words:
        db.run_tuples("subject_word_insert", words)


def delete_unused_words(db: Db) -> None:
    """Forget the naming words of subjects that no memory is about any more."""
    db.run("subject_words_orphaned")


def find_subjects_named(db: Db, words: Iterable[str]) -> dict[str, list[str]]:
    """The subjects that each of these words may name."""
    by_word: dict[str, list[str]] = {}
    for word, subject in db.tuples("subjects_by_words", words=json_list(words), limit=_MAX_OF_A_WORD):
        by_word.setdefault(word, []).append(subject)
    return by_word


def find_words_like(db: Db, start: str, limit: int) -> list[str]:
    """Naming words that begin with these characters."""
    rows = db.rows("subject_words_between", low=start, high=start + "\U0010ffff", limit=limit)
    return [row["word"] for row in rows]


def read_subjects(db: Db, nums: Iterable[int]) -> dict[int, set[str]]:
    """What each of these memories is about."""
    by_num: dict[int, set[str]] = {}
    for num, subject in db.tuples("subjects_of_nums", nums=json.dumps(list(nums))):
        by_num.setdefault(num, set()).add(subject)
    return by_num


def list_subjects_under(db: Db, start: str, limit: int) -> list[str]:
    """Subjects whose text begins so: all that lies in a folder, all symbols of a file."""
    rows = db.rows("subjects_between", low=start, high=start + "\U0010ffff", limit=limit)
    return [row["subject"] for row in rows]


def list_memories_about(db: Db, subjects: Iterable[str], filters: Filters) -> list[SubjectMemory]:
    """Of these subjects those that memories are about that pass the filter, each with every such memory."""
    about = json_text(list(subjects))
    return [
        SubjectMemory._make(row)
        for row in db.tuples("subjects_held", about=about, **filter_parameters(filters))
    ]


def find_memories_about(db: Db, subjects: Iterable[str], filters: Filters, limit: int) -> list[int]:
    """Memories about any of these that pass the filter, newest first."""
    parameters = filter_parameters(filters)
    rows = db.tuples("memory_nums_about_any", about=json_list(subjects), limit=limit, **parameters)
    return [num for (num,) in rows]


def naming_words(subject: Subject) -> set[str]:
    """`file:src/auth.py` is named by auth.py and auth; `person:Alex Kim` by alex, kim and alex kim."""
    tail = _PATH_PARTS.split(subject.name.rstrip("/"))[-1] or subject.name
    words = {subject.name.lower(), tail.lower()}
    if subject.type in ("file", "symbol"):
        words.add(tail.lower().rsplit(".", 1)[0])
    else:
        words.update(query_words(tail))
    return {word for word in words if word.strip()}
