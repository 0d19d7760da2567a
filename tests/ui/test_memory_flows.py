"""Memories in a real browser: found as one types, edited in place, many at once, added, looked at closely, removed."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from recollect import Recollect
from tests.ui.conftest import RunningDashboard, Watched

Open = Callable[..., Watched]
ROWS = "#part [data-item]"
TEXTS = (
    "Payment retries are capped at 3",
    "The bank blocks a card after the fourth try",
    "Invoices carry the customer's time zone",
    "Caddy starts after WireGuard",
)


def fill(running: RunningDashboard, *texts: str) -> list[str]:
    with running.open_memory(False) as memory:
        return [memory.remember(text, about=["module:pay"], tags=["money"]).memory.id for text in texts]


def look(running: RunningDashboard, memory_id: str) -> Recollect:
    with running.open_memory(False) as memory:
        return memory.show(memory_id)


def test_a_list_is_searched_as_one_types_and_the_address_follows(
    dashboard: RunningDashboard, open_page: Open
) -> None:
    fill(dashboard, *TEXTS)
    page = open_page(dashboard).go("/memories")
    page.wait_for_selector("[data-connection].is-live:visible")
    expect(page.locator(ROWS)).to_have_count(4)
    page.keyboard.press("/")
    page.keyboard.type("invoices customer time zone", delay=5)
    expect(page.locator(ROWS).first).to_contain_text("Invoices carry")
    expect(page).to_have_url(f"{dashboard.base}/memories?q=invoices%20customer%20time%20zone")
    assert page.evaluate("document.activeElement.id") == "q", "who types goes on typing"
    page.reload()
    assert page.input_value("#q") == "invoices customer time zone"
    expect(page.locator(ROWS).first).to_contain_text("Invoices carry")


def test_filters_narrow_the_list_and_can_be_cleared(sample: RunningDashboard, open_page: Open) -> None:
    page = open_page(sample).go("/memories")
    total = page.locator(ROWS).count()
    page.click("summary:has-text('Filters')")
    page.select_option("[name=kind]", "gotcha")
    expect(page.locator(f"{ROWS} .badge.kind").first).to_have_text("Gotcha")
    gotchas = page.locator(ROWS).count()
    assert 0 < gotchas < total and "kind=gotcha" in page.url
    page.fill("[name=module]", "accounts")
    page.locator("[name=module]").press("Tab")
    expect(page.locator(ROWS)).not_to_have_count(gotchas)
    page.fill("[name=min_confidence]", "1")
    page.locator("[name=min_confidence]").press("Tab")
    expect(page.locator("#part .empty")).to_contain_text("Nothing fits")
    page.click("text=Clear the filters")
    expect(page.locator(ROWS)).to_have_count(total)


def test_a_text_is_edited_in_place_and_the_edit_undone(dashboard: RunningDashboard, open_page: Open) -> None:
    (memory_id,) = fill(dashboard, TEXTS[0])
    page = open_page(dashboard).go("/memories")
    page.wait_for_selector("[data-connection].is-live:visible")
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("Payment retries are capped at 4")
    page.keyboard.press("Enter")
    expect(page.locator(f"#m-{memory_id}")).to_contain_text("capped at 4")
    assert look(dashboard, memory_id).text == "Payment retries are capped at 4"
    page.keyboard.press("u")
    expect(page.locator(f"#m-{memory_id}")).to_contain_text("capped at 3")
    page.keyboard.press("e")
    page.keyboard.type("never mind")
    page.keyboard.press("Escape")
    assert look(dashboard, memory_id).text == TEXTS[0]


def test_many_are_merged_forgotten_and_brought_back(dashboard: RunningDashboard, open_page: Open) -> None:
    ids = fill(dashboard, *TEXTS)
    page = open_page(dashboard).go("/memories")
    for memory_id in ids[:2]:
        page.check(f"#m-{memory_id} [data-pick]")
    page.click("[data-bulk-merge]")
    expect(page.locator(ROWS)).to_have_count(3)
    page.check("[data-pick-all]")
    page.click("[data-bulk-delete]")
    expect(page.locator("#part .empty")).to_be_visible()
    page.click(".toast >> text=Undo")
    expect(page.locator(ROWS)).to_have_count(3)
    page.goto(f"{dashboard.base}/memories?state=all")
    grey, ink = (
        page.locator(f"#m-{one} .memory-text").evaluate("e => getComputedStyle(e).color")
        for one in (ids[1], ids[0])
    )
    assert grey != ink, "what is out of use is greyed"


def test_removing_for_good_asks_first(dashboard: RunningDashboard, open_page: Open) -> None:
    (memory_id,) = fill(dashboard, TEXTS[0])
    page = open_page(dashboard).go(f"/memories/{memory_id}")
    page.click("text=Remove for good")
    page.keyboard.press("Enter")  # the safe answer has the focus
    expect(page.locator("#sure-dialog")).not_to_be_visible()
    assert look(dashboard, memory_id).text == TEXTS[0]
    page.click("text=Remove for good")
    page.click("text=Yes, do it")
    page.wait_for_url(f"{dashboard.base}/memories")
    assert dashboard.ask("/memories.json?state=all")["total"] == 0


def test_a_memory_is_added_from_anywhere_with_its_kind(dashboard: RunningDashboard, open_page: Open) -> None:
    page = open_page(dashboard).go("/sessions")
    page.wait_for_selector("[data-connection].is-live:visible")
    page.keyboard.press("Control+Shift+M")
    page.keyboard.type("Cards are charged in cents")
    page.select_option("#add-dialog [name=kind]", "decision")
    page.fill("#add-dialog [name=about]", "src/pay.py, service:bank")
    page.click("#add-dialog button:has-text('Remember')")
    expect(page.locator(".toast")).to_contain_text("Remembered.")
    (made,) = dashboard.ask("/memories.json")["memories"]
    assert made["kind"] == "decision" and made["text"] == "Cards are charged in cents"
    page.goto(f"{dashboard.base}/memories?add=1&add_about=src/new.py")
    assert page.input_value("#add-dialog [name=about]") == "src/new.py", "about this file"
    page.keyboard.press("Escape")


def _wait_for_poll(page: Page) -> None:
    with page.expect_response(lambda answer: "view=operators" in answer.url, timeout=20_000):
        pass


def test_the_operators_list_refreshes_and_never_steals_the_focus(
    dashboard: RunningDashboard, open_page: Open
) -> None:
    ids = fill(dashboard, *TEXTS[:3])
    page = open_page(dashboard).go("/memories?view=operators")
    page.check(f"#m-{ids[0]} [data-pick]")
    page.locator(f"#m-{ids[1]} [data-edit-row]").focus()
    fill(dashboard, "A new one that others wrote")
    _wait_for_poll(page)
    expect(page.locator(ROWS)).to_have_count(4)
    assert page.evaluate("document.activeElement.closest('[data-item]').dataset.id") == ids[1]
    assert page.is_checked(f"#m-{ids[0]} [data-pick]"), "what was selected stays so"
    page.keyboard.press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("half a sen")
    fill(dashboard, "Another one that others wrote meanwhile")
    page.wait_for_timeout(5500)  # the time of one refresh, which must not happen
    page.keyboard.type("tence")
    assert page.evaluate("document.activeElement.value") == "half a sentence"
    page.keyboard.press("Escape")


def test_a_memory_shows_its_story_and_its_neighbours(sample: RunningDashboard, open_page: Open) -> None:
    memory_id = next(
        one["id"] for one in sample.ask("/memories.json")["memories"] if one["kind"] == "decision"
    )
    page = open_page(sample).go(f"/memories/{memory_id}")
    expect(page.locator("[data-chart=confidence] canvas")).to_be_visible()
    expect(page.locator("[data-graph] canvas")).to_be_visible()
    words = page.inner_text("main")
    for title in (
        "Where it comes from",
        "Where it was told",
        "History",
        "What replaced what",
        "Similar memories",
    ):
        assert title in words
    assert page.locator(".chain li").count() == 2
    assert "cited" in words.lower(), "whether it was used where it was told"


def test_the_form_of_a_memory_changes_it_and_its_history_says_so(
    dashboard: RunningDashboard, open_page: Open
) -> None:
    (memory_id,) = fill(dashboard, TEXTS[0])
    page = open_page(dashboard).go(f"/memories/{memory_id}")
    page.fill("#edit-confidence", "0.42")
    page.select_option("#edit-kind", "gotcha")
    page.fill("#edit-tags", "a, b")
    page.click("form:has(#edit-text) >> text=Save")
    expect(page.locator(".history li")).to_have_count(2)
    changed = look(dashboard, memory_id)
    assert (changed.confidence, changed.kind, set(changed.tags)) == (0.42, "gotcha", {"a", "b"})
