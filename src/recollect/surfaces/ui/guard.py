"""
Who may ask: the outermost layer of the dashboard, before any route.

In this order: the name it was called by (another one is DNS rebinding), where the request comes from (another page is
CSRF), how long it is, and who asks. Every answer, also a refusal, carries the same headers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from recollect.surfaces.ui.access import COOKIE_AGE, Access, Visitor

AsgiScope = MutableMapping[str, Any]
AsgiReceive = Callable[[], Awaitable[MutableMapping[str, Any]]]
AsgiSend = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp = Callable[[AsgiScope, AsgiReceive, AsgiSend], Awaitable[None]]

MAX_BODY = 1024 * 1024
STATIC = "/static/"
LAUNCH = "t"
_SAFE = frozenset({"GET", "HEAD"})
_METHODS = _SAFE | {"POST", "PUT", "DELETE"}
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


class TurnedAway(Exception):
    """A request that is not let in."""

    def __init__(self, status: int, sentence: str) -> None:
        self.status = status
        super().__init__(sentence)


class TooLong(Exception):
    """A body that is longer than is read."""


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
        request = _Headers(scope)
        try:
            _check_host(request, hosts)
            _check_origin(request, origins)
            if cookie := _redeem_launch(request, access):
                await _send_home(sending, cookie)
                return
            scope.setdefault("state", {})["standing"] = _find_standing(request, access, on_stranger)
            _check_length(request)
            body = await _read_body(request, receive)
            await app(scope, _replay(body, receive), sending)
        except TurnedAway as refusal:
            await _refuse(sending, refusal)
        except TooLong:
            await _refuse(sending, TurnedAway(413, f"A request has at most {MAX_BODY:,} bytes."))

    return checked


class _Headers:
    """The parts of a request that the guard looks at."""

    def __init__(self, scope: AsgiScope) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: str = scope.get("query_string", b"").decode("latin-1")
        self._headers = scope.get("headers", ())

    def every(self, name: str) -> list[str]:
        """All values of a header."""
        wanted = name.encode()
        return [value.decode("latin-1") for header, value in self._headers if header.lower() == wanted]

    def one(self, name: str) -> str:
        """A header that is there once; empty otherwise."""
        values = self.every(name)
        return values[0] if len(values) == 1 else ""


def _check_host(request: _Headers, hosts: frozenset[str]) -> None:
    names = request.every("host")
    if len(names) != 1 or names[0] not in hosts:
        raise TurnedAway(421, "This dashboard is known by another name.")


def _check_origin(request: _Headers, origins: frozenset[str]) -> None:
    if request.method not in _METHODS:
        raise TurnedAway(405, f"{request.method[:20]} is not answered here.")
    is_visit = request.method in _SAFE and request.one("sec-fetch-mode") == "navigate"
    if any(site not in ("same-origin", "none") for site in request.every("sec-fetch-site")) and not is_visit:
        raise TurnedAway(403, "No other page may ask this dashboard.")
    if any(origin not in origins for origin in request.every("origin")):
        raise TurnedAway(403, "No other page may ask this dashboard.")
    if request.method in _SAFE:
        return
    sent = request.one("content-type").partition(";")[0].strip().lower()
    has_body = bool(request.every("content-length") or request.every("transfer-encoding"))
    if sent == _JSON or (request.one("hx-request") == "true" and sent in (_FORM, "")):
        return
    if request.method == "DELETE" and not has_body:
        return  # a form cannot send one, and a script of another page has to ask first
    raise TurnedAway(415, "Send application/json.")


def _redeem_launch(request: _Headers, access: Access) -> str:
    if request.method != "GET" or request.path != "/" or not request.query:
        return ""
    tokens = parse_qs(request.query).get(LAUNCH, [])
    return access.redeem(tokens[0]) if len(tokens) == 1 else ""


def _find_standing(request: _Headers, access: Access, on_stranger: Callable[[], None]) -> Visitor:
    standing = access.find_standing(request.every("cookie"), request.every("authorization"))
    if standing is None and not request.path.startswith(STATIC):
        if request.one("sec-fetch-mode") == "navigate":
            on_stranger()
        raise TurnedAway(401, "Open the address that `recollect ui` printed; each one lets one browser in.")
    return standing or Visitor.STRANGER


def _check_length(request: _Headers) -> None:
    for length in request.every("content-length"):
        if not length.isdigit() or int(length) > MAX_BODY:
            raise TooLong


async def _read_body(request: _Headers, receive: AsgiReceive) -> bytes:
    """The whole body of a request, read here, so that one that is too long is refused before anything begins."""
    if request.method in _SAFE:
        return b""
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if sum(map(len, parts)) > MAX_BODY:
            raise TooLong
        if message["type"] != "http.request" or not message.get("more_body"):
            return b"".join(parts)


def _replay(body: bytes, receive: AsgiReceive) -> AsgiReceive:
    is_given = False

    async def replayed() -> MutableMapping[str, Any]:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


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
