"""
What signals are taken to mean: one rule per row, from the signals of one unit of work to notes.

A row says what the notes become, how often the thing must have been seen (in sessions, or in all) before anything is
said, and how well it must score. `learn/promote.py` does the counting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from recollect.learn.corrections import find_corrections
from recollect.learn.diagnosis import find_diagnosis
from recollect.learn.error_fingerprint import fingerprint_fault
from recollect.learn.findings import ObservedWork, RuleFinding
from recollect.learn.mentions import find_mentions
from recollect.learn.signals.abandoned import find_abandoned
from recollect.learn.signals.backtrack import find_backtracks
from recollect.learn.signals.co_access import find_co_accesses
from recollect.learn.signals.error_retry import find_error_retries
from recollect.learn.signals.time_anomaly import find_time_anomalies
from recollect.learn.signals.twins import find_twins
from recollect.model.check import CommandKind
from recollect.model.normal_form import normal_form, text_hash
from recollect.model.note import NoteOrigin
from recollect.model.observation import Fault
from recollect.model.signal import Backtrack, BacktrackCause, ErrorRetry
from recollect.model.value import dataclass
from recollect.observe.phrases import is_own_test, shorten_command
from recollect.observe.recognise.e2e import read_e2e, read_e2e_tool
from recollect.observe.runs import list_runs
from recollect.observe.steps import is_change, list_file_accesses

READS_WITHOUT_EDIT = 4
# One that held the agent up many times as long as the others was hard to read, if it came back to it at all.
READS_OF_A_SLOW_FILE = 2
# A session that changes more files than this says nothing about any two of them.
MAX_FILES_TOGETHER = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row. `fewest` counts sessions, or every single time where `by_session` is off."""

    find: Callable[[ObservedWork], Iterable[RuleFinding]]
    fewest: int = 1
    # Before that it is not even weighed: seed d's promotion threshold, which the score is measured by.
    threshold: int = 1
    by_session: bool = True
    bar: float = 0.6


def find_findings(work: ObservedWork) -> list[RuleFinding]:
    """Everything the rules find."""
    return [seen for rule in RULES.values() for seen in rule.find(work)]


def _files_read_again_and_again(work: ObservedWork) -> Iterator[RuleFinding]:
    accesses = list_file_accesses(work.steps)
    changed = tuple(access.file for access in accesses if access.edits)
    slow = {anomaly.file for anomaly in find_time_anomalies(work.steps)}
    for access in accesses:
        often = access.reads >= (READS_OF_A_SLOW_FILE if access.file in slow else READS_WITHOUT_EDIT)
        if often and not access.edits and changed:
            yield RuleFinding(
                origin=NoteOrigin.FILE_ACCESS,
                kind="module_insight",
                keys=(f"reads:{access.file}",),
                files=(access.file,),
                step=access.first_step,
                facts={
                    "file": access.file,
                    "worked_on": changed[:MAX_FILES_TOGETHER],
                    "reads": access.reads,
                },
                event_ids=access.event_ids,
            )


def _files_used_together(work: ObservedWork) -> Iterator[RuleFinding]:
    changed = {file for step in work.steps if is_change(step) for file in step.files}
    if len(changed) > MAX_FILES_TOGETHER:
        return
    for met in find_co_accesses(work.steps):
        if met.one_edited and not is_own_test(met.first, met.second):
            one, other = sorted((met.first, met.second))
            yield RuleFinding(
                origin=NoteOrigin.CO_ACCESS,
                kind="causal_dependency",
                keys=(f"together:{one}:{other}",),
                files=(one, other),
                # The one that changed is the one whose change needs the other.
                facts={"changed": met.first if met.first in changed else met.second, "files": (one, other)},
                event_ids=met.event_ids,
            )


def _files_edited_alike(work: ObservedWork) -> Iterator[RuleFinding]:
    for twins in find_twins(work.steps):
        yield RuleFinding(
            origin=NoteOrigin.TWIN,
            kind="causal_dependency",
            keys=(f"twins:{twins.files[0]}:{twins.files[1]}",),
            files=twins.files,
            count=twins.alike,
            facts={"files": twins.files},
            event_ids=twins.event_ids,
        )


def _errors(work: ObservedWork) -> Iterator[RuleFinding]:
    return (
        _error(retry, work)
        for retry in find_error_retries(work.steps)
        if not (_is_slip(retry) or _is_lint_rule(retry)) and fingerprint_fault(retry.fault)
    )


def _rules_broken(work: ObservedWork) -> Iterator[RuleFinding]:
    return (
        _error(retry, work)
        for retry in find_error_retries(work.steps)
        if _is_lint_rule(retry) and not _is_slip(retry)
    )


def _error(retry: ErrorRetry, work: ObservedWork) -> RuleFinding:
    files = tuple(dict.fromkeys((*(retry.remedy.files if retry.remedy else ()), *retry.fault.files)))
    return RuleFinding(
        origin=NoteOrigin.LINT_RULE if _is_lint_rule(retry) else NoteOrigin.ERROR_RETRY,
        kind="error_pattern",
        keys=_error_keys(retry),
        files=files[:4],
        step=retry.first_step,
        count=retry.count,
        facts={
            "error": retry.fault.shown,
            "rule": retry.fault.rule if _is_lint_rule(retry) else "",
            "tool": retry.tool,
            "command": shorten_command(retry.command, retry.tool),
            "mended_in": retry.remedy.files if retry.remedy else (),
            "mended_by": _mending(retry),
            "resolved": retry.remedy is not None,
            "diagnosis": _diagnosis(retry, work),
        },
        event_ids=retry.event_ids,
    )


def _diagnosis(retry: ErrorRetry, work: ObservedWork) -> str:
    """What the agent said of the error before it was gone."""
    about = (retry.fault.rule, *retry.fault.files)
    words = find_diagnosis(work.answers, retry.last_step, retry.solved_step, about, retry.fault.shown)
    # The line of an error may have to be left out of what is told; then the words must say by themselves of what.
    return words if _is_lint_rule(retry) or find_mentions(words) else ""


def _is_slip(retry: ErrorRetry) -> bool:
    """Whether there is nothing to know next time: a slip that was mended where the compiler pointed at."""
    return retry.fault.is_slip and not _is_mended_elsewhere(retry)


def _is_mended_elsewhere(retry: ErrorRetry) -> bool:
    remedy = retry.remedy
    if remedy is None:
        return False
    if not remedy.files:
        return bool(remedy.commands)
    return bool(retry.fault.files) and set(remedy.files).isdisjoint(retry.fault.files)


def _error_keys(retry: ErrorRetry) -> tuple[str, ...]:
    if _is_lint_rule(retry):
        return (f"rule:{retry.fault.rule}", *_fault_keys(retry.fault))
    return _fault_keys(retry.fault)


def _fault_keys(fault: Fault) -> tuple[str, ...]:
    fingerprint = fingerprint_fault(fault)
    return fingerprint.keys if fingerprint else (f"line:{text_hash(fault.signature)}",)


# A linter's rule is one thing to know, whatever line breaks it; a language's exception is many.
_NOT_A_RULE = frozenset({"typecheck", "syntax-error", "error", "warning"})


def _is_lint_rule(retry: ErrorRetry) -> bool:
    rule = retry.fault.rule
    return retry.is_lint and bool(rule) and rule not in _NOT_A_RULE and f"({rule})" in retry.fault.shown


def _mending(retry: ErrorRetry) -> str:
    commands = retry.remedy.commands if retry.remedy and not retry.remedy.files else ()
    return shorten_command(commands[-1], "") if commands else ""


def _edited_again(work: ObservedWork) -> Iterator[RuleFinding]:
    for back in find_backtracks(work.steps):
        if back.cause is BacktrackCause.WRONG_ASSUMPTION and (back.fault is None or back.fault.is_slip):
            continue
        others = tuple(other for other in back.others if not is_own_test(back.file, other))
        if back.cause is not BacktrackCause.WRONG_ASSUMPTION and not others:
            continue
        yield RuleFinding(
            origin=NoteOrigin.BACKTRACK,
            kind="gotcha",
            keys=_backtrack_keys(back, others),
            files=(back.file, *others)[:6],
            step=back.first_step,
            facts={
                "file": back.file,
                "cause": str(back.cause),
                "others": others[:5],
                "command": shorten_command(back.command, back.command.split()[0]) if back.command else "",
                "error": back.fault.shown if back.fault else "",
            },
            event_ids=back.event_ids,
        )


def _backtrack_keys(back: Backtrack, others: Sequence[str]) -> tuple[str, ...]:
    if back.cause is BacktrackCause.WRONG_ASSUMPTION and back.fault:
        return tuple(f"again:{back.file}:{key}" for key in _fault_keys(back.fault))
    name = "cascade" if back.cause is BacktrackCause.CASCADING_CHANGE else "context"
    return tuple(f"{name}:{back.file}:{other}" for other in others)


def _given_up(work: ObservedWork) -> Iterator[RuleFinding]:
    for approach in find_abandoned(work.steps):
        # What was taken back without having failed was tidied, not given up.
        if approach.fault is None or approach.fault.is_slip:
            continue
        yield RuleFinding(
            origin=NoteOrigin.DEAD_END,
            kind="dead_end",
            keys=tuple(
                f"dead_end:{file}:{key}" for file in approach.files for key in _fault_keys(approach.fault)
            ),
            files=approach.files,
            step=approach.first_step,
            facts={
                "files": approach.files,
                "error": approach.fault.shown,
                "taken_back": shorten_command(approach.command, "git") if approach.command else "",
                "instead": tuple(file for file in approach.instead if file not in approach.files)[:3],
                "steps": approach.last_step - approach.first_step,
                "why": find_diagnosis(
                    work.answers, approach.first_step, approach.last_step + 1, approach.files
                ),
            },
            event_ids=approach.event_ids,
        )


def _said_to_lead_nowhere(work: ObservedWork) -> Iterator[RuleFinding]:
    for event in work.given_up:
        tried = event.text.strip()
        yield RuleFinding(
            origin=NoteOrigin.GIVEN_UP,
            kind="dead_end",
            keys=(f"given_up:{text_hash(normal_form(tried))}",),
            files=event.files[:4],
            facts={
                "tried": tried,
                "why": str(event.data.get("why") or "").strip(),
                "instead": str(event.data.get("instead") or "").strip(),
            },
            event_ids=(event.id,),
        )


def _seen_in_the_application(work: ObservedWork) -> Iterator[RuleFinding]:
    page = ""
    for step in work.steps:
        if read_e2e_tool(step.tool) is None or step.denied or step.ok is None:
            continue
        arguments = step.data.get("arguments")
        seen = read_e2e(
            step.tool, arguments if isinstance(arguments, Mapping) else {}, step.output, previous_page=page
        )
        if seen is None:
            continue
        page = seen.page or page
        yield RuleFinding(
            origin=NoteOrigin.E2E,
            kind="e2e_observation",
            keys=(e2e_key(seen.observed, seen.act, seen.about, seen.page),),
            files=(seen.file,) if seen.file else (),
            step=step.number,
            facts={
                "observed": str(seen.observed),
                "tool": seen.tool,
                "act": seen.act,
                "about": seen.about,
                "page": seen.page,
                "evidence": seen.evidence,
            },
            event_ids=step.event_ids,
        )


def e2e_key(observed: str, act: str, about: str, page: str) -> str:
    """What makes two observations of an interface the same."""
    return f"e2e:{observed}:{act}:{about}:{page}"


def _commits(work: ObservedWork) -> Iterator[RuleFinding]:
    changed: dict[str, None] = {}
    for step in work.steps:
        if is_change(step):
            changed.update(dict.fromkeys(step.files))
        for run in list_runs([step], every=True):
            if run.kind is CommandKind.COMMIT and step.ok:
                sha = find_commit_sha(step.output)
                yield RuleFinding(
                    origin=NoteOrigin.COMMIT,
                    kind="module_insight",
                    keys=(f"commit:{sha or step.call_id or step.event_ids[0]}",),
                    files=tuple(changed)[:20],
                    step=step.number,
                    facts={"subject": run.message.partition("\n")[0]},
                    event_ids=step.event_ids,
                    commit_sha=sha,
                )
                changed.clear()


def find_commit_sha(output: str) -> str:
    """The SHA that `git commit` prints: `[main 1a2b3c4] subject`."""
    for line in output.splitlines()[:40]:
        if line.startswith("[") and "]" in line:
            word = line[1 : line.index("]")].split(" ")[-1]
            if 7 <= len(word) <= 40 and all(letter in "0123456789abcdef" for letter in word):
                return word
    return ""


RULES: Mapping[NoteOrigin, Rule] = {
    # Rare and dear: measured on real sessions, a bar of 0.6 kept good ones out that sound like an earlier one.
    NoteOrigin.CORRECTION: Rule(find=find_corrections, bar=0.5),
    # Chosen by `learn/listen.py`, proved by `learn/proof.py`: once is enough, and how well it is put has been weighed.
    NoteOrigin.DIRECTIVE: Rule(find=lambda work: (), bar=0.0),
    NoteOrigin.WORDS: Rule(find=lambda work: (), bar=0.0),
    NoteOrigin.DEAD_END: Rule(find=_given_up, bar=0.3),
    NoteOrigin.GIVEN_UP: Rule(find=_said_to_lead_nowhere, bar=0.3),
    NoteOrigin.ERROR_RETRY: Rule(find=_errors, fewest=3, threshold=2, by_session=False),
    # A standing rule needs no third time. Its sentences are all alike, so novelty says little: 0.6 lets none in.
    NoteOrigin.LINT_RULE: Rule(find=_rules_broken, fewest=2, threshold=2, by_session=False, bar=0.5),
    NoteOrigin.BACKTRACK: Rule(find=_edited_again, fewest=2, threshold=2, by_session=False),
    NoteOrigin.CO_ACCESS: Rule(find=_files_used_together, fewest=3, threshold=2),
    # In one session two files may get the same edit by chance.
    NoteOrigin.TWIN: Rule(find=_files_edited_alike, fewest=2, threshold=2, bar=0.0),
    NoteOrigin.FILE_ACCESS: Rule(find=_files_read_again_and_again, fewest=3, threshold=3),
    NoteOrigin.E2E: Rule(find=_seen_in_the_application),
    NoteOrigin.COMMIT: Rule(find=_commits),
    # Said on purpose: there is nothing to find, and nothing to count.
    NoteOrigin.AGENT: Rule(find=lambda work: (), bar=0.0),
    # Found by laying sessions side by side, in `learn/recipes.py`.
    NoteOrigin.RECIPE: Rule(find=lambda work: (), fewest=3, threshold=3, by_session=False),
    # Figures of whole sessions, counted in `learn/session_stats.py`.
    NoteOrigin.PREFETCH: Rule(find=lambda work: (), fewest=5, threshold=5, bar=0.0),
    NoteOrigin.COST: Rule(find=lambda work: (), fewest=10, threshold=10, bar=0.0),
    NoteOrigin.PLAN: Rule(find=lambda work: (), fewest=3, threshold=3, bar=0.0),
}
