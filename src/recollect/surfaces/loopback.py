"""What every server of ours on this machine shares: the address, a socket, and a key that only its user can read."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from pathlib import Path

from recollect.errors import BadInput

LOOPBACK = "127.0.0.1"


def ensure_key(folder: Path, name: str) -> str:
    """The key in this file, created on first use; readable by its user alone."""
    file = folder / name
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        private = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return file.read_text("ascii").strip()
    with os.fdopen(private, "w") as out:
        out.write(key := secrets.token_urlsafe(32))
    return key


def bind_socket(port: int, host: str = LOOPBACK) -> socket.socket:
    """A socket that listens on this port, of loopback unless another host is named; 0 is any that is free."""
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    if sys.platform != "win32":  # there it would let two servers share a port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise BadInput(
            reason=f"port {port} cannot be used ({error.strerror}); name another with --port"
        ) from error
    return listening
