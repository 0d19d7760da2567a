"""
What settings declare and a newcomer must know: how tests run, what is checked, generated, locked, required, forbidden.

Only names out of settings are told (a target, a tool, a folder, a number), never a sentence or a command line as it
stands there: whoever wrote the file must not speak through it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from recollect.model.path_kinds import is_test_file
from recollect.survey.declared_commands import read_command_proposals
from recollect.survey.proposal import PLAIN_NAME, Proposal, RepositoryTexts, get_inside, join_names

Reader = Callable[[RepositoryTexts], Iterator[Proposal]]

_MAX_LISTED = 6


def read_declared_proposals(files: RepositoryTexts) -> list[Proposal]:
    """All that the settings declare."""
    return [proposal for reader in READERS for proposal in reader(files)]


def _read_strictness(files: RepositoryTexts) -> Iterator[Proposal]:
    """What makes a run fail that passes elsewhere: warnings, coverage, markers, strict types."""
    project = files.toml("pyproject.toml")
    options = _read_pytest(files, project)
    rules: list[str] = []
    places: list[tuple[str, str]] = []
    if "error" in options.get("filterwarnings", ())[:1]:
        rules.append("on any warning that is not listed (`filterwarnings = error`)")
        places.append((options["path"], "filterwarnings"))
    if options.get("xfail_strict"):
        rules.append("when a test marked xfail passes (`xfail_strict`)")
        places.append((options["path"], "xfail_strict"))
    if options.get("strict_markers"):
        rules.append("on a marker that is not declared (`--strict-markers`)")
        places.append((options["path"], "strict"))
    least, where = _read_least_coverage(files, project)
    if least:
        rules.append(f"below {least} % coverage (`fail_under`)")
        places.append((where, "fail_under"))
    if rules:
        path, words = places[0]
        line = files.line_of(path, words)
        yield Proposal(
            topic="strict tests",
            text=f"The test run fails {join_names(rules)} ({path}:{line}).",
            kind="gotcha",
            path=path,
            line=line,
            usefulness=0.82,
        )
    if get_inside(project, "tool", "mypy", "strict") is True or re.search(
        r"^strict\s*=\s*true", files.text("mypy.ini"), re.MULTILINE | re.IGNORECASE
    ):
        path = "mypy.ini" if "mypy.ini" in files.top else "pyproject.toml"
        line = files.line_of(path, "strict")
        yield Proposal(
            topic="strict types",
            text=f"mypy runs in strict mode: every function needs types ({path}:{line}).",
            kind="fact",
            path=path,
            line=line,
            usefulness=0.6,
        )


def _read_pytest(files: RepositoryTexts, project: Mapping[str, Any]) -> dict[str, Any]:
    tables = (
        get_inside(project, "tool", "pytest", "ini_options"),
        get_inside(project, "tool", "pytest"),
    )
    for table in tables:
        if isinstance(table, dict) and table:
            warnings = table.get("filterwarnings", ())
            added = table.get("addopts", "")
            added = " ".join(map(str, added)) if isinstance(added, list) else str(added)
            return {
                "path": "pyproject.toml",
                "filterwarnings": [warnings] if isinstance(warnings, str) else list(warnings),
                "xfail_strict": table.get("xfail_strict") in (True, "true")
                or table.get("strict_xfail") is True,
                "strict_markers": "--strict-markers" in added or table.get("strict_markers") is True,
            }
    for path, section in (
        ("pytest.ini", "[pytest]"),
        ("tox.ini", "[pytest]"),
        ("setup.cfg", "[tool:pytest]"),
    ):
        if section in (text := files.text(path)):
            inside = text.partition(section)[2].partition("\n[")[0]
            first = re.search(r"^filterwarnings\s*=\s*(\w*)\s*\n?\s*(\w+)?", inside, re.MULTILINE)
            return {
                "path": path,
                "filterwarnings": [first[1] or first[2] or ""] if first else [],
                "xfail_strict": bool(
                    re.search(r"^xfail_strict\s*=\s*true", inside, re.MULTILINE | re.IGNORECASE)
                ),
                "strict_markers": "--strict-markers" in inside,
            }
    return {}


def _read_least_coverage(files: RepositoryTexts, project: Mapping[str, Any]) -> tuple[str, str]:
    least = get_inside(project, "tool", "coverage", "report", "fail_under")
    if isinstance(least, int | float) and least > 0:
        return f"{least:g}", "pyproject.toml"
    for path in (".coveragerc", "setup.cfg", "tox.ini"):
        if written := re.search(r"^fail_under\s*=\s*(\d+(?:\.\d+)?)", files.text(path), re.MULTILINE):
            return written[1], path
    return "", ""


def _read_pre_commit(files: RepositoryTexts) -> Iterator[Proposal]:
    path = ".pre-commit-config.yaml"
    hooks = dict.fromkeys(
        name
        for name in re.findall(r"^\s*-?\s*id:\s*['\"]?([\w.-]+)", files.text(path), re.MULTILINE)
        if name not in _TRIVIAL_HOOKS
    )
    if hooks:
        yield Proposal(
            topic="pre-commit",
            text=f"Commits go through pre-commit, which runs {join_names(list(hooks)[:_MAX_LISTED])} ({path}:1).",
            kind="fact",
            path=path,
            line=1,
            usefulness=0.72,
        )


_TRIVIAL_HOOKS = frozenset(
    "trailing-whitespace end-of-file-fixer check-yaml check-toml check-json check-merge-conflict check-ast"
    " check-added-large-files debug-statements mixed-line-ending fix-byte-order-marker check-case-conflict"
    " check-executables-have-shebangs detect-private-key check-shebang-scripts-are-executable check-docstring-first"
    " requirements-txt-fixer fix-encoding-pragma check-vcs-permalinks check-builtin-literals check-symlinks".split()
)


def _read_news_fragments(files: RepositoryTexts) -> Iterator[Proposal]:
    """Projects in which every change comes with a file about it."""
    for path in ("pyproject.toml", "towncrier.toml"):
        table = get_inside(files.toml(path), "tool", "towncrier") or get_inside(files.toml(path), "towncrier")
        if isinstance(table, dict):
            folder = table.get("directory") or "newsfragments"
            line = files.line_of(path, "towncrier")
            yield _fragment(path, line, str(folder).rstrip("/"), "towncrier")
            return
    if "scriv.ini" in files.top or isinstance(
        get_inside(files.toml("pyproject.toml"), "tool", "scriv"), dict
    ):
        yield _fragment("pyproject.toml", files.line_of("pyproject.toml", "scriv"), "changelog.d", "scriv")
    if any(one.startswith(".changeset/") for one in files.paths):
        yield _fragment(".changeset/config.json", 1, ".changeset", "changesets")


def _fragment(path: str, line: int, folder: str, tool: str) -> Proposal:
    return Proposal(
        topic="news fragments",
        text=f"A change that users notice needs a news fragment in `{folder}/` ({tool}); "
        f"the changelog is made from these ({path}:{line}).",
        kind="requirement",
        path=path,
        line=line,
        usefulness=0.9 if PLAIN_NAME.fullmatch(folder) else 0.0,
    )


def _read_generated(files: RepositoryTexts) -> Iterator[Proposal]:
    """Files whose own header says that a program wrote them."""
    made: list[tuple[str, int]] = []
    for path in files.paths:
        if len(made) > _MAX_LISTED or not path.endswith(_SOURCE_ENDINGS) or not PLAIN_NAME.fullmatch(path):
            continue
        if is_test_file(path) or _SAMPLES.search(path):
            continue
        head = _read_header(files.text(path)) if path.count("/") <= _MAX_DEPTH else ""
        if mark := _GENERATED.search(head):
            made.append((path, head.count("\n", 0, mark.start()) + 1))
    if made:
        shown = ", ".join(f"`{path}`" for path, _ in made[:4])
        more = " and others" if len(made) > len(made[:4]) else ""
        path, line = made[0]
        yield Proposal(
            topic="generated files",
            text=f"{shown}{more} {'is' if len(made) == 1 else 'are'} generated: "
            f"change what makes {'it' if len(made) == 1 else 'them'}, not the file ({path}:{line}).",
            kind="gotcha",
            path=path,
            line=line,
            usefulness=0.92,
        )


_SOURCE_ENDINGS = (
    ".py",
    ".pyi",
    ".js",
    ".ts",
    ".go",
    ".rs",
    ".java",
    ".c",
    ".h",
    ".rb",
    ".yml",
    ".yaml",
    "ents.txt",
)
_MAX_DEPTH = 5
_SAMPLES = re.compile(
    r"(?:^|/)(?:conf\.py|examples?|samples?|fixtures?|testdata|templates?|LICEN[CS]E[^/]*)(?:/|$)"
)
_GENERATED = re.compile(
    r"@generated\b|\bgenerated\b(?=[^\0]{0,200}\bdo not (?:edit|modify|change)\b)"
    r"|\bdo not (?:edit|modify|change)\b(?=[^\0]{0,200}\bgenerated\b)"
    r"|\b(?:auto(?:matically)?[- ]?)generated (?:by|from|with|using)\b"
    r"|^\W*this file (?:is|was) (?:auto-?)?generated\b",
    re.IGNORECASE | re.MULTILINE,
)
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|;|--|<!--|\"\"\"|'''|\Z|.use strict)")
_MAX_HEADER_LINES = 12


def _read_header(text: str) -> str:
    """The comment a file begins with: what stands further down, or in a string, is about another file."""
    header: list[str] = []
    for line in text[:1_200].split("\n")[:_MAX_HEADER_LINES]:
        inside_docstring = sum(one.count('"""') for one in header) % 2 == 1
        if not inside_docstring and not _COMMENT.match(line):
            break
        header.append(line)
    return "\n".join(header)


def _read_packages(files: RepositoryTexts) -> Iterator[Proposal]:
    """Which program installs and locks packages, where there is a choice to get wrong."""
    locks = (
        ("uv.lock", "uv"),
        ("poetry.lock", "Poetry"),
        ("pdm.lock", "PDM"),
        ("Pipfile.lock", "Pipenv"),
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "Yarn"),
        ("bun.lock", "Bun"),
        ("bun.lockb", "Bun"),
    )
    for lock, manager in locks:
        if lock in files.top:
            yield Proposal(
                topic="packages",
                text=f"Packages are installed and locked with {manager}; a changed dependency changes `{lock}` too "
                f"({lock}:1).",
                kind="fact",
                path=lock,
                line=1,
                usefulness=0.74,
            )
            return
    pinned = next((path for path in files.paths if re.fullmatch(r"requirements[\w/.-]*\.in", path)), "")
    if pinned:
        made = pinned[:-3] + ".txt"
        yield Proposal(
            topic="packages",
            text=f"Requirements are compiled: edit `{pinned}`, then make `{made}` from it ({pinned}:1).",
            kind="fact",
            path=pinned,
            line=1,
            usefulness=0.7,
        )


def _read_workspaces(files: RepositoryTexts) -> Iterator[Proposal]:
    """Several packages in one repository."""
    package = files.json("package.json").get("workspaces")
    globs = package.get("packages") if isinstance(package, dict) else package
    rows = (
        ("package.json", "workspaces", globs),
        ("Cargo.toml", "members", get_inside(files.toml("Cargo.toml"), "workspace", "members")),
        (
            "pyproject.toml",
            "members",
            get_inside(files.toml("pyproject.toml"), "tool", "uv", "workspace", "members"),
        ),
        (
            "pnpm-workspace.yaml",
            "packages",
            re.findall(r"^\s*-\s*['\"]?([^'\"#\s]+)", files.text("pnpm-workspace.yaml"), re.MULTILINE),
        ),
    )
    for path, words, members in rows:
        plain = [
            one for one in members or () if isinstance(one, str) and re.fullmatch(r"[\w./*@{},-]{1,60}", one)
        ]
        if plain:
            line = files.line_of(path, words)
            shown = ", ".join(f"`{one}`" for one in plain[:_MAX_LISTED])
            yield Proposal(
                topic="workspaces",
                text=f"This is a monorepo; its packages lie in {shown} ({path}:{line}).",
                kind="fact",
                path=path,
                line=line,
                usefulness=0.86,
            )
            return


def _read_forbidden(files: RepositoryTexts) -> Iterator[Proposal]:
    """Names that a linter forbids, and rules about who may import whom."""
    project = files.toml("pyproject.toml")
    banned: list[str] = []
    path = "pyproject.toml"
    for table, name in (
        (project.get("tool", {}), "pyproject.toml"),
        ({"ruff": files.toml("ruff.toml")}, "ruff.toml"),
    ):
        for keys in (
            ("ruff", "lint", "flake8-tidy-imports", "banned-api"),
            ("ruff", "flake8-tidy-imports", "banned-api"),
        ):
            names = get_inside(table, *keys) if isinstance(table, Mapping) else None
            if isinstance(names, dict):
                banned += [one for one in names if PLAIN_NAME.fullmatch(one)]
                path = name
    if banned:
        line = files.line_of(path, "banned-api")
        shown = ", ".join(f"`{one}`" for one in banned[:_MAX_LISTED])
        yield Proposal(
            topic="forbidden names",
            text=f"The linter forbids {shown} here ({path}:{line}).",
            kind="requirement",
            path=path,
            line=line,
            usefulness=0.9,
        )
    rules = ".importlinter" if ".importlinter" in files.top else ""
    if not rules and get_inside(project, "tool", "importlinter") is not None:
        rules = "pyproject.toml"
    if rules:
        line = files.line_of(rules, "importlinter")
        yield Proposal(
            topic="import rule",
            text=f"Which package may import which is a rule that import-linter checks ({rules}:{line}).",
            kind="requirement",
            path=rules,
            line=line,
            usefulness=0.84,
        )


def _read_environment(files: RepositoryTexts) -> Iterator[Proposal]:
    """Settings that have to be in the environment, and what a clone needs besides."""
    for path in (".env.example", ".env.sample", ".env.template", "env.example"):
        names = re.findall(r"^(?:export\s+)?([A-Z][A-Z0-9_]{2,40})=", files.text(path), re.MULTILINE)
        if names:
            shown = ", ".join(f"`{one}`" for one in names[:_MAX_LISTED])
            more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
            yield Proposal(
                topic="environment",
                text=f"It reads its settings from the environment: {shown}{more} ({path}:1).",
                kind="fact",
                path=path,
                line=1,
                usefulness=0.76,
            )
            break
    modules = re.findall(r"^\s*path\s*=\s*(\S+)", files.text(".gitmodules"), re.MULTILINE)
    plain = [one for one in modules if PLAIN_NAME.fullmatch(one)]
    if plain:
        yield Proposal(
            topic="submodules",
            text=f"A clone needs its submodules ({join_names([f'`{one}`' for one in plain[:_MAX_LISTED]])}): "
            "`git submodule update --init` (.gitmodules:1).",
            kind="gotcha",
            path=".gitmodules",
            line=1,
            usefulness=0.85,
        )


def _read_versions(files: RepositoryTexts) -> Iterator[Proposal]:
    python = get_inside(files.toml("pyproject.toml"), "project", "requires-python")
    node = get_inside(files.json("package.json"), "engines", "node")
    rust = get_inside(files.toml("Cargo.toml"), "package", "rust-version")
    for label, value, path, words in (
        ("Python", python, "pyproject.toml", "requires-python"),
        ("Node", node, "package.json", '"node"'),
        ("Rust", rust, "Cargo.toml", "rust-version"),
    ):
        if isinstance(value, str) and re.fullmatch(r"[\w.<>=!~^,|* -]{1,40}", value):
            line = files.line_of(path, words)
            yield Proposal(
                topic=f"version of {label}",
                text=f"The code must run on {label} {value}: nothing newer may be used ({path}:{line}).",
                kind="requirement",
                path=path,
                line=line,
                usefulness=0.55,
            )


def _read_commit_rules(files: RepositoryTexts) -> Iterator[Proposal]:
    """Tools that refuse a commit message of another form."""
    lints = next(
        (one for one in sorted(files.top) if re.fullmatch(r"\.?commitlint(?:rc|\.config)[\w.]*", one)), ""
    )
    commitizen = get_inside(files.toml("pyproject.toml"), "tool", "commitizen") is not None
    if lints or commitizen:
        path = lints or "pyproject.toml"
        line = 1 if lints else files.line_of(path, "commitizen")
        tool = "commitlint" if lints else "commitizen"
        yield Proposal(
            topic="commit messages",
            text=f"Commit messages are checked by {tool} ({path}:{line}).",
            kind="requirement",
            path=path,
            line=line,
            usefulness=0.7,
        )


READERS: tuple[Reader, ...] = (
    read_command_proposals,
    _read_strictness,
    _read_pre_commit,
    _read_news_fragments,
    _read_generated,
    _read_packages,
    _read_workspaces,
    _read_forbidden,
    _read_environment,
    _read_versions,
    _read_commit_rules,
)
