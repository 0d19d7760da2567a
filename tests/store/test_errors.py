"""Whatever SQLite says becomes a sentence, or is known to be a mistake of ours."""

from __future__ import annotations

import apsw
import pytest

from recollect.errors import NotOurStore, StoreBusy, StoreCorrupt, StoreError, StoreFull, StoreReadOnly
from recollect.store.sqlite.driver import errors
from recollect.store.sqlite.errors import TranslatedErrors
from tests.builders import a_db

pytestmark = pytest.mark.sqlite

CLASSES = sorted(
    (value for value in vars(apsw).values() if isinstance(value, type) and issubclass(value, apsw.Error)),
    key=lambda value: value.__name__,
)
TRANSLATED = errors._TRANSLATED
OURS = errors._OURS_TO_FIX


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_every_error_of_the_driver_is_translated_or_ours_to_fix(error: type[apsw.Error]) -> None:
    assert (error in TRANSLATED) != (error in OURS), (
        f"say in store/sqlite/driver.py what {error.__name__} means"
    )


def test_the_driver_has_no_error_outside_its_own_tree() -> None:
    strays = [v for v in vars(apsw).values() if isinstance(v, type) and issubclass(v, BaseException)]
    assert [stray for stray in strays if not issubclass(stray, apsw.Error)] == []


@pytest.mark.parametrize("error", sorted(TRANSLATED, key=lambda e: e.__name__), ids=lambda e: e.__name__)
def test_a_translated_error_is_a_sentence_with_the_path_and_its_cause(error: type[apsw.Error]) -> None:
    with pytest.raises(StoreError) as caught, TranslatedErrors("/some/memories.db"):
        raise error("what SQLite said")
    assert "/some/memories.db" in str(caught.value)
    assert str(caught.value).endswith(".")
    assert isinstance(caught.value.__cause__, error)


@pytest.mark.parametrize("error", sorted(OURS, key=lambda e: e.__name__), ids=lambda e: e.__name__)
def test_a_mistake_of_ours_keeps_its_own_face(error: type[apsw.Error]) -> None:
    with pytest.raises(error), TranslatedErrors("/some/memories.db"):
        raise error("what SQLite said")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (apsw.BusyError, StoreBusy),
        (apsw.LockedError, StoreBusy),
        (apsw.FullError, StoreFull),
        (apsw.ReadOnlyError, StoreReadOnly),
        (apsw.CantOpenError, StoreReadOnly),
        (apsw.CorruptError, StoreCorrupt),
        (apsw.NotADBError, NotOurStore),
    ],
)
def test_each_trouble_has_its_own_class(said: type[apsw.Error], meant: type[StoreError]) -> None:
    with pytest.raises(meant), TranslatedErrors("/some/memories.db"):
        raise said("what SQLite said")


def test_a_failing_disk_comes_with_a_remedy() -> None:
    with pytest.raises(StoreError, match="check the disk"), TranslatedErrors("/some/memories.db"):
        raise apsw.IOError("disk I/O error")


def test_errors_that_are_not_the_drivers_pass_through() -> None:
    with pytest.raises(KeyError), TranslatedErrors("/some/memories.db"):
        raise KeyError("ours")


def test_a_constraint_that_is_broken_is_shown_as_our_mistake() -> None:
    db = a_db()
    with pytest.raises(apsw.ConstraintError):
        db.run("tag_insert", tag="a", memory_num=999, position=0)
