"""The acts of those who manage people, from elsewhere: methods of `Accounts`, each with its mode."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.api.acts import RemoteAct
from recollect.model.team import Mode
from recollect.server.accounts import Accounts

# What each is called on the line, and how it is reached there.
PREFIX = "team."

MANAGEMENT: Mapping[str, RemoteAct] = {
    act.name: act
    for act in (
        RemoteAct(name=f"{PREFIX}{name}", mode=Mode.ADMIN, owner=Accounts)
        for name in (
            "people",
            "add_person",
            "set_role",
            "set_password",
            "tokens",
            "issue_token",
            "revoke_token",
            "grant",
            "withdraw",
            "grants",
            "set_sharing",
            "audit",
            "remove_person",
        )
    )
}
