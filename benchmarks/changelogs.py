"""
Commits out of the ChangeLog of a release: those that GNU projects and GStreamer write from their git history.

GNU's (`gitlog-to-changelog`) names files in lines that begin with `* path (function): …` below the message; commits of
one author and day stand under one heading, so where one ends is a guess: at the first paragraph after such lines that
is no signature. What stands in those lines names the files, so only the message before them is kept. GStreamer's lists
every file of a commit, then its whole message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from recollect.model.commit import Commit, CommitChange

_ENTRY = re.compile(r"\n(?=\d{4}-\d\d-\d\d )")
_HEADING = re.compile(r"(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d) ([+-]\d{4}))?  +\S")
_SIGNATURE = re.compile(
    r"(?:reported|fixes|suggested|problem|signed|co-auth|copyright|http|addresses|thanks|see also|bug|tested"
    r"|discussed|acked|reviewed|based on|noticed|part-of|\(|\*|[a-z-]+-by:)",
    re.IGNORECASE,
)
_PATH = re.compile(r"[\w./+-]+")
_FILE_LINE = re.compile(r"\* (.*?)(?:[:(\[<]|\Z)")


def parse_changelog(text: str) -> list[Commit]:
    """The commits of a ChangeLog that name a file and say something, the oldest first."""
    commits: list[Commit] = []
    for entry in _ENTRY.split(text):
        heading, _, body = entry.partition("\n")
        dated = _HEADING.match(heading)
        if dated is None:
            continue
        at = datetime.strptime(
            f"{dated[1]} {dated[2] or '00:00:00'} {dated[3] or '+0000'}", "%Y-%m-%d %H:%M:%S %z"
        )
        parts = _split_listed(body) if dated[2] else _split_gnu(body)
        commits += [
            _make_commit(at.astimezone(UTC), message, files) for message, files in parts if message and files
        ]
    return sorted(commits, key=lambda commit: commit.at)


def _split_listed(body: str) -> Iterator[tuple[str, list[str]]]:
    """GStreamer: one commit under each heading."""
    lines = body.split("\n")
    files = [line[3:].rstrip(": ") for line in lines if line.startswith("\t* ")]
    message = [line.strip() for line in lines if line.startswith("\t  ") and "Part-of:" not in line]
    yield "\n".join(message).strip(), files


def _split_gnu(body: str) -> Iterator[tuple[str, list[str]]]:
    message: list[str] = []
    files: list[str] = []
    for paragraph in re.split(r"\n\s*\n", body):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        if lines and files and not _SIGNATURE.match(lines[0]):
            yield "\n".join(message), files
            message, files = [], []
        for line in lines:
            if listed := _FILE_LINE.match(line):
                names = re.split(r"[,\s]+", listed[1])
                files += [name for name in names if _PATH.fullmatch(name) and _is_file_name(name)]
            elif not files:
                message.append(line)
    yield "\n".join(message), files


def _is_file_name(name: str) -> bool:
    return "/" in name or "." in name or name.isupper()


def _make_commit(at: datetime, message: str, files: list[str]) -> Commit:
    subject, _, body = message.partition("\n")
    changes = tuple(CommitChange("M", path) for path in dict.fromkeys(files))
    return Commit(sha="", at=at, subject=subject, body=body, changes=changes)
