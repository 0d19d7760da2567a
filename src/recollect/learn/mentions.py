"""Entity spotting in prose about code: paths, symbols, commands, flags, errors and settings that a sentence names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from recollect.model.value import dataclass

_EXTENSIONS = (
    "py|go|rs|ts|tsx|js|jsx|mjs|java|kt|kts|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sh|bash|sql|toml|yaml|yml|json|jsonl"
    "|md|rst|txt|cfg|ini|lock|proto|html|css|scss|vue|svelte|ex|exs|erl|hs|ml|tf|gradle|xml|mod|sum|env"
)
_PATH = re.compile(
    rf"(?<![\w/.@-])(?:\.{{0,2}}/)?(?:[\w.@+-]+/)*[\w.@+-]*\w\.(?:{_EXTENSIONS})\b(?!\()"
    rf"|(?<![\w/.:@-])(?:\.?[\w@+-]+/){{2,}}[\w.@+-]*"
)
_LINE_REFERENCE = re.compile(r":\d+(?:[-–,:]\d+)*(?:,\s?\d+(?:-\d+)?)*")
_DIGIT = re.compile(r"\d")
_LINES_IN_BRACKETS = re.compile(r"\s*\((?:at |on |around |see )?lines? ~?\d[\d\s,–&-]*\)")
_LINES = re.compile(r"\s*(?:\b(?:[Aa]t|[Oo]n|[Aa]round|[Ii]n) )?\b[Ll]ines? ~?\d+(?:\s*[-–]\s*\d+)?\b(?! of)")
_LINE_OF_FILE = re.compile(r"(?<=\.\w)(\w{0,4}):\d+(?:[-–]\d+)?(?:,\s?\d+(?:[-–]\d+)?)*")
# No path goes over a space, and each has a slash, or a dot before its extension: few words are looked at closely.
_PATH_WORD = re.compile(r"[^\s/.]*(?:\.(?!\w)[^\s/.]*)*(?:/|\.\w)\S*")
_CODE = re.compile(r"`([^`\n]{1,120})`")
_SYMBOL = re.compile(
    r"(?<![\w/.\-`])(?:[A-Za-z_]\w*\.)*(?:[a-z]+\w*[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\w*"
    r"|[A-Z]{2,}[a-z]\w+|[a-zA-Z]\w*_\w+"
    r"|[a-z_]\w*(?=\(\))|[a-z]\w+\.[A-Z]\w+)(?:\(\))?"
)
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]{1,40}\b")
_COMMAND = re.compile(
    r"^(?:\$ )?(?:git|gh|npm|pnpm|yarn|npx|uv|uvx|pip|poetry|python3?|pytest|ruff|mypy|make|cargo|go|mise|just"
    r"|docker|podman"
    r"|kubectl|helm|terraform|psql|curl|brew|apt|bazel|gradle|mvn|dotnet|tox|nox|bundle|rake|mix|composer|bun"
    r"|deno|node|tsc"
    r"|eslint|golangci-lint|systemctl|ssh)\s+\S"
)
# Values and types of any program: they tie a sentence to no place.
_LITERALS = frozenset(
    "nil null none true false undefined nan error errors err string int integer float bool boolean bytes list dict map"
    " array object void self this main test tests return break continue default panic async await null_value".split()
)
_NO_SYMBOL = frozenset({"GitHub", "JavaScript", "TypeScript", "PostgreSQL", "macOS", "iOS", "OpenAI"})


class MentionKind(StrEnum):
    """What sort of thing is named."""

    FILE = "file"
    COMMAND = "command"
    SYMBOL = "symbol"
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One thing a text names, as it spells it."""

    kind: MentionKind
    name: str


@lru_cache(maxsize=4096)
def find_mentions(text: str) -> tuple[Mention, ...]:
    """What a text names, each once, in the order of first appearance."""
    places: dict[str, tuple[int, Mention]] = {}
    spans = list(_CODE.finditer(text))
    for span in spans:
        _put(places, span.start(), _of_code(span[1].strip()))
    bare = _blank_out(text, spans)
    paths = [path for word in _PATH_WORD.finditer(bare) for path in _PATH.finditer(bare, *word.span())]
    for path in paths:
        _put(places, path.start(), Mention(kind=MentionKind.FILE, name=_bare_path(path.group())))
    bare = _blank_out(bare, paths)
    for pattern, kind in ((_SYMBOL, MentionKind.SYMBOL), (_FLAG, MentionKind.CODE)):
        for name in pattern.finditer(bare):
            if name.group() not in _NO_SYMBOL:
                _put(places, name.start(), Mention(kind=kind, name=name.group().removesuffix("()")))
    return tuple(mention for _, mention in sorted(places.values(), key=lambda pair: pair[0]))


def _blank_out(text: str, spans: Iterable[re.Match[str]]) -> str:
    """The text with spaces in the place of what matched, so that all else stays where it is."""
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces += (text[at : span.start()], " " * (span.end() - span.start()))
        at = span.end()
    return "".join((*pieces, text[at:]))


def has_anchor(text: str) -> bool:
    """Whether a text names something that has a place: a file, a symbol, a command, or a piece of code of its own."""
    return any(mention.name.lower() not in _LITERALS for mention in find_mentions(text))


def strip_line_references(text: str) -> str:
    """A text without line numbers: they are wrong after the next edit."""
    if _DIGIT.search(text):
        text = _LINES_IN_BRACKETS.sub("", text)
        text = _LINES.sub("", text)
        text = _LINE_OF_FILE.sub(r"\1", text)
    return " ".join(text.split())


def _of_code(code: str) -> Mention | None:
    if _COMMAND.match(code):
        return Mention(kind=MentionKind.COMMAND, name=code.removeprefix("$ "))
    if path := _PATH.fullmatch(_LINE_REFERENCE.sub("", code)):
        return Mention(kind=MentionKind.FILE, name=_bare_path(path.group()))
    name = code.removesuffix("()")
    if re.fullmatch(r"[A-Za-z_][\w.:]*", name) and len(name) > 2 and name.lower() not in _LITERALS:
        return Mention(kind=MentionKind.SYMBOL, name=name)
    return Mention(kind=MentionKind.CODE, name=code) if len(code) > 1 else None


def _bare_path(path: str) -> str:
    return _LINE_REFERENCE.sub("", path).removeprefix("./").rstrip("/.")


def _put(places: dict[str, tuple[int, Mention]], at: int, mention: Mention | None) -> None:
    if mention is not None and mention.name:
        places.setdefault(mention.name.lower(), (at, mention))
