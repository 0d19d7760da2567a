"""The command `recollect`, and `python -m recollect`."""

from __future__ import annotations

import os
import sys

from recollect import __version__


def main() -> None:
    """Run the command line; the version, and the Python it runs in, are told before anything is loaded."""
    if sys.argv[1:] == ["--version"]:
        _print_alone(f"recollect {__version__}")
        return
    if sys.argv[1:] == ["--python"]:
        _print_alone(sys.executable)
        return
    # Our matrices are small: a second thread costs more to start than it saves. Set before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from recollect.events.standard_streams import open_missing_streams

    # Before the command line is loaded: what it loads looks at the streams.
    open_missing_streams()
    from recollect.surfaces.cli import cli

    cli(prog_name="recollect")


def _print_alone(line: str) -> None:
    try:
        os.write(1, f"{line}\n".encode())
    except OSError as error:
        sys.exit(f"error: The answer cannot be written ({error.strerror}).")


if __name__ == "__main__":
    main()
