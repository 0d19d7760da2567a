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
    # Tests of private parts of the framework's own implementation, as pytest names them.
    left_out: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    with_conftest: bool = False


STORE = "langgraph-checkpoint-sqlite-3.1.2"
# They look at tables, at migrations, and at functions that build SQL.
STORE_PRIVATE = tuple(
    f"tests/test_store.py::test_{name}"
    for name in (
        "vector_store_initialization",
        "nonnull_migrations",
        "escape_glob_literal",
        "namespace_match_pattern",
        "list_namespaces_prefix_uses_indexable_condition",
    )
)
MEMORY_TOOL = "tests/lib/tools/memory_tools/test_filesystem.py"

OPENAI = "tests/memory/"
# They look into the SQLite session's own connections, locks and tables.
SESSION_PRIVATE = tuple(
    f"{OPENAI}test_session.py::test_sqlite_session_{name}"
    for name in (
        "close_closes_worker_thread_connections",
        "reaps_connections_from_exited_worker_threads",
        "closes_retired_connections_before_the_next_allocation",
        "keeps_connections_of_live_worker_threads",
        "closed_rejects_empty_add_items",
        "pop_item_skips_corrupt_most_recent",
        "pop_item_returns_none_after_dropping_only_corrupt_rows",
        "get_items_limit_skips_corrupt_newest_rows",
        "get_items_session_settings_limit_skips_corrupt_rows",
        "file_lock_is_shared_across_instances",
        "failed_add_items_releases_write_lock",
        "failed_clear_session_rolls_back",
        "failed_pop_item_releases_write_lock",
        "rollback_failure_evicts_connection",
        "close_retries_quarantined_connection",
        "post_commit_cancellation_propagates_after_known_outcome",
    )
)
# They need `_get_compaction_snapshot`, a private door that the SDK's own sessions have for its compaction.
COMPACTION_PRIVATE = (
    *(
        f"{OPENAI}test_compaction_model_visibility.py::test_{name}"
        for name in (
            "backend_read_limit_cannot_hide_retained_history_from_compaction",
            "automatic_compaction_does_not_reload_unbounded_hidden_history",
            "expired_read_overhead_does_not_authorize_hidden_history",
        )
    ),
    *(
        f"{OPENAI}test_openai_responses_compaction_session.py::TestOpenAIResponsesCompactionSession::test_{name}"
        for name in (
            "automatic_compaction_rollback_budget",
            "settled_pop_failure_invalidates_response_chain",
            "settled_clear_failure_invalidates_response_chain",
        )
    ),
)

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
        left_out=tuple(
            f"{MEMORY_TOOL}::{group}::test_mkdir_parents_not_world_writable_under_permissive_umask"
            for group in ("TestBetaLocalFilesystemMemoryTool", "TestBetaAsyncLocalFilesystemMemoryTool")
        ),
        environment=(("MEMORY_TOOL_OVER", "vault"),),
    ),
    Suite(
        name="openai-agents session",
        package="openai-agents-0.24.0",
        plugin="openai_plugin",
        files=tuple(
            f"{OPENAI}test_{name}.py"
            for name in (
                "session",
                "session_limit",
                "compaction_model_visibility",
                "openai_responses_compaction_session",
            )
        ),
        passes=210,
        left_out=(*SESSION_PRIVATE, *COMPACTION_PRIVATE),
        with_conftest=True,
    ),
)


@needs("recollect.adapters")
@pytest.mark.parametrize("suite", SUITES_RUN, ids=lambda suite: suite.name)
def test_the_frameworks_own_tests_pass(suite: Suite, tmp_path: Path, record_property: object) -> None:
    folder = SUITES / suite.package
    if not folder.exists():
        pytest.skip(f"the tests of {suite.package} are not here; `make test-adapters` fetches them")
    deselect = [f"--deselect={name}" for name in suite.left_out]
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
