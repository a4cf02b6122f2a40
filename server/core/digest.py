"""A short number for what a player sees, by which two sides find out whether they see the same."""

from __future__ import annotations

from typing import Final

from engine.board import View
from engine.notation import seen_text

_BASIS: Final = 0x811C9DC5
_PRIME: Final = 0x01000193


def digest(view: View) -> int:
    """Return a view's digest, 0 to 2**32 - 1. It depends on nothing that the view does not show."""
    return fnv1a(view_text(view))


def view_text(view: View) -> str:
    """Return the text that a digest is made of: the piles in the ruleset's order, and redeals."""
    return ",".join([*map(seen_text, view.piles), str(view.redeals)])


def fnv1a(text: str) -> int:
    """Return the 32-bit FNV-1a hash of an ASCII text."""
    found = _BASIS
    for byte in text.encode("ascii"):
        found = (found ^ byte) * _PRIME & 0xFFFFFFFF
    return found
