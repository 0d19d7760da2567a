"""Who may do what: every route and every tool, with keys that do not suffice."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.routing import Route

from recollect.errors import BadInput, NotFound, NotSignedIn
from recollect.model.team import Mode, TeamRole
from recollect.server.accounts import Accounts
from recollect.server.keys import parse_token
from recollect.server.team_server import TeamServer
from recollect.surfaces import tools
from recollect.surfaces.server.metrics import ServerMetrics
from recollect.surfaces.server.routes import list_routes
from recollect.surfaces.server.serve import ServerOptions, make_app
from tests.server.running import PROJECT, RunningServer, Visitor, run_server

OTHER = "git:fedcba9876543210"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamServer]:
    opened = TeamServer(str(tmp_path_factory.mktemp("store") / "team.db"))
    yield opened
    opened.close()


def all_routes() -> list[Any]:
    return list(list_routes(TeamServer(":memory:")))


ROUTES = all_routes()


def test_every_route_of_the_app_says_what_it_does(service: TeamServer, tmp_path: Path) -> None:
    app = make_app(service, ServerMetrics(service), ServerOptions())
    routes = [route for route in app.routes if isinstance(route, Route)]
    assert len(routes) == len(app.routes) > 50
    undeclared = [
        route.path for route in routes if not isinstance(getattr(route.endpoint, "mode", None), Mode)
    ]
    assert undeclared == []
    open_ = {route.path for route in routes if route.endpoint.mode is Mode.OPEN}  # type: ignore[attr-defined]
    assert open_ == {"/healthz", "/openapi.json", "/sign-in", "/sign-out", "/static/{path:path}"} & {
        route.path for route in routes
    }


def test_every_tool_says_what_it_does() -> None:
    assert {tool.name: tool.reads_only for tool in tools.TOOLS} == {
        "recall": True,
        "remember": False,
        "about": True,
        "recipe": True,
        "pending": True,
        "feedback": False,
    }


@pytest.fixture(scope="module")
def sqlite_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with run_server(str(tmp_path_factory.mktemp("access") / "team.db")) as running:
        yield running


@pytest.fixture(scope="module")
def house(sqlite_server: RunningServer) -> tuple[Accounts, Visitor]:
    accounts, token = sqlite_server.create()
    alex = sqlite_server.visit(token)
    alex.remember("The canary sings")
    return accounts, alex


def refused(response: httpx.Response, status: int, code: str) -> None:
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert error["code"] == code and error["message"], error
    assert "canary" not in response.text


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_a_route_refuses_whoever_may_not(
    sqlite_server: RunningServer, house: tuple[Accounts, Visitor], route: Any
) -> None:
    accounts, _ = house
    good, kept = accounts.issue_token("alex")
    parts = parse_token(good)
    assert parts is not None
    name = f"p{route.name.replace('.', '-').replace('_', '-')}"
    for bad in (
        "",
        "nonsense",
        str(parts._replace(secret="0" * 64)),
        str(parts._replace(organisation="other")),
        str(parts._replace(prefix="0" * 10)),
    ):
        refused(send(sqlite_server, bad, route), 401, "not_signed_in")
    accounts.revoke_token(kept.prefix)
    refused(send(sqlite_server, good, route), 401, "not_signed_in")
    expired, _ = accounts.issue_token("alex", valid_days=1)
    clock = sqlite_server.service.clock
    sqlite_server.service.clock = lambda: datetime.now(UTC) + timedelta(days=2)
    try:
        refused(send(sqlite_server, expired, route), 401, "not_signed_in")
    finally:
        sqlite_server.service.clock = clock
    accounts.add_person(name, TeamRole.MEMBER)
    reader, _ = accounts.issue_token(name, role=TeamRole.READER)
    if route.mode in (Mode.WRITE, Mode.ADMIN):
        refused(send(sqlite_server, reader, route), 403, "not_allowed")
    member, _ = accounts.issue_token(name)
    if route.mode is Mode.ADMIN:
        refused(send(sqlite_server, member, route), 403, "not_allowed")
    accounts.withdraw(name, "*")
    if route.mode is not Mode.ADMIN and route.name != "me":
        refused(send(sqlite_server, member, route), 403, "not_allowed")


def send(server: RunningServer, token: str, route: Any) -> httpx.Response:
    headers = {"recollect-project": PROJECT} | ({"authorization": f"Bearer {token}"} if token else {})
    body = {} if route.method == "GET" else {"json": arguments_for(route)}
    return httpx.request(route.method, server.url + route.path, headers=headers, **body)  # type: ignore[arg-type]


SAMPLES: dict[str, Any] = {
    "question": "canary",
    "task": "canary",
    "text": "canary",
    "memory_ids": [],
    "duplicates": [],
    "wrong": "outdated",
    "verdict": "pass",
    "source": "session:s",
    "role": "reader",
    "sharing": "personal",
    "may_write": True,
    "useful": True,
    "valid_days": 1,
    "password": "a long password",
}


def arguments_for(route: Any, **given: Any) -> dict[str, Any]:
    """What a call needs to be understood."""
    if route.name == "events":
        return {"events": []}
    if route.name == "mcp":
        return {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    if route.act is None:
        return {}
    needed = [
        name
        for name, parameter in route.act.parameters.items()
        if parameter.default is parameter.empty or name in given or name == "memory_id"
    ]
    return {name: given.get(name, SAMPLES.get(name, "01KA3ABCDEFGHJKMNPQRSTVWXY")) for name in needed}


@pytest.mark.parametrize("tool", tools.TOOLS, ids=lambda tool: tool.name)
def test_a_tool_that_writes_refuses_a_reader(
    sqlite_server: RunningServer, house: tuple[Accounts, Visitor], tool: tools.Tool
) -> None:
    accounts, _ = house
    reader = sqlite_server.visit(accounts.issue_token("alex", role=TeamRole.READER)[0])
    answer = reader.tool(tool.name, **tool.example).json()
    if tool.reads_only:
        assert not answer["result"]["isError"]
    else:
        assert answer["result"]["isError"] and "only reads" in answer["result"]["content"][0]["text"]


def test_a_grant_to_read_is_none_to_write(server: RunningServer, accounts: Accounts, alex: Visitor) -> None:
    memory = alex.remember("The canary sings")
    alex.get("reviews.share", memory_id=memory["id"])
    cy = server.join(accounts, "cy")
    accounts.withdraw("cy", "*")
    accounts.grant("cy", "shop", may_write=False)
    assert cy.texts() == {"The canary sings"}
    assert cy.ask("remember", text="A second one").status_code == 403
    assert cy.ask("forget", memory_ids=[memory["id"]]).status_code == 403
    # Nor from another project that may be written to.
    alex.client.headers.update({"recollect-project": OTHER, "recollect-project-name": "bank"})
    alex.remember("Another project")
    accounts.grant("cy", OTHER, may_write=True)
    cy.client.headers["recollect-project"] = OTHER
    assert cy.get("show", memory_id=memory["id"])["text"] == "The canary sings"
    assert cy.ask("edit", memory_id=memory["id"], text="It does not").status_code == 404
    accounts.withdraw("cy", "shop")
    assert cy.ask("show", memory_id=memory["id"]).status_code == 404


def test_a_project_that_was_not_granted_is_like_one_that_is_not_there(
    server: RunningServer, accounts: Accounts, alex: Visitor
) -> None:
    alex.remember("The canary sings")
    cy = server.join(accounts, "cy")
    accounts.withdraw("cy", "*")
    there, nowhere = cy.ask("list"), None
    cy.client.headers["recollect-project"] = OTHER
    nowhere = cy.ask("list")
    assert there.status_code == nowhere.status_code == 403
    assert there.json() == nowhere.json()
    del cy.client.headers["recollect-project"]
    assert cy.get("list") == [] and cy.get("admin.projects") == []


def test_a_key_is_never_more_than_its_person(accounts: Accounts, server: RunningServer) -> None:
    bo = server.join(accounts, "bo")
    admin_key, kept = accounts.issue_token("bo", role=TeamRole.ADMIN)
    assert kept.role is TeamRole.MEMBER
    assert server.visit(admin_key).ask("team.people").status_code == 403
    accounts.set_role("bo", TeamRole.READER)
    assert bo.ask("remember", text="x").status_code == 403
    accounts.remove_person("bo")
    assert bo.ask("list").status_code == 401


def test_the_last_admin_stays(accounts: Accounts) -> None:
    with pytest.raises(BadInput, match="manages people"):
        accounts.remove_person("alex")
    with pytest.raises(BadInput, match="manages people"):
        accounts.set_role("alex", TeamRole.MEMBER)
    assert [person.role for person in accounts.people()] == [TeamRole.ADMIN]


def test_what_was_done_and_refused_is_written_down_without_its_words(
    alex: Visitor, bo: Visitor, accounts: Accounts
) -> None:
    memory = alex.remember("The canary sings")
    bo.ask("team.people")
    entries = accounts.audit()
    assert [(one.person, one.act, one.target, one.status) for one in entries[:2]] == [
        ("bo", "team.people", "", 403),
        ("alex", "remember", memory["id"], 200),
    ]
    assert "canary" not in str(entries)


def test_a_key_is_kept_as_its_hash_and_a_password_too(accounts: Accounts) -> None:
    token, _ = accounts.issue_token("alex")
    parts = parse_token(token)
    assert parts is not None and parts.secret not in repr(parts)
    rows = accounts.db.rows("tokens_all", person=None)
    assert parts.secret not in str(rows)
    accounts.set_password("alex", "correct horse battery")
    assert accounts.find_person("alex").password.startswith("$argon2id$")
    assert accounts.check_password("alex", "correct horse battery").name == "alex"
    for name, password in (("alex", "wrong horse battery"), ("nobody", "correct horse battery")):
        with pytest.raises(NotSignedIn):
            accounts.check_password(name, password)
    with pytest.raises(BadInput):
        accounts.set_password("alex", "short")


def test_an_organisation_that_is_not_there_cannot_be_told_from_a_bad_key(server: RunningServer) -> None:
    answer = server.visit(f"rct_nowhere_{'0' * 10}_{'0' * 64}").ask("list")
    assert answer.status_code == 401 and "nowhere" not in answer.text
    with pytest.raises(NotFound):
        server.service.organisations.find("nowhere")
