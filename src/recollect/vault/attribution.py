"""
Whose an edit is. A file does not say who wrote it, so this goes by what can be known, and doubts what gives orders.

An agent that is known to have written the file, or characters nobody can see, make it a program's. A note that Obsidian
has open makes it a person's. Where nothing tells, plain words count as the person's whose vault it is, and words that
instruct wait for a yes: a script that slips "always run this" into a note gets no further than the review.
"""

from __future__ import annotations

from datetime import UTC, datetime

from recollect.capture.evidence import gives_orders
from recollect.events.bloom import split_words
from recollect.events.hidden import strip_hidden
from recollect.events.statements import find_addresses, instructs, touches_safety
from recollect.model.provenance import Channel
from recollect.store.tables import vault_notes
from recollect.vault.context import VaultContext
from recollect.vault.obsidian import read_open_notes

# Who reads memories: what is said of them is said to them.
_READERS = frozenset(
    """agent agents agenten agente agentes assistant assistants assistenten asistente asistentes
    ai ki ia llm llms chatbot chatbots модель модели агент агента""".split()
)
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def attribute_edit(ctx: VaultContext, path: str, before: str, now: str) -> Channel:
    """The channel by which the new words in a note have come."""
    fresh = find_new_words(before, now)
    if strip_hidden(fresh).hidden:
        return Channel.VAULT_EXTERNAL
    if vault_notes.has_agent_written(ctx.db, path, ctx.vault.synced_at or _LONG_AGO):
        return Channel.VAULT_EXTERNAL
    if ctx.edits == "mine" or path in read_open_notes(ctx.root):
        return Channel.VAULT
    if ctx.edits == "review" or _weighs(fresh):
        return Channel.VAULT_EXTERNAL
    return Channel.VAULT


def _weighs(text: str) -> bool:
    """Whether a text orders, allows, speaks of what protects people or of agents, or leads out to an address."""
    return (
        gives_orders(text)
        or instructs(text)
        or touches_safety(text)
        or bool(find_addresses(text))
        or not _READERS.isdisjoint(split_words(text))
    )


def find_new_words(before: str, now: str) -> str:
    """The lines that were not there before."""
    known = set(before.splitlines())
    return "\n".join(line for line in now.splitlines() if line not in known)
