"""
In step with a server: what agents did goes there from the spool, it learns, and what may be told comes back.

Nobody waits for it: hooks write into the inbox and read the mirror, and this runs behind them. What could not be sent
waits; an event that is sent twice is stored once.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from recollect import config
from recollect.api import Recollect
from recollect.api.acts import ACTS
from recollect.api.json_values import decode_value
from recollect.api.mirror import MIRROR_VERSION, Mirrored, mirror_memories, read_mirror_version
from recollect.errors import AccessDenied, NotSignedIn, RepositoryError
from recollect.events import inbox as mail
from recollect.git import identity
from recollect.model.memory import Memory
from recollect.model.provenance import Channel
from recollect.model.value import dataclass
from recollect.remote.line import LineCaller, ServerLine
from recollect.remote.remote_memory import list_project_keys
from recollect.remote.saved_token import read_token

__all__ = ["MIRROR_VERSION", "ServerSync", "sync_with_server"]

_AT_ONCE = 500
_MAX_BATCH_BYTES = 4 * 1024 * 1024
_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSync:
    """What went there and what came back."""

    sent: int = 0
    mirrored: Mirrored | None = None


def sync_with_server(settings: config.Settings, folder: Path, *, tries: int = 2) -> ServerSync:
    """Send what waits, have the server learn from it, and mirror what the person may be told in this project."""
    url = settings.text("url")
    token = read_token(url)
    if not token:
        raise NotSignedIn(reason=f"there is none for {url} on this machine")
    with Recollect(settings=settings, folder=folder, actor="agent", channel=Channel.AGENT) as memory:
        memory.observer.drain()
        outbox = memory._wiring.outbox
        sent = send_spool(outbox, url, token, tries)
        line = ServerLine(url, describe_place(str(folder), token), seconds=_SECONDS, tries=tries)
        try:
            # Who may only read has nothing to learn from there.
            with suppress(AccessDenied):
                line.call(ACTS["observer.learn_due"], (), {})
            return ServerSync(sent=sent, mirrored=refresh_mirror(memory, line))
        finally:
            line.close()


def send_spool(outbox: str, url: str, token: str, tries: int) -> int:
    """Send everything that waits; how many events. What the server does not take stays for the next time."""
    sent = 0
    name = secrets.token_hex(8)
    for path in mail.list_left_over(outbox):
        with mail.claim_left_over(outbox, path) as claim:
            sent += _send_claim(claim, url, token, tries)
    if mail.has_waiting(outbox):
        with mail.claim_inbox(outbox, name) as claim:
            sent += _send_claim(claim, url, token, tries)
    return sent


def refresh_mirror(memory: Recollect, line: ServerLine) -> Mirrored | None:
    """Make the store of this machine say what the server says now; None if nothing has changed there."""
    answer = line.ask("POST", "/v1/mirror", {"version": read_mirror_version(memory)})["result"]
    memories = answer["memories"]
    values = None if memories is None else [decode_value(Memory, form) for form in memories]
    return mirror_memories(memory, values, str(answer["version"]))


def _send_claim(claim: mail.Claim | None, url: str, token: str, tries: int) -> int:
    if claim is None:
        return 0
    sent = 0
    by_folder: dict[str, list[Mapping[str, Any]]] = {}
    for form in claim.forms():
        by_folder.setdefault(str(form.get("folder", "")), []).append(form)
    for folder, forms in by_folder.items():
        line = ServerLine(url, describe_place(folder, token), seconds=_SECONDS, tries=tries)
        try:
            for batch in _split_batches(forms):
                line.ask("POST", "/v1/events", {"events": batch})
                sent += len(batch)
        finally:
            line.close()
    claim.done()
    return sent


def _split_batches(forms: list[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    batch: list[Mapping[str, Any]] = []
    size = 0
    for form in forms:
        length = len(json.dumps(form, ensure_ascii=False).encode("utf-8", "replace"))
        if batch and (len(batch) >= _AT_ONCE or size + length > _MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(form)
        size += length
    if batch:
        yield batch


def describe_place(folder: str, token: str) -> LineCaller:
    """Who speaks from a folder: an agent, in the project around it as far as git can say."""
    place = None
    if folder and Path(folder).is_dir():
        with suppress(RepositoryError):
            place = identity.identify(Path(folder))
    if place is None:
        return LineCaller(token=token, by_agent=True)
    return LineCaller(
        token=token, by_agent=True, project_keys=list_project_keys(place), project_name=place.name
    )
