"""
The way of working behind a session: which methodology it followed, on which unit of work, in which phase, and where
the work stands in that methodology's own terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from recollect.config import project_folder
from recollect.methods.checkout import CheckoutFiles
from recollect.methods.choose import Active, choose
from recollect.methods.known import Known
from recollect.model.action import Deed, phase_after
from recollect.model.event import Event
from recollect.model.memory import MemoryDraft, Trust
from recollect.model.method import Files, Finished, NoFiles, Surroundings
from recollect.model.phase import Phase
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.session import Session
from recollect.model.step import Step, Steps
from recollect.model.subject import Subject
from recollect.model.value import dataclass, replace
from recollect.model.workref import WorkRef, parse_workref
from recollect.observe.actions import deeds_of
from recollect.observe.folders import is_here
from recollect.observe.phrases import quoted
from recollect.plugins import OURS

# The files of a checkout tell of a session that is hardly over; of one long past they would tell what came later.
FILES_TELL = timedelta(days=1)
MOST_ADDITIONS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Working:
    """A methodology, what it looks at, and the unit of work it sees there."""

    active: Active
    around: Surroundings
    unit: WorkRef | None = None
    # From an installed package: what it says is not ours.
    foreign: bool = False

    @property
    def phase(self) -> Phase | None:
        """The phase the session is in: as the methodology has it, else as the deeds show."""
        method = self.active.method
        stage = method.stage(self.around) if self.around.deeds else ""
        return method.phase(stage) if stage else phase_after(self.around.deeds)


# Finds the way of working of a session; None where nobody can say.
FindWay = Callable[[Session, Sequence[Event], Steps], Working | None]


def no_way(session: Session, told: Sequence[Event], steps: Steps) -> Working | None:
    """For whoever learns without methodologies."""
    return None


def ways(known: Callable[[], Known], setting: Callable[[str], tuple[str, str]], now: datetime) -> FindWay:
    """Finds the way of a session by its folder; `setting` gives what is set for a folder, and where."""

    def find(session: Session, told: Sequence[Event], steps: Steps) -> Working:
        root = _root(told)
        files: Files = CheckoutFiles(root) if root and now - session.last_at < FILES_TELL else NoFiles()
        around = Surroundings(files=files, branch=session.branch, work=session.work, deeds=deeds_of(steps))
        wanted, origin = setting(root)
        return working(known(), around, wanted, origin)

    return find


def working(known: Known, around: Surroundings, wanted: str, origin: str) -> Working:
    """The way of working in these surroundings. A unit that somebody named is the unit; the methodology labels it."""
    active = choose(known, around, wanted, origin)
    seen = active.method.unit(around)
    if around.work and str(seen) != around.work:
        seen = parse_workref(around.work)
    ours = {one.value.id for one in known.plugged if one.origin == OURS}
    return Working(active=active, around=around, unit=seen, foreign=active.method.id not in ours)


def stated(way: Working | None, draft: MemoryDraft, steps: Sequence[Step]) -> MemoryDraft:
    """A work state, with what the methodology knows beyond it."""
    if way is None:
        return draft
    state = _state_of(way, steps)
    own = draft.fields.get("methodology_state")
    base = dict(own) if isinstance(own, Mapping) else {}
    told = _told(way, state) if state else ""
    return replace(
        draft,
        text=f"{draft.text} {told}".strip(),
        work=labelled(way, draft.work),
        fields={**draft.fields, "methodology_state": {**base, **state, "methodology": way.active.method.id}},
    )


def left_open(way: Working | None, session: Session, ref: str, steps: Sequence[Step]) -> MemoryDraft | None:
    """The state of a unit that was judged, if its methodology says that something of it is still to do."""
    state = _state_of(way, steps) if way and ref else {}
    if way is None or not state:
        return None
    work = labelled(way, parse_workref(ref))
    method = way.active.method
    return MemoryDraft(
        text=f"Open work on {work.label if work else ref}. {_told(way, state)}".strip(),
        kind="work_state",
        project_id=session.project_id,
        work=work,
        provenance=_provenance(Channel.OBSERVED, way, session, steps),
        trust=Trust(needs_review=True),
        fields={"branch": session.branch, "methodology_state": {**state, "methodology": method.id}},
        happened_at=session.last_at,
    )


def completed(
    way: Working | None, session: Session, done: Finished, steps: Sequence[Step]
) -> list[MemoryDraft]:
    """What the methodology wants kept of a unit that is finished."""
    if way is None:
        return []
    around = replace(way.around, work=str(done.work), deeds=_deeds(steps))
    # What a stranger's package wants kept waits for a yes, like anything that was brought.
    channel = Channel.PLUGIN if way.foreign else Channel.OBSERVED
    additions = way.active.method.on_work_unit_complete(around, done)
    return [
        MemoryDraft(
            text=one.text,
            kind=one.kind,
            subjects=tuple(Subject("file", file) for file in one.files),
            project_id=session.project_id,
            work=labelled(way, done.work),
            provenance=_provenance(channel, way, session, steps),
            trust=Trust(needs_review=True),
            fields=one.fields,
            happened_at=session.last_at,
        )
        for one in list(additions)[:MOST_ADDITIONS]
    ]


def labelled(way: Working | None, work: WorkRef | None) -> WorkRef | None:
    """The same reference with the words the methodology has for it."""
    seen = way.unit if way and work else None
    return seen if seen and str(seen) == str(work) else work


def _state_of(way: Working, steps: Sequence[Step]) -> Mapping[str, object]:
    around = replace(way.around, deeds=_deeds(steps)) if steps else way.around
    return way.active.method.work_state(around)


def _deeds(steps: Sequence[Step]) -> tuple[Deed, ...]:
    return deeds_of(Steps(session_id="", steps=tuple(steps)))


def _told(way: Working, state: Mapping[str, object]) -> str:
    """A state in sentences; a stranger's are shown as a quotation, and cut."""
    told = way.active.method.tell_state(state)
    return quoted(told) if way.foreign and told else told


def _provenance(channel: Channel, way: Working, session: Session, steps: Sequence[Step]) -> Provenance:
    last = next((step.event_ids for step in reversed(steps) if step.event_ids), ())
    return Provenance(
        channel=channel,
        source=Source.OBSERVER_INFERRED,
        session_id=session.id,
        phase=way.phase,
        event_ids=tuple(last),
    )


def _root(told: Sequence[Event]) -> str:
    """The top of the checkout the session worked in, if it is on this machine."""
    named = next((event.folder for event in reversed(told) if event.folder), "")
    if not is_here(named):
        return ""
    return str(project_folder(Path(named)))
