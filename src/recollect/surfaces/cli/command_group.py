"""A group of commands that shows every error of ours as a sentence, with an exit code and never a traceback."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from recollect.errors import RecollectError
from recollect.surfaces.cli import output


class HelpGroup(click.Group):
    """A group whose help cuts no summary."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every command with its whole first sentence, on as many lines as it takes."""
        named = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, first_sentence(command.help or "")) for name, command in named if command]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


class CommandGroup(HelpGroup):
    """Runs a command and reports what went wrong, as JSON where JSON was asked for."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader (head, less) has seen enough
            output.drop_output(sys.stdout)
            ctx.exit(0)

    def main(self, args: Sequence[str] | None = None, *rest: Any, **kwargs: Any) -> Any:
        arguments = list(sys.argv[1:] if args is None else args)
        as_json = output.asks_for_json(arguments)
        output.escape_unwritable_characters()
        kwargs["standalone_mode"] = False
        try:
            code = super().main(args, *rest, **kwargs) or 0
            sys.stdout.flush()
            sys.exit(code)
        except click.ClickException as error:
            output.print_usage_error(error, as_json=as_json)
            sys.exit(2)
        except (click.Abort, KeyboardInterrupt):
            output.print_note("Stopped.")
            sys.exit(130)
        except RecollectError as error:
            if "--debug" in arguments:
                raise
            output.print_error(error, as_json=as_json)
            sys.exit(error.exit_code)
        except OSError as error:  # a full disk behind standard output, a folder that went away
            if "--debug" in arguments:
                raise
            with suppress(OSError, ValueError):  # a stream in memory has no number
                output.drop_output(sys.stdout)
            output.print_error(RecollectError(_describe_refusal(error)), as_json=as_json)
            sys.exit(RecollectError.exit_code)


def _describe_refusal(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename is None:
        return f"The system refused to read or write, perhaps the answer itself: {reason}."
    return f"{error.filename} cannot be used: {reason}."


def first_sentence(text: str) -> str:
    """The first sentence of a help text, on one line."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    sentence, mark, _ = paragraph.partition(". ")
    return sentence + mark.strip() if mark else paragraph
