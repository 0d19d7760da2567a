"""What a request says: path, query, form or JSON, each part read with its own check."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

from recollect.errors import BadInput
from recollect.surfaces.ui.access import Visitor

MAX_FIELDS = 5000


class WebCall:
    """One request, as the screens see it: its values, its language, and who asks."""

    def __init__(
        self,
        *,
        path: Mapping[str, str],
        query: str = "",
        body: bytes = b"",
        content_type: str = "",
        standing: Visitor = Visitor.PERSON,
        gettext: Callable[[str], str] = str,
        ngettext: Callable[[str, str, int], str] = lambda one, many, number: one if number == 1 else many,
        target: str = "",
    ) -> None:
        self.path = path
        self.query = query
        self.standing = standing
        self.gettext = gettext
        self.ngettext = ngettext
        # The element of the page that asks, when only a part of it is wanted.
        self.target = target
        self._query_values = _parse_form(query)
        self._body_values = _parse_body(body, content_type)

    @property
    def body(self) -> Mapping[str, Any]:
        """What the body holds, by name."""
        return self._body_values

    def has(self, name: str) -> bool:
        """Whether a value was sent under this name."""
        return name in self._body_values or name in self._query_values

    def value(self, name: str) -> Any:
        """A value as it was sent: of the body before the query; None when there is none."""
        value = self._body_values.get(name, self._query_values.get(name))
        # In a form every value is a list; the last one counts.
        return value[-1] if isinstance(value, list) and value else value

    def text(self, name: str, default: str = "") -> str:
        """A text."""
        value = self.value(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise BadInput(reason=f"{name} is a text, not {json.dumps(value)[:60]}")
        return value

    def texts(self, name: str) -> Sequence[str]:
        """Several texts: sent more than once, or as a JSON list. Empty ones do not count."""
        value = self._body_values.get(name, self._query_values.get(name, []))
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str) for one in values):
            raise BadInput(reason=f"{name} is a list of texts")
        return [one.strip() for one in values if one.strip()]

    def number(self, name: str, default: int, *, low: int = 0, high: int = 1_000_000) -> int:
        """A whole number within its bounds."""
        value = self.value(name)
        if value in (None, ""):
            return default
        try:
            number = int(value) if not isinstance(value, bool) else low - 1
        except (TypeError, ValueError, OverflowError):
            number = low - 1
        if not low <= number <= high:
            raise BadInput(reason=f"{name} is a whole number from {low} to {high}, not {str(value)[:40]!r}")
        return number

    def share(self, name: str) -> float | None:
        """A number between 0 and 1; None when there is none."""
        value = self.value(name)
        if value in (None, ""):
            return None
        try:
            share = float(value) if not isinstance(value, bool) else -1.0
        except (TypeError, ValueError, OverflowError):
            share = -1.0
        if not 0 <= share <= 1:
            raise BadInput(reason=f"{name} is a number between 0 and 1, not {str(value)[:40]!r}")
        return share

    def flag(self, name: str) -> bool:
        """A yes or no; what is not there is a no."""
        value = self.value(name)
        if value in (None, "", False, "0", "false", "off"):
            return False
        if value in (True, "1", "true", "on"):
            return True
        raise BadInput(reason=f"{name} is true or false, not {str(value)[:40]!r}")


def _parse_form(text: str) -> dict[str, list[str]]:
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="replace")
    except ValueError as error:
        raise BadInput(reason=f"it has more than {MAX_FIELDS} fields") from error


def _parse_body(body: bytes, content_type: str) -> dict[str, Any]:
    if not body:
        return {}
    if content_type.partition(";")[0].strip().lower() != "application/json":
        return dict(_parse_form(body.decode("utf-8", "replace")))
    try:
        form = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadInput(reason="the body is not JSON") from error
    if not isinstance(form, dict):
        raise BadInput(reason="the body is a JSON object")
    return form
