"""What the common tools print when they pass, fail, or find nothing to do. One row a shape.

Each pattern is bounded and is tried only when its literal word is in the text.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from recollect.model.check import CommandKind
from recollect.model.value import dataclass

_TEST, _BUILD, _LINT, _TYPES = CommandKind.TEST, CommandKind.BUILD, CommandKind.LINT, CommandKind.TYPECHECK


@dataclass(frozen=True, slots=True)
class SummaryShape:
    """A line that tells how a run came out."""

    tools: frozenset[str]
    kinds: frozenset[CommandKind]
    word: str
    pattern: str
    # One part of the run says so, as one package does; another part may say otherwise.
    of_a_part: bool = False

    def is_in(self, text: str) -> bool:
        """Whether the text has such a line."""
        return self.word in text and _compiled(self.pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Of a hundred shapes a process meets a few; to compile them all takes longer than a hook may.
    return re.compile(pattern, re.MULTILINE)


def _shape(tools: str, kinds: str, word: str, pattern: str, *, of_a_part: bool = False) -> SummaryShape:
    return SummaryShape(
        tools=frozenset(tools.split()),
        kinds=frozenset(CommandKind(kind) for kind in kinds.split()),
        word=word,
        pattern=pattern,
        of_a_part=of_a_part,
    )


_PYTEST = "pytest py.test tox nox runtests.py"
_UNITTEST = "unittest manage.py nose2 trial setup.py tox nox green runtests.py"
_JS_TESTS = (
    "jest vitest mocha ava playwright cypress karma jasmine bun node deno react-scripts ng jest-cli tap wtr"
)
_C = "cmake ctest ninja gcc g++ clang clang++ cc meson"
_RUBY = "rspec rails minitest"
_JVM = "mvn mvnw mvnd gradle gradlew"

FAILURES: tuple[SummaryShape, ...] = (
    _shape(
        _PYTEST, "test", " in ", r"^=*[^\n]{0,160}?\b[1-9]\d* (?:failed|errors?)\b[^\n]{0,160} in [\d.]+ ?s"
    ),
    _shape(_PYTEST, "test", "FAILED ", r"^FAILED [\w./\\-]{1,300}\.py(?:::|\b)"),
    _shape(_PYTEST, "test", "ERROR ", r"^ERROR (?:collecting )?[\w./\\-]{1,300}\.py"),
    _shape(_PYTEST, "test", "during collection", r"Interrupted: \d+ errors? during collection"),
    _shape(_PYTEST, "test", "INTERNALERROR", r"^INTERNALERROR>"),
    _shape(_UNITTEST, "test", "FAILED (", r"^FAILED \((?:failures|errors|unexpected successes)="),
    _shape("tox", "test", "evaluation failed", r"evaluation failed :\("),
    _shape("nox", "test lint typecheck", "nox >", r"nox > Session [^\n]{1,100} failed"),
    _shape(
        _JS_TESTS,
        "test",
        " failed",
        r"^ *(?:Tests|Test Suites|Test Files|Snapshots):? +[^\n]{0,80}?\b[1-9]\d* failed",
    ),
    _shape(_JS_TESTS, "test", "failing", r"^ +[1-9]\d* failing\b"),
    _shape(_JS_TESTS, "test", "fail ", r"^(?:# |ℹ )fail [1-9]"),
    _shape("bun", "test", " fail", r"^ *[1-9]\d* fail$"),
    _shape("deno", "test", "FAILED |", r"^FAILED \| "),
    _shape("playwright", "test", " failed", r"^ {2}[1-9]\d* failed$"),
    _shape("ava", "test", "failed", r"^ +[1-9]\d* tests? failed$"),
    _shape("cypress", "test", "failed", r"✖ +\d+ of \d+ failed"),
    _shape(
        "karma ng",
        "test",
        "FAILED",
        r"Executed \d+ of \d+[^\n]{0,40}\([1-9]\d* FAILED\)|TOTAL: [1-9]\d* FAILED",
    ),
    _shape(_JS_TESTS, "test", "No test", r"^(?:No tests? found|No test files found), exiting with code 1"),
    _shape("go gotestsum ginkgo", "test", "FAIL", r"^(?:\s*--- FAIL: |FAIL(?:\s|$)|=== FAIL)"),
    _shape("go gotestsum ginkgo", "test build lint", "panic:", r"^panic: "),
    _shape("go gotestsum", "test build lint", ".go:", r"^(?:vet: )?[\w./\\-]{1,300}\.go:\d+:\d+: "),
    _shape("go", "test build lint", "go: ", r"^go: (?!downloading|finding|extracting|added|upgraded)\S"),
    _shape("cargo", "test", "test result: FAILED", r"^test result: FAILED"),
    _shape("cargo nextest", "test", " failed", r"^ +Summary \[[^\n]{1,60}[1-9]\d* failed"),
    _shape("cargo rustc", "test build lint typecheck", "error", r"^error(?:\[E\d{4}\])?: "),
    _shape(_JVM, "test build lint", "BUILD FAIL", r"BUILD (?:FAILURE|FAILED)"),
    _shape(_JVM + " sbt ant", "test build", "There were failing tests", r"There were failing tests"),
    _shape("sbt", "test build", "[error]", r"^\[error\] "),
    _shape("dotnet", "test", "Failed!", r"^ *Failed! +- Failed: +[1-9]"),
    _shape("dotnet msbuild", "build test lint", "FAILED", r"^ *Build FAILED"),
    _shape("dotnet msbuild", "build test", "error ", r"\): error [A-Z]{2,8}\d{2,6}: "),
    _shape("dotnet", "test", "Test Run Failed", r"^Test Run Failed"),
    _shape(
        _RUBY,
        "test",
        "failure",
        r"^\d+ examples?, (?:[1-9]\d* failures?|\d+ failures?, [^\n]{0,40}[1-9]\d* errors? occurred)",
    ),
    _shape(
        _RUBY + " rake",
        "test",
        "failures",
        r"^\d+ (?:runs|tests), \d+ assertions, (?:[1-9]\d* failures|0 failures, [1-9]\d* errors)",
    ),
    _shape("mix", "test", "failure", r"^(?:\d+ doctests?, )?\d+ tests?, [1-9]\d* failures?"),
    _shape(
        "mix",
        "build test",
        "CompileError",
        r"^\*\* \((?:CompileError|SyntaxError|TokenMissingError|Mix)\)|== Compilation error",
    ),
    _shape(
        "phpunit paratest artisan",
        "test",
        "!",
        r"^(?:FAILURES|ERRORS|There (?:was|were) \d+ (?:failure|error)s?)[!:]",
    ),
    _shape("pest artisan phpunit", "test", "failed", r"^ +Tests: +[^\n]{0,60}?[1-9]\d* failed"),
    _shape("ctest cmake make", "test", "tests failed out of", r"\b[1-9]\d* tests? failed out of \d+"),
    _shape("ctest cmake", "test", "The following tests FAILED", r"^The following tests FAILED"),
    _shape("swift xcodebuild", "test", "failure", r"^\s*Executed \d+ tests?, with [1-9]\d* failures?"),
    _shape("swift", "test", "Test run with", r"Test run with \d+ tests?[^\n]{0,40} failed"),
    _shape("xcodebuild", "test build", "FAILED **", r"\*\* (?:TEST|BUILD|ARCHIVE) FAILED \*\*"),
    _shape("swift xcodebuild", "build test", "error:", r"^[^\n:]{1,300}\.swift:\d+:\d+: error: "),
    _shape(
        "bazel",
        "test build",
        "FAIL",
        r"^//[^\n]{1,200} +FAILED|^FAILED: Build did NOT complete|\bfails? (?:locally|remotely)",
    ),
    _shape("flutter dart", "test", "Some tests failed", r"Some tests failed\.?$"),
    _shape(
        "forge", "test", "failed", r"Encountered (?:a total of )?[1-9]\d* failing test|; [1-9]\d* failed;"
    ),
    _shape("bats tap node", "test", "not ok", r"^not ok \d+"),
    _shape(
        "tsc vue-tsc tsgo tsup vite next ng svelte-check",
        "typecheck build",
        "error TS",
        r"\berror TS\d{3,5}:",
    ),
    _shape("tsc vue-tsc svelte-check", "typecheck", "Found ", r"^Found [1-9]\d* errors?\b"),
    _shape(
        "svelte-check astro",
        "typecheck",
        "found",
        r"svelte-check found [1-9]\d* errors?|Result \(\d+ files?\):\s{0,20}\n- [1-9]\d* errors?",
    ),
    _shape("mypy dmypy", "typecheck", "Found ", r"^Found [1-9]\d* errors? in"),
    _shape("mypy dmypy ty pytype", "typecheck", "error", r"^[\w./\\-]{1,300}\.pyi?:\d+(?::\d+)?: error: "),
    _shape("pyright basedpyright", "typecheck", " error", r"^[1-9]\d* errors?, \d+ warnings?"),
    _shape(
        "ty ruff",
        "typecheck lint",
        "Found ",
        r"^Found [1-9]\d* (?:diagnostics?|errors?)\b(?! in \d|\s*\([1-9]\d* fixed, 0 remaining)",
    ),
    _shape("phpstan", "typecheck", "[ERROR] Found", r"\[ERROR\] Found \d+ errors?"),
    _shape("psalm", "typecheck", "errors found", r"^[1-9]\d* errors found"),
    _shape(
        "ruff black",
        "lint",
        "would be reformatted",
        r"^[1-9]\d* files? would be reformatted|^Would reformat: |^would reformat ",
    ),
    _shape("isort", "lint", "ERROR:", r"^ERROR: .{1,300} Imports are incorrectly sorted"),
    _shape("flake8 pycodestyle ruff", "lint", ": ", r"^[\w./\\-]{1,300}\.pyi?:\d+:\d+: [A-Z]{1,4}\d{2,4} "),
    _shape("ruff", "lint", "-->", r"^ +--> [\w./\\-]{1,300}\.(?:py|pyi|ipynb):\d+:\d+"),
    _shape("pylint", "lint", ": ", r"^[\w./\\-]{1,300}\.py:\d+:\d+: [EF]\d{4}: "),
    _shape("eslint xo standard next ng", "lint", "problem", r"✖ \d+ problems? \([1-9]\d* errors?"),
    _shape(
        "oxlint biome", "lint", "Found ", r"^Found (?:[1-9]\d* errors?|\d+ warnings? and [1-9]\d* errors?)"
    ),
    _shape("biome", "lint", "× ", r"^ *× (?:Some errors were emitted|The file contains|Formatter would)"),
    _shape("stylelint", "lint", "problem", r"^✖ \d+ problems? \([1-9]\d* errors?"),
    _shape(
        "prettier", "lint", "ode style issues", r"[Cc]ode style issues (?:found|in)|Forgot to run Prettier\?"
    ),
    _shape("golangci-lint staticcheck revive go", "lint", ".go:", r"^[\w./\\-]{1,300}\.go:\d+(?::\d+)?: "),
    _shape("golangci-lint", "lint", " issues:", r"^[1-9]\d* issues:"),
    _shape("rubocop standardrb", "lint", "offense", r"^\d+ files? inspected, [1-9]\d* offenses?"),
    _shape("phpcs", "lint", "FOUND ", r"^FOUND [1-9]\d* ERRORS?"),
    _shape("pre-commit prek", "lint", "Failed", r"^[^\n]{1,120}\.{3,}Failed$"),
    _shape("lint-imports", "lint", "broken", r"^Contracts: \d+ kept, [1-9]\d* broken"),
    _shape("shellcheck", "lint", "SC", r"\bSC\d{4}\b[^\n]{0,20}\((?:error|warning)\)"),
    _shape("swiftlint", "lint", "serious", r"Found \d+ violations?, [1-9]\d* serious"),
    _shape("clippy cargo", "lint", "could not compile", r"^error: could not compile"),
    _shape(
        _C + " make",
        "build test",
        "error",
        r"^[^\n:]{1,300}\.(?:c|cc|cpp|cxx|h|hpp|m|mm|cu):\d+(?::\d+)?: (?:fatal )?error: ",
    ),
    _shape(_C + " make", "build test", "undefined reference", r"undefined reference to "),
    _shape(_C, "build test", "ninja: ", r"^ninja: (?:build stopped|error: )"),
    _shape("javac ant " + _JVM, "build test", "error:", r"^[^\n:]{1,300}\.(?:java|kt):\d+(?::\d+)?: error: "),
    _shape("gradle gradlew", "build test", "e: ", r"^e: (?:file://)?/?[^\n:]{1,300}\.kt"),
    _shape(
        "webpack next vite rollup esbuild parcel ng expo",
        "build",
        "rror",
        r"^(?:Failed to compile|error during build:|✘ \[ERROR\]"
        r"|webpack [^\n]{0,60} compiled with [1-9]\d* errors?|Build failed)",
    ),
    _shape("docker docker-compose", "build", "ERROR", r"^(?:ERROR: failed to (?:solve|build)|#\d+ ERROR: )"),
    _shape("terraform tofu", "lint", "Error:", r"^[│ ]*Error: "),
    _shape("turbo", "test build lint typecheck", "Failed:", r"^ ?Failed: +\S"),
    _shape("nx", "test build lint typecheck", "NX", r"NX +(?:Running target|Ran target)[^\n]{1,120} failed"),
    _shape("make gmake", "test build lint typecheck", "***", r"^g?make(?:\[\d+\])?: \*\*\* "),
    _shape("just", "test build lint typecheck", "error: Recipe", r"^error: Recipe `[^`\n]{1,80}` failed"),
    _shape("task", "test build lint typecheck", "task: Failed", r"^task: Failed to run task"),
    _shape("mise", "test build lint typecheck", "task failed", r"^\[[\w:.-]{1,60}\] ERROR task failed"),
    _shape(
        "npm pnpm yarn bun lerna",
        "test build lint typecheck",
        "E",
        r"^ ?(?:npm (?:ERR!|error) (?:code ELIFECYCLE|Test failed|Lifecycle script)|ELIFECYCLE "
        r"|ERR_PNPM_RECURSIVE_RUN)|^error Command failed with exit code"
        r"|^error: script \"[^\"\n]{1,60}\" exited with code",
    ),
)

PASSES: tuple[SummaryShape, ...] = (
    _shape(_PYTEST, "test", " passed", r"^=*[^\n]{0,160}?\b[1-9]\d* passed\b[^\n]{0,160} in [\d.]+ ?s"),
    _shape(_UNITTEST, "test", "OK", r"^Ran [1-9]\d* tests? in [^\n]{1,40}\n\s{0,8}OK\b"),
    _shape("tox", "test", "congratulations", r"congratulations :\)"),
    _shape(
        "nox",
        "test lint typecheck",
        "successful",
        r"nox > (?:Ran multiple sessions:|Session [^\n]{1,100} was successful)",
    ),
    _shape(_JS_TESTS, "test", " passed", r"^ *Tests:? +[^\n]{0,80}?\b[1-9]\d* passed"),
    _shape(_JS_TESTS, "test", "passing", r"^ +[1-9]\d* passing\b"),
    _shape(_JS_TESTS, "test", "pass ", r"^(?:# |ℹ )pass [1-9]"),
    _shape("bun", "test", " pass", r"^ *[1-9]\d* pass$"),
    _shape("deno", "test", "ok |", r"^ok \| [1-9]\d* passed"),
    _shape("playwright", "test", " passed", r"^ {2}[1-9]\d* passed \("),
    _shape("ava", "test", "passed", r"^ +[1-9]\d* tests? passed$"),
    _shape("cypress", "test", "All specs passed", r"All specs passed!"),
    _shape("karma ng", "test", "SUCCESS", r"Executed [1-9]\d* of \d+ SUCCESS|TOTAL: [1-9]\d* SUCCESS"),
    _shape(
        "go gotestsum ginkgo",
        "test",
        "ok",
        r"^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)(?![^\n]{0,40}\[no tests to run\])",
        of_a_part=True,
    ),
    _shape("go", "test", "PASS", r"^--- PASS: ", of_a_part=True),
    _shape("gotestsum", "test", "DONE ", r"^DONE [1-9]\d* tests?(?![^\n]{0,60} failure)"),
    _shape("cargo", "test", "test result: ok", r"^test result: ok\. [1-9]\d* passed", of_a_part=True),
    _shape("cargo nextest", "test", "passed", r"^ +Summary \[[^\n]{1,60}[1-9]\d* passed"),
    _shape("cargo", "build lint typecheck", "Finished", r"^ +Finished "),
    _shape(_JVM, "test build lint", "BUILD SUCCESS", r"BUILD SUCCESS(?:FUL)?"),
    _shape("sbt", "test build", "[success]", r"^\[success\] "),
    _shape("dotnet", "test", "Passed!", r"^ *Passed! +- Failed: +0, Passed: +[1-9]"),
    _shape("dotnet msbuild", "build", "Build succeeded", r"^ *Build succeeded"),
    _shape(_RUBY, "test", "0 failures", r"^[1-9]\d* examples?, 0 failures"),
    _shape(
        _RUBY + " rake",
        "test",
        "0 failures",
        r"^[1-9]\d* (?:runs|tests), \d+ assertions, 0 failures, 0 errors",
    ),
    _shape("mix", "test", "0 failures", r"^(?:\d+ doctests?, )?[1-9]\d* tests?, 0 failures"),
    _shape("phpunit paratest artisan", "test", "OK", r"^OK(?: \([1-9]\d* tests?|, but )"),
    _shape("pest artisan phpunit", "test", "passed", r"^ +Tests: +[^\n]{0,60}?[1-9]\d* passed"),
    _shape(
        "ctest cmake make", "test", "100% tests passed", r"100% tests passed, 0 tests failed out of [1-9]"
    ),
    _shape("swift xcodebuild", "test", "0 failures", r"^\s*Executed [1-9]\d* tests?, with 0 failures"),
    _shape("swift", "test", "Test run with", r"Test run with [1-9]\d* tests?[^\n]{0,40} passed"),
    _shape("xcodebuild", "test build", "SUCCEEDED **", r"\*\* (?:TEST|BUILD|ARCHIVE) SUCCEEDED \*\*"),
    _shape("swift", "build", "Build complete", r"^Build complete!"),
    _shape("bazel", "test", "tests pass", r"^Executed \d+ out of [1-9]\d* tests?: [1-9]\d* tests? pass"),
    _shape("bazel", "build", "Build completed successfully", r"Build completed successfully"),
    _shape("flutter dart", "test", "All tests passed", r"All tests passed!"),
    _shape("flutter dart", "lint", "No issues found", r"^No issues found"),
    _shape("forge", "test", "ok.", r"(?:Suite|test) result: ok\. [1-9]\d* passed", of_a_part=True),
    _shape("tsc vue-tsc svelte-check", "typecheck", "Found 0 errors", r"Found 0 errors|found 0 errors"),
    _shape("svelte-check", "typecheck", "found 0 errors", r"svelte-check found 0 errors"),
    _shape("mypy dmypy", "typecheck", "Success: no issues", r"^Success: no issues found"),
    _shape("pyright basedpyright", "typecheck", "0 errors", r"^0 errors, \d+ warnings?"),
    _shape("ruff ty", "lint typecheck", "All checks passed", r"^All checks passed!"),
    _shape("ruff", "lint", "0 remaining", r"^Found [1-9]\d* errors? \([1-9]\d* fixed, 0 remaining\)"),
    _shape("phpstan", "typecheck", "[OK]", r"\[OK\] No errors"),
    _shape("psalm", "typecheck", "No errors found", r"No errors found!"),
    _shape("ruff black", "lint", "files", r"^\d+ files? (?:already formatted|would be left unchanged)"),
    _shape("pylint", "lint", "rated at 10", r"rated at 10\.00/10"),
    _shape("eslint xo standard next ng", "lint", "problems (0 errors", r"✖ \d+ problems? \(0 errors"),
    _shape("next", "lint", "No ESLint", r"No ESLint warnings or errors"),
    _shape("oxlint", "lint", "0 errors", r"^Found \d+ warnings? and 0 errors"),
    _shape("biome", "lint", "Checked ", r"^Checked [1-9]\d* files? in [^\n]{1,40}No fixes"),
    _shape("prettier", "lint", "All matched files", r"All matched files use Prettier code style!"),
    _shape("golangci-lint", "lint", "0 issues", r"^0 issues\.?"),
    _shape("rubocop standardrb", "lint", "no offenses", r"inspected, no offenses detected"),
    _shape("pre-commit prek", "lint", "Passed", r"^[^\n]{1,120}\.{3,}Passed$", of_a_part=True),
    _shape("lint-imports", "lint", "0 broken", r"^Contracts: [1-9]\d* kept, 0 broken"),
    _shape("swiftlint", "lint", "Found 0 violations", r"Found 0 violations"),
    _shape(_C, "build", "[100%]", r"^\[100%\] Built target"),
    _shape(
        "vite next webpack rollup ng",
        "build",
        "uil",
        r"^✓ built in|Compiled successfully|compiled successfully|✓ Generating static pages",
    ),
    _shape(
        "docker docker-compose",
        "build",
        "writing image",
        r"writing image sha256:[^\n]{1,90}done|naming to [^\n]{1,200} done|^Successfully built ",
    ),
    _shape("terraform tofu", "lint", "Success!", r"Success! The configuration is valid"),
    _shape("turbo", "test build lint typecheck", "successful", r"^ *Tasks: +(\d+) successful, \1 total"),
    _shape("nx", "test build lint typecheck", "Successfully ran target", r"Successfully ran targets? "),
)

NOTHING_RAN: tuple[SummaryShape, ...] = (
    _shape(_PYTEST, "test", "no tests ran", r"no tests ran"),
    _shape(_PYTEST, "test", "collected 0 items", r"collected 0 items"),
    _shape(_PYTEST, "test", " deselected", r"^=*\s?\d+ deselected(?:, \d+ warnings?)? in "),
    _shape(_UNITTEST, "test", "Ran 0 tests", r"^Ran 0 tests in|^NO TESTS RAN"),
    _shape(_JS_TESTS, "test", "No test", r"No tests? (?:found|files found)"),
    _shape(_JS_TESTS, "test", "0 passing", r"^ +0 passing\b"),
    _shape(_JS_TESTS, "test", "0 total", r"^Tests: +0 total"),
    _shape(_JS_TESTS, "test", "tests 0", r"^(?:# |ℹ )tests 0$"),
    _shape("deno", "test", "0 passed", r"^ok \| 0 passed \|"),
    _shape("go gotestsum", "test", "no test", r"\[no test files\]|no tests to run"),
    _shape("cargo", "test", "0 passed", r"^test result: ok\. 0 passed"),
    _shape(
        _JVM,
        "test",
        "No tests",
        r"No tests (?:were executed|found for given includes|to run)|Tests are skipped",
    ),
    _shape("gradle gradlew", "test", "NO-SOURCE", r"^> Task :(?:\w+:)?test NO-SOURCE"),
    _shape("dotnet", "test", "No test", r"No test (?:is available|matches the given)"),
    _shape(_RUBY, "test", "0 examples", r"^0 examples, 0 failures"),
    _shape(_RUBY + " rake", "test", "0 runs", r"^0 (?:runs|tests), 0 assertions"),
    _shape("mix", "test", "0 tests", r"^0 tests, 0 failures|There are no tests to run"),
    _shape("phpunit pest artisan", "test", "No tests", r"No tests (?:executed|found)"),
    _shape("ctest cmake", "test", "No tests were found", r"No tests were found"),
    _shape("swift xcodebuild", "test", "Executed 0 tests", r"Executed 0 tests"),
    _shape("bazel", "test", "No test targets", r"No test targets were found"),
    _shape("forge", "test", "No tests", r"No tests (?:found|match)"),
)

KNOWN_TOOLS = frozenset(tool for shape in (*FAILURES, *PASSES, *NOTHING_RAN) for tool in shape.tools)
# Task runners print what the tools they start print.
_RUNNERS = frozenset(
    "make gmake just task mise npm pnpm yarn bun lerna turbo nx tox nox pre-commit prek rake".split()
)
# They say nothing when all is well.
SILENT = frozenset(
    "go tsc vue-tsc tsgo eslint flake8 pycodestyle pyflakes gcc g++ clang clang++ cc javac rustc"
    " oxlint shellcheck staticcheck gofmt stylelint actionlint yamllint py_compile codespell".split()
)


@lru_cache(maxsize=512)
def pick_shapes(
    tool: str, kind: CommandKind, alone: bool
) -> tuple[tuple[SummaryShape, ...], tuple[SummaryShape, ...], tuple[SummaryShape, ...]]:
    """The failures, passes and empty runs that a check may print.

    A tool is known by its own lines. Behind a runner may stand any tool; beside another check of the same line,
    only one of the runner's own kind.
    """
    return (
        _pick(FAILURES, tool, kind, alone),
        _pick(PASSES, tool, kind, alone),
        _pick(NOTHING_RAN, tool, kind, alone),
    )


def _pick(
    shapes: tuple[SummaryShape, ...], tool: str, kind: CommandKind, alone: bool
) -> tuple[SummaryShape, ...]:
    if tool in KNOWN_TOOLS and tool not in _RUNNERS:
        return tuple(shape for shape in shapes if tool in shape.tools and kind in shape.kinds)
    return tuple(shape for shape in shapes if tool in shape.tools or alone or kind in shape.kinds)
