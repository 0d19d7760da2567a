"""The command `demo`."""

from __future__ import annotations

import sys
import time

import click

from recollect import demo
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option


@click.command("demo")
@json_option
def demo_() -> None:
    """See memory work, in a few seconds, on a throw-away store: nothing of yours is touched.

    \b
    recollect demo
    """
    started = time.monotonic()
    went_well = demo.tell(_said)
    seconds = time.monotonic() - started
    if output.is_json():
        output.data({"went_well": went_well, "seconds": round(seconds, 1)})
    elif went_well:
        output.line(f"\nThat took {seconds:.0f} s and left nothing behind. Now in a project of yours:")
        output.line('\n  recollect remember "something worth keeping" --about path/to/file.py\n')
    if not went_well:
        sys.exit(1)


def _said(text: str) -> None:
    if output.is_json():
        return
    prompt = text.lstrip().startswith("$")
    output.line(click.style(text, fg="cyan" if prompt else None, bold=not prompt))
