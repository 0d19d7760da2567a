"""The command `review`: what waits for a person, and what they say about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from recollect import config
from recollect.model.json_form import memory_to_json, moment_to_json
from recollect.model.memory import Memory
from recollect.model.review import Correction, SessionReview, Waiting, badge_of
from recollect.surfaces.cli import output
from recollect.surfaces.cli.deciding import card, decide
from recollect.surfaces.cli.options import common, filtering, filters_of, one_of, opened, refuse

_UNDO = "recollect undo takes it back"


@click.group("review", invoke_without_command=True)
@click.option("--session", metavar="ID", help="What one session used and left; `last` is the newest.")
@click.option("--list", "only_list", is_flag=True, help="Only list, even at a terminal.")
@filtering
@common
@click.pass_context
def review_(ctx: click.Context, /, session: str | None, only_list: bool, **given: Any) -> None:
    """See what waits for a yes, where it comes from, and decide one by one; without a terminal it is a list.

    One key each: c confirms, e edits, r rejects, l leaves it for later, u takes the last back, q ends.

    \b
    recollect review
    recollect review --session last
    recollect review confirm 01KA3
    """
    if ctx.invoked_subcommand is not None:
        refuse({"session", "only_list", *given}, f"`review {ctx.invoked_subcommand}` goes by ids")
        return
    decides = not (only_list or output.is_json() or config.is_agent_process())
    with opened(read_only=not decides) as memory:
        if decides:
            memory.observer.learn_due()
        filters = filters_of(memory, given)
        if session is not None:
            if decides:
                memory.observer.learn_due()
            found = memory.reviews.session(session, filters)
            waiting: Sequence[Waiting] = found.waiting
            _tell_session(found, decides=decides)
        else:
            waiting = memory.reviews.pending(filters)
            if not decides:
                _tell(waiting)
        if decides:
            decide(memory, waiting)


@review_.command("confirm")
@click.argument("memory_ids", nargs=-1, required=True, metavar="ID...")
@click.option("--why", default="", help="A word for the history.")
@common
def confirm_(memory_ids: tuple[str, ...], why: str) -> None:
    """Stand by memories: they are used from now on.

    \b
    recollect review confirm 01KA3
    """
    with opened() as memory:
        output.changed(memory.reviews.confirm(*memory_ids, why=why), "Confirmed", _UNDO)


@review_.command("correct")
@click.argument("memory_id", metavar="ID")
@click.argument("text", required=False, default="")
@click.option("--as", "wrong", type=one_of(Correction), help="What is wrong; inaccurate if a text is given.")
@click.option("--of", "original", default="", metavar="ID", help="The memory that a duplicate repeats.")
@click.option("--why", default="", help="A word for the history.")
@common
def correct_(memory_id: str, text: str, wrong: str | None, original: str, why: str) -> None:
    """Put a memory right: TEXT for what is inaccurate or too specific, or say that it is outdated or a duplicate.

    \b
    recollect review correct 01KA3 "Retries are capped at 5"
    recollect review correct 01KA3 --as outdated
    recollect review correct 01KA3 --as duplicate --of 01KB7
    """
    said = wrong or (
        Correction.INACCURATE if text else Correction.DUPLICATE if original else Correction.OUTDATED
    )
    with opened() as memory:
        done = memory.reviews.correct(memory_id, said, text=text, original=original, why=why)
        output.changed([done], f"Corrected ({said})", _UNDO)


@review_.command("flag")
@click.argument("memory_ids", nargs=-1, required=True, metavar="ID...")
@click.option("--why", default="", help="What is wrong with it.")
@common
def flag_(memory_ids: tuple[str, ...], why: str) -> None:
    """Say that memories are wrong: they are silent at once, until a person has looked. Agents may do this.

    \b
    recollect review flag 01KA3 --why "the cap is 5 since March"
    """
    with opened() as memory:
        output.changed(memory.reviews.flag(*memory_ids, why=why), "Flagged", _UNDO)


@review_.command("reject")
@click.argument("memory_ids", nargs=-1, required=True, metavar="ID...")
@click.option("--why", default="", help="A word for the history.")
@common
def reject_(memory_ids: tuple[str, ...], why: str) -> None:
    """Throw memories out.

    \b
    recollect review reject 01KA3
    """
    with opened() as memory:
        output.changed(memory.reviews.reject(*memory_ids, why=why), "Rejected", _UNDO)


def _tell(waiting: Sequence[Waiting]) -> None:
    if output.is_json():
        output.data({"waiting": [_waiting_json(one) for one in waiting]})
        return
    for one in waiting:
        card(one)
    if not waiting:
        output.line("Nothing waits for a review.")


def _tell_session(found: SessionReview, *, decides: bool) -> None:
    """The three groups of a session; who decides goes through the middle one afterwards, one by one."""
    if output.is_json():
        output.data(
            {
                "session": found.session_id,
                "applied": [memory_to_json(memory) for memory in found.applied],
                "waiting": [_waiting_json(one) for one in found.waiting],
                "confirmed": [
                    {"why": one.why, "memory": memory_to_json(one.memory)} for one in found.confirmed
                ],
            }
        )
        return
    output.line(f"Session {found.session_id}")
    output.line("\nAPPLIED")
    _ticked((memory, "") for memory in found.applied)
    if not decides:
        output.line("\nNEW — REVIEW REQUIRED")
        for one in found.waiting:
            card(one)
    output.line("\nAUTO-CONFIRMED")
    _ticked((one.memory, f" ({one.why})") for one in found.confirmed)
    if decides:
        output.line("\nNEW — REVIEW REQUIRED")


def _ticked(rows: Iterable[tuple[Memory, str]]) -> None:
    for memory, why in rows:
        output.line(f"  ✓ [{memory.kind}] [{badge_of(memory)}] {memory.citation}{why}")


def _waiting_json(one: Waiting) -> dict[str, Any]:
    return {
        "memory": memory_to_json(one.memory),
        "badge": badge_of(one.memory),
        "origin": str(one.origin),
        "why": one.why,
        "quotes": [
            {"event_id": q.event_id, "at": moment_to_json(q.at), "what": q.what, "text": q.text}
            for q in one.quotes
        ],
    }
