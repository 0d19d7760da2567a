"""Two files that must be edited alike, from the edits of sessions to what is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.learn.talk import Line, act, live, person
from tests.observe.acts import edit, green

FILES = ("docs/de/index.md", "docs/en/index.md")


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    folder = tmp_path / "shop"
    folder.mkdir()
    with Recollect(tmp_path / "memories.db", folder=folder, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def alike(mark: str) -> tuple[Line, ...]:
    edits = (
        act(
            edit(file) | {"edits": ()},
            edits=[{"file": file, "removed": f"{mark}-old", "added": f"{mark}-new"}],
        )
        for file in FILES
    )
    return (person("Change the index"), *edits, act(green()))


def test_files_that_were_edited_alike_in_two_sessions_are_told_to_go_together(
    memory: Recollect, clock: Clock
) -> None:
    live(memory, clock, "s1", *alike("one"))
    memory.observer.learn_due()
    assert not [one for one in memory.list() if "edited alike" in one.text], "once may be chance"
    live(memory, clock, "s2", *alike("two"))
    memory.observer.learn_due()
    [told] = [one for one in memory.list() if "edited alike" in one.text]
    assert (
        told.text
        == "docs/de/index.md and docs/en/index.md are edited alike: make a change of one in the other too."
    )
    assert not told.trust.needs_review
