"""
Standard streams that somebody closed (`recollect … <&-`), opened on nothing before anything else is opened.

Otherwise the next file that is opened, the database perhaps, takes the number of the closed stream, and what is meant
for a terminal is written into it.
"""

from __future__ import annotations

import os
import sys


def open_missing_streams() -> None:
    """See to it that there are standard input, output and error."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # the system gives the lowest number that is free: this one
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
