"""
Who may ask: the outermost layer of the dashboard, before any route.

In this order: the name it was called by (another one is DNS rebinding), where the request comes from (another page is
CSRF), how long it is, and who asks. Every answer, also a refusal, carries the same headers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from recollect.surfaces.asgi import (
    SAFE_METHODS,
    AsgiApp,
    AsgiReceive,
    AsgiScope,
    AsgiSend,
    BodyTooLong,
    RequestHead,
    TurnedAway,
    read_body,
    replay_body,
)
from recollect.surfaces.ui.access import COOKIE_AGE, Access, Visitor

MAX_BODY = 1024 * 1024
STATIC = "/static/"
LAUNCH = "t"
_METHODS = SAFE_METHODS | {"POST", "PUT", "DELETE"}
# What a page of ours sends, and what only it can: none of these crosses origins without asking first.
_FORM, _JSON = "application/x-www-form-urlencoded", "application/json"
# What force-graph puts into the page itself, by hash: two style sheets, each of them empty for a moment.
GRAPH_STYLES = (
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    "'sha256-jtRRMYY2VbEXuBKbHvqM1/fPT8vazFrEooXdvwUK4y8='",
    "'sha256-9xjtvxMT1ApHlgn9ohbh2FNfvK5Tqtzy94BjfXBeMSY='",
)
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' {' '.join(GRAPH_STYLES)}",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


def guard_dashboard(
    app: AsgiApp, access: Access, *, port: int, on_stranger: Callable[[], None] = lambda: None
) -> AsgiApp:
    """The app behind its checks. `on_stranger` is called when a browser without a key asks for a page."""
    hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
    origins = frozenset(f"http://{host}" for host in hosts)

    async def checked(scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        sending = _add_headers(send)
        request = RequestHead(scope)
        try:
            _check_host(request, hosts)
            _check_origin(request, origins)
            if cookie := _redeem_launch(request, access):
                await _send_home(sending, cookie)
                return
            scope.setdefault("state", {})["standing"] = _find_standing(request, access, on_stranger)
            body = await read_body(request, receive, MAX_BODY)
            await app(scope, replay_body(body, receive), sending)
        except TurnedAway as refusal:
            await _refuse(sending, refusal)
        except BodyTooLong:
            await _refuse(sending, TurnedAway(413, f"A request has at most {MAX_BODY:,} bytes."))

    return checked


def _check_host(request: RequestHead, hosts: frozenset[str]) -> None:
    names = request.every("host")
    if len(names) != 1 or names[0] not in hosts:
        raise TurnedAway(421, "This dashboard is known by another name.")


def _check_origin(request: RequestHead, origins: frozenset[str]) -> None:
    if request.method not in _METHODS:
        raise TurnedAway(405, f"{request.method[:20]} is not answered here.")
    is_visit = request.method in SAFE_METHODS and request.one("sec-fetch-mode") == "navigate"
    if any(site not in ("same-origin", "none") for site in request.every("sec-fetch-site")) and not is_visit:
        raise TurnedAway(403, "No other page may ask this dashboard.")
    if any(origin not in origins for origin in request.every("origin")):
        raise TurnedAway(403, "No other page may ask this dashboard.")
    if request.method in SAFE_METHODS:
        return
    sent = request.one("content-type").partition(";")[0].strip().lower()
    has_body = bool(request.every("content-length") or request.every("transfer-encoding"))
    if sent == _JSON or (request.one("hx-request") == "true" and sent in (_FORM, "")):
        return
    if request.method == "DELETE" and not has_body:
        return  # a form cannot send one, and a script of another page has to ask first
    raise TurnedAway(415, "Send application/json.")


def _redeem_launch(request: RequestHead, access: Access) -> str:
    if request.method != "GET" or request.path != "/" or not request.query:
        return ""
    tokens = parse_qs(request.query).get(LAUNCH, [])
    return access.redeem(tokens[0]) if len(tokens) == 1 else ""


def _find_standing(request: RequestHead, access: Access, on_stranger: Callable[[], None]) -> Visitor:
    standing = access.find_standing(request.every("cookie"), request.every("authorization"))
    if standing is None and not request.path.startswith(STATIC):
        if request.one("sec-fetch-mode") == "navigate":
            on_stranger()
        raise TurnedAway(401, "Open the address that `recollect ui` printed; each one lets one browser in.")
    return standing or Visitor.STRANGER


def _add_headers(send: AsgiSend) -> AsgiSend:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            names = {name.lower() for name, _ in headers}
            headers += [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            if b"cache-control" not in names:
                headers.append((b"cache-control", b"no-store"))
            message = {**message, "headers": headers}
        await send(message)

    return sending


async def _send_home(send: AsgiSend, cookie: str) -> None:
    attributes = f"HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_AGE}"
    headers = [(b"location", b"/"), (b"set-cookie", f"{cookie}; {attributes}".encode())]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _refuse(send: AsgiSend, refusal: TurnedAway) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{refusal}\n".encode()})
