"""
The languages of the dashboard: catalogues in gettext's own text format, read as they are.

The English text is the key. `tools/docs/catalogues.py` collects every text; a test fails when a language lacks one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from recollect.model.value import dataclass

CATALOGUES = Path(__file__).parent / "catalogues"
LANGUAGES = {"en": "English", "fr": "Français"}
DEFAULT = "en"
_LINE = re.compile(r'^(msgid_plural|msgid|msgstr(?:\[(\d)\])?)?\s*"((?:[^"\\]|\\.)*)"\s*$')
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The texts of one language by their English form; a plural by the English singular."""

    language: str
    texts: Mapping[str, str]
    plurals: Mapping[str, tuple[str, ...]]

    def gettext(self, text: str) -> str:
        """The text in this language; English where there is none."""
        return self.texts.get(text) or text

    def ngettext(self, one: str, many: str, number: int) -> str:
        """The form for so many."""
        forms = self.plurals.get(one, ())
        # French counts nothing as one; English does not.
        is_one = abs(number) < 2 if self.language == "fr" else number == 1
        if len(forms) == 2 and all(forms):
            return forms[0 if is_one else 1]
        return one if is_one else many


@cache
def load_catalogue(language: str) -> Catalogue:
    """The catalogue of a language."""
    return parse_catalogue(language, (CATALOGUES / f"{language}.po").read_text("utf-8"))


def parse_catalogue(language: str, content: str) -> Catalogue:
    """Read a catalogue: entries with blank lines between them."""
    texts: dict[str, str] = {}
    plurals: dict[str, tuple[str, ...]] = {}
    for block in re.split(r"\n\s*\n", content):
        fields: dict[str, str] = {}
        field = ""
        for line in block.splitlines():
            if (match := _LINE.match(line.strip())) is None:
                continue
            field = match.group(1) or field
            fields[field] = fields.get(field, "") + _unescape(match.group(3))
        if not fields.get("msgid"):
            continue
        if "msgid_plural" in fields:
            plurals[fields["msgid"]] = (fields.get("msgstr[0]", ""), fields.get("msgstr[1]", ""))
        else:
            texts[fields["msgid"]] = fields.get("msgstr", "")
    return Catalogue(language=language, texts=texts, plurals=plurals)


def choose_language(wanted: str, accepted: str) -> str:
    """The language a person chose, else the first that their browser names and we have."""
    if wanted in LANGUAGES:
        return wanted
    ranked = []
    for position, part in enumerate(accepted.split(",")[:20]):
        name, _, quality = part.strip().partition(";q=")
        try:
            weight = float(quality or 1)
        except ValueError:
            continue
        ranked.append((-weight, position, name.split("-")[0].lower()))
    return next((name for _, _, name in sorted(ranked) if name in LANGUAGES), DEFAULT)


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match.group(1), match.group(1)), text)
