"""
Takes the pictures of the dashboard in docs/pictures from the sample project. `make screenshots`.

    .venv/bin/python tools/docs/screenshots.py

The same project as `recollect demo --ui`, a real server, the system's Chromium. A picture that is too heavy
for a page of documentation is an error.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from recollect import Recollect, config
from recollect.config import AGENT_SIGNS
from recollect.demo.sample_project import make_sample_project
from recollect.model.provenance import Channel
from recollect.surfaces.ui.serve import make_server, take_port

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
MAX_BYTES = 250_000
WIDE, NARROW = (1280, 800), (390, 760)


class Picture(NamedTuple):
    """A picture: its file, the page, how it looks, and what must be there before it is taken."""

    name: str
    path: str
    scheme: str = "light"
    size: tuple[int, int] = WIDE
    wait_for: str = "main"
    language: str = "en"


PICTURES = (
    Picture("dashboard-health", "/", wait_for="section:has(#hooks-title) .figure:has-text('ms')"),
    Picture(
        "dashboard-health-dark", "/", "dark", wait_for="section:has(#hooks-title) .figure:has-text('ms')"
    ),
    Picture("dashboard-review", "/review?of_session=demo-chore-tests", wait_for=".review-card .quotes"),
    Picture("dashboard-memories", "/memories"),
    Picture("dashboard-inspector", "/recall?q=retry+payments&phase=implement", wait_for=".the-bar"),
    Picture("dashboard-map", "/modules", "dark", wait_for="[data-graph] canvas"),
    Picture("dashboard-phone-fr", "/review", "dark", NARROW, ".review-card", "fr"),
)


def main() -> int:
    """Take every picture; 1 when one is too heavy."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with _serve() as make_link, _open_browser() as browser:
        state = _let_in(browser, make_link())
        base = make_link().partition("/?")[0]
        return max([_take(browser, base, state, picture) for picture in PICTURES])


def _take(browser: Any, base: str, state: Any, picture: Picture) -> int:
    context = browser.new_context(
        storage_state=state,
        viewport={"width": picture.size[0], "height": picture.size[1]},
        color_scheme=picture.scheme,
        locale={"en": "en-GB", "fr": "fr-FR"}[picture.language],
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(base + picture.path)
    page.wait_for_selector(picture.wait_for, timeout=180_000)
    page.wait_for_selector("[data-connection].is-live:visible")
    page.wait_for_timeout(3500 if "map" in picture.name else 600)  # until a drawing has come to rest
    file = FOLDER / f"{picture.name}.png"
    page.screenshot(path=str(file))
    context.close()
    weight = file.stat().st_size
    print(f"{file.relative_to(FOLDER.parents[1])}: {weight:,} bytes")
    return int(weight > MAX_BYTES)


@contextmanager
def _serve() -> Iterator[Any]:
    """The sample project behind a dashboard, in a home that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="recollect-pictures-") as scratch:
        folder = Path(scratch)
        for name in [*AGENT_SIGNS, *(one for one in os.environ if one.startswith("RECOLLECT_"))]:
            os.environ.pop(name, None)
        os.environ.update(HOME=scratch, RECOLLECT_HOME=str(folder / "home"))
        settings = config.load_settings(None, {"db": str(folder / "memories.db")})
        project = make_sample_project(folder, settings, now=datetime.now(UTC))

        def open_memory(for_agent: bool) -> Recollect:
            channel = Channel.AGENT if for_agent else Channel.USER
            actor = "agent" if for_agent else "user"
            return Recollect(settings=settings, folder=project, actor=actor, channel=channel)

        with take_port(0) as listening:
            server = make_server(open_memory, listening, folder=project, measures=True)
            thread = threading.Thread(target=server.run, daemon=True)
            thread.start()
            try:
                yield server.make_link
            finally:
                server.stop()
                thread.join(timeout=30)


@contextmanager
def _open_browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.ui.browser import find_browser

    with sync_playwright() as playwright:
        arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        browser = playwright.chromium.launch(executable_path=find_browser(), args=arguments)
        yield browser
        browser.close()


def _let_in(browser: Any, link: str) -> Any:
    context = browser.new_context()
    context.new_page().goto(link)
    state = context.storage_state()
    context.close()
    return state


if __name__ == "__main__":
    sys.exit(main())
