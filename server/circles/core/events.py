"""The entries of a circle's journal, in their stored form.

Times are Unix milliseconds of the server's clock. See `server/STORED.md` for how a form may change.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.base.core.ids import ChallengeId, CircleId, DealId, PlayerId
from server.play.core.result import Help

Every = Literal["day", "week"]
"""How often a league makes a challenge."""

Form = Literal["discord", "slack", "json"]
"""For whom the posts to a webhook are written."""


class League(Struct, frozen=True, omit_defaults=True):
    """The terms of a league.

    Attributes:
        every: how often there is a challenge, which is open for as long.
        games: those that take turns.
        limit: the length of an attempt in milliseconds.
        drop: how many of the worst results of a season do not count for each member.
        help: the help that the members may ask for.
    """

    every: Every
    games: tuple[str, ...]
    limit: int
    drop: int = 0
    help: Help = "none"


class Webhook(Struct, frozen=True):
    """Where a circle's posts go, sealed as the circle's, and for whom they are written."""

    url: str
    form: Form


class Founded(Struct, tag="founded", frozen=True):
    """The circle was founded, by its first member and owner.

    `secret` is the second half of the link by which others join.
    """

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
    """A member left; if it was the owner, the member who joined first becomes the owner.

    `erased` says that the player has been deleted, so that nothing of them stays.
    """

    player: PlayerId
    at: int
    erased: bool = False


class Removed(Struct, tag="removed", frozen=True):
    """The owner has removed a member, and so renewed the link."""

    player: PlayerId
    secret: str
    at: int


class HandedOver(Struct, tag="owner", frozen=True):
    """The owner made another member the owner."""

    player: PlayerId
    at: int


class Renamed(Struct, tag="renamed", frozen=True):
    """The owner gave the circle another name, or an operator did."""

    name: str
    at: int


class LinkRenewed(Struct, tag="link", frozen=True):
    """The owner renewed the link."""

    secret: str
    at: int


class Muted(Struct, tag="muted", frozen=True):
    """A member wants no notifications of the circle, or wants them again."""

    player: PlayerId
    muted: bool
    at: int


class SeasonSet(Struct, tag="season", frozen=True):
    """The owner set how many weeks the seasons have; `None` for no more of them."""

    weeks: int | None
    at: int


class SeasonClosed(Struct, tag="closed", frozen=True):
    """The season that was running is over, and its results are where they belong."""

    at: int


class LeagueSet(Struct, tag="league", frozen=True):
    """The owner set what the league is played by; `None` for no more challenges."""

    league: League | None
    at: int


class LeaguePaid(Struct, tag="paid", frozen=True):
    """A player has begun a challenge of the league, and so paid for those that it makes next."""

    player: PlayerId
    at: int


class RoundMade(Struct, tag="round", frozen=True):
    """The league has made a challenge, which closes at `closes`."""

    challenge: ChallengeId
    game: str
    deal: DealId
    closes: int
    at: int


class RoundSkipped(Struct, tag="skipped", frozen=True):
    """The league could not make a challenge, and tries the next one."""

    at: int


class ChallengeAdded(Struct, tag="challenge", frozen=True):
    """A member has made a challenge for the circle."""

    challenge: ChallengeId
    player: PlayerId
    game: str
    deal: DealId
    closes: int
    at: int


class WebhookSet(Struct, tag="webhook", frozen=True):
    """The owner set where posts go; `None` for nowhere."""

    webhook: Webhook | None
    at: int


class WebhookAnswered(Struct, tag="answered", frozen=True):
    """The server that posts go to has answered otherwise than before.

    Attributes:
        code: the status of its answer, as `204`, or why there is none, as `time`.
        ends: whether nothing may be posted there any more.
        at: when.
    """

    code: str
    ends: bool
    at: int


class DayPosted(Struct, tag="posted", frozen=True):
    """The table of a day was given to be posted."""

    day: int
    at: int


class Emoted(Struct, tag="emoted", frozen=True):
    """A member sent an emote for an item of the feed, or took it back (`None`)."""

    player: PlayerId
    item: str
    emote: int | None
    at: int


class Deleted(Struct, tag="deleted", frozen=True):
    """The owner deleted the circle, or an operator did."""

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
