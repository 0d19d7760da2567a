"""What is drawn of the code graph: an impact, who depends on whom, and the parts of a project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.model.code import Module, ModuleMap, ReachedNode
from recollect.model.impact import Dependent, Impact
from recollect.surfaces.picture import Box, Picture, PictureLine, draw

# More boxes in one column are not looked at one by one.
MAX_IN_COLUMN = 24
_MAX_LINES = 120


def draw_impact(impact: Impact) -> str:
    """The place that changes on the left, who feels it to the right of it, what history shows at the end."""
    files = [*impact.dependents, *impact.tests]
    columns = [
        (
            "changes",
            [
                Box(
                    name=impact.target.key,
                    label=impact.target.key,
                    note=_impact_caption(impact),
                    sort="start",
                )
            ],
        )
    ]
    for depth in range(1, max((one.depth for one in files), default=0) + 1):
        files_here = [one for one in files if one.depth == depth]
        heading = "depends on it" if depth == 1 else f"{depth} steps away"
        columns.append((heading, _limit_boxes([_file_box(one) for one in files_here], f"depth {depth}")))
    beside = [
        Box(
            name=one.path,
            label=one.path,
            note=f"{one.share:.0%} of its company, {one.commits} commits",
            sort="beside",
        )
        for one in impact.together
    ]
    if beside:
        columns.append(("changes with it, no code says so", _limit_boxes(beside, "beside")))
    lines = [_line_to_file(one, impact.target.key) for one in files]
    lines += [
        PictureLine(source=impact.target.key, target=box.name, weight=0.2, sort="beside") for box in beside
    ]
    return draw(
        Picture(
            title=f"What a change of {impact.target.key} touches",
            note=_impact_caption(impact),
            groups=columns,
            lines=lines,
        )
    )


def draw_deps(place: str, reached: Sequence[ReachedNode], *, back: bool) -> str:
    """A place and what it depends on, or who depends on it."""
    nearest: dict[str, ReachedNode] = {}
    for one in reached:
        nearest.setdefault(one.node.path or one.node.key, one)
    columns: list[tuple[str, Sequence[Box]]] = [("", [Box(name=place, label=place, sort="start")])]
    for depth in range(1, max((one.depth for one in nearest.values()), default=0) + 1):
        boxes = [
            Box(name=name, label=name, note=f"{one.kind} {one.weight:.2f}")
            for name, one in nearest.items()
            if one.depth == depth and name != place
        ]
        columns.append(
            (f"{depth} steps away" if depth > 1 else "direct", _limit_boxes(boxes, f"depth {depth}"))
        )
    lines = [
        PictureLine(source=_previous_box(one.way, place), target=name, weight=one.weight)
        for name, one in nearest.items()
    ]
    title = f"Who depends on {place}" if back else f"What {place} depends on"
    return draw(Picture(title=title, groups=columns, lines=lines))


def draw_modules(module_map: ModuleMap) -> str:
    """The parts in layers: who leans on most stands at the top, who leans on nobody at the bottom."""
    layers = [[module for module in layer if not module.is_test] for layer in module_map.layers()]
    layers = [layer for layer in reversed(layers) if layer]
    rows = [
        ("", _limit_boxes(map(_module_box, layer), f"layer {place}")) for place, layer in enumerate(layers)
    ]
    edges = sorted(
        (
            (edges, module.name, other)
            for layer in layers
            for module in layer
            for other, edges in module.leans_on.items()
        ),
        reverse=True,
    )[:_MAX_LINES]
    most = max((edges for edges, _, _ in edges), default=1)
    lines = [PictureLine(source=one, target=other, weight=edges / most) for edges, one, other in edges]
    tests = sum(module.is_test for module in module_map.modules)
    note = f"{len(module_map.modules) - tests} modules; {tests} of tests are not drawn. Thicker: more edges."
    return draw(Picture(title="Modules", note=note, groups=rows, lines=lines, down=True))


def _impact_caption(impact: Impact) -> str:
    memories = len(impact.invariants) + len(impact.e2e) + len(impact.memories)
    return f"score {impact.score:.1f}, {len(impact.dependents)} files, {len(impact.tests)} tests, {memories} memories"


def _file_box(one: Dependent) -> Box:
    return Box(
        name=one.path, label=one.path, note=f"{one.kind} {one.weight:.2f}", sort="test" if one.is_test else ""
    )


def _module_box(module: Module) -> Box:
    note = f"{len(module.files)} files, coupling {module.coupling:.2f}, {module.memories} memories, {module.e2e} E2E"
    return Box(name=module.name, label=module.name, note=note)


def _line_to_file(one: Dependent, start: str) -> PictureLine:
    return PictureLine(source=_previous_box(one.way, start), target=one.path, weight=one.weight)


def _previous_box(path: Sequence[str], start: str) -> str:
    """The box a way comes from: the file of the node before the last, or the place it begins at."""
    if len(path) <= 2:
        return start
    before = path[-2].partition("::")[0]
    return start if before == start.partition("::")[0] else before


def _limit_boxes(boxes: Iterable[Box], name: str) -> list[Box]:
    listed = list(boxes)
    if len(listed) <= MAX_IN_COLUMN:
        return listed
    rest = len(listed) - MAX_IN_COLUMN + 1
    more = Box(name=f"more at {name}", label=f"and {rest} more", sort="more")
    return [*listed[: MAX_IN_COLUMN - 1], more]
