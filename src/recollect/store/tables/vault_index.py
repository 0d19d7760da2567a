"""The search index of notes: their parts under their words (BM25), and the links between them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from recollect.model.value import dataclass
from recollect.model.words import index_words
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import json_list
from recollect.store.tables.term_lists import list_terms

# Above every character that a path can hold.
_AFTER_ALL = "\U0010ffff"


class IndexedPart(NamedTuple):
    """A part of a note to be filed: its line, the headings above it, its text."""

    line: int
    heading: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedNote:
    """What a note is filed under."""

    title: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    links: Sequence[tuple[str, int]]
    parts: Sequence[IndexedPart]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartHit:
    """A part of a note that answers a question; a higher score is better."""

    note: int
    path: str
    title: str
    line: int
    heading: str
    text: str
    score: float


class LinkedNote(NamedTuple):
    """A note at the other end of a link."""

    num: int
    path: str
    title: str


def file_note(db: Db, num: int, note: IndexedNote) -> None:
    """File a note under its words of now; what it was filed under before is gone."""
    remove_note(db, num)
    db.run("vault_note_described", num=num, title=note.title, tags=json_list(note.tags))
    first = int(db.rows("chunk_last")[0]["num"]) + 1
    title = index_words(" ".join((note.title, *note.aliases)))
    tags = " ".join(note.tags)
    parts = list(enumerate(note.parts or [IndexedPart(1, "", "")], start=first))
    db.run_many(
        "chunk_insert",
        ({"num": n, "note": num, "line": p.line, "heading": p.heading, "text": p.text} for n, p in parts),
    )
    db.run_many("chunk_file", ({"num": n, **_make_entry(db, title, tags, part)} for n, part in parts))
    db.run_many("link_insert", ({"note": num, "target": target, "line": line} for target, line in note.links))


def _make_entry(db: Db, title: str, tags: str, part: IndexedPart) -> dict[str, str]:
    heading, text = index_words(part.heading), index_words(part.text)
    if db.makes_terms:
        return {"title": title, "heading": heading, "tags": tags, "text": text}
    return list_terms(db, in_title=title, in_heading=heading, in_tags=tags, in_text=text)


def remove_note(db: Db, num: int) -> None:
    """Take a note out of the search."""
    if db.row("chunks_of_note", note=num) is None:
        return
    db.run("chunks_unfile", note=num)
    db.run("chunks_clear", note=num)
    db.run("links_clear", note=num)


def rebuild_index(db: Db) -> None:
    """File every part of every note anew; an alias is found again when its note is next read."""
    db.run("chunks_unfile_all")
    entries = (
        {
            "num": row["num"],
            **_make_entry(db, index_words(row["title"]), " ".join(json.loads(row["tags"])), part),
        }
        for row in db.rows("chunks_all")
        for part in [IndexedPart(row["line"], row["heading"], row["text"])]
    )
    db.run_many("chunk_file", entries)


def count_terms(db: Db, terms: Iterable[str]) -> dict[str, int]:
    """In how many parts each of these terms occurs; strangers are left out."""
    return {row["term"]: row["doc"] for row in db.rows("chunk_counts", terms=json_list(terms))}


def count_parts(db: Db) -> int:
    """About how many parts there are."""
    return int(db.rows("chunk_last")[0]["num"])


def find_best_parts(
    db: Db, vault: int, words: Sequence[str], *, folder: str = "", limit: int
) -> list[PartHit]:
    """
    The parts that answer these words best, of notes in a folder if one is named.

    Words as they are asked, not terms of the index: the index makes terms of them, and of a term another one.
    """
    rows = db.rows(
        "chunks_best",
        vault=vault,
        **_as_question(db, words),
        from_path=folder,
        to_path=folder + _AFTER_ALL,
        limit=limit,
    )
    return [_part_hit(row, -row["score"]) for row in rows]


def list_parts_of_vectors(
    db: Db, vault: int, cosines: Mapping[int, float], *, folder: str = ""
) -> list[PartHit]:
    """The parts that these vectors are of, nearest first; one whose note is gone or elsewhere is left out."""
    rows = db.rows(
        "chunks_of_vectors",
        vault=vault,
        seqs=json.dumps(list(cosines)),
        from_path=folder,
        to_path=folder + _AFTER_ALL,
    )
    return sorted((_part_hit(row, cosines[row["seq"]]) for row in rows), key=lambda part: -part.score)


def _as_question(db: Db, words: Sequence[str]) -> dict[str, str]:
    if db.makes_terms:
        return {"words": " OR ".join('"' + word.replace('"', "") + '"' for word in words)}
    return {"terms": json_list(dict.fromkeys(term for word in words for term in db.tokens(word)))}


def list_hidden_notes(db: Db, vault: int) -> set[int]:
    """Notes of memories that are not active: their words are not for agents."""
    return {row["num"] for row in db.rows("vault_hidden_notes", vault=vault)}


def list_named_notes(db: Db, vault: int, name_key: str) -> list[LinkedNote]:
    """The notes that a name in a link can mean."""
    return [_linked(row) for row in db.rows("notes_about_to", vault=vault, name_key=name_key)]


def list_links_from(db: Db, vault: int, note: int) -> list[LinkedNote]:
    """The notes that a note links to."""
    return [_linked(row) for row in db.rows("links_from", vault=vault, note=note)]


def list_links_to(db: Db, vault: int, note: int) -> list[LinkedNote]:
    """The notes that link to a note."""
    return [_linked(row) for row in db.rows("links_to", vault=vault, note=note)]


def _part_hit(row: Row, score: float) -> PartHit:
    return PartHit(
        note=row["note"],
        path=row["path"],
        title=row["title"],
        line=row["line"],
        heading=row["heading"],
        text=row["text"],
        score=score,
    )


def _linked(row: dict[str, object]) -> LinkedNote:
    return LinkedNote(int(str(row["num"])), str(row["path"]), str(row["title"]))
