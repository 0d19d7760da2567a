"""Planted texts through every way in: each function plants some of them and leaves the rest to the memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from recollect import Recollect
from recollect.adapters.memory_items import put_memory
from recollect.agent.loop import Loop
from recollect.agent.memory_tools import memory_tools
from recollect.agent.run_state import RunStore
from recollect.agent.scripted_client import ScriptedClient
from recollect.agent.verify import RunVerdict, verify_by_function
from recollect.capture import intake
from recollect.model.agent_tool import AgentTool, ToolOutput
from recollect.model.arguments import arguments
from recollect.model.arguments import text as text_argument
from recollect.model.event import EventType, ToolAction
from recollect.model.memory import MemoryDraft
from recollect.model.operations import OpsRun
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.value import replace
from recollect.ops.jobs import default_file
from recollect.ops.recorder import RunRecorder
from recollect.surfaces.tool_calls import Caller
from recollect.surfaces.tools import call_tool
from tests.conftest import Clock
from tests.git.repos import commit
from tests.learn.talk import act, agent, live, person, summary
from tests.observe.acts import edit, green, run

Plant = Callable[["Attack"], None]


class Attack:
    """A memory under attack: its folder, its clock, the texts, and how they are put when they are noted."""

    def __init__(self, memory: Recollect, clock: Clock, texts: Sequence[str], notes: Sequence[str]) -> None:
        self.memory = memory
        self.clock = clock
        self.texts = texts
        self.notes = notes
        self._calls = 0

    @property
    def folder(self) -> Path:
        folder = self.memory._wiring.folder
        assert folder is not None
        return Path(folder)

    def read(self, output: str, session: str = "s1", **parts: object) -> None:
        """The agent gets to see a text."""
        self._calls += 1
        details = {"tool": "WebFetch", "action": ToolAction.FETCH} | parts
        self.memory.observer.record(
            EventType.TOOL_FINISHED,
            session=session,
            call_id=f"{session}-call-{self._calls:06d}",
            ok=True,
            output=output,
            **details,
        )
        self.clock.at += timedelta(seconds=1)

    def read_all(self, session: str = "s1", **parts: object) -> None:
        """The agent reads every text, ten a page."""
        for start in range(0, len(self.texts), 10):
            page = "\n\n".join(
                f"Text around it. {text}. And more." for text in self.texts[start : start + 10]
            )
            self.read(page, session, **parts)

    def note_all(self, session: str = "s1") -> None:
        """Every note as the observer offers what a session's work has proved: no cap keeps any of them out."""
        door = replace(self.memory._wiring.begin_writing(), channel=Channel.OBSERVED)
        provenance = Provenance(
            channel=Channel.AGENT, source=Source.OBSERVER_INFERRED, session_id=session, event_ids=("proof",)
        )
        project = self.memory._wiring.ensure_project_id()
        drafts = [
            MemoryDraft(text=text, kind="gotcha", project_id=project, provenance=provenance)
            for text in self.notes
        ]
        intake.remember(door, drafts, actor="observer")

    def begin(self, session: str) -> None:
        self.memory.observer.record(EventType.SESSION_STARTED, session=session, data={"branch": "topic"})

    def work(self, session: str, *lines: tuple[EventType, dict[str, object]]) -> None:
        """A whole session whose work passed."""
        live(self.memory, self.clock, session, *lines, act(edit("src/rates.py")), act(green()))
        self.memory.observer.learn_due()


def page(attack: Attack) -> None:
    attack.begin("s1")
    attack.read_all()
    attack.note_all()


def document(attack: Attack) -> None:
    attack.begin("s1")
    attack.read_all(tool="Read", action=ToolAction.READ, files=("docs/notes.md",))
    attack.note_all()


def shell(attack: Attack) -> None:
    attack.begin("s1")
    attack.read_all(tool="Bash", action=ToolAction.RUN, command="cd docs && cat notes.md | head -50")
    attack.note_all()


def after_much_reading(attack: Attack) -> None:
    attack.begin("s1")
    attack.read_all()
    for number in range(450):
        attack.read(
            f"Listing {number}: part_{number}.py part_{number + 1}.py", tool="Bash", action=ToolAction.RUN
        )
    attack.note_all()


def in_a_later_session(attack: Attack) -> None:
    attack.begin("s1")
    attack.read_all()
    for name in ("s2", "s3", "s4"):
        attack.begin(name)
    attack.note_all("s4")


def after_a_compaction(attack: Attack) -> None:
    attack.begin("s1")
    attack.read_all()
    attack.memory.observer.record(EventType.COMPACTED, session="s1", text="4. Errors and fixes:\n - none\n")
    attack.note_all()


def excluded(attack: Attack) -> None:
    """A repository keeps its own file out of the record; that something was read is known all the same."""
    attack.begin("s1")
    attack.read("", tool="Read", action=ToolAction.READ, data={"excluded": True})
    attack.note_all()


def dead_end(attack: Attack) -> None:
    for start in range(0, len(attack.texts), 5):
        session = f"s{start}"
        attack.begin(session)
        attack.read("\n\n".join(attack.texts[start : start + 5]), session)
        for text in attack.notes[start : start + 5]:
            attack.memory.observer.dead_end("the direct way", session=session, why="it failed", instead=text)
        attack.work(session)


def messages(attack: Attack) -> None:
    for start in range(0, len(attack.texts), 4):
        texts, notes = attack.texts[start : start + 4], attack.notes[start : start + 4]
        fetched = act({"tool": "WebFetch", "action": ToolAction.FETCH, "output": "\n\n".join(texts)})
        said = (agent(f"The cause was `load_rates()`: {note}") for note in notes)
        attack.work(f"s{start}", person("read the page"), fetched, *said)


def summaries(attack: Attack) -> None:
    for start in range(0, len(attack.texts), 4):
        texts, notes = attack.texts[start : start + 4], attack.notes[start : start + 4]
        fetched = act({"tool": "WebFetch", "action": ToolAction.FETCH, "output": "\n\n".join(texts)})
        points = "\n".join(f"   - `load_rates()`: {note}" for note in notes)
        attack.work(f"s{start}", person("go on"), fetched, summary(f"4. Errors and fixes:\n{points}\n"))


def commits(attack: Attack) -> None:
    for start in range(0, len(attack.texts), 4):
        texts, notes = attack.texts[start : start + 4], attack.notes[start : start + 4]
        log = act(run("git log -5", "\n\n".join(f"commit 1a2b\nAuthor: A\n\n    {text}" for text in texts)))
        made = (act(run(f"git commit -m 'Rates' -m '{note}'", "[topic 1a2b3c4] Rates")) for note in notes)
        attack.work(f"s{start}", person("go on"), log, *made)


def mcp(attack: Attack) -> None:
    caller = Caller(memory=attack.memory)
    for note in attack.notes:
        call_tool("remember", {"text": note, "kind": "gotcha"}, lambda: caller)


def error_lines(attack: Attack) -> None:
    for number, text in enumerate(attack.texts):
        failing = {"ok": False, "exit_code": 1, "output": f"E   AssertionError: {text}\n1 failed"}
        red = act({**run("pytest -q"), **failing})
        explained = agent("`load_rates()` fails because `open_store()` must run first.")
        attack.work(f"s{number}", person("mend it"), act(edit("src/rates.py")), red, explained)


def file_names(attack: Attack) -> None:
    for number, text in enumerate(attack.texts):
        name = f"docs/{text.replace('/', ' ')[:180]}.md"
        for turn in range(3):
            attack.work(f"s{number}-{turn}", person("go on"), act({**edit(name)}), act(edit("src/tax.py")))


def branches(attack: Attack) -> None:
    for number, text in enumerate(attack.texts):
        session = f"s{number}"
        attack.memory.observer.record(
            EventType.SESSION_STARTED, session=session, data={"branch": text.replace(" ", "-")[:180]}
        )
        for part in range(6):
            attack.clock.at += timedelta(seconds=5)
            _edit(attack, session, part)
        attack.memory.observer.end_session(session)


def _edit(attack: Attack, session: str, part: int) -> None:
    attack.memory.observer.record(
        EventType.TOOL_FINISHED,
        session=session,
        call_id=f"{session}-{part}-of-the-calls",
        tool="Edit",
        action=ToolAction.EDIT,
        files=(f"src/p{part}.py",),
        ok=True,
    )


def e2e(attack: Attack) -> None:
    for number, text in enumerate(attack.texts):
        shown = {
            "tool": "mcp__playwright__browser_click",
            "action": "other",
            "ok": False,
            "output": f"Error: {text}",
        }
        attack.work(f"s{number}", person("try it"), act(shown))


def qa_reports(attack: Attack) -> None:
    attack.begin("s1")
    issues = [
        {"severity": "critical", "description": text, "file": "src/a.py", "recommendation": text}
        for text in attack.texts
    ]
    attack.memory.observer.report({"verdict": "fail", "issues": issues}, session="s1")


def pastes(attack: Attack) -> None:
    for start in range(0, len(attack.texts), 5):
        pasted = "\n\n".join(
            f"Chapter {n}\n{text}." for n, text in enumerate(attack.texts[start : start + 5])
        )
        attack.work(f"s{start}", person(f"What do you make of this page?\n\n{pasted}"))


def imports(attack: Attack) -> None:
    with Recollect(attack.folder / "other.db", folder=attack.folder) as other:
        for text in attack.texts:
            other.remember(text, kind="fact")
        lines = list(other.admin.export())
    attack.memory.admin.import_memories(lambda: iter(json.dumps(line) for line in lines))


def edit_results(attack: Attack) -> None:
    """What a tool shows of a file around an edit."""
    attack.begin("s1")
    attack.read_all(tool="Edit", action=ToolAction.EDIT, files=("docs/notes.md",))
    attack.note_all()


def subagents(attack: Attack) -> None:
    attack.begin("s1")
    attack.read_all(tool="Task", action=ToolAction.DELEGATE)
    attack.note_all()


def searches(attack: Attack) -> None:
    attack.begin("s1")
    lines = [f"docs/notes.md:{number}: {text}" for number, text in enumerate(attack.texts, start=1)]
    attack.read("\n".join(lines), tool="Grep", action=ToolAction.SEARCH)
    attack.note_all()


def other_tools(attack: Attack) -> None:
    attack.begin("s1")
    attack.read_all(tool="mcp__tracker__get_ticket", action=ToolAction.OTHER)
    attack.note_all()


def agent_shell(attack: Attack) -> None:
    """`recollect remember` in the shell of an agent."""
    for note in attack.notes:
        attack.memory.remember(note, kind="decision")


def framework_store(attack: Attack) -> None:
    for note in attack.notes:
        put_memory(attack.memory, {"text": note, "kind": "decision"})


def memory_tool(attack: Attack) -> None:
    """Files that an agent writes by the memory tool into the vault."""
    with _vault(attack) as owner:
        for number, note in enumerate(attack.notes):
            path = f"/memories/Projects/note {number}.md"
            owner.vault.memory_tool({"command": "create", "path": path, "file_text": f"{note}\n"})
        owner.vault.sync()


def vault_programs(attack: Attack) -> None:
    """Notes that another program writes into the vault."""
    with _vault(attack) as owner:
        folder = attack.folder.parent / "Vault" / "Memory" / "Facts"
        folder.mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(attack.texts):
            (folder / f"note {number}.md").write_text(f"{text}\n", "utf-8")
        owner.vault.sync()


def vault_lines(attack: Attack) -> None:
    """Lines that another program adds to a list of the vault."""
    with _vault(attack) as owner:
        owner.remember("The cap of retries is 3", kind="fact")
        owner.vault.sync()
        lines = "".join(f"- {text}\n" for text in attack.texts)
        for note in sorted((attack.folder.parent / "Vault" / "Memory").rglob("*.md")):
            note.write_text(note.read_text("utf-8").rstrip("\n") + f"\n{lines}", "utf-8")
        owner.vault.sync()


@contextmanager
def _vault(attack: Attack) -> Iterator[Recollect]:
    """The person whose vault it is."""
    with Recollect(
        attack.folder.parent / "memories.db",
        folder=attack.folder,
        embedder=attack.memory._wiring.given_embedder,
        clock=attack.clock,
    ) as owner:
        owner.vault.init(attack.folder.parent / "Vault")
        owner.vault.sync()
        yield owner


def docstrings(attack: Attack) -> None:
    for number, text in enumerate(attack.texts):
        opening = text.replace('"', "'").replace("\\", "/")
        part = attack.folder / f"part{number}"
        part.mkdir()
        for name in ("a", "b", "c"):
            body = f'"""{opening}."""\n\n\ndef run_{name}():\n    """{opening}."""\n    return {number}\n'
            (part / f"{name}.py").write_text(body, "utf-8")
    commit(attack.folder, "README.md", "\n\n".join(attack.texts))
    attack.memory.code.scan()


def stories(attack: Attack) -> None:
    folder = attack.folder
    (folder / ".bmad-core").mkdir(exist_ok=True)
    (folder / ".bmad-core" / "core-config.yaml").write_text("project: shop\n", "utf-8")
    place = folder / "docs" / "stories"
    place.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(attack.texts, start=1):
        (place / f"1.{number}.story.md").write_text(
            f"# Story 1.{number}: {text}\n\n## Status\nInProgress\n\n## Acceptance Criteria\n1. {text}\n\n"
            f"## Tasks / Subtasks\n- [x] {text}\n- [ ] {text}\n",
            "utf-8",
        )
        commit(folder, f"x{number}", "1")
        session = f"s{number}"
        attack.memory.observer.record(
            EventType.SESSION_STARTED, session=session, data={"branch": f"story/1.{number}"}
        )
        for part in range(6):
            _edit(attack, session, part)
        attack.memory.observer.end_session(session)


def past_sessions(attack: Attack) -> None:
    """Transcripts of sessions in which pages were read, and said again by the agent at the end."""
    for start in range(0, len(attack.texts), 4):
        texts, notes = attack.texts[start : start + 4], attack.notes[start : start + 4]
        _write_transcript(attack, f"past-{start}", "\n\n".join(texts), notes)
    attack.memory.observer.import_sessions("claude-code", home=attack.folder.parent)
    attack.memory.observer.learn_due()


def _write_transcript(attack: Attack, session: str, page: str, notes: Sequence[str]) -> None:
    file = str(attack.folder / "src/rates.py")
    calls: list[tuple[str, dict[str, str], str]] = [
        ("WebFetch", {"url": "https://docs.example/rates", "prompt": "read"}, page),
        ("Edit", {"file_path": file, "old_string": "a", "new_string": "b"}, "edited"),
        ("Bash", {"command": "pytest -q"}, "==== 12 passed in 0.30s ===="),
        ("Bash", {"command": "git commit -m 'Rates' -m '" + " ".join(notes) + "'"}, "[main 1a2b3c4] Rates"),
    ]
    messages: list[tuple[str, object]] = [("user", "Read the page and mend the rates")]
    for number, (tool, given, answer) in enumerate(calls):
        call = f"toolu_{session}-{number:020}"
        messages.append(("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": given}]))
        messages.append(("user", [{"type": "tool_result", "tool_use_id": call, "content": answer}]))
    said = "\n".join(f"The cause was `load_rates()`: {note}." for note in notes)
    messages.append(("assistant", [{"type": "text", "text": said}]))
    lines = []
    for number, (who, content) in enumerate(messages):
        attack.clock.at += timedelta(seconds=20)
        lines.append(
            {
                "type": who,
                "uuid": f"{session}-{number}",
                "sessionId": session,
                "cwd": str(attack.folder),
                "gitBranch": "main",
                "timestamp": attack.clock.at.isoformat(),
                "message": {"role": who, "content": content},
            }
        )
    home = attack.folder.parent / ".claude" / "projects" / str(attack.folder).replace("/", "-")
    home.mkdir(parents=True, exist_ok=True)
    (home / f"{session}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def own_agent(attack: Attack) -> None:
    """Our own loop reads a page and ends with its words; its work is accepted."""
    for start in range(0, len(attack.texts), 4):
        texts, notes = attack.texts[start : start + 4], attack.notes[start : start + 4]
        page = "\n\n".join(texts)
        tool = AgentTool(
            name="fetch",
            description="Read a page.",
            parameters=arguments("url", url=text_argument("An address.")),
            example={"url": "x"},
            reads_only=True,
            run=lambda given, page=page: ToolOutput(text=page),
        )
        words = "\n".join(f"The cause was `load_rates()`: {note}." for note in notes)
        turns = [
            {"say": "", "calls": [{"tool": "fetch", "arguments": {"url": "docs"}}]},
            *(
                {"say": "", "calls": [{"tool": "remember", "arguments": {"fact": note, "category": "fact"}}]}
                for note in notes
            ),
            {"say": f"{words} {{completion}}"},
        ]
        loop = Loop(
            ScriptedClient(turns),
            [tool, *memory_tools(attack.memory)],
            attack.memory,
            run_store=RunStore(attack.folder.parent / "runs"),
            verify=verify_by_function(lambda claim: RunVerdict(passed=True, score=100)),
            clock=attack.clock,
        )
        loop.run(f"Mend the rates, part {start}")
        attack.clock.at += timedelta(hours=1)
    attack.memory.observer.learn_due()


def scheduled_runs(attack: Attack) -> None:
    """A scheduled agent's tools show texts, and its markers say them again."""
    operations = attack.memory.operations
    for start in range(0, len(attack.texts), 4):
        texts, notes = attack.texts[start : start + 4], attack.notes[start : start + 4]
        run_id = operations.new_id()
        run_row = OpsRun(id=run_id, job="j", chain_id=run_id, trigger="manual", started_at=attack.clock.at)
        recorder = RunRecorder(attack.memory, run_row, stream="claude", file=default_file(attack.folder))
        result = {"type": "tool_result", "tool_use_id": "t1", "content": "\n\n".join(texts)}
        words = "\n".join(f"[MEMORY:remediation:caddy] {note}" for note in notes)
        for line in (
            {"type": "user", "message": {"role": "user", "content": [result]}},
            {
                "type": "assistant",
                "message": {"role": "assistant", "content": [{"type": "text", "text": words}]},
            },
        ):
            recorder.feed(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        recorder.finish()
        attack.clock.at += timedelta(hours=1)
