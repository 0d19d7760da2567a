"""The description of the server in the OpenAPI form, made from the table of routes and the types of their methods."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from recollect import __version__
from recollect.api.acts import RemoteAct
from recollect.api.json_values import describe_type
from recollect.surfaces.server.server_route import ServerRoute
from recollect.surfaces.ui.openapi import error_schema

_HEADERS = (
    ("Recollect-Project", "The project: its keys, percent-encoded, with commas between; or its name."),
    ("Recollect-Project-Name", "What a new project is called."),
    ("Idempotency-Key", "A key of this request: sent again with it, the request changes nothing more."),
    ("Recollect-Agent", "1: an agent says it, not its person."),
)
_STATUSES = {
    "400": "What was sent cannot be used",
    "401": "The key is not known, was revoked or has expired",
    "403": "The key may not do that",
    "404": "There is nothing of that name that this key may see",
    "429": "Too many requests came with this key",
    "503": "The database is busy or away; try again",
}


def describe_server(routes: Iterable[ServerRoute]) -> dict[str, Any]:
    """Every route that wants a key."""
    schemas: dict[str, Any] = {"Error": error_schema()}
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _describe_route(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "recollect server", "version": __version__},
        "paths": paths,
        "security": [{"key": []}],
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}, "schemas": schemas},
    }


def _describe_route(route: ServerRoute, schemas: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    described: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "x-mode": str(route.mode),
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": False,
                "schema": {"type": "string"},
                "description": says,
            }
            for name, says in _HEADERS
        ],
    }
    if route.act is not None:
        result = describe_type(route.act.hints["return"], schemas)
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _describe_arguments(route.act, schemas)}},
        }
    answer = {"type": "object", "properties": {"schema": {"const": 1}, "result": result}}
    described["responses"] = {
        "200": {"description": route.summary, "content": {"application/json": {"schema": answer}}},
        **{status: _describe_error(says) for status, says in _STATUSES.items()},
    }
    return described


def _describe_arguments(act: RemoteAct, schemas: dict[str, Any]) -> dict[str, Any]:
    properties, required = {}, []
    for name, parameter in act.parameters.items():
        schema = describe_type(act.hints[name], schemas)
        properties[name] = (
            {"type": "array", "items": schema} if parameter.kind is parameter.VAR_POSITIONAL else schema
        )
        if parameter.default is inspect.Parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _describe_error(says: str) -> dict[str, Any]:
    return {
        "description": says,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
