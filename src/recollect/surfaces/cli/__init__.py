"""The command line: a table of commands, each loaded when it is called."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from recollect import __version__
from recollect.surfaces.cli.command_group import CommandGroup
from recollect.surfaces.cli.command_groups import group_commands, summary_of

# Where each command lives. A name of two words is a group, whose own commands its module holds.
COMMANDS = {
    "init": "install",
    "remember": "memory",
    "recall": "recall",
    "show": "memory",
    "list": "memory",
    "edit": "memory",
    "forget": "memory",
    "pin": "memory",
    "review": "review",
    "history": "memory",
    "undo": "memory",
    "stale": "upkeep",
    "feedback": "upkeep",
    "settle": "upkeep",
    "upkeep": "upkeep",
    "prune": "upkeep",
    "revive": "upkeep",
    "stats": "store",
    "projects": "store",
    "reindex": "store",
    "graph": "code",
    "deps": "code",
    "trace": "code",
    "impact": "impact",
    "about": "impact",
    "modules": "impact",
    "scan": "impact",
    "doctor": "doctor",
    "config": "config",
    "backup": "store",
    "move": "store",
    "restore": "store",
    "export": "transfer",
    "import": "transfer",
    "completion": "config",
    "learn": "observe",
    "lessons": "learned",
    "recipes": "learned",
    "skills": "learned",
    "day": "observe",
    "together": "observe",
    "foresee": "observe",
    "notes": "observe",
    "note": "observe",
    "reword": "observe",
    "methods": "methods",
    "context": "recall",
    "validate": "observe",
    "work": "observe",
    "qa": "observe",
    "run": "run",
    "runs": "run",
    "resume": "run",
    "ops": "ops",
    "vault": "vault",
    "tasks": "tasks",
    "mcp": "mcp",
    "status": "sessions",
    "why": "hooks",
    "sessions": "sessions",
    "pause": "hooks",
    "unpause": "hooks",
    "ui": "ui",
    "serve": "server",
    "team": "team",
    "login": "login",
    "logout": "login",
    "sync": "login",
    "share": "login",
    "uninstall": "uninstall",
    "demo": "doctor",
}


# All groups in one column.
_NAME_WIDTH = max(map(len, COMMANDS))


class _Commands(CommandGroup):
    """Loads a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"recollect.surfaces.cli.{COMMANDS[cmd_name]}")
        command = getattr(module, f"{cmd_name}_")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """By what people do, and without loading any of them."""
        for title, names in group_commands(list(COMMANDS)).items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(_NAME_WIDTH), summary_of(name)) for name in names])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in COMMANDS or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        # Here alone: most names are known.
        from difflib import get_close_matches

        near = get_close_matches(name.lower(), COMMANDS, n=1, cutoff=0.5)
        suggestion = f" Did you mean {near[0]}?" if near else ""
        raise click.UsageError(f"There is no command {name!r}.{suggestion}", ctx)


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, message="recollect %(version)s")
@click.version_option(
    sys.executable, "--python", message="%(version)s", help="Show the Python it is installed in and exit."
)
@click.option("--debug", is_flag=True, help="Show where in the code an error comes from.")
def cli(debug: bool) -> None:
    """A memory for AI agents: it keeps what proved true and hands back the few lines that matter.

    \b
    recollect remember "Retries are capped at 3" --about src/retry.py
    recollect recall "how often do we retry?" --explain
    recollect init --dry-run
    """
