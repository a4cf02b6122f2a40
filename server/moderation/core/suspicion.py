"""Suspicions: signs in a run or a race that skill does not explain; operators review them.

Times of moves to a foundation are ignored, since a client may automate them, and so are times of
moves from the stock, which a held key repeats. A few short intervals are no sign: after a lost
connection, a client sends moves in a burst.
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

SHORT_MS: Final = 120  # too short for a person to see a board and move a card

# Minimum share of short intervals; bursts after a lost connection stay below it.
SHORT_SHARE: Final = 0.4

MIN_INTERVALS: Final = 20  # for statistics

# Maximum standard deviation of automated intervals, as a share of the mean. People's is far higher.
REGULAR: Final = 0.12

# Length of a window, and the maximum number of moves a person makes in one.
WINDOW_MS, MAX_IN_WINDOW = 5_000, 35

# Minimum number of separate windows above that maximum. A single one may be a burst after a lost
# connection.
WINDOWS: Final = 3

# Minimum number of shared odd moves (`server.moderation.core.likeness`): fewer are chance.
MIN_ODD: Final = 6

SAME_SHARE: Final = 0.5  # minimum share of a run's moves after the opening that match a copied run

# Minimum share of the unseen cards that a scout must have seen to be of use.
SCOUTED_SHARE: Final = 0.5

# Maximum cards brought home per card seen in a scouting run. Runs that people give up reach 0.1 and
# more, unless cards go home only in whole runs.
SCOUT_HOME: Final = 0.06

# Maximum milliseconds per card seen in a scouting run; no one plays that fast.
SCOUT_PACE_MS: Final = 300

FASTER: Final = 10  # a win is suspicious if it is this many times as fast as the median win
MIN_WINS: Final = 10  # for a median
MIN_HOLLOW: Final = 3  # wins within a day against idle opponents that are suspicious


class Reason(Struct, array_like=True, frozen=True):
    """A reason for suspicion, as stored.

    Attributes:
        weight: from 1 to 5, the higher the fewer other explanations there are.
        text: a sentence for the operator.
    """

    weight: int
    text: str


class Suspicion(Struct, frozen=True):
    """A suspicious run, or a player's latest suspicious race win of a game, as stored.

    Attributes:
        attempt: the player's attempt.
        at: its end, in Unix milliseconds.
        day: the number of the run's day; `None` if it is not of a daily.
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
    """An earlier run on the same deal that may have been copied."""

    player: PlayerId
    likeness: Likeness  # how much of the suspected run it has played before
    over: bool  # whether it had ended before the suspected run started


class Earlier(NamedTuple):
    """An earlier run on the same deal at the same address, possibly to scout the cards."""

    player: PlayerId
    unseen: int  # the number of unseen cards at the start
    seen: int  # the number of them that the player has seen
    home: int | None  # the cards brought home; `None` if they go home only in whole runs
    time: int  # its duration in milliseconds
    before: int  # its head start in milliseconds


def earlier_of(attempt: Attempt, first: Board, started: int) -> Earlier:
    """Return the facts of an earlier run, over or not, on the same deal.

    `first` is the deal's first board, and `started` the start of the later run, in Unix
    milliseconds.
    """
    unseen = cards_never_seen(first)
    return Earlier(
        attempt.start.player,
        unseen,
        unseen - cards_never_seen(attempt.board),
        attempt.board.home - first.home if first.ruleset.sends_singles else None,
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
    """Return the reasons why a run is suspicious; empty if it is not.

    `median_win` is the median time of the daily's wins in milliseconds, `copied` the most similar
    earlier run of the same daily, and `earlier` those at the same address. `tried` are their
    players, if the player has kept an identity only after the run.
    """
    found = (
        _short_intervals(run),
        _regular_intervals(run),
        _dense_windows(run),
        _fast_win(run, median_win),
        _copied_moves(copied),
        *map(_scouting, earlier),
        _tried_by_others(tried),
    )
    return tuple(reason for reason in found if reason is not None)


def race_reasons(decision: Decision) -> dict[PlayerId, tuple[Reason, ...]]:
    """Return the reasons why winning a race is suspicious, by winner of a ranked result."""
    race = decision.race
    if not race.may_be_rated:
        return {}
    found: dict[PlayerId, tuple[Reason, ...]] = {}
    for player, result in results(decision, ()).items():
        if result.won and result.ranked:
            reasons = (
                _hollow_wins(decision, player),
                *(_repeat_opponent(pair, player) for pair in decision.pairs if pair.has(player)),
            )
            found[player] = tuple(reason for reason in reasons if reason is not None)
    return {player: reasons for player, reasons in found.items() if reasons}


def _intervals(run: Run, counts: Callable[[str], bool]) -> list[int]:
    """Return the milliseconds before each move whose text `counts` accepts."""
    times = [0, *(at for _, at in run.moves)]
    return [
        after - before
        for (move, after), before in zip(run.moves, times, strict=False)
        if counts(move)
    ]


def _is_decision(move: str) -> bool:
    """Return whether a move takes a decision by the player."""
    source, _, target = move.partition(">")
    return _is_manual(move) and not (source == "s" or target == "s")


def _is_manual(move: str) -> bool:
    """Return whether a move is made by the player rather than automated by the client."""
    return not move.partition(">")[2].startswith("f")


def _short_intervals(run: Run) -> Reason | None:
    intervals = _intervals(run, _is_decision)
    short = sum(each < SHORT_MS for each in intervals)
    if len(intervals) < MIN_INTERVALS or short < SHORT_SHARE * len(intervals):
        return None
    text = f"{short} of {len(intervals)} moves came within {SHORT_MS} ms of the previous one."
    return Reason(4, text)


def _regular_intervals(run: Run) -> Reason | None:
    intervals = _intervals(run, _is_manual)[1:]
    if len(intervals) < MIN_INTERVALS:
        return None
    mean = fmean(intervals)
    deviation = pstdev(intervals)
    if mean < SHORT_MS or deviation > REGULAR * mean:
        return None
    text = f"The moves are {mean:.0f} ms apart, with a standard deviation of {deviation:.0f} ms."
    return Reason(5, text)


def _dense_windows(run: Run) -> Reason | None:
    times = [at for move, at in run.moves if _is_decision(move)]
    found = first = 0
    for place, at in enumerate(times):
        while at - times[first] >= WINDOW_MS:
            first += 1
        if place - first >= MAX_IN_WINDOW:
            found += 1
            first = place
    if found < WINDOWS:
        return None
    text = f"More than {MAX_IN_WINDOW} moves were made within {WINDOW_MS // 1000} s, {found} times."
    return Reason(3, text)


def _fast_win(run: Run, median_win: int | None) -> Reason | None:
    if run.end != "won" or median_win is None or run.ended * FASTER > median_win:
        return None
    won, median = run.ended / 1000, median_win / 1000
    text = f"The run was won in {won:.0f} s; the median win takes {median:.0f} s."
    return Reason(4, text)


def _copied_moves(copied: Copied | None) -> Reason | None:
    if copied is None:
        return None
    player, (moves, same, odd), over = copied
    if odd < MIN_ODD or same < SAME_SHARE * moves:
        return None
    when = "before this one started" if over else "while this one was running"
    text = (
        f"{same} of {moves} moves after the opening, {odd} of them odd, match {player}'s "
        f"run, which ended {when}."
    )
    return Reason(5 if over else 4, text)


def _tried_by_others(tried: Collection[PlayerId]) -> Reason | None:
    if not tried:
        return None
    text = (
        f"The player kept an identity only after this run, which is unranked; at the same address, "
        f"{', '.join(tried)} had started the deal earlier."
    )
    return Reason(2, text)


def _hollow_wins(decision: Decision, player: PlayerId) -> Reason | None:
    count = decision.hollow.get(player, 0) + meetings(decision)[player].hollow
    if count < MIN_HOLLOW:
        return None
    others = ", ".join(sorted(decision.race.results.keys() - {player}))
    text = f"{count} races were won within a day against idle opponents, the last against {others}."
    return Reason(3, text)


def _repeat_opponent(pair: Pair, player: PlayerId) -> Reason | None:
    other = pair.one if pair.other == player else pair.other
    if pair.together:
        return Reason(1, f"{other} played at the same address.")
    if pair.weight == 1:
        return None
    return Reason(2, f"It was race number {pair.earlier + 1} against {other} within a day.")


def _scouting(earlier: Earlier) -> Reason | None:
    player, unseen, seen, home, time, before = earlier
    if before <= 0 or seen == 0 or seen < SCOUTED_SHARE * unseen:
        return None
    if (home is None or home > SCOUT_HOME * seen) and time > SCOUT_PACE_MS * seen:
        return None
    text = (
        f"{player}, at the same address, started the deal {before / 1000:.0f} s earlier and saw "
        f"{seen} of {unseen} unseen cards in {time / 1000:.1f} s"
    )
    return Reason(4, f"{text}." if home is None else f"{text}, bringing {home} home.")
