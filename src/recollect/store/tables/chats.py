"""Conversations: agents, their sessions, messages, and the outputs of tools beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from recollect.errors import NotFound
from recollect.model.chat import ChatSession
from recollect.store.db import Db
from recollect.store.tables.row_values import from_micros, to_micros


def put_agent(db: Db, agent_id: str, name: str, persona: Mapping[str, Any], at: datetime) -> str:
    """Keep an agent as it is now; its id, which it keeps."""
    written = json.dumps(persona, ensure_ascii=False)
    db.run("chat_agent_put", id=agent_id, name=name, persona=written, created_at=to_micros(at))
    row = db.row("chat_agent_by_name", name=name)
    assert row is not None, "it was just written"
    return str(row["id"])


def agent_persona(db: Db, name: str) -> Mapping[str, Any]:
    """The persona of an agent."""
    row = db.row("chat_agent_by_name", name=name)
    if row is None:
        raise NotFound(what="agent", name=name)
    persona: Mapping[str, Any] = json.loads(row["persona"])
    return persona


def start(
    db: Db, chat_id: str, agent_id: str, *, shape: str, title: str, project_id: str | None, at: datetime
) -> None:
    """Begin a conversation."""
    db.run(
        "chat_session_put",
        id=chat_id,
        agent_id=agent_id,
        project_id=project_id,
        title=title,
        shape=shape,
        at=to_micros(at),
    )


def by_id(db: Db, chat_id: str) -> ChatSession:
    """One conversation."""
    row = db.row("chat_session_by_id", id=chat_id)
    if row is None:
        raise NotFound(what="conversation", name=chat_id)
    return ChatSession(
        id=row["id"],
        agent=row["agent"],
        title=row["title"],
        shape=row["shape"],
        started_at=from_micros(row["started_at"]),
        last_at=from_micros(row["last_at"]),
        messages=row["messages"],
        project_id=row["project_id"],
        archived_at=from_micros(row["archived_at"]) if row["archived_at"] is not None else None,
    )


def newest(db: Db, *, agent: str, limit: int) -> list[str]:
    """The ids of the newest conversations that are not archived."""
    return [row["id"] for row in db.rows("chat_sessions_recent", agent=agent, limit=limit)]


def add(
    db: Db, chat_id: str, messages: Iterable[tuple[Mapping[str, Any], Mapping[int, str]]], at: datetime
) -> int:
    """Add messages, each with the outputs that were taken out of it; the number of the first."""
    row = db.row("chat_messages_count", session_id=chat_id)
    first = number = int(row["messages"]) if row else 0
    for body, outputs in messages:
        written = json.dumps(body, ensure_ascii=False)
        db.run("chat_message_add", session_id=chat_id, number=number, at=to_micros(at), body=written)
        for part, text in outputs.items():
            db.run(
                "chat_output_add", session_id=chat_id, number=number, part=part, at=to_micros(at), text=text
            )
        number += 1
    db.run("chat_session_heard", id=chat_id, at=to_micros(at))
    return first


def messages_of(db: Db, chat_id: str) -> list[tuple[Mapping[str, Any], dict[int, str]]]:
    """The messages of a conversation, each with the outputs that are still kept."""
    outputs: dict[int, dict[int, str]] = {}
    for row in db.rows("chat_outputs_of", session_id=chat_id):
        outputs.setdefault(row["number"], {})[row["part"]] = row["text"]
    rows = db.rows("chat_messages_of", session_id=chat_id)
    return [(json.loads(row["body"]), outputs.get(row["number"], {})) for row in rows]


def archive(db: Db, chat_id: str, at: datetime) -> None:
    """Take a conversation out of the list."""
    db.run("chat_session_archive", id=chat_id, at=to_micros(at))


def prune_outputs(db: Db, before: datetime) -> int:
    """Remove the outputs of tools that are older than this; how many went."""
    return db.run("chat_outputs_prune", before=to_micros(before))
