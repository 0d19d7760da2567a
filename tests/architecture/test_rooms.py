"""What each room must not touch, read from the sources. A list of exceptions may only shrink."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.store import sql
from recollect.store.sqlite.driver import DIALECT
from tests.architecture.sources import FILES, called, functions, imported, literals, text_of, tree_of

ROOT = Path(__file__).parents[2]

SQL = re.compile(
    r"\b(SELECT\b.+\bFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(VIRTUAL\s+)?(TABLE|INDEX)"
    r"|ALTER\s+TABLE|DROP\s+TABLE|PRAGMA\s+\w+|BEGIN\s+IMMEDIATE|SAVEPOINT\s+\w+|ORDER\s+BY)\b",
    re.DOTALL,
)
SQL_ALLOWED = {
    "store/sqlite/driver.py": "the driver begins and ends transactions",
    "store/postgres/driver.py": "the same",
    "store/postgres/statements.py": "puts the number of a row into a statement that adds one",
}

ENVIRONMENT_ALLOWED = {
    "ops/environment.py": "gives an agent the variables its job allows, and reads which run a process belongs to",
    "adapters/claude_agent.py": "gives a hook's process the environment of this one, and the memory it is to use",
    "config.py": "the one place where settings are read",
    "hooks/session_text.py": "keeps numpy to one thread, which only an environment can do",
    "hooks/hook_settings.py": "the few settings of a hook, for which loading config would cost too much",
    "providers/http.py": "reads the key whose variable the settings name, at the moment it is sent",
    "providers/complete_cli.py": "gives the agent's program an environment with our hooks off",
    "providers/embed.py": "tells which tiers could be chosen: whether a key is there",
    "__main__.py": "keeps numpy to one thread, which only an environment can do",
    "surfaces/mcp/__main__.py": "keeps numpy to one thread, as `__main__` does",
    "surfaces/install/trial.py": "gives hooks on trial a home of their own",
    "demo/__init__.py": "gives the commands of the story a home of their own",
    "surfaces/cli/editor.py": "asks whether a person has named their editor",
    "vault/messages/openclaw.py": "reads where the gateway keeps its settings and its token, when it is sent",
    "git/run.py": "gives git an environment without the variables that would lead it astray",
}

# The clock and chance come in as arguments below the engine; the benchmark measures time on purpose.
CLOCK_ALLOWED = {
    "conversation/window.py": "a window is used alone too, and hands the clock to what is below it",
    "server/team_server.py": "hands the clock to everything below, as the library does",
    "agent/loop.py": "the same: whoever embeds a loop need not bring a clock",
    "api/recollect.py": "hands the clock to everything below",
    "api/reviews.py": "a purge loads the vault; a review does not",
    "api/safety.py": "the same, where no memory is open",
}

# Its classes cost a millisecond each to load; ours (`model/value.py`) cost nothing before they are used.
LIBRARY_DATACLASSES = {
    "adapters/pydantic_ai_memory.py": "edits the values of a framework that makes them with the library",
    "codegraph/code_graph.py": "one value without slots, which keeps what it worked out",
    "model/value.py": "stands for them, and asks them when somebody wants to know the fields",
}

PRINTING = {
    "surfaces/cli/output.py": "the one place that talks to a person",
    "__main__.py": "the version is told before anything is loaded",
    "surfaces/server/door.py": "the log of a server is lines of JSON on standard error",
}
# An import inside a function is allowed where start-up needs it, and each file says why.
LAZY_IMPORTS = {
    "__init__.py": "public names load on first use: a hook imports this file at every event",
    "__main__.py": "the version is told before anything is loaded",
    "api/acts.py": "what two methods give back is declared for checkers alone",
    "api/__init__.py": "a hook must not pay for the object it does not use",
    "api/code.py": "building and scanning load the parsers; asking does not",
    "api/read_wiring.py": "predicting files loads only where files are named",
    "api/reviews.py": "a purge loads the vault; a review does not",
    "api/safety.py": "every command asks for losses, few restore or rebuild",
    "api/sub_apis.py": "a sub-API loads on its first use",
    "api/wiring.py": "a recall does not pay for the write side",
    "api/writing.py": "a purge loads the vault; a write does not",
    "clients/registry.py": "a hook pays for the one client it was called by",
    "retrieve/question.py": "most questions need no dictionary",
    "hooks/after_session.py": "most memories are on this machine, and need no line to a server",
    "hooks/typed_memory.py": "the same",
    "hooks/hook_settings.py": "the same",
    "config.py": "the same",
    "store/sqlite/driver.py": "a memory of one person has no views",
    "surfaces/cli/options.py": "the same",
    "surfaces/mcp/stdio.py": "the same",
    "hooks/__main__.py": "the gate words are written after an answer, and only when the store has changed",
    "hooks/dispatch.py": "what could speak is loaded where something may be said",
    "hooks/session_text.py": "layouts of the user's own load for those few who wrote one",
    "hooks/gate_refresh.py": "what reads names out of texts is loaded where a person said something",
    "hooks/tool_result.py": "what recognises errors is loaded where one is known",
    "inject/source_quota.py": "a tool result without a choice to make does not load the trust table",
    "surfaces/cli/team.py": "few people are ever removed",
    "surfaces/server/serve.py": "the packages of the server are optional: what is missing is said before they load",
    "surfaces/ui/serve.py": "the packages of the dashboard are optional: what is missing is said before they load",
    "store/open.py": "the driver of a server is an extra, and takes half a second to load",
    "lifecycle/anchor_check.py": "a look that meets no definition does not pay for reading code",
}

# By name, with the reason why.
LONG_FILES: dict[str, str] = {"config.py": "every setting is a row of one table, which grows with each"}
LONG_FUNCTIONS: dict[str, str] = {}
MOST_LINES = 500
MOST_FUNCTION_LINES = 80


def found(file: str, node: ast.AST) -> str:
    return f"{file}:{getattr(node, 'lineno', 0)}"


def test_there_is_no_sql_outside_its_folder() -> None:
    strays = [
        f"{found(file, node)} {node.value[:60]!r}"
        for file in FILES
        if file not in SQL_ALLOWED
        for node in literals(file)
        if SQL.search(node.value)
    ]
    assert strays == []


def test_the_driver_begins_and_ends_transactions_and_knows_no_table() -> None:
    tables = re.compile(r"\b(memory|history|vector|subject|project|session|relation|event|meta)\b")
    assert [
        node.value
        for node in literals("store/sqlite/driver.py")
        if SQL.search(node.value) and tables.search(node.value)
    ] == []


@pytest.mark.parametrize(
    "text", ["SELECT a\nFROM b", "INSERT OR REPLACE INTO x", "UPDATE memory SET a = 1", "PRAGMA wal"]
)
def test_the_search_for_sql_sees_it(text: str) -> None:
    assert SQL.search(text)


@pytest.mark.parametrize(
    "text", ["Select a memory from the list", "delete from where it stands", "update it"]
)
def test_the_search_for_sql_leaves_sentences_alone(text: str) -> None:
    assert not SQL.search(text)


def test_named_queries_run_in_the_store_alone() -> None:
    """Outside the store there are functions of its tables: a query's name and columns are nobody else's business."""
    queries = set(sql.queries(DIALECT))
    running = ("rows", "row", "tuples", "run", "run_many", "run_tuples", "insert")
    strays = [
        f"{found(file, node)} {node.args[0].value}"
        for file in FILES
        if not file.startswith("store/")
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in running
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value in queries
    ]
    assert strays == []


def test_sqlite3_is_imported_nowhere() -> None:
    for base in (ROOT / "src", ROOT / "tests", ROOT / "tools"):
        for path in base.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                assert not any(name.split(".")[0] == "sqlite3" for name in imported(node)), path


def test_mocks_are_imported_nowhere() -> None:
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not any(name.startswith("unittest") for name in imported(node)), path


def test_first_party_modules_are_imported_at_the_top_unless_start_up_needs_it() -> None:
    """An import hidden in a function can hide a broken direction: every file that has one says why."""
    hidden = {
        file
        for file in FILES
        for function in functions(file)
        for node in ast.walk(function)
        if any(name.startswith(("recollect", ".")) for name in imported(node))
    }
    assert sorted(hidden - LAZY_IMPORTS.keys()) == []
    assert sorted(LAZY_IMPORTS.keys() - hidden) == [], "a reason that is not needed any more"


def test_only_the_output_prints() -> None:
    printing = [
        found(file, node)
        for file in FILES
        if file not in PRINTING
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call)
        and called(node) in ("print", "click.echo", "sys.stdout.write", "sys.stderr.write")
    ]
    assert printing == []


def test_no_clock_is_read_below_the_engine() -> None:
    clocks = ("datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time")
    reading = [
        found(file, node)
        for file in FILES
        if file not in CLOCK_ALLOWED and not file.startswith(("hooks/", "surfaces/"))
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and called(node).endswith(clocks)
    ]
    assert reading == []


def test_the_environment_is_read_only_where_it_is_said() -> None:
    reading = {
        file
        for file in FILES
        for node in ast.walk(tree_of(file))
        if called(node).startswith(("os.environ", "os.getenv")) or "from os import environ" in text_of(file)
    }
    assert reading <= set(ENVIRONMENT_ALLOWED)


def test_values_are_made_without_the_standard_librarys_dataclasses() -> None:
    using = {
        file for file in FILES if re.search(r"^\s*(?:from|import) dataclasses\b", text_of(file), re.MULTILINE)
    }
    assert using == set(LIBRARY_DATACLASSES)


@pytest.mark.parametrize("file", FILES)
def test_a_file_fits_in_five_hundred_lines(file: str) -> None:
    lines = len(text_of(file).splitlines())
    if file in LONG_FILES:
        assert lines > MOST_LINES, f"{file} has become short enough: take it off the list"
    else:
        assert lines <= MOST_LINES


@pytest.mark.parametrize("file", FILES)
def test_a_function_fits_on_a_screen(file: str) -> None:
    long = [
        f"{found(file, function)} {function.name}"
        for function in functions(file)
        if (function.end_lineno or 0) - function.lineno + 1 > MOST_FUNCTION_LINES
        and f"{file}:{function.name}" not in LONG_FUNCTIONS
    ]
    assert long == []


@pytest.mark.parametrize("file", FILES)
def test_a_file_says_in_its_first_lines_what_it_is_for(file: str) -> None:
    assert ast.get_docstring(tree_of(file))


def test_exceptions_name_files_that_exist() -> None:
    named = {*ENVIRONMENT_ALLOWED, *CLOCK_ALLOWED, *LONG_FILES, *SQL_ALLOWED, *PRINTING, *LAZY_IMPORTS}
    assert sorted(named - set(FILES)) == []


def test_there_is_no_room_for_leftovers() -> None:
    names = re.compile(r"(^|/)(utils?|helpers?|common|base|misc|.*_v\d+)\.py$")
    assert [file for file in FILES if names.search(file)] == []
    classes = re.compile(r"[a-z](Manager|Service|Repository|Factory|Handler|Helper)$")
    assert [
        f"{file} {node.name}"
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.ClassDef) and classes.search(node.name)
    ] == []


def test_the_import_rule_is_kept() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "0 broken" in done.stdout
