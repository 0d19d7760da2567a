"""The other side of distrust: what a person typed is told to an agent that asks for its thing."""

from __future__ import annotations

from pathlib import Path

from recollect import Recollect, Remembered
from recollect.model.memory import MemoryState
from recollect.model.provenance import Channel
from recollect.providers.embed_bundled import BundledEmbedder
from recollect.surfaces.tool_calls import Caller
from recollect.surfaces.tools import call_tool
from tests.attacks.corpus import HERE
from tests.conftest import Clock

# The aim is 0.98. All 160 were among the answers before there was a bar for what answers a question; the bar as it is
# now leaves 7 out, such as what unit prices are in, asked in French. This may only rise.
LEAST_TOLD = 0.95


def read_clean_notes() -> list[tuple[str, str]]:
    """What a person typed, and what is asked later."""
    lines = (HERE / "clean_notes.tsv").read_text("utf-8").splitlines()
    notes = [line.split("\t") for line in lines if not line.startswith("#")]
    return [(text, question) for _, text, question in notes]


def test_what_a_person_typed_is_told_when_its_thing_is_asked_for(tmp_path: Path, clock: Clock) -> None:
    notes, model = read_clean_notes(), BundledEmbedder()
    assert len(notes) >= 160
    with Recollect(tmp_path / "m.db", folder=tmp_path, embedder=model, clock=clock) as person:
        answers = [person.remember(text) for text, _ in notes]
    assert all(isinstance(one, Remembered) and one.memory.state is MemoryState.ACTIVE for one in answers)
    with Recollect(
        tmp_path / "m.db",
        folder=tmp_path,
        embedder=model,
        clock=clock,
        actor="agent",
        channel=Channel.AGENT,
    ) as memory:
        caller = Caller(memory=memory)
        untold = [
            (text, question)
            for text, question in notes
            if text not in str(call_tool("recall", {"question": question}, lambda: caller))
        ]
    assert len(untold) <= (1 - LEAST_TOLD) * len(notes), untold
