"""What every event goes through before it is written: hidden characters and secrets out, long texts cut, paths home."""

from __future__ import annotations

from functools import lru_cache

from recollect.events.bloom import make_bloom_filter
from recollect.events.excluded import withhold_excluded
from recollect.events.hidden import strip_hidden
from recollect.events.redact import redact
from recollect.events.statements import searches, shows_prose, sketch_statements, split_hits
from recollect.events.tool_actions import NAMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recollect.events.event_dict import EventDict
    from recollect.events.places import ProjectPaths

# Characters kept at the beginning and at the end of a long text.
TEXT = (6_000, 2_000)
SUMMARY = (60_000, 4_000)
OUTPUT = (2_000, 2_000)
COMMAND = (3_000, 1_000)
SHORT = (400, 0)
WORDS = (2_000, 0)
MOST_FILES = 200
_MOST_NAME = 300
_MOST_DEPTH = 6
_MOST_ITEMS = 50

# A secret reaches over the cut at most so far, except for what only whole lines can show.
_MARGIN = 1_000
_REACH = 16_000
_OVER_LINES = ("PRIVATE KEY", "Private-Lines:", "<private", "<PRIVATE", "<Private")
_MOST_READ = 400_000
# Shorter answers say nothing that could be repeated.
_FEWEST_STATED = 20
# After these a tool shows the file around what the agent wrote.
_SILENT_ACTIONS = frozenset({"edit", "create", "delete"})


def sanitize_event(event: EventDict, place: ProjectPaths, excluded: Sequence[str] = ()) -> EventDict:
    """An event fit to be written; of files that these patterns exclude it says nothing."""
    named = event.pop(NAMED, ())
    if excluded:
        # First: of what is excluded not even a sketch is made.
        withhold_excluded(event, named, excluded, place)
    _sift(event)
    for name, (head, tail) in _TEXTS if event.get("type") != "compacted" else _SUMMARY_TEXTS:
        if name in event:
            event[name] = clean(event[name], head, tail)
    for name in ("session_id", "client", "agent", "call_id", "tool"):
        if name in event:
            event[name] = _name(event[name])
    if "folder" in event:
        event["folder"] = event["folder"][: _MOST_NAME * 8]
    if "files" in event:
        inside = dict.fromkeys(filter(None, map(place.inside, event["files"][:MOST_FILES])))
        event["files"] = [clean(path, 1_000, 0) for path in inside]
        if not event["files"]:
            del event["files"]
    if "data" in event:
        event["data"] = _data(event["data"], place)
    return event


def _sift(event: EventDict) -> None:
    """Of what was read only a sieve is kept; of what will be cut, a sieve of the whole."""
    output = event.get("output", "")
    was_read = event.get("action") == "read" and event.get("ok") is not False
    if (was_read or len(output) > sum(OUTPUT)) and (sieve := make_bloom_filter(output)):
        event["data"] = {**event.get("data", {}), "sieve": sieve}
    if len(output) > _FEWEST_STATED and event.get("type") == "tool_finished":
        _add_statements(event, output)
    if was_read:
        event.pop("output", None)


def _add_statements(event: EventDict, output: str) -> None:
    """The words of what the sentences say that were read, so that a note is known again that says the same."""
    action, files, command = event.get("action"), event.get("files", ()), event.get("command", "")
    data = event.get("data", {})
    if action in _SILENT_ACTIONS:
        if "statements" in data:
            return
        action = "read"
    every = shows_prose(action, files, command)
    if searches(action, command):
        prose, output = split_hits(output)
        statements, is_cut = sketch_statements(prose, every=True)
        more, is_more_cut = sketch_statements(output, every=every)
        statements, is_cut = [*statements, *more], is_cut or is_more_cut
    else:
        statements, is_cut = sketch_statements(output, every=every, reported=action == "delegate")
    if written := data.get("written"):
        statements = [words for words in statements if words not in written]
    if statements:
        sketch: EventDict = {"statements": statements}
        if not every:
            sketch["from_code"] = True
        if is_cut:
            sketch["unseen"] = True
        event["data"] = {**event.get("data", {}), **sketch}


_TEXTS = (("text", TEXT), ("output", OUTPUT), ("command", COMMAND))
# A summary is all that is left of hours; it is written once in them, and its sections are read one by one.
_SUMMARY_TEXTS = (("text", SUMMARY), *_TEXTS[1:])


def clean(text: str, head: int, tail: int) -> str:
    """A text without hidden characters and secrets, cut to its beginning and end."""
    if len(text) <= 200:
        return _clean_short(text)
    if len(text) > head + tail + 2 * _MARGIN:
        return _cut_clean(text, head, tail)
    return cut(_washed(text), head, tail)


def cut(text: str, head: int, tail: int) -> str:
    """The beginning and the end of a text, and how much is missing between them."""
    left_out = len(text) - head - tail
    if left_out <= 0:
        return text
    end = text[-tail:] if tail else ""
    return f"{text[:head]}\n[… {left_out:,} characters cut …]\n{end}"


@lru_cache(maxsize=4096)
def _clean_short(text: str) -> str:
    return _washed(text)


def _washed(text: str) -> str:
    return redact(strip_hidden(text).text).text


def _cut_clean(text: str, head: int, tail: int) -> str:
    """
    Cut first, clean the little that is left: an output can have megabytes.

    No secret is cut in two: both pieces are taken longer than needed, at white space, cleaned, and cut again. A secret
    of several lines shows only as a whole, so a text that holds one is cleaned as a whole.
    """
    if any(mark in text for mark in _OVER_LINES):
        return cut(_washed(text[:_MOST_READ]), head, tail if len(text) <= _MOST_READ else 0)
    start = _washed(text[: _next_space(text, head + _MARGIN)])[:head]
    end = _washed(text[_space_before(text, len(text) - tail - _MARGIN) :])[-tail:] if tail else ""
    return f"{start}\n[… {len(text) - len(start) - len(end):,} characters cut …]\n{end}"


def _next_space(text: str, at: int) -> int:
    for place in range(at, min(len(text), at + _REACH)):
        if text[place].isspace():
            return place
    return min(len(text), at + _REACH)


def _space_before(text: str, at: int) -> int:
    for place in range(at, max(0, at - _REACH), -1):
        if text[place].isspace():
            return place
    return max(0, at - _REACH)


def _name(value: str) -> str:
    return (
        value if value.isprintable() and len(value) <= _MOST_NAME else strip_hidden(value[:_MOST_NAME]).text
    )


def _data(data: Mapping[str, Any], place: ProjectPaths) -> EventDict:
    cleaned: EventDict = {}
    for name, value in data.items():
        if name == "edits":
            edits = [
                edit | {"file": clean(file, 1_000, 0)}
                for edit in value
                if (file := place.inside(edit["file"]))
            ]
            if edits:
                cleaned[name] = edits[:MOST_FILES]
        elif name == "raw":
            cleaned[name] = clean(value, *OUTPUT)
        elif name in ("words", "names"):
            cleaned[name] = clean(value, *WORDS)
        elif name in ("sieve", "statements", "written"):
            cleaned[name] = value
        else:
            cleaned[name] = _named(name, value, 0)
    return cleaned


def _named(name: str, value: Any, depth: int) -> Any:
    """A value cleaned together with its name, which may be all that gives it away: `password`, `api_key`."""
    if not isinstance(value, str) or not value:
        return _deep(value, depth)
    start = f"{name[:_MOST_NAME]}="
    together = clean(start + value, SHORT[0] + len(start), SHORT[1])
    return together.removeprefix(start) if together.startswith(start) else clean(value, *SHORT)


def _deep(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return clean(value, *SHORT)
    if depth < _MOST_DEPTH and isinstance(value, dict):
        return {
            clean(_name(str(key)), *SHORT): _named(str(key), item, depth + 1)
            for key, item in list(value.items())[:_MOST_ITEMS]
        }
    if depth < _MOST_DEPTH and isinstance(value, list | tuple):
        return [_deep(item, depth + 1) for item in value[:_MOST_ITEMS]]
    return value if value is None or isinstance(value, bool | int | float) else None
