"""The package's own files, read as text and as syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import recollect

PACKAGE = Path(recollect.__file__).parent
FILES = tuple(sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")))


@cache
def text_of(file: str) -> str:
    return (PACKAGE / file).read_text(encoding="utf-8")


@cache
def tree_of(file: str) -> ast.Module:
    return ast.parse(text_of(file), file)


def functions(file: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def imported(node: ast.AST) -> list[str]:
    """The modules that a statement imports, if it is one that does."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{'.' * node.level}{node.module or ''}"]
    return []


def literals(file: str) -> Iterator[ast.Constant]:
    """Every text in the code that is no docstring."""
    tree = tree_of(file)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


def called(node: ast.AST) -> str:
    """`a.b.c` for a call of it or a name for it; empty otherwise."""
    if isinstance(node, ast.Call):
        return called(node.func)
    if isinstance(node, ast.Attribute):
        return f"{called(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
