"""Contests: how much weight a race between two players has.

Races against idle, repeat or same-address opponents cost only time and can be arranged at will.
They have reduced weight or none for ratings, races won and best runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from typing import Final, Protocol

from msgspec import Struct

from server.base.core.days import DAY
from server.base.core.ids import DealId, PlayerId
from server.play.core.result import End

PLAYED_MOVES: Final = 10  # the fewest moves of a resigned or timed-out run that counts as played
WINDOW_MS: Final = DAY  # milliseconds during which two players' earlier races reduce the weight

# The number of races between two players within `WINDOW_MS` with full weight. Each later race has
# half the weight of the previous one.
FULL: Final = 3

MOST: Final = 6  # the number of races between two players within `WINDOW_MS` that have any weight
MAX_LATELY: Final = 50  # the most recent races of a game kept in a history for this purpose


class Played(Protocol):
    """The part of a `server.play.core.result.Result` that shows whether its player played."""

    @property
    def moves(self) -> int:
        """The number of moves."""

    @property
    def end(self) -> End | None:
        """Why it ended."""


def has_played(result: Played) -> bool:
    """Return whether a run was a real attempt: enough moves, or no more moves to make."""
    return result.end in {"won", "stuck"} or result.moves >= PLAYED_MOVES


class Meeting(Struct, array_like=True, frozen=True):
    """A race that could have been a contest, as stored in each player's history."""

    deal: DealId
    at: int  # when it ended, in Unix milliseconds
    others: tuple[PlayerId, ...]
    hollow: bool = False  # whether the player won it without any other player having played


class Lately(Struct, array_like=True, frozen=True):
    """A player's recent races of a game, as stored: at most 9 kB with full rooms."""

    meetings: tuple[Meeting, ...] = ()

    def before(self, deal: DealId, at: int) -> list[Meeting]:
        """Return the races within the window before a time (Unix ms), except those on a deal."""
        return [each for each in self.meetings if each.deal != deal and each.at > at - WINDOW_MS]

    def plus(self, meeting: Meeting) -> Lately:
        """Return the races with another one, unless present, dropping those outside the window."""
        if any(each.deal == meeting.deal for each in self.meetings):
            return self
        latest = [*self.before(meeting.deal, meeting.at), meeting]
        return Lately(tuple(sorted(latest, key=lambda each: each.at)[-MAX_LATELY:]))


class Pair(Struct, array_like=True, frozen=True):
    """Two players of a race whose contest has reduced weight, as stored."""

    one: PlayerId
    other: PlayerId
    earlier: int  # the number of their races within `WINDOW_MS` before
    together: bool  # whether they share an address or an IPv6 network

    def has(self, player: PlayerId) -> bool:
        """Return whether a player belongs to the pair."""
        return player in (self.one, self.other)

    @property
    def weight(self) -> float:
        """The weight of their contest, from 0 to 1."""
        if self.together or self.earlier >= MOST:
            return 0.0
        return 0.5 ** max(0, self.earlier + 1 - FULL)


def pairs(
    players: Collection[PlayerId],
    lately: Mapping[PlayerId, Iterable[Meeting]],
    networks: Mapping[PlayerId, str],
) -> tuple[Pair, ...]:
    """Return the pairs of a race's players that have reduced weight.

    `lately` are each player's races within the window, and `networks` the players' networks
    (`server.players.address_hash`), where known.
    """
    found = []
    for one, other in combinations(sorted(players), 2):
        # Either history can lack meetings: guests store none, and full ones drop the oldest.
        earlier = max(_count(lately[one], other), _count(lately[other], one))
        together = one in networks and networks[one] == networks.get(other)
        if earlier or together:
            found.append(Pair(one, other, earlier, together))
    return tuple(found)


def _count(meetings: Iterable[Meeting], other: PlayerId) -> int:
    return sum(other in each.others for each in meetings)


def weights(
    player: PlayerId,
    results: Mapping[PlayerId, Played],
    ranks: Mapping[PlayerId, int],
    pairs: Iterable[Pair],
) -> dict[PlayerId, float]:
    """Return a player's nonzero weights in a race against each opponent, from 0 to 1.

    `results` and `ranks` are of the valid results, and `pairs` those with reduced weight.
    """
    less = {each.one: each.weight for each in pairs if each.other == player}
    less |= {each.other: each.weight for each in pairs if each.one == player}
    found = {}
    for other, result in results.items():
        # A loss always counts, so that giving up early is no escape. A win or tie counts only if
        # both have played.
        lost = ranks[player] > ranks[other]
        if other != player and (lost or (has_played(results[player]) and has_played(result))):
            found[other] = less.get(other, 1.0)
    return {other: weight for other, weight in found.items() if weight}
