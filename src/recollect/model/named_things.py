"""
Which things a text names: paths, symbols, commands, programs.

What a person said of a thing is told wherever it is named.

Standard library only: hooks ask this at tool results too.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_CODE = re.compile(r"`([^`\n]{2,120})`")
_PATH = re.compile(r"(?<![\w@])(?:[\w.@+-]+/)+[\w.@+-]*|(?<![\w./@-])[\w-]+(?:\.[\w-]+)+")
_SYMBOL = re.compile(
    r"(?<![\w/.-])(?:[a-z]+\w*[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[A-Za-z]\w*_\w+|[a-z_]\w*(?=\(\)))"
)
_WORD = re.compile(r"[\w@.+/-]*\w")
_DIGITS = re.compile(r"[\d.,%/-]+")
# Programs that are known without quotation marks around them.
_PROGRAMS = frozenset(
    "git gh npm pnpm yarn npx bun deno node uv uvx pip pipx poetry pdm conda python pytest unittest tox nox ruff black"
    " flake8 isort pylint mypy pyright make cmake ninja cargo rustc clippy rustfmt gofmt golangci-lint mise just docker"
    " podman docker-compose kubectl helm terraform ansible psql sqlite sqlite3 mysql redis redis-cli curl wget brew apt"
    " bazel gradle gradlew mvn mvnw dotnet bundle rake rspec rubocop mix composer phpunit tsc eslint prettier biome"
    " jest vitest mocha cypress playwright webpack vite turbo nx systemctl ssh alembic django flask fastapi requests"
    " httpx pandas numpy sqlalchemy pydantic react vue svelte angular tailwind postgres postgresql mongodb kafka"
    " rabbitmq celery nginx jq sed awk grep rg".split()
)
# What every project has: named alone, these tell nothing.
_COMMON_STEMS = frozenset(
    "main index init utils util helpers common base core config settings types models model test tests conftest setup"
    " readme changelog makefile dockerfile package app lib mod api client server data file files".split()
)
_MIN_STEM = 4
# Such words stand in every second command and prompt: alone they name nothing.
_NOT_PROGRAMS = frozenset({"git", "python", "node", "make", "npm", "npx", "grep", "sed", "awk", "rg", "curl"})


def find_named_things(text: str) -> frozenset[str]:
    """The things a text names, in lower case: as they are written, and by their last names."""
    things: set[str] = set()
    for span in _CODE.findall(text):
        things.add(" ".join(span.lower().split()))
    bare = text.replace("`", " ")
    for path in _PATH.findall(bare):
        if not _DIGITS.fullmatch(path):
            things |= _names_of_path(path.lower().rstrip("./"))
    things.update(symbol.lower() for symbol in _SYMBOL.findall(bare))
    things.update((_PROGRAMS - _NOT_PROGRAMS).intersection(_WORD.findall(bare.lower())))
    return frozenset(thing for thing in things if len(thing) > 1)


def find_matches(things: Iterable[str], subjects: Iterable[str], text: str) -> set[str]:
    """Which of some things, and which subjects (`type:name` each), a text names."""
    lowered = text.lower()
    words = set(_WORD.findall(lowered))
    named = find_named_things(text)
    matches = {thing for thing in things if thing in named or thing in words or _stands_in(thing, lowered)}
    return matches | {subject for subject in subjects if _names_subject(subject.lower(), lowered, words)}


def find_command_names(text: str) -> set[str]:
    """The things a text names that a command line may run."""
    return {
        thing
        for thing in find_named_things(text)
        if thing in _PROGRAMS or any(mark in thing for mark in " /.")
    }


def names_command(text: str, command: str) -> bool:
    """Whether a text speaks of something that a command line runs."""
    lowered = " ".join(command.lower().split())
    words = set(_WORD.findall(lowered))
    return any(name in words or _stands_in(name, lowered) for name in find_command_names(text))


def _stands_in(thing: str, lowered: str) -> bool:
    """Whether a thing of several words, or with marks in it, stands in a text as a whole."""
    if thing.isalnum() or thing not in lowered:
        return False
    return re.search(rf"(?<![\w-]){re.escape(thing)}(?![\w-])", lowered) is not None


def _names_of_path(path: str) -> set[str]:
    last = path.rpartition("/")[2]
    if "/" in path:
        # Two words with a stroke between them are a choice of words ("true/false") as often as a folder.
        return {path, last} if _is_file_name(last) else {path}
    # `unittest.mock` is spoken of as mock, too.
    return {path} if _is_file_name(path) else {path, last.rpartition(".")[2]}


_FILE_ENDING = re.compile(
    r"\.(?:py|go|rs|tsx?|jsx?|mjs|java|kts?|rb|php|c|h|cc|cpp|hpp|cs|swift|sh|sql|toml|ya?ml|json|md|rst|txt|cfg|ini"
    r"|lock|proto|html|s?css|vue|svelte|exs?|tf|xml|mod|env)$"
)


def _is_file_name(name: str) -> bool:
    return _FILE_ENDING.search(name) is not None


def _names_subject(subject: str, lowered: str, words: set[str]) -> bool:
    kind, _, name = subject.partition(":")
    if not name:
        return False
    if kind not in ("file", "symbol"):
        return _stands_in_words(name, lowered)
    path, _, symbol = name.partition("::")
    if symbol:
        return symbol.rpartition(".")[2] in words
    last = path.rpartition("/")[2]
    stem = last.partition(".")[0]
    if path in words or last in words or (_is_telling_stem(stem) and stem in words):
        return True
    # By its tail, or from the root of the machine.
    return any(
        path.endswith(f"/{word.lstrip('./')}") or word.endswith(f"/{path}") for word in words if "/" in word
    )


def _is_telling_stem(stem: str) -> bool:
    return len(stem) >= _MIN_STEM and stem not in _COMMON_STEMS


def _stands_in_words(name: str, lowered: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", lowered) is not None
