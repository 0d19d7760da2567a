"""The commands that agents run: this installation's own Python, said so that every shell understands it."""

from __future__ import annotations

import shlex
import sys

from recollect.clients.file_parts import HOOKS_MODULE, MCP_MODULE
from recollect.model.value import dataclass

# Folders of environments that are thrown away after a run: what starts from there is gone tomorrow.
_THROWN_AWAY = ("/archive-v0/", "/uv/builds", "/pipx/.cache/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The Python that recollect is installed in."""

    python: str
    windows: bool = False

    @property
    def is_temporary(self) -> bool:
        """Whether it lives in an environment made for one run, as by `uvx`."""
        return any(folder in self.python.replace("\\", "/") for folder in _THROWN_AWAY)

    def hook_words(self, client: str, event: str) -> list[str]:
        """The words of a hook's command. With -P a module of the same name in the agent's folder is not run."""
        return [self.python, "-P", "-m", HOOKS_MODULE, client, event]

    def hook_command(self, client: str, event: str) -> str:
        """A hook's command as a line for a shell."""
        return quoted(self.hook_words(client, event), windows=self.windows)

    def mcp_words(self) -> list[str]:
        """The words that start the MCP server."""
        return [self.python, "-P", "-m", MCP_MODULE]


def this_program() -> Program:
    """The Python that runs now. A link in a virtual environment is not followed: it is the environment."""
    return Program(python=sys.executable, windows=sys.platform == "win32")


def quoted(words: list[str], *, windows: bool) -> str:
    """Words as one line: for sh, or so that both cmd and the bash of Windows read them alike."""
    if not windows:
        return shlex.join(words)
    return " ".join(f'"{word}"' if set(word) & set(" &()^;,'") else word for word in _slashed(words))


def _slashed(words: list[str]) -> list[str]:
    return [words[0].replace("\\", "/"), *words[1:]]
