"""Commands about what agents did: `learn`, `together`, `foresee`, notes of a session, `validate`, `work`, `qa`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from recollect.api import Recollect
from recollect.api.learning import DaySummary, LearningProposal, describe_day
from recollect.errors import BadInput
from recollect.events.bounded_read import parse_json, read_bounded
from recollect.model.json_form import moment_to_json
from recollect.model.kinds import DEFAULT_KIND
from recollect.model.memory import MemoryState, Refused
from recollect.model.subject import Subject
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.options import (
    check_session,
    common,
    find_session,
    mention_missing_files,
    open_memory,
    open_memory_of_code,
    refuse_options,
)

_MAX_REPORT_BYTES = 16 * 1024 * 1024

NO_RENAMES = "Git lacks the content of some files: moved files were learned as new ones."
_SESSION = click.option(
    "--session", metavar="ID", help="The session; without it, the one it is run in, or the newest."
)

# Who learns is told soon who else is writing: it can be done as well a minute later.
_LEARN_WAIT_SECONDS = 3.0


@click.command("learn")
@click.option("--session", metavar="ID", help="This session only, though nobody said that it is over.")
@click.option("--history", is_flag=True, help="From the commits of this repository: which files go together.")
@click.option("--dry-run", is_flag=True, help="Only show what sessions learned from before teach together.")
@click.option("--explain", is_flag=True, help="Show the evidence of each proposal.")
@common
def learn_(session: str | None, history: bool, dry_run: bool, explain: bool) -> None:
    """Learn from sessions that are over: what proved good becomes memories, marked for review.

    Then what sessions teach together: failures become lessons, successes recipes, and memories are consolidated.

    \b
    recollect learn
    recollect learn --dry-run --explain
    recollect learn --session 5b0c9a52
    recollect learn --history
    """
    if history:
        refuse_options(
            ("session", "dry_run", "explain"), "learn from one session, or say --history for the commits"
        )
        _learn_history()
        return
    with open_memory(create=not dry_run) as memory:
        memory.safety.wait_for_writers(_LEARN_WAIT_SECONDS)
        session = check_session(memory, session) if session else None
        reports = [] if dry_run else _learn_sessions(memory, session)
        proposals = memory.learning.run(dry_run=dry_run)
    if output.is_json():
        output.print_json(
            {
                "sessions": [_learned_json(one) for one in reports],
                "proposals": [asdict(proposal) for proposal in proposals],
                "dry_run": dry_run,
            }
        )
        return
    memories = [learned_memory for one in reports for learned_memory in one.memories]
    for learned_memory in memories:
        output.print_line(f"{learned_memory.kind}: {learned_memory.text}")
    _print_proposals(proposals, explain=explain)
    if dry_run:
        output.print_line(f"{output.count_phrase(len(proposals), 'proposal')}; nothing was changed.")
    else:
        changes = sum(proposal.act != "conflict" for proposal in proposals)
        together = f", {output.count_phrase(changes, 'change')} by what sessions teach together"
        output.print_line(f"{len(reports)} sessions, {len(memories)} memories{together if changes else ''}.")


def _learn_sessions(memory: Recollect, session: str | None) -> Sequence[Any]:
    return [memory.observer.learn(session)] if session else memory.observer.learn_due(limit=200)


def _print_proposals(proposals: Sequence[LearningProposal], *, explain: bool) -> None:
    for proposal in proposals:
        review = " [for review]" if proposal.needs_review else ""
        output.print_line(f"{proposal.step}, {proposal.act}: {proposal.text}{review}")
        if explain:
            output.print_line(f"  {proposal.why}")
            output.print_lines(f"  - {line}" for line in proposal.evidence)


@click.command("day")
@click.argument("date", required=False, type=click.DateTime(["%Y-%m-%d"]), metavar="[DATE]")
@click.option("--recent", is_flag=True, help="Only the last two hours.")
@common
def day_(date: datetime | None, recent: bool) -> None:
    """Sum up a day: its sessions and how they came out, what failed, what was learned, what is open.

    \b
    recollect day
    recollect day 2026-05-04 --json
    recollect day --recent
    """
    if date is not None and recent:
        raise BadInput(reason="name a day, or say --recent for the last two hours")
    with open_memory() as memory:
        day = memory.learning.recent() if recent else memory.learning.day(date.date() if date else None)
    if output.is_json():
        output.print_json(_day_json(day))
        return
    output.print_lines(describe_day(day))


def _day_json(day: DaySummary) -> dict[str, Any]:
    return {
        **asdict(day),
        "since": moment_to_json(day.since),
        "until": moment_to_json(day.until),
        "entries": [{**asdict(entry), "at": moment_to_json(entry.at)} for entry in day.entries],
    }


@click.command("together")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="How many at most.")
@common
def together_(paths: tuple[str, ...], limit: int) -> None:
    """Show which files go with these, by what commits and sessions touched together.

    \b
    recollect learn --history
    recollect together src/auth.py
    recollect together src/auth.py src/token.py --json
    """
    with open_memory() as memory:
        files = memory.observer.together(*paths, limit=limit)
    if output.is_json():
        output.print_json({"files": [_cochange_json(one) for one in files]})
        return
    for one in files:
        counts = f"{one.commits} commits, {one.sessions} sessions"
        output.print_line(f"{one.weight:.2f}  {one.path}  ({counts})")
    if not files:
        output.print_line(
            "Nothing is known to go with it. To learn from the commits: recollect learn --history"
        )


@click.command("foresee")
@click.argument("task")
@click.option("--branch", metavar="NAME", help="The branch; without it, the one that is checked out.")
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file that was touched already.")
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="How many at most.")
@common
def foresee_(task: str, branch: str | None, files: tuple[str, ...], limit: int) -> None:
    """Name the files a session on TASK will probably read or change, with the reasons.

    Earlier sessions of this project tell most; `learn` brings them up to date. Before the first one, and beside them,
    the messages of past commits, paths, names and the code graph tell: what only they speak for is marked, and left out
    where it is not probable enough. The first time, the code is read.

    \b
    recollect foresee "retries must stop after three attempts"
    recollect foresee "fix the flaky test" --branch kim/retry --file src/retry.py --json
    """
    with open_memory_of_code() as memory:
        predictions = memory.observer.foresee(task, branch=branch, files=files, limit=limit)
    if output.is_json():
        output.print_json(
            {
                "files": [
                    {
                        "path": one.path,
                        "score": round(one.score, 4),
                        "inferred": one.inferred,
                        "reasons": list(one.reasons),
                    }
                    for one in predictions
                ]
            }
        )
        return
    inferred = [one for one in predictions if one.inferred]
    if inferred and len(inferred) == len(predictions):
        output.print_note("No session met these: they are inferred from the commits and the code.")
    for one in predictions:
        mark = "inferred: " if one.inferred and len(inferred) < len(predictions) else ""
        output.print_line(f"{one.score:.2f}  {one.path}  ({mark}{'; '.join(one.reasons)})")
    if not predictions:
        output.print_line(
            "Nothing is foreseen: neither an earlier session nor a commit, a name or a path speaks of this."
        )


@click.command("notes")
@_SESSION
@common
def notes_(session: str | None) -> None:
    """Show the scratchpad of a session: what was noted and seen, and what has become of it.

    \b
    recollect notes
    recollect notes --session 5b0c9a52 --json
    """
    with open_memory() as memory:
        notes = memory.observer.notes(find_session(memory, session))
    if output.is_json():
        output.print_json({"notes": [_note_json(note) for note in notes]})
        return
    for note in notes:
        output.print_line(f"[{note.state}] {note.kind}: {note.text}")
    if not notes:
        output.print_line("Nothing was noted.")


@click.command("note")
@click.argument("text")
@click.option(
    "--kind", "-k", default=DEFAULT_KIND, show_default=True, metavar="KIND", help="What kind of thing."
)
@click.option("--about", "-a", multiple=True, metavar="SUBJECT", help="What it is about, e.g. src/auth.py.")
@_SESSION
@common
def note_(text: str, kind: str, about: tuple[str, ...], session: str | None) -> None:
    """Write into the scratchpad of a session. It becomes a memory once the session's work proves good.

    \b
    recollect note "Uploads need WAL mode: two writers lock each other out" --kind gotcha --about src/upload.py
    """
    with open_memory(create=True) as memory:
        note = memory.observer.note(text, session=find_session(memory, session), kind=kind, about=about)
    mention_missing_files(note.subjects)
    if output.is_json():
        output.print_json(_note_json(note))
    else:
        output.print_line(
            f"Noted in session {note.session_id}; it becomes a memory when the work proves good."
        )


@click.command("reword")
@click.argument("note_id", metavar="NOTE")
@click.argument("text")
@_SESSION
@common
def reword_(note_id: str, text: str, session: str | None) -> None:
    """Give a note of the scratchpad better words: what to do or avoid next time, its files and errors as they are.

    \b
    recollect notes --json
    recollect reword 4f1c "Run make proto after editing api.proto: the tests fail with ImportError otherwise"
    """
    with open_memory() as memory:
        note = memory.observer.reword(note_id, text, session=find_session(memory, session))
    if output.is_json():
        output.print_json(_note_json(note))
    else:
        output.print_line("Kept. It is said in these words when the note becomes a memory.")


@click.command("validate")
@click.argument("verdict", type=click.Choice(["pass", "fail"]))
@click.option("--unit", default="", metavar="REF", help="One unit of work, as METHODOLOGY:OUTER/INNER.")
@click.option("--why", default="", help="The reason.")
@_SESSION
@common
def validate_(verdict: str, unit: str, why: str, session: str | None) -> None:
    """Say that the work of a session passed or failed. What failed becomes no memory.

    \b
    recollect validate pass
    recollect validate fail --unit spec_042/subtask_3 --why "the export is empty"
    """
    with open_memory(create=True) as memory:
        event = memory.observer.validate(verdict, session=find_session(memory, session), unit=unit, why=why)
    _print_noted(event.session_id, f"{verdict} is noted for session {event.session_id}.")


@click.group("work", cls=HelpGroup)
def work_() -> None:
    """Say which unit of work is being done, and what leads nowhere.

    \b
    recollect work start spec_042/subtask_3 --planned 12
    recollect work finish spec_042/subtask_3
    """


@work_.command("start")
@click.argument("ref")
@click.option("--planned", type=click.IntRange(min=0), default=0, help="How many steps are planned.")
@click.option("--complexity", type=click.Choice(["trivial", "standard", "complex"]), help="How big it is.")
@_SESSION
@common
def work_start_(ref: str, planned: int, complexity: str | None, session: str | None) -> None:
    """A unit of work begins; the steps that follow belong to it.

    \b
    recollect work start spec_042/subtask_3 --planned 12 --complexity standard
    """
    with open_memory(create=True) as memory:
        event = memory.observer.start_work(
            ref,
            session=find_session(memory, session),
            planned=planned,
            complexity=complexity or "",
        )
    _print_noted(event.session_id, f"{event.data['work']} begins.")


@work_.command("finish")
@click.argument("ref")
@click.option("--outcome", type=click.Choice(["passed", "failed", "abandoned"]), help="How it came out.")
@click.option("--why", default="", help="The reason.")
@_SESSION
@common
def work_finish_(ref: str, outcome: str | None, why: str, session: str | None) -> None:
    """A unit of work is finished; without an outcome its checks will tell.

    \b
    recollect work finish spec_042/subtask_3 --outcome passed
    """
    with open_memory(create=True) as memory:
        event = memory.observer.finish_work(
            ref, session=find_session(memory, session), outcome=outcome or "", why=why
        )
    _print_noted(event.session_id, f"{event.data['work']} is finished.")


@work_.command("dead-end")
@click.argument("tried")
@click.option("--why", default="", help="Why it leads nowhere.")
@click.option("--instead", default="", help="What was done instead.")
@click.option("--about", multiple=True, metavar="FILE", help="A file it was tried in.")
@_SESSION
@common
def work_dead_end_(tried: str, why: str, instead: str, about: tuple[str, ...], session: str | None) -> None:
    """Say that an approach leads nowhere; it is remembered once the session's work proves good.

    \b
    recollect work dead-end "caching the token in the session" --why "workers do not share it" --about src/auth.py
    """
    with open_memory(create=True) as memory:
        event = memory.observer.dead_end(
            tried, session=find_session(memory, session), why=why, instead=instead, about=about
        )
    mention_missing_files(Subject("file", name) for name in event.files)
    _print_noted(event.session_id, f"Noted for session {event.session_id}; what worked instead will tell.")


@click.command("qa")
@click.argument("report", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--session", metavar="ID", help="The session that the report judges.")
@common
def qa_(report: Path, session: str | None) -> None:
    """Take in a QA report: critical and high issues become error patterns.

    \b
    recollect qa report.json
    recollect qa report.json --session 5b0c9a52
    """
    try:
        form = parse_json(read_bounded(report, _MAX_REPORT_BYTES, follow=True))
    except OSError as error:
        raise BadInput(reason=f"{report} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(reason=f"{report} is no JSON: {error}") from error
    with open_memory(create=True) as memory:
        session = check_session(memory, session) if session else None
        answers = memory.observer.report(form, session=session)
    waiting = sum(
        not isinstance(answer, Refused) and answer.memory.state is MemoryState.QUARANTINED
        for answer in answers
    )
    if output.is_json():
        output.print_json({"kept": len(answers), "waiting": waiting})
        return
    hint = f"; {waiting} of them quote the report's own words and wait for your yes: recollect review"
    output.print_line(f"{output.count_phrase(len(answers), 'issue')} remembered{hint if waiting else ''}.")


def _print_noted(session_id: str, text: str) -> None:
    if output.is_json():
        output.print_json({"session": session_id})
    else:
        output.print_line(text)


def _learn_history() -> None:
    with open_memory(create=True) as memory, output.show_progress("Reading commits") as progress:
        report = memory.observer.learn_history(progress)
    if output.is_json():
        output.print_json({"commits": report.commits, "files": report.files, "anew": report.anew})
    else:
        output.print_line(f"{report.commits} commits learned from, {report.files} files known.")
    if not report.renames:
        output.print_note(NO_RENAMES)


def _cochange_json(one: Any) -> dict[str, Any]:
    return {
        "path": one.path,
        "score": round(one.score, 4),
        "weight": round(one.weight, 4),
        "commits": one.commits,
        "sessions": one.sessions,
        "seconds_apart": round(one.apart.total_seconds(), 1),
        "first": one.first,
        "last_at": one.last_at.isoformat() if one.last_at else None,
    }


def _learned_json(one: Any) -> dict[str, Any]:
    return {
        "session": one.session_id,
        "already": one.already,
        "verdicts": [
            {"unit": unit, "verdict": str(verdict.verdict), "by": str(verdict.by), "why": verdict.why}
            for unit, verdict in one.verdicts
        ],
        "notes": one.notes,
        "memories": [{"id": memory.id, "kind": memory.kind, "text": memory.text} for memory in one.memories],
    }


def _note_json(note: Any) -> dict[str, Any]:
    return {
        "id": note.id,
        "session": note.session_id,
        "at": note.at.isoformat(),
        "origin": str(note.origin),
        "kind": note.kind,
        "text": note.text,
        "words": note.facts.get("words", ""),
        "about": [str(subject) for subject in note.subjects],
        "count": note.count,
        "work": note.work,
        "state": str(note.state),
        "why": note.why,
        "events": list(note.event_ids),
        "commit": note.commit_sha,
        "memory": note.memory_id,
    }
