"""Digests of views: the hash against published test vectors, and the hashed text."""

from __future__ import annotations

import pytest

from engine.board import view_of
from server.play.core.digest import digest, fnv1a, view_text
from tests.engine.positions import after, board


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", 0x811C9DC5),
        ("a", 0xE40C292C),
        ("foobar", 0xBF9CF968),
        # These overflow unless the hash is reduced to 32 bits after each byte.
        ("chongo was here!\n", 0xD49930D5),
    ],
)
def test_the_hash_is_fnv1a(text: str, value: int) -> None:
    assert fnv1a(text) == value


def test_the_hashed_text_contains_the_piles_and_the_redeals() -> None:
    played = after(board("robert", f0="7S", w="8D 5C", redeals=1), "s>w")
    text = view_text(view_of(played))
    foundation, stock, waste, redeals = text.split(",")
    assert (foundation, stock, redeals) == ("7S", "??" * 48, "1")
    assert waste.startswith("8D5C")
    assert digest(view_of(played)) == fnv1a(text)
