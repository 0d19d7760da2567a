"""What is known of each part of a project: counts, who uses it, and what its own files say first."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence

from recollect.codegraph.habits.documenting import module_docstring
from recollect.codegraph.habits.source import SCRIPT, Source
from recollect.model.code import SURE, CodeNode
from recollect.model.modules import Module
from recollect.model.testfile import is_test_file
from recollect.model.value import dataclass, field
from recollect.store.tables import code_nodes
from recollect.survey.material import Checkout

MOST_NAMES = 20
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
class Facts:
    """One part: its size and neighbours, names of it that others use with how many files do, what is said of it."""

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
    """What is kept of one file once it is read: its first words, and whether a program starts there."""

    path: str
    language: str
    opening: str
    is_entry: bool


class Asking:
    """Who uses what of which part, counted once for all parts."""

    def __init__(self, at: Checkout, modules: Sequence[Module]) -> None:
        self._home = {path: module.name for module in modules for path in module.files}
        self._test_parts = {module.name for module in modules if module.is_test}
        # By part and whether tests ask: which files use which of its names.
        self._names: dict[tuple[str, bool], dict[str, set[str]]] = {}
        nodes: dict[int, CodeNode] = dict(code_nodes.all_nodes(at.db, at.tree))
        for source, target, kind, confidence in code_nodes.all_edges(at.db, at.tree):
            if kind in _USES and confidence >= SURE and source in nodes and target in nodes:
                self._note(nodes[source], nodes[target])
        self._tests: dict[str, set[str]] = {}
        for one, other in code_nodes.file_links(at.db, at.tree):
            if is_test_file(one) and other in self._home:
                self._tests.setdefault(self._home[other], set()).add(one)

    def names(self, module: str, *, by_tests: bool = False) -> tuple[tuple[str, int], ...]:
        """What files of other parts use of this one, the most used first: those that are no tests, or BY_TESTS."""
        counted = {name: len(files) for name, files in self._names.get((module, by_tests), {}).items()}
        return tuple(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_NAMES])

    def tests(self, module: str) -> int:
        """How many test files have an edge into it."""
        return len(self._tests.get(module, ()))

    def neighbours(self, edges: Mapping[str, int]) -> tuple[str, ...]:
        """The parts at the other end of some edges that are no tests, those with the most first."""
        ordered = sorted(edges.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(name for name, _ in ordered if name not in self._test_parts)

    def _note(self, user: CodeNode, used: CodeNode) -> None:
        home = self._home.get(used.path, "")
        name = used.key.partition("::")[2].partition(".")[0]
        if home and name and not name.startswith("_") and self._home.get(user.path) != home:
            asked = self._names.setdefault((home, is_test_file(user.path)), {})
            asked.setdefault(name, set()).add(user.path)


def glimpse_of(source: Source) -> Glimpse:
    """What a part needs of one of its files."""
    has_guard = source.language == "Python" and _MAIN_GUARD.search(source.text) is not None
    return Glimpse(
        path=source.path,
        language=source.language,
        opening=opening_of(source),
        is_entry=has_guard or source.name in _ENTRY_NAMES,
    )


def facts_of(at: Checkout, module: Module, asking: Asking, seen: Sequence[Glimpse]) -> Facts:
    """All that is known of one part, from its own files and from who uses it."""
    said = {one.path: one.opening for one in seen if one.opening}
    return Facts(
        module=module,
        languages=dict(Counter(one.language for one in seen).most_common()),
        asked_for=asking.names(module.name),
        tested=asking.names(module.name, by_tests=True),
        below=asking.neighbours(module.leans_on),
        above=asking.neighbours(module.used_by),
        entries=tuple(one.path for one in seen if one.is_entry),
        says=_says(at, module, said),
        openings=said,
        tests=asking.tests(module.name),
    )


def opening_of(source: Source) -> str:
    """What a file says of itself at its beginning: docstring, package comment, first comment that is no licence."""
    if source.language == "Python":
        found = module_docstring(source)
    elif source.language == "Go":
        comment = _GO_PACKAGE.search(source.text)
        found = re.sub(r"^// ?", "", comment[1], flags=re.MULTILINE) if comment else ""
    elif source.language == "Rust":
        lines = [line[3:].strip() for line in source.lines[:40] if line.startswith("//!")]
        found = "\n".join(lines)
    elif source.language in SCRIPT | {"Java", "PHP", "C", "C++", "C#"}:
        block = _BLOCK.match(source.text.removeprefix("<?php"))
        found = re.sub(r"^\s*\* ?", "", block[1], flags=re.MULTILINE) if block else ""
    else:
        found = ""
    return "" if _LICENCE.search(found[:400]) else first_paragraph(found)


def first_paragraph(text: str) -> str:
    """The first paragraph of prose: headings, pictures, tables, lists and code are passed over."""
    for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        lines = [line.strip() for line in paragraph.strip().splitlines()]
        prose = [line for line in lines if line and not _is_furniture(line)]
        told = " ".join(prose)
        if sum(map(str.isalpha, told)) >= 15 and len(prose) == len([line for line in lines if line]):
            return told
    return ""


def _says(at: Checkout, module: Module, said: Mapping[str, str]) -> dict[str, str]:
    """What speaks for a whole part: its face, its README, its description; the project's own for its main part."""
    inside = f"{module.folder}/" if module.folder else ""
    found = {inside + face: said[inside + face] for face in _FACES if inside + face in said}
    found |= {inside + name: first_paragraph(at.text(inside + name)) for name in _READMES}
    found[f"{inside}package.json"] = _at(_json(at.text(f"{inside}package.json")), "description")
    if len(module.files) == 1:
        found |= said
    found |= _of_the_project(at, module)
    return {path: text for path, text in found.items() if text}


def _of_the_project(at: Checkout, module: Module) -> dict[str, str]:
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
