"""Versions seen of a note, kept without secrets; old ones go once there are many newer ones."""

from __future__ import annotations

from datetime import timedelta

from recollect.events.redact import redact
from recollect.store.tables import vault_notes
from recollect.vault.context import VaultContext
from recollect.vault.files import hash_content

# All versions of a month are kept, and of older ones so many.
KEPT_FOR = timedelta(days=30)
KEPT_VERSIONS = 100


def keep_version(ctx: VaultContext, note: int, content: bytes, writer: str) -> None:
    """Keep a version of a note, known by the hash of what the file held; who wrote it."""
    digest = hash_content(content)
    now = ctx.now()
    vault_notes.save_version(ctx.db, note, _without_secrets(content), digest, now, writer)
    vault_notes.prune_versions(ctx.db, note, keep=KEPT_VERSIONS, before=now - KEPT_FOR)


def _without_secrets(content: bytes) -> bytes:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return content
    cleaned = redact(text).text
    return content if cleaned == text else cleaned.encode()
