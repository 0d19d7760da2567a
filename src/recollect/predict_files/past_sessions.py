"""Past sessions: the events of a session folded into the files it met (pure), and the recording of that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from recollect.events.places import ProjectPaths, paths_of_folder
from recollect.model.event import Event, EventType, ToolAction
from recollect.model.path_kinds import is_handwritten
from recollect.model.predicted_file import PastFile, PastSession
from recollect.model.session import Session
from recollect.model.value import dataclass, field
from recollect.predict_files.stems import count_stems, strip_ending
from recollect.store.db import Db
from recollect.store.tables import events as event_rows
from recollect.store.tables import file_visits, sessions

TOUCHING = frozenset({ToolAction.READ, ToolAction.EDIT, ToolAction.CREATE})
MAX_TOUCHED = 300
MAX_NAMED = 200
MAX_WORDS = 64
# A word of the path counts like so many in the text.
PATH_WORD_WEIGHT = 3
_MAX_ON_A_LINE = 3
_MAX_LINE = 1_000
_PATH = re.compile(
    r"(?<![\w.@-])((?:/|\.{0,2}/)?(?:[\w.@+-]{1,100}/){1,20}[\w.+-]{1,100}\.[A-Za-z]\w{0,7})(?![\w/])"
)
# A diff calls the two sides of a file a/PATH and b/PATH.
_DIFF = ("diff --git a/", "--- a/", "+++ b/")
_COMMAND = re.compile(r"/[\w:.-]+(?:\s|$)")


def is_request(event: Event) -> bool:
    """Whether a person asks for something here: no program, no subagent, no command of the client."""
    return (
        event.type is EventType.PROMPT
        and not event.data.get("machine")
        and not event.agent
        and not _COMMAND.match(event.text)
    )


def fold_session(session: Session, events: Iterable[Event]) -> PastSession:
    """What of a session is worth keeping to predict the files of others."""
    fold = _SessionFold(branch=session.branch)
    for event in events:
        fold.add(event)
    return PastSession(
        session_id=session.id,
        at=fold.at or session.last_at,
        branch=fold.first_branch,
        folder=fold.folder,
        files=tuple(fold.files()),
    )


@dataclass(slots=True)
class _FileRecord:
    """A file as it is met again and again."""

    touched: int = 0
    edited: int = 0
    branch: str = ""
    words: dict[str, int] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)

    def add_word(self, word: str, times: int) -> None:
        if times > self.words.get(word, 0):
            self.words[word] = times


class _SessionFold:
    """What one event after another makes of a session."""

    def __init__(self, branch: str) -> None:
        self.at: datetime | None = None
        self.folder = ""
        self.first_branch = ""
        self._branch = branch
        self._records: dict[str, _FileRecord] = {}

    def add(self, event: Event) -> None:
        self.folder = self.folder or event.folder
        if isinstance(event.data.get("branch"), str):
            self._branch = event.data["branch"] or self._branch
        self.first_branch = self.first_branch or self._branch
        if event.type is EventType.ASSISTANT_TEXT:
            self._add_named(event.text, event.folder, says_more=True)
        elif event.type is EventType.TOOL_FINISHED:
            self._add_tool_result(event)

    def _add_tool_result(self, event: Event) -> None:
        if event.action in TOUCHING and event.ok is not False:
            for path in event.files:
                self._add_touch(path, event)
            self.at = event.at if event.files else self.at
        elif event.action in (ToolAction.SEARCH, ToolAction.RUN):
            self._add_named(event.output, event.folder, says_more=event.action is ToolAction.SEARCH)

    def _add_touch(self, path: str, event: Event) -> None:
        record = self._record(path)
        record.touched += 1
        record.edited += event.action is not ToolAction.READ
        for part in str(event.data.get("words", "")).split():
            word, _, times = part.rpartition(":")
            if times.isdigit():
                record.add_word(strip_ending(word), int(times))
        record.names.update(dict.fromkeys(str(event.data.get("names", "")).split()))

    def _add_named(self, text: str, folder: str, *, says_more: bool) -> None:
        """Files that a text names; a line of the agent or of a search says something about them too."""
        place = paths_of_folder(folder) if folder else None
        for line in text.splitlines():
            if "/" not in line or place is None:
                continue
            paths = _PATH.findall(line[:_MAX_LINE])[:_MAX_ON_A_LINE]
            if line.startswith(_DIFF):
                paths = [path[2:] for path in paths]
            project_paths = [path for path in (_to_project_path(path, place) for path in paths) if path]
            words = count_stems(line[:_MAX_LINE]) if project_paths and says_more else ()
            for path in project_paths:
                record = self._record(path)
                for word in words:
                    record.add_word(word, 1)

    def _record(self, path: str) -> _FileRecord:
        record = self._records.setdefault(path, _FileRecord())
        record.branch = self._branch
        return record

    def files(self) -> Iterator[PastFile]:
        touched = [(path, record) for path, record in self._records.items() if record.touched]
        only_named = [(path, record) for path, record in self._records.items() if not record.touched]
        for path, record in (*touched[-MAX_TOUCHED:], *only_named[-MAX_NAMED:]):
            yield PastFile(
                path=path,
                touched=record.touched,
                edited=record.edited,
                branch=record.branch,
                words=_add_path_words(record.words, path),
                names=tuple(record.names),
            )


def _add_path_words(words: dict[str, int], path: str) -> dict[str, int]:
    most = dict(sorted(words.items(), key=lambda item: -item[1])[:MAX_WORDS])
    for word, times in count_stems(path).items():
        most[word] = most.get(word, 0) + PATH_WORD_WEIGHT * times
    return most


def _to_project_path(path: str, place: ProjectPaths) -> str | None:
    if path.startswith("/") and not path.startswith(place.root + "/"):
        return None
    inside = place.inside(path)
    return inside if inside and is_handwritten(inside) else None


# Older sessions of a project are let go: what they touched has been touched since, or is of no more use.
MAX_SESSIONS = 400


def record_visits(db: Db, session: Session, events: Sequence[Event]) -> None:
    """Record the files a session has met up to now."""
    if session.project_id is None:
        return
    past = fold_session(session, events)
    with db.transaction():
        file_visits.save_past_session(db, past, session.last_at)
        file_visits.keep_newest_sessions(db, session.project_id, MAX_SESSIONS)


def record_due_visits(db: Db, limit: int = 20) -> int:
    """Record the sessions that went on since they were recorded, the newest first; how many."""
    due = file_visits.list_sessions_behind(db, limit)
    for session_id in due:
        session = sessions.find_session(db, session_id)
        if session is not None:
            record_visits(db, session, event_rows.list_events(db, session_id))
    return len(due)
