"""
Every way by which words become memories: where it is, the channel it comes by, and what becomes of words that
nobody proved.

The table is held twice: a test finds every module that offers something at the door and is not named here, and
every row is attacked with the same planted texts (`tests/attacks`).
"""

from __future__ import annotations

from recollect.model.provenance import Channel
from recollect.model.trust import Origin
from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WayIn:
    """
    One way in.

    `modules` are the files that offer memories or events by it, `origins` where the words of others that came by it may
    stand.
    """

    name: str
    modules: tuple[str, ...]
    channel: Channel
    says: str
    origins: tuple[Origin, ...] = (Origin.UNSAID, Origin.READ)


# What nobody proved is told when it is asked for, and marked.
_UNPROVED = (Origin.NOTE, Origin.UNSAID, Origin.READ)
_BROUGHT = (Origin.BROUGHT, Origin.UNSAID, Origin.READ)

WAYS_IN: tuple[WayIn, ...] = (
    WayIn(
        name="files, pages and outputs that an agent reads",
        modules=("observe/drain.py", "observe/direct_events.py", "observe/killed_sessions.py"),
        channel=Channel.OBSERVED,
        says="recorded by hooks, as events; nothing of them is a memory by itself",
    ),
    WayIn(
        name="an agent's note that repeats what it read",
        modules=("api/observer.py", "learn/promote.py"),
        channel=Channel.AGENT,
        says="word for word, reworded or in meaning: quarantined",
    ),
    WayIn(
        name="an agent's words in its messages, commits and summaries",
        modules=("learn/promote.py",),
        channel=Channel.AGENT,
        says="believed only if the session's work proved them and nothing that was read says them",
    ),
    WayIn(
        name="notes over MCP without hooks, and by the tools of frameworks",
        modules=("surfaces/tool_calls.py", "agent/memory_tools.py", "adapters/memory_items.py"),
        channel=Channel.AGENT,
        says="told only when asked for, marked unproved",
        origins=_UNPROVED,
    ),
    WayIn(
        name="errors, files, branches and commands that were observed",
        modules=(
            "learn/promote.py",
            "learn/outcome.py",
            "learn/consolidate.py",
            "learn/lessons/learn_lessons.py",
            "learn/knowledge/fold.py",
            "learn/knowledge/insights.py",
            "learn/counted.py",
        ),
        channel=Channel.OBSERVED,
        says="our own sentences; an error line may be quoted, prose may not",
    ),
    WayIn(
        name="results of E2E tools",
        modules=("learn/promote.py",),
        channel=Channel.QA,
        says="an error may be quoted; prose that the application showed may not",
    ),
    WayIn(
        name="QA reports",
        modules=("observe/qa.py",),
        channel=Channel.QA,
        says="severity and place are told, the report's words are quarantined",
    ),
    WayIn(
        name="stories and boards of a methodology",
        modules=("learn/outcome.py",),
        channel=Channel.OBSERVED,
        says="numbers and states are told, titles and tasks are not; criteria are quarantined",
    ),
    WayIn(
        name="a scan of the code",
        modules=("survey/outcomes.py",),
        channel=Channel.OBSERVED,
        says="what was counted is told, prose of the project is quarantined",
    ),
    WayIn(
        name="what a person types into a prompt",
        modules=("learn/promote.py", "learn/preferences.py", "hooks/typed_memory.py"),
        channel=Channel.USER,
        says="a directive is theirs; what they paste is not",
    ),
    WayIn(
        name="a person's memory",
        modules=(
            "api/writing.py",
            "api/recollect.py",
            "surfaces/cli/memory.py",
            "surfaces/cli/ops_memory.py",
            "surfaces/ui/screens/memories.py",
        ),
        channel=Channel.USER,
        says="theirs; from an agent's shell it is an agent's note",
        origins=_UNPROVED,
    ),
    WayIn(
        name="imports",
        modules=("transfer/jsonl.py", "vault/import_markdown.py"),
        channel=Channel.IMPORT,
        says="wait for a yes and are served to no agent before it",
        origins=_BROUGHT,
    ),
    WayIn(
        name="past sessions of agents",
        modules=("observe/import_sessions.py",),
        channel=Channel.OBSERVED,
        says="as if they had been recorded",
    ),
    WayIn(
        name="notes of the vault",
        modules=(
            "vault/incoming.py",
            "vault/line_sync.py",
            "vault/writing.py",
            "api/vault.py",
            "api/vault_parts.py",
            "vault/memory_folder.py",
        ),
        channel=Channel.VAULT_EXTERNAL,
        says="a person's edit is theirs; what a program wrote waits for a yes",
        origins=_BROUGHT,
    ),
    WayIn(
        name="runs of our own agent",
        modules=("agent/after_run.py", "agent/task_templates.py"),
        channel=Channel.OBSERVED,
        says="like any session",
        origins=_UNPROVED,
    ),
    WayIn(
        name="scheduled runs",
        modules=("ops/recorder.py", "ops/runner.py"),
        channel=Channel.AGENT,
        says="told in scheduled runs alone; what repeats an output is quarantined",
    ),
    WayIn(
        name="checks of the doctor, and the demo",
        modules=("doctor.py", "demo/sample_project.py"),
        channel=Channel.USER,
        says="in a store of its own, which is thrown away",
        origins=(),
    ),
)
