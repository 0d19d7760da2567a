"""
Lines of notes and their memories in step: a line that somebody edits, adds or deletes is a memory's, as a note is.

Only in a vault that is all ours: in one that was full before, or in a repository, each memory has a note of its own,
so that nobody's lists are written in and branches do not quarrel over one file.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import partial

from recollect.capture import change, intake
from recollect.errors import BadInput, NotFound
from recollect.model.memory import Memory, MemoryDraft, MemoryState, Refused
from recollect.model.provenance import Channel, provenance_of
from recollect.model.subject import parse_subjects
from recollect.model.value import dataclass, field
from recollect.store.tables import memories, vault_lines, vault_notes
from recollect.store.tables.vault_lines import LineRow
from recollect.store.tables.vault_notes import NoteRow
from recollect.vault import layout, lines
from recollect.vault.attribution import attribute_edit
from recollect.vault.branches import describe_unmerged
from recollect.vault.context import VaultContext
from recollect.vault.files import UnreadableNote, decode_note, read_file
from recollect.vault.incoming import ACTORS, take_in_changes
from recollect.vault.lines import MemoryLine
from recollect.vault.writing import Change, ChangedMeanwhile, change_note, keep_conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenLines:
    """What came of the lines of one note: `new` texts with the memories they have become, and lines that are `gone`."""

    new: dict[str, str] = field(default_factory=dict)
    edited: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    gone: list[LineRow] = field(default_factory=list)
    # Memories that went on while their lines could not be written.
    behind: list[str] = field(default_factory=list)


def has_lines(ctx: VaultContext) -> bool:
    """Whether memories may be lines in this vault."""
    return ctx.vault.own and ctx.vault.project_id is None


def is_line_note(ctx: VaultContext, path: str, row: NoteRow | None, text: str) -> bool:
    """Whether the items of a note are or may be memories."""
    if not has_lines(ctx):
        return False
    if path in layout.LINE_NOTES.values() or lines.BLOCK_ID.search(text):
        return True
    return row is not None and bool(vault_lines.list_lines(ctx.db, row.num))


# -- from memories to lines --------------------------------------------------------------------------------


def show_line(ctx: VaultContext, memory: Memory) -> str | None:
    """
    Bring the line of a memory up to date, or write it if it is to be one; the path of the note, if it was written.

    The file first and our record of it afterwards: a process that is ended in between has said nothing untrue.
    """
    row = vault_lines.find_line(ctx.db, ctx.vault.num, memory.id)
    shown = lines.digest_line(memory.text)
    if row is not None:
        if _is_unmerged(ctx, row.path):
            return None
        if not ctx.shows(memory):
            path = _changed(ctx, row.path, lambda text: lines.remove_lines(text, [memory.id]))
            vault_lines.delete_line(ctx.db, ctx.vault.num, memory.id)
            return path
        if row.shown == shown:
            return None
        try:
            path = _changed(ctx, row.path, lambda text: _with_new_words(text, row, memory))
        except ChangedMeanwhile:
            return None
        vault_lines.save_line(ctx.db, ctx.vault.num, memory.id, row.note, shown)
        return path
    place = find_line_place(ctx, memory)
    if place is None:
        return None
    done = change_note(ctx, place.path, lambda text: _with_line(text or place.start, place.heading, memory))
    vault_lines.save_line(ctx.db, ctx.vault.num, memory.id, done.num, shown)
    return place.path if done.changed else None


def drop_outgrown_line(ctx: VaultContext, memory: Memory) -> None:
    """Take out the line of a memory that has become too long for one: it is to have a note."""
    row = vault_lines.find_line(ctx.db, ctx.vault.num, memory.id)
    if row is None or lines.fits_line(memory.text) or _is_unmerged(ctx, row.path):
        return

    def dropped(text: str) -> str:
        _check_unchanged_line(text, row, memory)
        return lines.remove_lines(text, [memory.id])

    with suppress(ChangedMeanwhile):
        _changed(ctx, row.path, dropped)
        vault_lines.delete_line(ctx.db, ctx.vault.num, memory.id)


def find_line_place(ctx: VaultContext, memory: Memory) -> layout.LinePlace | None:
    """Where a memory that has neither note nor line would be a line; None if it is to have a note."""
    if not has_lines(ctx) or not ctx.shows(memory) or memory.trust.needs_review:
        return None
    place = layout.choose_line(memory, ctx.kinds) if lines.fits_line(memory.text) else None
    if place is None:
        return None
    row = vault_notes.find_note_at(ctx.db, ctx.vault.num, place.path, here=True)
    # The note of a memory is that memory's text: nothing is written into it.
    return None if (row is not None and row.memory_id) or _is_unmerged(ctx, place.path) else place


def remove_purged_lines(ctx: VaultContext) -> list[str]:
    """What was removed for good leaves the lists too, and the versions kept of their notes."""
    written: list[str] = []
    for row in vault_lines.list_purged_lines(ctx.db, ctx.vault.num):
        if path := _changed(ctx, row.path, partial(_without, memory_id=row.memory_id)):
            written.append(path)
        vault_lines.delete_line(ctx.db, ctx.vault.num, row.memory_id)
        vault_notes.forget_versions(ctx.db, row.note)
    return written


def find_block_link(ctx: VaultContext, memory_id: str) -> str | None:
    """A path with a block id, for links to a memory that is a line."""
    row = vault_lines.find_line(ctx.db, ctx.vault.num, memory_id)
    return f"{row.path}#{lines.make_block_id(memory_id)}" if row else None


def _changed(ctx: VaultContext, path: str, change_text: Change) -> str | None:
    if not (ctx.root / path).is_file():
        return None
    return path if change_note(ctx, path, change_text).changed else None


def _with_new_words(text: str, row: LineRow, memory: Memory) -> str:
    if not lines.fits_line(memory.text):
        return text
    _check_unchanged_line(text, row, memory)
    return lines.replace_line(text, memory.id, memory.text)


def _check_unchanged_line(text: str, row: LineRow, memory: Memory) -> None:
    """Nothing is written over what somebody wrote in a line after it was looked at."""
    stands = {lines.digest_line(item.text) for item in lines.find_items(text) if item.memory_id == memory.id}
    if not stands <= {row.shown, lines.digest_line(memory.text)}:
        raise ChangedMeanwhile


def _without(text: str, memory_id: str) -> str:
    return lines.remove_lines(text, [memory_id])


def _with_line(text: str, heading: str, memory: Memory) -> str:
    """The note with the line of a memory: a new one, or an item that says the same and has waited for a yes."""
    items = lines.find_items(text)
    if any(item.memory_id == memory.id for item in items):
        return text
    if any(item.text == memory.text and not item.memory_id for item in items):
        return lines.mark_item(text, memory.text, memory.id)
    return lines.add_item(text, heading, lines.make_line(memory.text, memory.id))


# -- from lines to memories --------------------------------------------------------------------------------


def take_in_lines(ctx: VaultContext, row: NoteRow, text: str) -> TakenLines:
    """A note has changed: its lines are compared with their memories, and new items become memories where meant."""
    taken = TakenLines()
    known = {line.memory_id: line for line in vault_lines.list_lines(ctx.db, row.num)}
    before = _items_before(ctx, row)
    seen: set[str] = set()
    for item in lines.find_items(text):
        if item.memory_id and item.memory_id not in seen:
            seen.add(item.memory_id)
            _take_in_known(ctx, row, item, taken)
        elif item.memory_id:
            words = f"{item.text[:60]!r} has the block id of another line"
            taken.problems.append(f"{words}; take ^{lines.PREFIX}… out to make it a memory of its own")
        elif item.text not in before:
            _take_in_new(ctx, row, item, taken)
    taken.gone.extend(line for memory_id, line in known.items() if memory_id not in seen)
    return taken


def mark_new_lines(ctx: VaultContext, row: NoteRow, taken: TakenLines) -> bool:
    """Put block ids at the items that have become memories, all at once; whether there were any."""
    if not taken.new:
        return False

    def marked(text: str) -> str:
        for item, memory_id in taken.new.items():
            text = lines.mark_item(text, item, memory_id)
        return text

    change_note(ctx, row.path, marked)
    for item, memory_id in taken.new.items():
        vault_lines.save_line(ctx.db, ctx.vault.num, memory_id, row.num, lines.digest_line(item))
    return True


def forget_lines(ctx: VaultContext, gone: Iterable[LineRow]) -> list[str]:
    """Lines that a person deleted: their memories are forgotten, which can be undone; the notes they stood in."""
    paths: list[str] = []
    for line in gone:
        now = vault_lines.find_line(ctx.db, ctx.vault.num, line.memory_id)
        if now is None or now.note != line.note:  # it stands in another note by now
            continue
        memory = memories.find_memory(ctx.db, line.memory_id)
        if memory is not None and memory.state is not MemoryState.ARCHIVED:
            _set_state(ctx, memory, MemoryState.ARCHIVED, "forget", f"its line was deleted: {line.path}")
            paths.append(line.path)
        vault_lines.delete_line(ctx.db, ctx.vault.num, line.memory_id)
    return paths


def _take_in_known(ctx: VaultContext, row: NoteRow, item: MemoryLine, taken: TakenLines) -> None:
    memory = memories.find_memory(ctx.db, item.memory_id)
    if memory is None:
        return
    line = vault_lines.find_line(ctx.db, ctx.vault.num, memory.id)
    note = vault_notes.find_note_of_memory(ctx.db, ctx.vault.num, memory.id)
    if line is None and note is not None and not note[1]:
        taken.problems.append(
            f"the line {item.text[:60]!r} is the note {note[0].path} now; take one of them out"
        )
        return
    if line is not None and line.note != row.num and _stands_in(ctx, line):
        taken.problems.append(f"the line {item.text[:60]!r} stands in {line.path} too; take one of them out")
        return
    if memory.state is MemoryState.ARCHIVED and line is None:
        _set_state(ctx, memory, MemoryState.ACTIVE, "restore", f"its line is back: {row.path}")
    now, ours = lines.digest_line(item.text), lines.digest_line(memory.text)
    shown = line.shown if line else ours
    if now not in (shown, ours):
        if ours != shown:
            keep_conflict(ctx, row.path, memory.text, "both changed the same line.")
        done = take_in_changes(ctx, row.path, memory, memory.text, item.text, {"text": item.text})
        if done.problem:  # the memory stays what it was, and so do the words in the note
            taken.problems.append(done.problem)
            now = shown
        else:
            taken.edited.append(row.path)
    elif now != ours:
        taken.behind.append(memory.id)
    vault_lines.save_line(ctx.db, ctx.vault.num, memory.id, row.num, now)


def _take_in_new(ctx: VaultContext, row: NoteRow, item: MemoryLine, taken: TakenLines) -> None:
    """An item that somebody has added to a list of memories becomes one, as theirs."""
    place = layout.find_line_kind(row.path, item.heading, ctx.kinds)
    if place is None or not lines.fits_line(item.text):
        return
    channel = attribute_edit(ctx, row.path, "", item.text)
    kind = ctx.kinds.get(place.kind)
    draft = MemoryDraft(
        text=item.text,
        kind=kind.name,
        subjects=parse_subjects([place.about]) if place.about else (),
        project_id=None if kind.user_wide else ctx.vault.project_id,
        provenance=provenance_of(channel),
    )
    why = f"written in the vault: {row.path}"[:500]
    try:
        (answer,) = intake.remember(ctx.write_context(channel), [draft], actor=ACTORS[channel], why=why)
    except BadInput as error:
        taken.problems.append(str(error))
        return
    if isinstance(answer, Refused):
        taken.problems.append(f"{item.text[:60]!r} is not remembered: {answer.reason}")
    elif answer.memory.state is MemoryState.ACTIVE and not _is_shown(ctx, answer.memory.id):
        taken.new[item.text] = answer.memory.id


def _items_before(ctx: VaultContext, row: NoteRow) -> frozenset[str]:
    """The items that stood there when both sides last agreed, or in the note as it was first made."""
    content = vault_notes.read_version(ctx.db, row.num, row.base) if row.base else None
    text = content.decode("utf-8", "replace") if content else layout.FIRST_NOTES.get(row.path, "")
    return frozenset(item.text for item in lines.find_items(text))


def _is_unmerged(ctx: VaultContext, path: str) -> bool:
    try:
        return bool(describe_unmerged(decode_note(read_file(ctx.root / path).content)))
    except (NotFound, UnreadableNote):
        return False


def _stands_in(ctx: VaultContext, line: LineRow) -> bool:
    place = ctx.root / line.path
    if not place.is_file():
        return False
    text = place.read_text("utf-8", "replace")
    return any(item.memory_id == line.memory_id for item in lines.find_items(text))


def _is_shown(ctx: VaultContext, memory_id: str) -> bool:
    note = vault_notes.find_note_of_memory(ctx.db, ctx.vault.num, memory_id)
    return (note is not None and not note[1]) or vault_lines.find_line(
        ctx.db, ctx.vault.num, memory_id
    ) is not None


def _set_state(ctx: VaultContext, memory: Memory, state: MemoryState, action: str, why: str) -> None:
    change.set_state(
        ctx.write_context(Channel.VAULT),
        [memory.id],
        state,
        action=action,
        actor=ACTORS[Channel.VAULT],
        why=why[:500],
    )
