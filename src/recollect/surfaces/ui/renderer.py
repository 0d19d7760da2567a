"""Templates: one environment a language, everything escaped, and the few values that every page has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from recollect import __version__
from recollect.model.ids import SHORT_LENGTH
from recollect.model.review import find_badge
from recollect.model.trust import origin_of
from recollect.surfaces.ui.formats import make_filters
from recollect.surfaces.ui.labels import find_label
from recollect.surfaces.ui.translate import LANGUAGES, Catalogue, load_catalogue

FOLDER = Path(__file__).parent
STATIC_FOLDER = FOLDER / "static"
# Lines on a field of 20 by 20, drawn for the dashboard, by name.
ICONS: Mapping[str, str] = json.loads((FOLDER / "icons.json").read_text("utf-8"))


@cache
def make_templates(language: str) -> jinja2.Environment:
    """The templates in one language."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
    )
    catalogue = load_catalogue(language)
    templates.install_gettext_callables(  # type: ignore[attr-defined]  # of the i18n extension
        catalogue.gettext, catalogue.ngettext, newstyle=True
    )
    templates.filters.update(make_filters(language))
    templates.filters.update(
        label=_make_labels(catalogue),
        short_id=lambda memory_id: memory_id[:SHORT_LENGTH],
        badge=find_badge,
        origin=origin_of,
        attribute=_to_attribute,
    )
    templates.globals.update(
        language=language,
        languages=LANGUAGES,
        version=__version__,
        static=static_address,
        icon=_icon,
    )
    return templates


def render(language: str, template: str, values: Mapping[str, Any]) -> str:
    """A template with its values."""
    return make_templates(language).get_template(template).render(**values)


@cache
def static_address(name: str) -> str:
    """The address of a file of ours; it changes with the file, so that a browser may keep it for ever."""
    digest = sha256((STATIC_FOLDER / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


def _make_labels(catalogue: Catalogue) -> Callable[[object], str]:
    return lambda name: catalogue.gettext(find_label(name))


def _to_attribute(value: object) -> str:
    """A value as JSON in an attribute; the template escapes it like any other text."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _icon(name: str) -> Markup:
    return Markup(  # drawn from a table of ours
        f'<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">{ICONS[name]}</svg>'
    )
