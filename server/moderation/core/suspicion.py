"""Suspicions, for operators to look at: in a run or a race, what skill does not explain. Pure.

Nothing follows from it by itself. The times of moves to a foundation do not count, since a client
may send them for its player, nor how fast moves from the stock are, which a key repeats that is
held down. A few short intervals are no reason: after a lost connection, a client sends moves in a
burst.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from statistics import fmean, pstdev
from typing import Final, NamedTuple

from msgspec import Struct

from engine.board import Board
from engine.search import cards_never_seen
from server.base.core.ids import PlayerId
from server.moderation.core.likeness import Likeness
from server.play.core.attempt import Attempt
from server.play.core.run import Run
from server.results.core.contests import Pair
from server.results.core.race_results import Decision, meetings, results

SHORT_MS: Final = 120
"""Milliseconds in which nobody sees a board and moves a card on it."""

SHORT_SHARE: Final = 0.4
"""The share of short intervals from which they are no burst after a lost connection."""

MIN_INTERVALS: Final = 20
"""The fewest intervals that say something."""

REGULAR: Final = 0.12
"""The standard deviation, as a share of the mean, that the intervals of a person exceed by far."""

WINDOW_MS, MOST_IN_WINDOW = 5_000, 35
"""Milliseconds, and the most moves that a person taps in them."""

WINDOWS: Final = 3
"""The fewest such windows, apart from each other, that are no burst after a lost connection."""

MIN_ODD: Final = 6
"""The fewest odd moves (`server.moderation.core.likeness`) that two players do not share by
chance."""

SAME_SHARE: Final = 0.5
"""The share of a run's moves, after its opening, from which on it is like another one."""

SCOUTED_SHARE: Final = 0.5
"""The share of the unseen cards that somebody has to have seen for it to be of use."""

SCOUT_HOME: Final = 0.06
"""Cards home for each card seen, up to which somebody did not play, but looked: it is 0.1 and more
in runs that people have given up."""

SCOUT_PACE_MS: Final = 300
"""Milliseconds for each card seen, in which nobody plays."""

FASTER: Final = 10
"""How many times as fast as the median of the wins a win is suspicious."""

MIN_WINS: Final = 10
"""The fewest wins with a median that says something."""

MOST_HOLLOW: Final = 3
"""Races won within a day against nobody who has played, from which on they are suspicious."""


class Reason(Struct, array_like=True, frozen=True):
    """Why a run, or a race, is suspicious, as stored.

    Attributes:
        weight: how little else explains it, from 1 to 5.
        text: a sentence for the operator.
    """

    weight: int
    text: str


class Suspicion(Struct, frozen=True):
    """A suspicious run, or the latest suspicious race that a player has won of a game, as stored.

    Attributes:
        attempt: the player's attempt.
        at: when it ended, in Unix milliseconds.
        day: the number of the day, if it is of a daily.
    """

    attempt: str
    player: PlayerId
    game: str
    day: int | None
    at: int
    reasons: tuple[Reason, ...]

    @property
    def weight(self) -> int:
        """The sum of the reasons' weights."""
        return sum(reason.weight for reason in self.reasons)


class Copied(NamedTuple):
    """Another run on the same deal, which ended earlier.

    Attributes:
        player: its owner.
        likeness: how much of this one it has played before.
        over: whether it had ended before this one began.
    """

    player: PlayerId
    likeness: Likeness
    over: bool


class Earlier(NamedTuple):
    """The run of somebody who had begun the same deal earlier, at the same address.

    Attributes:
        player: who.
        unseen: cards that nobody has seen at the start.
        seen: how many of them that player has seen.
        home: cards brought home.
        time: milliseconds that it took.
        before: milliseconds by which that player had begun earlier.
    """

    player: PlayerId
    unseen: int
    seen: int
    home: int
    time: int
    before: int


def earlier_of(attempt: Attempt, first: Board, started: int) -> Earlier:
    """Return what somebody did who had begun a deal earlier.

    Args:
        attempt: that player's attempt, over or not.
        first: the first board of the deal.
        started: when the other one started, in Unix milliseconds.
    """
    unseen = cards_never_seen(first)
    return Earlier(
        attempt.start.player,
        unseen,
        unseen - cards_never_seen(attempt.board),
        attempt.board.home - first.home,
        attempt.at - attempt.start.at,
        started - attempt.start.at,
    )


def reasons(
    run: Run,
    median_win: int | None = None,
    copied: Copied | None = None,
    earlier: Iterable[Earlier] = (),
    tried: Collection[PlayerId] = (),
) -> tuple[Reason, ...]:
    """Return why a run is suspicious; empty if it is not.

    Args:
        run: the run.
        median_win: the median time of the wins at its daily in milliseconds; `None` if unknown.
        copied: the run at the same daily that it is most like.
        earlier: what others did who had begun it earlier, at the same address.
        tried: who these were, if the player has kept an identity only after the run.
    """
    found = (
        _short(run),
        _regular(run),
        _dense(run),
        _fast(run, median_win),
        _alike(copied),
        *map(_scouted, earlier),
        _chosen(tried),
    )
    return tuple(reason for reason in found if reason is not None)


def race_reasons(decision: Decision) -> dict[PlayerId, tuple[Reason, ...]]:
    """Return why it is suspicious that somebody has won a race, for each whom it counts for."""
    race = decision.race
    if not race.may_be_rated:
        return {}
    found: dict[PlayerId, tuple[Reason, ...]] = {}
    for player, result in results(decision, ()).items():
        if result.won and result.ranked:
            reasons = (
                _hollow(decision, player),
                *(_paired(pair, player) for pair in decision.pairs if pair.has(player)),
            )
            found[player] = tuple(reason for reason in reasons if reason is not None)
    return {player: reasons for player, reasons in found.items() if reasons}


def _intervals(run: Run, counts: Callable[[str], bool]) -> list[int]:
    """Return the milliseconds before each move that counts, by its text."""
    times = [0, *(at for _, at in run.moves)]
    return [
        after - before
        for (move, after), before in zip(run.moves, times, strict=False)
        if counts(move)
    ]


def _is_chosen(move: str) -> bool:
    """Return whether a player decides on each such move."""
    source, _, target = move.partition(">")
    return _is_made(move) and not (source == "s" or target == "s")


def _is_made(move: str) -> bool:
    """Return whether it is the player who makes each such move, and not the client."""
    return not move.partition(">")[2].startswith("f")


def _short(run: Run) -> Reason | None:
    intervals = _intervals(run, _is_chosen)
    short = sum(each < SHORT_MS for each in intervals)
    if len(intervals) < MIN_INTERVALS or short < SHORT_SHARE * len(intervals):
        return None
    text = f"{short} of {len(intervals)} moves came within {SHORT_MS} ms of the one before."
    return Reason(4, text)


def _regular(run: Run) -> Reason | None:
    intervals = _intervals(run, _is_made)[1:]
    if len(intervals) < MIN_INTERVALS:
        return None
    mean = fmean(intervals)
    deviation = pstdev(intervals)
    if mean < SHORT_MS or deviation > REGULAR * mean:
        return None
    text = f"The moves are {mean:.0f} ms apart, with a standard deviation of {deviation:.0f} ms."
    return Reason(5, text)


def _dense(run: Run) -> Reason | None:
    times = [at for move, at in run.moves if _is_chosen(move)]
    found = first = 0
    for place, at in enumerate(times):
        while at - times[first] >= WINDOW_MS:
            first += 1
        if place - first >= MOST_IN_WINDOW:
            found += 1
            first = place
    if found < WINDOWS:
        return None
    text = (
        f"More than {MOST_IN_WINDOW} moves were made within {WINDOW_MS // 1000} s, {found} times."
    )
    return Reason(3, text)


def _fast(run: Run, median_win: int | None) -> Reason | None:
    if run.end != "won" or median_win is None or run.ended * FASTER > median_win:
        return None
    text = f"It was won in {run.ended / 1000:.0f} s; the median is {median_win / 1000:.0f} s."
    return Reason(4, text)


def _alike(copied: Copied | None) -> Reason | None:
    if copied is None:
        return None
    player, (moves, same, odd), over = copied
    if odd < MIN_ODD or same < SAME_SHARE * moves:
        return None
    when = "before this one began" if over else "while this one went on"
    text = (
        f"{same} of {moves} moves after the opening, {odd} of them odd, are those of {player}'s "
        f"run, which ended {when}."
    )
    return Reason(5 if over else 4, text)


def _chosen(tried: Collection[PlayerId]) -> Reason | None:
    if not tried:
        return None
    text = (
        f"The identity was kept only after it, so it is not ranked; at the same address, "
        f"{', '.join(tried)} had begun the deal before."
    )
    return Reason(2, text)


def _hollow(decision: Decision, player: PlayerId) -> Reason | None:
    count = decision.hollow.get(player, 0) + meetings(decision)[player].hollow
    if count < MOST_HOLLOW:
        return None
    others = ", ".join(sorted(decision.race.results.keys() - {player}))
    text = f"{count} races were won within a day against nobody who had played, lately {others}."
    return Reason(3, text)


def _paired(pair: Pair, player: PlayerId) -> Reason | None:
    other = pair.one if pair.other == player else pair.other
    if pair.together:
        return Reason(1, f"{other} was at the same address.")
    if pair.weight == 1:
        return None
    return Reason(2, f"It was the race number {pair.earlier + 1} with {other} within a day.")


def _scouted(earlier: Earlier) -> Reason | None:
    player, unseen, seen, home, time, before = earlier
    if before <= 0 or seen == 0 or seen < SCOUTED_SHARE * unseen:
        return None
    if home > SCOUT_HOME * seen and time > SCOUT_PACE_MS * seen:
        return None
    text = (
        f"{player}, at the same address, had begun the deal {before / 1000:.0f} s before, and saw "
        f"{seen} of {unseen} unseen cards in {time / 1000:.1f} s; {home} came home."
    )
    return Reason(4, text)
