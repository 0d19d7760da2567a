"""
A lesson in a model's words, where one is configured: checked against a schema, and against the evidence.

Words that name a file, a command or anything else that does not stand in the failures are refused, and so are words
that lost the command that worked. The model is told why and asked once more; then our own words stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from recollect.capture.evidence import gives_orders
from recollect.errors import RecollectError
from recollect.learn.lessons.learn_lessons import WordRule
from recollect.learn.lessons.rule import LessonRule
from recollect.learn.mentions import find_mentions
from recollect.learn.prompt_file import read_prompt
from recollect.model.arguments import Schema, check_arguments
from recollect.model.failure import Failure
from recollect.model.value import replace
from recollect.providers.complete import Completer, complete_json

MAX_RULE = 300
MAX_PART = 200
# So many failures are shown; more say nothing new.
MAX_SHOWN = 8
# Clusters that are put into words in one go; the rest keep ours.
MAX_RULES = 12
# A command outside of backticks; programs whose names are English words are left to them.
_COMMAND = re.compile(
    r"\b(?:git|gh|npm|pnpm|yarn|npx|uv|uvx|pip|poetry|python3?|pytest|ruff|mypy|cargo|docker|podman|kubectl|helm|terraform"
    r"|psql|curl|sudo|chmod|rm|bash|sh|bazel|gradle|mvn|dotnet|tox|nox|tsc|eslint|systemctl|ssh) [\w./-]+"
)
EXAMPLE = '{"rule": "…", "when": "…", "instead": "…"}'
SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "rule": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_RULE,
            "description": "the rule in one sentence",
        },
        "when": {"type": "string", "maxLength": MAX_PART, "description": "the command or task it happens in"},
        "instead": {"type": "string", "maxLength": MAX_PART, "description": "what to do instead"},
    },
    "required": ["rule"],
    "additionalProperties": False,
}


def make_model_wording(completer: Completer) -> WordRule:
    """Words of a model where they hold, else our own. A model that fails once is not asked again."""
    state = {"left": MAX_RULES}

    def word_rule(rule: LessonRule, failures: Sequence[Failure]) -> LessonRule:
        if state["left"] <= 0:
            return rule
        state["left"] -= 1
        prompt = read_prompt("lesson")
        shown = "\n".join(_describe(failure) for failure in failures[:MAX_SHOWN])
        question = prompt.fill(failures=shown, rule=rule.text)
        try:
            answer = complete_json(completer, question, check=make_check(rule), system=prompt.system)
        except RecollectError:
            state["left"] = 0
            return rule
        return replace(rule, text=" ".join(str(answer["rule"]).split()))

    return word_rule


def make_check(rule: LessonRule) -> Callable[[object], dict[str, Any]]:
    """What an answer must be like to be used for this rule."""

    def check(answer: object) -> dict[str, Any]:
        parts = check_arguments(SCHEMA, answer, EXAMPLE)
        for text in parts.values():
            check_against_evidence(str(text), rule)
        if rule.source == "command" and rule.instead not in str(parts["rule"]):
            raise ValueError(f"it does not keep the command that worked: {rule.instead}")
        if gives_orders(str(parts["rule"])) and not gives_orders(rule.text):
            raise ValueError("it gives orders that the failures do not carry")
        return parts

    return check


def check_against_evidence(text: str, rule: LessonRule) -> None:
    """Raise ValueError for whatever a text names that the failures do not."""
    evidence = "\n".join((rule.text, *rule.evidence)).lower()
    names = [mention.name for mention in find_mentions(text)] + _COMMAND.findall(text)
    for name in names:
        if name.lower() not in evidence:
            raise ValueError(f"it names {name!r}, which stands in none of the failures")


def _describe(failure: Failure) -> str:
    way_out = failure.way_out
    worked = ", ".join(filter(None, (*way_out.commands, *way_out.files, way_out.words)))
    where = f" in {failure.where}" if failure.where else ""
    return f"- {failure.source}{where}: {failure.what}" + (f" | later worked: {worked}" if worked else "")
