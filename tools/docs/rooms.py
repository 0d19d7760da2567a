"""The rooms of the source tree, read from `.importlinter` and from each room's own docstring, as a table and a picture.

    .venv/bin/python tools/docs/rooms.py

writes docs/rooms.svg. Because both come from what `make check` enforces, neither can tell another story than the code.
"""

from __future__ import annotations

import ast
import re
from configparser import ConfigParser
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "recollect"
PICTURE = ROOT / "docs" / "rooms.svg"
CONTRACT = "importlinter:contract:flow"

COLOURS = {
    "capture": "write",
    "learn": "write",
    "lifecycle": "write",
    "retrieve": "read",
    "inject": "read",
    "hooks": "hot",
}
WIDTH, BOX_HEIGHT, GAP, MARGIN, TOP = 980, 38, 8, 20, 52
# How wide a letter of the small print is, about: what does not fit is left out.
LETTER = 6.3


def layers() -> list[list[str]]:
    """The rooms, highest layer first, as the import contract lists them; planned rooms are left out."""
    contract = ConfigParser()
    contract.read(ROOT / ".importlinter", encoding="utf-8")
    rows = contract[CONTRACT]["layers"].split("\n")
    names = [[name.strip() for name in row.split("|")] for row in rows if row.strip()]
    return [shown for row in names if (shown := [name for name in row if not name.startswith("(")])]


def purpose(room: str) -> str:
    """The first sentence or paragraph of a room's docstring."""
    folder, module = PACKAGE / room / "__init__.py", PACKAGE / f"{room}.py"
    source = folder if folder.is_file() else module
    docstring = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.split("\n\n")[0].split())


def room_table() -> str:
    """Every room with its purpose and what it may import, highest first, for ARCHITECTURE.md."""
    rows = layers()
    lines = ["| room | what lives there | may import |", "| --- | --- | --- |"]
    for number, row in enumerate(rows):
        below = [name for lower in rows[number + 1 :] for name in lower]
        for room in row:
            if room == "__main__":
                continue
            lines.append(f"| `{room}` | {purpose(room)} | {_span(room, below)} |")
    return "\n".join(lines)


def _span(room: str, below: list[str]) -> str:
    forbidden = _forbidden_for(room)
    allowed = [name for name in below if name not in forbidden]
    if not allowed:
        return "–"
    if len(allowed) == len(below) and len(below) > 4:
        return f"everything from `{below[0]}` down"
    return ", ".join(f"`{name}`" for name in allowed)


def _forbidden_for(room: str) -> set[str]:
    """The rooms that another contract forbids to this one."""
    contract = ConfigParser()
    contract.read(ROOT / ".importlinter", encoding="utf-8")
    names: set[str] = set()
    for section in contract.sections():
        rules = contract[section]
        if rules.get("type") == "forbidden" and f"recollect.{room}" in rules["source_modules"].split():
            modules = (name.removeprefix("recollect.") for name in rules["forbidden_modules"].split())
            names.update(name for name in modules if "." not in name)
    return names


def picture() -> str:
    """The layers as rows of boxes: whoever stands above may import what stands below, never the other way."""
    rows = [[room for room in row if room != "__main__"] for row in layers()]
    rows = [row for row in rows if row]
    height = TOP + len(rows) * (BOX_HEIGHT + GAP) + MARGIN + 22
    parts = [_head(height)]
    for number, row in enumerate(rows):
        top = TOP + number * (BOX_HEIGHT + GAP)
        width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
        for place, room in enumerate(row):
            parts.append(_box(room, MARGIN + place * (width + GAP), top, width))
    parts.append(
        f'<text class="row" x="{MARGIN}" y="{height - 14}">'
        "A room may import what stands below it. Writes go through capture, reads through retrieve; "
        "the two never meet.</text></svg>"
    )
    return "\n".join(parts) + "\n"


def _box(room: str, left: float, top: float, width: float) -> str:
    colour = COLOURS.get(room, "plain")
    middle = left + width / 2
    phrase = re.split(r"[:.(]", purpose(room))[0].strip()
    fits = len(phrase) * LETTER < width - 12
    name_at = top + (17 if fits else BOX_HEIGHT / 2 + 5)
    words = f'<text class="what" x="{middle:g}" y="{top + 31:g}">{escape(phrase)}</text>' if fits else ""
    return (
        f'<rect class="{colour}" x="{left:g}" y="{top:g}" width="{width:g}" height="{BOX_HEIGHT}" rx="6"/>'
        f'<text class="name" x="{middle:g}" y="{name_at:g}">{escape(room)}</text>{words}'
    )


def _head(height: int) -> str:
    return f"""<svg viewBox="0 0 {WIDTH} {height}" xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="t d">
<title id="t">The rooms of recollect</title>
<desc id="d">Rows of rooms; each may import only rooms of the rows below it.</desc>
<style>
text {{ font-family: ui-sans-serif, system-ui, sans-serif; fill: #1f2328; }}
.title {{ font-size: 19px; font-weight: 600; }}
.name {{ font-size: 13.5px; font-weight: 600; text-anchor: middle; }}
.row, .what {{ font-size: 11.5px; fill: #57606a; }}
.what {{ text-anchor: middle; }}
rect {{ stroke-width: 1.3; }}
.plain {{ fill: #f6f8fa; stroke: #8c959f; }}
.write {{ fill: #fdeee3; stroke: #c8641b; }}
.read {{ fill: #e4f1fb; stroke: #1f6fb0; }}
.hot {{ fill: #fff8c5; stroke: #9a6700; }}
.paper {{ fill: #ffffff; }}
@media (prefers-color-scheme: dark) {{
text {{ fill: #e6edf3; }}
.row, .what {{ fill: #9198a1; }}
.plain {{ fill: #161b22; stroke: #656d76; }}
.write {{ fill: #3a2110; stroke: #f0a36b; }}
.read {{ fill: #0c2d4b; stroke: #7db8ea; }}
.hot {{ fill: #341a00; stroke: #d29922; }}
.paper {{ fill: #0d1117; }}
}}
</style>
<rect class="paper" width="{WIDTH}" height="{height}"/>
<text class="title" x="{MARGIN}" y="34">The rooms of recollect</text>"""


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
