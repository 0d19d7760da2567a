"""
YAML front matter edited line by line: only the lines of our own keys are ever replaced.

No YAML library stands between a note and its file: one that loads and dumps would change quotes, comments and order
of what is not ours, and some documents of a few hundred bytes keep one busy for minutes. What is ours is flat and
plain, so a few patterns read it. Pure: text in, text out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from recollect.model.value import dataclass

PREFIX = "recollect_"
MAX_BLOCK = 16_384
MAX_DEPTH = 20
# What a property can hold here: Obsidian's own types without nesting.
Scalar = str | int | float | bool
PropertyValue = Scalar | tuple[str, ...]

_FENCE = re.compile(r"---[ \t]*(?:\r\n|\n|\Z)")
_KEY = re.compile(
    r"""(?P<key>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"\[\]{},&*!|>%@`-][^:]*?)[ \t]*:(?=[ \t\r\n]|\Z)"""
)
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(?P<value>.*?))?[ \t]*\r?\n?\Z")
_FLOW_ITEM = re.compile(r"""\s*(?P<value>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\[\]{}"']+?)\s*(?:,|\Z)""")
_COMMENT = re.compile(r"[ \t]+#.*\Z")
_PLAIN = re.compile(r"[A-Za-z0-9][\w./@+ -]*\Z")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d)?\Z")
_LIKE_A_NUMBER = re.compile(r"[-+.\d_]+(?:[eE][-+]?\d*)?[-+.\d_]*\Z|0[xob][\da-fA-F_]+\Z")
_WORDS_WITH_A_MEANING = frozenset("true false yes no on off null y n ~".split())
# YAML takes these for line ends or refuses them; JSON does not mind.
_BREAKS = frozenset("\x7f\x85\u2028\u2029\ufeff")
_SPECIAL = re.compile(r"(?:^|[\s\[,:-])(?P<mark>&\w|\*\w|!\S|<<[ \t]*:)")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteParts:
    """A note cut in three without losing a byte: what opens the properties, the properties, and all that follows."""

    head: str
    block: str
    close: str
    body: str

    @property
    def text(self) -> str:
        """The note put together again."""
        return self.head + self.block + self.close + self.body

    @property
    def has_properties(self) -> bool:
        """Whether the note begins with a block of properties."""
        return bool(self.close)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """The lines of one top-level key."""

    key: str
    start: int
    end: int
    value: str


def split_note(text: str) -> NoteParts:
    """Cut a note at its properties; one without them is all body."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    opening = _FENCE.match(text, len(mark))
    if opening is None or opening.end() == len(text):
        return NoteParts(head=mark, block="", close="", body=text[len(mark) :])
    place = opening.end()
    for line in split_lines(text[place:]):
        if _FENCE.fullmatch(line):
            end = place + len(line)
            return NoteParts(
                head=text[: opening.end()],
                block=text[opening.end() : place],
                close=text[place:end],
                body=text[end:],
            )
        place += len(line)
    return NoteParts(head=mark, block="", close="", body=text[len(mark) :])


def split_lines(text: str) -> list[str]:
    """The lines with their ends. Only \\n ends a line: splitlines would also cut at form feeds and the like."""
    pieces = text.split("\n")
    lines = [piece + "\n" for piece in pieces[:-1]]
    return [*lines, pieces[-1]] if pieces[-1] else lines


def find_newline(text: str) -> str:
    """How the lines of this text end; the first one decides."""
    place = text.find("\n")
    return "\r\n" if place > 0 and text[place - 1] == "\r" else "\n"


def read_properties(block: str) -> dict[str, PropertyValue]:
    """The properties that are plain values or lists of them. What is more complicated is left out."""
    lines = split_lines(block)
    values: dict[str, PropertyValue] = {}
    for entry in _entries(lines):
        value = _value_of(entry, lines)
        if value is not None:
            values.setdefault(entry.key, value)
    return values


def edit_properties(note: NoteParts, wanted: Mapping[str, PropertyValue | None]) -> NoteParts:
    """
    The note with these properties set, or taken out where None; every other byte is as it was.

    A property that has the value already is not touched, however it is written.
    """
    newline = find_newline(note.text)
    lines = split_lines(note.block)
    for key, value in wanted.items():
        entry = next((one for one in _entries(lines) if one.key == key), None)
        if entry is None:
            if value is not None:
                lines = [*_ended(lines, newline), *_written(key, value, newline)]
        elif value is None:
            lines = [*lines[: entry.start], *lines[entry.end :]]
        elif _value_of(entry, lines) != value:
            lines = [*lines[: entry.start], *_written(key, value, newline), *lines[entry.end :]]
    block = "".join(lines)
    if note.has_properties or not block:
        return NoteParts(head=note.head, block=block, close=note.close, body=note.body)
    mark = "\ufeff" if note.head.startswith("\ufeff") else ""
    return NoteParts(head=f"{mark}---{newline}", block=block, close=f"---{newline}", body=note.body)


def find_fault(text: str) -> str:
    """Why the properties of this note cannot be edited line by line; empty if they can."""
    note = split_note(text)
    opening = _FENCE.match(text.removeprefix("\ufeff"))
    if not note.has_properties:
        is_rule = opening is None or opening.end() == len(text.removeprefix("\ufeff"))
        return "" if is_rule else "its properties begin with --- and do not end"
    block = note.block
    if len(block.encode()) > MAX_BLOCK:
        return f"its properties are larger than {MAX_BLOCK // 1024} KB"
    if block.isspace() or not block:
        return ""
    return _fault_of_lines(split_lines(block))


def _fault_of_lines(lines: Sequence[str]) -> str:
    keys: set[str] = set()
    for place, line in enumerate(lines, start=2):
        bare = line.rstrip("\r\n")
        content = bare.lstrip(" ")
        if not content.strip() or content.startswith("#"):
            continue
        if "\t" in bare[: len(bare) - len(bare.lstrip())]:
            return f"line {place} of its properties is indented with a tab"
        if (len(bare) - len(content)) // 2 > MAX_DEPTH or max(
            content.count("["), content.count("{")
        ) > MAX_DEPTH:
            return f"line {place} of its properties is nested deeper than {MAX_DEPTH}"
        if special := _SPECIAL.search(_without_quoted(content)):
            return f"line {place} of its properties holds {special['mark']!r}, an anchor, alias, merge or tag"
        if content is not bare or content.startswith("- ") or content == "-":
            continue
        key = _KEY.match(bare)
        if key is None:
            return f"line {place} of its properties is no `name: value`"
        name = _unquoted(key["key"]) or ""
        if name in keys:
            return f"the property {name!r} stands there twice"
        keys.add(name)
        if fault := _fault_of_value(bare[key.end() :].strip()):
            return f"line {place} of its properties {fault}"
    return ""


def _fault_of_value(value: str) -> str:
    if value[:1] in ("'", '"'):
        return (
            ""
            if _unquoted(_COMMENT.sub("", value)) is not None
            else "has a quotation mark without its partner"
        )
    if value[:1] in ("[", "{", "|", ">") or not value:
        return ""
    return "has a second colon" if re.search(r":(?:\s|\Z)", _COMMENT.sub("", value)) else ""


def _without_quoted(text: str) -> str:
    return re.sub(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'", '""', text)


def _entries(lines: Sequence[str]) -> list[_Entry]:
    """Every top-level key with its lines: its own and those that go on under it."""
    entries: list[_Entry] = []
    place = 0
    while place < len(lines):
        match = _KEY.match(lines[place])
        if match is None:
            place += 1
            continue
        end = place + 1
        for after in range(place + 1, len(lines)):
            if _goes_on(lines[after]):
                end = after + 1
            elif lines[after].strip() and not lines[after].lstrip().startswith("#"):
                break
        key = _unquoted(match["key"])
        if key is not None:
            entries.append(_Entry(key=key, start=place, end=end, value=lines[place][match.end() :].strip()))
        place = end
    return entries


def _goes_on(line: str) -> bool:
    return (line[:1] in (" ", "\t") and bool(line.strip())) or bool(re.match(r"-(?:\s|\Z)", line))


def _value_of(entry: _Entry, lines: Sequence[str]) -> PropertyValue | None:
    under = lines[entry.start + 1 : entry.end]
    value = entry.value if entry.value[:1] in ("'", '"') else _COMMENT.sub("", " " + entry.value).strip()
    if value and any(line.strip() and not line.lstrip().startswith("#") for line in under):
        return None
    if value.startswith("[") and value.endswith("]"):
        return _flow_list(value[1:-1])
    if value:
        return _scalar(value)
    items: list[str] = []
    for line in under:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _ITEM.match(line)
        read = _scalar(match["value"] or "") if match else None
        if read is None:
            return None
        items.append(_text_of(read))
    return tuple(items)


def _flow_list(inner: str) -> tuple[str, ...] | None:
    items: list[str] = []
    place = 0
    while inner[place:].strip():
        match = _FLOW_ITEM.match(inner, place)
        read = _scalar(match["value"]) if match and match["value"].strip() else None
        if match is None or read is None:
            return None
        items.append(_text_of(read))
        place = match.end()
    return tuple(items)


def _scalar(value: str) -> Scalar | None:
    value = value.strip()
    if value[:1] in ("'", '"'):
        return _unquoted(_COMMENT.sub("", value) if value[-1:] not in ("'", '"') else value)
    if not value or value[0] in "[]{}&*!|>%@`":
        return None if value else ""
    if value in ("true", "false"):
        return value == "true"
    for kind in (int, float):
        if re.fullmatch(r"-?\d+" if kind is int else r"-?\d+\.\d+", value):
            return kind(value)
    return value


def _unquoted(value: str) -> str | None:
    """The text of a quoted or plain scalar; None if the quotes do not match or hold escapes that JSON lacks."""
    if value.startswith("'"):
        inner = value[1:-1]
        is_whole = len(value) > 1 and value.endswith("'") and not re.search(r"(?<!')'(?:'')*(?!')", inner)
        return inner.replace("''", "'") if is_whole else None
    if value.startswith('"'):
        try:
            read = json.loads(value)
        except ValueError:
            return None
        return read if isinstance(read, str) else None
    return value


def _text_of(value: Scalar) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _ended(lines: Sequence[str], newline: str) -> list[str]:
    """The lines, the last of them with its end, so that another can follow."""
    if lines and not lines[-1].endswith("\n"):
        return [*lines[:-1], lines[-1] + newline]
    return list(lines)


def _written(key: str, value: PropertyValue, newline: str) -> list[str]:
    if isinstance(value, tuple):
        if not value:
            return [f"{key}: []{newline}"]
        return [f"{key}:{newline}", *(f"  - {_quoted(item)}{newline}" for item in value)]
    if isinstance(value, str):
        return [f"{key}: {_quoted(value)}{newline}"]
    return [f"{key}: {json.dumps(value)}{newline}"]


def _quoted(text: str) -> str:
    """A text as YAML: plain where nothing else could be meant, else in double quotes."""
    is_plain = _PLAIN.match(text) and text == text.strip() and text.lower() not in _WORDS_WITH_A_MEANING
    if _MOMENT.match(text) or (is_plain and not _LIKE_A_NUMBER.match(text)):
        return text
    written = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\u{ord(c):04x}" if c in _BREAKS else c for c in written)
