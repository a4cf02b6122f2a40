"""Every message, as types in one place. `server/PROTOCOL.md` explains them to client authors.

A command goes from a client to the server, an event from the server to a client, never the other
way round. On the wire each is a msgpack map whose `type` names it. Times are Unix milliseconds on
the server's clock. An answer carries in `re` the `id` of the command it answers; an event that
nobody asked for has no `re`.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from server.core.ranking import Result

VERSION = 1
"""The version of the protocol, stated in `hello`."""

CommandId = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Sequence = Annotated[int, Meta(ge=1, le=2**31)]
GameId = Annotated[str, Meta(max_length=40)]
Code = Annotated[str, Meta(max_length=12)]
Id = Annotated[str, Meta(max_length=64)]
MoveText = Annotated[str, Meta(max_length=16)]
Name = Annotated[str, Meta(max_length=64)]

Re = int | UnsetType


class Command(Struct, tag_field="type", frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every command has.

    Attributes:
        id: chosen by the client, ascending within a session; the answer names it in `re`.
    """

    id: CommandId


class Hello(Command, tag="hello", frozen=True):
    """The first command of every session. Without a token a new guest is made."""

    version: int
    token: Annotated[str, Meta(max_length=256)] | None = None
    name: Name | None = None


class Rename(Command, tag="rename", frozen=True):
    """Change the player's name."""

    name: Name


class CreateRoom(Command, tag="room.create", frozen=True):
    """Open a race room and take its first seat. `key` makes a repeated creation the same room."""

    game: GameId
    seats: Annotated[int, Meta(ge=1, le=8)]
    limit: Annotated[int, Meta(ge=60, le=7200)]
    key: Annotated[str, Meta(min_length=8, max_length=64)]
    variant: GameId = "standard"


class JoinRoom(Command, tag="room.join", frozen=True):
    """Take a seat, or come back to the one that the player has, and be told of the room."""

    code: Code


class LeaveRoom(Command, tag="room.leave", frozen=True):
    """Give the seat up; a run that is under way is resigned."""

    code: Code


class SetReady(Command, tag="room.ready", frozen=True):
    """Say whether the player will be in the next round."""

    code: Code
    ready: bool


class StartRound(Command, tag="room.start", frozen=True):
    """Start a round with every seat that is ready; the host's always is."""

    code: Code


class Have(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a client has of an attempt: the last entry, and the digest of its view with it."""

    seq: Sequence
    digest: Annotated[int, Meta(ge=0, le=2**32 - 1)]


class OpenAttempt(Command, tag="attempt.open", frozen=True):
    """Ask for an attempt's snapshot, or for what was missed since the entry that the client has.

    The session is told of what happens to the attempt from then on.
    """

    attempt: Id
    have: Have | None = None


class PlayMove(Command, tag="move", frozen=True):
    """Play a move; `seq` is one more than that of the last entry known to the client."""

    attempt: Id
    seq: Sequence
    move: MoveText


class Resign(Command, tag="resign", frozen=True):
    """End the attempt as it stands."""

    attempt: Id
    seq: Sequence


class ListDailies(Command, tag="daily.list", frozen=True):
    """Ask for the day's deals."""


class OpenDaily(Command, tag="daily.open", frozen=True):
    """Start the player's one ranked attempt at today's deal of a game, or come back to it."""

    game: GameId


class WatchLeaderboard(Command, tag="leaderboard.watch", frozen=True):
    """Ask for a day's leaderboard and for every change of it. Replaces what was watched."""

    game: GameId
    day: Annotated[int, Meta(ge=0, le=10**6)] | None = None


class UnwatchLeaderboard(Command, tag="leaderboard.unwatch", frozen=True):
    """Stop watching."""


class ShowDeal(Command, tag="deal.show", frozen=True):
    """Ask for a deal's commitment, and its seed once it is closed."""

    deal: Id


class Ping(Command, tag="ping", frozen=True):
    """Ask for the time."""


AnyCommand = (
    Hello
    | Rename
    | CreateRoom
    | JoinRoom
    | LeaveRoom
    | SetReady
    | StartRound
    | OpenAttempt
    | PlayMove
    | Resign
    | ListDailies
    | OpenDaily
    | WatchLeaderboard
    | UnwatchLeaderboard
    | ShowDeal
    | Ping
)


class Event(Struct, tag_field="type", frozen=True, kw_only=True, omit_defaults=True):
    """What every event may have: the command that it answers."""

    re: Re = UNSET


class Player(Struct, frozen=True, kw_only=True):
    """A player as others see it. `tag` tells players of one name apart and never changes."""

    id: str
    name: str
    tag: str


class Welcome(Event, tag="welcome", frozen=True):
    """The session is open. The token proves who the player is; it is to be kept secret."""

    player: Player
    token: str
    now: int


class Done(Event, tag="done", frozen=True):
    """The command was carried out, and there is no more to say."""


class Refused(Event, tag="refused", frozen=True):
    """The command was not carried out, or the message was none (then there is no `re`)."""

    code: str
    text: str


class Pong(Event, tag="pong", frozen=True):
    """The time."""

    now: int


class Seat(Struct, frozen=True, kw_only=True):
    """A player's place in the room, and the rounds that this player has won in it."""

    player: Player
    ready: bool
    here: bool
    wins: int


class Runner(Struct, frozen=True, kw_only=True):
    """A player in a round. `rank` is null until the round is over."""

    player: Player
    attempt: str
    result: Result
    rank: int | None


class Round(Struct, frozen=True, kw_only=True):
    """A round. The seed is null until it is over."""

    number: int
    deal: str
    commitment: str
    starts: int
    deadline: int
    over: bool
    runners: list[Runner]
    seed: str | None


class RoomState(Event, tag="room", frozen=True):
    """A room as a whole, sent whenever it changes. `version` only grows."""

    code: str
    version: int
    game: str
    variant: str
    seats: int
    limit: int
    host: str
    members: list[Seat]
    round: Round | None


class RunnerProgress(Struct, frozen=True, kw_only=True):
    """How far a player of the round has got."""

    player: str
    result: Result


class Progress(Event, tag="progress", frozen=True):
    """How far the runners of a round have got, when somebody got further."""

    code: str
    number: int
    runners: list[RunnerProgress]


class Attempt(Event, tag="attempt", frozen=True):
    """An attempt's snapshot.

    Attributes:
        seq: the number of the last entry in its journal.
        piles: by pile name, two letters a card from bottom to top, `??` for an unseen one.
        room: the code of its room, or null.
        day: the UTC day of its daily, or null.
    """

    attempt: str
    deal: str
    commitment: str
    game: str
    variant: str
    room: str | None
    day: int | None
    seq: int
    piles: dict[str, str]
    redeals: int
    started: int
    deadline: int
    now: int
    result: Result


class Moved(Event, tag="moved", frozen=True):
    """The move stands in the journal as entry `seq`.

    Attributes:
        changes: (pile, how many cards leave its end, which cards then come onto it).
    """

    attempt: str
    seq: int
    move: str
    changes: list[tuple[str, int, str]]
    redeals: int
    result: Result


class Missed(Event, tag="missed", frozen=True):
    """What leads from the entry `since` that the client has to `seq`, the last one.

    Attributes:
        moves: one for each entry, as (move, changes, redeals), the latter two as in `Moved`. The
            last entry has none if the attempt ended without a move.
        result: after the last entry.
    """

    attempt: str
    since: int
    seq: int
    moves: list[tuple[str, list[tuple[str, int, str]], int]]
    now: int
    result: Result


class Ended(Event, tag="ended", frozen=True):
    """The attempt is over without a move: resigned, out of time, or found to be stuck.

    `seq` is its last entry.
    """

    attempt: str
    seq: int
    result: Result


class Daily(Struct, frozen=True, kw_only=True):
    """A game's deal of the day. `mine` is null until the player has started."""

    game: str
    variant: str
    deal: str
    commitment: str
    mine: Result | None


class Dailies(Event, tag="dailies", frozen=True):
    """The day's deals. Starting is possible until `ends`, playing until `closes`."""

    day: int
    date: str
    ends: int
    closes: int
    now: int
    games: list[Daily]


class Entry(Struct, frozen=True, kw_only=True):
    """A row of a leaderboard. Rows with equal results share a rank."""

    rank: int
    player: Player
    left: int
    time: int
    moves: int


class Leaderboard(Event, tag="leaderboard", frozen=True):
    """A day's leaderboard: its first rows, and the player's own with its neighbours."""

    game: str
    day: int
    size: int
    top: list[Entry]
    around: list[Entry]


class Deal(Event, tag="deal", frozen=True):
    """A deal. The seed is null while anyone may still be playing it."""

    deal: str
    game: str
    variant: str
    commitment: str
    seed: str | None


class Bye(Event, tag="bye", frozen=True):
    """Sent before the server closes the socket, with the reason."""

    code: str
    text: str


AnyEvent = (
    Welcome
    | Done
    | Refused
    | Pong
    | RoomState
    | Progress
    | Attempt
    | Moved
    | Missed
    | Ended
    | Dailies
    | Leaderboard
    | Deal
    | Bye
)
