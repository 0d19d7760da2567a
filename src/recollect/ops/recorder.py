"""
From a run's output to memories, events, cooldowns and health, while it comes.

Everything is keyed by its place in the output, and a run counts once for each memory: to read the same output again,
after a crash or a busy database, changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from recollect.api import Recollect
from recollect.errors import RecollectError, StoreBusy
from recollect.events.hidden import strip_hidden
from recollect.events.redact import redact
from recollect.model.memory import (
    AlreadyKnown,
    Intake,
    Memory,
    MemoryState,
    Refused,
    RelationType,
    Remembered,
)
from recollect.model.operations import HealthCheck, OpsEvent, OpsEventType, OpsRun
from recollect.model.provenance import Channel
from recollect.model.subject import Subject
from recollect.model.value import dataclass
from recollect.ops.evidence import ReadEvidence
from recollect.ops.injection import SERVICE, format_confidence
from recollect.ops.jobs import OpsFile
from recollect.ops.lines import LineSplitter
from recollect.ops.markers import (
    EventLevel,
    MalformedMarker,
    Marker,
    MarkerWord,
    parse_markers,
    strip_markers,
)
from recollect.ops.streams import READERS, AgentText, ReadLine, RunFigures, StreamPart
from recollect.ops.structured import Handoff, ServiceSighting, StructuredOutput, read_structured

# Places of one block of a message; those of structured output come after all blocks.
_PER_BLOCK = 100_000
_IN_STRUCTURE = 1_000 * _PER_BLOCK
# So many malformed markers of a run are shown; the others are counted.
MAX_SHOWN = 50
# More memories than this are no observations of one run.
MAX_MEMORIES = 500
MAX_MESSAGE = 4_000
EventSink = Callable[[OpsEvent], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReading:
    """What a run's output came to."""

    figures: RunFigures
    summary: str
    handoff: Handoff | None
    malformed: int
    quoted: int


def clean_text(text: str, most: int = MAX_MESSAGE) -> str:
    """A text fit to be kept and shown: on one line, without secrets and what cannot be seen."""
    return " ".join(redact(strip_hidden(text[: 4 * most]).text).text.split())[:most]


class RunRecorder:
    """Reads the output of one run."""

    def __init__(
        self,
        memory: Recollect,
        run: OpsRun,
        *,
        stream: str,
        file: OpsFile,
        prompts: str = "",
        on_event: EventSink = lambda event: None,
    ) -> None:
        self._memory = memory
        self._operations = memory.operations
        self._run = run
        self._file = file
        self._on_event = on_event
        self._categories = frozenset(memory.kinds.names())
        self._reader = READERS[stream]()
        self._lines = LineSplitter()
        self._evidence = ReadEvidence(prompts)
        self._held: list[tuple[int, int, Marker]] = []
        self._met: set[str] = set()
        self._handoff: Handoff | None = None
        self._malformed = self._quoted = self._memories = 0
        # The database stayed busy: some of it has to be read again.
        self.missed = False

    def feed(self, chunk: bytes) -> None:
        """Take in what came."""
        for position, line in self._lines.feed(chunk):
            self._take_all(self._reader.read(position, line))

    def finish(self) -> RunReading:
        """The output has ended: what was held back is taken in now."""
        for position, line in self._lines.finish():
            self._take_all(self._reader.read(position, line))
        self._take_all(self._reader.finish())
        figures = self._reader.figures
        structured = StructuredOutput()
        if self._run.structured and figures.structured is not None:
            structured = read_structured(figures.structured, self._categories)
            self._guarded(self._take_structure, figures.structured_position, structured)
        else:
            self._take_held()
        return RunReading(
            figures=figures,
            summary=clean_text(structured.summary or strip_markers(figures.result)),
            handoff=structured.handoff or self._handoff,
            malformed=self._malformed + self._lines.oversized,
            quoted=self._quoted,
        )

    # -- parts of the stream -----------------------------------------------------------------------------

    def _take_all(self, parts: Iterable[StreamPart]) -> None:
        for part in parts:
            if isinstance(part, ReadLine):
                self._evidence.hold(part.line)
            elif isinstance(part, AgentText):
                self._take_text(part)

    def _take_text(self, part: AgentText) -> None:
        reading = parse_markers(part.text, self._categories)
        self._malformed += reading.malformed_count
        self._quoted += reading.quoted
        place = part.block * _PER_BLOCK
        for number, marker in enumerate(reading.markers):
            self._take_marker(part.position, place + number, marker)
        for number, problem in enumerate(reading.malformed, len(reading.markers)):
            self._guarded(self._show, part.position, place + number, problem)

    def _take_marker(self, position: int, place: int, marker: Marker) -> None:
        if self._evidence.is_example(marker.written):
            self._quoted += 1
        elif self._run.structured and marker.word in (MarkerWord.MEMORY, MarkerWord.EVENT):
            # Structured output may say the same at the end; until then these wait.
            self._held.append((position, place, marker))
        else:
            self._guarded(self._apply, position, place, marker)

    def _take_held(self) -> None:
        waiting, self._held = self._held, []
        for position, place, marker in waiting:
            self._guarded(self._apply, position, place, marker)

    def _take_structure(self, position: int, output: StructuredOutput) -> None:
        for place, marker in enumerate(output.markers, _IN_STRUCTURE):
            self._apply(position, place, marker)
        for place, problem in enumerate(output.malformed, _IN_STRUCTURE + len(output.markers)):
            self._malformed += 1
            self._show(position, place, problem)
        for place, checked in enumerate(output.checked, _IN_STRUCTURE):
            self._check(position, place, checked)

    def _guarded(self, act: Callable[..., None], *arguments: object) -> None:
        try:
            act(*arguments)
        except StoreBusy:
            self.missed = True

    # -- what a marker does ------------------------------------------------------------------------------

    def _apply(self, position: int, place: int, marker: Marker) -> None:
        if marker.word is MarkerWord.MEMORY:
            self._remember(position, place, marker)
        elif marker.word is MarkerWord.EVENT:
            self._put(position, place, OpsEventType.AGENT, marker.name, marker.text, marker.service)
        elif marker.word is MarkerWord.COOLDOWN:
            self._cool_down(position, place, marker)
        else:
            tier = int(marker.name) if marker.name else 0
            services = (marker.service,) if marker.service else ()
            reason = clean_text(marker.text)
            self._handoff = Handoff(reason=reason, tier=tier, services=services, origin="marker")

    def _remember(self, position: int, place: int, marker: Marker) -> None:
        self._memories += 1
        if self._memories > MAX_MEMORIES:
            self._malformed += 1
            return
        repeats = self._evidence.is_repeated(marker.text) or self._operations.is_echo(
            marker.text, self._evidence.list_instructions()
        )
        try:
            intake = self._memory.remember(
                marker.text,
                kind=marker.name,
                about=[Subject(SERVICE, marker.service)] if marker.service else [],
                # All runs of a chain are one session: what its tiers say to each other confirms nothing.
                session=self._run.chain_id,
                channel=Channel.READ if repeats else Channel.AGENT,
                why=f"marker in run {self._run.id}, tier {self._run.tier}",
            )
        except StoreBusy:
            raise
        except RecollectError as problem:
            self._malformed += 1
            self._show(position, place, MalformedMarker(written=marker.written[:160], reason=str(problem)))
            return
        level, message, memory_id = self._describe_intake(marker, intake)
        if message:
            self._put(
                position, place, OpsEventType.MEMORY, level, message, marker.service, memory_id=memory_id
            )

    def _describe_intake(self, marker: Marker, intake: Intake) -> tuple[str, str, str | None]:
        """What became of a memory, told once a run: born, reinforced, contradicted, put aside or refused."""
        where = f"[{marker.name}{':' + marker.service if marker.service else ''}]"
        if isinstance(intake, Refused):
            return EventLevel.WARNING, f"Memory refused: {where} {intake.reason}", None
        assert isinstance(intake, Remembered | AlreadyKnown)
        memory = intake.memory
        is_first, is_of_chain = memory.id not in self._met, memory.provenance.session_id == self._run.chain_id
        is_own = is_of_chain and memory.created_at >= self._run.started_at
        self._met.add(memory.id)
        # What another run of the chain learned is not learned again by this one.
        is_again = not is_of_chain and self._run.chain_id in memory.sessions
        if not is_first or not (is_own or is_again):
            return EventLevel.INFO, "", memory.id
        sure = format_confidence(memory.confidence)
        if not is_own:
            return EventLevel.INFO, f"Memory reinforced to {sure}: {where} {memory.text}", memory.id
        level, verb = _birth_of(memory)
        return level, f"{verb}: {where} {memory.text} (confidence {sure})", memory.id

    def _cool_down(self, position: int, place: int, marker: Marker) -> None:
        limit = self._file.limit_of(marker.name)
        before = self._operations.look_up_allowance(limit, marker.service)
        is_new = self._operations.put_outcome(
            marker.name,
            marker.service,
            run_id=self._run.id,
            succeeded=bool(marker.succeeded),
            message=clean_text(marker.text),
            position=position,
            place=place,
        )
        after = self._operations.look_up_allowance(limit, marker.service)
        unasked = is_new and after.used > before.used and not before.allowed
        outcome = "succeeded" if marker.succeeded else "failed"
        extra = " It was taken although its cooldown had not passed." if unasked else ""
        level = EventLevel.ERROR if unasked else EventLevel.INFO if marker.succeeded else EventLevel.WARNING
        message = f"{marker.name} of {marker.service} {outcome}: {marker.text}.{extra}"
        self._put(position, place, OpsEventType.COOLDOWN, level, message, marker.service)

    def _check(self, position: int, place: int, checked: ServiceSighting) -> None:
        health = self._operations.put_check(
            HealthCheck(
                service=checked.service,
                healthy=checked.healthy,
                at=self._now(),
                message=clean_text(checked.message),
                run_id=self._run.id,
                position=position,
                place=place,
            )
        )
        if health is None:
            return
        if health.streak == 1:
            level = EventLevel.INFO if health.healthy else EventLevel.WARNING
            word = "healthy" if health.healthy else "not healthy"
            self._put(
                position,
                place,
                OpsEventType.HEALTH,
                level,
                f"{checked.service} is {word}: {checked.message}".rstrip(": "),
                checked.service,
            )
        if health.healthy and health.streak >= self._file.healthy_checks:
            count = self._operations.reset_actions(checked.service)
            if count:
                message = f"Cooldowns of {checked.service} reset after {health.streak} healthy checks"
                self._put(position, place, OpsEventType.COOLDOWN, EventLevel.INFO, message, checked.service)

    def _show(self, position: int, place: int, problem: MalformedMarker) -> None:
        if self._malformed <= MAX_SHOWN:
            message = f"Malformed marker ({problem.reason}): {problem.written}"
            self._put(position, place, OpsEventType.MALFORMED, EventLevel.WARNING, message, "")

    def _put(
        self,
        position: int,
        place: int,
        type_: OpsEventType,
        level: str,
        message: str,
        service: str,
        *,
        memory_id: str | None = None,
    ) -> None:
        event = OpsEvent(
            at=self._now(),
            type=type_,
            level=str(level),
            message=clean_text(message),
            service=service,
            run_id=self._run.id,
            job=self._run.job,
            tier=self._run.tier,
            memory_id=memory_id,
            position=position,
            place=place,
        )
        if self._operations.put_event(event):
            self._on_event(event)

    def _now(self) -> datetime:
        return self._operations.now()


def _birth_of(memory: Memory) -> tuple[str, str]:
    """How a memory that this run made stands, in words."""
    against = any(relation.type is RelationType.CONFLICTS_WITH for relation in memory.relations)
    if against:
        return EventLevel.WARNING, "Memory contradicts another and waits for review"
    if memory.state is MemoryState.QUARANTINED:
        return EventLevel.WARNING, "Memory put aside for review"
    return EventLevel.INFO, "New memory"
