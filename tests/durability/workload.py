"""Acts a person or an agent would do, in a fixed order, each acknowledged when it returns."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from recollect import Recollect
from recollect.model.json_form import memory_to_json
from recollect.model.memory import MemoryState
from recollect.model.query import Filters

# Counted in passing, in a commit of their own.
_COUNTED = ("access_count", "last_accessed_at")
EVERY = Filters(states=tuple(MemoryState), every_project=True)


def content(memory: Recollect) -> dict[str, dict[str, Any]]:
    """All that was remembered, by id, as it is now."""
    found = (memory_to_json(each) for each in memory.list(EVERY, limit=100_000))
    return {each["id"]: {k: v for k, v in each.items() if k not in _COUNTED} for each in found}


def acts(memory: Recollect, chance: random.Random, number: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """So many things to do, one after the other; each takes what there is when its turn comes."""
    done: dict[str, Callable[[], object]] = {
        "remember": lambda: memory.remember(
            f"Note {chance.randrange(10**9)} on {chance.choice(_WORDS)}: {chance.randbytes(60).hex()}",
            about=[f"service:{chance.choice(_WORDS)}"],
            tags=["t", chance.choice(_WORDS)],
            session=f"s{chance.randrange(4)}",
        ),
        "remember many": lambda: memory.remember_many(
            [memory.draft(f"Many {chance.randrange(10**9)} of {word}") for word in _WORDS[:4]]
        ),
        "edit": lambda: memory.edit(
            _any(memory, chance), text=f"Changed to {chance.randrange(10**9)}", tags=["new"]
        ),
        "forget": lambda: memory.forget(_any(memory, chance)),
        "undo": lambda: memory.undo(),
        "pin": lambda: memory.pin(_any(memory, chance), pinned=chance.random() < 0.7),
        "purge": lambda: memory.purge(_any(memory, chance)),
        "import": lambda: _import(memory, tuple(_export(chance))),
        "recall": lambda: memory.recall(f"what about the {chance.choice(_WORDS)}?"),
    }
    yield from (("remember", done["remember"]) for _ in range(3))
    names = ["remember", "remember", "edit", "pin", "forget", "recall", "remember many", "undo", "import"]
    for turn in range(number - 3):
        name = "purge" if turn % 12 == 11 else chance.choice(names)
        yield name, done[name]


_WORDS = ("cache", "queue", "token", "deploy", "parser", "schema", "socket", "worker")


def _any(memory: Recollect, chance: random.Random) -> str:
    return chance.choice(memory.list(EVERY, limit=1000)).id


def _import(memory: Recollect, lines: tuple[str, ...]) -> object:
    return memory.admin.import_memories(lambda: iter(lines))


def _export(chance: random.Random) -> Iterator[str]:
    yield json.dumps({"format": "recollect-memories", "version": 1})
    for _ in range(3):
        yield json.dumps({"text": f"Imported {chance.randrange(10**9)}", "tags": ["in"], "session_id": "s9"})
