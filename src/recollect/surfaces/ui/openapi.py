"""The description of what programs can ask the dashboard for, in the OpenAPI form; made from the table of screens."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from recollect import __version__
from recollect.surfaces.ui.guard import LAUNCH
from recollect.surfaces.ui.screen import Action, Page

_NAMES = re.compile(r"\{(\w+)\}")
_NUMBERS = frozenset({"limit", "offset", "budget", "depth", "after"})
_ERROR = {
    "description": "What is wrong and what to do",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}
_REFUSALS = {"400": _ERROR, "403": _ERROR, "404": _ERROR}


def describe_api(pages: Sequence[Page], actions: Sequence[Action]) -> dict[str, Any]:
    """Every page by its twin, every action by its path."""
    paths: dict[str, dict[str, Any]] = {}
    for page in pages:
        path = f"{page.path.rstrip('/') or '/health'}.json"
        paths.setdefault(path, {})["get"] = _describe_page(page)
    for action in actions:
        paths.setdefault(action.path, {})[action.method.lower()] = _describe_action(action)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "recollect",
            "version": __version__,
            "description": "The dashboard for programs. Send the key of the file ui-key; it has an agent's rights. "
            f"A browser comes by a link with `?{LAUNCH}=`.",
        },
        "paths": paths,
        "security": [{"key": []}],
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": error_schema()},
        },
    }


def _describe_page(page: Page) -> dict[str, Any]:
    return {
        "summary": page.summary,
        "parameters": [
            *_path_parameters(page.path),
            *(
                {"name": name, "in": "query", "required": False, "schema": _parameter_schema(name)}
                for name in page.parameters
            ),
        ],
        "responses": {"200": _ok(page.summary), **_REFUSALS},
    }


def _describe_action(action: Action) -> dict[str, Any]:
    described: dict[str, Any] = {
        "summary": action.summary,
        "parameters": _path_parameters(action.path),
        "responses": {"200": _ok(action.summary), "201": _ok(action.summary), **_REFUSALS},
    }
    if action.body:
        schema: dict[str, Any] = {"type": "object", "properties": dict(action.body)}
        if action.required:
            schema["required"] = list(action.required)
        described["requestBody"] = {
            "required": bool(action.required),
            "content": {"application/json": {"schema": schema}},
        }
    return described


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in _NAMES.findall(path)
    ]


def _parameter_schema(name: str) -> Mapping[str, Any]:
    if name in _NUMBERS:
        return {"type": "integer", "minimum": 0}
    if name == "min_confidence":
        return {"type": "number", "minimum": 0, "maximum": 1}
    return {"type": "string"}


def _ok(summary: str) -> dict[str, Any]:
    return {
        "description": summary,
        "content": {
            "application/json": {"schema": {"type": "object", "properties": {"schema": {"const": 1}}}}
        },
    }


def error_schema() -> dict[str, Any]:
    """What is answered when something is wrong."""
    text = {"type": "string"}
    fields = {"code": text, "message": text, "hint": text, "fix": text}
    return {
        "type": "object",
        "required": ["error"],
        "properties": {
            "schema": {"const": 1},
            "error": {"type": "object", "required": ["code", "message"], "properties": fields},
        },
    }
