"""Challenges: one deal by link, which each plays whenever they have time."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct, field

from server.base.wire import costs
from server.base.wire.messages import Certificate, Command, Event, GameId, Player, Result, VariantId
from server.challenges.core.events import Audience
from server.challenges.core.listed import ListState
from server.challenges.core.table import State
from server.play.core.result import Help

MAX_NAMED = 50
"""The most players that a challenge can be addressed to by name."""

ChallengeId = Annotated[str, Meta(max_length=32)]
"""A challenge's id: 80 random bits. Whoever has it may see the challenge, so it is the link."""

Key = Annotated[str, Meta(min_length=8, max_length=64)]
"""Random, chosen by the client: a player's commands with the same key create one challenge."""

PlayerId = Annotated[str, Meta(max_length=32)]


class CreateChallenge(Command, tag=117, frozen=True):
    """Make a challenge: on a new deal, or on the one of a race that its maker has just played.

    Refused as `unknown_game`, `unknown_variant`, `bad_ruleset` (changes that cannot be played),
    `listed_only` (such changes, for a circle), `unknown_run`, `deal_open` (the race goes on),
    `deal_shown` (others than its players have seen the deal), `already_played` (all who are named
    have), `unknown_player`, `not_in_circle`, `key_used` (it has made another one),
    `too_many_challenges`, `address_full` or `overloaded`.

    Attributes:
        limit: seconds for an attempt, 60 to 7,200; of a race's deal, the race's counts.
        open_for: seconds until it closes, an hour to two weeks.
        help: the help that its players may ask for; of a race's deal, the race's counts.
        target: whether the maker's result is shown to those who have not played yet.
        players: the ids of those who are named; with any, only they may play.
        circle: the id of the circle whose members may play; null if it is not for one.
        attempt: the maker's attempt at a race that is over, whose deal it is to be played on; null
            for a new deal.
    """

    game: GameId
    limit: Annotated[int, Meta(ge=60, le=7200)]
    open_for: Annotated[int, Meta(ge=3_600, le=1_209_600)]
    key: Key
    variant: VariantId = "standard"
    help: Help = "none"
    target: bool = True
    players: Annotated[list[PlayerId], Meta(max_length=MAX_NAMED)] = field(default_factory=list)
    circle: Annotated[str, Meta(max_length=32)] | None = None
    attempt: Annotated[str, Meta(max_length=64)] | None = None
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CREATE


class ChallengeCommand(Command, frozen=True):
    """The base of commands on a challenge.

    Attributes:
        challenge: its id.
    """

    challenge: ChallengeId


class WatchChallenge(ChallengeCommand, tag=118, frozen=True):
    """Ask for a challenge, and subscribe the session to its changes and to no other one's.

    It costs more if the challenge has many players. Refused as `unknown_challenge`: there is none,
    or it is for a circle that the player is not in; or as `too_fast`.
    """

    cost: ClassVar[float] = costs.READ


class UnwatchChallenge(Command, tag=119, frozen=True):
    """End the session's subscription to a challenge, if there is one."""

    cost: ClassVar[float] = costs.MOVE


class PlayChallenge(ChallengeCommand, tag=120, frozen=True):
    """Start the player's one attempt at a challenge, or return to it; its clock starts now.

    Refused as `unknown_challenge`, `already_played`, `challenge_over`, `not_challenged` (it is for
    others), `challenge_full`, `address_full` or `overloaded`.
    """

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.OPEN


class ListChallenges(Command, tag=121, frozen=True):
    """Ask for the player's challenges: those they made, were named in, or have played.

    Attributes:
        seen: whether the player has now seen what is new in them.
    """

    seen: bool = False
    cost: ClassVar[float] = costs.OPEN


class HideChallenge(ChallengeCommand, tag=122, frozen=True):
    """Take a challenge off the player's list."""

    cost: ClassVar[float] = costs.READ


class GetChallengers(ChallengeCommand, tag=160, frozen=True):
    """Ask for a further page of the table of a challenge; nothing is subscribed to.

    It costs more if the challenge has many players, and may be refused as `too_fast` for that, too.
    Refused as `unknown_challenge`.

    Attributes:
        first: the number of the first row, from 1.
        count: how many rows.
    """

    first: Annotated[int, Meta(ge=1, le=1_000)]
    count: Annotated[int, Meta(ge=1, le=50)] = 50
    cost: ClassVar[float] = costs.READ


class BlockChallenger(Command, tag=161, frozen=True):
    """Set whether a player may put challenges into this player's list, and have that notified.

    Whom the challenge names may still play it by the link. Refused as `unknown_player`.

    Attributes:
        player: the other player's id. Of more than 100 that are blocked, the first make room.
        blocked: whether challenges of that player are unwanted.
    """

    player: PlayerId
    blocked: bool
    cost: ClassVar[float] = costs.CHANGE


class ListBlocked(Command, tag=162, frozen=True):
    """Ask from whom the player wants no challenges."""

    cost: ClassVar[float] = costs.LOOK


class EmoteRun(ChallengeCommand, tag=123, frozen=True):
    """Send an emote for a run of a challenge, in place of the one that the player sent before.

    Refused as `unknown_challenge`, `not_played` unless the player's own attempt is over, or
    `unknown_run`.

    Attributes:
        player: whose run.
        emote: its index in `EMOTES`, or null to take it back.
    """

    player: PlayerId
    emote: Annotated[int, Meta(ge=0, le=7)] | None
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CHANGE


class CloseChallenge(ChallengeCommand, tag=149, frozen=True):
    """Close a challenge before its date: nobody begins any more.

    It is over when those who are playing have ended. Once more changes nothing. Refused as
    `unknown_challenge`, `not_maker` unless the player has made it, or `for_circle`: one that is for
    a circle is open until its date.
    """

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.OPEN


class Rematch(ChallengeCommand, tag=124, frozen=True):
    """Make a challenge by the same terms for the same people, on a new deal; it answers with it.

    If a player has made one, it is returned: there is one for all.

    Refused as `unknown_challenge`, `not_played` unless the player has played, `unknown_game` or
    `unknown_variant` if it is offered no more, `not_in_circle`, `too_many_challenges`,
    `address_full` or `overloaded`.
    """

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CREATE


class Challenger(Struct, array_like=True, frozen=True):
    """A player of a challenge.

    Attributes:
        state: `named` has not begun, `playing` has, `ended` is done; `absent` was named and had
            not begun when it closed, and ranks last.
        result: null until it may be seen: by whoever has ended, by all after the close, and the
            maker's by all if it is the target.
        rank: 1 for the best, equal results sharing one, which those share who brought no card home,
            too: the last one but for those who are absent. Null like `result`.
        attempt: the id of the run, by which its replay is asked for; null like `result`.
        emotes: those for the run: pairs of a player's id and the emote; empty like `result`.
    """

    player: Player
    state: State
    result: Result | None = None
    rank: int | None = None
    attempt: str | None = None
    emotes: list[tuple[str, int]] = field(default_factory=list)


class Challenge(Event, tag=106, frozen=True):
    """A challenge as its viewer may see it.

    Attributes:
        version: of the challenge; it only grows.
        maker: who made it.
        limit: seconds for an attempt.
        at: when it was made, in Unix milliseconds.
        closes: when it closes at the latest, in Unix milliseconds; when its maker has closed it, if
            that was before its date.
        over: whether it has closed: by its date, since all who are named have played, or by its
            maker.
        deal: the deal's id.
        commitment: to the deal's seed, in hexadecimal.
        seed: the deal's, in hexadecimal; null until it has closed.
        certificate: the proof about the deal; null if there is none.
        audience: who may play.
        may_play: whether the viewer may begin or resume an attempt now.
        mine: the viewer's result so far; null before they begin.
        attempt: the id of the viewer's attempt; null before they begin.
        players: the first page of the table, at most 50 of those who have played or were named:
            by ranks where they may be seen, else in the order in which they came. The viewer who
            has not ended sees no results. `GetChallengers` gets further pages.
        opened: how many others have looked at it, up to 1,000; only its maker is told, and others
            see 0.
        race: whether it is played on the deal of a race.
        circle: the id of the circle that it is for, or null.
        rematch: the id of the challenge that followed, or null.
        closing: whether its maker has closed it: nobody begins any more.
        size: how many rows the table has.
        begun: how many of them have begun.
        ended: how many of these have ended.
        own: the viewer's row, which may be on a later page; null without one.
        target: the maker's result, if it is shown to those who have not played; null if it is not,
            or not there.
    """

    challenge: str
    version: int
    maker: Player
    game: str
    variant: str
    limit: int
    help: Help
    at: int
    closes: int
    over: bool
    deal: str
    commitment: str
    seed: str | None
    certificate: Certificate | None
    audience: Audience
    may_play: bool
    mine: Result | None
    attempt: str | None
    players: list[Challenger]
    opened: int = 0
    race: bool = False
    circle: str | None = None
    rematch: str | None = None
    closing: bool = False
    size: int = 0
    begun: int = 0
    ended: int = 0
    own: Challenger | None = None
    target: Result | None = None


class Challengers(Event, tag=130, frozen=True):
    """A page of the table of a challenge, as the viewer may see it; it answers `GetChallengers`.

    Attributes:
        version: of the challenge.
        first: the number of the first row, from 1.
        players: the rows; fewer than were asked for if the table ends with them.
    """

    challenge: str
    version: int
    first: int
    players: list[Challenger]


class ChallengeGone(Event, tag=131, frozen=True):
    """The player may see the challenge no more that the session was subscribed to, and is not."""

    challenge: str


class Blocked(Event, tag=132, frozen=True):
    """Those from whom the player wants no challenges, the last one first.

    It answers `ListBlocked` and `BlockChallenger`.
    """

    players: list[Player]


class ChallengeChange(Event, tag=107, frozen=True):
    """Changes of the challenge that the session is subscribed to, as its viewer may see it.

    When the viewer's own attempt ends, or the challenge closes or lets nobody begin any more, the
    whole `Challenge` is sent instead.

    Attributes:
        version: of the challenge after it.
        players: the rows of the first page that changed, but for their ranks, or are new there.
        ranks: the ids of all rows of the first page in their order, each with its rank or null;
            empty if neither changed.
        rematch: the id of the challenge that followed, or null.
        size: as of the challenge, and so are `begun`, `ended` and `target`.
    """

    challenge: str
    version: int
    players: list[Challenger]
    ranks: list[tuple[str, int | None]] = field(default_factory=list)
    rematch: str | None = None
    size: int = 0
    begun: int = 0
    ended: int = 0
    target: Result | None = None


class ChallengeRow(Struct, array_like=True, frozen=True):
    """A challenge in a player's list.

    Attributes:
        state: `new` if the player may play it and has not begun, `playing`, `ended` if they have
            played, `missed` if it closed before they began, or lets nobody begin any more, and
            `made` if they made it and have not begun.
        rank: the player's among those who have ended so far; null unless they have ended.
        ended: how many have ended.
        players: how many have begun or are named.
        news: whether something is new since the player last looked: they were named, somebody has
            ended, it closed, or there is a rematch.
    """

    challenge: str
    maker: Player
    game: str
    variant: str
    closes: int
    over: bool
    state: ListState
    rank: int | None
    ended: int
    players: int
    news: bool
    circle: str | None = None


class Challenges(Event, tag=108, frozen=True):
    """The player's challenges, the latest first: those with news, and at most 50 in all.

    It answers `ListChallenges`, and is sent to the sessions of a player who is named in one.
    """

    challenges: list[ChallengeRow]
