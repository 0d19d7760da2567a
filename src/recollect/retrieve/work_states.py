"""Where work was left: the open states of a unit of work, or of a branch."""

from __future__ import annotations

from recollect.model.memory import Memory
from recollect.model.query import Filters
from recollect.model.workref import WorkRef
from recollect.store.db import Db
from recollect.store.tables import memories

_LOOKED_AT = 200


def work_states(db: Db, project_id: str | None, *, work: WorkRef | None, branch: str) -> list[Memory]:
    """What is open here, the newest first; once a unit is finished its state goes out of use by itself."""
    filters = Filters(kinds=("work_state",), project_id=project_id, fresh=True)
    found = memories.listed(db, filters, limit=_LOOKED_AT)
    return [memory for memory in found if _is_here(memory, work, branch)]


def _is_here(memory: Memory, work: WorkRef | None, branch: str) -> bool:
    if work and memory.work:
        return memory.work.methodology == work.methodology and memory.work.hierarchy[
            : len(work.hierarchy)
        ] == (work.hierarchy)
    return bool(branch) and memory.fields.get("branch") == branch
