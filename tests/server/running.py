"""A real server on loopback, in a thread of the test, and the people who ask it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from recollect.model.team import TeamRole
from recollect.server.accounts import Accounts, create_organisation
from recollect.server.team_server import TeamServer
from recollect.surfaces.loopback import bind_socket
from recollect.surfaces.server.serve import ServerOptions, make_server
from tests.hash_embedder import HashEmbedder

PROJECT = "git:0123456789abcdef"


class Visitor:
    """Somebody with a key."""

    def __init__(self, url: str, token: str, project: str = PROJECT) -> None:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        if project:
            headers |= {"recollect-project": project, "recollect-project-name": "shop"}
        self.token = token
        self.client = httpx.Client(base_url=url, headers=headers, timeout=60)

    def ask(self, act: str, **arguments: Any) -> httpx.Response:
        return self.client.post(f"/v1/{act.replace('.', '/')}", json=arguments)

    def get(self, act: str, **arguments: Any) -> Any:
        response = self.ask(act, **arguments)
        assert response.status_code == 200, response.text
        return response.json()["result"]

    def remember(self, text: str, **arguments: Any) -> Any:
        return self.get("remember", text=text, **arguments)["memory"]

    def texts(self) -> set[str]:
        return {memory["text"] for memory in self.get("list", limit=1000)}

    def tool(self, name: str, **arguments: Any) -> httpx.Response:
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return self.client.post("/mcp", json=message)


class RunningServer:
    """A server and its organisations."""

    def __init__(self, service: TeamServer, url: str) -> None:
        self.service = service
        self.url = url
        self.visitors: list[Visitor] = []

    def create(self, organisation: str = "acme", admin: str = "alex") -> tuple[Accounts, str]:
        return create_organisation(self.service.organisations, organisation, admin, self.service.clock)

    def visit(self, token: str, project: str = PROJECT) -> Visitor:
        self.visitors.append(Visitor(self.url, token, project))
        return self.visitors[-1]

    def join(self, accounts: Accounts, name: str, role: TeamRole = TeamRole.MEMBER, **how: Any) -> Visitor:
        """A new person with a key."""
        accounts.add_person(name, role, **how)
        return self.visit(accounts.issue_token(name)[0])


@contextmanager
def run_server(address: str, **options: Any) -> Iterator[RunningServer]:
    service = TeamServer(address, embedder=HashEmbedder())
    listening = bind_socket(0)
    port = listening.getsockname()[1]
    server = make_server(service, ServerOptions(port=port, **{"per_second": 0.0, **options}), port)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until = time.monotonic() + 30
    while not server.started and time.monotonic() < until:
        time.sleep(0.01)
    running = RunningServer(service, f"http://127.0.0.1:{port}")
    try:
        yield running
    finally:
        for visitor in running.visitors:
            visitor.client.close()
        server.should_exit = True
        thread.join(30)
        listening.close()
