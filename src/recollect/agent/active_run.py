"""
One run while it goes on: ask the model, run its tools, verify, finish; every step in the journal before the next.

What is known of a run is what the journal's lines say, applied one by one, so a run that is resumed stands where it
stood. Calls that nobody saw end are unknown, and run again only after a yes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from recollect.agent import journal as j
from recollect.agent.after_run import record_run
from recollect.agent.journal import JournalLine, RunJournal
from recollect.agent.loop_parts import ApprovalRequest, LoopParts, RunResult
from recollect.agent.model_client import ModelReply, ModelRequest
from recollect.agent.prompt_parts import assemble_prompt, read_parts
from recollect.agent.run_events import observe_lines
from recollect.agent.run_state import RunState, apply_line
from recollect.agent.stuck_detection import StepTrace, find_stuck
from recollect.agent.task_templates import find_templates, update_templates
from recollect.agent.verify import RunClaim, RunVerdict
from recollect.api import Recollect
from recollect.conversation import OverflowStore, Window
from recollect.conversation.anchor import FEEDBACK_MARK
from recollect.conversation.message_shape import ToolCallPart
from recollect.conversation.overflow import output_tool
from recollect.conversation.report import WindowCompaction
from recollect.conversation.summary import SummaryParts
from recollect.errors import RecollectError
from recollect.model.agent_tool import AgentTool, ToolOutput, anthropic_tools
from recollect.model.ids import SHORT_LENGTH
from recollect.model.tokens import estimate_tokens
from recollect.model.value import asdict

NOT_RUN_AGAIN = (
    "[Unknown: the process ended while this call ran. Nobody knows how far it got, and it was not run again."
    " Look at what is there before you go on.]"
)
NOT_STORED = (
    "[Not run: its arguments held a secret, which is not stored, and the process ended before the call was made."
    " Make the call again.]"
)
_ESCALATION = re.compile(r"^ESCALATE:(.*)", re.MULTILINE | re.DOTALL)
_MAX_LABEL = 200
# So many of the newest runs are looked through for others of the same sort.
_LOOKED_BACK = 60


class ActiveRun:
    """One run while it goes on."""

    def __init__(
        self, loop: LoopParts, journal: RunJournal, state: RunState, lines: Sequence[JournalLine]
    ) -> None:
        """A run with what is known of it; `lines` are those of its journal, if it is resumed."""
        self.state = state
        self._loop = loop
        self._journal = journal
        self._settings = loop.settings
        self._rejections = [str(line.facts["reason"]) for line in lines if line.type == j.REJECTED]
        self._rejected_before = state.rejections
        self._problems: list[str] = []
        self._deadline = loop.clock() + timedelta(seconds=self._settings.max_seconds)
        store = OverflowStore(journal.path.parent / "overflow")
        self._window = Window(
            self._settings.window,
            shape=loop.client.shape,
            overflow=store,
            writer=self._settings.summary_writer,
            on_compaction=self._compacted,
            clock=loop.clock,
        )
        self._tools = {tool.name: tool for tool in (*loop.tools, output_tool(store))}
        self._system = ""
        self._overhead = 0
        if loop.memory is not None and lines:
            # What a crash kept from the observer; what it has heard changes nothing.
            observe_lines(loop.memory, state.run_id, lines)

    def note(self, type: str, **facts: Any) -> JournalLine:
        """A line in the journal, in what is known of the run, in the observer and on the screen."""
        line = self._journal.append(type, **facts)
        apply_line(self.state, line)
        if self._loop.memory is not None:
            try:
                observe_lines(self._loop.memory, self.state.run_id, [line])
            except RecollectError as error:
                self._problems.append(f"The observer did not hear line {line.number}: {error}")
        self._loop.progress(line)
        return line

    def go(self, message: str = "") -> RunResult:
        """On to the end, whichever it is."""
        self._system = self._system_prompt()
        tools = json.dumps(anthropic_tools(self._tools.values()))
        self._overhead = estimate_tokens(self._system) + estimate_tokens(tools)
        try:
            self._finish_calls()
            if message.strip():
                self.note(j.ADDED, text=message)
            while self.state.status == "running":
                self._step()
        except KeyboardInterrupt:
            self.note(j.CANCELLED, reason="interrupted by the person")
        except RecollectError as error:
            self.note(j.FAILED, reason=str(error))
        return self._result()

    # -- one step ------------------------------------------------------------------------------------------

    def _step(self) -> None:
        state = self.state
        if state.is_verified:
            self.note(j.COMPLETED, answer=self._answer())
            return
        if state.is_claimed and not state.calls:
            self._check_claim()
            return
        if reason := self._over_limit():
            self.note(j.FAILED, reason=reason)
            return
        if self._loop.is_cancelled():
            self.note(j.CANCELLED, reason="cancelled")
            return
        reply = self._ask()
        question = _ESCALATION.search(reply.text)
        if question and not reply.calls:
            self.note(j.ESCALATED, reason=question[1].strip()[:2_000])
            return
        self._finish_calls()
        if reason := find_stuck(self._trace(), self._settings.stuck):
            self.note(j.STUCK, reason=reason)

    def _ask(self) -> ModelReply:
        view = self._window.prepare(self.state.messages, overhead_tokens=self._overhead)
        report = view.report
        self.note(
            j.ITERATION,
            iteration=self.state.iterations + 1,
            tokens=report.tokens_after,
            edits=len(report.edits),
            compactions=len(report.compactions),
            cache_break=report.cache_break.tokens_again if report.cache_break else 0,
        )
        request = ModelRequest(
            system=self._system,
            messages=view.messages,
            tools=tuple(self._tools.values()),
            iteration=self.state.iterations + 1,
            stable=view.stable,
            max_tokens=self._settings.max_tokens,
            temperature=self._settings.temperature,
        )
        reply = self._loop.client.send(request)
        self._window.note_usage(reply.usage.input_tokens)
        cost = self._loop.client.cost(reply.usage)
        self.note(j.REPLIED, message=reply.message, text=reply.text, usage=asdict(reply.usage), cost=cost)
        return reply

    def _finish_calls(self) -> None:
        """Run the calls of the model's last message that have no result yet."""
        for call in self.state.calls:
            if call.call_id in self.state.results:
                continue
            if call.call_id in self.state.begun:
                self._settle_unknown(call)
            elif self.state.is_redacted:
                self._finished(call, ToolOutput(text=NOT_STORED, ok=False), None)
            else:
                self._call(call)

    # -- tools ---------------------------------------------------------------------------------------------

    def _call(self, call: ToolCallPart) -> None:
        arguments_sent = _arguments(call)
        tool = self._tools.get(call.name)
        if tool is None or arguments_sent is None:
            known = ", ".join(self._tools)
            problem = (
                "The arguments are not an object."
                if tool
                else f"There is no tool {call.name!r}; there is {known}."
            )
            self._finished(call, ToolOutput(text=problem, ok=False), None)
            return
        danger = tool.danger_of(arguments_sent)
        if danger and not self._is_approved(call, arguments_sent, danger):
            refusal = f"A person did not allow this call: {danger}."
            self._finished(call, ToolOutput(text=refusal, ok=False, data={"denied": True}), None)
            return
        self.note(j.TOOL_BEGUN, call_id=call.call_id, tool=call.name, arguments=call.arguments)
        started = self._loop.clock()
        output = _run_tool(tool, arguments_sent)
        self._finished(call, output, self._loop.clock() - started)

    def _settle_unknown(self, call: ToolCallPart) -> None:
        """A call that was begun before a crash: again only after a yes."""
        arguments_sent = _arguments(call) or {}
        reason = "it was begun before the process ended, and may have been done already"
        tool = self._tools.get(call.name)
        if (
            tool is not None
            and not self.state.is_redacted
            and self._is_approved(call, arguments_sent, reason)
        ):
            self.note(
                j.TOOL_BEGUN, call_id=call.call_id, tool=call.name, arguments=call.arguments, again=True
            )
            self._finished(call, _run_tool(tool, arguments_sent), None)
        else:
            self._finished(call, ToolOutput(text=NOT_RUN_AGAIN, ok=False), None, unknown=True)

    def _is_approved(self, call: ToolCallPart, arguments_sent: Mapping[str, Any], reason: str) -> bool:
        self.note(j.APPROVAL_ASKED, call_id=call.call_id, tool=call.name, reason=reason)
        request = ApprovalRequest(
            run_id=self.state.run_id, tool=call.name, arguments=arguments_sent, reason=reason
        )
        granted = self._loop.approve(request)
        self.note(j.APPROVAL_GIVEN, call_id=call.call_id, granted=granted)
        return granted

    def _finished(
        self, call: ToolCallPart, output: ToolOutput, took: timedelta | None, *, unknown: bool = False
    ) -> None:
        facts: dict[str, Any] = {"unknown": True} if unknown else {}
        if took is not None:
            facts["duration_ms"] = round(took / timedelta(milliseconds=1))
        self.note(
            j.TOOL_FINISHED,
            call_id=call.call_id,
            tool=call.name,
            arguments=call.arguments,
            label=f"{call.name} {call.arguments}"[:_MAX_LABEL],
            ok=output.ok,
            text=output.text,
            exit_code=output.exit_code,
            data=dict(output.data),
            **facts,
        )

    # -- verification --------------------------------------------------------------------------------------

    def _check_claim(self) -> None:
        state = self.state
        answer = self._answer()
        if self._loop.verify is None:
            self.note(j.COMPLETED, reason="not verified", answer=answer)
            return
        claim = RunClaim(command=state.command, answer=answer, actions=tuple(a[0] for a in state.actions))
        verdict = self._loop.verify(claim)
        if verdict.passed:
            self.note(j.VERIFIED, score=verdict.score, reason=verdict.reason)
            return
        self._reject(verdict)

    def _reject(self, verdict: RunVerdict) -> None:
        feedback = (
            f"{FEEDBACK_MARK} Your work was checked and is not accepted yet (score {verdict.score} of 100).\n"
            f"{verdict.reason}\nMend it, check it yourself, then say again that it is done."
        )
        self._rejections.append(verdict.reason)
        self.note(j.REJECTED, score=verdict.score, reason=verdict.reason, feedback=feedback)
        self._note_rejection(verdict)
        if self.state.rejections >= self._settings.max_rejections:
            self.note(
                j.FAILED, reason=f"rejected {self.state.rejections} times, last: {verdict.reason[:500]}"
            )

    def _note_rejection(self, verdict: RunVerdict) -> None:
        vault = self._loop.vault
        if vault is None:
            return
        try:
            vault.journal.record_verification_rejection(self.state.command, verdict.score, verdict.reason)
        except (RecollectError, OSError) as error:
            self._problems.append(f"The rejection could not be written to the vault: {error}")

    # -- limits, the end -------------------------------------------------------------------------------------

    def _over_limit(self) -> str:
        state, settings = self.state, self._settings
        tokens = state.usage.input_tokens + state.usage.output_tokens
        if state.rejections - self._rejected_before >= settings.max_rejections:
            return f"rejected {state.rejections} times, last: {self._rejections[-1][:500]}"
        if state.iterations >= settings.max_iterations:
            return f"the limit of {settings.max_iterations} iterations is reached"
        if self._loop.clock() > self._deadline:
            return f"the limit of {settings.max_seconds:,} seconds is reached"
        if settings.max_total_tokens and tokens >= settings.max_total_tokens:
            return f"the limit of {settings.max_total_tokens:,} tokens is reached"
        if settings.max_cost and state.cost >= settings.max_cost:
            return f"the limit of {settings.max_cost:g} in cost is reached"
        return ""

    def _answer(self) -> str:
        """What the model said last, without the token."""
        state = self.state
        return (
            state.answer.replace(state.completion_mark, "").strip() if state.completion_mark else state.answer
        )

    def _trace(self) -> list[StepTrace]:
        return [
            StepTrace(call=call, result=text[:4_000], ok=ok) for call, text, ok in self.state.actions[-12:]
        ]

    def _result(self) -> RunResult:
        state, loop = self.state, self._loop
        memory = loop.memory if self._settings.learns else None
        self._problems += record_run(
            memory, state, self._rejections, workspace=loop.workspace, vault=loop.vault
        )
        if memory is not None:
            self._problems += self._keep_templates(memory)
            try:
                memory.observer.learn(state.run_id)
            except RecollectError as error:
                self._problems.append(f"Nothing could be learned from the run: {error}")
        return RunResult(
            run_id=state.run_id,
            status=state.status,
            answer=self._answer(),
            reason=state.reason,
            iterations=state.iterations,
            rejections=state.rejections,
            score=state.score,
            input_tokens=state.usage.input_tokens,
            output_tokens=state.usage.output_tokens,
            cost=state.cost,
            notes=tuple(self._problems),
        )

    def _keep_templates(self, memory: Recollect) -> list[str]:
        """Count the template that was before this run, and make one of it and others like it."""
        earlier = self._loop.run_store.states(now=self._loop.clock(), limit=_LOOKED_BACK)
        templates = find_templates(memory, self.state.command)
        shown = [
            template for template in templates if template.id[:SHORT_LENGTH] in self.state.memory_context
        ]
        problem = update_templates(memory, self.state, earlier, shown)
        return [problem] if problem else []

    # -- prompt, window ------------------------------------------------------------------------------------

    def _system_prompt(self) -> str:
        loop, state, settings = self._loop, self.state, self._settings
        workspace = loop.workspace.load().text if loop.workspace is not None else ""
        started = state.started_at or loop.clock()
        words = {
            "user_name": settings.user_name,
            "first_session": settings.first_session or started.date().isoformat(),
            "now": f"{started:%A, %Y-%m-%d %H:%M} UTC",
            "root": state.root or "the current folder",
            "memory_context": state.memory_context or "(Nothing is remembered that bears on this.)",
            "tasks": self._list_tasks(),
            "communication": settings.communication,
            "skills": settings.skills,
            "workspace": workspace,
            "completion_token": state.completion_mark,
        }
        return assemble_prompt(read_parts(settings.own_parts), words)

    def _list_tasks(self) -> str:
        vault = self._loop.vault
        return "\n".join(task.written.strip() for task in vault.tasks.list()) if vault is not None else ""

    def _compacted(self, done: WindowCompaction, parts: SummaryParts) -> None:
        """The day's log gets an entry, and what the summary found goes to the scratchpad."""
        self.note(j.COMPACTED, text=done.text, handle=done.handle, messages=done.messages)
        if self._loop.workspace is not None:
            self._loop.workspace.daily_log(
                f"{done.messages} messages of a run were summarised ({done.handle})"
            )
        memory = self._loop.memory
        if memory is None:
            return
        for text in parts.decisions[-3:]:
            try:
                memory.observer.note(text, session=self.state.run_id, kind="decision")
            except RecollectError as error:
                self._problems.append(f"A decision could not be noted: {error}")


def _run_tool(tool: AgentTool, arguments_sent: Mapping[str, Any]) -> ToolOutput:
    """Call a tool; whatever goes wrong in it is an answer to the model, not the end of the run."""
    try:
        return tool.call(arguments_sent)
    except RecollectError as error:
        return ToolOutput(text=str(error), ok=False)
    except Exception as error:  # noqa: BLE001 - a tool may be anybody's code
        return ToolOutput(text=f"{type(error).__name__}: {error}", ok=False)


def _arguments(call: ToolCallPart) -> dict[str, Any] | None:
    try:
        arguments_sent = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return None
    return arguments_sent if isinstance(arguments_sent, dict) else None
