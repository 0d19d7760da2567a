"""The commands `recall` and `context`: search memory, and show what an agent would be given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from recollect.errors import BadInput
from recollect.model.complexity import Complexity
from recollect.model.profile import PROFILES
from recollect.model.query import Recalled
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import (
    build_filters,
    common,
    filtering,
    open_memory,
    open_memory_of_code,
    refuse_options,
)

if TYPE_CHECKING:
    from recollect.api.contexts import Context

_QUESTION_OPTIONS = ("phase", "recent_sessions", "around", "profile")


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
@click.option("--all", "nearest", is_flag=True, help="Also what only comes near, where nothing answers.")
@click.option("--explain", is_flag=True, help="Say what each score is made of.")
@filtering
@common
def recall_(
    query: str, limit: int | None, explain: bool, nearest: bool, wide: bool, sort: str, **options: Any
) -> None:
    """Recall what is known about QUERY, best first, or say that nothing is.

    \b
    recollect recall "how often do we retry?" --explain
    recollect recall "what broke" --around "the caddy outage" --kind gotcha
    recollect recall "auth decisions" --since "last month" --json
    recollect recall "why does the build hang?" --wide
    recollect recall "add a payment provider" --as task
    """
    if sort != "question":
        refuse_options({*_QUESTION_OPTIONS, "wide"}, "it is for questions: leave out --as, or this")
    if sort == "task":
        refuse_options(("kinds", "groups"), "a task asks for recipes: leave out --as, or this")
    parameters = {name: options.pop(name) for name in _QUESTION_OPTIONS}
    with open_memory() as memory:
        filters = build_filters(memory, options)
        if sort == "question":
            question = memory.query(query, limit=limit, filters=filters, **parameters)
            answer = memory.expanded_search.recall(question) if wide else memory.recall(question)
        else:
            look = memory.expanded_search.recipes if sort == "task" else memory.expanded_search.errors
            answer = Recalled(hits=tuple(look(query, filters=filters, limit=limit)))
        output.print_hits(answer, explain=explain, nearest=nearest)


_NAME_LENGTH = 13
_CONTEXT_OPTIONS = frozenset({"task", "layout", "phase", "budget", "complexity", "no_files", "explain"})


@click.command("context")
@click.option("--task", metavar="TEXT", help="What the agent is to do.")
@click.option("--layout", default="coding", show_default=True, help="What is told; see --layouts.")
@click.option("--phase", help="The phase of the work, e.g. implement, red, auto. Default: none.")
@click.option("--budget", type=click.IntRange(1), metavar="N", help="Tokens, if not the layout's own.")
@click.option(
    "--complexity", type=click.Choice(list(Complexity)), help="How big the work is; else it is guessed."
)
@click.option("--work", metavar="REF", help="The unit of work; by default the one at hand.")
@click.option("--no-files", is_flag=True, help="Name files, do not put them there.")
@click.option("--explain", is_flag=True, help="Also say what each slot cost, why, and what was left out.")
@click.option("--layouts", is_flag=True, help="List the layouts instead.")
@click.option(
    "--relay",
    metavar="FROM:TO",
    help="What one stage of the work hands to the next instead, e.g. planner:coder.",
)
@common
def context_(
    task: str | None,
    layout: str,
    phase: str | None,
    budget: int | None,
    complexity: str | None,
    work: str | None,
    no_files: bool,
    explain: bool,
    layouts: bool,
    relay: str | None,
) -> None:
    """Print what would be put before an agent, exactly as it would read it.

    \b
    recollect context --task "add retries to the payment client" --explain
    recollect context --task "check the login" --phase validate
    recollect context --task "open the invoice in Chrome" --layout desktop --json
    recollect context --layouts
    recollect context --relay planner:coder
    """
    if layouts:
        refuse_options(_CONTEXT_OPTIONS | {"work", "relay"}, "--layouts only lists them")
        _print_layouts()
    elif relay is not None:
        refuse_options(_CONTEXT_OPTIONS, "a relay goes by its stages and --work")
        _print_relay(relay, work)
    elif task is None:
        raise BadInput("Say what the agent is to do with --task, or ask for --layouts or --relay FROM:TO.")
    else:
        with open_memory_of_code() as memory:
            context = memory.context(
                task,
                layout=layout,
                phase=phase,
                budget=budget,
                complexity=complexity,
                work=work,
                files=not no_files,
            )
        _print_context(context, explain)


def _print_context(context: Context, explain: bool) -> None:
    if output.is_json():
        output.print_json(asdict(context))
        return
    if context.text:
        output.print_line(context.text)
    items = [item for slot in context.slots for item in slot.said]
    files = sum(item.is_file for item in items)
    memories = output.count_phrase(len(items) - files, "memory")
    memories += f", {output.count_phrase(files, 'file')}" if files else ""
    title = f"{context.layout}{f', {context.phase}' if context.phase else ''}, {context.complexity} work"
    if context.text:
        output.print_note(f"{memories}, {context.tokens:,} of {context.budget:,} tokens ({title}).")
    else:
        output.print_note(f"Nothing is worth saying here ({title}).")
    if explain:
        _print_explanation(context)


def _print_explanation(context: Context) -> None:
    rows = [
        (slot.name, str(len(slot.said)), f"{slot.tokens:,} of {slot.budget:,}", f"{slot.bar:.2f}", slot.why)
        for slot in context.slots
    ]
    output.print_table(
        ("slot", "memories", "tokens", "bar", ""), [*rows, ("borders", "", str(context.borders), "", "")]
    )
    for slot in context.slots:
        for item in slot.said:
            name = item.memory_id if item.is_file else item.memory_id[:_NAME_LENGTH]
            output.print_line(f"{name}  {item.score:.2f}  {item.tokens} tokens  {item.why}")
    for file in context.files:
        output.print_line(f"{file.path}  {len(file.text):,} of {file.characters:,} characters")
    for candidate in context.left_out:
        output.print_line(
            output.dim(f"{candidate.memory_id[:_NAME_LENGTH]}  left out of {candidate.slot}: {candidate.why}")
        )


def _print_layouts() -> None:
    with open_memory() as memory:
        layouts = memory.contexts.layouts()
    if output.is_json():
        output.print_json({"layouts": [asdict(one) for one in layouts]})
        return
    output.print_table(
        ("layout", "tokens", "slots"),
        [
            (one.name, f"{one.tokens:,}", ", ".join(f"{slot.name} {slot.tokens:,}" for slot in one.slots))
            for one in layouts
        ],
    )
    output.print_note("coding stands for planning, implement, qa or opening, by the phase.")


def _print_relay(relay: str, work: str | None) -> None:
    source, colon, target = relay.partition(":")
    if not colon or not source or not target:
        raise BadInput(reason=f"{relay!r} does not name two stages; write FROM:TO")
    with open_memory() as memory:
        memories = memory.methods.relay(source.strip(), target.strip(), work=work)
    if output.is_json():
        ids = [one.id for one in memories.memories]
        output.print_json({"relay": relay, "text": memories.text, "memories": ids, "tokens": memories.tokens})
        return
    if not memories.text:
        output.print_note(f"Nothing goes from {source} to {target} just now.")
        return
    output.print_line(memories.text)
    output.print_note(
        f"{output.count_phrase(len(memories.memories), 'memory')}, about {memories.tokens} tokens."
    )
