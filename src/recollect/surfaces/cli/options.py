"""Options that many commands share, and how a command opens memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from recollect import config
from recollect.api import Recollect
from recollect.errors import BadInput, NotFound, RepositoryError
from recollect.model.kinds import Kinds
from recollect.model.memory import MemoryState
from recollect.model.provenance import Channel, Source
from recollect.model.query import Filters
from recollect.model.scope import Scope, parse_workref
from recollect.model.subject import Subject
from recollect.surfaces.cli import output

F = TypeVar("F", bound=Callable[..., Any])
_MAX_SESSIONS_COMPARED = 200
_NEARLY_THE_SAME = 0.8


def one_of(values: type[StrEnum]) -> click.Choice[str]:
    """A choice among the values as they are written; given the class itself, click would take their names."""
    return click.Choice([str(value) for value in values])


def kinds_like(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The kinds that begin so, for a shell that completes."""
    return [name for name in Kinds().names() if name.startswith(incomplete)]


def common(command: F) -> F:
    """`--json`, `--db` and `--project`, which every command takes that has to do with a memory."""
    named = click.option(
        "--db", metavar="FILE", help="Another memory than your own.", callback=_db, expose_value=False
    )
    return in_project(named(command))


def in_project(command: F) -> F:
    """`--json` and `--project`, for what goes by a folder and opens no memory."""
    return json_option(
        click.option(
            "--project",
            metavar="FOLDER",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="The project to look from; by default the current folder's.",
            callback=_project,
            expose_value=False,
        )(command)
    )


def json_option(command: F) -> F:
    """`--json`, which every command takes."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print JSON for programs.", callback=_json, expose_value=False
    )(command)


def svg_option(command: F) -> F:
    """`--svg FILE`, for what can be drawn."""
    return click.option(
        "--svg",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Also draw it into this file.",
    )(command)


def filtering(command: F) -> F:
    """Which memories may answer; the same options for recall and list."""
    return narrowing(
        click.option(
            "--source", "sources", multiple=True, type=one_of(Source), help="Only from this source."
        )(command)
    )


def narrowing(command: F) -> F:
    """All filters but the one by source: `forget` takes that in a sense of its own."""
    for option in reversed(
        (
            click.option(
                "--kind",
                "-k",
                "kinds",
                multiple=True,
                metavar="KIND",
                shell_complete=kinds_like,
                help="Only this kind (repeatable).",
            ),
            click.option(
                "--group", "groups", multiple=True, metavar="GROUP", help="Only kinds of this group."
            ),
            click.option(
                "--about",
                "-a",
                multiple=True,
                metavar="SUBJECT",
                help="Only about this, e.g. src/auth.py or person:alex.",
            ),
            click.option("--tag", "-t", "tags", multiple=True, help="Only with this tag (repeatable)."),
            click.option("--scope", "scopes", multiple=True, type=one_of(Scope), help="Only of this scope."),
            click.option(
                "--state",
                "states",
                multiple=True,
                type=one_of(MemoryState),
                help="Also other states than active.",
            ),
            click.option("--work", metavar="REF", help="Only of this unit of work, e.g. native:spec_042."),
            click.option("--methodology", metavar="NAME", help="Only of this way of working."),
            click.option(
                "--min-confidence", type=click.FloatRange(0, 1), default=0.0, help="Only at least so sure."
            ),
            click.option(
                "--since", metavar="TIME", help='Only from then on: 2026-05-08, "last week", "3 days ago".'
            ),
            click.option("--until", metavar="TIME", help="Only up to then."),
            click.option("--all-projects", is_flag=True, help="From every project, not only this one."),
        )
    ):
        command = option(command)
    return command


def build_filters(memory: Recollect, options: dict[str, Any]) -> Filters:
    """The filter these options describe."""
    since, until = options["since"], options["until"]
    return memory.filters(
        about=options["about"],
        kinds=[memory.kinds.get(name).name for name in options["kinds"]],
        groups=options["groups"],
        tags=options["tags"],
        scopes=tuple(Scope(scope) for scope in options["scopes"]),
        states=tuple(MemoryState(state) for state in options["states"]) or (MemoryState.ACTIVE,),
        sources=tuple(Source(source) for source in options.get("sources", ())),
        work=parse_workref(options["work"]) if options["work"] else None,
        methodology=options["methodology"],
        min_confidence=options["min_confidence"],
        since=memory.period(since)[0] if since else None,
        until=memory.period(until)[1] if until else None,
        every_project=options["all_projects"],
        fresh=options.get("fresh", False),
    )


def open_memory(
    *, create: bool = False, read_only: bool = False, throw_away: bool = False, for_agent: bool = False
) -> Recollect:
    """The memory the options name. Without a terminal, inside an agent or for one, it is the agent who speaks."""
    by_agent = for_agent or config.is_agent_process()
    settings = read_settings()
    if settings.text("url") and not throw_away:
        return _open_remote_memory(settings, by_agent=by_agent)
    memory = Recollect(
        ":memory:" if throw_away else None,
        settings=settings,
        folder=project_folder(),
        actor="agent" if by_agent else "user",
        channel=Channel.AGENT if by_agent else Channel.USER,
        create=create,
        read_only=read_only,
    )
    for loss in memory.safety.losses():
        output.print_note(f"This memory was damaged: {loss}. Run `recollect doctor --fix`.")
    return memory


def _open_remote_memory(settings: config.Settings, *, by_agent: bool) -> Recollect:
    """The same, where a server has it."""
    # Loaded here: most memories are on this machine.
    from recollect.remote.remote_memory import RemoteMemory

    return RemoteMemory(
        settings=settings,
        folder=project_folder(),
        actor="agent" if by_agent else "user",
        channel=Channel.AGENT if by_agent else Channel.USER,
    )


@contextmanager
def open_memory_of_code() -> Iterator[Recollect]:
    """The same, with a graph of this folder's code: where there is none yet, it is made now."""
    with open_memory(create=True) as memory:
        if memory.code.can_be_built():
            with output.show_progress("Reading code") as step:
                memory.code.build(step)
        yield memory


def read_settings() -> config.Settings:
    """The settings in force for the options given."""
    db = click.get_current_context().meta.get("recollect.db")
    return config.load_settings(config.project_folder(project_folder()), {"db": db})


def project_folder() -> Path:
    """The folder whose project is meant: the one that was named, or the current one."""
    folder: Path = click.get_current_context().meta.get("recollect.project") or Path()
    try:
        return folder.absolute()
    except FileNotFoundError:
        raise RepositoryError(path="the current folder", reason="it is gone; go to another one") from None


def find_session(memory: Recollect, session_name: str | None) -> str:
    """The session that is meant: the one named, the one this process runs in, or the newest of this project."""
    if session_name:
        return check_session(memory, session_name)
    return config.session_from_environment() or memory.observer.current()


def check_session(memory: Recollect, session_name: str) -> str:
    """A session by its id. One that is nearly the name of another is a slip of the finger; any other may begin."""
    if not _is_session(memory, session_name):
        memory.observer.drain()  # what its hooks wrote a moment ago waits there
    if _is_session(memory, session_name):
        return session_name
    # Here alone: most sessions that are named are known.
    from difflib import get_close_matches

    known = [session.id for session in memory.observer.sessions(limit=_MAX_SESSIONS_COMPARED)]
    near = [name for name in known if name.startswith(session_name)]
    near = near or get_close_matches(session_name, known, n=1, cutoff=_NEARLY_THE_SAME)
    if near:
        raise NotFound(
            f"There is no session called {session_name!r}. Did you mean {near[0]}? "
            "RECOLLECT_SESSION names one that begins."
        )
    return session_name


def find_past_session(memory: Recollect, session_name: str) -> str:
    """A session to look at: by its id, or by the first characters of it that no other begins with."""
    recent = [
        session.id for session in memory.observer.sessions(limit=_MAX_SESSIONS_COMPARED, every_project=True)
    ]
    beginning_so = [name for name in recent if name.startswith(session_name)]
    return beginning_so[0] if len(beginning_so) == 1 else check_session(memory, session_name)


def _is_session(memory: Recollect, session_name: str) -> bool:
    try:
        return bool(memory.observer.session(session_name))
    except NotFound:
        return False


def mention_missing_files(subjects: Iterable[Subject]) -> None:
    """Say which files that something is about are not there: meant for later, or mistyped."""
    top = config.project_folder(project_folder())
    for subject in subjects:
        # Of a symbol only the file before the mark is looked for; without one it is a name in the code.
        path, mark, _ = subject.name.partition("::")
        is_file = subject.type == "file" or (subject.type == "symbol" and mark)
        # Not Path.exists: that one raises for a name no file system would take.
        if is_file and not os.path.lexists(top / path):
            output.print_note(f"There is no file {output.escape_controls(path)} here (yet).")


def ask_to_agree(question: str, yes: bool) -> None:
    """Have a person agree, or stop; where there is nobody to ask, only --yes will do."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput(f"{question} There is nobody to ask: say --yes.")
    click.confirm(question, abort=True, err=True)


def refuse_options(names: Collection[str], instead: str) -> None:
    """Refuse options that would be passed over: what a person says is heeded, or they are told that it is not."""
    context = click.get_current_context()
    used = [
        max(option.opts, key=len)
        for option in context.command.params
        if option.name in names and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
    ]
    if used:
        raise click.UsageError(f"{' and '.join(used)} would do nothing here; {instead}.", context)


def _json(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        output.use_json()


def _db(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    # A command inside a group is asked after the group, and says nothing about what was said there.
    if value is not None:
        ctx.meta["recollect.db"] = value


def _project(ctx: click.Context, _: click.Parameter, value: Path | None) -> None:
    if value is not None:
        ctx.meta["recollect.project"] = value
