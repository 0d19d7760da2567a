"""The map of modules: how they lean on each other, how much is known about each, and what a change touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.api import Recollect
from recollect.errors import NotFound
from recollect.model.code import Module, ModuleMap
from recollect.model.impact import Impact
from recollect.model.value import asdict
from recollect.surfaces.json_answers import impact_to_json, modules_to_json
from recollect.surfaces.ui.background import BackgroundJobs, Progress
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.open_memories import OpenMemories
from recollect.surfaces.ui.screen import Action, Outcome, Page, Screen

# More at once is a hairball, and slow to draw.
MAX_NODES = 150
GRAPH_JOB = "graph"


class ModulesScreen:
    """The map, and the impact of a change."""

    def __init__(self, memories: OpenMemories, jobs: BackgroundJobs) -> None:
        self._memories = memories
        self._jobs = jobs

    def pages(self) -> Sequence[Page]:
        """The map and the impact."""
        return (
            Page(
                path="/modules",
                name="modules",
                template="modules.html",
                part="modules_part.html",
                show=self.show,
                summary="The parts of the project: size, coupling, and how much is remembered about each",
            ),
            Page(
                path="/impact",
                name="modules",
                template="impact.html",
                part="impact_part.html",
                show=self.show_impact,
                summary="What a change of a file, folder or module touches",
                parameters=("path", "depth"),
            ),
        )

    def actions(self) -> Sequence[Action]:
        """Reading the code."""
        return (
            Action(
                method="POST", path="/modules/build", act=self.build, summary="Read the code into the graph"
            ),
        )

    def show(self, memory: Recollect, call: WebCall) -> Screen:
        """The map."""
        try:
            module_map = self._memories.remember_answer(memory, ("modules",), memory.code.modules)
        except NotFound:
            module_map = None
        values = {
            "modules": module_map.modules if module_map else (),
            "is_built": module_map is not None,
            "graph": _draw_map(module_map) if module_map else None,
            "hidden_modules": max(0, len(module_map.modules) - MAX_NODES) if module_map else 0,
            "job": self._jobs.look(GRAPH_JOB),
            "part_address": "/modules",
        }
        return Screen(values=values, answer=lambda: modules_to_json(module_map or ModuleMap()))

    def show_impact(self, memory: Recollect, call: WebCall) -> Screen:
        """What a change touches."""
        path = call.text("path").strip()
        depth = call.number("depth", 3, low=1, high=6)
        impact = memory.code.impact(path, depth=depth) if path else None
        values = {
            "path": path,
            "depth": depth,
            "impact": impact,
            "graph": _draw_impact(impact) if impact else None,
        }
        return Screen(values=values, answer=lambda: impact_to_json(impact) if impact else {"target": None})

    def build(self, memory: Recollect, call: WebCall) -> Outcome:
        """Read the code, as `recollect graph build` does."""
        job = self._jobs.start(GRAPH_JOB, _build_graph, for_agent=True)
        return Outcome(answer=job.to_json(), sentence=call.gettext("Reading the code …"))


def _build_graph(memory: Recollect, step: Progress) -> dict[str, Any]:
    return asdict(memory.code.build(step))


def _draw_map(module_map: ModuleMap) -> Mapping[str, list[dict[str, Any]]]:
    largest = sorted(module_map.modules, key=lambda module: -len(module.files))[:MAX_NODES]
    names = {module.name for module in largest}
    links = [
        {"source": module.name, "target": other, "weight": edges}
        for module in largest
        for other, edges in module.leans_on.items()
        if other in names
    ]
    return {"nodes": [_module_node(module) for module in largest], "links": links}


def _module_node(module: Module) -> dict[str, Any]:
    e2e = f" · {module.e2e} E2E" if module.e2e else ""
    return {
        "id": module.name,
        "label": f"{module.name} {round(100 * module.coverage)}%{e2e}",
        "kind": "file" if module.is_test else "module",
        "size": round(5 + 2.2 * len(module.files) ** 0.5, 1),
        "share": round(module.coverage, 3),
        "ring": bool(module.e2e),
        "important": True,
        "href": f"/memories?module={module.name}",
    }


def _draw_impact(impact: Impact) -> Mapping[str, list[dict[str, Any]]]:
    target = impact.target.key
    nodes: dict[str, dict[str, Any]] = {
        target: {
            "id": target,
            "label": target.rpartition("/")[2] or target,
            "kind": "self",
            "important": True,
        }
    }
    links = []
    for one in (*impact.dependents, *impact.tests)[: MAX_NODES - 1]:
        nodes[one.path] = {
            "id": one.path,
            "label": one.path.rpartition("/")[2],
            "kind": "file" if one.is_test else "memory",
            "share": round(one.weight, 3),
            "important": one.depth == 1,
            "href": f"/impact?path={one.path}",
        }
    for one in (*impact.dependents, *impact.tests)[: MAX_NODES - 1]:
        steps = [step.partition("::")[0] for step in one.way[::-1]]
        before = next((step for step in steps if step != one.path and step in nodes), target)
        links.append({"source": one.path, "target": before, "weight": 1})
    return {"nodes": list(nodes.values()), "links": links}
