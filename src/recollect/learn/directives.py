"""
Directive detection: what a person typed that still holds tomorrow, apart from what was only for now.

A directive tells how things are done here (a rule, a prohibition, a preference, a choice) and names nothing that only
this moment knows. It is kept in the person's own words, made plain. A request ("add a test", "commit and push"), a
question, a yes, a report of an error and whatever a program put where a prompt stands are not directives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby

from recollect.capture.evidence import drop_pasted
from recollect.events.machine_prompts import is_machine_text, remove_machine_text
from recollect.learn.content_words import content_words
from recollect.learn.generic_rules import is_generic_rule, is_of_the_moment
from recollect.learn.mentions import find_mentions, strip_line_references
from recollect.learn.segmentation import (
    MAX_TEXT,
    BlockKind,
    TextBlock,
    parse_blocks,
    split_sentences,
    strip_marks,
)
from recollect.learn.wording import polish_sentence, shorten_note
from recollect.model.value import dataclass

MAX_DIRECTIVE_LENGTH = 320
MIN_WORDS = 3
# Longer prompts are mostly pasted: a report, a log, a plan.
MAX_PROMPT_LENGTH = 2_500
SHORT_PROMPT = 240
SAME_MATTER = 0.6


class DirectiveKind(StrEnum):
    """What a directive becomes: the name of a kind of memory."""

    PREFERENCE = "preference"
    DECISION = "decision"
    REQUIREMENT = "requirement"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """One thing that holds from now on: in plain words, and as it was said."""

    kind: DirectiveKind
    text: str
    quote: str


_I = re.IGNORECASE
# It says itself that it holds for longer.
_STANDING = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|next time|as a (?:general )?rule|by convention"
    r"|every time|at all times"
    r"|always|never(?! mind)|whenever|under no circumstances|house rule|for all (?:new|future)|not ever"
    r"|ab jetzt|ab sofort|in zukunft|künftig|zukünftig|immer|niemals|nie|grundsätzlich|nicht mehr|jedes mal"
    r"|désormais|dorénavant|à partir de maintenant|à l['’]avenir|toujours|jamais|dans ce (?:dépôt|projet|repo)"
    r"|plus jamais|a partir de ahora|de ahora en adelante|usa siempre|en este (?:repo|proyecto))\b",
    _I,
)
# It says where it holds; whether it says what to do is seen from the rest.
_HERE = re.compile(
    r"\b(?:in this (?:repo(?:sitory)?|project|code ?base|folder|package)|(?:our|the) convention"
    r"|in diesem (?:repo|projekt)|in unserem|chez nous)\b",
    _I,
)
_TELLS_TO_DO = re.compile(
    r"^(?:please |bitte )?(?:use|keep|put|write|name|wrap|log|return|prefer|avoid|follow|stick|run"
    r"|do|don['’]?t"
    r"|do not"
    r"|no|never|nutze|verwende|utilise[rz]?)\b|\b(?:we|our|you|us|wir|nous|must|should|only|not"
    r"|convention is)\b",
    _I,
)
# What we do here, said as a fact.
_CUSTOM = re.compile(
    r"^(?:here,? )?(?:we|our (?:team|tests?|code|ci|users?)|the team|nous|on|wir|bei uns)\s+(?:only |always "
    r"|never |don['’]t |do not |already |deliberately |intentionally )*"
    r"(?:use|prefer|keep|want(?! to (?:see|know|check|have a))|have|support|rely|run|write|wrap"
    r"|avoid|name|put"
    r"|need(?! to (?:fix|find|see|check|look|get|do|make|add|figure|move|merge))|require|expect|like"
    r"|stick|ship"
    r"|test|store|follow|utilisons|préférons|gardons|n['’]utilisons"
    r"|nutzen|verwenden|benutzen|bevorzugen|haben|wollen|schreiben|brauchen)\b",
    _I,
)
_MUST = re.compile(
    r"\b(?:must(?:n['’]t| not)?|should(?: never| always| not|n['’]t)|has to|have to be|(?:is"
    r"|are) not (?:allowed|supposed|meant)|needs? to (?:be|stay|remain|go)|may (?:only|not)"
    r"|(?:is|are) (?:deliberate|intentional|by design|the only|the single|off limits|forbidden)"
    r"|single source of truth"
    r"|darf nicht|dürfen nicht|darf nur|muss|müssen|soll(?:en)? nicht|ne (?:doit|doivent)|doit|doivent"
    r"|il ne faut pas|il faut)\b",
    _I,
)
# `Errors are wrapped, not logged.`
_THIS_NOT_THAT = re.compile(
    r"^(?!(?:i|it|this|that|there|he|she|the (?:error|issue|problem|bug|test"
    r"|build))\b)[\w`/. -]{3,60}\b(?:are"
    r"|is|go(?:es)?|live|lives|belongs?|come|stays?|get|gets|werden|sind|sont|vont)\b(?! not\b).{3,80}(?:,"
    r"| and) (?:not"
    r"|never|rather than|instead of|nicht|pas)\b",
    _I,
)
_PROHIBITION = re.compile(
    r"^(?:please |bitte |s['’]il te plaît,? )?(?:don['’]?t|do not|never|avoid|no|stop|nicht|kein(?:e|en)?|ne"
    r"|n['’]|pas de|évite[rz]?|vermeide)\s+(?P<rest>.+)",
    _I,
)
_PREFERENCE = re.compile(
    r"^(?:please |bitte |just |i(?:['’]d)? |we |let['’]s |you should |we should |can (?:you|we) |could (?:you"
    r"|we) )*(?:prefer|favou?r|use|do|write|put|keep|make|return|name|call|wrap|log|go with"
    r"|je préfère|préfère"
    r"|utilise[rz]?|nutze?|verwende|benutze|nimm)\s+"
    r"(?P<wanted>.{2,120}?)(?:,| and)?\s(?:instead of|rather than|over|not|and not|au lieu d[e'’]|plutôt que"
    r"|pas|statt|anstatt|anstelle von|nicht)\s*(?P<unwanted>.{2,120})",
    _I,
)
_PREFERS = re.compile(
    r"^(?:i|we|je|ich|wir|nous)(?:['’]d| would)? (?:strongly |really |always )?(?:prefer|bevorzuge|bevorzugen"
    r"|préfère|préférons)\b",
    _I,
)
# A statement to be remembered; "remember to push" is a request.
_REMEMBER = re.compile(
    r"^(?:please |bitte |s['’]il te plaît,? )?(?:"
    r"(?:remember|keep in mind|bear in mind|don['’]?t forget)(?! to\b)[\s,:]*(?:that )?|note that "
    r"|(?:a )?(?:note|reminder) for (?:the future|later|next time)[\s,:]*"
    r"|(?:merke? dir|denke? (?:bitte )?(?:daran|dran)|vergiss nicht)[\s,]*(?:dass |:\s*)"
    r"|(?:souviens-toi|retiens|n['’]oublie pas|rappelle-toi)[\s,]*(?:que |qu['’]|:\s*))",
    _I,
)
# "Make the button blue instead of green" changes one thing, once.
_CHANGES_ONE = re.compile(
    r"^(?:please |just |can (?:you|we) |could (?:you|we) |let['’]s )*(?:make|put|call|rename"
    r"|do) (?:the|my|your|its) ",
    _I,
)
# What the reader can or has done is no fact of the project.
_OF_THE_READER = re.compile(
    r"(?:also |too |again )?you (?:have|can|are|were|had|said|did|could|already)\b|du (?:hast|kannst|bist)\b"
    r"|tu (?:as|peux|es)\b",
    _I,
)
# Bound to the moment.
_NOW = re.compile(
    r"\b(?:right now|currently|at the moment|for now|this time|just now|yesterday|today|tonight"
    r"|for this (?:one|pr|commit|session)|in this (?:pr|commit|session|branch|case)|temporarily|yet|still"
    r"|the (?:last|previous|first|second|third|above|below) (?:one|two|change|commit|test|tests|edit"
    r"|step|item"
    r"|point)|vorerst|gerade|heute|diesmal|für jetzt|pour l['’]instant|cette fois|aujourd['’]hui"
    r"|maintenant que)\b",
    _I,
)
_DEMONSTRATIVE = re.compile(
    r"\b(?:this|that|these|those|it|them|dies(?:e[rsnm]?)?|jen(?:e[rsnm]?)|ce(?:tte|ci|la)|ça)\b(?! (?:repo"
    r"|repository|project|code ?base|folder|package|dépôt|projet|means)\b)",
    _I,
)
_QUESTION = re.compile(
    r"\?\W{0,3}$|^(?:what|why|where|when|who|how|which|is|are|does|do (?:you|we|i)|did|isn['’]t|was|were"
    r"|have you|has|warum|wieso|was|wie|wo|pourquoi|comment|est-ce)\b",
    _I,
)
# "Don't worry", "never mind", "no idea", "do not forget to push": said in passing.
_PHRASE = re.compile(
    r"^(?:(?:don['’]?t|do not) (?:worry|know|think|mind|care|understand|see|remember|recall|forget|hesitate"
    r"|bother|apologi[sz]e|panic|have)|never ?mind|no (?:worries|problem|need|idea|rush|longer|\w+ing\b)"
    r"|stop(?:$|[.!,]| (?:the|it|that|here|now|hook|server))|no[,.! ]|nope|nicht schlimm"
    r"|pas de (?:souci|problème))",
    _I,
)
_REQUEST = re.compile(
    r"^(?:can|could|would) (?:you|we)\b|^(?:please )?(?:add|fix|create|update|implement|write|check|look|run"
    r"|remove|delete|rename|commit|push|merge|rebase|show|explain|review|investigate|continue|go|try|test"
    r"|refactor|move|make a|open|close|print|summari[sz]e|take a look|have a look|let['’]s|ajoute|corrige"
    r"|lance|füge|mach|schau|prüfe)\b",
    _I,
)
# A story about what happened is no rule, whatever words it is told with.
_STORY = re.compile(
    r"\b(?:i might be wrong|if i(?:['’]m| am) not mistaken|(?:is|are|was|were) (?:still |now )?failing"
    r"|i (?:just )?(?:had|got|saw|ran|tried|noticed|see|get)|that['’]s (?:the|a|my) (?:bug|problem"
    r"|issue|mistake)"
    r"|i (?:always|never|often|constantly) (?!want|prefer|like|use|need|expect|hate|commit|write|ask"
    r"|review|run)\w+"
    r"|(?:we|i|it|they|you) (?:never|always) (?:had|did|was|were|saw|went|came|\w+ed)\b"
    r"|toujours (?:pas|ce(?:t|tte|s)?|l[ea] même)\b|immer noch|noch nie"
    r"|(?:check|see|know|sure|verify|find out|tell me|wonder\w*|schau|prüfe|vérifie) (?:whether|if"
    r"|why|ob|si)\b|encore (?:en panne|cassé)|it (?:says|said|shows|fails|failed|failing"
    r"|never (?:ends|returns|works|finishes)|always (?:fails|returns|shows|says))|(?:fails|failing|failed"
    r"|hangs|crashes)\b.{0,40}\b(?:always|every time|again)"
    r"|(?:always|never) (?:fails?|failed|works?|worked|happens?|happened|seen|saw|knew|got|gets|shows?|loads?"
    r"|returns?|terminates|finishes|completes|ends)|(?:läuft|funktioniert|schlägt|geht) (?:nie|immer)"
    r"|(?:immer|nie) (?:fehl|durch)|échoue (?:toujours|jamais))\b",
    _I,
)
# "Our API never returns 500" tells no story.
_OURS = re.compile(
    r"(?:our|unsere?|notre|nos) (?:[\w-]+ ){1,3}(?:never|always|nie|immer) [\w-]+(?:s|t)\b", _I
)
# "To hide this notice, run …": instructions of a program, pasted.
_PURPOSE = re.compile(r"^to \w+\b.{0,80}(?:,|:|\bin (?:the )?future\b)", _I)
_PASTED = re.compile(
    r"^\s*(?:at |File \"|Traceback|\d{4}-\d\d-\d\d|\$ |>>> |[A-Z]+ \d{2}|\[[A-Z]+\]|❯|✓|⎿|\w+\.\w+:\d+)|::"
    r"|\)\s*$(?<=\w\(\))"
)


# Typed lines start at the margin; what is indented was pasted from a screen or a file.
INDENTED = re.compile(r"^(?: {2,}|\t)(?!\s*(?:[-*+•]|\d{1,2}[.)])\s).*$", re.MULTILINE)


# An order for now, in the words that orders begin with.
_ORDER = re.compile(
    r"(?:(?:please|now|then|also|and|so|ok|next|today|first|bitte|jetzt|nun|und|maintenant|ensuite"
    r"|puis|d'abord)[, ]+)*"
    r"(?:add|fix|write|create|implement|make|build|update|change|rename|refactor|remove|delete|move"
    r"|run|test|finish|continue"
    r"|look|check|let|try|install|commit|push|deploy|migrate|convert|extract|split|clean|document"
    r"|review|explain|show|find"
    r"|füge|mach|mache|schreib|schreibe|erstelle|baue|ändere|behebe|repariere|entferne|teste|prüfe"
    r"|benenne|lass|setze"
    r"|ajoute|corrige|écris|crée|implémente|fais|supprime|renomme|teste|vérifie|mets|lance|continue"
    r"|répare)\b",
    re.IGNORECASE,
)


def find_directives(
    prompt: str, *, after_work: bool = False, is_refusal: bool = False
) -> Iterator[Directive]:
    """Each directive in what a person typed. `after_work`: the agent had done something that it may put right."""
    if is_machine_text(prompt) or prompt.lstrip().startswith("/"):
        return
    text = INDENTED.sub("", drop_pasted(remove_machine_text(prompt)))
    if not text or len(text) > MAX_PROMPT_LENGTH:
        return
    whole = " ".join(text.split())
    if len(whole) <= SHORT_PROMPT and "?" not in whole and "\n\n" not in text.strip():
        yield from _in_short_prompt(whole, after_work=after_work, is_refusal=is_refusal)
        return
    for lead, group in groupby(parse_blocks(text[:MAX_TEXT]), key=lambda block: block.lead):
        blocks = [block for block in group if block.kind is not BlockKind.ROW]
        yield from _in_blocks(blocks, lead, after_work=after_work, is_refusal=is_refusal)


def _in_short_prompt(whole: str, *, after_work: bool, is_refusal: bool) -> Iterator[Directive]:
    """
    A short prompt is one thought: what is asked for and the rule behind it belong together.

    But where the rule stands by itself ("from now on …"), the task beside it is of its moment.
    """
    quote = strip_marks(whole)
    sentences = split_sentences(quote)
    kinds = [_kind(one, after_work=after_work, is_refusal=is_refusal) for one in sentences]
    rules = [sentence for sentence, kind in zip(sentences, kinds, strict=True) if kind]
    if any(_STANDING.search(_bare(rule)) for rule in rules):
        tasks = [
            sentence
            for sentence, kind in zip(sentences, kinds, strict=True)
            if kind is None and _ORDER.match(_bare(sentence))
        ]
        quote = " ".join(sentence for sentence in sentences if sentence not in tasks)
    kind = next(filter(None, kinds), None)
    if kind and (words := word_directive(quote)):
        yield Directive(kind=kind, text=words, quote=quote)


def _in_blocks(
    blocks: Sequence[TextBlock], lead: str, *, after_work: bool, is_refusal: bool
) -> Iterator[Directive]:
    directives: list[Directive] = []
    for block in blocks:
        sentences = split_sentences(block.text)
        for place, sentence in enumerate(sentences):
            if kind := _kind(sentence, after_work=after_work, is_refusal=is_refusal):
                quote = _with_context(sentences, place)
                if words := word_directive(quote):
                    directives.append(Directive(kind=kind, text=words, quote=quote))
    # Rules of one list are one thing to know.
    whole = " ".join(block.text for block in blocks)
    if lead and directives and len(blocks) > 1 and len(whole) <= MAX_DIRECTIVE_LENGTH:
        yield Directive(kind=directives[0].kind, text=word_directive(whole), quote=whole)
    else:
        yield from directives


def is_directive(sentence: str) -> bool:
    """Whether one sentence of a person holds beyond its moment."""
    return _kind(sentence, after_work=False, is_refusal=False) is not None


def _kind(sentence: str, *, after_work: bool, is_refusal: bool) -> DirectiveKind | None:
    bare = _bare(sentence)
    if not MIN_WORDS <= len(bare.split()) <= 70 or _PASTED.search(bare):
        return None
    is_generic = not bare.endswith("?") and is_generic_rule(sentence)
    if _PHRASE.match(bare) and not is_generic:
        return None
    if bare.endswith(("...", "…", ":")) or _PURPOSE.match(bare):
        return None
    standing = _STANDING.search(bare) is not None or (
        _HERE.search(bare) is not None and _TELLS_TO_DO.search(bare) is not None
    )
    is_passing = (_NOW.search(bare) or is_of_the_moment(bare)) and not re.search(
        r"from now on|ab jetzt|désormais", bare, _I
    )
    if is_passing or (_STORY.search(bare) and not _OURS.match(bare)):
        return None
    is_question = _QUESTION.search(bare) and not is_generic
    if is_question and not (_PREFERENCE.match(bare) and not _DEMONSTRATIVE.search(bare)):
        return None
    if (reminder := _REMEMBER.match(bare)) and len(bare.split()) >= 5:
        return None if _OF_THE_READER.match(bare[reminder.end() :]) else DirectiveKind.DECISION
    named = bool(find_mentions(bare))
    prohibition, preference = _PROHIBITION.match(bare), _PREFERENCE.match(bare)
    if standing and (not _REQUEST.match(bare) or re.search(r"always|never|from now on|every time", bare, _I)):
        return _by_manner(bare, after_work or is_refusal)
    if _CUSTOM.match(bare) and not _DEMONSTRATIVE.search(bare):
        return DirectiveKind.DECISION
    if _PREFERS.match(bare) or _THIS_NOT_THAT.match(bare):
        return DirectiveKind.PREFERENCE if _PREFERS.match(bare) else DirectiveKind.DECISION
    if _MUST.search(bare) and not _REQUEST.match(bare) and not _DEMONSTRATIVE.match(bare):
        return DirectiveKind.REQUIREMENT
    if (
        prohibition
        and _is_custom_verb(prohibition["rest"])
        and not _DEMONSTRATIVE.search(prohibition["rest"])
    ):
        return _by_manner(bare, after_work or is_refusal)
    if (
        preference
        and not _DEMONSTRATIVE.search(preference["wanted"])
        and not _CHANGES_ONE.match(bare)
        and not preference["unwanted"].startswith(('"', "“", "'"))
    ):
        return DirectiveKind.CORRECTION if after_work or is_refusal else _by_manner(bare, False)
    if is_generic:
        return _by_manner(bare, after_work or is_refusal)
    if (
        is_refusal
        and (named or len(bare.split()) >= 5)
        and not _DEMONSTRATIVE.search(bare)
        and not _REQUEST.match(bare)
    ):
        return DirectiveKind.CORRECTION
    return None


# How code is written holds on; what is done with a shell (stash, push, run) is of the moment unless said otherwise.
_WRITING = re.compile(
    r"(?:us(?:e|ing)|add|writ(?:e|ing)|mock(?:ing)?|import|hard-?cod(?:e|ing)|rely|log(?:ging)?|swallow|catch"
    r"|duplicat(?:e|ing)|touch|edit|chang(?:e|ing)|introduc(?:e|ing)|creat(?:e|ing)|put|nam(?:e|ing)|wrap"
    r"|return|throw|raise|cop(?:y|ying)|depend|mix|nest|inline|expose|export|assume|utilise[rz]?|ajoute[rz]?"
    r"|verwende\w*|benutze\w*|nutze\w*)\b",
    _I,
)


def _is_custom_verb(rest: str) -> bool:
    return len(rest.split()) >= 2 and (_WRITING.match(rest) is not None or bool(find_mentions(rest)))


def _by_manner(sentence: str, corrects: bool) -> DirectiveKind:
    if corrects and _PROHIBITION.match(sentence) and not _STANDING.search(sentence):
        return DirectiveKind.CORRECTION
    here = re.search(r"\b(?:here|in this (?:repo|project|code)|dans ce|hier|ici)\b", sentence, _I)
    return DirectiveKind.DECISION if here or find_mentions(sentence) else DirectiveKind.PREFERENCE


_SOFTENERS = re.compile(
    r"^(?:(?:ok(?:ay)?|hmm+|hm|uh|um|oh|ah|well|sorry|actually|but|and|so|also|hey|yeah|yes|right|sure|again"
    r"|then|wait|no|nope|btw|by the way|fyi|ja|nein|oui|non|et|und|aber|mais|alors)\b[\s,.:!–—-]{1,4}){1,4}",
    _I,
)


def _bare(sentence: str) -> str:
    text = " ".join(sentence.split())
    softener = _SOFTENERS.match(text)
    # "No mocks here" is a rule, "no, not here" is none.
    return text[softener.end() :] if softener and not re.match(r"no \w", text, _I) else text


def _with_context(sentences: Sequence[str], place: int) -> str:
    """The directive, with the sentence before it where it points there, and the one after it where that says why."""
    sentence = sentences[place]
    if place and _DEMONSTRATIVE.search(sentence) and not _QUESTION.search(sentences[place - 1]):
        joined = f"{sentences[place - 1]} {sentence}"
        sentence = joined if len(joined) < MAX_DIRECTIVE_LENGTH else sentence
    reason = next(iter(sentences[place + 1 : place + 2]), "")
    fits = len(sentence) + len(reason) < MAX_DIRECTIVE_LENGTH and not _QUESTION.search(reason)
    return f"{sentence} {reason}" if fits and _GIVES_REASON.match(reason) else sentence


_GIVES_REASON = re.compile(
    r"(?:because|since|otherwise|that way|they|it|this|the reason|weil|sonst|denn|car|parce|sinon)\b", _I
)


def word_directive(quote: str) -> str:
    """A directive in plain words: without softeners and politeness."""
    parts = split_sentences(_REMEMBER.sub("", _bare(strip_line_references(quote))))
    return shorten_note(" ".join(filter(None, map(_polite_out, parts))))


def _polite_out(sentence: str) -> str:
    text = re.sub(r"[?\s]+$", "", sentence)
    text = re.sub(
        r"^(?:please|bitte|s['’]il te plaît),?\s+|,?\s+(?:please|bitte|thanks|thank you|ok)\s*[.!]?$",
        "",
        text,
        flags=_I,
    )
    return polish_sentence(text) or text


_AGAINST = re.compile(
    r"\b(?:not|never|no|don['’]?t|do not|avoid|without|stop|mustn['’]t|shouldn['’]t|forbidden|anymore|nicht"
    r"|nie|niemals|kein\w*|jamais|pas|plus)\b",
    _I,
)
_AGAIN = re.compile(
    r"\b(?:again|after all|is fine|are fine|is ok(?:ay)?|are ok(?:ay)?|may|can now|allowed|changed my mind"
    r"|forget (?:that|what)|no longer (?:need|have)|doch|wieder|finalement)\b",
    _I,
)


def is_reversal(later: str, earlier: str) -> bool:
    """Whether a directive takes an earlier one back: about the same matter, with the opposite sign."""
    ours, theirs = _matter(later), _matter(earlier)
    if not ours or not theirs:
        return False
    shared = len(ours & theirs) / min(len(ours), len(theirs))
    opposite = bool(_AGAINST.search(later)) != bool(_AGAINST.search(earlier))
    return shared >= SAME_MATTER and (opposite or bool(_AGAIN.search(later)))


_FRAME = frozenset(
    "always never please must should from now future again after all fine okay here there repo repository project"
    " code don't use uses used using".split()
)


def _matter(text: str) -> set[str]:
    return {word for word in content_words(text) if word not in _FRAME}
