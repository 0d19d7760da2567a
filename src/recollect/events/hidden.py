"""Takes out characters that a person cannot see but a model can read.

Text that is drawn comes back as typed: it is not normalised (no NFC), and private-use characters stay,
because every font draws a box at least. Line breaks of every kind become ``\\n``, not counted as hidden.
"""

import re
from functools import cache

# A biblical Hebrew letter with all its points and accents carries six marks; no script needs nine.
_MARKS_PER_BASE = 8
_MARK_CATEGORIES = frozenset({"Mn", "Me"})


class Cleaned:
    """A text without hidden characters, and how many there were."""

    __slots__ = ("hidden", "text")

    # By hand: dataclasses and typing take longer to load than a hook takes to work.
    def __init__(self, *, text: str, hidden: int) -> None:
        self.text = text
        self.hidden = hidden


def strip_hidden(text: str) -> Cleaned:
    """Take out every character that is not drawn, except where a script or an emoji needs it."""
    if not _is_suspicious(text):
        return Cleaned(text=text, hidden=0)
    text = _compiled(_LINE_BREAK).sub("\n", text)
    text, escapes = _strip_escapes(text)
    text, invisible = _strip_invisible(text)
    text, marks = _cap_marks(text)
    text, joiners = _strip_idle_joiners(text)
    return Cleaned(text=text, hidden=escapes + invisible + marks + joiners)


def _is_suspicious(text: str) -> bool:
    """Whether a closer look is needed. Most letters are plain ASCII, and the long pattern need not see those."""
    if _compiled(_ASCII_CONTROL).search(text):
        return True
    return not text.isascii() and bool(
        _compiled(_SUSPECT).search("".join(_compiled(_BEYOND_ASCII).findall(text)))
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_ASCII_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f]"
_BEYOND_ASCII = r"[^\x00-\x7f]+"
_LINE_BREAK = "\r\n|[\r\x0b\x0c\x85\u2028\u2029]"
# Colours and cursor moves carry no words and count once; a title string can carry a whole sentence.
_ESCAPE = (
    r"(?P<move>(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~])"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]{1,2}[0-~]"
    r"|\x1b[0-OQ-WYZ\\`-~]"
)
_SURROGATE = "[\ud800-\udfff]"
_INVISIBLE = (
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f"  # controls, without tab and newline
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # soft hyphen, joiner of graphemes, fillers
    "\u200e\u200f\u202a-\u202e\u2060-\u206f"  # direction controls, word joiner, invisible operators
    "\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"  # fillers, byte order mark, annotations
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # shorthand and musical format controls
    "\U000e0000-\U000e001f\U000e0080-\U000e00ff\U000e01f0-\U000e0fff]"  # unused ignorable code points
)
# Hidden on their own, needed by some neighbours: zero-width space and joiners, variation selectors, tags.
_JOINER = "[\u180b-\u180d\u180f\u200b-\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
# Marks are neither word characters nor ASCII, so any pile of them lies inside such a run.
_MARK_RUN = rf"[^\w\s\x00-\x7f]{{{_MARKS_PER_BASE + 1},}}"
_SUSPECT = "|".join((_INVISIBLE, _JOINER, _LINE_BREAK, _SURROGATE, _MARK_RUN))


def _strip_escapes(text: str) -> tuple[str, int]:
    """Terminal escape sequences."""
    if "\x1b" not in text and not _compiled("[\x90-\x9f]").search(text):
        return text, 0
    count = 0

    def drop(match: re.Match[str]) -> str:
        nonlocal count
        count += 1 if match["move"] else len(match[0])
        return ""

    return _compiled(_ESCAPE).sub(drop, text), count


def _strip_invisible(text: str) -> tuple[str, int]:
    text, surrogates = _compiled(_SURROGATE).subn("\ufffd", text)
    text, invisible = _compiled(_INVISIBLE).subn("", text)
    return text, surrogates + invisible


def _cap_marks(text: str) -> tuple[str, int]:
    """Piles of combining marks, cut to what a written letter can need."""
    capped = _compiled(_MARK_RUN).sub(lambda run: "".join(_lowest_marks(run[0])), text)
    return capped, len(text) - len(capped)


def _lowest_marks(run: str) -> list[str]:
    from unicodedata import category

    chars: list[str] = []
    marks = 0
    for char in run:
        # Joiners neither count nor end a pile, so that taking them out later cannot make it higher.
        is_joiner = _is_in(_JOINER, char)
        if not is_joiner:
            marks = marks + 1 if category(char) in _MARK_CATEGORIES else 0
        if is_joiner or marks <= _MARKS_PER_BASE:
            chars.append(char)
    return chars


def _strip_idle_joiners(text: str) -> tuple[str, int]:
    """Joiners, selectors and tags whose neighbours have no use for them."""
    stripped = _compiled(f"{_JOINER}+").sub(_useful_joiners, text)
    return stripped, len(text) - len(stripped)


# An emoji's selector and the joiner to the next emoji; longer runs are smuggled bytes.
_LONGEST_USEFUL_RUN = 2
_WORD_JOINERS = ("\u200c", "\u200d")
_BLACK_FLAG = "\U0001f3f4"
# Other regions' tag sequences are valid too, but are drawn as a bare black flag: six hidden letters per flag.
_DRAWN_FLAGS = tuple(
    "".join(chr(0xE0000 + ord(sign)) for sign in f"{region}\x7f") for region in ("gbeng", "gbsct", "gbwls")
)


def _useful_joiners(run: re.Match[str]) -> str:
    before = run.string[run.start() - 1 : run.start()]
    after = run.string[run.end() : run.end() + 1]
    flag = next((tags for tags in _DRAWN_FLAGS if before == _BLACK_FLAG and run[0].startswith(tags)), "")
    rest = run[0][len(flag) :]
    if len(rest) > _LONGEST_USEFUL_RUN:
        return flag
    chars = [*flag]
    for char, following in zip(rest, [*rest[1:], after], strict=False):
        if _is_useful(char, before=before, chars=chars, following=following):
            chars.append(char)
    return "".join(chars)


def _is_useful(char: str, *, before: str, chars: list[str], following: str) -> bool:
    last = chars[-1] if chars else before
    if char in _WORD_JOINERS and (_is_in(_JOINING_SCRIPT, last) or _is_joining_letter(following)):
        return last not in _WORD_JOINERS
    match char:
        case "\u200b":
            return _is_in(_UNSPACED_SCRIPT, last) and _is_in(_UNSPACED_SCRIPT, following)
        case "\u200d":
            shown = before if last == "\ufe0f" else last
            return _is_in(_PICTOGRAPH, shown) and _is_in(_PICTOGRAPH, following)
        case "\ufe0e" | "\ufe0f":
            return _is_in(_PICTOGRAPH, last) or (last in _KEYCAP and following == "\u20e3")
        case "\ufe00" | "\ufe01" | "\ufe02":
            return _is_in(_VARIANT_BASE, last)
        case "\u180b" | "\u180c" | "\u180d" | "\u180f":
            return _is_in("[\u1820-\u18aa]", last)
        case _:
            # The variation database goes up to 32 forms of one ideograph.
            return "\U000e0100" <= char <= "\U000e011f" and _is_in(_IDEOGRAPH, last)


# Arabic, Syriac, N'Ko, Mandaic; the Indic scripts up to Sinhala; Myanmar, Khmer, Mongolian, Balinese.
_JOINING_SCRIPT = (
    "[\u0600-\u061b\u061d-\u07ff\u0840-\u085f\u0860-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18aa"
    "\u1b00-\u1b7f\ua840-\ua8df\ua980-\ua9df\uaa60-\uaa7f\ufb50-\ufdcf\ufe70-\ufefc"
    "\U00011000-\U0001147f\U0001e900-\U0001e95f]"
)
# Thai, Lao, Myanmar and Khmer mark word breaks with a zero-width space.
_UNSPACED_SCRIPT = "[\u0e01-\u0edf\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff]"
_IDEOGRAPH = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]"
_VARIANT_BASE = (
    _IDEOGRAPH + "|[\u1000-\u109f\u2205-\u22ff\u2a00-\u2aff\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f]"
)
_KEYCAP = frozenset("0123456789#*")
_PICTOGRAPH = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3"
    "\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b"
    "\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff\U0001fc00-\U0001fffd]"
)


def _is_joining_letter(char: str) -> bool:
    # Only a letter is certain to stay; a mark may be cut from a pile, and the joiner would then stand alone.
    return char.isalpha() and _is_in(_JOINING_SCRIPT, char)


def _is_in(characters: str, char: str) -> bool:
    return _compiled(characters).match(char) is not None
