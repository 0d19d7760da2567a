"""
How a vault is laid out: the folders and first notes, where a memory of each kind goes, and what a note is called.

To give a kind another place is to change a row. Pure: texts and names only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from recollect.model.kinds import Kinds
from recollect.model.memory import Memory
from recollect.model.value import dataclass

HOME = "Home.md"
STATUS = "Current Status.md"
KNOWN_ISSUES = "Known Issues.md"
PROFILE = "User Profile.md"
TASKS = "Active Tasks.md"
INDEX = "Context/Index.md"
RECENT_ACTIONS = "Context/Recent Actions.md"
DAILY_SUMMARY = "Context/Daily Summary.md"
LOCATIONS = "Context/Locations.md"
PREFERENCES = "Context/Preferences.md"
TASK_LOG = "Context/Task Log.md"
FAILURES = "Learning/Failures.md"
CORRECTIONS = "Learning/Corrections.md"
PATTERNS = "Learning/Patterns.md"
SYNC_LOG = "Context/Sync Log.md"
BASE_VIEW = "Recollect.base"
DAILY = "Daily"
APPS = "Apps"
TEMPLATES = "Templates"
MEMORY = "Memory"
OUTBOX = "Messages/Outbox.md"
INBOX = "Messages/Inbox.md"

FOLDERS = (
    "Architecture",
    "Components",
    "Projects",
    "Contacts",
    "Decisions",
    DAILY,
    MEMORY,
    "Skills",
    APPS,
    "Learning",
    TEMPLATES,
    "Context",
    "Messages",
)
# Kinds that have a folder of their own; all others lie under Memory, by their heading.
FOLDER_OF_KIND: Mapping[str, str] = {
    "decision": "Decisions",
    "contact": "Contacts",
    "project": "Projects",
    "workflow_recipe": TEMPLATES,
    "lesson": "Learning/Lessons",
    "correction": "Learning/Corrections",
}
# In these folders a note's name says who or what it is about.
SUBJECT_OF_FOLDER: Mapping[str, str] = {
    "Contacts": "person",
    "Projects": "project",
    APPS: "app",
    "Components": "module",
}
FOLDER_OF_SUBJECT: Mapping[str, str] = {
    "person": "Contacts",
    "project": "Projects",
    "app": APPS,
    "module": "Components",
    "service": "Components",
    "tool": "Skills",
}
MAX_NAME = 80
_FORBIDDEN = re.compile(r'[#^\[\]|\\/:*?"<>\x00-\x1f\x7f]+')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)

FIRST_NOTES: Mapping[str, str] = {
    HOME: """# Home

- [[Current Status]]: what the agent did last
- [[Active Tasks]]: what is to be done
- [[Known Issues]]: what went wrong and how it was solved
- [[User Profile]]: who you are and what you like
- [[Context/Index|Index]]: what changed last

## Where things are

- Decisions, Projects, Contacts, Learning, Memory: what is remembered, a note each
- [[Context/Preferences|Preferences]], [[Learning/Corrections|Corrections]], Apps, Components: the same, a line each
- Daily, [[Context/Task Log|Task Log]], [[Context/Recent Actions|Recent Actions]]: what was done, and when
- Templates: ways of doing a task, with what they came to; Architecture, Skills: notes of yours and the agent's

Change a note or a line and the memory follows. A new note in a folder under Memory, or a new item in one of the lists,
is remembered as yours. Delete one and it is forgotten; `recollect undo` brings it back.
""",
    STATUS: "# Current Status\n",
    KNOWN_ISSUES: "# Known Issues\n",
    PROFILE: "# User Profile\n\n- Name:\n- Environment:\n",
    TASKS: "# Active Tasks\n",
    INDEX: "# Index\n",
    RECENT_ACTIONS: "# Recent Actions\n",
    DAILY_SUMMARY: "# Daily Summary\n",
    LOCATIONS: "# Locations\n\nPaths, addresses and bookmarks worth knowing.\n",
    PREFERENCES: "# Preferences\n",
    TASK_LOG: "# Task Log\n",
    FAILURES: "# Failures\n",
    CORRECTIONS: "# Corrections\n",
    PATTERNS: "# Patterns\n",
    BASE_VIEW: """filters:
  and:
    - recollect_id != null
properties:
  recollect_kind:
    displayName: Kind
  recollect_confidence:
    displayName: Confidence
  recollect_about:
    displayName: About
views:
  - type: table
    name: Review
    filters:
      and:
        - recollect_review == true
    order:
      - file.name
      - recollect_kind
      - recollect_about
  - type: table
    name: Recent
    filters:
      and:
        - file.mtime > now() - "7 days"
    order:
      - file.name
      - recollect_kind
      - recollect_confidence
      - file.mtime
  - type: table
    name: Expiring
    filters:
      and:
        - recollect_confidence < 0.5
        - recollect_pinned != true
    order:
      - file.name
      - recollect_kind
      - recollect_confidence
""",
}


# Under which heading of an app's note a memory about the app stands, by its kind.
APP_HEADINGS: Mapping[str, str] = {
    "module_insight": "Reliable Approaches",
    "pattern": "Reliable Approaches",
    "fact": "Reliable Approaches",
    "gotcha": "Known Issues",
    "issue": "Known Issues",
    "error_pattern": "Known Issues",
    "preference": "User Patterns",
}
# Kinds whose memories are lines of one note.
LINE_NOTES: Mapping[str, str] = {"preference": PREFERENCES, "correction": CORRECTIONS}
OPERATIONS = "operations"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePlace:
    """Where a memory stands as a line: its note, the heading above it, and how the note begins if it is not there."""

    path: str
    heading: str = ""
    start: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotePlace:
    """What the place of a note says: the kind of memory it would be, and the thing it would be about."""

    kind: str
    about: str = ""


def choose_folder(memory: Memory, kinds: Kinds) -> str:
    """The folder for a memory."""
    if memory.kind == "module_insight" and any(subject.type == "app" for subject in memory.subjects):
        return APPS
    return FOLDER_OF_KIND.get(memory.kind) or f"{MEMORY}/{make_note_name(kinds.of(memory.kind).heading)}"


def find_namesake(memory: Memory, folder: str) -> str:
    """The person or project that a note in this folder is called after, as links to them are; empty if none."""
    wanted = SUBJECT_OF_FOLDER.get(folder) if FOLDER_OF_KIND.get(memory.kind) == folder else None
    named = (subject.name for subject in memory.subjects if subject.type == wanted)
    return next(map(make_note_name, named), "")


def choose_line(memory: Memory, kinds: Kinds) -> LinePlace | None:
    """The place of a memory that is read better as a line of a list than as a note; None for all others."""
    named = {subject.type: subject.name for subject in reversed(memory.subjects)}
    if "app" in named and memory.kind in APP_HEADINGS:
        app = make_note_name(named["app"])
        return LinePlace(
            path=f"{APPS}/{app}.md", heading=APP_HEADINGS[memory.kind], start=make_app_note(named["app"])
        )
    if "service" in named and kinds.of(memory.kind).group == OPERATIONS:
        service = make_note_name(named["service"])
        return LinePlace(
            path=f"Components/{service}.md", heading=kinds.of(memory.kind).heading, start=f"# {service}\n"
        )
    path = LINE_NOTES.get(memory.kind)
    return LinePlace(path=path, start=FIRST_NOTES[path]) if path else None


def find_line_kind(path: str, heading: str, kinds: Kinds) -> NotePlace | None:
    """What a new item under a heading of a note of lines would be; None if it is no memory."""
    folder, _, name = path.rpartition("/")
    title = name.removesuffix(".md")
    kind = next((kind for kind, note in LINE_NOTES.items() if note == path), None)
    if kind:
        return NotePlace(kind=kind)
    if folder == APPS:
        named = (kind for kind, of_kind in APP_HEADINGS.items() if of_kind.lower() == heading.lower())
        kind = next(named, None)
        return NotePlace(kind=kind, about=f"app:{title}") if kind else None
    if folder == "Components":
        of_group = (
            one for one in kinds if one.group == OPERATIONS and one.heading.lower() == heading.lower()
        )
        row = next(of_group, None)
        return NotePlace(kind=row.name, about=f"service:{title}") if row else None
    return None


def make_app_note(app: str) -> str:
    """How the note of an app begins."""
    return f"# {app}\n\n## Reliable Approaches\n\n## Known Issues\n\n## User Patterns\n"


def find_place(path: str, kinds: Kinds, *, own: bool) -> NotePlace | None:
    """What a new note at this path is; None if it is no memory. Outside Memory only where the vault is all ours."""
    folder, _, name = path.rpartition("/")
    title = name.removesuffix(".md")
    if path in FIRST_NOTES or not folder:
        return None
    if folder == MEMORY:
        return NotePlace(kind="fact")
    if folder.startswith(f"{MEMORY}/"):
        named = (kind.name for kind in kinds if folder == f"{MEMORY}/{make_note_name(kind.heading)}")
        kind_here = next(named, None)
        return NotePlace(kind=kind_here) if kind_here else None
    if not own:
        return None
    subject = SUBJECT_OF_FOLDER.get(folder, "")
    about = f"{subject}:{title}" if subject else ""
    if folder == APPS:
        return NotePlace(kind="module_insight", about=about)
    kind_name = next((kind for kind, of_kind in FOLDER_OF_KIND.items() if of_kind == folder), None)
    return NotePlace(kind=kind_name, about=about) if kind_name and folder != TEMPLATES else None


def make_note_name(text: str) -> str:
    """A text as the name of a file that every system and every link takes."""
    plain = unicodedata.normalize("NFC", _FORBIDDEN.sub(" ", text))
    plain = " ".join(plain.split()).strip(". ")
    while len(plain) > MAX_NAME or len(plain.encode()) > 2 * MAX_NAME:
        plain = plain.rsplit(" ", 1)[0] if " " in plain else plain[: len(plain) // 2]
    plain = plain.strip(". ")
    return f"_{plain}" if _RESERVED.match(plain) else plain or "Untitled"


def make_link(path: str, shown: str = "") -> str:
    """A wikilink to a note by its path; what cannot stand in a link is told as code."""
    note, _, block = path.partition("#^")
    target = note.removesuffix(".md")
    if re.search(r"[#^\[\]|\n]", target):
        return f"`{target}`"
    target = f"{target}#^{block}" if block else target
    shown = re.sub(r"[\[\]|\n]+", " ", shown).strip()
    return f"[[{target}|{shown}]]" if shown and shown != target else f"[[{target}]]"
