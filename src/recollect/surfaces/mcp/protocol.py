"""
The MCP protocol: versions, requests, errors, and the envelope each version puts around a result.

Up to 2025-11-25 a client begins with a handshake that settles the version. From 2026-07-28 on there is none: every
request names its version in `_meta`, and `server/discover` tells what is offered. Both are served, request by request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect import __version__
from recollect.model.value import dataclass

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ENVELOPE_VERSIONS = ("2026-07-28",)
# The one version that has batches: earlier ones do not know them, later ones took them out again.
BATCH_VERSION = "2025-03-26"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022
# Retired in 2026-07-28, where a resource that is not there is a wrong parameter.
RESOURCE_NOT_FOUND = -32002

SERVER = {"name": "recollect", "title": "recollect: project memory", "version": __version__}
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_SERVER_KEY = "io.modelcontextprotocol/serverInfo"
# These say how long they may be kept; ours may change with the next remembered thing.
_CACHEABLE = frozenset(
    {
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
    }
)

Json = dict[str, Any]
Id = str | int | None


class Refusal(Exception):
    """A request that is answered with an error of the protocol."""

    def __init__(self, code: int, message: str, data: Json | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One message from the client. A notification has no id, and gets no answer."""

    id: Id
    method: str
    params: Mapping[str, Any]

    @property
    def is_notification(self) -> bool:
        """Whether nobody waits for an answer."""
        return self.id is None

    @property
    def version(self) -> str | None:
        """The version its envelope names; None in the era of the handshake."""
        meta = self.params.get("_meta")
        version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
        return version if isinstance(version, str) else None


def parse_request(message: object) -> Request | None:
    """A message as a request; None for an answer, which we have asked nobody for."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Refusal(INVALID_REQUEST, 'A message is an object with "jsonrpc": "2.0".')
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method, params, id_ = message.get("method"), message.get("params", {}), message.get("id")
    if not isinstance(method, str):
        raise Refusal(INVALID_REQUEST, "A request names its method.")
    if "id" in message and (isinstance(id_, bool) or not isinstance(id_, str | int)):
        raise Refusal(INVALID_REQUEST, "The id of a request is a text or a whole number.")
    if not isinstance(params, dict):
        raise Refusal(INVALID_PARAMS, "The params of a request are an object.")
    return Request(id=id_, method=method, params=params)


def read_id(message: object) -> Id:
    """The id an error can be sent to; None when it cannot be told."""
    value = message.get("id") if isinstance(message, dict) else None
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def agree_on_version(offered: object) -> str:
    """The version of a handshake: the client's if we know it, else our newest, which it may decline."""
    return offered if offered in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def check_version(request: Request) -> None:
    """Refuse an envelope of a version that we do not know."""
    if request.version is not None and request.version not in ENVELOPE_VERSIONS:
        raise Refusal(
            UNSUPPORTED_VERSION,
            f"This server speaks {', '.join(ENVELOPE_VERSIONS)}, not {request.version}.",
            {"supported": list(ENVELOPE_VERSIONS), "requested": request.version},
        )


def make_answer(request: Request, result: Json) -> Json:
    """The answer to a request, as its era wants it."""
    if request.version is not None:
        result = {**result, "resultType": "complete", "_meta": {_SERVER_KEY: SERVER}}
        if request.method in _CACHEABLE:
            result |= {"ttlMs": 0, "cacheScope": "private"}
    return {"jsonrpc": "2.0", "id": request.id, "result": result}


def make_failure(id_: Id, refusal: Refusal) -> Json:
    """The answer to what cannot be done."""
    error = {"code": refusal.code, "message": str(refusal)}
    if refusal.data is not None:
        error["data"] = refusal.data
    return {"jsonrpc": "2.0", "id": id_, "error": error}
