"""
Settings: read once, from the command line, the environment, the project, the user and our defaults.

The only place that reads the environment. A project's file comes with a clone, from whoever wrote the
repository: it may tune what is shown, never where memories go or which program is asked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from recollect.errors import BadSetting, NotFound
from recollect.events.bounded_read import MAX_OWN_SETTINGS_BYTES, MAX_SETTINGS_BYTES, parse_toml, read_bounded
from recollect.model import policy
from recollect.model.value import dataclass, replace
from recollect.model.window_settings import AT_LEAST_ONE, WINDOW_HELP, WindowSettings, parse_window_settings

APP = "recollect"
PROJECT_FILE = Path(".recollect", "config.toml")
# The table of a settings file that holds the user's own layouts.
LAYOUTS = "layouts"

# What agents set in the processes they start. Variables that people set for their agents (CODEX_HOME,
# CLAUDE_CODE_USE_BEDROCK) or that an editor sets in every terminal (CURSOR_TRACE_ID) are no signs.
AGENT_SIGNS = tuple(
    "RECOLLECT_AGENT AI_AGENT CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_PID CODEX_SANDBOX"
    " CODEX_SANDBOX_NETWORK_DISABLED CODEX_THREAD_ID CODEX_CI GEMINI_CLI OPENCODE OPENCODE_SESSION OPENCODE_CLIENT"
    " CURSOR_AGENT".split()
)
# Where a host says which session a process belongs to. Ours first: it is how a person names one.
SESSION_VARIABLES = ("RECOLLECT_SESSION", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "OPENCODE_SESSION")
# How their programs are called in the list of processes.
AGENT_PROGRAMS = frozenset({"claude", "codex", "gemini", "opencode", "qwen", "cursor-agent"})
_GENERATIONS = 16
# So begins the origin of what stands in the user's own file.
_USERS = "user file"
# Where people tell their agents to keep what is theirs.
AGENT_FOLDERS = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One thing that can be set: its name, what it may be, and who may set it."""

    name: str
    help: str
    default: str | int | float
    choices: tuple[str, ...] = ()
    # The smallest number it may be.
    least: int = 1
    by_project: bool = False
    # A list with commas: each source adds to those before it, none takes anything away.
    adds: bool = False
    # A list with commas that the strongest source sets whole.
    is_list: bool = False

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "RECOLLECT_" + self.name.replace(".", "_").upper()


_WINDOW = WindowSettings()

SETTINGS: tuple[Setting, ...] = (
    Setting(name="db", help="The file that holds all memories, or postgresql://….", default=""),
    Setting(name="url", help="The server that holds your team's memories, https://….", default=""),
    Setting(
        name="embedding.tier",
        help="Which model turns text into vectors: auto is Ollama if it runs here with its model, else ours.",
        default="auto",
        choices=("auto", "ollama", "openai", "bundled", "none"),
    ),
    Setting(name="embedding.model", help="The embedding model's name, if not the tier's own.", default=""),
    Setting(
        name="embedding.url",
        help="An OpenAI-compatible endpoint. Setting it is the consent to send texts there.",
        default="",
    ),
    Setting(name="embedding.key_env", help="The environment variable that holds its key.", default=""),
    Setting(name="embedding.dimensions", help="How many dimensions to ask a server for.", default=1024),
    Setting(
        name="completer.kind",
        help="The optional model that writes: none, anthropic, openai, ollama, claude-cli.",
        default="none",
        choices=("none", "anthropic", "openai", "ollama", "claude-cli"),
    ),
    Setting(name="completer.model", help="The writing model's name.", default=""),
    Setting(name="completer.url", help="Its address, if not the usual one.", default=""),
    Setting(name="completer.key_env", help="The environment variable that holds its key.", default=""),
    Setting(
        name="reflect",
        help="Who is asked once after a session that taught something, for three notes: off; agent (Claude Code, when"
        " it stops: one more turn, about 300 tokens); completer (the model above, up to about 4,000 tokens a session).",
        default="off",
        choices=("off", "agent", "completer"),
    ),
    Setting(
        name="snapshots.every",
        help="After how many sessions the store keeps a proved copy of itself; 0 means never.",
        default=policy.SNAPSHOT_EVERY_SESSIONS,
        least=0,
    ),
    Setting(name="snapshots.keep", help="How many of these copies are kept.", default=policy.SNAPSHOTS_KEPT),
    Setting(
        name="listen",
        help="Whether lessons are also heard in what people and agents say; off learns from what was done alone.",
        default="on",
        choices=("on", "off"),
    ),
    Setting(
        name="words.keep_days",
        help="How many days after a session its prompts, answers and summaries are kept. 0 means until it is learned.",
        default=policy.EVENTS_KEPT_DAYS,
        least=0,
    ),
    Setting(
        name="ledger.keep_days",
        help="How many days it is kept what agents were told; the newest sessions keep it longer. 0 means for ever.",
        default=365,
        least=0,
    ),
    Setting(
        name="inbox.most_bytes",
        help="How much hooks may write before it is stored; beyond it new events are dropped and counted.",
        default=policy.INBOX_BYTES,
    ),
    Setting(
        name="hooks.most_ms",
        help="Milliseconds a hook waits for anything before it gives up; in all it takes four times that at most.",
        default=policy.HOOK_MILLISECONDS,
    ),
    Setting(
        name="graph.workers",
        help="How many processes read a project's code when much of it is new; 0 means one per processor, 8 at most.",
        default=0,
        least=0,
    ),
    Setting(name="recall.limit", help="How many memories a recall shows.", default=10, by_project=True),
    Setting(
        name="recall.profile",
        help="How hits are ranked.",
        default="default",
        choices=("default", "v3", "keywords"),
        by_project=True,
    ),
    Setting(
        name="methodology",
        help="The way of working: auto is what the project's files show, else the id of one (`recollect methods`).",
        default="auto",
        by_project=True,
    ),
    Setting(
        name="record.exclude",
        help="Files never to be recorded or remembered: globs with commas, e.g. `secrets/**, *.pem`.",
        default="",
        by_project=True,
        adds=True,
    ),
    Setting(
        name="record.most_notes",
        help="How many memories one session may leave that are not a person's; more are refused.",
        default=policy.NOTES_PER_SESSION,
    ),
    Setting(name="vault.path", help="The folder of notes that is kept in step with memory.", default=""),
    Setting(
        name="vault.edits",
        help="Whose an edit of a note is that nothing else tells: auto doubts what instructs, mine trusts all.",
        default="auto",
        choices=("auto", "mine", "review"),
    ),
    Setting(
        name="vault.meaning",
        help="Whether notes are searched by meaning too: auto only with a model on this machine, since others would be"
        " sent what stands in them.",
        default="auto",
        choices=("auto", "on", "off"),
    ),
    Setting(
        name="messages.channel",
        help="How a person is reached: file is two notes of the vault, webhook needs messages.url, openclaw is the"
        " gateway of this machine unless messages.url names another.",
        default="file",
        choices=("file", "webhook", "openclaw"),
    ),
    Setting(name="messages.url", help="The address of the webhook or gateway.", default=""),
    Setting(
        name="messages.key_env",
        help="The environment variable that holds its token; a gateway of this machine has it in its own settings.",
        default="",
    ),
    Setting(name="messages.target", help="The chat that an OpenClaw gateway sends to.", default=""),
    Setting(name="agent.user_name", help="What our own agent calls you.", default=""),
    Setting(
        name="agent.input_price",
        help="What a million tokens cost that our own agent's model reads, for `recollect run --cost`.",
        default=0.0,
        least=0,
    ),
    Setting(
        name="agent.output_price",
        help="What a million tokens cost that it writes.",
        default=0.0,
        least=0,
    ),
    *(
        Setting(
            name=f"window.{name}",
            help=sentence,
            default=", ".join(default) if isinstance(default, tuple) else default,
            least=1 if name in AT_LEAST_ONE else 0,
            is_list=isinstance(default, tuple),
        )
        for name, sentence in WINDOW_HELP.items()
        for default in [getattr(_WINDOW, name)]
    ),
)
_BY_NAME = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingValue:
    """A setting as it is in force, and where that comes from."""

    setting: Setting
    value: str | int | float
    origin: str


class Settings:
    """All settings in force. `layouts` are the user's own, as they were written, each with its origin."""

    def __init__(
        self, values: Mapping[str, SettingValue], layouts: Mapping[str, tuple[object, str]] | None = None
    ) -> None:
        self._values = dict(values)
        self.layouts = dict(layouts or {})

    def __iter__(self) -> Any:
        return iter(self._values.values())

    def get(self, name: str) -> SettingValue:
        """One setting with its origin."""
        return self._values[find_setting(name).name]

    def text(self, name: str) -> str:
        """A setting that is text."""
        return str(self.get(name).value)

    def number(self, name: str) -> int:
        """A setting that is a whole number."""
        return int(self.get(name).value)

    def users_layouts(self) -> dict[str, tuple[object, str]]:
        """Those of the user's own file alone: a repository has no say in what hooks tell."""
        return {name: layout for name, layout in self.layouts.items() if layout[1].startswith(_USERS)}

    def window(self) -> WindowSettings:
        """The numbers that shape the window of our own agent."""
        values: dict[str, Any] = {name: self.get(f"window.{name}").value for name in WINDOW_HELP}
        tools = (tool.strip() for tool in values["critical_tools"].split(","))
        return parse_window_settings({**values, "critical_tools": tuple(filter(None, tools))})

    @property
    def db(self) -> str:
        """Where the memories are."""
        return self.text("db")


def load_settings(project: Path | None = None, flags: Mapping[str, object] | None = None) -> Settings:
    """Read every source, the strongest last, and check each value where it came in."""
    values = {s.name: SettingValue(setting=s, value=s.default, origin="default") for s in SETTINGS}
    values["db"] = replace(values["db"], value=str(data_dir() / "memories.db"))
    content = _read(user_file(), follow=True)
    layouts = _take_layouts(content, f"{_USERS} {user_file()}")
    _take_values(values, _flatten(content), f"{_USERS} {user_file()}")
    if project is not None:
        file = project / PROJECT_FILE
        content = _read(file, follow=False)
        # What is the user's own wins: a clone cannot change it.
        layouts = _take_layouts(content, f"project file {file}") | layouts
        _take_values(values, _flatten(content), f"project file {file}", by_project=True)
    environment = {s.name: os.environ[s.variable] for s in SETTINGS if os.environ.get(s.variable)}
    for name, raw in environment.items():
        _take_values(values, {name: raw}, f"environment {find_setting(name).variable}")
    _take_values(values, {n: v for n, v in (flags or {}).items() if v is not None}, "command line")
    _choose_store(values)
    return Settings(values, layouts)


def _choose_store(values: dict[str, SettingValue]) -> None:
    """A server's memories are mirrored in a file of their own; a database that was named is asked itself."""
    url, db = values["url"], values["db"]
    if not url.value:
        return
    # Loaded here: most memories are on this machine.
    from recollect.events.server_file import name_server_file

    if db.origin == "default":
        values["db"] = replace(
            db, value=str(data_dir() / name_server_file(str(url.value))), origin="the server's"
        )
    else:
        values["url"] = replace(url, value="", origin=f"{db.origin}, which names a database")


def token_from_environment() -> str:
    """The key for a server that the environment names; empty if it names none."""
    return os.environ.get("RECOLLECT_TOKEN", "").strip()


def find_setting(name: str) -> Setting:
    """The setting with this name."""
    if name not in _BY_NAME:
        raise NotFound(f"There is no setting {name!r}. The settings are: {', '.join(_BY_NAME)}.")
    return _BY_NAME[name]


def change_setting(name: str, raw: str, *, project: Path | None = None) -> Path:
    """Write one setting to the user's file, or to the project's; comments and order in it stay."""
    import tomlkit

    setting = find_setting(name)
    file = project / PROJECT_FILE if project else user_file()
    value = _check_value(setting, raw, str(file), by_project=project is not None)
    _read(file, follow=project is None)  # a broken file is named before it is touched
    document = tomlkit.parse(file.read_text("utf-8")) if file.exists() else tomlkit.document()
    table: Any = document
    *outer, last = name.split(".")
    for part in outer:
        table = table.setdefault(part, tomlkit.table())
        if not isinstance(table, MutableMapping):
            raise BadSetting(
                f"The settings file {file} gives {part!r} a value where a table belongs. Mend it."
            )
    table[last] = value
    _write(file, tomlkit.dumps(document))
    return file


def project_folder(folder: Path) -> Path:
    """The folder whose settings file counts here: the top of the repository around it, or itself."""
    return next((top for top in (folder, *folder.parents) if (top / ".git").exists()), folder)


def data_dir() -> Path:
    """Where the database lives."""
    return _find_folder("data")


def user_file() -> Path:
    """The user's own settings."""
    return _find_folder("config") / "config.toml"


def read_agent_folders() -> dict[str, str]:
    """The folders that people named for their agents, by variable."""
    return {name: os.environ[name] for name in AGENT_FOLDERS if os.environ.get(name)}


def tool_environment() -> dict[str, str]:
    """What the commands of our own agent see: this process's environment, without what looks like a secret."""
    secret = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL")
    return {
        name: value for name, value in os.environ.items() if not any(word in name.upper() for word in secret)
    }


def session_from_environment() -> str | None:
    """The agent session this process runs in, if its host says so."""
    return next((session for name in SESSION_VARIABLES if (session := os.environ.get(name))), None)


def is_agent_process() -> bool:
    """
    Whether an agent, not a person, runs us: it says so, or its program started us, or nobody sits at the terminal.

    Each sign can only take away a person's standing. None gives it.
    """
    return any(os.environ.get(name) for name in AGENT_SIGNS) or not _has_terminal() or _is_under_an_agent()


def wants_colour() -> bool | None:
    """Whether colours are asked for, or asked not to be; None: as the terminal can."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") != "0":
        return True
    return False if os.environ.get("TERM") == "dumb" or os.environ.get("CLICOLOR") == "0" else None


def _has_terminal() -> bool:
    # Without standard input (a service, a program without a console) there is nobody either.
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def _is_under_an_agent() -> bool:
    """Whether one of the processes above us is an agent's program; told only where it costs nothing to know."""
    number = os.getppid()
    for _ in range(_GENERATIONS):
        try:
            status = Path("/proc", str(number), "stat").read_text("utf-8", "replace")
        except OSError:
            return False
        name, _, rest = status.partition("(")[2].rpartition(")")
        if name.lower() in AGENT_PROGRAMS:
            return True
        number = int(rest.split()[1])
        if number == 0:
            return False
    return False


def _find_folder(kind: str) -> Path:
    home = os.environ.get("RECOLLECT_HOME")
    if home:
        return Path(home).expanduser() / kind
    import platformdirs

    folders: dict[str, Callable[..., Path]] = {
        "data": platformdirs.user_data_path,
        "config": platformdirs.user_config_path,
    }
    return folders[kind](APP, appauthor=False)


def _read(file: Path, *, follow: bool) -> dict[str, Any]:
    """What a settings file says. Links are for a user who keeps theirs elsewhere; a project's file is a stranger's."""
    try:
        most = MAX_OWN_SETTINGS_BYTES if follow else MAX_SETTINGS_BYTES
        return parse_toml(read_bounded(file, most, follow=follow))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise BadSetting(
            f"The settings file {file} cannot be read ({error}). Mend it, or move it away."
        ) from error


def _take_layouts(content: dict[str, Any], origin: str) -> dict[str, tuple[object, str]]:
    """Take the layouts out of a settings file: tables of tables, read by whoever fills them."""
    tables = content.pop(LAYOUTS, {})
    if not isinstance(tables, Mapping):
        reason = f"it is a table for each layout, such as [{LAYOUTS}.review]"
        raise BadSetting(name=LAYOUTS, value=tables, origin=origin, reason=reason)
    return {name: (table, origin) for name, table in tables.items()}


def _write(file: Path, text: str) -> None:
    temporary = file.with_suffix(f"{file.suffix}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        private = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(private, "w", encoding="utf-8") as out:
            out.write(text)
        temporary.replace(file)
    except OSError as error:
        raise BadSetting(f"The settings file {file} cannot be written ({error.strerror}).") from error


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        is_table = isinstance(value, Mapping)
        flat |= _flatten(value, f"{prefix}{key}.") if is_table else {prefix + key: value}
    return flat


def _take_values(
    values: dict[str, SettingValue], entries: Mapping[str, Any], origin: str, *, by_project: bool = False
) -> None:
    for name, raw in entries.items():
        if name not in _BY_NAME:
            raise BadSetting(
                f"{origin} sets {name!r}, which is no setting. The settings are: {', '.join(_BY_NAME)}."
            )
        setting = _BY_NAME[name]
        value = _check_value(setting, raw, origin, by_project=by_project)
        before = values[name]
        if setting.adds and before.value:
            value, sources = f"{before.value}, {value}", f"{before.origin} and {origin}"
        else:
            sources = origin
        values[name] = SettingValue(setting=setting, value=value, origin=sources)


def _check_value(setting: Setting, raw: object, origin: str, *, by_project: bool) -> str | int | float:
    def bad(reason: str) -> BadSetting:
        return BadSetting(name=setting.name, value=raw, origin=origin, reason=reason)

    if isinstance(raw, list) and (setting.adds or setting.is_list):
        raw = ", ".join(map(str, raw))
    if isinstance(raw, str) and not raw.isprintable():
        raise bad("it holds characters that cannot be shown")
    if by_project and not setting.by_project:
        raise bad("a project's file may not set it; set it for yourself with `recollect config set`")
    if setting.choices and raw not in setting.choices:
        raise bad(f"it is one of {', '.join(setting.choices)}")
    if isinstance(setting.default, int):
        try:
            number = int(str(raw))
        except ValueError:
            raise bad("it is a whole number") from None
        if number < setting.least:
            raise bad(f"it is at least {setting.least}")
        return number
    if isinstance(setting.default, float):
        return _check_share(raw, setting.least, bad)
    return str(raw)


def _check_share(raw: object, least: int, bad: Callable[[str], BadSetting]) -> float:
    try:
        share = float(str(raw))
    except ValueError:
        raise bad("it is a number") from None
    if not least <= share < float("inf"):
        raise bad(f"it is at least {least}")
    return share
