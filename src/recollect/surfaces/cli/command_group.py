"""A group of commands that shows every error of ours as a sentence, with an exit code and never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from recollect.errors import RecollectError
from recollect.surfaces.cli import output


class CommandGroup(click.Group):
    """Runs a command and reports what went wrong, as JSON where JSON was asked for."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader (head, less) has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)

    def main(self, args: Sequence[str] | None = None, *rest: Any, **kwargs: Any) -> Any:
        arguments = list(sys.argv[1:] if args is None else args)
        as_json = output.asks_for_json(arguments)
        output.escape_unwritable_characters()
        kwargs["standalone_mode"] = False
        try:
            sys.exit(super().main(args, *rest, **kwargs) or 0)
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
