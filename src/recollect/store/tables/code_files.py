"""Checkouts of the code graph, their files, and outlines of code cached by the file's content."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from recollect.model.value import dataclass
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, json_list, to_micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A checkout. `settings` and `left_out` are what the last build saw."""

    num: int
    project_id: str
    root: str
    built_at: datetime | None
    generation: int
    settings: Mapping[str, str]
    left_out: Mapping[str, list[str]]


class StoredFile(NamedTuple):
    """A file of a checkout as the last build saw it. A tuple: every build reads all of them."""

    num: int
    path: str
    language: str
    seen: str
    blob: str = ""
    package: str = ""
    module: str = ""
    signature: str = ""
    left_out: str = ""
    broken: bool = False


def find_tree(db: Db, root: str) -> Tree | None:
    """The checkout at this folder, if it was ever built."""
    row = db.row("code_tree_at", root=root)
    return _tree_from_row(row) if row else None


def ensure_tree(db: Db, project_id: str, root: str) -> Tree:
    """The checkout at this folder, made if it is new."""
    tree = find_tree(db, root)
    if tree is None:
        db.run("code_tree_insert", project_id=project_id, root=root)
        tree = find_tree(db, root)
    assert tree is not None
    return tree


def list_trees(db: Db, project_id: str) -> dict[str, int]:
    """The folders of a project's checkouts, with their numbers."""
    return {row["root"]: row["num"] for row in db.rows("code_trees_of_project", project_id=project_id)}


def forget_tree(db: Db, num: int) -> None:
    """A checkout that is gone, with all its nodes."""
    db.run("code_tree_delete", num=num)


def mark_built(
    db: Db,
    tree: Tree,
    project_id: str,
    now: datetime,
    settings: Mapping[str, str],
    left_out: Mapping[str, list[str]],
) -> None:
    """The checkout's graph is up to date."""
    db.run(
        "code_tree_built",
        num=tree.num,
        project_id=project_id,
        built_at=to_micros(now),
        settings=json.dumps(settings, ensure_ascii=False),
        left_out=json.dumps(left_out, ensure_ascii=False),
    )


def list_files(db: Db, tree: Tree) -> dict[str, StoredFile]:
    """Every file of a checkout, by path."""
    return {row[1]: StoredFile(*row) for row in db.tuples("code_files", tree_num=tree.num)}


def next_file_num(db: Db) -> int:
    """A number no file has."""
    row = db.row("code_file_highest")
    return int(row["num"]) + 1 if row else 1


def add_files(db: Db, tree: Tree, added: Iterable[StoredFile]) -> None:
    """Files seen for the first time."""
    db.run_many("code_file_insert", ({"tree_num": tree.num, **_file_to_columns(file)} for file in added))


def change_files(db: Db, changed: Iterable[StoredFile]) -> None:
    """Files that were changed or renamed."""
    db.run_many("code_file_update", (_file_to_columns(file) for file in changed))


def remove_files(db: Db, nums: Iterable[int]) -> None:
    """Files that are gone, with their nodes."""
    db.run_many("code_file_delete", ({"num": num} for num in nums))


def set_mentions(db: Db, mentions: Mapping[int, Iterable[str]], *, fresh: bool) -> None:
    """The names that files ask others for; FRESH files have none yet."""
    if not fresh:
        db.run_many("code_mentions_clear", ({"file_num": num} for num in mentions))
    db.run_tuples("code_mention_insert", ((name, num) for num, names in mentions.items() for name in names))


def find_mentions(db: Db, tree: Tree, names: Iterable[str]) -> dict[str, set[str]]:
    """For each of these names the files that ask for it."""
    paths_by_name: dict[str, set[str]] = {}
    for row in db.rows("code_files_mentioning", tree_num=tree.num, names=json_list(names)):
        paths_by_name.setdefault(row["name"], set()).add(row["path"])
    return paths_by_name


def find_referring_files(db: Db, nums: Iterable[int]) -> set[str]:
    """Files with an edge into one of these files."""
    return {row["path"] for row in db.rows("code_files_bearing_on", files=json.dumps(list(nums)))}


def save_outlines(db: Db, outlines: Iterable[tuple[str, str, bytes]], version: int, now: datetime) -> None:
    """Keep what bytes say: (blob, language, outline)."""
    at = to_micros(now)
    db.run_many(
        "code_parse_keep",
        (
            {"blob": blob, "language": language, "version": version, "used_at": at, "outline": outline}
            for blob, language, outline in outlines
        ),
    )


def find_outline(db: Db, blob: str, language: str, version: int) -> bytes | None:
    """What is known of one file's bytes."""
    row = db.row("code_parse_get", blob=blob, language=language, version=version)
    return row["outline"] if row else None


def find_outlines(db: Db, blobs: Iterable[str], version: int) -> dict[tuple[str, str], bytes]:
    """What is known of many files' bytes, by blob and language."""
    rows = db.rows("code_parses_known", blobs=json_list(blobs), version=version)
    return {(row["blob"], row["language"]): row["outline"] for row in rows}


def mark_outlines_used(db: Db, blobs: Iterable[str], now: datetime) -> None:
    """These bytes are about: keep what they say."""
    db.run("code_parses_used", blobs=json_list(blobs), used_at=to_micros(now))


def delete_unused_outlines(db: Db, before: datetime) -> int:
    """Drop what no checkout holds and nobody asked for since then."""
    return db.run("code_parses_forget", before=to_micros(before))


def _tree_from_row(row: Row) -> Tree:
    built = row["built_at"]
    return Tree(
        num=row["num"],
        project_id=row["project_id"],
        root=row["root"],
        built_at=from_micros(built) if built is not None else None,
        generation=row["generation"],
        settings=json.loads(row["settings"]),
        left_out=json.loads(row["left_out"]),
    )


def _file_to_columns(file: StoredFile) -> dict[str, object]:
    return file._asdict() | {"broken": int(file.broken)}
