"""Messages about challenges: one deal shared by link, which each player plays once."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct, field

from server.base.core import costs
from server.base.wire.messages import Certificate, Command, Event, GameId, Player, Result, VariantId
from server.challenges.core.events import Audience
from server.challenges.core.listed import ListState
from server.challenges.core.table import State
from server.play.core.result import Help

MAX_NAMED = 50
"""The most players that can be invited to a challenge by name."""

ChallengeId = Annotated[str, Meta(max_length=32)]
"""A challenge's id: 80 random bits. It serves as the link: its holder can see the challenge."""

Key = Annotated[str, Meta(min_length=8, max_length=64)]
"""An idempotency key: random, chosen by the client, and repeated in a retry."""

PlayerId = Annotated[str, Meta(max_length=32)]


class CreateChallenge(Command, tag=117, frozen=True):
    """Create a challenge on a new deal, or on the deal of a race that the creator has played.

    Refused as `unknown_game`, `unknown_variant`, `bad_ruleset` (an invalid custom variant),
    `listed_only` (a custom variant in a circle's challenge), `unknown_run`, `deal_open` (the race
    is still running), `deal_shown` (players outside the race have seen the deal), `already_played`
    (all invited players have), `unknown_player`, `not_in_circle`, `key_used` (the key belongs to a
    different challenge), `too_many_challenges`, `address_full` or `overloaded`.

    Attributes:
        limit: the time limit of an attempt in seconds, 60 to 7,200; on a race's deal, the race's
            limit applies.
        open_for: seconds until it closes, from an hour to two weeks.
        help: the help that attempts allow; on a race's deal, the race's help applies.
        target: whether players see the creator's result before playing.
        players: the ids of the invited players. If not empty, only they and the creator can play.
        circle: the id of the circle whose members can play, or null.
        attempt: the creator's attempt in a finished race, whose deal is reused; null for a new
            deal.
    """

    game: GameId
    limit: Annotated[int, Meta(ge=60, le=7200)]
    open_for: Annotated[int, Meta(ge=3_600, le=1_209_600)]
    key: Key
    variant: VariantId = "standard"
    help: Help = "none"
    target: bool = False
    players: Annotated[list[PlayerId], Meta(max_length=MAX_NAMED)] = field(default_factory=list)
    circle: Annotated[str, Meta(max_length=32)] | None = None
    attempt: Annotated[str, Meta(max_length=64)] | None = None
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CREATE


class ChallengeCommand(Command, frozen=True):
    """The base of commands on a challenge.

    Attributes:
        challenge: the challenge's id.
    """

    challenge: ChallengeId


class WatchChallenge(ChallengeCommand, tag=118, frozen=True):
    """Request a challenge, and subscribe the session to its changes in place of any other's.

    The cost increases with the number of players. Refused as `unknown_challenge` if it does not
    exist or is for a circle the player does not belong to, or as `too_fast`.
    """

    cost: ClassVar[float] = costs.READ


class UnwatchChallenge(Command, tag=119, frozen=True):
    """End the session's subscription to a challenge, if any."""

    cost: ClassVar[float] = costs.MOVE


class PlayChallenge(ChallengeCommand, tag=120, frozen=True):
    """Start the player's only attempt at a challenge, or resume it. Its clock starts immediately.

    Refused as `unknown_challenge`, `already_played`, `challenge_over`, `not_challenged` (the player
    is not in its audience), `challenge_full`, `address_full` or `overloaded`.
    """

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.OPEN


class ListChallenges(Command, tag=121, frozen=True):
    """Request the player's challenges: those created, received or played.

    Attributes:
        seen: whether to mark the list as viewed.
    """

    seen: bool = False
    cost: ClassVar[float] = costs.OPEN


class HideChallenge(ChallengeCommand, tag=122, frozen=True):
    """Remove a challenge from the player's list."""

    cost: ClassVar[float] = costs.READ


class GetChallengers(ChallengeCommand, tag=160, frozen=True):
    """Request another page of a challenge's table. There is no subscription to its changes.

    The cost increases with the number of players. Refused as `unknown_challenge` or `too_fast`.

    Attributes:
        first: the number of the first row, from 1.
        count: the number of rows.
    """

    first: Annotated[int, Meta(ge=1, le=1_000)]
    count: Annotated[int, Meta(ge=1, le=50)] = 50
    cost: ClassVar[float] = costs.READ


class BlockChallenger(Command, tag=161, frozen=True):
    """Block or unblock another player's challenges.

    Challenges of a blocked player are not added to this player's list and cause no notification,
    but their links still work. Refused as `unknown_player`.

    Attributes:
        player: the other player's id. At most 100 players can be blocked; beyond that, the earliest
            is unblocked.
        blocked: whether to block.
    """

    player: PlayerId
    blocked: bool
    cost: ClassVar[float] = costs.CHANGE


class ListBlocked(Command, tag=162, frozen=True):
    """Request the players whose challenges the player blocked."""

    cost: ClassVar[float] = costs.LOOK


class EmoteRun(ChallengeCommand, tag=123, frozen=True):
    """Send an emote for a run of a challenge, replacing the player's previous one.

    Refused as `unknown_challenge`, `not_played` before the player's own attempt is over, or
    `unknown_run`.

    Attributes:
        player: the id of the run's player.
        emote: its index in `EMOTES`, or null to remove the emote.
    """

    player: PlayerId
    emote: Annotated[int, Meta(ge=0, le=7)] | None
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CHANGE


class CloseChallenge(ChallengeCommand, tag=149, frozen=True):
    """Close a challenge early, so that no new attempts can start.

    It is over when the running attempts have ended. Repeating the command changes nothing. Refused
    as `unknown_challenge`, `not_creator` if another player created it, or `for_circle`: a circle's
    challenge stays open until its deadline.
    """

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.OPEN


class Rematch(ChallengeCommand, tag=124, frozen=True):
    """Create the rematch of a challenge: same terms, same players, new deal.

    The reply is the rematch. All players share one: if it exists, it is returned.

    Refused as `unknown_challenge`, `not_played` if the player has not played, `unknown_game` or
    `unknown_variant` if it is no longer offered, `not_in_circle`, `too_many_challenges`,
    `address_full` or `overloaded`.
    """

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CREATE


class Challenger(Struct, array_like=True, frozen=True):
    """A player of a challenge.

    Attributes:
        state: `named` (invited, not started), `playing`, `ended`, or `absent` (invited, but had not
            started at the close).
        result: null while hidden. The viewer sees results after their own attempt or the close, and
            the creator's result at any time if it is the target.
        rank: 1 for the best; equal results share a rank. Runs without a card home share the last
            rank, followed only by absent players. Null while results are hidden.
        attempt: the id of the run, for requesting its replay; null while results are hidden.
        emotes: pairs of a sender's id and an emote for the run; empty while results are hidden.
    """

    player: Player
    state: State
    result: Result | None = None
    rank: int | None = None
    attempt: str | None = None
    emotes: list[tuple[str, int]] = field(default_factory=list)


class Challenge(Event, tag=106, frozen=True):
    """A challenge as visible to the viewer.

    Attributes:
        version: the challenge's version, which only increases.
        limit: the time limit of an attempt in seconds.
        at: the time of its creation, in Unix milliseconds.
        closes: the latest possible close, in Unix milliseconds; after an early close by the
            creator, the actual one once it is over.
        over: whether it has closed: at its deadline, because all invited players have played, or by
            its creator.
        deal: the deal's id.
        commitment: the commitment to the deal's seed, in hexadecimal.
        seed: the deal's seed in hexadecimal; null until the challenge has closed.
        certificate: the proof about the deal, or null.
        audience: the players who can play it.
        may_play: whether the viewer can start or resume an attempt now.
        mine: the viewer's result so far; null before they start.
        attempt: the id of the viewer's attempt; null before they start.
        players: the top of the table, at most 15 rows: by rank if results are visible,
            otherwise in the order of joining. Results are hidden until the viewer has ended.
            `GetChallengers` returns further pages.
        opened: the number of other players who viewed it, up to 1,000; 0 unless the viewer is the
            creator.
        race: whether it uses the deal of a race.
        circle: the id of its circle, or null.
        rematch: the id of its rematch, or null.
        closing: whether its creator closed it early, so that no new attempts can start.
        size: the number of rows in the table.
        begun: the number of players who have started.
        ended: the number of players who have ended.
        own: the viewer's row, which can be on a later page, or null.
        target: the creator's result, if players see it before playing and it exists; else null.
    """

    challenge: str
    version: int
    creator: Player
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
    """A page of a challenge's table as visible to the viewer: the reply to `GetChallengers`.

    Attributes:
        version: the challenge's version.
        first: the number of the first row, from 1.
        players: the rows; fewer than requested at the end of the table.
    """

    challenge: str
    version: int
    first: int
    players: list[Challenger]


class ChallengeGone(Event, tag=131, frozen=True):
    """The viewer can no longer see the challenge, and the session's subscription has ended."""

    challenge: str


class Blocked(Event, tag=132, frozen=True):
    """The players whose challenges the player blocked, latest first.

    The reply to `ListBlocked` and `BlockChallenger`.
    """

    players: list[Player]


class ChallengeChange(Event, tag=107, frozen=True):
    """Changes to the subscribed challenge, as visible to the viewer.

    If the viewer's own attempt ends, or the challenge closes or stops accepting attempts, the whole
    `Challenge` is sent instead.

    Attributes:
        version: the challenge's version after the change.
        players: rows of the first page that are new there or changed apart from their ranks.
        ranks: the player ids of the first page in order, each with its rank or null; empty if
            neither changed.
        rematch: the id of the rematch, or null.
        size: as in `Challenge`; likewise `begun`, `ended` and `target`.
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
        state: `new` if the player can start it, `playing`, `ended`, `missed` if it closed or
            stopped accepting attempts before they started, or `made` if they created it and have
            not started.
        rank: the player's rank among the results so far; null before their attempt ends.
        ended: the number of players who have ended.
        players: the number of players who have started or are invited.
        news: whether something changed since the player last viewed the list: an invitation, a
            result, the close or a rematch.
    """

    challenge: str
    creator: Player
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
    """The player's challenges, latest first, at most 50, with an indication of news.

    The reply to `ListChallenges`, and sent to a player's sessions when they are invited to a
    challenge.
    """

    challenges: list[ChallengeRow]
