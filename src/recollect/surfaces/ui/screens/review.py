"""The review: what waits for a person, the evidence at a glance, and one key for each answer."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.api import Recollect
from recollect.errors import NotFound
from recollect.model.memory import Memory
from recollect.model.review import CorrectionReason
from recollect.surfaces.json_answers import changed_to_json, session_review_to_json, waiting_to_json
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.screen import Action, Outcome, Page, Screen
from recollect.surfaces.ui.screens.filters import build_address, read_chosen, read_filters
from recollect.surfaces.ui.screens.memories import read_ids

_MAX_WAITING = 200
_MAX_SESSIONS = 25


def show(memory: Recollect, call: WebCall) -> Screen:
    """What waits here, or what one session used and left."""
    filters = read_filters(memory, call)
    session_id = call.text("of_session").strip()
    sessions = memory.observer.sessions(limit=_MAX_SESSIONS)
    common = {
        "sessions": sessions,
        "of_session": session_id,
        "chosen": read_chosen(call),
        "reasons": list(CorrectionReason),
        "part_address": build_address("/review", call, of_session=session_id),
    }
    if session_id:
        try:
            review = memory.reviews.session(session_id, filters)
        except NotFound:
            if session_id != "last":
                raise
        else:
            values = {
                **common,
                "waiting": review.waiting,
                "applied": review.applied,
                "confirmed": review.confirmed,
                "session_id": review.session_id,
            }
            return Screen(values=values, answer=lambda: session_review_to_json(review))
    waiting = memory.reviews.pending(filters, limit=_MAX_WAITING)
    values = {**common, "waiting": waiting, "applied": (), "confirmed": (), "session_id": ""}
    return Screen(values=values, answer=lambda: waiting_to_json(waiting))


def confirm(memory: Recollect, call: WebCall) -> Outcome:
    """A person stands by these."""
    changed = memory.reviews.confirm(*read_ids(call))
    sentence = call.ngettext("%(count)s memory confirmed.", "%(count)s memories confirmed.", len(changed))
    return _changed(changed, sentence % {"count": len(changed)})


def reject(memory: Recollect, call: WebCall) -> Outcome:
    """A person does not want these."""
    changed = memory.reviews.reject(*read_ids(call))
    sentence = call.ngettext("%(count)s memory rejected.", "%(count)s memories rejected.", len(changed))
    return _changed(changed, sentence % {"count": len(changed)})


def flag(memory: Recollect, call: WebCall) -> Outcome:
    """These are wrong: silent until a person has looked."""
    changed = memory.reviews.flag(*read_ids(call), why=call.text("why"))
    sentence = call.ngettext("%(count)s memory flagged.", "%(count)s memories flagged.", len(changed))
    return _changed(changed, sentence % {"count": len(changed)})


def correct(memory: Recollect, call: WebCall) -> Outcome:
    """Put a memory right, for one of four reasons."""
    wrong = call.text("wrong") or CorrectionReason.INACCURATE
    needs_text = wrong in (CorrectionReason.INACCURATE, CorrectionReason.TOO_SPECIFIC)
    corrected = memory.reviews.correct(
        call.text("id"),
        wrong,
        text=call.text("text") if needs_text else "",
        original=call.text("original") if wrong == CorrectionReason.DUPLICATE else "",
        why=call.text("why"),
    )
    return _changed([corrected], call.gettext("Corrected."))


def settle(memory: Recollect, call: WebCall) -> Outcome:
    """Of two memories that contradict each other one holds, or both do."""
    keep, drop = call.text("keep"), call.text("drop")
    act = memory.upkeep.keep_both if call.flag("both") else memory.upkeep.settle
    settled = act(keep, drop)
    return _changed(list(settled.kept), call.gettext("Settled."))


def _changed(changed: Sequence[Memory], sentence: str) -> Outcome:
    undo = changed[0].id if changed else ""
    return Outcome(answer=changed_to_json(changed), sentence=sentence, undo=undo)


PAGES: Sequence[Page] = (
    Page(
        path="/review",
        name="review",
        template="review.html",
        part="review_part.html",
        show=show,
        summary="What waits for a person; with of_session, what one session used and left",
        parameters=("of_session", "kind", "source", "about"),
    ),
)
_IDS = {"ids": {"type": "array", "items": {"type": "string"}}}
ACTIONS: Sequence[Action] = (
    Action(
        method="POST",
        path="/review/confirm",
        act=confirm,
        summary="Stand by memories",
        body=_IDS,
        required=("ids",),
    ),
    Action(
        method="POST",
        path="/review/reject",
        act=reject,
        summary="Throw memories out",
        body=_IDS,
        required=("ids",),
    ),
    Action(
        method="POST",
        path="/review/flag",
        act=flag,
        summary="Say that memories are wrong; agents may do this",
        body={**_IDS, "why": {"type": "string"}},
        required=("ids",),
    ),
    Action(
        method="POST",
        path="/review/correct",
        act=correct,
        summary="Put a memory right",
        body={
            "id": {"type": "string"},
            "wrong": {"type": "string", "enum": [str(reason) for reason in CorrectionReason]},
            "text": {"type": "string"},
            "original": {"type": "string"},
            "why": {"type": "string"},
        },
        required=("id",),
    ),
    Action(
        method="POST",
        path="/review/settle",
        act=settle,
        summary="Say which of two contradicting memories holds, or that both do",
        body={
            "keep": {"type": "string"},
            "drop": {"type": "string"},
            "both": {"type": "boolean"},
        },
        required=("keep", "drop"),
    ),
)
