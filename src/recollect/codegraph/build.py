"""
Builds the graph of a checkout incrementally: list files, read the changed ones, resolve names again, write.

All results are computed first and written in one transaction. A counter in the checkout's row shows whether
another process wrote in the meantime; then the work is repeated on the new state, with all outlines at hand.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from recollect.codegraph.files import NO_OUTLINE, ProjectFiles
from recollect.codegraph.languages import Languages
from recollect.codegraph.languages import load_languages as known_languages
from recollect.codegraph.listing import MAX_BYTES, Listing, list_changed_files, list_files, read_source
from recollect.codegraph.name_lookup import NameLookup, Ref
from recollect.codegraph.outline import VERSION, Outline, collect_mentions, sign_outline, unpack_outline
from recollect.codegraph.parse import OutlineReader
from recollect.codegraph.read_files import Progress, ReadFile, match_renames, read_files
from recollect.codegraph.resolve import Edge, resolve_edges
from recollect.codegraph.rows import NodeRows, write_edges
from recollect.errors import StoreBusy
from recollect.events.bounded_read import read_bounded
from recollect.model.code import BuildReport
from recollect.model.project import storable
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables import code_files, code_nodes, code_notes
from recollect.store.tables.code_files import StoredFile, Tree

# Raise it when the same outlines would give other edges.
RESOLVING = 1
RULES = f"{VERSION}.{RESOLVING}"
# Under this name the rules stand among the settings files of a checkout.
_RULES_KEY = ""
_ATTEMPTS = 5
_OUTLINE_LIFETIME = timedelta(days=60)
# So many files may be looked at again one by one; past that, all outlines are fetched at once.
_MAX_SINGLE_READS = 150
# A name that more files ask for says little about any of them.
_MAX_ASKING_FILES = 60


def build_graph(
    db: Db,
    root: Path,
    project_id: str,
    now: datetime,
    *,
    only: Iterable[str] | None = None,
    progress: Progress = lambda done, total: None,
    known: Languages | None = None,
    workers: int = 1,
    excluded: Sequence[str] = (),
) -> BuildReport:
    """
    Bring the graph of the checkout at ROOT up to date with its files. Many new files are read by WORKERS processes
    (0: one for each processor).

    ONLY names the paths that may have changed, if the caller knows them; then git is not run. A graph that was
    never built, or was built by older rules, is built completely all the same.
    """
    languages = known or known_languages()
    readers = OutlineReader(languages)
    # A worker knows the languages that are installed, and no others.
    workers = workers if known is None else 1
    with _without_garbage_collection():
        for _ in range(_ATTEMPTS):
            tree = code_files.ensure_tree(db, project_id, storable(str(root)))
            work = _BuildAttempt(db, root, tree, languages, readers, now, workers, excluded)
            built = work.run(project_id, list(only) if only is not None else None, progress)
            if built is not None:
                return built
    raise StoreBusy(path=db.path, seconds=0)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Pause garbage collection: a build makes a million tuples without cycles; looking for cycles costs a fifth."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(slots=True)
class _Delta:
    """The difference to the stored graph: files as they are now, changed ones, and those that are gone."""

    now: dict[str, StoredFile]
    outlines: dict[str, Outline]
    fresh: set[int]
    changed: list[StoredFile]
    touched: list[StoredFile]
    gone: dict[str, StoredFile]
    moved: dict[str, str]


class _BuildAttempt:
    """One attempt at a build."""

    def __init__(
        self,
        db: Db,
        root: Path,
        tree: Tree,
        languages: Languages,
        readers: OutlineReader,
        now: datetime,
        workers: int,
        excluded: Sequence[str],
    ) -> None:
        self._excluded = excluded
        self._db, self._root, self._tree, self._now = db, root, tree, now
        self._installed, self._readers, self._workers = languages, readers, workers

    def run(self, project_id: str, only: list[str] | None, progress: Progress) -> BuildReport | None:
        """Build and write; None when another process wrote first."""
        before = code_files.list_files(self._db, self._tree)
        listing = self._list(before, only)
        settings = {_RULES_KEY: RULES, **listing.settings}
        is_stale = self._tree.settings.get(_RULES_KEY) != RULES
        to_read = [
            file
            for path, file in listing.files.items()
            if is_stale or path not in before or before[path].seen != file.seen
        ]
        read = read_files(
            self._db, self._root, to_read, self._readers, self._now, progress, workers=self._workers
        )
        delta = self._compare(listing, before, read)
        files = self._files(delta, listing)
        self._name_modules(delta, files)
        again = self._to_resolve(delta, before, everything=settings != self._tree.settings)
        edges = self._resolve(delta, files, again)
        if not (edges or delta.gone or delta.changed or delta.touched) and self._tree.built_at:
            return self._summarize(delta, read, edges)
        with self._db.transaction():
            current = code_files.ensure_tree(self._db, project_id, self._tree.root)
            if (current.num, current.generation) != (self._tree.num, self._tree.generation):
                return None
            self._write(delta, edges, project_id)
            code_files.mark_outlines_used(self._db, _released_blobs(before, delta), self._now)
            code_files.mark_built(
                self._db, self._tree, project_id, self._now, settings, self._describe_left_out(listing, only)
            )
            if only is None:
                self._remove_unused(project_id)
        return self._summarize(delta, read, edges)

    def _list(self, before: dict[str, StoredFile], only: list[str] | None) -> Listing:
        is_current = self._tree.built_at is not None and self._tree.settings.get(_RULES_KEY) == RULES
        if only is None or not is_current or any(map(self._installed.is_settings, only)):
            return list_files(self._root, self._installed, self._excluded)
        listing = list_changed_files(self._root, only, before, self._installed, self._excluded)
        listing.settings = {path: seen for path, seen in self._tree.settings.items() if path != _RULES_KEY}
        return listing

    def _describe_left_out(self, listing: Listing, only: list[str] | None) -> Mapping[str, list[str]]:
        if only is not None:
            return self._tree.left_out
        return {why: [str(count), *listing.examples[why]] for why, count in listing.left_out.items()}

    def _compare(self, listing: Listing, before: dict[str, StoredFile], read: list[ReadFile]) -> _Delta:
        gone = {path: file for path, file in before.items() if path not in listing.files}
        new = {one.path: one for one in read if one.path not in before}
        moved = match_renames(gone, new, self._stored_outline) if gone and new else {}
        delta = _Delta(
            now={path: file for path, file in before.items() if path in listing.files},
            outlines={},
            fresh=set(),
            changed=[],
            touched=[],
            gone={path: file for path, file in gone.items() if path not in moved.values()},
            moved=moved,
        )
        number = code_files.next_file_num(self._db)
        for one in read:
            old = before.get(one.path) or before.get(moved.get(one.path, ""))
            outline = one.outline or NO_OUTLINE
            file = StoredFile(
                num=old.num if old else number,
                path=one.path,
                language=one.language,
                seen=one.seen,
                blob=one.blob,
                package=outline.package,
                module=old.module if old else "",
                signature=sign_outline(outline),
                left_out=one.left_out,
                broken=outline.broken,
            )
            delta.now[one.path] = file
            if old is None:
                delta.fresh.add(number)
                number += 1
            if old is not None and old._replace(seen=file.seen) == file and one.blob:
                delta.touched.append(file)
            else:
                delta.changed.append(file)
                delta.outlines[one.path] = outline
        return delta

    def _name_modules(self, delta: _Delta, files: ProjectFiles) -> None:
        for place, file in enumerate(delta.changed):
            if file.left_out:
                continue
            language = self._installed.by_name[file.language]
            module = language.module(files, file.path, delta.outlines[file.path])
            delta.changed[place] = delta.now[file.path] = file._replace(module=module)

    def _files(self, delta: _Delta, listing: Listing) -> ProjectFiles:
        inside = {path: file for path, file in delta.now.items() if not file.left_out}

        def outline_of(path: str) -> Outline:
            outline = delta.outlines.get(path)
            return outline if outline is not None else self._stored_outline(inside[path])

        return ProjectFiles(
            {path: file.language for path, file in inside.items()},
            outline_of,
            packages={path: file.package for path, file in inside.items()},
            others=listing.settings,
            read=self._read_text,
        )

    def _to_resolve(self, delta: _Delta, before: dict[str, StoredFile], *, everything: bool) -> set[str]:
        """Changed files, and those whose names may now resolve to something else."""
        inside = {path for path, file in delta.now.items() if not file.left_out}
        again = {file.path for file in delta.changed if not file.left_out}
        if everything or len(again) > len(inside) // 2:
            return inside
        names: set[str] = set()
        watched: list[int] = []
        for file in delta.changed:
            old = before.get(delta.moved.get(file.path, file.path))
            if old is not None and old.path == file.path and old.signature == file.signature:
                continue
            changed, deeply = self._compare_outlines(delta.outlines[file.path], old)
            names |= changed
            if old is None or old.path != file.path:
                names |= _path_names(file.path)
            if old is not None and (deeply or old.path != file.path):
                watched.append(old.num)
        for old in delta.gone.values():
            names |= self._compare_outlines(NO_OUTLINE, old)[0] | _path_names(old.path)
            watched.append(old.num)
        return (again | self._find_referring(names, watched)) & inside

    def _find_referring(self, names: set[str], watched: list[int]) -> set[str]:
        """Files that mention one of these names, or have an edge into one of the watched files."""
        referring = code_files.find_referring_files(self._db, watched) if watched else set()
        if names:
            near = set(referring)
            for paths in code_files.find_mentions(self._db, self._tree, names).values():
                referring |= paths if len(paths) <= _MAX_ASKING_FILES else paths & near
        return referring

    def _compare_outlines(self, outline: Outline, old: StoredFile | None) -> tuple[set[str], bool]:
        """Names a file gained or lost, and whether more than names changed: base classes, star imports, its package."""
        before = self._stored_outline(old) if old is not None and old.blob else NO_OUTLINE
        now_defined = {(d.qualified, d.kind): d.bases for d in outline.definitions}
        then_defined = {(d.qualified, d.kind): d.bases for d in before.definitions}
        names = {qualified.rpartition(".")[2] for qualified, _ in now_defined.keys() ^ then_defined.keys()}
        names |= {local for _, local in _imported_pairs(outline) ^ _imported_pairs(before)}
        names |= {name for name, _ in {*outline.exports} ^ {*before.exports}}
        other_bases = any(
            now_defined[key] != then_defined[key] for key in now_defined.keys() & then_defined.keys()
        )
        other_stars = _star_modules(outline) != _star_modules(before)
        return names, other_bases or other_stars or outline.package != before.package

    def _resolve(self, delta: _Delta, files: ProjectFiles, again: set[str]) -> dict[str, list[Edge]]:
        if not again:
            return {}
        only_ones: dict[tuple[str, str], tuple[str, str]] = {}
        if len(again) > _MAX_SINGLE_READS:
            self._fetch_all(delta)
        else:
            called = {call.callee.rpartition(".")[2] for path in again for call in files.outline(path).calls}
            changed = [file.num for file in delta.changed]
            only_ones = code_nodes.find_unique_definitions(self._db, self._tree, called, changed)
        everywhere = _DefinitionIndex(self._installed, delta, files, only_ones)
        names = NameLookup(files, self._installed, everywhere.find)
        return {path: resolve_edges(names, path) for path in sorted(again)}

    def _fetch_all(self, delta: _Delta) -> None:
        missing = [f for path, f in delta.now.items() if path not in delta.outlines and not f.left_out]
        stored = code_files.find_outlines(self._db, [file.blob for file in missing], VERSION)
        for file in missing:
            packed = stored.get((file.blob, file.language))
            delta.outlines[file.path] = unpack_outline(packed) if packed else self._stored_outline(file)

    def _write(self, delta: _Delta, edges: dict[str, list[Edge]], project_id: str) -> None:
        db, tree = self._db, self._tree
        code_files.remove_files(db, [file.num for file in delta.gone.values()])
        for new, old in delta.moved.items():
            code_notes.rename_edges(db, project_id, old, new)
        code_files.change_files(db, [f for f in (*delta.changed, *delta.touched) if f.num not in delta.fresh])
        code_files.add_files(db, tree, [file for file in delta.changed if file.num in delta.fresh])
        mentions = {file.num: collect_mentions(delta.outlines[file.path]) for file in delta.changed}
        code_files.set_mentions(db, {n: m for n, m in mentions.items() if n in delta.fresh}, fresh=True)
        code_files.set_mentions(db, {n: m for n, m in mentions.items() if n not in delta.fresh}, fresh=False)
        nums = {path: file.num for path, file in delta.now.items()}
        nodes = NodeRows(db, tree, nums, code_nodes.next_node_num(db))
        inside = [(file, delta.outlines[file.path]) for file in delta.changed if not file.left_out]
        nodes.write(inside, delta.fresh)
        self._write_left_out(nodes, delta)
        if delta.fresh or delta.gone or delta.moved:
            nodes.write_apart(file for file in delta.now.values() if not file.left_out)
        write_edges(nodes, edges, delta.fresh)

    def _write_left_out(self, nodes: NodeRows, delta: _Delta) -> None:
        """A file that cannot be read any more has no nodes."""
        for file in delta.changed:
            if file.left_out and file.num not in delta.fresh:
                stored = code_nodes.list_nodes_of_file(self._db, file.num)
                code_nodes.remove_nodes(self._db, [node.num for node in stored.values()])

    def _remove_unused(self, project_id: str) -> None:
        """Forget checkouts whose folder is gone, and content nobody has had for long."""
        for root, num in code_files.list_trees(self._db, project_id).items():
            if num != self._tree.num and not Path(root).is_dir():
                code_files.forget_tree(self._db, num)
        code_files.delete_unused_outlines(self._db, self._now - _OUTLINE_LIFETIME)

    def _stored_outline(self, file: StoredFile) -> Outline:
        packed = code_files.find_outline(self._db, file.blob, file.language, VERSION) if file.blob else None
        if packed is not None:
            return unpack_outline(packed)
        source = read_source(self._root, file.path)
        return self._readers.read(file.language, source) if isinstance(source, bytes) else NO_OUTLINE

    def _read_text(self, path: str) -> str:
        try:
            return read_bounded(self._root / path, MAX_BYTES, follow=True).decode("utf-8", "replace")
        except OSError:
            return ""

    def _summarize(self, delta: _Delta, read: list[ReadFile], edges: dict[str, list[Edge]]) -> BuildReport:
        return BuildReport(
            files=sum(not file.left_out for file in delta.now.values()),
            parsed=sum(one.parsed for one in read),
            cached=sum(not one.parsed and one.outline is not None for one in read),
            resolved=len(edges),
            renamed=tuple(sorted((old, new) for new, old in delta.moved.items())),
            removed=len(delta.gone),
        )


class _DefinitionIndex:
    """Definitions by name: from the outlines at hand, and from the store for files that did not change."""

    def __init__(
        self,
        languages: Languages,
        delta: _Delta,
        files: ProjectFiles,
        only_ones: Mapping[tuple[str, str], tuple[str, str]],
    ) -> None:
        self._installed, self._delta, self._files = languages, delta, files
        self._only_ones = only_ones

    def find(self, name: str, kin: str) -> list[Ref]:
        """All definitions of a name in languages of one family, as far as there are few of them."""
        refs = self._by_name.get((kin, name), [])
        if not self._only_ones:
            return refs
        stored = [self._only_ones.get((name, language)) for language in self._languages[kin]]
        return [*refs, *(ref for place in stored if place is not None for ref in self._ref(*place))]

    @cached_property
    def _languages(self) -> dict[str, list[str]]:
        languages: dict[str, list[str]] = {}
        for language in self._installed.by_name.values():
            languages.setdefault(language.kin, []).append(language.name)
        return languages

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], list[Ref]]:
        refs: dict[tuple[str, str], list[Ref]] = {}
        for path, outline in self._delta.outlines.items():
            if path not in self._files:
                continue
            kin = self._installed.by_name[self._files.languages[path]].kin
            seen = set()
            for place, definition in enumerate(outline.definitions):
                if definition.qualified not in seen:
                    seen.add(definition.qualified)
                    refs.setdefault((kin, definition.name), []).append(Ref(path, place))
        return refs

    def _ref(self, path: str, qualified: str) -> list[Ref]:
        if path not in self._files:
            return []
        definitions = self._files.outline(path).definitions
        return [Ref(path, place) for place, d in enumerate(definitions) if d.qualified == qualified][:1]


def _released_blobs(before: Mapping[str, StoredFile], delta: _Delta) -> set[str]:
    """Blobs that are no longer used. Another branch may bring them back, so their outlines are kept for a while."""
    changed = {before[file.path].blob for file in delta.changed if file.path in before}
    return changed | {file.blob for file in delta.gone.values()}


def _imported_pairs(outline: Outline) -> set[tuple[str, str]]:
    return {pair for statement in outline.imports for pair in statement.names}


def _star_modules(outline: Outline) -> set[str]:
    return {statement.module for statement in outline.imports if ("*", "*") in statement.names}


def _path_names(path: str) -> set[str]:
    """Names by which an import may mean a file."""
    parts = path.split("/")
    return {parts[-1].partition(".")[0], *parts[-2:-1]}
