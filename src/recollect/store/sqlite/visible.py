"""
What a person may see of a file that several people share: views that named queries read in place of the tables.

PostgreSQL has rules for that (row-level security). Here every connection of a person gets views of its own, and the
text of each query is changed to read them; a test looks at every query for a read that goes past them.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.model.viewer import Viewer
from recollect.store import sql

DIALECT = "sqlite"
# The tables whose rows belong to people and projects.
TABLES = ("memory", "session", "history", "event", "note", "project")
_READ = re.compile(rf"(?<!DELETE )\b(FROM|JOIN)(\s+)({'|'.join(TABLES)})\b(?=(\s+\w+)?)")
# What may follow a table that has no other name in a query.
_NO_ALIAS = frozenset(
    "WHERE ORDER GROUP LIMIT JOIN LEFT CROSS INNER ON UNION EXCEPT HAVING WINDOW RETURNING SET".split()
)


def make_views(viewer: Viewer) -> str:
    """The statements that make a person's views."""
    templates = sql.templates(DIALECT)
    own = templates["own_rows"].replace("@person", viewer.person)
    granted = project = "1"
    if viewer.projects is not None:
        ids = ", ".join(f"'{project_id}'" for project_id in viewer.projects)
        granted = templates["granted_rows"].replace("@projects", ids)
        project = templates["granted_project"].replace("@projects", ids)
    text = templates["visible_rows"]
    for word, condition in (("@own", own), ("@granted", granted), ("@project", project)):
        text = text.replace(word, condition)
    return text


@cache
def find_query(name: str) -> str:
    """A named query that reads a person's views."""
    return _READ.sub(_read_view, sql.query(DIALECT, name))


def _read_view(match: re.Match[str]) -> str:
    verb, space, table, following = match.groups()
    word = (following or "").strip()
    has_alias = bool(word) and word not in _NO_ALIAS
    return f"{verb}{space}visible_{table}" + ("" if has_alias else f" AS {table}")
