"""
The journal that an agent keeps in the vault: runs, failures, corrections, apps, status, days; and what a run loads.

Each act is one of the services that a desktop agent's memory is made of, by its name there. All of it is lines in
notes, bounded in number; what is worth a memory is remembered by the agent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.errors import BadInput, NotFound
from recollect.model.tokens import estimate_tokens
from recollect.model.value import dataclass
from recollect.vault import layout
from recollect.vault.context import VaultContext
from recollect.vault.files import check_path
from recollect.vault.notes import append_text, change_in_turn, read_note
from recollect.vault.obsidian import DailyNote, find_daily_note
from recollect.vault.properties import find_newline, read_properties, split_lines, split_note

MAX_LOGGED = 200
RECENT = timedelta(hours=2)
# So much of a core note is loaded: some 500 tokens, and 250 of the day's end.
CORE_LENGTH = 2_000
DAY_LENGTH = 1_000
DAYS_BACK = 7
_HEADING = re.compile(r"^## ", re.MULTILINE)
_COMMAND = re.compile(r'^- \*\*Command:\*\* "(.*)"', re.MULTILINE)
_PATTERN = re.compile(r"- (.*): (\d+) runs, (\d+) of them successful, last \S+\s*\Z")
_RUN = re.compile(r"- \[\d\d:\d\d\] ")
_ACTION = re.compile(r"- (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """What came of a run: the command, whether it succeeded, how well, in how many rounds, and what was done."""

    command: str
    success: bool
    summary: str = ""
    score: int | None = None
    iterations: int = 0
    actions: Sequence[str] = ()
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTemplate:
    """A way of doing a task that fits a command: its steps, and how well it went before."""

    path: str
    trigger: str
    text: str
    success_rate: float
    iterations: float


# -- before a run ------------------------------------------------------------------------------------------


def load_core_context(ctx: VaultContext) -> str:
    """Who the user is, what is to be done, where things stand, and the end of today's note."""
    sections = [
        f"### {path.removesuffix('.md')}\n{text[:CORE_LENGTH].strip()}"
        for path in (layout.PROFILE, layout.TASKS, layout.STATUS)
        if (text := _text(ctx, path)).strip()
    ]
    today = _text(ctx, daily_path(ctx, ctx.local_now()))
    if today.strip():
        sections.append(f"### Today's notes\n{today[-DAY_LENGTH:].strip()}")
    return "\n\n".join(sections)


def load_recent_runs(ctx: VaultContext, limit: int = 5) -> list[str]:
    """The last runs as the daily notes tell them, newest first."""
    runs: list[str] = []
    for days in range(DAYS_BACK):
        text = _text(ctx, daily_path(ctx, ctx.local_now() - timedelta(days=days)))
        lines = [line.strip() for line in text.split("\n") if _RUN.match(line)]
        runs += reversed(lines)
    return runs[:limit]


def load_recent_context(ctx: VaultContext, limit: int = 5) -> list[str]:
    """The last actions of the rolling window, newest first."""
    lines = [line for line in _text(ctx, layout.RECENT_ACTIONS).split("\n") if _ACTION.match(line)]
    return [line[2:].strip() for line in reversed(lines)][:limit]


def load_app_knowledge(ctx: VaultContext, apps: Sequence[str]) -> str:
    """What the notes of these apps say: reliable approaches, known issues, patterns of the user."""
    notes = [(app, _text(ctx, f"{layout.APPS}/{layout.make_note_name(app)}.md")) for app in apps]
    return "\n\n".join(f"### {app}\n{split_note(text).body.strip()}" for app, text in notes if text.strip())


def load_matching_templates(ctx: VaultContext, command: str) -> list[TaskTemplate]:
    """The task templates whose trigger fits a command, the most successful first."""
    folder = ctx.root / layout.TEMPLATES
    templates: list[TaskTemplate] = []
    for place in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        text = _text(ctx, f"{layout.TEMPLATES}/{place.name}")
        properties = read_properties(split_note(text).block)
        trigger = str(properties.get("recollect_trigger") or properties.get("trigger") or "")
        if trigger and fits_trigger(trigger, command):
            rate = properties.get("recollect_success_rate", properties.get("success_rate", 0.0))
            rounds = properties.get("recollect_avg_iterations", properties.get("avg_iterations", 0.0))
            templates.append(
                TaskTemplate(
                    path=f"{layout.TEMPLATES}/{place.name}",
                    trigger=trigger,
                    text=split_note(text).body.strip(),
                    success_rate=float(rate) if isinstance(rate, int | float) else 0.0,
                    iterations=float(rounds) if isinstance(rounds, int | float) else 0.0,
                )
            )
    return sorted(templates, key=lambda one: (-one.success_rate, one.path))


def fits_trigger(trigger: str, command: str) -> bool:
    """
    Whether a command is what a trigger such as `send.*email|compose.*email` waits for.

    Words with `.*` between and `|` around: no regular expression of somebody's note is run, since some never end.
    """
    lowered = command.lower()
    for choice in trigger.lower().split("|"):
        place = 0
        for words in choice.split(".*"):
            words = words.strip().strip("^$")
            place = lowered.find(words, place)
            if place < 0:
                break
            place += len(words)
        else:
            if choice.strip():
                return True
    return False


def fit_budget(sections: Sequence[tuple[str, str]], budget: int) -> str:
    """Sections as one text of so many tokens; those that come last give way first."""
    chosen: list[str] = []
    for heading, text in sections:
        section = f"## {heading}\n{text.strip()}"
        if text.strip() and estimate_tokens("\n\n".join((*chosen, section))) <= budget:
            chosen.append(section)
    return "\n\n".join(chosen)


# -- during and after a run --------------------------------------------------------------------------------


def record_run_outcome(ctx: VaultContext, run: RunRecord) -> None:
    """A run ended: a line in the daily note and in the recent actions, an entry in the task log, the status."""
    at = ctx.local_now()
    _check_line(run.command)
    score = f" (score: {run.score})" if run.score is not None else ""
    status = "done" if run.success else "failed"
    rounds = f" ({run.iterations} iterations)" if run.iterations else ""
    line = f"- [{at:%H:%M}] `{status}` {to_one_line(run.command)}{score} — {to_one_line(run.summary)}{rounds}"
    add_to_day(ctx, line)
    note_action(ctx, f"{to_one_line(run.command)} ({status})")
    old: list[str] = []

    def logged(text: str) -> str:
        new, old[:] = _logged(text, run, ctx.now())
        return new

    change_in_turn(ctx, layout.TASK_LOG, logged)
    if old:
        change_in_turn(ctx, layout.PATTERNS, lambda text: _with_patterns(text, old))
    update_status(ctx, run.command, "success" if run.success else "failed")
    if not run.success:
        record_failure(ctx, run.command, run.summary or "no reason given", run.iterations)


def record_failure(ctx: VaultContext, command: str, reason: str, iterations: int = 0) -> None:
    """Something failed: a line among the known issues."""
    after = f" after {iterations} iterations" if iterations else ""
    _add(
        ctx,
        layout.KNOWN_ISSUES,
        f"- **{to_one_line(command)}** failed{after}: {to_one_line(reason)} ({ctx.local_now():%Y-%m-%d})",
    )


def record_rejection(ctx: VaultContext, command: str, score: int, reason: str) -> None:
    """A result was rejected: an entry among the failures, to learn a rule from."""
    entry = (
        f"## {ctx.now():%Y-%m-%dT%H:%M:%SZ}\n- **Command:** {to_one_line(command)}\n- **Score:** {score}/100\n"
        f"- **Reason:** {to_one_line(reason)}\n- **Lesson:** review needed"
    )
    _add(ctx, layout.FAILURES, f"\n{entry}")


def record_correction(ctx: VaultContext, original: str, corrected: str) -> None:
    """A person said it again in other words after a failure."""
    _add(
        ctx,
        layout.CORRECTIONS,
        f"- {ctx.local_now():%Y-%m-%d %H:%M}: {to_one_line(original)} → {to_one_line(corrected)}",
    )


def update_app_knowledge(
    ctx: VaultContext, app: str, insight: str, section: str = "Reliable Approaches"
) -> str:
    """Add what was learned about an app to its note, under a heading; the note is made if there is none."""
    path = f"{layout.APPS}/{layout.make_note_name(app)}.md"
    start = layout.make_app_note(to_one_line(app))
    line = f"- {to_one_line(insight)}"
    change_in_turn(ctx, path, lambda text: add_under_heading(text or start, section, line))
    return path


def update_preferences(ctx: VaultContext, key: str, value: str) -> None:
    """Set a learned preference: one line for each key."""
    name = to_one_line(key)

    def changed(text: str) -> str:
        newline = find_newline(text)
        lines = split_lines(text or layout.FIRST_NOTES[layout.PREFERENCES])
        place = next((n for n, line in enumerate(lines) if line.startswith(f"- {name}:")), None)
        line = f"- {name}: {to_one_line(value)}"
        if place is None:
            return append_text("".join(lines), line)
        lines[place] = line + newline
        return "".join(lines)

    change_in_turn(ctx, layout.PREFERENCES, changed)


def note_action(ctx: VaultContext, action: str) -> None:
    """Add to the recent actions; what is older than two hours goes from there into the note of its day."""
    at = ctx.local_now()
    oldest = (at - RECENT).strftime("%Y-%m-%dT%H:%M:%S")
    old: list[str] = []

    def rolled(text: str) -> str:
        lines = split_lines(text or layout.FIRST_NOTES[layout.RECENT_ACTIONS])
        old[:] = [line for line in lines if (match := _ACTION.match(line)) and match[1] < oldest]
        recent = [line for line in lines if line not in old]
        return append_text("".join(recent), f"- {at:%Y-%m-%dT%H:%M:%S} {to_one_line(action)}")

    change_in_turn(ctx, layout.RECENT_ACTIONS, rolled)
    for line in old:
        # A run has its line in the day already.
        if not line.rstrip().endswith(("(done)", "(failed)")):
            then = datetime.fromisoformat(line[2:21]).astimezone()
            _add_to_day(ctx, then, f"- {then:%H:%M} {line[22:].strip()}")


def update_status(ctx: VaultContext, command: str, outcome: str) -> None:
    """What was done last, in the note that is always loaded; a person's own lines in it stay."""
    wanted = {
        "**Last active:**": f"{ctx.now():%Y-%m-%dT%H:%M:%SZ}",
        "**Last command:**": to_one_line(command),
        "**Last outcome:**": to_one_line(outcome),
    }

    def stated(text: str) -> str:
        lines = split_lines(text or layout.FIRST_NOTES[layout.STATUS])
        newline = find_newline(text)
        for key, value in wanted.items():
            place = next((n for n, line in enumerate(lines) if line.startswith(key)), None)
            if place is None:
                lines = split_lines(append_text("".join(lines), f"{key} {value}"))
            else:
                lines[place] = f"{key} {value}{newline}"
        return "".join(lines)

    change_in_turn(ctx, layout.STATUS, stated)


def add_to_day(ctx: VaultContext, line: str) -> str:
    """Add to today's note; its path."""
    return _add_to_day(ctx, ctx.local_now(), line)


def write_daily_summary(ctx: VaultContext, lines: Sequence[str] = ()) -> str:
    """Sum up the day from its note: how many runs went well, how many did not, and which; then these lines."""
    day = f"{ctx.local_now():%Y-%m-%d}"
    runs = [line for line in _text(ctx, daily_path(ctx, ctx.local_now())).split("\n") if _RUN.match(line)]
    failed = [line for line in runs if "`failed`" in line]
    entry = [f"## {day}", f"{len(runs)} runs, {len(runs) - len(failed)} of them successful.", *failed[-10:]]
    entry += map(to_one_line, lines)
    change_in_turn(ctx, layout.DAILY_SUMMARY, lambda text: _with_section(text, day, "\n".join(entry)))
    return "\n".join(entry)


# -- the texts ---------------------------------------------------------------------------------------------


def daily_path(ctx: VaultContext, at: datetime) -> str:
    """The daily note of a day."""
    return _daily_note(ctx, at).path


def _daily_note(ctx: VaultContext, at: datetime) -> DailyNote:
    """Where Obsidian's own settings put the note of a day, else one of ours."""
    ours = DailyNote(path=f"{layout.DAILY}/{at:%Y-%m-%d}.md", start=f"# {at:%Y-%m-%d}\n\n")
    return find_daily_note(ctx.root, at) or ours


def _add_to_day(ctx: VaultContext, at: datetime, line: str) -> str:
    note = _daily_note(ctx, at)
    _add(ctx, note.path, line, start=note.start)
    return note.path


def add_under_heading(text: str, heading: str, line: str) -> str:
    """A text with one line more under a heading, which is made if there is none; a line that is there stays alone."""
    newline = find_newline(text)
    lines = split_lines(text)
    if any(one.strip() == line for one in lines):
        return text
    place = next(
        (n for n, one in enumerate(lines) if one.strip().lstrip("#").strip().lower() == heading.lower()), None
    )
    if place is None:
        return append_text(text, f"\n## {heading}\n{line}")
    end = place + 1
    while end < len(lines) and not lines[end].startswith("#"):
        end += 1
    while end > place + 1 and not lines[end - 1].strip():
        end -= 1
    return "".join((*lines[:end], line + newline, *lines[end:]))


def to_one_line(text: str) -> str:
    """A text as part of a line of a note: no line ends, and nothing that begins a comment of ours."""
    return " ".join(text.split()).replace("%%", "% %")[:2_000]


def _logged(text: str, run: RunRecord, at: datetime) -> tuple[str, list[str]]:
    """The log with one entry more, and the entries that are too old for it."""
    score = f" (score: {run.score})" if run.score is not None else ""
    entry = [
        f"## {at:%Y-%m-%dT%H:%M:%SZ}",
        f'- **Command:** "{to_one_line(run.command)}"',
        f"- **Outcome:** {'Success' if run.success else 'Failed'}{score}",
        f"- **Iterations:** {run.iterations}",
    ]
    if run.actions:
        entry.append(f"- **Key actions:** {', '.join(to_one_line(action) for action in run.actions[:20])}")
    if run.seconds is not None:
        entry.append(f"- **Duration:** {run.seconds:.0f}s")
    head, *entries = _HEADING.split(text or layout.FIRST_NOTES[layout.TASK_LOG])
    newest = entries[-(MAX_LOGGED - 1) :]
    before = head + "".join(f"## {one}" for one in newest)
    return append_text(before, "\n" + "\n".join(entry)), entries[: len(entries) - len(newest)]


def _with_patterns(text: str, entries: Sequence[str]) -> str:
    """The patterns with what old entries of the log come to: for each command how often it ran, and how often well."""
    text = text or layout.FIRST_NOTES[layout.PATTERNS]
    for entry in entries:
        command = _COMMAND.search(entry)
        if command is None:
            continue
        name, is_good = to_one_line(command[1]), "- **Outcome:** Success" in entry
        lines = split_lines(text)
        known = next(
            ((n, m) for n, line in enumerate(lines) if (m := _PATTERN.match(line)) and m[1] == name), None
        )
        runs, good = (int(known[1][2]) + 1, int(known[1][3]) + is_good) if known else (1, int(is_good))
        line = f"- {name}: {runs} runs, {good} of them successful, last {entry[:10]}"
        if known:
            lines[known[0]] = line + find_newline(text)
            text = "".join(lines)
        else:
            text = append_text(text, line)
    return text


def _with_section(text: str, day: str, entry: str) -> str:
    head, *sections = _HEADING.split(text or layout.FIRST_NOTES[layout.DAILY_SUMMARY])
    others = [f"## {one}" for one in sections if not one.startswith(day)]
    return append_text(head + "".join(others), f"\n{entry}")


def _add(ctx: VaultContext, path: str, line: str, start: str = "") -> None:
    check_path(path)
    first = start or layout.FIRST_NOTES.get(path, "")
    change_in_turn(ctx, path, lambda text: append_text(text or first, line))


def _text(ctx: VaultContext, path: str) -> str:
    try:
        return read_note(ctx, path, for_agent=True)
    except (NotFound, BadInput):
        return ""


def _check_line(command: str) -> None:
    if not command.strip():
        raise BadInput(reason="say what the command was")
