"""Messages about practice: figures that devices report and share."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from server.base.core import costs
from server.base.wire.messages import Command, Event, GameId, VariantId
from server.practice.core.figures import MAX_DEALS, MAX_MOVES, MAX_PLAYED, MAX_TIME_MS

Deals = Annotated[int, Meta(ge=0, le=MAX_PLAYED)]
"""A number of deals."""

Cards = Annotated[int, Meta(ge=0, le=1_000)]
"""A number of cards."""

Moves = Annotated[int, Meta(ge=0, le=MAX_MOVES)]
"""A number of moves."""

Time = Annotated[int, Meta(ge=0, le=MAX_TIME_MS)]
"""The time played, in milliseconds."""


class PracticeDeal(Struct, array_like=True, frozen=True):
    """A deal that was won or left.

    Attributes:
        home: cards home.
        time: milliseconds played.
    """

    won: bool
    home: Cards
    time: Time
    moves: Moves


class PracticeFigures(Struct, array_like=True, frozen=True):
    """The figures of a number of deals by one variant.

    Attributes:
        played: the number of deals.
        won: the number of wins.
        streak: the wins in a row up to the last deal.
        longest: the most wins in a row.
        home: the most cards home.
        time: the shortest time of a win in milliseconds; null without a win.
        moves: the fewest moves of a win; null without a win.
        deals: the latest deals, oldest first.
    """

    played: Deals
    won: Deals
    streak: Deals
    longest: Deals
    home: Cards
    time: Time | None
    moves: Moves | None
    deals: Annotated[list[PracticeDeal], Meta(max_length=MAX_DEALS)]


class Practised(Struct, array_like=True, frozen=True):
    """The figures of a variant of a game."""

    game: str
    variant: str
    figures: PracticeFigures


class GetPractice(Command, tag=163, frozen=True):
    """Request the player's statistics of practice."""

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.LOOK


class AddPractice(Command, tag=164, frozen=True):
    """Add a batch of practice deals to the player's statistics.

    A batch whose number is not above that of the device's last one is not added again. Refused as
    `not_kept` if the player is a guest, `own_rules` if the rules are custom ones, `bad_figures` if
    the figures contradict themselves, `figures_full`, `unknown_game` or `unknown_variant`.

    Attributes:
        device: a random name of the browser.
        batch: the batch's number within the device.
        figures: of the batch alone.
    """

    device: Annotated[str, Meta(pattern="^[0-9a-z]{16}$")]
    batch: Annotated[int, Meta(ge=1, le=1 << 53)]
    game: GameId
    variant: VariantId
    figures: PracticeFigures
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.READ


class Practice(Event, tag=133, frozen=True):
    """The player's statistics of practice.

    Attributes:
        practised: the variants of games, by name; as the answer to `AddPractice`, only its variant.
    """

    practised: list[Practised]
