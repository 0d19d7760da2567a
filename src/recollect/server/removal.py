"""A person's data, removed: memories, sessions with events and notes, and their name where they acted."""

from __future__ import annotations

from recollect.api import Recollect
from recollect.model.team import REMOVED_PERSON
from recollect.model.value import dataclass
from recollect.server.accounts import Accounts
from recollect.store.tables import team

_AT_ONCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedPerson:
    """Who was removed, and how many memories of theirs are gone."""

    name: str
    purged: int


def purge_person(accounts: Accounts, memory: Recollect, name: str) -> RemovedPerson:
    """
    Remove a person and all that is theirs. `memory` shows everything.

    What they shared is everybody's and stays, without their name. It can be begun again where it was cut off: the
    account goes last.
    """
    accounts.find_person(name)
    for token in accounts.tokens(name):
        accounts.revoke_token(token.prefix)
    purged = 0
    while memory_ids := team.list_owned_memories(accounts.db, name)[:_AT_ONCE]:
        purged += len(memory.purge(*memory_ids))
    with accounts.db.transaction():
        team.erase_person(accounts.db, name)
        accounts.remove_person(name)
    accounts.record(REMOVED_PERSON, "team.purge_person")
    return RemovedPerson(name=name, purged=purged)
