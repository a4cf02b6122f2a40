"""Statistics of practice in one variant of a game. Pure.

Players' devices count their deals themselves and report batches of them, so these figures prove
nothing: they appear on no leaderboard and in no history.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

MAX_DEALS: Final = 50  # the latest deals that are kept one by one; the client's trend needs 20
MAX_PLAYED: Final = 1_000_000  # deals per variant
MAX_MOVES: Final = 1_000_000
MAX_TIME_MS: Final = 10**10  # milliseconds: 115 days


class Played(NamedTuple):
    """A listed variant of a game."""

    game: str
    variant: str


class Counted(Struct, array_like=True, frozen=True):
    """A deal that was won or left."""

    won: bool
    home: int  # cards home
    time: int  # milliseconds played
    moves: int


class Figures(Struct, array_like=True, frozen=True):
    """The figures of a number of deals, one after the other."""

    played: int = 0
    won: int = 0
    streak: int = 0  # the wins in a row at the end
    longest: int = 0  # the most wins in a row
    home: int = 0  # the most cards home
    time: int | None = None  # the shortest time of a win in milliseconds; `None` without a win
    moves: int | None = None  # the fewest moves of a win; `None` without a win
    deals: tuple[Counted, ...] = ()  # the latest `MAX_DEALS` deals or fewer, oldest first


def is_consistent(figures: Figures, total: int) -> bool:
    """Return whether figures can be those of deals with `total` cards."""
    played, won, deals = figures.played, figures.won, figures.deals
    wins = [each for each in deals if each.won]
    return (
        figures.streak <= figures.longest <= won <= played
        and len(deals) <= played
        and len(wins) <= won
        and len(deals) - len(wins) <= played - won
        and all(each.home <= figures.home for each in deals)
        and figures.home <= total
        and (figures.time is None) == (figures.moves is None) == (won == 0)
        and all(figures.time is not None and figures.time <= each.time for each in wins)
        and all(figures.moves is not None and figures.moves <= each.moves for each in wins)
    )


def joined(earlier: Figures, later: Figures) -> Figures:
    """Return the figures of some deals followed by others.

    A streak across the seam is known as far as the later deals are kept one by one.
    """
    all_won = later.won == later.played
    begun = earlier.streak + _first_wins(later)
    return replace(
        later,
        played=earlier.played + later.played,
        won=earlier.won + later.won,
        streak=earlier.streak + later.streak if all_won else later.streak,
        longest=max(earlier.longest, later.longest, begun),
        home=max(earlier.home, later.home),
        time=_least(earlier.time, later.time),
        moves=_least(earlier.moves, later.moves),
        deals=(earlier.deals + later.deals)[-MAX_DEALS:],
    )


def _first_wins(figures: Figures) -> int:
    """Return how many deals were won before the first one that was not, as far as known."""
    if figures.won == figures.played:
        return figures.won
    if len(figures.deals) < figures.played:
        return 0
    return next(number for number, each in enumerate(figures.deals) if not each.won)


def _least(one: int | None, other: int | None) -> int | None:
    return min((each for each in (one, other) if each is not None), default=None)
