"""Commands on single memories: remember, show, list, edit, forget, pin, history, undo."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from recollect import config
from recollect.api import Recollect
from recollect.errors import BadInput
from recollect.model.anchor import describe_anchor
from recollect.model.json_form import memory_to_json
from recollect.model.kinds import DEFAULT_KIND
from recollect.model.memory import Memory, Remembered
from recollect.model.query import Filters
from recollect.model.scope import Scope
from recollect.surfaces.cli import output, story
from recollect.surfaces.cli.editor import edit_text
from recollect.surfaces.cli.options import (
    ask_to_agree,
    build_filters,
    check_session,
    common,
    filtering,
    kinds_like,
    mention_missing_files,
    narrowing,
    one_of,
    open_memory,
    refuse_options,
)
from recollect.surfaces.json_answers import change_to_json, shown_to_json

_MAX_INPUT = 1_000_000
_MAX_SHOWN = 1_000_000


@click.command("remember")
@click.argument("text")
@click.option(
    "--kind",
    "-k",
    default=DEFAULT_KIND,
    shell_complete=kinds_like,
    show_default=True,
    help="What kind of memory it is.",
)
@click.option(
    "--about",
    "-a",
    multiple=True,
    metavar="SUBJECT",
    help="What it is about: src/auth.py, service:caddy, person:alex (repeatable).",
)
@click.option("--tag", "-t", "tags", multiple=True, help="A tag (repeatable).")
@click.option("--scope", type=one_of(Scope), help="How far it reaches; by default as the kind has it.")
@click.option(
    "--confidence", type=click.FloatRange(0, 1), help="How sure it is; by default as the kind has it."
)
@click.option("--work", metavar="REF", help="The unit of work it belongs to, e.g. native:spec_042/subtask_3.")
@click.option("--session", metavar="ID", help="The session it was noted in.")
@click.option("--at", metavar="TIME", help='When it happened, if not now: 2026-05-08, "yesterday".')
@click.option(
    "--field", "fields", multiple=True, metavar="NAME=VALUE", help="An extra field of the kind (repeatable)."
)
@click.option("--everywhere", is_flag=True, help="It holds in every project, not only in this one.")
@click.option("--pin", "pinned", is_flag=True, help="It never ages.")
@click.option("--why", default="", help="A word for the history.")
@common
def remember_(text: str, at: str | None, fields: tuple[str, ...], everywhere: bool, **details: Any) -> None:
    """Remember TEXT ("-" reads it from standard input).

    \b
    recollect remember "Retries are capped at 3" --kind decision --about src/retry.py
    git log -1 --format=%B | recollect remember - --kind fact --tag release
    """
    text = _read_standard_input() if text == "-" else text
    with open_memory(create=True) as memory:
        named = details["session"]
        details["session"] = check_session(memory, named) if named else config.session_from_environment()
        if at:
            details["at"] = memory.period(at)[0]
        if everywhere:
            details["everywhere"] = True
        answer = memory.remember(text, fields=_parse_fields(fields), **details)
    output.print_intake(answer)
    if isinstance(answer, Remembered):
        mention_missing_files(answer.memory.subjects)


@click.command("show")
@click.argument("memory_id", metavar="ID")
@common
def show_(memory_id: str) -> None:
    """Show everything about one memory. ID may be its first characters.

    \b
    recollect show 01KA3
    """
    with open_memory(read_only=True) as memory:
        memory_shown = memory.show(memory_id)
        # Which files have changed is known where the checkout is.
        files = () if memory.settings.text("url") else memory.staleness.files_of(memory_shown.id)
    if output.is_json():
        output.print_json(shown_to_json(memory_shown, files))
        return
    fields = memory_to_json(memory_shown)
    output.print_text(memory_shown)
    fields.pop("text")
    fields["files"] = [words for file in files if (words := describe_anchor(file))]
    for name, value in fields.items():
        if value not in (None, [], {}, ""):
            output.print_line(f"  {name:<16} {_plain(value)}")


@click.command("list")
@click.option(
    "--limit", "-n", type=click.IntRange(1, _MAX_SHOWN), default=20, show_default=True, help="How many."
)
@click.option("--offset", type=click.IntRange(0, _MAX_SHOWN), default=0, help="How many to pass over.")
@filtering
@common
def list_(limit: int, offset: int, **options: Any) -> None:
    """List memories, newest first.

    \b
    recollect list --kind gotcha --about src/auth.py
    recollect list --state archived --since "last month"
    """
    with open_memory(read_only=True) as memory:
        filters = build_filters(memory, options)
        output.print_memories(memory.list(filters, limit=limit, offset=offset), memory.count(filters))


@click.command("edit")
@click.argument("memory_id", metavar="ID")
@click.argument("text", required=False)
@click.option("--kind", "-k", shell_complete=kinds_like, help="Another kind.")
@click.option(
    "--about", "-a", multiple=True, metavar="SUBJECT", help="Other subjects, instead of those it has."
)
@click.option("--tag", "-t", "tags", multiple=True, help="Other tags, instead of those it has.")
@click.option("--scope", type=one_of(Scope), help="Another scope.")
@click.option("--confidence", type=click.FloatRange(0, 1), help="Another confidence.")
@click.option("--why", default="", help="A word for the history.")
@common
def edit_(memory_id: str, why: str, **options: Any) -> None:
    """Change a memory: its TEXT, or what the options say. `undo` takes it back.

    Without a text and without options, at a terminal, your editor opens with the text (VISUAL or EDITOR names it).

    \b
    recollect edit 01KA3 "Retries are capped at 5" --why "raised in the last release"
    recollect edit 01KA3
    """
    changes: dict[str, Any] = {
        name: list(v) if isinstance(v, tuple) else v for name, v in options.items() if v not in (None, ())
    }
    if not changes and not sys.stdin.isatty():
        raise BadInput(reason="there is nothing to change; give a text or an option")
    with open_memory() as memory:
        if not changes and (text := edit_text(memory.show(memory_id).text)):
            changes = {"text": text}
        if not changes:
            output.print_line("unchanged")
            return
        edited = memory.edit(memory_id, why=why, **changes)
    output.print_changed([edited], "Changed", "recollect undo takes it back")
    if "about" in changes:
        mention_missing_files(edited.subjects)


@click.command("forget")
@click.argument("memory_ids", nargs=-1, metavar="[ID]...")
@click.option("--purge", is_flag=True, help="Remove for good, with history and vectors: no undo.")
@click.option("--dry-run", is_flag=True, help="Only show what would be forgotten.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--why", default="", help="A word for the history.")
@click.option(
    "--source",
    metavar="SOURCE",
    help="Everything from a source and what was derived from it: session:ID, tool:NAME, file:PATH, event:ID, "
    "an address, a way such as read or import, a maker such as qa_auto.",
)
@narrowing
@common
def forget_(
    memory_ids: tuple[str, ...],
    purge: bool,
    dry_run: bool,
    yes: bool,
    why: str,
    source: str | None,
    **options: Any,
) -> None:
    """Take memories out of use, by ID, by filter or by source. `undo` brings them back, unless purged.

    \b
    recollect forget 01KA3
    recollect forget --about src/old.py --dry-run
    recollect forget --source https://example.com/notes --dry-run
    recollect forget 01KA3 --purge
    """
    if purge:
        refuse_options(("why",), "what is purged leaves no history")
    if source is not None:
        if memory_ids or options["states"] or _narrows(options):
            raise BadInput(reason="a source is forgotten as a whole; leave out ids and filters")
        _forget_source(
            source, purge=purge, dry_run=dry_run, yes=yes, why=why, everywhere=options["all_projects"]
        )
        return
    if memory_ids:
        refuse_options(options, "name memories by id, or by filters alone")
    elif not _narrows(options):
        raise BadInput(reason="name the memories to forget by id or by a filter such as --about")
    with open_memory() as memory:
        memories = [memory.show(name) for name in memory_ids] or _list_all(
            memory, build_filters(memory, options)
        )
        if dry_run:
            output.print_changed(memories, "Would forget")
            return
        if memories and (purge or not memory_ids):
            ask_to_agree(
                f"{'Remove for good' if purge else 'Forget'} {output.count_phrase(len(memories), 'memory')}?",
                yes,
            )
        ids = [item.id for item in memories]
        if purge:
            memory.purge(*ids)
            output.print_changed(memories, "Purged")
        else:
            output.print_changed(
                memory.forget(*ids, why=why) if ids else [], "Forgot", "recollect undo brings it back"
            )


@click.command("pin")
@click.argument("memory_id", metavar="ID")
@click.option("--off", is_flag=True, help="Let it age again.")
@common
def pin_(memory_id: str, off: bool) -> None:
    """Keep a memory from ageing.

    \b
    recollect pin 01KA3
    """
    with open_memory() as memory:
        output.print_changed([memory.pin(memory_id, pinned=not off)], "Unpinned" if off else "Pinned")


@click.command("history")
@click.argument("memory_id", metavar="[ID]", required=False)
@click.option(
    "--limit",
    "-n",
    type=click.IntRange(1, _MAX_SHOWN),
    default=20,
    show_default=True,
    help="How many changes.",
)
@common
def history_(memory_id: str | None, limit: int) -> None:
    """Tell the story of one memory, or the last changes of all.

    \b
    recollect history 01KA3
    """
    with open_memory(read_only=True) as memory:
        changes = memory.history(memory_id, limit=limit)
    if output.is_json():
        output.print_json({"changes": [change_to_json(change) for change in changes]})
        return
    for change in changes:
        output.print_line(story.describe_change(change, with_id=memory_id is None))
    if not changes:
        output.print_line("Nothing has happened yet.")


@click.command("undo")
@click.argument("memory_id", metavar="[ID]", required=False)
@common
def undo_(memory_id: str | None) -> None:
    """Take back the last act, or the last that touched one memory. Repeat to go further back.

    \b
    recollect undo
    """
    with open_memory() as memory:
        undone = memory.undo(memory_id)
    output.print_changed(undone.memories, f"Took back: {undone.action}")


def _forget_source(source: str, *, purge: bool, dry_run: bool, yes: bool, why: str, everywhere: bool) -> None:
    with open_memory() as memory:
        memories = memory.reviews.source(source, every_project=everywhere)
        if memories.memories and not dry_run:
            act = "Remove for good" if purge else "Forget"
            ask_to_agree(
                f"{act} {output.count_phrase(len(memories.own), 'memory')} from {memories.source} "
                f"and {len(memories.derived)} made of them?",
                yes,
            )
            memories = memory.reviews.forget_source(source, every_project=everywhere, purge=purge, why=why)
    if output.is_json():
        output.print_json(
            {
                "source": str(memories.source),
                "own": [memory_to_json(item) for item in memories.own],
                "derived": [
                    {"steps": one.steps, "memory": memory_to_json(one.memory)} for one in memories.derived
                ],
                "dry_run": dry_run,
            }
        )
        return
    verb = "Would forget" if dry_run else "Purged" if purge else "Forgot"
    output.print_changed(memories.own, verb)
    for one in memories.derived:
        output.print_changed([one.memory], f"{verb}, {output.count_phrase(one.steps, 'step')} away,")
    if memories.memories and not dry_run and not purge:
        output.print_note("recollect undo brings them back")


def _parse_fields(pairs: tuple[str, ...]) -> dict[str, object]:
    import json

    fields: dict[str, object] = {}
    for text in pairs:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadInput(reason=f"a field is NAME=VALUE, not {text!r}")
        try:
            fields[name] = json.loads(value)
        except ValueError:
            fields[name] = value
    return fields


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}={_plain(item)}" for name, item in value.items())
    return str(value)


def _narrows(options: dict[str, Any]) -> bool:
    return any(value for name, value in options.items() if name not in ("all_projects", "states"))


def _list_all(memory: Recollect, filters: Filters) -> Sequence[Memory]:
    return memory.list(filters, limit=max(1, memory.count(filters)))


def _read_standard_input() -> str:
    # More than is ever kept, so that an endless stream is refused and not awaited.
    return sys.stdin.buffer.read(_MAX_INPUT).decode("utf-8", "replace")
