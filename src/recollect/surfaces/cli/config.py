"""Commands on settings: config show, config set, completion."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from recollect import config
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.options import common, in_project, json_option, project_folder, read_settings


@click.group("config", cls=HelpGroup)
def config_() -> None:
    """Show and change settings."""


@config_.command("show")
@click.option("--origin", is_flag=True, help="Also say where each value comes from.")
@common
def show_(origin: bool) -> None:
    """Show every setting in force.

    \b
    recollect config show --origin
    """
    settings = read_settings()
    if output.is_json():
        output.print_json(
            {"settings": {v.setting.name: {"value": v.value, "origin": v.origin} for v in settings}}
        )
        return
    rows = [(v.setting.name, str(v.value) or "-", v.origin if origin else v.setting.help) for v in settings]
    output.print_table(("setting", "value", "from" if origin else "what it is"), rows)


@config_.command("set")
@click.argument("name")
@click.argument("value")
@click.option("--here", is_flag=True, help="For this project (.recollect/config.toml), not for you.")
@in_project
def set_(name: str, value: str, here: bool) -> None:
    """Set NAME to VALUE.

    \b
    recollect config set recall.limit 5
    recollect config set embedding.tier ollama
    """
    file = config.change_setting(
        name, value, project=config.project_folder(project_folder()) if here else None
    )
    if output.is_json():
        output.print_json({"set": name, "value": value, "file": str(file)})
        return
    output.print_line(f"{name} = {value} in {file}")
    if name.startswith("embedding."):
        output.print_note("Memories keep their vectors until you run: recollect reindex")


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "pwsh"]))
@json_option
def completion_(shell: str) -> None:
    """Print a script that completes commands in SHELL.

    \b
    recollect completion bash >> ~/.bashrc
    """
    script = _PWSH if shell == "pwsh" else _script(shell)
    if output.is_json():
        output.print_json({"shell": shell, "script": script})
    else:
        output.print_line(script)


def _script(shell: str) -> str:
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(
        click.get_current_context().find_root().command, {}, "recollect", "_RECOLLECT_COMPLETE"
    ).source()


# click knows no PowerShell; the protocol behind it is the same as for fish.
_PWSH = """Register-ArgumentCompleter -Native -CommandName recollect -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $env:COMP_WORDS = $commandAst.ToString()
    $env:COMP_CWORD = $wordToComplete
    $env:_RECOLLECT_COMPLETE = "fish_complete"
    recollect | ForEach-Object {
        $kind, $rest = $_ -split ",", 2
        $value, $help = $rest -split "`t", 2
        if (-not $help) { $help = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, "ParameterValue", $help)
    }
    $env:_RECOLLECT_COMPLETE = ""
}"""
