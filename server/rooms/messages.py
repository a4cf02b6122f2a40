"""Messages of race rooms: creating them, taking seats, and playing rounds."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct, field

from server.base.core import costs
from server.base.core.refusal import RefusalCode
from server.base.wire import short_forms
from server.base.wire.messages import AttemptOf, Command, Event, GameId, Player, Result, VariantId
from server.play.core.result import Help
from server.rooms.core.refusals import RoomRefusals

Seconds = Annotated[int, Meta(ge=60, le=7200)]
"""The length of a round in seconds."""

PlayerId = Annotated[str, Meta(max_length=32)]

KnownDeal = Annotated[str, Meta(max_length=208)]
"""A known deal: a number of a deal of FreeCell (`engine.known`), or the order of its cards."""

EMOTES = ("hello", "luck", "nice", "wow", "oops", "thinking", "fire", "good_game")
"""The emotes that members can send, by index; append new ones at the end."""

Emote = Annotated[int, Meta(ge=0, le=len(EMOTES) - 1)]

PROGRESS = short_forms.PROGRESS
"""The kind of a progress message, `[PROGRESS, runner, home, moves, headway, ...]`: four numbers for
each runner who has advanced. `runner` is an index into `runners` of the last `RoomState` sent to
the session. It has no `re`, since it never answers a command."""


class CreateRoom(Command, tag=3, frozen=True):
    """Create a race room, take its first seat and subscribe the session to it.

    Refused as `unknown_game`, `unknown_variant`, `bad_ruleset` (unplayable rule changes),
    `bad_deck` or `bad_seed` (a known deal that does not fit the game), or `overloaded`. If the room
    already exists and the player has left it, also as `room_full`, `room_locked`, `room_closed` or
    `removed`.

    Attributes:
        seats: the number of seats, 1 to 8.
        limit: seconds per round, 60 to 7,200.
        key: an idempotency key, chosen at random by the client: a player's commands with the same
            key create one room.
        variant: of the game; `standard` is its base form, and `stock.turns=2` changes a rule of it.
        help: the help available to the players.
        known: the known deal to play: a number of FreeCell, such as `11982`, or its cards in
            dealing order, two hexadecimal digits each; empty for new deals.
        winnable: whether new deals are certified as winnable. This needs the variant of the game's
            dailies, and a certified deal that no coming daily needs; otherwise any deal is drawn,
            as the round's `winnable` says.
    """

    game: GameId
    seats: Annotated[int, Meta(ge=1, le=8)]
    limit: Seconds
    key: Annotated[str, Meta(min_length=8, max_length=64)]
    variant: VariantId = "standard"
    help: Help = "none"
    known: KnownDeal = ""
    winnable: bool = False
    cost: ClassVar[float] = costs.CREATE


class RoomCommand(Command, frozen=True):
    """The base of commands to an existing room.

    All except `JoinRoom` and `WatchRound` are refused as `unknown_room` if the player has no seat
    in it, whether it exists or not.

    Attributes:
        code: the room's code. `JoinRoom` and `WatchRound` ignore case, spaces and hyphens in it, so
            clients can send it as typed.
    """

    code: Annotated[str, Meta(max_length=12)]
    misses: ClassVar[frozenset[RefusalCode]] = frozenset({RoomRefusals.unknown_room})

    def subject(self, attempt_of: AttemptOf) -> dict[str, str]:
        """Return the room."""
        del attempt_of
        return {"room": self.code}


class JoinRoom(RoomCommand, tag=4, frozen=True):
    """Take a seat, or return to an existing one, and subscribe the session to the room.

    Refused as `unknown_room`, `room_full`, `room_locked`, `room_closed` or `removed`. Bots are also
    refused as `not_for_bots` if the room is public, or was public when one of its members joined.
    """

    cost: ClassVar[float] = costs.OPEN


class LeaveRoom(RoomCommand, tag=5, frozen=True):
    """Give up the seat. The player's attempt at a running round is resigned.

    Refused as `unknown_room`. Players of the latest round can safely send it again.
    """

    cost: ClassVar[float] = costs.CHANGE


class SetReady(RoomCommand, tag=6, frozen=True):
    """Agree to the next round, or sit out from now on.

    Taking a seat before the first round counts as agreement to it. Each later round needs a new
    agreement, as does a change of its terms. Refused as `unknown_room` or `round_running`.

    Attributes:
        ready: true to agree to the next round, false to sit out until the player sends true.
    """

    ready: bool
    cost: ClassVar[float] = costs.CHANGE


class StartRound(RoomCommand, tag=7, frozen=True):
    """Start the next round with all members who are present and agree.

    The sender agrees by this, unless they sit out. Only the host can start the first round, any
    member can start later ones. The first round of a quick match starts automatically. Refused as
    `unknown_room`, `not_host`, `no_host`, `round_running`, `players_away`, `not_ready`,
    `nobody_plays` or `overloaded`.

    Attributes:
        anyway: whether to start without members who do not sit out but are away or have not agreed.
            If false, such members cause the refusal `players_away` or `not_ready`.
    """

    anyway: bool = False
    cost: ClassVar[float] = costs.CREATE


class SetTerms(RoomCommand, tag=17, frozen=True):
    """Set the terms of the next rounds and drop all proposals; host only.

    After the first round, a change of terms resets the other members' agreement. Refused as
    `unknown_room`, `not_host`, `no_host`, `round_running`, `unknown_game`, `unknown_variant`,
    `bad_ruleset`, `bad_deck` or `bad_seed`.

    Attributes:
        limit: seconds per round, 60 to 7,200.
        help: the help available to the players.
        known: the known deal to play, as in `CreateRoom`.
        winnable: whether new deals are certified as winnable, as in `CreateRoom`.
    """

    game: GameId
    variant: VariantId
    limit: Seconds
    help: Help = "none"
    known: KnownDeal = ""
    winnable: bool = False
    cost: ClassVar[float] = costs.CHANGE


class ProposeTerms(RoomCommand, tag=18, frozen=True):
    """Propose other terms for the next rounds to the host, replacing the sender's last proposal.

    Refused as `unknown_room`, `no_host`, `round_running`, `unknown_game`, `unknown_variant`,
    `bad_ruleset`, `bad_deck` or `bad_seed`.

    Attributes:
        limit: seconds per round, 60 to 7,200.
        help: the help available to the players.
        known: the known deal to play, as in `CreateRoom`.
        winnable: whether new deals are certified as winnable, as in `CreateRoom`.
    """

    game: GameId
    variant: VariantId
    limit: Seconds
    help: Help = "none"
    known: KnownDeal = ""
    winnable: bool = False
    cost: ClassVar[float] = costs.CHANGE


class RemoveMember(RoomCommand, tag=19, frozen=True):
    """Remove a member from the room, permanently; host only.

    Nothing changes if the player has no seat, or is the host. Refused as `unknown_room`,
    `not_host`, `no_host`, or `round_running` while the member is in a round, including its
    countdown.

    Attributes:
        player: the member's id.
    """

    player: PlayerId
    cost: ClassVar[float] = costs.OPEN


class HandOver(RoomCommand, tag=20, frozen=True):
    """Make another member the host; host only.

    Refused as `unknown_room`, `not_host`, `no_host`, or `not_seated` if the player is not a member.

    Attributes:
        player: the member's id.
    """

    player: PlayerId
    cost: ClassVar[float] = costs.CHANGE


class SetLock(RoomCommand, tag=21, frozen=True):
    """Lock the room against new members, or unlock it; host only.

    Refused as `unknown_room`, `not_host` or `no_host`.
    """

    locked: bool
    cost: ClassVar[float] = costs.CHANGE


class SetPublic(RoomCommand, tag=16, frozen=True):
    """Make the room public, so that `ListRooms` lists it, or private again; host only.

    Refused as `unknown_room`, `not_host` or `no_host`, or as `not_for_bots` if a player's bot has a
    seat in a room to be made public.
    """

    public: bool
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CHANGE


class SendEmote(RoomCommand, tag=22, frozen=True):
    """Send an emote to all subscribers of the room; members only.

    Emotes are not stored, so sessions that are offline miss them. Refused as `unknown_room` or
    `too_fast`. The rate limits are a burst of 3 and one every 2 seconds per player, and a burst of
    12 and 4 per second per room.

    Attributes:
        emote: its index in `EMOTES`.
    """

    emote: Emote
    cost: ClassVar[float] = costs.MOVE


class Seat(Struct, array_like=True, frozen=True):
    """A member of a room.

    Attributes:
        ready: whether the player has agreed to the next round, and so plays in it if `here`.
        here: whether the player has a session in the room.
        wins: the number of rounds won in this room.
        points: the sum over this room's rounds of several players; a round gives a point for each
            player ranked below.
        out: whether the player sits out until they agree to a round.
        colour: the player's colour in this room, from 0 to 7; no two members share one.
    """

    player: Player
    ready: bool
    here: bool
    wins: int
    points: int = 0
    out: bool = False
    colour: int = 0


class Runner(Struct, array_like=True, frozen=True):
    """A player in a round.

    Attributes:
        attempt: the id of the player's attempt at the round.
        result: until the attempt has ended, only `home`, `left` and `moves` are known.
        rank: 1 for the best, shared by equal results; null until the round is over. Players who
            brought no card home share the last rank, which is not 1 unless there was only one
            player.
        colour: as in `Seat`, even if the player has left.
        headway: until the attempt has ended, the count that the game's `listing.headway` names; 0
            without one.
    """

    player: Player
    attempt: str
    result: Result
    rank: int | None
    colour: int = 0
    headway: int = 0


class Round(Struct, array_like=True, frozen=True):
    """A round of a room.

    Attributes:
        number: 1 for the room's first round.
        deal: the id of its deal.
        commitment: to the deal's seed, in hexadecimal.
        starts: when the cards are sent, in Unix milliseconds.
        deadline: when unfinished attempts end, in Unix milliseconds.
        over: whether all attempts have ended.
        seed: the deal's seed, in hexadecimal; null until the round is over. It stays null for
            viewers who have not raced, who can then request the deal.
        game: the game of this round, even if the room's terms have changed since.
        limit: seconds for the round.
        public: whether strangers may be in it: the room has been public during the round, or was
            public when one of its players joined.
        help: the help available to its players.
        known: the known deal of the round, as in `CreateRoom`; empty for a new deal.
        sealed: whether the results are hidden from this viewer, who has not raced and can still
            play the deal as a challenge. Then all results are 0, `end` and `rank` are null, and
            `scores`, wins and points exclude the round.
        winnable: whether its deal is certified as winnable.
    """

    number: int
    deal: str
    commitment: str
    starts: int
    deadline: int
    over: bool
    runners: list[Runner]
    seed: str | None
    game: str
    variant: str
    limit: int
    public: bool = False
    help: Help = "none"
    known: str = ""
    sealed: bool = False
    winnable: bool = False


class Proposal(Struct, array_like=True, frozen=True):
    """Terms that a member proposes for the next rounds.

    Attributes:
        player: the member's id.
        limit: seconds per round.
        help: the help available to the players.
        known: the known deal to play, as in `CreateRoom`.
        winnable: whether new deals are certified as winnable, as in `CreateRoom`.
    """

    player: str
    game: str
    variant: str
    limit: int
    help: Help = "none"
    known: str = ""
    winnable: bool = False


class Place(Struct, array_like=True, frozen=True):
    """A player's place in a finished round.

    Attributes:
        player: the player's id; they may have left the room.
        rank: as in `Runner`.
        points: the number of players ranked below.
    """

    player: str
    rank: int
    points: int


class Score(Struct, array_like=True, frozen=True):
    """The places in a finished round of several players.

    Attributes:
        number: the round's number.
        places: the best first.
    """

    number: int
    game: str
    places: list[Place]


class Former(Struct, array_like=True, frozen=True):
    """A player who has left the room but still has a place in its scores.

    Attributes:
        points: as in `Seat`.
    """

    player: Player
    points: int


class RoomState(Event, tag=5, frozen=True):
    """The whole state of a room, in answer to a command or sent to subscribers on a change.

    Attributes:
        version: the room's version, which increases with each change of the room's journal.
        seats: the number of seats.
        game: of the next round, like `variant`.
        limit: seconds for the next round.
        host: the host's player id; null in a quick match.
        members: in the order of their seats.
        round: the latest one, or null before the first.
        locked: whether the room takes no new members.
        proposals: terms that members propose for the next round.
        scores: the latest finished rounds of several players, at most 8, the oldest first.
        public: whether the room is listed and open to everyone.
        former: the players in `scores` who have no seat.
        quick: whether it was opened by `QuickMatch`.
        bot_at: when the pace bot takes the free seat of a quick match, in Unix milliseconds; null
            if it does not.
        help: the help available in the next round.
        known: the known deal of the next round, as in `CreateRoom`.
        winnable: whether the next deal is certified as winnable, as in `CreateRoom`.
    """

    code: str
    version: int
    game: str
    variant: str
    seats: int
    limit: int
    host: str | None
    members: list[Seat]
    round: Round | None
    locked: bool = False
    proposals: list[Proposal] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    public: bool = False
    former: list[Former] = field(default_factory=list)
    quick: bool = False
    bot_at: int | None = None
    help: Help = "none"
    known: str = ""
    winnable: bool = False


class Removed(Event, tag=23, frozen=True):
    """The player has lost the seat, and the session is no longer subscribed to the room.

    Attributes:
        code: the room's code.
        closed: whether an operator has closed the room; otherwise the host has removed the player.
    """

    code: str
    closed: bool = False


class Neighbours(Event, tag=27, frozen=True):
    """The players of a room who share an address, sent only to its host, whenever they change.

    Sharing an address is no proof of cheating: families and schools share one too.

    Attributes:
        code: the room's code.
        groups: ids of members and runners of the latest round, at least two per group; former
            members come last.
    """

    code: str
    groups: list[list[str]]


class Emoted(Event, tag=15, frozen=True):
    """A member of the room has sent an emote; the sender's own sessions also receive it.

    Attributes:
        player: the sender's id.
        emote: its index in `EMOTES`.
    """

    code: str
    player: str
    emote: int
