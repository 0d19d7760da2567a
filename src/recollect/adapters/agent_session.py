"""
A session of somebody else's agent, as memory sees it: what was asked, what was done, and what is worth telling.

The adapters for frameworks with hooks of their own share it. What happens reaches the observer in the one language of
events; what is told is told once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.agent.memory_tools import memory_tools
from recollect.api import Recollect
from recollect.events.tool_actions import SILENT, describe_call
from recollect.model.agent_tool import AgentTool
from recollect.model.event import EventType

# The layout for agents that are told at the beginning of a task and then left to work.
LAYOUT = "loop"


class AgentSession:
    """One session: it is begun at the first prompt and ended by whoever knows that it is over."""

    def __init__(self, memory: Recollect, session_id: str, *, client: str, budget: int | None = None) -> None:
        """Nothing is recorded yet."""
        self.memory = memory
        self.id = session_id
        self._client = client
        self._budget = budget
        self._is_begun = False
        self._prompt = ""
        self._context = ""
        self._told_ids: set[str] = set()

    def context_for(self, prompt: str) -> str:
        """Record a prompt, and say what memory has to say to it, or nothing. Asked again, it says the same."""
        if prompt.strip() and prompt != self._prompt:
            self.note_prompt(prompt)
        return self.recall_for(prompt)

    def recall_for(self, prompt: str) -> str:
        """The same where somebody else records the prompt."""
        if not prompt.strip() or prompt == self._prompt:
            return self._context
        self._prompt = prompt
        context = self.memory.context(
            prompt, layout=LAYOUT, budget=self._budget, known_ids=self._told_ids, files=False
        )
        shown = [line.memory_id for slot in context.slots for line in slot.said if not line.is_file]
        self._told_ids.update(shown)
        if shown:
            self.memory.reviews.note_applied(self.id, [self.memory.show(memory_id) for memory_id in shown])
        # It stands before the model anew at every call, so what was told stays told; only what is new joins it.
        self._context = "\n\n".join(filter(None, (self._context, context.text)))
        return self._context

    def note_prompt(self, prompt: str) -> None:
        """A person asked for something."""
        self._begin()
        self._record(EventType.PROMPT, text=prompt)

    def note_text(self, text: str) -> None:
        """The agent said something."""
        if text.strip():
            self._begin()
            self._record(EventType.ASSISTANT_TEXT, text=text)

    def note_tool(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        output: str,
        *,
        call_id: str = "",
        ok: bool | None = None,
    ) -> None:
        """A tool was called and gave something back; `ok` is left out where nobody knows."""
        self._begin()
        parts = {name: value for name, value in describe_call(tool, dict(arguments)).items() if value}
        if parts.get("action") in SILENT and ok:
            output = ""
        if ok is not None:
            parts["ok"] = ok
        self._record(EventType.TOOL_FINISHED, call_id=call_id, output=output, **parts)

    def end(self) -> None:
        """The session is over: what it taught is learned."""
        if self._is_begun:
            self.memory.observer.end_session(self.id, client=self._client)
            self._is_begun = False

    def tools(self) -> tuple[AgentTool, ...]:
        """`remember` and `recall`: what the agent says is noted as its own word."""
        return memory_tools(self.memory, session=self.id)

    def _begin(self) -> None:
        if not self._is_begun:
            self._is_begun = True
            self.memory.observer.start_session(self.id, client=self._client, data={"source": self._client})

    def _record(self, kind: EventType, **parts: Any) -> None:
        self.memory.observer.record(kind, session=self.id, client=self._client, **parts)
