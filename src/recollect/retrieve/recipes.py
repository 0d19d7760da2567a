"""Recipes for a task: searched by the text of the task, kept if the pattern of the recipe occurs in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime

from recollect.model.memory import Memory
from recollect.model.query import Filters, Hit, Query, ScorePart
from recollect.model.value import replace
from recollect.model.words import query_words
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.search import search
from recollect.retrieve.stopwords import STOPWORDS
from recollect.store.search.bm25_index import find_terms

KIND = "workflow_recipe"
MAX_RECIPES = 2
# So much of what makes up its pattern must be in the task, rare words counting more.
MIN_PATTERN_SHARE = 0.5
_MAX_SEARCHED = 12


def find_recipes(
    context: ReadContext, task: str, filters: Filters, now: datetime, limit: int = MAX_RECIPES
) -> list[Hit]:
    """The recipes that fit a task, best first; never a stale one."""
    recipe_filters = replace(filters, kinds=(KIND,), fresh=True)
    recalled = search(context, Query(text=task, limit=max(limit, _MAX_SEARCHED), filters=recipe_filters), now)
    weights = _weigh_words(context, [pattern_of(hit.memory) for hit in recalled], task)
    in_task = set(_list_stems(context, task))
    fitting: list[Hit] = []
    for hit in recalled:
        stems = _list_stems(context, pattern_of(hit.memory))
        pattern_weight = sum(weights.get(stem, 0.0) for stem in stems)
        share = (
            sum(weights.get(stem, 0.0) for stem in stems if stem in in_task) / pattern_weight
            if pattern_weight
            else 0.0
        )
        if share >= MIN_PATTERN_SHARE:
            part = ScorePart("pattern", share, share, pattern_of(hit.memory)[:80])
            fitting.append(hit.adding(part))
    return sorted(fitting, key=lambda hit: -hit.score)[:limit]


def pattern_of(recipe: Memory) -> str:
    """For which tasks a recipe is: as it says itself, else its text."""
    patterns = (recipe.fields.get("task_pattern"), recipe.fields.get("trigger"))
    return next((text for text in patterns if isinstance(text, str) and text.strip()), recipe.text)


def _weigh_words(context: ReadContext, patterns: list[str], task: str) -> Mapping[str, float]:
    words = dict.fromkeys(word for text in (task, *patterns) for word in query_words(text))
    total = max(1, context.words.total)
    # Never next to nothing: in a small store every word of a recipe is frequent.
    return {
        term.stem: math.log1p(total / max(1, term.count))
        for term in find_terms(context.db, context.words, words)
    }


def _list_stems(context: ReadContext, text: str) -> list[str]:
    words = [word for word in query_words(text) if word not in STOPWORDS]
    return list(dict.fromkeys(stem for word in words for stem in context.db.tokens(word)))
