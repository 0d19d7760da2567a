"""What was counted from evidence, proposed and remembered: each in the place of what was counted of it before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.capture import change
from recollect.capture.intake import take_in
from recollect.capture.write_context import Act, WriteContext
from recollect.model.memory import Memory, MemoryDraft, Refused, Trust
from recollect.model.proposal import LearningProposal
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.value import dataclass, field

ACTOR = "observer"
# What counted memories are known by.
TAG = "counted"


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedMemory:
    """A draft that was counted, the memory whose place it takes, and the lines that show it."""

    draft: MemoryDraft
    before: Memory | None
    why: str
    evidence: tuple[str, ...]
    needs_review: bool = True
    # What changes beside the text where it was counted before.
    changes: Mapping[str, Any] = field(default_factory=dict)


def propose_counted(
    context: WriteContext, act: Act | None, step: str, counted: Iterable[CountedMemory]
) -> list[LearningProposal]:
    """Remember each; without an act, only say what would be done. What the door refuses is not proposed."""
    proposals: list[LearningProposal] = []
    for one in counted:
        memory = one.before if act is None else _save(context, act, one)
        if memory is None and act is not None:
            continue
        proposals.append(
            LearningProposal(
                step=step,
                act="count" if one.before else "new",
                text=one.draft.text,
                why=one.why,
                evidence=one.evidence,
                memory_id=memory.id if memory else "",
                needs_review=one.needs_review,
            )
        )
    return proposals


def draft_counted(
    text: str, kind: str, project_id: str | None, *, session_id: str, event_ids: tuple[str, ...], **parts: Any
) -> MemoryDraft:
    """A draft of what was counted: observed, and marked for somebody to look at."""
    provenance = Provenance(
        channel=Channel.OBSERVED,
        source=Source.OBSERVER_INFERRED,
        session_id=session_id,
        event_ids=event_ids,
    )
    return MemoryDraft(
        text=text,
        kind=kind,
        tags=(TAG,),
        project_id=project_id,
        provenance=provenance,
        trust=Trust(needs_review=True),
        **parts,
    )


def _save(context: WriteContext, act: Act, one: CountedMemory) -> Memory | None:
    if one.before is not None:
        changes = {"text": one.draft.text, **one.changes}
        return change.edit_memory(
            context, one.before.id, changes, actor=ACTOR, why="counted again", action="count"
        )
    answer = take_in(context, act, [one.draft])[0]
    return None if isinstance(answer, Refused) else answer.memory
