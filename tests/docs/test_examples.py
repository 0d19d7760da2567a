"""Every example runs: Python is executed and its output compared, commands go through the real parser."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from recollect import Recollect
from recollect.surfaces.cli import cli
from tests.docs.pages import blocks, recollect_commands, shell_commands, text_of


@pytest.fixture
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")


@pytest.mark.usefixtures("_elsewhere")
@pytest.mark.parametrize(
    "page", ["README.md", "docs/library.md", "docs/conversation.md", "docs/agent.md", "docs/vault.md"]
)
def test_python_examples_run_in_order_and_print_what_the_page_says(page: str) -> None:
    names: dict[str, object] = {"__name__": "example"}
    printed = None
    ran = 0
    for block in blocks(text_of(page)):
        if block.language == "python":
            assert not printed, (
                f"{page}: the example before line {block.line} prints {printed!r}, the page says nothing"
            )
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                exec(compile("\n" * (block.line - 1) + block.text, page, "exec"), names)
            printed = said.getvalue()
            ran += 1
        elif block.language == "text" and not block.before.strip():
            assert printed == block.text, f"{page}, line {block.line}"
            printed = None
    assert ran


@pytest.mark.parametrize(
    ("page", "words"),
    list(shell_commands()),
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_commands_in_the_docs_are_understood(page: str, words: list[str]) -> None:
    _parse(words)


def test_the_example_of_an_export_can_be_imported(memory: Recollect) -> None:
    (example,) = [block.text for block in blocks(text_of("docs/storage.md")) if block.language == "json"]
    done = memory.admin.import_memories(lambda: iter(example.splitlines()), mine=True)
    assert done.remembered == 1
    header, line = memory.admin.export()
    assert header["version"] == json.loads(example.splitlines()[0])["version"]
    assert line == json.loads(example.splitlines()[1])


def _help_examples() -> Iterator[tuple[str, list[str]]]:
    def walk(command: click.Command, path: str) -> Iterator[tuple[str, list[str]]]:
        for words in recollect_commands("\n".join(_example_lines(command.help or ""))):
            yield path, words
        if isinstance(command, click.Group):
            ctx = click.Context(command)
            for name in command.list_commands(ctx):
                found = command.get_command(ctx, name)
                assert found is not None
                yield from walk(found, f"{path} {name}")

    yield from walk(cli, "recollect")


def _example_lines(help_: str) -> list[str]:
    return [line.strip() for line in help_.partition("\b")[2].splitlines() if "recollect " in line]


@pytest.mark.parametrize(
    ("command", "words"),
    list(_help_examples()),
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_examples_in_help_texts_are_understood(command: str, words: list[str]) -> None:
    _parse(words)


def _parse(words: list[str]) -> None:
    """Read the words as the command line does, without doing anything."""
    command: click.Command = cli
    name, parent, rest = "recollect", None, list(words)
    while True:
        ctx = command.make_context(name, rest, parent=parent)
        if not isinstance(command, click.Group):
            return
        rest = [*ctx._protected_args, *ctx.args]
        if not rest:
            assert command.invoke_without_command, f"{ctx.command_path} needs a command"
            return
        _, found, rest = command.resolve_command(ctx, rest)
        assert found is not None
        name, command, parent = str(found.name), found, ctx
