"""Ways of working that other packages bring: found by entry point, and harmless when they are broken."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from recollect import Recollect
from recollect.errors import BadInput, NotFound, UnknownKind
from recollect.methods.registry import choose_method, load_methods
from recollect.model.kinds import Kind, Kinds
from recollect.model.method import Methodology, Surroundings
from recollect.model.phase import Phase
from recollect.model.trust import Moment, may_speak
from recollect.surfaces.cli import cli
from tests.architecture.test_public_names import loaded_after
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.methods.projects import checkout
from tests.observe.acts import edit, green
from tests.observe.session_story import tell

KANBAN = """
from recollect.model.kinds import Kind
from recollect.model.method import Addition, Methodology
from recollect.model.phase import Phase
from recollect.model.scope import WorkRef

METHOD = Methodology(
    id="kanban",
    name="Kanban (cards)",
    phases={"doing": Phase.IMPLEMENT},
    kinds=(Kind(name="card", group="work", heading="Cards"),),
    detect=lambda around: "it has a board" if around.files.names("BOARD.md") else "",
    unit=lambda around: WorkRef(methodology="kanban", hierarchy=("card_7",), label="Card 7"),
    work_state=lambda around: {"column": "doing"},
    on_work_unit_complete=lambda around, done: [Addition(kind="card", text="Card 7 is through")],
)


def fails():
    raise RuntimeError("no board today")


UGLY = Methodology(
    id="ugly",
    name="Ugly",
    phases={},
    detect=lambda around: "always",
    unit=lambda around: "not a reference",
    stage=lambda around: 1 / 0,
    work_state=lambda around: None,
)
"""


@dataclass(frozen=True)
class APoint:
    name: str
    given: object

    @property
    def value(self) -> str:
        return f"package:{self.name}"

    def load(self) -> object:
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


def a_method(name: str = "kanban", **parts: object) -> Methodology:
    return Methodology(id=name, name=name.title(), phases={}, **parts)  # type: ignore[arg-type]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real distribution on the path, with entry points as a wheel writes them."""
    site = tmp_path / "site"
    info = site / "kanban-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "kanban_method.py").write_text(KANBAN, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kanban\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[recollect.methods]\nkanban = kanban_method:METHOD\nbad = kanban_method:fails\ngone = no_such_module:X\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "kanban_method", raising=False)


@pytest.mark.usefixtures("installed")
def test_an_installed_way_of_working_is_used_and_broken_ones_are_named(tmp_path: Path, clock: Clock) -> None:
    folder = checkout(tmp_path / "shop", {"BOARD.md": "doing"})
    with Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder(), clock=clock) as memory:
        assert memory.methods.active().method.id == "kanban"
        assert [(one.id, one.origin) for one in memory.methods.listed() if one.active] == [
            ("kanban", "kanban_method:METHOD")
        ]
        assert sorted(memory.methods.broken()) == [
            "bad (kanban_method:fails): RuntimeError: no board today",
            "gone (no_such_module:X): ModuleNotFoundError: No module named 'no_such_module'",
        ]
        assert memory.remember("Card 7 is about tax", kind="card").memory.kind == "card"  # type: ignore[union-attr]
        tell(memory, clock, "s1", edit("src/a.py"), branch="main")
        memory.observer.learn_due()
        [state] = memory.methods.resume()
        assert "“Column: doing.”" in state.text
        tell(memory, clock, "s2", edit("src/a.py"), green(), branch="main")
        memory.observer.learn_due()
        [kept] = [found for found in memory.list() if found.text == "Card 7 is through"]
        assert may_speak(kept, Moment.BRIEF).why == "it waits for a person's yes"


@pytest.mark.usefixtures("installed")
def test_what_a_package_that_is_gone_left_behind_can_still_be_read_and_looked_after(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = checkout(tmp_path / "shop", {"BOARD.md": "doing"})
    with Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder(), clock=clock) as memory:
        memory.remember("Card 7 is about tax", kind="card", work="kanban:card_7")
    monkeypatch.setattr(sys, "path", [path for path in sys.path if not path.endswith("site")])
    clock.pass_(days=400)
    with Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder(), clock=clock) as memory:
        assert memory.methods.active().method.id == "native"
        [found] = memory.recall("tax")
        assert str(found.memory.work) == "kanban:card_7"
        memory.upkeep.run(every=True)
        memory.edit(found.memory.id, tags=["old"])
        with pytest.raises(UnknownKind):
            memory.remember("Card 8", kind="card")


@pytest.mark.usefixtures("installed")
def test_doctor_names_what_is_broken_in_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    CliRunner().invoke(cli, ["remember", "Something"])
    said = json.loads(CliRunner().invoke(cli, ["doctor", "--json"]).stdout)
    [finding] = [one for one in said["findings"] if one["check"] == "methodologies"]
    assert finding["verdict"] == "warn"
    assert "no board today" in finding["detail"]
    assert "no_such_module" in finding["detail"]


def test_a_name_or_a_kind_that_is_taken_leaves_the_newcomer_out() -> None:
    kind = Kind(name="gotcha", group="work", heading="Mine")
    found = load_methods([APoint("a", a_method("tdd")), APoint("b", a_method(kinds=(kind,)))])
    assert [one.value.id for one in found.plugged] == ["native", "bmad", "tdd", "agile"]
    assert found.broken == (
        "a (package:a): ValueError: the name tdd is taken",
        "b (package:b): ValueError: the kind gotcha is taken",
    )


def test_several_may_come_at_once_and_what_is_none_is_refused() -> None:
    found = load_methods([APoint("two", lambda: [a_method("one"), a_method("two")]), APoint("none", [7])])
    assert [one.value.id for one in found.plugged][-2:] == ["one", "two"]
    assert found.broken == ("none (package:none): TypeError: 7 is no Methodology",)


def test_one_that_fails_when_asked_has_said_nothing_and_is_named_once() -> None:
    def fails(around: Surroundings) -> str:
        raise RuntimeError("no")

    found = load_methods([APoint("ugly", a_method("ugly", detect=fails, unit=lambda around: 7))])
    ugly = found.get_method("ugly")
    for _ in range(2):
        assert choose_method(found, Surroundings()).method.id == "native"
        assert ugly.unit(Surroundings()) is None
    assert found.troubles == [
        "ugly: detect failed: RuntimeError: no",
        "ugly: unit failed: TypeError: it gave 7",
    ]


@pytest.mark.parametrize(
    "parts", [{"id": "Not A Name"}, {"name": " "}, {"phases": {"doing": "sometimes"}}], ids=str
)
def test_a_methodology_that_makes_no_sense_cannot_be_made(parts: dict[str, object]) -> None:
    whole = {"id": "kanban", "name": "Kanban", "phases": {"doing": Phase.IMPLEMENT}, **parts}
    with pytest.raises(BadInput):
        Methodology(**whole)  # type: ignore[arg-type]


def test_a_methodology_or_relay_nobody_knows_is_named_with_those_there_are() -> None:
    with pytest.raises(NotFound, match=r"There is no methodology 'x'. There are: native, bmad, tdd, agile."):
        load_methods(()).get_method("x")
    with pytest.raises(
        NotFound, match=r"nothing goes from 'coder' to 'planner'\. The relays are: planner:coder"
    ):
        load_methods(()).get_method("native").relay("coder", "planner")


def test_kinds_of_plugins_are_loaded_only_when_a_stranger_is_asked_for() -> None:
    asked: list[str] = []

    def more() -> list[Kind]:
        asked.append("now")
        return [Kind(name="card", group="work", heading="Cards")]

    kinds = Kinds(more=more)
    assert kinds.get("gotcha").name == "gotcha"
    assert asked == []
    assert kinds.get("card").heading == "Cards"
    assert "card" in kinds.names()
    assert asked == ["now"]


def test_to_remember_and_recall_loads_no_way_of_working(tmp_path: Path) -> None:
    code = """
import sys
from recollect import Recollect
with Recollect(sys.argv[1], folder=None) as memory:
    memory.remember("Retries are capped at three", kind="decision")
    memory.recall("retries", phase="implement")
"""
    modules = loaded_after(code, str(tmp_path / "memories.db"))
    assert [name for name in modules if name.startswith(("recollect.methods", "recollect.plugins"))] == []
