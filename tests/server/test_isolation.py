"""Fifty organisations in one database, each with a canary: no route and no tool lets another's sing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from recollect.model.value import dataclass
from recollect.store.tables import memories
from recollect.surfaces import tools
from tests.databases import find_store
from tests.server.running import PROJECT, RunningServer, Visitor, run_server
from tests.server.test_access import ROUTES, arguments_for

TENANTS = 50
# Each route is asked by so many of them, with the ids of others.
ATTACKERS = 2
pytestmark = pytest.mark.timeout(900)
NEST = "canary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """An organisation, its people, and the ids of what they keep."""

    number: int
    admin: Visitor
    member: Visitor
    prefix: str
    shared: str
    personal: str

    @property
    def canary(self) -> str:
        return f"{NEST}{self.number:02d}x"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    address = (
        find_store("postgres", tmp_path_factory.mktemp("house")).partition("organisation=")[0].rstrip("?&")
    )
    with run_server(address) as running:
        yield running


@pytest.fixture(scope="module")
def tenants(house: RunningServer) -> list[Tenant]:
    return [settle(house, number) for number in range(TENANTS)]


def settle(house: RunningServer, number: int) -> Tenant:
    accounts, token = house.create(f"tenant{number}")
    admin, member = house.visit(token), house.join(accounts, f"bo{number}")
    word = f"{NEST}{number:02d}x"
    shared = admin.remember(f"The {word} sings for all of us", about=[f"service:{word}"], tags=[word])
    admin.get("reviews.share", memory_id=shared["id"])
    personal = admin.remember(f"The {word} sings for me alone", kind="preference")
    event = {
        "id": f"e{number}",
        "type": "prompt",
        "at": "2026-05-08T12:00:00+00:00",
        "session_id": f"session-{number}",
        "text": f"Feed the {word}",
    }
    assert admin.client.post("/v1/events", json={"events": [event]}).status_code == 200
    return Tenant(
        number=number,
        admin=admin,
        member=member,
        prefix=token.split("_")[2],
        shared=shared["id"],
        personal=personal["id"],
    )


def sings(text: str, *, for_whom: Tenant) -> list[str]:
    """The canaries of others that are heard in an answer."""
    others = (f"{NEST}{number:02d}x" for number in range(TENANTS) if number != for_whom.number)
    return [canary for canary in others if canary in text]


def test_no_route_lets_another_organisations_canary_sing(house: RunningServer, tenants: list[Tenant]) -> None:
    heard: list[str] = []
    for turn, route in enumerate(ROUTES * ATTACKERS):
        tenant = tenants[turn % TENANTS]
        victim = tenants[(7 * turn + 1) % TENANTS]
        if victim is tenant or route.name == "team.add_person":
            continue
        named = {
            "memory_id": victim.shared,
            "memory_ids": [victim.shared],
            "keep": victim.shared,
            "drop": tenant.shared,
            "one": victim.shared,
            "other": tenant.shared,
            "duplicates": [tenant.shared],
            "session_id": f"session-{victim.number}",
            "session": f"session-{victim.number}",
            "question": NEST,
            "task": f"feed the {NEST}",
            "name": f"bo{victim.number}",
            "person": f"bo{victim.number}",
            "prefix": victim.prefix,
            "source": f"session:session-{victim.number}",
            "text": "Nothing sings here",
        }
        given = arguments_for(
            route, **{k: v for k, v in named.items() if route.act and k in route.act.parameters}
        )
        answer = tenant.admin.client.request(route.method, route.path, json=given)
        assert answer.status_code < 500, (route.name, answer.text)
        heard += [f"{route.name}: {canary}" for canary in sings(answer.text, for_whom=tenant)]
    assert heard == []
    check_whole(house, tenants)


def test_no_tool_lets_another_organisations_canary_sing(house: RunningServer, tenants: list[Tenant]) -> None:
    heard: list[str] = []
    for tenant in tenants:
        victim = tenants[(tenant.number + 1) % TENANTS]
        given: dict[str, dict[str, Any]] = {
            "recall": {"question": NEST, "all": True},
            "remember": {"text": f"Nothing sings here {tenant.number}"},
            "about": {"subject": f"service:{victim.canary}"},
            "recipe": {"task": f"feed the {NEST}"},
            "pending": {},
            "feedback": {"id": victim.shared, "judgement": "wrong"},
        }
        for tool in tools.TOOLS:
            answer = tenant.admin.tool(tool.name, **given[tool.name])
            # The name that was asked for comes back; what is known about it does not.
            text = answer.text.replace(f"service:{victim.canary}", "")
            heard += [f"{tool.name}: {canary}" for canary in sings(text, for_whom=tenant)]
        for uri in ("recollect://brief", f"recollect://memory/{victim.shared}"):
            message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri}}
            answer = tenant.admin.client.post("/mcp", json=message)
            heard += [f"{uri}: {canary}" for canary in sings(answer.text, for_whom=tenant)]
    assert heard == []
    check_whole(house, tenants)


def test_what_is_one_persons_is_not_heard_by_another_of_the_same_house(
    house: RunningServer, tenants: list[Tenant]
) -> None:
    heard: list[str] = []
    for tenant in tenants[:2]:
        named = {
            "memory_id": tenant.personal,
            "memory_ids": [tenant.personal],
            "question": "who sings for me alone?",
        }
        for route in ROUTES:
            given = arguments_for(
                route, **{k: v for k, v in named.items() if route.act and k in route.act.parameters}
            )
            answer = tenant.member.client.request(route.method, route.path, json=given)
            assert answer.status_code < 500, (route.name, answer.text)
            if "for me alone" in answer.text.replace(named["question"], ""):  # type: ignore[arg-type]
                heard.append(route.name)
        answer = tenant.member.tool("recall", question="who sings for me alone?", all=True)
        heard += ["recall"] if "sings for me alone" in answer.text else []
    assert heard == []
    check_whole(house, tenants[:2])


def check_whole(house: RunningServer, tenants: list[Tenant]) -> None:
    """What each keeps is as it was."""
    for tenant in tenants:
        db = house.service.organisations.find(f"tenant{tenant.number}")
        for memory_id, rest in ((tenant.shared, "for all of us"), (tenant.personal, "for me alone")):
            memory = memories.get_memory(db, memory_id)
            assert memory.text == f"The {tenant.canary} sings {rest}" and memory.state == "active"


def test_the_database_itself_shows_nobody_anothers_rows(house: RunningServer, tenants: list[Tenant]) -> None:
    """Without the server's own checks: a connection of one organisation's person, asked without any filter."""
    from recollect.model.team import Mode
    from recollect.server.team_server import IncomingCall

    who = house.service.sign_in(tenants[3].member.token)
    with house.service.lend(IncomingCall(who=who, project_keys=(PROJECT,)), Mode.READ, None) as memory:
        db = memory._wiring.db
        with db.one_moment():
            texts = [row[0] for row in db.statement("SELECT text FROM memory")]  # type: ignore[attr-defined]
            rows = str(db.statement("SELECT * FROM history") + db.statement("SELECT * FROM event"))  # type: ignore[attr-defined]
    assert texts and all(
        tenants[3].canary in text and "for all of us" in text for text in texts if NEST in text
    )
    assert not sings(str(texts) + rows, for_whom=tenants[3])
