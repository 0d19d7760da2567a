"""People who share a store: accounts, keys, grants, the audit log, answers given, and what is to be shared."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.model.team import (
    REMOVED_PERSON,
    AccessToken,
    AuditEntry,
    Person,
    ProjectGrant,
    ShareRequest,
    TeamRole,
)
from recollect.store.db import Db, Row
from recollect.store.tables import meta
from recollect.store.tables.row_values import from_micros, to_micros


def insert_person(db: Db, person: Person) -> None:
    """A new person."""
    db.run(
        "person_insert",
        name=person.name,
        role=person.role,
        password=person.password,
        created_at=to_micros(person.created_at),
    )


def find_person(db: Db, name: str) -> Person | None:
    """One person, if there is one of this name."""
    row = db.row("person_by_name", name=name)
    return _person_from_row(row) if row else None


def list_people(db: Db) -> list[Person]:
    """Everybody, by name."""
    return [_person_from_row(row) for row in db.rows("people_all")]


def change_person(db: Db, person: Person) -> None:
    """Another role or password."""
    db.run("person_change", name=person.name, role=person.role, password=person.password)


def delete_person(db: Db, name: str) -> None:
    """A person goes, and their keys and grants with them."""
    db.run("person_delete", name=name)


def insert_token(db: Db, token: AccessToken) -> None:
    """A new key."""
    db.run(
        "token_insert",
        prefix=token.prefix,
        person=token.person,
        digest=token.digest,
        label=token.label,
        role=token.role,
        agent=int(token.agent),
        created_at=to_micros(token.created_at),
        expires_at=to_micros(token.expires_at) if token.expires_at else None,
    )


def find_token(db: Db, prefix: str) -> AccessToken | None:
    """A key by its first characters; its role is never more than its person's."""
    row = db.row("token_by_prefix", prefix=prefix)
    return _token_from_row(row) if row else None


def list_tokens(db: Db, person: str | None = None) -> list[AccessToken]:
    """Keys, the oldest first."""
    return [_token_from_row(row) for row in db.rows("tokens_all", person=person)]


def revoke_token(db: Db, prefix: str, at: datetime) -> bool:
    """A key is good no longer; False if there is none that was."""
    return db.run("token_revoke", prefix=prefix, at=to_micros(at)) > 0


def record_token_use(db: Db, prefix: str, at: datetime) -> None:
    """When a key was last used."""
    db.run("token_used", prefix=prefix, at=to_micros(at))


def save_grant(db: Db, person: str, grant: ProjectGrant) -> None:
    """A person may see a project, and perhaps write there."""
    db.run("grant_put", person=person, project_id=grant.project_id, may_write=int(grant.may_write))


def delete_grant(db: Db, person: str, project_id: str) -> bool:
    """A person may see a project no longer; False if they could not before."""
    return db.run("grant_delete", person=person, project_id=project_id) > 0


def list_grants(db: Db, person: str) -> list[ProjectGrant]:
    """What was granted to a person."""
    return [
        ProjectGrant(project_id=row["project_id"], may_write=bool(row["may_write"]))
        for row in db.rows("grants_of", person=person)
    ]


def record_audit(
    db: Db, at: datetime, person: str, act: str, *, token: str = "", target: str = "", status: int = 200
) -> None:
    """Somebody did something."""
    db.run(
        "audit_insert", at=to_micros(at), person=person, token=token, act=act, target=target, status=status
    )


def list_audit(db: Db, *, person: str | None = None, limit: int = 100) -> list[AuditEntry]:
    """What was done last, the newest first."""
    return [
        AuditEntry(
            seq=row["seq"],
            at=from_micros(row["at"]),
            person=row["person"],
            token=row["token"],
            act=row["act"],
            target=row["target"],
            status=row["status"],
        )
        for row in db.rows("audit_recent", person=person, limit=limit)
    ]


def find_answer(db: Db, person: str, key: str) -> tuple[str, str] | None:
    """The act and the answer of a request with this key, if it was answered."""
    row = db.row("answered_get", person=person, key=key)
    return (row["act"], row["answer"]) if row else None


def save_answer(db: Db, person: str, key: str, act: str, answer: str, at: datetime) -> None:
    """What was answered; inside the transaction that did what was asked."""
    db.run("answered_put", person=person, key=key, act=act, answer=answer, at=to_micros(at))


def forget_answers(db: Db, before: datetime) -> None:
    """Answers that nobody will ask for again go."""
    db.run("answered_forget", before=to_micros(before))


def save_share_request(db: Db, request: ShareRequest) -> None:
    """A person would share a memory."""
    db.run(
        "share_put",
        memory_id=request.memory_id,
        person=request.person,
        at=to_micros(request.at),
        why=request.why,
    )


def find_share_request(db: Db, memory_id: str) -> ShareRequest | None:
    """Who would share a memory, if somebody would."""
    row = db.row("share_get", memory_id=memory_id)
    return _request_from_row(row) if row else None


def delete_share_request(db: Db, memory_id: str) -> None:
    """It is decided."""
    db.run("share_delete", memory_id=memory_id)


def list_share_requests(db: Db, limit: int) -> list[ShareRequest]:
    """What waits for a second person, the oldest first."""
    return [_request_from_row(row) for row in db.rows("shares_waiting", limit=limit)]


def list_owned_memories(db: Db, person: str) -> Sequence[str]:
    """The ids of the memories that are one person's."""
    return [row["id"] for row in db.rows("memories_owned", owner=person)]


def find_session_owner(db: Db, session_id: str) -> str | None:
    """Whose a session is; None: nobody's, or there is none."""
    row = db.row("session_owner", id=session_id)
    return row["owner"] if row else None


def erase_person(db: Db, name: str) -> None:
    """What is left of a person, but for their memories: events, notes, sessions, and their name where they acted."""
    db.run("owned_events_delete", owner=name)
    db.run("owned_notes_delete", owner=name)
    db.run("owned_sessions_disown", owner=name)
    db.run("answered_forget_person", person=name)
    db.run("history_rename", person=name, name=REMOVED_PERSON)
    db.run("audit_rename", person=name, name=REMOVED_PERSON)


def read_sharing(db: Db, project_id: str) -> str | None:
    """How a project shares, or the organisation where it says nothing."""
    return meta.read_meta(db, f"sharing:{project_id}") or meta.read_meta(db, "sharing")


def save_sharing(db: Db, project_id: str | None, sharing: str) -> None:
    """How a project shares; without one, the whole organisation."""
    meta.save_meta(db, f"sharing:{project_id}" if project_id else "sharing", sharing)


def _person_from_row(row: Row) -> Person:
    return Person(
        name=row["name"],
        role=TeamRole(row["role"]),
        password=row["password"],
        created_at=from_micros(row["created_at"]),
    )


def _token_from_row(row: Row) -> AccessToken:
    def moment(name: str) -> datetime | None:
        return from_micros(row[name]) if row[name] is not None else None

    return AccessToken(
        prefix=row["prefix"],
        person=row["person"],
        digest=row["digest"],
        label=row["label"],
        role=TeamRole(row["role"]).at_most(TeamRole(row["person_role"])),
        agent=bool(row["agent"]),
        created_at=from_micros(row["created_at"]),
        expires_at=moment("expires_at"),
        revoked_at=moment("revoked_at"),
        used_at=moment("used_at"),
    )


def _request_from_row(row: Row) -> ShareRequest:
    return ShareRequest(
        memory_id=row["memory_id"], person=row["person"], at=from_micros(row["at"]), why=row["why"]
    )
