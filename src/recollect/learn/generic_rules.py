"""
Generic sentences: a rule speaks of a class of things or occasions, a request of one of them.

"No emojis in commit messages" and "leave generated files alone" name a class; "leave the other file alone" and "run it
again" point to something that only this moment knows. Together with a form that obliges (an imperative that asks to
keep to something, a prohibition, a custom in the present tense, a condition with what then has to be done) that is a
rule, whatever words it is made of.
"""

from __future__ import annotations

import re

from recollect.learn.mentions import find_mentions

MIN_CLAUSE_WORDS = 3
_I = re.IGNORECASE
# It points to one thing, here and now.
_POINTS = re.compile(
    r"\b(?:this|that|these|those|it|them|here(?= is|'s)|above|below|(?:the|my|your) (?:last|previous|next"
    r"|first"
    r"|second|third|other|new|current|old|same|failing|broken|two|three|rest|remaining) ?\w*"
    r"|dies\w*|jen\w*|ce(?:tte|ci|la)|ça)\b(?! (?:way|repo\w*|project|code ?base|folder|package|kind|sort"
    r"|means"
    r"|repeats?|are|is|has|have|needs?|that|which|matter|of thing))",
    _I,
)
# "Anything that talks to the bank": no finger points at anything.
_RELATIVE = re.compile(r"\b(anything|everything|nothing|anyone|everyone|code|\w+s) that (?=\w+s?\b)", _I)
# Not ready, not yet, not any more: it will be otherwise soon.
_PASSING = re.compile(
    r"\b(?:yet|still|right now|for now|at the moment|currently|today|tonight|tomorrow|yesterday|this time"
    r"|just now"
    r"|in (?:a|\d+|a few|two|five|ten) (?:moments?|seconds?|min\w*|hours?|days?)|this (?:morning"
    r"|afternoon|evening|week)"
    r"|before you (?:stop|finish|leave|end|continue|go)|(?:when|once|until"
    r"|till) (?:you['’]?(?: a)?re |it['’]?(?: i)?s )?"
    r"(?:done|finished|ready)|(?:any|some|no)thing else|first(?= let)|vorerst|heute|gerade|diesmal"
    r"|pour l['’]instant"
    r"|aujourd['’]hui)\b",
    _I,
)
_LEAD_IN = re.compile(
    r"^(?:(?:please|pls|plz|bitte|also|and|but|so|ok(?:ay)?|well|no(?=[,.:!])|hey|again|fyi|btw|as i said"
    r"|as a reminder"
    r"|reminder"
    r"|you keep \w+[^.]{0,40}|that['’]s not how we do (?:it|things)(?: here)?|for (?:this|our) \w+(?: ?base)?"
    r"|in (?:this|our)"
    r" \w+(?: ?base)?|here|from an? \w+ (?:standpoint|perspective|point of view)|generally|usually"
    r"|normally)\b[\s,.:–—-]*)+",
    _I,
)
_PROHIBITS = re.compile(
    r"^(?:don['’]?t|do not|never|avoid|stop|no|let['’]s not|let us not|nothing|nobody|no one|kein\w*"
    r"|nicht|nie|pas de"
    r"|évite[rz]?|vermeide|ne(?= \w+ (?:pas|jamais|plus)\b))\s+(?P<rest>.+)",
    _I,
)
# Said in passing, or of the moment whatever follows.
_IDIOM = re.compile(
    r"^(?:worry|know|think|mind|care|understand|see|remember|recall|forget|hesitate|bother|apologi[sz]e"
    r"|panic|have"
    r"|get|worries|problem|need|idea|rush|longer|doubt|way|wonder|luck|time|one|more|other|matter|thanks?"
    r"|it|i|you"
    r"|we|he|she|they|not|the|this|that|wait|commit|push|merge|start|stop|continue|go|do)\b",
    _I,
)
# Other than it is now: a task, done once ("make tokens live longer").
_COMPARES = re.compile(
    r"^(?:make|let|get|have|give)\b(?!.*\b(?:always|never|every|from now on)\b).*\b(?:longer|shorter|faster|slower"
    r"|better|bigger|smaller|larger|nicer|cleaner|simpler|easier|clearer|quicker|lighter|darker|higher|lower|more|less"
    r"|fewer)\b\W*(?:please\W*)?$",
    _I,
)
# What is done with a shell is of the moment, unless it is said otherwise.
_HANDS = re.compile(
    r"^(?:stash|rebase|revert|reset|checkout|amend|cherry-pick|restart|kill|rerun|re-run|run|delete"
    r"|remove|open"
    r"|close)\b",
    _I,
)
# To keep to something is a state; to fix, add or run something is an act.
_KEEPS_TO = re.compile(
    r"^(?:keep|stick|leave|prefer|avoid|follow|respect|treat|assume|make sure|be (?:careful|sure|aware)"
    r"|ask(?: me)? (?:before|first)|frag(?:e|t)? (?:mich|uns)|demande[rz]?-(?:moi|nous)|check with"
    r"|watch out|mind|limit|reserve|respektiere|halte|lass|garde[rz]?"
    r"|laisse[rz]?"
    r"|demande[rz]?)\b(?P<rest>.+)",
    _I,
)
# To be reminded of an act is for now, unless it says on which occasions.
_REMINDS = re.compile(
    r"^(?:remember|don['’]?t forget|do not forget) to .+\b(?:always|every|each|any|whenever"
    r"|before (?:\w+ing|a|an|any"
    r"|every|you (?:commit|push|merge|release|deploy))|after (?:\w+ing|any|every)|when(?:ever)? (?:you "
    r"|we )?(?:\w+ing"
    r"|add|change|touch|create|edit|write|release|commit|merge|deploy|rename|remove)\w*)\b",
    _I,
)
_CUSTOM = re.compile(
    r"^(?:we|our (?:\w+ ){0,2}\w+|the (?:team|ci|linter|reviewers?|maintainers)|everyone|everything|on"
    r"|wir|nous)\s+"
    r"(?P<rest>(?:only |always |never |usually |deliberately |also |already |generally |all )*"
    r"(?!(?:will|would|want|need|needs|had|did|was|were|(?:are|is) \w+ing|have (?:to (?:fix|find|see|check"
    r"|look))|should (?:fix|check"
    r"|look|see|add|try|also)|just|now|still|could|might|may want|got|get|see|saw|know|think|look|lost|found"
    r"|missed|forgot"
    r"|discussed|talked|seem|hit|werden|wollen|avons|allons|\w+ed)\b)\S+\s+\S+.*)",
    _I,
)
_DECIDED = re.compile(
    r"^(?:we|i)(?:['’]ve| have)? (?:decided|agreed|chosen|settled|standardi[sz]ed|opted)\b (?:to|on"
    r"|against|for"
    r"|that|not)\b",
    _I,
)
_EVERY = re.compile(
    r"^(?:every|each|any|all|only|both|nothing|nobody|no|everything|anything|everyone|jede\w*|all\w|nur"
    r"|chaque"
    r"|tout(?:e|es|s)?|aucun\w*)\s(?:\w+[\s-]){0,5}?"
    r"(?:gets?|goes|go|must|may|has|have|owns?|needs?|lives?|is|are|should|can|belongs?|uses?|comes?"
    r"|stays?|returns?"
    r"|starts?|ends?|darf|muss|müssen|braucht|doit|doivent|peut)\b"
    r"(?! (?:green|red|passing|failing|done|fixed|broken|ready|good|fine|gone|failed|passed))",
    _I,
)
# "Public functions need type hints": a class named without an article, and what it must.
_CLASS_MUST = re.compile(
    r"^(?!(?:the|this|that|these|those|there|it|i|you|we|he|she|they|tests?"
    r"|things)\b)(?:[\w`./-]+ ){0,3}?[\w`./-]+(?:s|ing)"
    r" (?:need|must|should|belong|stay|live|always|never|only|may only|may not|cannot|müssen|dürfen"
    r"|doivent)\b",
    _I,
)
_USE_IN = re.compile(
    r"^for (?:all|every|each|any|new) .{3,60} (?:use|write|add|put|run|call|prefer|keep)\b"
    r"|^(?:write|put|add|create|name|place) (?:all |any )?new \w+s\b(?! (?:for|to) (?:the|this|that|it)\b)"
    r"|^use (?!(?:the|this|that|it|my|your|option|port)\b)[\w`-]+(?: [\w`-]+){0,4}? (?:in|for|when|everywhere"
    r"|throughout)\b"
    r"(?! (?:the|this|that|it|now)\b)",
    _I,
)
_NOWHERE_ELSE = re.compile(
    r"\b(?:nowhere else|everywhere|anywhere else|in one place|append-only|read-only|off[- ]limits"
    r"|by convention"
    r"|backwards?[- ]compatible|as a rule|per (?:test|file|module|commit|pr|function|class)|at all times)\b",
    _I,
)
_OCCASION = re.compile(
    r"^(?:when|whenever|if|before|after|once|every time|each time|wenn|bevor|sobald|quand|si|avant d)\b[\s,]*"
    r"(?:you(?:['’]re| are)? (?!said|did|were|asked|wrote|told|done|finished|ready|through)|we |one "
    r"|anyone|somebody|someone|a |an |any |adding|changing"
    r"|touching|editing|writing|creating|removing"
    r"|renaming|committing|pushing|merging|releasing|deploying|du |wir |man |tu |vous |on )(?P<rest>.+)",
    _I,
)
_THEN = re.compile(
    r"\b(?:also|always|must|have to|has to|need to|needs to|should|make sure|remember|please|don['’]t"
    r"|do not|never"
    r"|run|add|update|regenerate|bump|check|ask|use|auch|musst|muss|immer|aussi|doit|il faut)\b",
    _I,
)
_TASTE = re.compile(
    r"^(?:i|we) (?:really |strongly |generally |always )*(?:hate|dislike|love|like|prefer|favou?r"
    r"|don['’]t (?:like|want|use)|want (?:all|every|no|each|only)"
    r"|want (?!(?:the|this|that|to|you|us|it|some|more"
    r"|an?)\b)(?:[\w-]+ ){0,2}[\w-]+s\b(?=.* .* ))\b(?P<rest>.+)"
    r"|^(?:i|we)(?:['’]d| would) (?:always |generally )?(?:prefer|rather)\b.+\b(?:than|over|to|instead)\b",
    _I,
)
_CANNOT = re.compile(
    r"^(?:we|you|i) (?:can(?:no|['’])t|cannot|may not|must(?:n['’]t| not)?|are not allowed to)\b"
    r"(?! (?:really |yet )?(?:see|find|tell|remember|believe|reproduce|figure|understand|get|imagine|say|think|wait)\b)"
    r"(?P<rest>.+)",
    _I,
)
_YOU_SHOULD = re.compile(
    r"^you (?:should|must|have to|need to) (?:always |never |not )?(?P<rest>(?:ask|tell|warn|use|prefer|avoid"
    r"|keep|run|follow"
    r"|wait for|get)\b.+)",
    _I,
)
# What people have habits for: named with a colon, or with how it is to be.
_HABITS_OF = re.compile(
    r"^(?:all )?(?:commits?|commit messages?|commit subjects?|branch(?:es| names?)|(?:file|variable|test"
    r"|function) names?"
    r"|naming|tests?|comments?|docstrings?|log(?:s| messages?| lines?)|imports?|prs?|pull requests?"
    r"|error messages"
    r"|changelog entries|release notes|versions?|kommentare|tests?|variablen|fehlermeldungen"
    r"|commit-?nachrichten"
    r"|les commits|messages de commit|commentaires)"
    r"(?::\s+(?!.*\b(?:fail\w*|error|undefined|panic|passed|ok)\b)|\s+(?:bitte|please|always|only|nur"
    r"|immer|stets"
    r"|toujours)\s)(?=\S+ \S+)",
    _I,
)
_OUR_POLICY = re.compile(
    r"\b(?:that['’]s|it['’]s|this is|das ist|c['’]est) (?:our|the|a|unsere?|notre|die) (?:\w+ )?(?:policy"
    r"|rule|convention"
    r"|standard|agreement|practice|regel|vereinbarung|règle)\b",
    _I,
)
_AMONG_US = re.compile(
    r"^(?:bei uns|chez nous|around here|over here|in (?:this|our) (?:repo|repository|team|project|code ?base)"
    r"|in diesem (?:repo|projekt)|dans ce (?:dépôt|projet|repo))\b[\s,]+(?=(?:\S+ ){3})"
    r"(?!.*\b(?:war|hat|hatte|gab|was|were|had|broke|failed|crash\w*|there (?:is|are))\b)",
    _I,
)
# What something is, and what therefore must not be done with it.
_THEREFORE_NOT = re.compile(
    r"^(?!(?:i|it|this|that|there|he|she)\b)(?=(?:\S+ ){3}).{6,90}?(?:,| so| and|;| -"
    r"|:)+ (?:so )?(?:please |pls )?"
    r"(?:(?<=so )(?:keep|use|put|write|leave|prefer|make sure|run)|don['’]?t|do not|never"
    r"|no) (?!(?:worry|bother|idea|need|problem|luck|longer|rush)\b)\S+ \S+",
    _I,
)
_KEEPS_DOING = re.compile(
    r"^(?:\W*(?:please|but|and|again)\b)*\W*you (?:keep|always|constantly) \w+ing\b.{4,}\b(?:don['’]?t"
    r"|stop)\b",
    _I,
)
_DESCRIBES = re.compile(
    r"\b(?:is|are|comes?|goes?|runs?|sits?|has|have|gets?|lives?|belongs?|needs?|keep|['’](?:re|s))\b", _I
)
# How it stands just now.
_STANDS_NOW = re.compile(
    r"\b(?:is|are|looks?|seems?|was|were)(?:n['’]t)? (?:now |still |all |totally |completely "
    r"|not )*(?:broken|green|red|failing"
    r"|passing|done|fixed|ready|good|fine|gone|down|slow|wrong|up|working|stuck|finished|back)\b",
    _I,
)
_STAYS_SO = re.compile(r"\bkeep it (?:that|this) way\b|\bleave it (?:that|this) way\b|\bso bleib", _I)
_CAREFUL = re.compile(r"\bbe careful (?:with|when|not to|about)\b|\bvorsicht mit\b|\bfais attention\b", _I)
_DEFINITE = re.compile(r"^\w+\s+(?:the|my|your|his|her|der|die|das|den|le|la|les)\s", _I)
# What makes a definite thing last: a reason, a place or a condition.
_LASTS = re.compile(
    r"\b(?:because|since|otherwise|unless|locally|in ci|on ci|in prod\w*|in the repo|without|ever|by hand"
    r"|directly"
    r"|alone|weil|sonst|ohne|car|sinon|sans)\b|, (?:it|they|that|we|ops|ci|ils?|elles?|sie|er|es|die|wird"
    r"|werden)\b"
    r"|, \w+ (?:depends?|rel(?:y|ies)|needs?|uses?|expects?)\b",
    _I,
)


def is_of_the_moment(text: str) -> bool:
    """Whether a sentence says itself that it holds only for now."""
    return _PASSING.search(text) is not None


def is_generic_rule(sentence: str) -> bool:
    """Whether a sentence obliges, and speaks of a class of things rather than of one."""
    text = _LEAD_IN.sub("", sentence).strip()
    if _KEEPS_DOING.match(sentence):
        return True
    if len(text.split()) < MIN_CLAUSE_WORDS or is_of_the_moment(text) or _COMPARES.match(text):
        return False
    if any(form.search(text) for form in (_STAYS_SO, _CAREFUL, _OUR_POLICY, _AMONG_US, _HABITS_OF, _REMINDS)):
        return True
    if _STANDS_NOW.search(text):
        return False
    if _THEREFORE_NOT.match(text) and _DESCRIBES.search(text):
        return True
    # What "it" is, the condition has said.
    if occasion := _OCCASION.match(text):
        return _THEN.search(occasion["rest"]) is not None
    # What stands behind the comma says why; what it points to stands before.
    main = _RELATIVE.sub(r"\1 which ", _main_clause(text))
    if _POINTS.search(main):
        return False
    if (prohibited := _PROHIBITS.match(text)) and not _IDIOM.match(prohibited["rest"]):
        is_vague = _DEFINITE.match(prohibited["rest"]) or _HANDS.match(prohibited["rest"])
        return not is_vague or _is_lasting(text)
    if habit := _KEEPS_TO.match(text):
        return len(habit["rest"].split()) >= 2 and (not _DEFINITE.match(text) or _is_lasting(text))
    return any(
        form.match(text)
        for form in (_DECIDED, _EVERY, _CLASS_MUST, _USE_IN, _CUSTOM, _TASTE, _CANNOT, _YOU_SHOULD)
    ) or (_NOWHERE_ELSE.search(text) is not None and not _DEFINITE.match(text))


def _main_clause(text: str) -> str:
    clause = re.split(r", |; ", text, maxsplit=1)[0]
    return clause if len(clause.split()) >= MIN_CLAUSE_WORDS else text


def _is_lasting(text: str) -> bool:
    return bool(_LASTS.search(text) or find_mentions(text))
