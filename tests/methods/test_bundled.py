"""Each built-in way of working: its phases and relays, and what it reads out of real files and test results."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.methods.agile import AGILE
from recollect.methods.bmad import BMAD
from recollect.methods.checkout import CheckoutReader
from recollect.methods.native import NATIVE
from recollect.methods.registry import choose_method, load_methods
from recollect.methods.tdd import TDD
from recollect.model.method import FinishedWork, Methodology, Surroundings
from recollect.model.phase import ActionKind, AgentAction, Phase
from recollect.model.scope import parse_workref
from tests.methods.projects import PLAN, RULES, SPRINT, SPRINT_STATUS, STORY, write

ALL = (NATIVE, BMAD, TDD, AGILE)

# As the design has them.
SEED_PHASES = {
    "native": """planning define, spec define, coding implement, qa_review validate, qa_fix refine,
        debugging refine, insights explore""",
    "bmad": """analyst define, pm define, architect define, story_creation define, dev implement,
        story_development implement, qa validate, story_acceptance validate, sm reflect, retrospective reflect,
        research explore""",
    "tdd": "red define, green implement, assertion validate, refactor refine",
    "agile": "tech_debt refine",
}
SEED_RELAYS = {
    "native": "planner:coder coder:qa_reviewer qa_reviewer:qa_fixer",
    "bmad": "analyst:architect architect:dev dev:qa qa:sm",
    "tdd": "test_writer:implementer implementer:refactorer",
}


def rows(table: dict[str, str]) -> list[tuple[Methodology, str, str]]:
    methods = {method.id: method for method in ALL}
    pairs = ((methods[name], pair.split()) for name, text in table.items() for pair in text.split(","))
    return [(method, name, phase) for method, (name, phase) in pairs]


@pytest.mark.parametrize(("method", "name", "phase"), rows(SEED_PHASES))
def test_each_phase_is_mapped_as_the_design_has_it(method: Methodology, name: str, phase: str) -> None:
    assert method.phase(name) == phase


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.id)
def test_a_phase_nobody_knows_is_exploring(method: Methodology) -> None:
    assert method.phase("juggling") is Phase.EXPLORE


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.id)
def test_every_universal_phase_has_a_name_and_every_stage_a_phase(method: Methodology) -> None:
    assert set(method.phases.values()) == set(Phase)
    stages = {stage for relay in method.relays for stage in (relay.source, relay.target)}
    assert stages <= set(method.phases)


@pytest.mark.parametrize("name", SEED_RELAYS)
def test_the_relays_are_those_of_the_design(name: str) -> None:
    method = next(method for method in ALL if method.id == name)
    assert " ".join(f"{relay.source}:{relay.target}" for relay in method.relays) == SEED_RELAYS[name]


def test_filtered_relays_let_only_their_kinds_through() -> None:
    assert NATIVE.relay("qa_reviewer", "qa_fixer").kinds == ("error_pattern", "requirement")
    assert BMAD.relay("qa", "sm").kinds == ("decision", "module_insight")


def seen(
    folder: Path, files: dict[str, str], branch: str = "main", *deeds: AgentAction, work: str = ""
) -> Surroundings:
    write(folder, files)
    return Surroundings(files=CheckoutReader(folder), branch=branch, deeds=deeds, work=work)


@pytest.mark.parametrize(
    ("files", "branch", "method"),
    [
        ({}, "main", "native"),
        ({".auto-claude/specs/042-retry/implementation_plan.json": PLAN}, "main", "native"),
        ({".bmad-core/core-config.yaml": "markdownExploder: true\n"}, "main", "bmad"),
        ({"_bmad/bmm/config.yaml": "project_name: x\n"}, "main", "bmad"),
        ({"docs/sprint-status.yaml": SPRINT_STATUS}, "main", "bmad"),
        ({"CLAUDE.md": RULES}, "main", "tdd"),
        ({"CONTRIBUTING.md": "Use test-driven development."}, "main", "tdd"),
        ({".claude/tdd-guard/data/config.json": "{}"}, "main", "tdd"),
        ({"CLAUDE.md": "Write tests."}, "main", "native"),
        ({"CONTRIBUTING.md": "We do not require TDD here."}, "main", "native"),
        ({"CONTRIBUTING.md": "This project doesn't follow\ntest-driven development."}, "main", "native"),
        ({"CONTRIBUTING.md": "TDD is optional. Tests are not."}, "main", "native"),
        ({"CONTRIBUTING.md": "Write code first, rather than TDD."}, "main", "native"),
        ({"CONTRIBUTING.md": "Do not skip tests. We use TDD."}, "main", "tdd"),
        ({"CONTRIBUTING.md": "- do not commit secrets\n- follow TDD"}, "main", "tdd"),
        ({"CONTRIBUTING.md": "TDD is not optional."}, "main", "tdd"),
        ({"CONTRIBUTING.md": "Never commit code without TDD."}, "main", "tdd"),
        ({"sprints/sprint-12.md": SPRINT}, "main", "agile"),
        ({}, "feature/US47-sign-out", "agile"),
        ({}, "feature/SHOP-123-sign-out", "agile"),
        ({}, "fix/utf-8", "native"),
        ({}, "release-1.2", "native"),
        ({"docs/sprint-status.yaml": SPRINT_STATUS, "CLAUDE.md": RULES}, "feature/US47", "bmad"),
    ],
)
def test_the_way_of_working_is_seen_in_the_files(
    tmp_path: Path, files: dict[str, str], branch: str, method: str
) -> None:
    assert choose_method(load_methods(()), seen(tmp_path, files, branch)).method.id == method


def test_a_setting_outweighs_the_files_and_one_that_is_missing_is_named(tmp_path: Path) -> None:
    around = seen(tmp_path, {"docs/sprint-status.yaml": SPRINT_STATUS})
    assert choose_method(load_methods(()), around, "tdd", "the user file").method.id == "tdd"
    missing = choose_method(load_methods(()), around, "kanban", "the user file")
    assert missing.method.id == "native"
    assert missing.why == "the user file asks for kanban, which is not installed"


# -- native ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("branch", "ref", "label"),
    [
        ("spec/042", "native:spec_042", "Spec 042"),
        ("auto/spec-42-subtask-3", "native:spec_042/subtask_3", "Spec 042 / Subtask 3"),
        ("042-retry", "native:spec_042", "Spec 042"),
    ],
)
def test_native_names_the_spec_of_the_branch(tmp_path: Path, branch: str, ref: str, label: str) -> None:
    around = seen(tmp_path, {"specs/042-retry/tasks.md": "- [ ] T001 Cap them\n"}, branch)
    found = NATIVE.unit(around)
    assert found and (str(found), found.label) == (ref, label)


def test_a_number_in_a_branch_is_no_spec_unless_there_is_one(tmp_path: Path) -> None:
    assert NATIVE.unit(seen(tmp_path, {}, "2024-spring")) is None


def test_native_tells_which_subtasks_are_done_and_which_is_next(tmp_path: Path) -> None:
    around = seen(tmp_path, {".auto-claude/specs/042-retry/implementation_plan.json": PLAN})
    assert str(NATIVE.unit(around)) == "native:spec_042"
    state = NATIVE.work_state(around)
    assert state["completed_subtasks"] == ["1.1"]
    assert state["in_progress_subtask"] == "1.2"
    assert NATIVE.tell_state(state) == (
        "Subtasks done (1 of 3): 1.1. Next: subtask 1.2 “Back off between them”."
    )


def test_a_list_of_tasks_is_a_plan_too_and_a_finished_one_leaves_nothing(tmp_path: Path) -> None:
    tasks = "# Tasks\n\n- [x] T001 Cap them\n- [ ] T002 [P] Log them\n"
    around = seen(tmp_path, {"specs/042-retry/tasks.md": tasks}, "042-retry")
    assert NATIVE.work_state(around)["in_progress_subtask"] == "T002"
    done = seen(tmp_path, {"specs/042-retry/tasks.md": tasks.replace("[ ]", "[x]")}, "042-retry")
    assert NATIVE.work_state(done) == {}


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"phases": 3}', '{"phases": [{"subtasks": [7, {}]}]}'])
def test_a_plan_that_cannot_be_read_says_nothing(tmp_path: Path, broken: str) -> None:
    path = ".auto-claude/specs/042-retry/implementation_plan.json"
    assert NATIVE.work_state(seen(tmp_path, {path: broken}, "spec/042")) == {}


# -- bmad ------------------------------------------------------------------------------------------------


def story(status: str = "in-progress", second: str = " ") -> dict[str, str]:
    return {
        "docs/stories/3-2-token-refresh.md": STORY.format(status=status, second=second),
        "docs/epics.md": "# Epics\n\n## Epic 3: Accounts\n\nText.\n",
    }


def test_bmad_finds_the_story_in_progress_and_names_its_epic(tmp_path: Path) -> None:
    found = BMAD.unit(seen(tmp_path, story()))
    assert found is not None
    assert str(found) == "bmad:epic_3/story_3_2"
    assert found.label == "Epic 3 Accounts / Story 3.2 Token refresh"


@pytest.mark.parametrize(
    "text",
    [
        "# Story 3.2: Token refresh\n\n## Status: InProgress\n",
        "# Story 3.2: Token refresh\n\n## Status\n\nIn Progress\n",
        "# Story 3.2: Token refresh\n\n**Status:** in-progress\n",
    ],
)
def test_every_version_of_a_story_file_is_read(tmp_path: Path, text: str) -> None:
    found = BMAD.unit(seen(tmp_path, {"docs/stories/3.2.token-refresh.md": text}))
    assert str(found) == "bmad:epic_3/story_3_2"


def test_the_branch_names_the_story_before_the_status_does(tmp_path: Path) -> None:
    files = {**story(), "docs/sprint-status.yaml": SPRINT_STATUS.format(status="in-progress")}
    assert str(BMAD.unit(seen(tmp_path, files, "story/3-3"))) == "bmad:epic_3/story_3_3"
    assert str(BMAD.unit(seen(tmp_path, files, "release-1.2"))) == "bmad:epic_3/story_3_2"


def test_bmad_tells_what_the_story_still_lacks(tmp_path: Path) -> None:
    files = {**story(), "docs/sprint-status.yaml": SPRINT_STATUS.format(status="in-progress")}
    state = BMAD.work_state(seen(tmp_path, files))
    assert state["acceptance_criteria_status"] == {"1": "met", "2": "open", "3": "open"}
    assert state["stories_completed"] == ["3.1"]
    assert BMAD.tell_state(state) == (
        "Story 3.2 “Token refresh”, in progress. Tasks done: “Renew the token (AC: #1)”. "
        "Tasks open: “Keep it in the vault (AC: 2)”, “Sign out on refusal (AC: #3)”. "
        "1 of 3 acceptance criteria are met; open: #2, #3. Stories done: 3.1."
    )


def test_a_finished_story_leaves_no_state_and_keeps_the_criteria_it_met(tmp_path: Path) -> None:
    around = seen(tmp_path, story("done", "x"), "story/3-2")
    assert BMAD.work_state(around) == {}
    work = parse_workref("bmad:epic_3/story_3_2")
    found = BMAD.on_work_unit_complete(
        around, FinishedWork(work=work, succeeded=True, files=("src/token.py",))
    )
    assert [one.text for one in found] == [
        "Story 3.2 meets criterion 1: “Given a token that ends soon Then it is renewed”.",
        "Story 3.2 meets criterion 2: “A renewed token is kept in the vault”.",
    ]
    assert BMAD.on_work_unit_complete(around, FinishedWork(work=work, succeeded=False)) == ()


@pytest.mark.parametrize(("status", "phase"), [("Draft", "define"), ("Ready for Review", "validate")])
def test_the_status_of_a_story_is_a_phase(tmp_path: Path, status: str, phase: str) -> None:
    around = seen(tmp_path, story(status), "story/3-2")
    assert BMAD.phase(BMAD.stage(around)) == phase


# -- tdd -------------------------------------------------------------------------------------------------

TEST, CODE = "tests/test_auth.py", "src/auth.py"
RED = "tests/test_auth.py::test_refresh"


def edit(file: str) -> AgentAction:
    return AgentAction(kind=ActionKind.EDITED, files=(file,))


def red(*tests: str, command: str = "pytest -q") -> AgentAction:
    return AgentAction(kind=ActionKind.TEST_FAILED, text=command, failing=tests or (RED,))


def green(command: str = "pytest -q") -> AgentAction:
    return AgentAction(kind=ActionKind.TEST_PASSED, text=command)


@pytest.mark.parametrize(
    ("deeds", "stage", "phase"),
    [
        ((edit(TEST),), "red", "define"),
        ((edit(TEST), red()), "red", "define"),
        ((edit(TEST), red(), edit(CODE)), "green", "implement"),
        ((edit(TEST), red(), edit(CODE), red()), "red", "define"),
        ((edit(TEST), red(), edit(CODE), green()), "assertion", "validate"),
        ((edit(TEST), red(), edit(CODE), green(), edit(CODE)), "refactor", "refine"),
        ((edit(TEST), red(), edit(CODE), green(), edit(CODE), red()), "refactor", "refine"),
        ((edit(TEST), red(), edit(CODE), green(), edit(TEST)), "red", "define"),
    ],
)
def test_red_green_and_refactor_are_read_from_test_results(
    deeds: tuple[AgentAction, ...], stage: str, phase: str
) -> None:
    around = Surroundings(deeds=deeds)
    assert TDD.stage(around) == stage
    assert TDD.phase(stage) == phase


def test_tdd_counts_cycles_and_knows_what_is_red(tmp_path: Path) -> None:
    other = "tests/test_auth.py::test_expiry"
    deeds = (edit(TEST), red(), edit(CODE), green(), edit(TEST), red(other), edit(CODE))
    state = TDD.work_state(Surroundings(deeds=deeds))
    assert state == {
        "stage": "green",
        "tests_red": [other],
        "tests_green": [RED],
        "refactors_pending": [],
        "cycle_count": 1,
    }
    assert TDD.tell_state(state) == f"In the green stage, after 1 closed cycles. Red: {other}. Green: {RED}."


def test_a_narrow_run_does_not_answer_for_other_tests() -> None:
    narrow = green("pytest tests/test_price.py")
    assert TDD.work_state(Surroundings(deeds=(edit(TEST), red(), narrow)))["tests_red"] == [RED]


def test_all_green_and_tested_leaves_nothing_to_resume() -> None:
    assert TDD.work_state(Surroundings(deeds=(edit(TEST), red(), edit(CODE), green()))) == {}


@pytest.mark.parametrize(
    ("branch", "deeds", "ref"),
    [
        ("feature/auth-refresh", (), "tdd:feature_auth_refresh"),
        ("main", (edit(TEST),), "tdd:feature_auth"),
        ("main", (edit("src/cart.spec.ts"),), "tdd:feature_cart"),
        ("main", (edit(CODE),), "None"),
    ],
)
def test_the_feature_is_named_by_branch_or_test(
    branch: str, deeds: tuple[AgentAction, ...], ref: str
) -> None:
    assert str(TDD.unit(Surroundings(branch=branch, deeds=deeds))) == ref


def test_a_test_that_was_red_first_is_a_contract() -> None:
    around = Surroundings(deeds=(edit(TEST), red(), edit(CODE), green()))
    work = parse_workref("tdd:feature_auth", "Feature auth")
    [found] = TDD.on_work_unit_complete(around, FinishedWork(work=work, succeeded=True))
    assert (found.kind, found.fields, found.files) == ("test_contract", {"test": RED}, (TEST,))


# -- agile -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("branch", "ref", "label"),
    [
        ("sprint-12/US47-sign-out", "agile:sprint_12/story_US47", "Sprint 12 / Story US47"),
        ("feature/us-47", "agile:story_US47", "Story US47"),
        ("feature/SHOP-123-login", "agile:story_SHOP-123", "Story SHOP-123"),
        ("story/47", "agile:story_47", "Story 47"),
        ("story/3-2", "None", ""),
        ("main", "None", ""),
    ],
)
def test_agile_reads_sprint_and_story_from_the_branch(branch: str, ref: str, label: str) -> None:
    found = AGILE.unit(Surroundings(branch=branch))
    assert (str(found), found.label if found else "") == (ref, label)


def test_agile_finds_the_sprint_of_a_story_in_its_file(tmp_path: Path) -> None:
    files = {"sprints/sprint-12.md": SPRINT, "sprints/sprint-13.md": "# Sprint 13\n\n- [ ] US48 Later\n"}
    around = seen(tmp_path, files, "feature/US47")
    assert str(AGILE.unit(around)) == "agile:sprint_12/story_US47"
    state = AGILE.work_state(around)
    assert AGILE.tell_state(state) == (
        "Story US47 “Sign out” of sprint 12. Stories done: US46. Stories open: SHOP-9."
    )
    assert AGILE.work_state(seen(tmp_path, files, "feature/US46")) == {}


@pytest.mark.parametrize(
    ("branch", "phase"), [("spike/US1", "explore"), ("bugfix/US1", "refine"), ("refactor/US1", "refine")]
)
def test_the_kind_of_branch_is_a_phase(branch: str, phase: str) -> None:
    assert AGILE.phase(AGILE.stage(Surroundings(branch=branch))) == phase
