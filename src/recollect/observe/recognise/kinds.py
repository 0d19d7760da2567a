"""What one program, with its arguments, is run for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.model.check import CHECKS, CommandKind, CommandStep
from recollect.observe.recognise.git_acts import read_git
from recollect.observe.recognise.programs import (
    BARE_TASKS,
    BUILDS_BY_DEFAULT,
    FORMATTERS,
    INSTALL_WORDS,
    ONE_TASK,
    PACKAGE_MANAGERS,
    PROGRAMS,
    SUBCOMMANDS,
    TASK_RUNNERS,
    kind_of_task,
    only_looks,
)

_OTHER = CommandKind.OTHER
# With one of these the program shows something about itself, or never comes to an end.
_RUNS_NOTHING = frozenset(
    "--version -V --help -h --collect-only --co --listTests --list-tests --showConfig --show-config"
    " --print-config --init"
    " --watch --watchAll --ui --list --fixtures --markers --open -list --dry-run --just-print -n"
    " --show-settings --show-files --listFiles --env-info --clearCache --generate-config".split()
)
# To other programs these mean something else; alone, `-h` and `-V` mean the same to all.
_ONLY_FOR = {
    "-n": "make gmake just task",
    "-h": "",
    "-V": "",
    "--list": "just task make nx playwright",
}
_PICKS = frozenset(
    "-k -run --run -t --testNamePattern --test-name-pattern --grep -g --filter --tests -R --tests-regex --only"
    " --example -only-testing --name --test-filter --test_filter --testcase -e".split()
)
_LONGEST_PICK = 200


def read_program(words: Sequence[str], *, heredoc: str = "") -> tuple[CommandStep, ...]:
    """The steps that a program and its arguments are: one, or one for each sort of task it is given."""
    program, args = words[0], list(words[1:])
    if program == "git":
        return (read_git(args, heredoc=heredoc),)
    kinds, arguments = _kinds(program, args)
    if _shows_itself(program, args):
        kinds = tuple(_OTHER if kind in CHECKS else kind for kind in kinds)
    return tuple(_step(kind, program, arguments) for kind in dict.fromkeys(kinds))


def _step(kind: CommandKind, tool: str, args: list[str]) -> CommandStep:
    if kind is CommandKind.READ:
        return CommandStep(kind=kind, tool=tool, targets=_paths(args))
    if kind not in CHECKS and kind is not CommandKind.FORMAT:
        return CommandStep(kind=kind, tool=tool)
    # A task runner's words are tasks, a compiler's may be anything; a checker's own words are what it looks at.
    takes_paths = tool in PROGRAMS or tool in FORMATTERS or tool in {"ruff", "biome"}
    return CommandStep(kind=kind, tool=tool, targets=_paths(args, bare=takes_paths), only=_picked(args))


def _kinds(program: str, args: list[str]) -> tuple[tuple[CommandKind, ...], list[str]]:
    """What the program is run for, and the arguments that are left for it."""
    if special := _SPECIAL.get(program):
        names_its_act = program in {"ruff", "biome"} and args and args[0].isalpha()
        return (special(args),), args[1:] if names_its_act else args
    if program in FORMATTERS:
        return (CommandKind.LINT if only_looks(program, args) else CommandKind.FORMAT,), args
    word, arguments = _first_word(program, args)
    if kind := SUBCOMMANDS.get(program, {}).get(word):
        if kind is CommandKind.FORMAT and only_looks(program, arguments):
            kind = CommandKind.LINT
        return (kind,), arguments
    if program in TASK_RUNNERS:
        return _task(program, args)
    return (PROGRAMS.get(program, _OTHER),), args


_OPTIONS_WITH_VALUE = frozenset(
    "-C -f --prefix --filter -F -w --workspace --cwd --dir -p --project --directory --file -t --manifest-path"
    " --config --configuration -c --target-dir -pl --projects -I --settings -P --profile --package".split()
)
_MVN = frozenset({"-f", "-pl", "-s", "-P", "-T", "--projects"})
_MAKE = frozenset({"-C", "-f", "-I", "-o", "-W", "--directory", "--file"})
_GRADLE = frozenset({"-p", "-b", "-c", "-x", "--exclude-task", "-I", "--tests"})
_FLAGS_OF = {
    **dict.fromkeys(("mvn", "mvnw", "mvnd"), _MVN),
    **dict.fromkeys(("make", "gmake"), _MAKE),
    **dict.fromkeys(("gradle", "gradlew"), _GRADLE),
}


def _first_word(program: str, args: list[str]) -> tuple[str, list[str]]:
    """The first argument that is no option, and what follows it."""
    valued = _FLAGS_OF.get(program, _OPTIONS_WITH_VALUE)
    at = 0
    while at < len(args) and args[at].startswith(("-", "+")):
        at += 2 if args[at] in valued else 1
    return (args[at], args[at + 1 :]) if at < len(args) else ("", [])


def _task(program: str, args: list[str]) -> tuple[tuple[CommandKind, ...], list[str]]:
    """`npm run lint`, `make -j4 lint test`, `./gradlew :app:test`, `nx run-many -t test`."""
    word, arguments = _first_word(program, args)
    if program == "nx" and (targets := _nx_tasks(word, args)):
        return _kinds_of(targets, program), []
    if program == "yarn" and word in {"workspace", "workspaces"}:
        arguments = [arg for arg in arguments if arg not in {"foreach", "run"} and not arg.startswith("-")]
        arguments = arguments[1:] if word == "workspace" else arguments
        return _kinds_of(arguments[:1], program), arguments[1:]
    prefixes = TASK_RUNNERS[program]
    if prefixes and word in prefixes:
        word, arguments = _first_word(program, arguments)
    elif program in PACKAGE_MANAGERS and word in INSTALL_WORDS | {""}:
        installs = word or (program in {"yarn", "pnpm"} and not args)
        return (CommandKind.INSTALL if installs else _OTHER,), []
    elif (
        prefixes
        and word.split(":", 1)[0] not in BARE_TASKS
        and program not in {"turbo", "yarn", "pnpm", "mise"}
    ):
        return (_OTHER,), arguments
    if not word:
        return (CommandKind.BUILD if program in BUILDS_BY_DEFAULT else _OTHER,), []
    if program in ONE_TASK:
        return _kinds_of([word], program), arguments
    tasks: list[str] = []
    while word:
        tasks.append(word)
        word, arguments = _first_word(program, arguments)
    other_arguments = [arg for arg in args if arg not in tasks]
    return _kinds_of([task for task in tasks if "=" not in task], program), other_arguments


def _nx_tasks(word: str, args: list[str]) -> list[str]:
    for at, arg in enumerate(args):
        if arg in {"-t", "--target", "--targets"} and at + 1 < len(args):
            return args[at + 1].split(",")
        if arg.startswith(("--target=", "--targets=")):
            return arg.split("=", 1)[1].split(",")
    if word == "run":
        target = _first_word("nx", args[args.index("run") + 1 :])[0]
        return [target.split(":")[1]] if ":" in target else []
    return [word] if word not in {"run-many", "affected", ""} else []


def _kinds_of(tasks: Sequence[str], runner: str) -> tuple[CommandKind, ...]:
    """The kinds of several tasks in one run; what is no check counts only where there is no other."""
    kinds = tuple(dict.fromkeys(kind_of_task(task, runner=runner) for task in tasks))
    return tuple(kind for kind in kinds if kind is not _OTHER) or (_OTHER,)


def _sed(args: list[str]) -> CommandKind:
    return _OTHER if any(arg.startswith(("-i", "--in-place")) for arg in args) else CommandKind.READ


def _cmake(args: list[str]) -> CommandKind:
    if "--build" not in args:
        return _OTHER
    return CommandKind.TEST if {"test", "check", "RUN_TESTS"} & set(args) else CommandKind.BUILD


def _xcodebuild(args: list[str]) -> CommandKind:
    if {"test", "test-without-building"} & set(args):
        return CommandKind.TEST
    return _OTHER if "clean" in args and "build" not in args else CommandKind.BUILD


def _node(args: list[str]) -> CommandKind:
    return CommandKind.TEST if "--test" in args else _OTHER


def _biome(args: list[str]) -> CommandKind:
    writes = {"--write", "--apply", "--fix"} & set(args)
    if args[:1] == ["format"]:
        return CommandKind.FORMAT if writes else CommandKind.LINT
    return CommandKind.LINT if args[:1] in (["check"], ["lint"], ["ci"]) else _OTHER


def _ruff(args: list[str]) -> CommandKind:
    if args[:1] == ["format"]:
        return CommandKind.LINT if only_looks("ruff", args) else CommandKind.FORMAT
    return _OTHER if args[:1] in (["clean"], ["rule"], ["config"], ["linter"]) else CommandKind.LINT


def _docker(args: list[str]) -> CommandKind:
    return (
        CommandKind.BUILD
        if args[:1] == ["build"] or args[:2] in (["compose", "build"], ["buildx", "build"])
        else _OTHER
    )


def _precommit(args: list[str]) -> CommandKind:
    return CommandKind.LINT if args[:1] == ["run"] else _OTHER


def _build(_: list[str]) -> CommandKind:
    return CommandKind.BUILD


_SPECIAL = {
    "sed": _sed,
    "awk": _sed,
    "cmake": _cmake,
    "xcodebuild": _xcodebuild,
    "node": _node,
    "biome": _biome,
    "ruff": _ruff,
    "docker": _docker,
    "docker-compose": _docker,
    "pre-commit": _precommit,
    "prek": _precommit,
    "build": _build,
    "py_compile": _build,
    "compileall": _build,
}


def _shows_itself(program: str, args: Sequence[str]) -> bool:
    for arg in args:
        if arg in _RUNS_NOTHING:
            only_for = _ONLY_FOR.get(arg)
            if only_for is None or (len(args) == 1 and not only_for) or program in only_for.split():
                return True
    return args[:1] in (["watch"], ["dev"]) and program == "vitest"


_PATH = re.compile(r"[\w.@~+*-]*(?:/|\.[A-Za-z]\w{0,8}(?:$|::|:\d))|\.{1,2}$")
_BARE = re.compile(r"[A-Za-z_][\w-]*$")
_NAMES_A_FOLDER = frozenset(
    "src tests test lib app spec specs packages apps cmd internal docs tools scripts".split()
)
_NO_PATH_BEHIND = frozenset({"-m", "-o", "-p", "-c", "--config", "-n", "--rootdir", "--tb", "--cov-report"})
_LONGEST_PATH = 400


def _paths(args: Sequence[str], *, bare: bool = False) -> tuple[str, ...]:
    """The arguments that name files or folders; a bare word only where it cannot be an option's value."""
    paths: list[str] = []
    before = ""
    for arg in args:
        is_value = before in _PICKS or before in _NO_PATH_BEHIND
        if not is_value and not arg.startswith("-") and len(arg) < _LONGEST_PATH and "://" not in arg:
            is_bare = bare and _BARE.match(arg) and (not before.startswith("-") or arg in _NAMES_A_FOLDER)
            if is_bare or _PATH.match(arg):
                paths.append(arg)
        before = arg
    return tuple(paths)


def _picked(args: Sequence[str]) -> str:
    for at, arg in enumerate(args):
        if arg in _PICKS and at + 1 < len(args):
            return args[at + 1][:_LONGEST_PICK]
        name, equals, value = arg.partition("=")
        if equals and (name in _PICKS or name == "-Dtest"):
            return value[:_LONGEST_PICK]
    return ""
