"""Race rooms: taking seats in them, and their rounds."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from server.gateway.messages.shared import Command, Event, GameId, Help, Player, Result

Seconds = Annotated[int, Meta(ge=60, le=7200)]
"""The length of a round."""

PlayerId = Annotated[str, Meta(max_length=32)]

PROGRESS = 6
"""The kind of progress, `[PROGRESS, runner, home, moves, ...]`: three numbers for each runner who
got further, the first of them its index among the `runners` of the room that was sent last. Like
the messages of a move it has no `re`, since it never answers a command."""


class CreateRoom(Command, tag=3, frozen=True):
    """Open a race room and take its first seat.

    Refused as `unknown_game`, `unknown_variant`, `room_full` or `overloaded`; as `room_full` only
    if the room was created before, and the player's seat in it has been given up and taken.

    Attributes:
        seats: how many players it has room for, 1 to 8.
        limit: seconds for a round, 60 to 7,200.
        key: random, chosen by the client: a player's commands with the same key create one room.
        variant: of the game; `standard` is its base form.
        help: what help the players of its rounds may ask for.
    """

    game: GameId
    seats: Annotated[int, Meta(ge=1, le=8)]
    limit: Seconds
    key: Annotated[str, Meta(min_length=8, max_length=64)]
    variant: GameId = "standard"
    help: Help = "none"


class RoomCommand(Command, frozen=True):
    """The base of commands to a room that exists.

    Attributes:
        code: the room's.
    """

    code: Annotated[str, Meta(max_length=12)]


class JoinRoom(RoomCommand, tag=4, frozen=True):
    """Take a seat, or return to one's own, and subscribe the session to the room.

    Refused as `unknown_room`, `room_full`, `room_locked` or `removed`.
    """


class LeaveRoom(RoomCommand, tag=5, frozen=True):
    """Give the seat up; the player's attempt at a round that is being played is resigned.

    Refused as `unknown_room`.
    """


class SetReady(RoomCommand, tag=6, frozen=True):
    """Say whether the player will be in the next rounds, as everybody is at first, or sits out.

    Refused as `unknown_room`, `not_seated` or `round_running`.
    """

    ready: bool


class StartRound(RoomCommand, tag=7, frozen=True):
    """Start a round with all members who are here and do not sit out.

    The first round is started by the host, later ones by any member. Refused as `unknown_room`,
    `not_seated`, `not_host`, `round_running`, `players_away` or `nobody_plays`.

    Attributes:
        anyway: whether to start without members who are away; if not, and one is who does not sit
            out, it is refused as `players_away`.
    """

    anyway: bool = False


class SetTerms(RoomCommand, tag=17, frozen=True):
    """Set what the next rounds are played by; only the host may. It drops all proposals.

    Refused as `unknown_room`, `not_seated`, `not_host`, `round_running`, `unknown_game` or
    `unknown_variant`.

    Attributes:
        limit: seconds for a round, 60 to 7,200.
        help: what help the players may ask for.
    """

    game: GameId
    variant: GameId
    limit: Seconds
    help: Help = "none"


class ProposeTerms(RoomCommand, tag=18, frozen=True):
    """Propose to the host what the next rounds are played by, instead of an earlier proposal.

    Refused as `unknown_room`, `not_seated`, `round_running`, `unknown_game` or `unknown_variant`.

    Attributes:
        limit: seconds for a round, 60 to 7,200.
        help: what help the players may ask for.
    """

    game: GameId
    variant: GameId
    limit: Seconds
    help: Help = "none"


class RemoveMember(RoomCommand, tag=19, frozen=True):
    """Take a member's seat away for good; only the host may.

    The member's attempt at a round that is being played is resigned. Nothing changes if the player
    has no seat, or is the host. Refused as `unknown_room`, `not_seated` or `not_host`.

    Attributes:
        player: the member's id.
    """

    player: PlayerId


class HandOver(RoomCommand, tag=20, frozen=True):
    """Make another member the host; only the host may.

    Refused as `unknown_room`, `not_seated` (also if the other one is no member) or `not_host`.

    Attributes:
        player: the member's id.
    """

    player: PlayerId


class SetLock(RoomCommand, tag=21, frozen=True):
    """Lock the room, so that nobody takes a seat who has none, or unlock it; only the host may.

    Refused as `unknown_room`, `not_seated` or `not_host`.
    """

    locked: bool


class Seat(Struct, array_like=True, frozen=True):
    """A member of a room.

    Attributes:
        ready: whether the player will be in the next round if `here`; else the player sits out.
        here: whether the player has a session in the room.
        wins: rounds that the player has won in this room.
        points: the sum over this room's rounds of several players; in each, how many others the
            player was ranked before.
    """

    player: Player
    ready: bool
    here: bool
    wins: int
    points: int = 0


class Runner(Struct, array_like=True, frozen=True):
    """A player in a round.

    Attributes:
        attempt: the id of the player's attempt at the round.
        result: while the attempt is being played, only `home`, `left` and `moves` are known.
        rank: 1 for the best, equal results sharing one; null until the round is over. Those who
            brought no card home share the last rank, which is not 1 unless there was one player.
    """

    player: Player
    attempt: str
    result: Result
    rank: int | None


class Round(Struct, array_like=True, frozen=True):
    """A round of a room.

    Attributes:
        number: 1 for the room's first round.
        deal: the id of its deal.
        commitment: to the deal's seed, in hexadecimal.
        starts: when the cards are sent, in Unix milliseconds.
        deadline: when attempts that are still being played end, in Unix milliseconds.
        over: whether all attempts have ended.
        seed: the deal's, in hexadecimal; null until the round is over.
        game: what it is played by, whatever the room's terms are now. Null from servers of
            releases before 0.3.0, like `variant` and `limit`: then it is the room's.
        limit: seconds for the round.
        help: what help its players may ask for.
    """

    number: int
    deal: str
    commitment: str
    starts: int
    deadline: int
    over: bool
    runners: list[Runner]
    seed: str | None
    game: str | None = None
    variant: str | None = None
    limit: int | None = None
    help: Help = "none"


class Proposal(Struct, array_like=True, frozen=True):
    """What a member proposes for the next rounds.

    Attributes:
        player: the member's id.
        limit: seconds for a round.
        help: what help the players may ask for.
    """

    player: str
    game: str
    variant: str
    limit: int
    help: Help = "none"


class Place(Struct, array_like=True, frozen=True):
    """A player's place in a round that is over.

    Attributes:
        player: the player's id; it may have no seat any more.
        rank: as in `Runner`.
        points: how many other players are ranked below.
    """

    player: str
    rank: int
    points: int


class Score(Struct, array_like=True, frozen=True):
    """The places in a round that several players have finished.

    Attributes:
        number: the round's.
        places: the best first.
    """

    number: int
    game: str
    places: list[Place]


class RoomState(Event, tag=5, frozen=True):
    """A whole room: answers commands to it, and is sent to its subscribers at every change.

    Attributes:
        version: of the room; it only grows.
        seats: how many players it has room for.
        game: of the next round, like `variant`.
        limit: seconds for the next round.
        host: the id of the player who runs the room.
        members: in the order in which they took their seats.
        round: the latest one, or null before the first.
        locked: whether nobody may take a seat who has none.
        proposals: what members propose for the next round.
        scores: of the latest rounds that several players have finished, at most 20, the oldest
            first.
        help: what help the players of the next round may ask for.
    """

    code: str
    version: int
    game: str
    variant: str
    seats: int
    limit: int
    host: str
    members: list[Seat]
    round: Round | None
    locked: bool = False
    proposals: list[Proposal] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    help: Help = "none"


class Removed(Event, tag=23, frozen=True):
    """The host has removed the player from the room; the session is no longer subscribed to it."""

    code: str
