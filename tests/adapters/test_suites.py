"""The frameworks' own tests, run against our adapters: how many pass, and by name which are left out and why."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.value import dataclass
from tests.adapters.conftest import HERE, SUITES, count, needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Test files of one framework, the plugin that puts our adapter in place, and what is left out."""

    name: str
    package: str
    plugin: str
    files: tuple[str, ...]
    # How many must pass: fewer means that something was lost on the way.
    passes: int
    # Tests of private parts of the framework's own implementation, by name.
    left_out: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    with_conftest: bool = False


STORE = "langgraph-checkpoint-sqlite-3.1.2"
# They look at tables, at migrations, and at functions that build SQL.
STORE_PRIVATE = (
    "test_vector_store_initialization",
    "test_nonnull_migrations",
    "test_escape_glob_literal",
    "test_namespace_match_pattern",
    "test_list_namespaces_prefix_uses_indexable_condition",
)
MEMORY_TOOL = "tests/lib/tools/memory_tools/test_filesystem.py"

SUITES_RUN = (
    Suite(
        name="langgraph store",
        package=STORE,
        plugin="langgraph_plugin",
        files=("tests/test_store.py",),
        passes=98,
        left_out=STORE_PRIVATE,
    ),
    Suite(
        name="langgraph store, asynchronous",
        package=STORE,
        plugin="langgraph_plugin",
        files=("tests/test_async_store.py",),
        passes=39,
    ),
    Suite(
        name="langgraph store, time to live",
        package=STORE,
        plugin="langgraph_plugin",
        files=("tests/test_ttl.py",),
        passes=11,
    ),
    Suite(
        name="anthropic memory tool over a folder",
        package="anthropic-2.8.0",
        plugin="anthropic_plugin",
        files=(MEMORY_TOOL,),
        passes=83,
    ),
    Suite(
        name="anthropic memory tool over a vault",
        package="anthropic-2.8.0",
        plugin="anthropic_plugin",
        files=(MEMORY_TOOL,),
        passes=81,
        # The folder above a vault's folder is the vault's, not the tool's to make.
        left_out=("test_mkdir_parents_not_world_writable_under_permissive_umask",),
        environment=(("MEMORY_TOOL_OVER", "vault"),),
    ),
)


@needs("recollect.adapters")
@pytest.mark.parametrize("suite", SUITES_RUN, ids=lambda suite: suite.name)
def test_the_frameworks_own_tests_pass(suite: Suite, tmp_path: Path, record_property: object) -> None:
    folder = SUITES / suite.package
    if not folder.exists():
        pytest.skip(f"the tests of {suite.package} are not here; `make test-adapters` fetches them")
    deselect = [f"--deselect={file}::{name}" for file in suite.files for name in suite.left_out]
    classes = ("TestBetaLocalFilesystemMemoryTool", "TestBetaAsyncLocalFilesystemMemoryTool")
    deselect += [f"--deselect={MEMORY_TOOL}::{group}::{name}" for group in classes for name in suite.left_out]
    options = ["-q", "-o", "asyncio_mode=auto", "-o", "addopts=", "-o", "filterwarnings=", "-p", suite.plugin]
    conftest = [] if suite.with_conftest else ["--noconftest"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *conftest, *deselect, *suite.files],
        cwd=folder,
        env={
            **{name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ},
            "HOME": str(tmp_path),
            "RECOLLECT_HOME": str(tmp_path / "home"),
            "PYTHONPATH": str(HERE / "suites"),
            "OPENAI_API_KEY": "none",
            **dict(suite.environment),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    last = ended.stdout.strip().splitlines()[-1] if ended.stdout.strip() else ended.stderr
    passed = re.search(r"(\d+) passed", last)
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]
    assert passed is not None and int(passed[1]) == suite.passes, last
    rest = f", {len(suite.left_out)} left out: private parts" if suite.left_out else ""
    count(record_property, suite.name, f"{passed[1]} passed{rest}")


@needs("langgraph.checkpoint.conformance")
def test_the_checkpointer_has_every_capability(tmp_path: Path, record_property: object) -> None:
    from langgraph.checkpoint.conformance import checkpointer_test, validate

    from recollect.adapters.langgraph_saver import RecollectSaver

    @checkpointer_test(name="RecollectSaver")
    async def ours() -> AsyncIterator[RecollectSaver]:
        with (
            tempfile.TemporaryDirectory(dir=tmp_path) as folder,
            Recollect(f"{folder}/memories.db", folder=None) as memory,
        ):
            yield RecollectSaver(memory)

    report = asyncio.run(validate(ours))
    failures = [failure for result in report.results.values() for failure in result.failures]
    passed = sum(result.tests_passed for result in report.results.values())
    assert failures == []
    assert (passed, report.conformance_level()) == (81, "FULL")
    count(record_property, "langgraph checkpointer", f"{passed} passed")


@needs("claude_agent_sdk")
def test_the_session_store_keeps_all_contracts(tmp_path: Path, record_property: object) -> None:
    from claude_agent_sdk.testing import run_session_store_conformance

    from recollect.adapters.claude_agent import RecollectSessionStore

    opened: list[Recollect] = []

    def make_store() -> RecollectSessionStore:
        opened.append(Recollect(tmp_path / f"{len(opened)}.db", folder=None))
        return RecollectSessionStore(opened[-1])

    asyncio.run(run_session_store_conformance(make_store))
    for memory in opened:
        memory.close()
    # One store for each contract that needs a fresh one, and one to see which methods there are.
    assert len(opened) == 15
    count(record_property, "claude-agent-sdk session store", "14 contracts kept")
