"""The public HTTP API of challenges."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from server.base.core.ids import ChallengeId
from server.base.core.numbers import Count, Milliseconds
from server.base.web.api.route import HOUR, LIVE, Answer, Route, Rows
from server.base.web.api.shared import Hex, Seed
from server.challenges.core.events import Audience
from server.challenges.core.refusals import ChallengeRefusals
from server.challenges.core.table import Row, State
from server.challenges.services import ChallengeServices
from server.deals.core.certificate import Certificate
from server.play.core.result import Help
from server.play.core.run import FileResult
from server.players.api import Player
from server.players.core.names import Profile

CHALLENGE_COST = 2.0
"""The cost of reading a challenge's journal, which has up to 1,000 players."""


class Challenger(Struct, frozen=True):
    """A player of a challenge.

    Attributes:
        state: `named` (invited, not started), `playing`, `ended`, or `absent` (invited, but had not
            started at the close).
        rank: 1 for the best; equal results share a rank, and absent players share the last one.
            Null until the challenge is over, and for a voided result.
        result: null until the challenge is over, except for the creator's result if it is the
            target.
        run: the id of the run; null until the challenge is over, even for the target.
    """

    player: Player
    state: State
    rank: Count | None
    result: FileResult | None
    run: str | None


class Challenge(Struct, frozen=True):
    """A challenge: one deal, which each player plays once, at any time before it closes.

    Attributes:
        challenge: the challenge's id.
        limit: the time limit of an attempt in seconds.
        help: the help that attempts allow.
        at: the time of its creation, in Unix milliseconds.
        closes: the latest possible close, in Unix milliseconds; after an early close by the
            creator, the actual one once it is over.
        over: whether it has closed.
        race: whether it uses the deal of a race.
        audience: the players who can play it.
        deal: the deal's id.
        commitment: the commitment to the seed, in hexadecimal; published before play starts.
        rules: the digest of its rules.
        seed: the seed in hexadecimal; null until the challenge is over.
        certificate: the proof about the deal; null if there is no proof.
        size: the number of players who have started or are invited.
        players: the requested rows: by rank once the challenge is over, otherwise in the order of
            joining.
    """

    challenge: str
    creator: Player
    game: str
    variant: str
    limit: Count
    help: Help
    at: Milliseconds
    closes: Milliseconds
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
    """The parameters of a request for a challenge.

    Attributes:
        challenge: the challenge's id.
    """

    challenge: str


async def show_challenge(services: ChallengeServices, asked: OfChallenge) -> Answer[Challenge]:
    """Return a challenge, with all results and the seed once it is over.

    Challenges for a circle are not available.
    """
    found = await services.challenges.load(ChallengeId(asked.challenge), None)
    deal, seed = await services.challenges.deal_of(found)
    made, terms = found.made, found.made.terms
    rows = services.challenges.table(found, None)
    shown = rows.rows(asked.first, asked.count)
    profiles = await services.profiles.load({made.creator, *(row.player for row in shown)})
    value = Challenge(
        challenge=found.id,
        creator=Player.of(profiles[made.creator]),
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
    # After settlement, only an operator can still change a result.
    return Answer(value, HOUR if found.is_settled else LIVE, is_kept=bool(shown))


def _challenger(row: Row, profile: Profile) -> Challenger:
    result = row.result
    reached = msgspec.convert(result, FileResult, from_attributes=True) if result else None
    return Challenger(Player.of(profile), row.state, row.rank, reached, row.attempt)


ROUTES = (
    Route(
        "/challenges/{challenge}",
        show_challenge,
        (ChallengeRefusals.unknown_challenge,),
        CHALLENGE_COST,
    ),
)
