"""
Cue phrases (discourse markers) as data: what a sentence does, seen from the words it does it with.

A row is a role, how much it weighs, and a pattern. The roles that make a note are those a reader can use next time: why
something happens, what must hold, what mends it, what was chosen, what to do from now on. The others tell what a note
is not: a plan for the next minute, a report of success, a guess, a question, politeness. Rows in German and French
stand beside the English ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache

from recollect.model.value import dataclass


class Role(StrEnum):
    """What a sentence does."""

    CAUSE = "cause"
    CONSTRAINT = "constraint"
    REMEDY = "remedy"
    CHOICE = "choice"
    RULE = "rule"
    CONTRAST = "contrast"
    CONSEQUENCE = "consequence"
    # What a note is not.
    NARRATION = "narration"
    STATUS = "status"
    HEDGE = "hedge"
    QUESTION = "question"
    COURTESY = "courtesy"
    CHANGE_LOG = "change log"
    REQUEST = "request"


@dataclass(frozen=True, slots=True)
class CueRow:
    """One cue: its role, its weight, the words."""

    role: Role
    weight: float
    pattern: re.Pattern[str]


def _row(role: Role, weight: float, *patterns: str) -> CueRow:
    """One row of several patterns. They are written in lower case, as is the sentence they are held against."""
    return CueRow(role, weight, re.compile("|".join(patterns)))


_R = Role
CUES: tuple[CueRow, ...] = (
    # Who puts a label before a sentence says what the sentence does.
    _row(
        _R.CAUSE,
        1.2,
        r"(?:^|[:.;–—-] )\W*(?:(?:root |the |real |likely )?(?:cause|reason)|why|because|ursache|grund|raison)\W{0,3}:",
        r"\b(?:root cause|culprit)\b",
    ),
    _row(
        _R.REMEDY,
        1.2,
        r"(?:^|[:.;–—-] )\W*(?:the )?(?:fix|solution|resolution|remedy|work-?around|lösung|behoben|correctif|solution)"
        r"\W{0,3}:",
        r"\b(?:fixed|solved|resolved|mended|worked around|avoided) by (?!the (?:user|person)\b)",
    ),
    _row(
        _R.CAUSE,
        1.0,
        r"\b(?:root cause|real (?:cause|reason|issue|problem)|culprit|the (?:bug|cause|reason|catch) (?:is|was)\b)",
        r"\b(?:because|due to|caused by|stems? from|comes? from|which is why|that['’]s why|the reason)\b",
        r"\bturns out\b|\bit (?:appears|seems) that\b.{0,80}\bso\b",
        r"\b(?:weil|wegen|denn|ursache|grund (?:ist|war)|liegt (?:daran|an))\b",
        r"\b(?:parce qu|car |à cause d|en raison d|la cause)",
    ),
    _row(
        _R.CAUSE,
        0.7,
        r"\bthe (?:issue|problem|bug|difference) (?:is|was|here|with)\b|\bsince (?:the|it|we|this|both|`"
        r"|\w+ (?:is|are|does|uses))",
        r"\b(?:was|were|is|are|gets?) (?:being )?(?:silently|never|still|always|only|not) \w+",
        r"\bas (?:it|they|the \w+) (?:is|are|was|were|does|do)(?:n['’]t)?\b",
        r"\bfails? (?:when|if|because|with|on)\b|\b(?:breaks?|crash(?:es)?|hangs?) (?:when|if|because|on)\b",
    ),
    _row(
        _R.CONSEQUENCE,
        0.6,
        r"\b(?:which means|meaning that|this means|so that|therefore|thus|as a result|leads? to|results? in"
        r"|causes?\b|makes? (?:it|the|them))",
        r"\b(?:would|will|could|can) (?:fail|break|lose|overwrite|orphan|replace|hang|leak|corrupt|silently"
        r"|never|not|otherwise)\b",
        r", so (?!far\b|that\b|let\b|i\b)\w+",
        r"\botherwise\b|\b(?:lost|ignored|skipped|dropped|discarded|missed|overwritten|shadowed) (?:on|when|by"
        r"|in|if|silently)\b",
        r"\b(?:deshalb|daher|sodass|sonst)\b|\b(?:donc|sinon|par conséquent)\b",
    ),
    _row(
        _R.CONSTRAINT,
        0.9,
        r"\b(?:must(?:n['’]t)?|needs? to|has to|have to|required?s?|mandatory|cannot|can['’]t|may not"
        r"|not allowed|forbidden)\b",
        r"\b(?:only (?:works?|when|if|for|the|on|by|one|in)|never|always|not supported|unsupported|expects?"
        r"|depends? on)\b",
        r"\b(?:muss|müssen|darf nicht|dürfen nicht|kann nicht|nur wenn|braucht|immer|niemals|nie)\b",
        r"\b(?:doit|doivent|il faut|ne peut pas|jamais|toujours|seulement si|nécessite)\b",
    ),
    _row(
        _R.CONSTRAINT,
        0.5,
        r"\b(?:doesn['’]t|does not|don['’]t|do not|isn['’]t|is not|aren['’]t|won['’]t|no longer|not)\s(?:\w+ly )?\w+",
    ),
    _row(
        _R.REMEDY,
        0.4,
        r"\b(?:use|uses|using|call|calls|wrap|set|pass|return|returns|add|keep|prefer|avoid|move|extract"
        r"|run) (?:`|the |an? |\w+[a-z_.(]\w*)",
    ),
    _row(
        _R.REMEDY,
        0.9,
        r"\b(?:instead of|rather than|in favou?r of|replac(?:e|es|ed|ing) .{2,80} (?:with|by)"
        r"|switch(?:ed)? .{0,60}to|swap(?:ped)?)\b",
        r"\b(?:the (?:fix|solution|remedy|workaround|correct (?:way|pattern|approach)|right (?:way|place)))\b",
        r"\b(?:now|should) (?:be |also |only |always )?(?:use|call|return|go through|delegate|check|include"
        r"|live|read|come|set|run|match|handle|fall)\w*\b",
        r"\b(?:stattdessen|anstatt|anstelle|besser)\b|\b(?:au lieu d|plutôt qu)",
    ),
    _row(
        _R.CHOICE,
        1.0,
        r"\b(?:deliberate(?:ly)?|intentional(?:ly)?|by design|on purpose|we (?:decided|chose|agreed|keep|kept"
        r"|went with)|decision)\b",
        r"\b(?:single source of truth|the only (?:place|home|source)|one place|canonical|source of truth"
        r"|centrali[sz]ed?|consolidat\w+)\b",
        r"\b(?:backwards?[- ]compat\w+|trade-?off|acceptable|premature|overkill|over-?engineered"
        r"|(?:simpler|cleaner|safer|better|more \w+) (?:than|fix|approach|solution|way))\b",
        r"\bby default\b|\bdefaults? to\b|\bfall(?:s)? ?back\b",
        r"\b(?:absichtlich|bewusst|entschieden)\b|\b(?:délibérément|volontairement|décidé)\b",
    ),
    _row(
        _R.RULE,
        1.2,
        r"\b(?:in (?:the )?future|from now on|next time|going forward|as a rule|convention|make sure"
        r"|be careful|note that|remember (?:to|that))\b",
        r"\b(?:every|each|any|all) (?:new )?\w+ (?:must|should|needs?|has to|have to|gets?|goes)\b",
        r"\b(?:whenever|before (?:you )?(?:\w+ing|run|commit|push|calling)|after (?:any|every|each))\b",
        r"\b(?:künftig|ab jetzt|in zukunft|ab sofort)\b|\b(?:désormais|à partir de maintenant|dorénavant"
        r"|à l['’]avenir)\b",
    ),
    _row(
        _R.CONTRAST,
        0.6,
        r"\b(?:but|however|although|though|whereas|while|even though|despite|unlike|yet|actually|in fact|not just)\b",
        r"\b(?:same|different|differs?|distinct|both|two (?:different|distinct|separate)|separate(?:ly)?"
        r"|shared (?:by|with)|twice|duplicat\w+)\b",
        r"\b(?:aber|jedoch|obwohl|während)\b|\b(?:mais|cependant|alors que|bien que)\b",
    ),
)
ANTI_CUES: tuple[CueRow, ...] = (
    _row(
        _R.NARRATION,
        1.0,
        r"^(?:now,? |next,? |first,? |then,? |ok(?:ay)?,? |so,? |good\W+|great\W+|perfect\W+|and )*(?:let me"
        r"|let['’]s (?:look|see|check|verify|run|also)|i['’]ll|i will|i(?:['’]m| am) (?:going|about)|i need to"
        r"|i should|i want to|i can (?:now )?see|i (?:now )?(?:see|understand)\b(?! that)|i have|i found"
        r"|i notice|looking at|checking|now (?:i|we|let|add|update|fix|do|the|for|run|check)\b)",
        r"^(?:ich (?:werde|schaue|prüfe)|lass mich|jetzt )|^(?:je vais|maintenant|regardons|voyons)",
        # The next act of whoever works: what it led to is told elsewhere, or it led to nothing.
        r"\b(?:we|i)(?: (?:should|need to|can|could|must|have to|will)|['’]ll)"
        r" (?:now |first |also |then |next |need to |start by )*(?:find|locate|open|navigate|run|re-?run|check|submit"
        r"|inspect|search|look|examine|explore|list|view|verify|confirm|investigate|reproduce|proceed|continue|see|try)(?:ing)?\b",
        r"^(?:the |our |as a |my )?(?:next|first) step\b|^let['’]?s\b|^let us\b",
        r"^to (?:ensure|confirm|verify|be (?:sure|certain)|begin|start|double-check)\b[^.]{0,160}\b(?:we|i|let)\b",
        r"^(?:for example|e\.g\.|for instance)\b",
        r"^(?:noticed|looked|checked|tried|wanted|needed|realized|found)\b",
        r"\bread the full transcript at\b",
        r"^(?:here['’]s|here is|here are|below is|this is helpful|the output (?:shows|is)|as you can see"
        r"|found it|same issue)\b",
    ),
    _row(
        _R.STATUS,
        1.0,
        r"\b(?:all|the|unit|integration|both|\d+) (?:\w+ ){0,3}(?:tests?|checks?|lint\w*) (?:now )?(?:pass"
        r"|are (?:green|passing)|passed|succeed)",
        r"^(?:done|fixed|complete[d]?|success|perfect|everything (?:works|passes)|all (?:green|passing|clean"
        r"|set|good|done)|lint (?:clean|passes)|fertig|terminé)\b",
        r"\b(?:commit(?:ted)? and push(?:ed)?|pushed to|(?:is|are) (?:ready|complete|done|in place|working"
        r"|up to date))\b",
        r"\b(?:lacks?|lacking|missing|without|no|(?:do|does)(?:n['’]t| not) have|adding|add|dedicated|direct)"
        r" (?:\w+ ){0,3}tests?\b",
        # Praise of one's own work.
        r"\b(?:code|output|result|it) (?:is|looks) (?:now )?(?:much )?(?:cleaner|nicer|simpler)\b|\bmuch cleaner\b"
        r"|\bmore (?:maintainable|readable|elegant)\b",
        # The thing itself works again, which the next sentence would not be there without.
        r"\b(?:script|command|edit|program|file) (?:has |have |was |ran |is )*(?:successfully|successful)\b"
        r"|\b(?:successfully|been able to) reproduced?\b|\breproduced the (?:bug|issue|problem|error)\b",
        r"\b(?:this|which|that) (?:confirms|shows|indicates|suggests) (?:that )?(?:the|our|my) (?:issue|bug|fix|problem"
        r"|change|theory|error)\b",
        r"\b(?:issue|error|bug|problem|fix) (?:has been|is(?: now)?|was) (?:now )?(?:fixed|resolved|corrected|solved"
        r"|in place|applied)\b",
        # Nobody needs it: nothing is left to know once it is gone.
        r"\b(?:is|are|was|were) (?:unused|dead code|never used|no longer used|not used anywhere)\b",
        r"\b(?:should (?:now )?work|works? (?:correctly|as expected|now|well|fine)|compiles?"
        r"|builds? (?:cleanly|fine))\b",
    ),
    _row(
        _R.HEDGE,
        1.0,
        r"\b(?:might|maybe|perhaps|possibly|probably|i think|i believe|i guess|likely|not sure|seems? (?:to"
        r"|like)|appears? to|presumably|could be|may be)\b",
        r"\b(?:vielleicht|vermutlich|wahrscheinlich)\b|\b(?:peut-être|probablement|sans doute)\b",
    ),
    _row(
        _R.QUESTION,
        1.0,
        r"\?(?:[\"'”)\s]|$)",
        r"^(?:would you like|want me to|shall i|should i|do you want|which (?:one|option)|what would|let me know)\b",
    ),
    _row(
        _R.COURTESY,
        1.0,
        r"^(?:you['’]re (?:absolutely )?right|good (?:point|catch|question|idea|news)|great (?:question|point"
        r"|catch|idea)|absolutely|exactly|sure|thanks?|sorry|apologies|excellent|nice)\b",
    ),
    _row(
        _R.REQUEST,
        1.0,
        r"^(?:(?:please|can you|could you|and|now|ok|also)\W+)*(?:fix (?:this|it|the)|explain|review|show"
        r"|check|investigate|look|summari[sz]e|propose|tell me|describe|take a look)\b",
    ),
    _row(
        _R.CHANGE_LOG,
        1.0,
        r"^(?:\W*)(?:added|removed|updated|created|deleted|renamed|refactored|modified|changed|implemented"
        r"|wrote|extended|moved|extracted|introduced|cleaned|adjusted|simplified|committed|made|replaced|used"
        r"|fixed|kept|converted|switched|split|wired|reverted|passes|adds|updates|removes|includes)\b",
        # "`parse()`: updated to return a list".
        r"^[^:]{2,70}: (?:was |were |now )?(?:added|removed|updated|created|deleted|renamed|refactored"
        r"|modified|changed|implemented|extended|moved|extracted|introduced|replaced|tests|verifies|covers)\b",
        r"^(?:\W*)(?:(?:summary of |key |the )*(?:changes|improvements|updates|modifications)(?: made| were"
        r"| are)?|made \w+ changes|there (?:is|are|were) \w+ (?:\w+ )?(?:issues?|changes?|things?|problems?)"
        r"|what (?:changed|i did)|files? (?:changed|modified))\b",
        r"\b(?:new|updated|added|these|following) tests?\b|\b(?:test cases?|subtests?|test functions?)\b"
        r"|\d+ cases\b|\btests? (?:for|that|to (?:verify|cover))\b"
        r"|^\W*`?test\w*`?\W{1,4}(?:tests?|verif\w+|checks?|covers?|ensures?|asserts?)\b|\bverifies (?:that|it"
        r"|the|`)",
    ),
)


# What a section is about, seen from its heading.
_HEADINGS: tuple[CueRow, ...] = (
    _row(
        _R.CAUSE,
        0.7,
        r"\b(?:causes?|problems?|issues?|bugs?|errors?|why|diagnos\w+|ursachen?|fehler|probl[eè]m\w*)\b",
    ),
    _row(_R.REMEDY, 0.6, r"\b(?:fix(?:es)?|solutions?|resolution|work-?arounds?|remed\w+|lösung\w*)\b"),
    _row(
        _R.CHOICE, 0.7, r"\b(?:decisions?|rationale|trade-?offs?|design|approach|choices?|entscheidung\w*)\b"
    ),
    _row(
        _R.RULE,
        0.7,
        r"\b(?:rules?|conventions?|constraints?|gotchas?|caveats?|pitfalls?|lessons?|learn\w*|insights?|warnings?)\b",
    ),
)


@lru_cache(maxsize=1024)
def weigh_heading(heading: str) -> Mapping[Role, float]:
    """The roles that a heading gives to what stands under it."""
    return _weighed(heading, _HEADINGS)


_NEVER_A_NOTE = tuple(row for row in ANTI_CUES if row.role in (Role.QUESTION, Role.COURTESY))


@lru_cache(maxsize=4096)
def is_never_a_note(sentence: str) -> bool:
    """Whether a sentence only asks, or is only polite."""
    lowered = sentence.lower()
    return any(row.pattern.search(lowered) for row in _NEVER_A_NOTE)


# Passages overlap, so that the same sentence is asked about again and again.
@lru_cache(maxsize=4096)
def weigh_roles(sentence: str) -> Mapping[Role, float]:
    """The roles a sentence has, each with the weight of its strongest cue."""
    return _weighed(sentence, CUES)


@lru_cache(maxsize=4096)
def weigh_objections(sentence: str) -> Mapping[Role, float]:
    """What speaks against taking a sentence as a note."""
    return _weighed(sentence, ANTI_CUES)


def _weighed(sentence: str, rows: Iterable[CueRow]) -> dict[Role, float]:
    lowered = sentence.lower()
    weights: dict[Role, float] = {}
    for row in rows:
        if row.weight > weights.get(row.role, 0.0) and row.pattern.search(lowered):
            weights[row.role] = row.weight
    return weights
