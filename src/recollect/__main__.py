"""The command `recollect`, and `python -m recollect`."""

from __future__ import annotations

import os
import sys

from recollect import __version__


def main() -> None:
    """Run the command line; the version, and the Python it runs in, are told before anything is loaded."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"recollect {__version__}\n")
        return
    if sys.argv[1:] == ["--python"]:
        sys.stdout.write(f"{sys.executable}\n")
        return
    # Our matrices are small: a second thread costs more to start than it saves. Set before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from recollect.surfaces.cli import cli

    cli(prog_name="recollect")


if __name__ == "__main__":
    main()
