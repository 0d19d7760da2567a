"""
The methodology of a session: which one it follows, on which unit of work, in which phase, and where the work
stands in its own terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from recollect.capture.quotations import reads_as_sentence
from recollect.config import project_folder
from recollect.errors import NotFound
from recollect.methods.checkout import CheckoutReader
from recollect.methods.registry import ActiveMethod, KnownMethods, choose_method
from recollect.model.event import Event
from recollect.model.memory import MemoryDraft, Trust
from recollect.model.method import FinishedWork, NoFiles, Surroundings
from recollect.model.method import ReadableFiles as Files
from recollect.model.phase import AgentAction, Phase, infer_phase
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.scope import WorkRef, parse_workref
from recollect.model.session import Session
from recollect.model.step import Step, Steps
from recollect.model.subject import Subject
from recollect.model.value import dataclass, replace
from recollect.observe.actions import list_actions
from recollect.observe.folders import is_here
from recollect.observe.phrases import quote_text
from recollect.observe.steps import build_steps
from recollect.plugins import OURS
from recollect.store.db import Db
from recollect.store.tables import events, sessions

# The files of a checkout tell of a session that is hardly over; of one long past they would tell what came later.
MAX_SESSION_AGE = timedelta(days=1)
MAX_ADDITIONS = 20
# From so many words on it is a sentence rather than a name.
_SENTENCE_WORDS = 3
# What was committed is told in the words of whoever worked here.
_DECISIONS = "key_decisions"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveMethodology:
    """A methodology, what it looks at, and the unit of work it sees there."""

    active: ActiveMethod
    around: Surroundings
    unit: WorkRef | None = None
    # From an installed package: what it says is not ours.
    foreign: bool = False

    @property
    def phase(self) -> Phase | None:
        """The phase the session is in: as the methodology has it, else as the deeds show."""
        method = self.active.method
        stage = method.stage(self.around) if self.around.deeds else ""
        return method.phase(stage) if stage else infer_phase(self.around.deeds)


# Finds the methodology of a session; None where nobody can say.
FindMethodology = Callable[[Session, Sequence[Event], Steps], ActiveMethodology | None]


def find_no_methodology(session: Session, events: Sequence[Event], steps: Steps) -> ActiveMethodology | None:
    """For whoever learns without methodologies."""
    return None


def make_methodology_finder(
    known_methods: Callable[[], KnownMethods], setting: Callable[[str], tuple[str, str]], now: datetime
) -> FindMethodology:
    """Make a function that finds the methodology of a session; `setting` gives what is set for a folder, and where."""

    def find(session: Session, events: Sequence[Event], steps: Steps) -> ActiveMethodology:
        root = _find_root(events)
        files: Files = CheckoutReader(root) if root and now - session.last_at < MAX_SESSION_AGE else NoFiles()
        around = Surroundings(
            files=files, branch=session.branch, work=session.work, deeds=list_actions(steps)
        )
        method_id, origin = setting(root)
        return find_methodology(known_methods(), around, method_id, origin)

    return find


def find_methodology(
    known_methods: KnownMethods, around: Surroundings, method_id: str, origin: str
) -> ActiveMethodology:
    """The methodology in these surroundings. A unit that somebody named is the unit; the methodology labels it."""
    active = choose_method(known_methods, around, method_id, origin)
    unit = active.method.unit(around)
    if around.work and str(unit) != around.work:
        unit = parse_workref(around.work)
    ours = {plugged.value.id for plugged in known_methods.plugged if plugged.origin == OURS}
    return ActiveMethodology(active=active, around=around, unit=unit, foreign=active.method.id not in ours)


def add_methodology_state(
    active: ActiveMethodology | None, draft: MemoryDraft, steps: Sequence[Step]
) -> MemoryDraft:
    """A work state, with what the methodology knows beyond it."""
    if active is None:
        return draft
    state = _state_of(active, steps)
    given_state = draft.fields.get("methodology_state")
    base = dict(given_state) if isinstance(given_state, Mapping) else {}
    sentences = _describe_state(active, state) if state else ""
    return replace(
        draft,
        text=f"{draft.text} {sentences}".strip(),
        work=label_work(active, draft.work),
        fields={
            **draft.fields,
            "methodology_state": {**base, **state, "methodology": active.active.method.id},
        },
    )


def draft_open_work(
    active: ActiveMethodology | None, session: Session, ref: str, steps: Sequence[Step]
) -> MemoryDraft | None:
    """The state of a unit that was judged, if its methodology says that something of it is still to do."""
    state = _state_of(active, steps) if active and ref else {}
    if active is None or not state:
        return None
    work = label_work(active, parse_workref(ref))
    method = active.active.method
    return MemoryDraft(
        text=f"Open work on {_name_work(work, ref)}. {_describe_state(active, state)}".strip(),
        kind="work_state",
        project_id=session.project_id,
        work=work,
        provenance=_provenance(Channel.OBSERVED, active, session, steps),
        trust=Trust(needs_review=True),
        fields={"branch": session.branch, "methodology_state": {**state, "methodology": method.id}},
        happened_at=session.last_at,
    )


def draft_completion(
    active: ActiveMethodology | None, session: Session, finished: FinishedWork, steps: Sequence[Step]
) -> list[MemoryDraft]:
    """What the methodology wants kept of a unit that is finished."""
    if active is None:
        return []
    around = replace(active.around, work=str(finished.work), deeds=_list_actions(steps))
    # What a stranger's package wants kept waits for a yes, like anything that was brought.
    channel = Channel.PLUGIN if active.foreign else Channel.OBSERVED
    additions = active.active.method.on_work_unit_complete(around, finished)
    return [
        MemoryDraft(
            text=addition.text,
            kind=addition.kind,
            subjects=tuple(Subject("file", file) for file in addition.files),
            project_id=session.project_id,
            work=label_work(active, finished.work),
            provenance=_provenance(channel, active, session, steps),
            trust=Trust(needs_review=True),
            fields=addition.fields,
            happened_at=session.last_at,
        )
        for addition in list(additions)[:MAX_ADDITIONS]
    ]


def label_work(active: ActiveMethodology | None, work: WorkRef | None) -> WorkRef | None:
    """The same reference with the words the methodology has for it."""
    unit = active.unit if active and work else None
    return unit if unit and str(unit) == str(work) else work


def _name_work(work: WorkRef | None, ref: str) -> str:
    """A unit by its label; by its reference, where the label is a title that somebody wrote."""
    label = work.label if work else ref
    return label if len(label.split()) <= _SENTENCE_WORDS else str(work or ref)


def _state_of(active: ActiveMethodology, steps: Sequence[Step]) -> Mapping[str, object]:
    around = replace(active.around, deeds=_list_actions(steps)) if steps else active.around
    return active.active.method.work_state(around)


def _list_actions(steps: Sequence[Step]) -> tuple[AgentAction, ...]:
    return list_actions(Steps(session_id="", steps=tuple(steps)))


def _describe_state(active: ActiveMethodology, state: Mapping[str, object]) -> str:
    """A state in sentences; a stranger's are shown as a quotation, and cut."""
    sentences = active.active.method.tell_state(_without_prose(state))
    return quote_text(sentences) if active.foreign and sentences else sentences


def _without_prose(state: Mapping[str, object]) -> dict[str, object]:
    """A state with numbers for what it says in sentences: titles and tasks are text that was read."""
    return {name: value if name == _DECISIONS else _mask(value) for name, value in state.items()}


def _mask(value: object) -> object:
    if isinstance(value, str):
        return value if len(value.split()) < _SENTENCE_WORDS and not reads_as_sentence(value) else ""
    if isinstance(value, list | tuple):
        masked = [_mask(item) for item in value]
        return [item if item != "" else f"#{number}" for number, item in enumerate(masked, start=1)]
    return value


def _provenance(
    channel: Channel, active: ActiveMethodology, session: Session, steps: Sequence[Step]
) -> Provenance:
    last = next((step.event_ids for step in reversed(steps) if step.event_ids), ())
    return Provenance(
        channel=channel,
        source=Source.OBSERVER_INFERRED,
        session_id=session.id,
        phase=active.phase,
        event_ids=tuple(last),
    )


def _find_root(events: Sequence[Event]) -> str:
    """The top of the checkout the session worked in, if it is on this machine."""
    folder = next((event.folder for event in reversed(events) if event.folder), "")
    if not is_here(folder):
        return ""
    return str(project_folder(Path(folder)))


# What happened before that tells nothing about now.
MAX_EVENTS_READ = 300


def record_current_phase(db: Db, session_id: str, find_methodology_of: FindMethodology) -> Phase | None:
    """Infer the phase a session is in from its newest events, and store it with the session; None while it is empty."""
    session = sessions.find_session(db, session_id)
    if session is None:
        raise NotFound(what="session", name=session_id)
    newest_events = events.list_newest_events(db, session_id, MAX_EVENTS_READ)
    active = find_methodology_of(session, newest_events, build_steps(session_id, newest_events))
    phase = active.phase if active else None
    if phase and str(phase) != session.phase and not db.read_only:
        with db.transaction():
            sessions.record_work(db, session_id, phase=str(phase))
    return phase
