"""The table of a challenge: its players in their order, as a viewer may see them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from server.base.core.ids import AttemptId, PlayerId
from server.challenges.core.challenge import Challenge, Entrant
from server.play.core.result import Result

State = Literal["named", "playing", "ended", "absent"]
"""How far a player is: named and has not begun, playing, done, or has not begun when it closed."""


@dataclass(frozen=True, slots=True)
class Row:
    """A player's row.

    Attributes:
        result: `None` if it may not be seen, if there is none, and if an operator has taken it
            back; so are `rank` and `attempt`.
        rank: from 1; those who are absent share the one after all others.
        emotes: those for the run, by who has sent them; empty if it may not be seen.
    """

    player: PlayerId
    state: State
    result: Result | None = None
    rank: int | None = None
    attempt: AttemptId | None = None
    emotes: dict[PlayerId, int] = field(default_factory=dict)


def table(challenge: Challenge, *, shows_results: bool) -> list[Row]:
    """Return the rows: by their ranks if results may be seen, else in the order of coming.

    Args:
        challenge: the challenge.
        shows_results: whether the viewer may see the results. If not, all that is shown is the
            target, which is the maker's result, if there is one.
    """
    if not shows_results:
        maker, shown = challenge.made.maker, target(challenge)
        return [
            Row(player, _state(challenge, each), shown if player == maker else None)
            for player, each in challenge.players.items()
        ]
    results = challenge.results
    ranks = challenge.ranks()
    rows = [
        _row(challenge, player, each, ranks.get(player), absent_rank=len(results) + 1)
        for player, each in challenge.players.items()
    ]
    # Those who have no rank go on, or have a result that was taken back.
    return sorted(rows, key=lambda row: (row.state == "absent", row.rank or len(rows) + 1))


def target(challenge: Challenge) -> Result | None:
    """Return the result that is shown to those who have not played: the maker's, if it is to be."""
    made = challenge.made
    return challenge.results.get(made.maker) if made.terms.target else None


def _row(
    challenge: Challenge, player: PlayerId, entrant: Entrant, rank: int | None, absent_rank: int
) -> Row:
    """Return the row of a player for somebody who may see the results."""
    state = _state(challenge, entrant)
    if state == "absent":
        return Row(player, state, rank=absent_rank)
    if rank is None:
        return Row(player, state)
    return Row(player, state, entrant.result, rank, challenge.attempt(player), entrant.emotes)


def _state(challenge: Challenge, entrant: Entrant) -> State:
    if entrant.result is not None:
        return "ended"
    if entrant.begun is not None:
        return "playing"
    return "named" if challenge.over is None else "absent"
