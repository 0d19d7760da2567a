"""TDD: a failing test, the code that makes it pass, then the same code made better. Read from test results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from posixpath import basename

from recollect.methods.wording import join_sentences, list_sentence, read_text, read_texts
from recollect.model.kinds import Field, Kind
from recollect.model.method import Addition, FinishedWork, Methodology, Relay, Surroundings
from recollect.model.phase import ActionKind, AgentAction, Phase
from recollect.model.scope import Scope, WorkRef
from recollect.model.value import dataclass, field

_TEST_FILE = re.compile(
    r"(?:^|/)(?:test_[^/]+\.py|[^/]+_test\.(?:py|go|rb|exs|dart)|[^/]+(?:\.|_)(?:test|spec)\.[a-z]{2,4}|[^/]+Tests?\.\w{1,5}"
    r"|[^/]+_spec\.rb)$"
)
_MARK = re.compile(r"^tests?_|[._](?:tests?|spec)$|Tests?$")
_SAYS_SO = re.compile(
    r"\b(?:test[- ]driven development|TDD|red[-/ →>]+green(?:[-/ →>]+refactor)?)\b", re.IGNORECASE
)
# Words that turn a clause round; two of them turn it back ("never without", "not optional").
_DENIES = re.compile(
    r"\b(?:no|not|never|nor|neither|cannot|without|before(?= )|avoid\w*|skip\w*|stop\w*|drop\w*|instead of|rather than"
    r"|optional\w*|unnecessary|discouraged|kein\w*|nicht|ohne)\b|n['’]t\b",
    re.IGNORECASE,
)
# Where a clause ends: at a sign, at a joining word, at an empty line, a heading or the next item of a list.
_CLAUSE_END = re.compile(
    r"[.;!?,]|\s(?:and|but|so|because|while|und|aber)\s|\n\s*(?:\n|[-*+#]|\d+[.)])", re.IGNORECASE
)
_RULES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules", "CONTRIBUTING.md", "README.md")
_GUARD = (".claude/tdd-guard/*", ".claude/tdd-guard/*/*", "tdd-guard.config.*", ".tdd/*")
_BRANCH = re.compile(r"(?:^|/)(?:feature|feat|tdd|fix)[/-](?P<name>[\w.-]{1,60})$")
# So many characters around the name are looked at.
_REACH = 100
MAX_CONTRACTS = 10
MAX_NAMED = 40


@dataclass(slots=True)
class _Cycle:
    """Red and green as the session goes on."""

    stage: str = ""
    red: dict[str, str] = field(default_factory=dict)
    green: list[str] = field(default_factory=list)
    cycles: int = 0
    refactors: list[str] = field(default_factory=list)
    # A test was written since the last run that passed.
    test_written: bool = False


def detect(around: Surroundings) -> str:
    """A guard that enforces it, or rules for people and agents that ask for it."""
    guard = next((path for pattern in _GUARD for path in around.files.names(pattern)), "")
    if guard:
        return f"it has {guard}"
    rules = next((path for path in _RULES if _asks_for_it(around.files.text(path))), "")
    return f"{rules} asks for it" if rules else ""


def _asks_for_it(text: str) -> bool:
    """Whether a text names it in a clause that does not deny it."""
    return any(_count_denials(text, *match.span()) % 2 == 0 for match in _SAYS_SO.finditer(text))


def _count_denials(text: str, start: int, end: int) -> int:
    """How many words of the clause around a name turn it round; before the name a colon ends a clause too."""
    before = re.split(r":\s", _CLAUSE_END.split(text[max(0, start - _REACH) : start])[-1])[-1]
    after = _CLAUSE_END.split(text[end : end + _REACH])[0]
    return len(_DENIES.findall(before)) + len(_DENIES.findall(after.replace(" before ", " ")))


def unit(around: Surroundings) -> WorkRef | None:
    """The feature the branch names; without one, what most of the session's tests are about."""
    named = _BRANCH.search(around.branch)
    feature = named["name"] if named else _most_tested(around.deeds)
    if not feature:
        return None
    word = re.sub(r"\W+", "_", feature.lower()).strip("_")
    return (
        WorkRef(methodology="tdd", hierarchy=(f"feature_{word}",), label=f"Feature {feature}")
        if word
        else None
    )


def stage(around: Surroundings) -> str:
    """Red while a test is being written or was just seen to fail, green while code answers it, then refactor."""
    return _replay_cycle(around.deeds).stage


def work_state(around: Surroundings) -> Mapping[str, object]:
    """Which tests are red, which became green, what was being made better; nothing once all is green and tested."""
    cycle = _replay_cycle(around.deeds)
    if not (cycle.red or cycle.refactors or cycle.test_written):
        return {}
    return {
        "stage": cycle.stage,
        "tests_red": list(cycle.red)[:MAX_NAMED],
        "tests_green": cycle.green[:MAX_NAMED],
        "refactors_pending": cycle.refactors[:MAX_NAMED],
        "cycle_count": cycle.cycles,
    }


def tell_state(state: Mapping[str, object]) -> str:
    """Where the cycle stands, in a few sentences."""
    stage_now = read_text(state, "stage")
    count = read_text(state, "cycle_count")
    return join_sentences(
        f"In the {stage_now} stage, after {count} closed cycles." if stage_now else "",
        list_sentence("Red", read_texts(state, "tests_red")),
        list_sentence("Green", read_texts(state, "tests_green")),
        list_sentence("Refactored and not yet tested", read_texts(state, "refactors_pending")),
    )


def collect_contracts(around: Surroundings, done: FinishedWork) -> Sequence[Addition]:
    """A test that failed first and then passed is a contract: what it asks for was wanted."""
    if not done.succeeded:
        return ()
    return [
        Addition(
            kind="test_contract",
            text=f"{test} was red before {done.work.label} was written, and green after: it says what was wanted.",
            fields={"test": test},
            files=tuple(file for file in (test.partition("::")[0],) if _TEST_FILE.search(file)),
        )
        for test in _replay_cycle(around.deeds).green[:MAX_CONTRACTS]
        # A command is no test: nothing that could be broken later goes by its name.
        if " " not in test
    ]


def _most_tested(deeds: Sequence[AgentAction]) -> str:
    names = Counter(
        _MARK.sub("", basename(file).rpartition(".")[0])
        for deed in deeds
        if deed.kind is ActionKind.EDITED
        for file in deed.files
        if _TEST_FILE.search(file)
    )
    return names.most_common(1)[0][0] if names else ""


def _replay_cycle(deeds: Sequence[AgentAction]) -> _Cycle:
    cycle = _Cycle()
    for deed in deeds:
        _STEPS.get(deed.kind, _note_nothing)(cycle, deed)
    return cycle


def _note_edit(cycle: _Cycle, deed: AgentAction) -> None:
    tests = [file for file in deed.files if _TEST_FILE.search(file)]
    if tests:
        cycle.test_written = True
    if cycle.red:
        # Something fails: to write more tests is still red, to write code is on the way to green.
        cycle.stage = "red" if tests and len(tests) == len(deed.files) else "green"
    elif tests:
        cycle.stage = "red"
    elif cycle.stage in ("assertion", "refactor"):
        cycle.stage = "refactor"
        cycle.refactors += [file for file in deed.files if file not in cycle.refactors]


def _note_failure(cycle: _Cycle, deed: AgentAction) -> None:
    failing = deed.failing or (deed.text,)
    for test in [test for test, command in cycle.red.items() if command == deed.text and test not in failing]:
        _turn_green(cycle, test)
    for test in failing:
        cycle.red[test] = deed.text
        if test in cycle.green:
            cycle.green.remove(test)
    cycle.stage = "refactor" if cycle.stage == "refactor" and not cycle.test_written else "red"


def _note_pass(cycle: _Cycle, deed: AgentAction) -> None:
    # A run of everything answers for all; a narrower one for those it was asked for.
    turned = [test for test, command in cycle.red.items() if _covers(deed.text, command, test)]
    for test in turned:
        _turn_green(cycle, test)
    if turned and not cycle.red:
        cycle.cycles += 1
    cycle.refactors.clear()
    cycle.test_written = False
    cycle.stage = "red" if cycle.red else "assertion"


def _covers(command: str, failed_by: str, test: str) -> bool:
    place = test.partition("::")[0]
    is_narrow = any(_TEST_FILE.search(word.partition("::")[0]) for word in command.split())
    return command == failed_by or not is_narrow or (bool(place) and place in command)


def _turn_green(cycle: _Cycle, test: str) -> None:
    del cycle.red[test]
    if test not in cycle.green:
        cycle.green.append(test)


def _note_nothing(cycle: _Cycle, deed: AgentAction) -> None:
    pass


_STEPS = {
    ActionKind.EDITED: _note_edit,
    ActionKind.TEST_FAILED: _note_failure,
    ActionKind.TEST_PASSED: _note_pass,
}

TDD = Methodology(
    id="tdd",
    name="TDD (red, green, refactor)",
    phases={
        "red": Phase.DEFINE,
        "green": Phase.IMPLEMENT,
        "assertion": Phase.VALIDATE,
        "refactor": Phase.REFINE,
        "spike": Phase.EXPLORE,
        "retrospective": Phase.REFLECT,
        # The stages, by who is at work in them.
        "test_writer": Phase.DEFINE,
        "implementer": Phase.IMPLEMENT,
        "refactorer": Phase.REFINE,
    },
    relays=(
        Relay(source="test_writer", target="implementer"),
        Relay(source="implementer", target="refactorer"),
    ),
    kinds=(
        Kind(
            name="test_contract",
            group="work",
            heading="What tests promise",
            scope=Scope.MODULE,
            needs_review=True,
            fields={"test": Field(type="text")},
        ),
    ),
    detect=detect,
    unit=unit,
    stage=stage,
    work_state=work_state,
    tell_state=tell_state,
    on_work_unit_complete=collect_contracts,
)
