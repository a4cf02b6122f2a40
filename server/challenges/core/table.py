"""The sorted table of a challenge's players, as visible to a viewer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from server.base.core.ids import AttemptId, PlayerId
from server.challenges.core.challenge import Challenge, Entrant
from server.play.core.result import Result

# The first rows, which every visitor receives. Few, since a popular link has many visitors; clients
# request further pages.
TOP: Final = 15

# A player's progress: invited, playing, ended, or invited and not started at the close.
State = Literal["named", "playing", "ended", "absent"]


@dataclass(frozen=True, slots=True)
class Row:
    """A player's row."""

    player: PlayerId
    state: State
    # `None` if it is hidden, missing or void; likewise `rank` and `attempt`.
    result: Result | None = None
    rank: int | None = None  # from 1; absent players share the rank after all others
    attempt: AttemptId | None = None
    # The emotes for the run, by sender; empty if hidden.
    emotes: Mapping[PlayerId, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a table, which is cached.

    Sorting takes time proportional to the number of players, and building a row constant time.
    """

    # By rank if results are visible, otherwise in the order of joining.
    players: tuple[PlayerId, ...]
    ranks: Mapping[PlayerId, int]  # the ranks of valid results; empty if results are hidden


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose rows are built on request."""

    challenge: Challenge
    # Whether the viewer can see results. If not, only the target (the creator's result) is shown,
    # if the terms include it.
    shows_results: bool
    order: Order

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.order.players)

    def rows(self, first: int = 1, count: int = TOP) -> list[Row]:
        """Return up to `count` rows, starting with number `first` (from 1)."""
        return [self.row(player) for player in self.order.players[first - 1 : first - 1 + count]]

    def row(self, player: PlayerId) -> Row:
        """Return a player's row."""
        challenge, entrant = self.challenge, self.challenge.players[player]
        state = _state(challenge, entrant)
        if not self.shows_results:
            shown = player == challenge.made.creator
            return Row(player, state, target(challenge) if shown else None)
        if state == "absent":
            return Row(player, state, rank=len(self.order.ranks) + 1)
        rank = self.order.ranks.get(player)
        if rank is None:
            return Row(player, state)
        return Row(player, state, entrant.result, rank, challenge.attempt(player), entrant.emotes)


def table(challenge: Challenge, *, shows_results: bool) -> Table:
    """Return the table of a challenge, with results visible or hidden."""
    return Table(challenge, shows_results, order(challenge, shows_results=shows_results))


def order(challenge: Challenge, *, shows_results: bool) -> Order:
    """Return the order of a table. It only changes when `Challenge.ordered` does."""
    if not shows_results:
        return Order(tuple(challenge.players), {})
    ranks, last = challenge.ranks(), len(challenge.players) + 1
    is_over = challenge.over is not None

    def place(player: PlayerId) -> tuple[bool, int]:
        # Running attempts and voided results follow the ranked ones; absent players come last.
        is_absent = is_over and challenge.players[player].begun is None
        return is_absent, ranks.get(player, last)

    return Order(tuple(sorted(challenge.players, key=place)), ranks)


def target(challenge: Challenge) -> Result | None:
    """Return the creator's result if the terms show it to players before they play."""
    made = challenge.made
    own = challenge.players.get(made.creator) if made.terms.target else None
    return own.result if own is not None and not own.void else None


def _state(challenge: Challenge, entrant: Entrant) -> State:
    if entrant.result is not None:
        return "ended"
    if entrant.begun is not None:
        return "playing"
    return "named" if challenge.over is None else "absent"
