"""
Replay: past sessions in time order; which files will each read or change?

Asked at the first prompt of a person, and again when the first two files are known. A target is a file that was there
before: what the session itself makes does not count. The store holds only what other sessions did strictly before that
moment; afterwards the session is learned like any other. The first sessions warm up and are not scored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from benchmarks import replay_sessions
from benchmarks.replay_baselines import BASELINES, moment
from benchmarks.replay_sessions import Replay, Replayed, Touch, load
from benchmarks.run import Progress, quiet
from recollect.errors import BadInput
from recollect.model.event import Event
from recollect.model.ids import make_id
from recollect.model.value import dataclass, field
from recollect.observe.folders import Folders
from recollect.observe.take_in import store_events
from recollect.predict_files.past_sessions import record_due_visits
from recollect.predict_files.predict import PredictionRequest, predict_files
from recollect.store.db import Db
from recollect.store.open import open_db
from recollect.store.tables import projects
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

WARM_UP = 20
GIVEN = 2
OURS = "recollect"
_ALL = 1_000_000


@dataclass(slots=True)
class Score:
    """What one system reached, session by session."""

    at_5: list[float] = field(default_factory=list)
    at_10: list[float] = field(default_factory=list)
    hits: list[float] = field(default_factory=list)
    reads: int = 0
    reads_named: int = 0

    def add(self, predicted: Sequence[str], targets: Sequence[Touch]) -> None:
        """Ten files were named, best first."""
        wanted = {touch.path for touch in targets}
        self.at_5.append(len(wanted.intersection(predicted[:5])) / len(wanted))
        self.at_10.append(len(wanted.intersection(predicted[:10])) / len(wanted))
        self.hits.append(float(not wanted.isdisjoint(predicted[:5])))
        read = {touch.path for touch in targets if touch.is_read}
        self.reads += len(read)
        self.reads_named += len(read.intersection(predicted[:10]))

    def as_json(self) -> dict[str, float]:
        """In percent; the halves are the earlier and the later sessions."""
        half = len(self.hits) // 2
        return {
            "r@5": _percent(self.at_5),
            "r@10": _percent(self.at_10),
            "hit@5": _percent(self.hits),
            "first_reads": round(100 * self.reads_named / self.reads, 1) if self.reads else 0.0,
            "r@10_earlier": _percent(self.at_10[:half]),
            "r@10_later": _percent(self.at_10[half:]),
            "hit@5_earlier": _percent(self.hits[:half]),
            "hit@5_later": _percent(self.hits[half:]),
        }


def run(path: Path, *, warm_up: int = WARM_UP, progress: Progress = quiet) -> dict[str, Any]:
    """Score every system on a folder of session files."""
    with progress("Session files") as step:
        replay = load(path, step)
    from_prompt = {name: Score() for name in (OURS, *BASELINES)}
    from_files = {name: Score() for name in (OURS, *BASELINES)}
    with progress("Sessions") as step:
        for number, (session, memory) in enumerate(replay_in_order(replay), start=1):
            targets = session.targets
            if number > warm_up and targets:
                _score(from_prompt, memory, session, replay.sessions, targets, given=0)
            if number > warm_up and len(targets) > GIVEN:
                _score(from_files, memory, session, replay.sessions, targets, given=GIVEN)
            step(number, len(replay.sessions))
    scored = len(from_prompt[OURS].hits)
    if not scored:
        raise BadInput(f"{path} has no session to score: there must be more than {warm_up} that touch files.")
    return {
        "from_prompt": {name: score.as_json() for name, score in from_prompt.items() if name != "co-access"},
        "from_files": {name: score.as_json() for name, score in from_files.items()},
        "errors": replay_sessions.count_errors(replay.sessions),
        "counts": {
            "sessions": len(replay.sessions),
            "scored": scored,
            "scored_from_files": len(from_files[OURS].hits),
        },
    }


@dataclass(frozen=True, slots=True)
class Memory:
    """A store that knows what happened up to now."""

    db: Db
    project_id: str

    def names(self, session: Replayed, given: tuple[str, ...]) -> list[str]:
        request = PredictionRequest(
            prompt=session.prompt,
            branch=session.branch,
            folder=session.folder,
            files=given,
            session_id=session.id,
        )
        return [prediction.path for prediction in predict_files(self.db, self.project_id, request)]


# What becomes of the sessions so far before the next one is asked about, and when that is.
Learn = Callable[[Db, datetime], object]


def _what_they_touched(db: Db, now: datetime) -> None:
    record_due_visits(db, _ALL)


def replay_in_order(replay: Replay, learn: Learn = _what_they_touched) -> Iterator[tuple[Replayed, Memory]]:
    """Each session with a memory of what the others did strictly before its first prompt, and of nothing else."""
    now = datetime.now(UTC)
    db = open_db(":memory:", now)
    try:
        project = projects.ensure_project(db, "replay", "replay", make_id(now, 0), now)
        folders = Folders(db, lambda: now, lambda at: make_id(at, 0))
        for event in replay.events:
            folders.assign_project(event.folder, project.id)
        waiting: list[Event] = []
        events = iter(replay.events)
        coming = next(events, None)
        for session in replay.sessions:
            while coming is not None and coming.at < session.asked_at:
                waiting.append(coming)
                coming = next(events, None)
            store_events(db, [event for event in waiting if event.session_id != session.id], folders)
            waiting = [event for event in waiting if event.session_id == session.id]
            learn(db, session.asked_at)
            yield session, Memory(db, project.id)
    finally:
        db.close()


def _score(
    scores: Mapping[str, Score],
    memory: Memory,
    session: Replayed,
    others: Sequence[Replayed],
    targets: Sequence[Touch],
    *,
    given: int,
) -> None:
    first = tuple(touch.path for touch in targets[:given])
    rest = targets[given:]
    at = moment(session, others, first)
    scores[OURS].add(memory.names(session, first), rest)
    for name, baseline in BASELINES.items():
        scores[name].add(_best(baseline(at), first), rest)


def _best(scores: Mapping[str, float], without: Sequence[str]) -> list[str]:
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [path for path, score in ordered if score and path not in without][:10]


def _percent(shares: Sequence[float]) -> float:
    return round(100 * sum(shares) / len(shares), 1) if shares else 0.0


@click.command("replay")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--warm-up",
    type=click.IntRange(0),
    default=WARM_UP,
    show_default=True,
    help="So many sessions are learned before the first is scored.",
)
@json_option
def replay_(path: Path, warm_up: int) -> None:
    """How well the files of a session are foreseen, over the session files in the folder PATH, in time order.

    Asked at the first prompt, and again with the first two files known. Each session is learned after it was scored.

    \b
    python -m benchmarks replay ~/.claude/projects/-home-kim-shop
    python -m benchmarks replay sessions --warm-up 5 --json
    """
    outcome = run(path, warm_up=warm_up, progress=output.show_progress)
    if output.is_json():
        output.print_json({"benchmark": "replay", **outcome})
        return
    counts = outcome["counts"]
    _print_predictions(f"first prompt ({counts['scored']})", outcome["from_prompt"])
    output.print_line()
    _print_predictions(f"two files known ({counts['scored_from_files']})", outcome["from_files"])
    output.print_line()
    for name, errors in outcome["errors"].items():
        output.print_line(
            f"Errors, {name}: {errors['met']} met, {errors['again']} of them again, "
            f"for {errors['remedy_known']} a remedy was known."
        )


def _print_predictions(title: str, systems: Mapping[str, Mapping[str, float]]) -> None:
    headings = [name.replace("_", " ") for name in next(iter(systems.values()))]
    rows = [(name, *(f"{value:.1f}" for value in scores.values())) for name, scores in systems.items()]
    output.print_table((title, *headings), rows)
