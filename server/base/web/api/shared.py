"""Types shared by the answers of several subjects."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Date = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]  # a UTC day in ISO 8601

Hex = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]  # 32 bytes in hexadecimal

# A seed, or the card order of a known deal, in hexadecimal.
Seed = Annotated[str, Meta(pattern=r"^([0-9a-f]{64}|[0-9a-f]{104}|[0-9a-f]{208})$")]


class Problem(Struct, frozen=True):
    """Why a request was refused.

    Attributes:
        code: one of a fixed list.
        text: a sentence for people.
    """

    code: str
    text: str
