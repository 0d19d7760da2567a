"""The command `review`: what waits for a person, and what they say about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from recollect import config
from recollect.api import Recollect
from recollect.errors import BadInput, OnlyAPerson
from recollect.model.memory import Memory, MemoryState
from recollect.model.review import CorrectionReason, SessionReview, WaitingMemory, find_badge
from recollect.surfaces.cli import interactive_review, output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.interactive_review import decide, print_card
from recollect.surfaces.cli.options import (
    F,
    ask_to_agree,
    build_filters,
    common,
    filtering,
    one_of,
    open_memory,
    refuse_options,
)
from recollect.surfaces.json_answers import session_review_to_json, waiting_to_json

_UNDO = "recollect undo takes it back"
_NO_LIMIT = 1_000_000


@click.group("review", cls=HelpGroup, invoke_without_command=True)
@click.option("--session", metavar="ID", help="What one session used and left; `last` is the newest.")
@click.option("--list", "only_list", is_flag=True, help="Only list, even at a terminal.")
@filtering
@common
@click.pass_context
def review_(ctx: click.Context, /, session: str | None, only_list: bool, **options: Any) -> None:
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
        refuse_options({"session", "only_list", *options}, f"say it behind `review {ctx.invoked_subcommand}`")
        return
    decides = not (only_list or output.is_json() or config.is_agent_process())
    with open_memory(read_only=not decides) as memory:
        if decides:
            memory.observer.learn_due()
        filters, states = build_filters(memory, options), _states(options)
        if session is not None:
            review = memory.reviews.session(session, filters, states=states)
            waiting: Sequence[WaitingMemory] = review.waiting
            _print_session(review, decides=decides)
        else:
            waiting = memory.reviews.pending(filters, states=states)
            if not decides:
                _print_waiting(waiting)
        if decides:
            decide(memory, waiting)


def _decision_options(command: F) -> F:
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
@_decision_options
@common
def confirm_(memory_ids: tuple[str, ...], dry_run: bool, why: str, **options: Any) -> None:
    """Stand by memories: they are used from now on. By ID, or by a filter, which shows them and asks first.

    Of many at once those that must not be used before a yes are left out, unless --state names theirs.

    \b
    recollect review confirm 01KA3
    recollect review confirm --tag scan --dry-run
    recollect review confirm --kind module_insight
    """
    with open_memory(read_only=dry_run) as memory:
        ids = _find_meant(memory, memory_ids, "Confirm", dry_run=dry_run, **options)
        if not dry_run:
            output.print_changed(memory.reviews.confirm(*ids, why=why) if ids else [], "Confirmed", _UNDO)


@review_.command("correct")
@click.argument("memory_id", metavar="ID")
@click.argument("text", required=False, default="")
@click.option(
    "--as", "wrong", type=one_of(CorrectionReason), help="What is wrong; inaccurate if a text is given."
)
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
    reason = wrong or (
        CorrectionReason.INACCURATE
        if text
        else CorrectionReason.DUPLICATE
        if original
        else CorrectionReason.OUTDATED
    )
    with open_memory() as memory:
        correction = memory.reviews.correct(memory_id, reason, text=text, original=original, why=why)
        output.print_changed([correction], f"Corrected ({reason})", _UNDO)


@review_.command("flag")
@click.argument("memory_ids", nargs=-1, required=True, metavar="ID...")
@click.option("--why", default="", help="What is wrong with it.")
@common
def flag_(memory_ids: tuple[str, ...], why: str) -> None:
    """Say that memories are wrong: they are silent at once, until a person has looked. Agents may do this.

    \b
    recollect review flag 01KA3 --why "the cap is 5 since March"
    """
    with open_memory() as memory:
        output.print_changed(memory.reviews.flag(*memory_ids, why=why), "Flagged", _UNDO)


@review_.command("reject")
@filtering
@_decision_options
@common
def reject_(memory_ids: tuple[str, ...], dry_run: bool, why: str, **options: Any) -> None:
    """Throw memories out. By ID, or by a filter, which shows them and asks first.

    \b
    recollect review reject 01KA3
    recollect review reject --tag scan --kind pattern
    recollect review reject --all
    """
    with open_memory(read_only=dry_run) as memory:
        ids = _find_meant(memory, memory_ids, "Reject", dry_run=dry_run, **options)
        if not dry_run:
            output.print_changed(memory.reviews.reject(*ids, why=why) if ids else [], "Rejected", _UNDO)


def _find_meant(
    memory: Recollect,
    memory_ids: Sequence[str],
    act: str,
    *,
    every: bool,
    yes: bool,
    dry_run: bool,
    **options: Any,
) -> Sequence[str]:
    """The ids of those that are meant; by a filter only after a person has seen them and said yes."""
    if memory_ids:
        refuse_options({"every", "yes", *options}, "name memories by id, or by --all or filters alone")
        memories = [memory.show(name) for name in memory_ids]
    else:
        if not (every or any(value for name, value in options.items() if name != "all_projects")):
            raise BadInput(reason="name memories by id, by a filter such as --tag scan, or say --all")
        if config.is_agent_process() and not dry_run:
            raise OnlyAPerson(what=f"{act.lower()} many memories at once")
        memories = _waiting_for(memory, act, options)
    if dry_run:
        output.print_changed(memories, f"Would {act.lower()}")
    elif memories and not memory_ids:
        if not yes and not output.is_json():
            interactive_review.print_preview(memories)
        ask_to_agree(f"{act} {'this one' if len(memories) == 1 else f'these {len(memories)}'}?", yes)
    return [one.id for one in memories]


def _waiting_for(memory: Recollect, act: str, options: dict[str, Any]) -> list[Memory]:
    waiting = memory.reviews.pending(build_filters(memory, options), states=_states(options), limit=_NO_LIMIT)
    memories = [one.memory for one in waiting]
    if act == "Reject" or options["states"]:
        return memories
    wanted = [one for one in memories if not interactive_review.needs_own_look(one)]
    if len(wanted) < len(memories):
        output.print_note(interactive_review.explain_left_apart(len(memories) - len(wanted)))
    return wanted


def _states(options: dict[str, Any]) -> list[MemoryState]:
    return [MemoryState(state) for state in options["states"]]


def _print_waiting(waiting: Sequence[WaitingMemory]) -> None:
    if output.is_json():
        output.print_json(waiting_to_json(waiting))
        return
    for one in waiting:
        print_card(one)
    if not waiting:
        output.print_line("Nothing waits for a review.")


def _print_session(review: SessionReview, *, decides: bool) -> None:
    """The three groups of a session; who decides goes through the middle one afterwards, one by one."""
    if output.is_json():
        output.print_json(session_review_to_json(review))
        return
    output.print_line(f"Session {review.session_id}")
    output.print_line("\nAPPLIED")
    _print_ticked((memory, "") for memory in review.applied)
    if not decides:
        output.print_line("\nNEW — REVIEW REQUIRED")
        for one in review.waiting:
            print_card(one)
    output.print_line("\nAUTO-CONFIRMED")
    _print_ticked((one.memory, f" ({one.why})") for one in review.confirmed)
    if decides:
        output.print_line("\nNEW — REVIEW REQUIRED")


def _print_ticked(rows: Iterable[tuple[Memory, str]]) -> None:
    for memory, why in rows:
        output.print_line(f"  ✓ [{memory.kind}] [{find_badge(memory)}] {memory.citation}{why}")
