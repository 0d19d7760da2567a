"""
Whether a loop with a memory gets better: 30 tasks in 5 families over 5 rounds, with memory and without.

Three times: with all that memory does, with a memory that learns nothing from runs (what the person said is there, what
runs taught is not), and without any.

The agent is scripted: it errs in the way of its family unless what memory put before it says better, explores unless
the task is known, and uses its own favourite tool unless a preference says otherwise. All else is real: the loop, its
journal, verification, the observer, what is learned and what is injected.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from benchmarks.loop_picture import ARMS, Arm, RoundFigures, draw_rounds
from recollect.agent.file_tools import file_tools
from recollect.agent.loop import Loop, RunResult
from recollect.agent.loop_parts import LoopSettings
from recollect.agent.model_client import ModelReply, ModelRequest, ModelUsage
from recollect.agent.run_state import RunStore
from recollect.agent.verify import RunClaim, RunVerdict
from recollect.api import Recollect
from recollect.conversation.shapes import SHAPES
from recollect.model.value import asdict, dataclass
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common

ROUNDS = 5
_SHAPE = SHAPES["anthropic"]
_SHOWN = re.compile(r"^- \[↗ (?P<kind>\w+) (?P<id>\w+)[^\]]*\] (?P<text>.*)$", re.MULTILINE)
# Headings of what is told whatever the task.
_STANDING = (": the person and open work]", ": how the last runs went]")
_NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFamily:
    """Tasks of one sort: what is forgotten in all of them, and what tells that it is known."""

    name: str
    command: str
    things: tuple[str, ...]
    # The file that verification misses, and how it says so.
    artifact: str
    reason: str
    # What a person prefers here, the word that shows it, and what the agent does by itself.
    preference: str
    preferred: str
    habit: str


FAMILIES = (
    TaskFamily(
        name="release",
        command="Release the {} package",
        things=("billing", "search", "login", "export", "mailer", "invoice"),
        artifact="CHANGELOG.md",
        reason="the changelog has no entry for this release",
        preference="Releases of packages are built with pnpm, never with npm",
        preferred="pnpm",
        habit="npm",
    ),
    TaskFamily(
        name="migration",
        command="Add a column for {} to the customers table",
        things=("birthdays", "nicknames", "languages", "time zones", "referrals", "discounts"),
        artifact="down.sql",
        reason="the migration cannot be undone: its down script is missing",
        preference="Migrations of the customers table are written in plain SQL, not with the ORM",
        preferred="sql",
        habit="orm",
    ),
    TaskFamily(
        name="endpoint",
        command="Add an endpoint to the web API that returns {}",
        things=("orders", "parcels", "refunds", "coupons", "reviews", "wishlists"),
        artifact="openapi.yaml",
        reason="the endpoint is not described in the OpenAPI file",
        preference="Endpoints of the web API answer with JSON in camelCase",
        preferred="camelCase",
        habit="snake_case",
    ),
    TaskFamily(
        name="dashboard",
        command="Draw a dashboard panel of {} per day",
        things=("signups", "logins", "payments", "crashes", "searches", "downloads"),
        artifact="alert.yaml",
        reason="the dashboard panel has no alert rule",
        preference="Dashboard panels show times in UTC",
        preferred="UTC",
        habit="local",
    ),
    TaskFamily(
        name="translation",
        command="Translate the {} page into French",
        things=("pricing", "contact", "careers", "privacy", "imprint", "support"),
        artifact="glossary.txt",
        reason="the translation was not checked against the glossary",
        preference="French translations of pages use the formal vous",
        preferred="vous",
        habit="tu",
    ),
)
_NOISE = (
    "The printer on the second floor needs A4 paper",
    "Kernel updates of the build machine happen on the first Monday",
    "The office plant is watered by Kim",
    "Backups of the wiki are kept for ninety days",
    "The coffee machine is descaled every month",
    "Meeting rooms are booked through the calendar",
)


class HintedClient:
    """A model that follows what its system prompt tells it of the task, and else does as it always does."""

    shape = "anthropic"
    name = "hinted"

    def __init__(self, family: TaskFamily, thing: str) -> None:
        """The model for one task."""
        self._family = family
        self._thing = thing
        self.memory = ""

    def send(self, request: ModelRequest) -> ModelReply:
        """The next step of the plan; after a rejection, what was missing."""
        memory = request.system.partition("## Your memory")[2].partition("## Planning")[0]
        self.memory = memory
        rejected = "[VERIFICATION]" in json.dumps(list(request.messages))
        calls_made = sum(len(_SHAPE.parse(message).calls) for message in request.messages)
        plan = self._plan(memory, rejected)
        call = plan[calls_made] if calls_made < len(plan) else None
        block: dict[str, Any] = {"type": "text", "text": "It is done."}
        if call is not None:
            tool, given = call
            block = {"type": "tool_use", "id": f"t{calls_made}", "name": tool, "input": given}
        message = {"role": "assistant", "content": [block]}
        parsed = _SHAPE.parse(message)
        usage = ModelUsage(input_tokens=100, output_tokens=10)
        return ModelReply(message=message, text=parsed.text, calls=parsed.calls, usage=usage)

    def cost(self, usage: ModelUsage) -> float:
        """Nothing."""
        return 0.0

    def _plan(self, memory: str, rejected: bool) -> list[tuple[str, Mapping[str, Any]]]:
        family, folder = self._family, slug(self._thing)
        command = family.command.format(self._thing)
        way = family.preferred if family.preference in memory else family.habit
        is_known = command in memory or " workflow_recipe " in memory
        is_warned = family.reason in memory
        plan: list[tuple[str, Mapping[str, Any]]] = []
        if not is_known:
            plan += [
                ("list_directory", {"path": "."}),
                ("search_file_content", {"pattern": family.name}),
            ]
        plan.append(("write_file", {"path": f"{folder}/{family.name}.txt", "content": f"{command}\n{way}\n"}))
        artifact = ("write_file", {"path": f"{folder}/{family.artifact}", "content": f"{self._thing}\n"})
        if is_warned or rejected:
            plan.append(artifact)
        return plan


def run(
    rounds: int = ROUNDS, seed: int = 11, progress: Callable[[str], None] = lambda text: None
) -> list[RoundFigures]:
    """All rounds with memory, all with a memory that does not learn, then all without."""
    figures: list[RoundFigures] = []
    for arm in ARMS:
        with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
            figures += _run_rounds(Path(folder), rounds, seed, arm, progress)
    return figures


def slug(text: str) -> str:
    """A name for a folder."""
    return text.replace(" ", "-")


def _run_rounds(
    folder: Path, rounds: int, seed: int, arm: Arm, progress: Callable[[str], None]
) -> list[RoundFigures]:
    at = [_NOON]
    (folder / "project").mkdir()
    memory = (
        Recollect(folder / "memories.db", folder=folder / "project", clock=lambda: at[0])
        if arm is not Arm.NONE
        else None
    )
    if memory is not None:
        memory.remember_many([memory.draft(text) for text in _NOISE])
    figures: list[RoundFigures] = []
    failed: set[str] = set()
    try:
        for number in range(1, rounds + 1):
            figures.append(_run_round(folder, number, seed, memory, at, failed, arm))
            progress(f"round {number}, {arm}")
    finally:
        if memory is not None:
            memory.close()
    return figures


def _run_round(
    folder: Path,
    number: int,
    seed: int,
    memory: Recollect | None,
    at: list[datetime],
    failed: set[str],
    arm: Arm,
) -> RoundFigures:
    tasks = [(family, thing) for family in FAMILIES for thing in family.things]
    random.Random(seed + number).shuffle(tasks)
    failed_before = set(failed)
    names = "completed rejected repeated iterations adherent templates passed injected relevant"
    totals = dict.fromkeys((*names.split(), "on_task", "on_task_relevant"), 0)
    for family, thing in tasks:
        at[0] += timedelta(hours=2)
        root = folder / "project"
        for path in (root / slug(thing)).glob("*"):
            path.unlink()
        client = HintedClient(family, thing)
        result = _run_task(client, family, thing, root, folder, memory, at, learns=arm is Arm.LEARNING)
        _count(totals, result, client, family, root / slug(thing), failed_before)
        if result.rejections:
            failed.add(family.name)
        if memory is not None and number == 1 and thing == family.things[0]:
            # The person says it once, after having seen the first one.
            memory.remember(family.preference, kind="preference")
    return RoundFigures(
        round=number,
        arm=arm,
        runs=len(tasks),
        completed=totals["completed"],
        rejected=totals["rejected"],
        repeated_failures=totals["repeated"],
        iterations=round(totals["iterations"] / len(tasks), 2),
        adherence=round(totals["adherent"] / len(tasks), 3),
        templates=totals["templates"],
        templates_passed=totals["passed"],
        injected=totals["injected"],
        relevant=totals["relevant"],
        on_task=totals["on_task"],
        on_task_relevant=totals["on_task_relevant"],
    )


def _run_task(
    client: HintedClient,
    family: TaskFamily,
    thing: str,
    root: Path,
    folder: Path,
    memory: Recollect | None,
    at: list[datetime],
    *,
    learns: bool,
) -> RunResult:
    def verify(_: RunClaim) -> RunVerdict:
        passed = (root / slug(thing) / family.artifact).exists()
        return RunVerdict(passed=passed, score=95 if passed else 40, reason="" if passed else family.reason)

    run_store = RunStore(folder / "runs")
    loop = Loop(
        client,
        file_tools(root),
        memory,
        run_store=run_store,
        verify=verify,
        settings=LoopSettings(learns=learns),
        clock=lambda: at[0],
    )
    return loop.run(family.command.format(thing))


def _count(
    totals: dict[str, int],
    result: RunResult,
    client: HintedClient,
    family: TaskFamily,
    folder: Path,
    failed_before: set[str],
) -> None:
    totals["completed"] += result.status == "completed"
    totals["rejected"] += result.rejections > 0
    totals["repeated"] += result.rejections > 0 and family.name in failed_before
    totals["iterations"] += result.iterations
    totals["adherent"] += family.preferred in (folder / f"{family.name}.txt").read_text("utf-8").splitlines()
    shown = [match.groupdict() for match in _SHOWN.finditer(client.memory)]
    if any(one["kind"] == "workflow_recipe" for one in shown):
        totals["templates"] += 1
        totals["passed"] += result.rejections == 0
    totals["injected"] += len(shown)
    totals["relevant"] += sum(_is_about(one["text"], family) for one in shown)
    on_task = [match.groupdict() for match in _SHOWN.finditer(_about_task(client.memory))]
    totals["on_task"] += len(on_task)
    totals["on_task_relevant"] += sum(_is_about(one["text"], family) for one in on_task)


def _about_task(memory: str) -> str:
    """What was put there for this task; the person's profile and the last runs are told whatever the task."""
    blocks = memory.split("\n\n")
    return "\n\n".join(block for block in blocks if not any(head in block for head in _STANDING))


def _is_about(text: str, family: TaskFamily) -> bool:
    """Whether a memory bears on the tasks of a family: it names one, its pitfall or its preference."""
    stem = family.command.partition(" {}")[0]
    return stem in text or family.reason in text or family.preference in text or family.artifact in text


@click.command("loop")
@click.option("--rounds", type=click.IntRange(1), default=ROUNDS, show_default=True, help="How many rounds.")
@click.option("--seed", type=int, default=11, show_default=True, help="What chance begins with.")
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw the rounds into this SVG file too.",
)
@common
def loop_(rounds: int, seed: int, picture: Path | None) -> None:
    """Whether an agent with a memory gets better: 30 tasks over several rounds, with memory and without.

    \b
    python -m benchmarks loop
    python -m benchmarks loop --rounds 5 --picture loop.svg --json
    """
    figures = run(rounds, seed, output.print_note)
    if picture is not None:
        picture.write_text(draw_rounds(figures), "utf-8")
    rows = [asdict(figure) for figure in figures]
    if output.is_json():
        output.print_json({"benchmark": "loop", "rounds": rows})
        return
    headings = [name.replace("_", " ") for name in rows[0]]
    output.print_table(headings, [[str(value) for value in row.values()] for row in rows])
