"""
One file's bytes to its outline, by tree-sitter.

A query finds the few nodes that matter, in C; Python sees only those. Walking whole trees in Python would be
several times slower.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from recollect.codegraph.languages.language import Language, base_name, decoded, text, whole_text
from recollect.codegraph.outline import MOST_LINES, Call, Definition, Hint, Import, Outline
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
_GENERIC = re.compile(r"\.?<[^<>()]*>\Z")

_START = attrgetter("start_byte")
_FIRST = itemgetter(0)
_WHERE = itemgetter(0, 1)
_NEVER = 1 << 62
_NEWLINE = re.compile(rb"\n")
_MATCH_START = re.Match.start

Parse = Callable[[bytes], Outline]


def reader(language: Language) -> Parse:
    """A function that reads files of this language; MissingExtra when its grammar is not installed."""
    parser, captures = _loaded(language)

    def read(source: bytes) -> Outline:
        root = parser.parse(source).root_node
        reading = _Reading(language, [*map(_MATCH_START, _NEWLINE.finditer(source))])
        return reading.outline(captures(root), broken=root.has_error)

    return read


def dotted(written: str) -> str:
    """A callee as dotted names: `a->b` and `A::b` are `a.b`; what stands before a call's result is `?`."""
    if written.isidentifier():
        return written
    plain = written.replace("?.", ".").replace("->", ".").replace("::", ".").replace("\\", ".").strip(" .*&")
    while plain.endswith(">") and (shorter := _GENERIC.sub("", plain)) != plain:
        plain = shorter
    if _SIMPLE.match(plain):
        return plain
    if (made := _MADE_HERE.match(_emptied(plain))) is not None:
        return f"super.{made[2]}" if made[1] == "super" else f"{made[1]}().{made[2]}"
    tail = _TAIL.search(plain)
    return f"?.{tail[1]}" if tail else ""


@lru_cache(maxsize=1 << 16)
def _dotted_bytes(written: bytes) -> str:
    return dotted(decoded(written))


def _emptied(written: str) -> str:
    """A chain of calls without what stands in their parentheses; as it was, when they do not match."""
    depth, kept = 0, []
    for letter in written:
        depth -= letter == ")"
        if not depth:
            kept.append(letter)
        depth += letter == "("
        if depth < 0:
            return written
    return "".join(kept)


@cache
def _loaded(language: Language) -> tuple[Any, Callable[[Node], dict[str, list[Node]]]]:
    try:
        from tree_sitter import Language as Grammar
        from tree_sitter import Parser, Query, QueryCursor

        grammar = Grammar(language.grammar())
    except ImportError as error:
        package = "tree-sitter" if error.name == "tree_sitter" else language.package
        raise MissingExtra(feature=f"Reading {language.name}", package=package) from error
    query = Query(grammar, language.query)
    return Parser(grammar), lambda root: QueryCursor(query).captures(root)


@dataclass(slots=True)
class _Span:
    start: int
    end: int
    # The definition this stretch belongs to, -1 for none, and the names in front of those inside it.
    place: int
    prefix: str
    kind: str


@dataclass(slots=True)
class _Reading:
    """The work on one file."""

    language: Language
    # Where lines end. Asking the parser for a line costs more than all else that is asked of a node.
    newlines: list[int]
    definitions: list[Definition] = field(default_factory=list)
    spans: list[_Span] = field(default_factory=list)

    def outline(self, found: dict[str, list[Node]], *, broken: bool) -> Outline:
        self._define(found)
        calls = self._calls(found.get("call", ()))
        heads = {callee.partition(".")[0] for _, callee in calls}
        heads |= {callee.split(".", 2)[1] for _, callee in calls if callee.count(".") > 1}
        imports: list[Import] = []
        for node in sorted(found.get("import", ()), key=_START):
            line = self._line(node.start_byte)
            imports += [asked._replace(line=line) for asked in self.language.imports(node)]
        exports = [pair for node in found.get("export", ()) for pair in self.language.exports(node)]
        return Outline(
            definitions=tuple(self.definitions),
            imports=tuple(imports),
            calls=tuple(Call(scope, callee, tuple(lines)) for (scope, callee), lines in calls.items()),
            hints=self._hints(found, heads),
            exports=tuple(exports),
            package=next((text(node).replace("\\", ".") for node in found.get("package", ())), ""),
            uses=tuple(dict.fromkeys(base_name(text(node)) for node in found.get("use", ()))),
            broken=broken,
        )

    def _define(self, found: dict[str, list[Node]]) -> None:
        marked = [
            (node.start_byte, -node.end_byte, kind, node)
            for kind in _DEFINING
            for node in found.get(kind, ())
        ]
        marked.sort(key=_WHERE)
        open_spans: list[_Span] = []
        for start, end, kind, node in marked:
            while open_spans and open_spans[-1].end <= start:
                open_spans.pop()
            span = self._one(node, kind, open_spans[-1] if open_spans else None, start, -end)
            if span is not None:
                open_spans.append(span)
                self.spans.append(span)
        self._adopt()

    def _one(self, node: Node, kind: str, around: _Span | None, start: int, end: int) -> _Span | None:
        told = self.language.define(node, kind)
        if told is None or not told.name:
            return None
        prefix = (around.prefix if around else "") + (f"{told.owner}." if told.owner else "")
        qualified = prefix + told.name
        if kind in _LENDS_NAME:
            return _Span(start, end, around.place if around else -1, qualified + ".", kind)
        if kind == "function" and (told.owner or (around and _holds_methods(around.kind))):
            kind = "method"
        parent = around.place if around else -1
        line, end_line = self._line(start), self._line(end)
        self.definitions.append(
            Definition(
                told.name, qualified, kind, line, end_line, parent, told.bases, told.exported, told.returns
            )
        )
        return _Span(start, end, len(self.definitions) - 1, qualified + ".", kind)

    def _adopt(self) -> None:
        """Methods that stand outside their class (Go, Rust, C++) get it as parent if it is in this file."""
        classes = {d.qualified: i for i, d in enumerate(self.definitions) if d.kind in _HOLDS_METHODS}
        for place, d in enumerate(self.definitions):
            if d.kind == "method" and (d.parent < 0 or self.definitions[d.parent].kind not in _HOLDS_METHODS):
                owner = classes.get(d.qualified.rpartition(".")[0], d.parent)
                self.definitions[place] = d._replace(parent=owner)

    def _scopes_of(self, nodes: Iterable[Node]) -> Iterator[tuple[int, int, Node]]:
        """Each node with the innermost definition around it and where it begins, in order."""
        open_spans: list[_Span] = []
        waiting = iter(self.spans)
        span = next(waiting, None)
        opens = span.start if span else _NEVER
        closes, place = _NEVER, -1
        # To ask a node where it begins costs more than to compare two numbers: it is asked once.
        starts = [(node.start_byte, node) for node in nodes]
        starts.sort(key=_FIRST)
        for start, node in starts:
            if start >= opens or start >= closes:
                while span is not None and span.start <= start:
                    open_spans.append(span)
                    span = next(waiting, None)
                while open_spans and open_spans[-1].end <= start:
                    open_spans.pop()
                opens = span.start if span else _NEVER
                closes, place = (open_spans[-1].end, open_spans[-1].place) if open_spans else (_NEVER, -1)
            yield place, start, node

    def _calls(self, nodes: Iterable[Node]) -> dict[tuple[int, str], list[int]]:
        calls: dict[tuple[int, str], list[int]] = {}
        as_written = self.language.callee is whole_text
        newlines = self.newlines
        for scope, start, node in self._scopes_of(nodes):
            callee = _dotted_bytes(node.text or b"") if as_written else dotted(self.language.callee(node))
            if callee:
                lines = calls.get((scope, callee))
                if lines is None:
                    calls[scope, callee] = [bisect_left(newlines, start) + 1]
                elif len(lines) < MOST_LINES:
                    lines.append(bisect_left(newlines, start) + 1)
        return calls

    def _line(self, at: int) -> int:
        return bisect_left(self.newlines, at) + 1

    def _hints(self, found: dict[str, list[Node]], heads: set[str]) -> tuple[Hint, ...]:
        """What is known of names that calls begin with, and of the fields of classes; nobody asks for others."""
        types: dict[tuple[int, str], list[str]] = {}
        for scope, _, node in self._scopes_of(found.get("hint", [])):
            for name, kind in self.language.hints(node):
                owner, _, member = name.rpartition(".")
                if kind.startswith("="):
                    kind = next(iter(types.get((scope, kind[1:]), ())), "")
                if owner and owner in self.language.self_words:
                    types.setdefault((self._class_around(scope), member), []).append(kind)
                elif not owner:
                    types.setdefault((scope, name), []).append(kind)
        given: dict[tuple[int, str], int] = {}
        asked = {raw for head in heads for raw in (head.encode(), head.encode("latin-1", "replace"))}
        named = [node for node in found.get("local", ()) if node.text in asked]
        for scope, _, node in self._scopes_of(named):
            name = text(node)
            given[scope, name] = given.get((scope, name), 0) + 1
        # A name that was given more values than types are known, or unlike ones, may be anything.
        sure = {key: kinds[0] for key, kinds in types.items() if len(set(kinds)) == 1}
        return tuple(
            Hint(*key, sure.get(key, "") if len(types.get(key, ())) >= given.get(key, 0) else "")
            for key in types | given
            if key[1] in heads or (sure.get(key) and self._is_class(key[0]))
        )

    def _is_class(self, scope: int) -> bool:
        return scope >= 0 and self.definitions[scope].kind in _HOLDS_METHODS

    def _class_around(self, scope: int) -> int:
        while scope >= 0 and self.definitions[scope].kind not in _HOLDS_METHODS:
            scope = self.definitions[scope].parent
        return scope


def _holds_methods(kind: str) -> bool:
    return kind in _HOLDS_METHODS or kind == "impl"
