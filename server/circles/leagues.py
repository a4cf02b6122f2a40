"""Challenges for circles, made by leagues or by members."""

from __future__ import annotations

from typing import Final

import structlog

from engine.catalog import daily_variant
from server.base.core.ids import PlayerId, is_id
from server.base.core.refusal import Refusal
from server.base.quotas.quotas import Quotas
from server.challenges.challenges import Challenges
from server.challenges.core.challenge import Challenge
from server.challenges.core.effects import ChallengeOpened
from server.challenges.core.events import Terms
from server.circles.circles import Circles
from server.circles.core import charges, commands
from server.circles.core.circle import PAID_ROUNDS, Circle
from server.circles.core.events import ChallengeAdded, LeagueSet, RoundMade, RoundSkipped
from server.circles.core.ids import CircleId

SHORTEST_MS: Final = 3_600_000
"""The shortest duration of a league challenge in milliseconds. If less of the interval is left, as
after an outage, the turn is skipped."""

log = structlog.get_logger()


class Leagues:
    """Makes the leagues' challenges, and records all challenges made for circles."""

    def __init__(self, circles: Circles, challenges: Challenges, quotas: Quotas) -> None:
        self._circles = circles
        self._challenges = challenges
        self._quotas = quotas
        challenges.begun.subscribe(self.pay)
        challenges.members = circles.members
        circles.passing.subscribe(self.make_round)

    async def make_round(self, circle: Circle, now: int) -> None:
        """Make a league's challenge if it is due. This is idempotent.

        The challenge is made in the owner's name. Its storage is prepaid: by the owner when the
        league was set, or by a player who started one of its challenges. A league without prepaid
        challenges ends, so an abandoned league costs nothing.
        """
        game, league = commands.next_game(circle, now), circle.league
        if game is None or league is None:
            return
        if not circle.paid:
            await self._circles.note(circle.id, lambda _, at: LeagueSet(None, at))
            return
        turn, closes = circle.turn, commands.round_closes(circle, now)
        done: RoundMade | RoundSkipped = RoundSkipped(now)
        if closes - now >= SHORTEST_MS:
            terms = Terms(
                *(game, daily_variant(game), league.limit, closes - now, league.help),
                target=False,
                circle=circle.id,
            )
            try:
                # The turn acts as idempotency key: a retry returns the same challenge.
                made = await self._challenges.create_for_league(circle.owner, terms, turn)
            except Refusal as refusal:
                # Skip the turn instead of retrying: the owner may have too many open challenges.
                log.info("league_round_skipped", circle=circle.id, code=refusal.code.name)
            else:
                of = made.made
                done = RoundMade(made.id, game, of.deal, of.closes, now)
        await self._circles.note(circle.id, lambda c, _: commands.make_round(c, turn, done))

    async def pay(self, challenge: Challenge, player: PlayerId) -> None:
        """Charge a player who starts a league challenge for the league's next challenges.

        A league thus continues as long as it is played.
        """
        circle = circle_of(challenge)
        found = None if circle is None else await self._circles.find(circle)
        if found is None or found.league is None or challenge.made.league is None:
            return
        missing = PAID_ROUNDS - found.paid
        if missing > 0:
            await self._circles.note(found.id, lambda c, now: commands.pay(c, player, now))
            self._quotas.note(player, *charges.rounds(found.league.every, missing))

    async def note_opened(self, opened: ChallengeOpened) -> None:
        """Record a challenge made for a circle. This is idempotent."""
        found = await self._challenges.find(opened.challenge)
        circle = None if found is None else circle_of(found)
        if found is None or circle is None or found.made.league is not None:
            return
        made = found.made
        added = ChallengeAdded(
            found.id, made.creator, made.terms.game, made.deal, made.closes, made.at
        )
        await self._circles.note(circle, lambda c, _: commands.add_challenge(c, added))


def circle_of(challenge: Challenge) -> CircleId | None:
    """Return the circle that a challenge was made for, or `None`."""
    circle = challenge.made.terms.circle
    return None if circle is None or not is_id(circle) else CircleId(circle)
