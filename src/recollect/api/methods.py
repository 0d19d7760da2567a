"""Ways of working, as `memory.methods`: which is active and why, the unit and phase at hand, what is handed on."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from recollect import config
from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.errors import BadInput, BadSetting, NotFound
from recollect.git import identity
from recollect.inject.answer import RelayText, render_relay
from recollect.methods.checkout import CheckoutReader
from recollect.methods.registry import AUTO, ActiveMethod, KnownMethods, load_methods
from recollect.model.kinds import Kind
from recollect.model.memory import Memory
from recollect.model.method import NoFiles, Surroundings
from recollect.model.method import ReadableFiles as Files
from recollect.model.phase import Phase
from recollect.model.scope import WorkRef, parse_workref
from recollect.model.value import dataclass, replace
from recollect.observe.methodology import (
    ActiveMethodology,
    FindMethodology,
    find_methodology,
    record_current_phase,
)
from recollect.observe.methodology import (
    make_methodology_finder as methodology_finder,
)
from recollect.retrieve.handover import list_work_states, select_handover
from recollect.store.tables import sessions

SETTING = "methodology"
_BOUNDARY_BYTES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMethod:
    """One methodology as it is shown: where it comes from, and whether it is the one in force."""

    id: str
    name: str
    origin: str
    active: bool
    why: str = ""


@public_api
class Methods:
    """Ways of working, as `memory.methods`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def listed(self) -> Sequence[ListedMethod]:
        """Every methodology there is."""
        active = self.active()
        return [
            ListedMethod(
                id=plugged.value.id,
                name=plugged.value.name,
                origin=plugged.origin,
                active=plugged.value.id == active.method.id,
                why=active.why if plugged.value.id == active.method.id else "",
            )
            for plugged in load_methodologies(self._wiring).plugged
        ]

    def active(self) -> ActiveMethod:
        """The methodology in force here, and why."""
        return self._working().active

    def use(self, method_id: str, *, everywhere: bool = False) -> ActiveMethod:
        """
        Work by this methodology from now on, in this project or everywhere; `auto` goes by the files again.

        Nothing is translated: memories and references of another methodology stay as they are.
        """
        if method_id != AUTO:
            load_methodologies(self._wiring).get_method(method_id)
        root = self._root()
        if root is None and not everywhere:
            raise BadInput(reason="there is no project around this folder; say that it holds everywhere")
        config.change_setting(SETTING, method_id, project=None if everywhere or root is None else Path(root))
        return self.active()

    def broken(self) -> Sequence[str]:
        """The plugins that could not be loaded or failed when they were asked, each with the reason."""
        methodologies = load_methodologies(self._wiring)
        around = self._surroundings()
        for plugged in methodologies.plugged:
            plugged.value.detect(around)
            plugged.value.unit(around)
            plugged.value.stage(around)
            plugged.value.tell_state(plugged.value.work_state(around))
        return (*methodologies.broken, *methodologies.troubles)

    def unit(self) -> WorkRef | None:
        """The unit of work at hand: as branch and files tell it, else the one the newest session here was about."""
        return self._working().unit

    def at_hand(self) -> tuple[WorkRef | None, str]:
        """The unit of work at hand, and the branch."""
        way = self._working()
        return way.unit, way.around.branch

    def phase(self, name: str | None = None, *, session: str | None = None) -> Phase | None:
        """The universal phase behind a name; without a name, the phase that the newest session is in."""
        if name is not None:
            return self._named(name)
        session = session or self._newest()
        return (
            record_current_phase(self._wiring.db, session, make_methodology_finder(self._wiring))
            if session
            else None
        )

    def resolve_phase(self, name: Phase | str | None) -> Phase | None:
        """The phase an argument means: a universal one, a name of the way of working, or `auto`: the one at hand."""
        if name is None or name in set(Phase):
            return Phase(name) if name else None
        return self.phase(None if name == "auto" else name)

    def relay(self, source: str, target: str, *, work: str | None = None) -> RelayText:
        """What one stage of the work hands to the next, ready to be put before it."""
        way = self._working()
        relay = way.active.method.relay(source, target)
        memories = select_handover(
            self._wiring.db,
            way.active.method,
            relay,
            project_id=self._wiring.project_id(),
            work=parse_workref(work) if work else way.unit,
        )
        return render_relay(way.active.method, relay, memories, lambda: secrets.token_hex(_BOUNDARY_BYTES))

    def resume(self, *, work: str | None = None) -> Sequence[Memory]:
        """Where the work on this unit or branch was left, whatever methodology it was done by; the newest first."""
        way = self._working()
        return list_work_states(
            self._wiring.db,
            self._wiring.project_id(),
            work=parse_workref(work) if work else way.unit,
            branch=way.around.branch,
        )

    def kinds(self) -> Sequence[Kind]:
        """The kinds of memory that methodologies add."""
        return load_methodologies(self._wiring).kinds()

    def _named(self, name: str) -> Phase:
        if name in set(Phase):
            return Phase(name)
        method = self.active().method
        wanted = name.strip().lower().replace("-", "_")
        if wanted not in method.phases:
            names = ", ".join((*Phase, *method.phases))
            raise NotFound(f"There is no phase {name!r} in {method.id}. The phases are: {names}.")
        return method.phase(wanted)

    def _working(self) -> ActiveMethodology:
        wanted, origin = read_methodology_setting(self._wiring, self._root() or "")
        way = find_methodology(load_methodologies(self._wiring), self._surroundings(), wanted, origin)
        last = "" if way.unit else self._last_work(way.around.branch)
        return replace(way, unit=parse_workref(last)) if last else way

    def _surroundings(self) -> Surroundings:
        root = self._root()
        files: Files = CheckoutReader(root) if root else NoFiles()
        branch = identity.read_branch(Path(root)) if root else None
        return Surroundings(files=files, branch=branch or "")

    def _last_work(self, branch: str) -> str:
        newest = self._newest()
        session = sessions.find_session(self._wiring.db, newest) if newest else None
        return session.work if session and session.branch == branch else ""

    def _newest(self) -> str | None:
        project_id = self._wiring.project_id()
        if project_id is None:
            return None
        session_ids = sessions.list_newest_sessions(self._wiring.db, project_id, every_project=False, limit=1)
        return session_ids[0] if session_ids else None

    def _root(self) -> str | None:
        place = self._wiring.identity()
        return place.root if place else None


def load_methodologies(wiring: Wiring) -> KnownMethods:
    """The methodologies, loaded once for an open memory."""
    if wiring.methodologies is None:
        wiring.methodologies = load_methods()
    return wiring.methodologies


def make_methodology_finder(wiring: Wiring) -> FindMethodology:
    """Finds the way of working of any session."""
    return methodology_finder(
        lambda: load_methodologies(wiring), lambda root: read_methodology_setting(wiring, root), wiring.now()
    )


def read_methodology_setting(wiring: Wiring, root: str) -> tuple[str, str]:
    """What is set for a checkout, and where; a command line has the last word."""
    setting = wiring.settings.get(SETTING)
    if setting.origin != "command line":
        try:
            setting = config.load_settings(Path(root) if root else None).get(SETTING)
        except BadSetting:
            # A stranger's broken file; `doctor` and every command in that project say so.
            return AUTO, "default"
    return str(setting.value), f"the {setting.origin}"
