"""
Memories as lines of JSON, versioned: a header, then one memory a line, in the order they were made.

Reading is streaming and capped: a line, a file or a nesting that is too large stops the import with the name
of the cap, before anything is changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from recollect.capture import rights, trust
from recollect.capture.intake import FormerLife, save_relations, take_in
from recollect.capture.intake import check_draft as check
from recollect.capture.write_context import Act, WriteContext, begin_act
from recollect.errors import BadImport, RecollectError
from recollect.model.ids import ID_LENGTH, looks_like_id
from recollect.model.json_form import draft_from_json, memory_to_json, moment_from_json, moment_to_json
from recollect.model.memory import AlreadyKnown, MemoryDraft, MemoryState, Relation, Remembered
from recollect.model.project import Project, storable
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import memories, projects

FORMAT = "recollect-memories"
VERSION = 1
MAX_LINE = 1_000_000
MAX_LINES = 1_000_000
MAX_DEPTH = 20
MAX_COUNT = 1_000_000_000
BATCH = 500

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_BRACKET = re.compile(r"[\[\]{}]")
# What is left of undecodable bytes.
_UNREADABLE = re.compile("[\udc80-\udcff]")

# Gives the lines from the start, each time it is called: once to check them all, once to take them in.
Lines = Callable[[], Iterator[str]]
ProjectOf = Callable[[str, str], Project]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """What an import did, or would do."""

    read: int
    remembered: int
    known: int
    relations_dropped: int
    dry_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    draft: MemoryDraft
    former: FormerLife | None
    project: Mapping[str, str] | None


def export_lines(
    db: Db, now: datetime, project_id: str | None, *, every_project: bool, forgotten: bool
) -> Iterator[dict[str, Any]]:
    """
    The header, then every memory with its project's key, so that another machine knows where it belongs.

    What was forgotten stays here, unless it is asked for.
    """
    yield {"format": FORMAT, "version": VERSION, "exported_at": moment_to_json(now)}
    projects_by_id = {project.id: project for project in projects.list_projects(db)}
    for memory in memories.iterate_memories(db, project_id, every_project=every_project):
        if memory.state is MemoryState.ARCHIVED and not forgotten:
            continue
        line = memory_to_json(memory)
        home = projects_by_id.get(line.pop("project_id") or "")
        line["project"] = {"key": home.key, "name": home.name} if home else None
        yield line


def import_lines(
    door: WriteContext,
    lines: Lines,
    project_of: ProjectOf,
    *,
    actor: str,
    name: str,
    dry_run: bool = False,
    mine: bool = False,
) -> ImportResult:
    """
    Check every line, then take all in as one transaction: all of it, or nothing.

    What comes in waits for review, unless a person says that it is theirs: then it keeps the standing it had.
    """
    ids: set[str] = set()
    tally = {"read": 0, "remembered": 0, "known": 0, "relations_dropped": 0}
    for line in _read_lines(lines(), name, lambda draft: check(door, draft)):
        tally["read"] += 1
        if line.former:
            ids.add(line.former.id)
    if dry_run:
        return ImportResult(**tally, dry_run=True)
    tally["read"] = 0
    act = begin_act(door, "import", actor)
    if mine:
        rights.check_person(act, "say that what is imported is theirs")
    late: dict[str, tuple[Relation, ...]] = {}
    with door.db.transaction():
        for batch in _batch_lines(_read_lines(lines(), name)):
            standing = (
                batch if mine else [replace(line, draft=trust.distrust_import(line.draft)) for line in batch]
            )
            _import_batch(door, act, standing, ids, project_of, tally, late, mine=mine)
        tally["relations_dropped"] = save_relations(door, late)
    return ImportResult(**tally, dry_run=False)


def _import_batch(
    door: WriteContext,
    act: Act,
    batch: list[_Line],
    ids: set[str],
    project_of: ProjectOf,
    tally: dict[str, int],
    late: dict[str, tuple[Relation, ...]],
    *,
    mine: bool,
) -> None:
    tally["read"] += len(batch)
    fresh = [line for line in batch if not (line.former and _is_stored(door, line.former.id))]
    tally["known"] += len(batch) - len(fresh)
    drafts = [_place_in_project(line, project_of) for line in fresh]
    lives = [line.former for line in fresh]
    answers = take_in(door, act, drafts, former=lives, apart=ids, vouched=mine)
    for line, answer in zip(fresh, answers, strict=True):
        if line.draft.relations and isinstance(answer, Remembered):
            late[answer.memory.id] = line.draft.relations
    tally["remembered"] += sum(isinstance(answer, Remembered) for answer in answers)
    tally["known"] += sum(isinstance(answer, AlreadyKnown) for answer in answers)


def _place_in_project(line: _Line, project_of: ProjectOf) -> MemoryDraft:
    home = project_of(line.project["key"], line.project["name"]) if line.project else None
    # Relations follow when all have come in: a memory may bear on one further down.
    return replace(line.draft, project_id=home.id if home else None, relations=())


def _is_stored(door: WriteContext, memory_id: str) -> bool:
    return memories.is_kept(door.db, memory_id)


def _batch_lines(lines: Iterator[_Line]) -> Iterator[list[_Line]]:
    batch: list[_Line] = []
    for line in lines:
        batch.append(line)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _read_lines(
    lines: Iterator[str], name: str, check_draft: Callable[[MemoryDraft], object] = lambda draft: None
) -> Iterator[_Line]:
    number, has_header = 0, False
    for number, text in enumerate(lines, start=1):

        def wrong(reason: str, at: int = number) -> BadImport:
            return BadImport(path=name, line=at, reason=reason)

        if number > MAX_LINES:
            raise wrong(f"an import has at most {MAX_LINES:,} lines")
        if not text.strip():
            continue
        fields = _parse_line(text, wrong)
        if not has_header:
            _check_header(fields, wrong)
            has_header = True
            continue
        yield _make_line(fields, check_draft, wrong)
    if not has_header:
        raise BadImport(path=name, line=1, reason="the file is empty; an export begins with a header")


def _parse_line(text: str, wrong: Callable[[str], BadImport]) -> dict[str, Any]:
    if len(text) > MAX_LINE:
        raise wrong(f"a line has at most {MAX_LINE:,} characters")
    if text.startswith("\x1f"):
        raise wrong("the file is compressed; unpack it first, with gunzip")
    if _UNREADABLE.search(text):
        raise wrong("it holds bytes that are not UTF-8 text")
    if _depth(text) > MAX_DEPTH:
        raise wrong(f"values are nested at most {MAX_DEPTH} deep")
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise wrong(f"this is not JSON ({error})") from error
    if not isinstance(fields, dict):
        raise wrong("a line is one JSON object")
    return fields


def _depth(text: str) -> int:
    # Counted on the text, before a parser recurses into it; what stands in quotes is no nesting.
    deepest = depth = 0
    for bracket in _BRACKET.findall(_QUOTED.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _check_header(fields: Mapping[str, Any], wrong: Callable[[str], BadImport]) -> None:
    if fields.get("format") != FORMAT:
        raise wrong(f'the first line must say "format": "{FORMAT}"; `recollect export` writes it')
    if fields.get("version") != VERSION:
        raise wrong(f"this is version {fields.get('version')} of the format; this recollect reads {VERSION}")


def _make_line(
    fields: Mapping[str, Any],
    check_draft: Callable[[MemoryDraft], object],
    wrong: Callable[[str], BadImport],
) -> _Line:
    try:
        line = _Line(
            draft=draft_from_json(fields), former=_parse_former_life(fields), project=_read_project(fields)
        )
        check_draft(line.draft)
        return line
    except (RecollectError, ValueError, TypeError) as error:
        raise wrong(str(error).rstrip(".")) from error


def _parse_former_life(fields: Mapping[str, Any]) -> FormerLife | None:
    memory_id = fields.get("id")
    if memory_id is None:
        return None
    if not isinstance(memory_id, str) or len(memory_id) != ID_LENGTH or not looks_like_id(memory_id):
        raise ValueError(f"{memory_id!r} is not the id of a memory")
    if "created_at" not in fields:
        raise ValueError('a memory with an id has a "created_at" too')
    accessed, reinforced = fields.get("last_accessed_at"), fields.get("reinforced_at")
    base = fields.get("base_confidence")
    if base is not None and not (isinstance(base, int | float) and 0 <= base <= 1):
        raise ValueError(f"{base!r} is not a confidence")
    return FormerLife(
        id=memory_id.upper(),
        created_at=moment_from_json(fields["created_at"]),
        updated_at=moment_from_json(fields.get("updated_at") or fields["created_at"]),
        access_count=_read_count(fields, "access_count", "accesses"),
        last_accessed_at=moment_from_json(accessed) if accessed else None,
        base_confidence=base,
        reinforced_at=moment_from_json(reinforced) if reinforced else None,
        sessions=tuple(storable(str(name)) for name in fields.get("sessions", ())),
        useful=_read_count(fields, "useful", "times it helped"),
        noise=_read_count(fields, "noise", "times it was noise"),
    )


def _read_count(fields: Mapping[str, Any], name: str, what: str) -> int:
    count = fields.get(name, 0)
    if not isinstance(count, int) or not 0 <= count <= MAX_COUNT:
        raise ValueError(f"{count!r} is not a number of {what}")
    return count


def _read_project(fields: Mapping[str, Any]) -> Mapping[str, str] | None:
    project = fields.get("project")
    if project is None:
        return None
    if not isinstance(project, dict) or not all(isinstance(project.get(k), str) for k in ("key", "name")):
        raise ValueError('"project" needs a "key" and a "name"')
    return {"key": storable(project["key"]), "name": storable(project["name"])}
