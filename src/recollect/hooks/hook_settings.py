"""
The few settings a hook needs, read with the standard library alone.

Loading `config` costs several times what a recording hook may take. The answers are the same: a test compares them.
"""

from __future__ import annotations

import os
import sys

from recollect.events.bounded_read import (
    MAX_OWN_SETTINGS_BYTES,
    MAX_SETTINGS_BYTES,
    UnreadableFile,
    parse_toml,
    read_bounded,
)
from recollect.events.excluded import parse_patterns
from recollect.events.inbox import MAX_BYTES
from recollect.model.policy import HOOK_MILLISECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OFF = ("off", "0", "false", "no")


class HookSettings:
    """What a hook goes by."""

    __slots__ = ("asks_agent", "db", "excluded", "most_bytes", "most_ms")

    # By hand: loading dataclasses takes longer than a recording hook may.
    def __init__(
        self, *, db: str, most_bytes: int, most_ms: int, excluded: tuple[str, ...], asks_agent: bool = False
    ) -> None:
        self.db = db
        self.most_bytes = most_bytes
        self.most_ms = most_ms
        self.excluded = excluded
        # Whether the agent itself is asked once, when it stops, what the session taught.
        self.asks_agent = asks_agent


def is_off() -> bool:
    """Whether hooks are to do nothing: a person said so, or an agent runs that recollect itself started."""
    return os.environ.get("RECOLLECT_HOOKS", "").lower() in _OFF or bool(os.environ.get("RECOLLECT_OFF"))


def is_gate_missing() -> bool:
    """Whether `gate.sh` started us because it had no words to look for."""
    return os.environ.get("RECOLLECT_GATE") == "missing"


def is_unheard() -> bool:
    """Whether `gate.sh` started us behind the agent's back: to record, not to speak."""
    return os.environ.get("RECOLLECT_GATE") == "behind"


def heard_at_uptime() -> float | None:
    """The system's uptime at which `gate.sh` heard the event, in seconds; None if it did not start us."""
    heard = os.environ.get("RECOLLECT_HEARD", "")
    return float(heard) if heard else None


def at_first() -> int:
    """The milliseconds to wait while nothing is read yet; the environment answers at once, a file may not."""
    text = os.environ.get("RECOLLECT_HOOKS_MOST_MS", "")
    return int(text) if text.isdecimal() else HOOK_MILLISECONDS


def read(top: str) -> HookSettings:
    """The settings in force in the project with this top folder."""
    # Links are for people who keep their settings elsewhere; the project's file is a stranger's.
    user = _read(_home("config") + "/config.toml", follow=True)
    project = _read(top + "/.recollect/config.toml", follow=False) if top else {}
    excluded = [_listed(_at(file, "record", "exclude")) for file in (user, project)]
    excluded.append(os.environ.get("RECOLLECT_RECORD_EXCLUDE", ""))
    return HookSettings(
        db=_first("RECOLLECT_DB", user, "db")
        or _server_db(_first("RECOLLECT_URL", user, "url"))
        or default_db(),
        most_bytes=int(_first("RECOLLECT_INBOX_MOST_BYTES", user, "inbox", "most_bytes") or MAX_BYTES),
        most_ms=int(_first("RECOLLECT_HOOKS_MOST_MS", user, "hooks", "most_ms") or HOOK_MILLISECONDS),
        excluded=parse_patterns(", ".join(filter(None, excluded))),
        asks_agent=_first("RECOLLECT_REFLECT", user, "reflect") == "agent",
    )


def usual_db() -> str:
    """Where memories are as far as the environment tells: all that `gate.sh` can see."""
    return os.environ.get("RECOLLECT_DB") or _server_db(os.environ.get("RECOLLECT_URL", "")) or default_db()


def _server_db(url: str) -> str:
    """The file that mirrors a server; empty without one."""
    if not url:
        return ""
    # Loaded here: most memories are on this machine.
    from recollect.events.server_file import name_server_file

    return f"{_home('data')}/{name_server_file(url)}"


def default_db() -> str:
    """Where memories are when nobody has said otherwise."""
    return _home("data") + "/memories.db"


def _first(variable: str, file: dict[str, Any], *names: str) -> str:
    return os.environ.get(variable) or str(_at(file, *names) or "")


def _home(kind: str) -> str:
    if named := os.environ.get("RECOLLECT_HOME"):
        return os.path.join(os.path.expanduser(named), kind)  # noqa: PTH111, PTH118
    if sys.platform == "linux" and "ANDROID_DATA" not in os.environ:
        folder = os.environ.get("XDG_DATA_HOME" if kind == "data" else "XDG_CONFIG_HOME", "")
        usual = "/.local/share" if kind == "data" else "/.config"
        # An empty HOME would make it a folder at the top of the disk; a path without one is used by nobody.
        return (os.path.expanduser(folder) if folder.strip() else (_person() + usual)) + "/recollect"  # noqa: PTH111
    import platformdirs

    find_folder = platformdirs.user_data_dir if kind == "data" else platformdirs.user_config_dir
    return find_folder("recollect", appauthor=False)


def _person() -> str:
    home = os.path.expanduser("~")  # noqa: PTH111
    return home if os.path.isabs(home) and home != "/" else "~"  # noqa: PTH117


def _read(file: str, *, follow: bool) -> dict[str, Any]:
    try:
        # Links are followed for the user alone.
        most = MAX_OWN_SETTINGS_BYTES if follow else MAX_SETTINGS_BYTES
        return parse_toml(read_bounded(file, most, follow=follow))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (UnreadableFile, ValueError) as error:
        raise ValueError(f"the settings file {file} cannot be read ({error})") from error


def _at(table: Any, *names: str) -> Any:
    """A value by its place in the file; a dotted key and a table are the same to TOML."""
    for name in names:
        table = table.get(name) if isinstance(table, dict) else None
    return table


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
