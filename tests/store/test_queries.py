"""The named queries: each prepares on every database that has it, is used, and says what it is for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.store import sql
from recollect.store.db import Db
from recollect.store.open import open_db
from recollect.store.postgres.statements import find_statement
from recollect.store.sqlite.driver import DIALECT, SqliteDb
from tests.builders import NOON, a_db
from tests.databases import find_store

QUERIES = sql.queries(DIALECT)
POSTGRES = "postgres"
EVERY = {**sql.queries(POSTGRES), **QUERIES}
FILES = sorted({*sql.query_files(DIALECT), *sql.query_files(POSTGRES)})
# Topics that one database alone is asked about, with the reason why.
OF_ONE = {
    "catalogue.sqlite": "a damaged file is saved table by table",
    "cells.sqlite": "functions of sqlite-vec; PostgreSQL looks through cells in this process",
    "hook_lookup.sqlite": "a hook reads a file, and no server",
    "organisations.postgres": "a file has one owner",
}
SOURCES = Path(recollect.__file__).parent
ASKING = {"row", "rows", "tuples", "run", "run_many", "run_tuples", "insert", "insert_many"}
FINDING = {"find_statement", "_ask_one"}
# Named in a tuple that a loop runs through.
IN_LOOPS = re.compile(r'"(subjects_clear|tags_clear|relations_clear|project_\w+_move)"')


@pytest.fixture(scope="module")
def db() -> Iterator[SqliteDb]:
    opened = a_db()
    assert opened.has_vector_functions()
    yield opened
    opened.close()


def names_used() -> dict[str, list[str]]:
    """Every name the sources ask a database for, with the files that do."""
    used: dict[str, list[str]] = {}
    for file in sorted(SOURCES.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        names = {name for node in ast.walk(ast.parse(text)) for name in _asked(node)}
        names.update(IN_LOOPS.findall(text))
        for name in names:
            used.setdefault(name, []).append(file.relative_to(SOURCES).as_posix())
    return used


def _asked(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        first = node.args[0]
        if node.func.attr in ASKING and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value
        # sql.query(DIALECT, "name")
        if node.func.attr == "query" and isinstance(node.args[-1], ast.Constant):
            yield str(node.args[-1].value)
    # find_statement("name"), _ask_one(connection, "name")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FINDING:
        yield from (str(given.value) for given in node.args if isinstance(given, ast.Constant))


def blocks(name: str) -> list[list[str]]:
    text = files(sql).joinpath(name).read_text(encoding="utf-8")
    return [
        block.splitlines() for block in re.split(r"^(?=-- (?:name|part): )", text, flags=re.MULTILINE)[1:]
    ]


@pytest.fixture(scope="module")
def server_db() -> Iterator[Db]:
    opened = open_db(find_store(POSTGRES, Path()), NOON)
    yield opened
    opened.close()


@pytest.mark.parametrize("name", sorted(sql.queries(POSTGRES)))
def test_every_query_prepares_on_a_server(server_db: Any, name: str) -> None:
    """By PREPARE, not by EXPLAIN: that one lets a parameter pass whose type nobody can tell."""
    text = find_statement(name).text
    if "EMBEDDING" in text and not server_db.has_vector_functions():
        pytest.skip("this server has no pgvector")
    numbered: dict[str, int] = {}
    for parameter in re.findall(r"%\((\w+)\)s", text):
        numbered.setdefault(parameter, len(numbered) + 1)
    prepared = re.sub(r"%\((\w+)\)s", lambda match: f"${numbered[match[1]]}", text)
    with server_db.shared.borrow() as connection:
        connection.execute(f"PREPARE tried AS {prepared.replace('%%', '%')}".encode())
        connection.execute(b"DEALLOCATE tried")


@pytest.mark.parametrize("topic", sorted({name.split(".")[0] for name in FILES}))
def test_what_one_database_says_in_its_own_way_the_other_does_too(topic: str) -> None:
    own = {dialect: _own_names(f"{topic}.{dialect}.sql") for dialect in (DIALECT, POSTGRES)}
    alone = [f"{topic.removeprefix('queries/')}.{dialect}" for dialect, names in own.items() if names]
    if len(alone) == 1:
        assert alone[0] in OF_ONE
    else:
        assert own[DIALECT] == own[POSTGRES]


def _own_names(name: str) -> set[str]:
    if name not in FILES:
        return set()
    return {block[0] for block in blocks(name)}


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_every_query_prepares(db: SqliteDb, name: str) -> None:
    text = QUERIES[name]
    parameters = dict.fromkeys(re.findall(r":(\w+)", text))
    assert db._connection.execute(f"EXPLAIN {text}", parameters).fetchall()


def test_every_query_is_used() -> None:
    assert sorted(set(EVERY) - set(names_used())) == []


def test_every_name_that_is_used_exists() -> None:
    assert {name: where for name, where in names_used().items() if name not in EVERY} == {}


@pytest.mark.parametrize(
    "block", [block for name in FILES for block in blocks(name)], ids=lambda block: block[0]
)
def test_every_block_says_what_it_is_for(block: list[str]) -> None:
    assert re.fullmatch(r"-- (name|part): [a-z][a-z0-9_]*", block[0])
    assert re.fullmatch(r"-- .*\w{3,}.*[.;:]?", block[1]), f"{block[0]} has no line that says its purpose"


def test_no_query_changes_more_than_one_thing() -> None:
    assert [name for name, text in QUERIES.items() if ";" in text] == []


def test_parts_are_expanded() -> None:
    assert [name for name, text in QUERIES.items() if "{" in text] == []
    assert "json_each(:states)" in QUERIES["memories_counted"]
    assert "json_group_array(s.subject" in QUERIES["memory_by_id"]


def test_comments_are_not_sent_to_the_database() -> None:
    assert [name for name, text in QUERIES.items() if "--" in text] == []


def loaded(monkeypatch: pytest.MonkeyPatch, common: str, own: str = "") -> dict[str, str]:
    texts = {"queries/a.sql": common, "queries/a.tried.sql": own}
    monkeypatch.setattr(sql, "query_files", lambda dialect: tuple(texts))
    monkeypatch.setattr(sql, "read", texts.__getitem__)
    # What was read is kept by dialect: each try is one of its own.
    return dict(sql.queries(common + own))


def test_a_name_may_stand_only_once_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = "-- name: one\n-- Says.\nSELECT 1\n\n-- name: one\n-- Says.\nSELECT 2\n"
    with pytest.raises(ValueError, match=r"queries/a.sql defines one a second time"):
        loaded(monkeypatch, twice)


def test_a_dialect_may_not_redefine_a_common_name(monkeypatch: pytest.MonkeyPatch) -> None:
    one = "-- name: one\n-- Says.\nSELECT 1\n"
    with pytest.raises(ValueError, match=r"queries/a.tried.sql defines one a second time"):
        loaded(monkeypatch, one, one)


def test_a_part_may_stand_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="a second time"):
        loaded(monkeypatch, "-- part: p\n-- Says.\na\n", "-- part: p\n-- Says.\nb\n")


def test_an_unknown_part_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyError, match="nowhere"):
        loaded(monkeypatch, "-- name: one\n-- Says.\nSELECT {nowhere}\n")


def test_a_query_of_one_file_takes_parts_of_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    found = loaded(monkeypatch, "-- name: one\n-- Says.\nSELECT {what};\n", "-- part: what\n-- Says.\na, b\n")
    assert found == {"one": "SELECT a, b"}


# Each tells one row from every other, alone or within what the query has grouped; `last` is a MAX(seq).
TELLS_APART = {
    "num",
    "memory_num",
    "id",
    "seq",
    "path",
    "name",
    "word",
    "term",
    "subject",
    "work",
    "last",
    "memory_id",
}
# A score: what is left when two are equal is the order of the rows, and a second term would cost the quick way there.
SCORES = {"rank", "cosine"}


@pytest.mark.parametrize("name", [name for name in QUERIES if "LIMIT" in QUERIES[name]])
def test_where_a_query_cuts_is_not_left_to_chance(name: str) -> None:
    for order in re.findall(r"ORDER BY ([^()]+?)\s+LIMIT", QUERIES[name]):
        last = order.split(",")[-1].split()[0].rpartition(".")[2]
        assert last in TELLS_APART | SCORES, f"{name} orders by {order}: two of one moment come in any order"
