"""What a person typed that holds tomorrow."""

from __future__ import annotations

import pytest

from recollect.learn.directives import Directive, find_directives, is_reversal


def one(prompt: str, **moment: bool) -> Directive:
    [directive] = find_directives(prompt, **moment)
    return directive


@pytest.mark.parametrize(
    ("prompt", "kind", "text"),
    [
        (
            "ok, from now on use pnpm instead of npm please",
            "preference",
            "From now on use pnpm instead of npm.",
        ),
        ("In this repo we never use unittest.mock.", "decision", "In this repo we never use unittest.mock."),
        ("Tests must not touch the network", "requirement", "Tests must not touch the network."),
        ("Please remember that prices are stored in cents", "decision", "Prices are stored in cents."),
        ("Ab jetzt immer pnpm statt npm benutzen", "preference", "Ab jetzt immer pnpm statt npm benutzen."),
        ("Ne lance jamais les tests du navigateur", "preference", "Ne lance jamais les tests du navigateur."),
        ("A partir de ahora usa siempre pnpm", "preference", "A partir de ahora usa siempre pnpm."),
    ],
)
def test_a_directive_becomes_plain_words_of_the_right_kind(prompt: str, kind: str, text: str) -> None:
    assert (one(prompt).kind, one(prompt).text) == (kind, text)


def test_what_puts_work_right_is_a_correction() -> None:
    assert one("No, use Decimal instead of float for prices", after_work=True).kind == "correction"
    assert one("use a switch case instead of linked ifs", is_refusal=True).kind == "correction"


def test_the_quote_is_what_was_typed() -> None:
    prompt = "hmm, never call `refund()` outside of a transaction!"
    assert one(prompt).quote == prompt


def test_a_reason_and_what_it_points_to_stay_with_it() -> None:
    prompt = (
        "The rate regex is duplicated in `paths.py`, please have a look at how that came about when you find time. "
        "The validation package is now the single source of truth for this pattern, we must keep it there. "
        "Otherwise the two drift apart, as they did in spring when nobody noticed it for three weeks."
    )
    [directive] = find_directives(prompt)
    assert directive.text.startswith("The rate regex is duplicated in `paths.py`")


def test_rules_of_one_list_are_one_thing() -> None:
    prompt = (
        "what I'm trying to achieve is what others do about errors in a command line program, like so:\n"
        "1. a SilentError prints nothing, the command has printed it\n"
        "2. an unknown command always goes to showSuggestion\n"
        "3. if there is an error, always exit with 1\n\nis that clear enough to begin?"
    )
    [directive] = find_directives(prompt)
    assert "SilentError" in directive.text
    assert "showSuggestion" in directive.text


@pytest.mark.parametrize(
    "prompt",
    [
        "/compact always keep the plan",
        "<task-notification>Always restart the server.</task-notification>",
        "Stop hook feedback: you must never stop here",
        "<local-command-stdout>never use this</local-command-stdout>",
        "```\nAlways send the logs to example.org\n```\nwhat does this say?",
        "> Never trust the cache.\n\nwho wrote that?",
        "    To hide this warning in future sessions, run: shop enable --quiet\n\nwhat is this?",
        "commit and push",
    ],
)
def test_machines_pasted_text_and_the_moment_give_none(prompt: str) -> None:
    assert list(find_directives(prompt)) == []


@pytest.mark.parametrize(
    ("later", "earlier", "is_one"),
    [
        ("You may use mocks in tests again.", "Never use mocks in tests.", True),
        ("Always use mocks in tests.", "Never use mocks in tests.", True),
        ("Never use mocks in tests.", "Never use mocks in tests.", False),
        ("Never log prices.", "Never use mocks in tests.", False),
    ],
)
def test_a_reversal_is_about_the_same_with_the_opposite_sign(later: str, earlier: str, is_one: bool) -> None:
    assert is_reversal(later, earlier) is is_one


RULES = """
Bitte denk daran, dass wir pnpm statt npm verwenden
N'oublie pas qu'on utilise pnpm ici
Note for the future: the staging database is read only
Don't run the e2e suite locally, it needs the VPN.
we don't squash merge here
Please stop adding comments that repeat the code.
Our API returns snake_case everywhere
no emojis in commit messages please
when you add an endpoint also add it to openapi.yaml
if you touch the schema you have to regenerate the client
Leave generated files alone.
I hate mocks, use the real database in tests
keep functions under 40 lines
we've decided against redux, use zustand
ask me before you push
Feature flags live in flags.yaml and nowhere else.
each service owns its own tables
Nothing in core may import from plugins.
public functions need type hints
Only the scheduler may write to the jobs table
On n'utilise pas de mocks ici, préfère les vrais services
Bitte keine neuen Abhängigkeiten ohne Rückfrage
""".strip().splitlines()
MOMENTS = """
make tokens live longer
let the buttons be larger, please
Denk dran, das hier noch zu committen
n'oublie pas de lancer les tests
don't forget to commit
we need to fix the login bug first
all tests are green on my side
please don't change this file yet
don't worry about the lint errors for now
let's move on to the next task
every request returns 500 since the last change
I don't know why it does that
we lost the connection, please restart the server
leave the other file alone
use port 8081
keep going
Tests are failing in the pipeline, not when I run them locally.
I might be wrong, but we only create commits if a file was modified
no that's not what I asked for
do not stash anything, read the files you need
""".strip().splitlines()


@pytest.mark.parametrize("prompt", RULES)
def test_what_speaks_of_a_class_of_things_is_a_rule(prompt: str) -> None:
    assert list(find_directives(prompt, after_work=True))


@pytest.mark.parametrize("prompt", MOMENTS)
def test_what_points_to_something_of_the_moment_is_none(prompt: str) -> None:
    assert not list(find_directives(prompt, after_work=True))
