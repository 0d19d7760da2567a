"""
What a text is about, in a few words: those it uses most, and the names it defines.

A recorder keeps this of what was read or written instead of the text itself: enough to find the file again by what
somebody asks for, and too little to tell what it says. A word that comes only once is not kept, and secrets are taken
out before words are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from operator import itemgetter

from recollect.events.event_dict import as_mapping, as_text
from recollect.events.redact import redact
from recollect.events.statements import sketch_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict, Payload

# So much of a text is looked at; what it is about shows at its beginning.
MAX_READ = 40_000
MAX_WORDS = 48
MAX_NAMES = 40
# No secret is cut in two at the end of what is looked at, or its first half would pass for a word.
_MARGIN = 1_000
_TAKEN_OUT = r"\[(?:redacted:\w{1,40}|private)\]"
# Nothing longer: that is no word but a key, a hash or a picture.
_WORD = r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]{2,39}(?![A-Za-z0-9])"
_HUMP = r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+"
_DEFINED = (
    r"\b(?:func|fn|def|function|class|struct|interface|trait|enum|type|const|var|let|module)\s+"
    r"(?:\([^)\n]{0,80}\)\s*)?([A-Za-z_]\w{2,60})"
)
# Every file of its language has these.
_GRAMMAR = frozenset(
    "and any are async await bool break byte case class const continue def default defer elif else enum err error "
    "except export extends false final float fmt for from func function has impl implements import int interface into "
    "len let map match mut new nil none not null object package pass private protected pub public raise range return "
    "self static str string struct super switch that the this throw true try type undefined use var void where while "
    "with yield".split()
)


def extract_keywords(action: str, arguments: Payload, read: str) -> EventDict:
    """The parts of an event's data that tell what a call read, or what it wrote into a file."""
    text = read if action == "read" else _written(arguments) if action in ("edit", "create") else ""
    if not text:
        return {}
    parts: EventDict = {}
    if action != "read":
        # What it wrote itself, an agent may note: it is not the word of whoever wrote the file.
        statements, _ = sketch_statements(text, every=True)
        parts = {"written": statements} if statements else {}
    text = without_secrets(text)
    return {"words": list_frequent_words(text), "names": list_defined_names(text), **parts}


def without_secrets(text: str) -> str:
    """As much of a text as is looked at, with a space for every secret: repeated, a password is no word either."""
    return re.sub(_TAKEN_OUT, " ", redact(text[: MAX_READ + _MARGIN]).text)[:MAX_READ]


def list_frequent_words(text: str) -> str:
    """The words a text uses most, with how often: `checkpoint:31 session:22`."""
    counted = count_words(text[:MAX_READ])
    most = (
        (word, times)
        for word, times in sorted(counted.items(), key=itemgetter(1), reverse=True)[: 4 * MAX_WORDS]
        if times > 1 and word not in _GRAMMAR
    )
    return " ".join(f"{word}:{times}" for (word, times), _ in zip(most, range(MAX_WORDS), strict=False))


def list_defined_names(text: str) -> str:
    """The names a text defines, in the order it does."""
    names = dict.fromkeys(re.findall(_DEFINED, text[:MAX_READ]))
    return " ".join(list(names)[:MAX_NAMES])


def count_words(text: str) -> Counter[str]:
    """The words of a text in lower case, how often each; an identifier also as its parts."""
    counts: Counter[str] = Counter()
    for word, times in Counter(re.findall(_WORD, text)).items():
        counts[word.lower()] += times
        if not word.islower():
            humps = re.findall(_HUMP, word)
            for hump in humps if len(humps) > 1 else ():
                if len(hump) > 2:
                    counts[hump.lower()] += times
    return counts


def _written(arguments: Payload) -> str:
    """The text a call writes, under the names the clients give it."""
    edits = arguments.get("edits")
    parts = [as_mapping(edit) for edit in edits] if isinstance(edits, list) else [arguments]
    names = ("content", "new_string", "newString")
    return "\n".join(text for part in parts for name in names if (text := as_text(part.get(name))))
