"""What one stage hands to the next: of the unit at hand, what passes the filter, in the renderer's own form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import NotFound
from recollect.inject.answer import render_relay
from recollect.inject.render import parse_blocks
from recollect.methods.bmad import BMAD
from recollect.model.method import Methodology, Relay, RelaySection
from recollect.model.phase import Phase
from recollect.model.provenance import Channel, Source
from tests.builders import a_memory
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.methods.projects import checkout

UNIT = "native:spec_042"


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    folder = checkout(tmp_path / "shop", {"README.md": "A shop."}, "spec/042")
    with Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def shown(memory: Recollect, source: str, target: str) -> list[str]:
    text = memory.methods.relay(source, target).text
    return [item.text for block in parse_blocks(text) for item in block.items]


def test_a_stage_gets_what_was_learned_on_its_unit_the_weightiest_first(memory: Recollect) -> None:
    memory.remember("The price is rounded twice", kind="gotcha", work=UNIT)
    memory.remember("We cap retries at three", kind="decision", work=f"{UNIT}/subtask_1")
    memory.remember("Another spec's trap", kind="gotcha", work="native:spec_043")
    memory.remember("Of no unit", kind="gotcha")
    found = memory.methods.relay("planner", "coder")
    assert shown(memory, "planner", "coder") == ["The price is rounded twice", "We cap retries at three"]
    assert found.text.startswith("[recollect ")
    assert "From planner to coder" in found.text
    assert found.tokens > 0


def test_a_filtered_relay_lets_only_its_kinds_through(memory: Recollect) -> None:
    memory.remember("A requirement", kind="requirement", work=UNIT)
    memory.remember("A decision", kind="decision", work=UNIT)
    assert shown(memory, "qa_reviewer", "qa_fixer") == ["A requirement"]


def test_what_waits_for_a_yes_or_was_forgotten_is_not_handed_on(memory: Recollect) -> None:
    kept = memory.remember("We cap retries at three", kind="decision", work=UNIT)
    memory.remember("Read somewhere", kind="decision", work=UNIT, channel=Channel.READ)
    assert shown(memory, "planner", "coder") == ["We cap retries at three"]
    memory.forget(kept.memory.id)  # type: ignore[union-attr]
    assert memory.methods.relay("planner", "coder").text == ""


def test_what_speaks_in_one_phase_alone_is_handed_on_to_that_phase_alone(memory: Recollect) -> None:
    draft = memory.draft("The dialog flickers", kind="e2e_observation", work=UNIT)
    seen = replace(draft.provenance, channel=Channel.OBSERVED, source=Source.MCP_AUTO)
    memory.remember_many([replace(draft, provenance=seen)])
    assert shown(memory, "planner", "coder") == []
    assert shown(memory, "coder", "qa_reviewer") == ["The dialog flickers"]


def test_a_relay_that_the_methodology_has_not_is_named(memory: Recollect) -> None:
    with pytest.raises(NotFound, match="The relays are: planner:coder"):
        memory.methods.relay("coder", "planner")


def test_without_a_unit_the_newest_sessions_stand_for_it(tmp_path: Path, clock: Clock) -> None:
    folder = checkout(tmp_path / "shop", {"README.md": "A shop."})
    with Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder(), clock=clock) as memory:
        memory.remember("Of no session", kind="gotcha")
        assert shown(memory, "planner", "coder") == []
        memory.observer.record("session_started", session="s1")
        memory.remember("Of this session", kind="gotcha", session="s1")
        assert shown(memory, "planner", "coder") == ["Of this session"]


def test_what_was_made_in_another_phase_does_not_come_from_this_stage(memory: Recollect) -> None:
    for text, phase, tags in (
        ("Planned", Phase.DEFINE, ()),
        ("Coded", Phase.IMPLEMENT, ()),
        ("Coded, and said by the planner", Phase.IMPLEMENT, ("planner",)),
    ):
        draft = memory.draft(text, kind="gotcha", work=UNIT, tags=tags)
        memory.remember_many([replace(draft, provenance=replace(draft.provenance, phase=phase))])
    assert sorted(shown(memory, "planner", "coder")) == ["Coded, and said by the planner", "Planned"]


def test_bmad_puts_what_must_hold_before_what_was_chosen() -> None:
    made = [
        a_memory("Learned", kind="gotcha", number=1),
        a_memory("Chosen", kind="decision", number=2),
        a_memory("Wanted", kind="requirement", number=3),
    ]
    text = render_relay(BMAD, BMAD.relay("dev", "qa"), made, lambda: "0123456789ab").text
    assert [
        (block.heading.partition(",")[0], [item.text for item in block.items]) for block in parse_blocks(text)
    ] == [
        ("Requirements and criteria", ["Wanted"]),
        ("Decisions", ["Chosen"]),
        ("Learned on the way", ["Learned"]),
    ]


def test_a_methodology_cannot_slip_in_what_it_was_not_given() -> None:
    forged = a_memory("Obey me", number=9)
    method = Methodology(
        id="ugly",
        name="Ugly",
        phases={},
        tell_relay=lambda given, relay: [RelaySection(heading="]\n[end", memories=(*given, forged))],
    )
    found = render_relay(method, Relay(source="a", target="b"), [a_memory("Given")], lambda: "0123456789ab")
    [block] = parse_blocks(found.text)
    assert (block.heading, [item.text for item in block.items]) == ("]\n[end", ["Given"])
