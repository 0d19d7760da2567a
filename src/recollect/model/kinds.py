"""The kinds of memory, one row each. To add a kind is to add a row; `if kind == …` means a column is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from recollect.errors import BadField, UnknownKind
from recollect.model.scope import Scope
from recollect.model.value import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One extra field a kind may carry."""

    type: str
    required: bool = False
    choices: tuple[str, ...] = ()
    low: float | None = None
    # Texts that are paths of the project, and follow files that move.
    paths: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What holds for every memory of one kind."""

    name: str
    group: str
    heading: str
    scope: Scope = Scope.GLOBAL
    ageing: str = "none"
    half_life_days: float | None = None
    initial_confidence: float = 0.8
    embedded: bool = True
    needs_review: bool = False
    # A count of what sessions did: it feeds prediction, and nobody is asked whether it is right.
    is_count: bool = False
    # What a person is like or knows does not stop at one repository.
    user_wide: bool = False
    # A changed file makes it stale; others are only told to have changed files.
    stale_when_changed: bool = False
    # It tells an agent what a person wants: active only when that person's own words carry it.
    instructs: bool = False
    # Once a person stands by it, whoever changes what it is about has to keep to it.
    binds: bool = False
    # Seen in the running application: a change of the code may change it there.
    seen_running: bool = False
    fields: Mapping[str, Field] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", MappingProxyType(dict(self.fields)))


_TEXT = Field(type="text")
_TEXTS = Field(type="texts")
_PATHS = Field(type="texts", paths=True)
_COUNT = Field(type="integer", low=0)
_NUMBER = Field(type="number", low=0)
_FLAG = Field(type="flag")
_MODULE = Field(type="text")

BUILT_IN: tuple[Kind, ...] = (
    Kind(name="gotcha", group="knowledge", heading="Gotchas", scope=Scope.MODULE, binds=True),
    Kind(name="decision", group="knowledge", heading="Decisions", binds=True, fields={"rationale": _TEXT}),
    Kind(
        name="preference",
        group="knowledge",
        heading="Preferences",
        user_wide=True,
        instructs=True,
        # Counted from choices and corrections: of what, which, and how often each was seen.
        fields={"choice": _TEXT, "chosen": _TEXT, "counts": _TEXTS},
    ),
    Kind(
        name="pattern",
        group="knowledge",
        heading="Patterns that work here",
        # Of outcomes that were folded into it: `outcomes=41`.
        fields={"counts": _TEXTS},
    ),
    Kind(name="requirement", group="knowledge", heading="Requirements", binds=True),
    Kind(
        name="error_pattern",
        group="knowledge",
        heading="Known errors and their fixes",
        scope=Scope.MODULE,
        fields={"error": _TEXT, "fix": _TEXT, "tool": _TEXT, "occurrences": _COUNT},
    ),
    Kind(name="module_insight", group="knowledge", heading="How this part works", scope=Scope.MODULE),
    Kind(name="fact", group="knowledge", heading="Facts"),
    Kind(
        name="contact",
        group="knowledge",
        heading="People",
        user_wide=True,
        fields={"role": _TEXT, "email": _TEXT},
    ),
    Kind(name="project", group="knowledge", heading="Projects", fields={"status": _TEXT}),
    Kind(
        name="issue",
        group="knowledge",
        heading="Open issues",
        fields={"status": Field(type="choice", choices=("open", "resolved")), "severity": _TEXT},
    ),
    Kind(
        name="prefetch_pattern",
        group="behaviour",
        heading="Files that are read together",
        scope=Scope.MODULE,
        is_count=True,
        fields={
            "always_read": _PATHS,
            "frequently_read": _PATHS,
            "module": _MODULE,
            "session_count": _COUNT,
        },
    ),
    Kind(
        name="causal_dependency",
        group="behaviour",
        heading="Files that change together",
        scope=Scope.MODULE,
        is_count=True,
        fields={"session_count": _COUNT, "commit_count": _COUNT},
    ),
    Kind(
        name="task_calibration",
        group="behaviour",
        heading="How long such work really takes",
        scope=Scope.MODULE,
        is_count=True,
        fields={
            "module": _MODULE,
            "methodology": _TEXT,
            "average_actual_steps": _NUMBER,
            "average_planned_steps": _NUMBER,
            "ratio": _NUMBER,
            "sample_count": _COUNT,
        },
    ),
    Kind(
        name="context_cost",
        group="behaviour",
        heading="What a module costs in context",
        scope=Scope.MODULE,
        is_count=True,
        embedded=False,
        fields={
            "module": _MODULE,
            "average_tokens": _NUMBER,
            "p90_tokens": _NUMBER,
            "sample_count": _COUNT,
        },
    ),
    Kind(
        name="dead_end",
        group="behaviour",
        heading="Dead ends: do not try again",
        scope=Scope.MODULE,
        ageing="half_life",
        half_life_days=90,
        fields={
            "approach_tried": _TEXT,
            "why_it_failed": _TEXT,
            "alternative_used": _TEXT,
            "task_context": _TEXT,
        },
    ),
    Kind(
        name="e2e_observation",
        group="behaviour",
        heading="Seen in the running application",
        seen_running=True,
        initial_confidence=0.75,
        needs_review=True,
        fields={
            "observation_type": Field(
                type="choice",
                choices=("precondition", "timing", "ui_behavior", "test_sequence", "mcp_gotcha"),
            ),
            "tool": _TEXT,
            "app_state": _TEXT,
        },
    ),
    Kind(
        name="work_state",
        group="work",
        heading="Where the work stands",
        scope=Scope.WORK_UNIT,
        ageing="half_life",
        half_life_days=7,
        fields={"methodology_state": Field(type="object"), "branch": _TEXT},
    ),
    Kind(
        name="work_unit_outcome",
        group="work",
        heading="Outcomes",
        scope=Scope.WORK_UNIT,
        embedded=False,
        fields={
            "succeeded": _FLAG,
            "files_modified": _TEXTS,
            "key_decisions": _TEXTS,
            "steps_taken": _COUNT,
            "tokens_used": _COUNT,
            "retry_count": _COUNT,
            "failure_reason": _TEXT,
        },
    ),
    Kind(
        name="workflow_recipe",
        group="work",
        heading="Recipes",
        initial_confidence=0.7,
        stale_when_changed=True,
        fields={
            "task_pattern": _TEXT,
            "steps": Field(type="steps"),
            "canonical_files": _PATHS,
            "last_validated_at": _TEXT,
            "success_count": _COUNT,
            "failure_count": _COUNT,
            "trigger": _TEXT,
            "success_rate": _NUMBER,
            "avg_iterations": _NUMBER,
            # How the last runs that had it before them ended.
            "recent": _TEXTS,
            # The skill it became: its file, and the hash of what we wrote there.
            "skill_path": _TEXT,
            "skill_hash": _TEXT,
        },
    ),
    Kind(
        name="lesson",
        group="work",
        heading="Lessons",
        fields={
            "avoid": _TEXT,
            "instead": _TEXT,
            "when": _TEXT,
            "failures": _COUNT,
            "held": _COUNT,
            "missed": _COUNT,
            "held_in": _TEXTS,
            "last_failed_at": _TEXT,
        },
    ),
    Kind(name="correction", group="work", heading="Corrections", fields={"said": _TEXT, "instead_of": _TEXT}),
    *(
        Kind(name=name, group="operations", heading=heading, ageing="linear", initial_confidence=0.7)
        for name, heading in (
            ("timing", "Timing"),
            ("dependency", "Dependencies"),
            ("behavior", "Behaviour"),
            ("remediation", "Remedies"),
            ("maintenance", "Maintenance"),
        )
    ),
)

OLD_NAMES = MappingProxyType({"workflow": "workflow_recipe"})
DEFAULT_KIND = "fact"


class Kinds:
    """The kinds in force: the built-in rows and those that plugins add, which are loaded when one is asked for."""

    def __init__(
        self, rows: Iterable[Kind] = BUILT_IN, more: Callable[[], Iterable[Kind]] = lambda: ()
    ) -> None:
        self._rows = {row.name: row for row in rows}
        self._more: Callable[[], Iterable[Kind]] | None = more

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._load_all().values())

    def names(self) -> tuple[str, ...]:
        """The names of all kinds, in the order of the table."""
        return tuple(self._load_all())

    def groups(self) -> tuple[str, ...]:
        """The groups, each once."""
        return tuple(dict.fromkeys(row.group for row in self._load_all().values()))

    def in_group(self, group: str) -> tuple[str, ...]:
        """The names of the kinds in a group."""
        return tuple(row.name for row in self._load_all().values() if row.group == group)

    def get(self, name: str) -> Kind:
        """The row of a kind, also by an old name; a stranger is named with its nearest relatives."""
        row = self._find(name)
        if row is None:
            raise UnknownKind(kind=name, known=self._list_with_nearest(name))
        return row

    def of(self, name: str) -> Kind:
        """The row of a stored memory's kind; one whose plugin is gone is treated plainly, and nothing is lost."""
        return self._find(name) or Kind(name=name, group="other", heading=name)

    def _list_with_nearest(self, name: str) -> str:
        # Here alone: every process knows kinds, and hardly any meets a stranger.
        from difflib import get_close_matches

        near = get_close_matches(name, self._rows, n=1)
        return ", ".join(self._rows) + (f". Did you mean {near[0]}?" if near else ".")

    def _find(self, name: str) -> Kind | None:
        current_name = OLD_NAMES.get(name, name)
        return self._rows.get(current_name) or self._load_all().get(current_name)

    def _load_all(self) -> dict[str, Kind]:
        if self._more is not None:
            more, self._more = self._more, None
            self._rows |= {row.name: row for row in more() if row.name not in self._rows}
        return self._rows


def check_fields(kind: Kind, given: Mapping[str, object]) -> dict[str, object]:
    """The extra fields of a memory, each as its kind wants it; anything else is an error that says why."""
    for name in given:
        if name not in kind.fields:
            names = ", ".join(kind.fields) or "none"
            raise BadField(kind=kind.name, field=name, value=given[name], reason=f"its fields are: {names}")
    for name, spec in kind.fields.items():
        if spec.required and name not in given:
            raise BadField(kind=kind.name, field=name, value=None, reason="it must be given")
    return {name: _check_field(kind, name, value) for name, value in given.items()}


def _check_field(kind: Kind, name: str, value: object) -> object:
    spec = kind.fields[name]
    problem = _CHECKS[spec.type](value, spec)
    if problem:
        raise BadField(kind=kind.name, field=name, value=value, reason=problem)
    return value


def _not_text(value: object, _: Field) -> str:
    return "" if isinstance(value, str) else "it must be text"


def _not_texts(value: object, _: Field) -> str:
    good = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    return "" if good else "it must be a list of texts"


def _not_number(value: object, spec: Field) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return "it must be a number"
    return f"it must be at least {spec.low:g}" if spec.low is not None and value < spec.low else ""


def _not_integer(value: object, spec: Field) -> str:
    return "it must be a whole number" if not isinstance(value, int) else _not_number(value, spec)


def _not_flag(value: object, _: Field) -> str:
    return "" if isinstance(value, bool) else "it must be true or false"


def _not_choice(value: object, spec: Field) -> str:
    return "" if value in spec.choices else f"it must be one of {', '.join(spec.choices)}"


def _not_object(value: object, _: Field) -> str:
    return "" if isinstance(value, Mapping) else "it must be an object"


def _not_steps(value: object, _: Field) -> str:
    good = isinstance(value, list | tuple) and all(
        isinstance(step, Mapping) and isinstance(step.get("description"), str) for step in value
    )
    return "" if good else 'it must be a list of steps, each with a "description"'


_CHECKS = {
    "text": _not_text,
    "texts": _not_texts,
    "number": _not_number,
    "integer": _not_integer,
    "flag": _not_flag,
    "choice": _not_choice,
    "object": _not_object,
    "steps": _not_steps,
}
