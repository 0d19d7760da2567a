"""What a route of the server is: where, what it does to the store, and who answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from recollect.api.acts import RemoteAct
from recollect.model.team import Mode
from recollect.model.value import dataclass
from recollect.server.team_server import IncomingCall

# Answers a call that has been let in: who asks, and what the body says.
Answer = Callable[[IncomingCall, Mapping[str, Any], Request], Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRoute:
    """One route. `mode` has no default: whoever adds a route says what it does."""

    method: str
    path: str
    mode: Mode
    name: str
    answer: Answer
    summary: str
    # The act behind it, where it is one.
    act: RemoteAct | None = None
