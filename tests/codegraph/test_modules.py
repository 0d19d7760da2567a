"""The parts of a project: packages and folders, communities where it is flat, and names people would use."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.codegraph.communities import find_communities
from recollect.codegraph.modules import Weights, split_into_parts
from recollect.model.code import Module, ModuleMap
from recollect.model.path_kinds import is_test_file
from tests.codegraph import trees
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder


def of(paths: Iterable[str], weights: Weights | None = None) -> dict[str, list[str]]:
    return {part.name: list(part.files) for part in split_into_parts(paths, lambda: weights or {})}


def some(folder: str, count: int = 4) -> list[str]:
    return [f"{folder}/{number:03}.py" for number in range(count)]


def test_folders_that_only_hold_others_are_taken_apart() -> None:
    found = of([*some("src/shop/cart"), *some("src/shop/money"), "src/shop/__init__.py"])
    assert found.keys() == {"shop", "cart", "money"}


def test_a_small_package_is_one_part_with_all_below_it() -> None:
    assert of([*some("src/auth"), *some("src/auth/oauth")]) == {
        "auth": [*some("src/auth"), *some("src/auth/oauth")]
    }


def test_a_large_package_is_taken_apart() -> None:
    found = of([*some("app", 5), *some("app/web", 30), *some("app/jobs", 10)])
    assert {name: len(files) for name, files in found.items()} == {"app": 5, "web": 30, "jobs": 10}


def test_folders_of_one_or_two_files_join_the_one_around_them() -> None:
    found = of([*some("app/locale/de", 2), *some("app/locale/fr", 2), *some("app/web", 50), *some("app", 3)])
    assert found["locale"] == [*some("app/locale/de", 2), *some("app/locale/fr", 2)]


def test_names_are_the_shortest_that_tell_apart_and_tests_say_so() -> None:
    found = of([*some("a/api"), *some("b/api"), *some("b/money"), *some("tests/money"), *some("tests/api")])
    assert found.keys() == {"a/api", "b/api", "money", "tests/money", "tests/api"}


def test_every_file_is_in_exactly_one_part() -> None:
    paths = [*some("app", 90), *some("app/x", 1), "top.py", *some("lib/a/b/c"), *some("tests", 3)]
    listed = [path for files in of(paths).values() for path in files]
    assert sorted(listed) == sorted(paths)


def test_a_flat_tree_falls_into_groups_named_by_their_middle() -> None:
    paths = [f"src/{name}{n}.py" for name in ("cart", "mail") for n in range(10)]
    weights = {
        (f"src/{name}{n}.py", f"src/{name}0.py"): 3.0 for name in ("cart", "mail") for n in range(1, 10)
    }
    weights["src/cart3.py", "src/mail4.py"] = 1.0
    found = of(paths, weights)
    assert found.keys() == {"src/cart0", "src/mail0"}
    assert all(path.startswith("src/cart") for path in found["src/cart0"])


def test_without_edges_a_flat_tree_stays_whole() -> None:
    assert of(some("src", 90)).keys() == {"src"}


def test_the_same_graph_gives_the_same_groups_in_any_order() -> None:
    names = [f"n{number}" for number in range(12)]
    ties = {(one, other): 1.0 for one in names[:6] for other in names[:6] if one < other}
    ties |= {(one, other): 1.0 for one in names[6:] for other in names[6:] if one < other}
    ties["n0", "n11"] = 1.0
    first = find_communities(names, ties)
    assert find_communities(reversed(names), dict(reversed(list(ties.items())))) == first
    assert [set(group) for group in first] == [set(names[:2] + names[2:6]), set(names[6:])]
    assert find_communities(names, {}) == sorted([name] for name in names)


@pytest.mark.parametrize(
    "path",
    [
        "tests/a.py",
        "src/test_a.py",
        "a_test.go",
        "src/a.test.ts",
        "src/a.spec.tsx",
        "src/__tests__/a.js",
        "app/CartTest.java",
        "conftest.py",
        "spec/models/cart_spec.rb",
    ],
)
def test_tests_are_known_by_their_path(path: str) -> None:
    assert is_test_file(path)


@pytest.mark.parametrize(
    "path", ["src/attest.py", "latest.ts", "contest/a.py", "Testament.java", "testfile.py"]
)
def test_what_only_sounds_like_a_test_is_none(path: str) -> None:
    assert not is_test_file(path)


def test_layers_put_below_what_is_leant_on_and_break_circles_at_the_weakest_edge() -> None:
    def module(name: str, **leans_on: int) -> Module:
        return Module(name=name, folder=name, files=(f"{name}/a.py",), leans_on=leans_on)

    found = ModuleMap(modules=(module("a", b=5), module("b", c=4), module("c", a=1), module("d")))
    assert [[module.name for module in layer] for layer in found.layers()] == [["c", "d"], ["b"], ["a"]]


def test_the_map_tells_size_coupling_and_what_is_remembered(tmp_path: Path, clock: Clock) -> None:
    files = {
        "src/cart/__init__.py": "",
        "src/cart/items.py": "from cart.total import total\nfrom money.price import Price\n\ndef add():\n    total()\n",
        "src/cart/total.py": "def total(): ...\n",
        "src/money/__init__.py": "",
        "src/money/price.py": "class Price: ...\n",
        "src/money/tax.py": "x = 1\n",
    }
    root = trees.write(tmp_path / "shop", files)
    with Recollect(tmp_path / "m.db", folder=root, embedder=HashEmbedder(), clock=clock) as memory:
        memory.code.build()
        memory.remember("Totals are rounded", kind="decision", about=["src/cart/total.py"])
        memory.remember("Adding is slow", kind="fact", about=["symbol:src/cart/items.py::add"])
        memory.remember("The cart blinks", kind="e2e_observation", about=["module:cart"])
        memory.remember("Old", kind="fact", about=["src/cart/total.py"])
        memory.forget(memory.list(limit=1)[0].id)
        found = memory.code.modules()
    cart, money = found.called("cart"), found.called("money")
    assert (len(cart.files), cart.definitions, cart.inside) == (3, 2, 2)
    assert (cart.leans_on, money.used_by) == ({"money": 1}, {"cart": 1})
    assert cart.coupling == pytest.approx(1 / 3)
    assert (cart.memories, cart.files_known, cart.e2e) == (3, 2, 1)
    assert cart.coverage == pytest.approx(2 / 3)
    assert (money.memories, money.coverage) == (0, 0)
