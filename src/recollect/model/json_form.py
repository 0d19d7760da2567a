"""The one JSON form of a memory: what `--json` prints, what an export holds, and what history compares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, cast

from recollect.errors import BadInput, RecollectError
from recollect.model.memory import Memory, MemoryDraft, MemoryState, Relation, RelationType, Trust
from recollect.model.phase import Phase
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.scope import Scope, WorkRef
from recollect.model.subject import parse_subject
from recollect.model.value import replace

Json = dict[str, Any]


def memory_to_json(memory: Memory) -> Json:
    """Everything about a memory."""
    provenance = memory.provenance
    return {
        "id": memory.id,
        **changeable_to_json(memory),
        "channel": str(provenance.channel),
        "source": str(provenance.source),
        "session_id": provenance.session_id,
        "phase": provenance.phase and str(provenance.phase),
        "commit_sha": provenance.commit_sha,
        "event_ids": list(provenance.event_ids),
        "created_at": moment_to_json(memory.created_at),
        "updated_at": moment_to_json(memory.updated_at),
        "last_accessed_at": memory.last_accessed_at and moment_to_json(memory.last_accessed_at),
        "access_count": memory.access_count,
    }


def changeable_to_json(memory: Memory) -> Json:
    """What an act can change about a memory; history keeps the difference between two of these."""
    work = memory.work
    return {
        "text": memory.text,
        "kind": memory.kind,
        "state": str(memory.state),
        "confidence": memory.confidence,
        "scope": str(memory.scope),
        "project_id": memory.project_id,
        "about": [str(subject) for subject in memory.subjects],
        "tags": list(memory.tags),
        "work": work
        and {"methodology": work.methodology, "hierarchy": list(work.hierarchy), "label": work.label},
        "verified": memory.trust.verified,
        "needs_review": memory.trust.needs_review,
        "pinned": memory.pinned,
        "citation": memory.citation,
        "half_life_days": memory.half_life_days,
        "relations": [_relation_to_json(relation) for relation in memory.relations],
        "fields": dict(memory.fields),
        "happened_at": moment_to_json(memory.happened_at),
        "stale_at": memory.stale_at and moment_to_json(memory.stale_at),
        "stale_why": memory.stale_why,
        "base_confidence": memory.base_confidence,
        "reinforced_at": memory.reinforced_at and moment_to_json(memory.reinforced_at),
        "sessions": list(memory.sessions),
        "useful": memory.useful,
        "noise": memory.noise,
    }


def with_changes(memory: Memory, changes: Mapping[str, Any]) -> Memory:
    """The memory with some of its changeable parts as this JSON says."""
    values: dict[str, Any] = {}
    for name, value in changes.items():
        if name in ("verified", "needs_review"):
            values["trust"] = replace(values.get("trust", memory.trust), **{name: bool(value)})
        elif name in _READERS:
            field, read = _READERS[name]
            values[field] = _read(name, value, read)
        else:
            raise BadInput(reason=f"a memory has no {name!r} that can be changed")
    return replace(memory, **values)


def draft_from_json(form: Mapping[str, Any]) -> MemoryDraft:
    """A draft from the JSON form; what is missing is as the kind says. The text alone must be there."""
    try:
        return _draft_from_form(form)
    except RecollectError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(reason=f"this is not the JSON form of a memory ({error!r})") from error


def moment_to_json(at: datetime) -> str:
    """A moment as people and programs read it: UTC, ISO 8601."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def moment_from_json(text: str) -> datetime:
    """A moment from its ISO form; without a zone it is UTC."""
    at = datetime.fromisoformat(text)
    try:
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError(f"{text!r} lies outside the years 1 to 9999") from error


def _read(name: str, value: Any, read: Callable[[Any], Any]) -> Any:
    try:
        return read(value)
    except RecollectError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(reason=f"{name} cannot be {value!r} ({error})") from error


def _draft_from_form(form: Mapping[str, Any]) -> MemoryDraft:
    return MemoryDraft(
        text=_text(form["text"]),
        kind=_text(form.get("kind", "fact")),
        subjects=tuple(parse_subject(text) for text in form.get("about", ())),
        tags=_texts(form.get("tags", ())),
        scope=Scope(form["scope"]) if form.get("scope") else None,
        work=_work_from_form(form.get("work")),
        provenance=_provenance_from_form(form),
        trust=Trust(verified=bool(form.get("verified")), needs_review=bool(form.get("needs_review"))),
        state=MemoryState(form.get("state", "active")),
        confidence=_number(form.get("confidence")),
        half_life_days=_number(form.get("half_life_days")),
        pinned=bool(form.get("pinned")),
        citation=_text(form.get("citation", "")),
        relations=tuple(_relation_from_form(relation) for relation in form.get("relations", ())),
        fields=dict(form.get("fields", {})),
        happened_at=_moment_from_form(form.get("happened_at")),
    )


def _provenance_from_form(form: Mapping[str, Any]) -> Provenance:
    return Provenance(
        channel=Channel(form.get("channel", "import")),
        source=Source(form.get("source", "user_taught")),
        session_id=_name_or_none(form.get("session_id")),
        phase=Phase(form["phase"]) if form.get("phase") else None,
        commit_sha=_name_or_none(form.get("commit_sha")),
        event_ids=tuple(map(_name, form.get("event_ids", ()))),
    )


def _relation_to_json(relation: Relation) -> Json:
    target = {"memory_id": relation.memory_id} if relation.memory_id else {"path": relation.path}
    return {
        "type": str(relation.type),
        **target,
        "confidence": relation.confidence,
        "auto_extracted": relation.auto_extracted,
    }


def _relation_from_form(form: Mapping[str, Any]) -> Relation:
    return Relation(
        type=RelationType(form["type"]),
        memory_id=_name_or_none(form.get("memory_id")),
        path=_name_or_none(form.get("path")),
        confidence=_number(form.get("confidence", 1.0)) or 0.0,
        auto_extracted=bool(form.get("auto_extracted")),
    )


def _work_from_form(form: Mapping[str, Any] | None) -> WorkRef | None:
    if not form:
        return None
    hierarchy = tuple(map(_name, form["hierarchy"]))
    return WorkRef(
        methodology=_name(form["methodology"]), hierarchy=hierarchy, label=_name(form.get("label", ""))
    )


def _moment_from_form(text: str | None) -> datetime | None:
    return moment_from_json(text) if text else None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def _name(value: object) -> str:
    # Half of a surrogate pair is no character, and no database keeps it. Texts are cleaned of them later.
    _text(value).encode()
    return _text(value)


def _name_or_none(value: object) -> str | None:
    return None if value is None else _name(value)


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    if isinstance(values, str):
        raise TypeError(f"{values!r} is one text, not a list of them")
    return tuple(map(_text, values))


def _number(value: object) -> float | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise TypeError(f"{value!r} is not a number")
    return cast("float | None", value)


_READERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "text": ("text", _text),
    "kind": ("kind", _text),
    "state": ("state", MemoryState),
    "confidence": ("confidence", _number),
    "scope": ("scope", Scope),
    "project_id": ("project_id", _name_or_none),
    "about": ("subjects", lambda texts: tuple(parse_subject(text) for text in texts)),
    "tags": ("tags", _texts),
    "work": ("work", _work_from_form),
    "pinned": ("pinned", bool),
    "citation": ("citation", _text),
    "half_life_days": ("half_life_days", _number),
    "relations": ("relations", lambda listed: tuple(_relation_from_form(relation) for relation in listed)),
    "fields": ("fields", dict),
    "happened_at": ("happened_at", moment_from_json),
    "stale_at": ("stale_at", _moment_from_form),
    "stale_why": ("stale_why", _text),
    "base_confidence": ("base_confidence", _number),
    "reinforced_at": ("reinforced_at", _moment_from_form),
    "sessions": ("sessions", lambda names: tuple(map(_name, names))),
    "useful": ("useful", int),
    "noise": ("noise", int),
}
