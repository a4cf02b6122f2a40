"""Suspicious runs: each run is looked at once when it is over, and nothing follows by itself.

What it costs: for a daily, five round trips after the read of the run's journal, none of which
anybody waits for; a read of one more run if it is like that, and of an attempt for each player who
had begun the daily before at the same address. What takes long is done in slices.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from engine.board import Board
from engine.deal import deal_seed
from server.core import boards
from server.core.daily import DailyId
from server.core.ids import PACE_BOT, attempt_id
from server.core.likeness import Choice, Likeness, choices_of, compare, marks
from server.core.ranking import unpack
from server.core.refusal import UnreadableError
from server.core.run import Run
from server.core.suspicion import MIN_WINS, Copied, Earlier, Suspicion, earlier_of, reasons
from server.service.attempts import Attempts
from server.service.store import Store
from server.service.stored import rules_of

SLICE = 8
"""Steps after which others get their turn: up to 8 ms of comparing, and 0.3 ms of playing again."""

MAX_EARLIER = 8
"""Earlier attempts at the same address that are looked at: those that began last."""

T = TypeVar("T")

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Suspicion)


class Suspicions:
    """Looks at runs, and lists those that an operator should look at."""

    def __init__(self, store: Store, attempts: Attempts) -> None:
        self._store = store.suspicions
        self._starts = store.starts
        self._deals = store.deals
        self._attempts = attempts

    async def examine(self, run: Run) -> None:
        """Look at a run that is over, and keep why it is suspicious, if it is.

        This is idempotent. The pace bot, which plays by the clock, is left out.

        Raises:
            UnavailableError: the store does not answer.
        """
        start = run.start
        if start.player == PACE_BOT:
            return
        median_win, copied, earlier = None, None, list[Earlier]()
        if start.day is not None:
            daily = DailyId(start.game, start.day)
            if run.end == "won":
                median_win = await self._median_win(daily)
            board = await self._first_board(run)
            if board is not None:
                copied = await self._copied(daily, run, board)
                earlier = await self._earlier(daily, run, board)
        found = reasons(run, median_win, copied, earlier)
        if found:
            attempt, at = attempt_id(start.deal, start.player), start.at + run.ended
            suspicion = Suspicion(attempt, start.player, start.game, start.day, at, found)
            await self._store.add(attempt, at, _ENCODER.encode(suspicion).decode())

    async def _first_board(self, run: Run) -> Board | None:
        """Return the first board of a run's deal; `None` if only a newer release can deal it."""
        start = run.start
        try:
            deal = await self._deals.find(start.deal)
            rules = rules_of(start.game, start.variant, start.rules)
        except UnreadableError:
            # That has been logged where it was read. The run's times can be looked at all the same.
            return None
        return None if deal is None else deal_seed(rules, deal.seed)

    async def _median_win(self, daily: DailyId) -> int | None:
        """Return the median time of the wins of those who have kept an identity, or of guests."""
        for group in ("ranked", "guests"):
            wins, score = await self._store.median_win(boards.of_daily(daily, group))
            if wins >= MIN_WINS:
                return unpack(score)[1]
        return None

    async def _copied(self, daily: DailyId, run: Run, board: Board) -> Copied | None:
        """Return the run at a daily that this one is most like, if any; `board` is the first."""
        choices = await _in_slices(choices_of(run, board))
        if not choices:
            return None
        me = run.start.player
        firsts = await self._store.first(daily, marks(choices), me)
        others = Counter(player for player in firsts if player != me)
        for player, _ in others.most_common(1):
            other = await self._attempts.run(attempt_id(run.start.deal, player))
            if other is None:
                continue
            like = await _likeness(choices, await _in_slices(choices_of(other, board)))
            over = other.start.at + other.ended <= run.start.at
            return like and Copied(player, like, over)
        return None

    async def _earlier(self, daily: DailyId, run: Run, board: Board) -> list[Earlier]:
        """Return what others did who had begun a daily before at the same address."""
        players = await self._starts.earlier(daily, run.start.player)
        found = []
        for player in players[-MAX_EARLIER:]:
            attempt = await self._attempts.find(attempt_id(run.start.deal, player))
            if attempt is not None:
                found.append(earlier_of(attempt, board, run.start.at))
        return found

    async def list(self, day: int | None = None) -> list[Suspicion]:
        """Return the suspicious runs, of a day or all, the most suspicious first.

        Raises:
            UnavailableError: the store does not answer.
        """
        found = map(_DECODER.decode, await self._store.list())
        runs = [each for each in found if day is None or each.day == day]
        return sorted(runs, key=lambda each: (-each.weight, -each.at))


async def _in_slices(steps: Iterable[T]) -> list[T]:
    """Return all of an iterable, letting others run meanwhile."""
    found = []
    for number, each in enumerate(steps, 1):
        found.append(each)
        if number % SLICE == 0:
            await asyncio.sleep(0)
    return found


async def _likeness(run: list[Choice], other: list[Choice]) -> Likeness | None:
    """Return the likeness of a run to another one, `None` if no move is the same."""
    found = await _in_slices(compare(run, other))
    return found[-1] if found else None
