"""Noting in which shape the files were that new memories are about, so that it can be told when they change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recollect.capture.write_context import Door
from recollect.git.files import on_disk
from recollect.model.anchor import files_of, learned, symbols_of
from recollect.model.memory import Memory
from recollect.model.outcome import Intake, Remembered
from recollect.store.tables import anchors

# More at once come from an import or a bootstrap; those are looked at by the next sweep, all together.
_MOST_AT_ONCE = 20


def note_files(door: Door, answers: Sequence[Intake]) -> None:
    """Keep the shape of every file that is there. Costs nothing where no memory is about a file."""
    note_shapes(door, [answer.memory for answer in answers if isinstance(answer, Remembered)])


def note_shapes(door: Door, new: Sequence[Memory]) -> None:
    """The same for memories that are new, or have just proved to hold with their files as they are."""
    about = [(memory, paths) for memory in new if (paths := files_of(memory, door.kinds.of(memory.kind)))]
    if not about or len(new) > _MOST_AT_ONCE or (checkout := door.checkout()) is None:
        return
    for memory, paths in about:
        if memory.project_id == checkout.project_id:
            found = {path: on_disk(Path(checkout.root, path)) for path in paths}
            seen = [
                learned(memory.id, place, blob, checkout.head)
                for place in (*paths, *symbols_of(memory))
                if (blob := found[place.partition("::")[0]]) is not None
            ]
            anchors.put(door.db, memory.id, seen)
