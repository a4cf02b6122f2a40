"""Stored entries of a challenge's journal.

Times are Unix milliseconds of the server's clock. `server/STORED.md` says how a stored form can
change.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.base.core.ids import ChallengeId, DealId, PlayerId
from server.play.core.result import Help, Result

# The possible players: anyone with the link, the invited players, or a circle's members.
Audience = Literal["link", "named", "circle"]


class Terms(Struct, frozen=True, omit_defaults=True):
    """The terms of a challenge."""

    game: str
    variant: str
    limit: int  # the time limit of an attempt in milliseconds
    open_for: int  # milliseconds from creation to close
    help: Help = "none"
    target: bool = True  # whether players see the creator's result before playing
    circle: str | None = None  # the id of the circle whose members can play, or `None`


class ChallengeMade(Struct, tag="made", frozen=True, omit_defaults=True):
    """The challenge was created."""

    challenge: ChallengeId
    creator: PlayerId
    terms: Terms
    deal: DealId
    commitment: str
    rules: str
    home: int  # the number of cards that are home after dealing; only runs above it are ranked
    at: int
    # The invited players besides the creator; if any, only they can play.
    named: tuple[PlayerId, ...] = ()
    # Players notified without being invited: the players of the previous challenge.
    told: tuple[PlayerId, ...] = ()
    raced: dict[PlayerId, Result] = {}  # the results of a race on its deal; empty for a new deal
    follows: ChallengeId | None = None  # the challenge that this is a rematch of
    league: int | None = None  # the number of the league's turn, counted from 0, or `None`

    @property
    def closes(self) -> int:
        """The scheduled close."""
        return self.at + self.terms.open_for

    @property
    def audience(self) -> Audience:
        """The possible players."""
        if self.named:
            return "named"
        return "circle" if self.terms.circle is not None else "link"


class Begun(Struct, tag="begun", frozen=True):
    """A player started the attempt, which ends at the deadline at the latest."""

    player: PlayerId
    at: int
    deadline: int


class Finished(Struct, tag="finished", frozen=True):
    """A player's attempt is over."""

    player: PlayerId
    result: Result
    at: int


class Closed(Struct, tag="closed", frozen=True):
    """The challenge closed at its deadline; no new attempts can start."""

    at: int


class Closing(Struct, tag="closing", frozen=True):
    """The creator closed the challenge early; it is over when the last running attempt ends."""

    closes: int  # the latest deadline of a running attempt
    at: int


class Emoted(Struct, tag="emoted", frozen=True):
    """A player sent an emote for a run, replacing an earlier one, or removed it (`None`)."""

    by: PlayerId
    player: PlayerId
    emote: int | None
    at: int


class Followed(Struct, tag="followed", frozen=True):
    """A player created the rematch."""

    challenge: ChallengeId
    at: int


class ResultVoided(Struct, tag="voided", frozen=True):
    """An operator voided or restored a result."""

    player: PlayerId
    void: bool
    at: int


Event = ChallengeMade | Begun | Finished | Closed | Closing | Emoted | Followed | ResultVoided
