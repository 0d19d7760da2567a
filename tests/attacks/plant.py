"""Planted texts through every way in: each function plants some of them and leaves the rest to the memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

from recollect import Recollect
from recollect.capture import intake
from recollect.model.event import EventType, ToolAction
from recollect.model.memory import MemoryDraft
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.value import replace
from recollect.surfaces.tool_calls import Caller
from recollect.surfaces.tools import call_tool
from tests.conftest import Clock
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
