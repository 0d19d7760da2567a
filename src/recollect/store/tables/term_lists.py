"""The terms of texts with their counts, for a full-text index that is kept in tables of our own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from recollect.store.db import Db
from recollect.store.tables.row_values import json_list, json_text

# More often than this a term is not counted in one text.
MAX_TIMES = 32_000


def list_terms(db: Db, **texts: str) -> dict[str, str]:
    """The terms of several texts together, and how often each stands in which of them; as lists of JSON."""
    counts = {name: Counter(db.tokens(text)) for name, text in texts.items()}
    terms = list(dict.fromkeys(term for count in counts.values() for term in count))
    times = {
        name: json.dumps([min(count[term], MAX_TIMES) for term in terms]) for name, count in counts.items()
    }
    return {"terms": json_list(terms), **times}


def join_term_lists(entries: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The term lists of several memories as one, with the number of its memory beside each term."""
    joined: dict[str, list[Any]] = {"nums": [], "terms": [], "in_text": [], "in_names": []}
    for entry in entries:
        lists = {name: json.loads(entry[name]) for name in ("terms", "in_text", "in_names")}
        joined["nums"] += [entry["num"]] * len(lists["terms"])
        for name, values in lists.items():
            joined[name] += values
    return {name: json_text(values) for name, values in joined.items()}
