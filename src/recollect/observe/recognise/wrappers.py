"""Takes away what stands in front of a command without changing what it is: `uv run`, `sudo`, `timeout 60`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recollect.model.value import dataclass
from recollect.observe.recognise.programs import BARE_TASKS, PACKAGE_MANAGERS, is_known

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_VERSION = re.compile(r"(?<=[a-z])-?\d+(?:\.\d+)*$")
_VERSIONED = (
    "python",
    "pip",
    "pypy",
    "ruby",
    "php",
    "clang-format",
    "clang-tidy",
    "gcc",
    "clang",
    "node",
    "bundle",
)
_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """The command inside: its words, or a whole line for a shell to take apart."""

    words: tuple[str, ...] = ()
    line: str = ""


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """What a wrapper takes for itself before the command: options with a value, then so many words."""

    valued: frozenset[str] = frozenset()
    own_words: int = 0
    # The wrapped command stands after `--` when there is one.
    after_dashes: bool = False


def unwrap(words: Sequence[str]) -> Unwrapped:
    """The command that a line's words run in the end."""
    remaining = tuple(words)
    for _ in range(_MAX_DEPTH):
        remaining = _drop_assignments(remaining)
        if not remaining:
            return Unwrapped()
        program = program_name(remaining[0])
        if line := _find_shell_line(program, remaining[1:]):
            return Unwrapped(line=line)
        inner = _unwrap_once(program, remaining)
        if inner is None:
            return Unwrapped(words=(program, *remaining[1:]))
        remaining = inner
    return Unwrapped(words=(program_name(remaining[0]), *remaining[1:])) if remaining else Unwrapped()


def program_name(word: str) -> str:
    """`.venv/bin/python3.12` is python; `./gradlew.bat` is gradlew."""
    name = word.replace("\\", "/").rsplit("/", 1)[-1] if "://" not in word else word
    for ending in (".exe", ".cmd", ".bat", ".phar"):
        name = name.removesuffix(ending)
    if name.startswith(_VERSIONED):
        name = _VERSION.sub("", name)
    # `npx jest@29` and `uvx ruff@latest` name a version.
    return name if name.startswith("@") else name.split("@", 1)[0]


def _drop_assignments(words: tuple[str, ...]) -> tuple[str, ...]:
    at = 0
    while at < len(words) and _ASSIGNMENT.match(words[at]):
        at += 1
    return words[at:]


_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ash", "fish", "ksh"})
_RUN_A_LINE: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_SHELLS, frozenset({"-c"})),
    "nix-shell": frozenset({"--run", "--command"}),
    "script": frozenset({"-c", "-qc", "-qec"}),
    "su": frozenset({"-c"}),
    "cmd": frozenset({"/c", "/C"}),
    "powershell": frozenset({"-Command", "-c"}),
    "pwsh": frozenset({"-Command", "-c"}),
}


def _find_shell_line(program: str, words: tuple[str, ...]) -> str:
    """The text behind `bash -c`, `bash -lc`, `nix-shell --run`, `ssh host`, `eval`."""
    if program == "eval":
        return " ".join(words)
    if program == "ssh":
        after_host = _skip_options(words, _Wrapper(valued=frozenset({"-p", "-i", "-o", "-l"}), own_words=1))
        return " ".join(after_host)
    flags = _RUN_A_LINE.get(program)
    if not flags:
        return ""
    for at, word in enumerate(words[:-1]):
        bundled = (
            program in _SHELLS and word.startswith("-") and not word.startswith("--") and word.endswith("c")
        )
        if word in flags or bundled:
            return " ".join(words[at + 1 :]) if program in {"cmd", "powershell", "pwsh"} else words[at + 1]
    return ""


_PLAIN = _Wrapper()
_DASHES = _Wrapper(after_dashes=True)


def _make_wrapper(options: str, *, own_words: int = 0, after_dashes: bool = False) -> _Wrapper:
    return _Wrapper(valued=frozenset(options.split()), own_words=own_words, after_dashes=after_dashes)


_WRAPPERS: Mapping[str, _Wrapper] = {
    **dict.fromkeys(
        "nohup command exec builtin setsid unbuffer chronic npx bunx uvx winpty cross-env env-cmd dotenv caffeinate"
        " corepack busybox noglob doas catchsegv retry".split(),
        _PLAIN,
    ),
    "sudo": _make_wrapper("-u -g -h -p -C --user --group"),
    "time": _make_wrapper("-f -o"),
    "nice": _make_wrapper("-n --adjustment"),
    "ionice": _make_wrapper("-c -n -p"),
    "chrt": _make_wrapper("", own_words=1),
    "taskset": _make_wrapper("", own_words=1),
    "stdbuf": _make_wrapper("-i -o -e"),
    "env": _make_wrapper("-u --unset -C --chdir -S"),
    "timeout": _make_wrapper("-k -s --signal --kill-after", own_words=1),
    "gtimeout": _make_wrapper("-k -s --signal --kill-after", own_words=1),
    "xvfb-run": _make_wrapper("-n -s -e -f -w --server-args --server-num"),
    "npx": _make_wrapper("-p --package -c"),
    "bunx": _make_wrapper("-p --package"),
    "uvx": _make_wrapper("--from --with --python -p"),
    "flock": _make_wrapper("-w --timeout -E", own_words=1),
    "strace": _make_wrapper("-e -o -p"),
    "valgrind": _make_wrapper(""),
    "arch": _make_wrapper(""),
    "rtk": _make_wrapper(""),
    "cross-env-shell": _PLAIN,
    "doppler": _DASHES,
    "aws-vault": _DASHES,
    "op": _DASHES,
    "kubectl": _DASHES,
    "dotenvx": _DASHES,
    "direnv": _make_wrapper("", own_words=2),
    "coverage": _make_wrapper("--source --rcfile --omit --include --data-file --context"),
    "xargs": _make_wrapper("-n -P -I -d -L -a --max-args --max-procs"),
    "watchexec": _make_wrapper("-e -w --exts --watch -i"),
}
_TWO_WORD_WRAPPERS: Mapping[tuple[str, str], _Wrapper] = {
    ("uv", "run"): _make_wrapper(
        "--with --extra --group --only-group --python -p --project --directory --env-file --package"
        " --index-url --with-requirements"
        " --no-group --with-editable"
    ),
    ("uv", "tool"): _make_wrapper("--from --with --python", own_words=1),
    ("pipx", "run"): _make_wrapper("--spec --python"),
    ("poetry", "run"): _make_wrapper("-C --directory -P"),
    ("pipenv", "run"): _PLAIN,
    ("pdm", "run"): _make_wrapper("-p --project"),
    ("rye", "run"): _PLAIN,
    ("hatch", "run"): _PLAIN,
    ("hatch", "env"): _make_wrapper("-e --env", own_words=1),
    ("conda", "run"): _make_wrapper("-n --name -p --prefix --cwd"),
    ("mamba", "run"): _make_wrapper("-n --name -p --prefix"),
    ("micromamba", "run"): _make_wrapper("-n --name -p --prefix"),
    ("pixi", "run"): _make_wrapper("-e --environment --manifest-path"),
    ("pnpm", "exec"): _make_wrapper("--filter -F -C --dir"),
    ("pnpm", "dlx"): _make_wrapper("--package"),
    ("yarn", "exec"): _PLAIN,
    ("yarn", "dlx"): _make_wrapper("-p --package"),
    ("npm", "exec"): _make_wrapper("-p --package -w --workspace", after_dashes=False),
    ("npm", "x"): _make_wrapper("-p --package"),
    ("bun", "x"): _PLAIN,
    ("bundle", "exec"): _PLAIN,
    ("mise", "exec"): _DASHES,
    ("mise", "x"): _DASHES,
    ("asdf", "exec"): _PLAIN,
    ("rbenv", "exec"): _PLAIN,
    ("pyenv", "exec"): _PLAIN,
    ("devbox", "run"): _make_wrapper("-c --config"),
    ("nix", "develop"): _PLAIN,
    ("docker", "exec"): _make_wrapper("-e --env -u --user -w --workdir --env-file", own_words=1),
    ("docker", "run"): _make_wrapper(
        "-e --env -u --user -w --workdir -v --volume --name -p --network --mount --entrypoint --env-file --platform -m",
        own_words=1,
    ),
    ("podman", "exec"): _make_wrapper("-e --env -u --user -w --workdir", own_words=1),
    ("podman", "run"): _make_wrapper("-e --env -u --user -w --workdir -v --volume --name", own_words=1),
    ("lerna", "exec"): _DASHES,
    ("perf", "stat"): _make_wrapper("-e -o -r"),
    ("vp", "run"): _PLAIN,
    ("ddev", "exec"): _PLAIN,
    ("lando", "ssh"): _PLAIN,
    ("sail", "exec"): _make_wrapper("", own_words=1),
}
_COMPOSE = _make_wrapper("-e --env -u --user -w --workdir -v --volume --name --index", own_words=1)
_COMPOSE_FILE = _make_wrapper("-f --file -p --project-name --profile --env-file --project-directory")
_INTERPRETERS = frozenset({"python", "pypy", "py"})
_SCRIPT_RUNNERS = frozenset({"node", "php", "ruby", "tsx", "ts-node", "bun", "deno"})
_TASK_FLAGS_WITH_VALUE = frozenset({"-X", "-W"})
# `hatch run pytest` runs a program, `hatch run lint` a task; only a program we know is taken for one.
_RUN_TASKS_TOO = frozenset({"hatch", "pdm", "rye", "pixi", "devbox", "pipenv", "poetry", "vp"})


def _unwrap_once(program: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    """The words of the command inside, or None if this is no wrapper."""
    if program in {"docker", "docker-compose", "podman", "podman-compose"}:
        compose = _unwrap_compose(program, words)
        if compose is not None:
            return compose
    if program in _INTERPRETERS:
        return _unwrap_interpreter(words[1:])
    second = words[1] if len(words) > 1 else ""
    if wrapper := _TWO_WORD_WRAPPERS.get((program, second)):
        inner = _skip_options(words[2:], wrapper)
        is_task = program in _RUN_TASKS_TOO and inner and not is_known(program_name(inner[0]))
        return None if is_task else inner or None
    if program in PACKAGE_MANAGERS and second not in BARE_TASKS and is_known(program_name(second)):
        return words[1:]
    if program == "coverage" and second != "run":
        return None
    if wrapper := _WRAPPERS.get(program):
        inner = _skip_options(words[2:] if program == "coverage" else words[1:], wrapper)
        if program == "coverage" and "-m" in words:
            inner = words[words.index("-m") + 1 :]
        return inner or None
    if program in _SCRIPT_RUNNERS and second and not second.startswith("-") and _is_script(second):
        return words[1:]
    return None


def _unwrap_compose(program: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    remaining = words[1:]
    if not program.endswith("-compose"):
        if remaining[:1] != ("compose",):
            return None
        remaining = remaining[1:]
    remaining = _skip_options(remaining, _COMPOSE_FILE)
    if remaining[:1] not in {("exec",), ("run",)}:
        return None
    return _skip_options(remaining[1:], _COMPOSE) or None


def _unwrap_interpreter(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """`python -m pytest` runs pytest; `python manage.py test` runs manage.py."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-m" and at + 1 < len(words):
            return words[at + 1 :]
        if words[at] in {"-c", "-"}:
            return None
        at += 2 if words[at] in _TASK_FLAGS_WITH_VALUE else 1
    return words[at:] if at < len(words) and _is_script(words[at]) else None


def _is_script(word: str) -> bool:
    """A path to a well-known program, not to a script of the project's own."""
    name = program_name(word)
    return name in {"manage.py", "setup.py", "artisan", "runtests.py", "waf"} or (
        "/bin/" in word or "node_modules/" in word
    )


def _skip_options(words: tuple[str, ...], wrapper: _Wrapper) -> tuple[str, ...]:
    if wrapper.after_dashes:
        return words[words.index("--") + 1 :] if "--" in words else ()
    at, own_words = 0, wrapper.own_words
    while at < len(words):
        word = words[at]
        if word == "--":
            return words[at + 1 :]
        if word.startswith("-") and len(word) > 1:
            at += 2 if word in wrapper.valued else 1
        elif _ASSIGNMENT.match(word):
            at += 1
        elif own_words:
            own_words -= 1
            at += 1
        else:
            break
    return words[at:]
