"""The story that `recollect demo` tells: real commands on a throw-away memory and a repository made on the spot."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from recollect import config
from recollect.demo import past_sessions
from recollect.demo.sample_project import make_sample_project
from recollect.model.value import dataclass

_FILES = {
    "src/retry.py": "MAX_ATTEMPTS = 3\n\n\ndef call(send):\n    for _ in range(MAX_ATTEMPTS):\n        send()\n",
    "src/clock.py": "def now():\n    return 0\n",
    "src/auth.py": "def refreshToken(session):\n    return session.renew()\n",
    "README.md": "# shop\n",
}
_GIT = ("-c", "user.name=demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false")


@dataclass(frozen=True, slots=True)
class DemoScene:
    """What is about to be seen, and the commands that show it: of recollect, or of git."""

    says: str
    commands: tuple[tuple[str, ...], ...]


STORY = (
    DemoScene(
        "An agent works in a repository and learns three things. Each is tied to what it is about.",
        (
            (
                *(
                    "remember",
                    "Payment retries are capped at 3, because the bank blocks cards after the fourth try",
                ),
                *("--kind", "decision", "--about", "src/retry.py"),
            ),
            (
                *(
                    "remember",
                    "refreshToken must run before the session cache is read, or users are logged out",
                ),
                *("--kind", "gotcha", "--about", "src/auth.py"),
            ),
            (
                "remember",
                "Caddy only comes up after WireGuard is connected",
                "--kind",
                "dependency",
                "--about",
                "service:caddy",
            ),
        ),
    ),
    DemoScene(
        "Weeks later someone asks in other words. --explain shows what each score is made of.",
        (("recall", "how many times may we attempt to charge a card?", "--limit", "1", "--explain"),),
    ),
    DemoScene(
        "Names are enough: a file by its tail, half an identifier, a service with a typo.",
        (
            ("recall", "what should I know about auth.py and the token?", "--limit", "1"),
            ("recall", "why does cady fail to start", "--limit", "1"),
        ),
    ),
    DemoScene(
        "The same thing said again is recognised, not stored twice.",
        (
            (
                *(
                    "remember",
                    "payment retries are capped at 3 because the bank blocks cards after the fourth try.",
                ),
                *("--kind", "decision"),
            ),
        ),
    ),
    DemoScene(
        "Code moves on. A renamed file takes its memory along; a deleted one leaves it marked as stale.",
        (
            ("git", "mv", "src/retry.py", "src/backoff.py"),
            ("git", "rm", "-q", "src/auth.py"),
            ("git", "commit", "-q", "-m", "tidy"),
            ("stale", "--sweep"),
            ("recall", "what must run before the session cache is read?", "--limit", "1"),
        ),
    ),
    DemoScene(
        "What agents did teaches too: three past sessions met the same error and mended it.",
        (
            ("import", "sessions", "claude-code", "../sessions"),
            ("recall", "pytest: ClockError, the retry clock must be monotonic", "--limit", "1"),
        ),
    ),
    DemoScene(
        "Nothing changes without a trace, and everything can be taken back.",
        (
            ("forget", "--about", "service:caddy", "--yes"),
            ("history", "--limit", "4"),
            ("undo",),
            ("list",),
        ),
    ),
)


def tell_story(say: Callable[[str], None]) -> bool:
    """Tell the story; whether every command did what it should."""
    git = shutil.which("git")
    story = [scene for scene in STORY if git or all(command[0] != "git" for command in scene.commands)]
    with _make_repository(git) as (folder, environment):
        for number, scene in enumerate(story, start=1):
            say(f"\n{number}. {scene.says}")
            for command in scene.commands:
                of_git = command[0] == "git"
                say(f"\n$ {'' if of_git else 'recollect '}{' '.join(map(_quoted, command))}")
                program = [str(git), *_GIT] if of_git else [sys.executable, "-m", "recollect"]
                if not _run([*program, *command[of_git:]], folder, environment):
                    return False
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
        with subprocess.Popen(command, cwd=project, env=_environment(home)) as process:
            try:
                return process.wait() == 0
            except KeyboardInterrupt:  # the dashboard got it too, and ends by itself
                return process.wait() == 0


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
        past_sessions.write_past_sessions(Path(temporary, "sessions"), folder)
        yield folder, _environment(Path(temporary, "home"))


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
