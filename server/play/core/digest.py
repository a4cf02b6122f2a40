"""Digests of views, for detecting that the views of client and server differ."""

from __future__ import annotations

from typing import Final

from engine.board import View
from engine.notation import seen_text

_BASIS: Final = 0x811C9DC5
_PRIME: Final = 0x01000193


def digest(view: View) -> int:
    """Return the digest of a view, from 0 to 2**32 - 1. Hidden cards do not affect it."""
    return fnv1a(view_text(view))


def view_text(view: View) -> str:
    """Return the text to hash: the piles in order of their numbers, and the redeals."""
    return ",".join([*map(seen_text, view.piles), str(view.redeals)])


def fnv1a(text: str) -> int:
    """Return the 32-bit FNV-1a hash of an ASCII text."""
    value = _BASIS
    for byte in text.encode("ascii"):
        value = (value ^ byte) * _PRIME & 0xFFFFFFFF
    return value
