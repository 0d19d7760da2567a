"""
Holding numpy's matrix library to one thread while something is measured.

A second thread that waits for a busy core spins, and what is then measured is who else uses the machine.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

_NAMES = (
    "scipy_openblas_{}_num_threads64_",
    "scipy_openblas_{}_num_threads",
    "openblas_{}_num_threads",
)


@contextmanager
def one_thread() -> Iterator[None]:
    """Everything inside uses one thread; where the library is another than OpenBLAS, nothing changes."""
    library: Any = import_module("numpy._core._multiarray_umath")
    linked: Any = ctypes.CDLL(library.__file__)
    name = next((name for name in _NAMES if hasattr(linked, name.format("set"))), None)
    if name is None:
        yield
        return
    put = getattr(linked, name.format("set"))
    before = int(getattr(linked, name.format("get"))())
    put(1)
    try:
        yield
    finally:
        put(before)
