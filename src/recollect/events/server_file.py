"""The file beside which a server's memories are mirrored and events wait to be sent; `gate.sh` makes the same name."""

from __future__ import annotations

FOLDER = "servers"


def name_server_file(url: str) -> str:
    """Its path inside the data folder: the address, with a dash for whatever is neither letter nor digit."""
    letters = (chr(byte) for byte in url.encode())
    return f"{FOLDER}/{''.join(one if one.isascii() and one.isalnum() else '-' for one in letters)}.db"
