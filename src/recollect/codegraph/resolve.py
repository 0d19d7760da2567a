"""Resolves one outline to edges: imports, calls, inheritance, exports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from recollect.codegraph.name_lookup import NOWHERE, FileNames, NameLookup, Ref
from recollect.codegraph.outline import MAX_LINES, Call
from recollect.model.code import SURE, WEAK, EdgeKind

_CALLABLE = frozenset({"function", "method", "class", "interface"})
_HOLDS_METHODS = frozenset({"class", "interface", "module"})
# A name this short says nothing by itself.
_SHORTEST_TELLING = 4


class Edge(NamedTuple):
    """An edge by places: `source` and the target's `name` are qualified names, "" for the file as a whole."""

    source: str
    path: str
    name: str
    kind: str
    confidence: float
    lines: tuple[int, ...]


def resolve_edges(names: NameLookup, path: str) -> list[Edge]:
    """Every edge that leaves a file or a definition in it."""
    edges: dict[tuple[str, str, str, str], Edge] = {}
    for edge in _all_edges(names, path):
        if edge.path == path and edge.name == edge.source:
            continue
        key = edge[:4]
        earlier = edges.get(key)
        if earlier is None:
            edges[key] = edge
        elif edge.kind != EdgeKind.EXPORTS:
            lines = tuple(sorted({*earlier.lines, *edge.lines}))[:MAX_LINES]
            edges[key] = earlier._replace(lines=lines, confidence=max(earlier.confidence, edge.confidence))
    return list(edges.values())


def _all_edges(names: NameLookup, path: str) -> Iterator[Edge]:
    file_names = names.names_with_imports(path)
    for statement, bindings in file_names.imported:
        for binding in bindings:
            if binding.path and binding.symbol != "?":
                yield Edge("", binding.path, "", EdgeKind.IMPORTS, SURE, (statement.line,))
    yield from _use_edges(names, file_names)
    yield from _inherit_edges(names, file_names)
    yield from _export_edges(names, file_names)
    looking = _CallResolver(names, file_names)
    for call in file_names.outline.calls:
        if (edge := looking.edge(call)) is not None:
            yield edge


def _use_edges(names: NameLookup, file_names: FileNames) -> Iterator[Edge]:
    """Edges to files whose types are used without a named import."""
    for use in file_names.outline.uses:
        ref = names.find_type(file_names.path, -1, use)
        if ref is None and file_names.language.silent_ending:
            ref = names.find_type(file_names.path, -1, use + file_names.language.silent_ending)
        if ref is not None and ref.path and ref.path != file_names.path:
            yield Edge("", ref.path, "", EdgeKind.IMPORTS, SURE, ())


def _inherit_edges(names: NameLookup, file_names: FileNames) -> Iterator[Edge]:
    for place, definition in enumerate(file_names.outline.definitions):
        if not definition.bases:
            continue
        for base, ref in names.find_bases(Ref(file_names.path, place)):
            target = names.get_definition(ref)
            implements = base.startswith("+") or target.kind == "interface" != definition.kind
            kind = EdgeKind.IMPLEMENTS if implements else EdgeKind.EXTENDS
            yield Edge(definition.qualified, ref.path, target.qualified, kind, SURE, (definition.line,))


def _export_edges(names: NameLookup, file_names: FileNames) -> Iterator[Edge]:
    for definition in file_names.outline.definitions:
        if definition.parent < 0 and definition.exported:
            yield Edge("", file_names.path, definition.qualified, EdgeKind.EXPORTS, SURE, (definition.line,))
    is_front = file_names.path.rpartition("/")[2].startswith("__init__.")
    for statement, bindings in file_names.imported:
        if statement.how == "export" or is_front:
            for binding in bindings:
                ref = (
                    names.follow_binding(binding)
                    if binding.path and binding.symbol not in ("", "*", "?")
                    else None
                )
                if ref is not None and ref.place >= 0:
                    name = names.get_definition(ref).qualified
                    yield Edge("", ref.path, name, EdgeKind.EXPORTS, SURE, (statement.line,))


class _CallResolver:
    """Resolves the calls of one file."""

    def __init__(self, names: NameLookup, file_names: FileNames) -> None:
        self._names = names
        self._file_names = file_names
        self._language = file_names.language
        # The same few things are called all over a file: what they mean depends at most on the class around,
        # except for names that some scope takes for itself.
        self._meant: dict[tuple[str, Ref | None], tuple[str, str, float] | None] = {}
        self._own_words = self._language.self_words | self._language.super_words
        self._taken = {name for scope, name in file_names.hints if scope >= 0} | {
            name
            for place, members in file_names.members.items()
            if file_names.outline.definitions[place].kind not in _HOLDS_METHODS
            for name in members
        }
        self._classes: dict[int, Ref | None] = {}

    def edge(self, call: Call) -> Edge | None:
        """The edge of one call, if it has one."""
        scope, callee, lines = call
        head = callee.partition(".")[0]
        if head in self._taken or "()" in head:
            meaning = self._meaning(call)
        else:
            in_class = self._language.implicit_self or head in self._own_words
            key = (callee, self._class_around(scope) if in_class else None)
            if key not in self._meant:
                self._meant[key] = self._meaning(call)
            meaning = self._meant[key]
        if meaning is None:
            return None
        source = self._file_names.outline.definitions[scope].qualified if scope >= 0 else ""
        path, name, confidence = meaning
        return Edge(source, path, name, EdgeKind.CALLS, confidence, lines)

    def _meaning(self, call: Call) -> tuple[str, str, float] | None:
        """Path and name of what is called, with a confidence."""
        ref = self._target(call)
        confidence = SURE
        if ref is None:
            ref, confidence = self._find_by_name_alone(call), WEAK
        if ref is None or ref.place < 0:
            return None
        ref = self._names.find_body(ref)
        target = self._names.get_definition(ref)
        return (ref.path, target.qualified, confidence) if target.kind in _CALLABLE else None

    def _target(self, call: Call) -> Ref | None:
        """The definition called; NOWHERE when it is known to be outside, None when nothing is known."""
        head, *rest = call.callee.split(".")
        if head == "?":
            return None
        if "()" in call.callee:
            callee, _, method = call.callee.rpartition("().")
            return self._member_of_type(call.scope, callee, [method])
        if head in self._language.super_words:
            return self._from_super(call.scope, rest)
        if head in self._language.self_words:
            return self._from_self(call.scope, rest) if rest else NOWHERE
        if head in self._language.path_words:
            return self._names.find_by_path(self._file_names.path, [head, *rest])
        hinted = self._hinted(call.scope, head)
        if hinted is not None:
            return (
                self._member_of_type(call.scope, hinted, rest) if hinted and rest else _unknown_variable(rest)
            )
        return self._resolve_plain(call.scope, head, rest)

    def _resolve_plain(self, scope: int, head: str, rest: list[str]) -> Ref | None:
        if self._language.implicit_self and not rest:
            owner = self._class_around(scope)
            # A constructor has its class's name, and the class is what is meant.
            is_class = owner is not None and self._names.get_definition(owner).name == head
            if owner is not None and not is_class and (ref := self._names.find_member(owner, head)):
                return ref
        start = self._names.find_visible(self._file_names.path, scope, head)
        if start is None and rest:
            dotted = self._dotted_binding([head, *rest])
            if dotted is not None:
                return dotted
        ref = self._follow(start, rest)
        if ref is not None and ref.place >= 0 and not rest and self._shadowed_by_kind(ref):
            return None
        return ref

    def _shadowed_by_kind(self, ref: Ref) -> bool:
        """In a language without implicit self, a bare name never means a method."""
        definition = self._names.get_definition(ref)
        return definition.kind == "method" and not self._language.implicit_self

    def _follow(self, start: Ref | None, rest: list[str]) -> Ref | None:
        if start is None or start is NOWHERE or not rest:
            return start
        *middle, last = rest
        owner = self._names.walk_members(start, middle)
        if owner is None or owner is NOWHERE:
            return owner if middle else NOWHERE
        if owner.place < 0:
            return self._in_package(owner, last)
        if self._names.get_definition(owner).kind not in _HOLDS_METHODS:
            return NOWHERE
        ref = self._names.find_member(owner, last)
        if ref is None and last == self._language.constructor:
            return owner
        return ref or NOWHERE

    def _in_package(self, owner: Ref, name: str) -> Ref:
        ref = self._names.find_in_file(owner.path, name)
        if ref is None and self._language.shares_package:
            ref = self._names.find_visible(owner.path, -1, name)
        return ref or NOWHERE

    def _dotted_binding(self, parts: list[str]) -> Ref | None:
        """`import a.b` and then `a.b.f()`."""
        bindings = self._file_names.bindings or {}
        for size in range(len(parts) - 1, 1, -1):
            if (binding := bindings.get(".".join(parts[:size]))) is not None:
                return self._follow(self._names.follow_binding(binding), parts[size:])
        if any(name.startswith(f"{parts[0]}.") for name in bindings):
            return NOWHERE
        return None

    def _from_self(self, scope: int, rest: list[str]) -> Ref | None:
        owner = self._class_around(scope)
        if owner is None:
            return None
        if len(rest) == 1:
            return self._own_member(owner, rest[0])
        return self._through_fields(owner, rest)

    def _own_member(self, owner: Ref, name: str) -> Ref | None:
        ref = self._names.find_member(owner, name)
        if ref is None and self._file_names.hints.get((owner.place, name)) is not None:
            return NOWHERE
        return ref

    def _through_fields(self, owner: Ref, parts: list[str]) -> Ref | None:
        """A method reached by way of fields whose types are known."""
        *fields, last = parts
        ref: Ref | None = owner
        for field in fields:
            ref = self._names.find_field_type(ref, field) if ref is not None and ref.place >= 0 else ref
        if ref is None or ref is NOWHERE:
            return ref
        return self._names.find_member(ref, last) or NOWHERE if ref.place >= 0 else None

    def _from_super(self, scope: int, rest: list[str]) -> Ref | None:
        owner = self._class_around(scope)
        if owner is None or len(rest) != 1:
            return NOWHERE
        return self._names.find_inherited(owner, rest[0]) or NOWHERE

    def _member_of_type(self, scope: int, kind: str, rest: list[str]) -> Ref | None:
        owner = self._type(scope, kind)
        if owner is None or owner is NOWHERE:
            return owner if owner is NOWHERE or not kind[:1].isupper() else NOWHERE
        return self._through_fields(owner, rest) if owner.place >= 0 else None

    def _type(self, scope: int, kind: str) -> Ref | None:
        head, _, rest = kind.partition(".")
        if head in self._language.self_words:
            owner = self._class_around(scope)
            if owner is None or not rest:
                return owner
            maker = self._names.find_member(owner, rest)
            return self._names.find_returned_type(maker) if maker is not None else None
        return self._names.find_type_or_returned(self._file_names.path, scope, kind)

    def _hinted(self, scope: int, name: str) -> str | None:
        """The type of a variable where it is used; "" for one of unknown type, None for no variable at all."""
        file_names, definitions = self._file_names, self._file_names.outline.definitions
        while True:
            if (kind := file_names.hints.get((scope, name))) is not None:
                is_class = scope >= 0 and definitions[scope].kind in _HOLDS_METHODS
                if not is_class or self._language.implicit_self:
                    return kind if kind or scope >= 0 or name not in file_names.tops else None
            if scope < 0:
                return None
            scope = definitions[scope].parent

    def _class_around(self, scope: int) -> Ref | None:
        if scope not in self._classes:
            self._classes[scope] = self._find_class(scope)
        return self._classes[scope]

    def _find_class(self, scope: int) -> Ref | None:
        definitions = self._file_names.outline.definitions
        while scope >= 0:
            definition = definitions[scope]
            if definition.kind in _HOLDS_METHODS:
                return Ref(self._file_names.path, scope)
            if definition.kind == "method" and definition.parent < 0:
                owner = definition.qualified.rpartition(".")[0]
                ref = self._names.find_type(self._file_names.path, -1, owner)
                return ref if ref is not None and ref.place >= 0 else None
            scope = definition.parent
        return None

    def _find_by_name_alone(self, call: Call) -> Ref | None:
        """The one definition of that name in the whole project, if there is exactly one."""
        head, _, last = call.callee.rpartition(".")
        if len(last) < _SHORTEST_TELLING or last.startswith("__"):
            return None
        refs = self._names.find_definitions(last, self._language.kin)
        if len(refs) != 1:
            return None
        is_method = self._names.get_definition(refs[0]).kind == "method"
        return refs[0] if is_method == bool(head) else None


def _unknown_variable(rest: list[str]) -> Ref | None:
    """A variable of unknown type: its methods may be found by name, a call of itself never."""
    return None if rest else NOWHERE
