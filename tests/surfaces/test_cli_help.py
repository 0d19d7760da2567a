"""Help that people can read: in groups, and with nothing cut."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from recollect.surfaces.cli import COMMANDS, cli
from recollect.surfaces.cli.command_groups import COMMAND_GROUPS, UNGROUPED, group_commands


def groups(command: click.Command, name: str) -> Iterator[tuple[str, ...]]:
    """The words of every command that has commands of its own."""
    if isinstance(command, click.Group):
        yield tuple(name.split())
        context = click.Context(command)
        for inner in command.list_commands(context):
            inner_command = command.get_command(context, inner)
            assert inner_command is not None
            yield from groups(inner_command, f"{name} {inner}")


def help_of(words: tuple[str, ...], columns: int) -> str:
    done = CliRunner().invoke(cli, [*words[1:], "--help"], terminal_width=columns, prog_name="recollect")
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize("words", list(groups(cli, "recollect")), ids=" ".join)
def test_no_summary_is_cut_and_no_line_of_commands_is_too_wide(words: tuple[str, ...], columns: int) -> None:
    listing = help_of(words, columns).partition("--help  Show this message and exit.")[2].splitlines()
    assert [line for line in listing if "..." in line] == []
    assert [line for line in listing if len(line) > columns] == []


def test_every_command_stands_in_one_group_with_a_summary() -> None:
    assert UNGROUPED not in group_commands(list(COMMANDS))
    names = [name for summaries in COMMAND_GROUPS.values() for name in summaries]
    assert len(names) == len(set(names))


def test_the_groups_are_shown_with_all_their_commands() -> None:
    lines = help_of(("recollect",), 80).splitlines()
    for title, names in group_commands(list(COMMANDS)).items():
        start = lines.index(f"{title}:")
        assert [line.split()[0] for line in lines[start + 1 : start + 1 + len(names)]] == names
