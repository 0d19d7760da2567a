"""
Expected answer types: what a text must hold to answer a question at all. "How long" wants a duration, "who" a person.

A memory that speaks of the right thing but holds nothing of the sort that is asked for is the nearest, not the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from recollect.providers.word_frequency import measure_rarity

_NUMBER = (
    r"(?:\d[\d.,:]*|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen|twenty|thirty|forty|fifty"
    r"|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen"
    r"|ein\w*|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\w+zehn|\w+zig|dreißig|hundert|tausend|dutzend"
    r"|un|une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente|quarante"
    r"|cinquante|soixante|cents?|mille|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|quince|veinte|treinta|cien"
    r"|mil)"
)
_UNIT = (
    r"(?:ms|sec(?:ond)?s?|min(?:ute)?s?|hours?|hrs?|days?|weeks?|months?|quarters?|years?|sekunden?|minuten?|stunden?"
    r"|tage?n?|wochen?|monate?n?|jahre?n?|secondes?|heures?|jours?|semaines?|mois|ans?|segundos?|minutos?|horas?"
    r"|d[ií]as?|semanas?|mes(?:es)?|años?)"
)
_REPEATED = (
    r"(?:nightly|hourly|daily|weekly|monthly|quarterly|yearly|every|each|once|twice|always|never|forever|until"
    r"|stündlich|täglich|nächtlich|wöchentlich|monatlich|jährlich|jede[nrsm]?|einmal|zweimal|immer|niemals?|bis"
    r"|quotidien\w*|hebdomadaire\w*|mensuel\w*|annuel\w*|chaque|toujours|jamais|jusqu\w*"
    r"|diari\w+|semanal\w*|mensual\w*|anual\w*|cada|siempre|nunca|hasta)"
)
_SPAN = rf"\b{_NUMBER}\W?(?:\w+\W){{0,2}}?{_UNIT}\b|\b(?:a|an|per) {_UNIT}\b"
# How long something is kept may be for ever, or until a day; how long it takes may not.
_DURATION = rf"{_SPAN}|\b{_REPEATED}\b"
_TIME_TAKEN = rf"{_SPAN}|\b(?:overnight|forever|until|bis|jusqu\w*|hasta)\b"
_SIZE = (
    rf"\b{_NUMBER}\W{{0,2}}(?:\w+\W){{0,2}}?(?:[KMGT]i?B|[kmg]b|bytes?|bits?|lines?|characters?|pixels?|px|[cmk]?m|g|kg|pages?"
    r"|rows?|items?|zeilen|zeichen|seiten|lignes|octets|páginas|líneas)\b|\b\d+ ?[x×] ?\d+|\b\d+p\b"
)
_VERSION = r"\bv?\d+\.\d|\bv\d|\b[Vv]ersion(?:en)? \W?\w*\d|\b[A-Z][\w+#.-]* \d+\b"
_WHEN = (
    rf"\d|\b{_REPEATED}\b|\b{_UNIT}\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march"
    r"|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|today|tomorrow|yesterday"
    r"|night|midnight|morning|noon|afternoon|evening|before|after|during|while|if|when|whenever|only|above|below"
    r"|wenn|nach|vor|während|nachts?|morgens?|mittags?|abends?|werktags?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?"
    r"|quand|avant|après|pendant|nuit|matin|midi|soir|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?"
    r"|cuando|antes|después|noche|mañana|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)\b"
)
_MONEY = r"[€$£¥]|\b(?:euros?|dollars?|eur|usd|chf|cents?|pric\w*|fees?|costs?|cheap\w*|expensive|free|budget\w*)\b"
_SECRET = r"\b(?:pass(?:word|phrase)|credential|secret|token|passwort|kennwort|contraseña)s?\b"
_PLACE_OF_ONE = r"@|\d+\.\d+|\b(?:street|road|avenue|lane|square|address|adresse|straße|rue|calle)\b"
_ROLES = (
    r"\b(?:nobody|everybody|everyone|somebody|anyone|team|owner|maintainer|admin\w*|manager|customer|client|user"
    r"|reviewer|he|she|they|by|von|vom|durch|par|por|person:\S+)\b|\b(?:Dr|Mr|Mrs|Ms|Prof|Herr|Frau|Mme|Sr|Sra)\b|@\w+"
)
# A name inside a sentence; one at its beginning may be any word.
_NAME_INSIDE = re.compile(r"(?<=[\w,;:)\"'] )[A-Z][a-zà-ÿ]+\b")
_FIRST_WORDS = re.compile(r"(?:^|[.!?:] +)([A-Z][a-zà-ÿ]{2,})\b")
# Or one that does something: "Sam reviews …".
_DOER = re.compile(
    r"(?:^|[.!?:] +)(?!(?:The|This|That|It|There|Each|Every)\b)[A-Z][a-zà-ÿ]+"
    r" (?:[a-z]{2,}s|must|will|has|is|hat|ist|a|est)\b"
)
_NO_NAME = re.compile(r"(?:s|ing|ed|ion|er|ity|ment|ness)$")
_RARE_ENOUGH = 0.75
# What "how many …" counts, and how long its name must be to be told from a word like it.
_HOW_MANY = r"\b(?:how many|wie viele|combien d(?:e |')|cuánt[oa]s)\W{0,2}(?P<noun>[\w-]+)"
_MIN_COUNTED = 4


class _AnswerType(NamedTuple):
    asked_by: str
    # What answers it; None stands for a person.
    pattern: str | None


# The first one whose words are in the question counts.
_TYPES = (
    _AnswerType(
        r"\bhow long (?:do|does|did|will|would)\b.*\b(?:take|takes|last|run)\b|\bwie lange (?:dauert|läuft|braucht)\b"
        r"|\bcombien de temps (?:prend|dure|faut)\b|\bcuánto (?:dura|tarda)\b",
        _TIME_TAKEN,
    ),
    _AnswerType(
        r"\bhow long\b|\bwie lange\b|\bcombien de temps\b|\bcuánto (?:tiempo|dura|tarda)\b", _DURATION
    ),
    _AnswerType(
        r"\bhow old\b|\bwie alt\b|\bquel âge\b|\bqué edad\b", rf"\b\d+\b.*\b{_UNIT}\b|\bborn\b|\bage[ds]?\b"
    ),
    _AnswerType(
        r"\bhow (?:much|expensive)\b.*\b(?:cost|pay|charge)|\b(?:costs?|prices?|salary|kostet|coûte|cuesta)\b",
        _MONEY,
    ),
    _AnswerType(r"\bhow (?:large|big)\b|\bwie (?:groß|gross)\b|\bquelle taille\b|\bqué tamaño\b", _SIZE),
    _AnswerType(
        r"\bhow (?:many|much|fast|often|high|far|deep)\b|\bwie (?:viele?|schnell|groß|oft|hoch)\b"
        r"|\bcombien\b|\bcuánt[oa]s?\b",
        rf"\b{_NUMBER}\b|\b{_REPEATED}\b",
    ),
    _AnswerType(r"\b(?:which|what|welche|quelle|qué)\b.*\bversi[oó]ns?\b", _VERSION),
    _AnswerType(r"\b(?:phone|telephone|fax) number\b|\btelefonnummer\b", r"\d{3}"),
    _AnswerType(rf"\b(?:what|where|which|was|wo)\b.*(?:{_SECRET})", _SECRET),
    _AnswerType(
        r"\bwhat(?: is|'s|s)?\b.*\baddress\b|\bwelche\b.*\badresse\b|\bquelle\b.*\badresse\b", _PLACE_OF_ONE
    ),
    _AnswerType(r"^\W*(?:who|whom|whose|wer|wen|wem|qui|quién|quiénes)\b", None),
    _AnswerType(r"^\W*(?:(?:since|until|by|at) )?(?:when|wann|quand|cuándo)\b", _WHEN),
)


def holds_answer_type(question: str, text: str, subjects: Iterable[str]) -> bool | None:
    """Whether a text about these subjects holds something of the sort that a question asks for; None: of any sort."""
    wanted = _find_wanted(question)
    return None if wanted is None else not _lacks(wanted, question, text, subjects)


def _lacks(wanted: _AnswerType, question: str, text: str, subjects: Iterable[str]) -> bool:
    if wanted.pattern is None:
        return not _names_somebody(" ".join((text, *subjects)), text)
    if _compiled(wanted.pattern).search(text) is None:
        return True
    counted = _compiled(_HOW_MANY).search(question)
    return counted is not None and _is_uncounted(counted["noun"], text)


def _is_uncounted(noun: str, text: str) -> bool:
    """Whether a text speaks of what is to be counted, and never with a number before it."""
    stem = re.escape(noun[: max(4, len(noun) - 2)])
    if len(noun) < _MIN_COUNTED or not _compiled(rf"\b{stem}").search(text):
        return False
    return _compiled(rf"\b{_NUMBER}\W{{1,2}}(?:[\w-]+\W){{0,3}}?{stem}").search(text) is None


@lru_cache(maxsize=64)  # asked once for every hit
def _find_wanted(question: str) -> _AnswerType | None:
    return next((one for one in _TYPES if _compiled(one.asked_by).search(question)), None)


def _names_somebody(whole: str, text: str) -> bool:
    if _compiled(_ROLES).search(whole) or _NAME_INSIDE.search(text) or _DOER.search(text):
        return True
    beginnings = _FIRST_WORDS.findall(text)
    return any(
        measure_rarity(word.lower()) > _RARE_ENOUGH and not _NO_NAME.search(word) for word in beginnings
    )


@cache  # few questions ask for most of these
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
