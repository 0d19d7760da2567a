"""The events of a session, folded into what foresight keeps of it. Pure: the same events give the same value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from recollect.events.places import Place, place_of
from recollect.model.event import Event, EventType, ToolAction
from recollect.model.handwritten import is_handwritten
from recollect.model.predicted_file import PastFile, PastSession
from recollect.model.session import Session
from recollect.model.value import dataclass, field
from recollect.predict_files.stems import stem, stems

TOUCHING = frozenset({ToolAction.READ, ToolAction.EDIT, ToolAction.CREATE})
MOST_TOUCHED = 300
MOST_NAMED = 200
MOST_WORDS = 64
# A word of the path counts like so many in the text.
IN_THE_PATH = 3
_MOST_ON_A_LINE = 3
_LONGEST_LINE = 1_000
_PATH = re.compile(
    r"(?<![\w.@-])((?:/|\.{0,2}/)?(?:[\w.@+-]{1,100}/){1,20}[\w.+-]{1,100}\.[A-Za-z]\w{0,7})(?![\w/])"
)
# A diff calls the two sides of a file a/PATH and b/PATH.
_DIFF = ("diff --git a/", "--- a/", "+++ b/")
_COMMAND = re.compile(r"/[\w:.-]+(?:\s|$)")


def is_asked(event: Event) -> bool:
    """Whether a person asks for something here: no program, no subagent, no command of the client."""
    return (
        event.type is EventType.PROMPT
        and not event.data.get("machine")
        and not event.agent
        and not _COMMAND.match(event.text)
    )


def past_of(session: Session, events: Iterable[Event]) -> PastSession:
    """What is worth keeping of a session to foresee the files of others."""
    fold = _Fold(branch=session.branch)
    for event in events:
        fold.take(event)
    return PastSession(
        session_id=session.id,
        at=fold.at or session.last_at,
        branch=fold.first_branch,
        folder=fold.folder,
        files=tuple(fold.files()),
    )


@dataclass(slots=True)
class _Met:
    """A file as it is met again and again."""

    touched: int = 0
    edited: int = 0
    branch: str = ""
    words: dict[str, int] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)

    def holds(self, word: str, times: int) -> None:
        if times > self.words.get(word, 0):
            self.words[word] = times


class _Fold:
    """What one event after another makes of a session."""

    def __init__(self, branch: str) -> None:
        self.at: datetime | None = None
        self.folder = ""
        self.first_branch = ""
        self._branch = branch
        self._met: dict[str, _Met] = {}

    def take(self, event: Event) -> None:
        self.folder = self.folder or event.folder
        if isinstance(event.data.get("branch"), str):
            self._branch = event.data["branch"] or self._branch
        self.first_branch = self.first_branch or self._branch
        if event.type is EventType.ASSISTANT_TEXT:
            self._named_in(event.text, event.folder, says_more=True)
        elif event.type is EventType.TOOL_FINISHED:
            self._tool(event)

    def _tool(self, event: Event) -> None:
        if event.action in TOUCHING and event.ok is not False:
            for path in event.files:
                self._touched(path, event)
            self.at = event.at if event.files else self.at
        elif event.action in (ToolAction.SEARCH, ToolAction.RUN):
            self._named_in(event.output, event.folder, says_more=event.action is ToolAction.SEARCH)

    def _touched(self, path: str, event: Event) -> None:
        met = self._file(path)
        met.touched += 1
        met.edited += event.action is not ToolAction.READ
        for part in str(event.data.get("words", "")).split():
            word, _, times = part.rpartition(":")
            if times.isdigit():
                met.holds(stem(word), int(times))
        met.names.update(dict.fromkeys(str(event.data.get("names", "")).split()))

    def _named_in(self, text: str, folder: str, *, says_more: bool) -> None:
        """Files that a text names; a line of the agent or of a search says something about them too."""
        place = place_of(folder) if folder else None
        for line in text.splitlines():
            if "/" not in line or place is None:
                continue
            named = _PATH.findall(line[:_LONGEST_LINE])[:_MOST_ON_A_LINE]
            if line.startswith(_DIFF):
                named = [path[2:] for path in named]
            found = [path for path in (_inside(path, place) for path in named) if path]
            words = stems(line[:_LONGEST_LINE]) if found and says_more else ()
            for path in found:
                met = self._file(path)
                for word in words:
                    met.holds(word, 1)

    def _file(self, path: str) -> _Met:
        met = self._met.setdefault(path, _Met())
        met.branch = self._branch
        return met

    def files(self) -> Iterator[PastFile]:
        touched = [(path, met) for path, met in self._met.items() if met.touched]
        named = [(path, met) for path, met in self._met.items() if not met.touched]
        for path, met in (*touched[-MOST_TOUCHED:], *named[-MOST_NAMED:]):
            yield PastFile(
                path=path,
                touched=met.touched,
                edited=met.edited,
                branch=met.branch,
                words=_with_path(met.words, path),
                names=tuple(met.names),
            )


def _with_path(words: dict[str, int], path: str) -> dict[str, int]:
    most = dict(sorted(words.items(), key=lambda item: -item[1])[:MOST_WORDS])
    for word, times in stems(path).items():
        most[word] = most.get(word, 0) + IN_THE_PATH * times
    return most


def _inside(path: str, place: Place) -> str | None:
    if path.startswith("/") and not path.startswith(place.root + "/"):
        return None
    found = place.inside(path)
    return found if found and is_handwritten(found) else None
