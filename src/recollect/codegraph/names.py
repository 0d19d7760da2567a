"""Looks names up: in a file, in what it imports, in its package, in a class and what that extends."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from recollect.codegraph.files import Files, folder_of
from recollect.codegraph.languages import Known
from recollect.codegraph.languages.language import Binding, Language, no_bodies
from recollect.codegraph.outline import Definition, Import, Outline
from recollect.model.value import dataclass, field

_MOST_STEPS = 12
# A module is reached through the one that declares it.
_PASSED_ON = frozenset({"export", "mod"})
_TYPES = frozenset({"class", "interface", "module"})


class Ref(NamedTuple):
    """A definition of a file, or the file itself at place -1."""

    path: str
    place: int


# A name that is known to lead nowhere we can follow: outside the project, or a variable of unknown type.
NOWHERE = Ref("", -1)

# Everything of this name that languages of one family define.
Defined = Callable[[str, str], list[Ref]]


@dataclass(slots=True)
class FileNames:
    """The names of one file."""

    path: str
    language: Language
    outline: Outline
    tops: dict[str, int] = field(default_factory=dict)
    qualified: dict[str, int] = field(default_factory=dict)
    members: dict[int, dict[str, int]] = field(default_factory=dict)
    exports: dict[str, str] = field(default_factory=dict)
    hints: dict[tuple[int, str], str] = field(default_factory=dict)
    # Set when somebody asks for them: resolving imports looks into other files.
    bindings: dict[str, Binding] | None = None
    # The last part says whether the names are passed on to whoever imports this file.
    stars: list[tuple[Binding, bool]] = field(default_factory=list)
    passed_on: set[str] = field(default_factory=set)
    imported: list[tuple[Import, list[Binding]]] = field(default_factory=list)


class Names:
    """Lookups over a project's files; each file's names are made out once."""

    def __init__(self, files: Files, known: Known, defined: Defined) -> None:
        self.files = files
        self.defined = defined
        self._known = known
        self._names: dict[str, FileNames] = {}
        self._resolvers: dict[str, Callable[[str, Import], list[Binding]]] = {}
        self._packages: dict[tuple[str, ...], dict[str, Ref]] = {}
        self._star_packages: dict[tuple[str, str], dict[str, Ref]] = {}
        # Most lookups are asked again and again: `self.assertEqual` climbs the same classes every time.
        self._members: dict[tuple[Ref, str], Ref | None] = {}
        self._seen_from: dict[tuple[str, str], Ref | None] = {}
        self._bases: dict[Ref, list[tuple[str, Ref]]] = {}

    def of(self, path: str) -> FileNames:
        """The names of a file, without its imports."""
        found = self._names.get(path)
        if found is None:
            language = self._known.by_name[self.files.languages[path]]
            found = self._names[path] = _file_names(path, language, self.files.outline(path))
        return found

    def bound(self, path: str) -> FileNames:
        """The names of a file, with what its imports bring."""
        names = self.of(path)
        if names.bindings is None:
            names.bindings = {}
            for asked in names.outline.imports:
                brought = self.resolve(path, asked)
                names.imported.append((asked, brought))
                self._bind(names, asked, brought)
        return names

    def resolve(self, path: str, asked: Import) -> list[Binding]:
        """What one import of a file brings."""
        language = self._known.by_name[self.files.languages[path]]
        resolver = self._resolvers.get(language.kin)
        if resolver is None:
            resolver = self._resolvers[language.kin] = language.resolver(self.files)
        return resolver(path, asked)

    def definition(self, ref: Ref) -> Definition:
        """The definition a reference means."""
        return self.files.outline(ref.path).definitions[ref.place]

    def in_file(self, path: str, name: str, seen: frozenset[str] = frozenset()) -> Ref | None:
        """What others get when they ask a file for a name."""
        if path in seen or len(seen) > _MOST_STEPS or path not in self.files:
            return None
        names = self.of(path)
        local = names.exports.get(name, name)
        if (place := names.tops.get(local)) is not None:
            return Ref(path, place)
        if not (names.language.passes_on or names.outline.imports):
            return None
        names = self.bound(path)
        seen = seen | {path}
        assert names.bindings is not None
        binding = names.bindings.get(local)
        if binding is not None and (
            names.language.passes_on or name in names.exports or local in names.passed_on
        ):
            return self.follow(binding, seen)
        for star, passes in names.stars:
            if passes and star.path and star.symbol != "?" and (found := self._by_star(star, local, seen)):
                return found
        return None

    def follow(self, binding: Binding, seen: frozenset[str] = frozenset()) -> Ref | None:
        """What a binding means; None when its file does not define such a thing."""
        if not binding.path:
            return NOWHERE
        if not binding.symbol:
            # `module.exports = f` makes the file itself callable.
            made = self.of(binding.path).exports.get("") if binding.path in self.files else None
            return self.in_file(binding.path, made, seen) if made else Ref(binding.path, -1)
        head, *rest = binding.symbol.split(".")
        found = self.in_file(binding.path, head, seen)
        return self.walk(found, rest) if found is not None else None

    def walk(self, ref: Ref | None, parts: list[str]) -> Ref | None:
        """From a file or a class on to its members."""
        for part in parts:
            if ref is None or ref is NOWHERE:
                return ref
            ref = self.in_whole(ref.path, part) if ref.place < 0 else self.member(ref, part)
        return ref

    def in_whole(self, path: str, name: str) -> Ref | None:
        """A name of a file, or of the package it stands for."""
        found = self.in_file(path, name)
        names = self.of(path)
        return found or (self._package(names).get(name) if names.language.shares_package else None)

    def by_path(self, path: str, parts: list[str]) -> Ref | None:
        """What a path through modules means, as an import of it would."""
        asked = Import("::".join(parts[:-1]), ((parts[-1], parts[-1]),), "use")
        for binding in self.resolve(path, asked):
            return self.follow(binding) or NOWHERE
        return None

    def returned(self, function: Ref) -> Ref | None:
        """The type a function says it returns."""
        definition = self.definition(function)
        if not definition.returns:
            return None
        if definition.returns in self.of(function.path).language.self_words:
            return Ref(function.path, definition.parent) if definition.parent >= 0 else None
        return self.type_named(function.path, definition.parent, definition.returns)

    def field(self, owner: Ref, name: str) -> Ref | None:
        """The type of a class's field; an embedded type is a field of its own name."""
        if (kind := self.of(owner.path).hints.get((owner.place, name))) is not None:
            return self.type_or_returned(owner.path, owner.place, kind) if kind else None
        for base, ref in self.bases(owner):
            if base.rpartition(".")[2] == name:
                return ref
            if ref != owner and (found := self.field(ref, name)):
                return found
        return None

    def type_or_returned(self, path: str, scope: int, kind: str) -> Ref | None:
        """The class a name means, or the one that a function of that name returns."""
        head, *rest = kind.split(".")
        if head in self.of(path).language.path_words:
            ref = self.by_path(path, [head, *rest])
        else:
            ref = self.walk(self.visible(path, scope, head) or self._dotted(path, kind), rest)
        if ref is None or ref.place < 0 or _is_type(self.definition(ref)):
            return ref
        return self.returned(ref)

    def member(self, owner: Ref, name: str, depth: int = 0) -> Ref | None:
        """A member of a class, or of what it extends."""
        key = (owner, name)
        if key not in self._members:
            found = self._member(owner, name, depth) if depth <= _MOST_STEPS else None
            if depth:
                return found  # how deep it may still look depends on where it began
            self._members[key] = found
        return self._members[key]

    def _member(self, owner: Ref, name: str, depth: int) -> Ref | None:
        names = self.of(owner.path)
        if (place := names.members.get(owner.place, {}).get(name)) is not None:
            return Ref(owner.path, place)
        definition = self.definition(owner)
        if definition.kind not in _TYPES:
            return None
        full = f"{definition.qualified}.{name}"
        if (place := names.qualified.get(full)) is not None:
            return Ref(owner.path, place)
        if names.language.shares_package and (ref := self._package(names).get(full)):
            return ref
        return self.inherited(owner, name, depth)

    def inherited(self, owner: Ref, name: str, depth: int = 0) -> Ref | None:
        """A member of what a class extends, in order."""
        for _, ref in self.bases(owner):
            if ref != owner and (found := self.member(ref, name, depth + 1)):
                return found
        return None

    def bases(self, owner: Ref) -> list[tuple[str, Ref]]:
        """What a class extends or implements, as far as it is of this project: as it is written, and what it means."""
        found = self._bases.get(owner)
        if found is None:
            self._bases[owner] = []  # of classes that are each other's bases, one has to end the search
            definition = self.definition(owner)
            named = (
                (base, self.type_named(owner.path, definition.parent, base.lstrip("+")))
                for base in definition.bases
            )
            found = [(base, ref) for base, ref in named if ref is not None and ref.place >= 0]
            self._bases[owner] = found
        return found

    def type_named(self, path: str, scope: int, name: str) -> Ref | None:
        """The class or interface a type's name means in a place of a file."""
        head, *rest = name.split(".")
        if head in self.of(path).language.path_words:
            ref = self.by_path(path, [head, *rest])
        else:
            ref = self.walk(self.visible(path, scope, head) or self._dotted(path, name), rest)
        if ref is not None and ref.place >= 0 and self.definition(ref).kind not in _TYPES:
            return None
        return ref

    def visible(self, path: str, scope: int, name: str) -> Ref | None:
        """What a bare name means in a place of a file: inner definitions, the file's, imports, the package."""
        names = self.bound(path)
        definitions = names.outline.definitions
        while scope >= 0:
            definition = definitions[scope]
            is_class = definition.kind in _TYPES
            if is_class and definition.name == name:
                return Ref(path, scope)  # and not its constructor, which has the same name
            members = names.members.get(scope)
            inner = members.get(name) if members else None
            if inner is not None and (
                not is_class or names.language.implicit_self or _is_type(definitions[inner])
            ):
                return Ref(path, inner)
            scope = definition.parent
        key = (path, name)
        if key not in self._seen_from:
            self._seen_from[key] = self._at_the_top(names, name)
        return self._seen_from[key]

    def _at_the_top(self, names: FileNames, name: str) -> Ref | None:
        if (place := names.tops.get(name)) is not None:
            return Ref(names.path, place)
        assert names.bindings is not None
        if (binding := names.bindings.get(name)) is not None:
            return self.follow(binding) or NOWHERE
        return self._from_stars(names, name) or self._from_package(names, name)

    def body_of(self, ref: Ref) -> Ref:
        """Where a declared function is written, for languages that keep the two apart."""
        names = self.of(ref.path)
        if names.language.bodies is no_bodies:
            return ref
        definition = names.outline.definitions[ref.place]
        for body in names.language.bodies(self.files, ref.path):
            if (
                body in self.files
                and (place := self.of(body).qualified.get(definition.qualified)) is not None
            ):
                return Ref(body, place)
        return ref

    def _dotted(self, path: str, name: str) -> Ref | None:
        """The binding of `import a.b.c`, whose name has dots in it."""
        bindings = self.bound(path).bindings or {}
        parts = name.split(".")
        for size in range(len(parts) - 1, 1, -1):
            if (binding := bindings.get(".".join(parts[:size]))) is not None:
                return self.follow(binding)
        return None

    def _bind(self, names: FileNames, asked: Import, brought: list[Binding]) -> None:
        assert names.bindings is not None
        passes = names.language.passes_on or asked.how in _PASSED_ON
        packages = [binding for binding in brought if binding.symbol == "?"]
        if packages:
            names.stars.append((Binding("*", asked.module, "?"), False))
            self._merge(names.language.kin, asked.module, packages)
        for binding in brought:
            if binding.symbol == "?":
                continue
            if binding.local == "*":
                names.stars.append((binding, passes))
            elif binding.local and (binding.path or binding.local not in names.bindings):
                names.bindings[binding.local] = self._whole(names, binding)
                if passes:
                    names.passed_on.add(binding.local)

    def _whole(self, names: FileNames, binding: Binding) -> Binding:
        """A package of several files is one binding; its files stand in the list of imports."""
        known = (names.bindings or {}).get(binding.local)
        if names.language.name == "go" and known is not None and known.path:
            return known
        return binding

    def _merge(self, kin: str, module: str, packages: list[Binding]) -> None:
        key = (kin, module)
        if key in self._star_packages:
            return
        merged: dict[str, Ref] = {}
        for binding in packages:
            for name, place in self.of(binding.path).tops.items():
                merged.setdefault(name, Ref(binding.path, place))
        self._star_packages[key] = merged

    def _from_stars(self, names: FileNames, name: str) -> Ref | None:
        for star, _ in names.stars:
            if star.symbol == "?":
                found = self._star_packages[names.language.kin, star.path].get(name)
            else:
                found = self._by_star(star, name, frozenset({names.path}))
            if found:
                return found
        return None

    def _by_star(self, star: Binding, name: str, seen: frozenset[str]) -> Ref | None:
        if not star.path:
            return None
        if star.symbol.endswith(".*"):
            owner = self.in_file(star.path, star.symbol[:-2], seen)
            return self.member(owner, name) if owner and owner.place >= 0 else None
        return self.in_file(star.path, name, seen)

    def _from_package(self, names: FileNames, name: str) -> Ref | None:
        return self._package(names).get(name) if names.language.shares_package else None

    def _package(self, names: FileNames) -> dict[str, Ref]:
        """All names that files of the same package see."""
        package = self.files.package_of(names.path)
        folder = folder_of(names.path) if names.language.name == "go" else ""
        key = (names.language.name, package, folder)
        found = self._packages.get(key)
        if found is None:
            found = self._packages[key] = {}
            outer = [package]
            while names.language.sees_outer_packages and "." in outer[-1]:
                outer.append(outer[-1].rpartition(".")[0])
            for one in outer:
                for path in self.files.by_package.get(one, ()):
                    if self.files.languages.get(path) != names.language.name:
                        continue
                    if not folder or folder_of(path) == folder:
                        for name, place in self.of(path).qualified.items():
                            found.setdefault(name, Ref(path, place))
        return found


def _is_type(definition: Definition) -> bool:
    return definition.kind in _TYPES


def _file_names(path: str, language: Language, outline: Outline) -> FileNames:
    names = FileNames(path=path, language=language, outline=outline, exports=dict(outline.exports))
    for place, definition in enumerate(outline.definitions):
        names.qualified.setdefault(definition.qualified, place)
        if definition.parent < 0:
            # A name inside a namespace block is known by its last part too.
            names.tops.setdefault(definition.qualified, place)
            if definition.kind != "method":
                names.tops.setdefault(definition.name, place)
        else:
            names.members.setdefault(definition.parent, {}).setdefault(definition.name, place)
    for hint in outline.hints:
        # Two different values for one name: which one is not known.
        key = (hint.scope, hint.name)
        names.hints[key] = hint.type if names.hints.get(key, hint.type) == hint.type else ""
    return names
