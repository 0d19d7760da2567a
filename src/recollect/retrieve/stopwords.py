"""Stop words: words of a question without a topic, in four languages; by them the language of a text is told."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

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


ENGLISH = "en"

# What stands in an English question for the words that ask in another language.
ASKING_WORDS = MappingProxyType(
    {
        "de": {
            "wer": "who", "wen": "who", "wem": "who", "was": "what", "wo": "where", "wohin": "where",
            "woher": "where", "wann": "when", "warum": "why", "weshalb": "why", "wieso": "why", "wie": "how",
            "welche": "which", "welcher": "which", "welches": "which", "welchen": "which", "welchem": "which",
            "wogegen": "what", "wofür": "what", "womit": "what", "lange": "long", "viele": "many", "viel": "much",
            "oft": "often", "alt": "old", "nicht": "not", "kein": "no", "keine": "no", "keinen": "no", "nie": "never",
        },
        "fr": {
            "qui": "who", "quoi": "what", "que": "what", "quel": "which", "quelle": "which", "quels": "which",
            "quelles": "which", "où": "where", "quand": "when", "comment": "how", "pourquoi": "why",
            "combien": "how many", "pas": "not", "jamais": "never",
        },
        "es": {
            "quién": "who", "quiénes": "who", "qué": "what", "cuál": "which", "cuáles": "which", "dónde": "where",
            "cuándo": "when", "cómo": "how", "cuánto": "how much", "cuánta": "how much", "cuántos": "how many",
            "cuántas": "how many", "no": "not", "nunca": "never", "por qué": "why",
        },
    }
)  # fmt: skip

FUNCTION_WORDS = MappingProxyType(
    {
        ENGLISH: STOPWORDS,
        "de": frozenset(ASKING_WORDS["de"])
        | frozenset(
            """der die das den dem des ein eine einen einem einer eines und oder aber denn weil wenn dass ob nicht
            wir ihr sie es er ich du uns euch mich mir dich dir sich man mein meine dein unser unsere unseren unserem
            ist sind war waren wird werden wurde wurden hat haben hatte hatten habe kann können konnte darf dürfen muss
            müssen soll sollen sollte sollten würde im in am an auf bei mit nach von vom vor für über unter um aus als
            auch noch nur schon sehr hier dort zu zum zur ab bis seit durch ohne gegen zwischen diese dieser dieses
            diesen etwas alle jede jeder jedes mehr ja nein doch dann""".split()
        ),
        "fr": frozenset(ASKING_WORDS["fr"])
        | frozenset(
            """le la les un une des du de d l et ou mais donc car ne pas plus nous vous ils elles il elle on je tu me te
            se ce c cet cette ces son sa ses mon ma mes notre nos votre vos leur leurs est sont était étaient être été
            avoir avons avez ont a ai as au aux en dans sur sous pour par avec sans chez vers si y n s t m j qu lui
            entre depuis très aussi fait faire peut peuvent doit doivent faut tout tous toute toutes""".split()
        ),
        "es": frozenset(ASKING_WORDS["es"])
        | frozenset(
            """el la los las un una unos unas y e o u pero ni no nosotros ellos ellas él ella yo tú me te se lo le les
            nos este esta estos estas ese esa eso su sus mi mis nuestro nuestra nuestros es son era eran fue fueron ser
            estar está están hay ha han he por para con sin en de del al a que como cuando donde si tan muy más entre
            desde hasta sobre porque puede pueden debe deben también ya""".split()
        ),
    }
)


def detect_language(words: Iterable[str]) -> str:
    """The language most of whose function words stand in a text; English where nothing speaks for another."""
    distinct = frozenset(words)
    counts = {name: len(known & distinct) for name, known in FUNCTION_WORDS.items()}
    best = max(counts, key=lambda name: (counts[name], name == ENGLISH))
    return best if counts[best] > counts[ENGLISH] else ENGLISH
