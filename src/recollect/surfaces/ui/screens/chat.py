"""The memory chat: a question in words, answered from memories that are cited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.api import Recollect
from recollect.surfaces.json_answers import hit_to_json
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.screen import Page, Screen

_MAX_QUESTION = 2000


def show(memory: Recollect, call: WebCall) -> Screen:
    """One question and its answer; without a question, the empty page."""
    question = call.text("q").strip()[:_MAX_QUESTION]
    answered = memory.browse.answer(question) if question else None
    values = {
        "answered": answered,
        "has_model": memory.settings.text("completer.kind") != "none",
        "ideas": [
            call.gettext("What do you know about the settings page?"),
            call.gettext("Which decisions bind us?"),
            call.gettext("What went wrong with payments?"),
        ],
    }

    def answer() -> Mapping[str, Any]:
        if answered is None:
            return {"question": "", "text": "", "hits": []}
        return {
            "question": answered.question,
            "text": answered.text,
            "model": answered.model,
            "trouble": answered.trouble,
            "hits": [hit_to_json(hit) for hit in answered.hits],
        }

    return Screen(values=values, answer=answer)


PAGES: Sequence[Page] = (
    Page(
        path="/chat",
        name="chat",
        template="chat.html",
        part="chat_part.html",
        show=show,
        summary="What the memories say to a question, with those it rests on",
        parameters=("q",),
    ),
)
