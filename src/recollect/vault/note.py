"""
A memory as a note and back: what is ours in it, what both sides may change, and the rest, which is never touched.

A note of a memory has flat properties that begin with `recollect_`, the text, and at the end a passage of links
between two comments that Obsidian does not show. What a person writes below it is their own and no part of the memory.
Pure: text in, text out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recollect.capture.clean import clean_draft
from recollect.errors import BadInput
from recollect.model.kinds import DEFAULT_KIND
from recollect.model.memory import Memory, MemoryDraft, MemoryState, RelationType
from recollect.model.subject import Subject
from recollect.model.value import dataclass
from recollect.vault import layout
from recollect.vault.properties import (
    PREFIX,
    NoteParts,
    PropertyValue,
    edit_properties,
    find_newline,
    read_properties,
    split_lines,
    split_note,
)

BEGINS = "%% recollect %%"
ENDS = "%% /recollect %%"
ID = f"{PREFIX}id"
KIND = f"{PREFIX}kind"
CREATED = f"{PREFIX}created"
# A property by which a person makes a note anywhere a memory.
MARK = "recollect"
# Which words a note says for each relation.
_RELATIONS: Mapping[RelationType, str] = {
    RelationType.REQUIRED_WITH: "Goes with",
    RelationType.CONFLICTS_WITH: "Conflicts with",
    RelationType.VALIDATES: "Validates",
    RelationType.SUPERSEDES: "Replaces",
    RelationType.DERIVED_FROM: "Comes from",
}
# Gives the path of the note that shows a memory, if there is one.
FindNote = Callable[[str], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryNote:
    """What a note says: the memory's id if it has one, our properties, the text, and all other properties."""

    memory_id: str
    text: str
    ours: Mapping[str, PropertyValue]
    others: Mapping[str, PropertyValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Body:
    """The body of a note in three: the memory's text, our passage of links, and what a person added below."""

    text: str
    links: str
    rest: str


def read_note(text: str) -> MemoryNote:
    """What a note says of a memory."""
    parts = split_note(text)
    properties = read_properties(parts.block)
    ours = {key: value for key, value in properties.items() if key.startswith(PREFIX)}
    memory_id = ours.get(ID, "")
    return MemoryNote(
        memory_id=str(memory_id).strip().upper(),
        text=plain_text(_split_body(parts.body).text),
        ours=ours,
        others={key: value for key, value in properties.items() if key not in ours},
    )


def new_note(memory: Memory, find_note: FindNote, project: str | None = "") -> str:
    """The note of a memory that has none yet."""
    links = _links(memory, find_note)
    body = f"{memory.text}\n" + (f"\n{links}" if links else "")
    parts = NoteParts(head="", block="", close="", body=body)
    return edit_properties(parts, list_properties(memory, project)).text


def update_note(
    text: str, memory: Memory, find_note: FindNote, project: str | None = "", *, with_text: bool
) -> str:
    """The note brought to what its memory is now; only lines of ours change. `with_text`: the text has changed too."""
    parts = split_note(text)
    wanted_properties = list_properties(memory, project)
    if CREATED in read_properties(
        parts.block
    ):  # written by the clock of another place, it means the same moment
        wanted_properties.pop(CREATED, None)
    parts = edit_properties(parts, wanted_properties)
    body = _split_body(parts.body)
    newline = find_newline(text)
    if with_text and plain_text(body.text) != memory.text:
        body = _Body(text=_in_place(body.text, memory.text, newline), links=body.links, rest=body.rest)
    wanted = _links(memory, find_note)
    # A person who took our passage out does not want it.
    if body.links and plain_text(body.links) != plain_text(wanted) and wanted:
        body = _Body(text=body.text, links=wanted.replace("\n", newline), rest=body.rest)
    return parts.head + parts.block + parts.close + body.text + body.links + body.rest


def replace_text(text: str, new: str) -> str:
    """The note with another text of its memory, and nothing else changed."""
    parts = split_note(text)
    body = _split_body(parts.body)
    if plain_text(body.text) == new:
        return text
    placed = _in_place(body.text, new, find_newline(text))
    return parts.head + parts.block + parts.close + placed + body.links + body.rest


def list_properties(memory: Memory, project: str | None = "") -> dict[str, PropertyValue | None]:
    """
    Every property of ours as this memory has it; None where it has none.

    Without a project, only what is the same for everybody: in a repository each colleague's store would write its own
    confidence, state and origin over the other's.
    """
    shared: dict[str, PropertyValue | None] = {
        ID: memory.id,
        KIND: memory.kind,
        f"{PREFIX}about": tuple(str(subject) for subject in memory.subjects) or None,
        f"{PREFIX}tags": memory.tags or None,
    }
    fields = {f"{PREFIX}{name}": value for name, value in flatten_fields(memory).items()}
    if project is None:
        return {**shared, **fields}
    return {
        ID: memory.id,
        KIND: memory.kind,
        f"{PREFIX}state": str(memory.state),
        f"{PREFIX}confidence": round(memory.confidence, 1),
        **shared,
        f"{PREFIX}project": project or None,
        f"{PREFIX}pinned": True if memory.pinned else None,
        f"{PREFIX}review": True if memory.trust.needs_review else None,
        f"{PREFIX}source": str(memory.provenance.channel),
        CREATED: memory.created_at.astimezone().strftime("%Y-%m-%dT%H:%M:%S"),
        **fields,
    }


def flatten_fields(memory: Memory) -> dict[str, PropertyValue]:
    """The extra fields of a memory that a property can hold."""
    flat: dict[str, PropertyValue] = {}
    for name, value in memory.fields.items():
        if isinstance(value, str | bool | int | float):
            flat[name] = value
        elif isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
            flat[name] = tuple(value)
    return flat


def digest_memory(memory: Memory, project: str | None = "") -> str:
    """A short name for all that a note shows of a memory: it changes when the note would."""
    relations = [str(relation) for relation in memory.relations]
    properties = {key: value for key, value in list_properties(memory, project).items() if key != CREATED}
    form = [memory.text, properties, relations, _steps(memory)]
    return hashlib.sha256(json.dumps(form, ensure_ascii=False).encode()).hexdigest()[:32]


def find_changes(before: MemoryNote, now: MemoryNote, memory: Memory) -> dict[str, Any]:
    """What somebody changed in a note, as changes of its memory; what we alone may say is passed over."""
    changes: dict[str, Any] = {}
    if now.text != before.text and now.text:
        changes["text"] = now.text
    for key, read in _READERS.items():
        name = key.removeprefix(PREFIX)
        if now.ours.get(key) != before.ours.get(key):
            value = read(now.ours.get(key))
            if value is not None:
                changes[name] = value
    if before.ours.get(f"{PREFIX}review") is True and now.ours.get(f"{PREFIX}review") is not True:
        changes |= {"needs_review": False, "verified": True}
    fields = dict(memory.fields)
    for name in flatten_fields(memory):
        key = f"{PREFIX}{name}"
        if now.ours.get(key) != before.ours.get(key):
            value = now.ours.get(key)
            if value is None:
                fields.pop(name, None)
            else:
                fields[name] = list(value) if isinstance(value, tuple) else value
    return changes | ({"fields": fields} if fields != dict(memory.fields) else {})


def plain_text(text: str) -> str:
    """A passage as a memory keeps it: lines end in \\n, and no space around it."""
    return text.replace("\r\n", "\n").strip()


def clean_text(text: str) -> str:
    """A passage as memory keeps it once it has gone through the write door: without what is hidden or secret."""
    try:
        return clean_draft(MemoryDraft(text=text, kind=DEFAULT_KIND)).draft.text
    except BadInput:  # nothing is left of it, or it is too long
        return ""


def _split_body(body: str) -> _Body:
    lines = split_lines(body)
    begins = [place for place, line in enumerate(lines) if line.strip() == BEGINS]
    if not begins:
        return _Body(text=body, links="", rest="")
    start = begins[-1]
    ends = (place for place in range(start, len(lines)) if lines[place].strip() == ENDS)
    end = next(ends, len(lines) - 1) + 1
    return _Body(text="".join(lines[:start]), links="".join(lines[start:end]), rest="".join(lines[end:]))


def _in_place(old: str, new: str, newline: str) -> str:
    """A text in the place of another: the space before and after stays."""
    bare = old.strip()
    if not bare:
        return new.replace("\n", newline) + newline
    start = old.index(bare)
    return old[:start] + new.replace("\n", newline) + old[start + len(bare) :]


def _links(memory: Memory, find_note: FindNote) -> str:
    lines: list[str] = []
    if memory.subjects:
        lines.append("About " + ", ".join(_subject_link(subject) for subject in memory.subjects))
    for relation in memory.relations:
        path = find_note(relation.memory_id) if relation.memory_id else relation.path
        if path:
            lines.append(f"{_RELATIONS[relation.type]} {layout.make_link(path)}")
    lines += [f"{number}. {step}" for number, step in enumerate(_steps(memory), start=1)]
    if not lines and BEGINS not in memory.text:
        return ""
    return "\n".join((BEGINS, *lines, ENDS)) + "\n"


def _subject_link(subject: Subject) -> str:
    folder = layout.FOLDER_OF_SUBJECT.get(subject.type)
    return layout.make_link(
        f"{folder}/{layout.make_note_name(subject.name)}" if folder else subject.name, subject.name
    )


def _steps(memory: Memory) -> Sequence[str]:
    steps = memory.fields.get("steps", ())
    if not isinstance(steps, list | tuple):
        return ()
    described = (step.get("description", "") if isinstance(step, Mapping) else "" for step in steps)
    return [re.sub(r"\s+", " ", str(text)) for text in described]


def _listed(value: PropertyValue | None) -> list[str]:
    if isinstance(value, tuple):
        return [item for item in value if item.strip()]
    return [str(value)] if value not in (None, "") else []


def _state(value: PropertyValue | None) -> str | None:
    return value if value in (MemoryState.ACTIVE, MemoryState.ARCHIVED) else None  # type: ignore[return-value]


def _share(value: PropertyValue | None) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None  # type: ignore[arg-type, operator]


_READERS: Mapping[str, Callable[[PropertyValue | None], Any]] = {
    KIND: lambda value: value if isinstance(value, str) and value else None,
    f"{PREFIX}state": _state,
    f"{PREFIX}confidence": _share,
    f"{PREFIX}about": _listed,
    f"{PREFIX}tags": _listed,
    f"{PREFIX}pinned": lambda value: value is True,
}
