"""`python -m recollect.surfaces.mcp`: what clients start. `recollect mcp` does the same, a little slower to start."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from recollect.surfaces.mcp.stdio import serve


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(prog="recollect mcp", description="Serve memory to an agent over MCP.")
    parser.add_argument("--db", metavar="FILE", help="Another memory than your own.")
    parser.add_argument("--project", metavar="FOLDER", type=Path, help="The project to look from.")
    parser.add_argument("--read-only", action="store_true", help="Change nothing.")
    given = parser.parse_args()
    # As in `recollect` itself: a second thread costs more to start than it saves. Set before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    serve(db=given.db, folder=(given.project or Path()).absolute(), read_only=given.read_only)


if __name__ == "__main__":
    main()
