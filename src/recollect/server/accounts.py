"""People and their keys: made, changed, revoked and removed; and who it is that asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from recollect.errors import BadInput, NotAllowed, NotFound, NotSignedIn
from recollect.model.project import Project
from recollect.model.team import (
    EVERY_PROJECT,
    AccessToken,
    AuditEntry,
    Mode,
    Person,
    ProjectGrant,
    Sharing,
    TeamRole,
)
from recollect.model.value import dataclass, replace
from recollect.model.viewer import Viewer, check_person_name
from recollect.server import keys
from recollect.server.organisations import Organisations
from recollect.store.db import Db
from recollect.store.tables import projects, team

# When a key was last used is written down at most so often.
_USE_NOTED_EVERY = timedelta(minutes=5)
MAX_LABEL = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """Who asks: a person of an organisation, by a key, with what both of them may do."""

    organisation: str
    person: str
    role: TeamRole
    # The key by which they came; its first characters are no secret.
    token: str
    # Whether an agent holds the key.
    agent: bool
    grants: tuple[ProjectGrant, ...]

    def check_mode(self, mode: Mode) -> None:
        """Refuse what this role may not do at all."""
        if not self.role.allows(mode):
            raise NotAllowed(who=self.person, what=_WORDS[mode], reason=f"the role is {self.role}")

    def list_projects(self, mode: Mode) -> tuple[str, ...] | None:
        """The projects in which this may be done; None: all of them."""
        if self.role is TeamRole.ADMIN:
            return None
        granted = [one for one in self.grants if one.may_write or mode is Mode.READ]
        if any(one.project_id == EVERY_PROJECT for one in granted):
            return None
        return tuple(sorted(one.project_id for one in granted))

    def check_project(self, project: Project | None, mode: Mode, name: str) -> None:
        """Refuse a project that was not granted for this; `project` is None for one that is not there yet."""
        allowed = self.list_projects(mode)
        if allowed is not None and (project is None or project.id not in allowed):
            raise NotAllowed(
                who=self.person, what=f"{_WORDS[mode]} in {name}", reason="that project was not granted"
            )

    def make_viewer(self, mode: Mode, *, shares: bool) -> Viewer:
        """What the database shows of the store while this is done."""
        return Viewer(person=self.person, projects=self.list_projects(mode), shares=shares)


_WORDS = {Mode.OPEN: "ask", Mode.READ: "read", Mode.WRITE: "write", Mode.ADMIN: "manage people"}


class Accounts:
    """The people of one organisation."""

    def __init__(self, db: Db, organisation: str, clock: Callable[[], datetime]) -> None:
        self.db = db
        self.organisation = organisation
        self._clock = clock

    # -- people ------------------------------------------------------------------------------------------

    def add_person(
        self, name: str, role: TeamRole = TeamRole.MEMBER, *, project_names: Sequence[str] = ()
    ) -> Person:
        """A new person, who may see every project or those that are named."""
        check_person_name(name)
        if team.find_person(self.db, name) is not None:
            raise BadInput(reason=f"there is somebody called {name} already")
        person = Person(name=name, role=role, created_at=self._clock())
        with self.db.transaction():
            team.insert_person(self.db, person)
            granted = [self.find_project(one).id for one in project_names] or [EVERY_PROJECT]
            for project_id in granted:
                team.save_grant(
                    self.db, name, ProjectGrant(project_id=project_id, may_write=role is not TeamRole.READER)
                )
        return person

    def people(self) -> Sequence[Person]:
        """Everybody, by name; without their passwords."""
        return [replace(person, password="") for person in team.list_people(self.db)]

    def find_person(self, name: str) -> Person:
        """One person."""
        person = team.find_person(self.db, name)
        if person is None:
            raise NotFound(what="person", name=name)
        return person

    def set_role(self, name: str, role: TeamRole) -> Person:
        """Another role; the last admin stays one."""
        person = replace(self.find_person(name), role=role)
        with self.db.transaction():
            team.change_person(self.db, person)
            self._check_admin_left()
        return replace(person, password="")

    def set_password(self, name: str, password: str) -> None:
        """A password for the dashboard."""
        team.change_person(self.db, replace(self.find_person(name), password=keys.hash_password(password)))

    def check_password(self, name: str, password: str) -> Person:
        """The person with this name and password; who is neither there nor right is told the same."""
        person = team.find_person(self.db, name)
        if not keys.is_password(password, person.password if person else "") or person is None:
            raise NotSignedIn(reason="that name and password do not belong together")
        return person

    def remove_person(self, name: str) -> None:
        """A person goes with their keys and grants; what they said stays. `server.removal` takes that as well."""
        self.find_person(name)
        with self.db.transaction():
            team.delete_person(self.db, name)
            self._check_admin_left()

    def _check_admin_left(self) -> None:
        if not any(person.role is TeamRole.ADMIN for person in team.list_people(self.db)):
            raise BadInput(reason="somebody must be left who manages people")

    # -- keys --------------------------------------------------------------------------------------------

    def issue_token(
        self,
        person_name: str,
        *,
        label: str = "",
        role: TeamRole | None = None,
        agent: bool = False,
        valid_days: int | None = None,
    ) -> tuple[str, AccessToken]:
        """A new key, which is told this once, and what is kept of it."""
        person = self.find_person(person_name)
        if valid_days is not None and valid_days < 1:
            raise BadInput(reason="a key is good for at least a day")
        if len(label) > MAX_LABEL or not label.isprintable():
            raise BadInput(reason=f"the label of a key has at most {MAX_LABEL} characters that can be shown")
        parts, now = keys.make_token(self.organisation), self._clock()
        token = AccessToken(
            prefix=parts.prefix,
            person=person.name,
            digest=keys.hash_secret(parts.secret),
            label=label,
            role=(role or person.role).at_most(person.role),
            agent=agent,
            created_at=now,
            expires_at=now + timedelta(days=valid_days) if valid_days is not None else None,
        )
        team.insert_token(self.db, token)
        return str(parts), replace(token, digest="")

    def tokens(self, person: str | None = None) -> Sequence[AccessToken]:
        """Keys, the oldest first, without what proves them."""
        return [replace(token, digest="") for token in team.list_tokens(self.db, person)]

    def revoke_token(self, prefix: str, *, of_person: str | None = None) -> AccessToken:
        """A key is good no longer, from the next request on."""
        token = team.find_token(self.db, prefix)
        if token is None or (of_person is not None and token.person != of_person):
            raise NotFound(what="key", name=prefix)
        team.revoke_token(self.db, prefix, self._clock())
        return replace(token, digest="", revoked_at=token.revoked_at or self._clock())

    def sign_in(self, parts: keys.TokenParts) -> SignedIn:
        """Who holds a key; it must be ours, neither expired nor revoked."""
        token, now = team.find_token(self.db, parts.prefix), self._clock()
        if token is None or not keys.is_secret(parts.secret, token.digest):
            raise NotSignedIn(reason="it is not one of ours")
        if token.revoked_at is not None:
            raise NotSignedIn(reason="it was revoked")
        if token.expires_at is not None and token.expires_at <= now:
            raise NotSignedIn(reason="it has expired")
        if token.used_at is None or now - token.used_at > _USE_NOTED_EVERY:
            team.record_token_use(self.db, token.prefix, now)
        return SignedIn(
            organisation=self.organisation,
            person=token.person,
            role=token.role,
            token=token.prefix,
            agent=token.agent,
            grants=tuple(team.list_grants(self.db, token.person)),
        )

    # -- projects ----------------------------------------------------------------------------------------

    def find_project(self, name: str) -> Project:
        """A project by its id, name or key."""
        return projects.get_project(self.db, name)

    def grant(self, person: str, project: str, *, may_write: bool) -> ProjectGrant:
        """A person may see a project (`*`: every one), and perhaps write there."""
        self.find_person(person)
        project_id = project if project == EVERY_PROJECT else self.find_project(project).id
        grant = ProjectGrant(project_id=project_id, may_write=may_write)
        team.save_grant(self.db, person, grant)
        return grant

    def withdraw(self, person: str, project: str) -> None:
        """A person may see a project no longer."""
        project_id = project if project == EVERY_PROJECT else self.find_project(project).id
        if not team.delete_grant(self.db, person, project_id):
            raise NotFound(what="grant", name=f"{person} on {project}")

    def grants(self, person: str) -> Sequence[ProjectGrant]:
        """What was granted to a person."""
        self.find_person(person)
        return team.list_grants(self.db, person)

    def sharing(self, project_id: str | None) -> Sharing:
        """When what people learn in a project becomes everybody's."""
        return Sharing(team.read_sharing(self.db, project_id or "") or Sharing.PERSONAL)

    def set_sharing(self, sharing: Sharing, project: str | None = None) -> None:
        """The same from now on; without a project, for the organisation."""
        team.save_sharing(self.db, self.find_project(project).id if project else None, sharing)

    # -- what was done -----------------------------------------------------------------------------------

    def record(self, person: str, act: str, *, token: str = "", target: str = "", status: int = 200) -> None:
        """Somebody did something."""
        team.record_audit(
            self.db, self._clock(), person, act, token=token, target=target[:200], status=status
        )

    def audit(self, *, person: str | None = None, limit: int = 100) -> Sequence[AuditEntry]:
        """What was done last, the newest first."""
        return team.list_audit(self.db, person=person, limit=limit)


def create_organisation(
    organisations: Organisations, name: str, admin: str, clock: Callable[[], datetime]
) -> tuple[Accounts, str]:
    """A new organisation with its first admin and that admin's key, which is told this once."""
    accounts = Accounts(organisations.create(name), name, clock)
    if accounts.people():
        raise BadInput(reason=f"{name} has people already; add more with `recollect team add`")
    accounts.add_person(admin, TeamRole.ADMIN)
    token, _ = accounts.issue_token(admin, label="first key")
    accounts.record(admin, "team.create", target=name)
    return accounts, token


def sign_in(organisations: Organisations, text: str, clock: Callable[[], datetime]) -> SignedIn:
    """Who holds this key."""
    parts = keys.parse_token(text)
    if parts is None:
        raise NotSignedIn(reason="it is not one of ours")
    try:
        db = organisations.find(parts.organisation)
    except (NotFound, BadInput):
        # The same sentence as for a key that is not ours: which organisations there are is nobody's business.
        raise NotSignedIn(reason="it is not one of ours") from None
    return Accounts(db, parts.organisation, clock).sign_in(parts)
