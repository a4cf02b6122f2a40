"""Report players and runs to the operators."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from server.base.core import costs
from server.base.wire.messages import Command
from server.moderation.core.reports import ReportKind


class Report(Command, tag=111, frozen=True):
    """Report a player or a public run. Repeating a report changes nothing.

    The reported player is not notified, and a report has no automatic consequences. Refused as
    `unknown_player`, `unknown_run`, `deal_open`, `address_full`, `too_fast` or `overloaded`.

    Attributes:
        reason: an offensive name, cheating, or something else.
        about: the player's id, or the attempt's.
    """

    reason: ReportKind
    about: Annotated[str, Meta(max_length=40)]
    cost: ClassVar[float] = costs.SEARCH
