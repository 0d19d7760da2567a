"""The jobs file: TOML with jobs, their tiers, schedules and triggers, and the limits of actions, all checked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from recollect.errors import BadSetting, NotFound
from recollect.model.operations import CooldownLimit, OpsRetention
from recollect.model.value import dataclass, field
from recollect.ops.actions import DEFAULT_PATTERNS
from recollect.ops.clients import OWN, PRESETS
from recollect.ops.markers import EventLevel
from recollect.ops.schedule import Schedule, parse_schedule
from recollect.ops.streams import READERS

FILE_NAME = "ops.toml"
OVERLAPS = ("skip", "wait", "allow")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*([smhdw]?)")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")

DEFAULT_LIMITS = (
    CooldownLimit(action="restart", most=2, window=timedelta(hours=4)),
    CooldownLimit(action="redeployment", most=1, window=timedelta(hours=24)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpsTier:
    """One tier of a job: who runs, with which words, tools and limits."""

    number: int
    client: str = "claude"
    command: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    stream: str = ""
    model: str = ""
    tools: tuple[str, ...] = ()
    prompt: str = ""
    budget_usd: float | None = None
    memory_tokens: int = 2_000
    timeout: timedelta = timedelta(minutes=30)
    structured: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OpsNotice:
    """A command that is told of what matters, as JSON on its standard input."""

    command: tuple[str, ...]
    level: str = EventLevel.CRITICAL
    failures: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OpsJob:
    """One job: when it runs, and its tiers from the first to the highest."""

    name: str
    folder: Path
    tiers: tuple[OpsTier, ...]
    schedule: Schedule | None = None
    files: tuple[str, ...] = ()
    webhook: bool = False
    overlap: str = "skip"
    retries: int = 0
    backoff: timedelta = timedelta(seconds=30)
    environment: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    before: tuple[tuple[str, ...], ...] = ()
    dry_run: bool = False
    escalate_on_failure: bool = False
    guard: bool = True
    # Whether its runs are learned from like every session.
    learn: bool = True
    notice: OpsNotice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpsFile:
    """All that a jobs file says."""

    path: Path
    jobs: Mapping[str, OpsJob]
    limits: Mapping[str, CooldownLimit]
    patterns: Mapping[str, tuple[str, ...]]
    healthy_checks: int = 2
    webhook_port: int = 8787
    webhook_token_file: Path | None = None
    retention: OpsRetention = field(default_factory=OpsRetention)

    def get(self, name: str) -> OpsJob:
        """The job of this name."""
        if name not in self.jobs:
            known = ", ".join(self.jobs) or "none"
            raise NotFound(
                f"There is no job {name!r} in {self.path}. Its jobs are: {known}.", fix="recollect ops init"
            )
        return self.jobs[name]

    def limit_of(self, action: str) -> CooldownLimit:
        """The limit of an action; one that has none of its own gets that of a restart."""
        known = self.limits.get(action)
        if known is not None:
            return known
        other = self.limits.get("restart", DEFAULT_LIMITS[0])
        return CooldownLimit(action=action, most=other.most, window=other.window)


def default_file(path: Path) -> OpsFile:
    """What holds where there is no jobs file: no jobs, and the limits that are ours."""
    return OpsFile(
        path=path,
        jobs={},
        limits={limit.action: limit for limit in DEFAULT_LIMITS},
        patterns=DEFAULT_PATTERNS,
    )


def load_jobs(path: Path) -> OpsFile:
    """Read a jobs file; whatever is wrong with it is named with its place."""
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise NotFound(f"There is no jobs file at {path}. `recollect ops init` writes one.") from None
    except (OSError, ValueError) as error:
        raise BadSetting(f"The jobs file {path} cannot be read ({error}). Mend it.") from error
    top = _Table(document, str(path))
    defaults = top.table("defaults")
    jobs = {
        name: _read_job(name, _Table({**defaults, **table}, f"{path}, jobs.{name}"), path.parent)
        for name, table in top.tables("jobs").items()
    }
    cooldowns = top.tables("cooldowns")
    limits = {limit.action: limit for limit in DEFAULT_LIMITS}
    limits |= {name: _read_limit(name, table, path) for name, table in cooldowns.items()}
    patterns = {**DEFAULT_PATTERNS, **_read_patterns(top.table("actions"), path)}
    webhook = _Table(top.table("webhook"), f"{path}, webhook")
    port, token_file = webhook.whole("port", 8787), webhook.text("token_file")
    healthy = top.whole("healthy_checks", 2)
    retention = _read_retention(_Table(top.table("retention"), f"{path}, retention"))
    webhook.check_empty()
    top.check_empty()
    return OpsFile(
        path=path,
        jobs=MappingProxyType(jobs),
        limits=MappingProxyType(limits),
        patterns=MappingProxyType(patterns),
        healthy_checks=healthy,
        webhook_port=port,
        webhook_token_file=(path.parent / token_file) if token_file else None,
        retention=retention,
    )


def parse_duration(raw: object, where: str) -> timedelta:
    """A time such as 30, "30s", "5m", "4h", "2d"."""
    match = _DURATION.fullmatch(str(raw).strip().lower()) if not isinstance(raw, bool) else None
    if match is None:
        raise BadSetting(f"{where}: {raw!r} is no length of time. Write 30s, 5m, 4h or 2d.")
    return timedelta(seconds=float(match[1]) * _UNITS[match[2] or "s"])


class _Table:
    """A table of the file, asked key by key; a key that nobody asked for is an error."""

    def __init__(self, values: Mapping[str, Any], where: str) -> None:
        self._values = dict(values)
        self._where = where

    def take(self, key: str, default: Any, types: type | tuple[type, ...], what: str) -> Any:
        value = self._values.pop(key, default)
        if value is default:
            return default
        if not isinstance(value, types) or (isinstance(value, bool) and types is not bool):
            raise BadSetting(f"{self._where}: {key} is {what}, not {value!r}.")
        return value

    def text(self, key: str, default: str = "") -> str:
        return str(self.take(key, default, str, "text"))

    def whole(self, key: str, default: int) -> int:
        return int(self.take(key, default, int, "a whole number"))

    def number(self, key: str) -> float | None:
        value = self.take(key, None, (int, float), "a number")
        return None if value is None else float(value)

    def flag(self, key: str, default: bool) -> bool:
        return bool(self.take(key, default, bool, "true or false"))

    def words(self, key: str) -> tuple[str, ...]:
        value = self.take(key, [], list, "a list of texts")
        if not all(isinstance(word, str) for word in value):
            raise BadSetting(f"{self._where}: {key} is a list of texts, not {value!r}.")
        return tuple(value)

    def duration(self, key: str, default: timedelta) -> timedelta:
        raw = self._values.pop(key, None)
        return default if raw is None else parse_duration(raw, f"{self._where}: {key}")

    def one_of(self, key: str, choices: tuple[str, ...], default: str) -> str:
        value = self.text(key, default)
        if value not in choices:
            raise BadSetting(f"{self._where}: {key} is one of {', '.join(choices)}, not {value!r}.")
        return value

    def table(self, key: str) -> dict[str, Any]:
        return dict(self.take(key, {}, dict, "a table"))

    def texts(self, key: str) -> dict[str, str]:
        return {name: str(value) for name, value in self.table(key).items()}

    def tables(self, key: str) -> dict[str, dict[str, Any]]:
        value = self.table(key)
        for name, table in value.items():
            if not isinstance(table, dict) or not _NAME.fullmatch(name):
                raise BadSetting(f"{self._where}: {key}.{name} is no table with a plain name.")
        return value

    def check_empty(self) -> None:
        if self._values:
            raise BadSetting(f"{self._where}: nobody knows what {', '.join(self._values)} should mean.")


_TIER_KEYS = (
    "client",
    "command",
    "options",
    "stream",
    "model",
    "tools",
    "prompt",
    "prompt_file",
    "budget_usd",
    "memory_tokens",
    "timeout",
    "structured",
)


def _read_job(name: str, table: _Table, folder: Path) -> OpsJob:
    shared = {key: table._values.pop(key) for key in _TIER_KEYS if key in table._values}
    tiers = table.take("tiers", [{}], list, "a list of tables")
    plan = table.text("schedule")
    zone = table.text("timezone", "UTC")
    notify = table.table("notify")
    job = OpsJob(
        name=name,
        folder=(folder / table.text("folder", ".")).resolve(),
        tiers=tuple(
            _read_tier(number, _Table({**shared, **tier}, f"{table._where}, tier {number}"), folder)
            for number, tier in enumerate(tiers, 1)
        ),
        schedule=parse_schedule(plan, zone, table._where) if plan else None,
        files=table.words("files"),
        webhook=table.flag("webhook", False),
        overlap=table.one_of("overlap", OVERLAPS, "skip"),
        retries=table.whole("retries", 0),
        backoff=table.duration("backoff", timedelta(seconds=30)),
        environment=table.words("environment"),
        variables=table.texts("variables"),
        facts=table.texts("facts"),
        before=tuple(
            tuple(map(str, words)) for words in table.take("before", [], list, "a list of commands")
        ),
        dry_run=table.flag("dry_run", False),
        escalate_on_failure=table.flag("escalate_on_failure", False),
        guard=table.flag("guard", True),
        learn=table.flag("learn", True),
        notice=_read_notice(_Table(notify, f"{table._where}, notify")) if notify else None,
    )
    table.check_empty()
    return job


def _read_tier(number: int, table: _Table, folder: Path) -> OpsTier:
    file = table.text("prompt_file")
    client = table.one_of("client", (*PRESETS, OWN.name), "own" if "command" in table._values else "claude")
    command, stream = table.words("command"), table.one_of("stream", ("", *READERS), "")
    tier = OpsTier(
        number=number,
        client=client,
        command=command,
        options=table.words("options"),
        stream=stream,
        model=table.text("model"),
        tools=table.words("tools"),
        prompt=_read_prompt(folder / file) if file else table.text("prompt"),
        budget_usd=table.number("budget_usd"),
        memory_tokens=table.whole("memory_tokens", 2_000),
        timeout=table.duration("timeout", timedelta(minutes=30)),
        structured=table.flag("structured", client != OWN.name or _takes_schema(command, stream)),
    )
    table._values.pop("prompt", None)
    table.check_empty()
    if client == OWN.name and not tier.command:
        raise BadSetting(f"{table._where}: a client of your own needs a command.")
    return tier


def _takes_schema(command: Sequence[str], stream: str) -> bool:
    """Whether a command of one's own can be held to a schema; what prints plain text is taught the markers."""
    return "{schema" in " ".join(command) or stream not in ("", "text")


def _read_prompt(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise BadSetting(f"The prompt file {path} cannot be read ({error}).") from error


def _read_notice(table: _Table) -> OpsNotice:
    notice = OpsNotice(
        command=table.words("command"),
        level=table.one_of("level", tuple(EventLevel), EventLevel.CRITICAL),
        failures=table.flag("failures", True),
    )
    table.check_empty()
    return notice


def _read_limit(action: str, values: Mapping[str, Any], path: Path) -> CooldownLimit:
    table = _Table(values, f"{path}, cooldowns.{action}")
    limit = CooldownLimit(
        action=action,
        most=table.whole("most", 1),
        window=table.duration("window", timedelta(hours=4)),
    )
    table.check_empty()
    return limit


def _read_patterns(values: Mapping[str, Any], path: Path) -> dict[str, tuple[str, ...]]:
    table = _Table(values, f"{path}, actions")
    patterns = {action: table.words(action) for action in values}
    for action, expressions in patterns.items():
        for expression in expressions:
            try:
                groups = re.compile(expression).groupindex
            except re.error as error:
                raise BadSetting(
                    f"{path}, actions.{action}: {expression!r} is no pattern ({error})."
                ) from error
            if "service" not in groups:
                raise BadSetting(f"{path}, actions.{action}: {expression!r} has no (?P<service>…).")
    return patterns


def _read_retention(table: _Table) -> OpsRetention:
    standard = OpsRetention()
    retention = OpsRetention(
        runs=table.duration("runs", standard.runs),
        events=table.duration("events", standard.events),
        checks=table.duration("checks", standard.checks),
        logs=table.duration("logs", standard.logs),
    )
    table.check_empty()
    return retention
