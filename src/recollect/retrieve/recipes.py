"""Recipes for a task: found by what the task says, kept if the recipe's own pattern is in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime

from recollect.model.hit import Hit, Part
from recollect.model.memory import Memory
from recollect.model.query import Filters, Query
from recollect.model.value import replace
from recollect.model.words import query_words
from recollect.retrieve.read_context import Ground
from recollect.retrieve.search import search
from recollect.retrieve.stopwords import EMPTY
from recollect.store.search.query_terms import terms_of

KIND = "workflow_recipe"
MOST = 2
# So much of what makes up its pattern must be in the task, rare words counting more.
FITS = 0.5
_LOOKED_AT = 12


def recipes_for(ground: Ground, task: str, filters: Filters, now: datetime, limit: int = MOST) -> list[Hit]:
    """The recipes that fit a task, best first; never a stale one."""
    wanted = replace(filters, kinds=(KIND,), fresh=True)
    found = search(ground, Query(text=task, limit=max(limit, _LOOKED_AT), filters=wanted), now)
    weights = _weights(ground, [pattern_of(hit.memory) for hit in found], task)
    in_task = set(_stems(ground, task))
    fitting: list[Hit] = []
    for hit in found:
        stems = _stems(ground, pattern_of(hit.memory))
        whole = sum(weights.get(stem, 0.0) for stem in stems)
        share = sum(weights.get(stem, 0.0) for stem in stems if stem in in_task) / whole if whole else 0.0
        if share >= FITS:
            part = Part("pattern", share, share, pattern_of(hit.memory)[:80])
            fitting.append(hit.adding(part))
    return sorted(fitting, key=lambda hit: -hit.score)[:limit]


def pattern_of(recipe: Memory) -> str:
    """For which tasks a recipe is: as it says itself, else its text."""
    said = (recipe.fields.get("task_pattern"), recipe.fields.get("trigger"))
    return next((text for text in said if isinstance(text, str) and text.strip()), recipe.text)


def _weights(ground: Ground, patterns: list[str], task: str) -> Mapping[str, float]:
    words = dict.fromkeys(word for text in (task, *patterns) for word in query_words(text))
    total = max(1, ground.words.total)
    # Never next to nothing: in a small store every word of a recipe is frequent.
    return {
        term.stem: math.log1p(total / max(1, term.count)) for term in terms_of(ground.db, ground.words, words)
    }


def _stems(ground: Ground, text: str) -> list[str]:
    words = [word for word in query_words(text) if word not in EMPTY]
    return list(dict.fromkeys(stem for word in words for stem in ground.db.tokens(word)))
