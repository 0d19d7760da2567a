"""One vocabulary: a class name means one thing, names say what they hold, no module of ours loads by a string."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.architecture.sources import FILES, called, functions, tree_of

# A bare participle says what happened to a thing, not what the thing is.
EMPTY_NAMES = frozenset({"found", "told", "said", "asked", "kept"})


def test_a_class_name_is_used_once() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for file in FILES:
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(file)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_local_names_say_what_they_hold() -> None:
    empty = [
        f"{file}:{function.lineno} {function.name}: {name}"
        for file in FILES
        for function in functions(file)
        for name in sorted(_local_names(function) & EMPTY_NAMES)
    ]
    assert empty == []


def test_no_public_function_is_a_bare_participle() -> None:
    assert [
        f"{file}:{node.lineno} {node.name}"
        for file in FILES
        for node in tree_of(file).body
        if isinstance(node, ast.FunctionDef) and node.name in EMPTY_NAMES
    ] == []


def _local_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    arguments = function.args
    parameters = {
        argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    }
    stored = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return parameters | stored


# Plugins come by entry points and are named by others; the table of commands loads one of sixty.
LOADS_BY_STRING = {
    "plugins.py": "plugins are named by whoever installed them",
    "surfaces/cli/__init__.py": "the table of commands",
}


def test_no_module_of_ours_is_loaded_by_a_string() -> None:
    loads = {
        file
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and called(node).split(".")[-1] in ("import_module", "__import__")
    }
    assert sorted(loads - LOADS_BY_STRING.keys()) == []
    assert sorted(LOADS_BY_STRING.keys() - loads) == [], "an exception that is not needed any more"
