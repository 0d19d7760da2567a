"""From notes to memories: what somebody wrote, changed or deleted in the vault goes through the one write door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.capture import change, intake
from recollect.capture.write_context import begin_act
from recollect.errors import BadInput, NotFound, OnlyAPerson
from recollect.model.ids import ID_LENGTH, looks_like_id
from recollect.model.memory import AlreadyKnown, Memory, MemoryDraft, MemoryState, Refused
from recollect.model.provenance import Channel, provenance_of
from recollect.model.subject import Subject, parse_subjects
from recollect.model.value import dataclass
from recollect.store.tables import memories, vault_notes
from recollect.store.tables.vault_notes import NoteRow
from recollect.vault import layout, note
from recollect.vault.attribution import attribute_edit
from recollect.vault.context import VaultContext
from recollect.vault.merge import merge_texts
from recollect.vault.note import KIND, MARK, MemoryNote
from recollect.vault.properties import PREFIX, find_fault
from recollect.vault.writing import keep_conflict, raise_in_review

ACTORS: Mapping[Channel, str] = {Channel.VAULT: "user", Channel.VAULT_EXTERNAL: "program"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """What came of a note: its memory as it is now, if it has one; or why the note is left alone."""

    memory: Memory | None = None
    problem: str = ""
    # new, edited or nothing.
    what: str = ""


def take_in_edit(ctx: VaultContext, row: NoteRow, text: str, memory: Memory) -> TakenIn:
    """A note of a memory has changed: the memory follows, and what both changed is merged."""
    if fault := find_fault(text):
        return TakenIn(problem=fault)
    now, before = note.read_note(text), _agreed(ctx, row, memory)
    if now.memory_id not in ("", memory.id):
        return TakenIn(problem=f"its {note.ID} was changed to another one")
    if not now.text:
        return TakenIn(problem="it has no text; write some, or delete the note to forget its memory")
    changes = note.find_changes(before, now, memory)
    if "text" in changes:
        changes = _with_merged_text(ctx, row, memory, before, changes)
    if not changes:
        return TakenIn(memory=memory)
    return take_in_changes(ctx, row.path, memory, before.text, now.text, changes)


def take_in_new(ctx: VaultContext, path: str, text: str, *, only_marked: bool = False) -> TakenIn:
    """A note that is no memory yet becomes one, if its place or a property says so; or the property alone."""
    content = note.read_note(text)
    place = layout.find_place(path, ctx.kinds, own=ctx.vault.own)
    is_marked = content.others.get(MARK) is True or KIND in content.ours
    says_something = any(character.isalnum() for character in content.text)
    if ((place is None or only_marked) and not is_marked) or not says_something:
        return TakenIn()
    if fault := find_fault(text):
        return TakenIn(problem=fault)
    try:
        channel = attribute_edit(ctx, path, "", content.text)
        draft = _draft(ctx, path, content, place, channel)
        (answer,) = intake.remember(
            ctx.write_context(channel),
            [draft],
            actor=ACTORS[channel],
            why=f"written in the vault: {path}"[:500],
        )
    except BadInput as error:
        return TakenIn(problem=str(error))
    if isinstance(answer, Refused):
        return TakenIn(problem=f"it is not remembered: {answer.reason}")
    if isinstance(answer, AlreadyKnown):
        other = vault_notes.find_note_of_memory(ctx.db, ctx.vault.num, answer.memory.id)
        if other is not None and not other[1] and other[0].path != path:
            return TakenIn(problem=f"it says the same as {other[0].path}")
    return TakenIn(memory=answer.memory, what="new")


def take_in_stranger(ctx: VaultContext, path: str, text: str, memory_id: str) -> TakenIn:
    """A note with the id of a memory that is not here: another person's, come with a shared folder. It keeps its id."""
    if not looks_like_id(memory_id) or len(memory_id) != ID_LENGTH:
        return TakenIn(problem=f"its {note.ID} is none of ours")
    if fault := find_fault(text):
        return TakenIn(problem=fault)
    content = note.read_note(text)
    if not content.text:
        return TakenIn()
    try:
        draft = _draft(
            ctx, path, content, layout.find_place(path, ctx.kinds, own=True), Channel.VAULT_EXTERNAL
        )
        context = ctx.write_context(Channel.VAULT_EXTERNAL)
        act = begin_act(context, "remember", "program", f"came with the vault: {path}"[:500])
        life = intake.FormerLife(id=memory_id, created_at=act.at, updated_at=act.at)
        (answer,) = intake.take_in(context, act, [draft], former=[life])
    except BadInput as error:
        return TakenIn(problem=str(error))
    if isinstance(answer, Refused):
        return TakenIn(problem=f"it is not remembered: {answer.reason}")
    if isinstance(answer, AlreadyKnown):
        return TakenIn(problem=f"it says the same as the memory {answer.memory.id}")
    return TakenIn(memory=answer.memory, what="new")


def take_in_deletion(ctx: VaultContext, row: NoteRow) -> bool:
    """A person deleted the note of a memory: it is forgotten, which can be undone. False if it was not in use."""
    assert row.memory_id is not None
    memory = memories.find_memory(ctx.db, row.memory_id)
    if memory is None or memory.state is MemoryState.ARCHIVED:
        return False
    change.set_state(
        ctx.write_context(Channel.VAULT),
        [memory.id],
        MemoryState.ARCHIVED,
        action="forget",
        actor=ACTORS[Channel.VAULT],
        why=f"its note was deleted: {row.path}"[:500],
    )
    return True


def _agreed(ctx: VaultContext, row: NoteRow, memory: Memory) -> MemoryNote:
    """What the note said when both sides last agreed; if nobody knows any more, what the memory says now."""
    content = vault_notes.read_version(ctx.db, row.num, row.base) if row.base else None
    if content is None:
        return note.read_note(note.new_note(memory, lambda _: None, ctx.note_project(memory)))
    return note.read_note(content.decode("utf-8", "replace"))


def _with_merged_text(
    ctx: VaultContext, row: NoteRow, memory: Memory, before: MemoryNote, changes: dict[str, Any]
) -> dict[str, Any]:
    """The changes with a text that has what both sides did to it."""
    theirs = changes["text"]
    if (
        note.clean_text(theirs) == memory.text
    ):  # an edit that was taken in before, by a process that came no further
        return {name: value for name, value in changes.items() if name != "text"}
    is_ours_changed = row.shown != note.digest_memory(memory, ctx.note_project(memory))
    if not is_ours_changed or memory.text in (before.text, note.clean_text(before.text)):
        return changes
    merged = merge_texts(before.text, memory.text, theirs)
    if merged.outvoted:
        keep_conflict(ctx, row.path, memory.text, "both changed the same lines.")
    return {**changes, "text": merged.text}


def take_in_changes(
    ctx: VaultContext, path: str, memory: Memory, before: str, now: str, changes: dict[str, Any]
) -> TakenIn:
    """Change a memory as somebody changed its words in a note; a program's change of a person's waits for review."""
    channel = attribute_edit(ctx, path, before, now)
    why = f"changed in the vault: {path}"[:500]
    try:
        edited = change.edit_memory(
            ctx.write_context(channel), memory.id, changes, actor=ACTORS[channel], why=why
        )
    except OnlyAPerson:
        change_text = changes.get("text") or ", ".join(f"{name} = {value}" for name, value in changes.items())
        raise_in_review(
            ctx, f"A program changed the note {path} of the memory {memory.id}. It says now: {change_text}"
        )
        return TakenIn(memory=memory, problem="a program changed it; the change waits for your review")
    except (BadInput, NotFound) as error:
        return TakenIn(problem=str(error))
    return TakenIn(memory=edited, what="edited")


def _draft(
    ctx: VaultContext, path: str, content: MemoryNote, place: layout.NotePlace | None, channel: Channel
) -> MemoryDraft:
    kind = ctx.kinds.get(str(content.ours.get(KIND) or (place.kind if place else "fact")))
    about = content.ours.get(f"{PREFIX}about", ())
    named = [about] if isinstance(about, str) else list(about) if isinstance(about, tuple) else []
    subjects: tuple[Subject, ...] = parse_subjects(
        [*named, *([place.about] if place and place.about else [])]
    )
    title = path.rpartition("/")[2].removesuffix(".md")
    fields = {
        name: list(value) if isinstance(value, tuple) else value
        for name in kind.fields
        if (value := content.ours.get(f"{PREFIX}{name}")) is not None
    }
    return MemoryDraft(
        text=content.text,
        kind=kind.name,
        subjects=subjects,
        tags=_tags(content),
        project_id=None if kind.user_wide else ctx.vault.project_id,
        provenance=provenance_of(channel),
        pinned=content.ours.get(f"{PREFIX}pinned") is True and channel is Channel.VAULT,
        citation=title[:80],
        fields=fields,
    )


def _tags(content: MemoryNote) -> tuple[str, ...]:
    listed = (*_listed(content.ours.get(f"{PREFIX}tags")), *_listed(content.others.get("tags")))
    return tuple(dict.fromkeys(tag.lstrip("#") for tag in listed if tag.strip("# ")))


def _listed(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,) if isinstance(value, str) and value else ()
