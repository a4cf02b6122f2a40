"""Integers in JSON, bounded so that the programs that read them can choose a type."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

MAX_INT32 = (1 << 31) - 1
MAX_EXACT = (1 << 53) - 1  # above it, JavaScript's numbers skip integers

Count = Annotated[int, Meta(ge=0, le=MAX_INT32)]

# A duration, or a time in Unix milliseconds.
Milliseconds = Annotated[int, Meta(ge=0, le=MAX_EXACT)]
