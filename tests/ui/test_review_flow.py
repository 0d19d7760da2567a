"""The review in a real browser: fifty memories by keyboard alone, undo, many at once, and the evidence at a glance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from playwright.sync_api import expect

from recollect.model.memory import Remembered
from recollect.model.provenance import Channel
from tests.ui.conftest import RunningDashboard, Watched

Open = Callable[..., Watched]
CARD = "[data-item]"


def fill(running: RunningDashboard, count: int) -> list[str]:
    """Memories that wait, as the page lists them."""
    with running.open_memory(False) as memory:
        for number in range(count):
            text = f"Shelf {number} of the warehouse holds {number * 7 + 3} boxes of type {chr(97 + number % 26)}"
            made = memory.remember(text, about=[f"shelf/{number}.py"], channel=Channel.READ)
            assert isinstance(made, Remembered)
    waiting = running.ask("/review.json")["waiting"]
    assert len(waiting) == count
    return [one["memory"]["id"] for one in waiting]


def states(running: RunningDashboard, ids: Sequence[str]) -> list[str]:
    with running.open_memory(False) as memory:
        return [str(memory.show(one).state) for one in ids]


def test_fifty_memories_are_reviewed_with_the_keyboard_alone(
    dashboard: RunningDashboard, open_page: Open
) -> None:
    ids = fill(dashboard, 50)
    page = open_page(dashboard).go("/review")
    press = page.keyboard.press
    page.wait_for_selector(f"#m-{ids[0]}.is-current")
    # As fast as the keys come: nobody waits for an answer.
    for number in range(48):
        press("r" if number % 5 == 4 else "c")
    page.wait_for_selector(f"#m-{ids[48]}.is-current")
    expect(page.locator(CARD)).to_have_count(2)
    press("e")
    page.wait_for_selector("#correct-dialog[open]")
    press("Tab")
    press("Control+A")
    page.keyboard.type("Shelf 48 was taken down")
    press("Tab")
    press("Tab")
    press("Enter")
    page.wait_for_selector("#correct-dialog:not([open])", state="attached")
    page.wait_for_selector(f"#m-{ids[49]}.is-current")
    press("r")
    page.wait_for_selector(".empty")
    rejected = {number for number in range(48) if number % 5 == 4} | {49}
    assert states(dashboard, ids) == ["archived" if number in rejected else "active" for number in range(50)]
    with dashboard.open_memory(False) as memory:
        assert memory.show(ids[48]).text == "Shelf 48 was taken down"


def test_u_takes_back_one_act_after_another(dashboard: RunningDashboard, open_page: Open) -> None:
    ids = fill(dashboard, 3)
    page = open_page(dashboard).go("/review")
    page.wait_for_selector(f"#m-{ids[0]}.is-current")
    for number, key in enumerate(("c", "r")):
        page.keyboard.press(key)
        expect(page.locator(CARD)).to_have_count(2 - number)
    page.keyboard.press("u")
    page.wait_for_selector(f"#m-{ids[1]}.is-current")
    page.keyboard.press("u")
    page.wait_for_selector(f"#m-{ids[0]}.is-current")
    assert states(dashboard, ids) == ["quarantined"] * 3


def test_a_toast_undoes_what_it_tells_of(dashboard: RunningDashboard, open_page: Open) -> None:
    ids = fill(dashboard, 2)
    page = open_page(dashboard).go("/review")
    page.click(f"#m-{ids[1]} [data-key=r]")
    page.wait_for_selector(f"#m-{ids[1]}", state="detached")
    page.click(".toast >> text=Undo")
    page.wait_for_selector(f"#m-{ids[1]}")
    assert states(dashboard, ids) == ["quarantined"] * 2


def test_many_are_confirmed_at_once(dashboard: RunningDashboard, open_page: Open) -> None:
    ids = fill(dashboard, 5)
    page = open_page(dashboard).go("/review")
    page.wait_for_selector(f"#m-{ids[0]}.is-current")
    for key in ("x", "j", "x", "j", "x"):
        page.keyboard.press(key)
    assert page.inner_text("[data-count]") == "3 selected"
    page.click("[data-bulk] >> text=Confirm")
    expect(page.locator(CARD)).to_have_count(2)
    assert page.locator("[data-bulk]").is_hidden()
    assert states(dashboard, ids) == ["active"] * 3 + ["quarantined"] * 2


@pytest.mark.parametrize(
    ("reason", "state"), [("outdated", "inactive"), ("duplicate", "inactive"), ("too_specific", "active")]
)
def test_each_reason_of_a_correction_does_what_it_says(
    dashboard: RunningDashboard, open_page: Open, reason: str, state: str
) -> None:
    with dashboard.open_memory(False) as memory:
        original = memory.remember("Boxes are stacked by hand").memory.id
    ids = fill(dashboard, 2)
    page = open_page(dashboard).go("/review")
    page.click(f"#m-{ids[0]} [data-correct]")
    page.check(f"[name=wrong][value={reason}]")
    if reason == "too_specific":
        page.fill("#correct-dialog [name=text]", "Shelves hold boxes")
    if reason == "duplicate":
        page.wait_for_selector("#similar fieldset, #similar p")
        assert page.locator("#similar nav, #similar header").count() == 0
        page.fill("#correct-dialog [name=original]", original)
    page.click("text=Save the correction")
    page.wait_for_selector(f"#m-{ids[0]}", state="detached")
    assert states(dashboard, ids[:1]) == [state]


def test_an_error_says_what_is_wrong_and_the_memory_stays(
    dashboard: RunningDashboard, open_page: Open
) -> None:
    ids = fill(dashboard, 2)
    watched = open_page(dashboard)
    page = watched.go("/review")
    with dashboard.open_memory(False) as memory:
        memory.purge(ids[0])
    page.wait_for_selector(f"#m-{ids[0]}.is-current")
    page.keyboard.press("c")
    page.wait_for_selector(".toast.error")
    watched.troubles.clear()  # the browser itself says that the answer was a 404
    page.wait_for_selector(f"#m-{ids[1]}")


def test_the_evidence_is_readable_at_a_glance(sample: RunningDashboard, open_page: Open) -> None:
    page = open_page(sample).go("/review?of_session=demo-chore-tests")
    card: Any = page.locator(".review-card").first
    evidence = card.locator(".evidence")
    words = evidence.inner_text()
    assert "Who said it" in words and "What proves it" in words and "The lines" in words
    assert "ClockError: the retry clock must be monotonic" in words, "the very line of the session"
    assert evidence.locator("a[href='/sessions/demo-chore-tests']").count() == 1
    # Beside the claim, not below it, and on the screen with its buttons.
    claim, proof = card.locator(".review-claim").bounding_box(), evidence.bounding_box()
    assert abs(claim["y"] - proof["y"]) < 4 and proof["x"] > claim["x"] + claim["width"] - 1


def test_applied_and_confirmed_by_rule_stand_with_what_is_new(
    sample: RunningDashboard, open_page: Open
) -> None:
    page = open_page(sample).go("/review")
    page.select_option("[name=of_session]", "demo-fix-logout")
    page.wait_for_selector("#applied-title")
    assert "of_session=demo-fix-logout" in page.url
    assert page.locator("#applied-title ~ ul a[href^='/memories/']").count() >= 1
