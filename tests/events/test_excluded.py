"""Which files are never recorded or remembered."""

from __future__ import annotations

import pytest

from recollect.events.excluded import find_excluded, is_excluded, parse_patterns


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*.pem", "server.pem"),
        ("*.pem", "deep/down/server.PEM"),
        (".env", ".env"),
        (".env", "app/.env"),
        (".env*", "app/.env.production"),
        ("secrets", "secrets/a/b.txt"),
        ("secrets", "app/secrets/b.txt"),
        ("secrets/", "secrets/b.txt"),
        ("secrets/**", "secrets/a/b.txt"),
        ("/secrets", "secrets/b.txt"),
        ("app/*.key", "app/x.key"),
        ("app/**/*.key", "app/x.key"),
        ("app/**/*.key", "app/a/b/x.key"),
        ("**/private/**", "a/private/x"),
        ("**/*.key", "x.key"),
        ("config/prod", "config/prod/db.toml"),
        ("a?c.txt", "abc.txt"),
        ("secrets/*", "secrets\\windows.txt"),
        ("secrets/*", "./secrets/here.txt"),
        ("**", "anything"),
    ],
)
def test_excluded(pattern: str, path: str) -> None:
    assert is_excluded(path, pattern)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*.pem", "server.pem.md"),
        (".env", "src/environment.py"),
        ("/secrets", "app/secrets/b.txt"),
        ("app/*.key", "app/a/x.key"),
        ("app/*.key", "other/app/x.key"),
        ("app/**/*.key", "app/x.txt"),
        ("config/prod", "config/production/db.toml"),
        ("config/prod", "config"),
        ("a?c.txt", "ac.txt"),
        ("", "anything"),
        ("/", "anything"),
        ("**/private/x", "private"),
    ],
)
def test_not_excluded(pattern: str, path: str) -> None:
    assert not is_excluded(path, pattern)


def test_a_pattern_full_of_stars_takes_no_time() -> None:
    assert not is_excluded("a" * 5000 + "/" + "a" * 5000, "*a" * 60 + "b")
    assert not is_excluded("/".join("a" * 400), "/".join(["**", "a"] * 60 + ["b"]))


def test_patterns_are_parted_by_commas() -> None:
    assert parse_patterns(" *.pem, secrets/**,, *.pem ") == ("*.pem", "secrets/**")
    assert parse_patterns("") == ()


def test_the_first_excluded_path_is_named_with_its_pattern() -> None:
    assert find_excluded(["a.py", "x.pem"], ("b/*", "*.pem")) == ("x.pem", "*.pem")
    assert find_excluded(["a.py"], ("*.pem",)) is None
    assert find_excluded(["a.py"], ()) is None
