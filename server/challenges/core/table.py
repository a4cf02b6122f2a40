"""The table of a challenge: its players in their order, as a viewer may see them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from server.base.core.ids import AttemptId, PlayerId
from server.challenges.core.challenge import Challenge, Entrant
from server.play.core.result import Result

PAGE: Final = 50
"""Rows of a page: a client is sent the first page of a table, and asks for more."""

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
    emotes: Mapping[PlayerId, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a table, which takes time that grows with its players, and a row does not.

    Attributes:
        players: by their ranks if results may be seen, else in the order of coming.
        ranks: of those whose results stand; empty if results may not be seen.
    """

    players: tuple[PlayerId, ...]
    ranks: Mapping[PlayerId, int]


@dataclass(frozen=True, slots=True)
class Table:
    """A table, of which rows are made when they are asked for.

    Attributes:
        challenge: the challenge.
        shows_results: whether the viewer may see the results. If not, all that is shown is the
            target, which is the maker's result, if there is one.
        order: as `order` returns it.
    """

    challenge: Challenge
    shows_results: bool
    order: Order

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.order.players)

    def rows(self, first: int = 1, count: int = PAGE) -> list[Row]:
        """Return so many rows, beginning with a number from 1."""
        return [self.row(player) for player in self.order.players[first - 1 : first - 1 + count]]

    def row(self, player: PlayerId) -> Row:
        """Return the row of a player, who has one."""
        challenge, entrant = self.challenge, self.challenge.players[player]
        state = _state(challenge, entrant)
        if not self.shows_results:
            shown = player == challenge.made.maker
            return Row(player, state, target(challenge) if shown else None)
        if state == "absent":
            return Row(player, state, rank=len(self.order.ranks) + 1)
        rank = self.order.ranks.get(player)
        if rank is None:
            return Row(player, state)
        return Row(player, state, entrant.result, rank, challenge.attempt(player), entrant.emotes)


def table(challenge: Challenge, *, shows_results: bool) -> Table:
    """Return the table of a challenge for those who may see results, or for those who may not."""
    return Table(challenge, shows_results, order(challenge, shows_results=shows_results))


def order(challenge: Challenge, *, shows_results: bool) -> Order:
    """Return the order of a table; it is another one only if `Challenge.ordered` is."""
    if not shows_results:
        return Order(tuple(challenge.players), {})
    ranks, last = challenge.ranks(), len(challenge.players) + 1
    is_over = challenge.over is not None

    def place(player: PlayerId) -> tuple[bool, int]:
        # Those who have no rank go on, or have a result that was taken back; last, the absent.
        is_absent = is_over and challenge.players[player].begun is None
        return is_absent, ranks.get(player, last)

    return Order(tuple(sorted(challenge.players, key=place)), ranks)


def target(challenge: Challenge) -> Result | None:
    """Return the result that is shown to those who have not played: the maker's, if it is to be."""
    made = challenge.made
    own = challenge.players.get(made.maker) if made.terms.target else None
    return own.result if own is not None and not own.void else None


def _state(challenge: Challenge, entrant: Entrant) -> State:
    if entrant.result is not None:
        return "ended"
    if entrant.begun is not None:
        return "playing"
    return "named" if challenge.over is None else "absent"
