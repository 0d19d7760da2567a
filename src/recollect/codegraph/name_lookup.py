"""Name lookup: what a name means in a file, its imports, its package, a class and its base classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from recollect.codegraph.files import ProjectFiles, folder_of
from recollect.codegraph.languages import Languages
from recollect.codegraph.languages.language import Binding, Language, no_bodies
from recollect.codegraph.outline import Definition, Import, Outline
from recollect.model.value import dataclass, field

_MAX_STEPS = 12
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
FindDefinitions = Callable[[str, str], list[Ref]]


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


class NameLookup:
    """Looks names up over a project's files; each file's tables are made once."""

    def __init__(self, files: ProjectFiles, languages: Languages, find_definitions: FindDefinitions) -> None:
        self.files = files
        self.find_definitions = find_definitions
        self._known = languages
        self._names: dict[str, FileNames] = {}
        self._resolvers: dict[str, Callable[[str, Import], list[Binding]]] = {}
        self._packages: dict[tuple[str, ...], dict[str, Ref]] = {}
        self._star_packages: dict[tuple[str, str], dict[str, Ref]] = {}
        # Most lookups are asked again and again: `self.assertEqual` climbs the same classes every time.
        self._members: dict[tuple[Ref, str], Ref | None] = {}
        self._seen_from: dict[tuple[str, str], Ref | None] = {}
        self._bases: dict[Ref, list[tuple[str, Ref]]] = {}

    def names_of(self, path: str) -> FileNames:
        """The names of a file, without its imports."""
        names = self._names.get(path)
        if names is None:
            language = self._known.by_name[self.files.languages[path]]
            names = self._names[path] = _file_names(path, language, self.files.outline(path))
        return names

    def names_with_imports(self, path: str) -> FileNames:
        """The names of a file, with what its imports bind."""
        names = self.names_of(path)
        if names.bindings is None:
            names.bindings = {}
            for statement in names.outline.imports:
                bindings = self.resolve_import(path, statement)
                names.imported.append((statement, bindings))
                self._bind(names, statement, bindings)
        return names

    def resolve_import(self, path: str, statement: Import) -> list[Binding]:
        """The bindings one import statement makes."""
        language = self._known.by_name[self.files.languages[path]]
        resolver = self._resolvers.get(language.kin)
        if resolver is None:
            resolver = self._resolvers[language.kin] = language.resolver(self.files)
        return resolver(path, statement)

    def get_definition(self, ref: Ref) -> Definition:
        """The definition a reference means."""
        return self.files.outline(ref.path).definitions[ref.place]

    def find_in_file(self, path: str, name: str, visited: frozenset[str] = frozenset()) -> Ref | None:
        """What another file gets when it imports this name from here."""
        if path in visited or len(visited) > _MAX_STEPS or path not in self.files:
            return None
        names = self.names_of(path)
        local = names.exports.get(name, name)
        if (place := names.tops.get(local)) is not None:
            return Ref(path, place)
        if not (names.language.passes_on or names.outline.imports):
            return None
        names = self.names_with_imports(path)
        visited = visited | {path}
        assert names.bindings is not None
        binding = names.bindings.get(local)
        if binding is not None and (
            names.language.passes_on or name in names.exports or local in names.passed_on
        ):
            return self.follow_binding(binding, visited)
        for star, passes in names.stars:
            if (
                passes
                and star.path
                and star.symbol != "?"
                and (ref := self._find_by_star(star, local, visited))
            ):
                return ref
        return None

    def follow_binding(self, binding: Binding, visited: frozenset[str] = frozenset()) -> Ref | None:
        """What a binding means; None when its file does not define such a thing."""
        if not binding.path:
            return NOWHERE
        if not binding.symbol:
            # `module.exports = f` makes the file itself callable.
            exported = self.names_of(binding.path).exports.get("") if binding.path in self.files else None
            return self.find_in_file(binding.path, exported, visited) if exported else Ref(binding.path, -1)
        head, *rest = binding.symbol.split(".")
        ref = self.find_in_file(binding.path, head, visited)
        return self.walk_members(ref, rest) if ref is not None else None

    def walk_members(self, ref: Ref | None, parts: list[str]) -> Ref | None:
        """Follow member names from a file or a class."""
        for part in parts:
            if ref is None or ref is NOWHERE:
                return ref
            ref = (
                self.find_in_file_or_package(ref.path, part) if ref.place < 0 else self.find_member(ref, part)
            )
        return ref

    def find_in_file_or_package(self, path: str, name: str) -> Ref | None:
        """A name of a file, or of the package it stands for."""
        ref = self.find_in_file(path, name)
        names = self.names_of(path)
        return ref or (self._package(names).get(name) if names.language.shares_package else None)

    def find_by_path(self, path: str, parts: list[str]) -> Ref | None:
        """What a module path means, resolved like an import."""
        statement = Import("::".join(parts[:-1]), ((parts[-1], parts[-1]),), "use")
        for binding in self.resolve_import(path, statement):
            return self.follow_binding(binding) or NOWHERE
        return None

    def find_returned_type(self, function: Ref) -> Ref | None:
        """The type a function says it returns."""
        definition = self.get_definition(function)
        if not definition.returns:
            return None
        if definition.returns in self.names_of(function.path).language.self_words:
            return Ref(function.path, definition.parent) if definition.parent >= 0 else None
        return self.find_type(function.path, definition.parent, definition.returns)

    def find_field_type(self, owner: Ref, name: str) -> Ref | None:
        """The type of a class's field; an embedded type is a field of its own name."""
        if (kind := self.names_of(owner.path).hints.get((owner.place, name))) is not None:
            return self.find_type_or_returned(owner.path, owner.place, kind) if kind else None
        for base, ref in self.find_bases(owner):
            if base.rpartition(".")[2] == name:
                return ref
            if ref != owner and (inherited := self.find_field_type(ref, name)):
                return inherited
        return None

    def find_type_or_returned(self, path: str, scope: int, kind: str) -> Ref | None:
        """The class a name means, or the one that a function of that name returns."""
        head, *rest = kind.split(".")
        if head in self.names_of(path).language.path_words:
            ref = self.find_by_path(path, [head, *rest])
        else:
            ref = self.walk_members(self.find_visible(path, scope, head) or self._dotted(path, kind), rest)
        if ref is None or ref.place < 0 or _is_type(self.get_definition(ref)):
            return ref
        return self.find_returned_type(ref)

    def find_member(self, owner: Ref, name: str, depth: int = 0) -> Ref | None:
        """A member of a class or of its base classes."""
        key = (owner, name)
        if key not in self._members:
            ref = self._find_own_member(owner, name, depth) if depth <= _MAX_STEPS else None
            if depth:
                return ref  # how deep it may still look depends on where it began
            self._members[key] = ref
        return self._members[key]

    def _find_own_member(self, owner: Ref, name: str, depth: int) -> Ref | None:
        names = self.names_of(owner.path)
        if (place := names.members.get(owner.place, {}).get(name)) is not None:
            return Ref(owner.path, place)
        definition = self.get_definition(owner)
        if definition.kind not in _TYPES:
            return None
        full = f"{definition.qualified}.{name}"
        if (place := names.qualified.get(full)) is not None:
            return Ref(owner.path, place)
        if names.language.shares_package and (ref := self._package(names).get(full)):
            return ref
        return self.find_inherited(owner, name, depth)

    def find_inherited(self, owner: Ref, name: str, depth: int = 0) -> Ref | None:
        """A member of what a class extends, in order."""
        for _, ref in self.find_bases(owner):
            if ref != owner and (inherited := self.find_member(ref, name, depth + 1)):
                return inherited
        return None

    def find_bases(self, owner: Ref) -> list[tuple[str, Ref]]:
        """Base classes and interfaces that this project defines: as written, and resolved."""
        resolved = self._bases.get(owner)
        if resolved is None:
            self._bases[owner] = []  # of classes that are each other's bases, one has to end the search
            definition = self.get_definition(owner)
            candidates = (
                (base, self.find_type(owner.path, definition.parent, base.lstrip("+")))
                for base in definition.bases
            )
            resolved = [(base, ref) for base, ref in candidates if ref is not None and ref.place >= 0]
            self._bases[owner] = resolved
        return resolved

    def find_type(self, path: str, scope: int, name: str) -> Ref | None:
        """The class or interface a type's name means in a place of a file."""
        head, *rest = name.split(".")
        if head in self.names_of(path).language.path_words:
            ref = self.find_by_path(path, [head, *rest])
        else:
            ref = self.walk_members(self.find_visible(path, scope, head) or self._dotted(path, name), rest)
        if ref is not None and ref.place >= 0 and self.get_definition(ref).kind not in _TYPES:
            return None
        return ref

    def find_visible(self, path: str, scope: int, name: str) -> Ref | None:
        """What a bare name means in a place of a file: inner definitions, the file's, imports, the package."""
        names = self.names_with_imports(path)
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
            self._seen_from[key] = self._find_at_top(names, name)
        return self._seen_from[key]

    def _find_at_top(self, names: FileNames, name: str) -> Ref | None:
        if (place := names.tops.get(name)) is not None:
            return Ref(names.path, place)
        assert names.bindings is not None
        if (binding := names.bindings.get(name)) is not None:
            return self.follow_binding(binding) or NOWHERE
        return self._find_by_stars(names, name) or self._find_in_package(names, name)

    def find_body(self, ref: Ref) -> Ref:
        """Where a declared function is written, for languages that keep the two apart."""
        names = self.names_of(ref.path)
        if names.language.bodies is no_bodies:
            return ref
        definition = names.outline.definitions[ref.place]
        for body in names.language.bodies(self.files, ref.path):
            if (
                body in self.files
                and (place := self.names_of(body).qualified.get(definition.qualified)) is not None
            ):
                return Ref(body, place)
        return ref

    def _dotted(self, path: str, name: str) -> Ref | None:
        """The binding of `import a.b.c`, whose name has dots in it."""
        bindings = self.names_with_imports(path).bindings or {}
        parts = name.split(".")
        for size in range(len(parts) - 1, 1, -1):
            if (binding := bindings.get(".".join(parts[:size]))) is not None:
                return self.follow_binding(binding)
        return None

    def _bind(self, names: FileNames, statement: Import, bindings: list[Binding]) -> None:
        assert names.bindings is not None
        passes = names.language.passes_on or statement.how in _PASSED_ON
        packages = [binding for binding in bindings if binding.symbol == "?"]
        if packages:
            names.stars.append((Binding("*", statement.module, "?"), False))
            self._merge_star_packages(names.language.kin, statement.module, packages)
        for binding in bindings:
            if binding.symbol == "?":
                continue
            if binding.local == "*":
                names.stars.append((binding, passes))
            elif binding.local and (binding.path or binding.local not in names.bindings):
                names.bindings[binding.local] = self._merge_package_binding(names, binding)
                if passes:
                    names.passed_on.add(binding.local)

    def _merge_package_binding(self, names: FileNames, binding: Binding) -> Binding:
        """A package of several files is one binding; its files stand in the list of imports."""
        bound = (names.bindings or {}).get(binding.local)
        if names.language.name == "go" and bound is not None and bound.path:
            return bound
        return binding

    def _merge_star_packages(self, kin: str, module: str, packages: list[Binding]) -> None:
        key = (kin, module)
        if key in self._star_packages:
            return
        merged: dict[str, Ref] = {}
        for binding in packages:
            for name, place in self.names_of(binding.path).tops.items():
                merged.setdefault(name, Ref(binding.path, place))
        self._star_packages[key] = merged

    def _find_by_stars(self, names: FileNames, name: str) -> Ref | None:
        for star, _ in names.stars:
            if star.symbol == "?":
                ref = self._star_packages[names.language.kin, star.path].get(name)
            else:
                ref = self._find_by_star(star, name, frozenset({names.path}))
            if ref:
                return ref
        return None

    def _find_by_star(self, star: Binding, name: str, visited: frozenset[str]) -> Ref | None:
        if not star.path:
            return None
        if star.symbol.endswith(".*"):
            owner = self.find_in_file(star.path, star.symbol[:-2], visited)
            return self.find_member(owner, name) if owner and owner.place >= 0 else None
        return self.find_in_file(star.path, name, visited)

    def _find_in_package(self, names: FileNames, name: str) -> Ref | None:
        return self._package(names).get(name) if names.language.shares_package else None

    def _package(self, names: FileNames) -> dict[str, Ref]:
        """All names that files of the same package see."""
        package = self.files.package_of(names.path)
        folder = folder_of(names.path) if names.language.name == "go" else ""
        key = (names.language.name, package, folder)
        names_of_package = self._packages.get(key)
        if names_of_package is None:
            names_of_package = self._packages[key] = {}
            outer = [package]
            while names.language.sees_outer_packages and "." in outer[-1]:
                outer.append(outer[-1].rpartition(".")[0])
            for one in outer:
                for path in self.files.by_package.get(one, ()):
                    if self.files.languages.get(path) != names.language.name:
                        continue
                    if not folder or folder_of(path) == folder:
                        for name, place in self.names_of(path).qualified.items():
                            names_of_package.setdefault(name, Ref(path, place))
        return names_of_package


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
