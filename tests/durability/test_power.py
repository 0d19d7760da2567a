"""The power is cut at chance moments, between any two operations on the disk: what was acknowledged is there."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import pytest

from recollect.errors import NothingToUndo, StoreError
from recollect.store.sqlite import driver
from tests.builders import an_engine
from tests.conftest import Clock
from tests.durability.power import Disk, disk_with_power
from tests.durability.workload import acts, content
from tests.store.signature import assert_sound

ACTS = 24
CUTS_PER_RUN = 25

Content = dict[str, dict[str, Any]]


@dataclass(slots=True)
class Outcome:
    """What was found after all cuts of a run."""

    cuts: int = 0
    acts: int = 0
    lost: list[str] = field(default_factory=list)
    corrupt: list[str] = field(default_factory=list)
    leading: int = 0


def one_run(folder: Path, seed: int, outcome: Outcome) -> None:
    """A store lives from its birth on; at chance operations the power goes, and later what was left is looked at."""
    (folder / "store").mkdir(parents=True)
    file = folder / "store" / "memories.db"
    chance = random.Random(seed)
    images: list[Path] = []
    taken: list[tuple[Path, str, Content, Content]] = []

    def note(act: str, before: Content, after: Content) -> None:
        taken.extend((image, act, before, after) for image in images)
        images.clear()

    with disk_with_power(file.parent) as disk:
        disk.before = _cutting(disk, chance, folder, images)
        memory = an_engine(file, clock=Clock())
        # Often, so that cuts fall into the moving of the log into the file too.
        memory._db.pragma("wal_autocheckpoint", 25)
        before = content(memory)
        note("birth", {}, before)
        for name, act in acts(memory, chance, ACTS):
            try:
                act()
            except NothingToUndo:
                name = "nothing"
            after = content(memory)
            note(name, before, after)
            before, outcome.acts = after, outcome.acts + 1
        memory.close()
        note("close", before, before)
    for each in taken:
        _look(*each, outcome)


def _cutting(disk: Disk, chance: random.Random, folder: Path, images: list[Path]) -> Any:
    moments = iter(sorted(chance.sample(range(1, 1400), CUTS_PER_RUN)))
    next_cut = [next(moments)]

    def cut(number: int, what: str) -> None:
        if number >= next_cut[0]:
            image = disk.cut(chance, folder / f"cut-{number}")
            mirror = disk.folder / "memories.db.commits"
            if mirror.exists():  # written through the system, after the commit: at its furthest
                (image / mirror.name).write_bytes(mirror.read_bytes())
            images.append(image)
            next_cut[0] = next(moments, 10**9)

    return cut


def _look(image: Path, act: str, before: Content, after: Content, outcome: Outcome) -> None:
    """What is left is the store before the act that was under way, or after it: never a third."""
    outcome.cuts += 1
    file = image / "memories.db"
    try:
        found, losses = _opened(file) if file.exists() else ({}, ())
    except (StoreError, apsw.Error, AssertionError) as error:
        outcome.corrupt.append(f"{image.name} in {act}: {error}")
        return
    outcome.leading += bool(losses)
    if found not in (before, after):
        outcome.lost.append(f"{image.name} in {act}: {len(found)} of {len(before)}")


def _opened(file: Path) -> tuple[Content, tuple[str, ...]]:
    with an_engine(file, clock=Clock()) as memory:
        losses = tuple(memory.safety.losses())
        assert_sound(memory._db)
        assert [f for f in memory.admin.verify() if f.verdict != "pass" and f.check != "commits"] == []
        return content(memory), losses


def test_nothing_acknowledged_is_lost_with_the_power(tmp_path: Path, long: bool, tally: Counter[str]) -> None:
    outcome = Outcome()
    for seed in range(24 if long else 2):
        one_run(tmp_path / str(seed), seed, outcome)
    tally["power cuts"] += outcome.cuts
    tally["acts acknowledged before a cut"] += outcome.acts
    tally["lost with the power"] += len(outcome.lost)
    tally["stores corrupt after a cut"] += len(outcome.corrupt)
    print(
        f"{outcome.cuts} cuts, {outcome.acts} acts, {len(outcome.lost)} lost, {len(outcome.corrupt)} corrupt"
    )
    assert outcome.lost == []
    assert outcome.corrupt == []
    assert outcome.leading == 0, "the mirror led"
    assert outcome.cuts >= (500 if long else 30)


@pytest.mark.parametrize(("level", "what"), [(1, "lost"), (0, "corrupt")], ids=["NORMAL", "OFF"])
def test_the_trial_finds_what_a_weaker_setting_loses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, long: bool, tally: Counter[str], level: int, what: str
) -> None:
    weaker = tuple((name, level if name == "synchronous" else value) for name, value in driver._PRAGMAS)
    monkeypatch.setattr(driver, "_PRAGMAS", weaker)
    outcome = Outcome()
    for seed in range(4 if long else 2):
        one_run(tmp_path / str(seed), seed, outcome)
    name = "NORMAL" if level else "OFF"
    tally[f"for comparison: bad outcomes of {outcome.cuts} cuts with synchronous={name}"] += len(
        outcome.lost
    ) + len(outcome.corrupt)
    assert getattr(outcome, what) or outcome.corrupt, f"{outcome.cuts} cuts found nothing"
