"""Messages for verifying deals."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from server.base.core import costs
from server.base.wire.messages import Command, Event


class ShowDeal(Command, tag=14, frozen=True):
    """Request a deal's commitment, and its seed if the deal is closed.

    Refused as `unknown_deal`.

    Attributes:
        deal: its id.
    """

    deal: Annotated[str, Meta(max_length=64)]
    cost: ClassVar[float] = costs.MOVE


class Deal(Event, tag=13, frozen=True):
    """A deal.

    Attributes:
        deal: its id.
        commitment: to the seed, in hexadecimal.
        seed: in hexadecimal; null while the deal may still be played.
        rules: the digest of its rules.
    """

    deal: str
    game: str
    variant: str
    commitment: str
    seed: str | None
    rules: str
