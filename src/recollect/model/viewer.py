"""Who looks at a store that several people share: what the database shows them, and whose their new memories are."""

from __future__ import annotations

from recollect.errors import BadInput
from recollect.model.value import dataclass

MAX_PERSON = 64
# Written into settings of a connection and into views, so nothing that could end a text there.
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """
    A person and the projects that were granted to them (None: every project).

    They see what is everybody's in these projects, and what is their own. Their new memories are their own, unless
    `shares` says that those of a project are everybody's from the start.
    """

    person: str
    projects: tuple[str, ...] | None = None
    shares: bool = False

    def __post_init__(self) -> None:
        check_person_name(self.person)
        for project_id in self.projects or ():
            if not project_id.isalnum() or not project_id.isascii():
                raise BadInput(reason=f"{project_id!r} is no id of a project")

    def owner_of(self, project_id: str | None) -> str | None:
        """Whose a new memory is; None: everybody's."""
        return None if self.shares and project_id is not None else self.person


def check_person_name(name: str) -> None:
    """Refuse what cannot be the name of a person or an organisation."""
    if not 0 < len(name) <= MAX_PERSON or not _LETTERS.issuperset(name) or not name[0].isalnum():
        raise BadInput(
            reason=f"{name[:MAX_PERSON]!r} is no name here; take small letters, digits, dots, dashes and underscores"
        )
