"""
What `recollect doctor` looks at in coding agents: whether what was installed is there, and works when it is run.

An agent says little or nothing about a hook that is broken, so nobody else would notice.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from recollect.clients.client import Client, Place
from recollect.clients.codex.trust import untrusted
from recollect.clients.file_parts import HOOKS_MODULE, MCP_MODULE, Form
from recollect.clients.hook_events import TABLE
from recollect.clients.opencode import install
from recollect.clients.registry import CLIENTS, version_of
from recollect.hooks.log import failures
from recollect.model.finding import Finding, Verdict
from recollect.model.value import dataclass
from recollect.surfaces.install import disk
from recollect.surfaces.install.edit import CannotEdit, commands_at
from recollect.surfaces.install.manifest import Manifest, Record
from recollect.surfaces.install.trial import Trial, try_hook, try_server

Words = tuple[str, ...]


def check_agents(place: Place, manifest: Manifest, python: str) -> list[Finding]:
    """Every agent that recollect was put into; nothing is changed. `python` is the one that should be run."""
    found = [
        finding for client in CLIENTS for finding in _Checkup(client, place, manifest, python).findings()
    ]
    if not found:
        detail = "recollect is in no coding agent yet; `recollect init` puts it there"
        found.append(Finding(check="agents", verdict=Verdict.PASS, detail=detail))
    return found


def check_log(log: str, since: datetime) -> list[Finding]:
    """What hooks wrote down about their own failures since then; nothing where none ever failed."""
    told = failures(log)
    if not told:
        return []
    recent = [one for one in told if _moment(one.get("at")) >= since]
    if not recent:
        detail = f"no hook has failed since {since:%Y-%m-%d}"
        return [Finding(check="hook log", verdict=Verdict.PASS, detail=detail)]
    last = recent[-1]
    detail = (
        f"{len(recent)} hooks failed since {since:%Y-%m-%d}; the last, {last.get('client')} {last.get('event')}"
        f" at {last.get('at')}: {last.get('trouble')}"
    )
    return [Finding(check="hook log", verdict=Verdict.WARN, detail=detail, fix=f"see {log}")]


@dataclass(frozen=True, slots=True)
class _Checkup:
    """One agent looked at."""

    client: Client
    place: Place
    manifest: Manifest
    python: str

    def findings(self) -> Iterator[Finding]:
        """All that can be said of it; nothing for an agent that recollect is not in."""
        records = [record for record in self.manifest.values() if record.client == self.client.name]
        plugin = self.client.instead(self.place)
        if not records:
            yield from self._plugin(plugin)
            return
        if plugin:
            detail = f"{plugin}; with the hooks in the settings everything is told twice"
            yield self._bad("", detail, Verdict.WARN, fix="recollect uninstall")
        yield self._version()
        commands: list[Words] = []
        for record in records:
            trouble, found = _installed(record)
            commands += found
            if trouble:
                yield self._bad("", f"{record.path}: {trouble}")
        yield from self._runs("server", [words for words in commands if MCP_MODULE in words])
        yield from self._runs("hooks", [words for words in commands if MCP_MODULE not in words])
        yield from self._trust(records)

    def _plugin(self, plugin: str) -> Iterator[Finding]:
        if not plugin:
            return
        yield self._good("", plugin)
        runs = self.client.instead_runs(self.place)
        if not runs:
            yield self._bad(
                "hooks", "the files of the plugin are not where it was installed", fix="claude plugin list"
            )
            return
        hooks = [(*runs, HOOKS_MODULE, self.client.name, event) for event in TABLE[self.client.name]]
        yield self._tried("server", [((*runs, MCP_MODULE), try_server((*runs, MCP_MODULE)))])
        yield self._tried("hooks", [(words, try_hook(words, words[-1])) for words in hooks])

    def _version(self) -> Finding:
        version, tried = version_of(self.client), self.client.tried
        if not tried:
            return self._bad(
                "", f"{version or 'its version is not known'}; never tried", Verdict.WARN, fix=""
            )
        if not version:
            return self._good("", f"its version is not known; tried with {tried}")
        if _figures(version) < _figures(tried):
            detail = f"version {version} is older than {tried}, which recollect was tried with"
            return self._bad("", detail, Verdict.WARN, fix="")
        return self._good("", f"version {version}; tried with {tried}")

    def _runs(self, what: str, commands: Sequence[Words]) -> Iterator[Finding]:
        """Run all commands of a kind for real, unless their Python is not even there."""
        for python in dict.fromkeys(words[0] for words in commands):
            mine = [words for words in commands if words[0] == python]
            if shutil.which(python) is None:
                yield self._bad(what, f"{python} is not there any more, so {len(mine)} of them do nothing")
                continue
            if python != self.python:
                detail = f"they run {python}, and this recollect is in {self.python}"
                yield self._bad(what, detail, Verdict.WARN)
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
        passed_over = untrusted(hooks, self.client.settings(self.place) / "config.toml")
        if passed_over:
            detail = f"Codex passes over {len(passed_over)} hooks that you have not trusted: {', '.join(passed_over)}"
            yield self._bad("trust", detail, Verdict.WARN, fix="codex, then type /hooks")
        else:
            yield self._good("trust", "Codex trusts all hooks")

    def _good(self, what: str, detail: str) -> Finding:
        return Finding(check=self._name(what), verdict=Verdict.PASS, detail=detail)

    def _bad(
        self, what: str, detail: str, verdict: Verdict = Verdict.FAIL, *, fix: str | None = None
    ) -> Finding:
        mend = f"recollect init --agent {self.client.name}" if fix is None else fix
        return Finding(check=self._name(what), verdict=verdict, detail=detail, fix=mend)

    def _name(self, what: str) -> str:
        return f"{self.client.name} {what}".strip()


def _installed(record: Record) -> tuple[str, list[Words]]:
    """What is wrong with a file that we wrote, and the commands of ours in it."""
    seen = disk.look(Path(record.target))
    if seen.raw is None:
        return seen.refused or "it is gone", []
    text = seen.raw.decode("utf-8", "replace")
    if record.form is Form.TEXT:
        begins = install.command_in(text)
        trouble = "" if begins else "the command of recollect is not in it"
        return trouble, [(*begins, event) for event in TABLE[record.client] if begins]
    try:
        found = commands_at(text, record.form, record.parts)
    except CannotEdit as error:
        return str(error), []
    lost = [path[-1] for path, commands in found.items() if not commands]
    trouble = f"{len(lost)} of {len(found)} entries are gone ({', '.join(lost[:3])})" if lost else ""
    return trouble, [words for commands in found.values() for words in commands]


def _moment(told: object) -> datetime:
    try:
        found = datetime.fromisoformat(str(told))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _figures(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("-")[0].split(".") if part.isdigit())
