"""Suspicious runs: each run is looked at once when it is over, and nothing follows by itself.

What it costs: for a daily, three more round trips after the read of the run's journal, none of
which anybody waits for.
"""

from __future__ import annotations

import msgspec

from server.core import boards
from server.core.daily import DailyId
from server.core.ids import PACE_BOT, PlayerId, attempt_id
from server.core.ranking import unpack
from server.core.run import Run
from server.core.suspicion import MIN_WINS, Suspicion, digest, reasons
from server.service.ports import SuspicionStore

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Suspicion)


class Suspicions:
    """Looks at runs, and lists those that an operator should look at."""

    def __init__(self, store: SuspicionStore) -> None:
        self._store = store

    async def examine(self, run: Run) -> None:
        """Look at a run that is over, and keep why it is suspicious, if it is.

        This is idempotent. The pace bot, which plays by the clock, is left out.

        Raises:
            UnavailableError: the store does not answer.
        """
        start = run.start
        if start.player == PACE_BOT:
            return
        median_win = twin = None
        if start.day is not None:
            daily = DailyId(start.game, start.day)
            if run.end == "won":
                median_win = await self._median_win(daily)
            twin = await self._twin(daily, run)
        found = reasons(run, median_win, twin)
        if found:
            attempt, at = attempt_id(start.deal, start.player), start.at + run.ended
            suspicion = Suspicion(attempt, start.player, start.game, start.day, at, found)
            await self._store.add(attempt, at, _ENCODER.encode(suspicion).decode())

    async def _median_win(self, daily: DailyId) -> int | None:
        """Return the median time of the wins of those who have kept an identity, or of guests."""
        for group in ("ranked", "guests"):
            wins, score = await self._store.median_win(boards.of_daily(daily, group))
            if wins >= MIN_WINS:
                return unpack(score)[1]
        return None

    async def _twin(self, daily: DailyId, run: Run) -> PlayerId | None:
        """Return another player who has made the same moves at a daily before, if any."""
        moves = digest(run)
        if moves is None:
            return None
        first = await self._store.first(daily, moves, run.start.player)
        return first if first != run.start.player else None

    async def list(self, day: int | None = None) -> list[Suspicion]:
        """Return the suspicious runs, of a day or all, the most suspicious first.

        Raises:
            UnavailableError: the store does not answer.
        """
        found = map(_DECODER.decode, await self._store.list())
        runs = [each for each in found if day is None or each.day == day]
        return sorted(runs, key=lambda each: (-each.weight, -each.at))
