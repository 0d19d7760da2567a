"""The key for a server, in a file that its user alone can read; `recollect login` writes it."""

from __future__ import annotations

import os
from pathlib import Path

from recollect import config
from recollect.events.server_file import name_server_file


def read_token(url: str) -> str:
    """The key for a server: of the environment, or of the file; empty if there is none."""
    if token := config.token_from_environment():
        return token
    try:
        return token_file(url).read_text("ascii").strip()
    except (OSError, ValueError):
        return ""


def token_file(url: str) -> Path:
    """Where the key for a server lies."""
    return (config.data_dir() / name_server_file(url)).with_suffix(".key")


def save_token(url: str, token: str) -> Path:
    """Keep the key for a server."""
    file = token_file(url)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = file.with_suffix(".key.new")
    private = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(private, "w", encoding="ascii") as out:
        out.write(f"{token}\n")
    temporary.replace(file)
    return file
