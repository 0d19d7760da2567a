"""An agent that works in a vault until it is killed; every step it has finished is told first."""

from __future__ import annotations

import sys
from pathlib import Path

from recollect import Recollect
from tests.hash_embedder import HashEmbedder


def work(db: Path, root: Path) -> None:
    with Recollect(db, folder=None, embedder=HashEmbedder()) as memory:
        memory.vault.use(root)
        number = 0
        while True:
            number += 1
            one = memory.list(limit=10)[number % 3]
            memory.edit(one.id, text=f"{one.text.splitlines()[0]}\nedit {number}")
            memory.vault.append("Daily/2026-05-08.md", f"line {number}")
            memory.vault.sync()
            print(number, flush=True)


if __name__ == "__main__":
    work(Path(sys.argv[1]), Path(sys.argv[2]))
