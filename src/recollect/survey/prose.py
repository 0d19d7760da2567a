"""
What a project says of itself in words: decisions in ADRs and docs, and rules in its guides for contributors.

All of it waits for a person's yes. A sentence is a rule when it obliges or forbids; it is worth proposing when it
names something of this project (a command, a path, a tool) and not what every project asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from recollect.survey.proposal import Proposal, RepositoryTexts

MAX_ADRS = 4
MAX_SENTENCES = 5
MIN_USEFULNESS = 0.5
_SHORTEST, _LONG, _LONGEST = 40, 200, 280
_MAX_FILES = 40

_ADR = re.compile(
    r"(?:.*/)?(?:adrs?|decisions|decision-records|architecture-decisions|architectural-decisions)/"
    r"(?!.*(?:template|readme|index))[\w.-]*\d[\w.-]*\.(?:md|rst|adoc|txt)",
    re.IGNORECASE,
)
_GUIDE = re.compile(
    r"(?:(?:\.github|docs?|doc|documentation)/(?:[\w-]+/){0,2})?(?:contributing|contribute|hacking|development"
    r"|developing|developers?|dev[-_]guide|coding[-_]?style|style[-_]?guide|conventions|decisions|architecture)"
    r"\.(?:md|rst|txt|adoc)"
    r"|(?:docs?|doc|documentation)/(?:[\w-]+/){0,2}(?:contributing|development|developers?|hacking)/(?:[\w-]+/)?"
    r"[\w-]+\.(?:md|rst|txt|adoc)|TESTING\.(?:md|rst|txt)",
    re.IGNORECASE,
)
# For whoever makes releases, which is no newcomer.
_FOR_MAINTAINERS = re.compile(
    r"release|releasing|maintain|triag|govern|backport|merg(?:ing|e) strateg|security", re.IGNORECASE
)
_README = re.compile(r"readme\.(?:md|rst|txt)", re.IGNORECASE)
_README_PART = re.compile(r"develop|contribut|test|build|hack|convention|decision", re.IGNORECASE)
_HEADING = re.compile(r"^(?:#{1,6}\s+(?P<marked>.+?)\s*#*|(?P<plain>\S.{0,78}))$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`*+#])\1{2,}\s*$")
_TITLE = re.compile(r"^#\s+(\S.*)$|^(\S.*)\n(?:={3,}|-{3,})\s*$", re.MULTILINE)
_DECIDED = re.compile(r"\bwe (?:have )?(?:decided|chose|agreed|settled|opted)\b", re.IGNORECASE)


def read_prose_proposals(files: RepositoryTexts) -> list[Proposal]:
    """Decisions first, then rules, each with where it stands."""
    return [*_read_adrs(files), *_read_rules(files)]


def _read_adrs(files: RepositoryTexts) -> list[Proposal]:
    """The newest decisions that hold."""
    paths = sorted((path for path in files.paths if _ADR.fullmatch(path)), key=_adr_number, reverse=True)
    proposals: list[Proposal] = []
    for path in paths[:_MAX_FILES]:
        proposal = _read_adr(path, files.text(path))
        if proposal is not None and len(proposals) < MAX_ADRS:
            proposals.append(proposal)
    return proposals


def _adr_number(path: str) -> tuple[int, str]:
    return int(re.findall(r"\d+", path.rpartition("/")[2])[0]), path


def _read_adr(path: str, text: str) -> Proposal | None:
    first = _TITLE.search(text)
    title = (first[1] or first[2]).strip() if first else ""
    title = re.sub(r"^(?:adr[- ]?)?\d+\s*[.:—–-]*\s*", "", title, flags=re.IGNORECASE).strip()
    status = re.search(
        r"^(?:[*\s-]*status[*\s]*:|#+\s*status\s*\n+)\s*\W*(\w+)", text, re.IGNORECASE | re.MULTILINE
    )
    if not title or (
        status and status[1].lower() in ("superseded", "deprecated", "rejected", "draft", "proposed")
    ):
        return None
    decided = next(
        (
            sentence
            for block in _split_blocks(text)
            if re.match(r"decision|chosen", block.heading, re.IGNORECASE)
            for sentence in _split_sentences(block)
            if len(sentence.text) >= _SHORTEST
        ),
        None,
    )
    line = decided.line if decided else 1
    quotation = f": “{_cut(decided.text)}”" if decided else ""
    return Proposal(
        topic=f"decision {path}",
        text=f"Decided: {_cut(title)}{quotation} ({path}:{line}).",
        kind="decision",
        path=path,
        line=line,
        usefulness=0.88 if decided else 0.7,
        waits=True,
    )


class _ProseBlock(NamedTuple):
    """A paragraph or a point of a list, with the heading above it."""

    heading: str
    line: int
    text: str


class _QuotedSentence(NamedTuple):
    line: int
    text: str


def _read_rules(files: RepositoryTexts) -> list[Proposal]:
    paths = [path for path in files.paths if _GUIDE.fullmatch(path) and not _FOR_MAINTAINERS.search(path)][
        :_MAX_FILES
    ]
    readmes = [path for path in sorted(files.top) if _README.fullmatch(path)]
    proposals: list[Proposal] = []
    for path in (*paths, *readmes):
        for block in _split_blocks(files.text(path)):
            if path in readmes and not _README_PART.search(block.heading):
                continue
            if _FOR_MAINTAINERS.search(block.heading):
                continue
            for sentence in _split_sentences(block):
                usefulness = judge_sentence(sentence.text)
                if usefulness >= MIN_USEFULNESS:
                    proposals.append(_make_rule(path, sentence, usefulness))
    proposals.sort(key=lambda one: -one.usefulness)
    return proposals[:MAX_SENTENCES]


def _make_rule(path: str, sentence: _QuotedSentence, usefulness: float) -> Proposal:
    decided = _DECIDED.search(sentence.text) is not None
    return Proposal(
        topic=f"says {path}: {sentence.text[:60]}",
        text=f"{path} says: “{sentence.text}” ({path}:{sentence.line}).",
        kind="decision" if decided else "requirement",
        path=path,
        line=sentence.line,
        usefulness=usefulness,
        waits=True,
    )


# Whom a rule is for, or an order at the beginning of a sentence.
_FORBIDS = re.compile(
    r"^(?:please )?(?:never|do not|don't|avoid)\b"
    r"|^.{0,80}\b(?:you|we|code|tests?|changes?|files?|commits?|functions?|imports?|prs?"
    r"|pull requests?) (?:must not|mustn't"
    r"|should not|shouldn't|should never|must never|may not|do not|don't|never|cannot)\b(?! (?:enforce|have any"
    r"|need|bring|mind))"
    r"|\bnot by hand\b|\bnot allowed\b|\bforbidden\b",
    re.IGNORECASE,
)
_OBLIGES = re.compile(
    r"^(?:please )?(?:always|make sure|ensure|use|run|add|prefer|update|write|keep|put|include|regenerate|follow"
    r"|name|sign"
    r"|document|cover|target|base|rebase|squash|mark|remember to)\b"
    r"|^(?:before|when|after|whenever|if you (?:add|change|remove|fix|touch|modify|introduce)) .*,"
    r"|\b(?:must|has to|have to|need to|needs to|required to|is required|are required|should (?:always|only|be|have"
    r"|include"
    r"|use|pass|follow|go|come|start|end|target))\b",
    re.IGNORECASE,
)
# It leans on what stands before it.
_LEANING = re.compile(
    r"^(?:in (?:this|that|such|between|addition)|again|first(?:ly)?|then|next|finally|this|that|these|those|it|they"
    r"|however"
    r"|also|additionally|but|and|or|so|ideally|once|otherwise|instead"
    r"|if you (?:don't|do|did|haven't|can't)|note that this|while"
    r"|as (?:above|described)|here|there|such)\b",
    re.IGNORECASE,
)
# Names of this project: code in backticks, paths, options.
_NAMES = re.compile(r"`{1,2}[^`\n]{2,80}`{1,2}|(?<!\w)[\w-]+/[\w./-]+\w|(?<!\w)--[a-z][\w-]+")
_SUBJECT = re.compile(
    r"\b(?:tests?|changelog|news ?fragments?|generated?|regenerate|releases?|branch|rebase|squash|sign-?off"
    r"|signed-off"
    r"|cla|type (?:hints|annotations)|docstrings?|lint|format\w*|coverage|migrations?|snapshots?|public api"
    r"|deprecat\w+"
    r"|backwards?|compatib\w+|lock ?files?|imports?|dependenc\w+|style|naming|commit messages?|vendored?|fixtures?)\b",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"\b(?:welcome|thank|feel free|code of conduct|stack ?overflow|discord|gitter|mailing list|questions?|sponsor"
    r"|donat\w+"
    r"|bug reports?|reporting|issue tracker|open an issue|search (?:the )?issues|duplicate|security"
    r"|vulnerability|vulnerabilities"
    r"|first[- ]time|fork|github account|clone|virtual ?env\w*|pip install|npm install|star|licen[cs]e|copyright"
    r"|be (?:kind|patient|respectful)|help us|click|log ?in|sign up|e-?mail|your name|editor|ide\b|good luck)\b",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"\b(?:you can|you may|if you (?:want|like|prefer|wish|are|have)|optional\w*|not require[ds]?|no need|feel free"
    r"|might"
    r"|for example|e\.g\.|such as|we recommend|consider|has the option)\b",
    re.IGNORECASE,
)


def judge_sentence(text: str) -> float:
    """How much a newcomer would miss a sentence, from 0 to 1; what obliges nobody or is asked everywhere is nothing."""
    if not _SHORTEST <= len(text) <= _LONGEST or text.endswith((":", "?")) or "http" in text:
        return 0.0
    decided = _DECIDED.search(text) is not None
    forbids, obliges = _FORBIDS.search(text) is not None, _OBLIGES.search(text) is not None
    if not (decided or forbids or obliges):
        return 0.0
    names = len(_NAMES.findall(text))
    subjects = len({one.lower() for one in _SUBJECT.findall(text)})
    leans = _LEANING.match(text) or (text.startswith("Use ") and text.endswith("instead."))
    if not (decided or names or subjects) or leans:
        return 0.0
    score = 0.3 + 0.2 * decided + 0.15 * forbids + 0.05 * obliges
    score += min(0.2, 0.12 * names) + min(0.15, 0.08 * subjects)
    score -= 0.1 * (len(text) > _LONG)
    score -= 0.3 * (_GENERIC.search(text) is not None) + 0.25 * (_OFFERS.search(text) is not None)
    return max(0.0, min(0.87, score))


_FENCE = re.compile(r"^\s*(?:```|~~~)")
_POINT = re.compile(r"^\s*(?:[-*+]|\d+[.)]|#\.|- \[[ x]\])\s+")
_FURNITURE = re.compile(r"^\s*(?:\||<(?!https?:)|\.\. |:\w+:(?!`)|!\[|\[[^\]]+\]:|>|\$ )")


def _split_blocks(text: str) -> Iterator[_ProseBlock]:
    """Paragraphs and points without code, tables, pictures and directives."""
    lines: list[str] = []
    heading, start, in_fence, in_directive = "", 0, False, False
    rows = text.split("\n")
    for number, row in enumerate(rows, start=1):
        following = rows[number] if number < len(rows) else ""
        if _FENCE.match(row):
            in_fence = not in_fence
        is_indented = row.startswith(("    ", "\t"))
        is_heading = (
            not in_fence and _HEADING.match(row) and (row.startswith("#") or _UNDERLINE.match(following))
        )
        ends = in_fence or is_heading or not row.strip() or _FENCE.match(row) or _FURNITURE.match(row)
        if (ends or _POINT.match(row)) and lines:
            yield _ProseBlock(heading, start, " ".join(lines))
            lines = []
        if is_heading:
            heading = (re.sub(r"^#+\s*|\s*#+$", "", row)).strip()
        if row.strip():
            in_directive = bool(re.match(r"^\s*\.\. |.*::\s*$", row)) or (
                in_directive and row.startswith(" ")
            )
        if ends or _UNDERLINE.match(row) or in_directive or (is_indented and not lines):
            continue
        if not lines:
            start = number
        lines.append(_POINT.sub("", row).strip())
    if lines:
        yield _ProseBlock(heading, start, " ".join(lines))


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*_\"“(])")
_MARKUP = (
    (re.compile(r":\w+:`~?([^`<]*?)(?:\s*<[^>]*>)?`"), r"`\1`"),
    (re.compile(r"\[([^\]]+)\]\([^)]*\)|\[([^\]]+)\]\[[^\]]*\]"), r"\1\2"),
    (re.compile(r"`([^`<]+)\s+<[^>]+>`_{1,2}"), r"\1"),
    (re.compile(r"``([^`]+)``"), r"`\1`"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"\1"),
)


def _split_sentences(block: _ProseBlock) -> Iterator[_QuotedSentence]:
    text = block.text
    for pattern, instead in _MARKUP:
        text = pattern.sub(instead, text)
    for sentence in _SENTENCE_END.split(" ".join(text.split())):
        yield _QuotedSentence(block.line, sentence.strip().replace("”", "'").replace("“", "'"))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + "…"
