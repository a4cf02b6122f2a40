"""Presentation of what operators look up."""

from __future__ import annotations

import msgspec

from server.moderation.operator_messages import LookedUp

_ENCODER = msgspec.json.Encoder()


def looked_up(found: object) -> LookedUp:
    """Return the event with what was found: a struct, or a list of such."""
    return LookedUp(_ENCODER.encode(found).decode())
