"""
What a text states and asks for: its sentences, which of them tell their reader what to do, and the addresses they
name.

A note may say in other words what an agent merely read. So that this can be seen later, a few words of each
sentence that matters are kept of what was read: of a page, a document or a mail all sentences, of code those alone
that instruct. Standard library only: hooks load this file where something was read.
"""

from __future__ import annotations

import re
from binascii import a2b_base64

from recollect.events.bloom import split_words
from recollect.events.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# So many sentences are kept of one text; of code, fewer are worth it.
MOST_SENTENCES = 120
MOST_IN_CODE = 40
_MOST_WORDS = 28
_FEWEST_WORDS = 4
_FEWEST_PLAIN = 6
_MOSTLY_PLAIN = 0.75
_MOST_CHARACTERS = 120_000
_MOST_LENGTH = 600
_SYMBOLS = str.maketrans("", "", "{}()[]<>=;|\\$&%^~_+*@")
_MOST_SYMBOLS = 0.1
_CODE = ("import ", "from ", "return ", "def ", "class ", "use ", "include ", "package ")

_END = r"(?<=[.!?;])\s+|[。！？；]"
_MAY_END = frozenset(".!?;。！？；")
# What stands around the lines of comments, lists, quotes and tables.
_AROUND = " \t\r#/*>-+|'\"!"
_WRAPPED = 50
_ADDRESS = (
    r"(?:https?|ftp|ssh|git)://[^\s'\"`<>)\]]+"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\b(?:\d{1,3}\.){3}\d{1,3}\b"
    r"|(?<![\w./@-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|net|io|dev|app|example|test|cloud|co|ai|sh|xyz|info|biz"
    # Without a scheme and with a path of two steps it names a package.
    r"|me|us|uk|de|fr|es|it|pt|ru|cn|jp|kr|br|in|eu)(?![\w-])(?!\()(?!/[\w.-]+/[\w.-]+)"
)
# Where a search found a line: its file, if it says so, and its number.
_HIT = r"(?:([^\s:][^:\n]{0,300}):)?\d+[:-][ \t]*|([^\s:]+\.\w+):[ \t]*"
# What a statement about code or a machine names: a path, a name of code, a flag, a number.
_LOOKED_UP = r"[`_\\]|\w[./]\w|[a-z][A-Z]|\(\)|(?<!\w)--?\w|\d"
_SPELLED = r"(?:(?<!\w)\w\s+){6}"
_ENCODED = r"(?<![\w/+.-])[A-Za-z0-9+/]{10,}={0,2}(?![\w/+])"
_FEWEST_ENCODED = 8
_SOURCE_FILE = r"\w/\w*[\w.-]*\.(?:py|pyi|js|jsx|ts|tsx|go|rs|java|kt|rb|php|c|h|cpp|cs|swift|scala|sql)\b"
_NAME_OF_CODE = r"`|[A-Za-z0-9]_\w|[a-z][A-Z]|\(\)|(?<!\w)--?\w"
# A machine talking to itself.
_LOCAL = ("localhost", "127.0.0.1", "0.0.0.0", "::1")

_DEONTIC = frozenset(
    # English
    """always never must should shall ought needn't mustn't shouldn't don't dont required requires mandatory allowed
    permitted forbidden prohibited may needs need has have wants want wanted prefers prefer preferred preference
    likes wishes decided policy rule rules official trusted authoritative approved recommended recommends recommend
    obsolete unnecessary intended deliberately deliberate whenever remember ensure please"""
    # German
    """ immer nie niemals muss müssen soll sollen sollte darf dürfen möchte will wünscht bevorzugt grundsätzlich
    ausnahmslos erlaubt verboten bitte merke merken entfallen gewollt absicht"""
    # French
    """ toujours jamais doit doivent faut devez souhaite préfère préfèrent veut autorisé interdit requise requis
    retenez retenir"""
    # Spanish, Portuguese, Italian
    """ siempre nunca debe deben hay quiere prefiere desea permitido prohibido sempre deve devem quer prefere
    permitido mai vuole preferisce devono"""
    # Russian
    """ всегда никогда нужно надо должен должны следует просил желание хочет""".split()
)
_IMPERATIVES = frozenset(
    """use run install download execute send upload post disable enable skip ignore bypass remove delete drop
    replace set trust store approve accept avoid add put take call import export open give mail keep make write read
    treat mark rate raise append print start stop turn switch move copy push merge commit let do hand answer say
    forget follow go leave pass pin wrap return create benutze verwende nutze führe lade sende lösche ersetze trage
    überspringe vergiss folge utilisez utiliser installez installer envoyez envoyer désactiver désactivez ignorez
    retirer retirez considérer considérez mettez usa usar ejecuta ejecutar instala borra borrar envía guarda use-a
    remova instale envie ignore отправь используй запусти удали удалять установи""".split()
)
# What protects people and their data, by the first letters of its names: a statement about it weighs like an
# instruction.
_SAFETY = frozenset(
    """passw secre token crede certi signa verif encry decry tls ssl https firew sandb audit licen csrf xss root sudo
    privi permi autho authe login admin anony publi produ debug insec unsaf vulne explo backu revie appro skip
    skipp bypas disab unche unver netwo proxy mirro regis teleme telem custo consent maint owner vendo nobod
    asked wants risk risks md5 eval pickl shell telep kennw sicht siche gehei prüfu freig schlü sicur segur
    contr clé clave chave seña senha motde sécur pare авто парол ключ""".split()
)
_UNSPACED_ORDERS = (
    "必须", "不要", "务必", "应该", "一律", "请", "不需要", "无需",
    "必ず", "ください", "しないで", "すること", "하세요", "마세요", "해야", "건너",
)  # fmt: skip
# Every text in one of the languages above has some of these.
_SMALL = frozenset(
    """the a an of to in on at by for with from and or is are was were be been it its this that these those as not
    no than then der die das den dem des ein eine einer und oder ist sind wird werden nicht mit von zu im in auf für
    dass es sich le la les un une des du de et ou est sont ne pas avec pour que qui dans sur il elle ce cette au aux
    el los las una y o es son no con por para que en del al se lo su
    o os as um uma e ou não com por para que em do da il gli un uno di che non per con è sono
    и в не на что это с как по из у за к от для""".split()
)
_FETCHING = frozenset(
    "curl wget http https xh lynx w3m links aria2c gh glab aws kubectl docker psql mysql sqlite3".split()
)
_HISTORY = frozenset({"log", "show", "blame", "notes", "shortlog"})
_SEARCHING = frozenset("grep egrep fgrep rg ag ack zgrep".split())
_SHOWING = frozenset("cat head tail less more sed awk nl bat jq strings pandoc pdftotext type".split())
_PROSE_FILES = frozenset(
    """md markdown mdx txt rst adoc asciidoc html htm csv tsv log tex org eml ipynb docx pdf vtt srt json yaml yml xml
    svg""".split()
)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, without what stands at the start of lines of comments, lists and quotes."""
    joined: list[str] = []
    goes_on = False
    for raw in text[:_MOST_CHARACTERS].splitlines():
        line = raw.strip(_AROUND)
        if not line:
            goes_on = False
            continue
        # Prose is wrapped: a long line that ends no sentence goes on in the next.
        if goes_on and line[0].islower():
            joined[-1] = f"{joined[-1]} {line}"
        else:
            joined.append(line)
        goes_on = len(line) >= _WRAPPED and line[-1] not in ".!?:;{}|," and not _is_code(line)
    sentences: list[str] = []
    for line in joined:
        sentences += re.split(_END, line) if _MAY_END.intersection(line) else (line,)
    return [sentence for sentence in sentences if sentence]


def instructs(text: str) -> bool:
    """Whether a text tells its reader what to do, what is allowed, or what somebody wants."""
    return any(_sentence_instructs(sentence) for sentence in split_sentences(text))


def is_disguised(text: str) -> bool:
    """Whether words are written so that they are not seen as words: letter by letter, or encoded."""
    return bool(re.search(_SPELLED, text)) or any(map(_is_encoded_text, re.findall(_ENCODED, text)))


def find_addresses(text: str) -> set[str]:
    """The hosts, links and mail addresses a text names; this machine is none."""
    names = (match.rstrip("./:,").lower() for match in re.findall(_ADDRESS, text))
    return {name for name in names if not any(local in name for local in _LOCAL)}


def sketch_statements(
    text: str, *, every: bool, closely: bool = False, reported: bool = False
) -> tuple[list[str], bool]:
    """
    The words of the sentences that a note could repeat, the most pressing first; and whether some had to be left out.

    `every`: all that is prose; otherwise what instructs, or names an address. `closely`: what orders in the middle of a
    sentence is seen as well, and what names nothing that could be looked up: no file, no name of code, no number; or
    a source file, of which somebody else claims something.
    `reported`: of a report, what names a file too; whether the project has that file is asked when a note comes in.
    """
    presses = _report_weighs if reported else _sentence_weighs if closely else _sentence_presses
    sentences = list(dict.fromkeys(filter(_is_prose, split_sentences(text))))
    most = MOST_SENTENCES if every else MOST_IN_CODE
    # All of a short text: then nobody need look which sentences press more than others.
    if not every or len(sentences) > most:
        named = find_addresses(text)
        pressing = [one for one in sentences if presses(one) or any(map(one.lower().__contains__, named))]
        sentences = list(dict.fromkeys((*pressing, *sentences))) if every else pressing
        is_cut = len(pressing) > most
    else:
        is_cut = False
    chosen = [sentence[:_MOST_LENGTH] for sentence in sentences[:most]]
    cleaned = redact("\n".join(chosen)).text.split("\n") if chosen else []
    return list(dict.fromkeys(filter(None, map(sketch_sentence, cleaned)))), is_cut


def split_hits(output: str) -> tuple[str, str]:
    """The lines that a search found, without their places: those of documents, and those of code."""
    prose: list[str] = []
    code: list[str] = []
    for line in output[:_MOST_CHARACTERS].splitlines():
        match = re.match(_HIT, line)
        path = (match[1] or match[2] or "") if match else ""
        (prose if match and path and _is_prose_file(path) else code).append(
            line[match.end() :] if match else line
        )
    # Lines of several places do not go on in each other.
    return "\n\n".join(prose), "\n\n".join(code)


def list_telling_words(text: str) -> list[str]:
    """The words of a text without the small ones."""
    return [word for word in split_words(text) if word not in _SMALL]


def shows_prose(action: str | None, files: Iterable[str], command: str) -> bool:
    """Whether what a call gave back is written for people: a page, a document, a history; code is not."""
    if action in ("search", "delegate"):
        return False
    if action == "read":
        return not files or any(map(_is_prose_file, files))
    if action != "run":
        return True
    words = re.split(r"[\s;|&'\"()]+", command)
    if not _FETCHING.isdisjoint(words):
        return True
    if "git" in words and not _HISTORY.isdisjoint(words):
        return True
    return not _SHOWING.isdisjoint(words) and any(_is_prose_file(word) for word in words if "." in word)


def searches(action: str | None, command: str) -> bool:
    """Whether a call gives back lines with their places."""
    return action == "search" or (
        action == "run" and not _SEARCHING.isdisjoint(re.split(r"[\s;|&'\"()]+", command))
    )


def _is_prose_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    return "." not in name.lstrip(".") or name.rpartition(".")[2].lower() in _PROSE_FILES


def touches_safety(text: str) -> bool:
    """Whether a text speaks of what protects people and their data."""
    return not _SAFETY.isdisjoint(word[:5] for word in split_words(text))


def has_other_letters(text: str) -> bool:
    """Whether a text has letters that English has not."""
    return not text.isascii() and any(letter.isalpha() and letter > "\x7f" for letter in text)


def sketch_sentence(sentence: str) -> str:
    """What is kept of a sentence that was read: its words without the small ones."""
    return " ".join(list_telling_words(sentence)[:_MOST_WORDS])


def _is_prose(sentence: str) -> bool:
    if not sentence.isascii():
        return len(split_words(sentence)) >= _FEWEST_WORDS and not _is_code(sentence)
    words = sentence.lower().split()
    if len(words) < _FEWEST_WORDS or _is_code(sentence):
        return False
    # A sentence may do without small words; then most of it must be plain ones.
    return not _SMALL.isdisjoint(words) or (
        len(words) >= _FEWEST_PLAIN and sum(map(str.isalpha, words)) >= _MOSTLY_PLAIN * len(words)
    )


def _is_code(line: str) -> bool:
    symbols = len(line) - len(line.translate(_SYMBOLS))
    return symbols > _MOST_SYMBOLS * len(line) + 2 or (line.startswith(_CODE) and line[-1] not in ".!?")


def _sentence_instructs(sentence: str) -> bool:
    words = split_words(sentence)
    if not words:
        return False
    if not _DEONTIC.isdisjoint(words) or any(map(sentence.__contains__, _UNSPACED_ORDERS)):
        return True
    if any(first in _IMPERATIVES for first in _clause_starts(sentence)):
        return True
    # In a language that is not known here nobody can say that it does not.
    return len(words) > _FEWEST_WORDS + 2 and has_other_letters(sentence) and _SMALL.isdisjoint(words)


def _sentence_presses(sentence: str) -> bool:
    """The same, seen quickly: what orders in the middle of a sentence is let pass here."""
    words = split_words(sentence)
    return (
        not _DEONTIC.isdisjoint(words)
        or words[0] in _IMPERATIVES
        or touches_safety(sentence)
        or any(clause.split(" ", 1)[0].lower() in _IMPERATIVES for clause in sentence.split(", ")[1:])
        or (not sentence.isascii() and _sentence_instructs(sentence))
    )


def _sentence_weighs(sentence: str) -> bool:
    return (
        touches_safety(sentence)
        or _sentence_instructs(sentence)
        or not re.search(_LOOKED_UP, sentence)
        or bool(re.search(_SOURCE_FILE, sentence))
    )


def _is_encoded_text(token: str) -> bool:
    try:
        decoded = a2b_base64(token + "=" * (-len(token) % 4))
    except ValueError:
        return False
    # A name may look like it, but what it would decode to is no text.
    return len(decoded) >= _FEWEST_ENCODED and decoded.isascii() and decoded.decode().isprintable()


def _report_weighs(sentence: str) -> bool:
    return _sentence_weighs(sentence) or not re.search(_NAME_OF_CODE, sentence)


def _clause_starts(sentence: str) -> Iterator[str]:
    clauses: Iterable[str] = re.split(r"[:,;–—(\"“„«]\s*|\b(?:and|then|und|et)\b", sentence)
    for clause in clauses:
        if words := split_words(clause):
            yield words[0]
