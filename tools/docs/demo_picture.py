"""Draws docs/demo.svg from what `recollect demo` really prints on a terminal. Run it when the story changes.

    .venv/bin/python tools/docs/demo_picture.py

The demo runs on a pseudo-terminal, so its colours are the ones people see. The picture holds no address and
asks for no font: a viewer without network shows the same thing.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PICTURE = Path(__file__).parents[2] / "docs" / "demo.svg"
COLUMNS = 80
# What the story shows and the picture leaves out, to fit on one screen.
LEFT_OUT = (r"[5-7]\. ", r"\$ git", r"\$ recollect (?:recall|stale|forget|undo)")

_FONTS = "ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_TEMPLATE = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>recollect demo</title>
<style>
.{unique_id}-matrix {{ font-family: FONTS; font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-family: FONTS; font-size: 16px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
""".replace("FONTS", _FONTS)
_BLACK, _RED, _GREEN, _YELLOW = (43, 48, 59), (236, 110, 118), (158, 206, 106), (224, 175, 104)
_BLUE, _MAGENTA, _CYAN, _WHITE = (122, 162, 247), (187, 154, 247), (103, 197, 222), (226, 230, 238)
_COLOURS = [_BLACK, _RED, _GREEN, _YELLOW, _BLUE, _MAGENTA, _CYAN, _WHITE]
_THEME = TerminalTheme((24, 27, 34), _WHITE, _COLOURS, _COLOURS)


def main() -> None:
    """Run the demo and draw it."""
    shown = picture(run_demo())
    PICTURE.write_text(shown, "utf-8")
    print(f"{PICTURE.name}: {len(shown) // 1024} kB")


def run_demo() -> str:
    """All that the demo prints, with colours."""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "recollect", "demo"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=_environment(),
    )
    os.close(terminal)
    output = b"".join(iter(lambda: _read(reader), b""))
    os.close(reader)
    if process.wait() != 0:
        raise SystemExit(output.decode("utf-8", "replace"))
    return output.decode("utf-8").replace("\r\n", "\n")


def picture(output: str) -> str:
    """The part of it that fits on one screen, as an SVG."""
    text = Text("\n").join(_shown(Text.from_ansi(output).split("\n")))
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(text, overflow="fold", highlight=False)
    drawn = console.export_svg(title="recollect demo", theme=_THEME, code_format=_TEMPLATE, unique_id="demo")
    return "\n".join(line.rstrip() for line in drawn.splitlines() if line.strip()) + "\n"


def _shown(lines: Iterable[Text]) -> Iterator[Text]:
    """Scene by scene without what is left out, and without the empty line after a scene's heading."""
    skipping = False
    after_heading = True
    for line in lines:
        plain = line.plain
        if plain.startswith("That took"):
            return
        if plain.startswith(("$ ", "It cost")) or re.match(r"\d\. ", plain):
            skipping = any(re.match(pattern, plain) for pattern in LEFT_OUT)
        if skipping or (after_heading and not plain):
            continue
        after_heading = bool(re.match(r"\d\. ", plain))
        yield line


def _environment() -> dict[str, str]:
    # Nothing that says an agent is at work: the picture shows what a person sees.
    agents = ("RECOLLECT_", "CLAUDE", "CODEX_", "GEMINI_", "NO_COLOR")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(agents)}
    return {**environment, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}


def _read(reader: int) -> bytes:
    try:
        return os.read(reader, 65536)
    except OSError:  # Linux says so when the other end is closed
        return b""


if __name__ == "__main__":
    main()
