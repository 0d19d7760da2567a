"""What a retrieval benchmark is made of: collections of things said, and questions with their evidence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.errors import BadInput, NotFound
from recollect.model.provenance import Channel
from recollect.model.value import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One memory to be: the item it belongs to (what evidence names), and what is known of it."""

    item: str
    text: str
    session: str
    at: datetime
    about: tuple[str, ...] = ()
    channel: Channel = Channel.USER


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and the items that hold its answer."""

    text: str
    category: str
    evidence: frozenset[str]
    # When it is asked, which is what "two weeks ago" counts from; None: now.
    at: datetime | None = None
    # Whether it counts towards the overall figures; the others are reported by category only.
    counts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Everything that goes into one store, and what is asked of it."""

    name: str
    documents: tuple[Document, ...]
    # The text of each item as plain full-text search sees it.
    plain: Mapping[str, str]
    questions: tuple[Question, ...]
    # Questions to which nothing here is the answer, though some of it looks like it.
    unanswerable: tuple[Question, ...] = ()
    # Names, in lower case, that documents carry beside their text.
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A benchmark as read from its file, with what could not be used of it."""

    name: str
    collections: tuple[Collection, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)

    def first(self, limit: int | None) -> Dataset:
        """The same with the first questions only, and the collections they need."""
        if limit is None:
            return self
        collections = []
        for collection in self.collections:
            questions = collection.questions[: max(0, limit)]
            limit -= len(questions)
            if questions:
                collections.append(replace(collection, questions=questions))
        return Dataset(name=self.name, collections=tuple(collections), left_out=self.left_out)


def read_json_list(path: Path, what: str) -> list[dict[str, Any]]:
    """The file as a list of JSON objects; `what` says what was expected there."""
    try:
        value = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON ({error}). {what}") from error
    if not isinstance(value, list) or not value or not all(isinstance(entry, dict) for entry in value):
        raise BadInput(f"{path} is not a list of objects. {what}")
    return value


def read_text(path: Path) -> str:
    """The text of a file of data."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise NotFound(what="file", name=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
