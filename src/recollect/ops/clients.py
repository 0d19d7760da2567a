"""Command lines of the agents that can be run, one row each: how each is given its prompt, model, tools and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.errors import BadInput
from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPreset:
    """
    How one client is started. An option is the words that pass a value on, with `{}` where it stands.

    A client without an option for the system prompt gets it at the head of its prompt; one without an option for the
    prompt reads it from its standard input.
    """

    name: str
    command: tuple[str, ...]
    stream: str
    prompt: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    schema: tuple[str, ...] = ()
    schema_file: tuple[str, ...] = ()
    budget: tuple[str, ...] = ()
    last: tuple[str, ...] = ()

    @property
    def holds_to_schema(self) -> bool:
        """Whether it can be held to a schema."""
        return bool(self.schema or self.schema_file)


PRESETS: Mapping[str, ClientPreset] = {
    preset.name: preset
    for preset in (
        ClientPreset(
            name="claude",
            command=("claude", "-p", "--output-format", "stream-json", "--verbose"),
            stream="claude",
            system=("--append-system-prompt", "{}"),
            model=("--model", "{}"),
            tools=("--allowedTools", "{}"),
            settings=("--settings", "{}"),
            schema=("--json-schema", "{}"),
            budget=("--max-budget-usd", "{}"),
        ),
        ClientPreset(
            name="codex",
            command=("codex", "exec", "--json", "--skip-git-repo-check"),
            stream="codex",
            model=("-m", "{}"),
            schema_file=("--output-schema", "{}"),
            last=("-",),
        ),
        ClientPreset(
            name="gemini",
            command=("gemini", "--output-format", "stream-json"),
            stream="gemini",
            model=("-m", "{}"),
            tools=("--allowed-tools", "{}"),
            prompt=("-p", "{}"),
        ),
        ClientPreset(
            name="opencode",
            command=("opencode", "run", "--format", "json"),
            stream="opencode",
            model=("-m", "{}"),
            prompt=("{}",),
        ),
    )
}
# Any other program: its command is given whole, with {prompt}, {system} and {model} where they belong.
OWN = ClientPreset(name="own", command=(), stream="text")


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchCommand:
    """A command ready to start, and what it is given on its standard input."""

    words: tuple[str, ...]
    stdin_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchDetails:
    """All that a command line may be made from; what is empty is left out."""

    prompt: str
    system: str
    model: str = ""
    tools: tuple[str, ...] = ()
    settings: str = ""
    schema: str = ""
    schema_file: str = ""
    budget: float | None = None


def find_preset(name: str) -> ClientPreset:
    """The row of a client."""
    if name == OWN.name:
        return OWN
    if name not in PRESETS:
        raise BadInput(reason=f"there is no client {name!r}; the clients are {', '.join(PRESETS)} and own")
    return PRESETS[name]


def build_command(
    preset: ClientPreset, command: Sequence[str], options: Sequence[str], details: LaunchDetails
) -> LaunchCommand:
    """The command line of a run: the preset's, or one of the operator's own with places for what it is told."""
    if command and any("{" in word for word in command):
        return _filled(command, details)
    words = [*(command or preset.command), *options]
    for option, value in (
        (preset.system, details.system),
        (preset.model, details.model),
        (preset.tools, ",".join(details.tools)),
        (preset.settings, details.settings),
        (preset.schema, details.schema),
        (preset.schema_file, details.schema_file),
        (preset.budget, "" if details.budget is None else f"{details.budget:g}"),
    ):
        if option and value:
            words += [word.replace("{}", value) for word in option]
    prompt = details.prompt if preset.system else _with_system(details)
    if preset.prompt:
        return LaunchCommand(
            words=(*words, *(word.replace("{}", prompt) for word in preset.prompt)), stdin_text=""
        )
    return LaunchCommand(words=(*words, *preset.last), stdin_text=prompt)


def _filled(command: Sequence[str], details: LaunchDetails) -> LaunchCommand:
    line = " ".join(command)
    prompt = details.prompt if "{system}" in line else _with_system(details)
    values = {
        "{prompt}": prompt,
        "{system}": details.system,
        "{model}": details.model,
        "{tools}": ",".join(details.tools),
        "{settings}": details.settings,
        "{schema}": details.schema,
        "{schema_file}": details.schema_file,
    }
    words = tuple(_replaced(word, values) for word in command)
    return LaunchCommand(words=words, stdin_text="" if "{prompt}" in line else prompt)


def _replaced(word: str, values: Mapping[str, str]) -> str:
    # A value is put in whole or as part of a word, once: what it holds is not looked at again.
    for place, value in values.items():
        if place in word:
            before, _, after = word.partition(place)
            return before + value + _replaced(after, values)
    return word


def _with_system(details: LaunchDetails) -> str:
    return f"{details.system}\n\n{details.prompt}" if details.system else details.prompt
