"""What can be done on the other pages, in a real browser; and what happens by itself: live parts, logs, a lost line."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from recollect import Recollect
from recollect.model.operations import OpsEvent, OpsEventType, OpsRun
from recollect.model.provenance import Channel
from recollect.ops.workspace import RunWorkspace
from tests.hash_embedder import HashEmbedder
from tests.ui.conftest import RunningDashboard, Watched

Open = Callable[..., Watched]


def test_health_explains_its_score_and_measures_on_demand(sample: RunningDashboard, open_page: Open) -> None:
    page = open_page(sample).go("/")
    assert page.locator(".parts li").count() == 5
    assert all(page.locator(".part-why").nth(number).inner_text() for number in range(5))
    for title in ("Module coverage", "Sessions", "What is known", "Hooks", "Check-up", "Storage and method"):
        expect(page.locator(f"h2:has-text('{title}')").first).to_be_visible()
    page.click("text=Time them")
    expect(page.locator("section:has(#hooks-title) .bars .figure").first).to_contain_text(
        "ms", timeout=60_000
    )
    page.click("text=Check everything")
    expect(page.locator("section:has(#check-title) .figures")).to_be_visible(timeout=60_000)


def test_the_map_leads_to_lists_and_to_what_a_change_touches(
    sample: RunningDashboard, open_page: Open
) -> None:
    page = open_page(sample).go("/modules")
    expect(page.locator("[data-graph] canvas")).to_be_visible()
    page.click("td a:has-text('payments')")
    page.wait_for_url("**/memories?module=payments")
    assert page.locator("#part [data-item]").count() >= 5
    page.goto(f"{sample.base}/modules")
    page.locator("tr:has-text('payments') a[href^='/impact']").click()
    page.fill("[name=path]", "shop/payments/gateway.py")
    page.click("button:has-text('Show')")
    expect(page.locator("text=shop/payments/retry.py").first).to_be_visible()
    expect(page.locator("[data-graph] canvas")).to_be_visible()


def test_lessons_recipes_and_skills_are_added_stood_by_and_put_away(
    own_sample: RunningDashboard, open_page: Open
) -> None:
    page = open_page(own_sample).go("/learned")
    cards = page.locator("#part [data-item]")
    count = cards.count()
    page.click("text=Add a lesson")
    assert page.input_value("#add-dialog [name=kind]") == "lesson"
    page.fill("#add-dialog [name=text]", "Never restart the bank's gateway by hand")
    page.click("#add-dialog button:has-text('Remember')")
    expect(cards).to_have_count(count + 1)
    page.click("li:has-text('Do not mock the clock') [data-key=c]")
    expect(page.locator("li:has-text('Do not mock the clock') [data-key=c]")).to_be_disabled()
    page.click("li:has-text('Never restart') [data-key=r]")
    expect(cards).to_have_count(count)
    page.click(".toast >> text=Undo >> nth=-1")
    expect(cards).to_have_count(count + 1)
    page.click(".segmented >> text=Skills")
    page.click("text=Write the skill")
    page.click("text=Yes, do it")
    expect(page.locator("#part .badge.good")).to_have_text("written")
    (skill,) = own_sample.ask("/learned.json?tab=skills")["skills"]
    assert skill["state"] == "written" and "SKILL.md" in skill["path"]
    page.click("text=Remove the file")
    page.click("text=Yes, do it")
    expect(page.locator("#part .badge.ask")).to_have_text("proposed")


def test_a_session_says_what_was_told_and_what_was_not_and_why(
    sample: RunningDashboard, open_page: Open
) -> None:
    page = open_page(sample).go("/sessions")
    page.click("text=fix/logout")
    expect(page.locator("#not-told li").first).to_be_visible()
    assert page.locator("#not-told nav").count() == 0, "a part, not a page in a page"
    told = set(
        page.locator("section:has(#told-title) a[href^='/memories/']").evaluate_all("a => a.map(e => e.href)")
    )
    left_out = set(page.locator("#not-told a").evaluate_all("a => a.map(e => e.href)"))
    assert left_out and not told & left_out
    assert "below the bar" in page.inner_text("#not-told")


def test_an_event_appears_by_itself_and_a_log_grows_while_a_run_goes_on(
    dashboard: RunningDashboard, open_page: Open
) -> None:
    with dashboard.open_memory(False) as memory:
        operations, db = memory.operations, memory.settings.db
        run = OpsRun(
            id=operations.new_id(), job="health", chain_id="c", trigger="hand", started_at=datetime.now(UTC)
        )
        operations.put_run(run)
        folder = RunWorkspace(db).make(run.id)
        folder.output.write_text("looking at caddy\n", "utf-8")
        page = open_page(dashboard).go("/events")
        page.wait_for_selector("[data-connection].is-live:visible")
        event = OpsEvent(at=datetime.now(UTC), type=OpsEventType.HEALTH, level="info", message="caddy is up")
        operations.put_event(event)
        expect(page.locator(".log li")).to_contain_text("caddy is up")
        page.goto(f"{dashboard.base}/runs/{run.id}")
        expect(page.locator(".terminal")).to_contain_text("looking at caddy")
        folder.output.write_text("looking at caddy\nand at postgres\n", "utf-8")
        expect(page.locator(".terminal")).to_contain_text("and at postgres")
        page.click("button:has-text('Stop')")
        page.click("text=Yes, do it")
        expect(page.locator(".toast")).to_contain_text("asked to end")
        assert operations.is_stop_wanted(run.id)


def test_a_cooldown_is_reset_after_a_yes(own_sample: RunningDashboard, open_page: Open) -> None:
    page = open_page(own_sample).go("/cooldowns")
    card = page.locator("li.card:has-text('jellyfin')")
    expect(card.locator(".badge")).to_have_text("not allowed")
    card.locator("button").click()
    page.click("text=Yes, do it")
    expect(card.locator(".badge")).to_have_text("allowed")


def test_the_inspector_shows_the_exact_text_the_bar_and_the_parts(
    sample: RunningDashboard, open_page: Open
) -> None:
    page = open_page(sample).go("/recall")
    page.fill("#q", "retry payments")
    page.keyboard.press("Enter")
    expect(page.locator(".terminal")).to_contain_text("end of recollect")
    expect(page.locator(".the-bar")).to_have_count(1)
    shown = sample.ask("/recall.json?q=retry+payments")
    assert page.locator(".terminal").text_content() == shown["text"], "to the letter"
    page.locator(".candidates summary").first.click()
    expect(page.locator(".candidates details[open] .bars li").first).to_be_visible()
    page.select_option("[name=phase]", "validate")
    expect(page).to_have_url(f"{sample.base}/recall?q=retry%20payments&phase=validate&layout=coding")


def test_the_chat_answers_with_citations_one_question_after_another(
    sample: RunningDashboard, open_page: Open
) -> None:
    page = open_page(sample).go("/chat")
    for number, question in enumerate(("payment retries", "who owns the gateway contract")):
        page.fill("#q", question)
        page.keyboard.press("Enter")
        expect(page.locator(".turn")).to_have_count(number + 1)
        expect(page.locator(".turn").last.locator(".cited a").first).to_be_visible()
    assert page.locator(".chat nav").count() == 0
    page.locator(".cited a").first.click()
    page.wait_for_url("**/memories/*")


def test_a_task_is_added_and_moved(own_sample: RunningDashboard, open_page: Open) -> None:
    page = open_page(own_sample).go("/tasks")
    page.fill("#task-title", "Call the bank")
    page.click("button:has-text('Add') >> nth=-1")
    todo = page.locator("section:has(#column-todo)")
    expect(todo).to_contain_text("Call the bank")
    page.locator(".task:has-text('Call the bank') select").select_option("done")
    expect(page.locator("section:has(#column-done)")).to_contain_text("Call the bank")


def test_settings_preview_before_they_prune_and_archive_what_was_shown(
    own_sample: RunningDashboard, open_page: Open
) -> None:
    with own_sample.open_memory(False) as memory:
        sure, settings = memory.remember("The roof is red").memory.id, memory.settings
    long_ago = datetime.now(UTC) - timedelta(days=400)
    with Recollect(
        settings=settings,
        folder=own_sample.folder,
        embedder=HashEmbedder(),
        clock=lambda: long_ago,
        actor="agent",
        channel=Channel.AGENT,
    ) as memory:
        unsure = memory.remember("The cellar may be wet", kind="fact", confidence=0.05).memory.id
    page = open_page(own_sample).go("/settings")
    page.fill("#redact-text", "token ghp_" + "a1B2" * 9)
    expect(page.locator("#redacted")).to_contain_text("Taken out")
    assert "a1B2a1B2" not in page.inner_text("#redacted")
    page.check("[name=merged]")
    page.click("button:has-text('Preview')")
    expect(page.locator("#prune")).to_contain_text("Nothing would be pruned")
    page.uncheck("[name=merged]")
    page.fill("#prune-below", "0.9")
    page.click("button:has-text('Preview')")
    expect(page.locator("#prune")).to_contain_text("The cellar may be wet")
    page.click("text=Archive them")
    page.click("text=Yes, do it")
    expect(page.locator(".toast")).to_contain_text("1 memory archived")
    page.click(".toast >> text=Undo")
    expect(page.locator(".toast").last).to_contain_text("Taken back")
    with own_sample.open_memory(False) as memory:
        assert {str(memory.show(one).state) for one in (sure, unsure)} == {"active"}
    page.click("text=Re-index")
    expect(page.locator("section:has(#embed-title)")).to_contain_text("memories embedded", timeout=30_000)


def test_language_and_theme_are_switched_and_stay(dashboard: RunningDashboard, open_page: Open) -> None:
    page = open_page(dashboard).go("/settings")
    page.click("main button:has-text('Français')")
    expect(page.locator("h1")).to_have_text("Réglages")
    page.click("main button:has-text('Sombre')")
    expect(page.locator("html[data-theme=dark][lang=fr]")).to_be_attached()
    page.goto(f"{dashboard.base}/")
    expect(page.locator("html[data-theme=dark][lang=fr]")).to_be_attached()


def test_on_a_phone_the_menu_opens_leads_and_closes(sample: RunningDashboard, open_page: Open) -> None:
    page = open_page(sample, viewport={"width": 390, "height": 844}, has_touch=True).go("/")
    expect(page.locator("#sidebar")).not_to_be_visible()
    page.tap("[data-menu]")
    expect(page.locator("#sidebar")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#sidebar")).not_to_be_visible()
    page.tap("[data-menu]")
    page.tap("#sidebar >> text=Review")
    page.wait_for_url("**/review")


def test_a_lost_line_is_said_and_not_hidden(empty: RunningDashboard, open_page: Open) -> None:
    watched = open_page(empty)
    page = watched.go("/memories")
    page.wait_for_selector("[data-connection].is-live:visible")
    page.context.set_offline(True)
    page.fill("#q", "is anybody there")
    expect(page.locator(".sidebar [data-connection]")).to_contain_text("Connection lost")
    watched.troubles.clear()  # what the browser says of a line that we cut
    page.context.set_offline(False)
