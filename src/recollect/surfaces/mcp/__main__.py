"""`python -m recollect.surfaces.mcp`: what clients start. `recollect mcp` does the same, a little slower to start."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recollect.events.standard_streams import open_missing_streams
from recollect.surfaces.mcp.stdio import serve
from recollect.surfaces.vault_tools import TOOL_SETS


def main() -> None:
    """Read the options and serve."""
    open_missing_streams()
    options = _read(sys.argv[1:])
    # As in `recollect` itself: a second thread costs more to start than it saves. Set before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    folder = options.get("project") or Path()
    serve(
        db=options.get("db"),
        folder=folder.absolute(),
        read_only=options.get("read_only", False),
        tool_sets=options.get("tools") or (),
    )


def _read(words: Sequence[str]) -> dict[str, Any]:
    if not words:
        return {}
    import argparse  # a tenth of the start, and most clients give no options

    parser = argparse.ArgumentParser(prog="recollect mcp", description="Serve memory to an agent over MCP.")
    parser.add_argument("--db", metavar="FILE", help="Another memory than your own.")
    parser.add_argument("--project", metavar="FOLDER", type=Path, help="The project to look from.")
    parser.add_argument("--read-only", action="store_true", help="Change nothing.")
    parser.add_argument(
        "--tools",
        action="append",
        choices=tuple(TOOL_SETS),
        help="Offer this set of tools instead of memory.",
    )
    return vars(parser.parse_args(words))


if __name__ == "__main__":
    main()
