"""Every page in a real browser: no error, no request to others, readable for all, in two languages, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.ui.conftest import RunningDashboard, Watched

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
PAGES = (
    "/",
    "/review",
    "/review?of_session=demo-chore-tests",
    "/memories",
    "/memories?view=cards&state=all",
    "/memories?view=operators&kind=timing",
    "/memories?q=payment",
    "MEMORY",
    "/modules",
    "/impact?path=shop/payments/gateway.py",
    "/learned",
    "/learned?tab=recipes",
    "/sessions",
    "/sessions/demo-fix-logout",
    "/runs",
    "RUN",
    "/events",
    "/services",
    "/cooldowns",
    "/recall?q=retry+payments&phase=implement",
    "/chat?q=payment+retries",
    "/tasks",
    "/settings",
    "/nowhere",
)
EMPTY = ("/", "/review", "/memories", "/modules", "/learned", "/sessions", "/runs", "/events", "/services")
Open = Callable[..., Watched]


def resolve(running: RunningDashboard, path: str) -> str:
    if path not in ("MEMORY", "RUN"):
        return path
    room = {"MEMORY": "memories", "RUN": "runs"}[path]
    with running.browser_client() as client:
        return f"/{room}/{client.get(f'/{room}.json').json()[room][0]['id']}"


def find_barriers(page: Any) -> list[str]:
    """What axe finds that keeps people out, as lines."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(
        "async () => (await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],"
        " resultTypes: ['violations']})).violations"
        ".filter(one => ['serious', 'critical'].includes(one.impact))"
        ".map(one => one.id + ': ' + one.nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(' | '))"
    )
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_sound_in_english_and_french_light_and_dark_wide_and_narrow(
    sample: RunningDashboard, open_page: Open, path: str
) -> None:
    address = resolve(sample, path)
    for number, (locale, scheme, width) in enumerate((("en-GB", "light", 1280), ("fr-FR", "dark", 390))):
        watched = open_page(
            sample, locale=locale, color_scheme=scheme, viewport={"width": width, "height": 844}
        )
        page = watched.go(address)
        page.wait_for_selector("[data-connection].is-live:visible")
        page.wait_for_timeout(150)
        if path == "/nowhere":
            watched.troubles.clear()  # the browser itself says that a page is missing
        assert page.get_attribute("html", "lang") == locale[:2]
        assert page.evaluate("document.documentElement.scrollWidth") <= width, "it is cut off at the side"
        # The look for barriers takes a second: half of the pages get it in one guise, half in the other.
        if PAGES.index(path) % 2 == number:
            assert find_barriers(page) == []


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_page_says_what_to_do(empty: RunningDashboard, open_page: Open, path: str) -> None:
    page = open_page(empty).go(path)
    assert page.locator(".empty h2").count() == 1
    assert find_barriers(page) == []


def test_all_stored_text_stays_text(dashboard: RunningDashboard, open_page: Open) -> None:
    """The worst of them, in a browser that would run it."""
    hostile = '"><img src=x onerror="document.title=1"><script>document.title=2</script>'
    hostile += "![](https://evil.example/?q=1) [x](javascript:document.title=3) <svg onload=document.title=4>"
    with dashboard.open_memory(False) as memory:
        made = memory.remember(hostile, kind="fact", about=["file:" + hostile[:80]], tags=[hostile[:60]])
        for number in range(3):
            memory.observer.record("prompt", session="s", text=hostile + str(number))
    watched = open_page(dashboard)
    for path in (
        "/memories",
        "/memories?view=cards",
        f"/memories/{made.memory.id}",
        "/sessions/s",
        "/chat?q=title",
    ):
        page = watched.go(path)
        page.wait_for_timeout(100)
        assert page.title() not in "1234"
        assert page.locator("main img, main script, main iframe, main svg[onload]").count() == 0
