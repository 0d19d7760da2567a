"""Takes secrets and private spans out of a text before anything is written.

Every rule is a scan that yields spans; spans are merged and replaced in one go. A scan costs linear time on
any input: quantifiers are possessive or bounded, and a run that failed is not read again from its middle.
Random-looking text alone is no secret: commit hashes, UUIDs and ULIDs are ordinary here.
"""

import re
from collections import namedtuple
from collections.abc import Iterator
from functools import cache
from math import log2

from recollect.events.secret_shapes import (
    ABOUT,
    ANNOUNCED,
    ANNOUNCED_WITHIN,
    COMMANDS,
    CONTEXTS,
    KEY_BLOCK,
    PASSWORD_SHAPE,
    PUTTY_KEY,
    STAND_IN,
    VENDORS,
)

_PASSES = 4  # One is enough unless a replacement uncovers a neighbour; this only bounds hostile chains.


class Redacted:
    """A text without secrets, and the kinds that were taken out, in order."""

    __slots__ = ("kinds", "text")

    # By hand: dataclasses and typing take longer to load than a hook takes to work.
    def __init__(self, *, text: str, kinds: tuple[str, ...]) -> None:
        self.text = text
        self.kinds = kinds


def redact(text: str) -> Redacted:
    """Replace every secret by ``[redacted:KIND]`` and every private span by ``[private]``."""
    kinds: list[str] = []
    for _ in range(_PASSES):
        spans = _spans(text)
        spans = _merged([*spans, *_repeated(text, spans)])
        if not spans:
            break
        kinds += [span.kind for span in spans]
        text = _replaced(text, spans)
    return Redacted(text=text, kinds=tuple(kinds))


_Span = namedtuple("_Span", "start end kind")


def _spans(text: str) -> list[_Span]:
    """What every rule finds, the most telling rule first."""
    # İ is the one letter whose small form is longer; positions must agree in both texts.
    lowered = text.replace("\u0130", "i").lower()
    return [
        *_private_spans(text, lowered),
        *_key_blocks(text),
        *_vendor_secrets(text),
        *_url_passwords(text),
        *_named_secrets(text, lowered),
        *_authorizations(text, lowered),
        *_placed_secrets(text, lowered),
        *_command_passwords(text),
        *_password_shapes(text, lowered),
    ]


# So many secrets of a text are looked for once more; each look reads the whole text.
_MOST_REPEATED = 16


def _repeated(text: str, spans: list[_Span]) -> Iterator[_Span]:
    """What one place gives away as a secret is one wherever else it stands in the text, bare as it may be."""
    values = {text[span.start : span.end]: span.kind for span in spans if 8 <= span.end - span.start <= 256}
    for value, kind in list(values.items())[:_MOST_REPEATED]:
        is_distinct = any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and len(set(value)) > 4
        if is_distinct and kind != "private":
            yield from (_Span(place, place + len(value), kind) for place in _all_places(text, value))


def _merged(spans: list[_Span]) -> list[_Span]:
    """Spans in text order without overlap; of two that overlap, the earlier rule names the kind."""
    merged: list[tuple[int, _Span]] = []
    for rank, span in sorted(enumerate(spans), key=lambda ranked: ranked[1].start):
        if not merged or span.start >= merged[-1][1].end:
            merged.append((rank, span))
            continue
        last_rank, last = merged[-1]
        kind = last.kind if last_rank < rank else span.kind
        merged[-1] = min(last_rank, rank), _Span(last.start, max(last.end, span.end), kind)
    return [span for _, span in merged]


def _replaced(text: str, spans: list[_Span]) -> str:
    pieces: list[str] = []
    at = 0
    for span in spans:
        marker = "[private]" if span.kind == "private" else f"[redacted:{span.kind}]"
        pieces += text[at : span.start], marker
        at = span.end
    return "".join([*pieces, text[at:]])


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _private_spans(text: str, lowered: str) -> Iterator[_Span]:
    if "private" not in lowered:
        return
    depth = start = 0
    for tag in _compiled(r"(?i)<(/?)private\s{0,8}>").finditer(text):
        if not tag[1]:
            start = start if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield _Span(start, tag.end(), "private")
    if depth:
        yield _Span(start, len(text), "private")


def _key_blocks(text: str) -> Iterator[_Span]:
    for needle, pattern in (("PRIVATE KEY", KEY_BLOCK), ("Private-Lines:", PUTTY_KEY)):
        if needle not in text:
            continue
        for block in _compiled(pattern).finditer(text):
            if _compiled("[A-Za-z0-9+/=]{16}").search(block["body"] or block["rest"] or ""):
                yield _Span(block.start(), block.end(), "private_key")


# Every text has a full stop, so this one has a second needle.
_DOTTED = r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}"
_TOLD_APART = ("mailgun", "Mailgun", "MAILGUN")  # the one vendor whose secret is told by a name beside it


def _vendor_secrets(text: str) -> Iterator[_Span]:
    # No vendor's secret is shorter than this or has a space in it; most words are, and are not looked at.
    words = [word for word in text.split() if len(word) >= 16]
    if not words:
        return
    haystack = "\n".join([*words, *(name for name in _TOLD_APART if name in text)])
    there = {number for needle, number in _needles() if needle in haystack}
    for kind, _, pattern in (VENDORS[number] for number in sorted(there)):
        if kind == "discord_token" and not _compiled(_DOTTED).search(text):
            continue
        for match in _compiled(pattern).finditer(text):
            group = match.lastgroup or 0
            if (group or _starts_a_word(text, match.start())) and _is_random(match[group]):
                yield _Span(*match.span(group), kind)


@cache
def _needles() -> list[tuple[str, int]]:
    """Every needle, and beside it the number of its vendor. One flat look is the cheapest way to find none."""
    return [(needle, number) for number, row in enumerate(VENDORS) for needle in row[1].split()]


def _starts_a_word(text: str, start: int) -> bool:
    before = text[max(0, start - 3) : start]
    # Escaped once more, it may follow \n or %3D directly.
    return not before[-1:].isalnum() or bool(_compiled(r"\\[nrt]$|%[0-9A-Fa-f]{2}$").search(before))


def _is_random(value: str) -> bool:
    digits = sum(map(str.isdigit, value[:64]))
    is_mixed = len(value) >= 24 and value != value.lower() and value != value.upper()
    return (
        (digits >= 2 or is_mixed or value.isupper()) and not _is_placeholder(value) and not _is_wordy(value)
    )


_TELLTALE = r"your|example|placeholder|change_?me|dummy|\.\.\.|\*\*\*|…"
_FILLER = (
    _TELLTALE
    + r"|xxxx|000000|redacted|sample|replace|insert|fake|12345678|abcdefg|foobar|deadbeef|\[private\]"
)


def _is_placeholder(value: str) -> bool:
    head = value[:256].lower()
    return len(set(head)) < min(8, len(value) // 2 + 1) or _compiled(_FILLER).search(head) is not None


_WORD = r"[A-Z]?[a-z]{3,}|(?<![A-Za-z0-9])[A-Z]{2,12}(?![A-Za-z0-9])|[^A-Za-z0-9]"


def _is_wordy(value: str) -> bool:
    """Names made of words (``OAuth2TokenProvider``, ``my-app-token-2``) are not random, digits or not."""
    head = value[:128]
    words = "".join(_compiled(_WORD).findall(head))
    return len(words) >= 0.8 * len(head)


_URL_PASSWORD = r"://(?P<user>[^\s:/?#@\"'<>`\\]{0,128}+):(?P<password>[^\s/\"'<>`\\]{1,256})@(?=[\w.\[{$-])"


def _url_passwords(text: str) -> Iterator[_Span]:
    if "://" not in text or "@" not in text:
        return
    for match in _compiled(_URL_PASSWORD).finditer(text):
        password = match["password"]
        if not _is_stand_in(password) and password.lower() != match["user"].lower():
            yield _Span(match.start("password"), match.end("password"), "url_password")


_TEMPLATE = _TELLTALE + r"|[\[<{(%*]|\$[a-z_({]"
_TEMPLATE_INSIDE = _TELLTALE + r"|\$\{|\{\{|\{\w{0,40}+\}|\[redacted:|%[sd(]"


def _is_stand_in(value: str) -> bool:
    """What documentation, templates and earlier redaction put in a secret's place."""
    head = value[:256].lower()
    if len(set(head)) < 3 or _compiled(_TEMPLATE).match(head) or _compiled(_TEMPLATE_INSIDE).search(head):
        return True
    return _compiled(STAND_IN).fullmatch(head) is not None


# Matched against the lowered text: the name of a secret, what joins it to its value, a first look at it.
# The joint is looked at, not consumed: another name may stand in it.
_NAMED = (
    r"(?P<keyword>(?>pass(?:wor[dt]|wd|phrase|code)?|pwd|kennwort|mot de passe|contrase[ñn]a|wachtwoord|senha"
    r"|has[łl]o|пароль|パスワード|密码|密碼|비밀번호|parola|heslo|jelszó|l[öo]senord|adgangskode|salasana|şifre"
    r"|secret(?:[ _-]?access)?(?:[ _-]?key)?|token"
    r"|credential|_auth|a(?:pi|ccess|ccount|uth|dmin)[ _-]?key|s(?:igning|ervice|torage)[ _-]?key"
    r"|(?:private|encryption|master|client|license|deploy|fernet|hmac|jwt|shared)[ _-]?key))"
    r"(?P<tail>[a-z0-9_.-]{0,40}+)"
    r"(?=(?P<joint>"
    r"(?:\\?[\"'`])?(?: \[none\])?\]?[ \t]{0,8}+"
    r"(?:(?::[ \t]{0,4}+[a-z][\w.\[\]| ]{0,40}+)?(?<![!<>])(?:=>|:=|={1,3}+)|:(?!:)"
    r"|(?<=[a-z])>(?=[^\s<>]{4,256}</))"
    r"|(?P<told>(?:[ \t]{1,4}+(?:for|of|on|to|in|at|für|von|auf|pour|de|du"
    r"|del|do|da|dla|van|от|для|til|para|per|voor)[ \t]{1,4}+[\w .@/'-]{1,48}?)?"
    r"(?:[ \t]{1,4}+(?:is|was|to|has been (?:re)?set|(?:has been |was )?changed|ist|lautet|est|es|è|é|er|är|это)"
    r"|'s|は|是|为|：)"
    r"(?:[ \t]{1,4}+(?:now|set[ \t]+to|to|still|currently))?[ \t]?:?[ \t]{0,4}+(?<=[ \t:は是为：]))"
    r"|(?P<gap>[ \t]{1,4}+(?!-))"
    r")[ \t]{0,8}+(?:[bruf]{0,2}\\?[\"'`])?[^\s\"'`\d!@#$%^*?+~]{0,128}+[\d!@#$%^*?+~])"
)


def _named_secrets(text: str, lowered: str) -> Iterator[_Span]:
    """``password = "…"`` in code, JSON, YAML, XML, settings; ``--password …``; ``the password is …``."""
    done = 0
    for name in _names(lowered):
        if name.start() < done:
            continue
        value = _value_of(text, name)
        if value and _is_secret(value, name["keyword"]) and _holds_a_secret(text, name):
            done = value.end
            yield _Span(value.start, value.end, _kind(name))
        elif value and len(value.text) > _READ_ONCE and not value.is_quoted:
            done = value.end


# How the names of _NAMED begin: looking for these first is cheaper than trying the pattern at every letter.
_BEGINNINGS = [
    *"pass pwd kennwort contrase wachtwoord senha secret token credential _auth".split(),
    *"hasło haslo пароль パスワード 密码 密碼 비밀번호 parola heslo jelszó lösenord losenord adgangskode".split(),
    *"salasana şifre".split(),
    "mot de passe",
]
_KEY_BEGINNINGS = (
    "api access account auth admin signing service storage private encryption master client license deploy "
    "fernet hmac jwt shared"
).split()


def _names(lowered: str) -> Iterator[re.Match[str]]:
    beginnings = _BEGINNINGS + _KEY_BEGINNINGS if "key" in lowered else _BEGINNINGS
    there = (beginning for beginning in beginnings if beginning in lowered)  # most texts have none
    places = sorted({place for beginning in there for place in _all_places(lowered, beginning)})
    free_from = 0
    for place in places:
        if place >= free_from and (match := _compiled(_NAMED).match(lowered, place)):
            free_from = match.end()
            yield match


def _all_places(text: str, part: str) -> Iterator[int]:
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


_Value = namedtuple("_Value", "text start end is_quoted following")


# A longer bare run is read once: what looks like another name inside it is passed over.
_READ_ONCE = 200
_QUOTED = (
    r"[ \t]{0,8}+[bBrRuUfF]{0,2}(?P<quote>\\?[\"'`])"
    r"(?P<value>(?:(?!(?P=quote))(?:\\.|[^\\\n])){1,4096}+)(?P=quote)"
)
# A comma, a semicolon or an ampersand belongs to the value unless the next field or the end follows it.
_BARE = (
    r"[ \t]{0,8}+[\"'`]?(?P<value>"
    r"(?:[^\s\"'`,;<>()\[\]{}|&\\]++|[&,;](?=[^\s\"'`,;<>()\[\]{}])(?![\w. -]{1,40}+[=:])){1,64}+)"
)
# In an environment file the value goes on to the end of the line, whatever the signs in it.
_SETTING = r"(?P<value>[^\s\"'`\\]++)"


def _value_of(text: str, name: re.Match[str]) -> _Value | None:
    start = name.end("joint")
    quoted = _compiled(_QUOTED).match(text, start)
    match = quoted or _compiled(_SETTING if _is_setting(text, name) else _BARE).match(text, start)
    if not match:
        return None
    value = match["value"]
    if name["told"] and not quoted:
        # Where no space follows a word, the sentence goes on with letters of its own.
        value = (
            _compiled(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
            .split(value, 1)[0]
            .rstrip(".:?")
        )
    start, end = match.span("value")
    return _Value(value, start, start + len(value), quoted is not None, text[end : end + 1])


def _is_setting(text: str, name: re.Match[str]) -> bool:
    if name["joint"] != "=" or not text[name.start() : name.end("keyword")].isupper():
        return False
    head = text[max(0, name.start() - 64) : name.start()]
    return _compiled(r"(?:^|\n)[ \t]*(?:export[ \t]+)?[A-Z0-9_]*$").search(head) is not None


def _is_secret(value: _Value, keyword: str) -> bool:
    text = value.text[:256]
    if len(text) < 6 or len(set(text)) < 4 or " " in text or "\t" in text:
        return False
    if _compiled(_NOT_A_VALUE).match(text) or _is_stand_in(text):
        return False
    if not value.is_quoted and (value.following in ("(", "[") or _compiled(_DOTTED_NAME).fullmatch(text)):
        return False
    return _is_token(text) or (_is_password_name(keyword) and _is_password(text, is_quoted=value.is_quoted))


def _is_password_name(keyword: str) -> bool:
    return not keyword.startswith(("secret", "token", "credential", "_auth")) and not keyword.endswith("key")


# Addresses, paths, calls and algorithm names stand where a value could.
_NOT_A_VALUE = (
    r"(?i:base|sha|md|utf|oauth|pbkdf|argon|hs|rs)-?\d|[\w.]++[(\[]"
    r"|(?:\.{0,2}|~)/(?:[a-z][a-z0-9_.-]{0,30}+|Users|Volumes|Library)(?:/|$)"
    r"|[\w.+-]{1,64}+@[\w-]{1,64}+\.\w|[^\s:]{1,32}+://"
)
_DOTTED_NAME = r"[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)++"


def _is_token(text: str) -> bool:
    if len(text) < 12 or not _compiled(r"[\w+/=.~:%!@#$^&*-]++").fullmatch(text):
        return False
    digits, letters = sum(map(str.isdigit, text[:64])), sum(map(str.isalpha, text[:64]))
    is_mixed = digits >= (2 if len(text) < 30 else 1) and letters >= 2
    return is_mixed and not _is_placeholder(text) and not _is_wordy(text) and _entropy(text[:64]) >= 3.0


def _entropy(text: str) -> float:
    shares = [text.count(char) / len(text) for char in set(text)]
    return -sum(share * log2(share) for share in shares)


def _is_password(text: str, *, is_quoted: bool) -> bool:
    has_digit = any(map(str.isdigit, text))
    if _is_placeholder(text) or not any(map(str.isalpha, text)):
        return False
    if _compiled(r"[!@#$%^*?+~].").search(text) and (is_quoted or has_digit):
        return True
    parts = _compiled(r"[_./:=-]").split(text)
    is_name = len(parts) > 1 and all(_compiled(r"[A-Za-z]*+\d{0,3}").fullmatch(part) for part in parts)
    return has_digit and not is_name


_FLAG = r"(?:^|[^\w-])--?(?:[a-z][a-z0-9]{0,20}+-){0,4}+$"


def _holds_a_secret(text: str, name: re.Match[str]) -> bool:
    if name["gap"] and not _is_handed_over(text, name):
        return False
    keyword, tail = text[name.start() : name.end("keyword")], text[name.start("tail") : name.end("tail")]
    before = text[name.start() - 1 : name.start()]
    is_joined = before.isalpha() and before.islower() == keyword[0].islower()
    if len(keyword) <= 4 and is_joined and not _compiled(_JOINED_FLAG).search(name.string, 0, name.start()):
        return False
    # tokenizer and secretary go on in the same case; tokenValue and TOKEN_VALUE do not.
    goes_on = tail not in ("", "s", "S") and tail[0].isalpha() and (tail[0].islower() or keyword.isupper())
    return not goes_on and not _compiled(ABOUT).search(name["tail"])


# ``-storepass …``: a flag that ends with the name.
_JOINED_FLAG = r"(?:^|\s)--?(?:key|store|user|src|dest|ssh|db|root|admin|sudo|become|old|new)$"
# ``use the password …``, ``with password …``, fish's ``set -x PGPASSWORD …``.
_HANDED = (
    r"(?:^|[^\w-])(?:user(?:name)?[ \t]{1,4}+\S{1,64}+"
    r"|use|using|with|enter|type|try|and|mit|avec|con|set -[a-z]{1,3})[ \t]{1,4}+"
    r"(?:(?:the|my|this|our|new|dem|le|la)[ \t]{1,4}+){0,2}+(?:\w{0,24}+_|pg)?$"
)


def _is_handed_over(text: str, name: re.Match[str]) -> bool:
    """Whether a value that follows its name after a mere space is meant: an argument, a quoted one, or so told."""
    before = name.string[max(0, name.start() - 48) : name.start()]
    if any(_compiled(sign).search(before) for sign in (_FLAG, _HANDED, _JOINED_FLAG)):
        return True
    is_bare = not name["tail"] and not before[-1:].isalnum()
    return is_bare and _is_password_name(name["keyword"]) and text[name.end("joint")] in "'\"`"


def _placed_secrets(text: str, lowered: str) -> Iterator[_Span]:
    """``smtp.login("bob", "…")``, ``IDENTIFIED BY '…'``, the default of a Terraform variable."""
    for kind, needle, pattern in CONTEXTS:
        if needle not in lowered:
            continue
        for match in _compiled(pattern).finditer(lowered):
            start, end = match.span("value")
            if _is_secret(_Value(text[start:end], start, end, True, ""), "password"):
                yield _Span(start, end, kind)


def _kind(name: re.Match[str]) -> str:
    keyword: str = name["keyword"]
    is_amazon = "access" in keyword or name.string.endswith(("aws", "aws_"), 0, name.start())
    if keyword.startswith("secret") and is_amazon:
        return "aws_secret_key"
    if keyword.endswith("key"):
        return "api_key"
    return "password" if _is_password_name(keyword) else keyword.strip("_")


_AUTHORIZATION = (
    r"(?:bearer|authorization[\"']?[ \t]{0,4}+[:=,][ \t]{0,4}+[bruf]?[\"']?(?:basic|token|apikey))"
    r"[ \t]{1,4}+(?P<value>[\w.~+/-]{8,}+={0,2})"
)


def _authorizations(text: str, lowered: str) -> Iterator[_Span]:
    if "bearer" not in lowered and "authorization" not in lowered:
        return
    for match in _compiled(_AUTHORIZATION).finditer(lowered):
        start, end = match.span("value")
        if _is_random(text[start:end]):
            yield _Span(start, end, "authorization")


def _password_shapes(text: str, lowered: str) -> Iterator[_Span]:
    """What looks like nothing but a password, after something that announces one on the same line."""
    if not any(sign in text for sign in "!#%*~^?$&+"):
        return
    heralds = [match.end() for match in _compiled(ANNOUNCED).finditer(lowered)]
    for match in _compiled(PASSWORD_SHAPE).finditer(text):
        start, end = match.span("value")
        before = max((place for place in heralds if place <= start), default=-1)
        is_near = before >= 0 and start - before <= ANNOUNCED_WITHIN and "\n" not in text[before:start]
        if (is_near or _is_strong(match["value"])) and _is_password_shape(match["value"]):
            yield _Span(start, end, "password")


def _is_strong(value: str) -> bool:
    """Both cases, digits and a sign, thrown together: what a generator of passwords makes, and nothing else."""
    changes = _compiled(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Z])(?=[0-9])").findall(value)
    has_sign = _compiled(r"[A-Za-z0-9][!#%*~^$&?][A-Za-z0-9]").search(value) is not None
    has_cases = value != value.lower() and value != value.upper()
    return has_sign and has_cases and len(changes) >= 3 and "." not in value and "-" not in value


def _is_password_shape(value: str) -> bool:
    core = value.rstrip("!?.")
    if len(value) < 8 or _is_stand_in(value) or _is_placeholder(value) or _is_wordy(value):
        return False
    # A reference of git, a number with a sign, an escaped byte, a version: none of them is a password.
    if _compiled(r".*(?:[~^]\d*$|#\d+$|%[0-9A-Fa-f]{2}|\+\+|^v?\d+\.\d.*|\d[%+*]\d*$|\.\w{1,4}$)").fullmatch(
        core
    ):
        return False
    return _compiled(r"[!#%*~^?$&+]").search(core) is not None


_COMMAND_NEEDLES = [(needle, number) for number, row in enumerate(COMMANDS) for needle in row[0]]


def _command_passwords(text: str) -> Iterator[_Span]:
    """``curl -u user:…``, ``mysql -p…`` and the lines of a netrc file."""
    there = {number for needle, number in _COMMAND_NEEDLES if needle in text}
    for _, command, password in (COMMANDS[number] for number in sorted(there)):
        for line in _compiled(command).finditer(text):
            for match in _compiled(password).finditer(text, *line.span()):
                if not _is_stand_in(match["value"]):
                    yield _Span(*match.span("value"), "password")
