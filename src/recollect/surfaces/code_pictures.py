"""What is drawn of the code graph: an impact, who depends on whom, and the parts of a project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.model.code import Reached
from recollect.model.impact import Dependent, Impact
from recollect.model.modules import Module, ModuleMap
from recollect.surfaces.picture import Box, Line, Picture, drawn

# More boxes in one column are not looked at one by one.
MOST_IN_COLUMN = 24
_MOST_LINES = 120


def impact_picture(found: Impact) -> str:
    """The place that changes on the left, who feels it to the right of it, what history shows at the end."""
    files = [*found.dependents, *found.tests]
    columns = [
        ("changes", [Box(name=found.target.key, label=found.target.key, note=_told(found), sort="start")])
    ]
    for depth in range(1, max((one.depth for one in files), default=0) + 1):
        here = [one for one in files if one.depth == depth]
        heading = "depends on it" if depth == 1 else f"{depth} steps away"
        columns.append((heading, _bounded([_file_box(one) for one in here], f"depth {depth}")))
    beside = [
        Box(
            name=one.path,
            label=one.path,
            note=f"{one.share:.0%} of its company, {one.commits} commits",
            sort="beside",
        )
        for one in found.together
    ]
    if beside:
        columns.append(("changes with it, no code says so", _bounded(beside, "beside")))
    lines = [_to_file(one, found.target.key) for one in files]
    lines += [Line(source=found.target.key, target=box.name, weight=0.2, sort="beside") for box in beside]
    return drawn(
        Picture(
            title=f"What a change of {found.target.key} touches",
            note=_told(found),
            groups=columns,
            lines=lines,
        )
    )


def deps_picture(place: str, reached: Sequence[Reached], *, back: bool) -> str:
    """A place and what it depends on, or who depends on it."""
    nearest: dict[str, Reached] = {}
    for one in reached:
        nearest.setdefault(one.node.path or one.node.key, one)
    columns: list[tuple[str, Sequence[Box]]] = [("", [Box(name=place, label=place, sort="start")])]
    for depth in range(1, max((one.depth for one in nearest.values()), default=0) + 1):
        boxes = [
            Box(name=name, label=name, note=f"{one.kind} {one.weight:.2f}")
            for name, one in nearest.items()
            if one.depth == depth and name != place
        ]
        columns.append((f"{depth} steps away" if depth > 1 else "direct", _bounded(boxes, f"depth {depth}")))
    lines = [
        Line(source=_before(one.way, place), target=name, weight=one.weight) for name, one in nearest.items()
    ]
    title = f"Who depends on {place}" if back else f"What {place} depends on"
    return drawn(Picture(title=title, groups=columns, lines=lines))


def modules_picture(found: ModuleMap) -> str:
    """The parts in layers: who leans on most stands at the top, who leans on nobody at the bottom."""
    layers = [[module for module in layer if not module.is_test] for layer in found.layers()]
    layers = [layer for layer in reversed(layers) if layer]
    rows = [("", _bounded(map(_module_box, layer), f"layer {place}")) for place, layer in enumerate(layers)]
    edges = sorted(
        (
            (edges, module.name, other)
            for layer in layers
            for module in layer
            for other, edges in module.leans_on.items()
        ),
        reverse=True,
    )[:_MOST_LINES]
    most = max((edges for edges, _, _ in edges), default=1)
    shown = [Line(source=one, target=other, weight=edges / most) for edges, one, other in edges]
    tests = sum(module.is_test for module in found.modules)
    note = f"{len(found.modules) - tests} modules; {tests} of tests are not drawn. Thicker: more edges."
    return drawn(Picture(title="Modules", note=note, groups=rows, lines=shown, down=True))


def _told(found: Impact) -> str:
    memories = len(found.invariants) + len(found.e2e) + len(found.memories)
    return f"score {found.score:.1f}, {len(found.dependents)} files, {len(found.tests)} tests, {memories} memories"


def _file_box(one: Dependent) -> Box:
    return Box(
        name=one.path, label=one.path, note=f"{one.kind} {one.weight:.2f}", sort="test" if one.is_test else ""
    )


def _module_box(module: Module) -> Box:
    note = f"{len(module.files)} files, coupling {module.coupling:.2f}, {module.memories} memories, {module.e2e} E2E"
    return Box(name=module.name, label=module.name, note=note)


def _to_file(one: Dependent, start: str) -> Line:
    return Line(source=_before(one.way, start), target=one.path, weight=one.weight)


def _before(way: Sequence[str], start: str) -> str:
    """The box a way comes from: the file of the node before the last, or the place it begins at."""
    if len(way) <= 2:
        return start
    before = way[-2].partition("::")[0]
    return start if before == start.partition("::")[0] else before


def _bounded(boxes: Iterable[Box], name: str) -> list[Box]:
    listed = list(boxes)
    if len(listed) <= MOST_IN_COLUMN:
        return listed
    rest = len(listed) - MOST_IN_COLUMN + 1
    more = Box(name=f"more at {name}", label=f"and {rest} more", sort="more")
    return [*listed[: MOST_IN_COLUMN - 1], more]
