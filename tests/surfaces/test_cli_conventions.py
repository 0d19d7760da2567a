"""What every command line should do: exit codes, streams, colours, signals, questions, completion."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

from recollect import Recollect
from recollect.errors import RecollectError
from recollect.store.sqlite.driver import errors
from recollect.surfaces.cli import COMMANDS, output
from tests.surfaces.conftest import RECOLLECT, Run


def a_store(run: Run) -> str:
    run("remember", "Retries are capped at 3", "--kind", "decision", "--about", "src/retry.py")
    run("remember", "Deploys run at night", "--tag", "ops")
    return str(run("list", "--json").json["memories"][0]["id"])


# -- exit codes ------------------------------------------------------------------------------------------


def test_all_went_well_is_0(run: Run) -> None:
    assert run("remember", "A thing").code == 0
    assert run("recall", "nothing of the kind, ever").code == 0


def test_an_expected_failure_is_1(run: Run) -> None:
    a_store(run)
    assert run("show", "ZZZZ", "--json").error["code"] == "not_found"
    assert run("show", "ZZZZ").code == 1
    assert run("undo", "ZZZZ").code == 1


@pytest.mark.parametrize(
    "words",
    [
        ("list", "--nonsense"),
        ("recall",),
        ("remember", "x", "--confidence", "2"),
        ("remember", "x", "--kind", "nonsense"),
        ("remember", "  "),
        ("remember", "x", "--at", "someday"),
        ("remember", "x", "--about", "nothing"),
        ("remember", "x", "--field", "novalue"),
        ("recall", "x", "--limit", "0"),
        ("recall", "x", "--limit", "99999999999999999999"),
        ("recall", "x", "--profile", "best"),
        ("list", "--offset", "99999999999999999999"),
        ("config", "set", "recall.limit", "none"),
        ("import",),
        (),
    ],
)
def test_a_wrong_call_is_2(run: Run, words: tuple[str, ...]) -> None:
    a_store(run)
    said = run(*words)
    assert said.code == 2, said
    assert said.out == ""
    assert said.err
    assert "Traceback" not in said.err
    if words:
        assert run(*words, "--json").error["message"]


@pytest.mark.parametrize(
    "words",
    [
        ("recall", "x"),
        ("list",),
        ("show", "01"),
        ("edit", "01", "x"),
        ("forget", "01"),
        ("pin", "01"),
        ("history",),
        ("undo",),
        ("stale",),
        ("stats",),
        ("projects",),
        ("reindex",),
        ("backup", "x.db"),
        ("export",),
    ],
)
def test_no_memory_yet_is_3_and_says_how_to_begin(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    said = run(*words, "--json")
    assert said.code == 3
    assert said.error["code"] == "not_initialised"
    assert "recollect remember" in said.error["message"]
    assert not list((tmp_path / "home").rglob("*.db"))


def test_locked_by_another_is_4(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_store(run)
    monkeypatch.setattr(errors, "BUSY_SECONDS", 0.1)
    other = apsw.Connection(str(tmp_path / "home" / "data" / "memories.db"))
    other.execute("BEGIN IMMEDIATE")
    try:
        said = run("remember", "Cannot be written now", "--json")
    finally:
        other.execute("ROLLBACK")
        other.close()
    assert said.code == 4
    assert said.error["code"] == "busy"


def test_a_reader_is_not_kept_waiting_by_a_writer_and_does_not_fail(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_store(run)
    run("recall", "warm up")
    monkeypatch.setattr(errors, "BUSY_SECONDS", 0.1)
    other = apsw.Connection(str(tmp_path / "home" / "data" / "memories.db"))
    other.execute("BEGIN IMMEDIATE")
    try:
        for words in (("recall", "retries"), ("list",), ("stats",), ("history",)):
            assert run(*words).code == 0, words
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_every_error_class_has_a_code_and_an_exit_code_of_the_table() -> None:
    def family(kind: type[RecollectError]) -> list[type[RecollectError]]:
        # Tests make errors of their own; only ours are asked about.
        children = [child for child in kind.__subclasses__() if child.__module__ == "recollect.errors"]
        return [kind, *(below for child in children for below in family(child))]

    for kind in family(RecollectError):
        assert kind.code
        assert kind.exit_code in (1, 2, 3, 4)
    codes = [kind.code for kind in family(RecollectError)]
    assert len(codes) == len(set(codes))


def test_an_unknown_command_is_not_0_and_the_nearest_is_named(run: Run, process: Run) -> None:
    assert "Did you mean recall?" in run("recal").err
    assert "Did you mean forget?" in run("froget").err
    assert "Did you mean remember?" in run("Remember").err
    assert "Did you mean" not in run("xyzzy").err
    said = process("rember", "--json")
    assert said.code == 2
    assert "Did you mean remember?" in said.error["message"]
    assert run("config", "shwo").code == 2


def test_an_error_says_what_to_try(run: Run) -> None:
    assert "try: recollect list --help" in run("list", "--nonsense").err
    assert run("list", "--nonsense", "--json").error["fix"] == "recollect list --help"


def test_debug_shows_the_chain(process: Run) -> None:
    assert "Traceback" not in process("show", "01").err
    said = process("--debug", "show", "01")
    assert "Traceback" in said.err
    assert "StoreMissing" in said.err


# -- streams ---------------------------------------------------------------------------------------------


def test_only_data_goes_to_standard_output(run: Run) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said = run("remember", f"Use {token}\u200b", "--json")
    assert json.loads(said.out)["redacted"]
    for number in range(25):
        run("remember", f"Note {number} of {number * 3}")
    listed = run("list")
    assert "20 of 26 shown" in listed.err
    assert "shown" not in listed.out
    reindexed = run("reindex", "--json")
    assert json.loads(reindexed.out)["embedded"] == 0


def test_colours_only_where_they_are_wanted(run: Run, process: Run) -> None:
    a_store(run)
    assert "\x1b" not in process("list").out
    assert "\x1b" in process("list", FORCE_COLOR="1").out
    assert "\x1b" not in process("list", FORCE_COLOR="1", NO_COLOR="1").out
    assert "\x1b" not in process("show", "ZZ", FORCE_COLOR="1", NO_COLOR="1").err


def test_a_reader_that_has_seen_enough_ends_it_quietly(run: Run) -> None:
    with Recollect(folder=None) as memory:
        memory.remember_many([memory.draft(f"Line {n} " + "x" * 500) for n in range(800)])
    command = " ".join([*RECOLLECT, "export"])
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -1"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.startswith('{"schema": 1')
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_terminal_without_our_letters_gets_them_spelled_out(run: Run, process: Run) -> None:
    run("remember", "Größe → 数据")
    for words in (("list",), ("list", "--json"), ("show", "Größe →", "--json")):
        for encoding in ("ascii", "cp1252", "latin-1"):
            done = subprocess.run(
                [*RECOLLECT, *words],
                capture_output=True,
                env=os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
                timeout=60,
                check=False,
            )
            assert done.returncode == (1 if words[0] == "show" else 0), done.stderr
            assert b"Traceback" not in done.stderr
            assert b"\\u6570" in done.stdout or encoding == "ascii" or words[0] == "show"


def test_a_folder_that_is_gone_is_named(run: Run, tmp_path: Path) -> None:
    a_store(run)
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["bash", "-c", f"cd {gone} && rmdir {gone} && {' '.join(RECOLLECT)} list --json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "PYTHONSAFEPATH": "1"},
    )
    assert done.returncode == 1
    assert "it is gone" in json.loads(done.stderr)["error"]["message"]


# -- signals ---------------------------------------------------------------------------------------------


def test_an_interrupt_during_reindex_ends_with_130_and_keeps_what_was_done(run: Run, tmp_path: Path) -> None:
    # A test run started in the background ignores interrupts, and its children would too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with Recollect(folder=None) as memory:
        memory.remember_many([memory.draft(f"Fact {n} has value {n * 7}") for n in range(640)])
    running = subprocess.Popen(
        [*RECOLLECT, "reindex"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"RECOLLECT_EMBEDDING_TIER": "bundled"},
    )
    assert running.stderr is not None
    first = running.stderr.readline()
    assert "Embedding: " in first
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert err.strip().endswith("Stopped.")
    assert "Traceback" not in err
    assert out == ""
    with Recollect(folder=None) as memory:
        assert 0 < sum(memory.admin.stats().vectors.values()) < 640


# -- questions -------------------------------------------------------------------------------------------


def test_forgetting_by_filter_needs_a_yes_when_nobody_can_be_asked(run: Run) -> None:
    a_store(run)
    said = run("forget", "--kind", "decision", "--json")
    assert said.code == 2
    assert "--yes" in said.error["message"]
    assert run("list", "--json").json["total"] == 2
    assert "Forgot" in run("forget", "--kind", "decision", "--yes").out
    assert run("list", "--json").json["total"] == 1


def test_a_dry_run_changes_nothing(run: Run) -> None:
    memory_id = a_store(run)
    for words in (
        ("forget", "--kind", "decision", "--dry-run"),
        ("forget", memory_id, "--purge", "--dry-run"),
    ):
        assert "Would forget" in run(*words).out
        assert run("list", "--json").json["total"] == 2
    assert len(run("history", "--json").json["changes"]) == 2


def test_forgetting_without_saying_what_is_refused(run: Run) -> None:
    a_store(run)
    for words in (("forget",), ("forget", "--yes"), ("forget", "--all-projects", "--yes")):
        assert run(*words).code == 2
    assert run("list", "--json").json["total"] == 2


def test_a_purge_needs_a_yes_even_by_name_and_a_person(run: Run, person: Run) -> None:
    memory_id = a_store(run)
    assert run("forget", memory_id, "--purge").code == 2
    assert "Only a person may remove a memory for good" in run("forget", memory_id, "--purge", "--yes").err
    assert run("show", memory_id).code == 0
    assert "Purged" in person("forget", memory_id, "--purge", "--yes").out
    assert run("show", memory_id).code == 1


def test_forgetting_by_filter_takes_all_not_only_the_first_thousand(run: Run) -> None:
    with Recollect(folder=".") as memory:
        memory.remember_many([memory.draft(f"Note {n} of {n * 3}", tags=["old"]) for n in range(1100)])
    assert len(run("forget", "--tag", "old", "--yes", "--json").json["changed"]) == 1100
    assert run("list", "--json").json["total"] == 0
    assert len(run("undo", "--json").json["changed"]) == 1100


def test_restoring_over_memories_needs_a_yes(run: Run) -> None:
    a_store(run)
    run("backup", "copy.db")
    said = run("restore", "copy.db", "--json")
    assert said.code == 2
    assert "--yes" in said.error["message"]


def test_a_backup_never_overwrites(run: Run) -> None:
    a_store(run)
    Path("copy.db").write_text("precious")
    assert run("backup", "copy.db").code == 2
    assert Path("copy.db").read_text() == "precious"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_at_a_terminal_it_asks_and_no_means_no(run: Run) -> None:
    a_store(run)
    for answer, code, left in (("n", 130, 2), ("y", 0, 1)):
        assert in_a_terminal(["forget", "--kind", "decision"], answer) == code
        assert run("list", "--json").json["total"] == left


def in_a_terminal(words: list[str], answer: str) -> int:
    import pty

    parent, child = pty.openpty()
    running = subprocess.Popen([*RECOLLECT, *words], stdin=child, stdout=child, stderr=child)
    os.close(child)
    shown = b""
    while b"[y/N]" not in shown:
        shown += os.read(parent, 1024)
    os.write(parent, answer.encode() + b"\n")
    started = time.monotonic()
    while running.poll() is None and time.monotonic() - started < 30:
        try:
            os.read(parent, 1024)
        except OSError:
            break
    os.close(parent)
    return running.wait(timeout=30)


def test_at_a_terminal_it_is_the_user_who_speaks_and_elsewhere_the_agent(run: Run) -> None:
    made = run("remember", "Said by an agent", "--json").json["memory"]
    assert (made["channel"], made["source"]) == ("agent", "agent_explicit")
    assert run("history", "--json").json["changes"][0]["actor"] == "agent"


# -- completion ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "pwsh"])
def test_a_completion_script_is_printed_for(run: Run, shell: str) -> None:
    said = run("completion", shell)
    assert said.code == 0
    assert "_RECOLLECT_COMPLETE" in said.out
    assert said.err == ""
    assert run("completion", "csh").code == 2


def completed(tmp_path: Path, *words: str) -> set[str]:
    """What bash offers for the last of these words, with our script loaded into it."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    command = folder / "recollect"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m recollect "$@"\n')
    command.chmod(0o755)
    script = f"""
        source <(recollect completion bash)
        COMP_WORDS=({" ".join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
        _recollect_completion recollect
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"},
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_completes_commands_and_options_and_values(tmp_path: Path) -> None:
    assert completed(tmp_path, "recollect", "re") == {
        "remember",
        "recall",
        "review",
        "reindex",
        "restore",
        "revive",
        "reword",
        "recipes",
        "resume",
    }
    assert completed(tmp_path, "recollect", "") == set(COMMANDS)
    assert completed(tmp_path, "recollect", "config", "s") == {"show", "set"}
    assert "--explain" in completed(tmp_path, "recollect", "recall", "x", "--ex")
    assert completed(tmp_path, "recollect", "recall", "x", "--profile", "k") == {"keywords"}
    assert completed(tmp_path, "recollect", "remember", "x", "--scope", "") >= {"global", "module"}
    assert completed(tmp_path, "recollect", "remember", "x", "--kind", "go") == {"gotcha"}


def test_the_protocol_behind_powershell_answers(process: Run) -> None:
    said = process(_RECOLLECT_COMPLETE="fish_complete", COMP_WORDS="recollect re", COMP_CWORD="re")
    assert said.code == 0
    assert {line.split(",")[1].split("\t")[0] for line in said.out.splitlines()} == {
        "remember",
        "recall",
        "review",
        "reindex",
        "restore",
        "revive",
        "reword",
        "recipes",
        "resume",
    }


@pytest.mark.parametrize(
    ("number", "what", "said"),
    [
        (0, "memory", "0 memories"),
        (1, "memory", "1 memory"),
        (2, "file", "2 files"),
        (1200, "recipe", "1,200 recipes"),
    ],
)
def test_numbers_of_things_are_spoken_as_people_do(number: int, what: str, said: str) -> None:
    assert output.count_phrase(number, what) == said
