"""The table of commands that measure: how well memory answers, and how fast. Each lives in its benchmark's module."""

from __future__ import annotations

import click

from benchmarks.agents import agents_
from benchmarks.answerable import questions_
from benchmarks.answers import locomo_, longmemeval_
from benchmarks.cluster import cluster_
from benchmarks.cochange import cochange_
from benchmarks.context import context_
from benchmarks.contradictions import contradictions_
from benchmarks.dayone import dayone_
from benchmarks.failure_groups import failures_
from benchmarks.graph import graph_
from benchmarks.growth import growth_
from benchmarks.hooks import hooks_
from benchmarks.lessons import lessons_
from benchmarks.loop_learning import loop_
from benchmarks.observe import observe_
from benchmarks.ops import ops_
from benchmarks.paraphrases import paraphrases_
from benchmarks.recipe_mining import recipes_
from benchmarks.relevance import relevance_
from benchmarks.replay import replay_
from benchmarks.secrets import secrets_
from benchmarks.server import server_
from benchmarks.speed import speed_
from benchmarks.tool_calls import tool_calls_
from benchmarks.ui import ui_
from benchmarks.vault import vault_
from benchmarks.window import window_
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import CommandGroup

COMMANDS = (
    locomo_,
    longmemeval_,
    speed_,
    paraphrases_,
    cochange_,
    replay_,
    dayone_,
    relevance_,
    questions_,
    graph_,
    contradictions_,
    lessons_,
    failures_,
    recipes_,
    ops_,
    window_,
    loop_,
    observe_,
    hooks_,
    tool_calls_,
    context_,
    secrets_,
    ui_,
    vault_,
    server_,
    cluster_,
    growth_,
    agents_,
)


@click.group(
    cls=CommandGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.pass_context
def benchmarks_cli(ctx: click.Context) -> None:
    """Measure how well memory answers and how fast, beside baselines in the same run.

    \b
    python -m benchmarks locomo locomo10.json
    python -m benchmarks longmemeval longmemeval_oracle.json --json
    python -m benchmarks speed --sizes 1000 --ops 50
    python -m benchmarks paraphrases pairs.jsonl
    python -m benchmarks cochange commits.jsonl
    python -m benchmarks replay ~/.claude/projects/-home-kim-shop
    python -m benchmarks dayone histories
    python -m benchmarks relevance locomo10.json --sessions ~/.claude/projects/-home-kim-shop
    python -m benchmarks questions
    python -m benchmarks graph ~/src/django
    python -m benchmarks contradictions pairs.jsonl
    python -m benchmarks lessons ~/.claude/projects/-home-kim-shop labels.json
    python -m benchmarks failures
    python -m benchmarks recipes
    python -m benchmarks ops
    python -m benchmarks window
    python -m benchmarks loop
    python -m benchmarks observe
    python -m benchmarks hooks
    python -m benchmarks tool-calls
    python -m benchmarks context
    python -m benchmarks ui
    python -m benchmarks vault
    python -m benchmarks server --store postgresql://localhost/bench
    python -m benchmarks cluster
    python -m benchmarks growth --sizes 10000,100000,1000000
    python -m benchmarks agents --size 100000 --agents 1,10,50
    """
    if ctx.invoked_subcommand is None:
        output.print_line(ctx.get_help())


for command in COMMANDS:
    benchmarks_cli.add_command(command)
