"""The command `review`: what waits for a person, and what they say about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from recollect import config
from recollect.api import Recollect
from recollect.errors import BadInput, OnlyAPerson
from recollect.model.json_form import memory_to_json, moment_to_json
from recollect.model.memory import Memory, MemoryState
from recollect.model.review import Correction, SessionReview, Waiting, badge_of
from recollect.surfaces.cli import grouping, output
from recollect.surfaces.cli.deciding import card, decide
from recollect.surfaces.cli.options import F, ask, common, filtering, filters_of, one_of, opened, refuse

_UNDO = "recollect undo takes it back"
_EVERY = 1_000_000


@click.group("review", invoke_without_command=True)
@click.option("--session", metavar="ID", help="What one session used and left; `last` is the newest.")
@click.option("--list", "only_list", is_flag=True, help="Only list, even at a terminal.")
@filtering
@common
@click.pass_context
def review_(ctx: click.Context, /, session: str | None, only_list: bool, **given: Any) -> None:
    """See what waits for a yes, where it comes from, and decide; without a terminal it is a list.

    One key each: c confirms, e edits, r rejects, l leaves it for later, g decides many that belong together, u takes
    the last step back, q ends.

    \b
    recollect review
    recollect review --session last
    recollect review confirm 01KA3
    recollect review confirm --tag scan
    """
    if ctx.invoked_subcommand is not None:
        refuse({"session", "only_list", *given}, f"say it behind `review {ctx.invoked_subcommand}`")
        return
    decides = not (only_list or output.is_json() or config.is_agent_process())
    with opened(read_only=not decides) as memory:
        if decides:
            memory.observer.learn_due()
        filters, states = filters_of(memory, given), _states(given)
        if session is not None:
            found = memory.reviews.session(session, filters, states=states)
            waiting: Sequence[Waiting] = found.waiting
            _tell_session(found, decides=decides)
        else:
            waiting = memory.reviews.pending(filters, states=states)
            if not decides:
                _tell(waiting)
        if decides:
            decide(memory, waiting)


def _deciding(command: F) -> F:
    """By id, or many at once by filter: the same options for a yes and a no."""
    for option in (
        click.option("--why", default="", help="A word for the history."),
        click.option("--yes", "-y", is_flag=True, help="Do not ask."),
        click.option("--dry-run", is_flag=True, help="Only show which are meant."),
        click.option("--all", "every", is_flag=True, help="All that wait here."),
        click.argument("memory_ids", nargs=-1, metavar="[ID]..."),
    ):
        command = option(command)
    return command


@review_.command("confirm")
@filtering
@_deciding
@common
def confirm_(memory_ids: tuple[str, ...], dry_run: bool, why: str, **given: Any) -> None:
    """Stand by memories: they are used from now on. By ID, or by a filter, which shows them and asks first.

    Of many at once those that must not be used before a yes are left out, unless --state names theirs.

    \b
    recollect review confirm 01KA3
    recollect review confirm --tag scan --dry-run
    recollect review confirm --kind module_insight
    """
    with opened(read_only=dry_run) as memory:
        ids = _meant(memory, memory_ids, "Confirm", dry_run=dry_run, **given)
        if not dry_run:
            output.changed(memory.reviews.confirm(*ids, why=why) if ids else [], "Confirmed", _UNDO)


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
@filtering
@_deciding
@common
def reject_(memory_ids: tuple[str, ...], dry_run: bool, why: str, **given: Any) -> None:
    """Throw memories out. By ID, or by a filter, which shows them and asks first.

    \b
    recollect review reject 01KA3
    recollect review reject --tag scan --kind pattern
    recollect review reject --all
    """
    with opened(read_only=dry_run) as memory:
        ids = _meant(memory, memory_ids, "Reject", dry_run=dry_run, **given)
        if not dry_run:
            output.changed(memory.reviews.reject(*ids, why=why) if ids else [], "Rejected", _UNDO)


def _meant(
    memory: Recollect,
    memory_ids: Sequence[str],
    act: str,
    *,
    every: bool,
    yes: bool,
    dry_run: bool,
    **given: Any,
) -> Sequence[str]:
    """The ids of those that are meant; by a filter only after a person has seen them and said yes."""
    if memory_ids:
        refuse({"every", "yes", *given}, "name memories by id, or by --all or filters alone")
        found = [memory.show(name) for name in memory_ids]
    else:
        if not (every or any(value for name, value in given.items() if name != "all_projects")):
            raise BadInput(reason="name memories by id, by a filter such as --tag scan, or say --all")
        if config.is_agent_process() and not dry_run:
            raise OnlyAPerson(what=f"{act.lower()} many memories at once")
        found = _waiting_for(memory, act, given)
    if dry_run:
        output.changed(found, f"Would {act.lower()}")
    elif found and not memory_ids:
        if not yes and not output.is_json():
            grouping.preview(found)
        ask(f"{act} {'this one' if len(found) == 1 else f'these {len(found)}'}?", yes)
    return [one.id for one in found]


def _waiting_for(memory: Recollect, act: str, given: dict[str, Any]) -> list[Memory]:
    waiting = memory.reviews.pending(filters_of(memory, given), states=_states(given), limit=_EVERY)
    found = [one.memory for one in waiting]
    if act == "Reject" or given["states"]:
        return found
    wanted = [one for one in found if not grouping.waits_apart(one)]
    if len(wanted) < len(found):
        output.note(grouping.apart(len(found) - len(wanted)))
    return wanted


def _states(given: dict[str, Any]) -> list[MemoryState]:
    return [MemoryState(state) for state in given["states"]]


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
