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
from benchmarks.goals import Measure
from benchmarks.metrics import METRICS
from benchmarks.questions import Dataset
from benchmarks.relevance_commands import relevance_
from benchmarks.run import Outcome, opened_embedder, run
from recollect.errors import BadInput
from recollect.model.profile import PROFILES
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import CommandGroup
from recollect.surfaces.cli.options import F, common, json_option, settings

_PATH = click.Path(dir_okay=False, path_type=Path)


def _asking(command: F) -> F:
    for option in (
        click.option(
            "--profile",
            type=click.Choice(list(PROFILES)),
            default="default",
            show_default=True,
            help="How hits are ranked.",
        ),
        click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N questions."),
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
    python -m benchmarks graph ~/src/django
    python -m benchmarks contradictions pairs.jsonl
    python -m benchmarks observe
    python -m benchmarks hooks
    python -m benchmarks context
    """
    if ctx.invoked_subcommand is None:
        output.line(ctx.get_help())


benchmarks_cli.add_command(relevance_)


@benchmarks_cli.command("locomo")
@_asking
@common
def locomo_(path: Path, profile: str, limit: int | None) -> None:
    """How much of the evidence is found in the conversations of the LoCoMo file at PATH.

    Categories 1 to 4 make up the whole; category 5 stands apart, also without subject matching.

    \b
    python -m benchmarks locomo locomo10.json --limit 100
    """
    _answers(locomo.load(path), profile, limit, unnamed_in=locomo.ADVERSARIAL)


@benchmarks_cli.command("longmemeval")
@_asking
@common
def longmemeval_(path: Path, profile: str, limit: int | None) -> None:
    """How much of the evidence is found in all sessions of the LongMemEval file at PATH, pooled.

    \b
    python -m benchmarks longmemeval longmemeval_oracle.json --json
    """
    _answers(longmemeval.load(path), profile, limit)


@benchmarks_cli.command("speed")
@click.option(
    "--sizes",
    default=",".join(map(str, speed.SIZES)),
    show_default=True,
    metavar="N,N",
    help="How many memories to measure at, smallest first.",
)
@click.option(
    "--ops",
    type=click.IntRange(1),
    default=speed.OPERATIONS,
    show_default=True,
    help="How often each act is timed.",
)
@json_option
def speed_(sizes: str, ops: int) -> None:
    """How fast memory remembers and recalls, beside the least that could do it; embedding is not measured.

    \b
    python -m benchmarks speed --sizes 1000 --ops 50
    """
    measures = speed.run(
        _sizes(sizes),
        operations=ops,
        processes=min(ops, speed.PROCESSES),
        progress=output.progress,
        tell=_tell,
    )
    if output.is_json():
        output.data(
            {"systems": goals.systems(measures), "measures": goals.as_json(measures), "operations": ops}
        )
        return
    _speeds(measures)
    output.line()
    output.line(
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
    model = opened_embedder(settings())
    systems = {"words": paraphrases.by_words(pairs)}
    if model is not None:
        systems = {"recollect": paraphrases.by_model(pairs, model), **systems}
    if output.is_json():
        output.data(
            {"systems": {name: asdict(found) for name, found in systems.items()}, "pairs": len(pairs)}
        )
        return
    labels = list(dict.fromkeys(pair.label for pair in pairs))
    headings = ("", "average precision", "accuracy", "at best", *labels)
    output.table(headings, [_separation(name, found, labels) for name, found in systems.items()])


@benchmarks_cli.command("cochange")
@click.argument("path", metavar="LOG", type=_PATH)
@json_option
def cochange_(path: Path) -> None:
    """How well one file of a commit tells the others, over the history in LOG; each commit is learned after it.

    \b
    python -m benchmarks cochange commits.jsonl --json
    """
    with output.progress("Commits") as progress:
        found = cochange.run(path, progress)
    if output.is_json():
        output.data({"benchmark": "cochange", **found})
        return
    output.table(
        ("", *next(iter(found["systems"].values()))),
        [(name, *(f"{value:.1f}" for value in scores.values())) for name, scores in found["systems"].items()],
    )
    output.line(f"{found['counts']['scored']} of {found['counts']['commits']} commits scored")


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
    found = replay.run(path, warm_up=warm_up, progress=output.progress)
    if output.is_json():
        output.data({"benchmark": "replay", **found})
        return
    counts = found["counts"]
    _foreseen(f"first prompt ({counts['scored']})", found["from_prompt"])
    output.line()
    _foreseen(f"two files known ({counts['scored_from_files']})", found["from_files"])
    output.line()
    for name, errors in found["errors"].items():
        output.line(
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
    with output.progress("Sessions") as progress:
        found = observe.run(sessions, progress)
    if output.is_json():
        output.data({"benchmark": "observe", **found})
        return
    output.line(f"{found['events']:,} events of {sessions:,} sessions, {found['notes']:,} notes")
    output.table(
        ("", "events/s"),
        [(name, f"{found[name]:,.0f}") for name in ("observer", "json_loads")],
    )
    output.line(f"Memory at its highest grew by {found['grown_kb']:,} kB after the first tenth.")


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
    with output.progress("Hooks") as progress:
        measures = hooks.run(runs, progress)
    if output.is_json():
        output.data({"benchmark": "hooks", "runs": runs, "measures": goals.as_json(measures)})
        return
    rows = [(m.label, _figures(m.ours), str(m.goal or ""), m.verdict) for m in measures]
    output.table(("", "median", "goal", ""), rows)


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
    measures = context.run(size, runs, progress=output.progress)
    if output.is_json():
        output.data({"benchmark": "context", "size": size, "runs": runs, "measures": goals.as_json(measures)})
        return
    rows = [(m.label, _figures(m.ours), str(m.goal or ""), m.verdict) for m in measures]
    output.table(("layout", "time", "goal", ""), rows)


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
    found = graph.run(path, madge=madge, history=history, progress=output.progress)
    if output.is_json():
        output.data({"benchmark": "graph", **asdict(found)})
        return
    output.table(("", *found.systems), graph.rows(found.systems))
    output.line()
    for peer, sides in found.disagreements.items():
        for side, edges in sides.items():
            output.lines(f"{peer}, {side}: {source} → {target}" for source, target in edges)
    if found.history:
        names = ("commits", "named", "r@10", "names")
        output.table(
            ("against history", *names),
            ((system, *(f"{one[name]:g}" for name in names)) for system, one in found.history.items()),
        )
        output.line()
    rows = [
        (
            goal["what"],
            f"{goal['found']:.4g}",
            f"{'≥' if goal['at_least'] else '≤'} {goal['bound']:g}",
            goal["verdict"],
        )
        for goal in found.goals
    ]
    output.table(("goal", "found", "wanted", ""), rows)


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
    model = opened_embedder(settings())
    if model is None:
        raise BadInput(
            reason="memories that contradict each other are looked for by likeness; choose a model"
        )
    systems = contradictions.run(pairs, model)
    if output.is_json():
        said = {name: {part: asdict(one) for part, one in parts.items()} for name, parts in systems.items()}
        output.data({"systems": said, "pairs": len(pairs)})
        return
    rows = [
        (f"{name}, {part}", str(one.pairs), f"{one.precision:.1f}", f"{one.recall:.1f}")
        for name, parts in systems.items()
        for part, one in parts.items()
    ]
    output.table(("", "pairs", "precision", "recall"), rows)


def _answers(dataset: Dataset, profile: str, limit: int | None, *, unnamed_in: str | None = None) -> None:
    found = run(
        dataset.first(limit),
        profile=profile,
        settings=settings(),
        unnamed_in=unnamed_in,
        progress=output.progress,
    )
    if output.is_json():
        output.data({"benchmark": dataset.name, "profile": profile, **asdict(found)})
    else:
        _outcome(dataset.name, found)


def _outcome(name: str, found: Outcome) -> None:
    output.line(f"{name}: {found.counts['questions']} questions, {found.counts['memories']} memories")
    output.line()
    _metrics("all", found.systems)
    for category, systems in found.categories.items():
        output.line()
        _metrics(f"{category} ({found.counts[f'questions {category}']})", systems)
    output.line()
    counts = {what: count for what, count in found.counts.items() if not what.startswith("questions ")}
    said = ", ".join(f"{count} {what}" for what, count in counts.items())
    output.line(f"{said}; model {found.model}; {found.seconds} s")


def _metrics(title: str, systems: Mapping[str, Mapping[str, float]]) -> None:
    rows = [(name, *(f"{scores[metric]:.1f}" for metric in METRICS)) for name, scores in systems.items()]
    output.table((title.ljust(30), *METRICS), rows)


def _foreseen(title: str, systems: Mapping[str, Mapping[str, float]]) -> None:
    headings = [name.replace("_", " ") for name in next(iter(systems.values()))]
    rows = [(name, *(f"{value:.1f}" for value in scores.values())) for name, scores in systems.items()]
    output.table((title, *headings), rows)


def _tell(measure: Measure) -> None:
    """One figure as soon as it is known; a whole run takes minutes."""
    size = f" at {measure.size:,}" if measure.size else ""
    floor = f"; floor {_figures(measure.floor)}" if measure.floor else ""
    output.note(f"{measure.label}{size}: {_figures(measure.ours)}{floor} {measure.verdict}".rstrip())


def _speeds(measures: Sequence[Measure]) -> None:
    rows = [
        (
            measure.label,
            f"{measure.size:,}" if measure.size else "",
            _figures(measure.ours),
            _figures(measure.floor or {}),
            " / ".join(f"{ratio:.2f}" for ratio in (measure.ratio, measure.cpu_ratio) if ratio is not None),
            str(measure.goal or ""),
            measure.verdict,
        )
        for measure in measures
    ]
    output.table(("", "memories", "recollect", "floor", "ratio / CPU", "goal", ""), rows)


def _figures(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{goals.rounded(value):g} {goals.spoken(name)}" for name, value in figures.items())


def _separation(name: str, found: paraphrases.Separation, labels: Sequence[str]) -> tuple[str, ...]:
    shares = (found.average_precision, found.accuracy, found.best_accuracy)
    return (
        name,
        *(f"{share:.1f}" for share in shares),
        *(f"{found.likeness[label]:.2f}" for label in labels),
    )


def _sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(reason=f"sizes are whole numbers with commas between them, not {text!r}") from None
