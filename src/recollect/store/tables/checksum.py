"""The checksum of one memory, over all that it says and all that hangs on it."""

from __future__ import annotations

import json

from recollect.model.ids import blake2b
from recollect.model.memory import Memory
from recollect.store.tables.row_values import to_micros

# Begins every seal. Another list of sealed things gets another letter; seals of the old one stay valid as they are.
_FORM = "a"
_SORTED = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def compute_checksum(memory: Memory) -> str:
    """The seal a memory must carry."""
    digest = blake2b(
        _SORTED.encode(_checksummed_values(memory)).encode("utf-8", "surrogatepass"), digest_size=12
    )
    return _FORM + digest.hexdigest()


def _checksummed_values(memory: Memory) -> list[object]:
    work, provenance = memory.work, memory.provenance
    return [
        memory.id,
        memory.text,
        memory.kind,
        memory.state,
        float(memory.confidence),
        memory.scope,
        memory.project_id,
        sorted({str(subject) for subject in memory.subjects}),
        sorted(set(memory.tags)),
        [work.methodology, list(work.hierarchy), work.label] if work else None,
        [memory.trust.verified, memory.trust.needs_review, memory.pinned],
        [provenance.channel, provenance.source, provenance.session_id, provenance.phase],
        [provenance.commit_sha, list(provenance.event_ids)],
        memory.citation,
        float(memory.half_life_days) if memory.half_life_days is not None else None,
        sorted(
            [r.type, r.memory_id or "", r.path or "", float(r.confidence), r.auto_extracted]
            for r in memory.relations
        ),
        dict(memory.fields),
        to_micros(memory.happened_at),
        to_micros(memory.created_at),
        to_micros(memory.updated_at),
        [to_micros(memory.stale_at) if memory.stale_at else None, memory.stale_why],
        float(memory.base_confidence) if memory.base_confidence is not None else None,
        to_micros(memory.reinforced_at) if memory.reinforced_at else None,
        list(memory.sessions),
    ]
