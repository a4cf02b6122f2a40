"""Consequences of challenges in the players' histories.

Final results are recorded in them. A race on a challenge's deal is left out of public totals while
the challenge is open: from one result less or more, a total would show that result.
"""

from __future__ import annotations

from engine.schema import is_changes
from server.base.core.ids import PlayerId, is_bot
from server.base.work.tasks import finish_all
from server.challenges.challenges import Challenges
from server.challenges.core.challenge import Challenge
from server.challenges.core.effects import ChallengeOpened, ChallengeSettled
from server.challenges.core.occasions import occasion_of
from server.challenges.store import ChallengeStore
from server.deals.store import DealStore
from server.results.core.history import ChallengeResult
from server.results.histories import Histories

AT_ONCE = 20
"""The number of histories written concurrently."""


class ChallengeRecorder:
    """Records results in histories. They do not affect leaderboards or ratings."""

    def __init__(
        self,
        challenges: Challenges,
        histories: Histories,
        store: ChallengeStore,
        *,
        deals: DealStore,
    ) -> None:
        self._challenges = challenges
        self._histories = histories
        self._store = store
        self._deals = deals

    async def withhold(self, event: ChallengeOpened | ChallengeSettled) -> None:
        """Leave the challenge's race out of public totals until it is settled. This is idempotent.

        Either effect can be applied first, so both derive this from the latest state.
        """
        found = await self._challenges.find(event.challenge)
        # Races by custom rules are in no history.
        while found is not None and found.made.raced and not is_changes(found.made.terms.variant):
            made, withheld = found.made, not found.is_settled
            await finish_all(
                self._histories.withhold(player, made.terms.game, made.deal, withheld=withheld)
                for player in made.raced
                if not is_bot(player)
            )
            found = await self._challenges.find(event.challenge)
            # It may have been settled during the writes.
            if found is None or withheld != found.is_settled:
                return

    async def apply(self, settled: ChallengeSettled) -> None:
        """Record a challenge's result for each of its players. This is idempotent.

        The results are computed from the latest state. If that changes during the writes, as by an
        operator's action, they are written again.
        """
        found = await self._challenges.find(settled.challenge)
        while found is not None:
            results = _results(found)
            players = list(results)
            for at in range(0, len(players), AT_ONCE):
                await finish_all(
                    self._histories.add_challenge(
                        player, found.made.terms.game, found.made.deal, results[player]
                    )
                    for player in players[at : at + AT_ONCE]
                )
            await self._store.end(found.made.creator, found.id)
            if found.made.raced:
                await self._deals.settle(found.made.deal, occasion_of(found.id))
            after = await self._challenges.find(settled.challenge)
            # A result may have been voided during the writes.
            if after is None or _results(after) == results:
                return
            found = after


def _results(challenge: Challenge) -> dict[PlayerId, ChallengeResult]:
    """Return a challenge's result for each of its players except bots."""
    ranks = challenge.ranks()
    made = challenge.made
    found = {}
    for player, entrant in challenge.players.items():
        result = entrant.result
        if result is None or result.end is None or is_bot(player):
            continue
        found[player] = ChallengeResult(
            challenge.over or 0,
            made.challenge,
            ranks.get(player, len(challenge.players)),
            len(challenge.players),
            result.home,
            result.left,
            result.time,
            result.moves,
            result.end,
            made.terms.help != "none",
            made.terms.circle,
            entrant.void,
            is_changes(made.terms.variant),
        )
    return found
