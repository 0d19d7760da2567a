"""Python: packages, relative and namespace imports, src layouts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from recollect.codegraph.files import ProjectFiles, folder_of, folders_above, nearest_path
from recollect.codegraph.languages.language import (
    Binding,
    Defined,
    Language,
    base_name,
    children_of_type,
    node_text,
)
from recollect.codegraph.outline import Import, Outline

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = """
(class_definition) @class
(function_definition) @function
(call function: [(identifier) (attribute)] @call)
(decorator [(identifier) (attribute)] @call)
(import_statement) @import
(import_from_statement) @import
(assignment left: (identifier) @local)
(assignment left: [(identifier) (attribute)] right: (call function: [(identifier) (attribute)])) @hint
(assignment left: [(identifier) (attribute)] type: (_)) @hint
(assignment left: (attribute object: (identifier)) right: (identifier)) @hint
(typed_parameter) @hint
(typed_default_parameter) @hint
(with_item) @hint
(parameters (identifier) @local)
(default_parameter name: (identifier) @local)
(for_statement left: (identifier) @local)
"""
# Most imports are of this form; to ask the parser for their parts takes ten times as long.
_PLAIN_FROM = re.compile(r"from[ ]+(\.*[\w.]+)[ ]+import[ ]+((?:\w+, )*\w+|\(\s*(?:\w+,\s+)*\w+,?\s*\))")
_WORD = re.compile(r"\w+")
_SOURCE_FOLDERS = ("", "src", "lib")
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
_ENDINGS = (".py", ".pyi")


def _grammar() -> object:
    import tree_sitter_python

    return tree_sitter_python.language()


def _define(node: Node, kind: str) -> Defined | None:
    name = node_text(node.child_by_field_name("name"))
    bases: tuple[str, ...] = ()
    returns = ""
    if kind == "class":
        listed = children_of_type(
            node.child_by_field_name("superclasses"), "identifier", "attribute", "subscript"
        )
        bases = tuple(base_name(node_text(base)) for base in listed)
    elif (returned := node.child_by_field_name("return_type")) is not None:
        returns = base_name(node_text(returned).strip("\"'"))
    return Defined(name, "", bases, not name.startswith("_"), returns)


def _imports(node: Node) -> Iterable[Import]:
    plain = _PLAIN_FROM.fullmatch(node_text(node))
    if plain is None:
        return _imports_by_parts(node)
    names = _WORD.findall(plain[2])
    return [Import(plain[1], tuple(zip(names, names, strict=True)), "from")]


def _imports_by_parts(node: Node) -> Iterator[Import]:
    if node.type == "import_statement":
        for child in node.named_children:
            if child.type == "aliased_import":
                alias = node_text(child.child_by_field_name("alias"))
                yield Import(node_text(child.child_by_field_name("name")), (("", alias),))
            else:
                yield Import(node_text(child), (("", node_text(child)),))
        return
    module = node.child_by_field_name("module_name")
    names: list[tuple[str, str]] = []
    for child in node.children_by_field_name("name"):
        if child.type == "aliased_import":
            names.append(
                (node_text(child.child_by_field_name("name")), node_text(child.child_by_field_name("alias")))
            )
        else:
            names.append((node_text(child), node_text(child)))
    if any(child.type == "wildcard_import" for child in node.named_children):
        names.append(("*", "*"))
    yield Import("".join(node_text(module).split()), tuple(names), "from")


def _hints(node: Node) -> Iterator[tuple[str, str]]:
    """`x = Name(…)`, `x: Name`, `with Name(…) as x`."""
    if node.type in ("typed_parameter", "typed_default_parameter"):
        name = node.child_by_field_name("name") or node.named_children[0]
        yield node_text(name), base_name(node_text(node.child_by_field_name("type")))
        return
    if node.type == "with_item":
        yield from _with_hint(node)
        return
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    declared = node.child_by_field_name("type")
    if declared is not None:
        yield node_text(left), base_name(node_text(declared))
    elif right is not None and right.type == "identifier":
        yield node_text(left), f"={node_text(right)}"
    elif right is not None:
        yield node_text(left), node_text(right.child_by_field_name("function"))


def _with_hint(node: Node) -> Iterator[tuple[str, str]]:
    value = node.child_by_field_name("value")
    if value is None or value.type != "as_pattern":
        return
    creation, target = value.named_children[0], value.child_by_field_name("alias")
    if creation.type == "call" and target is not None:
        yield node_text(target), node_text(creation.child_by_field_name("function"))


class _Roots:
    """Where imports may begin: folders that hold packages, `src`, and the folders around the importing file."""

    def __init__(self, files: ProjectFiles) -> None:
        self._files = files
        self._tops: dict[str, list[str]] = {}
        for folder in sorted(self._starting_folders()):
            for top in self._top_names(folder):
                self._tops.setdefault(top, []).append(folder)
        self._found: dict[tuple[str, str], str] = {}

    def find(self, module: str, importer: str) -> str | None:
        """The file of an absolute module; None when it is not of this project, "" for a bare folder."""
        top = module.partition(".")[0]
        home = folder_of(importer)
        key = (module, home)
        if key not in self._found:
            roots = self._tops.get(top, [])
            inner = [root for root in folders_above(home) if root in roots]
            ordered = inner + sorted(set(roots) - set(inner), key=lambda root: (root.count("/"), root))
            tail = module.replace(".", "/")
            hits = (self.at(posixpath.join(root, tail)) for root in ordered)
            target = next((hit for hit in hits if hit is not None), None)
            self._found[key] = "\0" if target is None else target
        cached = self._found[key]
        return None if cached == "\0" else cached

    def at(self, base: str) -> str | None:
        """The module whose path without an ending is this."""
        for ending in _ENDINGS:
            for path in (f"{base}/__init__{ending}", f"{base}{ending}"):
                if path in self._files:
                    return path
        return "" if base in self._files.all_folders else None

    def folders_ending(self, tail: str) -> list[str]:
        """Folders whose path ends in these parts."""
        return [one for one in self._files.all_folders if one == tail or one.endswith(f"/{tail}")]

    def _starting_folders(self) -> set[str]:
        starting = set(_SOURCE_FOLDERS)
        folders = self._files.folders
        for folder, paths in folders.items():
            if not any(path.endswith(_ENDINGS) for path in paths):
                continue
            if not _is_package(self._files, folder):
                starting.add(folder)
            elif not _is_package(self._files, folder_of(folder)):
                starting.add(folder_of(folder))
        for name in _PROJECT_FILES:
            for path in self._files.settings_files(name):
                home = folder_of(path)
                starting.update(posixpath.join(home, inner) for inner in _SOURCE_FOLDERS)
        return {folder.rstrip("/") for folder in starting}

    def _top_names(self, folder: str) -> set[str]:
        names = {
            path.rpartition("/")[2].rpartition(".")[0]
            for path in self._files.folders.get(folder, ())
            if path.endswith(_ENDINGS)
        }
        return names | self._children.get(folder, set())

    @cached_property
    def _children(self) -> dict[str, set[str]]:
        children: dict[str, set[str]] = {}
        for folder in self._files.all_folders:
            if folder:
                children.setdefault(folder_of(folder), set()).add(folder.rpartition("/")[2])
        return children


def _resolver(files: ProjectFiles) -> Callable[[str, Import], list[Binding]]:
    roots = _Roots(files)

    def resolve(path: str, statement: Import) -> list[Binding]:
        if statement.how != "from":
            target = roots.find(statement.module, path)
            return [Binding(local, target or "") for _, local in statement.names]
        module = statement.module.lstrip(".")
        dots = len(statement.module) - len(module)
        folder: str | None
        if dots:
            base = _climbed(path, dots)
            if base is None:
                return [Binding(local, "") for _, local in statement.names]
            folder = posixpath.join(base, module.replace(".", "/")) if module else base
            package = roots.at(folder)
        else:
            package = roots.find(module, path)
            folder = _folder_of(package, module, roots, path)
        return [_member(roots, package, folder, name, local) for name, local in statement.names]

    return resolve


def _member(roots: _Roots, package: str | None, folder: str | None, name: str, local: str) -> Binding:
    """A submodule if there is one of that name, else a name inside the package's own file."""
    if package is None:
        return Binding(local, "")
    is_package = package == "" or package.rpartition("/")[2].startswith("__init__.")
    if is_package and name != "*" and folder is not None:
        inner = roots.at(f"{folder}/{name}" if folder else name)
        if inner:
            return Binding(local, inner)
    return Binding(local, package, name)


def _climbed(path: str, dots: int) -> str | None:
    folder = folder_of(path)
    for _ in range(dots - 1):
        if not folder:
            return None
        folder = folder_of(folder)
    return folder


def _folder_of(package: str | None, module: str, roots: _Roots, path: str) -> str | None:
    if package:
        return folder_of(package)
    if package == "":
        tail = module.replace(".", "/")
        return nearest_path(path, roots.folders_ending(tail)) or tail
    return None


def _is_package(files: ProjectFiles, folder: str) -> bool:
    return f"{folder}/__init__.py" in files or f"{folder}/__init__.pyi" in files


def _module(files: ProjectFiles, path: str, outline: Outline) -> str:
    """The dotted name of the package the file lies in."""
    folder = folder_of(path)
    parts: list[str] = []
    while folder and _is_package(files, folder):
        folder, _, name = folder.rpartition("/")
        parts.append(name)
    return ".".join(reversed(parts))


PYTHON = Language(
    name="python",
    extensions=_ENDINGS,
    package="tree-sitter-python",
    grammar=_grammar,
    query=_QUERY,
    define=_define,
    imports=_imports,
    hints=_hints,
    resolver=_resolver,
    module=_module,
    self_words=frozenset({"self", "cls"}),
    super_words=frozenset({"super"}),
    passes_on=True,
    settings_files=frozenset(_PROJECT_FILES),
)


def languages() -> Iterable[Language]:
    """What this file brings."""
    return (PYTHON,)
