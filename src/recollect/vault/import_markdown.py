"""Taking in Markdown from anywhere: every statement is proposed with the place it stands in, and waits for a yes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from recollect.capture import intake
from recollect.capture.write_context import WriteContext
from recollect.errors import BadInput, NotFound
from recollect.model.memory import AlreadyKnown, MemoryDraft, Refused, Remembered
from recollect.model.provenance import Channel, provenance_of
from recollect.model.subject import Subject
from recollect.model.value import dataclass, field, replace
from recollect.vault.files import UnreadableNote, decode_note, read_file
from recollect.vault.scan import list_notes
from recollect.vault.statements import MarkdownStatement, find_statements

MAX_FILES = 2_000
# What coding agents read by themselves at the start of every session: told again it would only cost.
LOADED_BY_CLIENTS = frozenset(
    "claude.md claude.local.md agents.md agents.override.md gemini.md qwen.md .cursorrules"
    " copilot-instructions.md".split()
)
LOADED = "loaded-by-client"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMarkdown:
    """What came of an import: files read, statements proposed, known already or refused, and what was not read."""

    files: int = 0
    proposed: int = 0
    known: int = 0
    refused: int = 0
    statements: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)


# Gives the name of a file as the project knows it, if it is one of its files.
InProject = Callable[[Path], str | None]


def import_markdown(
    open_writing: Callable[[], WriteContext],
    paths: Sequence[Path],
    *,
    actor: str,
    project_id: str | None,
    in_project: InProject,
    dry_run: bool = False,
) -> ImportedMarkdown:
    """Propose what these documents state; nothing is used before a person says yes."""
    done = ImportedMarkdown()
    for place in _documents(paths, done.problems):
        try:
            text = decode_note(read_file(place).content)
        except (UnreadableNote, NotFound) as error:
            done.problems[str(place)] = str(error)
            continue
        shown = in_project(place) or place.name
        statements = find_statements(text, place.name)
        done = replace(
            done,
            files=done.files + 1,
            statements=[*done.statements, *(f"{shown}:{one.line} {one.text}" for one in statements)],
        )
        if statements and not dry_run:
            done = _offered(done, open_writing(), place, shown, statements, actor, project_id, in_project)
    return done


def _offered(
    done: ImportedMarkdown,
    context: WriteContext,
    place: Path,
    shown: str,
    statements: Iterable[MarkdownStatement],
    actor: str,
    project_id: str | None,
    in_project: InProject,
) -> ImportedMarkdown:
    loaded = place.name.lower() in LOADED_BY_CLIENTS
    for one in statements:
        files = [name for name in one.files if in_project(place.parent / name) or in_project(Path(name))]
        draft = MemoryDraft(
            text=one.text,
            kind=one.kind,
            subjects=tuple(Subject("file", name) for name in dict.fromkeys(files)),
            tags=("markdown", *((LOADED,) if loaded else ())),
            project_id=project_id,
            provenance=provenance_of(Channel.IMPORT),
        )
        try:
            (answer,) = intake.remember(
                context, [draft], actor=actor, why=f"from {shown}, line {one.line}"[:500]
            )
        except BadInput as error:
            answer = Refused(reason=str(error))
        done = replace(
            done,
            proposed=done.proposed + isinstance(answer, Remembered),
            known=done.known + isinstance(answer, AlreadyKnown),
            refused=done.refused + isinstance(answer, Refused),
        )
    return done


def _documents(paths: Sequence[Path], problems: dict[str, str]) -> Iterator[Path]:
    count = 0
    for path in paths:
        if path.is_symlink():
            problems[str(path)] = "is a link, and links are not followed"
        elif path.is_dir():
            listing = list_notes(path)
            problems.update({str(path / name): why for name, why in listing.refused.items()})
            for name in sorted(listing.notes):
                count += 1
                if count > MAX_FILES:
                    problems[str(path)] = f"holds more than {MAX_FILES:,} documents; the rest is not read"
                    return
                yield path / name
        elif path.exists():
            yield Path(os.path.abspath(path))  # noqa: PTH100  # resolve would follow links
        else:
            problems[str(path)] = "is not there"
