"""
Pictures of the code graph as SVG: boxes in columns or rows, and curves between them.

The picture brings its own colours for light and dark, needs no script and loads nothing. Whatever comes from a project
(names of files and definitions) is escaped, and what XML cannot hold is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from recollect.model.value import dataclass, field

BOX_WIDTH, BOX_HEIGHT = 248, 40
_GAP, _BETWEEN, _MARGIN, _TOP = 12, 96, 24, 64
_LETTERS, _SMALL_LETTERS = 32, 42
_Place = tuple[int, int]
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_STYLE = """
text { font-family: ui-sans-serif, system-ui, sans-serif; font-size: 12px; fill: #1f2328; }
.title { font-size: 15px; font-weight: 600; }
.note, .head { font-size: 10.5px; fill: #656d76; }
rect { fill: #f6f8fa; stroke: #8c959f; }
rect.start { fill: #ddf4ff; stroke: #0969da; stroke-width: 2; }
rect.test { fill: #dafbe1; stroke: #1a7f37; }
rect.beside { fill: #fff8c5; stroke: #9a6700; stroke-dasharray: 4 3; }
rect.more { fill: none; stroke: none; }
path { fill: none; stroke: #8c959f; stroke-opacity: .6; }
path.beside { stroke: #9a6700; stroke-dasharray: 4 3; }
.paper { fill: #ffffff; stroke: none; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.note, .head { fill: #9198a1; }
rect { fill: #161b22; stroke: #656d76; }
rect.start { fill: #0c2d6b; stroke: #58a6ff; }
rect.test { fill: #033a16; stroke: #3fb950; }
rect.beside { fill: #341a00; stroke: #d29922; }
path { stroke: #656d76; }
path.beside { stroke: #d29922; }
.paper { fill: #0d1117; }
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One thing in a picture; `sort` is one of "", start, test, beside, more."""

    name: str
    label: str
    note: str = ""
    sort: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureLine:
    """From one box to another; `weight` between 0 and 1 says how thick."""

    source: str
    target: str
    weight: float = 0.5
    sort: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Groups of boxes, each with a heading: columns from left to right, or rows from the top DOWN."""

    title: str
    note: str = ""
    groups: Sequence[tuple[str, Sequence[Box]]] = field(default_factory=tuple)
    lines: Sequence[PictureLine] = field(default_factory=tuple)
    down: bool = False


def draw(picture: Picture) -> str:
    """The picture as SVG."""
    most = max((len(boxes) for _, boxes in picture.groups), default=0)
    across, along = (most, len(picture.groups)) if picture.down else (len(picture.groups), most)
    gap_across, gap_along = (_GAP, _BETWEEN) if picture.down else (_BETWEEN, _GAP)
    width = 2 * _MARGIN + max(across, 1) * (BOX_WIDTH + gap_across) - gap_across
    height = _TOP + 2 * _MARGIN + along * (BOX_HEIGHT + gap_along) - gap_along * picture.down
    places = _place_rows(picture, width) if picture.down else _place_columns(picture)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img"><title>{_escape(picture.title)}</title><style>{_STYLE}</style>',
        f'<rect class="paper" width="{width}" height="{height}"/>',
        f'<text class="title" x="{_MARGIN}" y="28">{_escape(picture.title)}</text>',
        f'<text class="note" x="{_MARGIN}" y="46">{_escape(picture.note)}</text>',
    ]
    curve = _curve_down if picture.down else _curve_across
    drawable = [line for line in picture.lines if {line.source, line.target} <= places.keys()]
    parts += [_draw_line(line, curve(places[line.source], places[line.target])) for line in drawable]
    for heading, boxes in picture.groups:
        if heading and boxes:
            x, _ = places[boxes[0].name]
            parts.append(f'<text class="head" x="{x}" y="{_TOP + 8}">{_escape(heading)}</text>')
        parts += [_draw_box(box, *places[box.name]) for box in boxes]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _place_columns(picture: Picture) -> dict[str, _Place]:
    return {
        box.name: (
            _MARGIN + column * (BOX_WIDTH + _BETWEEN),
            _TOP + _MARGIN + row * (BOX_HEIGHT + _GAP),
        )
        for column, (_, boxes) in enumerate(picture.groups)
        for row, box in enumerate(boxes)
    }


def _place_rows(picture: Picture, width: int) -> dict[str, _Place]:
    """Every row in the middle."""
    places: dict[str, _Place] = {}
    for row, (_, boxes) in enumerate(picture.groups):
        left = (width - len(boxes) * (BOX_WIDTH + _GAP) + _GAP) // 2
        for column, box in enumerate(boxes):
            places[box.name] = (
                left + column * (BOX_WIDTH + _GAP),
                _TOP + _MARGIN + row * (BOX_HEIGHT + _BETWEEN),
            )
    return places


def _draw_box(box: Box, x: int, y: int) -> str:
    sort = f' class="{box.sort}"' if box.sort else ""
    return (
        f"<g><title>{_escape(box.name)}</title>"
        f'<rect{sort} x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6"/>'
        f'<text x="{x + 10}" y="{y + 17}">{_escape(_shorten(box.label, _LETTERS))}</text>'
        f'<text class="note" x="{x + 10}" y="{y + 32}">{_escape(_shorten(box.note, _SMALL_LETTERS))}</text></g>'
    )


def _draw_line(line: PictureLine, curve: str) -> str:
    sort = f' class="{line.sort}"' if line.sort else ""
    return f'<path{sort} stroke-width="{0.5 + 2.5 * line.weight:.1f}" d="{curve}"/>'


def _curve_across(source: _Place, target: _Place) -> str:
    """To the right from edge to edge; back, or within one column, around the right side."""
    (x1, y1), (x2, y2) = source, target
    y1, y2 = y1 + BOX_HEIGHT // 2, y2 + BOX_HEIGHT // 2
    start, end = x1 + BOX_WIDTH, x2 if x2 > x1 else x2 + BOX_WIDTH
    bend = _BETWEEN // 2
    second = end - bend if x2 > x1 else end + bend
    return f"M{start} {y1} C{start + bend} {y1} {second} {y2} {end} {y2}"


def _curve_down(source: _Place, target: _Place) -> str:
    """From the lower edge to the upper one; upwards, or within one row, the other way round."""
    (x1, y1), (x2, y2) = source, target
    x1, x2 = x1 + BOX_WIDTH // 2, x2 + BOX_WIDTH // 2
    start, end, bend = (
        (y1 + BOX_HEIGHT, y2, _BETWEEN // 2) if y2 > y1 else (y1, y2 + BOX_HEIGHT, -_BETWEEN // 2)
    )
    return f"M{x1} {start} C{x1} {start + bend} {x2} {end - bend} {x2} {end}"


def _shorten(text: str, most: int) -> str:
    """The end of a long path tells more than its beginning."""
    return text if len(text) <= most else f"…{text[1 - most :]}"


def _escape(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\ufffd", text))
