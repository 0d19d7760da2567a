"""
The numbers that two processes, or a writer and a reader, must agree on.

Constants only: hooks load this module at every event, so it imports nothing.
"""

from __future__ import annotations

# What a tool's result may be interrupted for: the confidence a memory needs, and how many sessions must have borne an
# unconfirmed one out, or have cited it. The hook's query filters by both, the trust table by the second.
MIN_TOOL_RESULT_CONFIDENCE = 0.65
MIN_PROOFS_TO_SPEAK = 2
# The kinds that are told there; whoever explains a silence reads them too.
TOOL_RESULT_KINDS = ("gotcha", "error_pattern", "dead_end", "e2e_observation")
# And these, where a person said it.
PERSON_TOOL_RESULT_KINDS = (
    "decision",
    "requirement",
    "preference",
    "correction",
    "lesson",
    "pattern",
    "module_insight",
    "fact",
    "issue",
)

# A session that was silent for so long is over, whoever failed to say so: session start and learning both decide by it.
SESSION_SILENT_HOURS = 6

# Sessions are compared over so many days to find recipes; upkeep keeps their trails a day longer.
RECIPE_WINDOW_DAYS = 30
TRAILS_KEPT_DAYS = RECIPE_WINDOW_DAYS + 1

# Recorded events are kept so many days after their session; what was said in it has a setting of its own.
EVENTS_KEPT_DAYS = 7

# Savings are counted over so many of a project's newest sessions; upkeep deletes none of their injections.
SESSIONS_COMPARED = 50

# Below this confidence a memory sleeps; what a person wakes gets at least this much.
INACTIVE_BELOW = 0.3

# Defaults of settings that hooks read without loading `config`.
HOOK_MILLISECONDS = 800
INBOX_BYTES = 64 * 1024 * 1024

# Defaults of settings that the contexts below the API share with `config`.
NOTES_PER_SESSION = 200
SNAPSHOT_EVERY_SESSIONS = 20
SNAPSHOTS_KEPT = 3

# A lesson whose failure keeps coming back carries this tag: learning sets it, the layouts put it first.
ESCALATED_TAG = "escalated"

# What sessions teach together is looked at when a session starts and so many hours have passed since the last time.
CONSOLIDATE_HOURS = 4
# Under this key and the project's id the store keeps when that was.
CONSOLIDATED_KEY = "learning.last."

# Found in the way so many times more often than useful, a memory speaks only where what it is about is opened or fails;
# then at no moment, unless it is asked for.
NARROWED_AT = 2
SILENT_AT = 4

# Under this name a store that mirrors a server keeps when the server was last heard.
MIRRORED_AT = "mirror.at"
