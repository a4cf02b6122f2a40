"""Player names: which are valid, and how they are normalized."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.ids import ALPHABET, PlayerId
from server.base.core.refusal import Refusal
from server.players.core.names import MAX_LENGTH, Profile, clean_name, guest_name
from server.players.core.refusals import PlayerRefusals
from tests.builders import refusal_of


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Ada", "Ada"),
        ("  Ada\t Lovelace\n", "Ada Lovelace"),
        ("O'Neill-Smith_2.0", "O'Neill-Smith_2.0"),
        ("42", "42"),
        ("Zoe\N{COMBINING DIAERESIS}", "Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}"),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER A}da", "Ada"),
        ("\N{MATHEMATICAL BOLD CAPITAL A}da", "Ada"),
        ("\N{LATIN SMALL LIGATURE FI}n", "fin"),
        ("Ольга", "Ольга"),
        ("Ελένη 7", "Ελένη 7"),
        ("נעמי", "נעמי"),
        ("ليلى", "ليلى"),
        ("अनुष्का", "अनुष्का"),
        ("สมชาย", "สมชาย"),
        ("김민준", "김민준"),
        ("山田ハナコさん", "山田ハナコさん"),
        ("ラーメン", "ラーメン"),
        ("佐々木", "佐々木"),
        ("佐々木ハナさん", "佐々木ハナさん"),
        ("x" * MAX_LENGTH, "x" * MAX_LENGTH),
        ("x", "x"),
        ("Ada山", "Ada山"),
        ("Kim 김민준", "Kim 김민준"),
        ("Nguyễn Thị Ánh", "Nguyễn Thị Ánh"),
        ("ज़िंदगी", "ज़िंदगी"),
        ("अर्चना शर्मा", "अर्चना शर्मा"),
        ("முருகன்", "முருகன்"),
        ("ศิริพร พิมพ์", "ศิริพร พิมพ์"),
        ("مُحَمَّد", "مُحَمَّد"),
        ("یاسمین", "یاسمین"),
        ("ကြောင့်", "ကြောင့်"),
        ("བསྒྲུབས", "བསྒྲུབས"),
        ("សុខា", "សុខា"),
        ("ⵜⵉⵏⵉⵔⵉ", "ⵜⵉⵏⵉⵔⵉ"),
        ("አበበ", "አበበ"),
        ("Ада", "Ада"),
        ("O'Brien-Łukasz", "O'Brien-Łukasz"),
        ("Þórður", "Þórður"),
    ],
)
def test_a_name_is_normalized(text: str, kept: str) -> None:
    assert clean_name(text) == kept


INVISIBLE = [
    "\N{ZERO WIDTH SPACE}",
    "\N{ZERO WIDTH JOINER}",
    "\N{ZERO WIDTH NO-BREAK SPACE}",
    "\N{SOFT HYPHEN}",
    "\N{WORD JOINER}",
    "\N{COMBINING GRAPHEME JOINER}",
    "\N{HANGUL FILLER}",
    "\N{HALFWIDTH HANGUL FILLER}",
    "\N{HANGUL CHOSEONG FILLER}",
    "\N{HANGUL JUNGSEONG FILLER}",
    "\N{KHMER VOWEL INHERENT AQ}",
    "\N{MONGOLIAN FREE VARIATION SELECTOR ONE}",
    "\N{MONGOLIAN FREE VARIATION SELECTOR FOUR}",
    "\N{MONGOLIAN VOWEL SEPARATOR}",
    "\N{VARIATION SELECTOR-16}",
    "\N{VARIATION SELECTOR-17}",
    "\N{BRAILLE PATTERN BLANK}",
    "\N{TAG LATIN SMALL LETTER A}",
]
BIDI = [
    "\N{RIGHT-TO-LEFT OVERRIDE}",
    "\N{LEFT-TO-RIGHT EMBEDDING}",
    "\N{RIGHT-TO-LEFT ISOLATE}",
    "\N{RIGHT-TO-LEFT MARK}",
    "\N{ARABIC LETTER MARK}",
    "\N{POP DIRECTIONAL FORMATTING}",
]


def refused(text: str) -> bool:
    return refusal_of(lambda: clean_name(text)) == "bad_name"


@pytest.mark.parametrize("letter", [*INVISIBLE, *BIDI], ids=unicodedata.name)
def test_invisible_and_bidirectional_characters_are_refused(letter: str) -> None:
    assert refused(letter)
    assert refused(f"Ada{letter}")
    assert refused(f"A{letter}da")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "-_.'",
        "x" * (MAX_LENGTH + 1),
        "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 2,
        "\N{COMBINING ACUTE ACCENT}",
        "\N{COMBINING ACUTE ACCENT}\N{COMBINING GRAVE ACCENT}",
        "\N{ACUTE ACCENT}a",
        "a\0b",
        "<b>Ada</b>",
        "Ada@home",
        "\N{PILE OF POO}",
        "\ud800",
        "аԁа",  # noqa: RUF001 - the second letter is of no modern use
        "ᴀᴅᴍɪɴ",
        "\U00017000",  # Tangut, a script of the past
        "e" + "\N{COMBINING CEDILLA}" * 19,
        "q" + "\N{COMBINING DIAERESIS}\N{COMBINING TILDE}\N{COMBINING MACRON}",
        "x\N{COMBINING TILDE}\N{COMBINING DOT BELOW}" * 6 + "x\N{COMBINING TILDE}",
        "A \N{COMBINING TILDE}",
        "ก" + "\N{THAI CHARACTER SARA I}" * 5,
    ],
)
def test_an_invalid_name_is_refused(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "Adа",  # noqa: RUF001 - the last letter is Cyrillic
        "Ηello",  # noqa: RUF001 - the first letter is Greek
        "Аda 7",  # noqa: RUF001 - the first letter is Cyrillic
        "aא",
        "Иван山",
        "1२",
        "Armenianо" + "\N{ARMENIAN SMALL LETTER OH}",  # noqa: RUF001 - with a Cyrillic letter
        "\N{ARMENIAN SMALL LETTER OH}\N{CHEROKEE LETTER A}",
        "\N{THAI CHARACTER KO KAI}\N{LAO LETTER KO}",
    ],
)
def test_a_name_in_several_scripts_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        clean_name(text)
    assert refusal.value.code == PlayerRefusals.bad_name
    assert refusal.value.text == "Names must use a single script."


@given(st.text(max_size=30))
def test_cleaning_a_clean_name_changes_nothing(text: str) -> None:
    if not refused(text):
        name = clean_name(text)
        assert clean_name(name) == name
        assert unicodedata.is_normalized("NFKC", name)
        assert 1 <= len(name) <= MAX_LENGTH
        assert name == name.strip()
        assert all(unicodedata.category(letter)[0] != "C" for letter in name)


@given(st.text(ALPHABET, min_size=16, max_size=16).map(PlayerId))
def test_the_name_of_a_guest_is_valid(player: PlayerId) -> None:
    assert clean_name(guest_name(player)) == guest_name(player)
    assert Profile(player, "Ada").tag == player[-8:].upper()
