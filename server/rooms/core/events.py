"""The entries of a room's journal, in their stored form.

Times are Unix milliseconds of the server's clock. See `server/STORED.md` for how forms can change.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from engine.schema import is_changes
from server.base.core.ids import DealId, PlayerId, RoomCode
from server.play.core.result import Help, Result


class Terms(Struct, frozen=True, omit_defaults=True):
    """The terms of a round."""

    game: str  # a game's id
    variant: str  # a variant's name, or changes to the standard rules (`engine.schema.changes`)
    limit: int  # the length of a round in milliseconds
    help: Help = "none"  # the help available to the players
    known: str = ""  # the known deal to play (`engine.known`); empty for a new deal
    winnable: bool = False  # whether new deals are certified as winnable, while the pool has some

    @property
    def counts(self) -> bool:
        """Whether a round counts: custom rules and chosen deals do not."""
        return not self.known and not is_changes(self.variant)


class RoomOpened(Struct, tag="opened", frozen=True, omit_defaults=True):
    """The room was opened; its host has no seat yet. `limit` is the length of a round in ms.

    `quick` marks a quick match: public from the start, started automatically, without a host. Then
    `host` is the player who requested it first.
    """

    code: RoomCode
    host: PlayerId
    game: str
    variant: str
    seats: int
    limit: int
    at: int
    quick: bool = False
    help: Help = "none"
    known: str = ""
    winnable: bool = False

    @property
    def terms(self) -> Terms:
        """The terms of the first round, unless the host sets others."""
        return Terms(
            self.game, self.variant, self.limit, self.help, self.known, winnable=self.winnable
        )


class PublicSet(Struct, tag="public", frozen=True):
    """The host made the room public and so listed for everyone, or private again."""

    public: bool
    at: int


class SeatTaken(Struct, tag="taken", frozen=True):
    """A player took a seat."""

    player: PlayerId
    at: int


class SeatLeft(Struct, tag="left", frozen=True, omit_defaults=True):
    """A player left; if it was the host, the longest-seated member becomes the host.

    `by` is the host who removed the player, who then cannot return; `None` if the player left
    voluntarily.
    """

    player: PlayerId
    at: int
    by: PlayerId | None = None


class HostChanged(Struct, tag="host", frozen=True):
    """A member became the host: the old host handed over or was away for too long."""

    player: PlayerId
    at: int


class TermsSet(Struct, tag="terms", frozen=True):
    """The host set the terms of the next round."""

    terms: Terms
    at: int


class TermsProposed(Struct, tag="proposed", frozen=True):
    """A member proposed terms for the next round."""

    player: PlayerId
    terms: Terms
    at: int


class LockSet(Struct, tag="lock", frozen=True):
    """The host locked the room against new members, or unlocked it."""

    locked: bool
    at: int


class RoomClosed(Struct, tag="closed", frozen=True):
    """An operator closed the room: all members lost their seats, and it cannot be joined."""

    at: int


class ReadySet(Struct, tag="ready", frozen=True):
    """A player agreed to the next round, or sits out until they agree to one."""

    player: PlayerId
    ready: bool
    at: int


class RoundStarted(Struct, tag="round", frozen=True, omit_defaults=True):
    """A round was started; its countdown ends at `starts`.

    `rules` is the digest of its rules. `home` is the number of cards that are home after dealing;
    only runs above it are ranked. `by` is the member who gave the command; `None` if the first
    round of a quick match started automatically. `winnable` says whether its deal is certified as
    winnable.
    """

    number: int
    deal: DealId
    commitment: str
    players: tuple[PlayerId, ...]
    starts: int
    deadline: int
    at: int
    rules: str
    home: int
    by: PlayerId | None = None
    winnable: bool = False


class RunnerFinished(Struct, tag="finished", frozen=True):
    """A player's attempt at the round has ended."""

    number: int
    player: PlayerId
    result: Result
    at: int


Event = (
    RoomOpened
    | SeatTaken
    | SeatLeft
    | HostChanged
    | TermsSet
    | TermsProposed
    | LockSet
    | PublicSet
    | ReadySet
    | RoundStarted
    | RunnerFinished
    | RoomClosed
)


class Founded(NamedTuple):
    """A new room with its host in the first seat: two entries, appended together."""

    opened: RoomOpened
    taken: SeatTaken
