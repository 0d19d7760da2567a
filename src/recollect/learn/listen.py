"""
What a session said, as notes: few, proved by its own work, each about something that can be named.

The words come from the agent's texts, its commits, the summaries of a compaction and the person's prompts and refusals;
`learn/compose.py` chooses and joins them, `learn/proof.py` says which may be believed. A pure function of the session.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from recollect.learn.compose import ComposedNote, compose_notes
from recollect.learn.content_words import overlap
from recollect.learn.cues import Role
from recollect.learn.directives import Directive, find_directives, is_reversal
from recollect.learn.episodes import Episode, Utterance, Voice, commit_messages, cut_episodes, hear_summary
from recollect.learn.findings import RuleFinding
from recollect.learn.mentions import MentionKind, find_mentions
from recollect.learn.proof import Proof, ProofState, Prover
from recollect.learn.swapped_commands import find_command_swaps, word_swap
from recollect.learn.wishes import find_wishes
from recollect.model.normal_form import normal_form, text_hash
from recollect.model.note import NoteOrigin
from recollect.model.session import WorkVerdict
from recollect.model.step import Steps
from recollect.model.value import dataclass, replace
from recollect.observe.recognise.corrections import read_rejection

# A session teaches a few things; what comes after them is rarely worth telling.
MAX_NOTES = 4
MAX_DIRECTIVES = 3
MAX_WISHES = 2
# Below this a passage only describes.
MIN_SALIENCE = 2.4
# What gives no reason, no condition and no rule is most often only a report.
MIN_WITHOUT_REASON = 2.6
REASONS = frozenset({Role.CAUSE, Role.CONSTRAINT, Role.CONSEQUENCE, Role.RULE})
MAX_FILES = 4
SAME_WORDS = 0.7
_PRESCRIBES = re.compile(
    r"\b(?:should|must|has to|have to|needs? to|the fix|fix:|consider|now|never|always|deliberate\w*"
    r"|intentional\w*|by design)\b|(?:^|[.;:] )(?:use|add|call|put|keep|replace|return|wrap|set|avoid)\b",
    re.IGNORECASE,
)
# What a swap of commands counts among the other notes of its session.
SWAP_SALIENCE = 4.0


# What a session's words give, as notes.
Listen = Callable[[Steps, WorkVerdict], list[RuleFinding]]


def hear_nothing(steps: Steps, verdict: WorkVerdict) -> list[RuleFinding]:
    """For whoever wants to be learned from by what they do alone."""
    return []


def listen(steps: Steps, verdict: WorkVerdict) -> list[RuleFinding]:
    """The notes of a session's words."""
    episodes = cut_episodes(steps)
    prover = Prover(episodes, verdict)
    directives = list(_directives(steps, episodes, prover))
    spoken = _statements(steps, episodes, prover, [directive for directive, _ in directives])
    return [*(seen for _, seen in directives), *spoken]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProvedNote:
    """A note with its proof, on the way to being chosen."""

    seen: RuleFinding
    score: float
    is_proved: bool


def _statements(
    steps: Steps, episodes: Sequence[Episode], prover: Prover, directives: Sequence[Directive]
) -> list[RuleFinding]:
    files = list(dict.fromkeys(file for step in steps.steps for file in step.files))
    statements = list(_swaps(steps))
    for note in compose_notes(episodes, _more(steps, episodes)):
        bar = MIN_SALIENCE if note.roles & REASONS else MIN_WITHOUT_REASON
        if note.score < bar or any(overlap(note.text, one.text) > SAME_WORDS for one in directives):
            continue
        if note.voice is Voice.SUMMARY:
            proof = prover.prove_summary(note.text, note.episode, note.last_step)
        else:
            proof = prover.prove(note.text, note.episode)
            note = replace(note, text=tell_as_mended(note.text, note.last_step, proof))
        seen = _seen(note, proof, files)
        statements.append(
            _ProvedNote(seen=seen, score=note.score, is_proved=proof.state is ProofState.PROVED)
        )
    statements.sort(key=lambda one: (not one.is_proved, -one.score))
    return [one.seen for one in statements[:MAX_NOTES]]


def _more(steps: Steps, episodes: Sequence[Episode]) -> Iterator[tuple[Episode, Utterance]]:
    """The agent's commit messages and the summaries of compactions, each with the episode it stands in."""
    for step, message in commit_messages(steps.steps):
        if episode := _episode_at(episodes, step.number):
            words = Utterance(
                voice=Voice.COMMIT, text=message, event_id=step.event_ids[0], after_step=step.number
            )
            yield episode, words
    for compaction in steps.compactions:
        if not compaction.agent and (episode := _episode_at(episodes, compaction.after_step)):
            yield from ((episode, words) for words in hear_summary(compaction))


def _episode_at(episodes: Sequence[Episode], step: int) -> Episode | None:
    before = (e for e in reversed(episodes) if e.steps and e.steps[0].number <= step)
    # A session that goes on from another begins with its summary.
    return next(before, None) or next(iter(episodes), None)


def _seen(note: ComposedNote, proof: Proof, files: Sequence[str]) -> RuleFinding:
    event_ids = tuple(dict.fromkeys((*(source.event_id for source in note.sources), *proof.event_ids)))
    return RuleFinding(
        origin=NoteOrigin.WORDS,
        kind=kind_of(note.roles),
        keys=(f"words:{text_hash(normal_form(note.text))}",),
        files=name_files(note.text, files, () if note.voice is Voice.SUMMARY else note.episode.changed_files),
        step=max(source.after_step for source in note.sources),
        facts={"text": note.text, "proof": str(proof.state), "why": proof.why},
        event_ids=event_ids,
    )


def tell_as_mended(text: str, said_after: int, proof: Proof) -> str:
    """What was wrong before a change is told as mended, unless it says what to do."""
    later = [file for step in proof.changes if step.number > said_after for file in step.files]
    if not later or _PRESCRIBES.search(text) or proof.changes[0].number <= said_after:
        return text
    return f"Fixed in `{later[0].rpartition('/')[2]}`: {text}"


def kind_of(roles: frozenset[Role]) -> str:
    """The kind of memory that a statement with these roles is."""
    if roles & {Role.CAUSE, Role.CONSEQUENCE}:
        return "gotcha"
    if Role.CHOICE in roles:
        return "decision"
    return "gotcha" if Role.CONSTRAINT in roles else "module_insight"


def name_files(text: str, files: Sequence[str], changed: Sequence[str]) -> tuple[str, ...]:
    """The project's files that a note is about: those it names, then those that were changed for it."""
    named: dict[str, None] = {}
    for mention in find_mentions(text):
        if mention.kind is MentionKind.FILE:
            name = mention.name
            named.update(dict.fromkeys(f for f in files if f == name or f.endswith(f"/{name}")))
    named.update(dict.fromkeys(changed))
    return tuple(named)[:MAX_FILES]


def _swaps(steps: Steps) -> Iterator[_ProvedNote]:
    own = [step for step in steps.steps if not step.agent]
    by_program: dict[str, _ProvedNote] = {}
    for swap in find_command_swaps(own, steps.answers):
        text = word_swap(swap)
        seen = RuleFinding(
            origin=NoteOrigin.WORDS,
            kind="gotcha",
            keys=(f"swap:{text_hash(normal_form(swap.failed + swap.worked))}",),
            step=swap.step,
            facts={"text": text, "proof": str(ProofState.PROVED), "why": "the other command passed"},
            event_ids=swap.event_ids,
        )
        # The last word on a program is the one that the others led to.
        score = SWAP_SALIENCE if swap.why else SWAP_SALIENCE / 2
        by_program[swap.program] = _ProvedNote(seen=seen, score=score, is_proved=True)
    yield from (one for one in by_program.values() if one.score >= MIN_SALIENCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TypedWords:
    """A directive or a wish with where it was typed. What work must prove has the proof."""

    directive: Directive
    event_id: str
    step: int
    proof: Proof | None = None


def _directives(
    steps: Steps, episodes: Sequence[Episode], prover: Prover
) -> Iterator[tuple[Directive, RuleFinding]]:
    heard: list[_TypedWords] = []
    files = list(dict.fromkeys(file for step in steps.steps for file in step.files))
    changed = {episode.prompt.event_id: episode.changed_files for episode in episodes if episode.prompt}
    for typed in sorted(_typed(steps, episodes, prover), key=lambda one: one.step):
        # What is said again in other words, or taken back, leaves the last word standing.
        heard = [other for other in heard if not _replaces(typed.directive.text, other.directive.text)]
        heard.append(typed)
    rules = [typed for typed in heard if typed.proof is None][-MAX_DIRECTIVES:]
    wishes = [typed for typed in heard if typed.proof is not None][-MAX_WISHES:]
    for typed in (*rules, *wishes):
        yield typed.directive, _directive_finding(typed, files, changed.get(typed.event_id, ()))


def _replaces(later: str, earlier: str) -> bool:
    return is_reversal(later, earlier) or overlap(later, earlier) > SAME_WORDS


def _directive_finding(typed: _TypedWords, files: Sequence[str], changed: Sequence[str]) -> RuleFinding:
    directive, proof = typed.directive, typed.proof
    # Where it names something, or was carried out at once, it is about what was worked on.
    near = changed[:2] if proof is not None or find_mentions(directive.text) else ()
    facts = {"text": directive.text, "said": directive.quote, "why": "the person said so"}
    if proof is not None:
        facts |= {"proof": str(proof.state), "why": f"the person asked for it; {proof.why}"}
    return RuleFinding(
        origin=NoteOrigin.DIRECTIVE,
        kind=str(directive.kind),
        keys=(f"directive:{text_hash(normal_form(directive.text))}",),
        files=name_files(directive.text, files, near),
        step=typed.step,
        facts=facts,
        event_ids=(typed.event_id,),
    )


def _typed(steps: Steps, episodes: Sequence[Episode], prover: Prover) -> Iterator[_TypedWords]:
    for episode in episodes:
        prompt = episode.prompt
        if prompt is None or prompt.voice is not Voice.PERSON:
            continue
        directives = list(find_directives(prompt.text, after_work=prompt.after_step > 0))
        for directive in directives:
            yield _TypedWords(directive=directive, event_id=prompt.event_id, step=prompt.after_step)
        # What stands in one of its own sentences as a rule is no wish as well.
        for wish in find_wishes(prompt.text) if not directives and episode.changed_files else ():
            yield _TypedWords(
                directive=wish,
                event_id=prompt.event_id,
                step=prompt.after_step,
                proof=prover.prove(wish.text, episode),
            )
    for step in steps.steps:
        refusal = read_rejection(step.output) if step.denied and not step.agent else None
        for directive in find_directives(refusal.text, is_refusal=True) if refusal is not None else ():
            yield _TypedWords(directive=directive, event_id=step.event_ids[-1], step=step.number)
