"""Codes as people read and type them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.codes import (
    DEVICE_LENGTH,
    RECOVERY_LENGTH,
    is_recovery,
    parse_code,
    parse_room_code,
    shown_code,
)
from server.base.core.ids import ALPHABET

codes = st.sampled_from([DEVICE_LENGTH, RECOVERY_LENGTH]).flatmap(
    lambda length: st.text(ALPHABET, min_size=length, max_size=length)
)


@given(codes, st.sampled_from([str.upper, str.lower, str.title]), st.sampled_from(["", " ", "-"]))
def test_a_code_is_read_however_it_is_typed(code: str, case: object, between: str) -> None:
    assert callable(case)
    assert parse_code(case(shown_code(code).replace("-", between))) == code
    assert is_recovery(code) == (len(code) == RECOVERY_LENGTH)


def test_a_code_is_shown_in_capitals_and_groups() -> None:
    assert shown_code("k3mq7w2r5t") == "K3MQ7-W2R5T"
    assert shown_code("k3mq7w2r5t9xkz4b0h8n") == "K3MQ-7W2R-5T9X-KZ4B-0H8N"


def test_lookalike_letters_are_read_as_digits() -> None:
    assert parse_code("oOiI lL00 zZ") == "00111100zz"


@pytest.mark.parametrize(
    "text",
    ["", "K3MQ7-W2R5", "K3MQ7-W2R5TX", "K3MQ7-W2R5!", "K3MQ7-W2R5é", "uuuuu-uuuuu", "k" * 19],
)
def test_an_invalid_code_is_none(text: str) -> None:
    assert parse_code(text) is None


@pytest.mark.parametrize(
    "text", ["H7KQ2M4X", "h7kq2m4x", "H7KQ-2M4X", " h7kq 2m4x\n", "H7KQ\N{NON-BREAKING HYPHEN}2M4X"]
)
def test_a_room_code_is_read_however_it_is_typed(text: str) -> None:
    assert parse_room_code(text) == "H7KQ2M4X"
