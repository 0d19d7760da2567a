"""A person and an agent who write to the same notes at once, each in a process of its own."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from recollect import Recollect
from recollect.errors import BadInput
from tests.hash_embedder import HashEmbedder

SHARED = "Daily/2026-05-08.md"
LISTS = ("Context/Preferences.md", "Apps/Chrome.md")
WORDS = (
    "harbour lantern meadow copper violin glacier pepper saddle orchid tunnel walnut ribbon canyon thistle anchor"
    " marble falcon cinder barley quartz"
).split()


def person(root: Path, log: Path, seconds: float, pause: float) -> None:
    """Add lines to notes as editors do: read all, change it, write all; in place and by another file in turn."""
    chance = random.Random(1)
    until = time.monotonic() + seconds
    number = 0
    with log.open("a", encoding="utf-8") as told:
        while time.monotonic() < until:
            notes = [place for place in root.rglob("*.md") if "conflict" not in place.name]
            place = chance.choice(sorted(notes))
            line = f"person wrote {number} here"
            if _write_line(place, line, in_place=number % 2 == 0):
                told.write(f"{place.relative_to(root)}\t{line}\n")
                told.flush()
                number += 1
            time.sleep(pause * chance.uniform(0.5, 1.5))


def _write_line(place: Path, line: str, *, in_place: bool) -> bool:
    try:
        text = place.read_bytes().decode()
    except FileNotFoundError:
        return False
    if not text:  # somebody is in the middle of writing it
        return False
    head, fence, rest = text.partition("\n---\n")
    new = f"{head}{fence}{line}\n{rest}" if text.startswith("---\n") and fence else f"{text}{line}\n"
    return _save(place, new, in_place=in_place)


def _save(place: Path, new: str, *, in_place: bool) -> bool:
    if in_place:
        with place.open("wb") as stream:
            stream.write(new.encode())
    else:
        beside = place.with_name(f".{place.name}.editor.tmp")
        beside.write_bytes(new.encode())
        beside.replace(place)
    return True


def person_with_lists(root: Path, log: Path, seconds: float, pause: float) -> None:
    """Add items to lists of memories and words to items that are there, as editors do."""
    chance = random.Random(3)
    until = time.monotonic() + seconds
    number = 0
    with log.open("a", encoding="utf-8") as told:
        while time.monotonic() < until:
            place = root / chance.choice(LISTS)
            line = f"person wrote {number} here"
            text = place.read_text("utf-8") if place.exists() else ""
            items = [one for one in text.split("\n") if "^recollect-" in one and len(one) < 300]
            if number % 3 == 2 and items:
                item = chance.choice(items)
                words, mark, block = item.rpartition(" ^")
                new = text.replace(item, f"{words}, {line}{mark}{block}")
            else:
                new = f"{text.rstrip()}\n- {chance.choice(WORDS)} {chance.choice(WORDS)}: {line}\n"
            if text and _save(place, new, in_place=number % 2 == 0):
                told.write(f"{place.relative_to(root)}\t{line}\n")
                told.flush()
                number += 1
            time.sleep(pause * chance.uniform(0.5, 1.5))


def agent(db: Path, root: Path, log: Path, seconds: float, pause: float) -> None:
    """Change memories, add to notes and sync."""
    until = time.monotonic() + seconds
    number = 0
    with (
        Recollect(db, folder=None, embedder=HashEmbedder()) as memory,
        log.open("a", encoding="utf-8") as told,
    ):
        memory.vault.use(root)
        while time.monotonic() < until:
            line = f"agent wrote {number} here"
            try:
                if number % 3 == 0:
                    memory.vault.append(SHARED, line)
                elif number % 3 == 1:
                    one = memory.list(limit=50)[number % 3]
                    memory.edit(one.id, text=f"{one.text}\n{line}")
                else:
                    memory.vault.tasks.create(line)
                memory.vault.sync(mine=True)
            except BadInput as error:
                told.write(f"refused\t{error}\n")
                continue
            told.write(f"note\t{line}\n")
            told.flush()
            number += 1
            time.sleep(pause)


def agent_with_lists(db: Path, root: Path, log: Path, seconds: float, pause: float) -> None:
    """Remember what is a line of a list, add words to what is there, and sync."""
    chance = random.Random(4)
    until = time.monotonic() + seconds
    number = 0
    with (
        Recollect(db, folder=None, embedder=HashEmbedder()) as memory,
        log.open("a", encoding="utf-8") as told,
    ):
        memory.vault.use(root)
        while time.monotonic() < until:
            line = f"agent wrote {number} here"
            short = [
                one for one in memory.list(limit=200) if one.kind == "preference" and len(one.text) < 300
            ]
            if number % 3 == 2 and short:
                one = chance.choice(short)
                memory.edit(one.id, text=f"{one.text}, {line}")
            else:
                words = f"{chance.choice(WORDS)} {chance.choice(WORDS)}: {line}"
                about = ["app:Chrome"] if number % 2 else []
                memory.remember(words, kind="preference", about=about)
            memory.vault.sync(mine=True)
            told.write(f"note\t{line}\n")
            told.flush()
            number += 1
            time.sleep(pause)


if __name__ == "__main__":
    role, *given = sys.argv[1:]
    if role == "person-lists":
        person_with_lists(Path(given[0]), Path(given[1]), float(given[2]), float(given[3]))
    elif role == "agent-lists":
        agent_with_lists(Path(given[0]), Path(given[1]), Path(given[2]), float(given[3]), float(given[4]))
    elif role == "person":
        person(Path(given[0]), Path(given[1]), float(given[2]), float(given[3]))
    else:
        agent(Path(given[0]), Path(given[1]), Path(given[2]), float(given[3]), float(given[4]))
