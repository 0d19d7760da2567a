"""Where a memory comes from. Trust follows the channel, never the words."""

from __future__ import annotations

from enum import StrEnum

from recollect.model.phase import Phase
from recollect.model.value import dataclass


class Channel(StrEnum):
    """The way by which a memory reached us."""

    USER = "user"
    OPERATOR = "operator"
    AGENT = "agent"
    OBSERVED = "observed"
    READ = "read"
    COMMIT = "commit"
    QA = "qa"
    VAULT = "vault"
    VAULT_EXTERNAL = "vault_external"
    IMPORT = "import"
    PLUGIN = "plugin"


class Source(StrEnum):
    """Who or what made the memory."""

    AGENT_EXPLICIT = "agent_explicit"
    OBSERVER_INFERRED = "observer_inferred"
    QA_AUTO = "qa_auto"
    MCP_AUTO = "mcp_auto"
    COMMIT_AUTO = "commit_auto"
    USER_TAUGHT = "user_taught"


SOURCE_OF_CHANNEL = {
    Channel.USER: Source.USER_TAUGHT,
    Channel.OPERATOR: Source.USER_TAUGHT,
    Channel.AGENT: Source.AGENT_EXPLICIT,
    Channel.OBSERVED: Source.OBSERVER_INFERRED,
    Channel.READ: Source.OBSERVER_INFERRED,
    Channel.COMMIT: Source.COMMIT_AUTO,
    Channel.QA: Source.QA_AUTO,
    Channel.VAULT: Source.USER_TAUGHT,
    Channel.VAULT_EXTERNAL: Source.AGENT_EXPLICIT,
    Channel.IMPORT: Source.AGENT_EXPLICIT,
    Channel.PLUGIN: Source.AGENT_EXPLICIT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Who said it, by which way, in which session, phase and commit, and from which events."""

    channel: Channel = Channel.USER
    source: Source = Source.USER_TAUGHT
    session_id: str | None = None
    phase: Phase | None = None
    commit_sha: str | None = None
    event_ids: tuple[str, ...] = ()


def provenance_of(channel: Channel, *, session_id: str | None = None) -> Provenance:
    """The provenance of something that came by this channel, with the source that goes with it."""
    return Provenance(channel=channel, source=SOURCE_OF_CHANNEL[channel], session_id=session_id)
