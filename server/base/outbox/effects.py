"""Effects: the consequences of an event, in their stored form (JSON).

Each wing declares its own kinds, as tagged structs, and registers them with the outbox. An effect
contains all data needed to apply it, and is idempotent. `server/STORED.md` states how a form may
change.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

_ENCODER = msgspec.json.Encoder()


class Effect(Protocol):
    """The interface of all effects."""

    @property
    def field(self) -> str:
        """Its field in the outbox; the part before a slash determines the partition."""


def encode(effect: Effect) -> str:
    """Encode an effect (JSON)."""
    return _ENCODER.encode(effect).decode()
