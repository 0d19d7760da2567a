"""`recollect init` and `recollect uninstall` in a home full of other people's things, compared byte for byte."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect import config
from recollect.clients.client_install import ClientFolders, InstallScope, Program
from recollect.clients.registry import find_client
from recollect.surfaces.install import manifest
from recollect.surfaces.install.plan import InstallPlan, apply_change, find_named_clients, make_plan
from tests.surfaces.conftest import Run

OTHERS = """{
    // written by hand
    "model": "opus",
    "env": { "TOKEN": "s3cret" }, /* do not touch */
    "hooks": {
        "PostToolUse": [
            { "matcher": "Edit|Write", "hooks": [ { "type": "command", "command": "prettier --write" } ] },
            { "hooks": [ { "type": "command", "command": "claude-mem hook" } ] }
        ],
        "Notification": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ]
    }
}
"""
VARIANTS = {
    "comments": OTHERS.encode(),
    "CRLF": OTHERS.replace("\n", "\r\n").encode(),
    "tabs": OTHERS.replace("    ", "\t").encode(),
    "BOM": b"\xef\xbb\xbf" + OTHERS.encode(),
    "no newline at the end": OTHERS.rstrip().encode(),
    "on one line": b'{"model":"opus","hooks":{"Stop":[]}}',
    "empty": b"",
    "blank": b"\n\n",
}

Home = Callable[..., Path]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".claude").mkdir()
    return tmp_path


def everything(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """Every file under a folder: its kind, mode and bytes; recollect's own data and the stores of git aside."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] == "home" or "/.git/" in f"/{name}/":
            continue
        kind = "link" if path.is_symlink() else "folder" if path.is_dir() else "file"
        raw = os.fsencode(path.readlink()) if kind == "link" else path.read_bytes() if kind == "file" else b""
        found[name] = (kind, stat.S_IMODE(path.lstat().st_mode), raw)
    return found


def install(run: Run, *words: str) -> dict[str, str]:
    said = run("init", "--yes", "--agent", "claude-code", "--json", *words)
    assert said.code == 0, said.err
    return {Path(file["path"]).name: file["action"] for file in said.json["files"]}


def uninstall(run: Run, *words: str) -> dict[str, str]:
    said = run("uninstall", "--yes", "--json", *words)
    assert said.code == 0, said.err
    return {Path(file["path"]).name: file["action"] for file in said.json["files"]}


@pytest.mark.parametrize("raw", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("mode", [0o644, 0o600])
def test_after_uninstall_every_byte_and_mode_is_as_it_was(
    run: Run, home: Path, raw: bytes, mode: int
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_bytes(raw)
    settings.chmod(mode)
    (home / ".claude.json").write_text('{"numStartups":12,"projects":{}}')
    before = everything(home)
    assert install(run) == {"settings.json": "change", ".claude.json": "change"}
    assert stat.S_IMODE(settings.stat().st_mode) == mode
    assert b"recollect.hooks" in settings.read_bytes()
    assert uninstall(run) == {"settings.json": "restore", ".claude.json": "restore"}
    assert everything(home) == before


def test_where_nothing_was_nothing_is_left(run: Run, home: Path) -> None:
    (home / ".claude").rmdir()
    before = everything(home)
    assert install(run) == {"settings.json": "create", ".claude.json": "create"}
    assert uninstall(run) == {"settings.json": "delete", ".claude.json": "delete"}
    assert everything(home) == before


def test_installing_again_says_unchanged_and_writes_nothing(run: Run, home: Path) -> None:
    (home / ".claude" / "settings.json").write_text(OTHERS)
    install(run)
    once = everything(home)
    assert install(run) == {"settings.json": "unchanged", ".claude.json": "unchanged"}
    assert "unchanged" in run("init", "--yes", "--agent", "claude-code").out
    assert everything(home) == once
    uninstall(run)
    assert (home / ".claude" / "settings.json").read_text() == OTHERS


def test_a_dry_run_shows_every_line_and_writes_nothing(run: Run, home: Path) -> None:
    (home / ".claude" / "settings.json").write_text(OTHERS)
    before = everything(home)
    said = run("init", "--dry-run")
    assert everything(home) == before
    assert not config.data_dir().exists()
    assert f'+      "command": "{sys.executable}"' in said.out
    shown = [line for line in said.out.splitlines() if line.startswith("  +") and "recollect.hooks" in line]
    events = {line.rsplit("claude-code ", 1)[1].split('"')[0] for line in shown}
    assert {
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "SessionEnd",
    } <= events
    assert install(run)
    installed = everything(home)
    assert "as it was before" in run("uninstall", "--dry-run").out
    assert everything(home) == installed


def test_without_a_terminal_and_without_yes_nothing_is_written(run: Run, home: Path) -> None:
    before = everything(home)
    said = run("init", "--agent", "claude-code", "--json")
    assert said.code == 2
    assert "--yes" in said.error["message"]
    install(run)
    installed = everything(home)
    assert run("uninstall", "--json").code == 2
    assert everything(home) == installed != before


def test_what_was_edited_since_stays_and_only_ours_goes(run: Run, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text(OTHERS)
    install(run)
    edited = (
        settings.read_text().replace('"opus"', '"haiku"').replace("// written by hand", "// mine, all mine")
    )
    edited = edited.replace('"Notification": [', '"Notification": [ { "hooks": [] },')
    settings.write_text(edited)
    state = home / ".claude.json"
    state.write_text(json.dumps(json.loads(state.read_text()) | {"numStartups": 1}))
    assert uninstall(run) == {"settings.json": "edit", ".claude.json": "edit"}
    expected = OTHERS.replace('"opus"', '"haiku"').replace("// written by hand", "// mine, all mine")
    assert settings.read_text() == expected.replace('"Notification": [', '"Notification": [ { "hooks": [] },')
    assert json.loads(state.read_text()) == {"numStartups": 1}


def test_a_hook_added_later_by_another_tool_survives(run: Run, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text('{"hooks": {}}')
    install(run)
    told = json.loads(settings.read_text())
    told["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "later"}]})
    told["hooks"]["PostToolUse"][0]["hooks"].insert(0, {"type": "command", "command": "beside ours"})
    settings.write_text(json.dumps(told, indent=4))
    uninstall(run)
    assert json.loads(settings.read_text()) == {
        "hooks": {
            "Stop": [{"hooks": [{"type": "command", "command": "later"}]}],
            "PostToolUse": [{"hooks": [{"type": "command", "command": "beside ours"}]}],
        }
    }


def test_installing_again_after_an_edit_and_then_uninstalling_keeps_the_edit(run: Run, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text(OTHERS)
    install(run)
    broken = settings.read_text().replace('"opus"', '"haiku"').replace(sys.executable, "/gone/bin/python")
    settings.write_text(broken)
    assert install(run)["settings.json"] == "change"
    assert "/gone/" not in settings.read_text()
    uninstall(run)
    assert settings.read_text() == OTHERS.replace('"opus"', '"haiku"')


@pytest.mark.parametrize("name", ["claude-code", "opencode"])
def test_installed_twice_from_different_places_it_is_taken_back_to_the_very_beginning(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (home / ".claude").rmdir()
    before = everything(home)
    run("init", "--yes", "--agent", name)
    monkeypatch.setattr(sys, "executable", "/another/bin/python")
    said = run("init", "--yes", "--agent", name, "--json").json
    assert {file["action"] for file in said["files"]} == {"change"}
    assert all(b"/another/bin/python" in Path(file["path"]).read_bytes() for file in said["files"])
    run("uninstall", "--yes")
    assert everything(home) == before


@pytest.mark.parametrize("edited", [False, True])
def test_a_hook_that_this_version_has_no_use_for_any_more_goes_when_init_is_run_again(
    run: Run, home: Path, edited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text(OTHERS)
    with monkeypatch.context() as earlier:
        earlier.setitem(find_client("claude-code").hook_events, "PreToolUse", "record")
        install(run)
    assert "claude-code PreToolUse" in settings.read_text()
    if edited:
        settings.write_text(settings.read_text().replace('"opus"', '"haiku"'))
    assert install(run)["settings.json"] == "change"
    assert "PreToolUse" not in settings.read_text()
    uninstall(run)
    assert settings.read_text() == (OTHERS.replace('"opus"', '"haiku"') if edited else OTHERS)


def test_a_link_stays_a_link_and_the_file_behind_it_comes_back(run: Run, home: Path) -> None:
    dotfiles = home / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "claude.json").write_text(OTHERS)
    (home / ".claude" / "settings.json").symlink_to("../dotfiles/claude.json")
    before = everything(home)
    install(run)
    assert (home / ".claude" / "settings.json").is_symlink()
    assert "recollect.hooks" in (dotfiles / "claude.json").read_text()
    uninstall(run)
    assert everything(home) == before


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b'{"model": ', "no JSON"),
        (b'{"hooks": ["x"]}', "no object"),
        (b'{"hooks": {}, "hooks": {}}', "twice"),
        ('{"model": "größe"}'.encode("utf-16"), "UTF-8"),
    ],
)
def test_a_file_that_cannot_be_edited_is_left_alone_with_the_lines_to_paste(
    run: Run, home: Path, raw: bytes, why: str
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_bytes(raw)
    said = run("init", "--yes", "--agent", "claude-code", "--json").json["files"]
    left = next(file for file in said if file["path"] == str(settings))
    assert left["action"] == "left alone"
    assert why in left["why"]
    assert "SessionStart" in json.loads(left["paste"])["hooks"]
    assert settings.read_bytes() == raw
    assert (home / ".claude.json").exists(), "what can be written is written"
    uninstall(run)
    assert settings.read_bytes() == raw
    assert not (home / ".claude.json").exists()


def test_a_read_only_file_is_left_alone(run: Run, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text(OTHERS)
    settings.chmod(0o444)
    assert install(run)["settings.json"] == "left alone"
    assert "read-only" in run("init", "--yes", "--agent", "claude-code").err
    settings.chmod(0o644)
    install(run)
    installed = settings.read_bytes()
    settings.chmod(0o444)
    assert uninstall(run)["settings.json"] == "leave"
    assert settings.read_bytes() == installed
    settings.chmod(0o644)
    assert uninstall(run)["settings.json"] == "restore", "what was left alone is still known"
    assert settings.read_text() == OTHERS


def test_a_file_of_several_names_and_a_link_to_itself_are_left_alone(run: Run, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text(OTHERS)
    (home / "twin").hardlink_to(settings)
    assert install(run)["settings.json"] == "left alone"
    settings.unlink()
    settings.symlink_to("settings.json")
    assert install(run)["settings.json"] == "left alone"
    assert (home / "twin").read_text() == OTHERS


def test_for_one_project_nothing_of_this_machine_goes_into_a_file_that_is_shared(
    run: Run, home: Path
) -> None:
    before = everything(home)
    said = run("init", "--yes", "--agent", "claude-code", "--here", "--json").json
    assert {Path(file["path"]).relative_to(home).as_posix() for file in said["files"]} == {
        "work/.claude/settings.local.json",
        ".claude.json",
    }
    state = json.loads((home / ".claude.json").read_text("utf-8"))
    assert set(state["projects"][(home / "work").as_posix()]["mcpServers"]) == {"recollect"}
    assert "mcpServers" not in state
    uninstall(run)
    assert everything(home) == before


def test_a_second_project_leaves_what_is_there_for_the_first_and_for_the_user(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(home)
    run("init", "--yes", "--agent", "claude-code")
    run("init", "--yes", "--agent", "claude-code", "--here")
    (home / "second").mkdir()
    monkeypatch.chdir(home / "second")
    run("init", "--yes", "--agent", "claude-code", "--here")
    state = json.loads((home / ".claude.json").read_text("utf-8"))
    assert set(state["mcpServers"]) == {"recollect"}
    assert set(state["projects"]) == {(home / name).as_posix() for name in ("work", "second")}
    uninstall(run)
    (home / "second").rmdir()
    assert everything(home) == before


def test_the_record_is_for_this_user_alone(run: Run, home: Path) -> None:
    (home / ".claude" / "settings.json").write_text(OTHERS)
    install(run)
    record = config.data_dir() / manifest.FILE
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    record.write_text("{")
    said = run("uninstall", "--yes", "--json")
    assert said.error["code"] == "install_record"
    assert run("init", "--yes", "--json").error["code"] == "install_record"


def test_with_the_record_lost_our_parts_are_found_and_taken_out_all_the_same(run: Run, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text(OTHERS)
    run("init", "--yes", "--agent", "claude-code", "--agent", "opencode", "--agent", "codex")
    (config.data_dir() / manifest.FILE).unlink()
    said = uninstall(run)
    assert said["settings.json"] == "edit"
    assert said["recollect.js"] == "delete"
    assert settings.read_text() == OTHERS
    assert not (home / ".config/opencode/plugins/recollect.js").exists()
    assert not any(b"recollect.surfaces" in raw for _, _, raw in everything(home).values())
    assert uninstall(run) == {}


def planned(home: Path) -> InstallPlan:
    place = ClientFolders(home=home, project=home / "work")
    program = Program(python="/opt/py thon/bin/python")
    return make_plan(
        find_named_clients(["claude-code"]),
        program,
        place,
        InstallScope.USER,
        manifest.load(config.data_dir()),
    )


def test_a_file_changed_between_the_plan_and_the_yes_is_left_alone(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text(OTHERS)
    change = planned(home).changes[0]
    settings.write_text(OTHERS + "\n")
    left = apply_change(change, config.data_dir())
    assert left is not None
    assert "changed while you looked" in left.reason
    assert settings.read_text() == OTHERS + "\n"
    assert manifest.load(config.data_dir()) == {}


def test_a_kill_between_the_record_and_the_file_leaves_nothing_to_take_back(run: Run, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text(OTHERS)
    manifest.keep(config.data_dir(), planned(home).changes[0].record)
    assert uninstall(run) == {"settings.json": "nothing"}
    assert settings.read_text() == OTHERS
    assert manifest.load(config.data_dir()) == {}


def test_a_full_disk_leaves_the_file_and_forgets_the_record(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text(OTHERS)
    change = planned(home).changes[0]
    replace = Path.replace

    def full(self: Path, target: Path) -> Path:
        if target == settings:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", full)
    left = apply_change(change, config.data_dir())
    assert left is not None
    assert "No space left" in left.reason
    assert settings.read_text() == OTHERS
    assert manifest.load(config.data_dir()) == {}
    assert [path.name for path in (home / ".claude").iterdir()] == ["settings.json"]


def test_a_command_with_blanks_in_its_path_is_read_back_by_a_shell(home: Path) -> None:
    after = json.loads(planned(home).changes[0].after)
    command = after["hooks"]["Stop"][0]["hooks"][0]["command"]
    words = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True, check=True
    )
    assert words.stdout.splitlines() == [
        "/opt/py thon/bin/python",
        "-P",
        "-m",
        "recollect.hooks",
        "claude-code",
        "Stop",
    ]


def test_on_windows_the_path_is_written_so_that_cmd_and_bash_read_it_alike() -> None:
    program = Program(python="C:\\Program Files\\py\\python.exe", windows=True)
    assert program.hook_command("codex", "Stop") == (
        '"C:/Program Files/py/python.exe" -P -m recollect.hooks codex Stop'
    )


def test_a_throw_away_environment_is_refused(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(home / ".cache/uv/archive-v0/abc/bin/python"))
    said = run("init", "--yes", "--json")
    assert said.code == 2
    assert "temporary" in said.error["message"]
    assert "uv tool install" in said.error["fix"]


# -- data ------------------------------------------------------------------------------------------------


def test_memories_stay_unless_a_person_asks_for_them_to_go(run: Run, person: Run, home: Path) -> None:
    run("remember", "Retries are capped at 3")
    run("config", "set", "recall.limit", "5")
    install(run)
    said = run("uninstall", "--yes", "--purge-data", "--json")
    assert said.error["code"] == "only_a_person"
    uninstall(run)
    assert run("list", "--json").json["total"] == 1
    assert "gone for good" in run("uninstall", "--dry-run", "--purge-data").out
    assert run("list", "--json").json["total"] == 1
    person("uninstall", "--yes", "--purge-data")
    assert everything(home / "home") == {}


def test_a_memory_elsewhere_is_purged_with_all_that_lies_beside_it_and_nothing_else(
    run: Run, person: Run, home: Path
) -> None:
    other = home / "elsewhere"
    other.mkdir()
    (other / "thesis.txt").write_text("precious")
    run("remember", "A thing", "--db", str(other / "m.db"))
    person("uninstall", "--yes", "--purge-data", "--db", str(other / "m.db"))
    assert [path.name for path in other.iterdir()] == ["thesis.txt"]


# -- learning --------------------------------------------------------------------------------------------


@pytest.fixture
def repository(home: Path) -> Path:
    folder = home / "work"
    for number in range(3):
        (folder / "a.py").write_text(f"def a():\n    return {number}\n")
        (folder / "b.py").write_text(f"from a import a\n\n\ndef b():\n    return a() + {number}\n")
        commands: list[list[str]] = [["add", "."], ["commit", "-qm", f"Change {number}"]]
        if number == 0:
            commands.insert(0, ["init", "-q"])
        for words in commands:
            subprocess.run(
                ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words], cwd=folder, check=True
            )
    return folder


def test_init_learns_from_commits_and_code_and_says_so_once(run: Run, repository: Path) -> None:
    said = run("init", "--yes", "--agent", "claude-code")
    assert "Learned from 3 commits" in said.out
    assert "2 files of code" in said.out
    assert "b.py" in run("together", "a.py").out
    again = run("init", "--yes", "--agent", "claude-code")
    assert "Learned" not in again.out
    assert again.out.rstrip().endswith("unchanged")


def test_what_is_not_wanted_is_not_learned(run: Run, repository: Path) -> None:
    said = run(
        "init", "--yes", "--agent", "claude-code", "--no-history", "--no-graph", "--no-transcripts", "--json"
    )
    assert said.json["learned"] == {}


def a_past_session(home: Path, repository: Path) -> None:
    line = {
        "type": "user",
        "sessionId": "s1",
        "cwd": str(repository),
        "timestamp": "2026-05-01T10:00:00Z",
        "uuid": "u1",
        "message": {"role": "user", "content": "Please always use tabs in Makefiles"},
    }
    folder = home / ".claude" / "projects" / "work"
    folder.mkdir(parents=True)
    (folder / "s1.jsonl").write_text(json.dumps(line) + "\n")


def test_past_sessions_are_found_and_learned_from(run: Run, repository: Path, home: Path) -> None:
    a_past_session(home, repository)
    assert run("init", "--dry-run", "--json").json["past_sessions"] == {"claude-code": 1}
    said = run("init", "--yes", "--json").json
    assert said["learned"]["sessions"] == 1
    assert run("init", "--yes", "--json").json["learned"]["sessions"] == 0
    assert "past_sessions" in run("init", "--yes", "--json", "--no-transcripts").json


def test_an_interrupt_between_steps_leaves_what_was_done_and_the_next_run_goes_on(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as hasty:
        hasty.setattr("recollect.api.code.Code.build", interrupted)
        said = run("init", "--yes", "--agent", "claude-code")
    assert said.code == 130
    assert said.err.rstrip().endswith("Stopped.")
    assert "b.py" in run("together", "a.py").out, "the commits were learned from"
    again = run("init", "--yes", "--agent", "claude-code", "--json").json
    assert {file["action"] for file in again["files"]} == {"unchanged"}
    assert again["learned"] == {"commits": 0, "files": 2, "files_read": 2}


def test_a_large_file_of_state_is_edited_in_place(home: Path) -> None:
    state = {"projects": {f"/p/{n}": {"history": [{"display": "x" * 200}] * 50} for n in range(100)}}
    text = json.dumps(state, indent=2)
    (home / ".claude.json").write_text(text)
    after = next(
        change.after for change in planned(home).changes if change.path.endswith(".claude.json")
    ).decode()
    assert json.loads(after)["projects"] == state["projects"]
    assert after.startswith(text.rstrip("}\n"))


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_at_a_terminal_it_asks_at_most_twice_and_no_means_no(
    terminal: Run, run: Run, repository: Path, home: Path
) -> None:
    a_past_session(home, repository)
    said = terminal("init", "--agent", "claude-code", answers=[("Write 2 files?", "n\n")])
    assert said.code == 130
    assert not (home / ".claude.json").exists()
    answers = [("Write 2 files?", "y\n"), ("Learn from these past sessions?", "n\n")]
    said = terminal("init", "--agent", "claude-code", answers=answers)
    assert said.code == 0
    assert said.out.count("[y/N]") + said.out.count("[Y/n]") == 2
    assert (home / ".claude.json").exists()
    assert run("init", "--yes", "--json").json["learned"]["sessions"] == 1, "they were left for another time"


def test_a_vault_that_is_found_is_offered_with_its_command_until_there_is_one(
    run: Run, repository: Path, home: Path
) -> None:
    (home / "Documents" / "My Notes" / ".obsidian").mkdir(parents=True)
    folder = home / "Documents" / "My Notes" / "Recollect"
    offer = f"recollect vault init '{folder}'"
    assert offer in run("init", "--yes", "--agent", "claude-code").err
    assert not folder.exists(), "it is an offer"
    run("vault", "init", str(folder))
    assert "recollect vault init" not in run("init", "--yes", "--agent", "claude-code").err
