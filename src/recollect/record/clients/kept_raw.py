"""What a newer client says and this version does not know: kept as it came, cut."""

from __future__ import annotations

import json

from recollect.record.form import form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.record.form import Form, NewId, Payload

_MOST = 20_000


def raw(
    client: str, name: str, payload: Payload, *, session_id: str, folder: str, at: str, new_id: NewId
) -> Form:
    """An event of the type `unknown`."""
    said = json.dumps(payload, ensure_ascii=False, default=str)[:_MOST]
    return form(
        "unknown",
        id=new_id(),
        at=at,
        session_id=session_id,
        client=client,
        folder=folder,
        data={"event": name, "raw": said},
    )
