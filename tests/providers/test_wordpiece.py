import pytest

from recollect.providers import embed_bundled
from recollect.providers.wordpiece import Vocabulary, WordPiece

LINES = (embed_bundled.MODEL_FILES / "vocabulary.txt").read_bytes()

# Taken from the original tokenizer by tools/build_model.
SAMPLE = [
    ("Retries are capped at 3, they say.", "re ##tries are capped at 3 , they say ."),
    ("refreshToken refresh_token RTOKEN2", "ref ##resh ##tok ##en ref ##resh _ token rt ##oke ##n ##2"),
    (
        "../src/main.py:42 -> http://127.0.0.1",
        ". . / sr ##c / main . p ##y : 42 - > http : / / 127 . 0 . 0 . 1",
    ),
    ("Zażółć gęślą; naïve café", "za ##zo ##ł ##c ge ##sl ##a ; naive cafe"),
    ("ΣΊΣΥΦΟΣ İstanbul Straße ﬁne", "σ ##ι ##σ ##υ ##φ ##ο ##σ istanbul st ##raße ﬁ ##ne"),
    ("日本語のテキスト。한국", "日 本 語 の ##テ ##キ ##ス ##ト 。 ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ"),
    ("שלום مرحبا привет हिन्दी", "ש ##ל ##ו ##ם م ##ر ##ح ##ب ##ا п ##р ##и ##в ##е ##т ह ##ि ##न ##द ##ी"),
    ("don't-stop “quoted” … — ½ ² ™", "don ' t - stop “ quoted ” … — ½ ² ™"),
    ("foo\tbar\xa0baz\x0bqux\x00quux", "foo bar ba ##z ##qu ##x ##qu ##ux"),
    ("SELECT * FROM t WHERE a='x'; --", "select * from t where a = ' x ' ; - -"),
    ("1,234.56€ 50% #42 ~/.config", "1 , 234 . 56 ##€ 50 % # 42 ~ / . con ##fi ##g"),
    ("kubectl pgbouncer", "ku ##be ##ct ##l pg ##bo ##unce ##r"),
    ("e\u0301cole \u212bngstr\xf6m \u037e", "ecole ang ##strom ;"),
]


@pytest.fixture(scope="module")
def cut() -> WordPiece:
    return WordPiece(Vocabulary(LINES))


def names(cut: WordPiece, text: str) -> str:
    return " ".join(map(cut.name, cut.pieces(text)))


@pytest.mark.parametrize(("text", "pieces"), SAMPLE)
def test_text_is_cut_as_the_original_tokenizer_cuts_it(cut: WordPiece, text: str, pieces: str) -> None:
    assert names(cut, text) == pieces


@pytest.mark.parametrize("text", ["", " \t\r\n\u3000", "\x00\x01\u200d\ufffd", "\u0301"])
def test_text_without_a_visible_character_has_no_pieces(cut: WordPiece, text: str) -> None:
    assert cut.pieces(text) == []


def test_text_never_becomes_a_control_piece(cut: WordPiece) -> None:
    assert names(cut, "[SEP] [CLS]") == "[ sep ] [ cl ##s ]"


def test_an_emoji_leaves_the_word_it_touches_alone(cut: WordPiece) -> None:
    assert names(cut, "✅done 🎉ship👍🏽it") == "[UNK] done [UNK] ship [UNK] [UNK] it"


def test_a_piece_knows_its_place_and_its_word(cut: WordPiece) -> None:
    text = "Ünser  Jalapeño-Überlauf, naïve"
    spans = [(text[p.start : p.end], text[p.word_start : p.word_end]) for p in cut.pieces(text)]
    assert "".join(piece for piece, _ in spans) == text.replace(" ", "")
    assert {word for _, word in spans} == {"Ünser", "Jalapeño", "-", "Überlauf", ",", "naïve"}


def test_an_accent_written_apart_is_the_same_word(cut: WordPiece) -> None:
    assert names(cut, "cafe\u0301 NAI\u0308VE") == names(cut, "café naïve") == "cafe naive"


def test_a_control_character_inside_a_word_does_not_split_it(cut: WordPiece) -> None:
    assert names(cut, "data\x00base") == "database"


def test_a_word_longer_than_any_word_is_one_unknown_piece(cut: WordPiece) -> None:
    [piece] = cut.pieces("a" * 1_000_000)
    assert (piece.id, piece.start, piece.end) == (cut.unknown_id, 0, 1_000_000)


def test_a_cut_seen_before_is_placed_where_it_stands_now(cut: WordPiece) -> None:
    first, second = cut.pieces("cache cache")
    assert (first.id, first.start, second.start) == (second.id, 0, 6)


def test_a_name_has_the_same_number_for_who_asks_once_and_who_asks_often() -> None:
    every = LINES.decode().split("\n")
    strangers = ["zzzzz", "##", "[unk]", "tok", "expir", every[700] + every[701], "日本語", "a b"]
    often = Vocabulary(LINES)
    assert [often.number(name) for name in every] == list(range(len(every)))
    for name in [*strangers, every[0], every[-1], *every[1::997]]:
        once = Vocabulary(LINES)
        assert once.number(name) == often.number(name), name
        assert once.longest >= often.longest
    assert [often.name(number) for number in range(len(every))] == every


def test_a_vocabulary_without_the_pieces_that_hold_a_text_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no piece \[SEP\]"):
        WordPiece(Vocabulary(b"[UNK]\n[CLS]\na"))
