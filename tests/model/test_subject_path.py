from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recollect.model.subject_path import relative

NAMES = st.text(st.characters(exclude_characters="/\\\0"), min_size=1, max_size=8).filter(
    lambda name: name not in (".", "..") and ":" not in name
)
PARTS = st.lists(NAMES, max_size=5)
POSIX_ROOTS = st.lists(NAMES, max_size=4).map(lambda parts: "/" + "/".join(parts))
WINDOWS_ROOTS = st.lists(NAMES, max_size=4).map(lambda parts: "C:/" + "/".join(parts))
ROOTS = POSIX_ROOTS | WINDOWS_ROOTS
ANYTHING = st.text(max_size=40) | st.lists(
    st.sampled_from(["..", ".", "", "C:", "c:x", "//", "\\\\?", "~", "repo", "UNC"]) | NAMES, max_size=8
).map("/".join)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/app.py", "src/app.py"),
        ("./src/app.py", "src/app.py"),
        ("src//app.py", "src/app.py"),
        ("src/", "src"),
        ("src\\app.py", "src/app.py"),
        (".\\src\\app.py", "src/app.py"),
        ("src/../lib/x.py", "lib/x.py"),
        ("/repo/src/app.py", "src/app.py"),
        ("/repo/./src/../app.py", "app.py"),
        ("//repo/app.py", "app.py"),
        ("../repo/app.py", "app.py"),
        ("/repo", "."),
        ("/repo/", "."),
        (".", "."),
        ("src/..", "."),
        ("~/app.py", "~/app.py"),
        ("a:b.txt", "a:b.txt"),
        (" spaced ", " spaced "),
        ("-n.md", "-n.md"),
        ("", None),
        ("..", None),
        ("../other", None),
        ("src/../../x", None),
        ("/repo-other/app.py", None),
        ("/rep", None),
        ("/", None),
        ("/Repo/app.py", None),
        ("/other/repo/app.py", None),
        ("../repo-other/x", None),
        ("C:/repo/app.py", None),
        ("./C:/app.py", None),
        ("C:\\repo\\app.py", None),
        ("\\\\?\\C:\\repo\\app.py", None),
    ],
)
def test_a_path_seen_from_a_posix_root(path: str, expected: str | None) -> None:
    assert relative(path, "/repo") == expected


@pytest.mark.parametrize("root", ["C:/Repo", "C:\\Repo", "c:\\repo\\", "\\\\?\\C:\\Repo", "C:/x/../Repo/."])
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src\\App.py", "src/App.py"),
        ("C:\\Repo\\src\\App.py", "src/App.py"),
        ("c:/repo/src/App.py", "src/App.py"),
        ("\\\\?\\C:\\Repo\\App.py", "App.py"),
        ("/c/Repo/App.py", "App.py"),
        ("\\Repo\\App.py", "App.py"),
        ("C:\\Repo", "."),
        ("C:\\Repo-other\\App.py", None),
        ("C:\\", None),
        ("C:", None),
        ("/c", None),
        ("D:\\Repo\\App.py", None),
        ("/d/Repo/App.py", None),
        ("C:App.py", None),
        (".\\D:App.py", None),
        ("\\\\server\\Repo\\App.py", None),
        ("..\\App.py", None),
    ],
)
def test_a_path_seen_from_a_root_on_a_drive(root: str, path: str, expected: str | None) -> None:
    assert relative(path, root) == expected


@pytest.mark.parametrize(
    "root", ["//server/share/repo", "\\\\Server\\Share\\repo", "\\\\?\\UNC\\server\\share\\repo"]
)
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("app.py", "app.py"),
        ("\\\\SERVER\\share\\repo\\app.py", "app.py"),
        ("\\\\?\\UNC\\server\\share\\repo\\app.py", "app.py"),
        ("\\repo\\app.py", "app.py"),
        ("\\\\server\\other\\repo\\app.py", None),
        ("C:\\repo\\app.py", None),
    ],
)
def test_a_path_seen_from_a_root_on_a_share(root: str, path: str, expected: str | None) -> None:
    assert relative(path, root) == expected


def test_everything_absolute_lies_in_the_root_of_the_file_system() -> None:
    assert relative("/etc/hosts", "/") == "etc/hosts"
    assert relative("../../etc", "/") == "etc"


@given(ROOTS, PARTS)
def test_a_tidy_path_stays_as_it_is_absolute_or_not(root: str, parts: list[str]) -> None:
    tidy = "/".join(parts) or "."
    assert relative(tidy, root) == tidy
    assert relative(f"{root}/{tidy}", root) == tidy
    assert relative(f"{root}/{tidy}".replace("/", "\\"), root) == tidy
    assert relative(f"./{tidy}/", root) == tidy


@given(ROOTS, PARTS, NAMES)
def test_a_detour_makes_no_difference(root: str, parts: list[str], detour: str) -> None:
    tidy = "/".join(parts) or "."
    assert relative(f"{detour}/../{tidy}", root) == tidy
    assert relative(f"{root}/{detour}/.././{tidy}", root) == tidy


@given(POSIX_ROOTS, NAMES, PARTS)
def test_a_longer_name_is_not_inside(root: str, suffix: str, parts: list[str]) -> None:
    assume(root != "/")
    assert relative("/".join([root + suffix, *parts]), root) is None


@given(POSIX_ROOTS, PARTS)
def test_climbing_above_the_root_is_outside(root: str, parts: list[str]) -> None:
    assume(root != "/")
    name = root.rpartition("/")[2]
    assume(not parts or parts[0] != name)
    assert relative("/".join(["..", *parts]), root) is None


@given(ANYTHING, ROOTS)
def test_a_result_is_always_tidy_and_final(path: str, root: str) -> None:
    result = relative(path, root)
    if result is None:
        return
    assert result == "." or not {"", ".", ".."} & set(result.split("/"))
    assert "\\" not in result
    assert relative(result, root) == result


@given(ANYTHING, st.text(max_size=20))
def test_no_input_is_a_crash(path: str, root: str) -> None:
    relative(path, root)
