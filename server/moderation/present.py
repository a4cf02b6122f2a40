"""Encoding of items that operators look up."""

from __future__ import annotations

import msgspec

from server.moderation.operator_messages import LookedUp

_ENCODER = msgspec.json.Encoder()


def looked_up(found: object) -> LookedUp:
    """Return the event for an item: a struct, or a list of structs."""
    return LookedUp(_ENCODER.encode(found).decode())
