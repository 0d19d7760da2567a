"""The pictures of the code graph: sound XML whatever a project calls its files, and nothing from outside in it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from recollect.model.code import CodeNode, EdgeKind, Module, ModuleMap, NodeKind
from recollect.model.impact import CoChange, Dependent, Impact
from recollect.surfaces.code_pictures import MAX_IN_COLUMN, draw_impact, draw_modules
from recollect.surfaces.picture import Box, Picture, PictureLine, draw
from tests.surfaces.conftest import Run

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("1")</script>&\x1b[2J\x00\ud800.py'


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def count(svg: str, tag: str, sort: str = "") -> int:
    return sum(not sort or element.get("class") == sort for element in ET.fromstring(svg).iter(SVG + tag))


def a_dependent(path: str, depth: int = 1, way: tuple[str, ...] = (), *, is_test: bool = False) -> Dependent:
    return Dependent(
        path=path,
        depth=depth,
        weight=0.9**depth,
        kind=EdgeKind.IMPORTS,
        way=way or ("a.py", path),
        nodes=(path,),
        is_test=is_test,
    )


def an_impact(*dependents: Dependent, **more: object) -> Impact:
    node = CodeNode(key="a.py", kind=NodeKind.FILE, name="a.py", path="a.py")
    return Impact(target=node, depth=3, score=1.0, dependents=dependents, **more)  # type: ignore[arg-type]


def test_an_impact_is_drawn_with_a_line_to_each_file() -> None:
    found = an_impact(
        a_dependent("b.py"),
        a_dependent("c.py", 2, ("a.py", "b.py", "c.py")),
        tests=(a_dependent("test_b.py", 2, ("a.py", "b.py::f", "test_b.py"), is_test=True),),
        together=(CoChange(path="d.html", share=0.4, commits=3, sessions=0),),
    )
    svg = draw_impact(found)
    assert {"a.py", "b.py", "c.py", "test_b.py", "d.html"} <= set(texts(svg))
    assert (count(svg, "path"), count(svg, "path", "beside")) == (4, 1)
    assert (count(svg, "rect", "start"), count(svg, "rect", "test"), count(svg, "rect", "beside")) == (
        1,
        1,
        1,
    )


def test_names_cannot_break_out_of_the_picture() -> None:
    svg = draw_impact(an_impact(a_dependent(HOSTILE)))
    assert "<script" not in svg
    assert "\x1b" not in svg
    assert any("&lt;" not in text and "alert(" in text for text in texts(svg))


def test_a_picture_brings_its_own_dark_colours_and_loads_nothing() -> None:
    svg = draw_impact(an_impact(a_dependent("b.py")))
    assert "prefers-color-scheme: dark" in svg
    assert svg.count("http") == 1  # the name of the format
    assert "href" not in svg


def test_a_long_column_is_cut_and_says_so() -> None:
    svg = draw_impact(an_impact(*(a_dependent(f"f{n}.py") for n in range(100))))
    assert f"and {100 - MAX_IN_COLUMN + 1} more" in texts(svg)
    assert count(svg, "g") == 1 + MAX_IN_COLUMN


def test_boxes_do_not_overlap_and_lie_inside() -> None:
    for down in (False, True):
        groups = [("", [Box(name=f"{g}.{n}", label="x") for n in range(g + 1)]) for g in range(4)]
        svg = draw(
            Picture(title="t", groups=groups, down=down, lines=[PictureLine(source="3.0", target="0.0")])
        )
        root = ET.fromstring(svg)
        width, height = float(root.get("width", 0)), float(root.get("height", 0))
        boxes = [
            tuple(float(rect.get(name, 0)) for name in ("x", "y", "width", "height"))
            for rect in root.iter(f"{SVG}rect")
            if rect.get("class") != "paper"
        ]
        assert len(boxes) == 10
        for x, y, w, h in boxes:
            assert 0 <= x <= width - w
            assert 0 <= y <= height - h
        for place, (x, y, w, h) in enumerate(boxes):
            for other in boxes[place + 1 :]:
                assert x + w <= other[0] or other[0] + w <= x or y + h <= other[1] or other[1] + h <= y


def test_modules_are_drawn_in_layers_without_tests() -> None:
    cart = Module(name="cart", folder="cart", files=("cart/a.py",), leans_on={"money": 3})
    money = Module(name="money", folder="money", files=("money/a.py",), used_by={"cart": 3, "tests": 1})
    tests = Module(name="tests", folder="tests", files=("tests/a.py",), is_test=True, leans_on={"money": 1})
    svg = draw_modules(ModuleMap(modules=(cart, money, tests)))
    assert {"cart", "money"} <= set(texts(svg))
    assert "tests" not in texts(svg)
    assert count(svg, "path") == 1
    assert ET.fromstring(draw_modules(ModuleMap())).tag == f"{SVG}svg"


@pytest.mark.parametrize("command", [("impact", "tools.py"), ("deps", "app.py"), ("modules",)])
def test_commands_draw_into_a_file(run: Run, command: tuple[str, ...]) -> None:
    Path("app.py").write_text("import tools\n")
    Path("tools.py").write_text("def load(): ...\n")
    run("graph", "build")
    said = run(*command, "--svg", "out.svg")
    assert said.err == "Drawn: out.svg\n"
    assert ET.fromstring(Path("out.svg").read_text()).tag == f"{SVG}svg"
    assert run(*command, "--svg", "out.svg", "--json").json["schema"] == 1


def test_a_file_that_cannot_be_written_is_named(run: Run) -> None:
    Path("app.py").write_text("x = 1\n")
    run("graph", "build")
    said = run("modules", "--svg", "no/such/folder/out.svg", "--json")
    assert (said.code, said.error["code"]) == (2, "bad_input")
