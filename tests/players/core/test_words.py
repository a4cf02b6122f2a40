"""Word lists: spellings that match, and innocent names that do not."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from server.base.core.ids import ALPHABET, PACE_BOT, PlayerId
from server.base.core.refusal import Refusal
from server.players.core.names import MAX_LENGTH, check_words, clean_name, guest_name
from server.players.core.words import Words, skeleton
from server.players.name_lists import name_lists
from tests.builders import refusal_of

RESERVED, OFFENSIVE = name_lists()

STAFF = [
    "Admin", "ADMIN", "admin2", "Admin Ada", "Ada Admin", "AdaAdmin", "A d m i n", "a.d-m_i'n",
    "Ädmïn", "adm1n", "4dm1n", "ADMlN", "Administrator", "Moderator", "moderateur", "Samedeal",
    "SAMEDEAL", "Samedeal Team", "TeamSamedeal", "Same Deal", "5amedeal", "System", "5ystem",
    "Support", "Official Ada", "Server", "Pace bot", "pace-bot", "PaceBot", "Deleted player",
    "админ", "Администратор", "管理员", "小管理员", "Root",
]  # fmt: skip

RUDE = [
    "fuck", "FUCK", "Fuckface", "motherfucker", "f u c k", "f.u.c.k.", "fück", "fuuuuck", "FuckAda",
    "Hitler", "H1tler", "Adolf Hitler", "cunt", "Cunts", "Shit", "5hit", "bitch", "b1tch", "nazi",
    "Hurensohn", "hurens0hn", "Arschloch", "Fick dich", "fotze", "Putain", "puta", "kurwa", "сука",
    "хуй",
]  # fmt: skip

INNOCENT = [
    "Scunthorpe", "Assam", "Dickens", "Dick", "Dickson", "Essex", "Sussex", "Middlesex", "Cockburn",
    "Hancock", "Penistone", "Matsushita", "Takeshita", "Shiitake", "Lightwater", "Clitheroe",
    "Cumming", "Titus", "Annalena", "Analyst", "Therapist", "Grape", "Grapefruit", "Scrape",
    "Nazir", "Hell", "Stefan Hell", "HELL", "Heilbronn", "Niger", "Nigel", "Nigella",
    "Fick", "Ficker", "Adolf", "Hurenius", "Reputation", "Computation", "Emerdal", "Wankel",
    "Swank", "Twain", "Bastian", "Kasper", "Spatz", "Suit", "Slate",
    "Modesty", "Moderata", "Observer", "Supporter", "Systema", "Rooted", "Serverus", "Adminton",
    "Badminton", "Sam", "Same", "Ada", "Ада", "Ольга", "Pace", "Bot", "455",
    "Suki", "Ahuva", "Peng Cui", "Xu Yan", "Hoerner", "Reto",
    "Naz\N{LATIN SMALL LETTER DOTLESS I}m", "Huf Uckermark",
]  # fmt: skip


@pytest.mark.parametrize("name", STAFF)
def test_a_name_suggesting_staff_is_reserved(name: str) -> None:
    assert refusal_of(lambda: check_words(clean_name(name), RESERVED, OFFENSIVE)) == "name_reserved"


@pytest.mark.parametrize("name", RUDE)
def test_a_rude_name_is_refused(name: str) -> None:
    with pytest.raises(Refusal, match="name_offensive"):
        check_words(clean_name(name), RESERVED, OFFENSIVE)


@pytest.mark.parametrize("name", INNOCENT)
def test_an_innocent_name_is_accepted(name: str) -> None:
    check_words(clean_name(name), RESERVED, OFFENSIVE)


@given(st.text(ALPHABET, min_size=16, max_size=16).map(PlayerId))
def test_default_names_contain_no_listed_word(player: PlayerId) -> None:
    assume(player != PACE_BOT)
    check_words(guest_name(player), RESERVED, OFFENSIVE)


def test_look_alikes_have_the_same_skeleton() -> None:
    # Examples of UTS 39: whole scripts, digits, and letters that resemble two others.
    for one, other in (("раурал", "paypaл"), ("10", "lO"), ("rn", "m"), ("đ", "d̵"), ("ΑΒΕ", "ABE")):  # noqa: RUF001
        assert skeleton(one) == skeleton(other)
    assert skeleton("Ada") != skeleton("Ida")


def test_a_word_in_another_script_matches_by_appearance() -> None:
    words = Words(["ace", "COP"])
    assert words.has("асе")  # noqa: RUF001 - all Cyrillic
    assert words.has("СОР")  # noqa: RUF001 - all Cyrillic
    assert not words.has("асеа")  # noqa: RUF001


@pytest.mark.parametrize(
    ("entry", "has", "has_not"),
    [
        ("word", ["word", "a word", "WORD"], ["words", "sword", "wor ds"]),
        ("word*", ["words", "wordy one"], ["sword"]),
        ("*word", ["sword"], ["words"]),
        ("*word*", ["swords"], ["swo rds"]),
        ("two words", ["two words", "my two words", "Two-Words", "TwoWords"], ["two other words"]),
        ("w*d", ["wd", "wooood", "w1d"], ["woody"]),
    ],
)
def test_an_entry_stands_for_whole_words(entry: str, has: list[str], has_not: list[str]) -> None:
    words = Words([entry])
    assert [name for name in has if not words.has(name)] == []
    assert [name for name in has_not if words.has(name)] == []


def test_an_entry_without_letters_is_refused() -> None:
    for entry in ("*", "12", " "):
        with pytest.raises(ValueError, match="is no word"):
            Words([entry])


def test_an_empty_list_matches_no_name() -> None:
    assert not Words([]).has("Ada")


@given(st.text(max_size=MAX_LENGTH + 5))
def test_any_clean_name_can_be_compared(text: str) -> None:
    if refusal_of(lambda: clean_name(text)) is None:
        name = clean_name(text)
        RESERVED.has(name)
        if any(letter.isalpha() for letter in name):
            assert Words([name]).has(name)
