"""
Recipe mining: planted recipes among thousands of sessions that only look like work of a sort, found or not.

Every planted recipe is a way through a project that several requests of one sort share, each with steps of its own in
between. Around them stand sessions at random, requests of one sort that were each done differently, one way of working
under requests that have nothing in common, and what everybody does everywhere. Sessions come in their order and are
mined one by one, as after a session; given a folder of transcripts, the recipes are planted in copies of real sessions.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from benchmarks.recipe_families import FAMILIES, NAMES, PlantedRecipe, RecipeFamily, fill_name
from benchmarks.recipe_planting import plant_in_copies, read_sessions, to_trail
from recollect.learn.recipes import MAX_TRAILS, TRAIL_WINDOW, list_recipe_acts, mine_recipes
from recollect.learn.signals.sequence import file_scope
from recollect.model.ids import make_id
from recollect.model.memory import Memory, MemoryState, Trust
from recollect.model.provenance import Channel, Provenance
from recollect.model.scope import Scope
from recollect.model.signal import SequencePart, Trail
from recollect.model.value import asdict, dataclass
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common

FOUND_AT_LEAST, FALSE_AT_MOST, SECONDS_AT_MOST = 0.95, 0.05, 60.0
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningScore:
    """What came of mining."""

    sessions: int
    planted: int
    found: int
    mined: int
    false: int
    seconds: float
    cpu_seconds: float


def make_trail(number: int, request: str, acts: Sequence[str], at: datetime, name: str) -> Trail:
    """A session that passed and did these acts."""
    return Trail(
        session_id=f"s{number:05}",
        project_id="p",
        at=at,
        work="",
        task=request,
        parts=tuple(_make_part(act, name, f"e{number}-{place}") for place, act in enumerate(acts)),
    )


def _make_part(act: str, name: str, event_id: str) -> SequencePart:
    action, _, place = act.partition(" ")
    if action in ("create", "edit", "read"):
        exact = fill_name(place, name)
        return SequencePart(action=action, where=file_scope(exact), exact=exact, event_id=event_id)
    where = " ".join(place.split()[:2])
    return SequencePart(action=action, where=where, exact=fill_name(place, name) or action, event_id=event_id)


def make_sessions(
    count: int, planted: Sequence[PlantedRecipe], family: RecipeFamily, chance: random.Random
) -> Iterator[tuple[int, str, list[str], str]]:
    """Sessions by their place in time: number, request, acts, and the name of what is new."""
    places: dict[int, PlantedRecipe] = {}
    for recipe in planted:
        start = chance.randrange(0, max(1, count - 400))
        for place in chance.sample(range(start, min(count, start + 400)), chance.randint(3, 6)):
            places.setdefault(place, recipe)
    for number in range(count):
        name = f"{chance.choice(NAMES)}{number}"
        if (own := places.get(number)) is not None:
            request = chance.choice((own.request, *own.phrasings))
            yield number, request.format(name), family.add_noise(own.acts, chance), name
        else:
            yield number, *family.distract(number, name, chance), name


def mine(trails: Sequence[Trail]) -> list[Memory]:
    """Mine session by session; what is known already is not made again."""
    recipes: dict[str, Memory] = {}
    first = 0
    for number, trail in enumerate(trails):
        while trail.at - trails[first].at > TRAIL_WINDOW:
            first += 1
        earlier = trails[max(first, number - MAX_TRAILS) : number]
        for finding in mine_recipes(trail, earlier, recipes.values()):
            if len(finding.keys) > 1:
                # Refined: other steps take the place of the old.
                recipes.pop(finding.keys[0], None)
            recipes.setdefault(finding.keys[-1], _to_memory(finding.facts, len(recipes), trail.at))
    return list(recipes.values())


def _to_memory(facts: Any, number: int, at: datetime) -> Memory:
    return Memory(
        id=make_id(at, number),
        text=f"{facts['task']}: {'; '.join(step['description'] for step in facts['steps'])}",
        kind="workflow_recipe",
        state=MemoryState.ACTIVE,
        confidence=0.7,
        scope=Scope.GLOBAL,
        project_id="p",
        subjects=(),
        tags=(),
        work=None,
        provenance=Provenance(channel=Channel.OBSERVED),
        trust=Trust(),
        pinned=False,
        citation="",
        half_life_days=None,
        relations=(),
        last_accessed_at=None,
        access_count=0,
        stale_at=None,
        created_at=at,
        updated_at=at,
        happened_at=at,
        fields={"steps": facts["steps"], "task_pattern": facts["task"]},
    )


def is_planted(recipe: Memory, planted: PlantedRecipe) -> bool:
    """
    Whether a recipe is a planted one: four fifths of its acts, and it has hardly any other.

    Checks beside it are no fault: sessions run them, and real ones share them.
    """
    # A command is known by its first two words.
    wanted = {" ".join(act.split()[:3]) if act.startswith("run ") else act for act in planted.acts}
    acts = {act for act in list_recipe_acts(recipe) if " " in act or act in wanted}
    return len(acts & wanted) >= 0.8 * len(wanted) and len(acts & wanted) >= 0.8 * len(acts)


def run_mining(count: int, recipes: int, seed: int, family: str = "layers") -> MiningScore:
    """Plant in made sessions, mine, and compare."""
    chance = random.Random(seed)
    planted = FAMILIES[family].plant(recipes, chance)
    trails = [
        make_trail(number, request, acts, _START + timedelta(minutes=20 * number), name)
        for number, request, acts, name in make_sessions(count, planted, FAMILIES[family], chance)
    ]
    return _score(trails, planted, known_before=())


def run_planting(folder: Path, recipes: int, seed: int) -> tuple[MiningScore, list[Memory]]:
    """Plant in copies of the real sessions of a folder, mine all together; and what these teach as they are."""
    chance = random.Random(seed)
    sessions = read_sessions(folder)
    window = TRAIL_WINDOW.total_seconds() * 0.9
    originals = [
        to_trail(one.id, one.events, _START + timedelta(seconds=window * place / len(sessions)))
        for place, one in enumerate(sessions)
    ]
    planted = [
        recipe
        for number, family in enumerate(FAMILIES.values())
        for recipe in family.plant(recipes // 2 + number * (recipes % 2), chance)
    ]
    copies = plant_in_copies(planted, sessions, _START, chance)
    real = mine(originals)
    trails = sorted([*originals, *copies], key=lambda trail: (trail.at, trail.session_id))
    return _score(trails, planted, known_before=[recipe.text for recipe in real]), real


def _score(
    trails: Sequence[Trail], planted: Sequence[PlantedRecipe], known_before: Sequence[str]
) -> MiningScore:
    started, started_cpu = time.perf_counter(), time.process_time()
    mined = mine(trails)
    seconds, cpu = time.perf_counter() - started, time.process_time() - started_cpu
    hits = [one for one in planted if any(is_planted(recipe, one) for recipe in mined)]
    false = [
        recipe
        for recipe in mined
        if recipe.text not in known_before and not any(is_planted(recipe, one) for one in planted)
    ]
    for recipe in false[:20]:
        output.print_note(f"not planted: {recipe.text}")
    for one in [one for one in planted if one not in hits][:20]:
        output.print_note(f"missed: {one.request}")
    return MiningScore(
        sessions=len(trails),
        planted=len(planted),
        found=len(hits),
        mined=len(mined),
        false=len(false),
        seconds=round(seconds, 2),
        cpu_seconds=round(cpu, 2),
    )


@click.command("recipes")
@click.option(
    "--sessions",
    "count",
    type=click.IntRange(100),
    default=10_000,
    show_default=True,
    help="How many sessions.",
)
@click.option(
    "--recipes", type=click.IntRange(1, 100), default=100, show_default=True, help="How many are planted."
)
@click.option("--seed", type=int, default=5, show_default=True, help="What chance begins with.")
@click.option(
    "--family",
    type=click.Choice(list(FAMILIES)),
    default="layers",
    show_default=True,
    help="How sessions and recipes are made up.",
)
@click.option(
    "--transcripts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Plant in copies of the real sessions of this folder instead.",
)
@common
def recipes_(count: int, recipes: int, seed: int, family: str, transcripts: Path | None) -> None:
    """Find planted recipes among sessions that only look like work of a sort.

    \b
    python -m benchmarks recipes
    python -m benchmarks recipes --family services --seed 7
    python -m benchmarks recipes --recipes 60 --transcripts ~/.claude/projects/-home-kim-shop --json
    """
    real: list[Memory] = []
    if transcripts:
        score, real = run_planting(transcripts, recipes, seed)
    else:
        score = run_mining(count, recipes, seed, family)
    goal = {"found": FOUND_AT_LEAST, "false": FALSE_AT_MOST, "seconds": SECONDS_AT_MOST}
    if output.is_json():
        output.print_json({"benchmark": "recipes", **asdict(score), "of_real": len(real), "goal": goal})
        return
    output.print_line(
        f"{score.sessions} sessions: {score.found} of {score.planted} planted recipes found;"
        f" {score.mined} mined, {score.false} of them not planted; {score.seconds} s, {score.cpu_seconds} s of CPU"
    )
    if transcripts:
        output.print_line(f"Without planting, the sessions as they are teach {len(real)} recipes.")
        output.print_lines(f"  {recipe.text}" for recipe in real)
