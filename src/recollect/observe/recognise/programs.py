"""The programs of the common ecosystems, and what running each is for.

To know one more tool is to add a word to a table. A tool that does several things is a row of SUBCOMMANDS;
one that runs tasks a project names itself is in TASK_RUNNERS, and the task's name tells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recollect.model.check import CommandKind

_TEST, _BUILD, _LINT, _TYPES = CommandKind.TEST, CommandKind.BUILD, CommandKind.LINT, CommandKind.TYPECHECK
_FORMAT, _INSTALL, _OTHER = CommandKind.FORMAT, CommandKind.INSTALL, CommandKind.OTHER


def _table(**words: str) -> dict[str, CommandKind]:
    return {word: CommandKind[kind] for kind, listed in words.items() for word in listed.split()}


# A program that does one thing, whatever its arguments.
PROGRAMS: Mapping[str, CommandKind] = _table(
    TEST="pytest py.test unittest nosetests nose2 tox nox trial behave ward green stestr robot jest vitest mocha ava"
    " jasmine karma cypress wtr tap c8 nyc gotestsum ginkgo nextest rspec cucumber minitest phpunit pest paratest"
    " codecept behat ctest busted bats shellspec testem zunit newman k6 maestro detox"
    " hurl molecule kaocha runtests.py web-test-runner jest-cli",
    BUILD="tsup rollup esbuild webpack parcel ninja scons msbuild gcc g++ clang clang++ cc javac kotlinc rustc"
    " ghc goreleaser pyinstaller electron-builder tsdown unbuild ncc swc mkdocs hugo jekyll maturin",
    LINT="flake8 pylint pycodestyle pydocstyle pyflakes bandit vulture eslint oxlint jshint standard xo stylelint"
    " tslint htmlhint markdownlint markdownlint-cli2 golangci-lint staticcheck revive golint errcheck gosec"
    " rubocop reek standardrb brakeman phpcs phpmd shellcheck hadolint yamllint actionlint ansible-lint sqlfluff"
    " tflint cpplint cppcheck clang-tidy ktlint detekt checkstyle spotbugs pmd swiftlint credo lint-imports"
    " import-linter codespell typos cspell lint-staged commitlint knip depcheck vale kube-linter"
    " semgrep slither solhint pre-commit prek lefthook deadnix statix selene luacheck zizmor interrogate",
    TYPECHECK="mypy dmypy pyright basedpyright pyre pytype ty tsc vue-tsc svelte-check tsgo phpstan psalm sorbet srb"
    " dialyzer flow steep attw",
    INSTALL="pip-sync apt apt-get brew apk dnf yum pip-compile",
    SEARCH="grep rg ag ack egrep fgrep find fd fdfind locate ugrep ast-grep sg",
    READ="cat head tail less more bat batcat nl wc ls tree stat file xxd hexdump jq yq diff which type du column od",
)

# `tool word`: what the word makes of the tool. A word that is not here makes it something else.
SUBCOMMANDS: Mapping[str, Mapping[str, CommandKind]] = {
    "go": _table(
        TEST="test", BUILD="build install generate", LINT="vet fix", FORMAT="fmt", INSTALL="get mod"
    ),
    "cargo": _table(
        TEST="test nextest t insta llvm-cov tarpaulin miri mutants",
        BUILD="build b rustc doc",
        TYPECHECK="check c",
        LINT="clippy deny audit udeps machete",
        FORMAT="fmt",
        INSTALL="add install update fetch",
    ),
    "dotnet": _table(
        TEST="test vstest", BUILD="build publish msbuild pack", FORMAT="format", INSTALL="restore add"
    ),
    "swift": _table(TEST="test", BUILD="build", FORMAT="format", INSTALL="package"),
    "mix": _table(
        TEST="test coveralls",
        BUILD="compile",
        LINT="credo",
        TYPECHECK="dialyzer",
        FORMAT="format",
        INSTALL="deps.get",
    ),
    "bazel": _table(TEST="test coverage", BUILD="build", INSTALL="fetch sync"),
    "buck2": _table(TEST="test", BUILD="build"),
    "pants": _table(TEST="test", LINT="lint", TYPECHECK="check", FORMAT="fmt", BUILD="package"),
    "deno": _table(
        TEST="test bench",
        TYPECHECK="check",
        LINT="lint",
        FORMAT="fmt",
        BUILD="compile bundle",
        INSTALL="add install cache",
    ),
    "bun": _table(TEST="test", BUILD="build", INSTALL="add install i remove"),
    "ruff": _table(LINT="check", FORMAT="format"),
    "biome": _table(LINT="check lint ci", FORMAT="format"),
    "vite": _table(BUILD="build"),
    "next": _table(BUILD="build", LINT="lint"),
    "nuxt": _table(BUILD="build generate", TYPECHECK="typecheck"),
    "astro": _table(BUILD="build", TYPECHECK="check"),
    "ng": _table(TEST="test e2e", BUILD="build", LINT="lint"),
    "react-scripts": _table(TEST="test", BUILD="build"),
    "vue-cli-service": _table(TEST="test:unit test:e2e", BUILD="build", LINT="lint"),
    "playwright": _table(TEST="test", INSTALL="install"),
    "cypress": _table(TEST="run", INSTALL="install"),
    "flutter": _table(TEST="test", BUILD="build", LINT="analyze", INSTALL="pub"),
    "dart": _table(TEST="test", BUILD="compile", LINT="analyze", FORMAT="format", INSTALL="pub"),
    "zig": _table(TEST="test", BUILD="build", FORMAT="fmt"),
    "forge": _table(TEST="test coverage", BUILD="build", FORMAT="fmt", INSTALL="install"),
    "hardhat": _table(TEST="test", BUILD="compile"),
    "stack": _table(TEST="test", BUILD="build"),
    "cabal": _table(TEST="test", BUILD="build", TYPECHECK="check"),
    "dune": _table(TEST="test runtest", BUILD="build", FORMAT="fmt"),
    "gleam": _table(TEST="test", BUILD="build", TYPECHECK="check", FORMAT="format"),
    "rebar3": _table(TEST="eunit ct proper", BUILD="compile", TYPECHECK="dialyzer"),
    "lein": _table(TEST="test", BUILD="compile uberjar", LINT="eastwood kibit"),
    "sbt": _table(
        TEST="test testOnly testQuick", BUILD="compile assembly package", LINT="scalafix", FORMAT="scalafmt"
    ),
    "meson": _table(TEST="test", BUILD="compile"),
    "terraform": _table(LINT="validate", FORMAT="fmt", INSTALL="init"),
    "tofu": _table(LINT="validate", FORMAT="fmt", INSTALL="init"),
    "helm": _table(LINT="lint"),
    "docker": _table(BUILD="build buildx"),
    "rails": _table(TEST="test test:all test:system", INSTALL="bundle"),
    "artisan": _table(TEST="test"),
    "manage.py": _table(TEST="test", LINT="check makemigrations"),
    "setup.py": _table(TEST="test", BUILD="build bdist_wheel sdist build_ext", INSTALL="install develop"),
    "poetry": _table(INSTALL="install add update lock remove", BUILD="build", LINT="check"),
    "uv": _table(INSTALL="sync add lock pip remove venv", BUILD="build", FORMAT="format"),
    "pdm": _table(INSTALL="install add sync update lock", BUILD="build"),
    "rye": _table(TEST="test", LINT="lint check", FORMAT="fmt", INSTALL="sync add lock", BUILD="build"),
    "hatch": _table(TEST="test", BUILD="build", FORMAT="fmt"),
    "pipenv": _table(INSTALL="install sync update lock", LINT="check"),
    "pip": _table(INSTALL="install uninstall download wheel", LINT="check"),
    "conda": _table(INSTALL="install create update"),
    "bundle": _table(INSTALL="install update add"),
    "gem": _table(INSTALL="install", BUILD="build"),
    "composer": _table(INSTALL="install require update", LINT="validate"),
    "wasm-pack": _table(TEST="test", BUILD="build"),
    "buf": _table(LINT="lint breaking", BUILD="build generate", FORMAT="format"),
    "crystal": _table(TEST="spec", BUILD="build"),
    "nim": _table(BUILD="c compile", TYPECHECK="check"),
    "nimble": _table(TEST="test", BUILD="build", INSTALL="install"),
    "elm": _table(BUILD="make", INSTALL="install"),
    "expo": _table(BUILD="export build"),
    "tauri": _table(BUILD="build"),
    "sam": _table(BUILD="build", LINT="validate"),
    "cdk": _table(BUILD="synth"),
    "pio": _table(TEST="test", BUILD="run", LINT="check"),
}

# Formatters write; with one of the words below they only look, which is a check.
FORMATTERS = frozenset(
    "black isort autopep8 yapf prettier dprint gofmt goimports gofumpt rustfmt clang-format"
    " php-cs-fixer pint swiftformat swift-format ktfmt google-java-format shfmt stylua taplo nixfmt alejandra"
    " ormolu fourmolu scalafmt cljfmt mdformat docformatter pyupgrade djlint sqlfmt buildifier terraform-fmt"
    " oxfmt elm-format ocamlformat csharpier nixpkgs-fmt blacken-docs".split()
)
ONLY_LOOKS = frozenset(
    "--check --check-only --diff --list-different --dry-run --verify-no-changes --check-formatted -check --lint"
    " --set-exit-if-changed --fail-on-changes --verify --test --validate".split()
)
# The short words for it, which mean something else to other formatters.
_SHORT_LOOKS: Mapping[str, frozenset[str]] = {
    "prettier": frozenset({"-c", "-l"}),
    "isort": frozenset({"-c", "-d"}),
    "yapf": frozenset({"-d", "-q"}),
    "autopep8": frozenset({"-d"}),
    **dict.fromkeys(("gofmt", "gofumpt", "goimports", "shfmt"), frozenset({"-l", "-d"})),
}

# Programs that run what the project calls `test`, `lint` or `build`; the words in front of the task, if any.
TASK_RUNNERS: Mapping[str, Sequence[str]] = {
    "make": (),
    "gmake": (),
    "just": (),
    "task": (),
    "rake": (),
    "mise": ("run", "r"),
    "invoke": (),
    "inv": (),
    "doit": (),
    "poe": (),
    "pdm": ("run",),
    "npm": ("run", "run-script"),
    "pnpm": ("run",),
    "yarn": ("run",),
    "bun": ("run",),
    "deno": ("task",),
    "turbo": ("run",),
    "nx": ("run", "run-many", "affected"),
    "lerna": ("run",),
    "gradle": (),
    "gradlew": (),
    "mvn": (),
    "mvnw": (),
    "mvnd": (),
    "ant": (),
    "grunt": (),
    "gulp": (),
    "composer": ("run", "run-script"),
    **dict.fromkeys(("hatch", "rye", "pixi", "devbox", "pipenv", "poetry", "vp"), ("run",)),
    "moon": ("run",),
    "rush": (),
    "earthly": (),
    "earth": (),
    "mage": (),
    "bb": ("run",),
    "xmake": (),
    "waf": (),
    "npm-run-all": (),
    "run-s": (),
    "run-p": (),
    "wireit": (),
    "wsrun": (),
    "cake": (),
    "brazil-build": (),
}
# Without a task these build what there is.
BUILDS_BY_DEFAULT = frozenset({"make", "gmake", "ninja", "gradle", "gradlew", "ant", "xmake"})
# `npm test` is `npm run test`, also where no other task is meant without `run`.
BARE_TASKS = frozenset(
    {"test", "t", "tst", "build", "lint", "typecheck", "type-check", "check", "format", "fmt", "tsc"}
)
INSTALL_WORDS = frozenset(
    {"install", "i", "ci", "add", "update", "upgrade", "up", "remove", "rm", "uninstall", "dedupe"}
)
PACKAGE_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun", "lerna", "composer"})
# These take one task and give the rest to it.
ONE_TASK = PACKAGE_MANAGERS | set("mise poe hatch rye pixi devbox pipenv poetry vp pdm deno bb moon".split())

# Maven and Gradle name their tasks after what they do, not in a project's own words.
_JVM_TASKS = _table(
    TEST="test verify check integration-test allTests connectedCheck testDebugUnitTest failsafe:integration-test"
    " connectedAndroidTest surefire:test jacocoTestReport",
    BUILD="compile package install assemble build jar bootJar deploy test-compile testClasses classes compileJava"
    " assembleDebug assembleRelease compileKotlin compileTestJava buildNeeded shadowJar war",
    LINT="lint checkstyle:check spotbugs:check pmd:check ktlintCheck detekt checkstyleMain spotlessCheck spotless:check"
    " lintDebug",
    FORMAT="spotlessApply spotless:apply ktlintFormat",
)
JVM_RUNNERS = frozenset({"gradle", "gradlew", "mvn", "mvnw", "mvnd"})

_TASK_WORDS = _table(
    TEST="test tests testing spec specs e2e unit integration coverage cov jest vitest pytest check verify ci smoke"
    " regression acceptance cypress playwright runtests phpunit rspec unittest unittests selftest testall t tst"
    " backtest quicktest regress",
    BUILD="build compile dist package bundle assemble all release wasm pack compileall rebuild webpack",
    LINT="lint linting eslint ruff flake8 clippy vet rubocop stylelint precommit golangci oxlint style quality biome"
    " phpcs lintfix analyze analyse audit",
    TYPECHECK="types typecheck tsc mypy pyright typing typescript tc typechecks svelte phpstan typed",
    FORMAT="format fmt prettier black reformat gofmt pretty formatting isort",
    INSTALL="install deps setup bootstrap",
)
# Such a task runs until somebody stops it, or is for another day.
_NO_CHECK = frozenset(
    {"watch", "dev", "start", "serve", "server", "clean", "docs", "deploy", "publish", "run", "help", "ui"}
)
_PARTS = re.compile(r"[^A-Za-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CHECKS_THE_FORMAT = frozenset({"check", "ci", "verify", "diff", "dry"})


def is_known(program: str) -> bool:
    """Whether a word is the name of a tool and not of a project's task."""
    return (
        program in PROGRAMS
        or program in SUBCOMMANDS
        or program in FORMATTERS
        or program in TASK_RUNNERS
        or program in _INTERPRETERS
    )


_INTERPRETERS = frozenset("python pypy node tsx ts-node ruby php bash sh coverage git npx cmake".split())


def only_looks(formatter: str, words: Sequence[str]) -> bool:
    """Whether a formatter is asked to report and not to write."""
    short = _SHORT_LOOKS.get(formatter, frozenset())
    return any(word.split("=", 1)[0] in ONLY_LOOKS or word in short for word in words)


def kind_of_task(task: str, *, runner: str) -> CommandKind:
    """What a task is for, from the words of its name."""
    if runner in JVM_RUNNERS:
        name = task.rsplit(":", 1)[-1] if runner.startswith("gradle") else task
        if kind := _JVM_TASKS.get(name):
            return kind
    words = [word.lower() for word in _PARTS.split(_CAMEL.sub("-", task)[:120]) if word]
    if not words or _NO_CHECK.intersection(words):
        return _OTHER
    if "type" in words and ("check" in words or "checks" in words):
        return _TYPES
    if "pre" in words and "commit" in words:
        return _LINT
    kinds = [_TASK_WORDS[word] for word in words if word in _TASK_WORDS]
    if not kinds:
        return _OTHER
    if _FORMAT in kinds and _CHECKS_THE_FORMAT.intersection(words):
        return _LINT
    if words[0] == "check" and len(words) > 1 and len(kinds) > 1:
        return kinds[1]
    if words == ["check"] and runner in PACKAGE_MANAGERS:
        return _LINT
    return kinds[0]
