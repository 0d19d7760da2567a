"""Facts about each part of a project: counts, who uses it, and how its own files introduce it."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence

from recollect.codegraph.habits.documenting import read_module_docstring
from recollect.codegraph.habits.source import SCRIPT, SourceFile
from recollect.model.code import SURE, CodeNode, Module
from recollect.model.path_kinds import is_test_file
from recollect.model.value import dataclass, field
from recollect.store.tables import code_nodes
from recollect.survey.checkout import ScannedCheckout

MAX_NAMES = 20
# In this order a part's own files are asked what it is for.
_FACES = (
    "__init__.py",
    "mod.rs",
    "lib.rs",
    "doc.go",
    "index.ts",
    "index.js",
    "package-info.java",
    "__main__.py",
)
_READMES = ("README.md", "README.rst", "README.txt", "README", "readme.md")
_ENTRY_NAMES = frozenset({"__main__.py", "main.rs", "main.go", "manage.py"})
_MAIN_GUARD = re.compile(r"^if __name__ == ['\"]__main__['\"]", re.MULTILINE)
_BLOCK = re.compile(r"\A\s*/\*\*?(.*?)\*/", re.DOTALL)
_GO_PACKAGE = re.compile(r"((?:^//[^\n]*\n)+)^package \w", re.MULTILINE)
_LICENCE = re.compile(r"copyright|licen[sc]e|spdx", re.IGNORECASE)
# How lines begin that are no prose: headings, pictures, code, tables, lists, directives, commands.
_FURNITURE = ("#", "<", "[!", "![", "```", "|", "-", "*", "=", "~", "..", ":", ">", "[ ", "@", "$")
_USES = frozenset({"calls", "extends", "implements"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFacts:
    """One part: its size and neighbours, the names others use with how many files do, and its descriptions."""

    module: Module
    languages: Mapping[str, int] = field(default_factory=dict)
    asked_for: tuple[tuple[str, int], ...] = ()
    tested: tuple[tuple[str, int], ...] = ()
    # Parts it leans on and parts that lean on it, those with the most edges first; tests are counted apart.
    below: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    # What is said of it as a whole, and what its files say first, each by path; the most telling first.
    says: dict[str, str] = field(default_factory=dict)
    openings: dict[str, str] = field(default_factory=dict)
    tests: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """What a scan needs of one file: its first words, and whether a program starts there."""

    path: str
    language: str
    opening: str
    is_entry: bool


class UsageCounts:
    """Counts of which names of each part are used by whom, made once for all parts."""

    def __init__(self, at: ScannedCheckout, modules: Sequence[Module]) -> None:
        self._home = {path: module.name for module in modules for path in module.files}
        self._test_parts = {module.name for module in modules if module.is_test}
        # By part and whether tests ask: which files use which of its names.
        self._names: dict[tuple[str, bool], dict[str, set[str]]] = {}
        nodes: dict[int, CodeNode] = dict(code_nodes.list_nodes(at.db, at.tree))
        for source, target, kind, confidence in code_nodes.list_edges(at.db, at.tree):
            if kind in _USES and confidence >= SURE and source in nodes and target in nodes:
                self._count_use(nodes[source], nodes[target])
        self._tests: dict[str, set[str]] = {}
        for one, other in code_nodes.count_file_links(at.db, at.tree):
            if is_test_file(one) and other in self._home:
                self._tests.setdefault(self._home[other], set()).add(one)

    def names(self, module: str, *, by_tests: bool = False) -> tuple[tuple[str, int], ...]:
        """What files of other parts use of this one, the most used first: those that are no tests, or BY_TESTS."""
        counts = {name: len(files) for name, files in self._names.get((module, by_tests), {}).items()}
        return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_NAMES])

    def tests(self, module: str) -> int:
        """How many test files have an edge into it."""
        return len(self._tests.get(module, ()))

    def neighbours(self, edges: Mapping[str, int]) -> tuple[str, ...]:
        """The parts at the other end of some edges that are no tests, those with the most first."""
        ordered = sorted(edges.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(name for name, _ in ordered if name not in self._test_parts)

    def _count_use(self, user: CodeNode, used: CodeNode) -> None:
        home = self._home.get(used.path, "")
        name = used.key.partition("::")[2].partition(".")[0]
        if home and name and not name.startswith("_") and self._home.get(user.path) != home:
            users = self._names.setdefault((home, is_test_file(user.path)), {})
            users.setdefault(name, set()).add(user.path)


def take_glimpse(source: SourceFile) -> Glimpse:
    """Take the glimpse of one file."""
    has_guard = source.language == "Python" and _MAIN_GUARD.search(source.text) is not None
    return Glimpse(
        path=source.path,
        language=source.language,
        opening=read_opening(source),
        is_entry=has_guard or source.name in _ENTRY_NAMES,
    )


def collect_facts(
    at: ScannedCheckout, module: Module, usage: UsageCounts, glimpses: Sequence[Glimpse]
) -> PartFacts:
    """The facts about one part, from its own files and from its users."""
    openings = {one.path: one.opening for one in glimpses if one.opening}
    return PartFacts(
        module=module,
        languages=dict(Counter(one.language for one in glimpses).most_common()),
        asked_for=usage.names(module.name),
        tested=usage.names(module.name, by_tests=True),
        below=usage.neighbours(module.leans_on),
        above=usage.neighbours(module.used_by),
        entries=tuple(one.path for one in glimpses if one.is_entry),
        says=_collect_descriptions(at, module, openings),
        openings=openings,
        tests=usage.tests(module.name),
    )


def read_opening(source: SourceFile) -> str:
    """What a file says of itself at its beginning: docstring, package comment, first comment that is no licence."""
    if source.language == "Python":
        opening = read_module_docstring(source)
    elif source.language == "Go":
        comment = _GO_PACKAGE.search(source.text)
        opening = re.sub(r"^// ?", "", comment[1], flags=re.MULTILINE) if comment else ""
    elif source.language == "Rust":
        lines = [line[3:].strip() for line in source.lines[:40] if line.startswith("//!")]
        opening = "\n".join(lines)
    elif source.language in SCRIPT | {"Java", "PHP", "C", "C++", "C#"}:
        block = _BLOCK.match(source.text.removeprefix("<?php"))
        opening = re.sub(r"^\s*\* ?", "", block[1], flags=re.MULTILINE) if block else ""
    else:
        opening = ""
    return "" if _LICENCE.search(opening[:400]) else read_first_paragraph(opening)


def read_first_paragraph(text: str) -> str:
    """The first paragraph of prose: headings, pictures, tables, lists and code are passed over."""
    for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        lines = [line.strip() for line in paragraph.strip().splitlines()]
        prose = [line for line in lines if line and not _is_furniture(line)]
        joined_prose = " ".join(prose)
        if sum(map(str.isalpha, joined_prose)) >= 15 and len(prose) == len([line for line in lines if line]):
            return joined_prose
    return ""


def _collect_descriptions(at: ScannedCheckout, module: Module, openings: Mapping[str, str]) -> dict[str, str]:
    """Texts that introduce a whole part: its main file, README, description; the project's own for its main part."""
    inside = f"{module.folder}/" if module.folder else ""
    descriptions = {inside + face: openings[inside + face] for face in _FACES if inside + face in openings}
    descriptions |= {inside + name: read_first_paragraph(at.text(inside + name)) for name in _READMES}
    descriptions[f"{inside}package.json"] = _at(_json(at.text(f"{inside}package.json")), "description")
    if len(module.files) == 1:
        descriptions |= openings
    descriptions |= _project_description(at, module)
    return {path: text for path, text in descriptions.items() if text}


def _project_description(at: ScannedCheckout, module: Module) -> dict[str, str]:
    """How the project describes itself, if the part bears its name."""
    python, rust = _toml(at.text("pyproject.toml")), _toml(at.text("Cargo.toml"))
    script = _json(at.text("package.json"))
    described = (
        ("pyproject.toml", _at(python, "project", "name"), _at(python, "project", "description")),
        ("Cargo.toml", _at(rust, "package", "name"), _at(rust, "package", "description")),
        ("package.json", _at(script, "name"), _at(script, "description")),
    )
    own = {_plain(module.name), _plain(module.folder.rpartition("/")[2])}
    return {path: text for path, name, text in described if name and _plain(name) in own}


def _plain(name: str) -> str:
    return name.rpartition("/")[2].lower().replace("-", "_")


def _toml(text: str) -> object:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(text: str) -> object:
    try:
        return json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}


def _at(value: object, *keys: str) -> str:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _is_furniture(line: str) -> bool:
    return line.startswith(_FURNITURE) or set(line) <= set("=-~^*_ ")
