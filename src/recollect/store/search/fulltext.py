"""The full-text index: the words each memory is indexed under, and the postings of each term."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from recollect.model.memory import Memory
from recollect.model.words import index_words
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import json_list
from recollect.store.tables.term_lists import join_term_lists, list_terms

# What a word among the subjects and tags counts beside one in the text.
SUBJECT_WEIGHT = 0.3
_AT_ONCE = 500

# Which memories hold a term, and how often.
Posting = dict[int, float]
# Which terms a memory holds, and how often.
Times = dict[str, float]


def count_holders(db: Db, terms: Iterable[str]) -> dict[str, int]:
    """In how many memories each of these index terms occurs; strangers are left out."""
    return {row["term"]: row["doc"] for row in db.rows("fulltext_counts", terms=json_list(terms))}


def find_terms_beginning(db: Db, beginnings: Iterable[str], limit: int) -> list[str]:
    """Terms of the index that begin like one of these, in the order of the alphabet."""
    rows = db.tuples("fulltext_terms_from", beginnings=json_list(beginnings), limit=limit)
    return [term for (term,) in rows]


def read_postings(db: Db, terms: Iterable[str]) -> dict[str, Posting]:
    """Which memories hold each of these index terms, and how often; strangers are left out."""
    by_term: dict[str, Posting] = {}
    for term, num, in_text, in_names in db.tuples("fulltext_postings", terms=json_list(terms)):
        posting = by_term.setdefault(term, {})
        posting[num] = posting.get(num, 0.0) + in_text + SUBJECT_WEIGHT * in_names
    return by_term


def read_best_postings(db: Db, terms: Sequence[str], limit: int) -> dict[str, Posting]:
    """The same, but only of the memories that come first by the database's own ranking."""
    nums = [num for (num,) in db.tuples("fulltext_best", **_as_question(db, terms), limit=limit)]
    by_term: dict[str, Posting] = {}
    for num, times in count_terms(db, nums).items():
        for term in times.keys() & set(terms):
            by_term.setdefault(term, {})[num] = times[term]
    return by_term


def _as_question(db: Db, terms: Sequence[str]) -> dict[str, str]:
    if db.makes_terms:
        return {"words": " OR ".join(f'"{term}"' for term in terms)}
    return {"terms": json_list(terms)}


def read_occurrences(db: Db) -> list[tuple[Any, ...]]:
    """Every term with the memories that hold it in their text and among their subjects, each as often as it does.

    The memories are numbers with commas: for a whole store that is many times faster than a row for each.
    """
    return db.tuples("fulltext_occurrences")


def count_terms(db: Db, nums: Iterable[int]) -> dict[int, Times]:
    """The terms under which these memories are filed, and how often each holds them."""
    times_by_num: dict[int, Times] = {}
    for row in db.rows("memories_by_num", nums=json.dumps(list(nums))):
        times = times_by_num.setdefault(row["num"], {})
        text, names = _make_entry(row)
        for words, worth in ((text, 1.0), (names, SUBJECT_WEIGHT)):
            for term in db.tokens(words):
                times[term] = times.get(term, 0.0) + worth
    return times_by_num


def add_memories(db: Db, memories: Mapping[int, Memory]) -> None:
    """File new memories under their words."""
    entries = [_as_entry(db, num, *_words_of(memory)) for num, memory in memories.items()]
    if db.makes_terms:
        db.run_many("fulltext_add", entries)
    else:
        db.run("fulltext_add", filed=json.dumps(list(memories)), **join_term_lists(entries))


def index_memory(db: Db, num: int, memory: Memory) -> None:
    """File a memory under its words of now, instead of those it had."""
    db.run_many("fulltext_put", [_as_entry(db, num, *_words_of(memory))])


def _words_of(memory: Memory) -> tuple[str, str]:
    names = [*(subject.name for subject in memory.subjects), *memory.tags]
    return index_words(memory.text), index_words(" ".join(names))


def rebuild_search_index(db: Db, progress: Callable[[int, int], None]) -> int:
    """Write the whole index anew; how many entries it has."""
    with db.transaction():
        nums = [row["num"] for row in db.rows("memory_all_nums")]
        db.run("fulltext_clear")
        for start in range(0, len(nums), _AT_ONCE):
            rows = db.rows("memories_by_num", nums=json.dumps(nums[start : start + _AT_ONCE]))
            db.run_many("fulltext_put", [_as_entry(db, row["num"], *_make_entry(row)) for row in rows])
            progress(min(len(nums), start + _AT_ONCE), len(nums))
    return len(nums)


def unindex_memory(db: Db, num: int) -> None:
    """Take a memory out of the index."""
    db.run("fulltext_remove", num=num)


def optimize_index(db: Db) -> None:
    """Merge the parts of the index, so that nothing of a removed text stays in it."""
    db.run("fulltext_optimize")


def _make_entry(row: Row) -> tuple[str, str]:
    """The text, and the names in subjects and tags, as they are filed."""
    names = [text.partition(":")[2] for text in json.loads(row["subjects"])]
    return index_words(row["text"]), index_words(" ".join([*names, *json.loads(row["tags"])]))


def _as_entry(db: Db, num: int, text: str, names: str) -> dict[str, object]:
    if db.makes_terms:
        return {"num": num, "text": text, "subjects": names}
    return {"num": num, **list_terms(db, in_text=text, in_names=names)}
