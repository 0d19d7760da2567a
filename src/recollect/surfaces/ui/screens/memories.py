"""The memories: a list that is searched as one types, and everything that can be done to one or to many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.api import Recollect
from recollect.errors import BadInput
from recollect.model.json_form import memory_to_json
from recollect.model.memory import AlreadyKnown, Memory, MemoryState, Refused, Remembered
from recollect.model.provenance import Source
from recollect.model.query import Hit
from recollect.model.scope import Scope
from recollect.surfaces.json_answers import (
    changed_to_json,
    intake_to_json,
    memories_to_json,
    recalled_to_json,
)
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.open_memories import OpenMemories
from recollect.surfaces.ui.screen import Action, Outcome, Page, Screen
from recollect.surfaces.ui.screens.filters import build_address, read_chosen, read_filters

PER_PAGE = 50
_MAX_PER_PAGE = 200
# Of the best one's score; who wants to see what lies below asks for it.
_WEAK_SHARE = 0.6
VIEWS = ("table", "cards", "operators")
# What PUT may change, and of which kind each is.
_EDITABLE = ("text", "kind", "confidence", "about", "tags", "scope", "state", "pinned")


class MemoriesScreen:
    """The list and its actions."""

    def __init__(self, memories: OpenMemories) -> None:
        self._memories = memories

    def pages(self) -> Sequence[Page]:
        """The list."""
        return (
            Page(
                path="/memories",
                name="memories",
                template="memories.html",
                part="memories_part.html",
                show=self.show,
                summary="List memories, newest first, or search them with q",
                parameters=(
                    "q",
                    "kind",
                    "source",
                    "state",
                    "module",
                    "service",
                    "about",
                    "tag",
                    "methodology",
                    "min_confidence",
                    "since",
                    "until",
                    "projects",
                    "limit",
                    "offset",
                ),
            ),
        )

    def actions(self) -> Sequence[Action]:
        """What can be done to memories."""
        text = {"type": "string"}
        texts = {"type": "array", "items": text}
        ids = {"ids": texts}
        draft = {
            "text": text,
            "kind": text,
            "about": texts,
            "tags": texts,
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "scope": {"type": "string", "enum": [str(scope) for scope in Scope]},
        }
        states = {"type": "string", "enum": [str(state) for state in MemoryState]}
        return (
            Action(
                method="POST",
                path="/memories",
                act=add,
                summary="Remember a text",
                body=draft,
                required=("text",),
            ),
            Action(
                method="DELETE",
                path="/memories/bulk",
                act=forget_many,
                summary="Forget several memories; they can be brought back",
                body={**ids, "purge": {"type": "boolean"}},
                required=("ids",),
            ),
            Action(
                method="PUT",
                path="/memories/{id}",
                act=change,
                summary="Change parts of a memory",
                body={**draft, "state": states, "pinned": {"type": "boolean"}, "why": text},
            ),
            Action(
                method="DELETE",
                path="/memories/{id}",
                act=forget_one,
                summary="Forget a memory; it can be brought back, unless purge is true",
                body={"purge": {"type": "boolean"}},
            ),
            Action(
                method="POST",
                path="/merge",
                act=merge,
                summary="Merge duplicates into one",
                body={"keep": text, **ids},
                required=("keep", "ids"),
            ),
            Action(
                method="POST",
                path="/undo",
                act=undo,
                summary="Take back the last act, or the last one that touched a memory",
                body={"id": text},
            ),
            Action(
                method="POST",
                path="/memories/{id}/feedback",
                act=judge,
                summary="Say that a memory helped, or was in the way",
                body={"useful": {"type": "boolean"}},
                required=("useful",),
            ),
        )

    def show(self, memory: Recollect, call: WebCall) -> Screen:
        """The list, or what answers the words that were typed."""
        filters = read_filters(memory, call)
        question = call.text("q").strip()[:2000]
        limit = call.number("limit", PER_PAGE, low=1, high=_MAX_PER_PAGE)
        offset = call.number("offset", 0)
        view = call.text("view", "table")
        if view not in VIEWS:
            raise BadInput(reason=f"view is one of {', '.join(VIEWS)}, not {view[:40]!r}")
        hits: Mapping[str, Any] = {}
        weak = 0
        if question:
            recalled = memory.browse.search(memory.query(question, limit=limit, filters=filters))
            close = recalled if call.flag("weak") else _leave_out_weak(list(recalled))
            listed: Sequence[Memory] = [hit.memory for hit in close]
            hits = {hit.memory.id: hit for hit in close}
            total, weak = len(listed), len(recalled) - len(listed)
            answer = lambda: recalled_to_json(recalled)  # noqa: E731
        else:
            listed = memory.list(filters, limit=limit, offset=offset)
            total = self._memories.remember_answer(
                memory, ("count", filters, call.standing), lambda: memory.count(filters)
            )
            answer = lambda: memories_to_json(listed, total)  # noqa: E731
        values = {
            "memories": listed,
            "hits": hits,
            "total": total,
            "weak": weak,
            "question": question,
            "view": view,
            "limit": limit,
            "offset": offset,
            "chosen": read_chosen(call),
            "address": lambda **changes: build_address("/memories", call, **changes),
            "part_address": build_address("/memories", call, offset=offset or ""),
            **self._choices(memory, call),
        }
        return Screen(values=values, answer=answer)

    def _choices(self, memory: Recollect, call: WebCall) -> Mapping[str, Any]:
        if call.target:
            return {}
        return {
            "states": list(MemoryState),
            "sources": list(Source),
            "scopes": list(Scope),
            **self._memories.remember_answer(
                memory,
                ("choices",),
                lambda: {
                    "modules": memory.browse.subjects("module"),
                    "services": memory.browse.subjects("service"),
                    "methodologies": memory.browse.methodologies(),
                },
            ),
        }


def _leave_out_weak(hits: Sequence[Hit]) -> Sequence[Hit]:
    """Those that come near the best one: the rest only fills the page while one types."""
    best = hits[0].score if hits else 0.0
    return [hit for hit in hits if hit.score >= _WEAK_SHARE * best]


def add(memory: Recollect, call: WebCall) -> Outcome:
    """Remember a text."""
    answer = memory.remember(
        call.text("text"),
        kind=call.text("kind") or "fact",
        about=_split(call.texts("about")),
        tags=_split(call.texts("tags")),
        confidence=call.share("confidence"),
        scope=call.text("scope") or None,
    )
    form = intake_to_json(answer)
    match answer:
        case Remembered(memory=made):
            sentence = call.gettext("Remembered.")
            if answer.redacted:
                names = ", ".join(answer.redacted)
                sentence += " " + call.gettext("A secret was taken out: %(names)s.") % {"names": names}
            return Outcome(answer=form, sentence=sentence, undo=made.id, status=201)
        case AlreadyKnown(memory=made):
            return Outcome(answer=form, sentence=call.gettext("This is known already."), is_warning=True)
        case Refused(reason=reason):
            sentence = call.gettext("Not remembered: %(reason)s") % {"reason": reason}
            return Outcome(answer=form, sentence=sentence, is_warning=True)


def change(memory: Recollect, call: WebCall) -> Outcome:
    """Change parts of a memory."""
    changes: dict[str, Any] = {}
    for name in ("text", "kind", "scope", "state"):
        if call.has(name):
            changes[name] = call.text(name)
    for name in ("about", "tags"):
        if call.has(name):
            changes[name] = _split(call.texts(name))
    if call.has("confidence") and (confidence := call.share("confidence")) is not None:
        changes["confidence"] = confidence
    if call.has("pinned"):
        changes["pinned"] = call.flag("pinned")
    if not changes:
        raise BadInput(reason=f"there is nothing to change; send one of {', '.join(_EDITABLE)}")
    changed = memory.edit(call.path["id"], why=call.text("why"), **changes)
    return Outcome(
        answer={"memory": memory_to_json(changed)}, sentence=call.gettext("Saved."), undo=changed.id
    )


def forget_one(memory: Recollect, call: WebCall) -> Outcome:
    """Forget one memory."""
    return _forget(memory, call, [call.path["id"]])


def forget_many(memory: Recollect, call: WebCall) -> Outcome:
    """Forget several."""
    return _forget(memory, call, read_ids(call))


def _forget(memory: Recollect, call: WebCall, ids: Sequence[str]) -> Outcome:
    memories = [memory.show(memory_id) for memory_id in ids]
    count = {"count": len(memories)}
    if call.flag("purge"):
        memory.purge(*(one.id for one in memories))
        sentence = call.ngettext(
            "%(count)s memory removed for good.", "%(count)s memories removed for good.", len(ids)
        )
        return Outcome(answer=changed_to_json(memories), sentence=sentence % count)
    gone = memory.forget(*(one.id for one in memories))
    sentence = call.ngettext("%(count)s memory forgotten.", "%(count)s memories forgotten.", len(ids))
    return Outcome(answer=changed_to_json(gone), sentence=sentence % count, undo=memories[0].id)


def merge(memory: Recollect, call: WebCall) -> Outcome:
    """Merge duplicates into one."""
    keep = memory.show(call.text("keep"))
    others = [memory_id for memory_id in read_ids(call) if memory_id != keep.id]
    merged = memory.reviews.merge(keep.id, *others)
    sentence = call.ngettext(
        "%(count)s duplicate merged into this one.", "%(count)s duplicates merged into this one.", len(others)
    )
    return Outcome(
        answer=changed_to_json([merged]), sentence=sentence % {"count": len(others)}, undo=merged.id
    )


def undo(memory: Recollect, call: WebCall) -> Outcome:
    """Take back an act."""
    undone = memory.undo(call.text("id") or None)
    return Outcome(answer=changed_to_json(undone.memories), sentence=call.gettext("Taken back."))


def judge(memory: Recollect, call: WebCall) -> Outcome:
    """A memory helped, or was in the way."""
    if not call.has("useful"):
        raise BadInput(reason="say whether it was useful: true or false")
    judged = memory.upkeep.judge(call.path["id"], useful=call.flag("useful"))
    return Outcome(answer=changed_to_json([judged]), sentence=call.gettext("Thank you."), undo=judged.id)


def read_ids(call: WebCall) -> Sequence[str]:
    """The memories that are meant, at least one."""
    ids = list(dict.fromkeys((*call.texts("ids"), *call.texts("id"))))
    if not ids:
        raise BadInput(reason="name at least one memory in ids")
    return ids


def _split(texts: Sequence[str]) -> list[str]:
    """Each text may hold several, with commas between them, as a person types them into one field."""
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]
