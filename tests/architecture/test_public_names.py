"""What the package shows, and what it loads before it is asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import recollect

ROOT = Path(__file__).parents[2]
HEAVY = ("apsw", "numpy", "click", "httpx", "rich", "tomlkit", "sqlite_vec", "platformdirs")
PUBLIC = {
    "AlreadyKnown",
    "Hit",
    "Memory",
    "MemoryDraft",
    "Query",
    "Recollect",
    "RecollectError",
    "Refused",
    "Remembered",
    "__version__",
}


def loaded_after(code: str, *arguments: str, **environment: str) -> list[str]:
    """The modules in a fresh interpreter after it ran some code."""
    tail = "\nimport json, sys; sys.stderr.write(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", code + tail, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ | environment
    )
    return json.loads(done.stderr)


def third_party(modules: list[str]) -> list[str]:
    own = {"recollect", "__main__", "sitecustomize", "usercustomize"}
    tops = {name.split(".")[0] for name in modules}
    # What an interpreter loads by itself in this environment is not ours.
    bare = {name.split(".")[0] for name in loaded_after("")}
    return sorted(tops - own - bare - set(sys.stdlib_module_names))


def test_the_public_names_are_exactly_these() -> None:
    assert set(recollect.__all__) == PUBLIC
    assert set(dir(recollect)) == PUBLIC


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(recollect, name) is not None


def test_a_name_that_is_not_there_is_said_to_be_missing() -> None:
    with pytest.raises(AttributeError, match="module 'recollect' has no attribute 'Nothing'"):
        _ = recollect.Nothing


def test_public_names_can_be_imported_in_one_line() -> None:
    names = ", ".join(sorted(PUBLIC - {"__version__"}))
    assert "recollect.api" in loaded_after(f"from recollect import {names}")


def test_importing_the_package_loads_nothing_else() -> None:
    modules = loaded_after("import recollect")
    assert third_party(modules) == []
    assert [name for name in modules if name.startswith("recollect.")] == []


def test_telling_the_version_loads_nothing_else() -> None:
    code = "import sys; sys.argv[1:] = ['--version']; from recollect.__main__ import main; main()"
    modules = loaded_after(code)
    assert third_party(modules) == []
    assert [name for name in modules if name.startswith("recollect.")] == ["recollect.__main__"]


def test_the_command_tells_its_version() -> None:
    command = Path(sys.executable).with_name("recollect")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"recollect {recollect.__version__}\n"


@pytest.mark.parametrize(
    "module", ["recollect.events.redact", "recollect.events.hidden", "recollect.model.project"]
)
def test_what_a_hook_may_import_loads_no_third_party(module: str) -> None:
    assert third_party(loaded_after(f"import {module}")) == []


@pytest.mark.parametrize(
    "module",
    ["recollect.errors", "recollect.model.memory", "recollect.model.json_form", "recollect.model.embedding"],
)
def test_the_model_loads_no_third_party(module: str) -> None:
    assert third_party(loaded_after(f"import {module}")) == []


def test_a_recall_by_words_loads_neither_numpy_nor_the_write_side(tmp_path: Path) -> None:
    code = """
import sys
from recollect import Recollect
with Recollect(sys.argv[1], folder=None) as memory:
    assert list(memory.recall("when do tokens expire?"))
"""
    db = tmp_path / "memories.db"
    said = "from recollect import Recollect; import sys; Recollect(sys.argv[1], folder=None).remember('Tokens expire')"
    environment = {"RECOLLECT_EMBEDDING_TIER": "none"}
    loaded_after(said, str(db), **environment)
    modules = loaded_after(code, str(db), **environment)
    heavy = {"numpy", "dataclasses", "inspect", "hashlib", "subprocess", "shutil", "recollect.observe.drain"}
    assert heavy & set(modules) == set()
    assert [name for name in modules if name.startswith(("recollect.capture", "recollect.transfer"))] == []


def test_an_engine_that_has_not_searched_has_not_loaded_numpy(tmp_path: Path) -> None:
    code = """
import sys
from recollect import Recollect
with Recollect(sys.argv[1], folder=None) as memory:
    memory.list()
    memory.count()
"""
    modules = loaded_after(code, str(tmp_path / "memories.db"))
    assert "apsw" in modules
    assert "numpy" not in modules
    assert "httpx" not in modules
