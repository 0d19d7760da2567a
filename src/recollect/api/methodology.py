"""How an open memory comes to know ways of working: loaded once, chosen by what is set for each checkout."""

from __future__ import annotations

from pathlib import Path

from recollect import config
from recollect.api.wiring import Wiring
from recollect.errors import BadSetting
from recollect.methods.choose import AUTO
from recollect.methods.known import Known, known
from recollect.observe.methodology import FindWay, ways

SETTING = "methodology"


def known_to(wiring: Wiring) -> Known:
    """The methodologies, loaded once for an open memory."""
    if wiring.methodologies is None:
        wiring.methodologies = known()
    return wiring.methodologies


def way_finder(wiring: Wiring) -> FindWay:
    """Finds the way of working of any session."""
    return ways(lambda: known_to(wiring), lambda root: setting_for(wiring, root), wiring.now())


def setting_for(wiring: Wiring, root: str) -> tuple[str, str]:
    """What is set for a checkout, and where; a command line has the last word."""
    given = wiring.settings.get(SETTING)
    if given.origin != "command line":
        try:
            given = config.load(Path(root) if root else None).get(SETTING)
        except BadSetting:
            # A stranger's broken file; `doctor` and every command in that project say so.
            return AUTO, "default"
    return str(given.value), f"the {given.origin}"
