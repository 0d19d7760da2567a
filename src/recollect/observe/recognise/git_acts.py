"""What a git command does to the work: commits it, takes it back, or neither."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.model.check import CommandKind, CommandStep

_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})
_READS = frozenset(
    {"diff", "log", "show", "status", "blame", "ls-files", "ls-tree", "cat-file", "shortlog", "describe"}
)
_HAS_ENDING = re.compile(r"\.[A-Za-z][\w-]{0,15}$")
_HEREDOC_TEXT = re.compile(r"^\$\(\s*cat\s*<<-?\s*['\"]?(\w+)['\"]?\n(.*?)\n?[ \t]*\1\s*\)$", re.DOTALL)


def read_git(words: Sequence[str], *, heredoc: str = "") -> CommandStep:
    """The step that `git …` is."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _VALUED else 1
    act, arguments = (words[at], list(words[at + 1 :])) if at < len(words) else ("", [])
    match act:
        case "commit" if "--dry-run" not in arguments:
            return CommandStep(kind=CommandKind.COMMIT, tool="git", message=_read_message(arguments, heredoc))
        case "checkout" | "restore" | "reset" | "stash" | "revert" | "clean":
            return _read_revert(act, arguments)
        case "grep":
            return CommandStep(kind=CommandKind.SEARCH, tool="git")
        case _ if act in _READS:
            return CommandStep(kind=CommandKind.READ, tool="git", targets=_list_after_dashes(arguments))
        case _:
            return CommandStep(kind=CommandKind.OTHER, tool="git")


def _read_message(words: list[str], heredoc: str) -> str:
    """The text of `-m`, `-am`, `--message=`; several are paragraphs; `-F -` reads the here-document."""
    paragraphs: list[str] = []
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        if word.startswith("--message="):
            paragraphs.append(word.removeprefix("--message="))
        elif word == "--message" or re.fullmatch(r"-[a-zA-Z]{0,5}m", word):
            paragraphs.append(following)
        elif word in {"-F", "--file"} and following in {"-", "/dev/stdin"}:
            paragraphs.append(heredoc)
    return "\n\n".join(_expand_heredoc(paragraph).strip() for paragraph in paragraphs)


def _expand_heredoc(text: str) -> str:
    """`$(cat <<'EOF' … EOF)` is the text inside."""
    inside = _HEREDOC_TEXT.match(text.strip())
    return inside[2] if inside else text


def _read_revert(act: str, words: list[str]) -> CommandStep:
    paths = _find_reverted_paths(act, words)
    if paths is None:
        return CommandStep(kind=CommandKind.OTHER, tool="git")
    return CommandStep(kind=CommandKind.REVERT, tool="git", targets=paths)


def _find_reverted_paths(act: str, words: list[str]) -> tuple[str, ...] | None:
    """The paths whose content goes back; empty for all of them; None if nothing does."""
    plain = tuple(word for word in words if not word.startswith("-"))
    match act:
        case "checkout":
            return _find_checked_out_paths(words, plain)
        case "restore":
            only_index = ("--staged" in words or "-S" in words) and not {"--worktree", "-W"} & set(words)
            return None if only_index else _drop_source(words)
        case "reset":
            return () if {"--hard", "--merge", "--keep"} & set(words) else None
        case "stash":
            saves = not plain or words[0].startswith("-") or plain[0] in {"push", "save"}
            return (_list_after_dashes(words) if saves else None) if plain != ("push",) else ()
        case "revert":
            return None if {"--abort", "--quit", "--skip"} & set(words) else ()
        case _:
            forced = any(re.fullmatch(r"-[a-zA-Z]*f[a-zA-Z]*|--force", word) for word in words)
            return plain if forced and not {"-n", "--dry-run"} & set(words) else None


def _find_checked_out_paths(words: list[str], plain: tuple[str, ...]) -> tuple[str, ...] | None:
    if {"-b", "-B", "--orphan", "--track", "-t", "--detach"} & set(words):
        return None
    if "--" in words:
        # All of them is an empty list too: `git checkout -- .`
        return _list_after_dashes(words) if words[-1] != "--" else None
    if "." in plain:
        return ()
    # `git checkout NAME` is a branch unless the name can only be a file.
    files = tuple(
        word for word in plain if _HAS_ENDING.search(word) and not word.startswith(("v", "release"))
    )
    files = files or (plain if {"--ours", "--theirs", "-p"} & set(words) else ())
    if "-f" in words or "--force" in words:
        return files
    return files or None


def _drop_source(words: list[str]) -> tuple[str, ...]:
    paths: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in {"-s", "--source"}:
            skip = True
        elif not word.startswith("-"):
            paths.append(word)
    return () if paths in (["."], [":/"]) else tuple(paths)


def _list_after_dashes(words: list[str]) -> tuple[str, ...]:
    paths = tuple(words[words.index("--") + 1 :]) if "--" in words else ()
    return () if paths in ((".",), (":/",)) else paths
