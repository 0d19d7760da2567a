"""The line to a server: one request, sent again with the same key while that may help; errors as they were meant."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from recollect import __version__
from recollect import errors as our_errors
from recollect.api.acts import RemoteAct
from recollect.api.json_values import decode_value
from recollect.errors import BadInput, NotSignedIn, RecollectError, ServerAway, ServerError
from recollect.model.value import dataclass

# What a busy server answers, and one that a proxy cannot reach.
_PASSING = frozenset({429, 502, 503, 504})
_TRIES = 4
_FIRST_PAUSE = 0.2
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCaller:
    """Who calls: the key, the project they are in, and whether an agent speaks."""

    token: str
    project_keys: tuple[str, ...] = ()
    project_name: str = ""
    by_agent: bool = False
    session: str = ""

    def headers(self) -> dict[str, str]:
        """What is sent with every request."""
        headers = {"authorization": f"Bearer {self.token}", "user-agent": f"recollect/{__version__}"}
        if self.project_keys:
            headers["recollect-project"] = ",".join(quote(key, safe=":/") for key in self.project_keys)
            headers["recollect-project-name"] = quote(self.project_name)
        if self.by_agent:
            headers["recollect-agent"] = "1"
        if self.session:
            headers["recollect-session"] = self.session
        return headers


class ServerLine:
    """Asks one server."""

    def __init__(
        self,
        url: str,
        caller: LineCaller,
        *,
        seconds: float = 30.0,
        tries: int = _TRIES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = check_url(url)
        self._caller = caller
        self._seconds = seconds
        self._tries = tries
        self._sleep = sleep
        self._client: Any = None

    def call(self, act: RemoteAct, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Call a method of the library there; its answer as here."""
        form = self.ask("POST", act.path, act.bind(args, kwargs))
        return decode_value(act.hints["return"], form["result"])

    def ask(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """One request, done once however often it has to be sent."""
        headers = {**self._caller.headers(), "idempotency-key": secrets.token_hex(16)}
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        response = self._send(method, path, headers, content)
        try:
            form = response.json()
        except ValueError:
            raise ServerError(
                url=self.url, reason=f"it answered {response.status_code} without JSON"
            ) from None
        if response.status_code != 200 or not isinstance(form, dict):
            raise _read_error(self.url, response.status_code, form)
        return form

    def close(self) -> None:
        """Hang up."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _send(self, method: str, path: str, headers: Mapping[str, str], content: bytes | None) -> Any:
        # Loaded here: a command that asks nothing of a server does not pay for it.
        import httpx

        if self._client is None:
            self._client = httpx.Client(timeout=httpx.Timeout(self._seconds, connect=min(5.0, self._seconds)))
        pause = _FIRST_PAUSE
        for left in reversed(range(self._tries)):
            try:
                response = self._client.request(method, self.url + path, headers=headers, content=content)
                if response.status_code not in _PASSING or not left:
                    return response
            except httpx.HTTPError as error:
                if not left:
                    raise ServerAway(url=self.url, reason=str(error) or type(error).__name__) from None
            self._sleep(pause)
            pause *= 2
        raise AssertionError("the last try returns or raises")


def check_url(url: str) -> str:
    """The address of a server; keys travel in the clear on this machine alone."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise BadInput(reason=f"{url[:100]!r} is no address of a server; write https://memory.example.com")
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise BadInput(reason=f"{url[:100]} would carry your key in the clear; use https")
    return url.rstrip("/")


_BY_CODE: Mapping[str, type[RecollectError]] = {
    kind.code: kind
    for kind in vars(our_errors).values()
    if isinstance(kind, type) and issubclass(kind, RecollectError)
}


def _read_error(url: str, status: int, form: Any) -> RecollectError:
    error = form.get("error") if isinstance(form, dict) else None
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        return ServerError(url=url, reason=f"it answered {status}")
    kind = _BY_CODE.get(str(error.get("code")), NotSignedIn if status == 401 else ServerError)
    return kind(error["message"], fix=str(error.get("fix", "")))
