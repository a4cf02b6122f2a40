"""Rating changes by races with any number of players.

The model is Plackett-Luce as implemented by openskill: a race is a sequence of choices of the best
remaining player. A rating is a normal distribution of skill.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeVar

from openskill.models import PlackettLuce

from server.results.core.history import RATING, UNCERTAINTY

P = TypeVar("P", bound=str)

_MODEL: Final = PlackettLuce(mu=RATING, sigma=UNCERTAINTY)


class Skill(NamedTuple):
    """Mean and standard deviation of a rating."""

    mean: float
    uncertainty: float


class Change(NamedTuple):
    """The change of a rating by a race, given the changes by earlier races."""

    shift: float  # the term added to the mean
    # The factor applied to the uncertainty. It is below 1 while the uncertainty is large, and
    # slightly above 1 for an almost certain rating, because skill can change.
    factor: float

    def scaled(self, weight: float) -> Change:
        """Return the change scaled by a weight from 0 (none) to 1 (full)."""
        return Change(self.shift * weight, self.factor**weight)


def rate(before: Mapping[P, Skill], ranks: Mapping[P, int]) -> dict[P, Change]:
    """Return how a race of at least two players changes their ratings; equal ranks are ties.

    It takes 0.3 ms for eight players.
    """
    # Use a fixed order, because floating-point sums depend on it.
    players = sorted(before)
    found = _MODEL.rate(
        [[_MODEL.create_rating([*before[player]])] for player in players],
        ranks=[float(ranks[player]) for player in players],
    )
    return {
        player: Change(
            after.mu - before[player].mean,
            after.sigma / before[player].uncertainty,
        )
        for player, (after,) in zip(players, found, strict=True)
    }
