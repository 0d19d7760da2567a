"""The N-th operation on the disk fails, for N = 1, 2, 3 … until the act succeeds: before or after, never between."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import apsw
import pytest

from recollect.errors import RecollectError
from recollect.store.safety import disk_ballast
from tests.builders import an_engine
from tests.conftest import Clock
from tests.durability.power import Disk, disk_with_power
from tests.durability.workload import content
from tests.store.signature import assert_sound
from tests.store.test_faults import ACTS, filled

FAULTS = {
    "an error of the disk": lambda: apsw.IOError("disk I/O error"),
    "a full disk": lambda: apsw.FullError("database or disk is full"),
}
IN_SHORT = {("remember", "a full disk"), ("forget", "an error of the disk"), ("purge", "a full disk")}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A store with everything in it, to be copied for every trial."""
    file = tmp_path_factory.mktemp("prepared") / "memories.db"
    memory, ids = filled(file)
    memory.close()
    disk_ballast.release_ballast(str(file))
    return file, ids


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ACTS)
def test_an_act_is_done_whole_or_not_at_all_wherever_the_disk_fails(
    tmp_path: Path, prepared: tuple[Path, list[str]], long: bool, tally: Counter[str], name: str, fault: str
) -> None:
    if not long and (name, fault) not in IN_SHORT:
        pytest.skip("in the long form")
    file, ids = prepared
    failed = taken_back = 0
    for number in range(1, 2000):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copy(file, folder)
        outcome = _tried(folder / file.name, ids, name, fault, number)
        shutil.rmtree(folder)
        if outcome == "nothing failed":
            break
        failed += 1
        taken_back += outcome == "before"
    else:
        pytest.fail("it never succeeded")
    tally["faults injected, each at the N-th operation of the disk"] += failed
    tally["  of these taken back whole"] += taken_back
    print(f"{name}, {fault}: {failed} places to fail, {taken_back} taken back")
    assert failed > 5


def _tried(file: Path, ids: list[str], name: str, fault: str, number: int) -> str:
    with disk_with_power(file.parent) as disk:
        memory = an_engine(file, clock=Clock())
        before = content(memory)
        failing = _Failing(disk, number, fault)
        said: RecollectError | None = None
        try:
            ACTS[name](memory, ids)
        except RecollectError as error:
            said = error
        failing.stop()
        after = content(memory)
        assert_sound(memory._db)
        memory.close()
        with an_engine(file, clock=Clock()) as again:
            assert content(again) == after
            assert [f for f in again.admin.verify() if f.verdict != "pass"] == []
            if said is None:
                return "after" if failing.failed else "nothing failed"
            assert str(file) in str(said)
            if after == before:
                # What failed can be done now.
                ACTS[name](again, ids)
    return "before" if after == before else "after"


class _Failing:
    """The N-th write, truncation or sync fails; the ones after it work, as on a disk that has recovered."""

    def __init__(self, disk: Disk, number: int, fault: str) -> None:
        self.failed = False
        self._left = number
        self._fault = fault
        self._disk = disk
        disk.before = self

    def __call__(self, number: int, what: str) -> None:
        self._left -= 1
        if self._left == 0:
            self.failed = True
            raise FAULTS[self._fault]()

    def stop(self) -> None:
        self._disk.before = lambda number, what: None
