"""Rights: what only a person may do. Agents propose and flag; they do not confirm, pin, wake or raise."""

from __future__ import annotations

from recollect.capture.write_context import Act
from recollect.errors import OnlyAPerson
from recollect.model.memory import Memory, MemoryDraft, MemoryState
from recollect.model.trust import Origin, origin_of


def check_person(act: Act, what: str) -> None:
    """Refuse what only a person may do."""
    if not act.by_person:
        raise OnlyAPerson(what=what)


def check_draft(act: Act, draft: MemoryDraft) -> None:
    """Refuse a draft by which an agent would give itself a person's standing."""
    if act.by_person:
        return
    if draft.pinned:
        raise OnlyAPerson(what="pin a memory")
    if draft.trust is not None and draft.trust.verified:
        raise OnlyAPerson(what="say that a memory is verified")


def check_change(act: Act, old: Memory, new: Memory) -> None:
    """Refuse a change that an agent may not make to a memory."""
    if act.by_person:
        return
    for is_raised, what in (
        (new.pinned != old.pinned, "pin or unpin a memory"),
        (new.trust.verified and not old.trust.verified, "confirm a memory"),
        (old.trust.needs_review and not new.trust.needs_review, "take a memory off the review list"),
        (_is_woken(old, new), f"make a memory active that is {old.state}"),
        (new.confidence > old.confidence, "raise the confidence of a memory"),
        (_puts_words_in_mouth(old, new), "change what a person said or confirmed"),
    ):
        if is_raised:
            raise OnlyAPerson(what=what)


def check_undo(act: Act, actor: str) -> None:
    """Refuse to let an agent take back what somebody else did."""
    if not act.by_person and actor != act.actor:
        raise OnlyAPerson(what=f"take back what {actor} did")


def _is_woken(old: Memory, new: Memory) -> bool:
    return new.state is MemoryState.ACTIVE and old.state is not MemoryState.ACTIVE


def _puts_words_in_mouth(old: Memory, new: Memory) -> bool:
    before = (old.text, old.kind, old.citation, old.fields, old.project_id, old.scope)
    after = (new.text, new.kind, new.citation, new.fields, new.project_id, new.scope)
    return before != after and origin_of(old) is Origin.PERSON
