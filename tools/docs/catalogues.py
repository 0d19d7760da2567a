"""
Collect every text of the dashboard into its catalogues: `python tools/docs/catalogues.py`.

English is the key and the source. A new text gets an empty translation, which a test refuses; one that nobody uses any
more goes. Translations that are there stay as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from recollect.surfaces.ui.renderer import make_templates
from recollect.surfaces.ui.translate import CATALOGUES, LANGUAGES, Catalogue, parse_catalogue

UI = CATALOGUES.parent
_HEADER = (
    'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n'
    '"Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: {plural}\\n"\n'
)
_PLURALS = {"en": "nplurals=2; plural=(n != 1);", "fr": "nplurals=2; plural=(n > 1);"}
# A text, or a text and its plural.
Entry = tuple[str, str | None]


def collect_entries() -> list[Entry]:
    """Every text that a page or an answer may show, once, in a fixed order."""
    entries: dict[str, Entry] = {}
    for one, many in (*_from_templates(), *_from_modules()):
        known = entries.get(one)
        entries[one] = (one, many or (known[1] if known else None))
    return [entries[key] for key in sorted(entries)]


def _from_templates() -> Iterator[Entry]:
    templates = make_templates("en")
    for path in sorted((UI / "templates").glob("*.html")):
        for _, function, texts in templates.extract_translations(path.read_text("utf-8")):  # type: ignore[attr-defined]
            if function == "ngettext":
                yield texts[0], texts[1]
            elif isinstance(texts, str):
                yield texts, None
            elif texts and texts[0]:
                yield texts[0], None


def _from_modules() -> Iterator[Entry]:
    for path in sorted(UI.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            texts = [
                one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
            if name in ("gettext", "N_") and texts:
                yield texts[0], None
            elif name == "ngettext" and len(texts) == 2:
                yield texts[0], texts[1]


def write_catalogue(language: str, entries: list[Entry], known: Catalogue) -> str:
    """The catalogue of a language with these entries and the translations that are known."""
    blocks = [_HEADER.format(language=language, plural=_PLURALS[language])]
    for one, many in entries:
        if many is None:
            text = one if language == "en" else known.texts.get(one, "")
            blocks.append(f"msgid {_quote(one)}\nmsgstr {_quote(text)}\n")
        else:
            forms = (one, many) if language == "en" else known.plurals.get(one, ("", ""))
            lines = [f"msgid {_quote(one)}", f"msgid_plural {_quote(many)}"]
            lines += [f"msgstr[{number}] {_quote(form)}" for number, form in enumerate(forms)]
            blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def main() -> None:
    """Bring every catalogue up to date and say what is missing."""
    entries = collect_entries()
    for language in LANGUAGES:
        path: Path = CATALOGUES / f"{language}.po"
        known = parse_catalogue(language, path.read_text("utf-8"))
        path.write_text(write_catalogue(language, entries, known), "utf-8")
        fresh = parse_catalogue(language, path.read_text("utf-8"))
        missing = [
            one for one, many in entries if not (fresh.texts.get(one) or all(fresh.plurals.get(one, ("",))))
        ]
        print(f"{language}: {len(entries)} texts, {len(missing)} without a translation")


if __name__ == "__main__":
    main()
