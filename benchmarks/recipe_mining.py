"""
Recipe mining: planted recipes among thousands of sessions that only look like work of a sort, found or not.

Every planted recipe is a way through a project that several requests of one sort share, each with steps of its own in
between. Around them stand sessions at random, requests of one sort that were each done differently, one way of working
under requests that have nothing in common, and what everybody does everywhere. Sessions come in their order and are
mined one by one, as after a session; given a folder of transcripts, the recipes are planted among real ones.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from recollect.api import Recollect
from recollect.learn.recipes import MAX_TRAILS, TRAIL_WINDOW, list_recipe_acts, mine_recipes
from recollect.learn.signals.sequence import file_scope
from recollect.model.ids import make_id
from recollect.model.memory import Memory, MemoryState, Trust
from recollect.model.provenance import Channel, Provenance
from recollect.model.scope import Scope
from recollect.model.signal import SequencePart, Trail
from recollect.model.value import asdict, dataclass
from recollect.store.tables import scratchpad, sessions
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common

FOUND_AT_LEAST, FALSE_AT_MOST, SECONDS_AT_MOST = 0.95, 0.05, 60.0
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_VERBS = (
    "Add",
    "Export",
    "Rename",
    "Document",
    "Deploy",
    "Translate",
    "Validate",
    "Cache",
    "Archive",
    "Encrypt",
)
_NOUNS = (
    "command",
    "endpoint",
    "migration",
    "report",
    "panel",
    "webhook",
    "template",
    "importer",
    "policy",
    "widget",
)
_AREAS = ("billing", "search", "login", "mail", "orders", "stock", "media", "audit", "geo", "quota")
_NAMES = (
    "alpha",
    "bravo",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "gamma",
    "hazel",
    "indigo",
    "juniper",
    "krypton",
    "lotus",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedRecipe:
    """A recipe that is there to be found: what is asked for, and the acts, a new file among them."""

    request: str
    acts: tuple[str, ...]


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


def plant_recipes(count: int, chance: random.Random) -> list[PlantedRecipe]:
    """Recipes of five to seven acts, each through files and commands of its own area."""
    chosen: list[PlantedRecipe] = []
    pairs = [(noun, area) for noun in _NOUNS for area in _AREAS]
    for noun, area in chance.sample(pairs, count):
        verb = chance.choice(_VERBS)
        folder = f"src/{area}/{noun}s"
        acts = [f"create {folder}/*.py", f"edit src/{area}/registry.py", f"run make {noun}-docs"]
        acts += [
            f"edit docs/{area}/{noun}.md",
            f"edit config/{area}.toml",
            f"run make {area}-fixtures",
            "test",
        ]
        length = chance.randint(5, 7)
        more = sorted(chance.sample(range(1, len(acts)), length - 1))
        request = f"{verb} the {{}} {noun} of the {area} part"
        chosen.append(PlantedRecipe(request=request, acts=(acts[0], *(acts[place] for place in more))))
    return chosen


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
        exact = place.replace("*", name)
        return SequencePart(action=action, where=file_scope(exact), exact=exact, event_id=event_id)
    return SequencePart(action=action, where=place, exact=place or action, event_id=event_id)


def add_noise(acts: Sequence[str], chance: random.Random) -> list[str]:
    """The acts in their order, with others in between."""
    noisy: list[str] = []
    for act in acts:
        noisy += [_make_random_act(chance) for _ in range(chance.randint(0, 2))]
        noisy.append(act)
    return noisy


def _make_random_act(chance: random.Random) -> str:
    area, name = chance.choice(_AREAS), f"{chance.choice(_NAMES)}{chance.randint(1, 400)}"
    return chance.choice((f"read src/{area}/{name}.py", f"edit src/{area}/{name}.py", f"run ./tool-{name}"))


def make_sessions(
    count: int, planted: Sequence[PlantedRecipe], chance: random.Random
) -> Iterator[tuple[int, str, list[str], str]]:
    """Sessions by their place in time: number, request, acts, and the name of what is new."""
    places: dict[int, PlantedRecipe] = {}
    for recipe in planted:
        start = chance.randrange(0, max(1, count - 400))
        for place in chance.sample(range(start, min(count, start + 400)), chance.randint(3, 6)):
            places.setdefault(place, recipe)
    for number in range(count):
        name = f"{chance.choice(_NAMES)}{number}"
        if (own := places.get(number)) is not None:
            yield number, own.request.format(name), add_noise(own.acts, chance), name
        else:
            yield number, *_make_distractor(number, name, chance), name


def _make_distractor(number: int, name: str, chance: random.Random) -> tuple[str, list[str]]:
    sort = chance.randrange(4)
    verb, noun, area = chance.choice(_VERBS), chance.choice(_NOUNS), chance.choice(_AREAS)
    if sort == 0:
        # Requests of one sort, each done in another way.
        request = f"{verb} the {name} {noun} of the {area} part"
        return request, [_make_random_act(chance) for _ in range(chance.randint(4, 10))]
    if sort == 1:
        # One way through the project, under requests that have nothing in common.
        way = [
            "edit src/core/settings.py",
            "edit docs/settings.md",
            "run make schema",
            "edit src/core/version.py",
            "test",
        ]
        return f"{name} {noun}{number} {area}{number} {chance.randint(1, 10**6)}", add_noise(way, chance)
    if sort == 2:
        # What is done anywhere.
        return "Fix the failing tests", [
            f"read src/{area}/x.py",
            f"edit src/{area}/x.py",
            "lint",
            "test",
            "commit",
        ]
    return f"Why is {name} slow in {area}?", [_make_random_act(chance) for _ in range(chance.randint(1, 8))]


def mine(trails: Sequence[Trail]) -> list[Memory]:
    """Mine session by session; what is known already is not made again."""
    recipes: dict[str, Memory] = {}
    first = 0
    for number, trail in enumerate(trails):
        while trail.at - trails[first].at > TRAIL_WINDOW:
            first += 1
        earlier = trails[max(first, number - MAX_TRAILS) : number]
        for finding in mine_recipes(trail, earlier, recipes.values()):
            recipes.setdefault(finding.keys[0], _to_memory(finding.facts, len(recipes), trail.at))
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
    """Whether a recipe is a planted one: four fifths of its acts, and it has hardly any other."""
    acts, wanted = set(list_recipe_acts(recipe)), set(planted.acts)
    return len(acts & wanted) >= 0.8 * len(wanted) and len(acts & wanted) >= 0.8 * len(acts)


def run_mining(count: int, recipes: int, seed: int, real: Sequence[Trail] = ()) -> MiningScore:
    """Plant, mine, and compare."""
    chance = random.Random(seed)
    planted = plant_recipes(recipes, chance)
    made = [
        make_trail(number, request, acts, _START + timedelta(minutes=20 * number), name)
        for number, request, acts, name in make_sessions(count, planted, chance)
    ]
    trails = _mix(made, real)
    started, started_cpu = time.perf_counter(), time.process_time()
    mined = mine(trails)
    seconds, cpu = time.perf_counter() - started, time.process_time() - started_cpu
    found_recipes = [one for one in planted if any(is_planted(recipe, one) for recipe in mined)]
    false = [recipe for recipe in mined if not any(is_planted(recipe, one) for one in planted)]
    for recipe in false[:20]:
        output.print_note(f"not planted: {recipe.text}" if not real else "a recipe of the real sessions")
    return MiningScore(
        sessions=len(trails),
        planted=len(planted),
        found=len(found_recipes),
        mined=len(mined),
        false=len(false),
        seconds=round(seconds, 2),
        cpu_seconds=round(cpu, 2),
    )


def _mix(made: Sequence[Trail], real: Sequence[Trail]) -> list[Trail]:
    """Real trails in the place of as many made ones that nothing was planted in would be luck; so beside them."""
    if not real:
        return list(made)
    chance = random.Random(1)
    moved = [
        Trail(
            session_id=trail.session_id,
            project_id="p",
            at=chance.choice(made).at,
            work=trail.work,
            task=trail.task,
            parts=trail.parts,
        )
        for trail in real
    ]
    return sorted([*made, *moved], key=lambda trail: (trail.at, trail.session_id))


def read_real_trails(folder: Path) -> list[Trail]:
    """What sessions of a folder of transcripts did, as far as their work passed."""
    since, until = datetime(2000, 1, 1, tzinfo=UTC), datetime.now(UTC) + timedelta(days=1)
    with (
        tempfile.TemporaryDirectory(prefix="recollect-bench-") as scratch,
        Recollect(Path(scratch) / "memories.db", folder=Path(scratch)) as memory,
    ):
        memory.observer.import_sessions(path=folder, every_project=True)
        while memory.observer.learn_due(limit=200):
            pass
        db = memory._wiring.db
        names = sessions.list_newest_sessions(db, None, every_project=True, limit=10_000)
        projects = {one.project_id for name in names if (one := sessions.find_session(db, name))}
        return [one for name in projects for one in scratchpad.list_trails(db, name, since, until, 10_000)]


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
    "--transcripts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Plant them among the real sessions of this folder too.",
)
@common
def recipes_(count: int, recipes: int, seed: int, transcripts: Path | None) -> None:
    """Find planted recipes among sessions that only look like work of a sort.

    \b
    python -m benchmarks recipes
    python -m benchmarks recipes --sessions 2000 --transcripts ~/.claude/projects/-home-kim-shop --json
    """
    real = read_real_trails(transcripts) if transcripts else []
    score = run_mining(count, recipes, seed, real)
    goal = {"found": FOUND_AT_LEAST, "false": FALSE_AT_MOST, "seconds": SECONDS_AT_MOST}
    if output.is_json():
        output.print_json({"benchmark": "recipes", **asdict(score), "real": len(real), "goal": goal})
        return
    output.print_line(
        f"{score.sessions} sessions ({len(real)} real): {score.found} of {score.planted} planted recipes found;"
        f" {score.mined} mined, {score.false} of them not planted; {score.seconds} s, {score.cpu_seconds} s of CPU"
    )
