"""Challenges, as anybody may see them who has the link."""

from __future__ import annotations

from typing import Protocol

import msgspec
from msgspec import Struct

from server.base.core.ids import ChallengeId
from server.base.web.api.route import HOUR, LIVE, Answer, Route, Rows
from server.base.web.api.shared import Count, Hex, Seed
from server.challenges import challenges
from server.challenges.core.events import Audience
from server.challenges.core.table import Row, State
from server.deals.core.certificate import Certificate
from server.play.core.result import Help
from server.play.core.run import FileResult
from server.players.api import Player
from server.players.core.names import Profile
from server.players.profiles import Profiles

CHALLENGE_COST = 2.0
"""The cost of a challenge: its journal is read, which has up to 1,000 players."""


class Challenger(Struct, frozen=True):
    """A player of a challenge.

    Attributes:
        state: `named` has not begun, `playing` has, `ended` is done; `absent` was named and had
            not begun when it closed.
        rank: 1 for the best; equal results share one, and those who are absent the last. Null until
            the challenge is over, and for a result that an operator has taken back.
        result: null until the challenge is over, but for the target: its maker's, if it is to be
            shown.
        run: the id of the run; null like `result`, and for the target.
    """

    player: Player
    state: State
    rank: Count | None
    result: FileResult | None
    run: str | None


class Challenge(Struct, frozen=True):
    """A challenge: one deal, which each plays once, whenever they have time until it closes.

    Attributes:
        challenge: its id.
        limit: seconds for an attempt.
        help: the help that its players may ask for.
        at: when it was made, in Unix milliseconds.
        closes: when it closes at the latest, in Unix milliseconds; when its maker has closed it, if
            that was before its date.
        over: whether it has closed.
        race: whether it is played on the deal of a race.
        audience: who may play.
        deal: the deal's id.
        commitment: to the seed, in hexadecimal; known before anybody could play.
        rules: the digest of the rules that it is played by.
        seed: in hexadecimal; null until it is over.
        certificate: the proof about the deal; null if there is none.
        size: how many have begun or are named.
        players: those that were asked for: by their ranks if it is over, else in the order in
            which they came.
    """

    challenge: str
    maker: Player
    game: str
    variant: str
    limit: Count
    help: Help
    at: int
    closes: int
    over: bool
    race: bool
    audience: Audience
    deal: str
    commitment: Hex
    rules: str
    seed: Seed | None
    certificate: Certificate | None
    size: Count
    players: list[Challenger]


class OfChallenge(Rows, frozen=True, kw_only=True):
    """A request for a challenge.

    Attributes:
        challenge: its id.
    """

    challenge: str


class Called(Protocol):
    """The services that the handlers call."""

    challenges: challenges.Challenges
    profiles: Profiles


async def show_challenge(services: Called, asked: OfChallenge) -> Answer[Challenge]:
    """A challenge, with all results and the seed once it is over; none that is for a circle."""
    found = await services.challenges.load(ChallengeId(asked.challenge), None)
    deal, seed = await services.challenges.deal_of(found)
    made, terms = found.made, found.made.terms
    rows = services.challenges.table(found, None)
    shown = rows.rows(asked.first, asked.count)
    profiles = await services.profiles.load({made.maker, *(row.player for row in shown)})
    value = Challenge(
        challenge=found.id,
        maker=Player.of(profiles[made.maker]),
        game=terms.game,
        variant=terms.variant,
        limit=terms.limit // 1000,
        help=terms.help,
        at=made.at,
        closes=found.closes,
        over=found.over is not None,
        race=bool(made.raced),
        audience=made.audience,
        deal=made.deal,
        commitment=made.commitment,
        rules=made.rules,
        seed=seed or None,
        certificate=deal.certificate if deal is not None else None,
        size=rows.size,
        players=[_challenger(row, profiles[row.player]) for row in shown],
    )
    return Answer(value, HOUR if found.is_settled else LIVE, is_kept=bool(shown))


def _challenger(row: Row, profile: Profile) -> Challenger:
    result = row.result
    reached = msgspec.convert(result, FileResult, from_attributes=True) if result else None
    return Challenger(Player.of(profile), row.state, row.rank, reached, row.attempt)


ROUTES = (Route("/challenges/{challenge}", show_challenge, ("unknown_challenge",), CHALLENGE_COST),)
