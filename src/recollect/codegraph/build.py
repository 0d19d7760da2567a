"""
Brings the graph of a checkout up to date: list, read what changed, look names up again where it matters, write.

Everything is worked out first and written in one transaction. A counter in the checkout's row tells whether
another process wrote in the meantime; then the work is done again on what it left, with all outlines known.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from recollect.codegraph.files import NO_OUTLINE, Files
from recollect.codegraph.languages import Known
from recollect.codegraph.languages import known as known_languages
from recollect.codegraph.listing import Listing, listing, look_again, read_source
from recollect.codegraph.names import Names, Ref
from recollect.codegraph.outline import VERSION, Outline, mentions, signature, unpacked
from recollect.codegraph.readers import Readers
from recollect.codegraph.reading import Progress, Read, read_files
from recollect.codegraph.renames import renamed
from recollect.codegraph.resolve import Edge, edges_of
from recollect.codegraph.rows import NodeRows, write_edges
from recollect.errors import StoreBusy
from recollect.model.code import Built
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
_KEPT = timedelta(days=60)
# So many files may be looked at again one by one; past that, all outlines are fetched at once.
_FEW = 150
# A name that more files ask for says little about any of them.
_COMMON_NAME = 60


def build(
    db: Db,
    root: Path,
    project_id: str,
    now: datetime,
    *,
    only: Iterable[str] | None = None,
    progress: Progress = lambda done, total: None,
    known: Known | None = None,
    workers: int = 1,
) -> Built:
    """
    Make the graph of the checkout at ROOT say what its files say now; many new files are read by so many WORKERS,
    processes of their own (0: as the machine has processors).

    ONLY names the paths that may have changed, for a caller who knows; then git is not asked at all. A graph
    that was never built, or was built by rules that changed since, is built whole all the same.
    """
    languages = known or known_languages()
    readers = Readers(languages)
    # A worker knows the languages that are installed, and no others.
    workers = workers if known is None else 1
    with _uncollected():
        for _ in range(_ATTEMPTS):
            tree = code_files.ensure_tree(db, project_id, storable(str(root)))
            work = _Work(db, root, tree, languages, readers, now, workers)
            built = work.done(project_id, list(only) if only is not None else None, progress)
            if built is not None:
                return built
    raise StoreBusy(path=db.path, seconds=0)


@contextmanager
def _uncollected() -> Iterator[None]:
    """A build makes a million small tuples without a cycle in them; looking for cycles takes a fifth of it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(slots=True)
class _Delta:
    """What became of the files: as they are now, those to be read anew, and those that are gone."""

    now: dict[str, StoredFile]
    outlines: dict[str, Outline]
    fresh: set[int]
    changed: list[StoredFile]
    touched: list[StoredFile]
    gone: dict[str, StoredFile]
    moved: dict[str, str]


class _Work:
    """One attempt."""

    def __init__(
        self,
        db: Db,
        root: Path,
        tree: Tree,
        known: Known,
        readers: Readers,
        now: datetime,
        workers: int,
    ) -> None:
        self._db, self._root, self._tree, self._now = db, root, tree, now
        self._known, self._readers, self._workers = known, readers, workers

    def done(self, project_id: str, only: list[str] | None, progress: Progress) -> Built | None:
        """What the attempt did; None when another process was faster."""
        before = code_files.files(self._db, self._tree)
        found = self._listed(before, only)
        settings = {_RULES_KEY: RULES, **found.settings}
        is_stale = self._tree.settings.get(_RULES_KEY) != RULES
        to_read = [
            file
            for path, file in found.files.items()
            if is_stale or path not in before or before[path].seen != file.seen
        ]
        read = read_files(
            self._db, self._root, to_read, self._readers, self._now, progress, workers=self._workers
        )
        delta = self._delta(found, before, read)
        files = self._files(delta, found)
        self._name_modules(delta, files)
        again = self._to_resolve(delta, before, everything=settings != self._tree.settings)
        edges = self._resolved(delta, files, again)
        if not (edges or delta.gone or delta.changed or delta.touched) and self._tree.built_at:
            return self._built(delta, read, edges)
        with self._db.transaction():
            current = code_files.ensure_tree(self._db, project_id, self._tree.root)
            if (current.num, current.generation) != (self._tree.num, self._tree.generation):
                return None
            self._write(delta, edges, project_id)
            code_files.still_used(self._db, _let_go(before, delta), self._now)
            code_files.mark_built(
                self._db, self._tree, project_id, self._now, settings, self._left_out(found, only)
            )
            if only is None:
                self._tidy(project_id)
        return self._built(delta, read, edges)

    def _listed(self, before: dict[str, StoredFile], only: list[str] | None) -> Listing:
        is_current = self._tree.built_at is not None and self._tree.settings.get(_RULES_KEY) == RULES
        if only is None or not is_current or any(map(self._known.is_settings, only)):
            return listing(self._root, self._known)
        found = look_again(self._root, only, before, self._known)
        found.settings = {path: seen for path, seen in self._tree.settings.items() if path != _RULES_KEY}
        return found

    def _left_out(self, found: Listing, only: list[str] | None) -> Mapping[str, list[str]]:
        if only is not None:
            return self._tree.left_out
        return {why: [str(count), *found.examples[why]] for why, count in found.left_out.items()}

    def _delta(self, found: Listing, before: dict[str, StoredFile], read: list[Read]) -> _Delta:
        gone = {path: file for path, file in before.items() if path not in found.files}
        new = {one.path: one for one in read if one.path not in before}
        moved = renamed(gone, new, self._stored_outline) if gone and new else {}
        delta = _Delta(
            now={path: file for path, file in before.items() if path in found.files},
            outlines={},
            fresh=set(),
            changed=[],
            touched=[],
            gone={path: file for path, file in gone.items() if path not in moved.values()},
            moved=moved,
        )
        number = code_files.next_file(self._db)
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
                signature=signature(outline),
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

    def _name_modules(self, delta: _Delta, files: Files) -> None:
        for place, file in enumerate(delta.changed):
            if file.left_out:
                continue
            language = self._known.by_name[file.language]
            module = language.module(files, file.path, delta.outlines[file.path])
            delta.changed[place] = delta.now[file.path] = file._replace(module=module)

    def _files(self, delta: _Delta, found: Listing) -> Files:
        inside = {path: file for path, file in delta.now.items() if not file.left_out}

        def outline_of(path: str) -> Outline:
            known = delta.outlines.get(path)
            return known if known is not None else self._stored_outline(inside[path])

        return Files(
            {path: file.language for path, file in inside.items()},
            outline_of,
            packages={path: file.package for path, file in inside.items()},
            others=found.settings,
            read=self._text,
        )

    def _to_resolve(self, delta: _Delta, before: dict[str, StoredFile], *, everything: bool) -> set[str]:
        """Changed files, and those that may now find other things under the names they ask for."""
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
            changed, deeply = self._told(delta.outlines[file.path], old)
            names |= changed
            if old is None or old.path != file.path:
                names |= _path_names(file.path)
            if old is not None and (deeply or old.path != file.path):
                watched.append(old.num)
        for old in delta.gone.values():
            names |= self._told(NO_OUTLINE, old)[0] | _path_names(old.path)
            watched.append(old.num)
        return (again | self._asking(names, watched)) & inside

    def _asking(self, names: set[str], watched: list[int]) -> set[str]:
        """Files that ask for one of these names, or have an edge into one of the watched files."""
        found = code_files.bearing_on(self._db, watched) if watched else set()
        if names:
            near = set(found)
            for paths in code_files.mentioning(self._db, self._tree, names).values():
                found |= paths if len(paths) <= _COMMON_NAME else paths & near
        return found

    def _told(self, outline: Outline, old: StoredFile | None) -> tuple[set[str], bool]:
        """Names a file has gained or lost, and whether more than names changed: bases, or what it passes on."""
        before = self._stored_outline(old) if old is not None and old.blob else NO_OUTLINE
        mine = {(d.qualified, d.kind): d.bases for d in outline.definitions}
        theirs = {(d.qualified, d.kind): d.bases for d in before.definitions}
        names = {qualified.rpartition(".")[2] for qualified, _ in mine.keys() ^ theirs.keys()}
        names |= {local for _, local in _imported(outline) ^ _imported(before)}
        names |= {name for name, _ in {*outline.exports} ^ {*before.exports}}
        other_bases = any(mine[key] != theirs[key] for key in mine.keys() & theirs.keys())
        other_stars = _starred(outline) != _starred(before)
        return names, other_bases or other_stars or outline.package != before.package

    def _resolved(self, delta: _Delta, files: Files, again: set[str]) -> dict[str, list[Edge]]:
        if not again:
            return {}
        only_ones: dict[tuple[str, str], tuple[str, str]] = {}
        if len(again) > _FEW:
            self._fetch_all(delta)
        else:
            asked = {call.callee.rpartition(".")[2] for path in again for call in files.outline(path).calls}
            changed = [file.num for file in delta.changed]
            only_ones = code_nodes.only_ones(self._db, self._tree, asked, changed)
        everywhere = _Everywhere(self._known, delta, files, only_ones)
        names = Names(files, self._known, everywhere.called)
        return {path: edges_of(names, path) for path in sorted(again)}

    def _fetch_all(self, delta: _Delta) -> None:
        missing = [f for path, f in delta.now.items() if path not in delta.outlines and not f.left_out]
        kept = code_files.kept_outlines(self._db, [file.blob for file in missing], VERSION)
        for file in missing:
            known = kept.get((file.blob, file.language))
            delta.outlines[file.path] = unpacked(known) if known else self._stored_outline(file)

    def _write(self, delta: _Delta, edges: dict[str, list[Edge]], project_id: str) -> None:
        db, tree = self._db, self._tree
        code_files.remove_files(db, [file.num for file in delta.gone.values()])
        for new, old in delta.moved.items():
            code_notes.rename(db, project_id, old, new)
        code_files.change_files(db, [f for f in (*delta.changed, *delta.touched) if f.num not in delta.fresh])
        code_files.add_files(db, tree, [file for file in delta.changed if file.num in delta.fresh])
        asked = {file.num: mentions(delta.outlines[file.path]) for file in delta.changed}
        code_files.set_mentions(db, {n: m for n, m in asked.items() if n in delta.fresh}, fresh=True)
        code_files.set_mentions(db, {n: m for n, m in asked.items() if n not in delta.fresh}, fresh=False)
        nums = {path: file.num for path, file in delta.now.items()}
        nodes = NodeRows(db, tree, nums, code_nodes.next_node(db))
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
                known = code_nodes.nodes_of_file(self._db, file.num)
                code_nodes.remove_nodes(self._db, [node.num for node in known.values()])

    def _tidy(self, project_id: str) -> None:
        """Forget checkouts whose folder is gone, and content nobody has had for long."""
        for root, num in code_files.trees_of(self._db, project_id).items():
            if num != self._tree.num and not Path(root).is_dir():
                code_files.forget_tree(self._db, num)
        code_files.forget_outlines(self._db, self._now - _KEPT)

    def _stored_outline(self, file: StoredFile) -> Outline:
        kept = code_files.kept_outline(self._db, file.blob, file.language, VERSION) if file.blob else None
        if kept is not None:
            return unpacked(kept)
        source = read_source(self._root, file.path)
        return self._readers.read(file.language, source) if isinstance(source, bytes) else NO_OUTLINE

    def _text(self, path: str) -> str:
        try:
            return (self._root / path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _built(self, delta: _Delta, read: list[Read], edges: dict[str, list[Edge]]) -> Built:
        return Built(
            files=sum(not file.left_out for file in delta.now.values()),
            parsed=sum(one.parsed for one in read),
            cached=sum(not one.parsed and one.outline is not None for one in read),
            resolved=len(edges),
            renamed=tuple(sorted((old, new) for new, old in delta.moved.items())),
            removed=len(delta.gone),
        )


class _Everywhere:
    """Who defines a name: from the outlines at hand, and from the store for files that did not change."""

    def __init__(
        self,
        known: Known,
        delta: _Delta,
        files: Files,
        only_ones: Mapping[tuple[str, str], tuple[str, str]],
    ) -> None:
        self._known, self._delta, self._files = known, delta, files
        self._only_ones = only_ones

    def called(self, name: str, kin: str) -> list[Ref]:
        """All definitions of a name in languages of one family, as far as there are few of them."""
        found = self._at_hand.get((kin, name), [])
        if not self._only_ones:
            return found
        stored = [self._only_ones.get((name, language)) for language in self._languages[kin]]
        return [*found, *(ref for place in stored if place is not None for ref in self._ref(*place))]

    @cached_property
    def _languages(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for language in self._known.by_name.values():
            found.setdefault(language.kin, []).append(language.name)
        return found

    @cached_property
    def _at_hand(self) -> dict[tuple[str, str], list[Ref]]:
        found: dict[tuple[str, str], list[Ref]] = {}
        for path, outline in self._delta.outlines.items():
            if path not in self._files:
                continue
            kin = self._known.by_name[self._files.languages[path]].kin
            seen = set()
            for place, definition in enumerate(outline.definitions):
                if definition.qualified not in seen:
                    seen.add(definition.qualified)
                    found.setdefault((kin, definition.name), []).append(Ref(path, place))
        return found

    def _ref(self, path: str, qualified: str) -> list[Ref]:
        if path not in self._files:
            return []
        definitions = self._files.outline(path).definitions
        return [Ref(path, place) for place, d in enumerate(definitions) if d.qualified == qualified][:1]


def _let_go(before: Mapping[str, StoredFile], delta: _Delta) -> set[str]:
    """Bytes that were about until now: another branch may bring them back, so their outlines stay a while."""
    changed = {before[file.path].blob for file in delta.changed if file.path in before}
    return changed | {file.blob for file in delta.gone.values()}


def _imported(outline: Outline) -> set[tuple[str, str]]:
    return {pair for asked in outline.imports for pair in asked.names}


def _starred(outline: Outline) -> set[str]:
    return {asked.module for asked in outline.imports if ("*", "*") in asked.names}


def _path_names(path: str) -> set[str]:
    """Names by which an import may mean a file."""
    parts = path.split("/")
    return {parts[-1].partition(".")[0], *parts[-2:-1]}
