"""One file's outline to edges: whom it imports, calls, extends, and what it exports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from recollect.codegraph.names import NOWHERE, FileNames, Names, Ref
from recollect.codegraph.outline import MOST_LINES, Call
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


def edges_of(names: Names, path: str) -> list[Edge]:
    """Every edge that leaves a file or a definition in it."""
    found: dict[tuple[str, str, str, str], Edge] = {}
    for edge in _every(names, path):
        if edge.path == path and edge.name == edge.source:
            continue
        key = edge[:4]
        known = found.get(key)
        if known is None:
            found[key] = edge
        elif edge.kind != EdgeKind.EXPORTS:
            lines = tuple(sorted({*known.lines, *edge.lines}))[:MOST_LINES]
            found[key] = known._replace(lines=lines, confidence=max(known.confidence, edge.confidence))
    return list(found.values())


def _every(names: Names, path: str) -> Iterator[Edge]:
    here = names.bound(path)
    for asked, brought in here.imported:
        for binding in brought:
            if binding.path and binding.symbol != "?":
                yield Edge("", binding.path, "", EdgeKind.IMPORTS, SURE, (asked.line,))
    yield from _used(names, here)
    yield from _inherited(names, here)
    yield from _exported(names, here)
    looking = _Calls(names, here)
    for call in here.outline.calls:
        if (edge := looking.edge(call)) is not None:
            yield edge


def _used(names: Names, here: FileNames) -> Iterator[Edge]:
    """Files whose types are used without an import that names them."""
    for use in here.outline.uses:
        ref = names.type_named(here.path, -1, use)
        if ref is None and here.language.silent_ending:
            ref = names.type_named(here.path, -1, use + here.language.silent_ending)
        if ref is not None and ref.path and ref.path != here.path:
            yield Edge("", ref.path, "", EdgeKind.IMPORTS, SURE, ())


def _inherited(names: Names, here: FileNames) -> Iterator[Edge]:
    for place, definition in enumerate(here.outline.definitions):
        if not definition.bases:
            continue
        for base, ref in names.bases(Ref(here.path, place)):
            target = names.definition(ref)
            implements = base.startswith("+") or target.kind == "interface" != definition.kind
            kind = EdgeKind.IMPLEMENTS if implements else EdgeKind.EXTENDS
            yield Edge(definition.qualified, ref.path, target.qualified, kind, SURE, (definition.line,))


def _exported(names: Names, here: FileNames) -> Iterator[Edge]:
    for definition in here.outline.definitions:
        if definition.parent < 0 and definition.exported:
            yield Edge("", here.path, definition.qualified, EdgeKind.EXPORTS, SURE, (definition.line,))
    is_front = here.path.rpartition("/")[2].startswith("__init__.")
    for asked, brought in here.imported:
        if asked.how == "export" or is_front:
            for binding in brought:
                ref = names.follow(binding) if binding.path and binding.symbol not in ("", "*", "?") else None
                if ref is not None and ref.place >= 0:
                    name = names.definition(ref).qualified
                    yield Edge("", ref.path, name, EdgeKind.EXPORTS, SURE, (asked.line,))


class _Calls:
    """Finds what the calls of one file mean."""

    def __init__(self, names: Names, here: FileNames) -> None:
        self._names = names
        self._here = here
        self._language = here.language
        # The same few things are called all over a file: what they mean depends at most on the class around,
        # except for names that some scope takes for itself.
        self._meant: dict[tuple[str, Ref | None], tuple[str, str, float] | None] = {}
        self._own_words = self._language.self_words | self._language.super_words
        self._taken = {name for scope, name in here.hints if scope >= 0} | {
            name
            for place, members in here.members.items()
            if here.outline.definitions[place].kind not in _HOLDS_METHODS
            for name in members
        }
        self._classes: dict[int, Ref | None] = {}

    def edge(self, call: Call) -> Edge | None:
        """The edge of one call, if it has one."""
        scope, callee, lines = call
        head = callee.partition(".")[0]
        if head in self._taken or "()" in head:
            meant = self._meaning(call)
        else:
            in_class = self._language.implicit_self or head in self._own_words
            key = (callee, self._class_around(scope) if in_class else None)
            if key not in self._meant:
                self._meant[key] = self._meaning(call)
            meant = self._meant[key]
        if meant is None:
            return None
        source = self._here.outline.definitions[scope].qualified if scope >= 0 else ""
        path, name, confidence = meant
        return Edge(source, path, name, EdgeKind.CALLS, confidence, lines)

    def _meaning(self, call: Call) -> tuple[str, str, float] | None:
        """Path and name of what is called, and how sure that is."""
        ref = self._target(call)
        confidence = SURE
        if ref is None:
            ref, confidence = self._by_name_alone(call), WEAK
        if ref is None or ref.place < 0:
            return None
        ref = self._names.body_of(ref)
        target = self._names.definition(ref)
        return (ref.path, target.qualified, confidence) if target.kind in _CALLABLE else None

    def _target(self, call: Call) -> Ref | None:
        """What is called; NOWHERE when it is known to be out of reach, None when nothing is known."""
        head, *rest = call.callee.split(".")
        if head == "?":
            return None
        if "()" in call.callee:
            made, _, method = call.callee.rpartition("().")
            return self._member_of_type(call.scope, made, [method])
        if head in self._language.super_words:
            return self._from_super(call.scope, rest)
        if head in self._language.self_words:
            return self._from_self(call.scope, rest) if rest else NOWHERE
        if head in self._language.path_words:
            return self._names.by_path(self._here.path, [head, *rest])
        known = self._hinted(call.scope, head)
        if known is not None:
            return self._member_of_type(call.scope, known, rest) if known and rest else _variable(rest)
        return self._plain(call.scope, head, rest)

    def _plain(self, scope: int, head: str, rest: list[str]) -> Ref | None:
        if self._language.implicit_self and not rest:
            owner = self._class_around(scope)
            # A constructor has its class's name, and the class is what is meant.
            is_class = owner is not None and self._names.definition(owner).name == head
            if owner is not None and not is_class and (found := self._names.member(owner, head)):
                return found
        start = self._names.visible(self._here.path, scope, head)
        if start is None and rest:
            dotted = self._dotted_binding([head, *rest])
            if dotted is not None:
                return dotted
        found = self._onward(start, rest)
        if found is not None and found.place >= 0 and not rest and self._shadowed_by_kind(found):
            return None
        return found

    def _shadowed_by_kind(self, ref: Ref) -> bool:
        """In a language without implicit self, a bare name never means a method."""
        definition = self._names.definition(ref)
        return definition.kind == "method" and not self._language.implicit_self

    def _onward(self, start: Ref | None, rest: list[str]) -> Ref | None:
        if start is None or start is NOWHERE or not rest:
            return start
        *middle, last = rest
        owner = self._names.walk(start, middle)
        if owner is None or owner is NOWHERE:
            return owner if middle else NOWHERE
        if owner.place < 0:
            return self._in_package(owner, last)
        if self._names.definition(owner).kind not in _HOLDS_METHODS:
            return NOWHERE
        found = self._names.member(owner, last)
        if found is None and last == self._language.constructor:
            return owner
        return found or NOWHERE

    def _in_package(self, owner: Ref, name: str) -> Ref:
        found = self._names.in_file(owner.path, name)
        if found is None and self._language.shares_package:
            found = self._names.visible(owner.path, -1, name)
        return found or NOWHERE

    def _dotted_binding(self, parts: list[str]) -> Ref | None:
        """`import a.b` and then `a.b.f()`."""
        bindings = self._here.bindings or {}
        for size in range(len(parts) - 1, 1, -1):
            if (binding := bindings.get(".".join(parts[:size]))) is not None:
                return self._onward(self._names.follow(binding), parts[size:])
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
        found = self._names.member(owner, name)
        if found is None and self._here.hints.get((owner.place, name)) is not None:
            return NOWHERE
        return found

    def _through_fields(self, owner: Ref, parts: list[str]) -> Ref | None:
        """A method reached by way of fields whose types are known."""
        *fields, last = parts
        here: Ref | None = owner
        for field in fields:
            here = self._names.field(here, field) if here is not None and here.place >= 0 else here
        if here is None or here is NOWHERE:
            return here
        return self._names.member(here, last) or NOWHERE if here.place >= 0 else None

    def _from_super(self, scope: int, rest: list[str]) -> Ref | None:
        owner = self._class_around(scope)
        if owner is None or len(rest) != 1:
            return NOWHERE
        return self._names.inherited(owner, rest[0]) or NOWHERE

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
            maker = self._names.member(owner, rest)
            return self._names.returned(maker) if maker is not None else None
        return self._names.type_or_returned(self._here.path, scope, kind)

    def _hinted(self, scope: int, name: str) -> str | None:
        """The type of a variable where it is used; "" for one of unknown type, None for no variable at all."""
        here, definitions = self._here, self._here.outline.definitions
        while True:
            if (kind := here.hints.get((scope, name))) is not None:
                is_class = scope >= 0 and definitions[scope].kind in _HOLDS_METHODS
                if not is_class or self._language.implicit_self:
                    return kind if kind or scope >= 0 or name not in here.tops else None
            if scope < 0:
                return None
            scope = definitions[scope].parent

    def _class_around(self, scope: int) -> Ref | None:
        if scope not in self._classes:
            self._classes[scope] = self._find_class(scope)
        return self._classes[scope]

    def _find_class(self, scope: int) -> Ref | None:
        definitions = self._here.outline.definitions
        while scope >= 0:
            definition = definitions[scope]
            if definition.kind in _HOLDS_METHODS:
                return Ref(self._here.path, scope)
            if definition.kind == "method" and definition.parent < 0:
                owner = definition.qualified.rpartition(".")[0]
                found = self._names.type_named(self._here.path, -1, owner)
                return found if found is not None and found.place >= 0 else None
            scope = definition.parent
        return None

    def _by_name_alone(self, call: Call) -> Ref | None:
        """The one definition of that name in the whole project, if there is exactly one."""
        head, _, last = call.callee.rpartition(".")
        if len(last) < _SHORTEST_TELLING or last.startswith("__"):
            return None
        found = self._names.defined(last, self._language.kin)
        if len(found) != 1:
            return None
        is_method = self._names.definition(found[0]).kind == "method"
        return found[0] if is_method == bool(head) else None


def _variable(rest: list[str]) -> Ref | None:
    """A variable of unknown type: its methods may be found by name, a call of itself never."""
    return None if rest else NOWHERE
