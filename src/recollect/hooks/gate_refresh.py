"""Writing the gate words: what may be spoken of at a tool's result, for the shell to look for."""

from __future__ import annotations

import os
import sys

from recollect.events.gate_words import drop_gate_words, gate_path, name_in_payload, write_gate_words
from recollect.model.policy import TOOL_RESULT_KINDS
from recollect.store import hook_lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# What the line of an error holds, in any language: `observe/recognise` finds none without one of them. They are looked
# for, without regard to case, only where a way out of an error is known.
ERROR_WORDS = (
    *(
        "rror",
        "fail",
        "panic",
        "fatal",
        "xception",
        "warning",
        "fault",
        "exit",
        "notfound",
        "not ok",
        "not found",
    ),
    *(
        "undefined",
        "unbound",
        "refused",
        "cannot",
        "unknown",
        "invalid",
        "missing",
        "no such",
        "denied",
        "***",
        "sh: ",
        "traceback",
    ),
)


def _name_commands(texts: Iterable[str]) -> set[str]:
    """What people's words name that a command line may hold."""
    texts = set(texts)
    if not texts:
        return set()
    # Loaded only where somebody said something.
    from recollect.model.named_things import find_command_names

    return {word for text in texts for name in find_command_names(text) if (word := name_in_payload(name))}


def refresh_gate_words(db: str, default_db: str) -> None:
    """Write them if there are none. The gate looks only at the usual place, so a store elsewhere goes without."""
    if db != default_db:
        drop_gate_words(default_db)
        return
    if sys.platform == "win32" or os.path.exists(gate_path(db)) or not os.path.exists(db):  # noqa: PTH110
        return
    store = hook_lookup.HookStore(db)
    try:
        before = hook_lookup.count_commits(store)
        subjects = hook_lookup.list_spoken_subjects(store, TOOL_RESULT_KINDS)
        sayings = hook_lookup.list_said_anywhere(store)
        subjects += [row["subject"] for row in sayings if row["subject"]]
        error_words = ERROR_WORDS if hook_lookup.knows_errors(store) else ()
        write_gate_words(db, subjects, (*error_words, *_name_commands(row["text"] for row in sayings)))
        # Whoever committed meanwhile removed the words before they were written.
        if hook_lookup.count_commits(store) != before:
            drop_gate_words(db)
    finally:
        store.close()
