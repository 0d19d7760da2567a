"""
What `recollect doctor` looks at in coding agents: whether what was installed is there, and works when it is run.

An agent says little or nothing about a hook that is broken, so nobody else would notice.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from recollect.clients.client_install import ClientFolders
from recollect.clients.file_parts import HOOKS_MODULE, MCP_MODULE, FileFormat, python_in
from recollect.clients.registry import CLIENTS, Client, find_client
from recollect.hooks.log import failures
from recollect.model.health import Finding, FindingLevel
from recollect.model.value import dataclass
from recollect.surfaces.install import disk
from recollect.surfaces.install.edit import CannotEdit, commands_at
from recollect.surfaces.install.manifest import Manifest, Record
from recollect.surfaces.install.trial import Trial, try_hook, try_server

Words = tuple[str, ...]
_VERSION = r"\d+\.\d+[\w.+-]*"
_VERSION_SECONDS = 20


def check_agents(folders: ClientFolders, manifest: Manifest, python: str) -> list[Finding]:
    """Every agent that recollect was put into; nothing is changed. `python` is the one that should be run."""
    findings = [
        finding for client in CLIENTS for finding in _Checkup(client, folders, manifest, python).findings()
    ]
    if not findings:
        detail = "recollect is in no coding agent yet; `recollect init` puts it there"
        findings.append(Finding(check="agents", verdict=FindingLevel.PASS, detail=detail))
    return findings


def read_version(client: Client) -> str:
    """The version that an agent's program tells; "" when it tells none."""
    program = shutil.which(client.program)
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    version = re.search(_VERSION, done.stdout)
    return version[0] if version else ""


def check_log(log: str, since: datetime) -> list[Finding]:
    """What hooks wrote down about their own failures since then; nothing where none ever failed."""
    failed = failures(log)
    if not failed:
        return []
    recent = [failure for failure in failed if _parse_time(failure.get("at")) >= since]
    if not recent:
        detail = f"no hook has failed since {since:%Y-%m-%d}"
        return [Finding(check="hook log", verdict=FindingLevel.PASS, detail=detail)]
    last = recent[-1]
    detail = (
        f"{len(recent)} hooks failed since {since:%Y-%m-%d}; the last, {last.get('client')} {last.get('event')}"
        f" at {last.get('at')}: {last.get('trouble')}"
    )
    return [Finding(check="hook log", verdict=FindingLevel.WARN, detail=detail, fix=f"see {log}")]


@dataclass(frozen=True, slots=True)
class _Checkup:
    """One agent looked at."""

    client: Client
    folders: ClientFolders
    manifest: Manifest
    python: str

    def findings(self) -> Iterator[Finding]:
        """All that can be said of it; nothing for an agent that recollect is not in."""
        records = [record for record in self.manifest.values() if record.client == self.client.name]
        plugin = self.client.load_install().instead(self.folders)
        if not records:
            yield from self._plugin(plugin)
            return
        if plugin:
            detail = f"{plugin}; with the hooks in the settings everything is told twice"
            yield self._bad("", detail, FindingLevel.WARN, fix="recollect uninstall")
        yield self._version()
        commands: list[Words] = []
        for record in records:
            trouble, installed = _find_installed(record)
            commands += installed
            if trouble:
                yield self._bad("", f"{record.path}: {trouble}")
        yield from self._runs("server", [words for words in commands if MCP_MODULE in words])
        yield from self._runs("hooks", [words for words in commands if MCP_MODULE not in words])
        yield from self._trust(records)

    def _plugin(self, plugin: str) -> Iterator[Finding]:
        if not plugin:
            return
        yield self._good("", plugin)
        runs = self.client.load_install().instead_runs(self.folders)
        if not runs:
            yield self._bad(
                "hooks", "the files of the plugin are not where it was installed", fix="claude plugin list"
            )
            return
        hooks = [(*runs, HOOKS_MODULE, self.client.name, event) for event in self.client.hook_events]
        yield self._tried("server", [((*runs, MCP_MODULE), try_server((*runs, MCP_MODULE)))])
        yield self._tried("hooks", [(words, try_hook(words, words[-1])) for words in hooks])

    def _version(self) -> Finding:
        version, tried = read_version(self.client), self.client.tried_version
        if not tried:
            return self._bad(
                "", f"{version or 'its version is not known'}; never tried", FindingLevel.WARN, fix=""
            )
        if not version:
            return self._good("", f"its version is not known; tried with {tried}")
        if _version_numbers(version) < _version_numbers(tried):
            detail = f"version {version} is older than {tried}, which recollect was tried with"
            return self._bad("", detail, FindingLevel.WARN, fix="")
        return self._good("", f"version {version}; tried with {tried}")

    def _runs(self, what: str, commands: Sequence[Words]) -> Iterator[Finding]:
        """Run all commands of a kind for real, unless their Python is not even there."""
        for python in dict.fromkeys(map(python_in, commands)):
            mine = [words for words in commands if python_in(words) == python]
            if shutil.which(python) is None:
                yield self._bad(what, f"{python} is not there any more, so {len(mine)} of them do nothing")
                continue
            if python != self.python:
                detail = f"they run {python}, and this recollect is in {self.python}"
                yield self._bad(what, detail, FindingLevel.WARN)
            trials = [try_server(w) if what == "server" else try_hook(w, w[-1]) for w in mine]
            yield self._tried(what, list(zip(mine, trials, strict=True)))

    def _tried(self, what: str, tried: Sequence[tuple[Words, Trial]]) -> Finding:
        broken = [(words[-1], trial.trouble) for words, trial in tried if trial.trouble]
        if broken:
            name, trouble = broken[0]
            return self._bad(what, f"{len(broken)} of {len(tried)} do not work; {name}: {trouble}")
        times = ", ".join(f"{words[-1]} {trial.milliseconds:.0f}" for words, trial in tried)
        return self._good(what, f"{len(tried)} run, in ms of CPU: {times}")

    def _trust(self, records: Sequence[Record]) -> Iterator[Finding]:
        hooks = next((Path(r.path) for r in records if Path(r.path).name == "hooks.json"), None)
        if self.client.name != "codex" or hooks is None:
            return
        passed_over = self.client.load_install().find_untrusted(hooks, self.folders)
        if passed_over:
            detail = f"Codex passes over {len(passed_over)} hooks that you have not trusted: {', '.join(passed_over)}"
            yield self._bad("trust", detail, FindingLevel.WARN, fix="codex, then type /hooks")
        else:
            yield self._good("trust", "Codex trusts all hooks")

    def _good(self, what: str, detail: str) -> Finding:
        return Finding(check=self._name(what), verdict=FindingLevel.PASS, detail=detail)

    def _bad(
        self, what: str, detail: str, verdict: FindingLevel = FindingLevel.FAIL, *, fix: str | None = None
    ) -> Finding:
        mend = f"recollect init --agent {self.client.name}" if fix is None else fix
        return Finding(check=self._name(what), verdict=verdict, detail=detail, fix=mend)

    def _name(self, what: str) -> str:
        return f"{self.client.name} {what}".strip()


def _find_installed(record: Record) -> tuple[str, list[Words]]:
    """What is wrong with a file that we wrote, and the commands of ours in it."""
    state = disk.look(Path(record.target))
    if state.raw is None:
        return state.refused or "it is gone", []
    text = state.raw.decode("utf-8", "replace")
    if record.form is FileFormat.TEXT:
        client = find_client(record.client)
        words = client.load_install().command_in(text) if client else ()
        if not client or not words:
            return "the command of recollect is not in it", []
        return "", [(*words, event) for event in client.hook_events]
    try:
        by_path = commands_at(text, record.form, record.parts)
    except CannotEdit as error:
        return str(error), []
    lost = [path[-1] for path, commands in by_path.items() if not commands]
    trouble = f"{len(lost)} of {len(by_path)} entries are gone ({', '.join(lost[:3])})" if lost else ""
    return trouble, [words for commands in by_path.values() for words in commands]


def _parse_time(text: object) -> datetime:
    try:
        at = datetime.fromisoformat(str(text))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _version_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("-")[0].split(".") if part.isdigit())
