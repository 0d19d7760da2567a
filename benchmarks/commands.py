"""Commands that measure: how well memory answers, and how fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from benchmarks import (
    cochange,
    context,
    contradictions,
    goals,
    graph,
    hooks,
    locomo,
    longmemeval,
    observe,
    paraphrases,
    replay,
    speed,
)
from benchmarks.answerable import questions_
from benchmarks.failure_groups import failures_
from benchmarks.goals import Measure
from benchmarks.lessons import lessons_
from benchmarks.loop_learning import loop_
from benchmarks.metrics import METRICS
from benchmarks.ops import ops_
from benchmarks.questions import Dataset
from benchmarks.recipe_mining import recipes_
from benchmarks.relevance import relevance_
from benchmarks.run import Outcome, open_chosen_embedder, run
from benchmarks.secrets import secrets_
from benchmarks.server import server_
from benchmarks.tool_calls import tool_calls_
from benchmarks.ui import ui_
from benchmarks.vault import vault_
from benchmarks.window import window_
from recollect.errors import BadInput
from recollect.model.profile import PROFILES
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import CommandGroup
from recollect.surfaces.cli.options import F, common, json_option, read_settings

_PATH = click.Path(dir_okay=False, path_type=Path)


def _question_options(command: F) -> F:
    for option in (
        click.option(
            "--profile",
            type=click.Choice(list(PROFILES)),
            default="default",
            show_default=True,
            help="How hits are ranked.",
        ),
        click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N questions."),
        click.option(
            "--store", metavar="ADDRESS", default="", help="Keep memories at postgresql://…, not in files."
        ),
        click.argument("path", type=_PATH),
    ):
        command = option(command)
    return command


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
    python -m benchmarks relevance locomo10.json --sessions ~/.claude/projects/-home-kim-shop
    python -m benchmarks questions
    python -m benchmarks graph ~/src/django
    python -m benchmarks contradictions pairs.jsonl
    python -m benchmarks lessons ~/.claude/projects/-home-kim-shop labels.json
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
    """
    if ctx.invoked_subcommand is None:
        output.print_line(ctx.get_help())


benchmarks_cli.add_command(questions_)
benchmarks_cli.add_command(relevance_)
benchmarks_cli.add_command(ops_)
benchmarks_cli.add_command(tool_calls_)
benchmarks_cli.add_command(window_)
benchmarks_cli.add_command(loop_)
benchmarks_cli.add_command(failures_)
benchmarks_cli.add_command(recipes_)
benchmarks_cli.add_command(ui_)
benchmarks_cli.add_command(vault_)
benchmarks_cli.add_command(lessons_)
benchmarks_cli.add_command(secrets_)
benchmarks_cli.add_command(server_)


@benchmarks_cli.command("locomo")
@_question_options
@common
def locomo_(path: Path, profile: str, limit: int | None, store: str) -> None:
    """How much of the evidence is found in the conversations of the LoCoMo file at PATH.

    Categories 1 to 4 make up the whole; category 5 stands apart, also without subject matching.

    \b
    python -m benchmarks locomo locomo10.json --limit 100
    """
    _run_answers(locomo.load(path), profile, limit, store, unnamed_in=locomo.ADVERSARIAL)


@benchmarks_cli.command("longmemeval")
@_question_options
@common
def longmemeval_(path: Path, profile: str, limit: int | None, store: str) -> None:
    """How much of the evidence is found in all sessions of the LongMemEval file at PATH, pooled.

    \b
    python -m benchmarks longmemeval longmemeval_oracle.json --json
    """
    _run_answers(longmemeval.load(path), profile, limit, store)


@benchmarks_cli.command("speed")
@click.option(
    "--sizes",
    default=",".join(map(str, speed.SIZES)),
    show_default=True,
    metavar="N,N",
    help="How many memories to measure at, smallest first.",
)
@click.option("--size", type=click.IntRange(1), metavar="N", help="Measure at this many memories alone.")
@click.option(
    "--ops",
    type=click.IntRange(1),
    default=speed.OPERATIONS,
    show_default=True,
    help="How often each act is timed.",
)
@json_option
def speed_(sizes: str, size: int | None, ops: int) -> None:
    """How fast memory remembers and recalls, beside the least that could do it; embedding is not measured.

    \b
    python -m benchmarks speed --sizes 1000 --ops 50
    python -m benchmarks speed --size 1000000
    """
    measures = speed.run(
        [size] if size else _parse_sizes(sizes),
        operations=ops,
        processes=min(ops, speed.PROCESSES),
        progress=output.show_progress,
        tell=_print_measure,
    )
    if output.is_json():
        output.print_json(
            {"systems": goals.systems(measures), "measures": goals.as_json(measures), "operations": ops}
        )
        return
    _print_speeds(measures)
    output.print_line()
    output.print_line(
        f"Median and 95th percentile over {ops} operations, in turn with the floor; embedding not measured."
    )


@benchmarks_cli.command("paraphrases")
@click.argument("path", type=_PATH, required=False)
@common
def paraphrases_(path: Path | None) -> None:
    """How well the model tells pairs that say the same from others; PATH has lines with a, b and label.

    \b
    python -m benchmarks paraphrases pairs.jsonl
    """
    if path is None:
        raise BadInput('Name a file of pairs, one per line: {"a": "…", "b": "…", "label": "same"}.')
    pairs = paraphrases.load(path)
    model = open_chosen_embedder(read_settings())
    systems = {"words": paraphrases.by_words(pairs)}
    if model is not None:
        systems = {"recollect": paraphrases.by_model(pairs, model), **systems}
    if output.is_json():
        output.print_json(
            {
                "systems": {name: asdict(separation) for name, separation in systems.items()},
                "pairs": len(pairs),
            }
        )
        return
    labels = list(dict.fromkeys(pair.label for pair in pairs))
    headings = ("", "average precision", "accuracy", "at best", *labels)
    output.print_table(
        headings, [_separation_row(name, separation, labels) for name, separation in systems.items()]
    )


@benchmarks_cli.command("cochange")
@click.argument("path", metavar="LOG", type=_PATH)
@json_option
def cochange_(path: Path) -> None:
    """How well one file of a commit tells the others, over the history in LOG; each commit is learned after it.

    \b
    python -m benchmarks cochange commits.jsonl --json
    """
    with output.show_progress("Commits") as progress:
        outcome = cochange.run(path, progress)
    if output.is_json():
        output.print_json({"benchmark": "cochange", **outcome})
        return
    output.print_table(
        ("", *next(iter(outcome["systems"].values()))),
        [
            (name, *(f"{value:.1f}" for value in scores.values()))
            for name, scores in outcome["systems"].items()
        ],
    )
    output.print_line(f"{outcome['counts']['scored']} of {outcome['counts']['commits']} commits scored")


@benchmarks_cli.command("replay")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--warm-up",
    type=click.IntRange(0),
    default=replay.WARM_UP,
    show_default=True,
    help="So many sessions are learned before the first is scored.",
)
@json_option
def replay_(path: Path, warm_up: int) -> None:
    """How well the files of a session are foreseen, over the session files in the folder PATH, in time order.

    Asked at the first prompt, and again with the first two files known. Each session is learned after it was scored.

    \b
    python -m benchmarks replay ~/.claude/projects/-home-kim-shop
    python -m benchmarks replay sessions --warm-up 5 --json
    """
    outcome = replay.run(path, warm_up=warm_up, progress=output.show_progress)
    if output.is_json():
        output.print_json({"benchmark": "replay", **outcome})
        return
    counts = outcome["counts"]
    _print_predictions(f"first prompt ({counts['scored']})", outcome["from_prompt"])
    output.print_line()
    _print_predictions(f"two files known ({counts['scored_from_files']})", outcome["from_files"])
    output.print_line()
    for name, errors in outcome["errors"].items():
        output.print_line(
            f"Errors, {name}: {errors['met']} met, {errors['again']} of them again, "
            f"for {errors['remedy_known']} a remedy was known."
        )


@benchmarks_cli.command("observe")
@click.option(
    "--sessions",
    type=click.IntRange(20),
    default=2_000,
    show_default=True,
    help="How many sessions are made up.",
)
@json_option
def observe_(sessions: int) -> None:
    """How many events a second the observer reads, beside json.loads of the same lines, and whether memory grows.

    \b
    python -m benchmarks observe --sessions 10000
    """
    with output.show_progress("Sessions") as progress:
        outcome = observe.run(sessions, progress)
    if output.is_json():
        output.print_json({"benchmark": "observe", **outcome})
        return
    output.print_line(f"{outcome['events']:,} events of {sessions:,} sessions, {outcome['notes']:,} notes")
    output.print_table(
        ("", "events/s"),
        [(name, f"{outcome[name]:,.0f}") for name in ("observer", "json_loads")],
    )
    output.print_line(f"Memory at its highest grew by {outcome['grown_kb']:,} kB after the first tenth.")


@benchmarks_cli.command("hooks")
@click.option(
    "--runs", type=click.IntRange(1), default=hooks.RUNS, show_default=True, help="How often each hook runs."
)
@json_option
def hooks_(runs: int) -> None:
    """What each hook costs in CPU time above a Python that does nothing, beside that and a bare shell.

    Real processes, in turn. Wall time is not told: its differences are noise.

    \b
    python -m benchmarks hooks --runs 20
    """
    with output.show_progress("Hooks") as progress:
        measures = hooks.run(runs, progress)
    if output.is_json():
        output.print_json({"benchmark": "hooks", "runs": runs, "measures": goals.as_json(measures)})
        return
    rows = [(m.label, _format_figures(m.ours), str(m.goal or ""), m.verdict) for m in measures]
    output.print_table(("", "median", "goal", ""), rows)


@benchmarks_cli.command("context")
@click.option(
    "--size", type=click.IntRange(1), default=context.SIZE, show_default=True, help="How many memories."
)
@click.option(
    "--runs", type=click.IntRange(1), default=context.RUNS, show_default=True, help="How often each."
)
@json_option
def context_(size: int, runs: int) -> None:
    """How long it takes to put a context together in a process that runs already; embedding is not measured.

    \b
    python -m benchmarks context --size 1000 --runs 50
    """
    measures = context.run(size, runs, progress=output.show_progress)
    if output.is_json():
        output.print_json(
            {"benchmark": "context", "size": size, "runs": runs, "measures": goals.as_json(measures)}
        )
        return
    rows = [(m.label, _format_figures(m.ours), str(m.goal or ""), m.verdict) for m in measures]
    output.print_table(("layout", "time", "goal", ""), rows)


@benchmarks_cli.command("graph")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--madge", metavar="PROGRAM", help="Where madge lies, when it is not on the path.")
@click.option("--history", type=_PATH, metavar="FILE", help="A log of commits, when PATH is no checkout.")
@json_option
def graph_(path: Path, madge: str | None, history: Path | None) -> None:
    """How fast the code graph of the folder PATH is built and kept, and whether grimp and madge see the same imports.

    With a history, also how many of the files that changed together an impact names. The folder is copied; nothing in
    it is changed.

    \b
    python -m benchmarks graph ~/src/django --json
    python -m benchmarks graph httpx-0.28.1 --history commits.jsonl
    """
    outcome = graph.run(path, madge=madge, history=history, progress=output.show_progress)
    if output.is_json():
        output.print_json({"benchmark": "graph", **asdict(outcome)})
        return
    output.print_table(("", *outcome.systems), graph.rows(outcome.systems))
    output.print_line()
    for peer, sides in outcome.disagreements.items():
        for side, edges in sides.items():
            output.print_lines(f"{peer}, {side}: {source} → {target}" for source, target in edges)
    if outcome.history:
        names = ("commits", "named", "r@10", "names")
        output.print_table(
            ("against history", *names),
            ((system, *(f"{one[name]:g}" for name in names)) for system, one in outcome.history.items()),
        )
        output.print_line()
    rows = [
        (
            goal["what"],
            f"{goal['outcome']:.4g}",
            f"{'≥' if goal['at_least'] else '≤'} {goal['bound']:g}",
            goal["verdict"],
        )
        for goal in outcome.goals
    ]
    output.print_table(("goal", "found", "wanted", ""), rows)


@benchmarks_cli.command("contradictions")
@click.argument("path", type=_PATH, required=False)
@common
def contradictions_(path: Path | None) -> None:
    """How well memory tells that two texts contradict each other; PATH has lines with a, b and label.

    \b
    python -m benchmarks contradictions pairs.jsonl
    """
    if path is None:
        raise BadInput('Name a file of pairs, one per line: {"a": "…", "b": "…", "label": "contradiction"}.')
    pairs = contradictions.load(path)
    model = open_chosen_embedder(read_settings())
    if model is None:
        raise BadInput(
            reason="memories that contradict each other are looked for by likeness; choose a model"
        )
    systems = contradictions.run(pairs, model)
    if output.is_json():
        scores = {name: {part: asdict(one) for part, one in parts.items()} for name, parts in systems.items()}
        output.print_json({"systems": scores, "pairs": len(pairs)})
        return
    rows = [
        (f"{name}, {part}", str(one.pairs), f"{one.precision:.1f}", f"{one.recall:.1f}")
        for name, parts in systems.items()
        for part, one in parts.items()
    ]
    output.print_table(("", "pairs", "precision", "recall"), rows)


def _run_answers(
    dataset: Dataset, profile: str, limit: int | None, store: str, *, unnamed_in: str | None = None
) -> None:
    outcome = run(
        dataset.first(limit),
        profile=profile,
        settings=read_settings(),
        unnamed_in=unnamed_in,
        store=store,
        progress=output.show_progress,
    )
    if output.is_json():
        output.print_json({"benchmark": dataset.name, "profile": profile, **asdict(outcome)})
    else:
        _print_outcome(dataset.name, outcome)


def _print_outcome(name: str, outcome: Outcome) -> None:
    output.print_line(
        f"{name}: {outcome.counts['questions']} questions, {outcome.counts['memories']} memories"
    )
    output.print_line()
    _print_metrics("all", outcome.systems)
    for category, systems in outcome.categories.items():
        output.print_line()
        _print_metrics(f"{category} ({outcome.counts[f'questions {category}']})", systems)
    output.print_line()
    counts = {what: count for what, count in outcome.counts.items() if not what.startswith("questions ")}
    counts_text = ", ".join(f"{count} {what}" for what, count in counts.items())
    output.print_line(f"{counts_text}; model {outcome.model}; {outcome.seconds} s")


def _print_metrics(title: str, systems: Mapping[str, Mapping[str, float]]) -> None:
    rows = [(name, *(f"{scores[metric]:.1f}" for metric in METRICS)) for name, scores in systems.items()]
    output.print_table((title.ljust(30), *METRICS), rows)


def _print_predictions(title: str, systems: Mapping[str, Mapping[str, float]]) -> None:
    headings = [name.replace("_", " ") for name in next(iter(systems.values()))]
    rows = [(name, *(f"{value:.1f}" for value in scores.values())) for name, scores in systems.items()]
    output.print_table((title, *headings), rows)


def _print_measure(measure: Measure) -> None:
    """One figure as soon as it is known; a whole run takes minutes."""
    size = f" at {measure.size:,}" if measure.size else ""
    floor = f"; floor {_format_figures(measure.floor)}" if measure.floor else ""
    output.print_note(
        f"{measure.label}{size}: {_format_figures(measure.ours)}{floor} {measure.verdict}".rstrip()
    )


def _print_speeds(measures: Sequence[Measure]) -> None:
    rows = [
        (
            measure.label,
            f"{measure.size:,}" if measure.size else "",
            _format_figures(measure.ours),
            _format_figures(measure.floor or {}),
            " / ".join(f"{ratio:.2f}" for ratio in (measure.ratio, measure.cpu_ratio) if ratio is not None),
            str(measure.goal or ""),
            measure.verdict,
        )
        for measure in measures
    ]
    output.print_table(("", "memories", "recollect", "floor", "ratio / CPU", "goal", ""), rows)


def _format_figures(figures: Mapping[str, float]) -> str:
    return ", ".join(
        f"{goals.round_figure(value):g} {goals.describe_figure(name)}" for name, value in figures.items()
    )


def _separation_row(name: str, separation: paraphrases.Separation, labels: Sequence[str]) -> tuple[str, ...]:
    shares = (separation.average_precision, separation.accuracy, separation.best_accuracy)
    return (
        name,
        *(f"{share:.1f}" for share in shares),
        *(f"{separation.likeness[label]:.2f}" for label in labels),
    )


def _parse_sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(reason=f"sizes are whole numbers with commas between them, not {text!r}") from None
