"""The registry of languages: what is built in, and what plugins may do to it."""

from __future__ import annotations

import builtins
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from recollect.codegraph import languages, parse
from recollect.codegraph.build import build_graph
from recollect.codegraph.languages import BUILT_IN, GROUP, add_plugins
from recollect.codegraph.languages.python import PYTHON
from recollect.codegraph.outline import pack_outline, unpack_outline
from recollect.codegraph.parse import dotted_name, load_parser
from recollect.errors import MissingExtra
from tests.builders import NOON
from tests.codegraph.graphs import PROJECT, Graph

STARLARK = replace(PYTHON, name="starlark", extensions=(".bzl",))


def offers() -> list[languages.Language]:
    return [STARLARK]


def fails() -> None:
    raise RuntimeError("no grammar today")


NONSENSE = ("not a language",)


def a_point(name: str) -> EntryPoint:
    return EntryPoint(name=name, value=f"{__name__}:{name}", group=GROUP)


def test_eleven_languages_are_built_in() -> None:
    names = {language.name for language in BUILT_IN}
    assert names == {
        *("python", "javascript", "typescript", "tsx", "go", "rust"),
        *("java", "c", "cpp", "csharp", "ruby", "php"),
    }


@pytest.mark.parametrize("language", BUILT_IN, ids=lambda language: language.name)
def test_every_query_fits_its_grammar(language: languages.Language) -> None:
    assert load_parser(language)(b"").definitions == ()


@pytest.mark.parametrize("name", ["STARLARK", "offers"])
def test_a_plugin_adds_a_language(name: str, tmp_path: Path) -> None:
    known = add_plugins([a_point(name)])
    assert known.plugins == (name,)
    (tmp_path / "rules.bzl").write_text("def rule():\n    pass\n")
    graph = Graph(tmp_path)
    build_graph(graph.db, tmp_path, PROJECT, NOON, known=known)
    assert "rules.bzl::rule" in graph.nodes()


@pytest.mark.parametrize("name", ["fails", "NONSENSE", "absent"])
def test_a_broken_plugin_is_named_and_left_out(name: str) -> None:
    known = add_plugins([a_point(name), a_point("offers")])
    assert known.plugins == ("offers",)
    assert len(known.broken) == 1
    assert known.broken[0].startswith(f"{name} (")
    assert set(known.by_name) == {*(language.name for language in BUILT_IN), "starlark"}


def test_a_grammar_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "tree_sitter_python":
            raise ImportError(name, name=name)
        return real(name, *rest)  # type: ignore[arg-type]

    parse._load_grammar.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match="pip install tree-sitter-python"):
        load_parser(PYTHON)
    parse._load_grammar.cache_clear()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("f", "f"),
        ("a.b.c", "a.b.c"),
        ("a->b", "a.b"),
        ("A::b", "A.b"),
        ("a?.b", "a.b"),
        ("Foo<T>", "Foo"),
        ("Vec::<u8>::new", "?.new"),
        ("super().save", "super.save"),
        ("Foo(1, (2)).bar", "Foo().bar"),
        ("new Foo(g(x)).bar", "Foo().bar"),
        ("make()(1).bar", "?.bar"),
        ("[1, 2].map", "?.map"),
        ("$this->repo->find", "$this.repo.find"),
        ("(x)", ""),
    ],
)
def test_a_callee_is_read_as_dotted_names(written: str, meant: str) -> None:
    assert dotted_name(written) == meant


def test_an_outline_is_the_same_every_time() -> None:
    """The parser hands out what it found in no order; of several packages the one that is named most often counts."""
    php = next(language for language in BUILT_IN if language.name == "php")
    source = b"<?php\nnamespace dummy { a(); }\n" + b"namespace shop\\cart { f()->g()->h(); }\n" * 9
    read = load_parser(php)
    outlines = {pack_outline(read(source)) for _ in range(20)}
    assert len(outlines) == 1
    assert unpack_outline(outlines.pop()).package == "shop.cart"
