"""The parts of a loop: its settings, what it works with, what it asks a person, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.agent.journal import JournalLine
from recollect.agent.model_client import ModelClient
from recollect.agent.run_state import RunStore
from recollect.agent.stuck_detection import StuckRules
from recollect.agent.verify import Verifier
from recollect.api import Recollect
from recollect.api.vault import Vault
from recollect.conversation.summary_model import SummaryWriter
from recollect.conversation.workspace import Workspace
from recollect.model.agent_tool import AgentTool
from recollect.model.value import dataclass, field
from recollect.model.window_settings import WindowSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSettings:
    """How far a run may go. 0 tokens or cost means no limit."""

    max_iterations: int = 50
    max_seconds: int = 3_600
    max_total_tokens: int = 0
    max_cost: float = 0.0
    max_rejections: int = 3
    stuck: StuckRules = field(default_factory=StuckRules)
    window: WindowSettings = field(default_factory=WindowSettings)
    summary_writer: SummaryWriter | None = None
    # Journals of runs that are over for so long are removed when another run begins.
    keep_runs_days: int = 90
    # Which layout of memory is put before the model.
    layout: str = "loop"
    max_tokens: int = 8_192
    temperature: float = 0.5
    user_name: str = "the user"
    first_session: str = ""
    communication: str = ""
    skills: str = ""
    root: str = ""
    # What verifies the work, for the journal: a run is resumed with the same verification.
    verify_label: str = ""
    # Whether a model judges the work too.
    is_judged: bool = False
    # Whether what a run teaches is kept: outcome, lessons, recipes. Memory is read either way.
    learns: bool = True
    # The person's own prompt parts.
    own_parts: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A call that a person should agree to: what, and why it is asked."""

    run_id: str
    tool: str
    arguments: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What came of a run."""

    run_id: str
    # completed, failed, stuck, cancelled or escalated.
    status: str
    answer: str
    reason: str
    iterations: int
    rejections: int
    score: int | None
    input_tokens: int
    output_tokens: int
    cost: float
    notes: tuple[str, ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopParts:
    """All that a run works with."""

    client: ModelClient
    tools: tuple[AgentTool, ...]
    memory: Recollect | None
    run_store: RunStore
    verify: Verifier | None
    settings: LoopSettings
    approve: Callable[[ApprovalRequest], bool]
    progress: Callable[[JournalLine], None]
    is_cancelled: Callable[[], bool]
    workspace: Workspace | None
    vault: Vault | None
    clock: Callable[[], datetime]
