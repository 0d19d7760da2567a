"""The rule of a cluster, in one sentence: what fails, when, and what to do instead, taken from what later worked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from posixpath import basename

from recollect.learn.error_fingerprint import generalise_line
from recollect.learn.task_pattern import shared_pattern
from recollect.model.failure import Failure, FailureSource
from recollect.model.path_kinds import is_test_file
from recollect.model.value import dataclass
from recollect.observe.phrases import quote_text

_LINT_RULE = re.compile(r"[(\[]([a-z][\w/-]+)[)\]]\s*$")
_EXCEPTION = re.compile(r"[\w.]*(?:Error|Exception|error\[E\d+\])\b")
_MAX_FILES = 3
_MAX_SUBJECTS = 4
_MAX_WORDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonRule:
    """A rule: its sentence and its parts. `source` says what `instead` was taken from."""

    text: str
    when: str
    avoid: str
    instead: str = ""
    source: str = ""
    files: tuple[str, ...] = ()
    # All that the sentence may speak of.
    evidence: tuple[str, ...] = ()


def write_rule(failures: Sequence[Failure], *, tried: str = "") -> LessonRule:
    """The rule of failures of one sort; `tried` is advice that did not help, and gives way to other advice."""
    ordered = sorted(failures, key=lambda failure: failure.at)
    when, avoid = _name_occasion(ordered), _pick_telling(ordered)
    instead, source = _find_instead(ordered, tried)
    return LessonRule(
        text=_write_sentence(ordered, when, avoid, instead, source),
        when=when,
        avoid=avoid,
        instead=instead,
        source=source,
        files=_list_files(ordered),
        evidence=list_evidence(ordered),
    )


def list_evidence(failures: Iterable[Failure]) -> tuple[str, ...]:
    """Every text that a rule may take its names from."""
    texts: dict[str, None] = {}
    for failure in failures:
        way_out = failure.way_out
        parts = (failure.what, failure.where, *failure.acts, *failure.files)
        texts.update(dict.fromkeys((*parts, *way_out.commands, *way_out.files, way_out.words)))
    return tuple(text for text in texts if text)


def has_common_ground(failures: Sequence[Failure]) -> bool:
    """
    Whether failures have more in common than their topic: a shape, a way out, or words that were not the program's own.

    The tests of one project speak of the same things whatever is wrong; that makes them alike and no rule.
    """
    if any(failure.source is not FailureSource.ERROR for failure in failures):
        return True
    shapes = Counter(_name_shape(failure) for failure in failures)
    ways = Counter(way for failure in failures for way in set(failure.way_out.commands))
    return shapes.most_common(1)[0][1] * 2 >= len(failures) or bool(ways and max(ways.values()) > 1)


def _name_shape(failure: Failure) -> str:
    """A rule in brackets at the end, an exception at the beginning, or the whole line, generalised."""
    line = failure.what
    if match := _LINT_RULE.search(line):
        return match[1]
    return line.partition(":")[0] if _EXCEPTION.match(line) else generalise_line(line).lower()


def _name_occasion(failures: Sequence[Failure]) -> str:
    """The command, or the sort of task, that it happens in."""
    main = _main_source(failures)
    places = [failure.where for failure in failures if failure.source is main and failure.where]
    if main is not FailureSource.ERROR:
        return shared_pattern(places)
    programs = Counter(place.split()[0] for place in places if place.split())
    if not programs:
        return ""
    program = programs.most_common(1)[0][0]
    split = [place.split() for place in places if place.split()[:1] == [program]]
    shared: list[str] = []
    for words in zip(*split, strict=False):
        if len(set(words)) > 1:
            break
        shared.append(words[0])
    return " ".join(shared)


def _pick_telling(failures: Sequence[Failure]) -> str:
    """The newest line of the shape that is seen most often."""
    main = _main_source(failures)
    lines = [failure.what for failure in failures if failure.source is main]
    shapes = Counter(generalise_line(line).lower() for line in lines)
    best = max(shapes.values())
    return next(line for line in reversed(lines) if shapes[generalise_line(line).lower()] == best)


def _main_source(failures: Sequence[Failure]) -> FailureSource:
    return Counter(failure.source for failure in failures).most_common(1)[0][0]


def _find_instead(failures: Sequence[Failure], tried: str) -> tuple[str, str]:
    """What later worked: a command, else files, else words; what was seen most often, then the newest."""
    commands = _rank(command for failure in failures for command in failure.way_out.commands)
    files = _rank_files(failures)
    words = [failure.way_out.words for failure in reversed(failures) if failure.way_out.words]
    ways = [(command, "command") for command in commands]
    if files:
        ways.append((", ".join(files[:_MAX_FILES]), "files"))
    ways += [(text[:_MAX_WORDS], "words") for text in words]
    if any(failure.source is FailureSource.CORRECTION for failure in failures):
        # What a person said comes before what was merely done.
        ways.sort(key=lambda way: way[1] != "words")
    fresh = [way for way in ways if way[0] != tried]
    return (fresh or ways or [("", "")])[0]


def _rank(names: Iterable[str]) -> list[str]:
    order = list(names)
    counts = Counter(order)
    last = {name: place for place, name in enumerate(order)}
    return sorted(counts, key=lambda name: (-counts[name], -last[name]))


def _rank_files(failures: Sequence[Failure]) -> list[str]:
    """Files that ended it more than once; where only their folders differ, by their name alone."""
    mended = ([file for file in failure.way_out.files if not is_test_file(file)] for failure in failures)
    ways = [files for files in mended if files]
    whole = Counter(file for files in ways for file in set(files))
    names = Counter(name for files in ways for name in {basename(file) for file in files})
    least = 2 if len(ways) > 1 else 1
    ranked = [file for file, count in whole.most_common() if count >= least]
    known = {basename(file) for file in ranked}
    return ranked + [name for name, count in names.most_common() if count >= least and name not in known]


def _list_files(failures: Sequence[Failure]) -> tuple[str, ...]:
    """The files a lesson is about: those that the failures name or were mended in, the most frequent first."""
    files = _rank(file for failure in failures for file in (*failure.way_out.files, *failure.files))
    counts = Counter(file for failure in failures for file in {*failure.way_out.files, *failure.files})
    return tuple(file for file in files if counts[file] > 1)[:_MAX_SUBJECTS]


def _write_sentence(failures: Sequence[Failure], when: str, avoid: str, instead: str, source: str) -> str:
    quoted, times = quote_text(avoid), len(failures)
    if _main_source(failures) is FailureSource.ERROR:
        occasion = f"`{when}`" if when else "a command"
        if source == "command":
            return f"Run `{instead}` before {occasion}: without it, it failed {times} times with {quoted}."
        if source == "files":
            return f"When {occasion} fails with {quoted}, mend {instead}: that ended it; it failed {times} times."
        if source == "words":
            return f"When {occasion} fails with {quoted} ({times} times so far): {_end(instead)}"
        opening = f"{occasion[:1].upper()}{occasion[1:]} failed {times} times with {quoted}"
        return f"{opening}; what ends it is not known yet."
    occasion = f"When asked to {quote_text(when)}" if when else "In such work"
    if source == "words" and _is_persons(failures, instead):
        return f"{occasion}: {quote_text(instead)}. The person had to say so after {times} failures like it."
    if source == "command":
        return f"{occasion}, run `{instead}` before saying it is done: {times} runs failed for {quoted}."
    if source == "files":
        return f"{occasion}, see to {instead} before saying it is done: {times} runs failed for {quoted}."
    if source == "words":
        return f"{occasion}, {times} runs failed for {quoted}: {_end(instead)}"
    return f"{occasion}, see to this before saying it is done: {times} runs failed for {quoted}."


def _is_persons(failures: Sequence[Failure], words: str) -> bool:
    return any(
        failure.source is FailureSource.CORRECTION and failure.way_out.words[:_MAX_WORDS] == words
        for failure in failures
    )


def _end(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
