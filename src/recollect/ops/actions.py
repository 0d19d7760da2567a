"""Recognising actions on services in shell commands: one table of patterns, read from the words as a shell would."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from recollect.model.value import dataclass

# One name or several; a variable counts as a name, so that it can be refused.
_NAMES = r"(?P<service>[\w.@${}][\w.@${}:/-]*(?:[ \t]+[\w.@${}][\w.@${}:/-]*){0,50})"
_FLAGS = r"(?:-\S{1,100}[ \t]+(?:\d{1,9}[ \t]+)?){0,12}"

# The group `service` names what is acted on; several names in it are several services.
DEFAULT_PATTERNS: Mapping[str, tuple[str, ...]] = {
    "restart": (
        r"\b(?:docker|podman|nerdctl)[ \t]+(?:container[ \t]+)?restart[ \t]+" + _FLAGS + _NAMES,
        r"\b(?:docker|podman|nerdctl)(?:-|[ \t]+)compose\b[^;&|\n]{0,200}?[ \t]restart[ \t]+"
        + _FLAGS
        + _NAMES,
        r"\bsystemctl[ \t]+" + _FLAGS + r"(?:try-)?re(?:start|load-or-restart)[ \t]+" + _FLAGS + _NAMES,
        r"(?:^|[;&|(\n]|\bsudo)[ \t]*service[ \t]+(?P<service>[\w.@${}-]+)[ \t]+restart\b",
        r"\brc-service[ \t]+(?P<service>[\w.@${}-]+)[ \t]+restart\b",
        r"\bkubectl\b[^;&|\n]{0,200}?[ \t]rollout[ \t]+restart[ \t]+"
        + _FLAGS
        + r"(?:\w+[/ \t]+)(?P<service>[\w.${}-]+)",
    ),
    "redeployment": (
        r"\b(?:docker|podman|nerdctl)(?:-|[ \t]+)compose\b[^;&|\n]{0,200}?[ \t]up[ \t]+" + _FLAGS + _NAMES,
        r"\bhelm[ \t]+upgrade[ \t]+(?:-\S{1,100}[ \t]+){0,12}(?P<service>[\w.${}-]+)",
        r"\bansible-playbook\b[^;&|\n]{0,200}?\bservice=(?P<service>[\w.@${}-]+)",
    ),
}
MAX_COMMAND = 20_000
# What is sent where is no name of a service.
_REDIRECTION = re.compile(r"\d*[<>]{1,2}&?[ \t]*[^\s;&|]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedAct:
    """An action on a service that a command would take."""

    action: str
    service: str

    @property
    def is_hidden(self) -> bool:
        """Whether the command does not say which service it is."""
        return "$" in self.service


def find_acts(command: str, patterns: Mapping[str, Sequence[str]]) -> Iterator[GuardedAct]:
    """Every action on a service in a command line, as often as it stands there."""
    # A line that goes on is one line, and quotes inside words do not hide a word.
    plain = re.sub(r"[\"'\\]", "", command.replace("\\\n", ""))
    plain = _REDIRECTION.sub(" ; ", plain)
    places: set[tuple[str, int]] = set()
    for action, expressions in patterns.items():
        for expression in expressions:
            for match in re.finditer(expression, plain):
                # Two patterns may know the same words.
                if (action, match.start("service")) not in places:
                    places.add((action, match.start("service")))
                    for name in match["service"].split():
                        yield GuardedAct(action=action, service=name.removesuffix(".service"))
