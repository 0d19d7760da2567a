"""What a language declares about itself: how its files are parsed and how its names are resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from recollect.codegraph.outline import Import, Outline
from recollect.model.value import dataclass, field

if TYPE_CHECKING:
    from tree_sitter import Node

    from recollect.codegraph.files import ProjectFiles


class Defined(NamedTuple):
    """
    What a definition calls itself. `owner` is the class a method belongs to when it does not stand inside it,
    `bases` are as in an outline.
    """

    name: str
    owner: str = ""
    bases: tuple[str, ...] = ()
    exported: bool = True
    returns: str = ""


class Binding(NamedTuple):
    """
    What an import brings: here it is called `local` ("*": all its names; "": nothing is named), there it is
    `symbol` of `path` ("" for the file as a whole; "?" when only the names that are used make a dependency;
    "Type.*" for the members of a type). An empty path is outside the project.
    """

    local: str
    path: str
    symbol: str = ""


def no_imports(_: Node) -> Iterable[Import]:
    """For languages whose imports are not statements of their own."""
    return ()


def no_names(_: Node) -> Iterable[tuple[str, str]]:
    """For languages that tell nothing of the kind."""
    return ()


def whole_text(node: Node) -> str:
    """The callee as it is written."""
    return node_text(node)


def by_name_field(node: Node, _: str) -> Defined | None:
    """A definition whose grammar calls its name `name`."""
    name = node.child_by_field_name("name")
    return Defined(node_text(name)) if name is not None else None


def resolves_nothing(_: ProjectFiles) -> Callable[[str, Import], list[Binding]]:
    """For languages without imports."""
    return lambda path, statement: []


def no_bodies(_: ProjectFiles, path: str) -> list[str]:
    """For languages that define things where they declare them."""
    return []


def no_module(_: ProjectFiles, path: str, outline: Outline) -> str:
    """The package the file names, if any."""
    return outline.package


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """
    A language as data and a few functions. `query` names what it finds: @class, @interface, @function, @module,
    @namespace and @impl are definitions (the last two only lend their name; @impl holds methods), @call is what
    is called, @use a type that is spoken of; @import, @hint, @export are handed to the functions of the same
    names, @local is a name that holds anything, @package what the file belongs to.
    """

    name: str
    extensions: tuple[str, ...]
    # The package that brings the grammar, and how to get the grammar from it.
    package: str
    grammar: Callable[[], object]
    query: str
    define: Callable[[Node, str], Defined | None] = by_name_field
    imports: Callable[[Node], Iterable[Import]] = no_imports
    # (name, type) for what is known about a variable, a parameter or a field. The type may be a function, which
    # stands for what it returns, or "=NAME" for another variable's.
    hints: Callable[[Node], Iterable[tuple[str, str]]] = no_names
    # (name for others, name here)
    exports: Callable[[Node], Iterable[tuple[str, str]]] = no_names
    callee: Callable[[Node], str] = whole_text
    resolver: Callable[[ProjectFiles], Callable[[str, Import], list[Binding]]] = resolves_nothing
    module: Callable[[ProjectFiles, str, Outline], str] = no_module
    # Words for the object a method belongs to, and for what it inherits from.
    self_words: frozenset[str] = frozenset()
    super_words: frozenset[str] = frozenset()
    # Whether a bare name may be a member of the class around it.
    implicit_self: bool = False
    # Whether files of one package see each other's names without an import.
    shares_package: bool = False
    # Whether a package sees the names of those around it: C#'s A.B.C sees A.B and A.
    sees_outer_packages: bool = False
    # Words that begin a path through modules: Rust's crate::a::b.
    path_words: frozenset[str] = frozenset()
    # Files that hold the bodies of what a header declares.
    bodies: Callable[[ProjectFiles, str], list[str]] = no_bodies
    # Whether what a file imports can be imported from it in turn.
    passes_on: bool = False
    # The method by which a class is asked for an object, where that is no definition of its own.
    constructor: str = ""
    # What may be left away at the end of a type's name: C#'s [Test] is TestAttribute.
    silent_ending: str = ""
    # Languages whose names this one can use: C++ calls C, TypeScript calls JavaScript.
    family: str = ""
    # Files by which names are found; when one changes, everything is resolved anew.
    settings_files: frozenset[str] = field(default_factory=frozenset)

    @property
    def kin(self) -> str:
        """The family, or the language by itself."""
        return self.family or self.name


def node_text(node: Node | None) -> str:
    """The source of a node."""
    if node is None:
        return ""
    raw = node.text or b""
    try:  # as `decoded`; it is asked a million times, and a call costs as much as the rest
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def decode(raw: bytes) -> str:
    """Bytes of a source as text; what is not UTF-8 is read as Latin-1 would have it."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def children_of_type(node: Node | None, *types: str) -> Iterator[Node]:
    """Children of these types, in order."""
    if node is not None:
        yield from (child for child in node.named_children if not types or child.type in types)


def unquote(node: Node | None) -> str:
    """The text of a string literal without its quotes."""
    return node_text(node).strip("\"'`")


def base_name(written: str) -> str:
    """A type as it is written, down to its dotted name: `List<a.B>` is `List`, `*pkg.T` is `pkg.T`."""
    cut = written.split("<")[0].split("[")[0].split("(")[0].strip(" &*?\n\t")
    plain = cut.replace("::", ".").replace("\\", ".").replace("->", ".")
    words = plain.split()
    return words[-1].strip("&*.") if words else ""
