"""The entries of a room's journal, in their stored form.

Times are Unix milliseconds of the server's clock. See `server/STORED.md` for how a form may change.
"""

from __future__ import annotations

from msgspec import Struct

from engine.schema import is_changes
from server.base.core.ids import DealId, PlayerId, RoomCode
from server.play.core.result import Help, Result


class Terms(Struct, frozen=True, omit_defaults=True):
    """The terms of a round.

    Attributes:
        game: a game's id.
        variant: a variant's name, or changes to the standard rules (`engine.schema.changes`).
        limit: the length of a round in milliseconds.
        help: the help that the players may ask for.
        known: the known deal that it is played on (`engine.known`); empty for a new deal.
    """

    game: str
    variant: str
    limit: int
    help: Help = "none"
    known: str = ""

    @property
    def counts(self) -> bool:
        """Whether a round counts: not by rules of one's own, nor on a deal that somebody chose."""
        return not self.known and not is_changes(self.variant)


class RoomOpened(Struct, tag="opened", frozen=True, omit_defaults=True):
    """The room was opened; its host has no seat yet. `limit` is the length of a round in ms.

    `quick` says that it is a quick match: public from the start, started by itself, and without a
    host; then `host` is who looked for it first.
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

    @property
    def terms(self) -> Terms:
        """The terms of the first round, unless the host sets others."""
        return Terms(self.game, self.variant, self.limit, self.help, self.known)


class PublicSet(Struct, tag="public", frozen=True):
    """The host opened the room to anybody, who then finds it in the list, or closed it again."""

    public: bool
    at: int


class SeatTaken(Struct, tag="taken", frozen=True):
    """A player took a seat."""

    player: PlayerId
    at: int


class SeatLeft(Struct, tag="left", frozen=True, omit_defaults=True):
    """A player left; if it was the host, the member who has been seated longest becomes host.

    `by` is the host who removed the player, who may not come back; `None` if nobody did.
    """

    player: PlayerId
    at: int
    by: PlayerId | None = None


class HostChanged(Struct, tag="host", frozen=True):
    """A member became the host: the host handed over, or was away for too long."""

    player: PlayerId
    at: int


class TermsSet(Struct, tag="terms", frozen=True):
    """The host set what the next round is played by."""

    terms: Terms
    at: int


class TermsProposed(Struct, tag="proposed", frozen=True):
    """A member proposed what the next round is played by."""

    player: PlayerId
    terms: Terms
    at: int


class LockSet(Struct, tag="lock", frozen=True):
    """The host locked the room, so that no more seats are taken, or unlocked it."""

    locked: bool
    at: int


class RoomClosed(Struct, tag="closed", frozen=True):
    """An operator closed the room: nobody has a seat any more, and nobody takes one."""

    at: int


class ReadySet(Struct, tag="ready", frozen=True):
    """A player has agreed to the next round, or sits out until they agree to one."""

    player: PlayerId
    ready: bool
    at: int


class RoundStarted(Struct, tag="round", frozen=True, omit_defaults=True):
    """A round was started. It begins at `starts`, after the countdown.

    `rules` is the digest of the rules that it is played by. `home` is how many cards the deal
    itself brings home, above which a run is ranked. `by` is who gave the command; `None` if the
    first round of a quick match began by itself.
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


class RunnerFinished(Struct, tag="finished", frozen=True):
    """A player's attempt at the round is over."""

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
