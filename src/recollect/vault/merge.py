"""
Three-way merge of lines (diff3): what two sides made of one version, put together without losing a line of either.

Lines that both sides add at one place are both kept. Where both changed the same lines, the person's stand and the
others are given back, to be put where the person can see them. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

from recollect.model.value import dataclass
from recollect.vault.properties import find_newline, split_lines

_LEAD = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?")
_BLOCK_ID = re.compile(r"[ \t]+\^[\w-]+[ \t]*\Z")
_SIGNS = re.compile(r"(?:\s+(?:[🔺⏫🔼🔽⏬]|[➕⏳🛫📅✅❌]\s*\d{4}-\d\d-\d\d|#blocked))+\s*\Z")
# A line of fewer letters says little of whether another was made from it; from so many on a mended slip is seen.
_TELLING = 4
_LONG = 20
_SAME_LINE = 0.9
# With more pairs than this only lines that are the same are looked for.
_MAX_PAIRS = 2_500


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The merged text, and the passages of ours that gave way to what a person wrote in the same place."""

    text: str
    outvoted: tuple[str, ...] = ()


def merge_texts(base: str, ours: str, theirs: str) -> Merged:
    """What came of `base` on both sides; `theirs` is the person's and wins where the two cannot both stand."""
    if ours in (base, theirs):
        return Merged(text=theirs)
    if theirs == base:
        return Merged(text=ours)
    sides = _Sides(base=_comparable(base), ours=_comparable(ours), theirs=_comparable(theirs))
    raw_ours, raw_theirs = _with_ends(ours, find_newline(theirs or ours)), split_lines(theirs)
    merged: list[str] = []
    outvoted: list[str] = []
    for b, o, t in _regions(sides):
        was, our, their = sides.base[b], sides.ours[o], sides.theirs[t]
        if our in (was, their):
            merged.extend(raw_theirs[t])
        elif their == was:
            merged.extend(raw_ours[o])
        elif not was or _holds_in_order(our, was):
            before, after = _added(raw_ours[o], our, was, their)
            merged.extend((*before, *raw_theirs[t], *after))
        elif _holds_in_order(their, was):
            before, after = _added(raw_theirs[t], their, was, our)
            merged.extend((*before, *raw_ours[o], *after))
        elif (both := _with_block_ids(was, our, raw_theirs[t])) is not None:
            merged.extend(both)
        else:
            merged.extend(raw_theirs[t])
            outvoted.append("".join(raw_ours[o]))
    outvoted += _drop_doubled(merged, {*raw_theirs})
    return Merged(text=_joined(merged, find_newline(theirs or ours)), outvoted=tuple(outvoted))


def _drop_doubled(merged: list[str], theirs: Collection[str]) -> list[str]:
    """Take out what one block id stands behind twice, but for the person's; the lines of ours that said otherwise."""
    places: dict[str, list[int]] = {}
    for place, line in enumerate(merged):
        if block := _BLOCK_ID.search(line.rstrip("\r\n")):
            places.setdefault(block[0].strip(), []).append(place)
    dropped: list[int] = []
    for same in places.values():
        stays = next((place for place in same if merged[place] in theirs), same[0])
        dropped += [place for place in same if place != stays and merged[place] not in theirs]
    texts = [merged[place] for place in dropped]
    merged[:] = [line for place, line in enumerate(merged) if place not in dropped]
    return [text for text in texts if text not in merged]


def _with_block_ids(was: Sequence[str], our: Sequence[str], theirs: Sequence[str]) -> list[str] | None:
    """A person's lines with the block ids that ours have put behind them; None if ours did anything else."""
    if not len(was) == len(our) == len(theirs):
        return None
    lines: list[str] = []
    for before, mine, line in zip(was, our, theirs, strict=True):
        added = mine.removeprefix(before)
        if mine != before and not (mine.startswith(before) and _BLOCK_ID.fullmatch(added)):
            return None
        bare = line.rstrip("\r\n")
        lines.append(line if mine == before else bare.rstrip() + added + line[len(bare) :])
    return lines


def choose_base(versions: Sequence[str], theirs: str) -> str:
    """
    The version a person's text was made from; `versions` are those seen, the newest first.

    An editor that had opened the note before our last write puts back a text without it. Its lines are then all there
    in an older version, while the newest would make ours look deleted. A text that is an older version to the letter
    is a person's going back, and is taken at its word; and one with lines that came later was made from a later one.
    """
    newest = versions[0]
    if theirs in versions:
        return newest
    lines, latest = Counter(_comparable(theirs)), Counter(_comparable(newest))
    best, fewest = newest, sum((latest - lines).values())
    for version in versions[1:]:
        held = Counter(_comparable(version))
        missing = sum((held - lines).values())
        # Of the version that an editor had open, a person has hardly taken half away.
        is_likely = missing * 2 < held.total() and not _has_newer(lines, held, latest)
        if missing < fewest and is_likely:
            best, fewest = version, missing
    return best


def _has_newer(lines: Counter[str], held: Counter[str], latest: Counter[str]) -> bool:
    """Whether a text has lines that came after a version, or edits of them: whoever wrote it had seen a later one."""
    fresh = [line for line in lines - held if line.strip()]
    newer = [line for line in latest - held if line.strip()]
    if not {*fresh}.isdisjoint(newer):
        return True
    is_much = len(fresh) * len(newer) > _MAX_PAIRS
    return not is_much and any(_is_edit_of(one, line) for one in fresh for line in newer)


def _is_edit_of(line: str, before: str) -> bool:
    """Whether one line is another with a box ticked, words added, or a slip mended; lists of like items are not."""
    block, was_block = _BLOCK_ID.search(line), _BLOCK_ID.search(before)
    if block and was_block:
        return block[0].strip() == was_block[0].strip()
    now, was = _bare(line), _bare(before)
    if len(was) >= _TELLING and now.startswith(was):
        return True
    return len(was) >= _LONG and SequenceMatcher(None, was, now).ratio() >= _SAME_LINE


def _bare(line: str) -> str:
    """The words of an item, without its box, its block id and the dates that the Tasks plugin puts behind it."""
    return _SIGNS.sub("", _BLOCK_ID.sub("", _LEAD.sub("", line))).strip()


def _comparable(text: str) -> list[str]:
    """The lines without their ends: a file that changed from CRLF to LF has not changed every line."""
    return [line.rstrip("\n").removesuffix("\r") for line in split_lines(text)]


def _with_ends(text: str, newline: str) -> list[str]:
    return [
        line.rstrip("\n").removesuffix("\r") + newline if line.endswith("\n") else line
        for line in split_lines(text)
    ]


def _joined(lines: Sequence[str], newline: str) -> str:
    """The lines as one text; one that was the last and is not any more gets an end."""
    ended = [line if line.endswith("\n") else line + newline for line in lines[:-1]]
    return "".join((*ended, *lines[-1:]))


def _holds_in_order(lines: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether nothing was taken away: all the wanted lines are there, in their order."""
    left = iter(lines)
    return all(line in left for line in wanted)


def _added(
    raw: Sequence[str], lines: Sequence[str], was: Sequence[str], other: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The lines one side has put in, before and after what was there, without those the other side has too."""
    known = Counter(was) + (Counter(other) - Counter(was))
    before: list[str] = []
    after: list[str] = []
    has_begun = not was
    for written, line in zip(raw, lines, strict=True):
        has_begun = has_begun or line == was[0]
        if known[line] > 0:
            known[line] -= 1
        else:
            (after if has_begun else before).append(written)
    return before, after


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    """The lines of the three texts, without their ends."""

    base: list[str]
    ours: list[str]
    theirs: list[str]


def _regions(sides: _Sides) -> list[tuple[slice, slice, slice]]:
    """The three texts in step: passages on which all agree, and between them what each has there."""
    base, ours, theirs = sides.base, sides.ours, sides.theirs
    regions: list[tuple[slice, slice, slice]] = []
    b = o = t = 0
    for b_at, o_at, t_at, size in [*_stable(base, ours, theirs), (len(base), len(ours), len(theirs), 0)]:
        if (b, o, t) != (b_at, o_at, t_at):
            regions.append((slice(b, b_at), slice(o, o_at), slice(t, t_at)))
        b, o, t = b_at + size, o_at + size, t_at + size
        if size:
            regions.append((slice(b_at, b), slice(o_at, o), slice(t_at, t)))
    return regions


def _stable(base: list[str], ours: list[str], theirs: list[str]) -> list[tuple[int, int, int, int]]:
    """Runs of base lines that both sides still have: where they are on each, and how long."""
    to_ours = _matching(base, ours)
    to_theirs = _matching(base, theirs)
    runs: list[tuple[int, int, int, int]] = []
    for place in sorted(to_ours.keys() & to_theirs.keys()):
        o, t = to_ours[place], to_theirs[place]
        if runs:
            b_at, o_at, t_at, size = runs[-1]
            if (b_at + size, o_at + size, t_at + size) == (place, o, t):
                runs[-1] = (b_at, o_at, t_at, size + 1)
                continue
        runs.append((place, o, t, 1))
    return runs


def _matching(base: list[str], other: list[str]) -> dict[int, int]:
    """For each line of the base that is still there, where. Equal ends are matched first: most edits are small."""
    start = 0
    while start < min(len(base), len(other)) and base[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(base), len(other)) - start and base[-1 - end] == other[-1 - end]:
        end += 1
    matches = {place: place for place in range(start)}
    middle = SequenceMatcher(
        None, base[start : len(base) - end], other[start : len(other) - end], autojunk=len(base) > 2_000
    )
    for block in middle.get_matching_blocks():
        matches |= {start + block.a + i: start + block.b + i for i in range(block.size)}
    matches |= {len(base) - i: len(other) - i for i in range(1, end + 1)}
    return matches
