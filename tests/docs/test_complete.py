"""Nothing that can be used is missing from the docs, and what is generated is current."""

from __future__ import annotations

import subprocess
import sys

import pytest

from recollect.config import SETTINGS, Setting
from recollect.errors import RecollectError
from recollect.methods.registry import load_methods
from recollect.model.kinds import BUILT_IN, Kind
from recollect.model.method import Methodology
from recollect.model.phase import Phase
from recollect.model.profile import PROFILES
from recollect.surfaces.cli import COMMANDS
from tests.docs.pages import ROOT, text_of


def test_generated_parts_are_current() -> None:
    pages = [
        "README.md",
        "ARCHITECTURE.md",
        *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))),
    ]
    ended = subprocess.run(
        [sys.executable, "-m", "cogapp", "--check", "--diff", *pages],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, f"run: make docs\n{ended.stdout}{ended.stderr}"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_reference_and_in_the_readme(name: str) -> None:
    assert f"\n## recollect {name}\n" in text_of("docs/cli.md")
    assert f"`{name}`" in text_of("README.md")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_documented_with_its_variable(setting: Setting) -> None:
    page = text_of("docs/settings.md")
    assert f"`{setting.name}`" in page
    assert f"`{setting.variable}`" in page


def _all_errors(root: type[RecollectError] = RecollectError) -> list[type[RecollectError]]:
    found = [error for child in root.__subclasses__() for error in (child, *_all_errors(child))]
    return [error for error in found if error.__module__ == "recollect.errors"]


@pytest.mark.parametrize("error", _all_errors(), ids=lambda error: error.__name__)
def test_every_error_is_documented_and_has_a_code_of_its_own(error: type[RecollectError]) -> None:
    assert f"| `{error.code}` | `{error.__name__}` | {error.exit_code} |" in text_of("docs/errors.md")
    assert [other for other in _all_errors() if other.code == error.code] == [error]


@pytest.mark.parametrize("kind", BUILT_IN, ids=lambda kind: kind.name)
def test_every_kind_and_its_fields_are_documented(kind: Kind) -> None:
    page = text_of("docs/kinds.md")
    assert f"| `{kind.name}` |" in page
    for field in kind.fields:
        assert f"| `{kind.name}` | `{field}` |" in page


def test_every_profile_and_phase_is_documented() -> None:
    page = text_of("docs/search.md")
    assert all(f"`{name}`" in page for name in (*PROFILES, *Phase))


@pytest.mark.parametrize(
    "method", [one.value for one in load_methods(()).plugged], ids=lambda method: method.id
)
def test_every_methodology_is_documented_with_its_relays_and_kinds(method: Methodology) -> None:
    page = text_of("docs/methods.md")
    assert f"`{method.id}`" in page
    for relay in method.relays:
        assert f"| `{method.id}` | {relay.source} | {relay.target} |" in page
    for kind in method.kinds:
        assert f"| `{kind.name}` | `{method.id}` |" in page


def test_the_readme_is_short_and_names_the_test_command() -> None:
    readme = text_of("README.md")
    assert len(readme.splitlines()) <= 120
    assert "`make test`" in readme
