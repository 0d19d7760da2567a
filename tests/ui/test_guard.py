"""Nobody gets in but the browser that was let in and the program with the key, on every route of the app."""

from __future__ import annotations

import http.client
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect, config
from recollect.surfaces.ui.access import Access, Visitor
from recollect.surfaces.ui.app import Dashboard
from recollect.surfaces.ui.guard import HEADERS, MAX_BODY
from recollect.surfaces.ui.open_memories import OpenMemories
from tests.ui.conftest import RunningDashboard

SAFE = ("GET", "HEAD")


def list_routes() -> list[tuple[str, str]]:
    """Every method and path that the app knows, with something in place of the names."""
    app = Dashboard(OpenMemories(lambda for_agent: Recollect(":memory:", folder=None))).make_app()
    return sorted(
        (method, re.sub(r"\{[^}]+\}", "01KA3", route.path))  # type: ignore[attr-defined]
        for route in app.routes
        for method in route.methods - {"HEAD"}  # type: ignore[attr-defined]
    )


ROUTES = list_routes()


def ask(
    running: RunningDashboard, method: str, path: str, headers: list[tuple[str, str]], body: bytes = b""
) -> http.client.HTTPResponse:
    """One request with exactly these headers."""
    host, port = running.base.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=30)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    response = connection.getresponse()
    if not (response.getheader("content-type") or "").startswith("text/event-stream"):
        response.read()
    response.close()
    connection.close()
    return response


@pytest.fixture
def cookie(empty: RunningDashboard) -> str:
    with empty.browser_client() as client:
        ((name, value),) = client.cookies.items()
        return f"{name}={value}"


def test_the_app_has_the_routes_that_are_tested_here() -> None:
    assert {("DELETE", "/memories/bulk"), ("PUT", "/memories/01KA3"), ("GET", "/live")} <= set(ROUTES)
    assert len(ROUTES) > 50


HOSTS = (
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1:1@evil.example",
    "127.0.0.1",
    "[::1]:{port}",
    "127.0.0.1:{port}.",
    "127.0.0.1:{port}, evil.example",
    "LOCALHOST:{port}x",
    "0.0.0.0:{port}",
    "",
)


@pytest.mark.parametrize("host", HOSTS)
def test_another_name_is_turned_away_on_every_route_even_with_the_cookie(
    empty: RunningDashboard, cookie: str, host: str
) -> None:
    named = host.format(port=empty.base.rpartition(":")[2])
    for method, path in ROUTES:
        headers = [("Host", named), ("Cookie", cookie), ("Content-Type", "application/json")]
        assert ask(empty, method, path, headers, b"{}").status == 421, (method, path)
    assert ask(empty, "GET", "/static/app.css", [("Cookie", cookie)]).status in (400, 421)


FOREIGN = (
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://localhost"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
)


@pytest.mark.parametrize("foreign", FOREIGN)
def test_another_page_is_turned_away_on_every_route(
    empty: RunningDashboard, cookie: str, foreign: dict[str, str]
) -> None:
    host = empty.base.removeprefix("http://")
    for method, path in ROUTES:
        headers = [("Host", host), ("Cookie", cookie), ("Content-Type", "application/json"), *foreign.items()]
        assert ask(empty, method, path, headers, b"{}").status == 403, (method, path)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_what_a_form_of_another_page_can_send_changes_nothing(
    empty: RunningDashboard, cookie: str, kind: str
) -> None:
    """A browser that sends neither Origin nor Sec-Fetch-Site is stopped by what forms cannot do."""
    host = empty.base.removeprefix("http://")
    body = b'{"text": "planted", "ids": ["01KA3"]}'
    for method, path in ROUTES:
        if method in SAFE:
            continue
        headers = [("Host", host), ("Cookie", cookie), *([("Content-Type", kind)] if kind else [])]
        assert ask(empty, method, path, headers, body).status == 415, (method, path)
    with empty.open_memory(False) as memory:
        assert memory.count(memory.filters(every_project=True)) == 0


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Cookie", "recollect_1=x")],
        [("Authorization", "Bearer wrong")],
        [("Authorization", "Basic dXNlcjpwYXNz")],
        [("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-Host", "127.0.0.1")],
    ],
)
def test_a_stranger_gets_in_nowhere(empty: RunningDashboard, headers: list[tuple[str, str]]) -> None:
    host = empty.base.removeprefix("http://")
    for method, path in ROUTES:
        if path.startswith("/static/"):
            continue
        asks = [("Host", host), ("Content-Type", "application/json"), *headers]
        assert ask(empty, method, path, asks, b"{}").status == 401, (method, path)


def test_nobody_from_elsewhere_is_told_that_they_may_ask(empty: RunningDashboard, cookie: str) -> None:
    host = empty.base.removeprefix("http://")
    for _, path in ROUTES:
        preflight = [
            ("Host", host),
            ("Origin", "https://evil.example"),
            ("Access-Control-Request-Method", "PUT"),
        ]
        response = ask(empty, "OPTIONS", path, preflight)
        assert response.status in (403, 405)
        assert not [name for name, _ in response.getheaders() if name.lower().startswith("access-control-")]


def test_every_answer_carries_the_policy(empty: RunningDashboard, cookie: str) -> None:
    host = empty.base.removeprefix("http://")
    for path in ("/", "/memories.json", "/static/app.css", "/nowhere", "/live", "/memories/01KA3"):
        response = ask(empty, "GET", path, [("Host", host), ("Cookie", cookie)])
        for name, value in HEADERS.items():
            assert response.getheader(name) == value, (path, name)
    assert "'unsafe-inline'" not in HEADERS["content-security-policy"]
    refused = ask(empty, "GET", "/", [("Host", "evil.example")])
    assert refused.getheader("content-security-policy") and refused.getheader("cache-control") == "no-store"


def test_a_link_works_once(dashboard: RunningDashboard) -> None:
    link = dashboard.link.removeprefix(dashboard.base)
    host = dashboard.base.removeprefix("http://")
    first = ask(dashboard, "GET", link, [("Host", host)])
    assert first.status == 303 and first.getheader("location") == "/"
    given = first.getheader("set-cookie") or ""
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in given.split(";")}
    assert given.startswith(f"recollect_{host.rpartition(':')[2]}=")
    assert ask(dashboard, "GET", link, [("Host", host)]).status == 401


def test_a_get_changes_nothing(dashboard: RunningDashboard) -> None:
    with dashboard.open_memory(False) as memory:
        memory.remember("Retries are capped at 3", kind="decision")
        before = [memory.list(), memory.history(limit=100)]
        with dashboard.browser_client() as client:
            for method, path in ROUTES:
                if method == "GET" and path != "/live":
                    client.get(path)
        assert [memory.list(), memory.history(limit=100)] == before


def test_what_is_too_long_is_not_read(dashboard: RunningDashboard) -> None:
    with dashboard.program_client() as client:
        assert client.post("/memories", json={"text": "x" * MAX_BODY}).status_code == 413

        def endless() -> Iterator[bytes]:
            for _ in range(40):
                yield b"x" * 65536

        answer = client.post("/memories", content=endless(), headers={"Content-Type": "application/json"})
        assert answer.status_code == 413


TRAVERSALS = (
    "/static/../app.py",
    "/static/..%2fapp.py",
    "/static/%2e%2e/app.py",
    "/static/....//app.py",
    "/static//etc/passwd",
    "/static/vendor/../../guard.py",
    "/static/..\\app.py",
    "/static/%00app.css",
    "/static/vendor",
    "/memories/..%2f..%2fetc%2fpasswd",
    "/sessions/../../etc/passwd",
    "/runs/..%2f..%2f..%2fetc%2fpasswd",
    "/runs/%2e%2e",
)


@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_path_leads_out(empty: RunningDashboard, cookie: str, path: str) -> None:
    host = empty.base.removeprefix("http://")
    response = ask(empty, "GET", path, [("Host", host), ("Cookie", cookie)])
    assert response.status in (400, 404)


def test_the_key_is_readable_by_its_user_alone(dashboard: RunningDashboard) -> None:
    file: Path = config.data_dir() / "ui-key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(dashboard.key) >= 43


def test_many_links_and_browsers_do_not_pile_up() -> None:
    access = Access(port=1, key="k")
    tokens = [access.make_link_token() for _ in range(30)]
    assert access.redeem(tokens[0]) == ""
    first = access.redeem(tokens[-1])
    assert access.find_standing([first], []) is Visitor.PERSON
    for _ in range(60):
        access.redeem(access.make_link_token())
    assert access.find_standing([first], []) is None
    assert access.redeem("") == "" and access.find_standing(["recollect_1="], []) is None
