"""A real dashboard on a real port, over the sample project or an empty memory; and a real browser."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect import Recollect, config
from recollect.config import AGENT_SIGNS
from recollect.demo.sample_project import make_sample_project
from recollect.model.provenance import Channel
from recollect.surfaces.ui.serve import make_server, take_port
from tests.hash_embedder import HashEmbedder
from tests.ui.browser import find_browser


class RunningDashboard:
    """A dashboard that answers; `link` lets one browser in."""

    def __init__(
        self, base: str, make_link: Callable[[], str], key: str, open_memory: Any, folder: Path | None
    ) -> None:
        self.base = base
        self.folder = folder
        self.key = key
        self._make_link = make_link
        self.open_memory = open_memory

    @property
    def link(self) -> str:
        return self._make_link()

    @contextmanager
    def browser_client(self) -> Iterator[httpx.Client]:
        """A client that was let in as a person's browser."""
        with httpx.Client(base_url=self.base, timeout=60) as client:
            assert client.get(self.link).status_code == 303
            yield client

    def ask(self, path: str) -> Any:
        """The twin of a page, as a person's browser gets it."""
        with self.browser_client() as client:
            return client.get(path).raise_for_status().json()

    def program_client(self) -> httpx.Client:
        """A client that sends the key."""
        headers = {"Authorization": f"Bearer {self.key}"}
        return httpx.Client(base_url=self.base, headers=headers, timeout=60)


@contextmanager
def run_dashboard(db: Path, folder: Path | None) -> Iterator[RunningDashboard]:
    settings = config.load_settings(None, {"db": str(db)})

    def open_memory(for_agent: bool) -> Recollect:
        return Recollect(
            settings=settings,
            folder=folder,
            embedder=HashEmbedder(),
            actor="agent" if for_agent else "user",
            channel=Channel.AGENT if for_agent else Channel.USER,
        )

    open_memory(False).close()
    with take_port(0) as listening:
        server = make_server(open_memory, listening, folder=folder)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        base = server.make_link().partition("/?")[0]
        key = (config.data_dir() / "ui-key").read_text()
        try:
            yield RunningDashboard(base, server.make_link, key, open_memory, folder)
        finally:
            server.stop()
            thread.join(timeout=20)
            assert not thread.is_alive()


def make_sample(folder: Path) -> tuple[Path, Path]:
    """The database and the repository of the sample project, in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [*AGENT_SIGNS, *(one for one in os.environ if one.startswith("RECOLLECT_"))]:
            patch.delenv(name, raising=False)
        patch.setenv("RECOLLECT_HOME", str(folder / "home"))
        patch.setenv("HOME", str(folder))
        db = folder / "memories.db"
        project = make_sample_project(
            folder,
            config.load_settings(None, {"db": str(db)}),
            now=datetime.now(UTC),
            embedder=HashEmbedder(),
        )
    return db, project


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The database and the repository of the sample project, made once."""
    return make_sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def own_sample(tmp_path: Path) -> Iterator[RunningDashboard]:
    """A sample project of the test's own, with its vault, for what changes something in it."""
    db, project = make_sample(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(tmp_path / "home"))
        with run_dashboard(db, project) as running:
            yield running


@pytest.fixture(scope="session")
def sample(
    sample_store: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningDashboard]:
    """The dashboard of the sample project; tests that change something use `dashboard`."""
    db, project = sample_store
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(tmp_path_factory.mktemp("home")))
        with run_dashboard(db, project) as running:
            yield running


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    """The dashboard of an empty memory, for what must not change anything."""
    home = tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(home))
        with run_dashboard(home / "memories.db", None) as running:
            yield running


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[RunningDashboard]:
    """The dashboard of an empty memory, outside any project."""
    with run_dashboard(tmp_path / "memories.db", None) as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright."""
    program = find_browser()
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=20_000)
    with sync_playwright() as playwright:
        # As root there is no sandbox inside a container; the pages are our own.
        arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


class Watched:
    """A page that notes what must not happen: errors in the console, and requests to others."""

    def __init__(self, page: Any, base: str) -> None:
        self.page = page
        self.base = base
        self.troubles: list[str] = []
        page.on("console", lambda line: line.type == "error" and self.troubles.append(line.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("request", self._note_request)

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith((self.base, "blob:", "data:")):
            self.troubles.append(f"a request to {request.url}")

    def go(self, path: str) -> Any:
        self.page.goto(self.base + path)
        return self.page


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Watched]]:
    """Opens a page of a dashboard; at the end nothing may have gone wrong in it."""
    contexts = []
    pages: list[Watched] = []

    def open_(running: RunningDashboard, **how: Any) -> Watched:
        context = chromium.new_context(**{"locale": "en-GB", "timezone_id": "UTC", **how})
        context.set_default_timeout(30_000)
        contexts.append(context)
        watched = Watched(context.new_page(), running.base)
        pages.append(watched)
        watched.page.goto(running.link)
        return watched

    yield open_
    troubles = [trouble for watched in pages for trouble in watched.troubles]
    for context in contexts:
        context.close()
    assert troubles == []
