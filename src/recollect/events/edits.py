"""
What an edit did to a file, without the file: hashes of the text before and after, and the lines it touched.

Equal hashes mean equal text, which is enough to see that a file went back to what it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.model.ids import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict

_PATCHED = {"Update File": "edit", "Add File": "create", "Delete File": "delete"}
_HUNK = r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@"


def short_digest(text: str) -> str:
    """Sixteen letters that stand for a text."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def describe_replacement(
    file: str, original: str | None, old: str, new: str, *, everywhere: bool = False
) -> EventDict:
    """One passage replaced by another; with the original at hand, the whole file before and after."""
    edit: EventDict = {"file": file, "removed": short_digest(old), "added": short_digest(new)}
    if original is None or (old and old not in original):
        return edit
    after = original.replace(old, new) if everywhere else original.replace(old, new, 1)
    first = original.count("\n", 0, original.find(old)) + 1 if old else 1
    return edit | {
        "before": short_digest(original),
        "after": short_digest(after),
        "lines": [first, first + new.count("\n")],
    }


def describe_written_file(file: str, original: str | None, content: str) -> EventDict:
    """A whole file written; without an original it is new, or nobody kept what was there."""
    edit: EventDict = {"file": file, "after": short_digest(content), "lines": [1, _lines(content)]}
    return edit | {"before": short_digest(original)} if original is not None else edit


def describe_diff(file: str, diff: str) -> EventDict:
    """One file's part of a unified diff."""
    removed = [line[1:] for line in diff.splitlines() if line.startswith("-") and not line.startswith("---")]
    added = [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    edit: EventDict = {
        "file": file,
        "removed": short_digest("\n".join(removed)),
        "added": short_digest("\n".join(added)),
    }
    hunks = [(int(hunk[1]), int(hunk[2] or 1)) for hunk in re.finditer(_HUNK, diff, re.MULTILINE)]
    if hunks:
        edit["lines"] = [hunks[0][0], hunks[-1][0] + max(0, hunks[-1][1] - 1)]
    return edit


def describe_patch(patch: str) -> tuple[str, list[str], list[EventDict]]:
    """What an `apply_patch` text does: the action, the files in its order, and one edit a file."""
    edits: list[EventDict] = []
    actions: list[str] = []
    for action, file, body in _patches(patch):
        actions.append(action)
        removed = [line[1:] for line in body if line.startswith("-")]
        added = [line[1:] for line in body if line.startswith("+")]
        edit: EventDict = {"file": file}
        if action == "create":
            edit["after"] = short_digest("\n".join(added) + "\n")
        elif action == "edit":
            edit |= {"removed": short_digest("\n".join(removed)), "added": short_digest("\n".join(added))}
        edits.append(edit)
    action = actions[0] if len(set(actions)) == 1 else "edit"
    return action, [edit["file"] for edit in edits], edits


def _patches(patch: str) -> Iterator[tuple[str, str, list[str]]]:
    action, file, body = "", "", []
    for line in patch.splitlines():
        head, colon, name = line.removeprefix("*** ").partition(": ")
        if line.startswith("*** Move to: "):
            body.append(line)
            yield action, file, body
            action, file, body = "create", name.strip(), []
        elif line.startswith("*** ") and colon and head in _PATCHED:
            if file:
                yield action, file, body
            action, file, body = _PATCHED[head], name.strip(), []
        elif file and not line.startswith("*** "):
            body.append(line)
    if file:
        yield action, file, body


def _lines(text: str) -> int:
    return max(1, text.count("\n") + (not text.endswith("\n")))
