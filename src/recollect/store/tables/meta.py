"""What belongs to the store itself: its own settings, and counts of what it holds."""

from __future__ import annotations

from collections import Counter

from recollect.model.health import Stats
from recollect.model.tokens import CHARACTERS_PER_TOKEN
from recollect.store.db import Db
from recollect.store.tables.row_values import from_micros

# Set once a folder has become a vault.
VAULT_KEY = "vault.made"


def read_meta(db: Db, key: str) -> str | None:
    """One setting of the store."""
    row = db.row("meta_get", key=key)
    return str(row["value"]) if row else None


def save_meta(db: Db, key: str, value: str) -> None:
    """Keep one setting of the store."""
    db.run("meta_set", key=key, value=value)


def delete_meta(db: Db, key: str) -> None:
    """Forget one setting of the store."""
    db.run("meta_delete", key=key)


def read_stats(db: Db, project_id: str | None, *, every_project: bool) -> Stats:
    """Counts over a project (with what is user-wide) or over all."""
    where = {"project_id": project_id, "every_project": int(every_project)}
    by_kind: Counter[str] = Counter()
    by_state: Counter[str] = Counter()
    for row in db.rows("stats_by_state", **where):
        by_kind[row["kind"]] += row["memories"]
        by_state[row["state"]] += row["memories"]
    totals = db.rows("stats_totals", **where)[0]
    return Stats(
        memories=totals["memories"],
        by_kind=dict(by_kind.most_common()),
        by_state=dict(by_state),
        pinned=totals["pinned"],
        needs_review=totals["needs_review"],
        accesses=totals["accesses"],
        tokens=totals["characters"] // CHARACTERS_PER_TOKEN,
        oldest=from_micros(totals["oldest"]) if totals["oldest"] is not None else None,
        newest=from_micros(totals["newest"]) if totals["newest"] is not None else None,
        bytes_on_disk=db.rows("sizes")[0]["bytes"],
        vectors={row["id"]: row["vectors"] for row in db.rows("models_all")},
    )
