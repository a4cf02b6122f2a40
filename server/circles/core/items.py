"""The feed of a circle: what has happened lately, as it follows from what is known. Pure.

Only the emotes for its items are stored, in the circle's journal. So a result that is taken back is
not in the feed any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple

from server.base.core.days import DAY, day_at
from server.base.core.ids import ChallengeId, PlayerId
from server.circles.core.circle import Circle
from server.circles.core.tables import Record, Score

FEED_DAYS: Final = 7
"""Days of which a feed is, up to the current one."""

FEED_MS: Final = FEED_DAYS * DAY

MAX_ITEMS: Final = 50
"""Items of a feed, the latest ones."""

About = Literal["joined", "dailies", "record", "season", "challenge"]


class Item(NamedTuple):
    """Something that has happened; the fields are those of `FeedItem` in the messages."""

    id: str
    about: About
    at: int
    player: PlayerId | None
    game: str | None = None
    day: int | None = None
    points: int = 0
    played: int = 0
    crown: bool = False
    number: int = 0
    challenge: str | None = None


def feed_days(now: int) -> range:
    """Return the days of which a feed is."""
    today = day_at(now)
    return range(today - FEED_DAYS + 1, today + 1)


def joined(circle: Circle, now: int) -> Iterable[Item]:
    """Yield who has joined lately, but for who founded the circle."""
    since = feed_days(now).start * DAY
    for each in circle.members:
        if each.since >= since and each.since != circle.founded:
            yield Item(f"joined:{each.player}:{each.since}", "joined", each.since, each.player)


def dailies(day: int, scores: Mapping[PlayerId, Score]) -> Iterable[Item]:
    """Yield who has played dailies of a day, the most points first."""
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
                crown=score.crowns > 0,
            )


def records(best: Mapping[str, tuple[PlayerId, Record]], now: int) -> Iterable[Item]:
    """Yield the records that the dailies of the last days have."""
    days = feed_days(now)
    for game, (player, record) in best.items():
        if record.day is not None and record.day in days:
            name = f"record:{game}:{record.day}:{player}"
            yield Item(name, "record", record.day * DAY, player, game=game, day=record.day)


def season(number: int, at: int, winner: PlayerId | None, points: int) -> Item:
    """Return that a season has ended, at a time, and who has won it with how many points."""
    return Item(f"season:{number}", "season", at, winner, points=points, number=number)


def challenge(challenge_id: ChallengeId, game: str, closes: int, winner: PlayerId | None) -> Item:
    """Return that a challenge for the circle has closed, and who has won it."""
    name = f"challenge:{challenge_id}"
    return Item(name, "challenge", closes, winner, game=game, challenge=challenge_id)


def latest(items: Iterable[Item]) -> list[Item]:
    """Return the items of a feed, the latest first, and what is more than the dailies first."""
    order = sorted(items, key=lambda item: (-item.at, item.about == "dailies"))
    return order[:MAX_ITEMS]
