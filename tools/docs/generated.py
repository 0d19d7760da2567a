"""The parts of the docs that are written by the code itself. Cog blocks in docs/*.md call these by name.

Everything here is the same on every machine: no home folder, no terminal width, no user's settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields

import click
from tables import table

from recollect import errors
from recollect.clients.registry import load_transcript_formats
from recollect.codegraph.habits.table import DETECTORS
from recollect.config import AGENT_SIGNS, SETTINGS, Setting
from recollect.events.tool_actions import ACTIONS
from recollect.lifecycle.confidence import FACTORS
from recollect.lifecycle.prune import RULES as PRUNE_RULES
from recollect.lifecycle.upkeep import JOBS, UpkeepJob
from recollect.methods.registry import load_methods
from recollect.model.ageing import RULES
from recollect.model.event import MEANINGS, Event, EventType, ToolAction
from recollect.model.kinds import BUILT_IN, Field, Kind
from recollect.model.method import Methodology
from recollect.model.phase import PHASE_WEIGHTS, Phase
from recollect.model.profile import PROFILES
from recollect.model.trust import LADDER, Standing
from recollect.model.ways_in import WAYS_IN
from recollect.store import sql
from recollect.surfaces.cli import cli
from recollect.surfaces.mcp.protocol import ENVELOPE_VERSIONS, HANDSHAKE_VERSIONS
from recollect.surfaces.tools import TOOLS

WIDTH = 88
_NOTHING = "–"


def commands() -> str:
    """Every command with its help, as a terminal of one width shows it."""
    return "\n\n".join(f"## {name}\n\n```text\n{help_}\n```" for name, help_ in _helps())


def command_table() -> str:
    """Every command in one line each."""
    root = _root()
    named = [(name, cli.get_command(root, name)) for name in cli.list_commands(root)]
    rows = [
        (f"[`{name}`](#recollect-{name})", command.get_short_help_str(200))
        for name, command in named
        if command
    ]
    return table(("command", "what it does"), rows)


def command_paths() -> list[str]:
    """Every command and subcommand by its full name."""
    return [name for name, _ in _helps()]


def settings() -> str:
    """Every setting: its default, its variable, and whether a project may set it."""
    rows = (
        (
            f"`{setting.name}`",
            _help_of(setting),
            _default(setting),
            f"`{setting.variable}`",
            "yes" if setting.by_project else "no",
        )
        for setting in SETTINGS
    )
    return table(("setting", "what it is", "default", "environment variable", "a project may set it"), rows)


def kinds() -> str:
    """Every kind, group by group."""
    groups = dict.fromkeys(kind.group for kind in BUILT_IN)
    return "\n\n".join(f"## {group.capitalize()}\n\n{_kinds_of(group)}" for group in groups)


def kind_fields() -> str:
    """The extra fields of every kind that has some."""
    rows = (
        (f"`{kind.name}`", f"`{name}`", _field(field))
        for kind in BUILT_IN
        for name, field in kind.fields.items()
    )
    return table(("kind", "field", "what it holds"), rows)


def error_list() -> str:
    """Every error, branch by branch."""
    branches = errors.RecollectError.__subclasses__()
    return "\n\n".join(f"## {branch.__name__}\n\n{_errors_under(branch)}" for branch in branches)


def error_classes() -> list[type[errors.RecollectError]]:
    """Every error class below the root, in the order of the file."""
    return [error for branch in errors.RecollectError.__subclasses__() for error in _with_children(branch)]


def schema() -> str:
    """The schema of a new database."""
    return f"```sql\n{sql.read('schema.sqlite.sql').strip()}\n```"


def profiles() -> str:
    """What each part of a score weighs in each profile."""
    named = list(PROFILES.values())
    weights = [field.name for field in fields(named[0]) if isinstance(getattr(named[0], field.name), float)]
    rows = [(f"`{name}`", *(_weight(getattr(profile, name)) for profile in named)) for name in weights]
    rows.append(
        ("recency falls", *(profile.recency_falls if profile.recency else _NOTHING for profile in named))
    )
    rows.append(("asks the embedding model", *("yes" if profile.uses_vectors else "no" for profile in named)))
    about = "\n".join(f"* `{profile.name}`: {profile.about}" for profile in named)
    return f"{about}\n\n" + table(("part", *(f"`{profile.name}`" for profile in named)), rows)


def phases() -> str:
    """What each kind is worth in each phase, where that is not 1."""
    named = [
        kind.name for kind in BUILT_IN if any(kind.name in weights for weights in PHASE_WEIGHTS.values())
    ]
    rows = (
        (f"`{name}`", *(_weight(PHASE_WEIGHTS[phase].get(name, 1.0)) for phase in Phase)) for name in named
    )
    return table(("kind", *(f"`{phase}`" for phase in Phase)), rows)


def method_phases() -> str:
    """What each methodology calls the phases; the stages of its relays are names too."""
    rows = ((f"`{method.id}`", *(_named(method.phases, phase) for phase in Phase)) for method in _methods())
    return table(("methodology", *(f"`{phase}`" for phase in Phase)), rows)


def method_relays() -> str:
    """What goes from which stage to which, and what of it."""
    rows = (
        (f"`{method.id}`", relay.source, relay.target, ", ".join(f"`{k}`" for k in relay.kinds) or "all")
        for method in _methods()
        for relay in method.relays
    )
    return table(("methodology", "from", "to", "kinds"), rows)


def method_kinds() -> str:
    """The kinds that methodologies add."""
    rows = (
        (f"`{kind.name}`", f"`{method.id}`", kind.heading, ", ".join(f"`{name}`" for name in kind.fields))
        for method in _methods()
        for kind in method.kinds
    )
    return table(("kind", "methodology", "heading", "fields"), rows)


def _methods() -> list[Methodology]:
    return [one.value for one in load_methods(()).plugged]


def _named(phases: Mapping[str, Phase], wanted: Phase) -> str:
    return ", ".join(name for name, phase in phases.items() if phase is wanted)


def event_types() -> str:
    """Every type of event."""
    return table(("type", "what it tells"), ((f"`{kind}`", MEANINGS[kind]) for kind in EventType))


def event_fields() -> str:
    """Every field an event has."""
    return ", ".join(f"`{field.name}`" for field in fields(Event))


def tool_actions() -> str:
    """What tools do, and what the clients call them."""
    named = {action: [tool for tool, does in ACTIONS.items() if does == action] for action in ToolAction}
    rows = (
        (f"`{action}`", ", ".join(f"`{tool}`" for tool in tools) or "all others")
        for action, tools in named.items()
    )
    return table(("action", "tools"), rows)


def transcript_formats() -> str:
    """Every form of transcript and whether it was tried on real files."""
    rows = (
        (
            f"`{transcript_format.name}`",
            ", ".join(f"`{ending}`" for ending in transcript_format.endings),
            "yes" if transcript_format.verified else "no",
        )
        for transcript_format in load_transcript_formats()
    )
    return table(("client", "files", "tried on real files"), rows)


def trust() -> str:
    """Who may speak when."""
    rows = (
        (
            row.says,
            f"{row.state}{', `needs_review`' if row.needs_review else ''}",
            _spoken(row),
            f"{row.tool_result}" + (f"; at the very error {row.same_error}" if row.same_error else ""),
            str(row.review),
        )
        for row in LADDER
    )
    return table(("origin", "state at birth", "session brief, prompt", "at a tool result", "review"), rows)


def ways_in() -> str:
    """By which ways words come in, and where those of others stand."""
    rows = ((row.name, row.says, ", ".join(row.origins) or "–") for row in WAYS_IN)
    return table(("way in", "what becomes of words that nobody proved", "where they may stand"), rows)


def agent_signs() -> str:
    """The variables by which an agent's process is told."""
    return ", ".join(f"`{name}`" for name in AGENT_SIGNS)


def tools() -> str:
    """The tools an agent is given."""
    rows = (
        (
            f"`{tool.name}`",
            tool.says,
            ", ".join(f"`{name}`" for name in tool.takes["properties"]),
            "no" if tool.reads_only else "yes",
        )
        for tool in TOOLS
    )
    return table(("tool", "what it is for", "arguments", "changes memory"), rows)


def protocol_versions() -> str:
    """The versions of the protocol that the server speaks."""
    return ", ".join(f"`{version}`" for version in (*HANDSHAKE_VERSIONS, *ENVELOPE_VERSIONS))


def _spoken(row: Standing) -> str:
    phases = f"in the {' and '.join(row.phases)} phase, " if row.phases else ""
    marked = f', marked "{row.mark}"' if row.mark else ""
    scheduled = f"; in scheduled runs {row.operations}" if row.operations else ""
    return f"{phases}{row.brief}{scheduled}{marked}"


def ageing() -> str:
    """How memories fade, rule by rule, and which kinds go by it."""
    rows = []
    for name, rule in RULES.items():
        named = [kind for kind in BUILT_IN if kind.ageing == name]
        kinds = ", ".join(
            f"`{kind.name}`" + (f" ({kind.half_life_days:g} days)" if kind.half_life_days else "")
            for kind in named
        )
        rows.append((f"`{name}`", rule.about, kinds if name != "none" else "all others"))
    return table(("rule", "what it does", "kinds"), rows)


def relations() -> str:
    """How much of a change each relation carries on."""
    rows = ((f"`{kind}`", f"{factor:+g}") for kind, factor in FACTORS.items())
    return table(("relation", "factor"), rows)


def prune_rules() -> str:
    """What is pruned, and when."""
    rows = ((rule.name, rule.which, rule.when) for rule in PRUNE_RULES)
    return table(("rule", "which memories", "when"), rows)


def jobs() -> str:
    """What upkeep does, and how often."""
    rows = ((f"`{job.name}`", job.about, _due(job)) for job in JOBS)
    return table(("job", "what it does", "due"), rows)


def detectors() -> str:
    """What a scan counts, and from when on it is a habit."""
    rows = [
        (row.topic, row.units, _habit(row.says), f"{row.share:.0%}", str(row.fewest)) for row in DETECTORS
    ]
    return table(("topic", "of so many", "so many", "share", "at least"), rows)


def _habit(says: str) -> str:
    return says.replace("{value}", "…")


def _due(job: UpkeepJob) -> str:
    days = f"every {'day' if job.days == 1 else f'{job.days:g} days'}" if job.days else ""
    sessions = f"every {job.sessions} sessions" if job.sessions else ""
    return " or ".join(filter(None, (days, sessions)))


def _root() -> click.Context:
    return click.Context(
        cli,
        info_name="recollect",
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        help_option_names=["-h", "--help"],
    )


def _helps() -> Iterator[tuple[str, str]]:
    yield from _helps_under(cli, _root())


def _helps_under(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, str]]:
    yield ctx.command_path, command.get_help(ctx)
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            subcommand = command.get_command(ctx, name)
            assert subcommand is not None
            yield from _helps_under(subcommand, click.Context(subcommand, info_name=name, parent=ctx))


def _help_of(setting: Setting) -> str:
    if not setting.choices:
        return setting.help
    return f"{setting.help} One of {', '.join(f'`{choice}`' for choice in setting.choices)}."


def _default(setting: Setting) -> str:
    if setting.name == "db":
        return "`memories.db` in the platform's data directory"
    return f"`{setting.default}`" if setting.default != "" else _NOTHING


def _kinds_of(group: str) -> str:
    rows = (
        (
            f"`{kind.name}`",
            kind.heading,
            str(kind.scope),
            "every project" if kind.user_wide else "its project",
            f"{kind.initial_confidence:g}",
            _ageing(kind),
            "yes" if kind.embedded else "no",
            "yes" if kind.needs_review else "no",
            "yes" if kind.instructs else "no",
        )
        for kind in BUILT_IN
        if kind.group == group
    )
    return table(
        (
            *("kind", "heading", "scope", "holds in", "confidence", "ageing", "embedded"),
            *("asks for review", "needs a person's words"),
        ),
        rows,
    )


def _ageing(kind: Kind) -> str:
    if kind.half_life_days:
        return f"half-life {kind.half_life_days:g} days"
    return _NOTHING if kind.ageing == "none" else kind.ageing


def _field(field: Field) -> str:
    what = {
        "text": "text",
        "texts": "a list of texts",
        "number": "a number",
        "integer": "a whole number",
        "flag": "true or false",
        "object": "an object",
        "steps": "a list of steps, each with a `description`",
        "choice": f"one of {', '.join(f'`{choice}`' for choice in field.choices)}",
    }[field.type]
    low = "" if field.low is None else f", at least {field.low:g}"
    return f"{what}{low}{', required' if field.required else ''}"


def _errors_under(branch: type[errors.RecollectError]) -> str:
    rows = (
        (
            f"`{error.code}`",
            f"`{error.__name__}`",
            str(error.exit_code),
            " ".join((error.__doc__ or "").split()),
        )
        for error in _with_children(branch)
    )
    return table(("code", "class", "exit code", "message"), rows)


def _with_children(error: type[errors.RecollectError]) -> Iterator[type[errors.RecollectError]]:
    yield error
    for child in error.__subclasses__():
        yield from _with_children(child)


def _weight(weight: float) -> str:
    return f"{weight:g}" if weight else _NOTHING
