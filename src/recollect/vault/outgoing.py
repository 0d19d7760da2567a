"""From memories to notes: each memory that people should see has a note, and the note follows the memory."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from recollect.errors import BadInput, NotFound
from recollect.model.memory import Memory
from recollect.store.tables import memories, vault_index, vault_lines, vault_notes
from recollect.store.tables.vault_notes import NoteRow
from recollect.vault import layout, line_sync, note
from recollect.vault.branches import describe_unmerged
from recollect.vault.context import VaultContext
from recollect.vault.files import UnreadableNote, describe_unwritable, read_file
from recollect.vault.properties import find_fault, find_newline, split_lines
from recollect.vault.writing import ChangedMeanwhile, change_note, check_unchanged

# So many notes the index lists.
MAX_LISTED = 50
_UPDATE = re.compile(r"- \d{4}-\d\d-\d\d \d\d:\d\d (\[\[.*\]\]|`.*`)\s*\Z")


def show_memories(
    ctx: VaultContext, memory_ids: Iterable[str], skip: set[str], unwritten: dict[str, str]
) -> list[str]:
    """
    Bring the notes of these memories up to date, and write those that are missing; the paths that were written.

    What a disk or its rights do not let us write is put into `unwritten`, and stops nothing else.
    """
    taken = {path.lower() for path in vault_notes.list_paths_of_memories(ctx.db, ctx.vault.num)}
    written: list[str] = []
    for memory_id in memory_ids:
        memory = memories.find_memory(ctx.db, memory_id)
        if memory is None:
            continue
        try:
            if path := _show(ctx, memory, taken, skip):
                written.append(path)
        except OSError as error:
            unwritten[layout.choose_folder(memory, ctx.kinds)] = describe_unwritable(error)
        except BadInput as error:
            unwritten[layout.choose_folder(memory, ctx.kinds)] = f"cannot be written: {error.facts['reason']}"
    return written


def follow_memory(ctx: VaultContext, row: NoteRow, memory: Memory) -> bool:
    """Bring one note to what its memory is now; whether the file was written."""
    try:
        changed = change_note(
            ctx,
            row.path,
            lambda text: _updated(ctx, text, row, memory),
            memory_id=memory.id,
            shown=note.digest_memory(memory, ctx.note_project(memory)),
        )
    except ChangedMeanwhile:
        return False
    return changed.changed


def remove_purged(ctx: VaultContext) -> list[str]:
    """What was removed for good leaves the vault too; a note that a person has written in is only untied."""
    removed: list[str] = []
    line_sync.remove_purged_lines(ctx)
    for row in vault_notes.list_purged_notes(ctx.db, ctx.vault.num):
        place = ctx.root / row.path
        try:
            is_ours = read_file(place).hash == row.base == row.hash
        except (NotFound, UnreadableNote):
            is_ours = False
        with ctx.db.transaction():
            vault_notes.forget_versions(ctx.db, row.num)
            vault_notes.untie_note(ctx.db, row.num)
            if is_ours:
                vault_index.remove_note(ctx.db, row.num)
                vault_notes.mark_gone(ctx.db, row.num, ctx.now())
        if is_ours:
            place.unlink(missing_ok=True)
            removed.append(row.path)
    if removed and (ctx.root / layout.INDEX).is_file():
        links = {layout.make_link(path) for path in removed}
        change_note(ctx, layout.INDEX, lambda text: _without_updates(text, links))
    return removed


def write_index(ctx: VaultContext, paths: Iterable[str]) -> None:
    """
    Put these notes first on the index note, which lists what changed last, one line each.

    Not in a project's own vault: in a repository every branch would change the same lines. Nor where a person took the
    index away.
    """
    changed = [path for path in dict.fromkeys(paths) if path != layout.INDEX and (ctx.root / path).is_file()]
    if not changed or ctx.vault.project_id is not None or not (ctx.root / layout.INDEX).is_file():
        return
    at = f"{ctx.local_now():%Y-%m-%d %H:%M}"
    change_note(
        ctx,
        layout.INDEX,
        lambda text: None if describe_unmerged(text) else _with_updates(text, changed, at),
    )


def _without_updates(text: str, links: Collection[str]) -> str:
    return "".join(
        line for line in split_lines(text) if not _UPDATE.match(line) or _link_in(line) not in links
    )


def _with_updates(text: str, paths: Sequence[str], at: str) -> str:
    newline = find_newline(text)
    links = [layout.make_link(path) for path in paths]
    lines = split_lines(text)
    before = "".join(line for line in lines if not _UPDATE.match(line)).rstrip()
    earlier = [line.strip() for line in lines if _UPDATE.match(line) and _link_in(line) not in links]
    listed = [*(f"- {at} {link}" for link in links), *earlier][:MAX_LISTED]
    return newline.join((before, "", *listed, ""))


def _link_in(line: str) -> str:
    match = _UPDATE.match(line)
    return match[1] if match else ""


def _show(ctx: VaultContext, memory: Memory, taken: set[str], skip: set[str]) -> str | None:
    project = ctx.note_project(memory)
    shown = note.digest_memory(memory, project)
    note_row = vault_notes.find_note_of_memory(ctx.db, ctx.vault.num, memory.id)
    if note_row is not None and not note_row[1]:
        row = note_row[0]
        if row.shown == shown or row.problem or row.path in skip:
            return None
        return row.path if follow_memory(ctx, row, memory) else None
    if line_sync.has_lines(ctx):
        line_sync.drop_outgrown_line(ctx, memory)
        if _is_line(ctx, memory):
            return line_sync.show_line(ctx, memory)
    if not ctx.shows(memory):
        return None
    path = _free_path(ctx, memory, taken)
    change_note(
        ctx,
        path,
        lambda text: note.new_note(memory, _finding(ctx), project) if not text else None,
        memory_id=memory.id,
        shown=shown,
    )
    taken.add(path.lower())
    return path


def _is_line(ctx: VaultContext, memory: Memory) -> bool:
    """Whether a memory without a note is a line, or is to be one."""
    is_known = vault_lines.find_line(ctx.db, ctx.vault.num, memory.id) is not None
    return is_known or line_sync.find_line_place(ctx, memory) is not None


def _updated(ctx: VaultContext, text: str, row: NoteRow, memory: Memory) -> str | None:
    check_unchanged(text, row)
    if find_fault(text):
        return None
    project = ctx.note_project(memory)
    return note.update_note(text, memory, _finding(ctx), project, with_text=_says_other(text, memory))


def _finding(ctx: VaultContext) -> note.FindNote:
    """Where the note of a memory is, asked only for those that another one is related to."""

    def find(memory_id: str) -> str | None:
        shown = vault_notes.find_note_of_memory(ctx.db, ctx.vault.num, memory_id)
        if shown and not shown[1]:
            return shown[0].path
        return line_sync.find_block_link(ctx, memory_id)

    return find


def _says_other(text: str, memory: Memory) -> bool:
    """Whether a note says something else than its memory; what the write door takes out may stay in the note."""
    note_text = note.read_note(text).text
    return memory.text not in (note_text, note.clean_text(note_text))


def _free_path(ctx: VaultContext, memory: Memory, taken: set[str]) -> str:
    folder = layout.choose_folder(memory, ctx.kinds)
    name = layout.make_note_name(memory.citation or memory.text)
    # Not in a repository: two branches that learn of one person would make one file each.
    thing = layout.find_namesake(memory, folder) if ctx.vault.project_id is None else ""
    for candidate in (
        *([f"{folder}/{thing}.md"] if thing else []),
        f"{folder}/{name}.md",
        f"{folder}/{name} {memory.id[-5:]}.md",
        f"{folder}/{memory.id}.md",
    ):
        if candidate.lower() not in taken and not (ctx.root / candidate).exists():
            return candidate
    return f"{folder}/{memory.id}.md"
