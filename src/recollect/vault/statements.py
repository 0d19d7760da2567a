"""
What a Markdown document states: its decisions, rules and facts as single sentences, each with its line.

For documents that people wrote for people or agents (CLAUDE.md, AGENTS.md, decision records, a wiki). Deterministic and
shy: list items and short paragraphs under a heading are statements; code, tables, links alone and long prose are not.
Pure: a text in, statements out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.model.value import dataclass
from recollect.vault.outline import NotePart, parse_outline

MAX_STATEMENTS = 200
_LEAST_WORDS = 4
_MAX_LENGTH = 600
_ITEM = re.compile(r"\s{0,6}(?:[-*+]|\d+[.)])[ \t]+(?!\[.\][ \t])(.+)")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])[ \t]")
_FENCE = re.compile(r"\s*(?:>\s?)*(`{3,}|~{3,})")
_LINK_ALONE = re.compile(r"[\s\W]*(?:\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\]|<?https?://\S+>?)[\s\W]*\Z")
_PATH = re.compile(
    r"(?<![\w/.-])((?:[\w@.-]+/)+[\w@.-]+\.\w{1,8}"
    r"|[\w-]+\.(?:py|js|ts|tsx|go|rs|java|rb|c|h|cpp|sql|toml|yaml|yml|json|sh))(?![\w/])"
)
# A decision record says what was decided under one of these headings.
_DECIDED = re.compile(r"\b(?:decision|decision outcome|entscheidung)\b", re.IGNORECASE)
# Which kind of memory a heading promises; the first that fits.
_KINDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), kind)
    for words, kind in (
        (r"gotchas?|pitfalls?|caveats?|warnings?|traps?|watch out|known (?:issues|problems)", "gotcha"),
        (r"decisions?|adr|why we", "decision"),
        (r"requirements?|constraints?|must", "requirement"),
        (r"conventions?|style|patterns?|guidelines?|practices|rules?", "pattern"),
        (r"preferences?|prefers?|likes", "preference"),
        (r"architecture|structure|overview|modules?|components?", "module_insight"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownStatement:
    """One thing a document states: where, under which heading, of which kind, and the files it names."""

    text: str
    line: int
    heading: str
    kind: str
    files: tuple[str, ...] = ()


def find_statements(text: str, path: str) -> list[MarkdownStatement]:
    """The statements of a document, in its order."""
    outline = parse_outline(text, path)
    if record := _decision_record(outline.parts, path):
        return [record]
    statements: list[MarkdownStatement] = []
    for part in outline.parts:
        for line, sentence in _sentences(part):
            statements.append(_statement(sentence, line, part.heading))
            if len(statements) >= MAX_STATEMENTS:
                return statements
    return statements


def _decision_record(parts: tuple[NotePart, ...], path: str) -> MarkdownStatement | None:
    """A decision record is one decision: its title and what stands under `Decision`."""
    title = next((part.heading for part in parts if part.heading), "")
    for part in parts:
        last = part.heading.rpartition(" > ")[2]
        if part.heading != title and _DECIDED.search(last):
            sentence = " ".join(" ".join(_prose(part)).split())
            if sentence:
                head = title.partition(" > ")[0]
                text = f"{head}: {sentence}"[:_MAX_LENGTH]
                return MarkdownStatement(
                    text=text, line=part.line, heading=part.heading, kind="decision", files=_files(text)
                )
    return None


def _sentences(part: NotePart) -> Iterator[tuple[int, str]]:
    """The list items and short paragraphs of a part, each with its line."""
    held: list[str] = []
    start = part.line
    fence = ""
    for number, line in enumerate((*part.text.split("\n"), ""), start=part.line):
        if match := _FENCE.match(line):
            fence = "" if fence and line.strip().startswith(fence) else fence or match[1]
        is_prose = not fence and match is None and not line.startswith(("#", "|", "%%", ">", "<"))
        item = _ITEM.match(line) if is_prose else None
        goes_on = held and is_prose and line.strip() and not _BULLET.match(line)
        if not goes_on:
            if sentence := _join_sentence(held):
                yield start, sentence
            held = []
        if item:
            held, start = [item[1]], number
        elif is_prose and line.strip() and not _BULLET.match(line):
            held, start = ([*held, line], start) if held else ([line], number)


def _join_sentence(held: list[str]) -> str:
    text = " ".join(" ".join(held).split())
    words = re.sub(r"[*_`]", "", text)
    if len(words.split()) < _LEAST_WORDS or len(text) > _MAX_LENGTH or _LINK_ALONE.match(text):
        return ""
    return "" if text.endswith(":") else text


def _prose(part: NotePart) -> list[str]:
    lines = part.text.split("\n")
    return [line for line in lines if line.strip() and not line.startswith(("#", "|", "```", "%%"))]


def _statement(text: str, line: int, heading: str) -> MarkdownStatement:
    kind = next((kind for pattern, kind in _KINDS if pattern.search(heading)), "fact")
    return MarkdownStatement(text=text, line=line, heading=heading, kind=kind, files=_files(text))


def _files(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in _PATH.findall(text) if ".." not in name))[:10]
