"""The commands `run`, `runs` and `resume`: our own agent, with live progress."""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from recollect import config
from recollect.agent import journal as j
from recollect.agent.file_tools import file_tools
from recollect.agent.http_clients import open_client
from recollect.agent.journal import JournalLine
from recollect.agent.loop import ApprovalRequest, Loop, RunResult
from recollect.agent.loop_parts import LoopSettings
from recollect.agent.memory_tools import memory_tools
from recollect.agent.model_client import ModelClient, ModelPrice
from recollect.agent.run_state import RunState, RunStore
from recollect.agent.scripted_client import read_script
from recollect.agent.shell_tool import shell_tool
from recollect.agent.skills import find_skills, list_skills, skill_tools
from recollect.agent.verify import Verifier, open_judge, verify_by_all, verify_by_command, verify_by_judge
from recollect.api import Recollect
from recollect.conversation.workspace import Workspace, workspace_tools
from recollect.errors import BadInput
from recollect.model.agent_tool import AgentTool
from recollect.model.json_form import moment_to_json
from recollect.model.value import asdict
from recollect.surfaces.agent_tools import shared_tools, vault_tools
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, open_memory, read_settings

_SCRIPTED = "scripted:"
_SHORT = 13
_MAX_SHOWN = 160
_TOKEN = re.compile(r"DONE-[0-9A-Z]{8}")


def _run_options(command: Any) -> Any:
    """The options that `run` and `resume` share."""
    for option in reversed(
        (
            click.option("--url", default="", help="The model's address, if not the usual one."),
            click.option("--key-env", default="", help="The environment variable that holds its key."),
            click.option(
                "--iterations", type=click.IntRange(1), default=50, show_default=True, help="At most so many."
            ),
            click.option(
                "--seconds", type=click.IntRange(1), default=3_600, show_default=True, help="At most so long."
            ),
            click.option(
                "--tokens", type=click.IntRange(0), default=0, help="At most so many tokens; 0 means any."
            ),
            click.option(
                "--cost",
                type=click.FloatRange(0),
                default=0.0,
                help="At most so much, by the prices in the settings; 0 means any.",
            ),
            click.option("--yes", is_flag=True, help="Allow dangerous calls, and run unknown ones again."),
            click.option("--no-memory", is_flag=True, help="Neither read nor write memory."),
            click.option(
                "--workspace",
                type=click.Path(file_okay=False, path_type=Path),
                help="A folder with SOUL.md, MEMORY.md and the like.",
            ),
            click.option(
                "--parts",
                type=click.Path(file_okay=False, path_type=Path),
                help="A folder with your own parts of the system prompt.",
            ),
        )
    ):
        command = option(command)
    return command


@click.command("run")
@click.argument("command")
@click.option(
    "--model",
    required=True,
    metavar="MODEL",
    help="anthropic:NAME, openai:NAME, ollama:NAME or scripted:FILE.",
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The folder to work in; by default the current one.",
)
@click.option("--verify", default="", metavar="COMMAND", help="The work is good when this ends with 0.")
@click.option(
    "--judge",
    is_flag=True,
    help="The model of the setting completer.kind gives 0 to 100; below 70 is not good.",
)
@_run_options
@common
def run_(command: str, model: str, root: Path, verify: str, judge: bool, **options: Any) -> None:
    """Let our own agent do what COMMAND asks for, with memory, verification and a journal.

    \b
    recollect run "make the tests pass" --model anthropic:claude-sonnet-4-5 --verify "pytest -q"
    recollect run "write docs/survey.md" --model ollama:qwen3 --root . --judge
    recollect run "try it without a key" --model scripted:turns.json
    """
    with ExitStack() as stack:
        loop = _open_loop(stack, model, root.absolute(), verify, judge, options)
        _print_result(loop.run(command))


@click.command("resume")
@click.argument("run_id", metavar="RUN")
@click.option("--say", "message", default="", help="Your answer to what the run asked, or a hint.")
@click.option("--model", default="", metavar="MODEL", help="Another model than before.")
@_run_options
@common
def resume_(run_id: str, message: str, model: str, **options: Any) -> None:
    """Go on with a run that was interrupted, failed or asked a question. RUN is its id, or `last`.

    \b
    recollect resume last
    recollect resume 01KR3QAYG0WBX --say "the database called main"
    """
    run_store = _run_store()
    state = run_store.state(run_store.find(run_id))
    root = Path(state.root or ".")
    if not root.is_dir():
        raise BadInput(f"The folder of this run is gone: {root}.")
    with ExitStack() as stack:
        loop = _open_loop(stack, model or state.model, root, state.verify, state.is_judged, options)
        _print_result(loop.resume(state.run_id, message=message))


@click.command("runs")
@click.argument("run_id", metavar="RUN", required=False)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many are shown.")
@click.option(
    "--prune", "keep_days", type=click.IntRange(0), metavar="DAYS", help="Remove runs over for so many days."
)
@common
def runs_(run_id: str | None, limit: int, keep_days: int | None) -> None:
    """List the runs of our own agent, or tell one of them step by step.

    \b
    recollect runs
    recollect runs last
    recollect runs --prune 30
    """
    run_store, now = _run_store(), datetime.now(UTC)
    if keep_days is not None:
        removed = run_store.prune(now=now, keep_days=keep_days)
        if output.is_json():
            output.print_json({"removed": removed})
        else:
            output.print_line(f"Removed: {output.count_phrase(removed, 'run')}.")
        return
    if run_id is not None:
        _print_lines(run_store, run_store.find(run_id))
        return
    states = run_store.states(now=now, limit=limit)
    if output.is_json():
        output.print_json({"runs": [_state_json(state) for state in states]})
        return
    if not states:
        output.print_line('No run yet. To begin one: recollect run "WHAT TO DO"')
        return
    rows = [
        (
            state.run_id[:_SHORT],
            state.status,
            str(state.iterations),
            f"{state.started_at:%Y-%m-%d %H:%M}",
            state.command[:60],
        )
        for state in states
    ]
    output.print_table(("run", "status", "iterations", "started", "command"), rows)


def _open_loop(
    stack: ExitStack, model: str, root: Path, verify: str, judge: bool, options: dict[str, Any]
) -> Loop:
    price = _price(options["cost"])
    client = _client(model, options["url"], options["key_env"], price)
    # What the model says through its tools is an agent's word, whoever started the run.
    memory = None if options["no_memory"] else stack.enter_context(open_memory(create=True, for_agent=True))
    workspace = _workspace(options["workspace"], memory)
    skills = find_skills(root, config.user_file().parent / "skills")
    settings = LoopSettings(
        max_iterations=options["iterations"],
        max_seconds=options["seconds"],
        max_total_tokens=options["tokens"],
        max_cost=options["cost"],
        user_name=read_settings().text("agent.user_name") or LoopSettings().user_name,
        window=read_settings().window(),
        root=str(root),
        verify_label=verify,
        is_judged=judge,
        own_parts=options["parts"],
        first_session=_first_session(memory),
        skills=list_skills(skills),
    )
    return Loop(
        client,
        [*_list_tools(root, memory, workspace), *skill_tools(skills)],
        memory,
        run_store=_run_store(),
        verify=_verifier(verify, root, judge=judge),
        settings=settings,
        approve=lambda request: _approve(request, options["yes"]),
        progress=_show_progress,
        workspace=workspace,
        vault=memory.vault if memory is not None and memory.vault.exists() else None,
    )


def _list_tools(root: Path, memory: Recollect | None, workspace: Workspace | None) -> list[AgentTool]:
    tools = [*file_tools(root), shell_tool(root, environment=config.tool_environment())]
    if memory is not None:
        own = memory_tools(memory)
        tools += [*own, *shared_tools(memory, besides=[tool.name for tool in own]), *vault_tools(memory)]
    if workspace is not None:
        tools += workspace_tools(workspace)
    return tools


def _verifier(verify: str, root: Path, *, judge: bool) -> Verifier | None:
    verifiers: list[Verifier] = []
    if verify:
        verifiers.append(verify_by_command(verify, root, environment=config.tool_environment()))
    if judge:
        verifiers.append(verify_by_judge(open_judge(read_settings())))
    return verify_by_all(*verifiers) if verifiers else None


def _client(model: str, url: str, key_env: str, price: ModelPrice) -> ModelClient:
    if model.startswith(_SCRIPTED):
        return read_script(Path(model.removeprefix(_SCRIPTED)), price)
    return open_client(model, url=url, key_env=key_env, price=price)


def _price(max_cost: float) -> ModelPrice:
    """What tokens cost by the settings; a limit of cost without prices would limit nothing."""
    settings = read_settings()
    per_token = float(settings.get("agent.input_price").value)
    window = settings.window()
    price = ModelPrice(
        input=per_token,
        output=float(settings.get("agent.output_price").value),
        cache_read=per_token * window.cache_read_price,
        cache_write=per_token * window.cache_write_price,
    )
    if max_cost and not price.is_known:
        raise BadInput(
            "--cost needs prices. Say what a million tokens cost: recollect config set agent.input_price 3,"
            " and agent.output_price 15."
        )
    return price


def _run_store() -> RunStore:
    return RunStore(Path(read_settings().db).absolute().parent / "runs")


def _first_session(memory: Recollect | None) -> str:
    sessions = memory.observer.sessions(limit=1_000) if memory is not None else ()
    return min(session.started_at for session in sessions).date().isoformat() if sessions else ""


def _workspace(folder: Path | None, memory: Recollect | None) -> Workspace | None:
    if folder is None:
        return None
    remember = memory.remember if memory is not None else None
    workspace = Workspace(folder, clock=lambda: datetime.now(UTC), remember=remember)
    workspace.take_in_facts()
    return workspace


def _approve(request: ApprovalRequest, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        output.print_note(f"Not allowed: {request.tool}, because {request.reason}. --yes allows it.")
        return False
    shown = str(dict(request.arguments))[:500]
    return click.confirm(f"{request.tool} {shown}\n  {request.reason}. Allow it?", err=True)


def _show_progress(line: JournalLine) -> None:
    """One line on the screen for what a person wants to see as it happens."""
    if output.is_json():
        return
    facts = line.facts
    match line.type:
        case j.CREATED:
            output.print_note(output.dim(f"Run {facts['run_id']} with {facts['model']}"))
        case j.REPLIED if facts.get("text"):
            output.print_note(_cut(_TOKEN.sub("", facts["text"])))
        case j.TOOL_BEGUN:
            output.print_note(output.dim(f"→ {facts['tool']} {_cut(facts['arguments'])}"))
        case j.TOOL_FINISHED if not facts["ok"]:
            output.print_note(output.dim(f"  failed: {_cut(facts['text'])}"))
        case j.REJECTED:
            output.print_note(f"Rejected ({facts['score']} of 100): {_cut(facts['reason'])}")
        case j.COMPACTED:
            output.print_note(output.dim(f"{facts['messages']} old messages were summarised."))
        case _:
            pass


def _print_result(result: RunResult) -> None:
    if output.is_json():
        output.print_json({"run": asdict(result)})
    else:
        if result.answer:
            output.print_line(result.answer)
        for text in result.notes:
            output.print_note(text)
        tokens = f"{result.input_tokens + result.output_tokens:,} tokens"
        reason = f" ({result.reason})" if result.reason else ""
        iterations = output.count_phrase(result.iterations, "iteration")
        output.print_note(f"{result.status}{reason}: {iterations}, {tokens}, run {result.run_id}")
    if result.status != "completed":
        sys.exit(1)


def _print_lines(run_store: RunStore, run_id: str) -> None:
    lines = list(j.read_journal(run_store.path(run_id) / j.JOURNAL))
    if output.is_json():
        rows = [
            {"n": line.number, "at": moment_to_json(line.at), "type": line.type, **line.facts}
            for line in lines
        ]
        output.print_json({"run": _state_json(run_store.state(run_id)), "lines": rows})
        return
    for line in lines:
        facts = line.facts
        words = next((facts[name] for name in ("label", "text", "reason", "command") if facts.get(name)), "")
        output.print_line(f"{line.at:%H:%M:%S}  {line.type:22}  {output.escape_controls(_cut(str(words)))}")


def _state_json(state: RunState) -> dict[str, Any]:
    return {
        "id": state.run_id,
        "command": state.command,
        "status": state.status,
        "reason": state.reason,
        "model": state.model,
        "iterations": state.iterations,
        "rejections": state.rejections,
        "score": state.score,
        "started_at": moment_to_json(state.started_at) if state.started_at else None,
        "last_at": moment_to_json(state.last_at) if state.last_at else None,
        "unknown_calls": list(state.unknown),
    }


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_SHOWN else line[: _MAX_SHOWN - 1] + "…"
