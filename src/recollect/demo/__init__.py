"""The story that `recollect demo` tells: an agent's sessions through real hooks, real commands, a throw-away memory."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from recollect import config
from recollect.demo.played_session import HookCosts, PlayedSession, PlayedStep, wait_until_learned
from recollect.demo.sample_project import make_sample_project
from recollect.model.value import dataclass

_FILES = {
    "src/retry.py": "MAX_ATTEMPTS = 3\n\n\ndef call(send):\n    for _ in range(MAX_ATTEMPTS):\n        send()\n",
    "src/clock.py": "def now():\n    return 0\n",
    "README.md": "# shop\n",
}
_GIT = ("-c", "user.name=demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false")


# A hook gives up early where an agent waits for it; on a busy machine the story waits longer.
_PATIENCE = "20000"
_FAILED = (
    "E   ClockError: the retry clock must be monotonic\n"
    "FAILED tests/test_retry.py::test_waits - ClockError\n"
    "1 failed, 11 passed in 0.31s"
)
_PASSED = "12 passed in 0.30s"


@dataclass(frozen=True, slots=True)
class DemoScene:
    """What is about to be seen: a session of an agent, and commands of recollect or of git."""

    says: str
    commands: tuple[tuple[str, ...], ...] = ()
    session: tuple[PlayedStep, ...] = ()


STORY = (
    DemoScene(
        "Monday. An agent makes a mistake, mends it, and is given a rule.",
        session=(
            PlayedStep(prompt="Wait longer between payment retries."),
            PlayedStep(edited="src/retry.py"),
            PlayedStep(command="pytest -q", output=_FAILED, passed=False),
            PlayedStep(edited="src/clock.py"),
            PlayedStep(command="pytest -q", output=_PASSED),
            PlayedStep(prompt="Never raise MAX_ATTEMPTS in src/retry.py: the bank blocks cards."),
        ),
    ),
    DemoScene(
        "The session ended. The person's rule was heard; nobody wrote it down.",
        commands=(("list",),),
    ),
    DemoScene(
        "Tuesday, a new session: told at the prompt, and at the same failure.",
        session=(
            PlayedStep(prompt="Raise MAX_ATTEMPTS in src/retry.py, too many cards are refused."),
            PlayedStep(edited="src/retry.py"),
            PlayedStep(command="pytest -q", output=_FAILED.replace("0.31", "0.44"), passed=False),
            PlayedStep(edited="src/clock.py"),
            PlayedStep(command="pytest -q", output=_PASSED),
        ),
    ),
    DemoScene(
        "Wednesday, other work. Memory has nothing to say, and says nothing.",
        session=(PlayedStep(prompt="Translate the greeting in README.md into French."),),
    ),
    DemoScene(
        "Anybody may ask, in words of their own.",
        commands=(("recall", "may we try to charge a card more often?", "--limit", "1"),),
    ),
    DemoScene(
        "Code moves on, and the memory moves along.",
        commands=(
            ("git", "mv", "src/retry.py", "src/backoff.py"),
            ("git", "commit", "-q", "-am", "tidy"),
            ("stale", "--sweep"),
        ),
    ),
    DemoScene(
        "Nothing changes without a trace, and everything can be taken back.",
        commands=(
            ("forget", "--about", "src/backoff.py", "--yes"),
            ("undo",),
        ),
    ),
)


def tell_story(say: Callable[[str], None], show: Callable[[str], None]) -> bool:
    """Tell the story; whether every command did what it should. `say` gets headings and commands, `show` the lines."""
    git = shutil.which("git")
    story = [scene for scene in STORY if git or all(command[0] != "git" for command in scene.commands)]
    costs = HookCosts()
    with _make_repository(git) as (folder, environment):
        for number, scene in enumerate(story, start=1):
            say(f"\n{number}. {scene.says}\n")
            if scene.session:
                session = PlayedSession(f"session-{number}", folder, environment, show, costs)
                session.play(scene.session)
                wait_until_learned(folder, environment)
            for command in scene.commands:
                of_git = command[0] == "git"
                say(f"$ {'' if of_git else 'recollect '}{' '.join(map(_quoted, command))}")
                program = [str(git), *_GIT] if of_git else [sys.executable, "-m", "recollect"]
                if not _run([*program, *command[of_git:]], folder, environment):
                    return False
    show(f"\nIt cost: {costs.describe()}")
    return True


def show_dashboard(options: Sequence[str], say: Callable[[str], None], now: datetime) -> bool:
    """Fill a throw-away memory with a sample project and serve its dashboard until Ctrl-C; nothing stays behind."""
    with tempfile.TemporaryDirectory(prefix="recollect-demo-", ignore_cleanup_errors=True) as temporary:
        folder, home = Path(temporary), Path(temporary, "home")
        say("Making a sample project: a repository, a month of sessions, scheduled runs, a vault …")
        settings = config.load_settings(
            None,
            {
                "db": str(home / "data" / "memories.db"),
                "embedding.tier": "bundled",
                "vault.path": str(folder / "vault"),
            },
        )
        project = make_sample_project(folder, settings, now=now)
        command = [sys.executable, "-m", "recollect", "ui", "--project", str(project), *options]
        # Ended from outside, it ends as with Ctrl-C: the dashboard goes along, and so does the folder.
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        with subprocess.Popen(command, cwd=project, env=_environment(home)) as process:
            try:
                return process.wait() == 0
            except KeyboardInterrupt:  # the dashboard got it too, and ends by itself
                return process.wait() == 0
            finally:
                if process.poll() is None:
                    process.terminate()


@contextmanager
def _make_repository(git: str | None) -> Iterator[tuple[Path, Mapping[str, str]]]:
    """A small repository and a memory of its own, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="recollect-demo-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary, "shop")
        for name, text in _FILES.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        if git:
            for arguments in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "begin")):
                subprocess.run([git, *_GIT, *arguments], cwd=folder, check=False, capture_output=True)
        yield folder, _environment(Path(temporary, "home")) | {"RECOLLECT_HOOKS_MOST_MS": _PATIENCE}


def _environment(home: Path) -> dict[str, str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("RECOLLECT_", "GIT_"))
    }
    return {**environment, "RECOLLECT_HOME": str(home), "RECOLLECT_EMBEDDING_TIER": "bundled"}


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> bool:
    sys.stdout.flush()
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode == 0


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word
