"""Where a JavaScript or TypeScript import leads: extensions, index files, path aliases, workspaces."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from recollect.codegraph.files import ProjectFiles, folder_of, folders_above, join_path
from recollect.codegraph.languages.language import Binding
from recollect.codegraph.outline import Import, Outline
from recollect.model.value import dataclass

_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
# What is written .js may be made from .ts.
_MADE_FROM = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_STRING_OR_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r",(\s*[}\]])")
_ENTRY_FIELDS = ("source", "types", "typings", "module", "main")
_CONDITIONS = ("source", "types", "import", "module", "node", "require", "default")
_MAX_EXTENDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Aliases:
    """What one tsconfig.json says about names: patterns with their targets, and where bare names begin."""

    base: str | None = None
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    paths_from: str = ""


def resolver(files: ProjectFiles) -> Callable[[str, Import], list[Binding]]:
    """A function that finds what an import brings."""
    places = _Places(files)

    def resolve(path: str, statement: Import) -> list[Binding]:
        target = places.find(statement.module, path)
        names = statement.names or (("", ""),)
        return [Binding(local, target, name) for name, local in names]

    return resolve


def module(files: ProjectFiles, path: str, outline: Outline) -> str:
    """The name in the nearest package.json."""
    for folder in folders_above(folder_of(path)):
        for manifest in files.settings_files("package.json"):
            if folder_of(manifest) == folder:
                return str(loose_json(files.read(manifest)).get("name") or "")
    return ""


def loose_json(text: str) -> dict[str, Any]:
    """JSON that may hold comments and last commas; nothing when it cannot be read."""
    plain = _STRING_OR_COMMENT.sub(lambda match: match[1] or " ", text.lstrip("\ufeff"))
    try:
        value = json.loads(_LAST_COMMA.sub(r"\1", plain))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


class _Places:
    def __init__(self, files: ProjectFiles) -> None:
        self._files = files
        self._configs = {
            folder_of(path): path
            for name in ("jsconfig.json", "tsconfig.json")
            for path in files.settings_files(name)
        }
        self._manifests = {folder_of(path): path for path in files.settings_files("package.json")}
        self._workspaces = dict(self._packages())
        self._aliases = cache(self._read_aliases)
        self._manifest = cache(lambda folder: loose_json(files.read(self._manifests[folder])))

    def find(self, spec: str, importer: str) -> str:
        """The file an import of this name leads to; "" when it is outside the project."""
        home = folder_of(importer)
        spec = spec.split("?")[0]
        if spec.startswith(("./", "../")) or spec in (".", ".."):
            return self._file(join_path(home, spec), allow_top=spec.strip("./") == "")
        if spec.startswith("/"):
            return self._file(spec.lstrip("/"))
        if spec.startswith("#"):
            return self._own_import(spec, home)
        return self._by_alias(spec, home) or self._by_workspace(spec)

    def _file(self, base: str, *, allow_top: bool = False) -> str:
        if not base and not allow_top:
            return ""
        return next((path for path in self._candidates(base) if path in self._files), "")

    def _candidates(self, base: str) -> Iterator[str]:
        stem, ending = posixpath.splitext(base)
        yield base
        yield from (stem + made for made in _MADE_FROM.get(ending, ()))
        yield from (base + other for other in _ENDINGS)
        folder = f"{base}/" if base else ""
        if base in self._manifests:
            yield from self._entries(base)
        yield from (f"{folder}index{other}" for other in _ENDINGS)

    def _entries(self, folder: str) -> Iterator[str]:
        """What a package shows when it is imported by its folder or name; built files lead back to sources."""
        manifest = self._manifest(folder)
        exported = manifest.get("exports")
        inner = exported.get(".", exported) if isinstance(exported, dict) else exported
        for target in (*_targets(inner), *(manifest.get(name) for name in _ENTRY_FIELDS)):
            if isinstance(target, str):
                yield from self._built_from(join_path(folder, target))
        for usual in ("src/index", "index", "lib/index"):
            yield from (posixpath.join(folder, usual + ending) for ending in _ENDINGS)

    def _built_from(self, target: str) -> Iterator[str]:
        stem, ending = posixpath.splitext(target)
        stem = stem.removesuffix(".d")
        yield target
        yield from (stem + made for made in (*_MADE_FROM.get(ending, ()), *_ENDINGS))
        parts = stem.split("/")
        for place, part in enumerate(parts):
            if part in ("dist", "build", "lib", "out"):
                source = "/".join([*parts[:place], "src", *parts[place + 1 :]])
                yield from (source + other for other in _ENDINGS)

    def _by_alias(self, spec: str, home: str) -> str:
        config = next(
            (self._configs[folder] for folder in folders_above(home) if folder in self._configs), None
        )
        if config is None:
            return ""
        aliases = self._aliases(config)
        for pattern, targets in aliases.paths:
            rest = _match_star(pattern, spec)
            if rest is None:
                continue
            for target in targets:
                if path := self._file(join_path(aliases.paths_from, target.replace("*", rest, 1))):
                    return path
        return self._file(join_path(aliases.base, spec)) if aliases.base is not None else ""

    def _read_aliases(self, config: str, depth: int = 0) -> _Aliases:
        config_json = loose_json(self._files.read(config))
        home = folder_of(config)
        options = config_json.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        inherited = _Aliases()
        for parent in _extended_configs(config_json.get("extends"), home):
            if depth < _MAX_EXTENDS and self._files.read(parent):
                inherited = self._read_aliases(parent, depth + 1)
        base = join_path(home, str(options["baseUrl"])) if "baseUrl" in options else inherited.base
        paths = options.get("paths")
        if not isinstance(paths, dict):
            return _Aliases(base=base, paths=inherited.paths, paths_from=inherited.paths_from)
        listed = [(name, tuple(map(str, to))) for name, to in paths.items() if isinstance(to, list)]
        # The longest beginning wins, as the compiler has it.
        listed.sort(key=lambda pair: -len(pair[0].partition("*")[0]))
        return _Aliases(base=base, paths=tuple(listed), paths_from=base if base is not None else home)

    def _packages(self) -> Iterator[tuple[str, str]]:
        for folder, path in self._manifests.items():
            name = loose_json(self._files.read(path)).get("name")
            if isinstance(name, str) and name:
                yield name, folder

    def _by_workspace(self, spec: str) -> str:
        parts = spec.split("/")
        size = 2 if spec.startswith("@") else 1
        name, rest = "/".join(parts[:size]), "/".join(parts[size:])
        folder = self._workspaces.get(name)
        if folder is None:
            return ""
        if not rest:
            return next((path for path in self._entries(folder) if path in self._files), "")
        exported = self._manifest(folder).get("exports")
        for target in _subpath(exported, f"./{rest}"):
            for path in self._built_from(join_path(folder, target)):
                if path in self._files:
                    return path
        return self._file(join_path(folder, rest)) or self._file(join_path(folder, "src", rest))

    def _own_import(self, spec: str, home: str) -> str:
        for folder in folders_above(home):
            if folder in self._manifests:
                for target in _subpath(self._manifest(folder).get("imports"), spec):
                    if path := self._file(join_path(folder, target)):
                        return path
                return ""
        return ""


def _extended_configs(written: object, home: str) -> Iterator[str]:
    for one in written if isinstance(written, list) else [written]:
        if isinstance(one, str) and one.startswith("."):
            path = join_path(home, one)
            yield path if path.endswith(".json") else f"{path}.json"


def _match_star(pattern: str, spec: str) -> str | None:
    """What the star of a pattern stands for; "" for a pattern without one that is the name itself."""
    start, star, end = pattern.partition("*")
    if not star:
        return "" if pattern == spec else None
    fits = spec.startswith(start) and spec.endswith(end) and len(spec) >= len(start) + len(end)
    return spec[len(start) : len(spec) - len(end)] if fits else None


def _targets(exported: object) -> Iterator[str]:
    """Every file an entry of `exports` may lead to, by condition."""
    if isinstance(exported, str):
        yield exported
    elif isinstance(exported, list):
        for one in exported:
            yield from _targets(one)
    elif isinstance(exported, dict):
        for condition in _CONDITIONS:
            if condition in exported:
                yield from _targets(exported[condition])


def _subpath(exported: object, wanted: str) -> Iterator[str]:
    if not isinstance(exported, dict):
        return
    for pattern, inner in exported.items():
        rest = _match_star(pattern, wanted)
        if rest is not None:
            yield from (target.replace("*", rest) for target in _targets(inner))
