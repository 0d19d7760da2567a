"""The command `recall`."""

from __future__ import annotations

from typing import Any

import click

from recollect.model.hit import Recalled
from recollect.model.profile import PROFILES
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, filtering, filters_of, opened, refuse

_OF_A_QUESTION = ("phase", "recent_sessions", "around", "profile")


@click.command("recall")
@click.argument("query")
@click.option("--limit", "-n", type=click.IntRange(1, 1000), help="How many hits.")
@click.option(
    "--phase",
    metavar="PHASE",
    help="What you are doing, so that fitting kinds come first: implement, a name of your way of working, or auto.",
)
@click.option(
    "--sessions",
    "recent_sessions",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Only from the last N sessions.",
)
@click.option("--around", metavar="EVENT", help='Around an event: a time, an ID, or words ("the outage").')
@click.option("--profile", type=click.Choice(list(PROFILES)), help="How hits are ranked.")
@click.option("--wide", is_flag=True, help="Look further: a second try, and what is tied to the files found.")
@click.option(
    "--as",
    "sort",
    type=click.Choice(["question", "task", "error"]),
    default="question",
    show_default=True,
    help="What QUERY is: a task asks for recipes, an error (or output that holds one) for its known fix.",
)
@click.option("--fresh", is_flag=True, help="Leave out what is stale.")
@click.option("--explain", is_flag=True, help="Say what each score is made of.")
@filtering
@common
def recall_(query: str, limit: int | None, explain: bool, wide: bool, sort: str, **given: Any) -> None:
    """Recall what is known about QUERY, best first.

    \b
    recollect recall "how often do we retry?" --explain
    recollect recall "what broke" --around "the caddy outage" --kind gotcha
    recollect recall "auth decisions" --since "last month" --json
    recollect recall "why does the build hang?" --wide
    recollect recall "add a payment provider" --as task
    """
    if sort != "question":
        refuse({*_OF_A_QUESTION, "wide"}, "it is for questions: leave out --as, or this")
    if sort == "task":
        refuse(("kinds", "groups"), "a task asks for recipes: leave out --as, or this")
    asked = {name: given.pop(name) for name in _OF_A_QUESTION}
    with opened() as memory:
        filters = filters_of(memory, given)
        if sort == "question":
            question = memory.query(query, limit=limit, filters=filters, **asked)
            found = memory.wider.recall(question) if wide else memory.recall(question)
        else:
            look = memory.wider.recipes if sort == "task" else memory.wider.errors
            found = Recalled(hits=tuple(look(query, filters=filters, limit=limit)))
        output.recalled(found, explain=explain)
