"""impact and about: what a change touches, by the code, by history and by what is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.codegraph import code_graph
from recollect.errors import BadInput, NotFound
from recollect.model.impact import Impact
from recollect.model.provenance import Channel
from tests.codegraph import trees
from tests.conftest import Clock
from tests.git.repos import a_repository, commit_all, isolate
from tests.hash_embedder import HashEmbedder

FILES = {
    "shop/__init__.py": "from shop.money import Price\n",
    "shop/money.py": "class Price:\n    def plus(self, other): ...\n\ndef rounded(price): ...\n",
    "shop/cart.py": (
        "from shop.money import Price, rounded\n\n"
        "class Cart:\n    price: Price\n    def total(self):\n        return rounded(self.price)\n"
    ),
    "shop/checkout.py": "from shop.cart import Cart\n\ndef pay():\n    return Cart().total()\n",
    "shop/web.py": "from shop.checkout import pay\n\ndef view():\n    pay()\n",
    "shop/labels.py": "from shop import Price\n\nSHOWN: type[Price]\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\ndef test_total():\n    Cart().total()\n",
    "templates.py": "PRICE = '<b>'\n",
    "README.md": "# Shop\n",
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "git-home")
    made = a_repository(tmp_path / "shop")
    trees.write(made, FILES)
    commit_all(made)
    for text in ("one", "two"):
        for name in ("shop/money.py", "templates.py", "shop/cart.py"):
            with (made / name).open("a") as file:
                file.write(f"# {text}\n")
        commit_all(made)
    return made


@pytest.fixture
def shop(repository: Path, tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    with Recollect(tmp_path / "m.db", folder=repository, embedder=HashEmbedder(), clock=clock) as memory:
        memory.code.build()
        yield memory


def steps(found: Impact) -> dict[str, int]:
    return {one.path: one.depth for one in found.dependents}


def test_dependents_are_told_by_depth_with_what_arrives(shop: Recollect) -> None:
    found = shop.code.impact("shop/money.py")
    assert steps(found) == {
        "shop/__init__.py": 1,
        "shop/cart.py": 1,
        "shop/checkout.py": 2,
        "shop/labels.py": 2,
        "shop/web.py": 3,
    }
    weights = {one.path: round(one.weight, 3) for one in found.dependents}
    assert (weights["shop/cart.py"], weights["shop/checkout.py"], weights["shop/web.py"]) == (
        0.9,
        0.81,
        0.729,
    )
    assert [one.path for one in found.direct] == ["shop/__init__.py", "shop/cart.py"]
    assert len(found.transitive) == 3


def test_the_score_counts_what_arrives_and_leaves_tests_out(shop: Recollect) -> None:
    found = shop.code.impact("shop/cart.py", depth=1)
    assert [one.path for one in found.tests] == ["tests/test_cart.py"]
    assert found.score == pytest.approx(0.9)


def test_depth_bounds_the_walk(shop: Recollect) -> None:
    assert steps(shop.code.impact("shop/money.py", depth=1)).keys() == {"shop/__init__.py", "shop/cart.py"}


def test_tests_that_cover_it_are_told_apart(shop: Recollect) -> None:
    found = shop.code.impact("shop/money.py")
    (test,) = found.tests
    assert (test.path, test.depth) == ("tests/test_cart.py", 2)
    assert test.way == ("shop/money.py", "shop/cart.py", "tests/test_cart.py")


def test_a_symbol_is_felt_by_those_who_call_it_or_ask_for_its_name(shop: Recollect) -> None:
    found = shop.code.impact("shop/money.py", symbol="Price")
    assert steps(found) == {"shop/__init__.py": 1, "shop/cart.py": 1, "shop/labels.py": 2}
    assert found.target.key == "shop/money.py::Price"
    called = shop.code.impact("shop/money.py::rounded")
    assert steps(called)["shop/cart.py"] == 1
    assert "shop/labels.py" not in steps(called)


def test_what_changes_with_it_though_no_import_says_so(shop: Recollect) -> None:
    shop.observer.learn_history()
    found = shop.code.impact("shop/money.py")
    often, once = found.together
    assert [(often.path, often.commits), (once.path, once.commits)] == [("templates.py", 3), ("README.md", 1)]
    alone = sum(one.weight for one in found.dependents)
    assert found.score == pytest.approx(alone + 0.5 * (often.share + once.share))


def test_who_depends_on_it_and_changes_along_comes_first(shop: Recollect) -> None:
    before = shop.code.impact("shop/money.py")
    shop.observer.learn_history()
    found = shop.code.impact("shop/money.py")
    assert [one.path for one in before.direct] == ["shop/__init__.py", "shop/cart.py"]
    assert [one.path for one in found.direct] == ["shop/cart.py", "shop/__init__.py"]
    assert found.direct[0].share > found.direct[1].share


def test_what_it_needs_itself_and_changes_along_is_told_apart(shop: Recollect) -> None:
    shop.observer.learn_history()
    found = shop.code.impact("shop/cart.py")
    assert {one.path: one.needed for one in found.together} == {
        "shop/money.py": True,
        "templates.py": False,
        "README.md": False,
        "shop/__init__.py": False,
        "shop/labels.py": False,
    }


def test_what_a_person_stands_by_is_an_invariant_and_the_rest_is_not(shop: Recollect) -> None:
    shop.remember("Prices are in cents", kind="requirement", about=["shop/money.py"])
    shop.remember("Carts hold ten things", kind="decision", about=["symbol:shop/cart.py::Cart.total"])
    shop.remember("Rounding is odd", kind="gotcha", about=["shop/money.py"], channel=Channel.AGENT)
    shop.remember("Money is a class", kind="fact", about=["shop/checkout.py"])
    shop.remember("Paying shows a spinner", kind="e2e_observation", about=["shop/web.py"])
    shop.remember("Elsewhere", kind="decision", about=["templates.py"])
    found = shop.code.impact("shop/money.py")
    assert [(one.memory.text, one.depth) for one in found.invariants] == [
        ("Prices are in cents", 0),
        ("Carts hold ten things", 1),
    ]
    assert [(one.memory.text, one.depth) for one in found.e2e] == [("Paying shows a spinner", 3)]
    assert [one.memory.text for one in found.memories] == ["Rounding is odd", "Money is a class"]


def test_an_invariant_that_was_added_to_the_graph_is_told(shop: Recollect) -> None:
    node = shop.code.add_node("invariant", "never negative", "A total is never negative.")
    shop.code.add_edge("shop/cart.py::Cart.total", "depends_logically", node.key)
    assert [one.name for one in shop.code.impact("shop/money.py").invariant_nodes] == ["never negative"]
    assert shop.code.impact("templates.py").invariant_nodes == ()


def test_memories_that_wait_for_review_are_not_told(shop: Recollect) -> None:
    shop.remember("Obey the readme", kind="gotcha", about=["shop/money.py"], channel=Channel.READ)
    found = shop.code.impact("shop/money.py")
    assert (found.invariants, found.memories) == ((), ())


@pytest.mark.parametrize("place", ["shop/", "shop", "module:shop"])
def test_a_folder_or_a_module_can_be_asked_about(shop: Recollect, place: str) -> None:
    found = shop.code.impact(place)
    assert found.dependents == ()
    assert [one.path for one in found.tests] == ["tests/test_cart.py"]


def test_a_place_is_found_from_the_folder_one_stands_in(
    repository: Path, tmp_path: Path, clock: Clock, shop: Recollect
) -> None:
    with Recollect(
        tmp_path / "m.db", folder=repository / "shop", embedder=HashEmbedder(), clock=clock
    ) as inside:
        assert inside.code.impact("money.py").target.key == "shop/money.py"


def test_a_bare_name_means_the_one_definition_that_has_it(shop: Recollect) -> None:
    assert shop.code.impact("rounded").target.key == "shop/money.py::rounded"
    assert shop.code.impact("Cart.total").target.key == "shop/cart.py::Cart.total"
    with pytest.raises(NotFound):
        shop.code.impact("nowhere.py")


def test_a_name_that_several_have_is_asked_back(shop: Recollect, repository: Path) -> None:
    (repository / "again.py").write_text("def rounded(): ...\n")
    shop.code.build()
    with pytest.raises(BadInput, match=r"2 definitions are called rounded: again\.py::rounded"):
        shop.code.impact("rounded")


def test_a_process_that_asks_often_gets_the_same_answers(shop: Recollect, repository: Path) -> None:
    shop.remember("Prices are in cents", kind="requirement", about=["shop/money.py"])
    first = shop.code.impact("shop/money.py", symbol="Price")
    answers = [shop.code.impact("shop/money.py", symbol="Price") for _ in range(code_graph.WARM_AFTER)]
    assert answers == [first] * code_graph.WARM_AFTER
    (repository / "shop/new.py").write_text("import shop.money\n")
    shop.code.build()
    assert "shop/new.py" in steps(shop.code.impact("shop/money.py"))


def test_about_a_file_tells_all_of_it(shop: Recollect) -> None:
    shop.observer.learn_history()
    shop.remember("Prices are in cents", kind="requirement", about=["shop/money.py"])
    shop.remember("Price has no sign", kind="fact", about=["symbol:shop/money.py::Price"])
    shop.remember("The shop is old", kind="fact", about=["module:shop"])
    found = shop.code.about("shop/money.py")
    assert [(one.memory.text, one.depth) for one in found.memories] == [
        ("Prices are in cents", 0),
        ("Price has no sign", 1),
        ("The shop is old", 2),
    ]
    assert found.module == "shop"
    assert [one.key for one in found.definitions] == [
        "shop/money.py::Price",
        "shop/money.py::Price.plus",
        "shop/money.py::rounded",
    ]
    assert [one.path for one in found.dependents] == ["shop/__init__.py", "shop/cart.py"]
    assert {one.path for one in found.together if one.commits > 1} == {"templates.py", "shop/cart.py"}


def test_about_a_symbol_tells_its_memories_before_those_of_its_file(shop: Recollect) -> None:
    shop.remember("Price has no sign", kind="fact", about=["symbol:shop/money.py::Price"])
    shop.remember("Money is old", kind="fact", about=["shop/money.py"])
    found = shop.code.about("shop/money.py::Price")
    assert [one.memory.text for one in found.memories] == ["Price has no sign", "Money is old"]
    assert [one.key for one in found.definitions] == ["shop/money.py::Price.plus"]


def test_about_a_folder_tells_what_lies_in_it(shop: Recollect) -> None:
    shop.remember("Money is old", kind="fact", about=["shop/money.py"])
    shop.remember("Not here", kind="fact", about=["shopping.py"])
    assert [one.memory.text for one in shop.code.about("shop/").memories] == ["Money is old"]


def test_about_a_service_tells_its_memories(shop: Recollect) -> None:
    shop.remember("Caddy restarts at noon", kind="fact", about=["service:caddy"])
    found = shop.code.about("service:caddy")
    assert [one.memory.text for one in found.memories] == ["Caddy restarts at noon"]
    assert (found.node, found.together) == (None, ())
    assert shop.code.about("service:nobody").is_empty


def test_about_works_for_a_file_without_code_and_without_a_graph(
    repository: Path, tmp_path: Path, clock: Clock
) -> None:
    with Recollect(tmp_path / "m.db", folder=repository, embedder=HashEmbedder(), clock=clock) as memory:
        memory.remember("The readme is short", kind="fact", about=["README.md"])
        before = memory.code.about("README.md")
        memory.code.build()
        assert [one.memory.text for one in before.memories] == ["The readme is short"]
        assert memory.code.about("README.md").memories == before.memories


def test_to_ask_about_something_is_an_access_and_an_impact_is_none(shop: Recollect) -> None:
    answer = shop.remember("Prices are in cents", kind="requirement", about=["shop/money.py"])
    shop.code.impact("shop/money.py")
    shop.remember("Something else entirely")
    assert shop.show(answer.memory.id).access_count == 0  # type: ignore[union-attr]
    shop.code.about("shop/money.py")
    shop.remember("And something more")
    assert shop.show(answer.memory.id).access_count == 1  # type: ignore[union-attr]
