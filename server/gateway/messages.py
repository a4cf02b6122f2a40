"""Every message, as types in one place.

`server/PROTOCOL.md` explains them to client authors; `client_js/src/messages.ts` is generated from
them.

A command goes from a client to the server, an event from the server to a client, never the other
way round. On the wire each is a msgpack array. A command is `[kind, id, *fields]` and an event
`[kind, re, *fields]`, where `re` is what the event answers: the `id` of a command, the pair
`[number, seq]` of a move, or 0 for news that nobody asked for. Fields stand in the order in which
they are declared here; those with a default may be left out at the end of a command.

The two messages of a move come by the thousand, and have no kind: they begin with the number that
the session knows their attempt by, which is `FIRST_NUMBER` or more.

Times are Unix milliseconds on the server's clock. A card is one byte, `suit * 13 + rank` with suits
and ranks in the order of `engine.cards`, 127 for one that is not seen; a pile is a `bin` of cards
from bottom to top. Piles are numbered: foundations, tableau, stock, waste.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from server.core.attempt import End

VERSION = 2
"""The version of the protocol that clients of this release state in `hello`: one that servers of
the last release speak too."""

VERSIONS = range(2, 4)
"""The versions that this server speaks. One of version 3 is known to heed `Attempt.rules`."""

FIRST_NUMBER = 32
"""The least number of an attempt; smaller ones at the start of a message are its kind."""

MOST_NUMBERS = 64
"""Attempts that a session has numbers for; the oldest is forgotten for one more."""

CommandId = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Number = Annotated[int, Meta(ge=FIRST_NUMBER, lt=FIRST_NUMBER + MOST_NUMBERS)]
Sequence = Annotated[int, Meta(ge=1, le=2**31)]
Pile = Annotated[int, Meta(ge=0, le=63)]
GameId = Annotated[str, Meta(max_length=40)]
Code = Annotated[str, Meta(max_length=12)]
Id = Annotated[str, Meta(max_length=64)]
Name = Annotated[str, Meta(max_length=64)]

Re = int | tuple[int, int]
"""What an event answers: a command's `id`, a move's `(number, seq)`, or `NEWS`."""

NEWS = 0
"""The `re` of an event that nobody asked for."""


class Command(Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """What every command has.

    Attributes:
        id: chosen by the client, ascending within a session; the answer names it in `re`.
    """

    id: CommandId


class Hello(Command, tag=1, frozen=True):
    """The first command of every session. Without a token a new guest is made."""

    version: int
    token: Annotated[str, Meta(max_length=256)] | None = None
    name: Name | None = None


class Rename(Command, tag=2, frozen=True):
    """Change the player's name."""

    name: Name


class CreateRoom(Command, tag=3, frozen=True):
    """Open a race room and take its first seat. `key` makes a repeated creation the same room."""

    game: GameId
    seats: Annotated[int, Meta(ge=1, le=8)]
    limit: Annotated[int, Meta(ge=60, le=7200)]
    key: Annotated[str, Meta(min_length=8, max_length=64)]
    variant: GameId = "standard"


class JoinRoom(Command, tag=4, frozen=True):
    """Take a seat, or come back to the one that the player has, and be told of the room."""

    code: Code


class LeaveRoom(Command, tag=5, frozen=True):
    """Give the seat up; a run that is under way is resigned."""

    code: Code


class SetReady(Command, tag=6, frozen=True):
    """Say whether the player will be in the next round."""

    code: Code
    ready: bool


class StartRound(Command, tag=7, frozen=True):
    """Start a round with every seat that is ready; the host's always is."""

    code: Code


class Have(Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """What a client has of an attempt: the last entry, and the digest of its view with it."""

    seq: Sequence
    digest: Annotated[int, Meta(ge=0, le=2**32 - 1)]


class OpenAttempt(Command, tag=8, frozen=True):
    """Ask for an attempt's snapshot, or for what was missed since the entry that the client has.

    The session is told of what happens to the attempt from then on.
    """

    attempt: Id
    have: Have | None = None


class Resign(Command, tag=9, frozen=True):
    """End the attempt as it stands; `seq` is as in a move."""

    number: Number
    seq: Sequence


class ListDailies(Command, tag=10, frozen=True):
    """Ask for the day's deals."""


class OpenDaily(Command, tag=11, frozen=True):
    """Start the player's one ranked attempt at today's deal of a game, or come back to it."""

    game: GameId


class WatchLeaderboard(Command, tag=12, frozen=True):
    """Ask for a day's leaderboard and for every change of it. Replaces what was watched."""

    game: GameId
    day: Annotated[int, Meta(ge=0, le=10**6)] | None = None


class UnwatchLeaderboard(Command, tag=13, frozen=True):
    """Stop watching."""


class ShowDeal(Command, tag=14, frozen=True):
    """Ask for a deal's commitment, and its seed once it is closed."""

    deal: Id


class Ping(Command, tag=15, frozen=True):
    """Ask for the time."""


class PlayMove(Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """Play a move, `[number, seq, source, target, count?]`.

    Attributes:
        number: what the session knows the attempt by.
        seq: one more than that of the last entry known to the client.
        source: the pile that cards are taken from.
        target: the pile that they are put on; one more than the last pile deals a row.
        count: how many cards.
    """

    number: Number
    seq: Sequence
    source: Pile
    target: Pile
    count: Pile = 1


AnyCommand = (
    Hello
    | Rename
    | CreateRoom
    | JoinRoom
    | LeaveRoom
    | SetReady
    | StartRound
    | OpenAttempt
    | Resign
    | ListDailies
    | OpenDaily
    | WatchLeaderboard
    | UnwatchLeaderboard
    | ShowDeal
    | Ping
)
"""Every command with a kind."""


class Event(Struct, array_like=True, frozen=True):
    """An event with a kind. What it answers is written between its kind and its fields."""


class Result(Struct, array_like=True, frozen=True):
    """How an attempt stands or ended.

    Attributes:
        home: cards on foundations.
        left: cards not there yet.
        time: milliseconds from the start to the last card that came home.
        moves: moves played.
        end: why the attempt ended, or null while it goes on.
    """

    home: int
    left: int
    time: int
    moves: int
    end: End | None


class Player(Struct, array_like=True, frozen=True):
    """A player as others see it. `tag` tells players of one name apart and never changes."""

    id: str
    name: str
    tag: str


class Welcome(Event, tag=1, frozen=True):
    """The session is open. The token proves who the player is; it is to be kept secret."""

    player: Player
    token: str
    now: int


class Done(Event, tag=2, frozen=True):
    """The command was carried out, and there is no more to say."""


class Refused(Event, tag=3, frozen=True):
    """The command was not carried out, or the message was none (then `re` may be 0).

    Attributes:
        code: one of the codes of `server/core/refusal.py`.
        text: one sentence for people.
        wait: milliseconds after which it is worth another try, or 0 if that is up to the client.
    """

    code: str
    text: str
    wait: int


class Pong(Event, tag=4, frozen=True):
    """The time."""

    now: int


class Seat(Struct, array_like=True, frozen=True):
    """A player's place in the room, and the rounds that this player has won in it."""

    player: Player
    ready: bool
    here: bool
    wins: int


class Runner(Struct, array_like=True, frozen=True):
    """A player in a round. `rank` is null until the round is over."""

    player: Player
    attempt: str
    result: Result
    rank: int | None


class Round(Struct, array_like=True, frozen=True):
    """A round. The seed is null until it is over."""

    number: int
    deal: str
    commitment: str
    starts: int
    deadline: int
    over: bool
    runners: list[Runner]
    seed: str | None


class RoomState(Event, tag=5, frozen=True):
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


PROGRESS = 6
"""The kind of progress, `[PROGRESS, runner, home, moves, ...]`: three numbers for each runner who
got further, the first of them its place among the `runners` of the room that was sent last. Like
the messages of a move it has no `re`: it is always news."""


class Attempt(Event, tag=7, frozen=True):
    """An attempt's snapshot.

    Attributes:
        number: what the session knows it by from now on.
        seq: the number of the last entry in its journal.
        piles: all piles by number.
        room: the code of its room, or null.
        day: the UTC day of its daily, or null.
        rules: the digest of the rules that it is played by; servers of release 0.1.0 leave it out.
    """

    number: int
    attempt: str
    deal: str
    commitment: str
    game: str
    variant: str
    room: str | None
    day: int | None
    seq: int
    piles: list[bytes]
    redeals: int
    started: int
    deadline: int
    now: int
    result: Result
    rules: str | None = None


class Moved(Struct, array_like=True, frozen=True):
    """The move stands as entry `seq`: `[number, seq, changes, time?, end?, redeals?]`.

    What is null at the end is left out. Each move counts one on `result.moves`.

    Attributes:
        number: what the session knows the attempt by.
        changes: for each pile that changed `[pile, take, card, ...]`: `take` cards leave its end,
            and these cards then come onto it.
        time: the new `result.time`, if a card came home.
        end: `won` or `stuck`, if this was the last move.
        redeals: how often the waste has been turned over, if this move did.
    """

    number: int
    seq: int
    changes: list[list[int]]
    time: int | None = None
    end: End | None = None
    redeals: int | None = None


class MissedMove(Struct, array_like=True, frozen=True):
    """A move that a client has missed; `changes` are as in `Moved`, `redeals` holds after it."""

    source: int
    target: int
    count: int
    changes: list[list[int]]
    redeals: int


class Missed(Event, tag=9, frozen=True):
    """What leads from the entry `since` that the client has to `seq`, the last one.

    Attributes:
        number: what the session knows the attempt by from now on.
        moves: one for each entry. The last entry has none if the attempt ended without a move.
        result: after the last entry.
    """

    number: int
    attempt: str
    since: int
    seq: int
    moves: list[MissedMove]
    now: int
    result: Result


class Ended(Event, tag=10, frozen=True):
    """The attempt is over without a move: resigned, out of time, or found to be stuck.

    `seq` is its last entry.
    """

    number: int
    seq: int
    result: Result


class Daily(Struct, array_like=True, frozen=True):
    """A game's deal of the day. `mine` is null until the player has started."""

    game: str
    variant: str
    deal: str
    commitment: str
    mine: Result | None


class Dailies(Event, tag=11, frozen=True):
    """The day's deals. Starting is possible until `ends`, playing until `closes`."""

    day: int
    date: str
    ends: int
    closes: int
    now: int
    games: list[Daily]


class Entry(Struct, array_like=True, frozen=True):
    """A row of a leaderboard. Rows with equal results share a rank."""

    rank: int
    player: Player
    left: int
    time: int
    moves: int


class Leaderboard(Event, tag=12, frozen=True):
    """A day's leaderboard: its first rows, and the player's own with its neighbours."""

    game: str
    day: int
    size: int
    top: list[Entry]
    around: list[Entry]


class LeaderboardChange(Event, tag=8, frozen=True):
    """What changed in the leaderboard that the session watches; null is what did not."""

    size: int
    top: list[Entry] | None
    around: list[Entry] | None


class Deal(Event, tag=13, frozen=True):
    """A deal.

    Attributes:
        seed: in hexadecimal; null while anyone may still be playing it.
        rules: the digest of the rules that it is played by; null for those of release 0.1.0.
    """

    deal: str
    game: str
    variant: str
    commitment: str
    seed: str | None
    rules: str | None = None


class Bye(Event, tag=14, frozen=True):
    """Sent before the server closes the socket.

    Attributes:
        code: the reason.
        text: one sentence for people.
        wait: milliseconds after which the client should come back, chosen so that not all clients
            come back at once.
    """

    code: str
    text: str
    wait: int


AnyEvent = (
    Welcome
    | Done
    | Refused
    | Pong
    | RoomState
    | Attempt
    | Missed
    | Ended
    | Dailies
    | Leaderboard
    | LeaderboardChange
    | Deal
    | Bye
)
"""Every event with a kind, but for progress."""
