"""One paragraph on a part, from counts and its own first words; what a file says is quoted, cut and named."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.capture.evidence import gives_orders
from recollect.survey.facts import Facts

LONGEST_QUOTE = 220
_MOST_NAMED = 5
_MOST_NEIGHBOURS = 4
# reStructuredText: :class:`~flask.Flask` is flask.Flask.
_ROLE = re.compile(r":\w+:`~?([^`]*)`")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


def paragraph(facts: Facts) -> str:
    """What can be said of a part without a model: nothing that was not counted or is not a quotation."""
    module = facts.module
    where = f"`{module.folder}/`" if module.folder else "the top folder"
    parts = [
        f"`{module.name}` is {_files(facts)} in {where} with {_several(module.definitions, 'definition')}.",
        _quoted(facts),
        _named(facts),
        f"It can be started by {_listed([f'`{path}`' for path in facts.entries[:3]])}."
        if facts.entries
        else "",
        _neighbours(facts),
        f"{_several(facts.tests, 'test file')} {'reaches' if facts.tests == 1 else 'reach'} it."
        if facts.tests
        else "",
    ]
    return " ".join(part for part in parts if part)


def quotation(text: str) -> str:
    """Words of a file, cut at a sentence; empty when they tell their reader what to do."""
    plain = " ".join(
        _ROLE.sub(r"\1", text).replace('"', "'").replace("“", "'").replace("”", "'").replace("`", "").split()
    )
    if gives_orders(plain):
        return ""
    kept = ""
    for sentence in _SENTENCE_END.split(plain):
        if kept and len(kept) + len(sentence) > LONGEST_QUOTE:
            break
        kept = f"{kept} {sentence}".strip()
    return kept if len(kept) <= LONGEST_QUOTE else kept[:LONGEST_QUOTE].rsplit(" ", 1)[0] + "…"


def _files(facts: Facts) -> str:
    if len(facts.languages) == 1:
        [(language, count)] = facts.languages.items()
        return _several(count, f"{language} file")
    told = _listed([f"{count} {language}" for language, count in facts.languages.items()])
    return f"{_several(len(facts.module.files), 'file')} ({told})" if told else _several(0, "file")


def _quoted(facts: Facts) -> str:
    for path, opening in facts.says.items():
        if said := quotation(opening):
            ended = said if said.endswith((".", "!", "?", "…")) else f"{said}."
            return f"`{path}` says: “{ended}”"
    return ""


def _named(facts: Facts) -> str:
    """What others use of it most; where nobody else does, what its tests use."""
    who, names = ("Other parts use", facts.asked_for) if facts.asked_for else ("Tests use", facts.tested)
    told = [f"`{name}` (in {_several(files, 'file')})" for name, files in names[:1]]
    told += [f"`{name}` ({files})" for name, files in names[1:_MOST_NAMED]]
    return f"{who} its {_listed(told)}." if told else ""


def _neighbours(facts: Facts) -> str:
    below, above = _names(facts.below), _names(facts.above)
    lean = "leans" if len(facts.above[:_MOST_NEIGHBOURS]) == 1 else "lean"
    if below and above:
        return f"It leans on {below}; {above} {lean} on it."
    if below:
        return f"It leans on {below}."
    return f"{above} {lean} on it." if above else ""


def _names(neighbours: Sequence[str]) -> str:
    return _listed([f"`{name}`" for name in neighbours[:_MOST_NEIGHBOURS]])


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def _several(count: int, unit: str) -> str:
    return f"{count:,} {unit}" if count == 1 else f"{count:,} {unit}s"
