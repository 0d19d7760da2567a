"""Answers in JSON, and refusals: one shape for whatever is wrong, with the status that fits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from recollect.errors import (
    AccessDenied,
    BadInput,
    NotFound,
    NotSignedIn,
    OnlyAPerson,
    RecollectError,
    StoreBusy,
    StoreReadOnly,
    StoreUnavailable,
    TooManyRequests,
)
from recollect.surfaces.json_answers import error_to_json

# The first that fits counts.
_STATUSES: Sequence[tuple[type[RecollectError], int]] = (
    (NotSignedIn, 401),
    (TooManyRequests, 429),
    (AccessDenied, 403),
    (OnlyAPerson, 403),
    (NotFound, 404),
    (BadInput, 400),
    (StoreBusy, 503),
    (StoreUnavailable, 503),
    (StoreReadOnly, 503),
)


def make_json_response(form: Mapping[str, Any], status: int = 200) -> Response:
    """A JSON answer as it stands."""
    return Response(json.dumps(form, ensure_ascii=False), status, media_type="application/json")


def make_refusal(error: RecollectError) -> Response:
    """What is wrong and what to do."""
    status = find_status(error)
    response = make_json_response({"schema": 1, **error_to_json(error)}, status)
    if status == 401:
        response.headers["www-authenticate"] = "Bearer"
    if status in (429, 503):
        response.headers["retry-after"] = str(error.facts.get("seconds", 1))
    return response


def find_status(error: RecollectError) -> int:
    """The status of an error."""
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
