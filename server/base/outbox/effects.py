"""Effects: what must follow from something, in its stored form (JSON).

Each wing declares its own kinds, as structs with a tag, and registers them with the outbox. An
effect says all that its application needs, and applying it twice changes nothing more. See
`server/STORED.md` for how a form may change.
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
    """Return the text (JSON) of an effect."""
    return _ENCODER.encode(effect).decode()
