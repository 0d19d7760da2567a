"""The first page: how healthy the memory is, what happened lately, and what asks for a look."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.api import Recollect
from recollect.api.browse import DayOfMemory
from recollect.doctor import check_up
from recollect.errors import RecollectError
from recollect.hooks import log as hook_log
from recollect.model.health import FindingLevel
from recollect.model.session import Session
from recollect.model.value import asdict
from recollect.surfaces.install.trial import try_hook
from recollect.surfaces.json_answers import stats_to_json
from recollect.surfaces.ui.background import BackgroundJobs, Progress
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.open_memories import OpenMemories
from recollect.surfaces.ui.screen import Action, Outcome, Page, Screen

_DAYS = 30
_RECENT_SESSIONS = 6
_MAX_SESSIONS = 200
_MAX_MODULES = 8
HOOKS_JOB = "hooks"
CHECK_JOB = "check"
_CLIENT = "claude-code"
_HOOK_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd")
_HOOK_RUNS = 3


class HealthScreen:
    """The first page, and the two measurements that can be started there."""

    def __init__(self, memories: OpenMemories, jobs: BackgroundJobs) -> None:
        self._memories = memories
        self._jobs = jobs

    def pages(self) -> Sequence[Page]:
        """The first page."""
        return (
            Page(
                path="/",
                name="health",
                template="health.html",
                part="health_part.html",
                show=self.show,
                summary="How much is remembered, and how healthy it is",
                parameters=("projects",),
            ),
        )

    def actions(self) -> Sequence[Action]:
        """Measuring the hooks, and checking everything."""
        return (
            Action(method="POST", path="/health/hooks", act=self.measure_hooks, summary="Time the hooks"),
            Action(method="POST", path="/health/check", act=self.check, summary="Run the checks of doctor"),
        )

    def show(self, memory: Recollect, call: WebCall) -> Screen:
        """The memory at a glance."""
        everywhere = call.text("projects") == "all"
        figures = self._memories.remember_answer(
            memory, ("health", everywhere, call.standing), lambda: _read_figures(memory, everywhere)
        )
        values = {
            **figures,
            "everywhere": everywhere,
            "losses": memory.safety.losses(),
            "hooks": self._jobs.look(HOOKS_JOB),
            "check": self._jobs.look(CHECK_JOB),
            "hook_budget": memory.settings.number("hooks.most_ms"),
            "hook_events": [{"event": name} for name in _HOOK_EVENTS],
            "hook_failures": len(hook_log.failures(hook_log.log_of(memory.settings.db))),
            "part_address": "/?projects=all" if everywhere else "/",
        }

        def answer() -> Mapping[str, Any]:
            return {
                **stats_to_json(figures["stats"], figures["savings"]),
                "health": asdict(figures["health"]),
            }

        return Screen(values=values, answer=answer)

    def measure_hooks(self, memory: Recollect, call: WebCall) -> Outcome:
        """Run every hook a few times, in a home that is thrown away."""
        job = self._jobs.start(HOOKS_JOB, _time_hooks, for_agent=True)
        return Outcome(answer=job.to_json(), sentence=call.gettext("Timing the hooks …"))

    def check(self, memory: Recollect, call: WebCall) -> Outcome:
        """Check everything with a real round trip."""
        job = self._jobs.start(CHECK_JOB, _run_checks, for_agent=True)
        return Outcome(answer=job.to_json(), sentence=call.gettext("Checking everything …"))


def start_measuring(jobs: BackgroundJobs) -> None:
    """Time the hooks and check everything, so that the first page shows it without being asked."""
    jobs.start(HOOKS_JOB, _time_hooks, for_agent=True)
    jobs.start(CHECK_JOB, _run_checks, for_agent=True)


def _read_figures(memory: Recollect, everywhere: bool) -> dict[str, Any]:
    days = memory.browse.days(days=_DAYS, every_project=everywhere)
    method = memory.methods.active()
    modules, graph_trouble = _read_modules(memory)
    sessions = memory.observer.sessions(limit=_MAX_SESSIONS, every_project=everywhere)
    return {
        "stats": memory.admin.stats(every_project=everywhere),
        "savings": memory.injections.saved(every_project=everywhere),
        "health": memory.browse.health(every_project=everywhere),
        "days": days,
        "chart": {
            "at": [day.at.timestamp() for day in days],
            "memories": [day.memories for day in days],
            "lines": [day.lines for day in days],
            "tokens": [day.tokens for day in days],
            "used": [day.used for day in days],
        },
        "tokens_spent": sum(day.tokens for day in days),
        "sessions": sessions[:_RECENT_SESSIONS],
        "session_metrics": _measure_sessions(sessions, days),
        "method": {"id": method.method.id, "name": method.method.name, "why": method.why},
        "conflicts": memory.upkeep.conflicts()[:5],
        "modules": modules,
        "graph_trouble": graph_trouble,
        "database": memory.settings.db,
        "embedding": memory.admin.embedding(),
        "unembedded": memory.admin.unembedded(),
    }


def _measure_sessions(sessions: Sequence[Session], days: Sequence[DayOfMemory]) -> dict[str, Any]:
    """How many sessions there were, how many of those with a verdict passed, and what each was told, in tokens."""
    recent = [session for session in sessions if days and session.last_at >= days[0].at]
    judged = [session for session in recent if session.outcome in ("passed", "failed")]
    passed = sum(session.outcome == "passed" for session in judged)
    tokens = sum(day.tokens for day in days)
    return {
        "count": len(recent),
        "passed": passed / len(judged) if judged else None,
        "tokens": tokens / len(recent) if recent else 0,
    }


def _read_modules(memory: Recollect) -> tuple[list[Any], str]:
    """The parts that are least known, of those that are large; or why there are none."""
    try:
        modules = [module for module in memory.code.modules().modules if not module.is_test and module.files]
    except RecollectError as error:
        return [], error.fix or str(error)
    largest = sorted(modules, key=lambda module: -len(module.files))[:_MAX_MODULES]
    return sorted(largest, key=lambda module: -module.coverage), ""


def _time_hooks(memory: Recollect, step: Progress) -> list[dict[str, Any]]:
    results = []
    for number, event in enumerate(_HOOK_EVENTS):
        words = [sys.executable, "-m", "recollect.hooks", _CLIENT, event]
        trials = []
        for _ in range(_HOOK_RUNS):
            step(number, len(_HOOK_EVENTS))
            trials.append(try_hook(words, event))
        times = sorted(trial.milliseconds for trial in trials)
        trouble = next((trial.trouble for trial in trials if trial.trouble), "")
        results.append(
            {"event": event, "median": times[len(times) // 2], "most": times[-1], "trouble": trouble}
        )
        step(number + 1, len(_HOOK_EVENTS))
    return results


def _run_checks(memory: Recollect, step: Progress) -> list[dict[str, str]]:
    order = {FindingLevel.FAIL: 0, FindingLevel.WARN: 1, FindingLevel.PASS: 2}
    findings = sorted(check_up(memory.settings), key=lambda finding: order[finding.verdict])
    return [{**asdict(finding), "verdict": str(finding.verdict)} for finding in findings]
