from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repos import (
    a_clone,
    a_repository,
    a_shallow_clone,
    a_worktree,
    an_empty_repository,
    commit,
    git,
    isolate,
    root_commit,
)

from recollect.errors import RepositoryError
from recollect.git import identity as room
from recollect.git.identity import identify, list_former_keys, read_branch, read_head_commit
from recollect.git.run import run_git
from recollect.model.project import ProjectIdentity, path_key, remote_key, storable

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are not UTF-8")
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs shell scripts or POSIX file names")


class Cache:
    """What the store keeps, as a dictionary that counts."""

    def __init__(self) -> None:
        self.records: dict[str, str] = {}
        self.puts = 0

    def get(self, common: str, /) -> str | None:
        return self.records.get(common)

    def put(self, common: str, record: str, /) -> None:
        record.encode("utf-8")
        self.records[common] = record
        self.puts += 1


@pytest.fixture(autouse=True)
def _isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch, tmp_path / "home")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return a_repository(tmp_path / "app")


def without_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir(exist_ok=True)
    monkeypatch.setenv("PATH", str(empty))


def a_git_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a script called git before the real one, which it can reach as $GIT."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "git"
    program.write_text(f"#!/bin/sh\nGIT='{shutil.which('git')}'\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


# What a project is


def test_a_repository_is_its_root_commit(repository: Path) -> None:
    first = root_commit(repository)
    commit(repository, "src/app.py", "print()\n")

    assert identify(repository) == ProjectIdentity(
        basis="root-commit",
        key=f"git:{first}",
        name="app",
        root=repository.resolve().as_posix(),
        common=(repository / ".git").resolve().as_posix(),
    )


def test_every_folder_of_a_working_tree_is_the_same_project(repository: Path) -> None:
    deep = repository / "src" / "deep"
    deep.mkdir(parents=True)
    assert identify(deep) == identify(repository)
    assert identify(deep / "not" / "there" / "yet") == identify(repository)
    assert identify(repository / ".git" / "hooks") == identify(repository)


def test_worktrees_and_clones_are_the_same_project(repository: Path, tmp_path: Path) -> None:
    worktree = a_worktree(repository, tmp_path / "app-feature")
    commit(worktree, "feature.txt", "x")
    clone = a_clone(repository, tmp_path / "other name")

    here, there, clone_identity = identify(repository), identify(worktree), identify(clone)
    assert here.key == there.key == clone_identity.key
    assert here.common == there.common != clone_identity.common
    assert there.root == worktree.resolve().as_posix()
    assert (there.name, clone_identity.name) == ("app", "other name")


def test_a_moved_repository_is_the_same_project(repository: Path, tmp_path: Path) -> None:
    before = identify(repository)
    repository.rename(tmp_path / "moved")
    assert identify(tmp_path / "moved").key == before.key


def test_two_repositories_are_two_projects(repository: Path, tmp_path: Path) -> None:
    assert identify(repository).key != identify(a_repository(tmp_path / "lib")).key


@posix_only
def test_a_link_to_a_repository_is_that_repository(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repository)
    assert identify(tmp_path / "link") == identify(repository)


def test_a_merged_stranger_with_an_older_beginning_does_not_take_over(
    repository: Path, tmp_path: Path
) -> None:
    library = an_empty_repository(tmp_path / "library")
    (library / "lib.c").write_text("int x;\n", encoding="utf-8")
    git(library, "add", "lib.c")
    subprocess.run(
        ["git", "commit", "-q", "-m", "Old"],
        cwd=library,
        check=True,
        env=os.environ
        | {"GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z"},
    )
    before = identify(repository)

    git(
        repository,
        "pull",
        "-q",
        "--no-rebase",
        "--no-edit",
        "--allow-unrelated-histories",
        str(library),
        "main",
    )

    assert len(root_commit(repository).splitlines()) == 2
    assert identify(repository) == before
    assert identify(a_clone(repository, tmp_path / "later")).key == before.key


def test_an_orphan_branch_belongs_to_the_project(repository: Path, tmp_path: Path) -> None:
    project = identify(repository).key
    git(repository, "checkout", "-q", "--orphan", "gh-pages")
    assert identify(repository).key == project, "unborn orphan branch"
    commit(repository, "index.html", "<p>")
    assert identify(repository).key == project
    assert identify(a_clone(repository, tmp_path / "main", "--branch", "main")).key == project


def test_a_history_without_main_or_origin_begins_where_a_branch_does(tmp_path: Path) -> None:
    repository = a_repository(tmp_path / "app", "-b", "trunk")
    expected = f"git:{root_commit(repository)}"
    assert identify(repository).key == expected
    git(repository, "checkout", "-q", "--orphan", "unborn")
    assert identify(repository).key == expected


def test_a_detached_head_changes_nothing(repository: Path) -> None:
    before = identify(repository)
    commit(repository, "a.txt", "a")
    git(repository, "checkout", "-q", "--detach", "HEAD~1")
    assert identify(repository) == before


def test_a_detached_checkout_without_any_branch_is_known(repository: Path) -> None:
    before = identify(repository)
    git(repository, "checkout", "-q", "--detach")
    git(repository, "branch", "-D", "main")
    assert identify(repository) == before


def test_a_sparse_checkout_changes_nothing(repository: Path, tmp_path: Path) -> None:
    commit(repository, "kept/a.txt", "a")
    sparse = a_clone(repository, tmp_path / "sparse", "--sparse", "--filter=blob:none")
    git(sparse, "sparse-checkout", "set", "kept")
    assert identify(sparse).key == identify(repository).key


def test_a_bare_repository_is_a_project_of_its_own_folder(repository: Path, tmp_path: Path) -> None:
    bare = a_clone(repository, tmp_path / "app.git", "--bare")
    assert identify(bare).key == identify(repository).key
    assert (identify(bare).name, identify(bare).root) == ("app", bare.resolve().as_posix())
    assert identify(bare / "objects") == identify(bare)


def test_a_worktree_of_a_bare_repository_is_named_after_the_repository(
    repository: Path, tmp_path: Path
) -> None:
    bare = a_clone(repository, tmp_path / "product" / ".bare", "--bare")
    worktree = a_worktree(bare, tmp_path / "product" / "feature")
    assert (identify(worktree).name, identify(worktree).key) == ("product", identify(repository).key)


def test_a_bare_repository_inside_a_working_tree_is_just_files(repository: Path, tmp_path: Path) -> None:
    other = a_repository(tmp_path / "other")
    fixture = a_clone(other, repository / "tests" / "fixture.git", "--bare")
    assert identify(fixture) == identify(repository)


def test_a_submodule_is_its_own_project(repository: Path, tmp_path: Path) -> None:
    library = a_repository(tmp_path / "library")
    git(repository, "submodule", "--quiet", "add", str(library), "vendor/library")
    submodule = identify(repository / "vendor" / "library")
    assert submodule.key == identify(library).key != identify(repository).key
    assert path_key(submodule.root) in list_former_keys(submodule)
    assert (submodule.name, submodule.root) == (
        "library",
        (repository / "vendor/library").resolve().as_posix(),
    )


def test_a_separate_git_folder_is_followed(tmp_path: Path) -> None:
    repository = a_repository(tmp_path / "app", "--separate-git-dir", str(tmp_path / "app.git"))
    assert identify(repository).key == f"git:{root_commit(repository)}"


def test_replaced_and_grafted_history_is_not_believed(repository: Path, tmp_path: Path) -> None:
    before = identify(repository)
    second = commit(repository, "b.txt", "b")
    git(repository, "replace", "--graft", second)
    (repository / ".git" / "info" / "grafts").write_text(f"{second}\n", encoding="ascii")
    assert identify(repository) == before


# Weaker grounds


def test_a_folder_outside_git_is_its_resolved_path(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    expected = ProjectIdentity(
        basis="path",
        key=path_key(str(folder.resolve())),
        name="notes",
        root=folder.resolve().as_posix(),
        reason="it is not in a git repository",
    )
    assert identify(folder) == expected
    if sys.platform != "win32":
        (tmp_path / "link").symlink_to(folder)
        assert identify(tmp_path / "link") == expected


def test_the_root_of_the_file_system_has_a_name() -> None:
    top = Path(Path.cwd().anchor)
    if not (top / ".git").exists():
        assert identify(top).name == top.as_posix()


def test_a_repository_without_a_commit_is_the_path_of_its_top(tmp_path: Path) -> None:
    repository = an_empty_repository(tmp_path / "fresh")
    (repository / "src").mkdir()
    unborn = identify(repository / "src")
    assert (unborn.basis, unborn.key) == ("path", path_key(str(repository.resolve())))
    assert unborn.reason == "it has no commit yet"


def test_the_first_commit_gives_a_new_key_and_names_the_old_one(tmp_path: Path) -> None:
    cache = Cache()
    folder = tmp_path / "fresh"
    folder.mkdir()
    outside = identify(folder, cache)
    an_empty_repository(folder)
    unborn = identify(folder, cache)
    commit(folder, "a.txt", "a")
    born = identify(folder, cache)

    assert outside.key == unborn.key
    assert born.basis == "root-commit"
    assert list_former_keys(born) == (unborn.key,)
    assert list_former_keys(unborn) == list_former_keys(outside) == ()


def test_a_worktree_names_the_former_path_of_the_main_tree_too(repository: Path, tmp_path: Path) -> None:
    git(repository, "remote", "add", "origin", "git@example.com:org/app.git")
    worktree = a_worktree(repository, tmp_path / "feature")
    assert list_former_keys(identify(worktree)) == (
        "remote:example.com/org/app",
        path_key(str(repository.resolve())),
        path_key(str(worktree.resolve())),
    )


def test_a_shallow_clone_is_its_remote_until_it_is_deepened(repository: Path, tmp_path: Path) -> None:
    cache = Cache()
    commit(repository, "b.txt", "b")
    shallow = a_shallow_clone(repository, tmp_path / "shallow")

    identity = identify(shallow, cache)
    assert (identity.basis, identity.key) == ("remote", remote_key(repository.resolve().as_uri()))
    assert identify(shallow, cache) == identity
    assert cache.puts == 1

    git(shallow, "fetch", "-q", "--unshallow")
    deepened = identify(shallow, cache)
    assert deepened.key == identify(repository).key
    assert list_former_keys(deepened)[0] == identity.key


def test_a_shallow_clone_that_changes_its_remote_is_looked_at_again(repository: Path, tmp_path: Path) -> None:
    cache = Cache()
    commit(repository, "b.txt", "b")
    shallow = a_shallow_clone(repository, tmp_path / "shallow")
    identify(shallow, cache)
    git(shallow, "remote", "set-url", "origin", "https://ada:secret@Example.com/org/app.git/")
    assert identify(shallow, cache).key == "remote:example.com/org/app"
    assert "secret" not in str(cache.records)


def test_origin_is_preferred_and_abbreviations_are_spelled_out(repository: Path, tmp_path: Path) -> None:
    commit(repository, "b.txt", "b")
    shallow = a_shallow_clone(repository, tmp_path / "shallow")
    git(shallow, "remote", "rename", "origin", "another")
    git(shallow, "remote", "add", "a-fork", "https://example.com/fork/app")
    assert identify(shallow).key == "remote:example.com/fork/app"
    git(shallow, "remote", "add", "upstream", "../elsewhere")
    git(shallow, "config", "--global", "url.https://example.com/.insteadOf", "ex:")
    git(shallow, "remote", "add", "origin", "ex:org/app")
    assert identify(shallow).key == "remote:example.com/org/app"
    git(shallow, "remote", "set-url", "origin", "../nowhere")
    assert identify(shallow).key == "remote:example.com/fork/app", (
        "only addresses that mean the same elsewhere"
    )


def test_a_shallow_clone_without_a_config_is_still_looked_at(repository: Path, tmp_path: Path) -> None:
    commit(repository, "b.txt", "b")
    shallow = a_shallow_clone(repository, tmp_path / "shallow")
    (shallow / ".git" / "config").unlink()
    assert identify(shallow, Cache()).basis == "path"


def test_without_git_the_former_keys_are_the_paths(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "remote", "add", "origin", "https://example.com/org/app")
    known = identify(repository)
    without_git(monkeypatch, tmp_path)
    assert list_former_keys(known) == (path_key(known.root),)


def test_a_shallow_clone_without_a_remote_is_its_path(repository: Path, tmp_path: Path) -> None:
    commit(repository, "b.txt", "b")
    shallow = a_shallow_clone(repository, tmp_path / "shallow")
    git(shallow, "remote", "remove", "origin")
    assert identify(shallow).basis == "path"
    assert "without a remote" in identify(shallow).reason


# What git refuses or cannot do


def test_without_git_a_folder_is_its_path_and_says_why(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_git(monkeypatch, tmp_path)
    identity = identify(repository)
    assert (identity.basis, identity.reason) == ("path", "git is not installed")
    assert list_former_keys(identity) == ()
    with pytest.raises(RepositoryError, match="git is not installed") as caught:
        run_git(["rev-parse", "HEAD"], str(repository))
    assert "PATH" in caught.value.fix


@posix_only
def test_a_repository_of_another_owner_is_its_path_until_git_trusts_it(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_git_that(tmp_path, monkeypatch, 'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "$GIT" "$@"')
    refused = identify(repository)
    assert refused.basis == "path"
    assert "dubious ownership" in refused.reason

    git(tmp_path, "config", "--global", "--add", "safe.directory", "*")
    trusted = identify(repository)
    assert trusted.basis == "root-commit"
    assert list_former_keys(trusted) == (refused.key,)


@posix_only
def test_a_known_repository_stays_known_when_git_refuses_or_is_gone(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache()
    borrowing = a_clone(repository, tmp_path / "borrowing")
    git(borrowing, "repack", "-q", "-a", "-d")
    (borrowing / ".git/objects/info/alternates").write_text(f"{repository}/.git/objects\n", encoding="utf-8")
    git(borrowing, "repack", "-q", "-a", "-d", "-l")
    known = identify(borrowing, cache)
    assert not list((borrowing / ".git/objects/pack").glob("*.idx")), "every object is borrowed"
    assert identify(borrowing, cache) == known
    assert cache.puts == 1
    without_git(monkeypatch, tmp_path)
    assert identify(borrowing, cache) == known


@pytest.mark.parametrize("content", ["", "nonsense", "gitdir: /nowhere/at/all", "gitdir: \0", "gitdir:"])
def test_a_broken_git_file_leaves_the_path(repository: Path, content: str) -> None:
    broken = repository / "broken"
    broken.mkdir()
    (broken / ".git").write_text(content, encoding="utf-8")
    identity = identify(broken)
    assert (identity.basis, identity.root) == ("path", broken.resolve().as_posix())
    assert ".git" in identity.reason
    assert read_branch(broken) is read_head_commit(broken) is None


def test_a_worktree_whose_repository_is_gone_leaves_the_path(repository: Path, tmp_path: Path) -> None:
    worktree = a_worktree(repository, tmp_path / "feature")
    shutil.rmtree(repository)
    assert identify(worktree).reason == "its .git points to a repository that is gone"


@posix_only
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_git_folder_leaves_the_path(repository: Path) -> None:
    (repository / ".git").chmod(0)
    try:
        assert identify(repository).reason == "its .git cannot be read"
    finally:
        (repository / ".git").chmod(0o755)


def test_an_empty_git_folder_is_walked_past(repository: Path) -> None:
    inner = repository / "inner"
    (inner / ".git").mkdir(parents=True)
    assert identify(inner) == identify(repository)


def test_git_never_answers_from_a_repository_further_up(repository: Path) -> None:
    """Ours thinks this is a repository, git does not: the parent's root commit would be the wrong answer."""
    inner = repository / "inner"
    for folder in ("objects", "refs/heads"):
        (inner / ".git" / folder).mkdir(parents=True)
    (inner / ".git" / "HEAD").write_text("nonsense", encoding="ascii")
    (inner / ".git" / "refs" / "heads" / "main").write_text("0" * 40, encoding="ascii")
    assert identify(inner).basis == "path"


@posix_only
def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path, repository: Path) -> None:
    odd = tmp_path / "odd"
    odd.mkdir()
    os.mkfifo(odd / ".git")
    assert identify(odd).basis == "path"
    (repository / ".git" / "HEAD").unlink()
    os.mkfifo(repository / ".git" / "HEAD")
    assert read_branch(repository) is None


def test_a_damaged_history_leaves_the_path(repository: Path) -> None:
    first = root_commit(repository)
    (repository / ".git" / "objects" / first[:2] / first[2:]).unlink()
    identity = identify(repository)
    assert identity.basis == "path"
    assert identity.reason


def test_a_path_with_a_nul_is_refused_in_a_sentence() -> None:
    with pytest.raises(RepositoryError, match="NUL"):
        identify(Path("a\0b"))


@linux_only
def test_names_that_are_no_text_still_give_keys_that_are(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xe9t\xe9\x1b[31m\n"))
    folder.mkdir()
    cache = Cache()
    outside = identify(folder, cache)
    an_empty_repository(folder)
    git(folder, "commit", "-q", "--allow-empty", "-m", "First")
    inside = identify(folder, cache)
    for identity in (outside, inside):
        (identity.key + identity.name + identity.reason).encode("utf-8")
        assert identity.name.isprintable()
        assert Path(identity.root).is_dir()
    assert list_former_keys(inside) == (outside.key,)
    assert identify(folder, cache) == inside
    assert cache.puts == 1


# The cache


@pytest.mark.parametrize("packed", [False, True])
def test_a_known_repository_is_identified_without_git(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    cache = Cache()
    if packed:
        for number in range(40):
            commit(repository, f"{number}.txt", str(number))
        git(repository, "gc", "-q", "--prune=now")
        assert not list((repository / ".git" / "objects").glob("??"))
    worktree = a_worktree(repository, tmp_path / "feature")
    known = identify(repository, cache)
    monkeypatch.setattr(room, "ask_git", None)
    monkeypatch.setattr(room, "run_git", None)

    assert identify(repository, cache) == known
    assert identify(worktree, cache).key == known.key
    assert cache.puts == 1


def test_every_commit_of_a_pack_is_found_in_its_index_and_no_other(repository: Path) -> None:
    shas = [commit(repository, "a.txt", str(number)) for number in range(30)]
    git(repository, "gc", "-q", "--prune=now")
    (index,) = (repository / ".git" / "objects" / "pack").glob("*.idx")
    everything = git(repository, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    assert set(shas) < set(everything)
    assert all(room._in_index(index, sha) for sha in everything)
    for sha in everything:
        near = f"{(int(sha, 16) + 1) % 16**40:040x}"
        assert room._in_index(index, near) == (near in everything)
    assert not room._in_index(index, "0" * 40)
    assert not room._in_index(index, "f" * 40)


@given(st.binary(max_size=1200))
def test_a_damaged_pack_index_is_no_answer_and_no_crash(
    tmp_path_factory: pytest.TempPathFactory, tail: bytes
) -> None:
    index = tmp_path_factory.getbasetemp() / "damaged.idx"
    for content in (tail, room._INDEX_MAGIC + tail, room._INDEX_MAGIC + b"\xff" * 1024 + tail):
        index.write_bytes(content)
        assert not room._in_index(index, "ab" * 20)


def test_a_name_across_two_entries_of_an_index_is_no_match(tmp_path: Path) -> None:
    name = b"\xab" * 20
    across = b"\xaa" + name + b"\x00" * 19
    counts = b"".join(number.to_bytes(4, "big") for number in [0] * 0xAB + [3] * (256 - 0xAB))
    index = tmp_path / "made.idx"
    for last, expected in ((b"\xac" * 20, False), (name, True)):
        index.write_bytes(room._INDEX_MAGIC + counts + across + last)
        assert room._in_index(index, name.hex()) is expected


def test_another_repository_in_the_same_place_is_noticed(repository: Path) -> None:
    cache = Cache()
    before = identify(repository, cache)
    shutil.rmtree(repository)
    repository.mkdir()
    an_empty_repository(repository)
    assert identify(repository, cache).basis == "path"
    commit(repository, "other.txt", "other")
    assert identify(repository, cache).key == f"git:{root_commit(repository)}" != before.key


def test_a_rewritten_history_keeps_its_key_until_the_old_commits_are_gone(repository: Path) -> None:
    cache = Cache()
    before = identify(repository, cache)
    git(repository, "commit", "-q", "--amend", "-m", "Begun differently")
    assert identify(repository, cache) == before
    git(repository, "reflog", "expire", "--expire=now", "--all")
    git(repository, "gc", "-q", "--prune=now")
    assert identify(repository, cache).key == f"git:{root_commit(repository)}" != before.key


@pytest.mark.parametrize(
    "record", ["", "git:", "git:../../etc", "git:zz", "remote:x\t1:1", "path:/x", "\t", "git:" + "0" * 40]
)
def test_a_spoiled_cache_is_learned_anew(repository: Path, record: str) -> None:
    cache = Cache()
    expected = identify(repository, cache)
    (common,) = cache.records
    cache.records[common] = record
    assert identify(repository, cache) == expected
    assert cache.puts == 2


def test_weak_identities_are_not_cached(tmp_path: Path) -> None:
    cache = Cache()
    identify(tmp_path, cache)
    identify(an_empty_repository(tmp_path / "fresh"), cache)
    assert cache.puts == 0


@posix_only
def test_odd_things_among_the_packs_are_passed_over(repository: Path) -> None:
    cache = Cache()
    known = identify(repository, cache)
    git(repository, "repack", "-q", "-a", "-d")
    packs = repository / ".git" / "objects" / "pack"
    (packs / "folder.idx").mkdir()
    (packs / "short.idx").write_bytes(b"\xfftOc")
    assert identify(repository, cache) == known
    shutil.rmtree(packs)
    assert identify(repository, cache).basis == "path", "the history is gone"
    assert cache.puts == 1


def test_a_cached_identity_loads_no_process_machinery(repository: Path) -> None:
    cache = Cache()
    identify(repository, cache)
    script = (
        "import sys; from pathlib import Path; from recollect.git.identity import identify\n"
        "class Known:\n"
        f"    get = lambda self, common: {cache.records!r}[common]\n"
        "print(identify(Path(sys.argv[1]), Known()).basis, 'subprocess' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script, str(repository)],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=os.environ | {"PYTHONPATH": str(Path(room.__file__).parents[2])},
    )
    assert done.stdout.split() == ["root-commit", "False"]


# Where the history stands


def test_branch_and_head_follow_the_checkout(repository: Path, tmp_path: Path) -> None:
    first = root_commit(repository)
    assert (read_branch(repository), read_head_commit(repository)) == ("main", first)
    worktree = a_worktree(repository, tmp_path / "wt", "team/feature")
    second = commit(worktree, "b.txt", "b")
    assert (read_branch(worktree), read_head_commit(worktree)) == ("team/feature", second)
    assert (read_branch(repository), read_head_commit(repository)) == ("main", first)
    git(repository, "pack-refs", "--all")
    assert (read_head_commit(repository), read_head_commit(worktree)) == (first, second)
    git(repository, "checkout", "-q", "--detach")
    assert (read_branch(repository), read_head_commit(repository)) == (None, first)


def test_branch_and_head_before_the_first_commit_and_outside_git(tmp_path: Path) -> None:
    repository = an_empty_repository(tmp_path / "fresh")
    assert (read_branch(repository), read_head_commit(repository)) == ("main", None)
    outside = tmp_path / "outside"
    outside.mkdir()
    assert (read_branch(outside), read_head_commit(outside)) == (None, None)


@pytest.mark.parametrize(
    "head", ["ref: ../../secret", "ref: refs/../../../secret", "ref: /etc/hostname", "ref: HEAD", "x"]
)
def test_a_head_that_points_out_of_the_repository_is_not_followed(repository: Path, head: str) -> None:
    (repository.parent / "secret").write_text("a" * 40, encoding="ascii")
    (repository / ".git" / "HEAD").write_text(head + "\n", encoding="ascii")
    assert read_head_commit(repository) is None


def test_refs_that_point_in_a_circle_end(repository: Path) -> None:
    git(repository, "symbolic-ref", "refs/heads/a", "refs/heads/b")
    git(repository, "symbolic-ref", "refs/heads/b", "refs/heads/a")
    git(repository, "symbolic-ref", "HEAD", "refs/heads/a")
    assert read_head_commit(repository) is None


def test_a_repository_with_reftables_is_read_through_git(repository: Path, tmp_path: Path) -> None:
    """An old git knows no such format; what matters is that the file HEAD is not believed in its presence."""
    first = root_commit(repository)
    (repository / ".git" / "reftable").mkdir()
    assert (read_branch(repository), read_head_commit(repository)) == ("main", first)
    assert identify(repository).key == f"git:{first}"
    git(repository, "checkout", "-q", "--detach")
    assert read_branch(repository) is None
    fresh = an_empty_repository(tmp_path / "fresh")
    (fresh / ".git" / "reftable").mkdir()
    assert read_head_commit(fresh) is None
    assert identify(fresh).reason == "it has no commit yet"


def test_sha256_repositories_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache()
    repository = a_repository(tmp_path / "long", "--object-format=sha256")
    git(repository, "gc", "-q")
    known = identify(repository, cache)
    assert len(known.key) == len("git:") + 64
    monkeypatch.setattr(room, "ask_git", None)
    assert identify(repository, cache) == known
    assert read_head_commit(repository) == known.key.removeprefix("git:")


# Addresses of remotes

SAME = [
    "https://example.com/org/app",
    "https://example.com/org/app.git",
    "https://EXAMPLE.com/org/app/",
    "https://example.com:443/org//app.git/",
    "https://ada:token@example.com/org/app.git",
    "https://example.com/org/app.git?token=x#y",
    "http://example.com/org/app",
    "git://example.com:9418/org/app.git",
    "ssh://git@example.com/org/app.git",
    "ssh://git@example.com:2222/org/app",
    "git+ssh://git@example.com/org/app",
    "SSH://git@example.com./org/app",
    "git@example.com:org/app.git",
    "git@example.com:/org/app",
    "example.com:org/app",
    "[git@example.com:2222]:org/app.git",
    "  git@Example.com:org/app.git\n",
]


@pytest.mark.parametrize("url", SAME)
def test_every_way_to_write_an_address_is_one_key(url: str) -> None:
    assert remote_key(url) == "remote:example.com/org/app"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://example.com:8443/org/app", "remote:example.com:8443/org/app"),
        ("https://example.com/Org/App", "remote:example.com/Org/App"),
        ("ssh://git@[::1]:2222/org/app", "remote:[::1]/org/app"),
        ("git@[::1]:org/app", "remote:[::1]/org/app"),
        ("https://[::1]:8443/org/app", "remote:[::1]:8443/org/app"),
        ("/srv/git/app.git", "remote:/srv/git/app"),
        ("file:///srv/git/app.git", "remote:/srv/git/app"),
        ("/srv/app/.git", "remote:/srv/app"),
        ("C:\\git\\app.git", "remote:/C:/git/app"),
        ("file:///C:/git/app", "remote:/C:/git/app"),
        ("../app.git", None),
        ("app", None),
        ("", None),
        ("ext::sh -c true", None),
        ("https://example.com", None),
        ("https:///org/app", None),
        ("file:///", None),
    ],
)
def test_addresses_that_differ_stay_apart(url: str, key: str | None) -> None:
    assert remote_key(url) == key


@given(st.text(max_size=60), st.from_regex(r"[a-z]{8,20}", fullmatch=True))
def test_no_password_ends_up_in_a_key(path: str, password: str) -> None:
    key = remote_key(f"https://me:{password}@example.com/{path.replace(password, '')}")
    assert key is None or password not in key


@given(st.text(max_size=80))
def test_any_address_gives_a_clean_key_or_none(url: str) -> None:
    key = remote_key(url)
    assert key is None or (key.startswith("remote:") and storable(key) == key and not key.endswith("/"))


def test_a_key_must_fit_its_basis() -> None:
    with pytest.raises(ValueError, match="no key"):
        ProjectIdentity(basis="remote", key="git:abc", name="x", root="/x")
