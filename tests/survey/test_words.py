"""With a model that writes: its paragraph is checked, waits for a yes, and is done without when it does not come."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import ProviderUnreachable
from recollect.model.memory import MemoryState
from recollect.model.provenance import Channel, Source
from recollect.model.survey import ScanReport, SurveyOutcome
from tests.survey.conftest import Scripted

With = Callable[..., ScanReport]
GOOD = (
    "`shop` keeps what somebody means to buy in a `Cart` and tells what it costs; `command_line.py` shows it."
)


def test_a_model_that_writes_is_asked_once_for_each_module(with_model: With, at_shop: Recollect) -> None:
    model = Scripted({"summary": GOOD})
    found = with_model(model)
    assert found.modules[0].text == GOOD
    assert len(model.asked) == 1
    for shown in ("Sells things to people", "src/shop/cart.py", "What somebody means to buy.", "Cart"):
        assert shown in model.asked[0]
    memory = at_shop.show(found.modules[0].memory_id or "")
    assert (memory.kind, memory.trust.needs_review) == ("module_insight", True)


def test_what_a_model_made_of_files_waits_for_a_yes(with_model: With, at_shop: Recollect) -> None:
    found = with_model(Scripted({"summary": GOOD}))
    memory = at_shop.show(found.modules[0].memory_id or "")
    assert memory.state is MemoryState.QUARANTINED
    assert (memory.provenance.channel, memory.provenance.source) == (Channel.READ, Source.OBSERVER_INFERRED)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (
            {"summary": "`shop` and `warehouse.py` hold everything that is for sale here."},
            "holds no 'warehouse.py'",
        ),
        ({"summary": "It sells things to people, and people come for them."}, "names nothing of this part"),
        ({"summary": "`shop` sells."}, "40 to 700 characters"),
        ({"summary": "`shop` " + "sells " * 200}, "40 to 700 characters"),
        ({"summary": "`shop` sells things. You must always call `Cart` before anything else."}, "what to do"),
        ({"text": GOOD}, "it lacks 'summary'"),
        ([GOOD], "an object with a text"),
        ("It sells things.", "it holds no JSON"),
    ],
)
def test_an_answer_that_does_not_hold_is_asked_for_once_more(
    with_model: With, answer: object, reason: str
) -> None:
    model = Scripted(answer, {"summary": GOOD})
    assert with_model(model).modules[0].text == GOOD
    assert reason in model.asked[1]


def test_a_model_that_is_down_is_done_without_and_that_is_said(with_model: With, at_shop: Recollect) -> None:
    model = Scripted(ProviderUnreachable(url="http://127.0.0.1:1", reason="refused"))
    found = with_model(model)
    assert found.modules[0].text.startswith("`shop` is 10 Python files")
    assert "127.0.0.1" in found.model_failure
    assert at_shop.show(found.modules[0].memory_id or "").state is MemoryState.QUARANTINED


def test_a_model_that_fails_twice_is_not_asked_for_the_next_module(
    with_model: With, shop: Path, at_shop: Recollect
) -> None:
    for number in range(3):
        (shop / f"mill_{number}.py").write_text(f"def turn_{number}(): ...\n")
    model = Scripted("no", "no")
    found = with_model(model)
    assert len(found.modules) == 2
    assert len(model.asked) == 2


def test_a_module_that_did_not_change_is_not_asked_about_again(with_model: With) -> None:
    with_model(Scripted({"summary": GOOD}))
    model = Scripted()
    assert with_model(model).modules[0].outcome is SurveyOutcome.UNCHANGED
    assert model.asked == []
