"""
Answers of the API in their JSON form: what `--json` prints and what the `.json` twin of a page holds.

One function an answer, used by the command line and by the dashboard, so that the two cannot drift apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.model.json_form import memory_to_json, moment_to_json
from recollect.model.memory import AlreadyKnown, Intake, Memory, Refused, Remembered
from recollect.model.review import find_badge
from recollect.model.value import asdict

if TYPE_CHECKING:
    from recollect.errors import RecollectError
    from recollect.model.anchor import Anchor
    from recollect.model.code import CodeNode, Module, ModuleMap
    from recollect.model.health import Stats
    from recollect.model.history import MemoryChange
    from recollect.model.impact import CoChange, Dependent, Impact, LinkedMemory, SubjectSummary
    from recollect.model.injection import InjectedMemory, Savings
    from recollect.model.learned import LessonView, RecipeView, SkillView
    from recollect.model.operations import Allowance, OpsAction, OpsEvent, OpsRun, ServiceHealth
    from recollect.model.query import Hit, Recalled
    from recollect.model.review import SessionReview, WaitingMemory
    from recollect.model.session import SessionSummary
    from recollect.model.silence import SilenceReport
    from recollect.model.vault_task import VaultTask

SCHEMA = 1
Json = dict[str, Any]


def dump_json(value: Mapping[str, Any]) -> str:
    """One JSON object as text, with the version of its form."""
    return json.dumps({"schema": SCHEMA, **value}, ensure_ascii=False, default=_plain_value)


def error_to_json(problem: RecollectError) -> Json:
    """What went wrong and what to do."""
    hint = str(problem.facts.get("hint", ""))
    return {"error": {"code": problem.code, "message": str(problem), "hint": hint, "fix": problem.fix}}


def _plain_value(value: object) -> str:
    return moment_to_json(value) if isinstance(value, datetime) else str(value)


# -- memories ---------------------------------------------------------------------------------------------


def memories_to_json(memories: Iterable[Memory], total: int) -> Json:
    """A page of a list of memories."""
    return {"memories": [memory_to_json(memory) for memory in memories], "total": total}


def shown_to_json(memory: Memory, files: Iterable[Anchor]) -> Json:
    """One memory with what has become of its files."""
    return {"memory": memory_to_json(memory), "files": [asdict(file) for file in files]}


def changed_to_json(memories: Iterable[Memory]) -> Json:
    """Memories that were changed."""
    return {"changed": [memory_to_json(memory) for memory in memories]}


def intake_to_json(answer: Intake) -> Json:
    """What came of remembering."""
    match answer:
        case Remembered(memory=memory):
            return {
                "result": "remembered",
                "memory": memory_to_json(memory),
                "redacted": list(answer.redacted),
                "hidden": answer.hidden,
                "unembedded": answer.unembedded,
            }
        case AlreadyKnown(memory=memory, likeness=likeness):
            return {"result": "already_known", "memory": memory_to_json(memory), "likeness": likeness}
        case Refused(reason=reason):
            return {"result": "refused", "reason": reason}


def change_to_json(change: MemoryChange) -> Json:
    """One change of one memory."""
    return {
        "memory_id": change.memory_id,
        "act_id": change.act_id,
        "at": moment_to_json(change.at),
        "actor": change.actor,
        "action": change.action,
        "why": change.why,
        "before": dict(change.before),
        "after": dict(change.after),
        "undone": change.undone,
    }


def hit_to_json(hit: Hit) -> Json:
    """One hit with the parts of its score."""
    why = [
        {"part": p.name, "value": round(p.value, 4), "added": round(p.added, 4), "words": p.words}
        for p in hit.why
    ]
    probability = None if hit.probability is None else round(hit.probability, 3)
    fields = {
        "score": round(hit.score, 4),
        "probability": probability,
        "why": why,
        "notes": list(hit.notes),
    }
    return {**fields, "memory": memory_to_json(hit.memory)}


def recalled_to_json(answer: Recalled) -> Json:
    """The hits, best first; `known` says whether any of them probably answers."""
    return {
        "known": answer.known,
        "hits": [hit_to_json(hit) for hit in answer],
        "notes": list(answer.notes),
    }


# -- review -----------------------------------------------------------------------------------------------


def waiting_to_json(waiting: Iterable[WaitingMemory]) -> Json:
    """What waits for a person."""
    return {"waiting": [_waiting_memory_to_json(one) for one in waiting]}


def session_review_to_json(review: SessionReview) -> Json:
    """What a session used, what it left for review, and what needs none."""
    return {
        "session": review.session_id,
        "applied": [memory_to_json(memory) for memory in review.applied],
        **waiting_to_json(review.waiting),
        "confirmed": [{"why": one.why, "memory": memory_to_json(one.memory)} for one in review.confirmed],
    }


def _waiting_memory_to_json(one: WaitingMemory) -> Json:
    return {
        "memory": memory_to_json(one.memory),
        "badge": find_badge(one.memory),
        "origin": str(one.origin),
        "why": one.why,
        "quotes": [
            {"event_id": q.event_id, "at": moment_to_json(q.at), "what": q.what, "text": q.text}
            for q in one.quotes
        ],
    }


# -- sessions and injections ------------------------------------------------------------------------------


def savings_to_json(savings: Savings) -> Json:
    """What being told in time saved."""
    return asdict(savings.here) | {
        "tokens": savings.tokens,
        "mean_search": savings.mean,
        "compared_with": savings.known.found,
    }


def stats_to_json(stats: Stats, savings: Savings) -> Json:
    """How much is remembered."""
    return asdict(stats) | {"saved": savings_to_json(savings)}


def injections_to_json(session_id: str, injected: Sequence[InjectedMemory], savings: Savings) -> Json:
    """What an agent was told unasked in a session."""
    return {
        "session": session_id,
        "tokens": sum(one.injection.tokens for one in injected),
        "told": [asdict(one.injection) | {"kind": one.kind, "text": one.text} for one in injected],
        "saved": savings_to_json(savings),
    }


# -- code -------------------------------------------------------------------------------------------------


def silence_to_json(report: SilenceReport) -> Json:
    """What would be told at a moment, and what would not and why."""
    return {
        "moment": report.moment,
        "place": report.place,
        "sentence": report.sentence,
        "told": list(report.told_ids),
        "silent": [
            {
                "memory_id": one.memory.id,
                "kind": one.memory.kind,
                "text": one.memory.text,
                "why": one.reason.why,
                "remedy": one.reason.remedy,
            }
            for one in report.silent
        ],
    }


def session_summaries_to_json(summaries: Iterable[SessionSummary]) -> Json:
    """Sessions with what came of each."""
    return {
        "sessions": [
            {
                **asdict(summary.session),
                "learned": summary.learned,
                "told": summary.told,
                "tokens_told": summary.tokens,
                "used": summary.used,
            }
            for summary in summaries
        ]
    }


def modules_to_json(module_map: ModuleMap) -> Json:
    """The parts of a project."""
    return {"modules": [_module_to_json(module) for module in module_map.modules]}


def impact_to_json(impact: Impact) -> Json:
    """What a change touches."""
    return {
        "target": asdict(impact.target),
        "depth": impact.depth,
        "score": round(impact.score, 4),
        "cut": impact.cut,
        "dependents": _files_to_json(impact.dependents),
        "tests": _files_to_json(impact.tests),
        "together": _cochange_to_json(impact.together),
        "invariants": _linked_to_json(impact.invariants),
        "invariant_nodes": [asdict(node) for node in impact.invariant_nodes],
        "e2e": _linked_to_json(impact.e2e),
        "memories": _linked_to_json(impact.memories),
    }


def subject_to_json(summary: SubjectSummary) -> Json:
    """All that is known about a subject."""
    return {
        "subject": str(summary.subject),
        "module": summary.module,
        "node": _node_to_json(summary.node),
        "memories": _linked_to_json(summary.memories),
        "definitions": [_node_to_json(node) for node in summary.definitions],
        "dependents": _files_to_json(summary.dependents),
        "dependencies": _files_to_json(summary.dependencies),
        "together": _cochange_to_json(summary.together),
        "added": [asdict(node) for node in summary.added],
    }


def _module_to_json(module: Module) -> Json:
    fields = asdict(module)
    return fields | {"coupling": round(module.coupling, 4), "coverage": round(module.coverage, 4)}


def _node_to_json(node: CodeNode | None) -> Json | None:
    return asdict(node) if node else None


def _files_to_json(files: Iterable[Dependent]) -> list[Json]:
    return [one._asdict() | {"weight": round(one.weight, 4), "share": round(one.share, 4)} for one in files]


def _cochange_to_json(company: Iterable[CoChange]) -> list[Json]:
    return [asdict(one) | {"share": round(one.share, 4)} for one in company]


def _linked_to_json(linked: Iterable[LinkedMemory]) -> list[Json]:
    return [
        {"memory": memory_to_json(one.memory), "about": str(one.about), "depth": one.depth} for one in linked
    ]


# -- operations and tasks ---------------------------------------------------------------------------------


def runs_to_json(runs: Iterable[OpsRun]) -> Json:
    """Scheduled runs."""
    return {"runs": [asdict(run) for run in runs]}


def ops_events_to_json(events: Iterable[OpsEvent]) -> Json:
    """What happened in operations."""
    return {"events": [asdict(event) for event in events]}


def cooldowns_to_json(allowances: Iterable[Allowance], actions: Iterable[OpsAction]) -> Json:
    """What each service has left, and the actions."""
    return {
        "left": [{**asdict(one), "window": one.window.total_seconds()} for one in allowances],
        "actions": [asdict(action) for action in actions],
    }


def services_to_json(services: Iterable[ServiceHealth]) -> Json:
    """How services are."""
    return {"services": [asdict(service) for service in services]}


def tasks_to_json(tasks: Iterable[VaultTask]) -> Json:
    """What is to be done."""
    return {"tasks": [asdict(task) for task in tasks]}


def lesson_to_json(view: LessonView) -> Json:
    """A lesson with the failures it was made of."""
    return {
        "memory": memory_to_json(view.memory),
        "when": view.when,
        "avoid": view.avoid,
        "instead": view.instead,
        "failures": view.failures,
        "held": view.held,
        "missed": view.missed,
        "escalated": view.is_escalated,
        "evidence": [
            {
                "id": failure.id,
                "session": failure.session_id,
                "at": failure.at.isoformat(),
                "source": str(failure.source),
                "what": failure.what,
                "where": failure.where,
                "step": failure.step,
                "acts": list(failure.acts),
                "events": list(failure.event_ids),
                "worked": {
                    "commands": list(failure.way_out.commands),
                    "files": list(failure.way_out.files),
                    "words": failure.way_out.words,
                },
            }
            for failure in view.evidence
        ],
    }


def recipe_to_json(view: RecipeView) -> Json:
    """A recipe with its steps and how often it led to a good end."""
    return {
        "memory": memory_to_json(view.memory),
        "name": view.name,
        "trigger": view.trigger,
        "steps": list(view.steps),
        "runs": view.runs,
        "successes": view.successes,
        "failures": view.failures,
        "success_rate": view.success_rate,
        "average_iterations": view.average_iterations,
        "skill_ready": view.is_skill_ready,
    }


def skill_to_json(view: SkillView) -> Json:
    """A skill: where it stands and where its file lies."""
    return {
        "name": view.name,
        "description": view.description,
        "state": str(view.state),
        "path": view.path,
        "recipe": view.recipe.id,
    }
