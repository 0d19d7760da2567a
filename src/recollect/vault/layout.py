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

Folders: Architecture, Components, Projects, Contacts, Decisions, Daily, Memory, Skills, Apps, Learning, Templates,
Context.
A note in one of the folders under Memory is a memory; write one there and it is remembered as yours.
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
    target = path.removesuffix(".md")
    if re.search(r"[#^\[\]|\n]", target):
        return f"`{target}`"
    shown = re.sub(r"[\[\]|\n]+", " ", shown).strip()
    return f"[[{target}|{shown}]]" if shown and shown != target else f"[[{target}]]"
