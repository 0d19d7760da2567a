"""
Which files of the project a command showed: agents without a tool for reading look at files with the shell.

Told apart by words, not by grammar: `bash -lc "cd src && cat a.py | head"`, `sed -n 1,9p a.py b.py`, `rg x src/a.py`,
`cat < a.py`. A word counts when it is the name of a file that is there, in the folder of the call or one the line
changes into, and the line runs a program that shows files. Wrong words cost a look at the disk and nothing else.
"""

from __future__ import annotations

import os
import re

from recollect.events.places import paths_of_folder

# Programs that show what is in a file.
_SHOWING_PROGRAMS = frozenset(
    "cat head tail sed nl less more bat batcat grep egrep fgrep rg ag awk gawk cut sort uniq wc diff tac xxd od jq yq"
    " strings view vi vim nano type Get-Content gc Select-String sls findstr".split()
)
# What stands between words: blanks, quotation marks and the marks of the shell.
_BETWEEN = r"[\s'\"`;|&<>(){}]+"
_CHANGES_FOLDER = ("cd", "pushd", "-C")
_MAX_WORDS = 80
_NAMES_OF_A_MOVE = 2
_MAX_FILES = 6


def find_shown_files(command: str, folder: str) -> list[str]:
    """The files a command line showed, relative to the project, in the order they are named."""
    words = [word for word in re.split(_BETWEEN, command) if word][:_MAX_WORDS]
    place = paths_of_folder(folder)
    if moved := _find_moved_file(words, folder):
        inside = place.inside(moved)
        return [inside] if inside else []
    if not any(word.rpartition("/")[2] in _SHOWING_PROGRAMS for word in words):
        return []
    folders, files = [folder], dict[str, None]()
    for before, word in zip(["", *words], words, strict=False):
        if before in _CHANGES_FOLDER:
            folders.append(os.path.join(folders[-1], word))  # noqa: PTH118
        elif (file := _find_file(word, folders, place.root)) and (inside := place.inside(file)):
            files[inside] = None
    return list(files)[:_MAX_FILES]


def _find_moved_file(words: list[str], folder: str) -> str:
    """The file that a command gave another name, as it was called before; "" if none."""
    names = (
        [word for word in words[words.index("mv") + 1 :] if not word.startswith("-")] if "mv" in words else []
    )
    if len(names) != _NAMES_OF_A_MOVE:
        return ""
    before, after = (os.path.normpath(os.path.join(folder, name)) for name in names)  # noqa: PTH118
    return before if os.path.exists(after) and not os.path.exists(before) else ""  # noqa: PTH110


def _find_file(word: str, folders: list[str], root: str) -> str:
    """The file a word names, as a whole path: in the folder changed into last, or an earlier one; "" if none."""
    if word.startswith("-") or ("." not in word and "/" not in word):
        return ""
    for folder in (*reversed(folders), root):
        file = os.path.normpath(os.path.join(folder, word))  # noqa: PTH118
        if os.path.isfile(file):  # noqa: PTH113
            return file
    return ""
