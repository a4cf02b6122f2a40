"""A circle as a fold over its journal: members, seasons and emotes.

Times are Unix milliseconds of the server's clock. No journal stores tables or feeds: both are
computed from the members' histories.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Final, TypeAlias

from msgspec import Struct, structs

from server.base.core.days import DAY
from server.base.core.ids import ChallengeId, DealId, PlayerId
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
from server.circles.core.ids import CircleId
from server.circles.core.seasons import Round, Season

# The most members. A table has a row for each member and reads each member's history.
MAX_MEMBERS: Final = 200

MAX_SEASONS: Final = 26  # the most past seasons kept; older ones are dropped

# The most league challenges kept for past seasons; the oldest seasons beyond it are dropped.
MAX_ROUNDS: Final = 400

MAX_FORMER: Final = 200  # the most former members kept for the tables of past seasons
MAX_CHALLENGES: Final = 50  # the most members' challenges kept; older ones are dropped
SHOWN_MS: Final = 7 * DAY  # milliseconds a member's challenge is kept after its close

# The most emotes kept. Beyond it, the item whose first emote is oldest loses its emotes.
MAX_EMOTES: Final = 400

# Challenges a league makes on prepaid credit. The league ends if none of them is played.
PAID_ROUNDS: Final = 5


@dataclass(frozen=True, slots=True)
class Member:
    """A member, the time they joined, and whether they muted notifications."""

    player: PlayerId
    since: int
    muted: bool = False


@dataclass(frozen=True, slots=True)
class FormerMember:
    """A former member and the times they joined and left."""

    player: PlayerId
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge that a member created for the circle."""

    challenge: ChallengeId
    player: PlayerId
    game: str
    deal: DealId
    at: int
    closes: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The last outcome of posting to a webhook: a status or an error, and since when."""

    code: str
    at: int


@dataclass(frozen=True, slots=True)
class Circle:
    """The state of a circle after the last entry of its journal.

    Checkpoints store this state, so every field is bounded. A new field needs a default that
    preserves the meaning of older checkpoints.
    """

    id: CircleId
    founded: int
    name: str
    secret: str  # the second half of the invitation link
    owner: PlayerId
    members: tuple[Member, ...]  # in the order of joining; empty once the circle is deleted
    version: int
    at: int  # the time of the last entry
    used: int  # the time of the last entry caused by a member
    begin: int = 1  # the number of the journal's first entry
    weeks: int | None = None  # the length of the next season; `None` if there is no next season
    season: Season | None = None  # the current season, or the last one until it is settled
    rounds: tuple[Round, ...] = ()  # the league's challenges in and after the current season
    closed: tuple[Season, ...] = ()  # past seasons, latest first
    # Members who left after the end of a kept season, in the order of leaving.
    former: tuple[FormerMember, ...] = ()
    league: League | None = None
    next_round: int = 0  # when the league's next challenge is due
    turn: int = 0  # the number of challenges the league has made; selects the next game
    challenges: tuple[Challenge, ...] = ()  # members' recent challenges, latest last
    webhook: Webhook | None = None  # the destination of posts
    posted: int = 0  # the last day posted; initially the last settled day when the webhook was set
    # Emotes for feed items by item and player, oldest item first.
    emotes: dict[str, dict[PlayerId, int]] = field(default_factory=dict)
    # The last outcome at the webhook, which stays after a permanent failure removes the webhook.
    answer: Answer | None = None
    paid: int = 0  # the number of prepaid challenges that the league has yet to make

    @property
    def deleted(self) -> bool:
        """Whether the circle is deleted."""
        return not self.members

    @property
    def full(self) -> bool:
        """Whether the circle has as many members as it can have."""
        return len(self.members) >= MAX_MEMBERS

    @property
    def link(self) -> str:
        """The invitation link: the id and the secret, of equal length."""
        return self.id + self.secret

    def member(self, player: PlayerId) -> Member | None:
        """Return a player's membership, or `None`."""
        return next((each for each in self.members if each.player == player), None)

    @property
    def players(self) -> list[PlayerId]:
        """The members' ids, in the order of joining."""
        return [each.player for each in self.members]

    def players_at(self, time: int) -> list[PlayerId]:
        """Return the players known to have been members at a time, former members first."""
        were = [each.player for each in self.former if each.since < time <= each.until]
        are = [each.player for each in self.members if each.since < time]
        # A player who rejoined is in both lists.
        return list(dict.fromkeys([*were, *are]))

    def rounds_of(self, season: Season) -> tuple[Round, ...]:
        """Return the league's challenges in a season."""
        if season is self.season:
            return tuple(each for each in self.rounds if each.at < season.ends)
        return season.rounds

    @property
    def delay(self) -> int:
        """The delay of the circle's scheduled work, in milliseconds."""
        # Derived from the id, so that circles do not all run at the start or close of a day.
        return seasons.delay_of(self.id)

    @property
    def round_due(self) -> int | None:
        """When the league's next challenge is due, or `None`."""
        if self.league is None or self.season is None:
            return None
        # Without a next season, the league ends with the current one.
        goes_on = self.weeks is not None or self.next_round < self.season.ends
        return self.next_round if goes_on else None

    @property
    def post_due(self) -> int | None:
        """When the next post of a day's table is due, or `None`."""
        return None if self.webhook is None else seasons.settled(self.posted + 1) + self.delay

    @property
    def due(self) -> int | None:
        """When the circle's next scheduled work is due, or `None`."""
        season = None if self.season is None else self.season.settled + self.delay
        times = [each for each in (season, self.round_due, self.post_due) if each is not None]
        return min(times, default=None)


class Checkpoint(Struct, tag="checkpoint", frozen=True):
    """The state after all earlier entries; the journal starts at its last checkpoint."""

    circle: Circle
    at: int  # the time of that entry


Entry: TypeAlias = Event | Checkpoint

# Entries that no member caused.
ScheduledEvent = SeasonClosed | RoundMade | RoundSkipped | DayPosted | WebhookAnswered


def fold(circle: Circle | None, event: Entry) -> Circle:
    """Return the circle after one more entry; the state before the first entry is `None`."""
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
    # Scheduled events must not keep an abandoned circle alive.
    used = circle.used if isinstance(event, ScheduledEvent) else event.at
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
            # A permanent failure removes the webhook.
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
    assert circle.league is not None, "only a league has turns"
    following = seasons.next_start(circle.league.every, at, circle.delay)
    paid = max(0, circle.paid - 1)
    return replace(circle, next_round=following, turn=circle.turn + 1, paid=paid)


def _gone(circle: Circle) -> Circle:
    """Return a deleted circle, which keeps only ids, times and versions."""
    rest = (circle.version, circle.at, circle.used, circle.begin)
    return Circle(circle.id, circle.founded, "", "", circle.owner, (), *rest)


def _without(circle: Circle, player: PlayerId, at: int, *, erased: bool = False) -> Circle:
    """Return the circle without a member. Removing the last member deletes it."""
    member = circle.member(player)
    members = tuple(each for each in circle.members if each.player != player)
    if not members:
        return _gone(circle)
    former = circle.former
    if member is not None:
        former = (*former, FormerMember(player, member.since, at))
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
    """Return the circle without the former members that no kept table needs."""
    shown = [*circle.closed, *([circle.season] if circle.season else [])]
    since = min((each.ends for each in shown), default=None)
    kept = [each for each in circle.former if since is not None and each.until >= since]
    return replace(circle, former=tuple(kept[-MAX_FORMER:]))


def _season_after(circle: Circle, weeks: int | None, at: int) -> Season | None:
    """Return the current season after a change of the season length."""
    running, week = circle.season, seasons.week_at(at)
    if running is None:
        number = circle.closed[0].number + 1 if circle.closed else 1
        return None if weeks is None else Season(number, week, weeks, _drop(circle.league))
    if at >= running.ends:
        # It awaits its last results.
        return running
    # A running season ends with the current week at the earliest.
    return structs.replace(running, weeks=max(weeks or 0, week - running.first + 1))


def _closed(circle: Circle) -> Circle:
    """Return the circle with its season closed and the next one, if any, started."""
    season, weeks = circle.season, circle.weeks
    assert season is not None, "only a running season closes"
    over = structs.replace(season, rounds=circle.rounds_of(season))
    # Challenges made while this season awaited its last results belong to the next one.
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
    """Return the past seasons to keep, latest first."""
    sizes = list(accumulate(len(each.rounds) for each in closed))
    return tuple(
        each for each, size in zip(closed[:MAX_SEASONS], sizes, strict=False) if size <= MAX_ROUNDS
    )


def _with_league(circle: Circle, league: League | None, at: int) -> Circle:
    """Return the circle with another league."""
    if league is None or circle.season is None:
        return replace(circle, league=None, paid=0)
    last = max((each.closes for each in circle.rounds), default=0)
    # Wait for the last challenge to close. With `last - 1`, the next one can start at its close.
    following = seasons.next_start(league.every, max(at, last - 1), circle.delay)
    season = circle.season
    # A season that is over keeps the terms under which it was played.
    if at < season.ends:
        season = structs.replace(season, drop=league.drop)
    return replace(circle, league=league, season=season, next_round=following, paid=PAID_ROUNDS)


def _drop(league: League | None) -> int:
    return league.drop if league is not None else 0


def _emotes_after(
    emotes: dict[str, dict[PlayerId, int]], event: Emoted
) -> dict[str, dict[PlayerId, int]]:
    """Return the emotes after one is sent or removed, dropping the oldest beyond the limit."""
    own = dict(emotes.get(event.item, {}))
    own.pop(event.player, None)
    if event.emote is not None:
        own[event.player] = event.emote
    after = {**emotes, event.item: own}
    if not own:
        del after[event.item]
    while sum(map(len, after.values())) > MAX_EMOTES:
        # Dicts keep insertion order, so the first item is the oldest.
        del after[next(iter(after))]
    return after
