"""
Parses one file into its outline with tree-sitter; one parser a language, loaded with its first file.

A query finds the few nodes that matter, in C; Python sees only those. Walking whole trees in Python would be
several times slower.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.codegraph.languages import Languages
from recollect.codegraph.languages.language import Language, base_name, decode, node_text, whole_text
from recollect.codegraph.outline import MAX_LINES, Call, Definition, Hint, Import, Outline
from recollect.errors import MissingExtra

if TYPE_CHECKING:
    from tree_sitter import Node

_DEFINING = ("class", "interface", "function", "module", "namespace", "impl")
_HOLDS_METHODS = frozenset({"class", "interface", "module"})
# They lend their name to what stands inside them and are no nodes themselves.
_LENDS_NAME = frozenset({"namespace", "impl"})
_SIMPLE = re.compile(r"[\w$@]+(?:\.[\w$]+)*!?\Z")
_MADE_HERE = re.compile(r"(?:new\s+)?([\w$.]+)\(\)\.([\w$]+)\Z")
_TAIL = re.compile(r"([A-Za-z_$][\w$]*)[!?]?\Z")
_INNERMOST = re.compile(r"\([^()]*\)")
_GENERIC = re.compile(r"\.?<[^<>()]*>\Z")

_WHERE = attrgetter("start_byte", "end_byte")
_NEVER = 1 << 62

Parse = Callable[[bytes], Outline]
# The nodes a query found, by what it calls them, in no order.
Found = dict[str, list["Node"]]


def load_parser(language: Language) -> Parse:
    """A function that reads files of this language; MissingExtra when its grammar is not installed."""
    parser, captures = _load_grammar(language)

    def read(source: bytes) -> Outline:
        root = parser.parse(source).root_node
        return _TreeReading(language, source, captures(root)).outline(broken=root.has_error)

    return read


def dotted_name(callee: str) -> str:
    """A callee as dotted names: `a->b` and `A::b` are `a.b`; what stands before a call's result is `?`."""
    if callee.isidentifier():
        return callee
    plain = callee.replace("?.", ".").replace("->", ".").replace("::", ".").replace("\\", ".").strip(" .*&")
    while plain.endswith(">") and (shorter := _GENERIC.sub("", plain)) != plain:
        plain = shorter
    if _SIMPLE.match(plain):
        return plain
    if (match := _MADE_HERE.match(_without_arguments(plain))) is not None:
        return f"super.{match[2]}" if match[1] == "super" else f"{match[1]}().{match[2]}"
    tail = _TAIL.search(plain)
    return f"?.{tail[1]}" if tail else ""


@lru_cache(maxsize=1 << 16)
def _dotted_bytes(callee: bytes) -> str:
    return dotted_name(decode(callee))


def _without_arguments(callee: str) -> str:
    """A chain of calls without their arguments; unchanged when parentheses do not match."""
    emptied, replaced = callee, 1
    while replaced:
        emptied, replaced = _INNERMOST.subn("\0", emptied)
    return callee if "(" in emptied or ")" in emptied else emptied.replace("\0", "()")


@cache
def _load_grammar(language: Language) -> tuple[Any, Callable[[Node], Found]]:
    try:
        from tree_sitter import Language as Grammar
        from tree_sitter import Parser, Query, QueryCursor

        grammar = Grammar(language.grammar())
    except ImportError as error:
        package = "tree-sitter" if error.name == "tree_sitter" else language.package
        raise MissingExtra(feature=f"Reading {language.name}", package=package) from error
    query = Query(grammar, language.query)
    return Parser(grammar), lambda root: QueryCursor(query).captures(root)


class _CodeSpan(NamedTuple):
    start: int
    end: int
    # The definition this stretch belongs to, -1 for none, and the names in front of those inside it.
    place: int
    prefix: str
    kind: str


_WHOLE_FILE = _CodeSpan(0, _NEVER, -1, "", "")


class _TreeReading:
    """
    Reads one syntax tree. A large project has half a million relevant nodes, so the work on each counts:
    a node is asked as little as can be, and its text is cut from the source.
    """

    def __init__(self, language: Language, source: bytes, nodes: Found) -> None:
        self._language, self._source, self._found = language, source, nodes
        self._definitions: list[Definition] = []
        # Where the innermost definition becomes another one, and which.
        self._turns = [0]
        self._scopes = [-1]

    def outline(self, *, broken: bool) -> Outline:
        self._define()
        calls = self._calls()
        return Outline(
            definitions=tuple(self._definitions),
            imports=tuple(self._imports()),
            calls=tuple([Call(scope, callee, tuple(lines)) for (scope, callee), lines in calls.items()]),
            hints=tuple(self._hints(self._heads(calls))),
            exports=tuple(pair for node in self._in_order("export") for pair in self._language.exports(node)),
            package=self._package(),
            uses=tuple(dict.fromkeys(base_name(node_text(node)) for node in self._in_order("use"))),
            broken=broken,
        )

    def _in_order(self, what: str) -> list[Node]:
        nodes = self._found.get(what, [])
        nodes.sort(key=_WHERE)
        return nodes

    def _lines(self) -> Callable[[int], int]:
        """A function from byte offset to line, for ascending offsets; asking the parser costs more than all else."""
        source = self._source
        line, counted = 1, 0

        def line_of(at: int) -> int:
            nonlocal line, counted
            line += source.count(b"\n", counted, at)
            counted = at
            return line

        return line_of

    def _scope(self, at: int) -> int:
        """The innermost definition around a place."""
        return self._scopes[bisect_right(self._turns, at) - 1]

    def _define(self) -> None:
        marked = [
            (node.start_byte, -node.end_byte, place, kind, node)
            for kind in _DEFINING
            for place, node in enumerate(self._in_order(kind))
        ]
        marked.sort()
        around = [_WHOLE_FILE]
        line_of = self._lines()
        for start, end, _, kind, node in marked:
            while around[-1].end <= start:
                self._close_definitions(around)
            span = self._read_definition(node, kind, around[-1], start, -end, line_of(start))
            if span is not None:
                around.append(span)
                self._turns.append(start)
                self._scopes.append(span.place)
        while len(around) > 1:
            self._close_definitions(around)
        self._attach_outside_methods()

    def _close_definitions(self, around: list[_CodeSpan]) -> None:
        self._turns.append(around.pop().end)
        self._scopes.append(around[-1].place)

    def _read_definition(
        self, node: Node, kind: str, around: _CodeSpan, start: int, end: int, line: int
    ) -> _CodeSpan | None:
        declaration = self._language.define(node, kind)
        if declaration is None or not declaration.name:
            return None
        name, owner, bases, exported, returns = declaration
        qualified = f"{around.prefix}{owner}.{name}" if owner else around.prefix + name
        if kind in _LENDS_NAME:
            return _CodeSpan(start, end, around.place, qualified + ".", kind)
        if kind == "function" and (owner or around.kind in _HOLDS_METHODS or around.kind == "impl"):
            kind = "method"
        end_line = line + self._source.count(b"\n", start, end)
        self._definitions.append(
            Definition(name, qualified, kind, line, end_line, around.place, bases, exported, returns)
        )
        return _CodeSpan(start, end, len(self._definitions) - 1, qualified + ".", kind)

    def _attach_outside_methods(self) -> None:
        """Methods that stand outside their class (Go, Rust, C++) get it as parent if it is in this file."""
        outside = [
            place
            for place, d in enumerate(self._definitions)
            if d.kind == "method" and not self._is_class(d.parent)
        ]
        if not outside:
            return
        classes = {d.qualified: i for i, d in enumerate(self._definitions) if d.kind in _HOLDS_METHODS}
        for place in outside:
            d = self._definitions[place]
            owner = classes.get(d.qualified.rpartition(".")[0], d.parent)
            self._definitions[place] = d._replace(parent=owner)

    def _imports(self) -> Iterator[Import]:
        line_of = self._lines()
        for node in self._in_order("import"):
            line = line_of(node.start_byte)
            for module, names, how, _ in self._language.imports(node):
                yield Import(module, names, how, line)

    def _package(self) -> str:
        """The package the file says it belongs to: of several the one it says most often, then the first."""
        counts = Counter(node_text(node).replace("\\", ".") for node in self._in_order("package"))
        return next((package for package, _ in counts.most_common(1)), "")

    def _calls(self) -> dict[tuple[int, str], list[int]]:
        """The lines of every call, by the definition it stands in and what is called."""
        calls: dict[tuple[int, str], list[int]] = {}
        source, turns, scopes = self._source, self._turns, self._scopes
        line, counted = 1, 0  # as `_lines`; a call per call would take as long as the rest
        callee_of = self._language.callee
        as_written = callee_of is whole_text
        for node in self._in_order("call"):
            start = node.start_byte
            callee = (
                _dotted_bytes(source[start : node.end_byte]) if as_written else dotted_name(callee_of(node))
            )
            if not callee:
                continue
            key = (scopes[bisect_right(turns, start) - 1], callee)
            lines = calls.get(key)
            line += source.count(b"\n", counted, start)
            counted = start
            if lines is None:
                calls[key] = [line]
            elif len(lines) < MAX_LINES:
                lines.append(line)
        return calls

    def _heads(self, calls: Iterable[tuple[int, str]]) -> set[str]:
        """Names whose types decide what is called: variables and fields, but not `self`."""
        callees = {callee for _, callee in calls}
        heads = {callee.partition(".")[0] for callee in callees} - self._language.self_words
        return heads | {callee.split(".", 2)[1] for callee in callees if callee.count(".") > 1}

    def _hints(self, heads: set[str]) -> Iterator[Hint]:
        """Types of the names that calls begin with, and of fields; no others are needed."""
        types, assigned = self._types(), self._count_assignments(heads)
        for key in types | assigned:
            scope, name = key
            kinds = types.get(key, [])
            # A name that was given more values than types are known, or unlike ones, may be anything.
            sure = kinds[0] if kinds and kinds.count(kinds[0]) == len(kinds) else ""
            if name in heads or (sure and self._is_class(scope)):
                yield Hint(scope, name, sure if len(kinds) >= assigned.get(key, 0) else "")

    def _types(self) -> dict[tuple[int, str], list[str]]:
        """Every type that a name is said to have."""
        types: dict[tuple[int, str], list[str]] = {}
        for node in self._in_order("hint"):
            scope = self._scope(node.start_byte)
            for name, kind in self._language.hints(node):
                if kind.startswith("="):
                    kind = next(iter(types.get((scope, kind[1:]), ())), "")
                owner, _, member = name.rpartition(".")
                if not owner:
                    types.setdefault((scope, name), []).append(kind)
                elif owner in self._language.self_words:
                    types.setdefault((self._class_around(scope), member), []).append(kind)
        return types

    def _count_assignments(self, heads: set[str]) -> dict[tuple[int, str], int]:
        """How often each of these names is given a value."""
        source = self._source
        wanted = {raw for head in heads for raw in (head.encode(), head.encode("latin-1", "replace"))}
        places = [
            (start, written)
            for node in self._found.get("local", ())
            if (written := source[(start := node.start_byte) : node.end_byte]) in wanted
        ]
        places.sort()
        return Counter((self._scope(start), decode(written)) for start, written in places)

    def _is_class(self, scope: int) -> bool:
        return scope >= 0 and self._definitions[scope].kind in _HOLDS_METHODS

    def _class_around(self, scope: int) -> int:
        while scope >= 0 and self._definitions[scope].kind not in _HOLDS_METHODS:
            scope = self._definitions[scope].parent
        return scope


class OutlineReader:
    """Outlines of sources; each language's parser is loaded with its first file."""

    def __init__(self, languages: Languages) -> None:
        self._known = languages
        self._made: dict[str, Parse] = {}

    def read(self, language: str, source: bytes) -> Outline:
        """The outline of some bytes."""
        parse = self._made.get(language)
        if parse is None:
            parse = self._made[language] = load_parser(self._known.by_name[language])
        return parse(source)
