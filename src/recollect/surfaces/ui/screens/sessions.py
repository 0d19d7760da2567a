"""Sessions: what happened, what was learned, what agents were told, and what they were not told and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from recollect.api import Recollect
from recollect.model.event import EventType, event_to_json
from recollect.surfaces.json_answers import injections_to_json, session_summaries_to_json
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.open_memories import OpenMemories
from recollect.surfaces.ui.screen import Action, Outcome, Page, Screen

PER_PAGE = 40
_MAX_EVENTS = 400
_MAX_PROMPTS = 3
_MAX_PROMPT = 4000
_MAX_LEFT_OUT = 5


class SessionsScreen:
    """The list of sessions and one of them."""

    def __init__(self, memories: OpenMemories) -> None:
        self._memories = memories

    def pages(self) -> Sequence[Page]:
        """The list and one session."""
        return (
            Page(
                path="/sessions",
                name="sessions",
                template="sessions.html",
                part="sessions_part.html",
                show=self.show_list,
                summary="The newest sessions: what was learned, told and how they ended",
                parameters=("projects", "limit"),
            ),
            Page(
                path="/sessions/{id}",
                name="sessions",
                template="session.html",
                part="session_part.html",
                show=show_session,
                summary="What agents were told in a session, and what came of it",
            ),
            Page(
                path="/sessions/{id}/not-told",
                name="sessions",
                template="not_told.html",
                part="not_told_part.html",
                show=show_not_told,
                summary="What the prompts of a session would leave out, and why",
            ),
        )

    def actions(self) -> Sequence[Action]:
        """Learning from a session, and its verdict."""
        return (
            Action(
                method="POST",
                path="/sessions/{id}/validate",
                act=validate,
                summary="Say that the work of a session passed or failed",
                body={"verdict": {"type": "string", "enum": ["pass", "fail"]}},
                required=("verdict",),
            ),
        )

    def show_list(self, memory: Recollect, call: WebCall) -> Screen:
        """The newest sessions."""
        everywhere = call.text("projects") == "all"
        limit = call.number("limit", PER_PAGE, low=1, high=200)
        rows = self._memories.remember_answer(
            memory,
            ("sessions", everywhere, limit),
            lambda: memory.browse.sessions(limit=limit, every_project=everywhere),
        )
        values = {
            "rows": rows,
            "everywhere": everywhere,
            "part_address": (call.query and f"/sessions?{call.query}") or "/sessions",
        }
        return Screen(values=values, answer=lambda: session_summaries_to_json(rows))


def show_session(memory: Recollect, call: WebCall) -> Screen:
    """One session as a timeline."""
    session = memory.observer.session(call.path["id"])
    injected = memory.injections.of_session(session.id)
    savings = memory.injections.saved(session.id)
    events = memory.observer.events(session.id)
    review = memory.reviews.session(session.id, memory.filters(every_project=True))
    notes = memory.observer.notes(session.id)
    learned = [*(one.memory for one in review.waiting), *(one.memory for one in review.confirmed)]
    values = {
        "session": session,
        "injected": injected,
        "savings": savings,
        "events": events[:_MAX_EVENTS],
        "more_events": max(0, len(events) - _MAX_EVENTS),
        "steps": memory.observer.steps(session.id).steps[:_MAX_EVENTS],
        "learned": learned,
        "applied": review.applied,
        "waiting": review.waiting,
        "notes": notes,
        "tokens": sum(one.injection.tokens for one in injected),
    }

    def answer() -> Mapping[str, Any]:
        return {
            **injections_to_json(session.id, injected, savings),
            "events": [event_to_json(event) for event in events],
        }

    return Screen(values=values, answer=answer)


def show_not_told(memory: Recollect, call: WebCall) -> Screen:
    """What came near the prompts of a session and was not said, with the reason: weighed again, by today's memories."""
    session = memory.observer.session(call.path["id"])
    told_ids = {one.injection.memory_id for one in memory.injections.of_session(session.id)}
    events = memory.observer.events(session.id)
    texts = dict.fromkeys(event.text for event in events if event.type is EventType.PROMPT and event.text)
    prompts = [_weigh(memory, prompt, told_ids) for prompt in list(texts)[-_MAX_PROMPTS:]]
    return Screen(
        values={"session": session, "prompts": prompts},
        answer=lambda: {
            "session": session.id,
            "prompts": [
                {
                    "prompt": one["prompt"],
                    "left_out": [
                        {"id": item["memory"].id, "text": item["memory"].text, "why": item["why"]}
                        for item in one["left_out"]
                    ],
                }
                for one in prompts
            ],
        },
    )


def _weigh(memory: Recollect, prompt: str, told_ids: Collection[str]) -> dict[str, Any]:
    context = memory.context(prompt[:_MAX_PROMPT], files=False)
    near = {one.memory_id: one for one in context.left_out if one.memory_id not in told_ids}
    best = sorted(near.values(), key=lambda one: -(one.score or 0.0))
    return {
        "prompt": prompt,
        "left_out": [{"memory": memory.show(one.memory_id), "why": one.why} for one in best[:_MAX_LEFT_OUT]],
        "more": max(0, len(best) - _MAX_LEFT_OUT),
    }


def validate(memory: Recollect, call: WebCall) -> Outcome:
    """A person says how the work of a session came out; it is learned from."""
    session = memory.observer.session(call.path["id"])
    memory.observer.validate(call.text("verdict"), session=session.id, why=call.text("why"))
    learned = memory.observer.learn(session.id)
    count = len(learned.memories)
    sentence = call.ngettext("Noted; %(count)s memory learned.", "Noted; %(count)s memories learned.", count)
    return Outcome(
        answer={"session": session.id, "verdict": call.text("verdict"), "learned": count},
        sentence=sentence % {"count": count},
    )
