"""Real clients, each in a room of its own. They run when asked for: `pytest tests/clients --clients all`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.clients.driver import Driver
from tests.clients.packages import NotInstalled
from tests.clients.room import NoRoom, Room, a_room
from tests.clients.story import Story, told
from tests.clients.ways import WAYS, Way, fetch, set_stage

OpenRoom = Callable[[Path], AbstractContextManager[Room]]
_TOLD: dict[str, Story] = {}
_MISSING: dict[str, str] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--clients", default="", help="run real clients: their names with commas, or all")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that start a real client want a download and minutes: they are left out unless they were asked for."""
    asked = str(config.getoption("--clients", default="")).split(",")
    left_out = [item for item in items if not _is_asked(item, asked)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _is_asked(item: pytest.Item, asked: list[str]) -> bool:
    mark = item.get_closest_marker("client")
    return mark is None or "all" in asked or mark.args[0] in asked


@pytest.fixture
def open_room() -> OpenRoom:
    """A room by itself; without one the test is skipped."""
    return open_room_or_skip


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A room in which only the test's own folder can be written."""
    with open_room_or_skip(tmp_path) as opened:
        yield opened


@pytest.fixture(
    scope="module",
    params=[pytest.param(way, marks=pytest.mark.client(way.driver.name), id=way.name) for way in WAYS],
)
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The whole story, told once by each client for all tests."""
    way: Way = request.param
    folder = tmp_path_factory.mktemp(way.name)
    fetched(way.driver)
    with open_room_or_skip(folder) as opened:
        stage = set_stage(way.driver, folder, opened.url)
        _TOLD[way.name] = told(way.driver, stage, opened, way.install(way.driver, stage, opened))
    return _TOLD[way.name]


def fetched(driver: Driver) -> None:
    """Have the client here, or skip the test. What could not be had once is not tried again."""
    if driver.name not in _MISSING:
        try:
            fetch(driver)
        except NotInstalled as why:
            _MISSING[driver.name] = str(why)
    if driver.name in _MISSING:
        pytest.skip(_MISSING[driver.name])


@contextmanager
def open_room_or_skip(stage: Path) -> Iterator[Room]:
    """A room, or the test is skipped with the reason why there is none."""
    try:
        with a_room(stage) as opened:
            yield opened
    except NoRoom as why:
        pytest.skip(str(why))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _TOLD:
        terminalreporter.section("seconds by client and session")
        for name, story in _TOLD.items():
            each = ", ".join(f"{scene} {session.seconds:.1f}" for scene, session in story.sessions.items())
            total = sum(session.seconds for session in story.sessions.values())
            terminalreporter.write_line(f"{name:>22}  {total:5.1f}  {each}")
