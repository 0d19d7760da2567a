"""
The trust table: the origins of memories from most to least trusted, and what each may do.

Trust comes from the channel by which a memory reached us, never from its words. Whoever injects memories asks
`may_speak`; the SQL of the hook's look-up restates it, and a test compares the two row by row.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from recollect.model.memory import Memory, MemoryState
from recollect.model.phase import Phase
from recollect.model.policy import MIN_PROOFS_TO_SPEAK, NARROWED_AT, SILENT_AT
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.value import dataclass

# Surer than this and asked for so often, it needs no review.
SURE_ABOVE = 0.9
ASKED_FOR = 3


class Origin(StrEnum):
    """Where a memory comes from, the most trusted first."""

    PERSON = "person"
    VALIDATED = "validated"
    OBSERVED = "observed"
    REPORT = "report"
    NOTE = "note"
    BROUGHT = "brought"
    UNSAID = "unsaid"
    READ = "read"


class Moment(StrEnum):
    """When a memory could be put before an agent that did not ask for it."""

    BRIEF = "brief"
    PROMPT = "prompt"
    # The prompt of a scheduled run.
    OPERATIONS = "operations"
    TOOL_RESULT = "tool_result"
    # A command failed with the very error that a memory is about.
    SAME_ERROR = "same_error"


class SpeakPermission(StrEnum):
    """Whether an origin may speak at a moment, and what it takes."""

    YES = "yes"
    ABOVE_BAR = "above the bar"
    AFTER_PROOF = "borne out in 2 sessions, cited twice, or a yes"
    AFTER_YES = "after a yes"
    WHEN_ASKED = "when asked for"
    NEVER = "never"


class Review(StrEnum):
    """Whether a person should look at it."""

    NONE = "–"
    AUTO = "auto-confirm rule"
    WANTED = "yes"
    BEFORE_USE = "before any use"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One row of the table: what holds for everything of one origin."""

    origin: Origin
    says: str
    state: MemoryState = MemoryState.ACTIVE
    needs_review: bool = False
    # At the start of a session and with a prompt.
    brief: SpeakPermission = SpeakPermission.ABOVE_BAR
    tool_result: SpeakPermission = SpeakPermission.AFTER_PROOF
    # At the very error again, where that differs from other tool results.
    same_error: SpeakPermission | None = None
    # In a layout for scheduled runs, where that differs from a session's.
    operations: SpeakPermission | None = None
    # It speaks in these phases alone; empty: in all.
    phases: tuple[Phase, ...] = ()
    # What an injected item is marked with.
    mark: str = ""
    review: Review = Review.AUTO

    def at(self, moment: Moment) -> SpeakPermission:
        """What it takes to speak at this moment."""
        if moment is Moment.SAME_ERROR:
            return self.same_error or self.tool_result
        if moment is Moment.TOOL_RESULT:
            return self.tool_result
        return (moment is Moment.OPERATIONS and self.operations) or self.brief


# From the most trusted to the least: this order is the ladder.
LADDER: tuple[Standing, ...] = (
    Standing(
        origin=Origin.PERSON,
        says="a person typed, confirmed or edited it",
        brief=SpeakPermission.YES,
        tool_result=SpeakPermission.YES,
        review=Review.NONE,
    ),
    Standing(
        origin=Origin.VALIDATED,
        says="an agent's own note, proved by its session's work",
        same_error=SpeakPermission.YES,
    ),
    Standing(
        origin=Origin.OBSERVED,
        says="observed behaviour (files, order, exit codes, commits, counts), promoted",
        needs_review=True,
        same_error=SpeakPermission.YES,
        mark="observed",
        review=Review.WANTED,
    ),
    Standing(
        origin=Origin.REPORT,
        says="a QA report, or the result of an E2E tool",
        needs_review=True,
        phases=(Phase.VALIDATE,),
        review=Review.WANTED,
    ),
    Standing(
        origin=Origin.NOTE,
        says="an agent's marker or note outside any validated unit",
        brief=SpeakPermission.WHEN_ASKED,
        tool_result=SpeakPermission.NEVER,
        operations=SpeakPermission.ABOVE_BAR,
        mark="unproved",
    ),
    Standing(
        origin=Origin.BROUGHT,
        says="brought by an import, a plugin, or another program that edits the vault",
        needs_review=True,
        brief=SpeakPermission.AFTER_YES,
        tool_result=SpeakPermission.AFTER_YES,
        review=Review.BEFORE_USE,
    ),
    Standing(
        origin=Origin.UNSAID,
        says="a preference or instruction that no person's own words in that session carry",
        state=MemoryState.QUARANTINED,
        needs_review=True,
        brief=SpeakPermission.NEVER,
        tool_result=SpeakPermission.NEVER,
        review=Review.BEFORE_USE,
    ),
    Standing(
        origin=Origin.READ,
        says="text the agent merely read (file, web page, tool output, message), or a note that repeats it",
        state=MemoryState.QUARANTINED,
        needs_review=True,
        brief=SpeakPermission.NEVER,
        tool_result=SpeakPermission.NEVER,
        review=Review.BEFORE_USE,
    ),
)
_ROWS = {row.origin: row for row in LADDER}
_RANK = {row.origin: rank for rank, row in enumerate(LADDER)}

ORIGIN_OF_CHANNEL = {
    Channel.USER: Origin.PERSON,
    Channel.OPERATOR: Origin.PERSON,
    Channel.VAULT: Origin.PERSON,
    Channel.AGENT: Origin.NOTE,
    Channel.OBSERVED: Origin.OBSERVED,
    Channel.COMMIT: Origin.OBSERVED,
    Channel.QA: Origin.REPORT,
    Channel.VAULT_EXTERNAL: Origin.BROUGHT,
    Channel.IMPORT: Origin.BROUGHT,
    Channel.PLUGIN: Origin.BROUGHT,
    Channel.READ: Origin.READ,
}
# What a tool gave back speaks for itself: no phase of the work is asked for.
_TOOL_MOMENTS = (Moment.TOOL_RESULT, Moment.SAME_ERROR)
_REFUSALS = {
    MemoryState.CANDIDATE: "it is still in the scratchpad",
    MemoryState.QUARANTINED: "it waits for a person's yes",
    MemoryState.INACTIVE: "it is inactive",
    MemoryState.ARCHIVED: "it was forgotten",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakDecision:
    """Whether a memory may be injected, and if not, why. `above_bar`: only if it is relevant enough."""

    allowed: bool
    why: str = ""
    above_bar: bool = False
    mark: str = ""


def is_person(actor: str, channel: Channel) -> bool:
    """Whether a person acts: by a way that is a person's, and not under an agent's name."""
    return actor != "agent" and ORIGIN_OF_CHANNEL[channel] is Origin.PERSON


def is_typed(memory: Memory) -> bool:
    """Whether a person typed it, rather than said yes to what somebody else wrote or counted."""
    return origin_of_provenance(memory.provenance) is Origin.PERSON


def find_standing(origin: Origin) -> Standing:
    """The row of an origin."""
    return _ROWS[origin]


def origin_of(memory: Memory) -> Origin:
    """Where a memory stands on the ladder; a person's yes puts it at the top."""
    if memory.trust.verified:
        return Origin.PERSON
    if memory.state is MemoryState.QUARANTINED:
        return least_trusted((Origin.UNSAID, origin_of_provenance(memory.provenance)))
    origin = origin_of_provenance(memory.provenance)
    # Only the observer, once the work passed, and a person's own prompt put events behind an agent's note.
    return Origin.VALIDATED if origin is Origin.NOTE and memory.provenance.event_ids else origin


def origin_of_provenance(provenance: Provenance) -> Origin:
    """The origin of what came by this way."""
    if provenance.source is Source.MCP_AUTO and provenance.channel is not Channel.READ:
        return Origin.REPORT
    return ORIGIN_OF_CHANNEL[provenance.channel]


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """The least trusted of several."""
    return max(origins, key=_RANK.__getitem__)


def is_less_trusted(one: Origin, other: Origin) -> bool:
    """Whether one origin is trusted less than another."""
    return _RANK[one] > _RANK[other]


def find_confirming_rule(memory: Memory) -> str:
    """Why a memory needs no review, if so: a person's yes, a commit, or sure and asked for often enough."""
    if memory.trust.verified:
        return "a person stands by it"
    if find_standing(origin_of(memory)).review is Review.BEFORE_USE:
        return ""
    if memory.provenance.source is Source.COMMIT_AUTO:
        return "it notes a commit"
    if memory.confidence > SURE_ABOVE and memory.access_count >= ASKED_FOR:
        return f"confidence {memory.confidence:.2f}, asked for {memory.access_count} times"
    return ""


def is_trusted(memory: Memory) -> bool:
    """Whether a person or a validated unit of work stands behind it."""
    return not is_less_trusted(origin_of(memory), Origin.VALIDATED)


def may_speak(memory: Memory, moment: Moment, phase: Phase | None = None) -> SpeakDecision:
    """Whether a memory may be put before an agent at this moment, in this phase of the work."""
    if memory.state is not MemoryState.ACTIVE:
        return SpeakDecision(allowed=False, why=_REFUSALS[memory.state])
    if memory.stale_at is not None:
        return SpeakDecision(allowed=False, why="what it is about has changed")
    if why := _explain_noise(memory, moment):
        return SpeakDecision(allowed=False, why=why)
    row = find_standing(origin_of(memory))
    leave = row.at(moment)
    if why := _explain_refusal(leave, memory):
        return SpeakDecision(allowed=False, why=why)
    if moment not in _TOOL_MOMENTS and row.phases and phase not in row.phases:
        return SpeakDecision(allowed=False, why=f"it speaks only in the {' and '.join(row.phases)} phase")
    return SpeakDecision(allowed=True, above_bar=leave is not SpeakPermission.YES, mark=row.mark)


def _explain_noise(memory: Memory, moment: Moment) -> str:
    """Why what was found in the way again and again does not speak now; a pinned memory is a person's wish."""
    times = memory.noise - memory.useful
    if memory.pinned or times < NARROWED_AT:
        return ""
    if times >= SILENT_AT:
        return f"it was in the way {times} times more often than useful: it speaks when it is asked for"
    if moment in _TOOL_MOMENTS:
        return ""
    return f"it was in the way {times} times more often than useful: it speaks where its subject is opened or fails"


def count_bearing_sessions(memory: Memory) -> int:
    """How many sessions bore a memory out: the one it comes from, and those that said or saw it again."""
    return len({*memory.sessions, memory.provenance.session_id} - {None, ""})


def _is_borne_out(memory: Memory) -> bool:
    return max(count_bearing_sessions(memory), memory.useful) >= MIN_PROOFS_TO_SPEAK


def may_answer(memory: Memory) -> bool:
    """Whether a memory may be given to an agent that asks: not while it must not be used before a person's yes."""
    return find_standing(origin_of(memory)).review is not Review.BEFORE_USE


def _explain_refusal(leave: SpeakPermission, memory: Memory) -> str:
    if leave is SpeakPermission.AFTER_PROOF and not _is_borne_out(memory):
        sessions = count_bearing_sessions(memory)
        needed = f"{MIN_PROOFS_TO_SPEAK} are needed, or as many citations, or a person's yes"
        return f"it was borne out in {sessions} sessions; {needed}"
    if leave is SpeakPermission.WHEN_ASKED:
        return "no work proved it: it speaks when it is asked for, and in scheduled runs"
    if leave in (SpeakPermission.AFTER_YES, SpeakPermission.NEVER):
        return "it waits for a person's yes"
    return ""
