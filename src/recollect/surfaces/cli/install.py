"""The command `init`: recollect into the coding agents, and into what this project has behind it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from recollect import config
from recollect.api import Recollect
from recollect.clients.client_install import ClientFolders, InstallScope, Program, this_program
from recollect.clients.registry import CLIENT_NAMES, Client
from recollect.errors import BadInput, RepositoryError
from recollect.model.survey import SurveyItem, SurveyOutcome
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.observe import NO_RENAMES
from recollect.surfaces.cli.options import ask_to_agree, common, open_memory, project_folder, refuse_options
from recollect.surfaces.install import manifest
from recollect.surfaces.install.plan import (
    InstallPlan,
    LeftAlone,
    apply_change,
    find_named_clients,
    find_present_clients,
    list_diff_lines,
    make_plan,
)

_EVERY = 1_000_000


REFLECTION_COST = (
    "Reflection: after work that passed and taught something, Claude Code is asked once what the next session should"
    " know. That costs one more turn over what it has in its window, about 300 tokens of it new. To switch it off:"
    " recollect config set reflect off"
)


@click.command("init")
@click.option(
    "--agent", "names", multiple=True, type=click.Choice(CLIENT_NAMES), help="Only this agent (repeatable)."
)
@click.option("--here", is_flag=True, help="Only for this project; without it, for all that you do.")
@click.option("--history/--no-history", default=True, help="Learn from the commits of this repository.")
@click.option("--graph/--no-graph", default=True, help="Build the code graph of this repository.")
@click.option(
    "--scan/--no-scan", default=True, help="Propose at most ten things that this repository says of itself."
)
@click.option(
    "--transcripts/--no-transcripts", default=None, help="Learn from past sessions of this project."
)
@click.option(
    "--reflect",
    is_flag=True,
    help="Ask the agent once, at the end of a session that taught something, for at most three notes.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common
def init_(
    names: tuple[str, ...],
    here: bool,
    history: bool,
    graph: bool,
    scan: bool,
    transcripts: bool | None,
    reflect: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Put recollect into the coding agents of this machine, and learn from what this project has behind it.

    It shows every file and the lines it will write, and asks first. `recollect uninstall` takes all of it back.
    Then it proposes what a newcomer should know (how tests run, what is generated, what was decided), a yes or no each.
    What files say in words is told to nobody before a yes, and --yes gives none.

    \b
    recollect init
    recollect init --dry-run
    recollect init --yes --agent claude-code --no-transcripts
    recollect init --reflect
    """
    refuse_options(("db",), "the hooks go by your settings: recollect config set db FILE")
    around, program = place(), _lasting_program()
    chosen = find_named_clients(names) if names else find_present_clients(around)
    reach = InstallScope.PROJECT if here else InstallScope.USER
    plan = make_plan(chosen, program, around, reach, manifest.load(config.data_dir()))
    past = [] if transcripts is False else _past_sessions()
    if not output.is_json():
        _tell_plan(chosen, plan, past)
        if reflect:
            output.print_line(REFLECTION_COST)
        for one in chosen:
            if why := one.load_install().instead(around):
                output.print_line(f"{one.title}: {why}.")
    if not dry_run and plan.writes:
        ask_to_agree(f"Write {output.count_phrase(len(plan.writes), 'file')}?", yes)
    if not dry_run and past and transcripts is None and not yes and sys.stdin.isatty():
        past = past if click.confirm("Learn from these past sessions?", default=True, err=True) else []
    failed = [] if dry_run else _write(plan)
    if reflect and not dry_run:
        config.change_setting("reflect", "agent", project=None)
    learned = {} if dry_run else _learn(history=history, graph=graph, transcripts=bool(past))
    proposals = _propose() if scan and not dry_run else []
    if output.is_json():
        form = _as_json(chosen, plan, failed, past, learned, dry_run=dry_run)
        output.print_json({**form, "proposals": [asdict(one) for one in proposals]})
    elif not dry_run:
        _tell_done(chosen, plan, failed, learned)
        show_proposals(proposals, asks=not yes and sys.stdin.isatty())
        _offer_vault()


def place() -> ClientFolders:
    """Where the files of agents are, seen from here."""
    return ClientFolders(
        home=Path.home(),
        project=config.project_folder(project_folder()),
        named=config.read_agent_folders(),
    )


def _lasting_program() -> Program:
    program = this_program()
    if program.is_temporary:
        raise BadInput(
            "This recollect runs from a temporary environment, which the hooks would not find again.",
            fix="uv tool install recollect && recollect init",
        )
    return program


def _past_sessions() -> Sequence[Any]:
    with open_memory(throw_away=True) as memory:
        return memory.observer.past_sessions()


def _write(plan: InstallPlan) -> list[LeftAlone]:
    return [why for change in plan.changes if (why := apply_change(change, config.data_dir())) is not None]


def _learn(*, history: bool, graph: bool, transcripts: bool) -> dict[str, int]:
    """Learn what is wanted. Each step is whole in itself: after an interrupt the next run goes on with it."""
    learned: dict[str, int] = {}
    with open_memory(create=True) as memory:
        in_repository = (config.project_folder(project_folder()) / ".git").exists()
        for wanted, what, learn in (
            (history and in_repository, "The commits were", _learn_commits),
            (graph and in_repository, "The code was", _learn_code),
            (transcripts, "Past sessions were", _learn_sessions),
        ):
            if wanted:
                learned |= _try_step(what, learn, memory)
    return learned


def _try_step(what: str, learn: Callable[[Recollect], dict[str, int]], memory: Recollect) -> dict[str, int]:
    """One step; where git cannot answer, say so and let the others go on."""
    try:
        return learn(memory)
    except RepositoryError as error:
        output.print_note(f"{what} not learned from: {error}")
        return {}


def _learn_commits(memory: Recollect) -> dict[str, int]:
    with output.show_progress("Reading commits") as step:
        report = memory.observer.learn_history(step)
    if not report.renames:
        output.print_note(NO_RENAMES)
    return {"commits": report.commits}


def _learn_code(memory: Recollect) -> dict[str, int]:
    with output.show_progress("Reading code") as step:
        built = memory.code.build(step)
    return {"files": built.files, "files_read": 0 if built.unchanged else built.parsed}


def _propose() -> list[SurveyItem]:
    """What this repository says of itself and was not proposed before; nothing where it cannot be read."""
    if not (config.project_folder(project_folder()) / ".git").exists():
        return []
    with open_memory(create=True) as memory:
        try:
            report = memory.code.propose()
        except RepositoryError as error:
            output.print_note(f"Nothing is proposed: {error}")
            return []
    return [one for one in report.proposals if one.outcome in (SurveyOutcome.NEW, SurveyOutcome.REFRESHED)]


def show_proposals(proposals: Sequence[SurveyItem], *, asks: bool) -> None:
    """List what is proposed; a person at a terminal may say yes or no to each."""
    if not proposals:
        return
    output.print_line("\nWorth knowing from the first day, from this repository:")
    for number, one in enumerate(proposals, start=1):
        mark = "waits for a yes" if one.waits else "observed"
        output.print_line(f"{number:2}. {output.escape_controls(one.text)}  {output.dim(mark)}")
        if asks:
            _ask_about(one)
    waiting = sum(one.waits for one in proposals)
    if waiting and not asks:
        verb = "waits" if waiting == 1 else "wait"
        output.print_line(
            f"{waiting} of them {verb} for a yes, and no agent is told before: recollect review"
        )


def _ask_about(one: SurveyItem) -> None:
    """A yes confirms it, a no puts it away for good; an empty answer leaves it for the review."""
    answer = click.prompt(
        "    Right? (y)es, (n)o, Enter: later",
        type=click.Choice(["y", "n", ""]),
        default="",
        show_choices=False,
        show_default=False,
        err=True,
    )
    if answer and one.memory_id:
        with open_memory() as memory:
            judge = memory.reviews.confirm if answer == "y" else memory.reviews.reject
            judge(one.memory_id)


def _learn_sessions(memory: Recollect) -> dict[str, int]:
    with output.show_progress("Reading sessions") as step:
        sessions = memory.observer.import_sessions(progress=step).sessions
    with output.show_progress("Learning from sessions"):
        done = memory.observer.learn_due(limit=_EVERY)
    return {"sessions": sessions, "memories": sum(len(one.memories) for one in done)}


def _tell_plan(chosen: Sequence[Client], plan: InstallPlan, past: Sequence[Any]) -> None:
    if not chosen:
        output.print_line(f"No coding agent was found; --agent names one of {', '.join(CLIENT_NAMES)}.")
    else:
        output.print_line(f"Found {', '.join(client.title for client in chosen)}.")
    for change in plan.writes:
        output.print_line(f"\n{'New file' if change.is_new else 'Change'} {change.path}")
        for text in list_diff_lines(change):
            output.print_line(f"  {_coloured(text)}")
    for path in plan.unchanged:
        output.print_line(f"unchanged  {path}")
    for left in plan.left_alone:
        _tell_left(left)
    if past:
        counts = ", ".join(f"{one.sessions:,} of {one.client} ({one.size / 1e6:,.1f} MB)" for one in past)
        output.print_line(f"\nPast sessions of this project: {counts}.")


def _tell_left(left: LeftAlone) -> None:
    output.print_note(f"\nLeft alone: {left.path}: {left.reason}.")
    if left.paste:
        output.print_note("To have it there, put this in yourself:")
        for text in left.paste.splitlines():
            output.print_note(f"  {text}")


def _tell_done(
    chosen: Sequence[Client], plan: InstallPlan, failed: Sequence[LeftAlone], learned: dict[str, int]
) -> None:
    for left in failed:
        _tell_left(left)
    not_written = {left.path for left in failed}
    written = sum(change.path not in not_written for change in plan.writes)
    if written:
        output.print_line(
            f"\nWrote {output.count_phrase(written, 'file')}. `recollect uninstall` takes it back."
        )
    sentence = _learned_sentence(learned)
    if sentence:
        output.print_line(sentence)
    if not written and not sentence:
        output.print_line("unchanged")
    for client in chosen:
        if client.load_install().afterwards and any(change.client == client.name for change in plan.writes):
            output.print_note(client.load_install().afterwards)


def _offer_vault() -> None:
    """Name a vault that was found, and the command for it: a third question would be one too many."""
    with open_memory(read_only=True) as memory:
        vaults = [] if memory.vault.exists() else memory.vault.offers()
    if vaults:
        folder = shlex.quote(str(vaults[0] / "Recollect"))
        output.print_note(
            f"There is an Obsidian vault in {vaults[0]}."
            f" To have your memories there as notes: recollect vault init {folder}"
        )


def _learned_sentence(learned: dict[str, int]) -> str:
    """What was new, in a sentence; nothing when all of it was known."""
    parts = [
        output.count_phrase(learned[name], what) + why
        for name, what, why in (
            ("commits", "commit", " (which files go together)"),
            ("files_read", "file", " of code (who calls whom)"),
            ("sessions", "past session", ""),
        )
        if learned.get(name)
    ]
    if not parts:
        return ""
    made = learned.get("memories", 0)
    tail = f" It proposes {output.count_phrase(made, 'memory')}: see `recollect review`." if made else ""
    return f"Learned from {' and '.join([', '.join(parts[:-1]), parts[-1]] if parts[1:] else parts)}.{tail}"


def _as_json(
    chosen: Sequence[Client],
    plan: InstallPlan,
    failed: Sequence[LeftAlone],
    past: Sequence[Any],
    learned: dict[str, int],
    *,
    dry_run: bool,
) -> dict[str, Any]:
    not_written = {left.path for left in failed}
    files = [
        {
            "path": change.path,
            "agent": change.client,
            "action": "create" if change.is_new else "change",
            "lines": list(list_diff_lines(change)),
        }
        for change in plan.writes
        if change.path not in not_written
    ]
    files += [{"path": path, "action": "unchanged"} for path in plan.unchanged]
    files += [
        {
            "path": left.path,
            "agent": left.client,
            "action": "left alone",
            "why": left.reason,
            "paste": left.paste,
        }
        for left in (*plan.left_alone, *failed)
    ]
    return {
        "dry_run": dry_run,
        "agents": [client.name for client in chosen],
        "files": files,
        "past_sessions": {one.client: one.sessions for one in past},
        "learned": learned,
    }


def _coloured(text: str) -> str:
    colour = {"+": "green", "-": "red"}.get(text[:1])
    return click.style(text, fg=colour) if colour else output.dim(text)
