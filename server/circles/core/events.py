"""Stored entries of a circle's journal.

Times are Unix milliseconds of the server's clock. `server/STORED.md` says how a stored form can
change.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.base.core.ids import ChallengeId, DealId, PlayerId
from server.circles.core.ids import CircleId
from server.play.core.result import Help

Every = Literal["day", "week"]

Form = Literal["discord", "slack", "json"]


class League(Struct, frozen=True, omit_defaults=True):
    """The terms of a league."""

    every: Every  # the interval between challenges; each is open for one interval
    games: tuple[str, ...]  # the ids of the games, which rotate
    limit: int  # the time limit of an attempt in milliseconds
    drop: int = 0  # the number of each member's worst results in a season that do not count
    help: Help = "none"


class Webhook(Struct, frozen=True):
    """A circle's webhook: its URL, sealed for the circle, and its format."""

    url: str
    form: Form


class Founded(Struct, tag="founded", frozen=True):
    """A player founded the circle; `secret` is the second half of the invitation link."""

    circle: CircleId
    owner: PlayerId
    name: str
    secret: str
    at: int


class Joined(Struct, tag="joined", frozen=True):
    """A player joined."""

    player: PlayerId
    at: int


class Left(Struct, tag="left", frozen=True, omit_defaults=True):
    """A member left. If the owner left, the longest-standing member becomes the owner.

    `erased` means that the player was deleted, so no trace of them stays.
    """

    player: PlayerId
    at: int
    erased: bool = False


class Removed(Struct, tag="removed", frozen=True):
    """The owner removed a member, which renewed the link."""

    player: PlayerId
    secret: str
    at: int


class HandedOver(Struct, tag="owner", frozen=True):
    """The owner transferred ownership to another member."""

    player: PlayerId
    at: int


class Renamed(Struct, tag="renamed", frozen=True):
    """The owner or an operator renamed the circle."""

    name: str
    at: int


class LinkRenewed(Struct, tag="link", frozen=True):
    """The owner renewed the invitation link."""

    secret: str
    at: int


class Muted(Struct, tag="muted", frozen=True):
    """A member muted or unmuted the circle's notifications."""

    player: PlayerId
    muted: bool
    at: int


class SeasonSet(Struct, tag="season", frozen=True):
    """The owner set the season length in weeks; `None` ends the series of seasons."""

    weeks: int | None
    at: int


class SeasonClosed(Struct, tag="closed", frozen=True):
    """The current season is over and settled."""

    at: int


class LeagueSet(Struct, tag="league", frozen=True):
    """The owner set the league's terms; `None` ends the league."""

    league: League | None
    at: int


class LeaguePaid(Struct, tag="paid", frozen=True):
    """A player started a league challenge and paid for the league's next ones."""

    player: PlayerId
    at: int


class RoundMade(Struct, tag="round", frozen=True):
    """The league made a challenge."""

    challenge: ChallengeId
    game: str
    deal: DealId
    closes: int
    at: int


class RoundSkipped(Struct, tag="skipped", frozen=True):
    """The league could not make a challenge and skipped this turn."""

    at: int


class ChallengeAdded(Struct, tag="challenge", frozen=True):
    """A member created a challenge for the circle."""

    challenge: ChallengeId
    player: PlayerId
    game: str
    deal: DealId
    closes: int
    at: int


class WebhookSet(Struct, tag="webhook", frozen=True):
    """The owner set the webhook; `None` removes it."""

    webhook: Webhook | None
    at: int


class WebhookAnswered(Struct, tag="answered", frozen=True):
    """The outcome of posting to the webhook changed."""

    code: str  # the HTTP status, such as `204`, or the kind of failure, such as `time`
    ends: bool  # whether posting stops permanently
    at: int


class DayPosted(Struct, tag="posted", frozen=True):
    """A day's table was queued for posting."""

    day: int
    at: int


class Emoted(Struct, tag="emoted", frozen=True):
    """A member sent an emote for a feed item, or removed it (`None`)."""

    player: PlayerId
    item: str
    emote: int | None
    at: int


class Deleted(Struct, tag="deleted", frozen=True):
    """The owner or an operator deleted the circle."""

    at: int


Event = (
    Founded
    | Joined
    | Left
    | Removed
    | HandedOver
    | Renamed
    | LinkRenewed
    | Muted
    | SeasonSet
    | SeasonClosed
    | LeagueSet
    | LeaguePaid
    | RoundMade
    | RoundSkipped
    | ChallengeAdded
    | WebhookSet
    | WebhookAnswered
    | DayPosted
    | Emoted
    | Deleted
)
