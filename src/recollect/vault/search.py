"""
Searching notes: the best parts by BM25 over title, headings, tags and text and by their vectors, fused.

Words and meaning each bring their best; a note's score is a weighted sum of the two, as a memory's is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from recollect.model.value import dataclass, replace
from recollect.model.words import query_words
from recollect.retrieve.stopwords import pick_topic_words
from recollect.store.db import Db
from recollect.store.tables import vault_index
from recollect.store.tables.vault_index import LinkedNote, PartHit

MAX_TERMS = 24
# A term in more parts than this share says little where a rarer one is asked for too.
COMMON_ABOVE = 0.2
# So many parts are fetched for each note that is wanted: a note has several.
_PARTS_PER_NOTE = 6
EXCERPT_LINES = 4
EXCERPT_LENGTH = 300
_NEIGHBOURS = 5
# So many parts come by meaning, and so much it counts beside the words: chosen on two conversations of LoCoMo as
# notes, and scored on three others (docs/vault.md).
_NEAREST = 40
MEANING_WEIGHT = 0.8
# A cosine below this says nothing.
_LEAST_COSINE = 0.2
# A note that no word of the question brought has to be so near: nonsense is not that near to anything.
_ALONE_FROM = 0.35


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteHit:
    """A note that answers: its best part with the line it begins in, an excerpt, and the notes linked with it."""

    path: str
    title: str
    heading: str
    line: int
    excerpt: str
    score: float
    neighbours: tuple[str, ...] = ()


# Gives the numbers of the vectors nearest to a question with their cosines: so many of them.
FindNearest = Callable[[str, int], Mapping[int, float]]


def search_notes(
    db: Db,
    vault: int,
    query: str,
    *,
    folder: str = "",
    limit: int = 10,
    for_agent: bool = False,
    nearest: FindNearest = lambda question, limit: {},
) -> list[NoteHit]:
    """The notes that answer a question best, each once."""
    # First, since a model that is met for the first time is written down.
    near = nearest(query, _NEAREST)
    with db.one_moment():
        words = _words(db, query)
        prefix = folder.strip().strip("/")
        place = f"{prefix}/" if prefix else ""
        many = limit * _PARTS_PER_NOTE if not prefix else 5_000
        by_words = vault_index.find_best_parts(db, vault, words, folder=place, limit=many) if words else []
        cosines = {seq: cosine for seq, cosine in near.items() if cosine > _LEAST_COSINE}
        by_meaning = vault_index.list_parts_of_vectors(db, vault, cosines, folder=place) if cosines else []
        hidden = vault_index.list_hidden_notes(db, vault) if for_agent else set()
        hits = [part for part in _fuse(by_words, by_meaning) if part.note not in hidden][:limit]
        stems = {term for word in words for term in db.tokens(word)}
        return [_hit(db, vault, hit, stems, hidden) for hit in hits]


def _fuse(by_words: Sequence[PartHit], by_meaning: Sequence[PartHit]) -> list[PartHit]:
    """The best part of each note, best note first: its words as a share of the best there are, and its meaning."""
    best: dict[int, PartHit] = {}
    scores: dict[int, float] = {}
    highest = max((part.score for part in by_words), default=0.0) or 1.0
    for part in by_words:
        if part.note not in best:
            best[part.note], scores[part.note] = part, part.score / highest
    near: dict[int, PartHit] = {}
    for part in by_meaning:
        if part.note in best or part.score >= _ALONE_FROM:
            near.setdefault(part.note, part)
    for note, part in near.items():
        best.setdefault(note, part)
        above = (part.score - _LEAST_COSINE) / (1.0 - _LEAST_COSINE)
        scores[note] = scores.get(note, 0.0) + MEANING_WEIGHT * above
    ranked = sorted(best, key=lambda note: (-scores[note], best[note].path))
    return [replace(best[note], score=scores[note]) for note in ranked]


def find_neighbours(db: Db, vault: int, note: int) -> list[LinkedNote]:
    """The notes that a note links to or that link to it."""
    both = (*vault_index.list_links_from(db, vault, note), *vault_index.list_links_to(db, vault, note))
    return list(dict.fromkeys(both))


def _words(db: Db, query: str) -> list[str]:
    """The words to search by: those that notes hold, without the commonest where rarer ones are asked for too."""
    words = pick_topic_words(query_words(query.replace("\0", " ")), frozenset())[:MAX_TERMS]
    terms = {word: db.tokens(word) for word in words}
    counts = vault_index.count_terms(db, {term for held in terms.values() for term in held})
    rarest = {word: min(counts.get(term, 0) for term in held) for word, held in terms.items() if held}
    known = [word for word, count in rarest.items() if count]
    common = COMMON_ABOVE * vault_index.count_parts(db)
    return [word for word in known if rarest[word] <= common] or known


def _hit(db: Db, vault: int, part: PartHit, terms: set[str], hidden: set[int]) -> NoteHit:
    line, excerpt = _excerpt(db, part, terms)
    near = [one.path for one in find_neighbours(db, vault, part.note) if one.num not in hidden]
    return NoteHit(
        path=part.path,
        title=part.title,
        heading=part.heading,
        line=line,
        excerpt=excerpt,
        score=round(part.score, 3),
        neighbours=tuple(near[:_NEIGHBOURS]),
    )


def _excerpt(db: Db, part: PartHit, terms: set[str]) -> tuple[int, str]:
    """The lines of a part around the first that holds a term, and the number of the first of them."""
    lines = part.text.split("\n")
    place = next(
        (number for number, line in enumerate(lines) if terms & set(db.tokens(line[:2_000]))),
        next((number for number, line in enumerate(lines) if line.strip()), 0),
    )
    chosen = "\n".join(lines[place : place + EXCERPT_LINES]).strip()
    return part.line + place, re.sub(r"\n{2,}", "\n", chosen)[:EXCERPT_LENGTH]
