"""Race rooms: taking seats in them, and their rounds."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from server.gateway.messages.shared import Command, Event, GameId, Player, Result

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
    """

    game: GameId
    seats: Annotated[int, Meta(ge=1, le=8)]
    limit: Annotated[int, Meta(ge=60, le=7200)]
    key: Annotated[str, Meta(min_length=8, max_length=64)]
    variant: GameId = "standard"


class RoomCommand(Command, frozen=True):
    """The base of commands to a room that exists.

    Attributes:
        code: the room's.
    """

    code: Annotated[str, Meta(max_length=12)]


class JoinRoom(RoomCommand, tag=4, frozen=True):
    """Take a seat, or return to one's own, and subscribe the session to the room.

    Refused as `unknown_room` or `room_full`.
    """


class LeaveRoom(RoomCommand, tag=5, frozen=True):
    """Give the seat up; the player's attempt at a round that is being played is resigned.

    Refused as `unknown_room`.
    """


class SetReady(RoomCommand, tag=6, frozen=True):
    """Say whether the player will be in the next round.

    Refused as `unknown_room`, `not_seated` or `round_running`.
    """

    ready: bool


class StartRound(RoomCommand, tag=7, frozen=True):
    """Start a round with all members who are ready; the host always is.

    Refused as `unknown_room`, `not_seated`, `not_host` or `round_running`.
    """


class Seat(Struct, array_like=True, frozen=True):
    """A member of a room.

    Attributes:
        ready: whether the player will be in the next round.
        here: whether the player has a session in the room.
        wins: rounds that the player has won in this room.
    """

    player: Player
    ready: bool
    here: bool
    wins: int


class Runner(Struct, array_like=True, frozen=True):
    """A player in a round.

    Attributes:
        attempt: the id of the player's attempt at the round.
        result: while the attempt is being played, only `home`, `left` and `moves` are known.
        rank: 1 for the best, equal results sharing one; null until the round is over.
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
    """

    number: int
    deal: str
    commitment: str
    starts: int
    deadline: int
    over: bool
    runners: list[Runner]
    seed: str | None


class RoomState(Event, tag=5, frozen=True):
    """A whole room: answers commands to it, and is sent to its subscribers at every change.

    Attributes:
        version: of the room; it only grows.
        seats: how many players it has room for.
        limit: seconds for a round.
        host: the id of the player who starts its rounds.
        members: in the order in which they took their seats.
        round: the latest one, or null before the first.
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
