"""Where the browser of the tests comes from: the system's Chromium, installed when it can be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

from recollect.events.locks import process_lock

NAMES = ("chromium", "chromium-browser", "google-chrome")


@cache
def find_browser() -> str:
    """The path of a Chromium; on Debian one is installed if there is none. A clear skip where that is impossible."""
    program = _which()
    if program is None and sys.platform == "linux" and shutil.which("apt-get") and os.geteuid() == 0:
        with process_lock(str(Path(tempfile.gettempdir(), "recollect-chromium.lock")), 290):
            program = _which() or _install()
    if program is None:
        pytest.skip("There is no Chromium here and none can be installed: apt-get install chromium")
    return program


def _which() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _install() -> str | None:
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "chromium"]):
        if subprocess.run(command, capture_output=True, timeout=280, check=False).returncode != 0:
            return None
    return _which()
