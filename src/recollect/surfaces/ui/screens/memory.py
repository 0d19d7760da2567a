"""One memory: its words, where it comes from, how sure it was when, what it is tied to, and where it was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.api import Recollect
from recollect.model.anchor import describe_anchor
from recollect.model.history import MemoryChange
from recollect.model.ids import SHORT_LENGTH
from recollect.model.memory import Memory
from recollect.model.scope import Scope
from recollect.model.trust import Moment, may_speak
from recollect.surfaces.json_answers import changed_to_json, memories_to_json, shown_to_json
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.screen import Action, Outcome, Page, Screen

_MAX_NEIGHBOURS = 8
_MAX_SUBJECTS = 6
_MAX_NAMED = 14


def show(memory: Recollect, call: WebCall) -> Screen:
    """Everything about one memory."""
    one = memory.show(call.path["id"])
    files = memory.staleness.files_of(one.id)
    changes = list(memory.history(one.id))
    related = memory.browse.related(one.id)
    values = {
        "memory": one,
        "evidence": memory.browse.evidence(one.id),
        "files": [words for file in files if (words := describe_anchor(file))],
        "changes": changes[::-1],
        "timeline": _read_timeline(one, changes),
        "related": related,
        "succession": memory.browse.succession(one.id),
        "injections": memory.browse.injections(one.id),
        "similar": memory.browse.similar(one.id),
        "graph": _draw_graph(memory, one, [(item.memory, item.relation) for item in related]),
        "speaks": {moment: may_speak(one, moment) for moment in (Moment.PROMPT, Moment.TOOL_RESULT)},
        "scopes": list(Scope),
    }
    return Screen(values=values, answer=lambda: shown_to_json(one, files))


def show_similar(memory: Recollect, call: WebCall) -> Screen:
    """What says nearly the same, for a person who looks for the original of a duplicate."""
    one = memory.show(call.path["id"])
    similar = memory.browse.similar(one.id)
    return Screen(
        values={"memory": one, "similar": similar}, answer=lambda: memories_to_json(similar, len(similar))
    )


def renew(memory: Recollect, call: WebCall) -> Outcome:
    """It still holds, though its files have changed."""
    renewed = memory.staleness.renew(call.path["id"])
    return Outcome(
        answer=changed_to_json([renewed]), sentence=call.gettext("It still holds."), undo=renewed.id
    )


PAGES: Sequence[Page] = (
    Page(
        path="/memories/{id}",
        name="memories",
        template="memory.html",
        part="memory_part.html",
        show=show,
        summary="Everything about one memory",
    ),
    Page(
        path="/memories/{id}/similar",
        name="memories",
        template="similar.html",
        part="similar_part.html",
        show=show_similar,
        summary="Memories that say nearly the same",
    ),
)
ACTIONS: Sequence[Action] = (
    Action(
        method="POST",
        path="/memories/{id}/renew",
        act=renew,
        summary="Say that a stale memory still holds",
    ),
)


def _read_timeline(memory: Memory, changes: Sequence[MemoryChange]) -> Mapping[str, list[float]]:
    """How sure it was, and when: seconds since 1970 and confidence."""
    points = [
        (change.at.timestamp(), float(str(change.after["confidence"])))
        for change in changes
        if change.after.get("confidence") is not None
    ]
    if not points or points[0][0] > memory.created_at.timestamp() + 1:
        first = points[0][1] if points else memory.confidence
        points.insert(0, (memory.created_at.timestamp(), first))
    newest = max(memory.updated_at, memory.last_accessed_at or memory.updated_at).timestamp()
    if newest > points[-1][0] + 1:
        points.append((newest, memory.confidence))
    return {"at": [at for at, _ in points], "confidence": [round(value, 3) for _, value in points]}


def _draw_graph(
    memory: Recollect, one: Memory, related: Sequence[tuple[Memory, str]]
) -> Mapping[str, list[dict[str, Any]]]:
    """The memory, what it is about, what else is known about that, and the memories it is tied to."""
    nodes: dict[str, dict[str, Any]] = {one.id: _memory_node(one, "self")}
    links: list[dict[str, Any]] = []
    for other, relation in related:
        nodes.setdefault(other.id, _memory_node(other, "memory"))
        links.append({"source": one.id, "target": other.id, "label": relation})
    for subject in one.subjects[:_MAX_SUBJECTS]:
        name = str(subject)
        nodes[name] = {
            "id": name,
            "label": subject.name.rpartition("/")[2] or subject.name,
            "kind": "subject",
            "href": f"/memories?about={name}",
        }
        links.append({"source": one.id, "target": name, "label": ""})
        for other in memory.list(memory.filters(about=[subject]), limit=_MAX_NEIGHBOURS):
            if other.id == one.id:
                continue
            nodes.setdefault(other.id, _memory_node(other, "memory"))
            links.append({"source": name, "target": other.id, "label": ""})
    # Few have room for all their names; among many, only the memory and what it is about are named from afar.
    for node in nodes.values():
        node["important"] = len(nodes) <= _MAX_NAMED or node["kind"] != "memory"
    return {"nodes": list(nodes.values()), "links": links}


def _memory_node(memory: Memory, kind: str) -> dict[str, Any]:
    label = memory.citation if len(memory.citation) <= 22 else memory.citation[:21].rstrip() + "…"
    return {
        "id": memory.id,
        "label": label or memory.id[:SHORT_LENGTH],
        "kind": kind,
        "href": f"/memories/{memory.id}",
    }
