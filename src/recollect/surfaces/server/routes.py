"""
Every route of the server, in one table: where it is, what it does to the store, and who answers.

A route cannot be written down without its mode. Who it is that asks, and whether they may, is settled before the answer
is worked out; what the database shows them is settled below that once more.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.acts import ACTS, RemoteAct
from recollect.errors import BadInput, NotFound, NotSignedIn, RecollectError
from recollect.model.team import Mode
from recollect.server.management import MANAGEMENT
from recollect.server.team_server import IncomingCall, TeamServer
from recollect.surfaces.json_answers import error_to_json
from recollect.surfaces.server.answers import make_json_response, make_refusal
from recollect.surfaces.server.mcp import answer_message
from recollect.surfaces.server.openapi import describe_server
from recollect.surfaces.server.server_route import Answer, ServerRoute

PROJECT = "recollect-project"
PROJECT_NAME = "recollect-project-name"
REQUEST_KEY = "idempotency-key"
AGENT = "recollect-agent"
SESSION = "recollect-session"
COOKIE = "recollect_session"


def list_routes(service: TeamServer) -> tuple[ServerRoute, ...]:
    """All routes that want a key."""
    acts = [*ACTS.values(), *MANAGEMENT.values()]
    return (
        *(
            ServerRoute(
                method="POST",
                path=act.path,
                mode=act.mode,
                name=act.name,
                answer=_answer_act(service, act),
                summary=act.summary,
                act=act,
            )
            for act in acts
        ),
        ServerRoute(
            method="GET",
            path="/v1/me",
            mode=Mode.READ,
            name="me",
            answer=lambda incoming, form, request: _to_response(service.describe_me(incoming)),
            summary="Who asks, and what they may do.",
        ),
        ServerRoute(
            method="POST",
            path="/v1/events",
            mode=Mode.WRITE,
            name="events",
            answer=lambda incoming, form, request: _to_response(
                service.receive_events(incoming, _read_list(form, "events"))
            ),
            summary="Store what agents did on another machine; an event that was sent before is stored once.",
        ),
        ServerRoute(
            method="POST",
            path="/v1/mirror",
            mode=Mode.READ,
            name="mirror",
            answer=lambda incoming, form, request: _to_response(
                service.read_mirror(incoming, str(form.get("version", "")))
            ),
            summary="Every memory that may be told in the project, unless nothing has changed since a version.",
        ),
        ServerRoute(
            method="POST",
            path="/mcp",
            mode=Mode.READ,  # a tool that changes something asks for more
            name="mcp",
            answer=lambda incoming, form, request: answer_message(
                service, incoming, form, request.headers.get(SESSION)
            ),
            summary="The tools of an agent, by the Model Context Protocol (streamable HTTP, one answer a message).",
        ),
    )


def make_route(service: TeamServer, route: ServerRoute, check_rate: Callable[[str], None]) -> Route:
    """The route as the app serves it: signed in, within the rate, allowed, then answered in a thread."""

    def answer(request: Request, body: bytes) -> Response:
        incoming: IncomingCall | None = None
        try:
            incoming = _sign_in(service, request)
            request.state.who = incoming.who
            check_rate(incoming.who.token)
            incoming.who.check_mode(route.mode)
            return route.answer(incoming, _parse_body(body), request)
        except RecollectError as error:
            refusal = make_refusal(error)
            if incoming is not None and refusal.status_code == 403:
                service.record_refusal(incoming, route.name, refusal.status_code)
            return refusal

    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(answer, request, await request.body())

    return declare(endpoint, route.mode, route.path, route.method, route.name)


def declare(
    endpoint: Callable[[Request], Awaitable[Response]], mode: Mode, path: str, method: str, name: str
) -> Route:
    """A route that says what it does; a test looks at every route of the app for it."""
    endpoint.mode = mode  # type: ignore[attr-defined]
    return Route(path, endpoint, methods=[method], name=name)


def make_open_routes(service: TeamServer, routes: tuple[ServerRoute, ...]) -> list[Route]:
    """What anybody may ask: whether the server is well, and what it can be asked."""

    async def health(request: Request) -> Response:
        try:
            await run_in_threadpool(service.organisations.check_reachable)
        except RecollectError as error:
            return make_json_response({"ok": False, **error_to_json(error)}, 503)
        return make_json_response({"ok": True})

    described = describe_server(routes)

    async def openapi(request: Request) -> Response:
        return make_json_response(described)

    return [
        declare(health, Mode.OPEN, "/healthz", "GET", "healthz"),
        declare(openapi, Mode.OPEN, "/openapi.json", "GET", "openapi"),
    ]


def read_token(request: Request) -> str:
    """The key of a program, or of a browser that signed in."""
    header = request.headers.get("authorization", "")
    scheme, _, token = header.partition(" ")
    if scheme.lower() == "bearer" and token:
        return token.strip()
    return request.cookies.get(COOKIE, "")


def _sign_in(service: TeamServer, request: Request) -> IncomingCall:
    token = read_token(request)
    if not token:
        raise NotSignedIn(reason="none was sent; send `Authorization: Bearer KEY`")
    keys = tuple(unquote(key.strip()) for key in request.headers.get(PROJECT, "").split(",") if key.strip())
    return IncomingCall(
        who=service.sign_in(token),
        project_keys=keys,
        project_name=unquote(request.headers.get(PROJECT_NAME, ""))[:200],
        request_key=request.headers.get(REQUEST_KEY, ""),
        by_agent=request.headers.get(AGENT, "") not in ("", "0"),
    )


def _answer_act(service: TeamServer, act: RemoteAct) -> Answer:
    def answer(incoming: IncomingCall, form: Mapping[str, Any], request: Request) -> Response:
        return _wrap(service.call(incoming, act.name, form))

    return answer


def _to_response(form: Mapping[str, Any]) -> Response:
    return _wrap(json.dumps(form, ensure_ascii=False))


def _wrap(answer: str) -> Response:
    return Response(f'{{"schema":1,"result":{answer}}}', media_type="application/json")


def _parse_body(body: bytes) -> Mapping[str, Any]:
    try:
        form = json.loads(body) if body.strip() else {}
    except (ValueError, RecursionError) as error:
        raise BadInput(reason="the body is not JSON") from error
    if not isinstance(form, dict):
        raise BadInput(reason="the body is a JSON object")
    return form


def _read_list(form: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    values = form.get(name)
    if not isinstance(values, list) or not all(isinstance(one, dict) for one in values):
        raise BadInput(reason=f"{name} is a list of objects")
    return values


def answer_unknown(path: str, status: int) -> Response:
    """There is nothing at this path, or nothing to be done there in this way."""
    response = make_refusal(NotFound(what="route", name=path[:100]))
    response.status_code = status
    return response
