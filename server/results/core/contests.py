"""Contests: how much a race between two players says about them. Pure.

A race against somebody who does not play, against the same one again and again, or against somebody
at the same address costs nothing but time, and could be had at will: it counts less, or not at all.
That is so for everything that leaderboards compare and that races add to: ratings, races won, and
best runs. A race that counts against nobody adds to none of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from typing import Final, Protocol

from msgspec import Struct

from server.base.core.days import DAY
from server.base.core.ids import DealId, PlayerId
from server.play.core.result import End

PLAYED_MOVES: Final = 10
"""Moves from which on somebody who has given up, or whose time ran out, has played."""

WINDOW_MS: Final = DAY
"""Milliseconds for which it counts that two players have met in a race."""

FULL: Final = 3
"""How many races of two players count in full within `WINDOW_MS`; each later one counts half of the
one before."""

MOST: Final = 6
"""After how many of them no more count."""

MAX_LATELY: Final = 50
"""The latest races of a game of which a history says whom its player has met."""


class Played(Protocol):
    """The part of a `server.play.core.result.Result` that says whether its player has played."""

    @property
    def moves(self) -> int:
        """Moves played."""

    @property
    def end(self) -> End | None:
        """Why it ended."""


def has_played(result: Played) -> bool:
    """Return whether a run was a try: some moves, or all that there were to play."""
    return result.end in {"won", "stuck"} or result.moves >= PLAYED_MOVES


class Meeting(Struct, array_like=True, frozen=True):
    """A race that might have been a contest, and whom its player met in it, as stored.

    Attributes:
        at: when it was over, in Unix milliseconds.
        others: the other players.
        hollow: whether the player won it, and none of the others had played.
    """

    deal: DealId
    at: int
    others: tuple[PlayerId, ...]
    hollow: bool = False


class Lately(Struct, array_like=True, frozen=True):
    """The players met in races of a game lately, as stored: at most 9 kB for full rooms."""

    meetings: tuple[Meeting, ...] = ()

    def before(self, deal: DealId, at: int) -> list[Meeting]:
        """Return those that count at a time (Unix milliseconds), without the race on one deal."""
        return [each for each in self.meetings if each.deal != deal and each.at > at - WINDOW_MS]

    def plus(self, meeting: Meeting) -> Lately:
        """Return them with one more race, unless it is there; what counts no more is dropped."""
        if any(each.deal == meeting.deal for each in self.meetings):
            return self
        latest = [*self.before(meeting.deal, meeting.at), meeting]
        return Lately(tuple(sorted(latest, key=lambda each: each.at)[-MAX_LATELY:]))


class Pair(Struct, array_like=True, frozen=True):
    """Two players of a race whose contest counts less than that of strangers, as stored.

    Attributes:
        earlier: how many races they had within `WINDOW_MS` before.
        together: whether they are at one address, or in one network of IPv6.
    """

    one: PlayerId
    other: PlayerId
    earlier: int
    together: bool

    def has(self, player: PlayerId) -> bool:
        """Return whether a player is one of them."""
        return player in (self.one, self.other)

    @property
    def weight(self) -> float:
        """How much their contest counts, from 0 to 1."""
        if self.together or self.earlier >= MOST:
            return 0.0
        return 0.5 ** max(0, self.earlier + 1 - FULL)


def pairs(
    players: Collection[PlayerId],
    lately: Mapping[PlayerId, Iterable[Meeting]],
    networks: Mapping[PlayerId, str],
) -> tuple[Pair, ...]:
    """Return the pairs of a race's players whose contest counts less.

    Args:
        players: the players.
        lately: the races that each had before, as far as they count.
        networks: those that players are in (`server.players.address_hash`), if that is known.
    """
    found = []
    for one, other in combinations(sorted(players), 2):
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
    """Return how much a race counts against each opponent, from 0 to 1, without those of 0.

    To lose counts in any case, so nobody escapes by giving up early. To win, or to be level, counts
    only if both have played.

    Args:
        player: whose contests they are.
        results: of all whose results stand.
        ranks: theirs.
        pairs: as from `pairs`.
    """
    less = {each.one: each.weight for each in pairs if each.other == player}
    less |= {each.other: each.weight for each in pairs if each.one == player}
    found = {}
    for other, result in results.items():
        lost = ranks[player] > ranks[other]
        if other != player and (lost or (has_played(results[player]) and has_played(result))):
            found[other] = less.get(other, 1.0)
    return {other: weight for other, weight in found.items() if weight}
