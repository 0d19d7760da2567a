"""
HTTP to model servers: addresses, keys, timeouts, retries, and the one place that maps httpx errors to ours.

httpx is imported by the first request, not before: it costs more than most commands do.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from recollect.errors import BadSetting, ProviderAnswer, ProviderError, ProviderRefused, ProviderUnreachable
from recollect.model.value import dataclass, field

if TYPE_CHECKING:
    import socket

    import httpx

CONNECT_S = 2.0
READ_S = 60.0

_ANSWER_BYTES = 64 * 1024 * 1024
_PEEK_BYTES = 4 * 1024 * 1024
_MAX_PAUSE_S = 20.0
# 529 is how Anthropic says that it is overloaded.
_RETRY_STATUSES = frozenset({408, 429, 500, 502, 503, 504, 529})
# Compiled at their first use: every process loads this, and most ask no server.
# Nothing that two parsers could read differently: no user:password@, no backslash, no query.
_URL = r"(?a)https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?(/[\w.~%/-]*)?\Z"
_VARIABLE = r"(?a)[A-Za-z_][A-Za-z0-9_]*\Z"
_LOOKS_LIKE_A_KEY = r"(?a)\b(?:sk|pk|xai|gsk)[-_][\w*.-]{4,}|Bearer\s+\S+"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model server: its address, and the name of the environment variable that holds its key."""

    url: str
    key_env: str = ""
    read_s: float = READ_S
    attempts: int = 3
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_url(self.url, setting="url")
        check_key_env(self.key_env, setting="key_env")


def check_url(url: str, *, setting: str) -> None:
    """Refuse an address that is not plainly http(s)://host[:port][/path]."""
    if re.match(_URL, url) and _port(url) is not None:
        return
    shown = "(not shown)" if "@" in url or "?" in url else url[:100]
    reason = "write http:// or https://, a host, perhaps a port and a path, and nothing else"
    raise BadSetting(name=setting, value=shown, origin="as given", reason=reason)


def check_key_env(name: str, *, setting: str) -> None:
    """Refuse anything but the name of a variable: a key itself must not lie in a settings file."""
    if not name or (re.match(_VARIABLE, name) and not re.match(_LOOKS_LIKE_A_KEY, name)):
        return
    reason = "give the name of the variable that holds the key, such as OPENAI_API_KEY, not the key itself"
    raise BadSetting(name=setting, value="(not shown)", origin="as given", reason=reason)


def is_this_machine(url: str) -> bool:
    """Whether what is sent to this address stays on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def openai_address(url: str, path: str) -> str:
    """Where an OpenAI-compatible server takes this kind of request: a host alone means its usual /v1."""
    base = url.rstrip("/")
    return base + ("" if "/" in base.partition("://")[2] else "/v1") + path


def read_key(server: Endpoint, *, model: str) -> str:
    """The server's key, read now, so that no value ever holds it; empty if the server needs none."""
    if not server.key_env:
        return ""
    key = os.environ.get(server.key_env, "").strip()
    if not key:
        raise ProviderError(model=model, reason=f"the environment variable {server.key_env} holds no key")
    if not (key.isascii() and key.isprintable()):
        raise ProviderError(model=model, reason=f"what {server.key_env} holds cannot be sent as a key")
    return key


def open_client(server: Endpoint, *, headers: Mapping[str, str]) -> httpx.Client:
    """A client for a few requests in a row; use it in a `with`."""
    import httpx

    local = is_this_machine(server.url)
    try:
        return httpx.Client(
            headers={"content-type": "application/json", **headers},
            timeout=httpx.Timeout(server.read_s, connect=CONNECT_S),
            # A proxy must not be asked for an address of this machine.
            trust_env=not local,
            # Loading the certificates costs tens of milliseconds that plain http has no use for.
            verify=server.url.startswith("https:"),
        )
    except (ImportError, OSError, ValueError) as error:
        reason = f"the proxy or certificate settings in the environment are no good: {type(error).__name__}"
        raise ProviderUnreachable(url=server.url, reason=reason) from error


def post_json(client: httpx.Client, server: Endpoint, url: str, body: Mapping[str, object]) -> object:
    """
    Send a JSON body and return the JSON answered.

    Tried again while the server is overloaded, broken or hangs up; a refused connection and a timeout are
    final.
    """
    import httpx

    # json.dumps escapes what UTF-8 cannot carry; httpx's own encoder would fail on it.
    content = json.dumps(body).encode("ascii")
    for failures in range(1, server.attempts + 1):
        last = failures == server.attempts
        try:
            reply = _request(client, server, url, content)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            hung_up = isinstance(error, httpx.ReadError | httpx.WriteError | httpx.RemoteProtocolError)
            if last or not hung_up:
                raise ProviderUnreachable(url=url, reason=_short_error(error)) from error
            server.sleep(_backoff_s(failures))
            continue
        if reply.status not in _RETRY_STATUSES:
            return _parse_reply(reply, server, url)
        pause_s = _pause_s(reply, failures)
        if last or pause_s > _MAX_PAUSE_S:
            tries = f"status {reply.status} after {failures} of {server.attempts} tries"
            raise ProviderUnreachable(
                url=url, reason=f"{tries}: {_describe_failure(reply, server)}", status=reply.status
            )
        server.sleep(pause_s)
    raise AssertionError("a server is asked at least once")


def peek(url: str, *, within_s: float, clock: Callable[[], float] = time.monotonic) -> object:
    """
    What a server on this machine answers to a GET, as JSON, in the time given at most.

    Bare sockets: importing httpx would take longer than the question may, and its timeouts count each
    read by itself, so that a server that drips bytes would hold a command up.
    """
    if not is_this_machine(url) or not url.startswith("http:"):
        raise ProviderUnreachable(url=url, reason="only plain http on this machine is looked for")
    deadline = clock() + within_s
    try:
        answer = _get(url, lambda: _seconds_left(deadline, clock))
    except OSError as error:
        raise ProviderUnreachable(url=url, reason=_short_error(error)) from error
    head, _, body = answer.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    if status != [b"200"]:
        status_line = b"".join(status).decode("ascii", "replace")[:20] or "nothing"
        raise ProviderUnreachable(url=url, reason=f"it answered {status_line}")
    return _json(body, url)


def scrub(text: str, *secrets: str) -> str:
    """One short line of what a server said, without keys: some echo the key they refuse."""
    for secret in filter(None, secrets):
        text = text.replace(secret, "(key)")
    line = " ".join(re.sub(_LOOKS_LIKE_A_KEY, "(key)", text).split())
    line = "".join(c for c in line if c.isprintable())
    return line[:200].rstrip(" .") or "no reason given"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes


def _request(client: httpx.Client, server: Endpoint, url: str, content: bytes) -> _Reply:
    deadline = time.monotonic() + server.read_s
    chunks: list[bytes] = []
    size = 0
    with client.stream("POST", url, content=content) as response:
        for chunk in response.iter_bytes():
            chunks.append(chunk)
            size += len(chunk)
            if size > _ANSWER_BYTES:
                raise ProviderAnswer(model=url, reason=f"it is longer than {_ANSWER_BYTES:,} bytes")
            if time.monotonic() > deadline:
                raise ProviderUnreachable(url=url, reason=f"no whole answer within {server.read_s:g} s")
        return _Reply(status=response.status_code, headers=response.headers, body=b"".join(chunks))


def _backoff_s(failures: int) -> float:
    return float(0.5 * 2 ** (failures - 1))


def _pause_s(reply: _Reply, failures: int) -> float:
    retry_after = reply.headers.get("retry-after", "").strip()
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    # Rare, and the import costs more than the rest of this module.
    from email.utils import parsedate_to_datetime

    try:
        # Against the server's own date, so that neither clock has to be right.
        until, now = parsedate_to_datetime(retry_after), parsedate_to_datetime(reply.headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return _backoff_s(failures)


def _parse_reply(reply: _Reply, server: Endpoint, url: str) -> object:
    if not 200 <= reply.status < 300:
        raise ProviderRefused(url=url, status=reply.status, reason=_describe_failure(reply, server))
    return _json(reply.body, url)


def _json(body: bytes, url: str) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProviderAnswer(model=url, reason="it is not JSON") from error


def _describe_failure(reply: _Reply, server: Endpoint) -> str:
    secret = os.environ.get(server.key_env, "").strip() if server.key_env else ""
    return scrub(_read_message(reply.body), secret)


def _read_message(body: bytes) -> str:
    text = body[:4000].decode("utf-8", "replace")
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return text
    for name in ("error", "message", "detail"):
        if isinstance(answer, dict) and name in answer:
            answer = answer[name]
    return answer if isinstance(answer, str) else text


def _short_error(error: Exception) -> str:
    return scrub(str(error) or type(error).__name__)


def _get(url: str, left: Callable[[], float]) -> bytes:
    parts = urlsplit(url)
    # HTTP/1.0 is answered in one piece, ended by closing, never in chunks.
    request = f"GET {parts.path or '/'} HTTP/1.0\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n"
    with _connection(parts.hostname or "", _port(url) or 80, left) as connection:
        connection.settimeout(left())
        connection.sendall(request.encode("ascii"))
        answer = bytearray()
        while len(answer) < _PEEK_BYTES:
            connection.settimeout(left())
            chunk = connection.recv(65536)
            if not chunk:
                break
            answer += chunk
        return bytes(answer)


def _connection(host: str, port: int, left: Callable[[], float]) -> socket.socket:
    import socket  # not for a hook, which loads this and asks nobody

    # Asking the resolver for localhost could leave the machine; its two meanings are known.
    hosts = ("127.0.0.1", "::1") if host == "localhost" else (host,)
    for candidate in hosts[:-1]:
        try:
            return socket.create_connection((candidate, port), timeout=left())
        except ConnectionRefusedError:
            continue
    return socket.create_connection((hosts[-1], port), timeout=left())


def _seconds_left(deadline: float, clock: Callable[[], float]) -> float:
    left = deadline - clock()
    if left <= 0:
        raise TimeoutError("it took too long to answer")
    return left


def _port(url: str) -> int | None:
    """The port of an address, None if it is no port."""
    try:
        parts = urlsplit(url)
        return parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return None
