"""Identifiers: their form, and the two parts of an attempt's id."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.ids import (
    ALPHABET,
    BOT_START,
    CODE_ALPHABET,
    PACE_BOT,
    AttemptId,
    DealId,
    PlayerId,
    attempt_id,
    has_owner,
    is_bot,
    is_code,
    is_id,
    split_attempt_id,
)
from server.base.work import random_text
from server.base.work.random_text import random_bot_id

ids = st.text(ALPHABET, min_size=16, max_size=16)
ID = "k3mq7w2r5t9xkz4b"


def test_bots_are_known_by_their_ids() -> None:
    assert is_bot(PACE_BOT)
    assert not has_owner(PACE_BOT)
    bot = random_bot_id()
    assert is_id(bot)
    assert is_bot(bot)
    assert has_owner(bot)
    assert not is_bot(PlayerId(ID))


@pytest.mark.parametrize("drawn", [f"{BOT_START}0000000000", PACE_BOT])
def test_no_guest_gets_a_bots_id(drawn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = iter((drawn, ID))
    monkeypatch.setattr(random_text, "random_id", lambda: next(ids))
    assert random_text.random_player_id() == ID


@given(ids, ids)
def test_an_attempts_id_splits_into_deal_and_player(deal: str, player: str) -> None:
    made = attempt_id(DealId(deal), PlayerId(player))
    assert split_attempt_id(made) == (deal, player)


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", ID, f"{ID}.", f".{ID}", f"{ID}.{ID}.", f"{ID}.{ID}.{ID}", f"{ID}:{ID}"),
        *(f"{ID[1:]}.{ID}", f"{ID}.{ID.upper()}"),
    ],
)
def test_a_malformed_attempt_id_does_not_split(text: str) -> None:
    assert split_attempt_id(AttemptId(text)) is None


near_ids = st.text(f"{ALPHABET}.I\n", min_size=15, max_size=17)


@given(st.text(max_size=40) | st.builds("{}.{}".format, near_ids | ids, near_ids | ids))
def test_a_split_attempt_id_joins_to_the_same_text(text: str) -> None:
    parts = split_attempt_id(AttemptId(text))
    assert parts is None or attempt_id(*parts) == text


@pytest.mark.parametrize(
    "text", [ID[:-1], ID + "0", "I" * 16, "u" * 16, "\N{FULLWIDTH DIGIT ONE}" * 16]
)
def test_an_id_has_16_characters_of_its_alphabet(text: str) -> None:
    assert is_id(ID)
    assert is_id("0" * 16)
    assert not is_id(text)


@pytest.mark.parametrize(
    "text",
    [
        *("H7KQ2", "h7kq2m4x", "H7KQ-2M4X", "H7KQ2M4", "H7KQ2M", "H7KQ2M4X4", "H7KQ2M41"),
        *("H7KO2M4X", ""),
    ],
)
def test_a_room_code_has_8_characters_of_its_alphabet(text: str) -> None:
    assert is_code("H7KQ2M4X")
    assert not is_code(text)


def test_both_alphabets_have_32_characters_without_lookalikes() -> None:
    for alphabet, absent in ((ALPHABET, "ilou"), (CODE_ALPHABET, "IO01")):
        assert len(set(alphabet)) == len(alphabet) == 32
        assert not set(alphabet) & set(absent)
