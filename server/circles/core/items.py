"""A circle's feed of recent events, computed from known state.

Only emotes are stored, in the circle's journal. A voided result therefore disappears from the feed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple

from server.base.core.days import DAY, day_at
from server.base.core.ids import ChallengeId, PlayerId
from server.circles.core.circle import Circle
from server.circles.core.tables import Record, Score

FEED_DAYS: Final = 7  # days covered by a feed, including the current day

FEED_MS: Final = FEED_DAYS * DAY

MAX_ITEMS: Final = 50  # the most items in a feed; older ones are omitted

About = Literal["joined", "dailies", "record", "season", "challenge"]


class Item(NamedTuple):
    """A feed item, with the fields of `FeedItem` in the messages."""

    id: str
    about: About
    at: int
    player: PlayerId | None
    game: str | None = None
    day: int | None = None
    points: int = 0
    played: int = 0
    crowns: tuple[str, ...] = ()
    number: int = 0
    challenge: str | None = None


def feed_days(now: int) -> range:
    """Return the days covered by a feed."""
    today = day_at(now)
    return range(today - FEED_DAYS + 1, today + 1)


def joined(circle: Circle, now: int) -> Iterable[Item]:
    """Yield an item for each recent member except the founder."""
    since = feed_days(now).start * DAY
    for each in circle.members:
        # Only the founder joined at the time of foundation.
        if each.since >= since and each.since != circle.founded:
            yield Item(f"joined:{each.player}:{each.since}", "joined", each.since, each.player)


def dailies(day: int, scores: Mapping[PlayerId, Score]) -> Iterable[Item]:
    """Yield an item for each player with dailies on a day, highest points first."""
    for player, score in sorted(scores.items(), key=lambda pair: -pair[1].points):
        if score.played:
            yield Item(
                f"dailies:{player}:{day}",
                "dailies",
                day * DAY,
                player,
                day=day,
                points=score.points,
                played=score.played,
                crowns=score.earned,
            )


def records(best: Mapping[str, tuple[PlayerId, Record]], now: int) -> Iterable[Item]:
    """Yield an item for each record set in a recent daily."""
    days = feed_days(now)
    for game, (player, record) in best.items():
        if record.day is not None and record.day in days:
            name = f"record:{game}:{record.day}:{player}"
            yield Item(name, "record", record.day * DAY, player, game=game, day=record.day)


def season(number: int, at: int, winner: PlayerId | None, points: int) -> Item:
    """Return the item for a season that ended at a time."""
    return Item(f"season:{number}", "season", at, winner, points=points, number=number)


def challenge(challenge_id: ChallengeId, game: str, closes: int, winner: PlayerId | None) -> Item:
    """Return the item for a closed challenge."""
    name = f"challenge:{challenge_id}"
    return Item(name, "challenge", closes, winner, game=game, challenge=challenge_id)


def latest(items: Iterable[Item]) -> list[Item]:
    """Return the latest items, latest first. At equal times, dailies come last."""
    # All dailies of a day are dated at its start; list other items of that time first.
    order = sorted(items, key=lambda item: (-item.at, item.about == "dailies"))
    return order[:MAX_ITEMS]
