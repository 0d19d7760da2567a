"""The desk for ways of working: which is active and why, the unit and phase at hand, what is handed on and resumed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from recollect import config
from recollect.api.methodology import SETTING, known_to, setting_for, way_finder
from recollect.api.wiring import Wiring
from recollect.errors import BadInput, NotFound
from recollect.git import identity
from recollect.inject.relay import Relayed, relayed
from recollect.methods.checkout import CheckoutFiles
from recollect.methods.choose import AUTO, Active
from recollect.model.kinds import Kind
from recollect.model.memory import Memory
from recollect.model.method import Files, NoFiles, Surroundings
from recollect.model.phase import Phase
from recollect.model.value import dataclass, replace
from recollect.model.workref import WorkRef, parse_workref
from recollect.observe.current_phase import phase_now
from recollect.observe.methodology import Working, working
from recollect.retrieve.handover import handed_on
from recollect.retrieve.work_states import work_states
from recollect.store.tables import sessions

_BOUNDARY_BYTES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One methodology as it is shown: where it comes from, and whether it is the one in force."""

    id: str
    name: str
    origin: str
    active: bool
    why: str = ""


class Methods:
    """Ways of working, as `memory.methods`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def listed(self) -> Sequence[Listed]:
        """Every methodology there is."""
        active = self.active()
        return [
            Listed(
                id=one.value.id,
                name=one.value.name,
                origin=one.origin,
                active=one.value.id == active.method.id,
                why=active.why if one.value.id == active.method.id else "",
            )
            for one in known_to(self._wiring).plugged
        ]

    def active(self) -> Active:
        """The methodology in force here, and why."""
        return self._working().active

    def use(self, method_id: str, *, everywhere: bool = False) -> Active:
        """
        Work by this methodology from now on, in this project or everywhere; `auto` goes by the files again.

        Nothing is translated: memories and references of another methodology stay as they are.
        """
        if method_id != AUTO:
            known_to(self._wiring).named(method_id)
        root = self._root()
        if root is None and not everywhere:
            raise BadInput(reason="there is no project around this folder; say that it holds everywhere")
        config.change(SETTING, method_id, project=None if everywhere or root is None else Path(root))
        return self.active()

    def broken(self) -> Sequence[str]:
        """The plugins that could not be loaded or failed when they were asked, each with the reason."""
        found = known_to(self._wiring)
        around = self._surroundings()
        for one in found.plugged:
            one.value.detect(around)
            one.value.unit(around)
            one.value.stage(around)
            one.value.tell_state(one.value.work_state(around))
        return (*found.broken, *found.troubles)

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
        return phase_now(self._wiring.db, session, way_finder(self._wiring)) if session else None

    def relay(self, source: str, target: str, *, work: str | None = None) -> Relayed:
        """What one stage of the work hands to the next, ready to be put before it."""
        way = self._working()
        relay = way.active.method.relay(source, target)
        found = handed_on(
            self._wiring.db,
            way.active.method,
            relay,
            project_id=self._wiring.project_id(),
            work=parse_workref(work) if work else way.unit,
        )
        return relayed(way.active.method, relay, found, lambda: secrets.token_hex(_BOUNDARY_BYTES))

    def resume(self, *, work: str | None = None) -> Sequence[Memory]:
        """Where the work on this unit or branch was left, whatever methodology it was done by; the newest first."""
        way = self._working()
        return work_states(
            self._wiring.db,
            self._wiring.project_id(),
            work=parse_workref(work) if work else way.unit,
            branch=way.around.branch,
        )

    def kinds(self) -> Sequence[Kind]:
        """The kinds of memory that methodologies add."""
        return known_to(self._wiring).kinds()

    def _named(self, name: str) -> Phase:
        if name in set(Phase):
            return Phase(name)
        method = self.active().method
        wanted = name.strip().lower().replace("-", "_")
        if wanted not in method.phases:
            names = ", ".join((*Phase, *method.phases))
            raise NotFound(f"There is no phase {name!r} in {method.id}. The phases are: {names}.")
        return method.phase(wanted)

    def _working(self) -> Working:
        wanted, origin = setting_for(self._wiring, self._root() or "")
        way = working(known_to(self._wiring), self._surroundings(), wanted, origin)
        last = "" if way.unit else self._last_work(way.around.branch)
        return replace(way, unit=parse_workref(last)) if last else way

    def _surroundings(self) -> Surroundings:
        root = self._root()
        files: Files = CheckoutFiles(root) if root else NoFiles()
        branch = identity.branch(Path(root)) if root else None
        return Surroundings(files=files, branch=branch or "")

    def _last_work(self, branch: str) -> str:
        newest = self._newest()
        session = sessions.by_id(self._wiring.db, newest) if newest else None
        return session.work if session and session.branch == branch else ""

    def _newest(self) -> str | None:
        project_id = self._wiring.project_id()
        if project_id is None:
            return None
        found = sessions.newest(self._wiring.db, project_id, every_project=False, limit=1)
        return found[0] if found else None

    def _root(self) -> str | None:
        place = self._wiring.identity()
        return place.root if place else None
