"""What every text goes through before anything durable sees it: hidden characters out, secrets out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from recollect.capture.hidden import strip_hidden
from recollect.capture.redact import redact
from recollect.errors import EmptyMemory
from recollect.model.memory import MemoryDraft, MemoryState
from recollect.model.subject import Subject

# So many hidden characters are no accident of copying: a person should look first.
HIDDEN_IS_SUSPICIOUS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanDraft:
    """A draft fit to be stored, and what was taken out of it."""

    draft: MemoryDraft
    redacted: tuple[str, ...]
    hidden: int


def clean(draft: MemoryDraft) -> CleanDraft:
    """The draft with every text in it cleaned; suspicious ones are put aside for a person to see."""
    wash = _Wash()
    cleaned = replace(
        draft,
        text=wash(draft.text).strip() or _nothing_left(),
        subjects=tuple(dict.fromkeys(Subject(s.type, wash(s.name) or "unnamed") for s in draft.subjects)),
        tags=tuple(dict.fromkeys(tag for tag in (wash(tag).strip() for tag in draft.tags) if tag)),
        citation=wash(draft.citation),
        fields=wash.deep(draft.fields),
    )
    if wash.hidden >= HIDDEN_IS_SUSPICIOUS and cleaned.state is MemoryState.ACTIVE:
        cleaned = replace(cleaned, state=MemoryState.QUARANTINED)
    return CleanDraft(draft=cleaned, redacted=tuple(wash.found), hidden=wash.hidden)


class _Wash:
    """Cleans texts and keeps count of what it took out."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.hidden = 0

    def __call__(self, text: str) -> str:
        visible = strip_hidden(text)
        self.hidden += visible.hidden
        redacted = redact(visible.text)
        self.found.extend(redacted.found)
        return redacted.text

    def deep(self, value: Any) -> Any:
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {self(str(key)): self.deep(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.deep(item) for item in value]
        return value


def _nothing_left() -> str:
    raise EmptyMemory("Nothing is left to remember once hidden characters are taken out. Give visible text.")
