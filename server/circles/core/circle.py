"""A circle: members, seasons and emotes, as a fold over its journal.

Times are Unix milliseconds of the server's clock. What members may do is in
`server.circles.core.commands`. Tables and feeds are in nobody's journal: they follow from the
histories of the members.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Final, TypeAlias

from msgspec import Struct, structs

from server.base.core.days import DAY
from server.base.core.ids import ChallengeId, CircleId, DealId, PlayerId
from server.circles.core import seasons
from server.circles.core.events import (
    ChallengeAdded,
    DayPosted,
    Deleted,
    Emoted,
    Event,
    Founded,
    HandedOver,
    Joined,
    League,
    LeaguePaid,
    LeagueSet,
    Left,
    LinkRenewed,
    Muted,
    Removed,
    Renamed,
    RoundMade,
    RoundSkipped,
    SeasonClosed,
    SeasonSet,
    Webhook,
    WebhookAnswered,
    WebhookSet,
)
from server.circles.core.seasons import Round, Season

MAX_MEMBERS: Final = 200
"""The most members: a table has a row for each, and is read from the history of each."""

MAX_SEASONS: Final = 26
"""The most seasons that have ended and are kept, the latest ones."""

MAX_ROUNDS: Final = 400
"""The most challenges of leagues in seasons that have ended; with more, the oldest are dropped."""

MAX_FORMER: Final = 200
"""The most players who have left and are kept for the tables of seasons that have ended."""

MAX_CHALLENGES: Final = 50
"""The most challenges of members that are kept, the latest ones."""

SHOWN_MS: Final = 7 * DAY
"""Milliseconds for which a challenge of a member is kept after its close."""

MAX_EMOTES: Final = 400
"""The most emotes that are kept; those for the item that got its first one longest ago go first."""


PAID_ROUNDS: Final = 5
"""Challenges that a league makes before somebody plays one of them, or else it ends: those that are
paid for ahead."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member, since when, and whether they want no notifications."""

    player: PlayerId
    since: int
    muted: bool = False


@dataclass(frozen=True, slots=True)
class Former:
    """A player who has left, and from when until when they were a member."""

    player: PlayerId
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge that a member has made for the circle: when, and when it closes."""

    challenge: ChallengeId
    player: PlayerId
    game: str
    deal: DealId
    at: int
    closes: int


@dataclass(frozen=True, slots=True)
class Answer:
    """How a webhook's server has answered, and since when: a status, or why there was no answer."""

    code: str
    at: int


@dataclass(frozen=True, slots=True)
class Circle:
    """The state of a circle after the last entry of its journal.

    All of it is bounded, since a checkpoint stores it: a new field needs a default that means what
    was meant without it.

    Attributes:
        id: its id.
        founded: when it was founded.
        name: its name.
        secret: the second half of the link by which others join.
        owner: the member who owns it.
        members: in the order in which they joined; none if it is deleted.
        version: the number of the last entry.
        at: the time of the last entry.
        used: that of the last entry of a member.
        begin: the number of the entry that the journal begins with.
        weeks: how many weeks the next season has; `None` for none.
        season: the season that is running, or whose results are not all there yet.
        rounds: the challenges of the league in that season, and after it.
        closed: the seasons that have ended, the latest first.
        former: who has left and was a member at the end of one of them, the latest to leave last.
        league: what the league is played by.
        next_round: when its next challenge is to be made.
        turn: how many challenges it has made, by which games take turns.
        paid: how many challenges of the league are paid for that are yet to be made.
        challenges: those that members have made lately, the latest last.
        webhook: where posts go.
        answer: what the latest post there, or where they went before, was answered with.
        posted: the last day that was posted, or that before the webhook was set.
        emotes: those for items of the feed, by player; the item with the oldest ones first.
    """

    id: CircleId
    founded: int
    name: str
    secret: str
    owner: PlayerId
    members: tuple[Member, ...]
    version: int
    at: int
    used: int
    begin: int = 1
    weeks: int | None = None
    season: Season | None = None
    rounds: tuple[Round, ...] = ()
    closed: tuple[Season, ...] = ()
    former: tuple[Former, ...] = ()
    league: League | None = None
    next_round: int = 0
    turn: int = 0
    challenges: tuple[Challenge, ...] = ()
    webhook: Webhook | None = None
    posted: int = 0
    emotes: dict[str, dict[PlayerId, int]] = field(default_factory=dict)
    answer: Answer | None = None
    paid: int = 0

    @property
    def deleted(self) -> bool:
        """Whether there is no such circle any more."""
        return not self.members

    @property
    def full(self) -> bool:
        """Whether nobody can join any more."""
        return len(self.members) >= MAX_MEMBERS

    @property
    def link(self) -> str:
        """The link by which others join: the id and the secret, of equal length."""
        return self.id + self.secret

    def member(self, player: PlayerId) -> Member | None:
        """Return a member, or `None` for a player who is none."""
        return next((each for each in self.members if each.player == player), None)

    @property
    def players(self) -> list[PlayerId]:
        """The ids of the members, in the order in which they joined."""
        return [each.player for each in self.members]

    def players_at(self, time: int) -> list[PlayerId]:
        """Return who was a member at a time, of those who are kept, in the order of joining."""
        were = [each.player for each in self.former if each.since < time <= each.until]
        are = [each.player for each in self.members if each.since < time]
        return list(dict.fromkeys([*were, *are]))

    def rounds_of(self, season: Season) -> tuple[Round, ...]:
        """Return the challenges of the league in a season."""
        if season is self.season:
            return tuple(each for each in self.rounds if each.at < season.ends)
        return season.rounds

    @property
    def delay(self) -> int:
        """Milliseconds after a day's begin or close at which the circle does by itself what is due.

        It follows from the id, so that circles do not do it all at once.
        """
        return seasons.delay_of(self.id)

    @property
    def round_due(self) -> int | None:
        """When the league is to make its next challenge; `None` if it makes no more."""
        if self.league is None or self.season is None:
            return None
        goes_on = self.weeks is not None or self.next_round < self.season.ends
        return self.next_round if goes_on else None

    @property
    def post_due(self) -> int | None:
        """When the next day's table is to be posted; `None` if none is."""
        return None if self.webhook is None else seasons.settled(self.posted + 1) + self.delay

    @property
    def due(self) -> int | None:
        """When something is to happen that nobody asks for; `None` if nothing is."""
        season = None if self.season is None else self.season.settled + self.delay
        times = [each for each in (season, self.round_due, self.post_due) if each is not None]
        return min(times, default=None)


class Checkpoint(Struct, tag="checkpoint", frozen=True):
    """The sum of all entries before it: the journal is kept from the last checkpoint on.

    Attributes:
        circle: the circle after the entry before it.
        at: the time of that entry.
    """

    circle: Circle
    at: int


Entry: TypeAlias = Event | Checkpoint
"""Entries in the journal of a circle."""


ByItself = SeasonClosed | RoundMade | RoundSkipped | DayPosted | WebhookAnswered
"""Entries that no member has brought about."""


def fold(circle: Circle | None, event: Entry) -> Circle:
    """Return the circle after one more entry of its journal; `None` is before the first."""
    if isinstance(event, Checkpoint):
        assert circle is None or circle.version == event.circle.version, "entries follow each other"
        number = event.circle.version + 1
        return replace(event.circle, version=number, begin=number)
    if isinstance(event, Founded):
        assert circle is None, "Founded is only the first entry"
        owner = Member(event.owner, event.at)
        return Circle(
            *(event.circle, event.at, event.name, event.secret, event.owner, (owner,)),
            version=1,
            at=event.at,
            used=event.at,
        )
    assert circle is not None, "the first entry is Founded or a checkpoint"
    used = circle.used if isinstance(event, ByItself) else event.at
    after = _folded(circle, event)
    return replace(after, version=circle.version + 1, at=event.at, used=used)


def _folded(circle: Circle, event: Event) -> Circle:  # noqa: PLR0912 - one for each event
    match event:
        case Joined(player=player, at=at):
            after = replace(circle, members=(*circle.members, Member(player, at)))
        case Left(player=player):
            after = _without(circle, player, event.at, erased=event.erased)
        case Removed(player=player, secret=secret):
            after = replace(_without(circle, player, event.at), secret=secret)
        case HandedOver(player=player):
            after = replace(circle, owner=player)
        case Renamed(name=name):
            after = replace(circle, name=name)
        case LinkRenewed(secret=secret):
            after = replace(circle, secret=secret)
        case Muted(player=player, muted=muted):
            members = tuple(
                replace(each, muted=muted) if each.player == player else each
                for each in circle.members
            )
            after = replace(circle, members=members)
        case SeasonSet(weeks=weeks, at=at):
            after = replace(circle, weeks=weeks, season=_season_after(circle, weeks, at))
        case SeasonClosed():
            after = _closed(circle)
        case LeagueSet(league=league, at=at):
            after = _with_league(circle, league, at)
        case RoundMade(challenge=challenge, at=at):
            made = Round(challenge, event.game, event.deal, at, event.closes)
            after = replace(_next_turn(circle, at), rounds=(*circle.rounds, made))
        case RoundSkipped(at=at):
            after = _next_turn(circle, at)
        case LeaguePaid():
            after = replace(circle, paid=PAID_ROUNDS)
        case ChallengeAdded(challenge=challenge, at=at):
            shown = [each for each in circle.challenges if each.closes >= at - SHOWN_MS]
            added = Challenge(challenge, event.player, event.game, event.deal, at, event.closes)
            after = replace(circle, challenges=(*shown, added)[-MAX_CHALLENGES:])
        case WebhookSet(webhook=webhook, at=at):
            posted = seasons.last_settled(at)
            after = replace(circle, webhook=webhook, posted=posted, answer=None)
        case WebhookAnswered(code=code, at=at):
            webhook = None if event.ends else circle.webhook
            after = replace(circle, webhook=webhook, answer=Answer(code, at))
        case DayPosted(day=day):
            after = replace(circle, posted=day)
        case Emoted():
            after = replace(circle, emotes=_emotes_after(circle.emotes, event))
        case Deleted():
            after = _gone(circle)
        case _:
            raise AssertionError(f"unknown event {event!r}")
    return after


def _next_turn(circle: Circle, at: int) -> Circle:
    """Return the circle when its league has had a turn, whose next one comes with the next day."""
    assert circle.league is not None, "it was its turn"
    following = seasons.next_start(circle.league.every, at, circle.delay)
    paid = max(0, circle.paid - 1)
    return replace(circle, next_round=following, turn=circle.turn + 1, paid=paid)


def _gone(circle: Circle) -> Circle:
    """Return what is left of a circle that is deleted."""
    rest = (circle.version, circle.at, circle.used, circle.begin)
    return Circle(circle.id, circle.founded, "", "", circle.owner, (), *rest)


def _without(circle: Circle, player: PlayerId, at: int, *, erased: bool = False) -> Circle:
    """Return the circle without a member; without the last one, it is deleted."""
    member = circle.member(player)
    members = tuple(each for each in circle.members if each.player != player)
    if not members:
        return _gone(circle)
    former = circle.former
    if member is not None:
        former = (*former, Former(player, member.since, at))
    if erased:
        former = tuple(each for each in former if each.player != player)
    emotes = {
        item: rest
        for item, by in circle.emotes.items()
        if (rest := {each: emote for each, emote in by.items() if each != player})
    }
    owner = members[0].player if circle.owner == player else circle.owner
    return _pruned(replace(circle, members=members, former=former, emotes=emotes, owner=owner))


def _pruned(circle: Circle) -> Circle:
    """Return the circle without those who have left and are in no table that is kept."""
    shown = [*circle.closed, *([circle.season] if circle.season else [])]
    since = min((each.ends for each in shown), default=None)
    kept = [each for each in circle.former if since is not None and each.until >= since]
    return replace(circle, former=tuple(kept[-MAX_FORMER:]))


def _season_after(circle: Circle, weeks: int | None, at: int) -> Season | None:
    """Return the season that is running when the length of seasons is set.

    One that is over, and waits for its last results, stays as it is. Another one ends with the
    current week at the earliest.
    """
    running, week = circle.season, seasons.week_at(at)
    if running is None:
        number = circle.closed[0].number + 1 if circle.closed else 1
        return None if weeks is None else Season(number, week, weeks, _drop(circle.league))
    if at >= running.ends:
        return running
    return structs.replace(running, weeks=max(weeks or 0, week - running.first + 1))


def _closed(circle: Circle) -> Circle:
    """Return the circle when its season has closed, and the next one has begun, if there is one."""
    season, weeks = circle.season, circle.weeks
    assert season is not None, "it was running"
    over = structs.replace(season, rounds=circle.rounds_of(season))
    rounds = tuple(each for each in circle.rounds if each.at >= season.ends)
    closed = _kept((over, *circle.closed))
    if weeks is None:
        after = replace(circle, season=None, closed=closed, rounds=(), league=None, paid=0)
    else:
        first = season.first + season.weeks
        following = Season(season.number + 1, first, weeks, _drop(circle.league))
        after = replace(circle, season=following, closed=closed, rounds=rounds)
    return _pruned(after)


def _kept(closed: tuple[Season, ...]) -> tuple[Season, ...]:
    """Return the seasons that are kept, of some that have ended, the latest first."""
    sizes = list(accumulate(len(each.rounds) for each in closed))
    return tuple(
        each for each, size in zip(closed[:MAX_SEASONS], sizes, strict=False) if size <= MAX_ROUNDS
    )


def _with_league(circle: Circle, league: League | None, at: int) -> Circle:
    """Return the circle with another league, whose first challenge comes when the last closes."""
    if league is None or circle.season is None:
        return replace(circle, league=None, paid=0)
    last = max((each.closes for each in circle.rounds), default=0)
    following = seasons.next_start(league.every, max(at, last - 1), circle.delay)
    season = circle.season
    if at < season.ends:
        season = structs.replace(season, drop=league.drop)
    return replace(circle, league=league, season=season, next_round=following, paid=PAID_ROUNDS)


def _drop(league: League | None) -> int:
    return league.drop if league is not None else 0


def _emotes_after(
    emotes: dict[str, dict[PlayerId, int]], event: Emoted
) -> dict[str, dict[PlayerId, int]]:
    """Return the emotes with one more, or without it; the oldest go if there are too many."""
    own = dict(emotes.get(event.item, {}))
    own.pop(event.player, None)
    if event.emote is not None:
        own[event.player] = event.emote
    after = {**emotes, event.item: own}
    if not own:
        del after[event.item]
    while sum(map(len, after.values())) > MAX_EMOTES:
        del after[next(iter(after))]
    return after
