"""Cleaning texts before they are stored: hidden characters and secrets are taken out."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from recollect.errors import BadInput, EmptyMemory
from recollect.events.hidden import strip_hidden
from recollect.events.redact import redact
from recollect.model.memory import MAX_TEXT, MemoryDraft, MemoryState, check_length
from recollect.model.provenance import Provenance
from recollect.model.subject import Subject
from recollect.model.value import dataclass, replace

# So many hidden characters are no accident of copying: a person should look first.
HIDDEN_IS_SUSPICIOUS = 10
_TAKEN_OUT = re.compile(r"\[(?:redacted:\w{1,40}|private)\]")
MAX_NAME = 1024
MAX_WHY = 2000
MAX_FIELD_DEPTH = 12
_MAX_INTEGER = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanDraft:
    """A draft fit to be stored, and what was taken out of it."""

    draft: MemoryDraft
    redacted: tuple[str, ...]
    hidden: int
    # Why it must not be kept, if so.
    refused: str = ""


# What became of names that were cleaned before, among drafts that come together: most are about the same few things.
CleanNames = dict[tuple[str, str], str]


def clean_draft(draft: MemoryDraft, names: CleanNames | None = None) -> CleanDraft:
    """The draft with every text in it cleaned; suspicious ones are put aside for a person to see."""
    _check_sizes(draft)
    wash = _Wash({} if names is None else names)
    cleaned = replace(
        draft,
        text=wash(draft.text).strip() or _refuse_empty(),
        subjects=tuple(
            dict.fromkeys(Subject(s.type, wash.named(s.type, s.name) or "unnamed") for s in draft.subjects)
        ),
        tags=tuple(dict.fromkeys(tag for tag in (wash(tag).strip() for tag in draft.tags) if tag)),
        work=wash.parts(draft.work, "methodology", "hierarchy", "label") if draft.work else None,
        provenance=_clean_provenance(draft.provenance),
        citation=wash(draft.citation),
        relations=tuple(wash.parts(relation, "path") for relation in draft.relations),
        fields=wash.deep(draft.fields),
    )
    if cleaned.fields:
        check_length("fields", json.dumps(cleaned.fields, ensure_ascii=False), MAX_TEXT)
    if wash.hidden >= HIDDEN_IS_SUSPICIOUS and cleaned.state is MemoryState.ACTIVE:
        cleaned = replace(cleaned, state=MemoryState.QUARANTINED)
    return CleanDraft(draft=cleaned, redacted=tuple(wash.redactions), hidden=wash.hidden)


def clean_why(text: str) -> str:
    """What somebody gave as a reason, cleaned like any other text."""
    check_length("reason", text, MAX_WHY)
    return _Wash()(text).strip()


def _clean_provenance(provenance: Provenance) -> Provenance:
    # Ids look like secrets and are none, so they only lose what cannot be seen or written.
    def visible(name: str | None) -> str | None:
        return (strip_hidden(name).text.strip() or None) if name else None

    return replace(
        provenance,
        session_id=visible(provenance.session_id),
        commit_sha=visible(provenance.commit_sha),
        event_ids=tuple(visible_id for name in provenance.event_ids if (visible_id := visible(name))),
    )


def _check_sizes(draft: MemoryDraft) -> None:
    if draft.half_life_days is not None and not math.isfinite(draft.half_life_days):
        raise BadInput(reason="a half-life is a number of days that ends")
    check_length("session id", draft.provenance.session_id or "", MAX_NAME)
    check_length("unit of work", str(draft.work or ""), MAX_NAME)
    check_length("label of the unit of work", draft.work.label if draft.work else "", MAX_NAME)
    check_length("citation", draft.citation, MAX_NAME)
    for relation in draft.relations:
        check_length("path of a relation", relation.path or "", MAX_NAME)


def has_content(text: str) -> bool:
    """Whether a text says more than that something was taken out of it."""
    return any(map(str.isalnum, _TAKEN_OUT.sub("", text)))


class _Wash:
    """Cleans texts and keeps count of what it took out."""

    def __init__(self, names: CleanNames | None = None) -> None:
        self.redactions: list[str] = []
        self.hidden = 0
        # Names in which there was nothing to take out.
        self._names = names if names is not None else {}

    def __call__(self, text: str) -> str:
        if not text:
            return text
        visible = strip_hidden(text)
        self.hidden += visible.hidden
        redacted = redact(visible.text)
        self.redactions.extend(redacted.kinds)
        return redacted.text

    def named(self, name: str, value: str) -> str:
        """A value cleaned together with its name, which may be all that gives it away: `password`, `api_key`."""
        if (clean := self._names.get((name, value))) is not None:
            return clean
        before = len(self.redactions), self.hidden
        clean = self._clean_named(name, value)
        if before == (len(self.redactions), self.hidden):
            self._names[name, value] = clean
        return clean

    def _clean_named(self, name: str, value: str) -> str:
        start = f"{name}="
        together = redact(start + strip_hidden(value).text)
        if not together.kinds or not together.text.startswith(start):
            return self(value)
        self.hidden += strip_hidden(value).hidden
        self.redactions.extend(together.kinds)
        return together.text.removeprefix(start)

    def parts(self, value: Any, *names: str) -> Any:
        return replace(value, **{name: self._clean_part(getattr(value, name)) for name in names})

    def _clean_part(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(self(item).strip() for item in value)
        return self(value).strip() if value is not None else None

    def deep(self, value: Any, depth: int = 0) -> Any:
        if depth > MAX_FIELD_DEPTH:
            raise BadInput(reason=f"fields are nested at most {MAX_FIELD_DEPTH} deep")
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {
                self(str(key)): self.named(str(key), item)
                if isinstance(item, str)
                else self.deep(item, depth + 1)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.deep(item, depth + 1) for item in value]
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int) and abs(value) <= _MAX_INTEGER:
            return value
        if isinstance(value, float) and math.isfinite(value):
            return value
        raise BadInput(reason=f"a field cannot hold a {type(value).__name__} such as this one")


def _refuse_empty() -> str:
    raise EmptyMemory("Nothing is left to remember once hidden characters are taken out. Give visible text.")
