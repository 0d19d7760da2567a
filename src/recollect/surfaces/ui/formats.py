"""How values look on a page: numbers as a language writes them, and texts of memories as harmless HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from markupsafe import Markup, escape

_NARROW = "\u202f"
_SEPARATORS = {"en": (",", "."), "fr": (_NARROW, ",")}
_UNITS = {"en": ("B", "kB", "MB", "GB"), "fr": ("o", "ko", "Mo", "Go")}
# What a text may be made of. No image, no style, no id, nothing that loads or runs.
_TAGS = frozenset(
    "p br strong em code pre ul ol li blockquote a h3 h4 h5 h6 hr del table thead tbody tr th td".split()
)
_LINK_SCHEMES = frozenset({"http", "https"})
_MAX_MARKDOWN = 64_000
_CODE = re.compile(r"`([^`\n]{1,160})`")


def format_number(value: float, language: str, *, digits: int = 0) -> str:
    """A number with the separators of a language."""
    thousands, point = _SEPARATORS.get(language, _SEPARATORS["en"])
    text = f"{value:,.{digits}f}"
    return text.replace(",", "\0").replace(".", point).replace("\0", thousands)


def format_percent(share: float, language: str) -> str:
    """A share as a percentage."""
    return format_number(100 * share, language) + (f"{_NARROW}%" if language == "fr" else "%")


def format_money(dollars: float, language: str, *, digits: int = 2) -> str:
    """An amount of dollars."""
    amount = format_number(dollars, language, digits=digits)
    return f"{amount}{_NARROW}$" if language == "fr" else f"${amount}"


def format_bytes(size: float, language: str) -> str:
    """A size in the largest unit that leaves at least one."""
    units = _UNITS.get(language, _UNITS["en"])
    for unit in units[:-1]:
        if size < 1000:
            digits = 0 if size >= 10 or unit == units[0] else 1
            return f"{format_number(size, language, digits=digits)}{_NARROW}{unit}"
        size /= 1000
    return f"{format_number(size, language, digits=1)}{_NARROW}{units[-1]}"


def format_moment(at: datetime | None, look: str = "relative") -> Markup:
    """A moment as an element that the page puts into the reader's own time, language and words."""
    if at is None:
        return Markup("–")
    utc = at.astimezone(UTC)
    return Markup('<time datetime="{}" data-look="{}">{}</time>').format(
        utc.isoformat(timespec="seconds"), look, f"{utc:%Y-%m-%d %H:%M}"
    )


def render_inline(text: object, most: int = 0) -> Markup:
    """A text in one run, cut at so many characters, with what stands between backticks as code."""
    words = str(text)
    if most and len(words) > most:
        words = words[: most - 1].rstrip() + "…"
    return Markup(
        _CODE.sub(r"<code>\1</code>", str(escape(words)))
    )  # escaped before anything is put around it


def render_markdown(text: str) -> Markup:
    """The text of a memory as HTML from a short list of elements; everything else is taken out."""
    import nh3

    html = _markdown()(text[:_MAX_MARKDOWN])
    clean = nh3.clean(
        html,
        tags=set(_TAGS),
        attributes={"a": {"href"}},
        url_schemes=set(_LINK_SCHEMES),
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(clean)  # what nh3 lets through is the allow-list above


@cache
def _markdown() -> Callable[[str], str]:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"]).render


def make_filters(language: str) -> Mapping[str, Callable[..., Any]]:
    """The filters that templates of a language use."""
    return {
        "number": lambda value, digits=0: format_number(value, language, digits=digits),
        "percent": lambda share: format_percent(share, language),
        "money": lambda dollars, digits=2: format_money(dollars, language, digits=digits),
        "bytes": lambda size: format_bytes(size, language),
        "moment": format_moment,
        "markdown": render_markdown,
        "inline": render_inline,
    }
