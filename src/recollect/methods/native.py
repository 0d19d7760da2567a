"""
Native: specs with subtasks, planned, coded, reviewed, fixed. Used where no other methodology is detected.

Reads `.auto-claude/specs/042-name/implementation_plan.json`, and `specs/042-name/tasks.md` as spec kits write it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from recollect.methods import wording
from recollect.methods.wording import join_sentences, list_decisions, list_sentence, read_text, read_texts
from recollect.model.method import Methodology, ReadableFiles, Relay, Surroundings
from recollect.model.phase import Phase
from recollect.model.scope import WorkRef
from recollect.model.value import dataclass

_PLANS = (".auto-claude/specs/*/implementation_plan.json", "specs/*/tasks.md", ".specify/specs/*/tasks.md")
_SPEC_FOLDER = re.compile(r"(?:^|/)(?P<number>\d{3,4})-[^/]{1,100}/[^/]+$")
_BRANCH = re.compile(
    r"(?:^|[/_-])spec[/_-]?(?P<spec>\d{1,4})(?:[/_-]?(?:subtask|task)[/_-]?(?P<subtask>[\w.]{1,20}))?"
)
_NUMBERED = re.compile(r"(?:^|/)(?P<spec>\d{3,4})-[a-z]")
_TASK = re.compile(r"(?:\[[^\]]{1,10}\]\s*)?(?P<id>[A-Z]{0,3}\d{1,4}(?:\.\d{1,3})*)\b[:.)]?\s*(?P<text>.*)")
_DONE = frozenset({"completed", "done", "passed"})
_GOING_ON = frozenset({"in_progress", "inprogress", "started"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subtask:
    id: str
    text: str
    status: str


def detect(around: Surroundings) -> str:
    """A folder of numbered specs."""
    path = next((path for path in _plans(around.files).values()), "")
    return f"it has specs ({path})" if path else ""


def unit(around: Surroundings) -> WorkRef | None:
    """The spec the branch names; without one, the only spec in which a subtask is in progress."""
    plans = _plans(around.files)
    if match := _BRANCH.search(around.branch.lower()):
        return _ref(match["spec"].zfill(3), match["subtask"] or "")
    numbered = _NUMBERED.search(around.branch.lower())
    if numbered and numbered["spec"] in plans:
        return _ref(numbered["spec"], "")
    going_on = [number for number, path in plans.items() if _find_in_progress(_subtasks(around.files, path))]
    return _ref(going_on[0], "") if len(going_on) == 1 else None


def work_state(around: Surroundings) -> Mapping[str, object]:
    """Which subtasks of the spec are done, which one comes next, and what was decided; nothing once all are done."""
    ref = unit(around)
    spec = ref.hierarchy[0].removeprefix("spec_") if ref else _spec_of(around.work)
    path = _plans(around.files).get(spec)
    subtasks = _subtasks(around.files, path) if path else []
    current = _find_in_progress(subtasks) or _find_next(subtasks)
    if current is None:
        return {}
    return {
        "spec": spec,
        "completed_subtasks": [one.id for one in subtasks if one.status in _DONE],
        "in_progress_subtask": current.id,
        "in_progress_text": current.text[:200],
        "subtasks": len(subtasks),
        "key_decisions": list_decisions(around.deeds),
    }


def tell_state(state: Mapping[str, object]) -> str:
    """Where a spec stands, in a few sentences."""
    done, current = read_texts(state, "completed_subtasks"), read_text(state, "in_progress_subtask")
    about = (
        f" {wording.quote_line(read_text(state, 'in_progress_text'))}"
        if read_text(state, "in_progress_text")
        else ""
    )
    return join_sentences(
        list_sentence(f"Subtasks done ({len(done)} of {read_text(state, 'subtasks')})", done),
        f"Next: subtask {current}{about}." if current else "",
        list_sentence("Decided", read_texts(state, "key_decisions")),
    )


def _ref(spec: str, subtask: str) -> WorkRef:
    if not subtask:
        return WorkRef(methodology="native", hierarchy=(f"spec_{spec}",), label=f"Spec {spec}")
    return WorkRef(
        methodology="native",
        hierarchy=(f"spec_{spec}", f"subtask_{subtask}"),
        label=f"Spec {spec} / Subtask {subtask}",
    )


def _spec_of(work: str) -> str:
    match = re.match(r"native:spec_(\d{1,4})", work)
    return match[1] if match else ""


def _plans(files: ReadableFiles) -> dict[str, str]:
    """The file that holds the plan of each spec, by its number."""
    plans: dict[str, str] = {}
    for pattern in _PLANS:
        for path in files.names(pattern):
            if folder := _SPEC_FOLDER.search(path):
                plans.setdefault(folder["number"], path)
    return plans


def _subtasks(files: ReadableFiles, path: str) -> list[_Subtask]:
    text = files.text(path)
    return _parse_json_plan(text) if path.endswith(".json") else _parse_task_list(text)


def _parse_json_plan(text: str) -> list[_Subtask]:
    try:
        plan = json.loads(text)
    except (ValueError, RecursionError):
        return []
    phases = plan.get("phases") if isinstance(plan, dict) else None
    parts: list[Any] = []
    for phase in phases if isinstance(phases, list) else []:
        listed = phase.get("subtasks") or phase.get("chunks") if isinstance(phase, dict) else None
        parts += listed if isinstance(listed, list) else []
    return [
        _Subtask(
            id=str(part.get("id", ""))[:60],
            text=str(part.get("description", "")),
            status=wording.normalize_status(str(part.get("status", ""))),
        )
        for part in parts
        if isinstance(part, dict) and part.get("id")
    ]


def _parse_task_list(text: str) -> list[_Subtask]:
    subtasks: list[_Subtask] = []
    for box in wording.read_checkboxes(text.splitlines()):
        if task := _TASK.match(box.text):
            status = "completed" if box.done else "pending"
            subtasks.append(_Subtask(id=task["id"], text=task["text"], status=status))
    return subtasks


def _find_in_progress(subtasks: list[_Subtask]) -> _Subtask | None:
    return next((one for one in subtasks if one.status in _GOING_ON), None)


def _find_next(subtasks: list[_Subtask]) -> _Subtask | None:
    return next((one for one in subtasks if one.status not in _DONE), None)


NATIVE = Methodology(
    id="native",
    name="Native (specs and subtasks)",
    phases={
        "planning": Phase.DEFINE,
        "spec": Phase.DEFINE,
        "coding": Phase.IMPLEMENT,
        "qa_review": Phase.VALIDATE,
        "qa_fix": Phase.REFINE,
        "debugging": Phase.REFINE,
        "insights": Phase.EXPLORE,
        "retrospective": Phase.REFLECT,
        # The stages, by who is at work in them.
        "planner": Phase.DEFINE,
        "coder": Phase.IMPLEMENT,
        "qa_reviewer": Phase.VALIDATE,
        "qa_fixer": Phase.REFINE,
    },
    relays=(
        Relay(source="planner", target="coder"),
        Relay(source="coder", target="qa_reviewer"),
        Relay(source="qa_reviewer", target="qa_fixer", kinds=("error_pattern", "requirement")),
    ),
    detect=detect,
    unit=unit,
    work_state=work_state,
    tell_state=tell_state,
)
