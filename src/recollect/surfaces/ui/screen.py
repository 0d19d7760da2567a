"""What a screen is made of: pages that show an answer, and actions that change something and say so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.api import Recollect
from recollect.model.value import dataclass, field
from recollect.surfaces.ui.call import WebCall

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """An answer: the values that the template shows, and the same for programs, made when it is asked for."""

    values: Mapping[str, Any]
    answer: Callable[[], Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """
    A page with an address. Its twin for programs has the same address with `.json` behind it.

    `part` is the template of `#part` in the page, which is asked for alone when a list is filtered or refreshed.
    """

    path: str
    name: str
    template: str
    show: Callable[[Recollect, WebCall], Screen]
    part: str = ""
    # What it is for, in the description of the API.
    summary: str = ""
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """
    What an action did: the answer for programs, a sentence for a person, and the memory by which it can be undone.

    `go` is the page to go to afterwards; `part` with `values` is shown in place of what asked.
    """

    answer: Mapping[str, Any]
    sentence: str = ""
    undo: str = ""
    go: str = ""
    status: int = 200
    is_warning: bool = False
    part: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something that changes what is remembered, or how."""

    method: str
    path: str
    act: Callable[[Recollect, WebCall], Outcome]
    summary: str
    body: Mapping[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()
