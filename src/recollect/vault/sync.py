"""
Keeping a vault and memory in step: look what changed in the folder, take it in, then show what changed in memory.

Incremental on both sides: files by time, size and number first and by hash where those differ, memories by the number
of the last change that was shown. A person's version stands; whatever was there is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from recollect.errors import NotFound
from recollect.events.locks import process_lock
from recollect.model.memory import Memory
from recollect.model.value import dataclass, replace
from recollect.store.tables import history, memories, vault_index, vault_lines, vault_notes
from recollect.store.tables.vault_notes import NoteRow
from recollect.vault import branches, incoming, indexing, layout, line_sync, note, outgoing
from recollect.vault.context import VaultContext
from recollect.vault.files import (
    NoteFile,
    UnreadableNote,
    decode_note,
    describe_unwritable,
    read_file,
    read_settled,
)
from recollect.vault.incoming import TakenIn
from recollect.vault.merge import merge_texts
from recollect.vault.outline import link_key
from recollect.vault.scan import FoundNote, VaultListing, list_notes, look_at
from recollect.vault.sync_report import BeforeSync, SyncReport
from recollect.vault.versions import keep_version
from recollect.vault.writing import (
    RECENT_VERSIONS,
    change_note,
    heal_stale,
    look_again,
    raise_in_review,
    record_note,
)

# So long a sync waits for another one.
TURN_SECONDS = 10.0
# New notes are filed so many to a commit.
_AT_ONCE = 500
# With more notes of memories gone at once than this, and more than this share, a folder is missing, not deleted.
FEW_DELETIONS = 10
MAX_DELETED = 0.3
# A file changed so shortly before it was seen may have been changed again within the same tick of its clock.
_SAME_TICK = 20_000_000
_COARSE_TICK = 2_000_000_000
_TWIN = f"has the same {note.ID} as "

Progress = Callable[[int, int], None]


def sync_vault(
    ctx: VaultContext,
    paths: Sequence[str] | None = None,
    *,
    take_deletions: bool = False,
    progress: Progress = lambda done, total: None,
) -> SyncReport:
    """Bring folder and memory in step; only these paths of the folder, if some are named."""
    if ctx.vault.project_id and branches.find_repository(ctx.root):
        # On a branch without notes git has taken the folder away.
        ctx.root.mkdir(parents=True, exist_ok=True)
    if not ctx.root.is_dir():
        raise NotFound(f"There is no vault at {ctx.root}. Make one: recollect vault init", name=str(ctx.root))
    with process_lock(ctx.lock, TURN_SECONDS):
        listing = _listed(ctx, paths)
        report = SyncReport(notes=len(listing.notes))
        report.problems.update(listing.refused)
        _recover(ctx, listing)
        seen = _seen(ctx, paths)
        _take_in_conflicts(ctx, listing, seen, report)
        changed = [one for one in listing.notes.values() if _differs(seen.get(one.path), one)]
        before = BeforeSync(seen=seen, listing=listing, is_whole=paths is None)
        _take_in_changed(ctx, changed, before, report, progress)
        _take_in_missing(ctx, before, report, take_deletions=take_deletions)
        _name_again(before, {one.path for one in changed}, report)
        report.written.extend(outgoing.remove_purged(ctx))
        last = history.read_last_num(ctx.db)
        ids = (
            vault_notes.list_changed_memories(ctx.db, ctx.vault.seen_to)
            if ctx.vault.seen_to
            else _every_id(ctx)
        )
        unwritten: dict[str, str] = {}
        skip = {*report.problems, *before.elsewhere}
        report.written.extend(outgoing.show_memories(ctx, [*ids, *before.seen_again], skip, unwritten))
        report.problems.update(unwritten)
        with suppress(OSError):
            outgoing.write_index(ctx, (*report.new, *report.edited, *report.moved, *report.written))
        look_again(ctx)
        # What could not be written is tried again.
        vault_notes.mark_synced(ctx.db, ctx.vault.num, ctx.vault.seen_to if unwritten else last, ctx.now())
    return report


def remove_purged_notes(ctx: VaultContext) -> list[str]:
    """What was removed for good leaves the vault at once, not at the next sync; which notes."""
    with process_lock(ctx.lock, TURN_SECONDS):
        return outgoing.remove_purged(ctx)


def _listed(ctx: VaultContext, paths: Iterable[str] | None) -> VaultListing:
    if paths is None:
        return list_notes(ctx.root)
    listing = VaultListing()
    for path in paths:
        look_at(ctx.root, path, listing)
    return listing


def _seen(ctx: VaultContext, paths: Iterable[str] | None) -> dict[str, NoteRow]:
    """What was last seen of every note, or of those at these paths."""
    if paths is None:
        return vault_notes.list_seen_notes(ctx.db, ctx.vault.num)
    rows = (vault_notes.find_note_at(ctx.db, ctx.vault.num, path, here=True) for path in paths)
    return {row.path: row for row in rows if row is not None}


def _every_id(ctx: VaultContext) -> list[str]:
    project = ctx.vault.project_id
    return [
        one.id
        for one in memories.iterate_memories(ctx.db, project, every_project=project is None)
        if ctx.shows(one)
    ]


def _differs(row: NoteRow | None, listed: FoundNote) -> bool:
    if row is None or (row.size, row.mtime, row.inode) != (listed.size, listed.mtime, listed.inode):
        return True
    return bool(row.pending) or _is_twin(row)


def _is_twin(row: NoteRow) -> bool:
    """Whether it is a copy of another note with its id: it is looked at again, as that one may go."""
    return row.memory_id is None and row.problem.startswith(_TWIN)


def _recover(ctx: VaultContext, listing: VaultListing) -> None:
    """Files that a process of ours left when it was ended: a version nobody has seen is kept before they go."""
    for path in listing.left_over:
        place = ctx.root / path
        try:
            file = read_file(place)
            if file.content:
                _keep_unseen(ctx, path.rpartition("/")[0], file)
        except (NotFound, UnreadableNote):
            pass
        place.unlink(missing_ok=True)


def _keep_unseen(ctx: VaultContext, folder: str, file: NoteFile) -> None:
    """Give a left-over version to the note it is a version of: the one that was being written in that folder."""
    rows = vault_notes.list_seen_notes(ctx.db, ctx.vault.num).values()
    here = [row for row in rows if row.path.rpartition("/")[0] == folder and row.pending]
    if any(file.hash in (row.pending, row.base, row.hash) for row in here):
        return
    for row in here:
        keep_version(ctx, row.num, file.content, "person")
        base = vault_notes.read_version(ctx.db, row.num, row.base) or vault_notes.read_version(
            ctx.db, row.num, row.hash
        )
        if base is not None:
            _merge_left_over(ctx, row, base, file)


def _merge_left_over(ctx: VaultContext, row: NoteRow, base: bytes, file: NoteFile) -> None:
    try:
        was, theirs = decode_note(base), decode_note(file.content)
    except UnreadableNote:
        return
    change_note(ctx, row.path, lambda now: merge_texts(was, now, theirs).text if now else theirs)


def _take_in_conflicts(
    ctx: VaultContext, listing: VaultListing, seen: dict[str, NoteRow], report: SyncReport
) -> None:
    """Copies that another program made of a note it could not merge: never memories, always for a person to see."""
    for path in listing.conflicts:
        report.problems[path] = "is the other half of a conflict; merge it by hand and delete it"
        if path in seen:
            continue
        try:
            file = read_file(ctx.root / path)
        except (NotFound, UnreadableNote):
            continue
        record_note(ctx, path, file, base="", problem="is the other half of a conflict")
        report.conflicts.append(path)
        if "(conflict " not in path:
            raise_in_review(
                ctx, f"Another program left a conflict copy in the vault: {path}. Merge it by hand."
            )


def _take_in_changed(
    ctx: VaultContext, changed: list[FoundNote], known: BeforeSync, report: SyncReport, progress: Progress
) -> None:
    done = 0
    for batch in _batches(changed, _AT_ONCE):
        plain: list[tuple[FoundNote, NoteFile, str]] = []
        for listed in batch:
            row = known.seen.get(listed.path)
            read = _read(ctx, listed, row, report)
            if read is None:
                continue
            file, text = read
            if row is not None and file.hash == row.hash and not row.pending and not _is_twin(row):
                record_note(ctx, listed.path, file, base=row.base, problem=row.problem)
                report.problems.update({listed.path: row.problem} if row.problem else {})
                known.seen_again.extend([row.memory_id] if row.memory_id else [])
            elif unmerged := _unmerged(ctx, listed.path, row, text):
                report.problems[listed.path] = unmerged
                record_note(ctx, listed.path, file, base=row.base if row else "", problem=unmerged)
            elif row is None and _is_plain(ctx, listed.path, text):
                plain.append((listed, file, text))
            else:
                try:
                    _take_in_one(ctx, listed, row, file, text, known, report)
                except OSError as error:
                    report.problems[listed.path] = describe_unwritable(error)
        _file_plain(ctx, plain)
        done += len(batch)
        progress(done, len(changed))


def _read(
    ctx: VaultContext, listed: FoundNote, row: NoteRow | None, report: SyncReport
) -> tuple[NoteFile, str] | None:
    place = ctx.root / listed.path
    try:
        before = (
            vault_notes.read_version(ctx.db, row.num, row.hash) if row and listed.size < row.size else None
        )
        file = read_settled(place, before) if before else read_file(place)
        text = decode_note(file.content)
    except NotFound:
        return None
    except UnreadableNote as error:
        report.problems[listed.path] = str(error)
        return None
    # Two changes within one tick look like one: nothing is said of its time, so that it is looked at again.
    report_read = replace(file, mtime=0) if _is_fresh(ctx, file) else file
    return report_read, text


def _is_fresh(ctx: VaultContext, file: NoteFile) -> bool:
    now = int(ctx.now().timestamp() * 1e9)
    tick = _COARSE_TICK if file.mtime % 1_000_000_000 == 0 else _SAME_TICK
    return 0 <= now - file.mtime < tick


def _is_plain(ctx: VaultContext, path: str, text: str) -> bool:
    """Whether a new note is only to be searched: no memory, and none to become one."""
    if "recollect" in text[:20_000] or line_sync.is_line_note(ctx, path, None, text):
        return False
    return layout.find_place(path, ctx.kinds, own=ctx.vault.own) is None


def _unmerged(ctx: VaultContext, path: str, row: NoteRow | None, text: str) -> str:
    """Why a note of ours with an unfinished merge is left alone; other notes may say of git what they like."""
    if not (row and row.memory_id) and _is_plain(ctx, path, text):
        return ""
    return branches.describe_unmerged(text)


def _file_plain(ctx: VaultContext, notes: list[tuple[FoundNote, NoteFile, str]]) -> None:
    with ctx.db.transaction():
        for listed, file, text in notes:
            row = NoteRow(
                num=0, path=listed.path, memory_id=None, size=file.size, mtime=file.mtime, inode=file.inode,
                hash=file.hash, base="", shown="", pending="", problem="",
            )  # fmt: skip
            num = vault_notes.save_note(ctx.db, ctx.vault.num, row, link_key(listed.path))
            indexing.index_note(ctx.db, num, listed.path, text)


def _take_in_one(
    ctx: VaultContext,
    listed: FoundNote,
    row: NoteRow | None,
    file: NoteFile,
    text: str,
    known: BeforeSync,
    report: SyncReport,
) -> None:
    if row is not None and row.pending == file.hash:
        # We wrote it and were ended before we could say so.
        row = replace(row, hash=file.hash, base=file.hash)
    elif row is not None and row.hash != file.hash:
        healed = text if branches.is_as_committed(ctx.root, listed.path) else heal_stale(ctx, row, text)
        keep_version(ctx, row.num, file.content, "person")
        if healed != text:
            change_note(ctx, listed.path, lambda now: merge_texts(text, healed, now).text)
            vault_notes.set_pending(ctx.db, row.num, "")
            file = read_file(ctx.root / listed.path)
            text = decode_note(file.content)
            vault_notes.save_note(ctx.db, ctx.vault.num, replace(row, hash=file.hash), link_key(row.path))
    owner = _owner(ctx, listed.path, row, text, known, report)
    if owner is None:
        record_note(
            ctx, listed.path, file, base=row.base if row else "", problem=report.problems.get(listed.path, "")
        )
        return
    if not owner.memory_id and _take_in_lines(ctx, listed.path, owner.row, file, text, known, report):
        return
    taken = _taken(ctx, listed.path, owner.row, text, owner.memory, owner.memory_id)
    _record_taken(ctx, listed.path, owner.row, file, taken, report)


def _take_in_lines(
    ctx: VaultContext,
    path: str,
    row: NoteRow | None,
    file: NoteFile,
    text: str,
    known: BeforeSync,
    report: SyncReport,
) -> bool:
    """Take in a note of lines, if it is one; whether it is."""
    if not line_sync.is_line_note(ctx, path, row, text):
        return False
    if row is None:
        # Until it is taken in, the next sync is to look at it again.
        record_note(ctx, path, NoteFile(content=b"", size=0, mtime=0, inode=0), base="")
        row = vault_notes.find_note_at(ctx.db, ctx.vault.num, path)
        assert row is not None
    taken = line_sync.take_in_lines(ctx, row, text)
    keep_version(ctx, row.num, file.content, "person")
    # First what was taken in, then the marks: what somebody writes between the two is seen by the next sync.
    record_note(ctx, path, file, problem="; ".join(taken.problems))
    line_sync.mark_new_lines(ctx, row, taken)
    report.new.extend(path for _ in taken.new)
    report.edited.extend(taken.edited)
    known.gone_lines.extend(taken.gone)
    known.seen_again.extend(taken.behind)
    if taken.problems:
        report.problems[path] = "; ".join(taken.problems)
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owner:
    """Whose note it is: its row, and the memory with the id it carries."""

    row: NoteRow | None
    memory_id: str
    memory: Memory | None


def _owner(
    ctx: VaultContext, path: str, row: NoteRow | None, text: str, known: BeforeSync, report: SyncReport
) -> _Owner | None:
    memory_id = note.read_note(text).memory_id
    if row is not None and row.memory_id:
        return _Owner(row=row, memory_id=row.memory_id, memory=memories.find_memory(ctx.db, row.memory_id))
    if not memory_id:
        return _Owner(row=row, memory_id="", memory=None)
    other = vault_notes.find_note_of_memory(ctx.db, ctx.vault.num, memory_id)
    if other is not None and other[0].path != path:
        before, is_gone = other
        if not is_gone and known.is_there(ctx, before.path):
            report.problems[path] = f"{_TWIN}{before.path}; take it out to make it a memory of its own"
            return None
        if row is not None:
            vault_index.remove_note(ctx.db, row.num)
        vault_notes.move_note(ctx.db, ctx.vault.num, before.num, path, link_key(path))
        known.seen.pop(before.path, None)
        report.moved.append(path)
        return _Owner(
            row=replace(before, path=path),
            memory_id=memory_id,
            memory=memories.find_memory(ctx.db, memory_id),
        )
    return _Owner(row=row, memory_id=memory_id, memory=memories.find_memory(ctx.db, memory_id))


def _taken(
    ctx: VaultContext, path: str, row: NoteRow | None, text: str, memory: Memory | None, memory_id: str
) -> TakenIn:
    if not memory_id:
        # What an agent wrote is no memory of a person's, whoever edits the note later, until somebody marks it.
        by_us = row is not None and any(
            version.writer == "recollect"
            for version in vault_notes.list_versions(ctx.db, row.num, RECENT_VERSIONS)
        )
        return incoming.take_in_new(ctx, path, text, only_marked=by_us)
    if memory is None:
        return incoming.take_in_stranger(ctx, path, text, memory_id)
    if row is None:
        nothing = NoteFile(content=b"", size=0, mtime=0, inode=0)
        num = record_note(ctx, path, nothing, memory_id=memory.id, base="")
        row = NoteRow(
            num=num, path=path, memory_id=memory.id, size=0, mtime=0, inode=0, hash="", base="", shown="",
            pending="", problem="",
        )  # fmt: skip
    return incoming.take_in_edit(ctx, row, text, memory)


def _record_taken(
    ctx: VaultContext, path: str, row: NoteRow | None, file: NoteFile, taken: TakenIn, report: SyncReport
) -> None:
    if taken.what:
        (report.new if taken.what == "new" else report.edited).append(path)
    if taken.problem:
        report.problems[path] = taken.problem
    if taken.memory is None:
        base = row.base if row else ""
        record_note(ctx, path, file, base=base, problem=taken.problem)
        return
    project = ctx.note_project(taken.memory)
    shown = note.digest_memory(taken.memory, project)
    num = record_note(ctx, path, file, memory_id=taken.memory.id, shown=shown, problem=taken.problem)
    keep_version(ctx, num, file.content, "person")
    if taken.problem:
        return
    current = vault_notes.find_note_at(ctx.db, ctx.vault.num, path)
    assert current is not None
    if outgoing.follow_memory(ctx, current, taken.memory):
        report.written.append(path)


def _take_in_missing(
    ctx: VaultContext, before: BeforeSync, report: SyncReport, *, take_deletions: bool
) -> None:
    """Notes and lines that are no longer there. A folder that is missing as a whole is no wish of anybody's."""
    known, listing = before.seen, before.listing
    there = listing.notes.keys() | listing.refused.keys() | listing.elsewhere | set(listing.conflicts)
    gone = [row for path, row in known.items() if path not in there and path not in report.moved]
    gone = [row for row in gone if _still_at(ctx, row)]
    before.elsewhere.extend(row.path for row in gone if branches.is_of_another_branch(ctx.root, row.path))
    gone = [row for row in gone if row.path not in before.elsewhere]
    with_memory = [row for row in gone if row.memory_id and not _never_written(row)]
    lines = [*before.gone_lines, *(line for row in gone for line in vault_lines.list_lines(ctx.db, row.num))]
    total = vault_notes.count_notes(ctx.db, ctx.vault.num)[1]
    many = len(with_memory) + len(lines) > max(FEW_DELETIONS, MAX_DELETED * total)
    # In a project's own vault git has said which were deleted.
    is_empty = before.is_whole and not listing.notes and ctx.vault.project_id is None
    if (many or is_empty) and not take_deletions:
        report.held_back.extend(row.path for row in with_memory)
        report.held_back.extend(dict.fromkeys(line.path for line in lines))
        gone = [row for row in gone if not row.memory_id and not vault_lines.list_lines(ctx.db, row.num)]
    else:
        report.forgotten.extend(line_sync.forget_lines(ctx, lines))
    for row in gone:
        if row in with_memory and incoming.take_in_deletion(ctx, row):
            report.forgotten.append(row.path)
        with ctx.db.transaction():
            vault_index.remove_note(ctx.db, row.num)
            vault_notes.mark_gone(ctx.db, row.num, ctx.now())


def _name_again(before: BeforeSync, changed: set[str], report: SyncReport) -> None:
    """What was left alone earlier and is still as it was is named each time."""
    for path, row in before.seen.items():
        if row.problem and path in before.listing.notes and path not in changed:
            report.problems[path] = row.problem


def _never_written(row: NoteRow) -> bool:
    """Whether a process was ended when it had announced a new note and not yet written it."""
    return bool(row.pending) and row.inode == 0


def _still_at(ctx: VaultContext, row: NoteRow) -> bool:
    """Whether the row is still that of this path, and there really is no file: it may have come back meanwhile."""
    current = vault_notes.find_note_at(ctx.db, ctx.vault.num, row.path)
    return current is not None and current.num == row.num and not Path(ctx.root / row.path).is_file()


def _batches(items: list[FoundNote], size: int) -> Iterator[list[FoundNote]]:
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch
