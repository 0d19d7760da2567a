"""What counts as used, strictly: by what a session did after the prompt, and by nothing before it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.relevance_sessions import judge_use
from benchmarks.replay import Memory
from benchmarks.replay_sessions import Replayed, Touch
from recollect import Recollect
from recollect.inject.injection import FILE_PREFIX
from recollect.model.event import Event, EventType
from recollect.model.memory import Remembered

ASKED = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
ERROR = "RuntimeError: ledger of 2026 lacks its counter posting"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Recollect]:
    with Recollect(tmp_path / "shop.db", folder=None) as memory:
        yield memory


def at(minutes: float) -> datetime:
    return ASKED + timedelta(minutes=minutes)


def an_event(kind: EventType, minutes: float, *, output: str = "", ok: bool | None = None) -> Event:
    return Event(
        id=f"e{minutes}", type=kind, at=at(minutes), session_id="s", tool="Bash", output=output, ok=ok
    )


PROMPT = an_event(EventType.PROMPT, 0)


def a_session(*opened: tuple[str, float], failed: tuple[str, float] | None = None) -> Replayed:
    failures = [an_event(EventType.TOOL_FINISHED, failed[1], output=failed[0], ok=False)] if failed else []
    return Replayed(
        id="s",
        asked_at=ASKED,
        prompt="go on",
        branch="main",
        folder="/shop",
        touches=[Touch(at=at(minutes), path=path, branch="main", is_read=True) for path, minutes in opened],
        made=frozenset(),
        events=[PROMPT, *failures],
    )


def is_used(shop: Recollect, session: Replayed, name: str) -> bool:
    return judge_use(session, Memory(db=shop._db, project_id=""), PROMPT, name)[1]


def keep(shop: Recollect, text: str, kind: str, *about: str, **fields: object) -> str:
    outcome = shop.remember(text, kind=kind, about=list(about), everywhere=True, **fields)
    assert isinstance(outcome, Remembered)
    return outcome.memory.id


def test_a_file_is_used_when_it_is_opened_after_the_prompt(shop: Recollect) -> None:
    name = f"{FILE_PREFIX}cart.py"
    assert is_used(shop, a_session(("cart.py", 1)), name)
    assert not is_used(shop, a_session(("cart.py", -1)), name)
    assert not is_used(shop, a_session(("tax.py", 1)), name)


def test_files_that_belong_together_are_used_when_all_of_them_are_opened(shop: Recollect) -> None:
    pair = keep(
        shop, "cart.py and tax.py change together", "causal_dependency", "file:cart.py", "file:tax.py"
    )
    assert is_used(shop, a_session(("cart.py", 1), ("tax.py", 2)), pair)
    assert not is_used(shop, a_session(("cart.py", 1)), pair)
    assert not is_used(shop, a_session(("cart.py", -1), ("tax.py", 2)), pair)


def test_an_error_is_used_when_it_is_met_and_not_when_its_file_is_opened(shop: Recollect) -> None:
    known = keep(
        shop,
        f"{ERROR}: post the counter entry first",
        "error_pattern",
        "file:ledger.py",
        fields={"error": ERROR, "fix": "post the counter entry first"},
    )
    assert is_used(shop, a_session(failed=(ERROR.replace("2026", "2027"), 3)), known)
    assert not is_used(shop, a_session(("ledger.py", 1)), known)
    assert not is_used(shop, a_session(failed=(ERROR, -3)), known)
    assert not is_used(shop, a_session(failed=("RuntimeError: no printer is there today", 3)), known)


def test_any_other_memory_is_used_when_a_file_that_it_is_about_is_opened(shop: Recollect) -> None:
    gotcha = keep(shop, "cart.py counts cents", "gotcha", "file:cart.py")
    assert is_used(shop, a_session(("cart.py", 1)), gotcha)
    assert not is_used(shop, a_session(("tax.py", 1)), gotcha)


def test_what_is_about_no_file_never_counts(shop: Recollect) -> None:
    rule = keep(shop, "Never mock in tests", "preference")
    assert not is_used(shop, a_session(("cart.py", 1), failed=(ERROR, 2)), rule)
