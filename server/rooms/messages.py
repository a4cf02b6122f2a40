"""Race rooms: opening them, taking seats in them, and their rounds."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct, field

from server.base.core import costs
from server.base.wire import short_forms
from server.base.wire.messages import AttemptOf, Command, Event, GameId, Player, Result, VariantId
from server.play.core.result import Help

Seconds = Annotated[int, Meta(ge=60, le=7200)]
"""The length of a round."""

PlayerId = Annotated[str, Meta(max_length=32)]

KnownDeal = Annotated[str, Meta(max_length=208)]
"""A known deal: a number of the classic FreeCell program, or the order of its cards."""

EMOTES = ("hello", "luck", "nice", "wow", "oops", "thinking", "fire", "good_game")
"""The emotes that members of a room can send; new ones go to the end."""

Emote = Annotated[int, Meta(ge=0, le=len(EMOTES) - 1)]

PROGRESS = short_forms.PROGRESS
"""The kind of progress, `[PROGRESS, runner, home, moves, ...]`: three numbers for each runner who
got further, the first of them its index among the `runners` of the session's room, as that was sent
last. Like the messages of a move it has no `re`, since it never answers a command."""


class CreateRoom(Command, tag=3, frozen=True):
    """Open a race room and take its first seat.

    Refused as `unknown_game`, `unknown_variant`, `bad_ruleset` (changes that cannot be played),
    `bad_deck` or `bad_seed` (a known deal that is none of the game), or `overloaded`. If the room
    was created before, and the player has no seat in it any more, also as `room_full`,
    `room_locked`, `room_closed` or `removed`.

    Attributes:
        seats: how many players it has room for, 1 to 8.
        limit: seconds for a round, 60 to 7,200.
        key: random, chosen by the client: a player's commands with the same key create one room.
        variant: of the game; `standard` is its base form, `stock.turns=2` changes that.
        help: the help that the players of its rounds may ask for.
        known: the known deal that its rounds are played on: a number, such as `11982`, or its cards
            in the order in which they are dealt, two hexadecimal digits each; empty for new deals.
    """

    game: GameId
    seats: Annotated[int, Meta(ge=1, le=8)]
    limit: Seconds
    key: Annotated[str, Meta(min_length=8, max_length=64)]
    variant: VariantId = "standard"
    help: Help = "none"
    known: KnownDeal = ""
    cost: ClassVar[float] = costs.CREATE


class RoomCommand(Command, frozen=True):
    """The base of commands to a room that exists.

    Whoever has no seat in it is refused as `unknown_room` by all but `JoinRoom` and `WatchRound`,
    whether there is such a room or not.

    Attributes:
        code: the room's. `JoinRoom` and `WatchRound` also take it as somebody typed it: case,
            spaces and hyphens do not matter.
    """

    code: Annotated[str, Meta(max_length=12)]
    misses: ClassVar[frozenset[str]] = frozenset({"unknown_room"})

    def subject(self, attempt_of: AttemptOf) -> dict[str, str]:
        """Return the room."""
        del attempt_of
        return {"room": self.code}


class JoinRoom(RoomCommand, tag=4, frozen=True):
    """Take a seat, or return to one's own, and subscribe the session to the room.

    Refused as `unknown_room`, `room_full`, `room_locked`, `room_closed` or `removed`, and of bots
    as `not_for_bots` if the room is public, or was when somebody took a seat. In a room that is
    closed nobody has a seat.
    """

    cost: ClassVar[float] = costs.OPEN


class LeaveRoom(RoomCommand, tag=5, frozen=True):
    """Give the seat up; the player's attempt at a round that is being played is resigned.

    Refused as `unknown_room`; not so for whoever had a part in the latest round, who may send it
    again.
    """

    cost: ClassVar[float] = costs.CHANGE


class SetReady(RoomCommand, tag=6, frozen=True):
    """Agree to the next round, or sit out from now on.

    Players who join before the first round have agreed to it. Each later round takes a new word,
    also if it is to be played by other terms than were set before. Refused as `unknown_room` or
    `round_running`.

    Attributes:
        ready: true to agree to the next round, false to sit out until one says true.
    """

    ready: bool
    cost: ClassVar[float] = costs.CHANGE


class StartRound(RoomCommand, tag=7, frozen=True):
    """Agree to the next round, unless one sits out, and start it with all who are here and agree.

    The first round is started by the host, later ones by any member; that of a quick match starts
    by itself. Refused as `unknown_room`, `not_host`, `no_host`, `round_running`, `players_away`,
    `not_ready`, `nobody_plays` or `overloaded`.

    Attributes:
        anyway: whether to start without members who do not sit out, and are away or have not
            agreed. If not, and there is one, it is refused as `players_away` or `not_ready`.
    """

    anyway: bool = False
    cost: ClassVar[float] = costs.CREATE


class SetTerms(RoomCommand, tag=17, frozen=True):
    """Set what the next rounds are played by; only the host may. It drops all proposals.

    After the first round, the others have to agree to a round by other terms anew. Refused as
    `unknown_room`, `not_host`, `no_host`, `round_running`, `unknown_game`, `unknown_variant`,
    `bad_ruleset`, `bad_deck` or `bad_seed`.

    Attributes:
        limit: seconds for a round, 60 to 7,200.
        help: the help that the players may ask for.
        known: the known deal that they are played on, as in `CreateRoom`.
    """

    game: GameId
    variant: VariantId
    limit: Seconds
    help: Help = "none"
    known: KnownDeal = ""
    cost: ClassVar[float] = costs.CHANGE


class ProposeTerms(RoomCommand, tag=18, frozen=True):
    """Propose to the host what the next rounds are played by, instead of an earlier proposal.

    Refused as `unknown_room`, `no_host`, `round_running`, `unknown_game`, `unknown_variant`,
    `bad_ruleset`, `bad_deck` or `bad_seed`.

    Attributes:
        limit: seconds for a round, 60 to 7,200.
        help: the help that the players may ask for.
        known: the known deal that they are played on, as in `CreateRoom`.
    """

    game: GameId
    variant: VariantId
    limit: Seconds
    help: Help = "none"
    known: KnownDeal = ""
    cost: ClassVar[float] = costs.CHANGE


class RemoveMember(RoomCommand, tag=19, frozen=True):
    """Take a member's seat away for good; only the host may.

    Nothing changes if the player has no seat, or is the host. Refused as `unknown_room`,
    `not_host`, `no_host`, or `round_running` while the member is in a round, from its countdown on.

    Attributes:
        player: the member's id.
    """

    player: PlayerId
    cost: ClassVar[float] = costs.CREATE


class HandOver(RoomCommand, tag=20, frozen=True):
    """Make another member the host; only the host may.

    Refused as `unknown_room`, `not_host`, `no_host`, or `not_seated` if the other one is no member.

    Attributes:
        player: the member's id.
    """

    player: PlayerId
    cost: ClassVar[float] = costs.CHANGE


class SetLock(RoomCommand, tag=21, frozen=True):
    """Lock the room, so that nobody takes a seat who has none, or unlock it; only the host may.

    Refused as `unknown_room`, `not_host` or `no_host`.
    """

    locked: bool
    cost: ClassVar[float] = costs.CHANGE


class SetPublic(RoomCommand, tag=16, frozen=True):
    """Open the room to anybody, who then finds it by `ListRooms`, or close it; only the host may.

    Refused as `unknown_room`, `not_host` or `no_host`, and as `not_for_bots` if it is to be open
    while the bot of a player has a seat.
    """

    public: bool
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CHANGE


class SendEmote(RoomCommand, tag=22, frozen=True):
    """Send an emote to all who are subscribed to the room; only members may.

    It is not stored: who is not there misses it. Refused as `unknown_room` or `too_fast`; a player
    may send 3 at once and one every 2 seconds for long, and all members of a room together 12 at
    once and 4 a second.

    Attributes:
        emote: its index in `EMOTES`.
    """

    emote: Emote
    cost: ClassVar[float] = costs.MOVE


class Seat(Struct, array_like=True, frozen=True):
    """A member of a room.

    Attributes:
        ready: whether the player has agreed to the next round, and so is in it if `here`.
        here: whether the player has a session in the room.
        wins: rounds that the player has won in this room.
        points: the sum over this room's rounds of several players; in each, how many others the
            player was ranked before.
        out: whether the player sits out until they agree to a round.
        colour: the player's in this room, from 0 to 7; all members have different ones.
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
        result: while the attempt is being played, only `home`, `left` and `moves` are known.
        rank: 1 for the best, equal results sharing one; null until the round is over. Those who
            brought no card home share the last rank, which is not 1 unless there was one player.
        colour: the player's in this room, as in `Seat`, whether they still have a seat or not.
    """

    player: Player
    attempt: str
    result: Result
    rank: int | None
    colour: int = 0


class Round(Struct, array_like=True, frozen=True):
    """A round of a room.

    Attributes:
        number: 1 for the room's first round.
        deal: the id of its deal.
        commitment: to the deal's seed, in hexadecimal.
        starts: when the cards are sent, in Unix milliseconds.
        deadline: when attempts that are still being played end, in Unix milliseconds.
        over: whether all attempts have ended.
        seed: the deal's, in hexadecimal; null until the round is over, and for those who have not
            raced, who may ask for the deal then.
        game: the game of this round, whatever the room's terms are now.
        limit: seconds for the round.
        public: whether strangers may be in it: the room has been public during the round, or was
            when one of its players joined.
        help: the help that its players may ask for.
        known: the known deal that it is played on, as in `CreateRoom`; empty for a new deal.
        sealed: whether its results are hidden from who is shown this, who has not raced and may
            still play the deal as a challenge: they are all 0 then, `end` and `rank` are null, and
            neither `scores` nor wins and points have it.
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


class Proposal(Struct, array_like=True, frozen=True):
    """The terms that a member proposes for the next rounds.

    Attributes:
        player: the member's id.
        limit: seconds for a round.
        help: the help that the players may ask for.
        known: the known deal that they are played on, as in `CreateRoom`.
    """

    player: str
    game: str
    variant: str
    limit: int
    help: Help = "none"
    known: str = ""


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


class Former(Struct, array_like=True, frozen=True):
    """A player who has left a room, in whose scores there still is a place.

    Attributes:
        points: as in `Seat`.
    """

    player: Player
    points: int


class RoomState(Event, tag=5, frozen=True):
    """A whole room: answers commands to it, and is sent to its subscribers at every change.

    Attributes:
        version: of the room; it only grows.
        seats: how many players it has room for.
        game: of the next round, like `variant`.
        limit: seconds for the next round.
        host: the id of the player who runs the room; null in a quick match.
        members: in the order in which they took their seats.
        round: the latest one, or null before the first.
        locked: whether nobody may take a seat who has none.
        proposals: the terms that members propose for the next round.
        scores: of the latest rounds that several players have finished, at most 8, the oldest
            first.
        public: whether the room is listed for anybody to join.
        former: the players in `scores` who have no seat.
        quick: whether it was opened by `QuickMatch`.
        bot_at: when the pace bot takes the free seat of a quick match, in Unix milliseconds; null
            if it does not.
        help: the help that the players of the next round may ask for.
        known: the known deal that the next round is played on, as in `CreateRoom`.
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


class Removed(Event, tag=23, frozen=True):
    """The player has lost the seat; the session is no longer subscribed to the room.

    Attributes:
        code: the room's.
        closed: whether an operator has closed the room; if not, the host has removed the player.
    """

    code: str
    closed: bool = False


class Neighbours(Event, tag=27, frozen=True):
    """Which players of a room are at the same address; sent to its host alone when it changes.

    Friends often are, and a school has one address for all.

    Attributes:
        code: the room's.
        groups: ids of members and runners of the latest round, two or more in each; those who
            have left the room come last.
    """

    code: str
    groups: list[list[str]]


class Emoted(Event, tag=15, frozen=True):
    """A member of the room has sent an emote; it is sent to the sender's sessions too.

    Attributes:
        player: the sender's id.
        emote: its index in `EMOTES`.
    """

    code: str
    player: str
    emote: int
