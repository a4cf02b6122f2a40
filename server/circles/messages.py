"""Circles: lasting groups of players, with a table, a feed and a league of their own.

Only members learn anything of a circle. Whoever is none is refused as `unknown_circle` by every
command on one, whether there is such a circle or not.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct, field

from server.base.wire import costs
from server.base.wire.messages import Command, Event, GameId, Player, PlayerName, Result
from server.play.core.result import Help

CircleId = Annotated[str, Meta(max_length=32)]

CircleLink = Annotated[str, Meta(max_length=64)]
"""The secret that lets whoever has it join a circle: 32 characters, the end of its link."""

PlayerId = Annotated[str, Meta(max_length=32)]

MAX_SEASON_WEEKS = 26
"""The most weeks of a season."""

SeasonWeeks = Annotated[int, Meta(ge=1, le=MAX_SEASON_WEEKS)]

MAX_LEAGUE_GAMES = 32
"""The most games that take turns in a league."""

MAX_DROPPED = 30
"""The most results of a league that a member may drop."""

TableSpan = Literal["day", "week", "season", "all"]
"""The time that a circle's table is about."""

Every = Literal["day", "week"]
"""How often a league makes a challenge."""

WebhookForm = Literal["discord", "slack", "json"]
"""For whom a webhook's posts are written."""


class CreateCircle(Command, tag=127, frozen=True):
    """Found a circle, of which the player is the owner and first member.

    Refused as `bad_name`, `name_reserved`, `name_offensive`, `too_many_circles`, `key_used` or
    `overloaded`.

    Attributes:
        name: the circle's; the rules of players' names hold.
        key: random, chosen by the client: a player's commands with the same key found one circle.
    """

    name: PlayerName
    key: Annotated[str, Meta(min_length=8, max_length=64)]
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CREATE


class ShowInvitation(Command, tag=128, frozen=True):
    """Ask what circle a link leads to, before one joins it; refused as `unknown_circle`."""

    link: CircleLink
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.READ


class JoinCircle(Command, tag=129, frozen=True):
    """Join a circle by its link; a member stays one. It subscribes to nothing.

    Refused as `unknown_circle` if the link is void, `circle_full`, `too_many_circles` if the player
    is in as many as one may be, or `address_full`.
    """

    link: CircleLink
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.OPEN


class ListCircles(Command, tag=130, frozen=True):
    """Ask for the circles that the player is a member of."""

    cost: ClassVar[float] = costs.READ


class UnwatchCircle(Command, tag=132, frozen=True):
    """End the session's subscription to a circle, if there is one."""

    cost: ClassVar[float] = costs.MOVE


class CircleCommand(Command, frozen=True):
    """The base of commands on a circle of which the player is a member.

    Whoever is none is refused as `unknown_circle`, whether there is such a circle or not.

    Attributes:
        circle: its id.
    """

    circle: CircleId
    for_bots: ClassVar[bool] = False


class WatchCircle(CircleCommand, tag=131, frozen=True):
    """Ask for a circle, and subscribe the session to its changes and to no other one's."""

    cost: ClassVar[float] = costs.READ


class GetCircleTable(CircleCommand, tag=133, frozen=True):
    """Ask for a table of a circle. It is not sent again when it changes.

    Refused as `unknown_day`, if the period has not begun, or there is no such season.

    Attributes:
        span: what it is about: a day, a week, a season, or all time.
        period: the number of the UTC day, counted from 1970-01-01, of the week, of which number 1
            began on 1970-01-05, or of the season; null for the current one, or the last season if
            none is running.
    """

    span: TableSpan
    period: Annotated[int, Meta(ge=0, le=10**6)] | None = None
    cost: ClassVar[float] = costs.READ


class GetHeadToHead(CircleCommand, tag=134, frozen=True):
    """Ask how often each of two members was better on the same deal; refused as `not_member`.

    Attributes:
        one: the id of a member.
        other: that of another member.
    """

    one: PlayerId
    other: PlayerId
    cost: ClassVar[float] = costs.CHANGE


class GetCircleFeed(CircleCommand, tag=135, frozen=True):
    """Ask what has happened in a circle in the last seven days."""

    cost: ClassVar[float] = costs.READ


class EmoteItem(CircleCommand, tag=136, frozen=True):
    """Send an emote for an item of the feed, in place of the one that the player sent before.

    Refused as `unknown_item` if there is no such item, or not any more.

    Attributes:
        item: the item's id.
        emote: its index in `EMOTES`, or null to take it back.
    """

    item: Annotated[str, Meta(max_length=64)]
    emote: Annotated[int, Meta(ge=0, le=7)] | None
    cost: ClassVar[float] = costs.SEARCH


class LeaveCircle(CircleCommand, tag=137, frozen=True):
    """Leave a circle. If its owner leaves, the member who joined first becomes the owner.

    A circle that everybody has left is deleted.
    """

    cost: ClassVar[float] = costs.CHANGE


class MuteCircle(CircleCommand, tag=138, frozen=True):
    """Say whether the player wants to be notified of what happens in a circle."""

    muted: bool
    cost: ClassVar[float] = costs.CHANGE


class OwnerCommand(CircleCommand, frozen=True):
    """The base of commands that only the owner of a circle may send.

    Refused as `unknown_circle` or `not_owner`.
    """


class RemoveFromCircle(OwnerCommand, tag=139, frozen=True):
    """Take a member out of a circle, and renew its link, which the member knows.

    Nothing changes if the player is no member, or the owner. Refused as `not_owner`.

    Attributes:
        player: the member's id.
    """

    player: PlayerId
    cost: ClassVar[float] = costs.CHANGE


class HandOverCircle(OwnerCommand, tag=140, frozen=True):
    """Make another member the owner; refused as `not_owner` or `not_member`.

    Attributes:
        player: the member's id.
    """

    player: PlayerId
    cost: ClassVar[float] = costs.CHANGE


class RenameCircle(OwnerCommand, tag=141, frozen=True):
    """Give a circle another name.

    Refused as `not_owner`, `bad_name`, `name_reserved` or `name_offensive`.
    """

    name: PlayerName
    cost: ClassVar[float] = costs.CHANGE


class RenewCircleLink(OwnerCommand, tag=142, frozen=True):
    """Renew the link by which a circle is joined: the one before it is void.

    Refused as `not_owner`.
    """

    cost: ClassVar[float] = costs.CHANGE


class SetCircleSeason(OwnerCommand, tag=143, frozen=True):
    """Set how long the seasons of a circle are, one after the other, each from a Monday on.

    The first one begins with the current week. The one that is running ends no earlier than with
    the current week, and with it if there are to be no more; with them ends the league. Refused as
    `not_owner`.

    Attributes:
        weeks: how many weeks a season has, or null for no more seasons.
    """

    weeks: SeasonWeeks | None
    cost: ClassVar[float] = costs.CHANGE


class LeagueTerms(Struct, array_like=True, frozen=True):
    """The terms of a league.

    Attributes:
        every: how often there is a challenge, which is open for as long.
        games: those that take turns.
        limit: seconds for an attempt, 60 to 7,200.
        drop: how many of the worst results of a season do not count for each member; who has not
            played has a result of 0 points.
        help: the help that the members may ask for.
    """

    every: Every
    games: Annotated[list[GameId], Meta(min_length=1, max_length=MAX_LEAGUE_GAMES)]
    limit: Annotated[int, Meta(ge=60, le=7200)]
    drop: Annotated[int, Meta(ge=0, le=MAX_DROPPED)] = 0
    help: Help = "none"


class SetCircleLeague(OwnerCommand, tag=144, frozen=True):
    """Let a circle make a challenge for its members each day or week, or no more.

    The first one is made with the next day or week. Refused as `not_owner`, as `no_season` if none
    is running, or as `unknown_game`.

    Attributes:
        league: what it is played by, or null for no more challenges.
    """

    league: LeagueTerms | None
    cost: ClassVar[float] = costs.CHANGE


class SetCircleWebhook(OwnerCommand, tag=150, frozen=True):
    """Have the day's table and new challenges posted to an address, or no more.

    Refused as `not_owner`, as `no_webhooks` if the server sends none, or as `bad_webhook` if the
    address is none that it would send to. No message shows the address again. A test is posted
    there, once a minute; how its server answers is in `Circle` then. Of one that answers 404 or
    410, nothing is left but that.

    Attributes:
        url: the address, which begins with `https://`; null for no more posts.
        form: for whom the posts are written.
    """

    url: Annotated[str, Meta(max_length=500)] | None
    form: WebhookForm = "json"
    cost: ClassVar[float] = costs.OPEN


class DeleteCircle(OwnerCommand, tag=151, frozen=True):
    """Delete a circle with all that is stored of it; refused as `not_owner`."""

    cost: ClassVar[float] = costs.CHANGE


class CircleMember(Struct, array_like=True, frozen=True):
    """A member of a circle.

    Attributes:
        since: when the player joined, in Unix milliseconds.
    """

    player: Player
    since: int


class CircleSeason(Struct, array_like=True, frozen=True):
    """A season of a circle.

    Attributes:
        number: 1 for the circle's first one.
        first: its first day, a Monday, as the number of the UTC day, counted from 1970-01-01.
        weeks: how many weeks it has.
    """

    number: int
    first: int
    weeks: int


class LeagueRound(Struct, array_like=True, frozen=True):
    """A challenge of a league.

    Attributes:
        number: 1 for the first one of the season.
        challenge: its id.
        at: when it was made, in Unix milliseconds.
        closes: when it closes, in Unix milliseconds.
    """

    number: int
    challenge: str
    game: str
    at: int
    closes: int


class CircleChallenge(Struct, array_like=True, frozen=True):
    """A challenge that a member has made for the circle.

    Attributes:
        player: the id of who made it, who may be no member any more.
        at: when it was made, in Unix milliseconds.
        closes: when it closes, in Unix milliseconds.
    """

    challenge: str
    player: str
    game: str
    at: int
    closes: int


class WebhookAnswer(Struct, array_like=True, frozen=True):
    """How a server has answered a post.

    Attributes:
        code: the status of its answer, as `204`; or why there was none: `address`, `name`, `url`,
            `connection`, `tls`, `time` or `answer`.
        since: since when it answers so, in Unix milliseconds.
    """

    code: str
    since: int


class Circle(Event, tag=109, frozen=True):
    """A circle: answers commands on it, and is sent to its subscribers at every change.

    What its tables and its feed follow from may change without it.

    Attributes:
        version: of the circle; it only grows.
        owner: the id of the member who owns it.
        link: the secret with which others join it; all members may pass it on.
        founded: when it was founded, in Unix milliseconds.
        members: in the order in which they joined.
        season: the one that is running, or null.
        season_weeks: how many weeks the seasons after it have; null if there are to be none.
        seasons: those that have ended, the latest first.
        league: what the league is played by; null if there is none.
        rounds: the league's challenges in the season that is running, in their order.
        webhook: for whom the posts are written that are sent somewhere; null if none are.
        challenges: those that members have made for it, the latest first: at most 50 that are open
            or have closed in the last seven days.
        answer: how the server has answered that posts go to, or last went to; null if it has not
            yet.
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
    """A circle that the player is a member of.

    Attributes:
        owned: whether the player is the owner.
        members: how many there are.
        since: when the player joined, in Unix milliseconds.
        muted: whether the player wants no notifications of it.
        season: the number of the season that is running, or null.
    """

    circle: str
    name: str
    owned: bool
    members: int
    since: int
    muted: bool
    season: int | None = None


class Circles(Event, tag=110, frozen=True):
    """The circles that the player is a member of, at most 20, in the order of joining.

    Attributes:
        unreadable: the ids of further ones that the server cannot read at the moment.
    """

    circles: list[CircleSummary]
    unreadable: list[str] = field(default_factory=list)


class CircleDaily(Struct, array_like=True, frozen=True):
    """A member's result of a daily.

    Attributes:
        points: what it counts for in tables.
    """

    game: str
    result: Result
    points: int


class LeagueResult(Struct, array_like=True, frozen=True):
    """A member's result of a challenge of the league that has closed.

    Attributes:
        number: the challenge's in the season.
        points: as those of a daily; 0 for who has not played.
        dropped: whether it does not count.
    """

    number: int
    points: int
    dropped: bool


class CircleRow(Struct, array_like=True, frozen=True):
    """A row of a circle's table.

    Attributes:
        rank: 1 for the best; equal rows share one.
        points: the sum of the points of dailies, and of `league`; 0 in a table of all time.
        played: how many dailies were played.
        won: how many of them were won.
        crowns: on how many days all dailies of the day were played.
        races: how many races were won by who has kept an identity; 0 but in a table of all time.
        league: the points of the league's challenges that count; 0 but in a table of a season.
        dailies: the results; empty but in a table of a day.
        results: those of the league's challenges; empty but in a table of a season.
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
    """The best run of a game by a member of a circle, without help.

    Attributes:
        left: cards that are not on the foundations.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        day: the number of the UTC day if it was a daily's; null if it was a race's.
    """

    game: str
    player: Player
    left: int
    time: int
    moves: int
    day: int | None


class CircleTable(Event, tag=111, frozen=True):
    """A table of a circle, the best first.

    It has all members, also those who have not played, but that of a season which has ended has
    those who were members then. One of all time is in the order of dailies won, then of dailies
    played; others are in the order of points.

    Attributes:
        period: as in `GetCircleTable`; 0 for all time.
        first: the first UTC day that it is about, like `last`, the last one; both 0 for all time.
        records: the circle's records, by game; empty but in a table of all time.
        games: the ids of the day's dailies, in the order in which games are offered; empty but in a
            table of a day.
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
    """How often each of two was better on the same deal of a game.

    Attributes:
        form: what the deals were of.
        won: deals on which `one` was better than `other`.
        lost: deals on which `other` was.
        drawn: deals on which they were equal, or neither brought a card home.
    """

    game: str
    form: Literal["daily", "race", "challenge"]
    won: int
    lost: int
    drawn: int


class HeadToHead(Event, tag=112, frozen=True):
    """Two members, by the deals that both have played.

    Those are all dailies, the challenges that have closed, and at least the last 200 races of each.

    Attributes:
        duels: those of games and forms that both have played.
    """

    circle: str
    one: Player
    other: Player
    duels: list[Duel]


class FeedItem(Struct, array_like=True, frozen=True):
    """Something that has happened in a circle.

    Attributes:
        item: its id, which stays the same.
        about: `joined`: the player joined; `dailies`: the player has played dailies of a day;
            `record`: the player has the circle's best run of a game since then; `season`: a season
            has ended, and the player won it; `challenge`: one for the circle has closed, and the
            player won it.
        at: when, in Unix milliseconds; of `dailies` and `record`, the beginning of the day.
        player: who; null if nobody has won.
        game: of `record` and `challenge`, else null.
        day: the UTC day of `dailies` and `record`, else null.
        points: of `dailies` and `season`, else 0.
        played: how many dailies; else 0.
        crown: whether these were all dailies of the day.
        number: of the season, else 0.
        challenge: the challenge's id, or null.
        emotes: those for it: pairs of a player's id and the emote.
    """

    item: str
    about: Literal["joined", "dailies", "record", "season", "challenge"]
    at: int
    player: Player | None
    game: str | None = None
    day: int | None = None
    points: int = 0
    played: int = 0
    crown: bool = False
    number: int = 0
    challenge: str | None = None
    emotes: list[tuple[str, int]] = field(default_factory=list)


class CircleFeed(Event, tag=113, frozen=True):
    """The last seven days of a circle, the latest first: at most 50 items."""

    circle: str
    items: list[FeedItem]


class Invitation(Event, tag=117, frozen=True):
    """The circle that a link leads to.

    Attributes:
        circle: its id if the player is a member, else null.
        members: how many there are.
        full: whether nobody can join it.
    """

    link: str
    circle: str | None
    name: str
    owner: Player
    members: int
    full: bool


class CircleGone(Event, tag=118, frozen=True):
    """The player is no member of a circle any more, to which the session was subscribed.

    Attributes:
        deleted: whether there is no such circle any more.
    """

    circle: str
    deleted: bool
