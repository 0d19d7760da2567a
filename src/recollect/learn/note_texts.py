"""What notes say, as one sentence a reader can act on: with the file, the error and the remedy. No model is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recollect.model.json_form import moment_to_json
from recollect.model.note import Note, NoteOrigin
from recollect.model.value import dataclass, field
from recollect.observe.phrases import join_names, quote_text

# Figures are of so many of the newest sessions.
NEWEST_SESSIONS = 30
# In more than such a share of a module's sessions, a file is needed nearly always, or often.
ALWAYS, OFTEN = 0.8, 0.5
# One file that is used in every other session is no pattern.
MIN_OFTEN = 2
# A person's own words are cut later than an error line: what matters may stand at the end.
MAX_SAID = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A text, what it is about, the words of the session it rests on, and the fields its kind keeps."""

    text: str
    files: tuple[str, ...] = ()
    module: str = ""
    evidence: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


def write_sentence(notes: Sequence[Note]) -> Sentence | None:
    """What these notes about one thing say together; None while they say nothing yet. The newest stands last."""
    return _BUILDERS[notes[-1].origin](notes)


def _as_written(notes: Sequence[Note]) -> Sentence | None:
    last = notes[-1]
    return Sentence(
        text=last.text, files=last.files, evidence=(last.text,), fields=last.facts.get("fields", {})
    )


def _in_their_words(notes: Sequence[Note]) -> Sentence | None:
    """What somebody said, in the words that listening gave it."""
    last = notes[-1]
    fields = {"said": last.facts["said"]} if last.kind == "correction" and last.facts.get("said") else {}
    return Sentence(text=last.facts["text"], files=last.files, evidence=(last.facts["text"],), fields=fields)


def _error(notes: Sequence[Note]) -> Sentence | None:
    solved = [note for note in notes if note.facts["resolved"]]
    if not solved:
        return None
    facts = solved[-1].facts
    where = tuple(dict.fromkeys(file for note in reversed(solved) for file in note.facts["mended_in"]))
    if not where and not facts["mended_by"]:
        return None
    rule, error, mended_by = facts["rule"], facts["error"], facts["mended_by"]
    fix = f"running `{mended_by}`" if mended_by and not where else f"an edit of {join_names(where)}"
    diagnosis = next(
        (note.facts["diagnosis"] for note in reversed(solved) if note.facts.get("diagnosis")), ""
    )
    if diagnosis:
        # The name of the rule stands outside of the quotation, which may have to be left out.
        by_rule = f" ({rule})" if rule else ""
        line = error.removesuffix(by_rule)
        text = f"`{facts['command']}` fails with {quote_text(line, 120)}{by_rule}: {diagnosis}"
    elif rule:
        text = f"`{facts['command']}` holds the code to {rule}: {quote_text(error)}; {fix} mended it."
    else:
        sessions = len({note.session_id for note in solved})
        remedy = f"{fix} made it pass"
        if where and sessions > 1:
            remedy = f"look at {join_names(where)}, where an edit made it pass in {sessions} sessions"
        text = f"`{facts['command']}` fails with {quote_text(error)}: {remedy}."
    return Sentence(
        text=text,
        files=where or notes[-1].files,
        evidence=(error, rule, facts["command"], mended_by),
        fields={
            "error": error[:400],
            "fix": diagnosis or fix,
            "tool": facts["tool"],
            "occurrences": sum(note.count for note in notes),
        },
    )


def _edited_again(notes: Sequence[Note]) -> Sentence | None:
    last = notes[-1].facts
    others = _often(note.facts["others"] for note in notes)
    match last["cause"]:
        case "wrong_assumption":
            text = f"The first edit of {last['file']} tends to fail `{last['command']}` "
            text += f"with {quote_text(last['error'])}."
            evidence: tuple[str, ...] = (last["error"], last["command"])
        case "missing_context":
            text = f"Before changing {last['file']}, read {join_names(others)}: "
            text += "the first edit was made without it and had to be redone."
            evidence = ()
        case _:
            text = f"A change of {last['file']} forces one of {join_names(others)} too"
            text += (
                f": otherwise `{last['command']}` fails with {quote_text(last['error'])}."
                if last["error"]
                else "."
            )
            evidence = (last["error"], last["command"])
    return Sentence(text=text, files=(last["file"], *others), evidence=evidence)


def _dead_end(notes: Sequence[Note]) -> Sentence | None:
    facts = notes[-1].facts
    files = join_names(facts["files"])
    instead = (
        f"what worked was a change of {join_names(facts['instead'])}"
        if facts["instead"]
        else "another way was taken"
    )
    tried = f"changing {files} over {facts['steps']} steps"
    ending = f". {facts['why']} {instead.capitalize()}." if facts.get("why") else f"; {instead}."
    text = f"A first approach in {files} led to {quote_text(facts['error'])} and was taken back{ending}"
    return Sentence(
        text=text,
        files=(*facts["files"], *facts["instead"]),
        evidence=(facts["error"],),
        fields={
            "approach_tried": tried,
            "why_it_failed": facts.get("why") or facts["error"],
            "alternative_used": instead,
        },
    )


def _together(notes: Sequence[Note]) -> Sentence | None:
    changed = Counter(note.facts["changed"] for note in notes).most_common(1)[0][0]
    other = next((file for file in notes[-1].facts["files"] if file != changed), "")
    if not other:
        return None
    sessions = len({note.session_id for note in notes})
    return Sentence(
        text=f"Work on {changed} needs {other} too: they are used side by side, session after session.",
        files=(changed, other),
        fields={"session_count": sessions},
    )


def _alike(notes: Sequence[Note]) -> Sentence | None:
    one, other = notes[-1].facts["files"]
    return Sentence(
        text=f"{one} and {other} are edited alike: make a change of one in the other too.",
        files=(one, other),
        fields={"session_count": len({note.session_id for note in notes})},
    )


def _read_again(notes: Sequence[Note]) -> Sentence | None:
    file = notes[-1].facts["file"]
    worked_on = [name for name in _often(note.facts["worked_on"] for note in notes) if name != file]
    if not worked_on:
        return None
    text = f"Before changing {join_names(worked_on)}, read {file}: "
    text += "it was read again and again for it, and never edited."
    return Sentence(text=text, files=(file, *worked_on[:3]))


def _correction(notes: Sequence[Note]) -> Sentence | None:
    facts = notes[-1].facts
    about = f", about {join_names(facts['files'], 2)}" if facts["files"] else ""
    before = facts.get("instead_of", "")
    how = f"after {quote_text(before)} had failed" if before else "correcting the agent"
    fields = {"said": facts["said"], "instead_of": before}
    return Sentence(
        text=f"{quote_text(facts['said'], MAX_SAID)} (the person, {how}{about})",
        files=tuple(facts["files"]),
        evidence=(facts["said"],),
        fields={name: value for name, value in fields.items() if value},
    )


def _given_up(notes: Sequence[Note]) -> Sentence | None:
    facts = notes[-1].facts
    parts = [
        f"Leads nowhere: {facts['tried']}",
        f"because {facts['why']}" if facts["why"] else "",
        f"instead: {facts['instead']}" if facts["instead"] else "",
    ]
    fields = {
        "approach_tried": facts["tried"],
        "why_it_failed": facts["why"],
        "alternative_used": facts["instead"],
    }
    return Sentence(
        text="; ".join(part.rstrip(".") for part in parts if part) + ".",
        files=notes[-1].files,
        evidence=(facts["tried"], facts["why"]),
        fields={name: value for name, value in fields.items() if value},
    )


def _recipe(notes: Sequence[Note]) -> Sentence | None:
    facts = notes[-1].facts
    steps = facts["steps"]
    step_texts = ", ".join(f"{step['order']}. {step['description']}" for step in steps)
    task = facts["task"]
    what = f"Asked for “{task}”" if task else f"Work on {join_names(facts['files'])}"
    return Sentence(
        text=f"{what}, this worked each time, in this order: {step_texts}.",
        files=tuple(facts["files"]),
        evidence=(step_texts, task),
        fields={
            "task_pattern": task or f"work on {join_names(facts['files'])}",
            "steps": steps,
            "canonical_files": list(facts["files"]),
            "last_validated_at": moment_to_json(notes[-1].at),
            "success_count": sum(note.count for note in notes),
        },
    )


def _needed(notes: Sequence[Note]) -> Sentence | None:
    newest = list(notes)[-NEWEST_SESSIONS:]
    module = newest[-1].facts["module"]
    counts = Counter(file for note in newest for file in note.facts["files"])
    shares = [(file, count / len(newest)) for file, count in counts.most_common()]
    always = [file for file, share in shares if share > ALWAYS]
    often = [file for file, share in shares if OFTEN < share <= ALWAYS]
    if not always and len(often) < MIN_OFTEN:
        return None
    parts = [
        f"{join_names(always, 5)} nearly every time" if always else "",
        join_names(often, 5) + " often" if often else "",
    ]
    return Sentence(
        text=f"A session in {module} needs {' and '.join(part for part in parts if part)}.",
        files=(*always, *often),
        module=module,
        fields={
            "module": module,
            "always_read": always,
            "frequently_read": often,
            "session_count": len(newest),
        },
    )


def _in_the_application(notes: Sequence[Note]) -> Sentence | None:
    facts = notes[-1].facts
    on = f" on {facts['page']}" if facts["page"] else ""
    about = f" {quote_text(facts['about'])}" if facts["about"] else ""
    return Sentence(
        text=f"{_E2E[facts['observed']].format(act=facts['act'], about=about, on=on)}: {quote_text(facts['evidence'])}",
        files=notes[-1].files,
        evidence=(facts["evidence"], facts["about"], facts["page"]),
        fields={"observation_type": facts["observed"], "tool": facts["tool"], "app_state": facts["page"]},
    )


_E2E = {
    "precondition": "Before {act}{about}{on} something must be in place",
    "timing": "{act}{about}{on} needs waiting",
    "ui_behavior": "In the running application, {act}{about}{on} shows",
    "test_sequence": "To get there: {act}{about}{on}",
    "mcp_gotcha": "The tool for {act}{about}{on} has a trap",
}


def _cost(notes: Sequence[Note]) -> Sentence | None:
    newest = list(notes)[-NEWEST_SESSIONS:]
    tokens = sorted(note.facts["tokens"] for note in newest)
    average, high = round(sum(tokens) / len(tokens)), tokens[min(len(tokens) - 1, int(len(tokens) * 0.9))]
    module = newest[-1].facts["module"]
    return Sentence(
        # Rounded, so that it is not another sentence after every session.
        text=f"A session in {module} uses about {_rounded(average):,} tokens, {_rounded(high):,} in one of ten.",
        module=module,
        fields={
            "module": module,
            "average_tokens": average,
            "p90_tokens": high,
            "sample_count": len(tokens),
        },
    )


def _rounded(tokens: int) -> int:
    return max(round(tokens, -4), 10_000)


def _plan(notes: Sequence[Note]) -> Sentence | None:
    newest = list(notes)[-NEWEST_SESSIONS:]
    planned = sum(note.facts["planned"] for note in newest) / len(newest)
    actual = sum(note.facts["actual"] for note in newest) / len(newest)
    last = newest[-1].facts
    return Sentence(
        text=f"Work in {last['module']} takes {actual / planned:.1f} times the steps that were planned.",
        module=last["module"],
        fields={
            "module": last["module"],
            "methodology": last["methodology"],
            "average_actual_steps": round(actual, 1),
            "average_planned_steps": round(planned, 1),
            "ratio": round(actual / planned, 2),
            "sample_count": len(newest),
        },
    )


def _often(lists: Any) -> list[str]:
    """Names by how many lists hold them, those of more than one list only if there are several lists."""
    all_of_them = [list(names) for names in lists]
    counts = Counter(name for names in all_of_them for name in dict.fromkeys(names))
    fewest = 2 if len(all_of_them) > 1 else 1
    return [name for name, count in counts.most_common() if count >= fewest]


_BUILDERS: Mapping[NoteOrigin, Callable[[Sequence[Note]], Sentence | None]] = {
    NoteOrigin.AGENT: _as_written,
    NoteOrigin.WORDS: _in_their_words,
    NoteOrigin.DIRECTIVE: _in_their_words,
    NoteOrigin.COMMIT: lambda notes: None,
    NoteOrigin.ERROR_RETRY: _error,
    NoteOrigin.LINT_RULE: _error,
    NoteOrigin.BACKTRACK: _edited_again,
    NoteOrigin.DEAD_END: _dead_end,
    NoteOrigin.GIVEN_UP: _given_up,
    NoteOrigin.RECIPE: _recipe,
    NoteOrigin.PREFETCH: _needed,
    NoteOrigin.CO_ACCESS: _together,
    NoteOrigin.TWIN: _alike,
    NoteOrigin.FILE_ACCESS: _read_again,
    NoteOrigin.CORRECTION: _correction,
    NoteOrigin.E2E: _in_the_application,
    NoteOrigin.COST: _cost,
    NoteOrigin.PLAN: _plan,
}
