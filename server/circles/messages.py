"""Messages about circles: lasting groups of players with their own table, feed and league.

Only members can see a circle. For other players, every command on a circle is refused as
`unknown_circle`, whether or not the circle exists.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct, field

from server.base.core import costs
from server.base.wire.messages import Command, Event, GameId, Player, PlayerName, Result
from server.play.core.result import Help

CircleId = Annotated[str, Meta(max_length=32)]

CircleLink = Annotated[str, Meta(max_length=64)]
"""The secret part of an invitation link: 32 characters. Its holder can join the circle."""

PlayerId = Annotated[str, Meta(max_length=32)]

MAX_SEASON_WEEKS = 26
"""The most weeks of a season."""

SeasonWeeks = Annotated[int, Meta(ge=1, le=MAX_SEASON_WEEKS)]

MAX_LEAGUE_GAMES = 32
"""The most games that take turns in a league."""

MAX_DROPPED = 30
"""The most results of a league that can be dropped for a member."""

TableSpan = Literal["day", "week", "season", "all"]
"""The period covered by a circle's table."""

Every = Literal["day", "week"]
"""The interval between a league's challenges."""

WebhookForm = Literal["discord", "slack", "json"]
"""The format of a webhook's posts."""


class CreateCircle(Command, tag=127, frozen=True):
    """Found a circle. The player becomes its owner and first member.

    Refused as `bad_name`, `name_reserved`, `name_offensive`, `too_many_circles`, `key_used` or
    `overloaded`.

    Attributes:
        name: the circle's name; the rules for players' names apply.
        key: an idempotency key: random, chosen by the client, and repeated in a retry.
    """

    name: PlayerName
    key: Annotated[str, Meta(min_length=8, max_length=64)]
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CREATE


class ShowInvitation(Command, tag=128, frozen=True):
    """Request the circle behind a link, before joining; refused as `unknown_circle`."""

    link: CircleLink
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.READ


class JoinCircle(Command, tag=129, frozen=True):
    """Join a circle by its link. Joining again changes nothing.

    This does not subscribe the session. Refused as `unknown_circle` if the link is invalid,
    `circle_full`, `too_many_circles` if the player is in the maximum number of circles, or
    `address_full`.
    """

    link: CircleLink
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.OPEN


class ListCircles(Command, tag=130, frozen=True):
    """Request the player's circles."""

    cost: ClassVar[float] = costs.READ


class UnwatchCircle(Command, tag=132, frozen=True):
    """End the session's subscription to a circle, if any."""

    cost: ClassVar[float] = costs.MOVE


class CircleCommand(Command, frozen=True):
    """The base of commands on a circle by its members.

    Refused as `unknown_circle` for other players, whether or not the circle exists.

    Attributes:
        circle: the circle's id.
    """

    circle: CircleId
    for_bots: ClassVar[bool] = False


class WatchCircle(CircleCommand, tag=131, frozen=True):
    """Request a circle, and subscribe the session to its changes in place of any other circle's."""

    cost: ClassVar[float] = costs.READ


class GetCircleTable(CircleCommand, tag=133, frozen=True):
    """Request a table of a circle. There is no subscription to its changes.

    Refused as `unknown_day` if the period is in the future, or there is no such season.

    Attributes:
        span: the period covered: a day, a week, a season, or all time.
        period: the number of the UTC day (counted from 1970-01-01), of the week (number 1 started
            on 1970-01-05) or of the season; null for the current period, or the last season if none
            is running.
    """

    span: TableSpan
    period: Annotated[int, Meta(ge=0, le=10**6)] | None = None
    cost: ClassVar[float] = costs.READ


class GetHeadToHead(CircleCommand, tag=134, frozen=True):
    """Request the head-to-head results of two members; refused as `not_member`.

    Attributes:
        one: the id of a member.
        other: the id of another member.
    """

    one: PlayerId
    other: PlayerId
    cost: ClassVar[float] = costs.CHANGE


class GetCircleFeed(CircleCommand, tag=135, frozen=True):
    """Request a circle's events of the last seven days."""

    cost: ClassVar[float] = costs.READ


class EmoteItem(CircleCommand, tag=136, frozen=True):
    """Send an emote for a feed item, replacing the player's previous one.

    Refused as `unknown_item` if the item does not exist, or no longer exists.

    Attributes:
        item: the item's id.
        emote: its index in `EMOTES`, or null to remove the emote.
    """

    item: Annotated[str, Meta(max_length=64)]
    emote: Annotated[int, Meta(ge=0, le=7)] | None
    cost: ClassVar[float] = costs.SEARCH


class LeaveCircle(CircleCommand, tag=137, frozen=True):
    """Leave a circle. If the owner leaves, the longest-standing member becomes the owner.

    When the last member leaves, the circle is deleted.
    """

    cost: ClassVar[float] = costs.CHANGE


class MuteCircle(CircleCommand, tag=138, frozen=True):
    """Mute or unmute notifications about a circle for the player."""

    muted: bool
    cost: ClassVar[float] = costs.CHANGE


class OwnerCommand(CircleCommand, frozen=True):
    """The base of commands reserved for a circle's owner.

    Refused as `unknown_circle` or `not_owner`.
    """


class RemoveFromCircle(OwnerCommand, tag=139, frozen=True):
    """Remove a member from a circle, and renew its link, which the member knows.

    Removing a non-member or the owner changes nothing. Refused as `not_owner`.

    Attributes:
        player: the member's id.
    """

    player: PlayerId
    cost: ClassVar[float] = costs.CHANGE


class HandOverCircle(OwnerCommand, tag=140, frozen=True):
    """Transfer ownership to another member; refused as `not_owner` or `not_member`.

    Attributes:
        player: the new owner's id.
    """

    player: PlayerId
    cost: ClassVar[float] = costs.CHANGE


class RenameCircle(OwnerCommand, tag=141, frozen=True):
    """Rename a circle.

    Refused as `not_owner`, `bad_name`, `name_reserved` or `name_offensive`.
    """

    name: PlayerName
    cost: ClassVar[float] = costs.CHANGE


class RenewCircleLink(OwnerCommand, tag=142, frozen=True):
    """Renew a circle's invitation link and invalidate the previous one.

    Refused as `not_owner`.
    """

    cost: ClassVar[float] = costs.CHANGE


class SetCircleSeason(OwnerCommand, tag=143, frozen=True):
    """Set the length of a circle's seasons, which follow each other, each starting on a Monday.

    The first season starts with the current week. A running season takes the new length, but ends
    with the current week at the earliest. Null ends it, and the league, with the current week.
    Refused as `not_owner`.

    Attributes:
        weeks: the number of weeks in a season, or null for no more seasons.
    """

    weeks: SeasonWeeks | None
    cost: ClassVar[float] = costs.CHANGE


class LeagueTerms(Struct, array_like=True, frozen=True):
    """The terms of a league.

    Attributes:
        every: the interval between challenges; each is open for one interval.
        games: the ids of the games, which rotate.
        limit: the time limit of an attempt in seconds, 60 to 7,200.
        drop: the number of each member's worst results in a season that do not count. A challenge
            not played counts as a result of 0 points.
        help: the help that attempts allow.
    """

    every: Every
    games: Annotated[list[GameId], Meta(min_length=1, max_length=MAX_LEAGUE_GAMES)]
    limit: Annotated[int, Meta(ge=60, le=7200)]
    drop: Annotated[int, Meta(ge=0, le=MAX_DROPPED)] = 0
    help: Help = "none"


class SetCircleLeague(OwnerCommand, tag=144, frozen=True):
    """Set or end a circle's league, which makes a challenge for the members each day or week.

    The first challenge is made at the start of the next day or week. Refused as `not_owner`, as
    `no_season` if no season is running, or as `unknown_game`.

    Attributes:
        league: the terms, or null to end the league.
    """

    league: LeagueTerms | None
    cost: ClassVar[float] = costs.CHANGE


class SetCircleWebhook(OwnerCommand, tag=150, frozen=True):
    """Set or remove a circle's webhook, which receives each day's table and new challenges.

    Refused as `not_owner`, as `no_webhooks` if the server does not send webhooks, or as
    `bad_webhook` if it does not send to such a URL. No message reveals the URL. Setting a webhook
    sends a test post, at most once a minute; its outcome appears in `Circle`. A response of 404 or
    410 removes the webhook, and only the outcome remains.

    Attributes:
        url: a URL that starts with `https://`, or null to remove the webhook.
        form: the format of the posts.
    """

    url: Annotated[str, Meta(max_length=500)] | None
    form: WebhookForm = "json"
    cost: ClassVar[float] = costs.OPEN


class DeleteCircle(OwnerCommand, tag=151, frozen=True):
    """Delete a circle and all its stored data; refused as `not_owner`."""

    cost: ClassVar[float] = costs.CHANGE


class CircleMember(Struct, array_like=True, frozen=True):
    """A member of a circle.

    Attributes:
        since: the time the player joined, in Unix milliseconds.
    """

    player: Player
    since: int


class CircleSeason(Struct, array_like=True, frozen=True):
    """A season of a circle.

    Attributes:
        number: 1 for the circle's first season.
        first: the first day, a Monday, as the number of the UTC day counted from 1970-01-01.
        weeks: the number of weeks.
    """

    number: int
    first: int
    weeks: int


class LeagueRound(Struct, array_like=True, frozen=True):
    """A challenge of a league.

    Attributes:
        number: 1 for the first challenge of the season.
        challenge: the challenge's id.
        at: the time it was made, in Unix milliseconds.
        closes: the time it closes, in Unix milliseconds.
    """

    number: int
    challenge: str
    game: str
    at: int
    closes: int


class CircleChallenge(Struct, array_like=True, frozen=True):
    """A challenge that a member created for the circle.

    Attributes:
        player: the creator's id; the creator can be a former member.
        at: the time it was made, in Unix milliseconds.
        closes: the time it closes, in Unix milliseconds.
    """

    challenge: str
    player: str
    game: str
    at: int
    closes: int


class WebhookAnswer(Struct, array_like=True, frozen=True):
    """The outcome of posting to a webhook.

    Attributes:
        code: the HTTP status, such as `204`, or the kind of failure: `address`, `name`, `url`,
            `connection`, `tls`, `time` or `answer`.
        since: the time of the first post with this outcome, in Unix milliseconds.
    """

    code: str
    since: int


class Circle(Event, tag=109, frozen=True):
    """A circle: the reply to commands on it, and sent to its subscribers after every change.

    Its tables and feed can change without it.

    Attributes:
        version: the circle's version, which only increases.
        owner: the owner's id.
        link: the secret part of the invitation link; any member can share it.
        founded: the time of its foundation, in Unix milliseconds.
        members: in the order of joining.
        season: the running season, or null.
        season_weeks: the number of weeks in later seasons; null if there are no more seasons.
        seasons: past seasons, latest first.
        league: the league's terms; null if there is no league.
        rounds: the league's challenges in the running season, in order.
        webhook: the format of the posts; null if there is no webhook.
        challenges: members' challenges, latest first: at most 50 that are open or closed in the
            last seven days.
        answer: the last outcome at the webhook, even if it removed the webhook; null before the
            first post.
    """

    circle: str
    version: int
    name: str
    owner: str
    link: str
    founded: int
    members: list[CircleMember]
    season: CircleSeason | None
    season_weeks: int | None
    seasons: list[CircleSeason]
    league: LeagueTerms | None
    rounds: list[LeagueRound]
    webhook: WebhookForm | None
    challenges: list[CircleChallenge] = field(default_factory=list)
    answer: WebhookAnswer | None = None


class CircleSummary(Struct, array_like=True, frozen=True):
    """A circle in the player's list.

    Attributes:
        owned: whether the player is the owner.
        members: the number of members.
        since: the time the player joined, in Unix milliseconds.
        muted: whether the player muted its notifications.
        season: the number of the running season, or null.
    """

    circle: str
    name: str
    owned: bool
    members: int
    since: int
    muted: bool
    season: int | None = None


class Circles(Event, tag=110, frozen=True):
    """The player's circles, at most 20, in the order of joining.

    Attributes:
        unreadable: the ids of circles that the server cannot read at the moment.
    """

    circles: list[CircleSummary]
    unreadable: list[str] = field(default_factory=list)


class CircleDaily(Struct, array_like=True, frozen=True):
    """A member's result of a daily.

    Attributes:
        points: the points in tables.
    """

    game: str
    result: Result
    points: int


class LeagueResult(Struct, array_like=True, frozen=True):
    """A member's result in a closed league challenge.

    Attributes:
        number: the challenge's number in the season.
        points: as for a daily; 0 if the member has not played.
        dropped: whether the result does not count.
    """

    number: int
    points: int
    dropped: bool


class CircleRow(Struct, array_like=True, frozen=True):
    """A row of a circle's table.

    Attributes:
        rank: 1 for the best; equal rows share a rank.
        points: the points of dailies and `league` together; 0 in an all-time table.
        played: the number of dailies played.
        won: the number of dailies won.
        crowns: the number of crowns that the member earned.
        races: the number of races won with a kept identity; 0 except in an all-time table.
        league: the points of the league results that count; 0 except in a season table.
        dailies: the results in dailies; empty except in a day's table.
        results: the results in the league; empty except in a season table.
    """

    player: Player
    rank: int
    points: int
    played: int
    won: int
    crowns: int
    races: int = 0
    league: int = 0
    dailies: list[CircleDaily] = field(default_factory=list)
    results: list[LeagueResult] = field(default_factory=list)


class CircleRecord(Struct, array_like=True, frozen=True):
    """The best run by a member of a circle, without help, by the rules of a game's dailies.

    Attributes:
        left: the number of cards not on the foundations.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: the number of moves.
        day: the number of the UTC day of a daily; null for a race.
    """

    game: str
    player: Player
    left: int
    time: int
    moves: int
    day: int | None


class CircleTable(Event, tag=111, frozen=True):
    """A table of a circle, best first.

    It includes members who have not played. A past season's table lists the members at its end. An
    all-time table is ordered by dailies won, then by dailies played; other tables by points.

    Attributes:
        period: as in `GetCircleTable`; 0 for all time.
        first: the first UTC day covered; 0 for all time.
        last: the last UTC day covered; 0 for all time.
        records: the circle's records, by game; empty except in an all-time table.
        games: the ids of the day's dailies, in menu order; empty except in a day's table.
    """

    circle: str
    span: TableSpan
    period: int
    first: int
    last: int
    rows: list[CircleRow]
    records: list[CircleRecord] = field(default_factory=list)
    games: list[str] = field(default_factory=list)


class Duel(Struct, array_like=True, frozen=True):
    """Head-to-head results on the same deals of a game.

    Attributes:
        form: the form of play.
        won: the number of deals where `one` did better.
        lost: the number of deals where `other` did better.
        drawn: the number of deals where both were equal, or neither brought a card home.
    """

    game: str
    form: Literal["daily", "race", "challenge"]
    won: int
    lost: int
    drawn: int


class HeadToHead(Event, tag=112, frozen=True):
    """The head-to-head results of two members on the deals that both have played.

    It covers all dailies, all closed challenges, and at least the last 200 races of each.

    Attributes:
        duels: the results by game and form.
    """

    circle: str
    one: Player
    other: Player
    duels: list[Duel]


class FeedItem(Struct, array_like=True, frozen=True):
    """A recent event in a circle.

    Attributes:
        item: a stable id.
        about: `joined`: the player joined; `dailies`: the player played dailies of a day; `record`:
            the player set the circle's best run of a game; `season`: a season ended, and the player
            won it; `challenge`: a challenge for the circle closed, and the player won it.
        at: the time in Unix milliseconds; for `dailies` and `record`, the start of the day.
        player: the player; null for a season or challenge without a winner.
        game: the game of a `record` or `challenge`, else null.
        day: the UTC day of `dailies` or a `record`, else null.
        points: the points of `dailies` or a `season`, else 0.
        played: the number of dailies played, else 0.
        crowns: the ids of the crowns that the player earned on the day, as in `DailyCrown`.
        number: the season's number, else 0.
        challenge: the challenge's id, or null.
        emotes: pairs of a player's id and an emote.
    """

    item: str
    about: Literal["joined", "dailies", "record", "season", "challenge"]
    at: int
    player: Player | None
    game: str | None = None
    day: int | None = None
    points: int = 0
    played: int = 0
    crowns: list[str] = field(default_factory=list)
    number: int = 0
    challenge: str | None = None
    emotes: list[tuple[str, int]] = field(default_factory=list)


class CircleFeed(Event, tag=113, frozen=True):
    """A circle's events of the last seven days, latest first: at most 50 items."""

    circle: str
    items: list[FeedItem]


class Invitation(Event, tag=117, frozen=True):
    """The circle behind a link.

    Attributes:
        circle: the circle's id if the player is a member, else null.
        members: the number of members.
        full: whether the circle has the maximum number of members.
    """

    link: str
    circle: str | None
    name: str
    owner: Player
    members: int
    full: bool


class CircleGone(Event, tag=118, frozen=True):
    """The player is no longer a member of the circle to which the session subscribed.

    Attributes:
        deleted: whether the circle was deleted.
    """

    circle: str
    deleted: bool
