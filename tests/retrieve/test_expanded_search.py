"""Searches that go further: a second try with other words, files that are tied, recipes, known errors."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.api.expanded_search import ExpandedSearch
from recollect.errors import ProviderUnreachable
from recollect.model.query import Recalled
from recollect.retrieve.expanded_search import OUT_OF_TIME, search_expanded
from recollect.retrieve.linked_memories import find_links
from recollect.retrieve.query_expansion import is_weak
from tests.conftest import Clock
from tests.git.repos import git
from tests.hash_embedder import HashEmbedder
from tests.methods.projects import checkout, write

AUTH, TOKEN, SESSION = "src/auth.py", "src/token.py", "src/session.py"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository in which two files always change together, and one imports another."""
    folder = checkout(tmp_path / "shop", {AUTH: "import session\n", TOKEN: "", SESSION: ""})
    for number in range(4):
        write(folder, {AUTH: f"import session\n# {number}\n", TOKEN: f"# {number}\n"})
        git(folder, "add", "-A")
        git(folder, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", f"Change {number}")
    return folder


@pytest.fixture
def memory(tmp_path: Path, shop: Path, clock: Clock) -> Iterator[Recollect]:
    with Recollect(tmp_path / "m.db", folder=shop, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def texts(found: Recalled) -> list[str]:
    return [hit.memory.text for hit in found]


# -- tied files ------------------------------------------------------------------------------------------


def test_what_is_known_about_a_file_that_always_changes_along_is_shown_too(memory: Recollect) -> None:
    memory.observer.learn_history()
    memory.remember("Sign-in asks the ledger", kind="decision", about=[AUTH])
    memory.remember("Rounding breaks the seal", kind="gotcha", about=[TOKEN])
    memory.remember("Chosen for its colour", kind="decision", about=[TOKEN])
    plain = memory.recall("sign-in ledger", filters=memory.filters(about=[AUTH]))
    assert texts(plain) == ["Sign-in asks the ledger"]
    found = memory.expanded_search.recall(
        memory.query("sign-in ledger", filters=memory.filters(about=[AUTH]))
    )
    assert texts(found) == ["Sign-in asks the ledger", "Rounding breaks the seal"]
    [part] = found[1].why
    assert (part.name, part.words) == ("linked", f"{TOKEN}, touched together with {AUTH}")
    assert found[1].score < found[0].score


def test_a_neighbour_in_the_code_counts_as_tied(memory: Recollect) -> None:
    memory.code.build()
    memory.remember("Sessions die at midnight", kind="gotcha", about=[SESSION])
    found = memory.expanded_search.recall(memory.query("zebra"), about=[AUTH])
    assert "Sessions die at midnight" in texts(found)
    context = memory._wiring.read_context()
    assert [link.path for link in find_links(context, memory._wiring.project_id(), [AUTH])] == [SESSION]


def test_files_seldom_touched_together_are_not_tied(memory: Recollect, shop: Path) -> None:
    write(shop, {SESSION: "# once\n", TOKEN: "# once\n"})
    git(shop, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qam", "Once")
    memory.observer.learn_history()
    context = memory._wiring.read_context()
    assert {link.path for link in find_links(context, memory._wiring.project_id(), [TOKEN])} == {AUTH}
    assert find_links(context, memory._wiring.project_id(), [SESSION]) == []
    assert find_links(context, memory._wiring.project_id(), []) == []


def test_a_tied_memory_passes_the_filter_like_any_other(memory: Recollect) -> None:
    memory.observer.learn_history()
    kept = memory.remember("Rounding breaks the seal", kind="gotcha", about=[TOKEN])
    memory.forget(kept.memory.id)  # type: ignore[union-attr]
    memory.remember("Unsure of the seal", kind="gotcha", about=[TOKEN], confidence=0.4)
    filters = memory.filters(min_confidence=0.6)
    assert memory.expanded_search.recall(memory.query("zebra", filters=filters), about=[AUTH]).hits == ()


# -- a second try ----------------------------------------------------------------------------------------


def test_what_stands_beside_the_words_of_a_question_finds_more(memory: Recollect) -> None:
    memory.remember("The watchdog kills the importer when the heartbeat is late")
    memory.remember("The importer needs a heartbeat every second, says the watchdog")
    memory.remember("Raise the heartbeat to five seconds in watchdog.toml")
    memory.remember("Cats sleep all day")
    asked = memory.query("importer")
    assert "Raise the heartbeat to five seconds in watchdog.toml" not in texts(memory.recall(asked))[:2]
    found = memory.expanded_search.recall(asked)
    assert any("Searched once more with words that go with it" in note for note in found.notes)
    raised = next(hit for hit in found if "Raise the heartbeat" in hit.memory.text)
    cats = [hit.score for hit in found if "Cats" in hit.memory.text]
    assert raised.score > max(cats, default=0.0)
    assert sum(part.added for part in raised.why) == pytest.approx(raised.score)


def test_a_guess_never_takes_a_hit_away_or_makes_it_worth_less(memory: Recollect) -> None:
    for number in range(6):
        memory.remember(f"Importer note {number} about heartbeat {number}")
    asked = memory.query("importer heartbeat 3")
    before = {hit.memory.id: hit.score for hit in memory.recall(asked)}
    after = {hit.memory.id: hit.score for hit in memory.expanded_search.recall(asked)}
    assert before.keys() <= after.keys()
    assert {name: after[name] - before[name] for name in before if after[name] < before[name] - 1e-6} == {}


def test_what_a_model_imagines_is_looked_for_and_believed_less(memory: Recollect, clock: Clock) -> None:
    memory.remember("Ingress times out after ninety seconds")
    memory.remember("Cats sleep all day")
    asked: list[str] = []

    def imagine(prompt: str) -> str:
        asked.append(prompt)
        return "The ingress times out after ninety seconds"

    context, query = memory._wiring.read_context(), memory.query("why do uploads hang?")
    found = search_expanded(context, query, clock(), imagine=imagine)
    assert "why do uploads hang?" in asked[0]
    assert texts(found)[0] == "Ingress times out after ninety seconds"
    assert "Searched once more with an imagined answer." in found.notes
    guess = next(part for part in found[0].why if part.name == "guess")
    assert found[0].score == pytest.approx(0.75 * guess.value)


def test_a_model_that_is_down_costs_the_guess_not_the_answer(memory: Recollect, clock: Clock) -> None:
    memory.remember("The importer needs a heartbeat")

    def down(prompt: str) -> str:
        raise ProviderUnreachable(provider="x", url="http://x", reason="down")

    found = search_expanded(memory._wiring.read_context(), memory.query("importer"), clock(), imagine=down)
    assert texts(found) == ["The importer needs a heartbeat"]


def test_a_question_that_was_answered_is_not_asked_twice(memory: Recollect, clock: Clock) -> None:
    for number in range(12):
        memory.remember(f"Cats number {number} sleep all day long")
    for word in ("first", "second", "third"):
        memory.remember(f"Retries capped three {word}")

    def imagine(prompt: str) -> str:
        raise AssertionError("nobody had to be asked")

    query = memory.query("Retries capped three", profile="v3")
    assert not is_weak(memory.recall(query))
    search_expanded(memory._wiring.read_context(), query, clock(), imagine=imagine)


def test_when_time_is_up_what_was_found_is_the_answer(memory: Recollect) -> None:
    memory.remember("The importer needs a heartbeat")
    ticks = iter(range(0, 1000, 10))
    hurried = ExpandedSearch(memory._wiring, timer=lambda: float(next(ticks)))
    found = hurried.recall(memory.query("importer"), within=5)
    assert texts(found) == ["The importer needs a heartbeat"]
    assert OUT_OF_TIME in found.notes


def test_in_an_empty_memory_there_is_nothing_to_find(memory: Recollect) -> None:
    assert memory.expanded_search.recall(memory.query("anything at all")).hits == ()


def test_a_plain_recall_loads_none_of_it(tmp_path: Path) -> None:
    from tests.architecture.test_public_names import loaded_after

    code = """
import sys
from recollect import Recollect
with Recollect(sys.argv[1], folder=None) as memory:
    memory.remember("Retries are capped at three")
    memory.recall("retries")
"""
    modules = loaded_after(code, str(tmp_path / "memories.db"))
    assert "recollect.retrieve.search" in modules
    strays = (
        "recollect.retrieve.expanded_search",
        "recollect.retrieve.query_expansion",
        "recollect.retrieve.linked_memories",
    )
    assert [name for name in modules if name.startswith((*strays, "recollect.codegraph"))] == []


# -- recipes and the gate --------------------------------------------------------------------------------


def a_recipe(memory: Recollect, pattern: str, **fields: object) -> str:
    kept = memory.remember(
        f"Recipe: {pattern}", kind="workflow_recipe", fields={"task_pattern": pattern, **fields}
    )
    return kept.memory.id  # type: ignore[union-attr]


def test_recipes_are_found_by_the_pattern_of_their_task(memory: Recollect) -> None:
    a_recipe(memory, "adding a payment provider")
    a_recipe(memory, "creating a React component with i18n")
    [hit] = memory.expanded_search.recipes("Add Klarna as a payment provider to the checkout")
    assert hit.memory.fields["task_pattern"] == "adding a payment provider"
    assert "pattern" in [part.name for part in hit.why]
    assert memory.expanded_search.recipes("Speed up the nightly import of prices") == []


def test_at_most_two_recipes_and_never_a_stale_one(memory: Recollect, shop: Path) -> None:
    made = [a_recipe(memory, f"adding a payment provider {number}") for number in range(4)]
    assert len(memory.expanded_search.recipes("adding a payment provider")) == 2
    for recipe in made[1:]:
        memory.upkeep.recipe_failed(recipe)
    assert [hit.memory.id for hit in memory.expanded_search.recipes("adding a payment provider")] == made[:1]


def test_a_recipe_fits_by_what_most_of_its_pattern_says(memory: Recollect) -> None:
    a_recipe(memory, "adding a payment provider with webhooks and refunds")
    assert memory.expanded_search.recipes("Make the payment page list all refunds faster on phones") == []
    assert len(memory.expanded_search.recipes("Add a payment provider whose refunds come by webhooks")) == 1


def test_a_trivial_task_gets_neither_recipes_nor_what_was_seen_in_the_application(memory: Recollect) -> None:
    a_recipe(memory, "renaming a label")
    memory.remember("The label flickers while the dialog opens", kind="e2e_observation", confidence=0.8)
    task = "rename the label"
    assert memory.expanded_search.recipes(task) == ()
    assert memory.expanded_search.e2e(task) == ()
    assert len(memory.expanded_search.recipes(task, complexity="standard")) == 1
    assert len(memory.expanded_search.e2e(task, complexity="standard")) == 1


def test_what_was_seen_in_the_application_must_be_sure_enough(memory: Recollect) -> None:
    memory.remember("The dialog flickers", kind="e2e_observation", confidence=0.6)
    assert memory.expanded_search.e2e("why does the dialog of the settings page flicker?") == ()


# -- errors ----------------------------------------------------------------------------------------------

ERROR = "E   DecimalException: quantize result has too many digits (line 41)\n1 failed in 0.3s"


def an_error(memory: Recollect, error: str, text: str = "Round first") -> None:
    memory.remember(text, kind="error_pattern", fields={"error": error, "fix": "Round first"})


def test_an_error_is_known_again_though_its_numbers_differ(memory: Recollect) -> None:
    an_error(memory, "DecimalException: quantize result has too many digits (line 7)")
    an_error(memory, "KeyError: 'rate'", "Give a rate")
    [hit] = memory.expanded_search.errors(ERROR)
    assert (hit.memory.text, hit.score) == ("Round first", 1.0)
    assert hit.why[0].words == "DecimalException: quantize result has too many digits (line <n>)"


def test_an_error_much_like_it_comes_after_the_same(memory: Recollect) -> None:
    an_error(memory, "DecimalException: quantize result has far too many digits (line 7)", "Alike")
    an_error(memory, "DecimalException: quantize result has too many digits (line 7)", "The same")
    found = memory.expanded_search.errors(ERROR)
    assert [hit.memory.text for hit in found] == ["The same", "Alike"]
    assert found[1].score < 1.0


def test_an_error_that_shares_some_of_its_words_is_another(memory: Recollect) -> None:
    an_error(memory, "DecimalException: quantize result is no number of this currency (line 7)")
    assert memory.expanded_search.errors(ERROR) == []


def test_a_known_error_that_is_stale_comes_last_though_it_is_the_same(memory: Recollect, shop: Path) -> None:
    error = "DecimalException: quantize result has too many digits (line 7)"
    memory.remember("The same", kind="error_pattern", about=[TOKEN], fields={"error": error, "fix": "Round"})
    an_error(memory, error.replace("too", "far too"), "Alike")
    assert [hit.memory.text for hit in memory.expanded_search.errors(ERROR)] == ["The same", "Alike"]
    (shop / TOKEN).unlink()
    memory.staleness.sweep()
    assert [hit.memory.text for hit in memory.expanded_search.errors(ERROR)] == ["Alike", "The same"]


def test_output_without_an_error_asks_for_nothing(memory: Recollect) -> None:
    an_error(memory, "KeyError: 'rate'")
    assert memory.expanded_search.errors("") == ()
    assert memory.expanded_search.errors("FileNotFoundError: nothing like it at all") == []


def test_what_is_shown_was_asked_for(memory: Recollect, clock: Clock) -> None:
    an_error(memory, "DecimalException: quantize result has too many digits (line 7)")
    memory.expanded_search.errors(ERROR)
    clock.at += timedelta(minutes=1)
    memory.remember("Something else")
    [found] = memory.list(memory.filters(kinds=("error_pattern",)))
    assert found.access_count == 1
