"""Which files a session will need, foreseen from what earlier sessions of the project did."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.model.event import EventType, ToolAction
from recollect.predict_files import past_sessions
from recollect.predict_files.cochange import score_same_folder
from recollect.predict_files.content import score_definitions, score_file_names, score_named_in_prompt
from recollect.predict_files.inputs import Signal
from recollect.predict_files.predict import PredictionRequest, build_inputs, predict_files
from recollect.predict_files.recency import score_branch_files, score_named_on_branch
from recollect.store.tables import file_visits
from tests.conftest import Clock
from tests.git.repos import a_repository, git, isolate
from tests.hash_embedder import HashEmbedder

FILES = ("src/price.py", "src/cart.py", "src/tax.py", "tests/test_price.py", "docs/guide.md")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "git-home")
    folder = a_repository(tmp_path / "shop")
    for name in FILES:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x\n")
    return folder


@pytest.fixture
def memory(tmp_path: Path, shop: Path, clock: Clock) -> Iterator[Recollect]:
    with Recollect(tmp_path / "m.db", folder=shop, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def session(
    memory: Recollect,
    clock: Clock,
    name: str,
    *paths: str,
    branch: str = "main",
    words: str = "",
    names: str = "",
) -> None:
    """A session that read these files and is over."""
    begin(memory, name, branch)
    read(memory, clock, name, *paths, words=words, names=names)
    memory.observer.record(EventType.SESSION_ENDED, session=name)
    memory.observer.learn_due()
    clock.at += timedelta(hours=1)


def begin(memory: Recollect, name: str, branch: str = "main") -> None:
    memory.observer.record(EventType.SESSION_STARTED, session=name, data={"branch": branch})


def read(memory: Recollect, clock: Clock, name: str, *paths: str, words: str = "", names: str = "") -> None:
    data: dict[str, Any] = {"words": words, "names": names}
    for path in paths:
        clock.at += timedelta(seconds=5)
        memory.observer.record(
            EventType.TOOL_FINISHED,
            session=name,
            call_id=f"{name}-{clock.at.timestamp()}",
            tool="Read",
            action=ToolAction.READ,
            files=(path,),
            ok=True,
            data=data,
        )


def foreseen(memory: Recollect, prompt: str, **how: Any) -> list[str]:
    return [one.path for one in memory.observer.foresee(prompt, **how)]


def why(memory: Recollect, path: str, prompt: str, **how: Any) -> tuple[str, ...]:
    return next(one.reasons for one in memory.observer.foresee(prompt, **how) if one.path == path)


def test_nothing_is_foreseen_where_nothing_was_seen(memory: Recollect) -> None:
    assert foreseen(memory, "round the prices") == []


def test_a_file_named_in_the_prompt_comes_first(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/cart.py", "src/price.py")
    session(memory, clock, "s2", "src/cart.py")
    assert foreseen(memory, "look at price.py")[0] == "src/price.py"
    assert why(memory, "src/price.py", "look at price.py")[0] == "named in the prompt"


def test_a_path_says_it_better_than_a_name(memory: Recollect, clock: Clock, shop: Path) -> None:
    (shop / "old").mkdir()
    (shop / "old/price.py").write_text("x")
    session(memory, clock, "s1", "src/price.py", "old/price.py")
    assert foreseen(memory, "compare with old/price.py")[0] == "old/price.py"
    assert foreseen(memory, "compare with src/price.py")[0] == "src/price.py"


def test_a_file_is_found_by_the_words_seen_in_it(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/tax.py", words="vat:9 amount:4")
    for number in range(2, 6):
        session(memory, clock, f"s{number}", "src/cart.py", words="basket:9 amount:4")
    assert foreseen(memory, "the VAT of an amount is wrong")[0] == "src/tax.py"
    assert why(memory, "src/tax.py", "the VAT of an amount is wrong")[0] == "speaks of vat, amount"


def test_a_file_is_found_by_a_name_it_defines(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/tax.py", names="vat_share")
    session(memory, clock, "s2", "src/cart.py")
    assert foreseen(memory, "vat_share() is slow")[0] == "src/tax.py"
    assert "defines vat_share" in why(memory, "src/tax.py", "vat_share() is slow")


def test_the_files_of_this_branch_come_before_those_of_others(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/tax.py", branch="kim/vat")
    session(memory, clock, "s2", "src/cart.py", branch="kim/cart")
    assert foreseen(memory, "go on", branch="kim/vat")[0] == "src/tax.py"
    assert foreseen(memory, "go on", branch="kim/cart")[0] == "src/cart.py"
    assert "read on this branch, in one session" in why(memory, "src/tax.py", "go on", branch="kim/vat")


def test_without_a_branch_the_one_checked_out_counts(memory: Recollect, clock: Clock, shop: Path) -> None:
    session(memory, clock, "s1", "src/tax.py", branch="kim/vat")
    session(memory, clock, "s2", "src/cart.py", branch="kim/cart")
    git(shop, "checkout", "-q", "-b", "kim/vat")
    assert foreseen(memory, "go on")[0] == "src/tax.py"


def test_what_was_touched_lately_comes_before_what_was_touched_long_ago(
    memory: Recollect, clock: Clock
) -> None:
    for number, path in enumerate(("src/tax.py", *["src/cart.py"] * 3), start=1):
        session(memory, clock, f"s{number}", path)
    assert foreseen(memory, "go on") == ["src/cart.py", "src/tax.py"]
    assert why(memory, "src/cart.py", "go on") == ("touched in 3 of the last 4 sessions",)


def test_files_touched_already_bring_their_company_and_are_not_named_again(
    memory: Recollect, clock: Clock
) -> None:
    session(memory, clock, "s1", "src/tax.py", "docs/guide.md")
    for number in range(2, 6):
        session(memory, clock, f"s{number}", "src/cart.py")
    found = foreseen(memory, "go on", files=["src/tax.py"])
    assert found[0] == "docs/guide.md"
    assert "src/tax.py" not in found
    assert "goes with src/tax.py" in why(memory, "docs/guide.md", "go on", files=["src/tax.py"])


def test_a_test_comes_with_what_it_tests(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "tests/test_price.py")
    session(memory, clock, "s2", "docs/guide.md")
    assert foreseen(memory, "go on", files=["src/price.py"])[0] == "tests/test_price.py"


def test_commits_say_what_goes_together_too(memory: Recollect, clock: Clock, shop: Path) -> None:
    git(shop, "add", "src/tax.py", "docs/guide.md")
    git(shop, "commit", "-q", "-m", "tax")
    memory.observer.learn_history()
    session(memory, clock, "s1", "docs/guide.md")
    session(memory, clock, "s2", "src/cart.py")
    assert "goes with src/tax.py" in why(memory, "docs/guide.md", "go on", files=["src/tax.py"])


def test_a_file_that_is_gone_is_not_foreseen(memory: Recollect, clock: Clock, shop: Path) -> None:
    session(memory, clock, "s1", "src/tax.py", "src/cart.py")
    (shop / "src/tax.py").unlink()
    assert foreseen(memory, "go on") == ["src/cart.py"]


def test_scores_lie_between_0_and_1_and_fall(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", *FILES, words="vat:3", names="vat_share", branch="kim/vat")
    found = memory.observer.foresee("vat_share in src/tax.py", branch="kim/vat", files=["src/cart.py"])
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[-1] <= scores[0] <= 1


def test_a_session_is_no_past_of_its_own(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/tax.py")
    assert foreseen(memory, "look at tax.py", session="s1") == []


def test_a_session_that_runs_is_known_to_the_next_one_that_starts(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    read(memory, clock, "s1", "src/tax.py")
    memory.observer.start_session("s2")
    assert foreseen(memory, "go on", session="s2") == ["src/tax.py"]
    read(memory, clock, "s1", "src/cart.py")
    memory.observer.start_session("s3")
    assert set(foreseen(memory, "go on", session="s3")) == {"src/tax.py", "src/cart.py"}


def test_reading_a_session_again_counts_nothing_twice(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/tax.py", words="vat:3")
    before = memory.observer.foresee("vat")
    db = memory._wiring.db
    past_sessions.record_visits(db, memory.observer.session("s1"), memory.observer.events("s1"))
    assert memory.observer.foresee("vat") == before


def test_what_was_kept_of_a_session_goes_with_it(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/tax.py", words="vat:3", names="vat_share")
    db = memory._wiring.db
    list(db.statement("DELETE FROM session WHERE id = 's1'"))
    for table in ("past_session", "past_file", "past_word", "past_name"):
        assert list(db.statement(f"SELECT count(*) FROM {table}")) == [(0,)]  # noqa: S608


def test_only_the_newest_sessions_of_a_project_are_kept(memory: Recollect, clock: Clock) -> None:
    for number, path in enumerate(FILES, start=1):
        session(memory, clock, f"s{number}", path)
    db, project_id = memory._wiring.db, memory._wiring.project_id()
    assert project_id
    file_visits.keep_newest_sessions(db, project_id, 2)
    assert set(foreseen(memory, "go on")) == set(FILES[-2:])
    assert {path for (path,) in db.statement("SELECT path FROM past_path")} == set(FILES[-2:])


def test_other_projects_are_not_looked_at(memory: Recollect, clock: Clock, tmp_path: Path) -> None:
    session(memory, clock, "s1", "src/tax.py")
    other = a_repository(tmp_path / "other")
    (other / "src").mkdir()
    (other / "src/tax.py").write_text("x")
    with Recollect(memory._wiring.db.path, folder=other, embedder=HashEmbedder(), clock=clock) as elsewhere:
        elsewhere.remember("A memory makes the other project known")
        assert foreseen(elsewhere, "look at src/tax.py") == []


# -- one signal alone: together they cover for each other ----------------------------------------------


def alone(memory: Recollect, signal: Signal, prompt: str = "go on", **how: Any) -> dict[str, float]:
    project_id = memory._wiring.project_id()
    assert project_id
    return dict(
        signal(build_inputs(memory._wiring.db, project_id, PredictionRequest(prompt=prompt, **how))).scores
    )


def test_a_path_counts_twice_what_a_name_does(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/price.py", "old/price.py", "docs/guide.md")
    found = alone(memory, score_named_in_prompt, "compare with shop/old/price.py and guide.md.")
    assert found == {"src/price.py": 1.0, "old/price.py": 2.0, "docs/guide.md": 1.0}


def test_a_hidden_file_and_one_at_the_end_of_a_sentence_are_named(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", ".golangci.yaml", "docs/guide.md")
    found = alone(memory, score_named_in_prompt, "move it from ./docs/guide.md:12 to .golangci.yaml.")
    assert found == {".golangci.yaml": 1.0, "docs/guide.md": 2.0}


def test_a_file_is_called_by_words_of_the_prompt_or_the_branch(
    memory: Recollect, clock: Clock, shop: Path
) -> None:
    (shop / "src/tax_rate.py").write_text("x")
    session(memory, clock, "s1", "src/tax.py", "src/tax_rate.py", "tests/test_tax_rate.py", "src/cart.py")
    # All of a name says more than a part of it, and two words more than one; the mark of a test is no word.
    found = alone(memory, score_file_names, "rates of the tax are wrong")
    assert found == {"src/tax.py": 1.0, "src/tax_rate.py": 2.0, "tests/test_tax_rate.py": 2.0}
    assert alone(memory, score_file_names, "tax") == {
        "src/tax.py": 1.0,
        "src/tax_rate.py": 0.5,
        "tests/test_tax_rate.py": 0.5,
    }
    assert alone(memory, score_file_names, "go on", branch="kim/cart") == {"src/cart.py": 1.0}
    assert alone(memory, score_file_names, "hello") == {}
    assert "called by what is asked: rates, tax" in why(memory, "src/tax_rate.py", "rates of the tax")


def test_a_file_that_the_prompt_spells_out_brings_its_company(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/price.py", "docs/guide.md")
    for number in range(2, 5):
        session(memory, clock, f"s{number}", "src/cart.py")
    assert "goes with src/price.py" in why(memory, "docs/guide.md", "round up in src/price.py")
    # Only a path leaves no doubt. The file itself may still be named: nobody has opened it yet.
    assert "goes with src/price.py" not in why(memory, "docs/guide.md", "round up in price.py")
    assert foreseen(memory, "round up in src/price.py")[0] == "src/price.py"


def test_how_much_a_file_speaks_of_what_is_asked_is_told_beside_the_score(
    memory: Recollect, clock: Clock
) -> None:
    session(memory, clock, "s1", "src/tax.py", words="vat:9 amount:4")
    session(memory, clock, "s2", "src/cart.py", words="amount:4")
    vague, plain = (memory.observer.foresee(prompt)[0] for prompt in ("the amount", "the VAT of an amount"))
    assert plain.words > vague.words > 0.0
    assert memory.observer.foresee("go on")[0].words == 0.0


@pytest.mark.parametrize("prompt", ["", "\0", "a" * 200_000, "a." * 50_000, "\udc80 tax.py", "/" * 10_000])
def test_any_prompt_and_branch_can_be_asked_about(memory: Recollect, clock: Clock, prompt: str) -> None:
    session(memory, clock, "s1", "src/tax.py")
    assert foreseen(memory, prompt, branch="\udc80/x") == ["src/tax.py"]


def test_an_earlier_session_on_the_branch_counts_half_of_the_next(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/tax.py", "src/cart.py", branch="kim/vat")
    session(memory, clock, "s2", "docs/guide.md", branch="kim/docs")
    session(memory, clock, "s3", "src/tax.py", branch="kim/vat")
    assert alone(memory, score_branch_files, branch="kim/vat") == {"src/tax.py": 1.5, "src/cart.py": 0.5}
    assert alone(memory, score_branch_files, branch="main") == {}


def test_a_file_that_was_only_named_counts_on_its_branch(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1", "kim/vat")
    memory.observer.record(
        EventType.TOOL_FINISHED,
        session="s1",
        action=ToolAction.RUN,
        tool="Bash",
        output="FAILED tests/test_vat.py",
    )
    memory.observer.learn_due()
    assert alone(memory, score_named_on_branch, branch="kim/vat") == {"tests/test_vat.py": 1.0}
    assert alone(memory, score_named_on_branch, branch="kim/cart") == {}


def test_a_name_that_many_files_define_says_little_about_each(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/tax.py", names="vat_share convert")
    session(memory, clock, "s2", "src/cart.py", names="convert")
    assert alone(memory, score_definitions, "vat_share and convert") == {
        "src/tax.py": 1.5,
        "src/cart.py": 0.5,
    }


def test_files_of_the_same_folder_are_beside_each_other(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "src/tax.py", "docs/guide.md", "guide.md")
    assert alone(memory, score_same_folder, files=("src/cart.py",)) == {"src/tax.py": 1.0}
    assert alone(memory, score_same_folder) == {}


def test_the_end_of_a_path_that_is_known_whole_is_not_told_as_a_file(memory: Recollect, clock: Clock) -> None:
    session(memory, clock, "s1", "lib/src/tax.py")
    begin(memory, "s2")
    memory.observer.record(EventType.ASSISTANT_TEXT, session="s2", text="It is in src/tax.py or src/cart.py.")
    memory.observer.learn_due()
    project_id = memory._wiring.project_id()
    assert project_id
    found = predict_files(memory._wiring.db, project_id, PredictionRequest(prompt="look into tax and cart"))
    assert {one.path for one in found} == {"lib/src/tax.py", "src/cart.py"}
