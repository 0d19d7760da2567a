"""
Two families of made sessions with planted recipes: an application in layers, and a handful of services.

The first is the one that mining was developed on. The second has other files, requests in several phrasings, recipes
that make nothing new, commands with arguments, and sessions that leave out a step or do two in the other order.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from recollect.model.value import dataclass

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
NAMES = (
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
    # The same request in other words.
    phrasings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeFamily:
    """How recipes, what lies around them, and sessions that are none are made."""

    plant: Callable[[int, random.Random], list[PlantedRecipe]]
    add_noise: Callable[[Sequence[str], random.Random], list[str]]
    distract: Callable[[int, str, random.Random], tuple[str, list[str]]]


def fill_name(place: str, name: str) -> str:
    """A place with the name of what is new: of a file for `*`, of an argument for `…`."""
    return place.replace("*", name).replace("…", name)


def plant_in_layers(count: int, chance: random.Random) -> list[PlantedRecipe]:
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


def add_noise(acts: Sequence[str], chance: random.Random) -> list[str]:
    """The acts in their order, with others in between."""
    return _mix_in(acts, _make_random_act, chance)


def _mix_in(
    acts: Sequence[str], make_act: Callable[[random.Random], str], chance: random.Random
) -> list[str]:
    noisy: list[str] = []
    for act in acts:
        noisy += [make_act(chance) for _ in range(chance.randint(0, 2))]
        noisy.append(act)
    return noisy


def _make_random_act(chance: random.Random) -> str:
    area, name = chance.choice(_AREAS), f"{chance.choice(NAMES)}{chance.randint(1, 400)}"
    return chance.choice((f"read src/{area}/{name}.py", f"edit src/{area}/{name}.py", f"run ./tool-{name}"))


def distract_in_layers(number: int, name: str, chance: random.Random) -> tuple[str, list[str]]:
    """A session that no recipe is in: its request and its acts."""
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


_SERVICES = (
    "payments",
    "shipping",
    "catalog",
    "identity",
    "ledger",
    "notify",
    "pricing",
    "returns",
    "fraud",
    "tax",
)
_CHANGES = (
    ("rotate", "credential", ("Rotate the {{}} credential of {s}", "{s}: rotate credential {{}}")),
    ("throttle", "limit", ("Throttle clients of {s} with a {{}} limit", "Add a throttle limit {{}} to {s}")),
    ("expose", "metric", ("Expose a {{}} metric in {s}", "{s} should expose the metric {{}}")),
    (
        "schedule",
        "job",
        ("Schedule a nightly {{}} job in {s}", "We need a nightly job {{}}, schedule it in {s}"),
    ),
    ("toggle", "flag", ("Toggle {{}} by a flag in {s}", "Put {{}} of {s} behind a toggle flag")),
    ("alert", "rule", ("Alert on {{}} with a rule for {s}", "A rule that raises an alert on {{}} in {s}")),
    ("backfill", "column", ("Backfill the {{}} column in {s}", "{s}: backfill column {{}}")),
    ("localise", "email", ("Localise the {{}} email of {s}", "Please localise email {{}} sent by {s}")),
    ("paginate", "listing", ("Paginate the {{}} listing of {s}", "Make {s} paginate its listing {{}}")),
    ("sign", "payload", ("Sign the {{}} payload in {s}", "{s} must sign its payload {{}}")),
)


def plant_in_services(count: int, chance: random.Random) -> list[PlantedRecipe]:
    """Recipes of five or six acts; half of them make no new file, and one command has an argument."""
    chosen: list[PlantedRecipe] = []
    for (verb, noun, phrasings), service in chance.sample(
        [(c, s) for c in _CHANGES for s in _SERVICES], count
    ):
        acts = [
            f"edit services/{service}/internal/{verb}.go",
            f"edit deploy/{service}/values.yaml",
            f"run ./hack/{service}-gen {noun} …",
            f"edit proto/{service}/{noun}.proto",
            f"edit runbooks/{service}.md",
            "test",
        ]
        if chance.random() < 0.5:
            acts[0] = f"create services/{service}/{noun}s/*.go"
        if chance.random() < 0.5:
            del acts[4]
        texts = tuple(text.format(s=service) for text in phrasings)
        chosen.append(PlantedRecipe(request=texts[0], acts=tuple(acts), phrasings=texts[1:]))
    return chosen


def add_slips(acts: Sequence[str], chance: random.Random) -> list[str]:
    """The acts with others in between; one session in five leaves one out, one in five does two in the other order."""
    slipped = list(acts)
    luck = chance.random()
    if luck < 0.2:
        del slipped[chance.randrange(len(slipped))]
    elif luck < 0.4:
        at = chance.randrange(len(slipped) - 1)
        slipped[at], slipped[at + 1] = slipped[at + 1], slipped[at]
    return _mix_in(slipped, _make_service_act, chance)


def _make_service_act(chance: random.Random) -> str:
    service, name = chance.choice(_SERVICES), f"{chance.choice(NAMES)}{chance.randint(1, 400)}"
    return chance.choice(
        (
            f"read services/{service}/internal/{name}.go",
            f"edit services/{service}/internal/{name}.go",
            f"edit web/{service}/{name}.tsx",
            f"run kubectl-{name} logs",
        )
    )


def distract_in_services(number: int, name: str, chance: random.Random) -> tuple[str, list[str]]:
    """A session that no recipe is in."""
    service = chance.choice(_SERVICES)
    _, _, phrasings = chance.choice(_CHANGES)
    sort = chance.randrange(4)
    some = [_make_service_act(chance) for _ in range(chance.randint(3, 10))]
    if sort == 0:
        # Asked for in the words of a recipe, and done in another way.
        return chance.choice(phrasings).format(s=service).format(name), some
    if sort == 1:
        # What every change of a service goes through, under requests of their own.
        way = [f"edit services/{service}/main.go", f"edit deploy/{service}/values.yaml", "lint", "test"]
        return f"{name} {service} question {number}", _mix_in(way, _make_service_act, chance)
    if sort == 2:
        return "Please review the open comments and fix what is left", [*some, "lint", "test"]
    return f"What does {name} in {service} do?", [f"read services/{service}/main.go"]


FAMILIES = {
    "layers": RecipeFamily(plant=plant_in_layers, add_noise=add_noise, distract=distract_in_layers),
    "services": RecipeFamily(plant=plant_in_services, add_noise=add_slips, distract=distract_in_services),
}
