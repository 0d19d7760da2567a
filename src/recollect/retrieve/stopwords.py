"""Stop words: words of a question without a topic. English; in other languages rarity (idf) decides."""

from __future__ import annotations

# Words without a topic of their own.
STOPWORDS = frozenset(
    """a an the and or of to in on at for with by from as is are was were be been being am do does did doing done
    have has had having will would can could should may might shall must i me my mine we us our you your he him his
    she her hers it its they them their this that these those what which who whom whose when where why how not no so
    if than then there here about into over after before during any some all more most other such only own same too
    very just also but up down out off again once both each few s t d ll m re ve""".split()
)
# Words that shape a question ("how many weeks in total", "what kind of"): what is meant by them is in the answer.
QUESTION_WORDS = frozenset(
    """many much long often old far total number amount name kind type sort different time times day days week weeks
    month months year years passed ago last past recently lately currently previously""".split()
)


def pick_topic_words(words: list[str], names: frozenset[str]) -> list[str]:
    """The words to search by. Names that met a subject are left to the subject; something always remains."""
    plain = [word for word in words if word not in STOPWORDS and word not in names]
    return [word for word in plain if word not in QUESTION_WORDS] or plain or words
