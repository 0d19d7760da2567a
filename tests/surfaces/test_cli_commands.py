"""Every command: its help, its JSON, what it says to people."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import click
import pytest

from recollect import __version__
from recollect.surfaces.cli import COMMANDS, cli
from tests.git.repos import a_repository, isolate
from tests.surfaces.conftest import Run

# Measured, or needing code to look at: tested in files of their own.
ELSEWHERE = {
    *("serve", "team", "login", "logout", "share", "sync"),
    "ui",
    "run",
    "runs",
    "resume",
    "ops",
    "demo",
    "graph",
    "deps",
    "trace",
    "impact",
    "modules",
    "scan",
    "mcp",
    "init",
    "uninstall",
    "reword",
    "lessons",
    "recipes",
    "skills",
}


def every_command() -> list[tuple[str, ...]]:
    """All commands and those inside groups, by the words that call them."""
    context = click.Context(cli)
    found: list[tuple[str, ...]] = []
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found += [(name, inner) for inner in command.list_commands(context)]
            if command.invoke_without_command:
                found.append((name,))
        else:
            found.append((name,))
    return found


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_every_command_has_help_with_an_example(run: Run, words: tuple[str, ...]) -> None:
    said = run(*words, "--help")
    assert said.code == 0
    assert f"recollect {' '.join(words)}" in said.out.split("\n\n", 1)[1], "an example"
    assert "--json" in said.out
    assert said.out == run(*words, "-h").out


def a_store(run: Run) -> str:
    """A few memories; the id of one of them."""
    run("remember", "Retries are capped at 3", "--kind", "decision", "--about", "src/retry.py")
    run("remember", "Deploys run at night", "--tag", "ops", "--session", "monday")
    return str(run("list", "--json").json["memories"][0]["id"])


CALLS: dict[str, tuple[str, ...]] = {
    "remember": ("a new thing",),
    "recall": ("how often do we retry?",),
    "show": ("ID",),
    "list": (),
    "edit": ("ID", "Deploys run at dawn"),
    "forget": ("ID",),
    "pin": ("ID",),
    "review": (),
    "review confirm": ("ID",),
    "review correct": ("ID", "Deploys run at dawn"),
    "review flag": ("ID",),
    "review reject": ("ID",),
    "history": (),
    "undo": (),
    "stale": ("--sweep",),
    "feedback": ("ID", "useful"),
    "settle": (),
    "upkeep": (),
    "prune": ("--yes",),
    "revive": ("ID",),
    "stats": (),
    "projects": (),
    "projects attach": ("work",),
    "reindex": (),
    "doctor": (),
    "config show": (),
    "config set": ("recall.limit", "5"),
    "backup": ("copy.db",),
    "move": ("--to", "moved.db"),
    "restore": ("backup.db", "--yes"),
    "export memories": ("out.jsonl",),
    "export sessions": ("sessions",),
    "import sessions": (),
    "import memories": ("in.jsonl",),
    "learn": (),
    "day": (),
    "together": ("src/auth.py",),
    "about": ("src/auth.py",),
    "foresee": ("look at src/auth.py",),
    "notes": (),
    "note": ("Uploads need WAL mode", "--session", "monday"),
    "validate": ("pass",),
    "work start": ("spec_042/subtask_3",),
    "work finish": ("spec_042/subtask_3",),
    "work dead-end": ("rounding in SQL",),
    "qa": ("report.json",),
    "why": (),
    "status": (),
    "sessions": (),
    "pause": (),
    "unpause": (),
    "completion": ("bash",),
    "methods": (),
    "methods use": ("tdd",),
    "methods state": (),
    "context": ("--relay", "planner:coder"),
    "import markdown": ("AGENTS.md",),
    "vault init": ("Notes",),
    "vault sync": (),
    "vault status": (),
    "vault search": ("retries",),
    "vault versions": ("Active Tasks.md",),
    "tasks": (),
    "tasks add": ("Call Alex",),
    "tasks set": ("Set up the database", "blocked"),
    "tasks done": ("Set up the database",),
}
# Prints a line whenever something changed.
STREAMS = {"vault watch"}


def test_the_list_of_calls_is_whole() -> None:
    named = {" ".join(words) for words in every_command() if words[0] not in ELSEWHERE}
    assert named - STREAMS == set(CALLS)


@pytest.mark.parametrize("name", list(CALLS))
def test_every_command_prints_one_json_object_with_its_schema(run: Run, person: Run, name: str) -> None:
    memory_id = a_store(run)
    run("backup", "backup.db")
    run("export", "in.jsonl")
    Path("report.json").write_text('{"issues": [{"severity": "high", "description": "The export is empty"}]}')
    run("validate", "pass", "--session", "monday")
    if name.startswith(("vault", "tasks")):
        run("vault", "init", "Notes")
        run("tasks", "add", "Set up the database")
    Path("AGENTS.md").write_text("- Deploys run on Tuesdays, never on Fridays.\n")
    arguments = [memory_id if word == "ID" else word for word in CALLS[name]]
    said = person(*name.split(), *arguments, "--json")
    assert said.code == 0, said.err
    assert said.json["schema"] == 1
    assert said.out.count("\n") == 1
    assert said.err == ""


def test_json_of_one_command_does_not_stick_to_the_next(run: Run) -> None:
    a_store(run)
    assert run("list", "--json").out.startswith("{")
    assert not run("list").out.startswith("{")


def test_an_export_to_standard_output_is_lines_of_json_and_the_first_says_the_schema(run: Run) -> None:
    a_store(run)
    lines = [json.loads(line) for line in run("export", "--json").out.splitlines()]
    assert lines[0]["schema"] == 1
    assert lines[0]["format"] == "recollect-memories"
    assert {line["text"] for line in lines[1:]} == {"Retries are capped at 3", "Deploys run at night"}


# -- what they do ----------------------------------------------------------------------------------------


def test_remember_and_recall_and_why(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")
    said = run("remember", "Retries are capped at 3", "-k", "decision", "-a", "src/retry.py", "-t", "net")
    assert said.out.startswith("Remembered 0")
    assert "file:src/retry.py #net" in said.out
    again = run("remember", "retries are capped at 3.")
    assert again.out.startswith("Remembered")  # another kind, so another memory
    again = run("remember", "retries are capped at 3.", "-k", "decision")
    assert "Already known" in again.out
    assert "word for word" in again.out
    found = run("recall", "how often do we retry?", "--explain", "--kind", "decision")
    assert "Retries are capped at 3" in found.out
    assert "score" in found.out
    assert "+0." in found.out


def test_remember_reads_standard_input(run: Run) -> None:
    said = run("remember", "-", "--json", text="From a pipe\nwith two lines\n")
    assert said.json["memory"]["text"] == "From a pipe\nwith two lines"
    odd = run("remember", "-", "--json", text=b"\xef\xbb\xbfBytes \xff of nothing")
    assert odd.json["memory"]["text"] == "Bytes \ufffd of nothing"
    assert run("remember", "-", text="").code == 2
    assert run("remember", "-", text="x" * 2_000_000).code == 2


def test_all_details_of_remember_arrive(run: Run, person: Run) -> None:
    made = person(
        *(
            "remember",
            "The caddy outage",
            "--kind",
            "error_pattern",
            "--scope",
            "global",
            "--confidence",
            "0.5",
        ),
        *("--work", "jira:OPS-7", "--at", "2026-05-08", "--everywhere", "--pin", "--why", "told", "--json"),
        *("--field", "occurrences=3", "--field", "error=no route", "--tag", "b", "--tag", "a"),
        RECOLLECT_SESSION="s1",
    ).json["memory"]
    assert (made["kind"], made["scope"], made["confidence"]) == ("error_pattern", "global", 0.5)
    assert made["work"] == {"methodology": "jira", "hierarchy": ["OPS-7"], "label": "OPS-7"}
    assert made["happened_at"] == "2026-05-08T00:00:00Z"
    assert (made["project_id"], made["pinned"], made["session_id"]) == (None, True, "s1")
    assert made["fields"] == {"occurrences": 3, "error": "no route"}
    assert made["tags"] == ["b", "a"]
    assert run("history", made["id"], "--json").json["changes"][0]["why"] == "told"


def test_what_was_taken_out_is_said(run: Run) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said = run("remember", f"Use {token} in\u200b the pipeline")
    assert token not in said.out + said.err
    assert "Secrets are not kept" in said.err
    assert "1 hidden characters" in said.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_edit_without_a_text_opens_the_editor(run: Run, terminal: Run, tmp_path: Path) -> None:
    memory_id = a_store(run)
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys\n"
        "place = pathlib.Path(sys.argv[-1])\n"
        "place.write_text(place.read_text('utf-8').replace('night', 'dawn'), 'utf-8')\n",
        "utf-8",
    )
    editor = f"{sys.executable} {script}"
    assert "Changed" in terminal("edit", memory_id, VISUAL="", EDITOR=editor).out
    assert run("show", memory_id).out.startswith("Deploys run at dawn\n")
    assert "unchanged" in terminal("edit", memory_id, VISUAL="", EDITOR=editor).out
    assert "nothing to change" in run("edit", memory_id).err, "nobody is at a terminal"


def test_show_edit_history_undo_pin(person: Run) -> None:
    run = person
    memory_id = a_store(run)
    assert run("show", memory_id[:20].lower()).out.startswith("Deploys run at night\n")
    assert "Changed" in run("edit", memory_id, "Deploys run at dawn", "--why", "moved").out
    story = run("history", memory_id).out
    assert "Deploys run at night → Deploys run at dawn" in story
    assert "(moved)" in story
    assert "Took back: edit" in run("undo").out
    assert run("show", memory_id).out.startswith("Deploys run at night")
    assert "Pinned" in run("pin", memory_id).out
    assert run("show", memory_id, "--json").json["memory"]["pinned"] is True
    assert "Unpinned" in run("pin", memory_id, "--off").out
    assert "[undone]" in run("history").out


def test_list_and_recall_take_the_same_filters(run: Run) -> None:
    a_store(run)
    for words, expected in (
        (("--kind", "decision"), {"Retries are capped at 3"}),
        (("--group", "knowledge"), {"Retries are capped at 3", "Deploys run at night"}),
        (("--tag", "ops"), {"Deploys run at night"}),
        (("--about", "src/retry.py"), {"Retries are capped at 3"}),
        (("--since", "today"), {"Retries are capped at 3", "Deploys run at night"}),
        (("--until", "yesterday"), set()),
        (("--state", "archived"), set()),
        (("--source", "agent_explicit"), {"Retries are capped at 3", "Deploys run at night"}),
        (("--min-confidence", "0.9"), set()),
        (("--scope", "session"), set()),
        (("--work", "spec"), set()),
        (("--methodology", "jira"), set()),
        (("--all-projects",), {"Retries are capped at 3", "Deploys run at night"}),
    ):
        listed = run("list", "--json", *words).json
        recalled = run("recall", "retries deploys", "--json", *words).json
        assert {item["text"] for item in listed["memories"]} == expected, words
        assert {hit["memory"]["text"] for hit in recalled["hits"]} == expected, words
        assert listed["total"] == len(expected)
    newest = run("recall", "deploys", "--sessions", "1", "--json").json["hits"]
    assert [hit["memory"]["text"] for hit in newest] == ["Deploys run at night"]


def test_projects_show_and_attach_a_moved_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_store(run)
    Path("../work").rename("../moved")
    monkeypatch.chdir(tmp_path / "moved")
    assert run("list").out == "Nothing is remembered here yet.\n"
    assert "work" in run("projects").out
    assert "part of moved now" in run("projects", "attach", str(tmp_path / "work")).out
    assert run("list", "--json").json["total"] == 2


def test_another_project_can_be_looked_from(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(monkeypatch, tmp_path / "git-home")
    a_repository(tmp_path / "site")
    run("remember", "Only here", "--project", str(tmp_path / "site"))
    assert run("list", "--json").json["total"] == 0
    assert run("list", "--json", "--project", str(tmp_path / "site")).json["total"] == 1
    assert run("list", "--project", str(tmp_path / "nowhere")).code == 2


def test_config_shows_origins_and_keeps_comments(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "home" / "config" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("# mine\n[recall]\nprofile = 'v3'\n")
    assert "user file" in run("config", "show", "--origin").out
    assert "recall.limit = 5" in run("config", "set", "recall.limit", "5").out
    assert "# mine" in file.read_text()
    shown = run("config", "show", "--json", "--db", "x.db").json["settings"]
    assert shown["recall.limit"] == {"value": 5, "origin": f"user file {file}"}
    assert shown["db"] == {"value": "x.db", "origin": "command line"}
    run("config", "set", "recall.limit", "3", "--here")
    assert "project file" in run("config", "show", "--json").json["settings"]["recall.limit"]["origin"]
    assert run("config", "set", "embedding.tier", "none", "--here", "--json").error["code"] == "bad_setting"
    assert run("config", "set", "recall.limits", "3", "--json").error["code"] == "not_found"


def test_files_that_hold_memories_are_their_owners_alone(run: Run, tmp_path: Path) -> None:
    a_store(run)
    Path("old.jsonl.partial").write_text("left over")
    Path("old.jsonl.partial").chmod(0o644)
    run("backup", "copy.db")
    run("export", "out.jsonl")
    run("export", "old.jsonl")
    run("config", "set", "recall.limit", "5")
    run("restore", "copy.db", "--yes")
    found = [*Path().iterdir(), *(tmp_path / "home").rglob("*")]
    files = [path for path in found if path.is_file()]
    assert {path.name for path in files} >= {"copy.db", "out.jsonl", "memories.db", "config.toml"}
    assert any("before-restore" in path.name for path in files)
    assert {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in files} == {
        path.name: "0o600" for path in files
    }
    folders = [path for path in (tmp_path / "home").rglob("*") if path.is_dir()]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o700 for path in folders)


def test_backup_restore_export_import_give_the_same_memories(run: Run) -> None:
    a_store(run)
    before = run("list", "--json").json["memories"]
    run("backup", "copy.db")
    run("export", "out.jsonl")
    run("forget", "--kind", "decision", "--yes")
    assert run("list", "--json").json["total"] == 1
    assert run("restore", "copy.db", "--yes").code == 0
    assert run("list", "--json").json["memories"] == before
    fresh = run("import", "memories", "out.jsonl", "--db", "fresh.db", "--json").json
    assert (fresh["read"], fresh["remembered"], fresh["known"]) == (2, 2, 0)
    again = run("import", "memories", "out.jsonl", "--db", "fresh.db")
    assert "0 memories taken in, 2 known already" in again.out
    text = Path("out.jsonl").read_bytes()
    piped = run("import", "memories", "-", "--db", "piped.db", "--json", text=b"\xef\xbb\xbf" + text)
    assert piped.json["remembered"] == 2


def test_an_import_rehearsed_makes_no_store(run: Run, tmp_path: Path) -> None:
    Path("in.jsonl").write_text('{"format": "recollect-memories", "version": 1}\n{"text": "One"}\n')
    said = run("import", "memories", "in.jsonl", "--dry-run")
    assert said.out == "1 memory could be read. Nothing was changed.\n"
    assert not (tmp_path / "home" / "data").exists()


def test_an_import_names_file_and_line(run: Run) -> None:
    Path("in.jsonl").write_bytes(b'{"format": "recollect-memories", "version": 1}\n{"text": "\xff"}\n')
    said = run("import", "memories", "in.jsonl", "--json")
    assert said.code == 2
    assert "in.jsonl, line 2" in said.error["message"]
    assert "not UTF-8" in said.error["message"]
    assert run("import", "memories", "missing.jsonl", "--json").error["code"] == "not_found"
    assert run("import", "memories", ".", "--json").error["code"] == "not_found"


def test_an_export_that_cannot_be_written_says_so_and_leaves_nothing(run: Run) -> None:
    a_store(run)
    said = run("export", "nowhere/out.jsonl", "--json")
    assert said.code == 2
    assert "cannot be written" in said.error["message"]
    assert run("export", "work", "--json").code in (0, 2)
    assert not list(Path().glob("*.partial"))


def test_stats_count_and_give_times_in_one_form(run: Run) -> None:
    a_store(run)
    said = run("stats", "--json").json
    assert said["memories"] == 2
    assert said["by_kind"] == {"decision": 1, "fact": 1}
    assert said["newest"].endswith("Z")
    assert "2 memories, about" in run("stats").out


def test_the_version_is_told_before_anything_is_loaded(run: Run, process: Run) -> None:
    assert process("--version").out == f"recollect {__version__}\n"
    assert run("--version").out == f"recollect {__version__}\n"
